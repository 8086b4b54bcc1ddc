//! Aggregates that pass over the rows twice. In: an aggregation and the folds of its first pass. Out: a node of their
//! values, one row for each group.
//!
//! The second pass sees, beside each row, what the first one found of its group: without keys as scalars, with keys by
//! a join of the rows with their groups. All aggregates of an aggregation share both passes.
//!
//! | aggregate | first pass | second pass |
//! | --- | --- | --- |
//! | `first`, `last` | the least, greatest number of a row with a value | the value in that row |
//! | `argmin`, `argmax` | the least, greatest value | the least number of a row with that value |
//! | `variance`, `stddev` | the mean *m* | Σ *d* and Σ *d*² of *d* = *x* − *m* |
//! | `covariance`, `correlation` | both means | Σ *d*, Σ *e*, Σ *d e* (and Σ *d*², Σ *e*²) |

use super::Expansion;
use super::aggregate::add;
use crate::body::ValueId;
use crate::kernel::{Fold, FoldMode, FoldOp};
use crate::op::Op;
use crate::plan::{AggregateOp, Aggregation, EquiJoinKind, Estimator, JoinKey, NodeId, NodeKind, PlanError, RowOrder};
use crate::rewrite::edit::retarget;
use crate::types::{DType, Scalar};
use std::collections::BTreeMap;

/// Products below this lose digits.
const LEAST_PRODUCT: f64 = 1e-290;

/// An aggregate of the second pass. Columns are those of the group of the first one, behind the keys.
#[derive(Clone, Copy, Debug)]
pub(super) enum SecondPass {
    /// The value in the row of this number.
    InRow { value: ValueId, row: u32 },
    /// The first row whose value has the bits of this one.
    RowOf { value: ValueId, best: u32 },
    /// Sums of centred values and of their products.
    Moments { op: AggregateOp, first: Summed, second: Option<Summed>, count: u32 },
}

/// A value with the column of its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Summed {
    value: ValueId,
    sum: u32,
    count: u32,
}

/// What the second pass needs to know of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Finding {
    /// A column of the first pass.
    Column(u32),
    /// What is subtracted from values.
    Centre(Summed),
}

/// The rows of the second pass.
struct SecondRows {
    /// Values of the aggregation's input, as they are called here.
    values: BTreeMap<ValueId, ValueId>,
    /// What was found of the row's group.
    found: BTreeMap<Finding, ValueId>,
    centred: BTreeMap<Summed, ValueId>,
}

impl SecondPass {
    /// The values that it takes from each row.
    fn values(&self) -> Vec<ValueId> {
        match self {
            SecondPass::InRow { value, .. } | SecondPass::RowOf { value, .. } => vec![*value],
            SecondPass::Moments { first, second, .. } => {
                [Some(first), second.as_ref()].into_iter().flatten().map(|summed| summed.value).collect()
            }
        }
    }

    fn findings(&self) -> Vec<Finding> {
        match self {
            SecondPass::InRow { row, .. } => vec![Finding::Column(*row)],
            SecondPass::RowOf { best, .. } => vec![Finding::Column(*best)],
            SecondPass::Moments { first, second, .. } => {
                [Some(*first), *second].into_iter().flatten().map(Finding::Centre).collect()
            }
        }
    }

    /// The column of the number of values; `None` if the result does not depend on it.
    pub(super) fn count(&self) -> Option<u32> {
        match self {
            SecondPass::Moments { count, .. } => Some(*count),
            SecondPass::InRow { .. } | SecondPass::RowOf { .. } => None,
        }
    }
}

/// The node of the second pass, and for each aggregate the columns of its values behind the keys.
pub(super) struct SecondNode {
    pub(super) node: NodeId,
    pub(super) columns: Vec<Vec<u32>>,
}

impl Expansion {
    /// The first pass of `first`, `last`, `argmin` and `argmax`.
    pub(super) fn first_pass_of_rows(
        &mut self,
        op: AggregateOp,
        value: ValueId,
        number: Option<ValueId>,
        folds: &mut Vec<Fold>,
    ) -> Result<SecondPass, PlanError> {
        let last = matches!(op, AggregateOp::Last | AggregateOp::ArgMax);
        let best = if last { FoldOp::Max } else { FoldOp::Min };
        if matches!(op, AggregateOp::ArgMin | AggregateOp::ArgMax) {
            return Ok(SecondPass::RowOf { value, best: add(folds, Fold::of(best, value)) });
        }
        let number = number.expect("rows are numbered for aggregates that go by their numbers");
        let null = self.call(Op::IsNull, &[value])?;
        let there = self.call(Op::Not, &[null])?;
        let row = self.only_where(there, number)?;
        Ok(SecondPass::InRow { value, row: add(folds, Fold::of(best, row)) })
    }

    /// The first pass of variances and the like. With a second value, only rows where both are there count.
    pub(super) fn first_pass_of_moments(
        &mut self,
        op: AggregateOp,
        value: ValueId,
        second: Option<ValueId>,
        folds: &mut Vec<Fold>,
    ) -> Result<SecondPass, PlanError> {
        let Some(second) = second else {
            let first = self.summed(value, folds)?;
            return Ok(SecondPass::Moments { op, first, second: None, count: first.count });
        };
        let (x, y) = (self.where_there(value, second)?, self.where_there(second, value)?);
        let (first, second) = (self.summed(x, folds)?, self.summed(y, folds)?);
        Ok(SecondPass::Moments { op, first, second: Some(second), count: first.count })
    }

    /// The value where the other one is not null, else null.
    fn where_there(&mut self, value: ValueId, other: ValueId) -> Result<ValueId, PlanError> {
        if !self.ty(other).nullable {
            return Ok(value);
        }
        let null = self.call(Op::IsNull, &[other])?;
        let there = self.call(Op::Not, &[null])?;
        self.only_where(there, value)
    }

    fn summed(&mut self, value: ValueId, folds: &mut Vec<Fold>) -> Result<Summed, PlanError> {
        let (sum, count) = self.sum_and_count(value, FoldMode::Reproducible, folds)?;
        Ok(Summed { value, sum, count })
    }

    /// The second pass over the rows of an aggregation; `None` if no aggregate needs it.
    pub(super) fn second_pass(
        &mut self,
        of: &Aggregation,
        group: NodeId,
        number: Option<ValueId>,
        seconds: &[SecondPass],
    ) -> Result<Option<SecondNode>, PlanError> {
        if seconds.is_empty() {
            return Ok(None);
        }
        let keys = of.keys.len() as u32;
        let mut findings: Vec<Finding> = seconds.iter().flat_map(SecondPass::findings).collect();
        findings.sort_unstable();
        findings.dedup();
        let found = self.found(group, keys, &findings)?;
        let values: Vec<ValueId> = seconds.iter().flat_map(SecondPass::values).chain(number).collect();
        let places = keys..keys + findings.len() as u32;
        let (input, values_there, found) = if keys == 0 {
            (of.input, values.clone(), places.map(|place| self.plan.scalar(found, place)).collect())
        } else {
            let joined = self.beside_their_group(of, found)?;
            let values = retarget(&mut self.plan, &values, of.input, joined);
            let first = self.width(of.input);
            (joined, values, self.columns(joined, places.map(|place| first + place)))
        };
        let mut rows = SecondRows {
            values: values.into_iter().zip(values_there).collect(),
            found: findings.into_iter().zip(found).collect(),
            centred: BTreeMap::new(),
        };
        let (mut folds, mut columns) = (Vec::new(), Vec::new());
        for second in seconds {
            let second = self.folds_of(&mut rows, *second, number)?;
            columns.push(second.into_iter().map(|fold| add(&mut folds, fold)).collect());
        }
        let node = if keys == 0 {
            self.push(NodeKind::Reduce { input, folds })
        } else {
            let first = self.width(of.input);
            let keys = self.columns(input, first..first + keys);
            self.push(NodeKind::Group { input, keys, folds, order: RowOrder::Any })
        };
        Ok(Some(SecondNode { node, columns }))
    }

    /// The keys, and what the second pass needs to know of each group.
    fn found(&mut self, group: NodeId, keys: u32, findings: &[Finding]) -> Result<NodeId, PlanError> {
        let mut columns = self.columns(group, 0..keys);
        for finding in findings {
            columns.push(match *finding {
                Finding::Column(at) => self.plan.column(group, keys + at),
                Finding::Centre(summed) => {
                    let (sum, count) = (summed.sum + keys, summed.count + keys);
                    let (sum, count) = (self.plan.column(group, sum), self.plan.column(group, count));
                    self.centre(self.ty(summed.value).dtype, sum, count)?
                }
            });
        }
        Ok(self.project(group, columns))
    }

    /// The rows of an aggregation with the row of their group in `found` behind them.
    fn beside_their_group(&mut self, of: &Aggregation, found: NodeId) -> Result<NodeId, PlanError> {
        let pair = |(key, &left): (usize, &ValueId)| JoinKey {
            left,
            right: self.plan.column(found, key as u32),
            null_safe: true,
        };
        let pairs: Vec<JoinKey> = of.keys.iter().enumerate().map(pair).collect();
        let sides = self.keys(&pairs)?;
        Ok(self.equi_join(EquiJoinKind::Inner, [of.input, found], sides))
    }

    /// The folds of an aggregate in the second pass.
    fn folds_of(
        &mut self,
        rows: &mut SecondRows,
        second: SecondPass,
        number: Option<ValueId>,
    ) -> Result<Vec<Fold>, PlanError> {
        let number = |rows: &SecondRows| rows.values[&number.expect("rows are numbered for these aggregates")];
        match second {
            SecondPass::InRow { value, row } => {
                let (value, row) = (rows.values[&value], rows.found[&Finding::Column(row)]);
                let there = self.call(Op::Eq, &[number(rows), row])?;
                Ok(vec![Fold::of(FoldOp::Max, self.only_where(there, value)?)])
            }
            SecondPass::RowOf { value, best } => {
                let (value, best) = (rows.values[&value], rows.found[&Finding::Column(best)]);
                let same = self.same_bits(value, best)?;
                Ok(vec![Fold::of(FoldOp::Min, self.only_where(same, number(rows))?)])
            }
            SecondPass::Moments { op, first, second, .. } => {
                let x = self.centred(rows, first)?;
                let y = second.map_or(Ok(x), |second| self.centred(rows, second))?;
                let mut summed = if second.is_some() { vec![x, y] } else { vec![x] };
                summed.push(self.call(Op::Mul, &[x, y])?);
                if op == AggregateOp::Correlation {
                    summed.push(self.call(Op::Mul, &[x, x])?);
                    summed.push(self.call(Op::Mul, &[y, y])?);
                }
                Ok(summed.into_iter().map(|value| Fold::of(FoldOp::Sum, value)).collect())
            }
        }
    }

    /// Whether two values of one type are the same in the order of min and max.
    fn same_bits(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, PlanError> {
        let dtype = self.ty(a).dtype;
        if !dtype.is_float() {
            return self.call(Op::Eq, &[a, b]);
        }
        let bits = if dtype == DType::F32 { DType::U32 } else { DType::U64 };
        let a = self.plan.body.cast(Op::Reinterpret, a, bits)?;
        let b = self.plan.body.cast(Op::Reinterpret, b, bits)?;
        self.call(Op::Eq, &[a, b])
    }

    /// What is subtracted from values: their mean in double precision; for types with values that doubles do not hold,
    /// a value of the type beside the mean.
    fn centre(&mut self, dtype: DType, sum: ValueId, count: ValueId) -> Result<ValueId, PlanError> {
        let (sum, count) = (self.as_double(sum)?, self.as_double(count)?);
        let mean = self.call(Op::Div, &[sum, count])?;
        if is_wide_integer(dtype) {
            let whole = self.call(Op::Round, &[mean])?;
            return Ok(self.plan.body.cast(Op::CastSaturating, whole, dtype)?);
        }
        if is_exact_decimal(dtype) {
            return Ok(self.plan.body.cast(Op::CastSaturating, mean, dtype)?);
        }
        Ok(mean)
    }

    /// The difference of a value and its centre, rounded once to double precision.
    fn centred(&mut self, rows: &mut SecondRows, of: Summed) -> Result<ValueId, PlanError> {
        if let Some(&centred) = rows.centred.get(&of) {
            return Ok(centred);
        }
        let (value, centre) = (rows.values[&of.value], rows.found[&Finding::Centre(of)]);
        let dtype = self.ty(value).dtype;
        let centred = if is_wide_integer(dtype) {
            self.wide_difference(value, centre)?
        } else if is_exact_decimal(dtype) {
            let difference = self.call(Op::Sub, &[value, centre])?;
            self.as_double(difference)?
        } else {
            let value = self.as_double(value)?;
            self.call(Op::Sub, &[value, centre])?
        };
        rows.centred.insert(of, centred);
        Ok(centred)
    }

    /// The difference of two integers of 64 bits. Their upper and lower halves differ by less than 2^33, which doubles
    /// hold, so the sum of both differences is the only one that is rounded.
    fn wide_difference(&mut self, value: ValueId, centre: ValueId) -> Result<ValueId, PlanError> {
        let dtype = self.ty(value).dtype;
        let halves = Scalar::from_integer(dtype.repr(), 32).zip(Scalar::from_integer(dtype.repr(), 0xffff_ffff));
        let (bits, mask) = halves.expect("both fit into 64 bits");
        let (bits, mask) = (self.constant(bits, dtype), self.constant(mask, dtype));
        let mut half = |op: Op, by: ValueId| -> Result<ValueId, PlanError> {
            let (value, centre) = (self.call(op, &[value, by])?, self.call(op, &[centre, by])?);
            let value = self.plan.body.cast(Op::CastSaturating, value, DType::I64)?;
            let centre = self.plan.body.cast(Op::CastSaturating, centre, DType::I64)?;
            let difference = self.call(Op::Sub, &[value, centre])?;
            self.as_double(difference)
        };
        let (upper, lower) = (half(Op::Shr, bits)?, half(Op::BitAnd, mask)?);
        let unit = self.constant(Scalar::F64(4_294_967_296.0), DType::F64);
        self.call(Op::Fma, &[upper, unit, lower])
    }

    /// The result of an aggregate of the second pass.
    pub(super) fn second_result(
        &mut self,
        second: SecondPass,
        sums: &[ValueId],
        count: Option<ValueId>,
    ) -> Result<ValueId, PlanError> {
        let (SecondPass::Moments { op, .. }, Some(count)) = (second, count) else { return Ok(sums[0]) };
        let n = self.as_double(count)?;
        let (least, result) = match (op, sums) {
            (AggregateOp::Covariance(estimator), &[x, y, xy]) => {
                let sum = self.product_sum([x, y, xy], n)?;
                (estimator.least(), self.averaged(sum, n, estimator)?)
            }
            (AggregateOp::Correlation, &[x, y, xy, xx, yy]) => (2, self.correlation([x, y, xy, xx, yy], n)?),
            (AggregateOp::Variance(estimator), &[x, xx]) => (estimator.least(), self.variance([x, xx], n, estimator)?),
            (AggregateOp::StandardDeviation(estimator), &[x, xx]) => {
                let variance = self.variance([x, xx], n, estimator)?;
                (estimator.least(), self.call(Op::Sqrt, &[variance])?)
            }
            (op, _) => unreachable!("`{}` has other sums", op.name()),
        };
        let least = self.constant(Scalar::U64(least), DType::U64);
        let enough = self.call(Op::Ge, &[count, least])?;
        self.only_where(enough, result)
    }

    /// Σ (x − mean) (y − mean) of sums of values that lie near their means.
    fn product_sum(&mut self, [x, y, xy]: [ValueId; 3], n: ValueId) -> Result<ValueId, PlanError> {
        let product = self.call(Op::Mul, &[x, y])?;
        let correction = self.call(Op::Div, &[product, n])?;
        self.call(Op::Sub, &[xy, correction])
    }

    /// Σ (x − mean)², which is not negative.
    fn square_sum(&mut self, [x, xx]: [ValueId; 2], n: ValueId) -> Result<ValueId, PlanError> {
        let sum = self.product_sum([x, x, xx], n)?;
        let zero = self.constant(Scalar::F64(0.0), DType::F64);
        self.call(Op::Greatest, &[sum, zero])
    }

    fn averaged(&mut self, sum: ValueId, n: ValueId, estimator: Estimator) -> Result<ValueId, PlanError> {
        let divisor = match estimator {
            Estimator::Population => n,
            Estimator::Sample => {
                let one = self.constant(Scalar::F64(1.0), DType::F64);
                self.call(Op::Sub, &[n, one])?
            }
        };
        self.call(Op::Div, &[sum, divisor])
    }

    fn variance(&mut self, sums: [ValueId; 2], n: ValueId, estimator: Estimator) -> Result<ValueId, PlanError> {
        let sum = self.square_sum(sums, n)?;
        self.averaged(sum, n, estimator)
    }

    /// The root of a product, which is exact for squares; the product of the roots where it leaves the range.
    fn root_of_product(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, PlanError> {
        let product = self.call(Op::Mul, &[a, b])?;
        let ends = [LEAST_PRODUCT, f64::MAX].map(|end| self.constant(Scalar::F64(end), DType::F64));
        let (above, below) = (self.call(Op::Ge, &[product, ends[0]])?, self.call(Op::Le, &[product, ends[1]])?);
        let in_range = self.call(Op::And, &[above, below])?;
        let root = self.call(Op::Sqrt, &[product])?;
        let (a, b) = (self.call(Op::Sqrt, &[a])?, self.call(Op::Sqrt, &[b])?);
        let roots = self.call(Op::Mul, &[a, b])?;
        self.call(Op::Select, &[in_range, root, roots])
    }

    /// The quotient, which rounding may not take beyond −1 and 1.
    fn correlation(&mut self, [x, y, xy, xx, yy]: [ValueId; 5], n: ValueId) -> Result<ValueId, PlanError> {
        let product = self.product_sum([x, y, xy], n)?;
        let (xx, yy) = (self.square_sum([x, xx], n)?, self.square_sum([y, yy], n)?);
        let scale = self.root_of_product(xx, yy)?;
        let quotient = self.call(Op::Div, &[product, scale])?;
        let ends = [-1.0, 1.0].map(|end| self.constant(Scalar::F64(end), DType::F64));
        let clamped = self.call(Op::Clamp, &[quotient, ends[0], ends[1]])?;
        // A clamp would make a number of a NaN.
        let nan = self.call(Op::IsNan, &[quotient])?;
        self.call(Op::Select, &[nan, quotient, clamped])
    }
}

const fn is_wide_integer(dtype: DType) -> bool {
    matches!(dtype, DType::I64 | DType::U64)
}

/// Whether differences of these decimals have no more digits than there are.
const fn is_exact_decimal(dtype: DType) -> bool {
    matches!(dtype, DType::Decimal { precision, .. } if precision < 38)
}
