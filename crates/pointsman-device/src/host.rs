//! Host memory as devices see it: borrowed chunks of columns, and aligned buffers that the runtime owns and reuses.

use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::alloc::{Layout, handle_alloc_error};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// The alignment of every host buffer, in bytes: a cache line, and the widest vector.
pub const HOST_ALIGN: usize = 64;

/// The layout of bools in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoolLayout {
    /// One bit each, lowest bit first, as in Arrow.
    #[default]
    Bits,
    /// One byte each, 0 or 1, as in Rust.
    Bytes,
}

/// A bitmap that may start in the middle of a byte.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    /// The bytes that hold the bits.
    pub bytes: &'a [u8],
    /// The position of the first bit, counted from the lowest bit of the first byte.
    pub offset: usize,
}

impl Bits<'_> {
    /// Bit `i`.
    pub fn get(&self, i: usize) -> bool {
        let bit = self.offset + i;
        self.bytes[bit / 8] >> (bit % 8) & 1 == 1
    }
}

/// A borrowed chunk of a column: consecutive rows.
#[derive(Clone, Copy, Debug)]
pub struct HostChunk<'a> {
    /// The values, from the chunk's first row on. For bools as bits, the bytes that hold them. May be empty for opaque
    /// values that equal their row numbers.
    pub values: &'a [u8],
    /// The layout of bools; other types ignore it.
    pub bools: BoolLayout,
    /// For bools as bits, the position of the first row's bit in `values`.
    pub bit_offset: usize,
    /// The validity bitmap; `None` if no value is null.
    pub validity: Option<Bits<'a>>,
    /// The number of rows.
    pub rows: usize,
}

/// Aligned host memory, zeroed on allocation.
pub struct HostBuffer {
    start: NonNull<u8>,
    len: usize,
    /// The number of owners while the buffer is shared. Allocated on first use and kept, so that sharing again
    /// allocates nothing.
    owners: Option<NonNull<AtomicUsize>>,
}

// SAFETY: a `HostBuffer` is the only owner of its memory and lends it by Rust's borrowing rules.
unsafe impl Send for HostBuffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Allocates `len` zeroed bytes. Aborts the process if there is no memory, like `Vec`; use
    /// [`HostBuffer::try_zeroed`] for sizes that come from outside.
    pub fn zeroed(len: usize) -> HostBuffer {
        let no_memory = |_| handle_alloc_error(Self::layout(len).unwrap_or(Layout::new::<Line>()));
        Self::try_zeroed(len).unwrap_or_else(no_memory)
    }

    /// Allocates `len` zeroed bytes, or returns an error if there is no memory. Large buffers get huge pages if the
    /// system has them: these cost fewer page faults and TLB misses.
    pub fn try_zeroed(len: usize) -> DeviceResult<HostBuffer> {
        if len == 0 {
            return Ok(HostBuffer::default());
        }
        let start = Self::layout(len).and_then(pages::allocate);
        let no_memory = || DeviceError::new(DeviceErrorKind::OutOfMemory, format!("the system has no {len} bytes"));
        start.map(|start| HostBuffer { start, len, owners: None }).ok_or_else(no_memory)
    }

    /// The layout of `len` bytes; `None` for 0 bytes and for more than the address space holds.
    fn layout(len: usize) -> Option<Layout> {
        if len == 0 { None } else { Layout::from_size_align(len, HOST_ALIGN).ok() }
    }

    /// Turns the buffer into a shared, read-only one.
    #[inline]
    pub fn into_shared(mut self) -> SharedBuffer {
        let owners = *self.owners.get_or_insert_with(|| NonNull::from(Box::leak(Box::new(AtomicUsize::new(0)))));
        // SAFETY: the count lives as long as its buffer.
        unsafe { owners.as_ref() }.store(1, Ordering::Relaxed);
        SharedBuffer(ManuallyDrop::new(self))
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Host memory with several owners, which only read it.
#[derive(Debug)]
pub struct SharedBuffer(ManuallyDrop<HostBuffer>);

// SAFETY: owners only read, the count is atomic, and the last owner, in any thread, has the memory alone.
unsafe impl Send for SharedBuffer {}
// SAFETY: as above.
unsafe impl Sync for SharedBuffer {}

impl SharedBuffer {
    /// The buffer, if this was its last owner.
    #[inline]
    pub fn into_unique(self) -> Option<HostBuffer> {
        ManuallyDrop::new(self).leave()
    }

    /// Gives up ownership; returns the buffer if this was the last owner. `self` must not be used afterwards.
    fn leave(&mut self) -> Option<HostBuffer> {
        if self.owners().fetch_sub(1, Ordering::Release) > 1 {
            return None;
        }
        // Other owners finished reading before they released their count.
        fence(Ordering::Acquire);
        // SAFETY: there is no other owner, and this one does not use the buffer again.
        Some(unsafe { ManuallyDrop::take(&mut self.0) })
    }

    /// The number of owners.
    fn owners(&self) -> &AtomicUsize {
        let Some(owners) = self.0.owners else { unreachable!("`into_shared` sets the count") };
        // SAFETY: the count lives as long as the buffer, which lives while this owner is counted.
        unsafe { owners.as_ref() }
    }
}

impl Clone for SharedBuffer {
    fn clone(&self) -> SharedBuffer {
        self.owners().fetch_add(1, Ordering::Relaxed);
        let HostBuffer { start, len, owners } = *self.0;
        SharedBuffer(ManuallyDrop::new(HostBuffer { start, len, owners }))
    }
}

impl Drop for SharedBuffer {
    fn drop(&mut self) {
        drop(self.leave());
    }
}

impl std::ops::Deref for SharedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A cache line, the alignment of host memory.
#[repr(align(64))]
struct Line;

const _: () = assert!(align_of::<Line>() == HOST_ALIGN);

impl Default for HostBuffer {
    /// An empty buffer. Its pointer is aligned all the same, so that it can be viewed as an empty slice of any type.
    fn default() -> HostBuffer {
        HostBuffer { start: NonNull::<Line>::dangling().cast(), len: 0, owners: None }
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
        if let Some(owners) = self.owners {
            // SAFETY: `into_shared` leaked the count from a box, and the last owner is gone.
            drop(unsafe { Box::from_raw(owners.as_ptr()) });
        }
        if let Some(layout) = Self::layout(self.len) {
            // SAFETY: `try_zeroed` allocated the memory with this layout, and it was not freed since.
            unsafe { pages::free(self.start, layout) }
        }
    }
}

impl std::fmt::Debug for HostBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HostBuffer({} bytes)", self.len)
    }
}

/// Page allocation: small buffers come from the allocator, large ones from the system, in huge pages.
mod pages {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    /// The size of a huge page. Buffers of at least this size start on one.
    const PAGE_BYTES: usize = 2 << 20;

    /// Allocates zeroed memory; `None` if there is none. The layout has a nonzero size and an alignment below that of a
    /// huge page.
    pub(super) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
        match mapped_bytes(layout) {
            Some(bytes) => map(bytes, layout.size()),
            // SAFETY: the layout has a nonzero size.
            None => NonNull::new(unsafe { alloc_zeroed(layout) }),
        }
    }

    /// Frees memory.
    ///
    /// # Safety
    /// [`allocate`] returned the block for this layout, and nothing uses it any more.
    pub(super) unsafe fn free(block: NonNull<u8>, layout: Layout) {
        match mapped_bytes(layout) {
            // SAFETY: `map` mapped exactly these bytes.
            Some(bytes) => unsafe { unmap(block.as_ptr(), bytes) },
            // SAFETY: the allocator returned the block for this layout.
            None => unsafe { dealloc(block.as_ptr(), layout) },
        }
    }

    /// The number of bytes in whole huge pages, if the layout is large enough to come from the system.
    fn mapped_bytes(layout: Layout) -> Option<usize> {
        let is_large = cfg!(unix) && layout.size() >= PAGE_BYTES;
        if is_large { layout.size().checked_next_multiple_of(PAGE_BYTES) } else { None }
    }

    /// Maps whole huge pages: maps more than needed and unmaps the part before the first page boundary. Only pages that
    /// are used to their end become huge, since the others would hold more memory than is accounted for.
    #[cfg(unix)]
    fn map(bytes: usize, used: usize) -> Option<NonNull<u8>> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let wide = bytes.checked_add(PAGE_BYTES)?;
        // SAFETY: an anonymous mapping at an address that the system chooses touches no memory of ours.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), wide, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let before = start.align_offset(PAGE_BYTES);
        let block = start.wrapping_byte_add(before).cast::<u8>();
        // SAFETY: these bytes were mapped above, and nothing refers to them.
        unsafe { unmap(start.cast(), before) };
        // SAFETY: as above.
        unsafe { unmap(block.wrapping_add(bytes), PAGE_BYTES - before) };
        #[cfg(not(target_os = "linux"))]
        let _ = used;
        #[cfg(target_os = "linux")]
        // SAFETY: the block is mapped; the advice changes no content and may be refused.
        unsafe {
            libc::madvise(block.cast(), used / PAGE_BYTES * PAGE_BYTES, libc::MADV_HUGEPAGE)
        };
        NonNull::new(block)
    }

    /// Unmaps bytes.
    ///
    /// # Safety
    /// The bytes are mapped, and nothing uses them.
    #[cfg(unix)]
    unsafe fn unmap(start: *mut u8, bytes: usize) {
        if bytes > 0 {
            // SAFETY: the caller guarantees the contract.
            unsafe { libc::munmap(start.cast(), bytes) };
        }
    }

    #[cfg(not(unix))]
    fn map(_: usize, _: usize) -> Option<NonNull<u8>> {
        None
    }

    #[cfg(not(unix))]
    unsafe fn unmap(_: *mut u8, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_owner_gets_the_memory() {
        for len in [0, 1, 64, 1 << 12, (2 << 20) - 1, 2 << 20, (4 << 20) + 3] {
            let mut buffer = HostBuffer::zeroed(len);
            assert!(buffer.iter().all(|&byte| byte == 0) && buffer.as_ptr().addr().is_multiple_of(HOST_ALIGN));
            buffer.fill(7);
            let one = buffer.into_shared();
            let (two, three) = (one.clone(), one.clone());
            assert!(one.iter().all(|&byte| byte == 7) && one.as_ptr() == two.as_ptr());
            drop(two);
            assert!(one.into_unique().is_none(), "{len} bytes have another owner");
            let back = three.into_unique();
            assert_eq!(back.map(|buffer| buffer.len()), Some(len));
        }
    }

    #[test]
    fn exactly_one_thread_gets_the_buffer_back() {
        for _ in 0..200 {
            let shared = HostBuffer::zeroed(100).into_shared();
            let back: usize = std::thread::scope(|scope| {
                let leave = |one: SharedBuffer| scope.spawn(move || usize::from(one.into_unique().is_some()));
                let threads: Vec<_> = (0..4).map(|_| leave(shared.clone())).collect();
                let own = usize::from(shared.into_unique().is_some());
                own + threads.into_iter().map(|thread| thread.join().unwrap_or(9)).sum::<usize>()
            });
            assert_eq!(back, 1);
        }
    }
}
