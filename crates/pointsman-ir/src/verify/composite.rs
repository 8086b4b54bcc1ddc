//! Checks joins and aggregations of plans. In: a node whose inputs exist, and the checked body. Out: nothing, or what
//! is wrong.

use super::body::Checked;
use super::{VerifyError, fail};
use crate::body::ValueId;
use crate::kernel::{FoldMode, FoldOp};
use crate::plan::{Aggregate, AggregateOp, Aggregation, Join, JoinKind, Plan, ROW_NUMBER};
use crate::rewrite::edit::columns_of;
use crate::types::DType;

/// A join's keys, residual and kind.
pub(super) fn join(plan: &Plan, checked: &Checked<'_>, user: &str, join: &Join) -> Result<(), VerifyError> {
    let cross = matches!(join.kind, JoinKind::Cross { .. });
    if cross && !join.keys.is_empty() {
        return fail(format!(
            "{user}: a cross join has no keys, but this one has {}: use an inner join",
            join.keys.len()
        ));
    }
    if !cross && join.keys.is_empty() {
        return fail(format!("{user} has no keys: give it at least one, or use a cross join with a limit of pairs"));
    }
    for key in &join.keys {
        let (left, right) = (checked.equated(user, &[key.left])?[0], checked.equated(user, &[key.right])?[0]);
        if left != right {
            return fail(format!("{user}: a left key is {left}, but its right key is {right}: cast one of them"));
        }
    }
    let Some(residual) = join.residual else { return Ok(()) };
    checked.condition(user, "the residual", residual)?;
    if join.left == join.right {
        return fail(format!(
            "{user} joins {} with itself, so its residual cannot tell the sides apart: project one side first",
            join.left
        ));
    }
    if columns_of(plan, &[residual]).iter().any(|(_, column)| column.index == ROW_NUMBER) {
        return fail(format!("{user}: its residual uses a row number: project that to a column first"));
    }
    Ok(())
}

/// An aggregation's keys and aggregates.
pub(super) fn aggregation(checked: &Checked<'_>, user: &str, aggregation: &Aggregation) -> Result<(), VerifyError> {
    checked.equated(user, &aggregation.keys)?;
    aggregation.aggregates.iter().try_for_each(|one| aggregate(checked, user, one))
}

fn aggregate(checked: &Checked<'_>, user: &str, aggregate: &Aggregate) -> Result<(), VerifyError> {
    if let Some(filter) = aggregate.filter {
        checked.condition(user, "the filter", filter)?;
    }
    let (op, name) = (aggregate.op, aggregate.op.name());
    let Some(v) = aggregate.value else {
        return match (op, aggregate.mode) {
            (AggregateOp::Fold(FoldOp::Count), FoldMode::Reproducible) => Ok(()),
            (AggregateOp::Fold(FoldOp::Count), FoldMode::Fast) => not_fast(user, name),
            (op, _) => fail(format!("{user}: `{}` needs a value: only `count` can do without", op.name())),
        };
    };
    match (op.takes_pairs(), aggregate.second) {
        (true, Some(second)) => number(checked, user, name, second).map(drop)?,
        (true, None) => return fail(format!("{user}: `{name}` takes two values: give it a second one")),
        (false, Some(_)) => return fail(format!("{user}: `{name}` takes one value: remove the second")),
        (false, None) => {}
    }
    match op {
        AggregateOp::Fold(_) => aggregate.fold().map_or(Ok(()), |fold| checked.fold(user, &fold)),
        AggregateOp::Mean => {
            let dtype = number(checked, user, name, v)?;
            if aggregate.mode == FoldMode::Fast && !dtype.is_float() { not_fast(user, name) } else { Ok(()) }
        }
        AggregateOp::CountDistinct => {
            checked.equated(user, &[v])?;
            only_reproducible(user, aggregate)
        }
        AggregateOp::First | AggregateOp::Last | AggregateOp::ArgMin | AggregateOp::ArgMax => {
            let dtype = checked.top_level(user, v)?.dtype;
            if !dtype.is_ordered() {
                return fail(format!(
                    "{user}: `{name}` takes values with an order, but {v} is {dtype}: fold another column"
                ));
            }
            only_reproducible(user, aggregate)
        }
        AggregateOp::Median | AggregateOp::Quantile(_) => {
            number(checked, user, name, v)?;
            let fraction = aggregate.op.fraction().map_or(0.0, |fraction| fraction.value());
            if !(0.0..=1.0).contains(&fraction) {
                return fail(format!("{user}: `{name}` at {fraction}: give a fraction between 0 and 1"));
            }
            only_reproducible(user, aggregate)
        }
        AggregateOp::Variance(_)
        | AggregateOp::StandardDeviation(_)
        | AggregateOp::Covariance(_)
        | AggregateOp::Correlation => {
            number(checked, user, name, v)?;
            only_reproducible(user, aggregate)
        }
    }
}

fn only_reproducible(user: &str, aggregate: &Aggregate) -> Result<(), VerifyError> {
    match aggregate.mode {
        FoldMode::Reproducible => Ok(()),
        FoldMode::Fast => not_fast(user, aggregate.op.name()),
    }
}

fn not_fast(user: &str, name: &str) -> Result<(), VerifyError> {
    fail(format!("{user}: `{name}` cannot be fast: only sums and means of floats can"))
}

fn number(checked: &Checked<'_>, user: &str, name: &str, v: ValueId) -> Result<DType, VerifyError> {
    let dtype = checked.top_level(user, v)?.dtype;
    if !dtype.is_number() {
        return fail(format!("{user}: `{name}` takes numbers, but {v} is {dtype}: cast it"));
    }
    Ok(dtype)
}
