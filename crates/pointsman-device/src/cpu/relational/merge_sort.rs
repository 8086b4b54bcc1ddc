//! Sorts entries on all threads: in go entries and their order, out come the entries in that order. Runs are sorted by one
//! thread each and then merged pair by pair, where all threads merge pieces of the same pairs.

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

/// How many of the first `count` entries of two sorted runs, merged, are from the left one.
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
