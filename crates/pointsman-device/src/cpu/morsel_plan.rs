//! How the rows of a launch are cut into morsels, and whether other threads help with them.

use super::CpuShared;
use super::observed::OBSERVED_MORSEL_ROWS;
use super::program::Program;
use super::thread_tuner::CpuResources;
use crate::thread_pool::ThreadPool;
use pointsman_ir::kernel::LEAF_ROWS;

/// How many morsels a thread takes at least, so that none waits long for the last.
const MORSELS_PER_THREAD: usize = 4;
/// The most morsels of a launch: more rows make larger ones.
const MORSELS_MAX: usize = 1 << 16;

impl CpuShared {
    /// Rows of a morsel for so many threads; all of them if they run as one, on the caller's thread.
    fn morsel_rows(&self, program: &Program, rows: usize, threads: usize) -> usize {
        let whole_leaves = |wanted: usize| wanted.max(1).max(rows / MORSELS_MAX).checked_next_multiple_of(LEAF_ROWS);
        let wanted = match self.options.morsel_rows {
            Some(wanted) => wanted,
            None if threads <= 1 => return rows.max(1),
            None => {
                let in_cache = self.private_cache_bytes / 2 / program.thread_tuner.row_bytes();
                let fair = in_cache.min(rows.div_ceil(threads * MORSELS_PER_THREAD));
                // A morsel of so many leaves is one node of the leaf tree.
                LEAF_ROWS << (fair / LEAF_ROWS).max(1).ilog2()
            }
        };
        whole_leaves(wanted).unwrap_or(rows).min(rows.max(1))
    }

    /// Rows of a morsel, and how many threads should do them. While someone looks on, a morsel has no more rows than are
    /// done in a short time.
    pub(super) fn plan_morsels(&self, program: &Program, rows: usize, is_observed: bool) -> (usize, usize) {
        let threads = self.threads_for(program, rows);
        let usual = self.morsel_rows(program, rows, threads);
        if !is_observed {
            return (usual, threads);
        }
        let most = (rows / MORSELS_MAX).max(OBSERVED_MORSEL_ROWS).checked_next_multiple_of(LEAF_ROWS);
        (usual.min(most.unwrap_or(rows)), threads)
    }

    /// How many threads should do so many rows.
    fn threads_for(&self, program: &Program, rows: usize) -> usize {
        self.fixed_threads(rows)
            .unwrap_or_else(|| program.thread_tuner.threads(rows, self.resources(), || self.wake_nanoseconds()))
    }

    /// How many threads do so many rows, for people.
    pub(super) fn describe_threads(&self, program: &Program, rows: usize) -> String {
        let best_known = || program.thread_tuner.best_known(rows, self.resources(), || self.wake_nanoseconds());
        let own = self.fixed_threads(rows).unwrap_or_else(best_known);
        format!("{own} of {} threads", self.threads)
    }

    fn resources(&self) -> CpuResources {
        CpuResources { threads: self.threads, caches: [self.private_cache_bytes, self.cache_bytes] }
    }

    /// How long it takes until a thread that is called is there.
    fn wake_nanoseconds(&self) -> u64 {
        self.thread_pool().map_or(u64::MAX, ThreadPool::wake_nanoseconds)
    }

    /// How many threads do so many rows whatever was measured.
    fn fixed_threads(&self, rows: usize) -> Option<usize> {
        // Morsels of a given size are there to be seen at work, on all threads.
        if self.options.morsel_rows.is_some() {
            return Some(self.threads);
        }
        (rows <= LEAF_ROWS).then_some(1)
    }
}
