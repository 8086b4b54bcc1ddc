//! The copies around library calls (`lines.cu`): their text for a type of floats, their loaded code, and their launches.

use super::CallShared;
use crate::DeviceResult;
use crate::cuda::context::Context;
use crate::cuda::memory::Memory;
use crate::cuda::module::{CudaFunction, CudaModule};
use crate::cuda::nvrtc;
use crate::cuda::stream::Stream;
use cudarc::driver::sys;
use pointsman_ir::types::DType;
use std::sync::Arc;

const TEXT: &str = include_str!("lines.cu");
const THREADS: u32 = 256;
/// Numbers of a line that a thread handles, where there are many.
const NUMBERS_PER_THREAD: u64 = 4;
/// The largest grid in its second dimension.
const GRID_Y_MAX: u64 = 65_535;

/// The text for a type of floats.
pub(super) fn text(dtype: DType) -> String {
    let real = if dtype == DType::F64 { "double" } else { "float" };
    format!("typedef {real} real;\n{TEXT}")
}

/// Compiles the text.
pub(super) fn compile(dtype: DType, architecture: &str) -> DeviceResult<Vec<u8>> {
    nvrtc::compile(&text(dtype), architecture)
}

/// The loaded copies.
pub(super) struct LineCopies {
    module: CudaModule,
    copy_lines: CudaFunction,
    half_spectra: CudaFunction,
    place_planes: CudaFunction,
    multiply_spectra: CudaFunction,
    take_planes: CudaFunction,
}

/// LineCopies that are copied to lines of another length, scaled, with zeros behind the copied numbers. Sizes in floats.
pub(super) struct CopyLines {
    pub(super) from: u64,
    pub(super) from_line: u64,
    pub(super) to: u64,
    pub(super) to_line: u64,
    pub(super) copied: u64,
    pub(super) scale: f64,
}

/// Half spectra that are copied as those of real numbers.
pub(super) struct HalfSpectra {
    pub(super) from: u64,
    pub(super) given: u64,
    pub(super) to: u64,
    pub(super) outer: u64,
    pub(super) length: u64,
    pub(super) scale: f64,
}

/// Planes that are placed into larger ones.
pub(super) struct PlacePlanes {
    pub(super) from: u64,
    /// Height and width.
    pub(super) size: [u64; 2],
    /// Rows above and columns to the left.
    pub(super) before: [u64; 2],
    pub(super) is_turned: bool,
    pub(super) to: u64,
    /// Height and width of the larger planes.
    pub(super) whole: [u64; 2],
}

/// Spectra that are multiplied and summed over channels.
pub(super) struct MultiplySpectra {
    pub(super) inputs: u64,
    pub(super) weights: u64,
    pub(super) results: u64,
    /// Channels of the input and of the result.
    pub(super) channels: [u64; 2],
    pub(super) numbers: u64,
    pub(super) scale: f64,
}

/// Planes of which some numbers are taken.
pub(super) struct TakePlanes {
    pub(super) from: u64,
    /// Height and width.
    pub(super) whole: [u64; 2],
    /// Steps down and across.
    pub(super) step: [u64; 2],
    pub(super) to: u64,
    /// Height and width of the result.
    pub(super) size: [u64; 2],
}

impl LineCopies {
    /// Loads compiled code.
    pub(super) fn load(context: &Context, memory: &Arc<Memory>, code: &[u8]) -> DeviceResult<LineCopies> {
        let driver = context.wait_for_kernels()?;
        let module = CudaModule::load(context, &driver, memory, code)?;
        let find = |name| module.function(context, name);
        Ok(LineCopies {
            copy_lines: find(c"copy_lines")?,
            half_spectra: find(c"half_spectra")?,
            place_planes: find(c"place_planes")?,
            multiply_spectra: find(c"multiply_spectra")?,
            take_planes: find(c"take_planes")?,
            module,
        })
    }

    /// Queues a copy of lines.
    pub(super) fn copy(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        copy: CopyLines,
        lines: u64,
    ) -> DeviceResult<()> {
        let CopyLines { from, mut from_line, to, mut to_line, mut copied, scale } = copy;
        let mut lines = lines;
        if from_line == to_line && copied == to_line {
            // LineCopies that follow each other on both sides are one.
            (from_line, to_line, copied, lines) = (from_line * lines, to_line * lines, copied * lines, 1);
        }
        let words = [from, from_line, to, to_line, copied, scale.to_bits(), lines];
        self.launch(shared, stream, self.copy_lines, words, to_line, lines)
    }

    /// Queues a copy of half spectra that makes each the spectrum of real numbers.
    pub(super) fn prepare_half_spectra(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        half: HalfSpectra,
        batch: u64,
    ) -> DeviceResult<()> {
        let HalfSpectra { from, given, to, outer, length, scale } = half;
        let lines = batch * outer;
        let words = [from, given, to, outer, length, scale.to_bits(), lines];
        self.launch(shared, stream, self.half_spectra, words, length / 2 + 1, lines)
    }

    /// Queues a copy of planes into larger ones.
    pub(super) fn place(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        place: PlacePlanes,
        planes: u64,
    ) -> DeviceResult<()> {
        let PlacePlanes { from, size: [height, width], before: [top, left], is_turned, to, whole: [rows, columns] } =
            place;
        let lines = planes * rows;
        let words = [from, height, width, top, left, u64::from(is_turned), to, rows, columns, lines];
        self.launch(shared, stream, self.place_planes, words, columns, lines)
    }

    /// Queues products of spectra, for this many chunks.
    pub(super) fn multiply(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        product: MultiplySpectra,
        chunks: u64,
    ) -> DeviceResult<()> {
        let MultiplySpectra { inputs, weights, results, channels: [channels_in, channels_out], numbers, scale } =
            product;
        let lines = chunks * channels_out;
        let words = [inputs, weights, results, channels_in, channels_out, numbers, scale.to_bits(), lines];
        self.launch(shared, stream, self.multiply_spectra, words, numbers, lines)
    }

    /// Queues a copy of some numbers of planes.
    pub(super) fn take(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        take: TakePlanes,
        planes: u64,
    ) -> DeviceResult<()> {
        let TakePlanes { from, whole: [rows, columns], step: [down, across], to, size: [height, width] } = take;
        let lines = planes * height;
        let words = [from, rows, columns, down, across, to, height, width, lines];
        self.launch(shared, stream, self.take_planes, words, width, lines)
    }

    /// Queues a function over lines of this many numbers.
    fn launch<const WORDS: usize>(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        function: CudaFunction,
        mut words: [u64; WORDS],
        numbers: u64,
        lines: u64,
    ) -> DeviceResult<()> {
        let across = u32::try_from(numbers.next_power_of_two()).map_or(THREADS, |numbers| numbers.clamp(1, THREADS));
        let down = THREADS / across;
        let blocks = numbers.div_ceil(u64::from(across) * NUMBERS_PER_THREAD).min(i32::MAX as u64) as u32;
        let line_blocks = lines.div_ceil(u64::from(down)).clamp(1, GRID_Y_MAX) as u32;
        // Each parameter is one word.
        let mut parameters = words.each_mut().map(|word| std::ptr::from_mut(word).cast::<std::ffi::c_void>());
        let (parameters, none) = (parameters.as_mut_ptr(), std::ptr::null_mut());
        self.module.used_by(stream);
        {
            let _driver = shared.context.queue()?;
            // SAFETY: the function takes these words; the addresses among them have room for the lines, by the sizes of
            // the call that `Launch::check` compared with its rows, and outlive the work queued on the stream.
            let code = unsafe {
                let raw = stream.raw();
                sys::cuLaunchKernel(
                    function.raw(),
                    blocks.max(1),
                    line_blocks,
                    1,
                    across,
                    down,
                    1,
                    0,
                    raw,
                    parameters,
                    none,
                )
            };
            stream.note_work();
            shared.context.check(code, "launching a copy")?;
        }
        self.module.used_by(stream);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where NVIDIA's compiler is available, the text compiles for every supported architecture.
    #[test]
    fn the_text_compiles_for_both_types() {
        for (dtype, architecture) in [DType::F32, DType::F64]
            .into_iter()
            .flat_map(|dtype| ["sm_75", "sm_80", "sm_90", "sm_120"].map(|architecture| (dtype, architecture)))
        {
            match compile(dtype, architecture) {
                Ok(code) => assert!(code.starts_with(b"\x7fELF")),
                Err(error) if !nvrtc::is_present() => return eprintln!("skipped: {error}"),
                Err(error) => panic!("{dtype} {architecture}: {error}"),
            }
        }
    }
}
