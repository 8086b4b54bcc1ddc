//! Plans a launch: how many rows a morsel has, and how many threads run the morsels.

use super::CpuShared;
use super::observed::OBSERVED_MORSEL_ROWS;
use super::program::Program;
use super::thread_tuner::CpuResources;
use crate::thread_pool::ThreadPool;
use pointsman_ir::kernel::LEAF_ROWS;

/// The minimum number of morsels per thread, so that no thread waits long for the last one.
const MORSELS_PER_THREAD: usize = 4;
/// The maximum number of morsels of a launch; more rows make larger morsels.
const MORSELS_MAX: usize = 1 << 16;

impl CpuShared {
    /// Rows per morsel for `threads` threads. A launch on the caller's thread alone is one morsel.
    fn morsel_rows(&self, program: &Program, rows: usize, threads: usize) -> usize {
        let whole_leaves = |wanted: usize| wanted.max(1).max(rows / MORSELS_MAX).checked_next_multiple_of(LEAF_ROWS);
        let wanted = match self.options.morsel_rows {
            Some(wanted) => wanted,
            None if threads <= 1 => return rows.max(1),
            None => {
                let in_cache = self.private_cache_bytes / 2 / program.thread_tuner.row_bytes();
                let fair = in_cache.min(rows.div_ceil(threads * MORSELS_PER_THREAD));
                // A morsel of a power of two of leaves is one node of the leaf tree.
                LEAF_ROWS << (fair / LEAF_ROWS).max(1).ilog2()
            }
        };
        whole_leaves(wanted).unwrap_or(rows).min(rows.max(1))
    }

    /// Rows per morsel, and the number of threads. The morsels of an observed launch are small enough to finish within
    /// a short time.
    pub(super) fn plan_morsels(&self, program: &Program, rows: usize, is_observed: bool) -> (usize, usize) {
        let threads = self.threads_for(program, rows);
        let usual = self.morsel_rows(program, rows, threads);
        if !is_observed {
            return (usual, threads);
        }
        let most = OBSERVED_MORSEL_ROWS.min(program.call_rows());
        let most = (rows / MORSELS_MAX).max(most).checked_next_multiple_of(LEAF_ROWS);
        (usual.min(most.unwrap_or(rows)), threads)
    }

    /// The number of threads that should run `rows` rows.
    fn threads_for(&self, program: &Program, rows: usize) -> usize {
        self.fixed_threads(rows)
            .unwrap_or_else(|| program.thread_tuner.threads(rows, self.resources(), || self.wake_nanoseconds()))
    }

    /// Describes for people how many threads run `rows` rows.
    pub(super) fn describe_threads(&self, program: &Program, rows: usize) -> String {
        let best_known = || program.thread_tuner.best_known(rows, self.resources(), || self.wake_nanoseconds());
        let own = self.fixed_threads(rows).unwrap_or_else(best_known);
        format!("{own} of {} threads", self.threads)
    }

    fn resources(&self) -> CpuResources<'_> {
        let caches = [self.private_cache_bytes, self.cache_bytes];
        CpuResources { threads: self.threads, caches, fork_costs: &self.fork_costs }
    }

    /// The time from waking a thread until it runs, in nanoseconds.
    fn wake_nanoseconds(&self) -> u64 {
        self.thread_pool().map_or(u64::MAX, ThreadPool::wake_nanoseconds)
    }

    /// The number of threads for `rows` rows where measurements do not matter.
    fn fixed_threads(&self, rows: usize) -> Option<usize> {
        // A fixed morsel size exists to observe morsels at work, on all threads.
        if self.options.morsel_rows.is_some() {
            return Some(self.threads);
        }
        (rows <= LEAF_ROWS).then_some(1)
    }
}
