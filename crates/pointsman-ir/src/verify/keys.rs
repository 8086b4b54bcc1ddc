//! Rules that sinks and plan nodes share: what folds and keys take. In: who uses the value, and its type.
//! Out: nothing, or what is wrong.

use super::body::Checked;
use super::{VerifyError, fail};
use crate::body::ValueId;
use crate::kernel::{Fold, FoldInput, FoldMode, FoldOp};
use crate::types::DType;

impl Checked<'_> {
    /// Values that are carried along: any type will do.
    pub(super) fn carried(&self, user: &str, values: &[ValueId]) -> Result<(), VerifyError> {
        values.iter().try_for_each(|&v| self.top_level(user, v).map(|_| ()))
    }

    /// A condition of a sink or node: a bool.
    pub(super) fn condition(&self, user: &str, what: &str, v: ValueId) -> Result<(), VerifyError> {
        let dtype = self.top_level(user, v)?.dtype;
        if dtype != DType::Bool {
            return fail(format!("{user}: {what} {v} must be bool, not {dtype}: compare it with something"));
        }
        Ok(())
    }

    /// A fold and its value.
    pub(super) fn fold(&self, user: &str, fold: &Fold) -> Result<(), VerifyError> {
        let name = fold.op.name();
        if fold.mode == FoldMode::Fast && fold.op != FoldOp::Sum {
            return fail(format!("{user}: `{name}` cannot be fast: only sums of floats can"));
        }
        if let FoldInput::State { first, .. } = fold.input {
            return fail(format!("{user}: `{name}` takes an accumulator ({first}): only kernels that merge groups do"));
        }
        let Some(v) = fold.value() else {
            return match fold.op {
                FoldOp::Count => Ok(()),
                FoldOp::Sum | FoldOp::Total | FoldOp::Min | FoldOp::Max => {
                    fail(format!("{user}: `{name}` needs a value: only `count` can do without"))
                }
            };
        };
        let dtype = self.top_level(user, v)?.dtype;
        if fold.mode == FoldMode::Fast && !dtype.is_float() {
            return fail(format!("{user}: `{name}` of {dtype} cannot be fast: only sums of floats can"));
        }
        if fold.op.takes(dtype) {
            return Ok(());
        }
        let (wanted, remedy) = match fold.op {
            FoldOp::Sum => ("numbers", "cast it"),
            FoldOp::Total => ("integers", "use `sum`"),
            FoldOp::Count | FoldOp::Min | FoldOp::Max => ("values with an order", "fold another column"),
        };
        fail(format!("{user}: `{name}` takes {wanted}, but {v} is {dtype}: {remedy}"))
    }

    /// The value that orders groups.
    pub(super) fn order_value(&self, user: &str, v: ValueId) -> Result<(), VerifyError> {
        let ty = self.top_level(user, v)?;
        if ty != DType::U64.required() {
            return fail(format!(
                "{user}: the order value {v} must be u64 without nulls, not {ty}: take the row number"
            ));
        }
        Ok(())
    }

    /// A key that rows are ordered by.
    pub(super) fn ordered(&self, user: &str, v: ValueId) -> Result<DType, VerifyError> {
        let dtype = self.top_level(user, v)?.dtype;
        if !dtype.is_ordered() {
            return fail(format!("{user}: the key {v} is {dtype}, which has no order: order by another column"));
        }
        Ok(dtype)
    }

    /// Keys that are compared for equality.
    pub(super) fn equated(&self, user: &str, keys: &[ValueId]) -> Result<Vec<DType>, VerifyError> {
        keys.iter().map(|&v| self.top_level(user, v).and_then(|ty| equatable(user, &v.to_string(), ty.dtype))).collect()
    }
}

/// A type whose values can be compared for equality.
pub(super) fn equatable(user: &str, what: &str, dtype: DType) -> Result<DType, VerifyError> {
    if dtype == DType::Opaque {
        return fail(format!("{user}: the key {what} is opaque and cannot be compared: use another column"));
    }
    Ok(dtype)
}
