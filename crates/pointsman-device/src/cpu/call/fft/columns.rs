//! The second dimension of a transform: transforms of the columns of images, in place.

use super::super::Float;
use super::super::memory::{NoMemory, ScratchMemory, SharedSlice};
use super::super::threads::{CallThreads, Ended, PerThread};
use super::long::{Long, LongScratch, SHORT_MAX, block, gather_columns, pitch, scatter_columns, transform_lines};
use num_complex::Complex;
use rustfft::{FftDirection, FftPlanner};
use std::sync::Arc;

/// The numbers that a task transforms, at least.
const TASK_NUMBERS: usize = 1 << 14;

/// Transforms of columns.
pub(super) struct Columns<T: Float> {
    plan: ColumnPlan<T>,
    rows: usize,
    columns: usize,
}

enum ColumnPlan<T: Float> {
    /// One thread transforms a block of columns.
    Short(Arc<dyn rustfft::Fft<T>>),
    /// All threads transform a column together.
    Long(Box<Long<T>>),
}

impl<T: Float> Columns<T> {
    /// For images of this many rows and columns.
    pub(super) fn new(direction: FftDirection, rows: usize, columns: usize) -> Result<Columns<T>, NoMemory> {
        let mut planner = FftPlanner::new();
        let plan = if rows <= SHORT_MAX {
            ColumnPlan::Short(planner.plan_fft(rows, direction))
        } else {
            ColumnPlan::Long(Box::new(Long::new(rows, direction, 1.0, &mut planner)?))
        };
        Ok(Columns { plan, rows, columns })
    }

    pub(super) fn table_bytes(&self) -> u64 {
        match &self.plan {
            ColumnPlan::Short(_) => 0,
            ColumnPlan::Long(long) => long.table_bytes(),
        }
    }

    fn short_scratch(&self, plan: &dyn rustfft::Fft<T>) -> [usize; 2] {
        [block::<T>() * pitch::<T>(self.rows), plan.get_inplace_scratch_len()]
    }

    pub(super) fn scratch_bytes(&self, threads: usize) -> u64 {
        match &self.plan {
            ColumnPlan::Short(plan) => {
                let [lines, library] = self.short_scratch(&**plan);
                let thread = ScratchMemory::bytes::<Complex<T>>(lines) + ScratchMemory::bytes::<Complex<T>>(library);
                thread.saturating_mul(threads.max(1) as u64)
            }
            ColumnPlan::Long(long) => LongScratch::<T>::bytes(threads, &[long]),
        }
    }

    /// Transforms the columns of all images. `rows_in`: how many rows of the call's input this completes.
    pub(super) fn run(
        &self,
        threads: &CallThreads<'_>,
        images: &mut [Complex<T>],
        rows_in: usize,
        scratch: &mut ScratchMemory<'_>,
    ) -> Result<(), Ended> {
        let image = self.rows * self.columns;
        let count = images.len() / image;
        let shared = SharedSlice::new(images);
        // SAFETY: a column belongs to one task; a long one is loaded before it is stored.
        let read = |place: usize, values: &mut [Complex<T>]| unsafe {
            values.copy_from_slice(shared.part(place, values.len()))
        };
        // SAFETY: as above.
        let write = |place: usize, values: &[Complex<T>]| unsafe { shared.write(place, values) };
        match &self.plan {
            ColumnPlan::Short(plan) => {
                let blocks = self.columns.div_ceil(block::<T>());
                let each = (TASK_NUMBERS / (self.rows * block::<T>())).max(1);
                let [lines, library] = self.short_scratch(&**plan);
                let tasks = (count * blocks).div_ceil(each);
                let states = PerThread::new(threads, tasks, || {
                    Ok::<_, NoMemory>((scratch.take(lines)?, scratch.take(library)?))
                })?;
                threads.for_ranges(count * blocks, each, rows_in, &states, |(lines, library), range| {
                    for number in range {
                        let first = number % blocks * block::<T>();
                        let width = block::<T>().min(self.columns - first);
                        let start = number / blocks * image + first;
                        let lines: &mut [Complex<T>] = lines;
                        gather_columns(lines, self.rows, width, |row, values| read(start + row * self.columns, values));
                        transform_lines(&**plan, lines, self.rows, width, library);
                        scatter_columns(lines, self.rows, width, |row, values| {
                            write(start + row * self.columns, values);
                        });
                    }
                })?;
            }
            ColumnPlan::Long(long) => {
                let mut scratch = LongScratch::new(threads, &[long], scratch)?;
                for column in 0..count * self.columns {
                    let start = column / self.columns * image + column % self.columns;
                    let load = |row: usize, values: &mut [Complex<T>]| {
                        for (offset, value) in values.iter_mut().enumerate() {
                            read(start + (row + offset) * self.columns, std::slice::from_mut(value));
                        }
                    };
                    let store = |row: usize, values: &[Complex<T>]| {
                        for (offset, value) in values.iter().enumerate() {
                            write(start + (row + offset) * self.columns, std::slice::from_ref(value));
                        }
                    };
                    long.run(threads, &mut scratch, load, store)?;
                }
                (threads.rows_done)(rows_in as u64);
            }
        }
        Ok(())
    }
}
