//! How the rows of a launch are cut into morsels, and whether other threads help with them.

use super::Shared;
use super::crew::Crew;
use super::program::Program;
use super::watched::WATCHED_ROWS;
use pointsman_ir::kernel::LEAF_ROWS;

/// Threads pay for work that takes one thread so many times as long as calling the others.
const THREADS_PAY_AFTER: u64 = 2;
/// How many morsels a thread takes at least, so that none waits long for the last.
const MORSELS_PER_THREAD: usize = 4;
/// The most morsels of a launch: more rows make larger ones.
const MORSELS_MAX: usize = 1 << 16;

impl Shared {
    /// Rows of a morsel; all of them if they run as one, on the caller's thread.
    fn morsel_rows(&self, program: &Program, rows: usize) -> usize {
        let whole_leaves = |wanted: usize| wanted.max(1).max(rows / MORSELS_MAX).checked_next_multiple_of(LEAF_ROWS);
        let wanted = match self.options.morsel_rows {
            Some(wanted) => wanted,
            None if !self.threads_pay(program, rows) => return rows.max(1),
            None => {
                let in_cache = self.near_bytes / 2 / program.pace.row_bytes();
                let fair = in_cache.min(rows.div_ceil(self.threads * MORSELS_PER_THREAD));
                // A morsel of so many leaves is one node of the leaf tree.
                LEAF_ROWS << (fair / LEAF_ROWS).max(1).ilog2()
            }
        };
        whole_leaves(wanted).unwrap_or(rows).min(rows.max(1))
    }

    /// Rows of a morsel, and whether one thread should do all of them. While someone looks on, a morsel has no more rows
    /// than are done in a short time.
    pub(super) fn cut(&self, program: &Program, rows: usize, is_watched: bool) -> (usize, bool) {
        let usual = self.morsel_rows(program, rows);
        if !is_watched {
            return (usual, false);
        }
        let most = (rows / MORSELS_MAX).max(WATCHED_ROWS).checked_next_multiple_of(LEAF_ROWS);
        (usual.min(most.unwrap_or(rows)), usual >= rows)
    }

    /// Whether a launch of these rows is done earlier by several threads than by one.
    fn threads_pay(&self, program: &Program, rows: usize) -> bool {
        if self.threads == 1 || rows <= LEAF_ROWS {
            return false;
        }
        let call = || self.crew().map_or(u64::MAX, Crew::call_nanoseconds);
        program.pace.nanoseconds(rows) > THREADS_PAY_AFTER.saturating_mul(call())
    }
}
