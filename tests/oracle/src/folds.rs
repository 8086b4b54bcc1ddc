//! Folds as DataFusion aggregates. In go a fold and the expressions of one node; out come aggregates, and what to make of
//! them so that the result has our type and our value of nothing.
//!
//! Integers are summed as decimals of 38 digits, so that a sum beyond the type is an error there too; floats are summed in
//! double precision beside the sum of their magnitudes, by which they are compared.

use crate::arrow_data::data_type;
use crate::expression::{Expressions, FaultMode, Precision, constant, converted};
use crate::skip::Skip;
use datafusion::functions::math::expr_fn::abs;
use datafusion::functions_aggregate::expr_fn::{count, max, min, sum};
use datafusion::logical_expr::{Expr, ExprFunctionExt, cast, col, is_null, lit, when};
use pointsman_ir::body::ValueId;
use pointsman_ir::kernel::FoldOp;
use pointsman_ir::types::{DType, Scalar, Type};

/// One fold of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedFold {
    /// Which.
    pub(crate) op: FoldOp,
    /// Of what; `None` counts rows.
    pub(crate) value: Option<ValueId>,
    /// It takes the rows where this is true.
    pub(crate) filter: Option<ValueId>,
    /// The type of its result.
    pub(crate) output: Type,
}

/// A fold in DataFusion.
#[derive(Clone, Debug)]
pub(crate) struct Translated {
    /// The aggregates; the first is called by the fold's name, the second (the magnitude of a float sum) by
    /// [`magnitude_name`].
    pub(crate) aggregates: Vec<Expr>,
    /// The result, over those names.
    pub(crate) result: Expr,
    /// How the result is compared.
    pub(crate) precision: Precision,
}

/// The hidden column beside a float sum.
pub(crate) fn magnitude_name(name: &str) -> String {
    format!("{name}_magnitude")
}

/// Translates a fold; `over` makes each aggregate what it is used as (filtered, or running over a frame).
pub(crate) fn translate(
    fold: &NamedFold,
    name: &str,
    expressions: &mut Expressions<'_>,
    faults: FaultMode,
    over: &dyn Fn(Expr) -> Result<Expr, Skip>,
) -> Result<Translated, Skip> {
    let filter = fold.filter.map(|filter| {
        expressions.decides(filter);
        expressions.value(filter)
    });
    let filter = filter.transpose()?;
    let aggregate = |aggregate: Expr, name: &str| -> Result<Expr, Skip> {
        let filtered = match &filter {
            Some(filter) => aggregate.filter(filter.clone()).build()?,
            None => aggregate,
        };
        Ok(over(filtered)?.alias(name))
    };
    let plain = |made: Expr, result: Expr, precision: Precision| -> Result<Translated, Skip> {
        Ok(Translated { aggregates: vec![aggregate(made, name)?], result, precision })
    };
    let dtype = fold.output.dtype;
    let Some(value) = fold.value else {
        return plain(count(lit(1i64)), cast(col(name), data_type(dtype)), Precision::Exact);
    };
    let precision = expressions.precision(value);
    let rounded = if precision == Precision::Exact { Precision::Exact } else { Precision::Rounded };
    let expr = expressions.value(value)?;
    match fold.op {
        FoldOp::Count => plain(count(expr), cast(col(name), data_type(dtype)), Precision::Exact),
        FoldOp::Min => plain(min(expressions.ordered(value)?), col(name), rounded),
        FoldOp::Max => plain(max(expressions.ordered(value)?), col(name), rounded),
        FoldOp::Sum if dtype.is_float() => {
            let double = cast(expr, data_type(DType::F64));
            let magnitude = magnitude_name(name);
            let aggregates = vec![
                aggregate(sum(double.clone()), name)?,
                aggregate(sum(abs(double)), &magnitude)?,
            ];
            let result = cast(of_nothing(col(name), fold.output, DType::F64)?, data_type(dtype));
            let precision = if rounded == Precision::Exact { Precision::Sum { magnitude } } else { rounded };
            Ok(Translated { aggregates, result, precision })
        }
        FoldOp::Sum | FoldOp::Total => {
            let scale = if let DType::Decimal { scale, .. } = dtype { scale } else { 0 };
            let wide = DType::Decimal { precision: 38, scale };
            let total = of_nothing(col(name), fold.output, wide)?;
            plain(sum(cast(expr, data_type(wide))), converted(total, dtype, faults), Precision::Exact)
        }
    }
}

/// Zero in place of the null that a sum of nothing is there.
fn of_nothing(total: Expr, output: Type, dtype: DType) -> Result<Expr, Skip> {
    if output.nullable {
        return Ok(total);
    }
    let zero = match dtype {
        DType::F64 => Scalar::F64(0.0),
        _ => dtype.repr().zero(),
    };
    Ok(when(is_null(total.clone()), constant(Some(zero), dtype)?).otherwise(total)?)
}
