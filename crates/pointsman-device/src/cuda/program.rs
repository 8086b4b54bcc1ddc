//! Programs: a kernel's text, the shape of its launches and its machine code, as bytes and as loaded code.

use super::context::Context;
use super::memory::{Held, Memory};
use super::source::CudaSource;
use super::stream::{Stream, Uses};
use crate::{DeviceError, DeviceErrorKind, DeviceResult, ProgramImage};
use cudarc::driver::sys;
use pointsman_ir::kernel::{Kernel, Sink, parse};
use pointsman_ir::types::Type;
use pointsman_ir::verify;
use std::sync::Arc;

/// The name of a kernel's entry.
const ENTRY: &std::ffi::CStr = c"pointsman";
/// Words before the texts in an image: the shape's, then the length of the kernel's text.
const HEAD_WORDS: usize = 9;
/// Dynamic shared memory that every kernel may have without asking.
const SHARED_BYTES_PLAIN: u32 = 48 << 10;

/// How a program's launches are shaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// Threads of a block.
    pub(super) threads: u32,
    /// Rows that a block takes at a time.
    pub(super) tile_rows: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub(super) shared_bytes: u32,
    /// Global scratch of a block, in bytes.
    pub(super) block_scratch: u64,
    /// Words of a node.
    pub(super) node_words: u32,
    /// Bytes of a leaf's accumulators.
    pub(super) leaf_bytes: u64,
    /// Whether a row can fault.
    pub(super) can_fault: bool,
    /// Whether the number of rows is known only afterwards.
    pub(super) counts_rows: bool,
    /// How many blocks the card runs at once; known once it is loaded.
    pub(super) resident_blocks: u32,
}

impl Shape {
    /// The shape of a source's launches.
    pub(super) fn of(source: &CudaSource) -> Shape {
        Shape {
            threads: source.threads,
            tile_rows: source.tile_rows,
            shared_bytes: source.shared_bytes,
            block_scratch: source.block_scratch,
            node_words: source.node_words,
            leaf_bytes: source.leaf_bytes,
            can_fault: source.can_fault,
            counts_rows: source.counts_rows,
            resident_blocks: 0,
        }
    }

    /// Whether a launch's status tells something: otherwise its outcome is known before it runs.
    pub(super) fn has_status(&self, sink: &Sink) -> bool {
        self.can_fault || self.counts_rows || matches!(sink, Sink::Reduce { .. })
    }

    fn words(&self) -> [u64; HEAD_WORDS - 1] {
        [
            u64::from(self.threads),
            u64::from(self.tile_rows),
            u64::from(self.shared_bytes),
            self.block_scratch,
            u64::from(self.node_words),
            self.leaf_bytes,
            u64::from(self.can_fault),
            u64::from(self.counts_rows),
        ]
    }

    fn from_words(words: &[u64]) -> Option<Shape> {
        let &[threads, tile_rows, shared_bytes, block_scratch, node_words, leaf_bytes, can_fault, counts_rows] = words
        else {
            return None;
        };
        let shape = Shape {
            threads: threads.try_into().ok()?,
            tile_rows: tile_rows.try_into().ok()?,
            shared_bytes: shared_bytes.try_into().ok()?,
            block_scratch,
            node_words: node_words.try_into().ok()?,
            leaf_bytes,
            can_fault: can_fault == 1,
            counts_rows: counts_rows == 1,
            resident_blocks: 0,
        };
        (shape.threads > 0 && shape.tile_rows > 0).then_some(shape)
    }
}

fn refuse(message: impl Into<String>) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Compile, message)
}

/// An image of a kernel, the shape of its launches and its machine code.
pub(super) fn image(format: &str, kernel: &Kernel, shape: &Shape, code: &[u8]) -> ProgramImage {
    let text = kernel.print();
    let head = shape.words().into_iter().chain([text.len() as u64]);
    let mut bytes: Vec<u8> = head.flat_map(u64::to_le_bytes).collect();
    bytes.extend(text.as_bytes());
    bytes.extend(code);
    ProgramImage::new(format, &bytes)
}

/// What an image holds, every part checked but the machine code, which the checksum vouches for.
pub(super) fn open_image<'a>(format: &str, image: &'a ProgramImage) -> DeviceResult<(Kernel, Shape, &'a [u8])> {
    let short = || refuse("an image that ends early");
    let (head, rest) = image.program(format)?.split_at_checked(HEAD_WORDS * 8).ok_or_else(short)?;
    let (words, _) = head.as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let shape = Shape::from_words(&words[..HEAD_WORDS - 1]).ok_or_else(|| refuse("an image without a shape"))?;
    let text_bytes = usize::try_from(words[HEAD_WORDS - 1]).map_err(|_| short())?;
    let (text, code) = rest.split_at_checked(text_bytes).ok_or_else(short)?;
    let text = std::str::from_utf8(text).map_err(|error| refuse(error.to_string()))?;
    let kernel = parse::parse(text).map_err(|error| refuse(error.to_string()))?;
    verify::kernel(&kernel).map_err(|error| refuse(error.to_string()))?;
    Ok((kernel, shape, code))
}

/// A loaded program.
pub(super) struct Program {
    /// What it computes.
    pub(super) kernel: Kernel,
    /// How its launches are shaped.
    pub(super) shape: Shape,
    /// The types of the finished result.
    pub(super) whole: Vec<Type>,
    /// The types of a partial result's rows, then of its nodes.
    pub(super) partial: (Vec<Type>, Vec<Type>),
    memory: Arc<Memory>,
    module: sys::CUmodule,
    function: sys::CUfunction,
    uses: Uses,
}

// SAFETY: the driver's modules and functions may be used from any thread.
unsafe impl Send for Program {}
// SAFETY: as above; the driver locks.
unsafe impl Sync for Program {}

impl Program {
    /// Loads machine code, which an undamaged image of this card's architecture held.
    pub(super) fn load(
        context: &Context,
        memory: &Arc<Memory>,
        units: u32,
        (kernel, shape, code): (Kernel, Shape, &[u8]),
    ) -> DeviceResult<Program> {
        context.enter()?;
        let mut module = std::ptr::null_mut();
        // SAFETY: `module` is a place to write to; the code is whole, which its checksum says, and says its own size.
        context.check(unsafe { sys::cuModuleLoadData(&mut module, code.as_ptr().cast()) }, "loading a program")?;
        let (whole, partial) = (kernel.output(), kernel.partial());
        let mut program = Program {
            kernel,
            shape,
            whole,
            partial: (partial.rows, partial.nodes),
            memory: memory.clone(),
            module,
            function: std::ptr::null_mut(),
            uses: Uses::default(),
        };
        // SAFETY: the module was just loaded, and the name ends with a zero.
        let code = unsafe { sys::cuModuleGetFunction(&mut program.function, module, ENTRY.as_ptr()) };
        context.check(code, "finding a program's entry")?;
        program.shape.resident_blocks = program.resident_blocks(context, units)?;
        Ok(program)
    }

    /// How many blocks the card runs at once. A kernel of which it runs none is refused.
    fn resident_blocks(&self, context: &Context, units: u32) -> DeviceResult<u32> {
        let Shape { threads, shared_bytes, .. } = self.shape;
        let number = |value: u32| i32::try_from(value).map_err(|_| refuse("a program of too many threads or bytes"));
        if shared_bytes > SHARED_BYTES_PLAIN {
            let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function's module is loaded.
            let code = unsafe { sys::cuFuncSetAttribute(self.function, attribute, number(shared_bytes)?) };
            context.check(code, "asking for shared memory")?;
        }
        let mut blocks = 0;
        let (function, size) = (self.function, shared_bytes as usize);
        // SAFETY: the function's module is loaded, and there is a place to write to.
        let code =
            unsafe { sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, number(threads)?, size) };
        context.check(code, "asking how many blocks run at once")?;
        match u32::try_from(blocks) {
            Ok(blocks) if blocks > 0 => Ok(blocks * units),
            Ok(_) | Err(_) => Err(DeviceError::unsupported(format!(
                "the CUDA device has no room for a block of {threads} threads with {shared_bytes} bytes"
            ))),
        }
    }

    /// Its entry, good while the program is alive.
    pub(super) fn function(&self) -> sys::CUfunction {
        self.function
    }

    /// Takes down that a stream's work uses it; to be called before the work is queued.
    pub(super) fn used_by(&self, stream: &Arc<Stream>) {
        self.uses.add(stream);
    }

    /// What it is, for people.
    pub(super) fn describe(&self, architecture: &str) -> String {
        let Shape { threads, tile_rows, resident_blocks, .. } = self.shape;
        format!(
            "{architecture} code, {threads} threads a block, {tile_rows} rows at a time, {resident_blocks} blocks at once"
        )
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.memory.retire(Held::Module(self.module), &mut self.uses);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXT: &str = "kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink store v0\n";

    #[test]
    fn images_open_again_and_damaged_ones_do_not() {
        let kernel = parse::parse(TEXT).unwrap();
        let shape = Shape { threads: 256, tile_rows: 4096, leaf_bytes: 32, can_fault: true, ..Shape::default() };
        let made = image("cuda sm_90", &kernel, &shape, b"code");
        assert_eq!(open_image("cuda sm_90", &made).unwrap(), (kernel.clone(), shape, &b"code"[..]));
        assert_eq!(open_image("cuda sm_80", &made).unwrap_err().kind, DeviceErrorKind::Compile);
        for bytes in [vec![], vec![0; 8], vec![1; HEAD_WORDS * 8], made.bytes[..HEAD_WORDS * 8 + 4].to_vec()] {
            let other = ProgramImage::new("cuda sm_90", &bytes);
            assert_eq!(open_image("cuda sm_90", &other).unwrap_err().kind, DeviceErrorKind::Compile);
        }
        let shapeless = image("cuda sm_90", &kernel, &Shape::default(), b"code");
        assert!(open_image("cuda sm_90", &shapeless).unwrap_err().message.contains("shape"));
    }
}
