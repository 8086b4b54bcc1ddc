//! Composite operations: joins of every kind, and aggregations. `expand` writes them as other nodes, so passes and fusion
//! never look into them.
//!
//! In: what a user asks for. Out: inputs, operands and columns, as [`NodeKind`](super::NodeKind) needs them. Nothing here
//! checks anything; [`verify::plan`](crate::verify::plan) does.

use super::{NodeId, RowOrder};
use crate::body::{Body, ValueId};
use crate::kernel::{Fold, FoldInput, FoldMode, FoldOp};
use crate::types::{DType, Type};

/// An operation that `expand` writes as others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Composite {
    /// Rows of two inputs, paired by keys.
    Join(Join),
    /// Folds over all rows or for each distinct key.
    Aggregate(Aggregation),
}

/// A pair of keys that must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JoinKey {
    /// The left one, over columns of the left input.
    pub left: ValueId,
    /// The right one, of the same data type, over columns of the right input.
    pub right: ValueId,
    /// Whether a null equals a null (`IS NOT DISTINCT FROM`); otherwise a null equals nothing.
    pub null_safe: bool,
}

impl JoinKey {
    /// A pair of keys where a null equals nothing.
    pub const fn new(left: ValueId, right: ValueId) -> JoinKey {
        JoinKey { left, right, null_safe: false }
    }
}

/// Which rows a join gives. Two rows match if their keys are equal and the residual is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinKind {
    /// Every matching pair.
    Inner,
    /// Every matching pair, and each left row without a match once, with nulls on the right.
    Left,
    /// Every matching pair, and each right row without a match once, with nulls on the left; by right row, then left row.
    Right,
    /// What `Left` gives, then each right row without a match, with nulls on the left.
    Full,
    /// Left rows with a match; the right columns are not in the result.
    Semi,
    /// Left rows without a match; the right columns are not in the result.
    Anti,
    /// Every left row, with a column that says whether it has a match: true; null if keys or the residual leave it open
    /// because of a null; else false. `NOT IN` is its negation.
    Mark,
    /// Every pair that the residual accepts; there are no keys.
    Cross {
        /// The most pairs; more of them (before the residual) are an error of the run.
        pairs_max: u64,
    },
}

impl JoinKind {
    /// The name shown in plans.
    pub const fn name(self) -> &'static str {
        match self {
            JoinKind::Inner => "inner",
            JoinKind::Left => "left",
            JoinKind::Right => "right",
            JoinKind::Full => "full",
            JoinKind::Semi => "semi",
            JoinKind::Anti => "anti",
            JoinKind::Mark => "mark",
            JoinKind::Cross { .. } => "cross",
        }
    }
}

/// Pairs of rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Join {
    /// The left input.
    pub left: NodeId,
    /// The right input: the one that is held in memory.
    pub right: NodeId,
    /// The keys.
    pub keys: Vec<JoinKey>,
    /// What must be true of a pair with equal keys, over columns of both inputs.
    pub residual: Option<ValueId>,
    /// Which rows are given.
    pub kind: JoinKind,
}

/// A fraction between 0 and 1, compared by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fraction(u64);

impl Fraction {
    /// One half.
    pub const HALF: Fraction = Fraction::new(0.5);

    /// This number; `verify` refuses one that is not between 0 and 1.
    pub const fn new(value: f64) -> Fraction {
        Fraction(value.to_bits())
    }

    /// The number.
    pub const fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// What sums of squares are divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Estimator {
    /// One less than the number of values: the values are a sample of a population.
    Sample,
    /// The number of values: the values are the whole population.
    Population,
}

impl Estimator {
    /// The fewest values that give a result.
    pub const fn least(self) -> u64 {
        match self {
            Estimator::Sample => 2,
            Estimator::Population => 1,
        }
    }
}

/// What an aggregate computes of the values of its rows that are not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AggregateOp {
    /// A fold of the kernels.
    Fold(FoldOp),
    /// The sum divided by the number of values, in double precision; null of nothing. Integers and decimals are summed
    /// exactly, floats in double precision.
    Mean,
    /// How many different values there are.
    CountDistinct,
    /// The quantile at one half.
    Median,
    /// The value at this fraction of the way through the sorted values, as `f64`; between two values, interpolated; null
    /// of nothing.
    Quantile(Fraction),
    /// The value in the first row; null of nothing.
    First,
    /// The value in the last row; null of nothing.
    Last,
    /// The number of the first row with the smallest value, as `u64`; null of nothing.
    ArgMin,
    /// The number of the first row with the greatest value, as `u64`; null of nothing.
    ArgMax,
    /// The variance, in double precision; null of too few values.
    Variance(Estimator),
    /// The square root of the variance.
    StandardDeviation(Estimator),
    /// The covariance of two values, in double precision, over the rows where neither is null; null of too few rows.
    Covariance(Estimator),
    /// The correlation coefficient of two values, in double precision, over the rows where neither is null; null of
    /// fewer than two rows.
    Correlation,
}

impl AggregateOp {
    /// One of each operation; folds and fractions stand for all of theirs.
    pub const ALL: [AggregateOp; 16] = [
        AggregateOp::Fold(FoldOp::Count),
        AggregateOp::Mean,
        AggregateOp::CountDistinct,
        AggregateOp::Median,
        AggregateOp::Quantile(Fraction::HALF),
        AggregateOp::First,
        AggregateOp::Last,
        AggregateOp::ArgMin,
        AggregateOp::ArgMax,
        AggregateOp::Variance(Estimator::Sample),
        AggregateOp::Variance(Estimator::Population),
        AggregateOp::StandardDeviation(Estimator::Sample),
        AggregateOp::StandardDeviation(Estimator::Population),
        AggregateOp::Covariance(Estimator::Sample),
        AggregateOp::Covariance(Estimator::Population),
        AggregateOp::Correlation,
    ];

    /// The name shown in plans and messages.
    pub const fn name(self) -> &'static str {
        match self {
            AggregateOp::Fold(op) => op.name(),
            AggregateOp::Mean => "mean",
            AggregateOp::CountDistinct => "count_distinct",
            AggregateOp::Median => "median",
            AggregateOp::Quantile(_) => "quantile",
            AggregateOp::First => "first",
            AggregateOp::Last => "last",
            AggregateOp::ArgMin => "argmin",
            AggregateOp::ArgMax => "argmax",
            AggregateOp::Variance(Estimator::Sample) => "variance",
            AggregateOp::Variance(Estimator::Population) => "variance_population",
            AggregateOp::StandardDeviation(Estimator::Sample) => "stddev",
            AggregateOp::StandardDeviation(Estimator::Population) => "stddev_population",
            AggregateOp::Covariance(Estimator::Sample) => "covariance",
            AggregateOp::Covariance(Estimator::Population) => "covariance_population",
            AggregateOp::Correlation => "correlation",
        }
    }

    /// What it gives for no values, and how it is computed, for `docs/semantics.md`.
    pub const fn doc(self) -> [&'static str; 2] {
        match self {
            AggregateOp::Fold(_) => ["as folds", "as folds"],
            AggregateOp::Mean => [
                "null",
                "the sum divided by the number of values, as `f64`; a sum of decimals with more than 38 digits faults. \
                 Integers (`total`) and decimals are summed exactly and then rounded to `f64`; `f32` is widened before",
            ],
            AggregateOp::CountDistinct => ["0", "the number of values of which no two are equal as keys"],
            AggregateOp::Median => ["null", "`quantile(0.5)`"],
            AggregateOp::Quantile(_) => [
                "null",
                "an `f64`. The values are sorted; the position is *p* = (*n* − 1) · *q*, in `f64`. With *a* and *b* the \
                 values at ⌊*p*⌋ and ⌈*p*⌉, as `f64`, it is *a* if they are equal, otherwise *a* · (1 − *w*) + *b* · *w* \
                 with *w* = *p* − ⌊*p*⌋",
            ],
            AggregateOp::First => ["null", "the value in the row with the smallest number; no other value is needed"],
            AggregateOp::Last => ["null", "the value in the row with the greatest number; no other value is needed"],
            AggregateOp::ArgMin => {
                ["null", "the smallest number of a row whose value is `min`, −0 and +0 apart; a `u64`"]
            }
            AggregateOp::ArgMax => {
                ["null", "the smallest number of a row whose value is `max`, −0 and +0 apart; a `u64`"]
            }
            AggregateOp::Variance(Estimator::Sample) => ["null", "*S*(*x*, *x*) ÷ (*n* − 1); null of one value"],
            AggregateOp::Variance(Estimator::Population) => ["null", "*S*(*x*, *x*) ÷ *n*"],
            AggregateOp::StandardDeviation(Estimator::Sample) => ["null", "√`variance`"],
            AggregateOp::StandardDeviation(Estimator::Population) => ["null", "√`variance_population`"],
            AggregateOp::Covariance(Estimator::Sample) => ["null", "*S*(*x*, *y*) ÷ (*n* − 1); null of one row"],
            AggregateOp::Covariance(Estimator::Population) => ["null", "*S*(*x*, *y*) ÷ *n*"],
            AggregateOp::Correlation => [
                "null",
                "*S*(*x*, *y*) ÷ √(*S*(*x*, *x*) · *S*(*y*, *y*)), at least −1 and at most 1; below 10⁻²⁹⁰, and beyond the \
                 range of `f64`, the product of the roots in place of the root. Null of one row, NaN if all values of \
                 a side are equal",
            ],
        }
    }

    /// Where in the sorted values it looks, if it does.
    pub const fn fraction(self) -> Option<Fraction> {
        match self {
            AggregateOp::Median => Some(Fraction::HALF),
            AggregateOp::Quantile(fraction) => Some(fraction),
            AggregateOp::Fold(_) | AggregateOp::Mean | AggregateOp::CountDistinct => None,
            AggregateOp::First | AggregateOp::Last | AggregateOp::ArgMin | AggregateOp::ArgMax => None,
            AggregateOp::Variance(_) | AggregateOp::StandardDeviation(_) => None,
            AggregateOp::Covariance(_) | AggregateOp::Correlation => None,
        }
    }

    /// Whether it takes two values of each row.
    pub const fn takes_pairs(self) -> bool {
        matches!(self, AggregateOp::Covariance(_) | AggregateOp::Correlation)
    }

    /// Whether it takes values of this type.
    pub const fn takes(self, dtype: DType) -> bool {
        match self {
            AggregateOp::Fold(op) => op.takes(dtype),
            AggregateOp::CountDistinct => !matches!(dtype, DType::Opaque),
            AggregateOp::First | AggregateOp::Last | AggregateOp::ArgMin | AggregateOp::ArgMax => dtype.is_ordered(),
            AggregateOp::Mean | AggregateOp::Median | AggregateOp::Quantile(_) => dtype.is_number(),
            AggregateOp::Variance(_) | AggregateOp::StandardDeviation(_) => dtype.is_number(),
            AggregateOp::Covariance(_) | AggregateOp::Correlation => dtype.is_number(),
        }
    }

    /// Whether it passes over the rows twice.
    pub const fn has_second_pass(self) -> bool {
        match self {
            AggregateOp::First | AggregateOp::Last | AggregateOp::ArgMin | AggregateOp::ArgMax => true,
            AggregateOp::Variance(_) | AggregateOp::StandardDeviation(_) => true,
            AggregateOp::Covariance(_) | AggregateOp::Correlation => true,
            AggregateOp::Fold(_) | AggregateOp::CountDistinct => false,
            AggregateOp::Mean | AggregateOp::Median | AggregateOp::Quantile(_) => false,
        }
    }

    /// Whether its result depends on the numbers of rows.
    pub const fn numbers_rows(self) -> bool {
        matches!(self, AggregateOp::First | AggregateOp::Last | AggregateOp::ArgMin | AggregateOp::ArgMax)
    }
}

/// One aggregate of an aggregation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Aggregate {
    /// What it computes.
    pub op: AggregateOp,
    /// Of what; `None` only for `count`, which then counts rows.
    pub value: Option<ValueId>,
    /// The second value of operations that take two.
    pub second: Option<ValueId>,
    /// It takes the rows where this is true; `None`: all rows.
    pub filter: Option<ValueId>,
    /// The mode of its float sum.
    pub mode: FoldMode,
}

impl Aggregate {
    /// The number of rows.
    pub const COUNT_ROWS: Aggregate = Aggregate {
        op: AggregateOp::Fold(FoldOp::Count),
        value: None,
        second: None,
        filter: None,
        mode: FoldMode::Reproducible,
    };

    /// An aggregate of all values.
    pub const fn of(op: AggregateOp, value: ValueId) -> Aggregate {
        Aggregate { op, value: Some(value), ..Aggregate::COUNT_ROWS }
    }

    /// An aggregate of all pairs of values.
    pub const fn of_pairs(op: AggregateOp, value: ValueId, second: ValueId) -> Aggregate {
        Aggregate { second: Some(second), ..Aggregate::of(op, value) }
    }

    /// The same aggregate of the rows where the filter is true.
    pub const fn filtered(self, filter: ValueId) -> Aggregate {
        Aggregate { filter: Some(filter), ..self }
    }

    /// The fold that it is, leaving its filter aside; `None` for what `expand` composes.
    pub fn fold(&self) -> Option<Fold> {
        let AggregateOp::Fold(op) = self.op else { return None };
        let input = self.value.map_or(FoldInput::Rows, FoldInput::Value);
        Some(Fold { op, input, mode: self.mode })
    }

    /// The type of its result.
    pub fn output(&self, body: &Body) -> Type {
        match self.op {
            AggregateOp::Fold(op) => {
                let input = self.value.map_or(FoldInput::Rows, FoldInput::Value);
                Fold { op, input, mode: self.mode }.output(body)
            }
            AggregateOp::CountDistinct => DType::U64.required(),
            AggregateOp::First | AggregateOp::Last => {
                self.value.map_or(DType::U64, |value| body.ty(value).dtype).nullable()
            }
            AggregateOp::ArgMin | AggregateOp::ArgMax => DType::U64.nullable(),
            AggregateOp::Mean | AggregateOp::Median | AggregateOp::Quantile(_) => DType::F64.nullable(),
            AggregateOp::Variance(_) | AggregateOp::StandardDeviation(_) => DType::F64.nullable(),
            AggregateOp::Covariance(_) | AggregateOp::Correlation => DType::F64.nullable(),
        }
    }
}

/// Aggregates for each distinct key; without keys, one row for all rows, even if there are none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Aggregation {
    /// The input.
    pub input: NodeId,
    /// The keys.
    pub keys: Vec<ValueId>,
    /// The aggregates, after the keys.
    pub aggregates: Vec<Aggregate>,
    /// The order of the groups.
    pub order: RowOrder,
}

impl Composite {
    /// The name shown in plans and messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Composite::Join(_) => "join",
            Composite::Aggregate(_) => "aggregate",
        }
    }

    /// Its inputs, in order.
    pub fn inputs(&self) -> Vec<NodeId> {
        match self {
            Composite::Join(join) => vec![join.left, join.right],
            Composite::Aggregate(aggregation) => vec![aggregation.input],
        }
    }

    /// The values it uses, in order.
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            Composite::Join(join) => {
                join.keys.iter().flat_map(|key| [key.left, key.right]).chain(join.residual).collect()
            }
            Composite::Aggregate(aggregation) => {
                let of =
                    |one: &Aggregate| [one.value, one.second, one.filter].into_iter().flatten().collect::<Vec<_>>();
                aggregation.keys.iter().copied().chain(aggregation.aggregates.iter().flat_map(of)).collect()
            }
        }
    }

    /// The same operation with its inputs and values replaced, the values in the order of [`Composite::operands`].
    pub fn map(&self, mut node: impl FnMut(NodeId) -> NodeId, mut value: impl FnMut(ValueId) -> ValueId) -> Composite {
        match self {
            Composite::Join(join) => Composite::Join(Join {
                left: node(join.left),
                right: node(join.right),
                keys: (join.keys.iter())
                    .map(|key| JoinKey { left: value(key.left), right: value(key.right), ..*key })
                    .collect(),
                residual: join.residual.map(value),
                kind: join.kind,
            }),
            Composite::Aggregate(aggregation) => Composite::Aggregate(Aggregation {
                input: node(aggregation.input),
                keys: aggregation.keys.iter().map(|&v| value(v)).collect(),
                aggregates: (aggregation.aggregates.iter())
                    .map(|one| Aggregate {
                        value: one.value.map(&mut value),
                        second: one.second.map(&mut value),
                        filter: one.filter.map(&mut value),
                        ..*one
                    })
                    .collect(),
                order: aggregation.order,
            }),
        }
    }
}
