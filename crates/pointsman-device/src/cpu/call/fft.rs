//! Fourier transforms of all chunks: of one dimension, or of the rows and then the columns of images.

mod chirp;
mod columns;
mod line;
pub(super) mod long;
mod real;
mod roots;

use super::Float;
use super::memory::{NoMemory, ScratchMemory, SharedSlice};
use super::threads::{CallThreads, Ended, PerThread};
use columns::Columns;
use line::{LineTransform, direction};
use num_complex::Complex;
use pointsman_ir::kernel::call::{Fft, Transform};

/// The numbers that a task transforms, at least.
const TASK_NUMBERS: usize = 1 << 14;

/// A prepared transform.
pub(super) struct FftPlan<T: Float> {
    fft: Fft,
    line: LineTransform<T>,
    columns: Option<Columns<T>>,
    /// The floats of a line, and of its results.
    line_floats: [usize; 2],
}

impl<T: Float> FftPlan<T> {
    pub(super) fn new(fft: &Fft) -> Result<FftPlan<T>, NoMemory> {
        let [outer, length] = [fft.outer, fft.length].map(|size| size as usize);
        let scale = match fft.transform {
            Transform::Forward | Transform::RealForward => 1.0,
            Transform::Inverse | Transform::RealInverse => 1.0 / (outer as f64 * length as f64),
        };
        let columns = match fft.transform {
            Transform::Forward | Transform::Inverse => length,
            Transform::RealForward | Transform::RealInverse => length / 2 + 1,
        };
        let columns = if outer > 1 { Some(Columns::new(direction(fft.transform), outer, columns)?) } else { None };
        let [input, output] = fft.numbers();
        let line_floats = [input.rows() * fft.given, output.rows() * fft.kept].map(|size| size as usize);
        Ok(FftPlan { fft: *fft, line: LineTransform::new(fft, scale)?, columns, line_floats })
    }

    pub(super) fn table_bytes(&self) -> u64 {
        let line = match &self.line {
            LineTransform::Short(_) => 0,
            LineTransform::Long(line) => line.table_bytes(),
        };
        line + self.columns.as_ref().map_or(0, Columns::table_bytes)
    }

    pub(super) fn scratch_bytes(&self, chunks: u64, threads: usize) -> u64 {
        let line = match &self.line {
            LineTransform::Short(line) => line.scratch_bytes().saturating_mul(threads.max(1) as u64),
            LineTransform::Long(line) => line.scratch_bytes(threads),
        };
        let Some(columns) = &self.columns else { return line };
        let copied = match self.fft.transform {
            Transform::RealInverse => {
                let floats = (self.line_floats[0] as u64).saturating_mul(self.fft.outer).saturating_mul(chunks);
                ScratchMemory::bytes::<T>(usize::try_from(floats).unwrap_or(usize::MAX))
            }
            Transform::Forward | Transform::Inverse | Transform::RealForward => 0,
        };
        copied.saturating_add(line).saturating_add(columns.scratch_bytes(threads))
    }

    pub(super) fn run(
        &self,
        input: &[T],
        output: &mut [T],
        scratch: &mut ScratchMemory<'_>,
        threads: &CallThreads<'_>,
    ) -> Result<(), NoMemory> {
        let ended = match (&self.columns, self.fft.transform) {
            (None, _) => self.lines(threads, input, output, input.len(), scratch),
            (Some(columns), Transform::RealInverse) => {
                self.columns_then_lines(columns, threads, input, output, scratch)
            }
            (Some(columns), Transform::Forward | Transform::Inverse | Transform::RealForward) => self
                .lines(threads, input, output, 0, scratch)
                .and_then(|()| columns.run(threads, bytemuck::cast_slice_mut(output), input.len(), scratch)),
        };
        match ended {
            Err(Ended::NoMemory) => Err(NoMemory),
            // The caller asks for itself whether the call was stopped.
            Ok(()) | Err(Ended::Stopped) => Ok(()),
        }
    }

    /// Transforms the columns of half spectra, then their rows to real numbers.
    fn columns_then_lines(
        &self,
        columns: &Columns<T>,
        threads: &CallThreads<'_>,
        input: &[T],
        output: &mut [T],
        scratch: &mut ScratchMemory<'_>,
    ) -> Result<(), Ended> {
        let copy: &mut [Complex<T>] = scratch.take(input.len() / 2)?;
        let shared = SharedSlice::new(copy);
        threads.for_ranges(input.len() / 2, TASK_NUMBERS, 0, &PerThread::none(threads), |(), range| {
            // SAFETY: ranges do not overlap.
            unsafe { shared.write(range.start, &bytemuck::cast_slice(input)[range]) };
        })?;
        columns.run(threads, copy, 0, scratch)?;
        self.lines(threads, bytemuck::cast_slice(copy), output, input.len(), scratch)
    }

    /// Transforms the lines of all chunks. `rows_in`: how many rows of the call's input this completes.
    fn lines(
        &self,
        threads: &CallThreads<'_>,
        input: &[T],
        output: &mut [T],
        rows_in: usize,
        scratch: &mut ScratchMemory<'_>,
    ) -> Result<(), Ended> {
        let [given, kept] = self.line_floats;
        let count = input.len() / given;
        match &self.line {
            LineTransform::Short(line) => {
                let each = (TASK_NUMBERS / self.fft.length as usize).max(1);
                let states = PerThread::new(threads, count.div_ceil(each), || line.scratch(scratch))?;
                let shared = SharedSlice::new(output);
                threads.for_ranges(count, each, rows_in, &states, |scratch, range| {
                    for number in range {
                        // SAFETY: the results of lines do not overlap.
                        let output = unsafe { shared.part(number * kept, kept) };
                        line.run(scratch, &input[number * given..(number + 1) * given], output);
                    }
                })?;
            }
            LineTransform::Long(line) => {
                let mut scratch = line.scratch(threads, scratch)?;
                let rows_each = rows_in / count;
                threads.touch(output);
                for (input, output) in input.chunks_exact(given).zip(output.chunks_exact_mut(kept)) {
                    line.run(threads, &mut scratch, input, output)?;
                    (threads.rows_done)(rows_each as u64);
                }
            }
        }
        Ok(())
    }
}
