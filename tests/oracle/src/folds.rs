//! Aggregates as DataFusion aggregates. In go an aggregate and the expressions of one node; out come aggregates, and what
//! to make of them so that the result has our type, our value of nothing, and our order of NaN and zeros.
//!
//! Integers are summed as decimals of 38 digits, so that a sum beyond the type is an error there too. Floats are summed in
//! double precision beside the sum of their magnitudes, by which they are compared. DataFusion's `min` and `max` look neither at
//! NaN nor at the sign of a zero, and in groups they take the greatest finite value for an infinity: all of these are
//! told apart beside them.

use crate::arrow_data::data_type;
use crate::expression::{Expressions, FaultMode, Precision, Share};
use crate::operation::{constant, converted, float};
use crate::skip::Skip;
use datafusion::functions::math::expr_fn::{abs, isnan};
use datafusion::functions_aggregate::expr_fn::{count, count_distinct, max, min, percentile_cont, sum};
use datafusion::logical_expr::{Expr, cast, col, is_not_null, is_null, is_true, lit, not, when};
use pointsman_ir::body::ValueId;
use pointsman_ir::kernel::{Fold, FoldOp};
use pointsman_ir::plan::{Aggregate, AggregateOp};
use pointsman_ir::types::{DType, Type};

/// One aggregate of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedAggregate {
    /// Which.
    pub(crate) op: AggregateOp,
    /// Of what; `None` counts rows.
    pub(crate) value: Option<ValueId>,
    /// It takes the rows where this is true.
    pub(crate) filter: Option<ValueId>,
    /// The type of its result.
    pub(crate) output: Type,
}

impl NamedAggregate {
    /// A fold of all rows.
    pub(crate) fn of_fold(fold: &Fold, output: Type) -> NamedAggregate {
        NamedAggregate { op: AggregateOp::Fold(fold.op), value: fold.value(), filter: None, output }
    }

    /// An aggregate of an aggregation.
    pub(crate) fn of_aggregate(aggregate: &Aggregate, output: Type) -> NamedAggregate {
        let Aggregate { op, value, filter, .. } = *aggregate;
        NamedAggregate { op, value, filter, output }
    }
}

/// An aggregate in DataFusion.
#[derive(Clone, Debug)]
pub(crate) struct Translated {
    /// The aggregates, named.
    pub(crate) aggregates: Vec<Expr>,
    /// The results over those names: the first is the aggregate's, called by its name; a magnitude may follow.
    pub(crate) results: Vec<Expr>,
    /// How the result is compared.
    pub(crate) precision: Precision,
}

/// What an aggregate's function is used as: filtered over all rows, or running over a frame.
pub(crate) type Over<'a> = &'a dyn Fn(Expr) -> Result<Expr, Skip>;

/// Translates an aggregate.
pub(crate) fn translate(
    aggregate: &NamedAggregate,
    name: &str,
    expressions: &mut Expressions<'_>,
    faults: FaultMode,
    over: Over<'_>,
) -> Result<Translated, Skip> {
    let filter = aggregate.filter.map(|filter| {
        expressions.decides(filter);
        expressions.value(filter)
    });
    let mut maker =
        Maker { name, filter: filter.transpose()?, faults, output: aggregate.output, over, made: Vec::new() };
    let Some(value) = aggregate.value else {
        let rows = maker.add("", count(lit(1i64)))?;
        return Ok(maker.finish(rows, None));
    };
    let rounded = expressions.precision(value) != Precision::Exact;
    let (expr, from) = (expressions.value(value)?, expressions.type_of(value).dtype);
    let mut translated = match aggregate.op {
        AggregateOp::Fold(FoldOp::Count) => {
            let values = maker.add("", count(expr))?;
            return Ok(maker.finish(values, None));
        }
        AggregateOp::CountDistinct => {
            let values = maker.add("", count_distinct(expressions.key(value)?))?;
            return Ok(maker.finish(values, None));
        }
        AggregateOp::Fold(op @ (FoldOp::Min | FoldOp::Max)) => maker.extreme(op, expressions.ordered(value)?, from)?,
        AggregateOp::Fold(FoldOp::Sum) if from.is_float() => maker.float_sum(expr)?,
        AggregateOp::Fold(FoldOp::Sum | FoldOp::Total) => maker.exact_sum(expr)?,
        AggregateOp::Mean => maker.mean(expr, from)?,
        AggregateOp::Median => maker.quantile(expressions.ordered(value)?, 0.5, Share::Sum)?,
        AggregateOp::Quantile(fraction) => {
            maker.quantile(expressions.ordered(value)?, fraction.value(), Share::Quantile)?
        }
        // DataFusion has no rows to number, and sums squares in another way.
        op @ (AggregateOp::First | AggregateOp::Last | AggregateOp::ArgMin | AggregateOp::ArgMax)
        | op @ (AggregateOp::Variance(_) | AggregateOp::StandardDeviation(_))
        | op @ (AggregateOp::Covariance(_) | AggregateOp::Correlation) => return Err(Skip::Node(op.name())),
    };
    if rounded {
        translated.precision = Precision::Rounded;
        translated.results.truncate(1);
    }
    Ok(translated)
}

struct Maker<'a> {
    name: &'a str,
    filter: Option<Expr>,
    faults: FaultMode,
    output: Type,
    over: Over<'a>,
    made: Vec<Expr>,
}

impl Maker<'_> {
    /// Adds an aggregate; it is called by the name and the suffix.
    fn add(&mut self, suffix: &str, aggregate: Expr) -> Result<Expr, Skip> {
        let Expr::AggregateFunction(mut aggregate) = aggregate else {
            return Err(Skip::internal("an aggregate that is none"));
        };
        // A builder would forget that the aggregate is distinct.
        aggregate.params.filter = self.filter.clone().map(Box::new);
        let name = format!("{}{suffix}", self.name);
        self.made.push((self.over)(Expr::AggregateFunction(aggregate))?.alias(&name));
        Ok(col(name))
    }

    /// The result, in the type of ours; with a magnitude it is compared by that.
    fn finish(self, result: Expr, magnitude: Option<(Expr, Share)>) -> Translated {
        let mut results = vec![cast(result, data_type(self.output.dtype)).alias(self.name)];
        let precision = match magnitude {
            None => Precision::Exact,
            Some((magnitude, share)) => {
                let name = format!("{}_magnitude", self.name);
                results.push(magnitude.alias(&name));
                Precision::Sum { magnitude: name, share }
            }
        };
        Translated { aggregates: self.made, results, precision }
    }

    /// The smallest or greatest: NaN above all, −0 below +0.
    fn extreme(mut self, op: FoldOp, expr: Expr, dtype: DType) -> Result<Translated, Skip> {
        let function = if op == FoldOp::Min { min } else { max };
        if !dtype.is_float() {
            let result = self.add("", function(expr))?;
            return Ok(self.finish(result, None));
        }
        let zero = || float(0.0, dtype);
        let infinity = |sign: f64| float(sign * f64::INFINITY, dtype);
        let is = |value: Expr, other: Expr| value.eq(other);
        let is_infinite = is(expr.clone(), infinity(1.0)).or(is(expr.clone(), infinity(-1.0)));
        let special = isnan(expr.clone()).or(is_infinite);
        let number = self.add("_number", function(when(not(special), expr.clone()).end()?))?;
        let mut any = |suffix: &str, condition: Expr| -> Result<Expr, Skip> {
            let flag = when(is_true(condition), lit(1i8)).otherwise(lit(0i8))?;
            Ok(self.add(suffix, max(flag))?.eq(lit(1i8)))
        };
        // The values in the order in which they win; a NaN is greater than all.
        let sign = if op == FoldOp::Min { -1.0 } else { 1.0 };
        let best_infinity = any("_best", is(expr.clone(), infinity(sign)))?;
        let worst_infinity = any("_worst", is(expr.clone(), infinity(-sign)))?;
        let nan = any("_nan", isnan(expr.clone()))?;
        // Comparisons do not tell zeros apart, but their reciprocals are infinities.
        let is_zero = |value: Expr| (value + zero()).eq(zero());
        let best_zero = is(float(1.0, dtype) / expr.clone(), infinity(sign));
        let best_zero = any("_zero", is_zero(expr.clone()).and(best_zero))?;
        let signed_zero = when(best_zero, float(sign * 0.0, dtype)).otherwise(float(-sign * 0.0, dtype))?;
        let finite = when(is_zero(number.clone()), signed_zero).otherwise(number.clone())?;
        let mut winners =
            vec![(best_infinity, infinity(sign)), (is_not_null(number), finite), (worst_infinity, infinity(-sign))];
        let place = if op == FoldOp::Min { winners.len() } else { 0 };
        winners.insert(place, (nan, float(f64::NAN, dtype)));
        let none = constant(None, dtype)?;
        let result =
            winners.into_iter().rev().try_fold(none, |rest, (wins, value)| when(wins, value).otherwise(rest))?;
        Ok(self.finish(result, None))
    }

    fn float_sum(mut self, expr: Expr) -> Result<Translated, Skip> {
        let double = cast(expr, data_type(DType::F64));
        let total = self.add("_sum", sum(double.clone()))?;
        let magnitude = self.add("_magnitudes", sum(abs(double)))?;
        let total = self.of_nothing(total, DType::F64)?;
        Ok(self.finish(total, Some((magnitude, Share::Sum))))
    }

    fn exact_sum(mut self, expr: Expr) -> Result<Translated, Skip> {
        let scale = if let DType::Decimal { scale, .. } = self.output.dtype { scale } else { 0 };
        let wide = DType::Decimal { precision: 38, scale };
        let total = self.add("", sum(cast(expr, data_type(wide))))?;
        let total = self.of_nothing(total, wide)?;
        let total = converted(total, self.output.dtype, self.faults);
        Ok(self.finish(total, None))
    }

    fn mean(mut self, expr: Expr, from: DType) -> Result<Translated, Skip> {
        let double = data_type(DType::F64);
        let number = self.add("_count", count(expr.clone()))?;
        let number = cast(number, double.clone());
        if from.is_float() {
            let value = cast(expr, double);
            let total = self.add("_sum", sum(value.clone()))?;
            let magnitude = self.add("_magnitudes", sum(abs(value)))?;
            return Ok(self.finish(total / number.clone(), Some((magnitude / number, Share::Sum))));
        }
        let scale = if let DType::Decimal { scale, .. } = from { scale } else { 0 };
        let wide = DType::Decimal { precision: 38, scale };
        let total = self.add("_sum", sum(cast(expr, data_type(wide))))?;
        let mean = cast(total, double) / number;
        Ok(self.finish(mean.clone(), Some((abs(mean), Share::Sum))))
    }

    fn quantile(mut self, expr: Expr, fraction: f64, share: Share) -> Result<Translated, Skip> {
        let double = cast(expr, data_type(DType::F64));
        let magnitude = self.add("_magnitudes", max(abs(double.clone())))?;
        let result = self.add("_quantile", percentile_cont(double.sort(true, false), lit(fraction)))?;
        Ok(self.finish(result, Some((magnitude, share))))
    }

    /// Zero in place of the null that a sum of nothing is there.
    fn of_nothing(&self, total: Expr, dtype: DType) -> Result<Expr, Skip> {
        if self.output.nullable {
            return Ok(total);
        }
        Ok(when(is_null(total.clone()), constant(Some(dtype.repr().zero()), dtype)?).otherwise(total)?)
    }
}
