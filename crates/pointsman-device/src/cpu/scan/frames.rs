//! Folds over a frame: each row and a number of preceding rows of its segment, folded left to right.
//!
//! A float sum is folded again at every row, because its order defines its result. The others slide: exact sums and
//! counts remove the value that leaves the frame, min and max keep the values that can still win.

use super::super::nodes::{Acc, OutOfRange, total};
use super::super::output::ColumnWriter;
use super::RunningProgram;
use super::execute::FrameColumn;
use super::finish::scalar_at;
use pointsman_ir::types::Scalar;
use std::collections::VecDeque;

/// Writes the results of a framed fold for `rows` rows.
pub(super) fn finish(
    one: &RunningProgram,
    preceding: u32,
    rows: usize,
    kept: Option<&FrameColumn>,
    starts: Option<&FrameColumn>,
    out: &mut ColumnWriter<'_>,
) -> Result<(), OutOfRange> {
    let nullable = one.fold.value.is_some_and(|value| value.ty.nullable);
    let mut valid = vec![1; rows];
    if let Some(kept) = kept {
        kept.validity(0..rows, nullable, &mut valid);
    }
    let value = |row: usize| {
        let scalar = kept.map_or(Scalar::Bool(true), |kept| scalar_at(one.fold.repr(), &kept.values, row));
        (valid[row] != 0).then_some(scalar)
    };
    let mut first = 0;
    let mut window = FrameWindow::new(one.fold.identity());
    for row in 0..rows {
        if starts.is_some_and(|starts| starts.values[row] != 0) {
            first = row;
            window = FrameWindow::new(one.fold.identity());
        }
        let from = first.max(row.saturating_sub(preceding as usize));
        if from > first {
            window.leave(from - 1, value(from - 1));
        }
        window.enter(row, value(row));
        let acc = window.fold(|| (from..=row).filter_map(value));
        out.push(acc.finish(one.output)?);
    }
    Ok(())
}

/// The rows of a frame.
struct FrameWindow {
    identity: Acc,
    /// The fold of the frame, for exact sums and counts.
    sum: Acc,
    /// Whether an exact sum may have overflowed; if so, each frame is folded again.
    wide: bool,
    /// For min and max: the rows of the frame whose values no later row beats, the best first.
    best: VecDeque<(usize, Scalar)>,
}

impl FrameWindow {
    fn new(identity: Acc) -> FrameWindow {
        FrameWindow { identity, sum: identity, wide: false, best: VecDeque::new() }
    }

    fn enter(&mut self, row: usize, value: Option<Scalar>) {
        let Some(value) = value else { return };
        match self.identity {
            Acc::Count(_) => self.sum.add(value),
            Acc::Exact(_) => {
                self.wide |= matches!(value, Scalar::I128(_));
                self.sum.add(value);
            }
            Acc::Min(_) => self.rank(row, value, |last| total(&value, &last).is_lt()),
            Acc::Max(_) => self.rank(row, value, |last| total(&value, &last).is_gt()),
            Acc::F32(_) | Acc::F64(_) => {}
        }
    }

    fn rank(&mut self, row: usize, value: Scalar, beats: impl Fn(Scalar) -> bool) {
        while self.best.pop_back_if(|(_, last)| beats(*last)).is_some() {}
        self.best.push_back((row, value));
    }

    fn leave(&mut self, row: usize, value: Option<Scalar>) {
        if self.best.front().is_some_and(|(first, _)| *first <= row) {
            self.best.pop_front();
        }
        match (&mut self.sum, value) {
            (Acc::Count(count), Some(_)) => *count -= 1,
            (Acc::Exact(sum), Some(value)) => *sum = sum.wrapping_sub(value.as_integer().unwrap_or(0)),
            (Acc::Count(_) | Acc::Exact(_), None) => {}
            (Acc::F32(_) | Acc::F64(_) | Acc::Min(_) | Acc::Max(_), _) => {}
        }
    }

    /// The fold of the frame with these values.
    fn fold<I: Iterator<Item = Scalar>>(&self, values: impl Fn() -> I) -> Acc {
        let anew = || {
            let mut acc = self.identity;
            values().for_each(|value| acc.add(value));
            acc
        };
        let best = self.best.front().map(|(_, value)| *value);
        match self.sum {
            Acc::F32(_) | Acc::F64(_) => anew(),
            Acc::Exact(_) if self.wide => anew(),
            Acc::Exact(_) | Acc::Count(_) => self.sum,
            Acc::Min(_) => Acc::Min(best),
            Acc::Max(_) => Acc::Max(best),
        }
    }
}
