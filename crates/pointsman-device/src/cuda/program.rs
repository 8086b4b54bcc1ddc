//! Programs: a kernel's text, the requirements of its launches and its machine code, as image bytes and as loaded code.

use super::context::Context;
use super::memory::Memory;
use super::module::{CudaFunction, CudaModule};
use super::stream::Stream;
use crate::{DeviceError, DeviceErrorKind, DeviceResult, ProgramImage};
use cudarc::driver::sys;
use pointsman_ir::kernel::{Kernel, parse};
use pointsman_ir::render::cuda::{Kind, Needs, Words};
use pointsman_ir::types::Type;
use pointsman_ir::verify;
use std::sync::Arc;

/// The name of a kernel's entry point.
const ENTRY: &std::ffi::CStr = c"pointsman";
/// The first bytes of machine code.
const CODE_START: &[u8] = b"\x7fELF";
/// Words before the texts in an image: the requirements of a launch, then the length of the kernel's text.
const HEAD_WORDS: usize = 9;
/// The dynamic shared memory that a kernel may use without a request. Static shared memory would count too, but a
/// kernel has only one of the two.
const SHARED_BYTES_PLAIN: u32 = 48 << 10;

/// The requirements of a launch as words.
fn needs_words(needs: &Needs) -> [u64; HEAD_WORDS - 1] {
    let (kind, first, second) = match needs.kind {
        Kind::Store => (0, 0, 0),
        Kind::Reduce { group_bytes, leaf_bytes } => (1, group_bytes, leaf_bytes),
        Kind::Stream { node_words, leaves } => (2, node_words, u64::from(leaves)),
    };
    let (threads, shared_bytes) = (u64::from(needs.threads), u64::from(needs.shared_bytes));
    let flags = u64::from(needs.can_fault) | u64::from(needs.can_stop) << 1;
    [threads, needs.tile_rows, shared_bytes, needs.block_scratch, kind, first, second, flags]
}

fn needs_of_words(words: &[u64]) -> Option<Needs> {
    let &[threads, tile_rows, shared_bytes, block_scratch, kind, first, second, flags] = words else { return None };
    let kind = match kind {
        0 => Kind::Store,
        1 => Kind::Reduce { group_bytes: first, leaf_bytes: second },
        2 => Kind::Stream { node_words: first, leaves: second == 1 },
        _ => return None,
    };
    let (threads, shared_bytes) = (u32::try_from(threads).ok()?, u32::try_from(shared_bytes).ok()?);
    let (can_fault, can_stop) = (flags & 1 == 1, flags & 2 == 2);
    let needs = Needs { threads, tile_rows, shared_bytes, block_scratch, kind, can_fault, can_stop };
    (threads > 0 && tile_rows > 0 && flags < 4).then_some(needs)
}

fn refuse(message: impl Into<String>) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Compile, message)
}

/// Creates the image of a kernel with its launch requirements and machine code.
pub(super) fn image(format: &str, kernel: &Kernel, needs: &Needs, code: &[u8]) -> ProgramImage {
    let text = kernel.print();
    let head = needs_words(needs).into_iter().chain([text.len() as u64]);
    let mut bytes: Vec<u8> = head.flat_map(u64::to_le_bytes).collect();
    bytes.extend(text.as_bytes());
    bytes.extend(code);
    ProgramImage::new(format, &bytes)
}

/// The parts of an image.
#[derive(Debug, PartialEq)]
pub(super) struct OpenedImage<'a> {
    pub(super) kernel: Kernel,
    pub(super) needs: Needs,
    pub(super) code: &'a [u8],
}

/// Opens an image. Every part is checked except for the machine code, which the checksum covers.
pub(super) fn open_image<'a>(format: &str, image: &'a ProgramImage) -> DeviceResult<OpenedImage<'a>> {
    let short = || refuse("an image that ends early");
    let (head, rest) = image.program(format)?.split_at_checked(HEAD_WORDS * 8).ok_or_else(short)?;
    let (words, _) = head.as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let needs = needs_of_words(&words[..HEAD_WORDS - 1]).ok_or_else(|| refuse("an image of an unknown kind"))?;
    let text_bytes = usize::try_from(words[HEAD_WORDS - 1]).map_err(|_| short())?;
    let (text, code) = rest.split_at_checked(text_bytes).ok_or_else(short)?;
    let text = std::str::from_utf8(text).map_err(|error| refuse(error.to_string()))?;
    let kernel = parse::parse(text).map_err(|error| refuse(error.to_string()))?;
    verify::kernel(&kernel).map_err(|error| refuse(error.to_string()))?;
    if !code.starts_with(CODE_START) {
        return Err(refuse("an image without code"));
    }
    Ok(OpenedImage { kernel, needs, code })
}

/// A loaded program.
pub(super) struct CudaProgram {
    /// The kernel.
    pub(super) kernel: Kernel,
    /// The requirements of its launches.
    pub(super) needs: Needs,
    /// The number of blocks that the card runs at once.
    pub(super) resident_blocks: u32,
    /// The number of argument words.
    pub(super) words: usize,
    /// The types of the final result.
    pub(super) whole: Vec<Type>,
    /// The types of a partial result's rows, then of its nodes.
    pub(super) partial: (Vec<Type>, Vec<Type>),
    module: CudaModule,
    function: CudaFunction,
}

impl CudaProgram {
    /// Loads machine code from an undamaged image of this card's architecture.
    pub(super) fn load(
        context: &Context,
        memory: &Arc<Memory>,
        units: u32,
        image: OpenedImage<'_>,
    ) -> DeviceResult<CudaProgram> {
        let OpenedImage { kernel, needs, code } = image;
        let driver = context.wait_for_kernels()?;
        let module = CudaModule::load(context, &driver, memory, code)?;
        let (whole, partial) = (kernel.output(), kernel.partial());
        let mut program = CudaProgram {
            words: Words::of(&kernel).count(),
            kernel,
            needs,
            resident_blocks: 0,
            whole,
            partial: (partial.rows, partial.nodes),
            function: module.function(context, ENTRY)?,
            module,
        };
        program.resident_blocks = program.count_resident_blocks(context, units)?;
        Ok(program)
    }

    /// The number of blocks that the card runs at once. A kernel of which it can run none is refused.
    fn count_resident_blocks(&self, context: &Context, units: u32) -> DeviceResult<u32> {
        let Needs { threads, shared_bytes, .. } = self.needs;
        let no_room = || {
            DeviceError::unsupported(format!(
                "the CUDA device has no room for a block of {threads} threads with {shared_bytes} bytes"
            ))
        };
        let number = |value: u32| i32::try_from(value).map_err(|_| no_room());
        if shared_bytes > SHARED_BYTES_PLAIN {
            let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function's module is loaded.
            let code = unsafe { sys::cuFuncSetAttribute(self.function(), attribute, number(shared_bytes)?) };
            let refused = context.check(code, "asking for shared memory");
            refused.map_err(|error| if error.kind == DeviceErrorKind::Lost { error } else { no_room() })?;
        }
        let mut blocks = 0;
        let (function, size) = (self.function(), shared_bytes as usize);
        // SAFETY: the function's module is loaded, and `blocks` is valid for writes.
        let code =
            unsafe { sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, number(threads)?, size) };
        context.check(code, "asking how many blocks run at once")?;
        match u32::try_from(blocks) {
            Ok(blocks) if blocks > 0 => Ok(blocks * units),
            Ok(_) | Err(_) => Err(no_room()),
        }
    }

    /// The entry point, valid while the program is alive.
    pub(super) fn function(&self) -> sys::CUfunction {
        self.function.raw()
    }

    /// Records that a stream's work uses the program; to be called before the work is queued and again after that.
    pub(super) fn used_by(&self, stream: &Arc<Stream>) {
        self.module.used_by(stream);
    }

    /// A description for people.
    pub(super) fn describe(&self, architecture: &str) -> String {
        let (Needs { threads, tile_rows, .. }, resident_blocks) = (&self.needs, self.resident_blocks);
        format!(
            "{architecture} code, {threads} threads a block, {tile_rows} rows at a time, {resident_blocks} blocks at once"
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXT: &str = "kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink store v0\n";

    #[test]
    fn intact_images_open_and_damaged_images_do_not() {
        let kernel = parse::parse(TEXT).unwrap();
        let needs = |kind| {
            let (threads, tile_rows, can_fault, can_stop) = (256, 4096, true, kind != Kind::Store);
            Needs { threads, tile_rows, shared_bytes: 9, block_scratch: 7, kind, can_fault, can_stop }
        };
        let opened = |kind| OpenedImage { kernel: kernel.clone(), needs: needs(kind), code: b"\x7fELF code" };
        let kinds = [Kind::Reduce { group_bytes: 5, leaf_bytes: 3 }, Kind::Stream { node_words: 2, leaves: true }];
        for kind in kinds {
            let made = image("cuda sm_90", &kernel, &needs(kind), b"\x7fELF code");
            assert_eq!(open_image("cuda sm_90", &made).unwrap(), opened(kind));
        }
        let made = image("cuda sm_90", &kernel, &needs(Kind::Store), b"\x7fELF code");
        assert_eq!(open_image("cuda sm_90", &made).unwrap(), opened(Kind::Store));
        assert_eq!(open_image("cuda sm_80", &made).unwrap_err().kind, DeviceErrorKind::Compile);
        for bytes in [vec![], vec![0; 8], vec![1; HEAD_WORDS * 8], made.bytes[..HEAD_WORDS * 8 + 4].to_vec()] {
            let other = ProgramImage::new("cuda sm_90", &bytes);
            assert_eq!(open_image("cuda sm_90", &other).unwrap_err().kind, DeviceErrorKind::Compile);
        }
        let empty = image("cuda sm_90", &kernel, &needs(Kind::Store), b"");
        assert!(open_image("cuda sm_90", &empty).unwrap_err().message.contains("without code"));
        let nothing = image("cuda sm_90", &kernel, &Needs { tile_rows: 0, ..needs(Kind::Store) }, b"\x7fELF code");
        assert!(open_image("cuda sm_90", &nothing).unwrap_err().message.contains("unknown kind"));
    }
}
