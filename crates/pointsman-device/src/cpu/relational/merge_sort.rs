//! Sorts entries on all threads, by a given order. Each run is sorted by one thread; then runs are merged in pairs, and
//! all threads merge pieces of the same pairs.

use super::context::RunContext;
use super::pool_memory::PoolVec;
use crate::DeviceResult;
use crate::sync::Mutex;
use bytemuck::Pod;
use std::cmp::Ordering;

/// The number of tasks' rows that a run has before the first merge.
const RUN_TASKS: usize = 4;
/// The number of entries that a task merges.
const MERGE_ENTRIES: usize = 1 << 14;

/// A piece of a merged pair of runs.
struct MergePiece<'a, T> {
    pair: usize,
    /// The number of its first entry in the merged pair.
    first: usize,
    to: &'a mut [T],
}

/// The entries in order. No two entries may be equal, or they may come in either order.
pub(super) fn sorted<T: Pod + Send + Sync>(
    context: RunContext<'_>,
    mut entries: PoolVec<T>,
    compare: impl Fn(&T, &T) -> Ordering + Sync,
) -> DeviceResult<PoolVec<T>> {
    let mut run = context.task_rows() * RUN_TASKS;
    {
        let runs: Vec<_> = entries.chunks_mut(run).map(Mutex::new).collect();
        context.tasks(runs.len(), |task| {
            runs[task].lock().sort_unstable_by(&compare);
            Ok(())
        })?;
    }
    if run >= entries.len() {
        return Ok(entries);
    }
    let mut spare = PoolVec::new(context.pool(), entries.len())?;
    while run < entries.len() {
        merge_pairs(context, &entries, &mut spare, run, &compare)?;
        std::mem::swap(&mut entries, &mut spare);
        run *= 2;
    }
    Ok(entries)
}

/// Merges runs of `run` entries, two and two.
fn merge_pairs<T: Pod + Send + Sync>(
    context: RunContext<'_>,
    entries: &[T],
    to: &mut [T],
    run: usize,
    compare: &(impl Fn(&T, &T) -> Ordering + Sync),
) -> DeviceResult<()> {
    let pieces = to.chunks_mut(run * 2).enumerate().flat_map(|(pair, to)| {
        let pieces = to.chunks_mut(MERGE_ENTRIES).enumerate();
        pieces.map(move |(piece, to)| Mutex::new(MergePiece { pair, first: piece * MERGE_ENTRIES, to }))
    });
    let pieces: Vec<Mutex<MergePiece<'_, T>>> = pieces.collect();
    context.tasks(pieces.len(), |task| {
        let mut piece = pieces[task].lock();
        let MergePiece { pair, first, to } = &mut *piece;
        let pair = &entries[*pair * run * 2..entries.len().min((*pair + 1) * run * 2)];
        let (left, right) = pair.split_at(run.min(pair.len()));
        let end = *first + to.len();
        let (from_left, to_left) = (left_of(left, right, *first, compare), left_of(left, right, end, compare));
        merge(&left[from_left..to_left], &right[*first - from_left..end - to_left], to, compare);
        Ok(())
    })
}

/// The number of entries of the left run among the first `count` entries of two merged runs.
fn left_of<T>(left: &[T], right: &[T], count: usize, compare: &impl Fn(&T, &T) -> Ordering) -> usize {
    let (mut low, mut high) = (count.saturating_sub(right.len()), count.min(left.len()));
    while low < high {
        let middle = low.midpoint(high);
        if compare(&left[middle], &right[count - middle - 1]).is_le() {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Merges two sorted runs.
fn merge<'a, T: Copy>(mut left: &'a [T], mut right: &'a [T], to: &mut [T], compare: &impl Fn(&T, &T) -> Ordering) {
    for to in to {
        let from_left = match (left.first(), right.first()) {
            (Some(a), Some(b)) => compare(a, b).is_le(),
            (one, _) => one.is_some(),
        };
        let side = if from_left { &mut left } else { &mut right };
        if let Some((first, rest)) = side.split_first() {
            (*to, *side) = (*first, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::sorted;
    use crate::cpu::observed::ObservedLaunch;
    use crate::cpu::relational::context::RunContext;
    use crate::cpu::relational::pool_memory::PoolVec;
    use crate::cpu::{CpuDevice, CpuOptions};
    use crate::{DeviceErrorKind, ProgressObserver};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts questions, and says no from one on.
    struct Questions {
        asked: AtomicUsize,
        until: usize,
    }

    impl ProgressObserver for Questions {
        fn should_continue(&self) -> bool {
            self.asked.fetch_add(1, Ordering::Relaxed) < self.until
        }

        fn rows_done(&self, _rows: usize) {}
    }

    /// Entries come in order, whatever their number, and each pass over them asks often enough to be stopped.
    #[test]
    fn entries_come_in_order_and_every_pass_can_stop() {
        let device = CpuDevice::new(CpuOptions { threads: Some(3), ..CpuOptions::default() });
        let sort = |len: usize, until: usize| {
            let questions = Questions { asked: AtomicUsize::new(0), until };
            let observed = ObservedLaunch::new(&questions);
            let context = RunContext { shared: &device.shared, observed: Some(&observed) };
            let mut entries = PoolVec::<u64>::new(context.pool(), len).unwrap();
            entries
                .iter_mut()
                .enumerate()
                .for_each(|(at, entry)| *entry = (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let mut expected = entries.to_vec();
            expected.sort_unstable();
            let result = sorted(context, entries, u64::cmp).map(|sorted| assert!(*sorted == expected, "{len} entries"));
            (result, questions.asked.into_inner())
        };
        for len in [0, 1, 16_383, 16_384, 16_385, 32_769, 100_000, 163_841] {
            sort(len, usize::MAX).0.unwrap();
        }
        let len = 1 << 20;
        let (result, asked) = sort(len, usize::MAX);
        result.unwrap();
        // Runs of 2^14 entries, then six passes.
        assert!(asked >= 7 * (len >> 14), "{asked} questions");
        for until in (0..asked).step_by(50) {
            let stopped = sort(len, until).0.map_err(|error| error.kind);
            assert_eq!(stopped, Err(DeviceErrorKind::Stopped), "question {until} of {asked}");
        }
        assert_eq!(device.pool().counters().outstanding_bytes, 0);
    }
}
