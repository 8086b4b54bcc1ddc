//! Accumulators: in go values (or other accumulators of the same fold), out comes the fold's result.
//!
//! **Which accumulator.** Counts, sums of integers and decimals (in 128 bits), min and max are the same in any grouping.
//! Float sums are not, so their grouping is part of the meaning:
//! - where rows have a source order (`Reduce`, `Scan`): a plain float, in the tree of `reduce.rs` or `scan.rs`, from −0.0,
//!   which adds nothing to anything;
//! - where they have none (groups, after a probe that multiplies rows): the bins of `order_free.rs`.
//!
//! A sum beyond 128 bits (of decimals of more than 28 digits alone) sticks at [`SUM_OVERFLOWED`] and faults at the end
//! where rows have an order; where they have none it may come back, so what lies beyond is kept too ([`Wide`]).

use super::fault::Fault;
use super::order;
use super::order_free::{Format, OrderFree};
use super::scalar::{integer, power_of_ten};
use crate::body::Body;
use crate::kernel::sink::ORDER_FREE_BINS;
use crate::kernel::{Fold, FoldMode, FoldOp};
use crate::types::{DType, Scalar, Type};

/// What a 128-bit sum holds once it overflowed; no type holds this value, so finishing faults.
const SUM_OVERFLOWED: i128 = i128::MIN;

/// A sum in more than 128 bits: `high · 2^128 + low`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Wide {
    high: i64,
    low: i128,
}

impl Wide {
    fn add(&mut self, other: Wide) {
        let (low, overflows) = self.low.overflowing_add(other.low);
        // Both had the sign of what lies beyond.
        let beyond = if !overflows {
            0
        } else if other.low < 0 {
            -1
        } else {
            1
        };
        *self = Wide { high: self.high + other.high + beyond, low };
    }
}

/// The state of a fold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Accumulator {
    /// How many.
    Count(u64),
    /// A sum of integers or unscaled decimals.
    Exact(i128),
    /// A sum of unscaled decimals without an order.
    Wide(Wide),
    /// A float sum in a fixed order.
    Float(Scalar),
    /// A float sum without an order.
    OrderFree(OrderFree),
    /// A float sum in whatever order the rows come.
    Fast(f64),
    /// The smallest so far.
    Min(Option<Scalar>),
    /// The greatest so far.
    Max(Option<Scalar>),
}

impl Accumulator {
    /// Takes in a value; nulls are skipped.
    pub(super) fn add(&mut self, value: Option<Scalar>) {
        let Some(value) = value else { return };
        match self {
            Accumulator::Count(count) => *count += 1,
            Accumulator::Exact(sum) => *sum = exact_sum(*sum, integer(value)),
            Accumulator::Wide(sum) => sum.add(Wide { high: 0, low: integer(value) }),
            Accumulator::Float(sum) => *sum = float_sum(*sum, value),
            Accumulator::OrderFree(sum) => sum.add(as_double(value)),
            Accumulator::Fast(sum) => *sum += as_double(value),
            Accumulator::Min(best) => *best = Some(best.map_or(value, |best| order::least(best, value))),
            Accumulator::Max(best) => *best = Some(best.map_or(value, |best| order::greatest(best, value))),
        }
    }

    /// The fold of this one's values, then the other's.
    pub(super) fn combine(&mut self, other: &Accumulator) {
        match (self, other) {
            (Accumulator::Count(count), Accumulator::Count(other)) => *count += other,
            (Accumulator::Exact(sum), Accumulator::Exact(other)) => *sum = exact_sum(*sum, *other),
            (Accumulator::Wide(sum), Accumulator::Wide(other)) => sum.add(*other),
            (Accumulator::Float(sum), Accumulator::Float(other)) => *sum = float_sum(*sum, *other),
            (Accumulator::OrderFree(sum), Accumulator::OrderFree(other)) => sum.combine(other),
            (Accumulator::Fast(sum), Accumulator::Fast(other)) => *sum += other,
            (best, Accumulator::Min(value) | Accumulator::Max(value)) => best.add(*value),
            (one, other) => unreachable!("accumulators of two folds meet: {one:?}, {other:?}"),
        }
    }

    /// Appends the accumulator's columns.
    pub(super) fn write(&self, row: &mut Vec<Option<Scalar>>) {
        match self {
            Accumulator::Count(count) => row.push(Some(Scalar::U64(*count))),
            Accumulator::Exact(sum) => row.push(Some(Scalar::I128(*sum))),
            Accumulator::Wide(sum) => row.extend([Scalar::I128(sum.low), Scalar::I64(sum.high)].map(Some)),
            Accumulator::Float(sum) => row.push(Some(sum.canonical())),
            Accumulator::Fast(sum) => row.push(Some(Scalar::F64(*sum).canonical())),
            Accumulator::OrderFree(sum) => {
                row.push(Some(Scalar::I32(sum.top())));
                row.extend(sum.bins().iter().map(|&bin| Some(Scalar::I128(bin))));
            }
            Accumulator::Min(best) | Accumulator::Max(best) => row.push(best.map(Scalar::canonical)),
        }
    }
}

/// A fold with its accumulator's rule.
pub(super) struct Folding {
    /// The fold.
    pub(super) fold: Fold,
    /// The accumulator of nothing.
    pub(super) nothing: Accumulator,
    /// How many columns an accumulator takes.
    pub(super) width: usize,
    output: Type,
}

impl Folding {
    /// A fold over rows in source order.
    pub(super) fn positional(fold: Fold, body: &Body) -> Folding {
        let mut folding = Folding::order_free(fold, body);
        folding.width = fold.positional_accumulator(body).len();
        if body.multiplies_rows() {
            return folding;
        }
        folding.nothing = match folding.nothing {
            Accumulator::OrderFree(_) | Accumulator::Fast(_) => Accumulator::Float(negative_zero(folding.output.dtype)),
            Accumulator::Wide(_) => Accumulator::Exact(0),
            other @ (Accumulator::Count(_) | Accumulator::Exact(_) | Accumulator::Float(_)) => other,
            other @ (Accumulator::Min(_) | Accumulator::Max(_)) => other,
        };
        folding
    }

    /// A fold over rows without an order.
    pub(super) fn order_free(fold: Fold, body: &Body) -> Folding {
        let output = fold.output(body);
        let nothing = match (fold.op, output.dtype) {
            (FoldOp::Count, _) => Accumulator::Count(0),
            (FoldOp::Sum, dtype) if dtype.is_float() && fold.mode == FoldMode::Fast => Accumulator::Fast(0.0),
            (FoldOp::Sum, DType::F32) => Accumulator::OrderFree(OrderFree::new(Format::Single)),
            (FoldOp::Sum, DType::F64) => Accumulator::OrderFree(OrderFree::new(Format::Double)),
            (FoldOp::Sum, DType::Decimal { .. }) => Accumulator::Wide(Wide::default()),
            (FoldOp::Sum | FoldOp::Total, _) => Accumulator::Exact(0),
            (FoldOp::Min, _) => Accumulator::Min(None),
            (FoldOp::Max, _) => Accumulator::Max(None),
        };
        Folding { fold, nothing, width: fold.order_free_accumulator(body).len(), output }
    }

    /// Reads an accumulator from its columns.
    pub(super) fn read(&self, columns: &[Option<Scalar>]) -> Accumulator {
        let whole = |at: usize| columns[at].map_or(0, integer);
        match self.nothing {
            Accumulator::Count(_) => Accumulator::Count(whole(0) as u64),
            Accumulator::Exact(_) => Accumulator::Exact(whole(0)),
            Accumulator::Wide(_) => Accumulator::Wide(Wide { low: whole(0), high: whole(1) as i64 }),
            Accumulator::Float(zero) => Accumulator::Float(columns[0].unwrap_or(zero)),
            Accumulator::Fast(_) => Accumulator::Fast(columns[0].map_or(0.0, as_double)),
            Accumulator::OrderFree(_) => {
                let format = if self.output.dtype == DType::F32 { Format::Single } else { Format::Double };
                let bins = (1..=ORDER_FREE_BINS).map(whole);
                Accumulator::OrderFree(OrderFree::read(format, whole(0) as i32, bins))
            }
            Accumulator::Min(_) => Accumulator::Min(columns[0]),
            Accumulator::Max(_) => Accumulator::Max(columns[0]),
        }
    }

    /// The fold's result. A float sum is never −0.
    pub(super) fn finish(&self, accumulator: &Accumulator) -> Result<Option<Scalar>, Fault> {
        match accumulator {
            Accumulator::Count(count) => Ok(Some(Scalar::U64(*count))),
            Accumulator::Exact(sum) => self.finish_exact(*sum).map(Some),
            Accumulator::Wide(sum) if sum.high != 0 => Err(Fault::of_sum(self.output)),
            Accumulator::Wide(sum) => self.finish_exact(sum.low).map(Some),
            Accumulator::Float(sum) => Ok(Some(float_sum(*sum, self.output.dtype.repr().zero()).canonical())),
            Accumulator::OrderFree(sum) => Ok(Some(sum.finish())),
            Accumulator::Fast(sum) if self.output.dtype == DType::F32 => Ok(Some(Scalar::F32(*sum as f32).canonical())),
            Accumulator::Fast(sum) => Ok(Some(Scalar::F64(*sum).canonical())),
            Accumulator::Min(best) | Accumulator::Max(best) => Ok(best.map(Scalar::canonical)),
        }
    }

    fn finish_exact(&self, sum: i128) -> Result<Scalar, Fault> {
        let fits = if let DType::Decimal { precision, .. } = self.output.dtype {
            sum.unsigned_abs() < power_of_ten(precision).unsigned_abs()
        } else {
            true
        };
        let value = Scalar::from_integer(self.output.dtype.repr(), sum).filter(|_| fits);
        value.ok_or_else(|| Fault::of_sum(self.output))
    }
}

/// The folds of a sink whose rows have a source order.
pub(super) fn positional(folds: impl IntoIterator<Item = Fold>, body: &Body) -> Vec<Folding> {
    folds.into_iter().map(|fold| Folding::positional(fold, body)).collect()
}

/// Reads one accumulator a fold from consecutive columns.
pub(super) fn read_all(folds: &[Folding], mut columns: &[Option<Scalar>]) -> Vec<Accumulator> {
    let mut accumulators = Vec::with_capacity(folds.len());
    for fold in folds {
        let (own, rest) = columns.split_at(fold.width);
        accumulators.push(fold.read(own));
        columns = rest;
    }
    accumulators
}

/// The sum of two floats of one type.
pub(super) fn float_sum(a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(a + b),
        (Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(a + b),
        (a, b) => unreachable!("a float sum adds floats of one type, not {a} and {b}"),
    }
}

/// The identity of float addition.
fn negative_zero(dtype: DType) -> Scalar {
    if dtype == DType::F32 { Scalar::F32(-0.0) } else { Scalar::F64(-0.0) }
}

fn exact_sum(a: i128, b: i128) -> i128 {
    if a == SUM_OVERFLOWED || b == SUM_OVERFLOWED {
        return SUM_OVERFLOWED;
    }
    a.checked_add(b).unwrap_or(SUM_OVERFLOWED)
}

fn as_double(value: Scalar) -> f64 {
    if let Scalar::F32(v) = value {
        return v.into();
    }
    if let Scalar::F64(v) = value { v } else { unreachable!("a float sum adds floats, not {value}") }
}
