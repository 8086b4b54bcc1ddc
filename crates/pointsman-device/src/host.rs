//! Host memory as devices see it: borrowed pieces of columns, and aligned buffers the runtime owns and reuses.

use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Alignment of every host buffer, in bytes: a cache line, and the widest vector.
pub const HOST_ALIGN: usize = 64;

/// How truth values lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoolLayout {
    /// One bit each, lowest first, as Arrow has them.
    #[default]
    Bits,
    /// One byte each, 0 or 1, as Rust has them.
    Bytes,
}

/// A bitmap that may start in the middle of a byte.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// The first bit, counted from the first byte's lowest.
    pub offset: usize,
}

impl Bits<'_> {
    /// Bit `i`.
    pub fn get(&self, i: usize) -> bool {
        let bit = self.offset + i;
        self.bytes[bit / 8] >> (bit % 8) & 1 == 1
    }
}

/// A borrowed piece of a column: some of its rows, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct HostChunk<'a> {
    /// The values, from the piece's first row on. For bools in bits, the bytes that hold them. Opaque values that are
    /// their rows' numbers may be left out.
    pub values: &'a [u8],
    /// How bools lie; other types ignore it.
    pub bools: BoolLayout,
    /// For bools in bits, the first row's bit in `values`.
    pub bit_offset: usize,
    /// Which values are not null; `None`: all.
    pub validity: Option<Bits<'a>>,
    /// How many rows.
    pub rows: usize,
}

/// Aligned, zeroed host memory that its owner frees or reuses.
pub struct HostBuffer {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a `HostBuffer` owns its memory alone, and gives it out by Rust's borrowing rules.
unsafe impl Send for HostBuffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Memory of this many bytes, all zero. Where there is none the process ends, as with `Vec`: sizes that come from
    /// outside go through [`HostBuffer::try_zeroed`].
    pub fn zeroed(len: usize) -> HostBuffer {
        let no_memory = |_| handle_alloc_error(Self::layout(len).unwrap_or(Layout::new::<Line>()));
        Self::try_zeroed(len).unwrap_or_else(no_memory)
    }

    /// Memory of this many bytes, all zero; an error where there is none.
    pub fn try_zeroed(len: usize) -> DeviceResult<HostBuffer> {
        if len == 0 {
            return Ok(HostBuffer::default());
        }
        // SAFETY: the layout has a size above zero.
        let start = Self::layout(len).and_then(|layout| NonNull::new(unsafe { alloc_zeroed(layout) }));
        let no_memory = || DeviceError::new(DeviceErrorKind::OutOfMemory, format!("the system has no {len} bytes"));
        start.map(|start| HostBuffer { start, len }).ok_or_else(no_memory)
    }

    /// The layout of `len` bytes; `None` for none, and for more than there are addresses.
    fn layout(len: usize) -> Option<Layout> {
        if len == 0 { None } else { Layout::from_size_align(len, HOST_ALIGN).ok() }
    }

    /// How many bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A cache line: what host memory is aligned to.
#[repr(align(64))]
struct Line;

const _: () = assert!(align_of::<Line>() == HOST_ALIGN);

impl Default for HostBuffer {
    /// No memory; aligned all the same, so that it can be seen as no values of any type.
    fn default() -> HostBuffer {
        HostBuffer { start: NonNull::<Line>::dangling().cast(), len: 0 }
    }
}

impl std::ops::Deref for HostBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `start` points to `len` initialised bytes that live as long as `self` (or is dangling with `len` 0).
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl std::ops::DerefMut for HostBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and `&mut self` makes the access unique.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.len) {
            // SAFETY: `zeroed` allocated `start` with this very layout, and nothing freed it since.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }
}

impl std::fmt::Debug for HostBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HostBuffer({} bytes)", self.len)
    }
}
