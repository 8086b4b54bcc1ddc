//! The quantile of values. In: values without nulls, a fraction, and how a value becomes a double. Out: the quantile, or
//! null of nothing.

use super::super::order;
use crate::types::Scalar;

/// The value `(n − 1) · fraction` steps behind the first of the sorted values. Between two values, where they differ, it is
/// `a · (1 − weight) + b · weight`.
pub(super) fn quantile(mut values: Vec<Scalar>, fraction: f64, double: impl Fn(Scalar) -> f64) -> Option<Scalar> {
    values.sort_by(|&a, &b| order::total(a, b));
    let last = values.len().checked_sub(1)?;
    let position = last as f64 * fraction;
    let at = |steps: f64| double(values[(steps as usize).min(last)]);
    let (a, b, weight) = (at(position.floor()), at(position.ceil()), position - position.floor());
    let same = a == b || a.is_nan() && b.is_nan();
    let value = if same { a } else { a * (1.0 - weight) + b * weight };
    Some(Scalar::F64(value).canonical())
}
