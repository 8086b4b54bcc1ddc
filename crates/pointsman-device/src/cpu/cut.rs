//! How the rows of a launch are cut into morsels, and whether other threads help with them.

use super::Shared;
use super::pace::Means;
use super::program::Program;
use super::watched::WATCHED_ROWS;
use crate::crew::Crew;
use pointsman_ir::kernel::LEAF_ROWS;

/// How many morsels a thread takes at least, so that none waits long for the last.
const MORSELS_PER_THREAD: usize = 4;
/// The most morsels of a launch: more rows make larger ones.
const MORSELS_MAX: usize = 1 << 16;

impl Shared {
    /// Rows of a morsel for so many threads; all of them if they run as one, on the caller's thread.
    fn morsel_rows(&self, program: &Program, rows: usize, threads: usize) -> usize {
        let whole_leaves = |wanted: usize| wanted.max(1).max(rows / MORSELS_MAX).checked_next_multiple_of(LEAF_ROWS);
        let wanted = match self.options.morsel_rows {
            Some(wanted) => wanted,
            None if threads <= 1 => return rows.max(1),
            None => {
                let in_cache = self.near_bytes / 2 / program.pace.row_bytes();
                let fair = in_cache.min(rows.div_ceil(threads * MORSELS_PER_THREAD));
                // A morsel of so many leaves is one node of the leaf tree.
                LEAF_ROWS << (fair / LEAF_ROWS).max(1).ilog2()
            }
        };
        whole_leaves(wanted).unwrap_or(rows).min(rows.max(1))
    }

    /// Rows of a morsel, and how many threads should do them. While someone looks on, a morsel has no more rows than are
    /// done in a short time.
    pub(super) fn cut(&self, program: &Program, rows: usize, is_watched: bool) -> (usize, usize) {
        let threads = self.threads_for(program, rows);
        let usual = self.morsel_rows(program, rows, threads);
        if !is_watched {
            return (usual, threads);
        }
        let most = (rows / MORSELS_MAX).max(WATCHED_ROWS).checked_next_multiple_of(LEAF_ROWS);
        (usual.min(most.unwrap_or(rows)), threads)
    }

    /// How many threads should do so many rows.
    fn threads_for(&self, program: &Program, rows: usize) -> usize {
        // Morsels of a given size are there to be seen at work, on all threads.
        if self.options.morsel_rows.is_some() {
            return self.threads;
        }
        if rows <= LEAF_ROWS {
            return 1;
        }
        let means = Means { threads: self.threads, caches: [self.near_bytes, self.cache_bytes] };
        program.pace.threads(rows, means, || self.crew().map_or(u64::MAX, Crew::call_nanoseconds))
    }
}
