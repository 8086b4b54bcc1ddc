//! The accumulators of many groups, one column per fold. They take batches of values with the group number of each row,
//! and yield the columns of a partial state, or results.

use super::columns::{Batch, PoolColumn};
use super::keys::{from_sortable, sortable};
use super::order_free::OrderFreeSum;
use super::pool_memory::reserve_to;
use crate::DeviceResult;
use crate::cpu::nodes::finish_exact;
use pointsman_ir::body::Body;
use pointsman_ir::interpret::{GroupAccumulator, GroupFold};
use pointsman_ir::kernel::{Fold, FoldMode, FoldOp};
use pointsman_ir::types::{DType, Repr, Scalar, Type};
use std::ops::Range;

/// The input of a fold from a batch.
#[derive(Clone, Copy, Debug)]
pub(super) enum FoldSource {
    /// Rows.
    Rows,
    /// The values of a column.
    Value(usize),
    /// The accumulators that the columns from this one on hold.
    State(usize),
}

/// A fold over rows without an order.
pub(super) struct FoldPlan {
    source: FoldSource,
    kind: AccumulatorKind,
    output: Type,
    /// The columns of an accumulator.
    types: Vec<Type>,
    fold: GroupFold,
}

/// How a fold's accumulators are held.
#[derive(Clone, Copy, Debug)]
enum AccumulatorKind {
    Count,
    /// The sum of integers in 128 bits.
    Exact,
    /// A float sum in whatever order the rows come.
    Fast,
    /// A float sum with the same bits for any order.
    OrderFree,
    /// The smallest or the greatest value of this representation.
    Best {
        repr: Repr,
        is_max: bool,
    },
    /// As the interpreter has it.
    Other,
}

impl FoldPlan {
    /// The plan of a fold of this body's values, which are in the batch where `source` says.
    pub(super) fn new(fold: Fold, body: &Body, source: FoldSource) -> FoldPlan {
        let output = fold.output(body);
        let kind = match (fold.op, fold.value_type(body)) {
            (FoldOp::Count, _) | (_, None) => AccumulatorKind::Count,
            (FoldOp::Sum, Some(dtype)) if dtype.is_float() && fold.mode == FoldMode::Fast => AccumulatorKind::Fast,
            (FoldOp::Sum, Some(dtype)) if dtype.is_float() => AccumulatorKind::OrderFree,
            (FoldOp::Sum, Some(dtype)) if dtype.is_decimal() => AccumulatorKind::Other,
            (FoldOp::Sum | FoldOp::Total, Some(_)) => AccumulatorKind::Exact,
            (FoldOp::Min, Some(dtype)) => AccumulatorKind::Best { repr: dtype.repr(), is_max: false },
            (FoldOp::Max, Some(dtype)) => AccumulatorKind::Best { repr: dtype.repr(), is_max: true },
        };
        FoldPlan { source, kind, output, types: fold.order_free_accumulator(body), fold: GroupFold::new(fold, body) }
    }

    /// Bytes of an accumulator, for the memory's accounts.
    pub(super) fn bytes(&self) -> usize {
        match self.kind {
            AccumulatorKind::Count | AccumulatorKind::Fast => 8,
            AccumulatorKind::Exact => 16,
            AccumulatorKind::Best { .. } => 17,
            AccumulatorKind::OrderFree => size_of::<OrderFreeSum>(),
            AccumulatorKind::Other => size_of::<GroupAccumulator>(),
        }
    }

    /// Whether it counts rows, whatever they hold.
    pub(super) fn counts_rows(&self) -> bool {
        matches!(self.source, FoldSource::Rows)
    }

    /// The number of columns that hold its accumulator.
    pub(super) fn columns(&self) -> usize {
        self.types.len()
    }

    /// No accumulators yet.
    pub(super) fn accumulators(&self) -> Accumulators {
        match self.kind {
            AccumulatorKind::Count => Accumulators::Count(Vec::new()),
            AccumulatorKind::Exact => Accumulators::Exact(Vec::new()),
            AccumulatorKind::Fast => Accumulators::Fast(Vec::new()),
            AccumulatorKind::Best { .. } => Accumulators::Best { best: Vec::new(), seen: Vec::new() },
            AccumulatorKind::OrderFree => Accumulators::OrderFree(Vec::new()),
            AccumulatorKind::Other => Accumulators::Other(Vec::new()),
        }
    }
}

/// The accumulators of one fold.
pub(super) enum Accumulators {
    Count(Vec<u64>),
    Exact(Vec<i128>),
    Fast(Vec<f64>),
    OrderFree(Vec<OrderFreeSum>),
    /// Bits that sort as the values do.
    Best {
        best: Vec<u128>,
        seen: Vec<bool>,
    },
    Other(Vec<GroupAccumulator>),
}

impl Accumulators {
    /// Makes room for accumulators of `groups` groups.
    pub(super) fn reserve(&mut self, groups: usize) -> DeviceResult<()> {
        match self {
            Accumulators::Count(counts) => reserve_to(counts, groups),
            Accumulators::Exact(sums) => reserve_to(sums, groups),
            Accumulators::Fast(sums) => reserve_to(sums, groups),
            Accumulators::Best { best, seen } => reserve_to(best, groups).and_then(|()| reserve_to(seen, groups)),
            Accumulators::OrderFree(sums) => reserve_to(sums, groups),
            Accumulators::Other(others) => reserve_to(others, groups),
        }
    }

    /// Adds accumulators of nothing until there are `groups`.
    pub(super) fn grow(&mut self, plan: &FoldPlan, groups: usize) {
        match self {
            Accumulators::Count(counts) => counts.resize(groups, 0),
            Accumulators::Exact(sums) => sums.resize(groups, 0),
            Accumulators::Fast(sums) => sums.resize(groups, 0.0),
            Accumulators::Best { best, seen } => {
                best.resize(groups, 0);
                seen.resize(groups, false);
            }
            Accumulators::OrderFree(sums) => sums.resize(groups, OrderFreeSum::NOTHING),
            Accumulators::Other(others) => others.resize(groups, plan.fold.nothing()),
        }
    }

    /// Counts more rows of a group.
    pub(super) fn add_rows(&mut self, group: usize, rows: u64) {
        if let Accumulators::Count(counts) = self {
            counts[group] += rows;
        }
    }

    /// Folds rows of a batch: row `rows.start + i` belongs to group `groups[i]`.
    pub(super) fn fold(&mut self, plan: &FoldPlan, batch: &Batch, rows: Range<usize>, groups: &[u32]) {
        match plan.source {
            FoldSource::Rows => {
                if let Accumulators::Count(counts) = self {
                    groups.iter().for_each(|&group| counts[group as usize] += 1);
                }
            }
            FoldSource::Value(column) => self.fold_values(plan, batch, column, rows, groups),
            FoldSource::State(first) => self.fold_states(plan, batch, first, rows, groups),
        }
    }

    fn fold_values(&mut self, plan: &FoldPlan, batch: &Batch, column: usize, rows: Range<usize>, groups: &[u32]) {
        let (column, start) = (&batch.columns[column], rows.start);
        let repr = column.ty.dtype.repr();
        let valid = |row: usize| column.is_valid(row);
        let group = |row: usize| groups[row - start] as usize;
        match self {
            Accumulators::Count(counts) => {
                rows.filter(|&row| valid(row)).for_each(|row| counts[group(row)] += 1);
            }
            Accumulators::Exact(sums) => column.each_value(rows, |row, low, high| {
                if valid(row) {
                    let sum = &mut sums[group(row)];
                    *sum = sum.wrapping_add(integer(repr, low, high));
                }
            }),
            Accumulators::Fast(sums) => column.each_value(rows, |row, low, _| {
                if valid(row) {
                    let single = || f64::from(f32::from_bits(low as u32));
                    sums[group(row)] += if repr == Repr::F32 { single() } else { f64::from_bits(low) };
                }
            }),
            Accumulators::OrderFree(sums) => column.each_value(rows, |row, low, _| {
                if valid(row) {
                    let single = || f64::from(f32::from_bits(low as u32));
                    sums[group(row)].add(if repr == Repr::F32 { single() } else { f64::from_bits(low) });
                }
            }),
            Accumulators::Best { best, seen } => column.each_value(rows, |row, low, high| {
                if valid(row) {
                    better(plan, best, seen, group(row), sortable(repr, low, high));
                }
            }),
            Accumulators::Other(others) => {
                rows.filter(|&row| valid(row)).for_each(|row| others[group(row)].add(column.get(row)));
            }
        }
    }

    fn fold_states(&mut self, plan: &FoldPlan, batch: &Batch, first: usize, rows: Range<usize>, groups: &[u32]) {
        let columns = &batch.columns[first..first + plan.columns()];
        for (row, &group) in rows.zip(groups) {
            let (group, column) = (group as usize, &columns[0]);
            match self {
                Accumulators::Count(counts) => counts[group] += column.word(row),
                Accumulators::Exact(sums) => {
                    let state = column.get(row).and_then(Scalar::as_integer).unwrap_or(0);
                    sums[group] = sums[group].wrapping_add(state);
                }
                Accumulators::Fast(sums) => sums[group] += f64::from_bits(column.word(row)),
                Accumulators::OrderFree(sums) => {
                    let number = |column: &PoolColumn| column.get(row).and_then(Scalar::as_integer).unwrap_or(0);
                    sums[group].combine(&OrderFreeSum::read(columns.iter().map(number)));
                }
                Accumulators::Best { best, seen } => {
                    if let (Some(value), AccumulatorKind::Best { repr, .. }) = (column.get(row), plan.kind) {
                        let bits = value.bits();
                        better(plan, best, seen, group, sortable(repr, bits as u64, (bits >> 64) as u64));
                    }
                }
                Accumulators::Other(others) => {
                    let state: Vec<Option<Scalar>> = columns.iter().map(|column| column.get(row)).collect();
                    others[group].combine(&plan.fold.read(&state));
                }
            }
        }
    }

    /// Takes group `from` of other accumulators of the same fold into a group.
    pub(super) fn combine(&mut self, plan: &FoldPlan, group: usize, other: &Accumulators, from: usize) {
        match (self, other) {
            (Accumulators::Count(counts), Accumulators::Count(others)) => counts[group] += others[from],
            (Accumulators::Exact(sums), Accumulators::Exact(others)) => {
                sums[group] = sums[group].wrapping_add(others[from]);
            }
            (Accumulators::Fast(sums), Accumulators::Fast(others)) => sums[group] += others[from],
            (Accumulators::OrderFree(sums), Accumulators::OrderFree(others)) => sums[group].combine(&others[from]),
            (Accumulators::Best { best, seen }, Accumulators::Best { best: others, seen: others_seen }) => {
                if others_seen[from] {
                    better(plan, best, seen, group, others[from]);
                }
            }
            (Accumulators::Other(sums), Accumulators::Other(others)) => sums[group].combine(&others[from]),
            (
                Accumulators::Count(_)
                | Accumulators::Exact(_)
                | Accumulators::Fast(_)
                | Accumulators::OrderFree(_)
                | Accumulators::Best { .. }
                | Accumulators::Other(_),
                _,
            ) => unreachable!("accumulators of two folds meet"),
        }
    }

    /// Appends the columns of a group's accumulator.
    pub(super) fn write(&self, plan: &FoldPlan, group: usize, columns: &mut Vec<Option<Scalar>>) {
        match self {
            Accumulators::Count(counts) => columns.push(Some(Scalar::U64(counts[group]))),
            Accumulators::Exact(sums) => columns.push(Some(Scalar::I128(sums[group]))),
            Accumulators::Fast(sums) => columns.push(Some(Scalar::F64(sums[group]).canonical())),
            Accumulators::OrderFree(sums) => columns.extend(sums[group].columns().map(Some)),
            Accumulators::Best { best, seen } => columns.push(best_of(plan, best, seen, group)),
            Accumulators::Other(others) => others[group].write(columns),
        }
    }

    /// A group's result; `None` if its type cannot hold it.
    pub(super) fn finish(&self, plan: &FoldPlan, group: usize) -> Option<Option<Scalar>> {
        match self {
            Accumulators::Count(counts) => Some(Some(Scalar::U64(counts[group]))),
            Accumulators::Exact(sums) => finish_exact(sums[group], plan.output.dtype).ok().map(Some),
            Accumulators::Fast(sums) => {
                let is_single = plan.output.dtype == DType::F32;
                let sum = if is_single { Scalar::F32(sums[group] as f32) } else { Scalar::F64(sums[group]) };
                Some(Some(sum.canonical()))
            }
            Accumulators::OrderFree(sums) => {
                let columns = sums[group].columns().map(Some);
                plan.fold.finish(&plan.fold.read(&columns)).ok()
            }
            Accumulators::Best { best, seen } => Some(best_of(plan, best, seen, group)),
            Accumulators::Other(others) => plan.fold.finish(&others[group]).ok(),
        }
    }
}

#[inline(always)]
fn better(plan: &FoldPlan, best: &mut [u128], seen: &mut [bool], group: usize, value: u128) {
    let AccumulatorKind::Best { is_max, .. } = plan.kind else { return };
    let wins = if is_max { value > best[group] } else { value < best[group] };
    if !seen[group] || wins {
        best[group] = value;
        seen[group] = true;
    }
}

fn best_of(plan: &FoldPlan, best: &[u128], seen: &[bool], group: usize) -> Option<Scalar> {
    let AccumulatorKind::Best { repr, .. } = plan.kind else { return None };
    seen[group].then(|| from_sortable(repr, best[group]).canonical())
}

/// The integer that these words hold.
#[inline(always)]
fn integer(repr: Repr, low: u64, high: u64) -> i128 {
    match repr {
        Repr::I8 => i128::from(low as i8),
        Repr::I16 => i128::from(low as i16),
        Repr::I32 => i128::from(low as i32),
        Repr::I64 => i128::from(low as i64),
        Repr::I128 => (u128::from(high) << 64 | u128::from(low)) as i128,
        Repr::Bool | Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::F32 | Repr::F64 => i128::from(low),
    }
}
