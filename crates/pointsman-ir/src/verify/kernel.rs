//! Checks a kernel: what it declares, its body, its mask and its sink.

use super::body::{self, Checked, Scope, digits};
use super::{VerifyError, fail, keys};
use crate::body::{ColumnId, Inst, ListId, ValueId};
use crate::kernel::{Call, Fold, FoldInput, FoldOp, GroupOrder, Kernel, PARTITION_BITS_MAX, PartitionBy, Sink};
use crate::types::DType;

pub(super) fn check(kernel: &Kernel) -> Result<(), VerifyError> {
    declarations(kernel)?;
    let scope =
        Scope { columns: &kernel.columns, params: &kernel.params, lists: &kernel.lists, tables: Some(&kernel.tables) };
    let checked = body::check(&kernel.body, &scope)?;
    if let Some(mask) = kernel.mask {
        checked.condition("the kernel", "the mask", mask)?;
    }
    sink(kernel, &checked)
}

fn declarations(kernel: &Kernel) -> Result<(), VerifyError> {
    for (i, ty) in kernel.columns.iter().enumerate() {
        digits(ty.dtype, || format!("c{i}"))?;
    }
    for (i, ty) in kernel.params.iter().enumerate() {
        digits(ty.dtype, || format!("p{i}"))?;
    }
    for (i, &dtype) in kernel.lists.iter().enumerate() {
        digits(dtype, || format!("l{i}"))?;
    }
    for (i, table) in kernel.tables.iter().enumerate() {
        for (k, &key) in table.keys.iter().enumerate() {
            digits(key, || format!("t{i}"))?;
            keys::equatable(&format!("t{i}"), &k.to_string(), key)?;
        }
        for column in &table.columns {
            digits(column.dtype, || format!("t{i}"))?;
        }
    }
    Ok(())
}

fn sink(kernel: &Kernel, checked: &Checked<'_>) -> Result<(), VerifyError> {
    let user = format!("the sink `{}`", kernel.sink.name());
    match &kernel.sink {
        Sink::Store { columns } => {
            source_rows(kernel, &user)?;
            checked.carried(&user, columns)
        }
        Sink::Compact { columns } => checked.carried(&user, columns),
        Sink::Reduce { folds } => folds.iter().try_for_each(|fold| checked.fold(&user, fold)),
        Sink::Scan { columns, running, segment } => {
            source_rows(kernel, &user)?;
            checked.carried(&user, columns)?;
            running.iter().try_for_each(|one| checked.fold(&user, &one.fold))?;
            segment.map_or(Ok(()), |v| checked.condition(&user, "the segment start", v))
        }
        Sink::Sort { keys, columns, .. } => {
            source_rows(kernel, &user)?;
            keys.iter().try_for_each(|key| checked.ordered(&user, key.value).map(|_| ()))?;
            checked.carried(&user, columns)
        }
        Sink::Group { keys, folds, order } => {
            checked.equated(&user, keys)?;
            folds.iter().try_for_each(|fold| match fold.input {
                FoldInput::Rows | FoldInput::Value(_) => checked.fold(&user, fold),
                FoldInput::State { first, .. } => state(kernel, &user, fold, first),
            })?;
            match order {
                GroupOrder::Least(value) => checked.order_value(&user, *value),
                GroupOrder::Hash => Ok(()),
            }
        }
        Sink::Build { keys, columns } => {
            source_rows(kernel, &user)?;
            checked.equated(&user, keys)?;
            checked.carried(&user, columns)
        }
        Sink::Call { call, value, table } => {
            source_rows(kernel, &user)?;
            if kernel.mask.is_some() {
                return fail(format!(
                    "{user} takes whole chunks of rows, but a mask drops some: filter in a stage before"
                ));
            }
            self::call(checked, &user, call, *value, table.map(|table| (table, kernel.lists.get(table.index()))))
        }
        Sink::Partition { by, bits, columns } => {
            source_rows(kernel, &user)?;
            partition(kernel, checked, &user, by)?;
            if *bits > PARTITION_BITS_MAX {
                return fail(format!("{user} has 2^{bits} partitions: make at most 2^{PARTITION_BITS_MAX}"));
            }
            checked.carried(&user, columns)
        }
    }
}

/// What a library call takes; its table comes with its type, if there is such a table.
pub(super) fn call(
    checked: &Checked<'_>,
    user: &str,
    call: &Call,
    value: ValueId,
    table: Option<(ListId, Option<&DType>)>,
) -> Result<(), VerifyError> {
    if let Some(mistake) = call.mistake() {
        return fail(format!("{user}: {mistake}"));
    }
    let found = checked.top_level(user, value)?;
    if !matches!(found.dtype, DType::F32 | DType::F64) || found.nullable {
        return fail(format!(
            "{user} takes floats without nulls (f32 or f64), not {found}: cast {value}, or replace its nulls"
        ));
    }
    match (call.has_table(), table) {
        (false, None) => Ok(()),
        (true, Some((_, Some(dtype)))) if *dtype == found.dtype => Ok(()),
        (true, Some((table, Some(dtype)))) => {
            fail(format!("{user}: its rows are {}, but {table} is {dtype}: convert one of them", found.dtype))
        }
        (true, Some((table, None))) => fail(format!("{user}: {table} does not exist")),
        (true, None) => fail(format!("{user}: `{}` needs a captured table", call.name())),
        (false, Some((table, _))) => {
            fail(format!("{user}: `{}` has no captured table, but {table} is given", call.name()))
        }
    }
}

fn partition(kernel: &Kernel, checked: &Checked<'_>, user: &str, by: &PartitionBy) -> Result<(), VerifyError> {
    match by {
        PartitionBy::Hash(keys) => checked.equated(user, keys).map(|_| ()),
        PartitionBy::Range { key, bounds } => {
            let dtype = checked.ordered(user, *key)?;
            match kernel.lists.get(bounds.index()) {
                None => fail(format!("{user}: {bounds} does not exist: there are {}", kernel.lists.len())),
                Some(&found) if found != dtype => {
                    fail(format!("{user}: the key {key} is {dtype}, but its bounds {bounds} are {found}: cast the key"))
                }
                Some(_) => Ok(()),
            }
        }
    }
}

/// A fold of accumulators: the columns from `first` on have their types.
fn state(kernel: &Kernel, user: &str, fold: &Fold, first: ColumnId) -> Result<(), VerifyError> {
    let wanted = fold.order_free_accumulator(&kernel.body);
    let of = fold.value_type(&kernel.body);
    if of.is_some_and(|dtype| !fold.op.takes(dtype)) || of.is_none() && fold.op != FoldOp::Count {
        return fail(format!("{user}: `{}` has no accumulator of such values", fold.op.name()));
    }
    let found = kernel.columns.get(first.index()..).and_then(|columns| columns.get(..wanted.len()));
    if found != Some(&wanted[..]) {
        return fail(format!("{user}: the columns from {first} on do not hold accumulators of `{}`", fold.op.name()));
    }
    Ok(())
}

/// Refuses a probe that multiplies rows.
fn source_rows(kernel: &Kernel, user: &str) -> Result<(), VerifyError> {
    let expands = |inst: &Inst| matches!(inst, Inst::Probe { kind, .. } if kind.multiplies());
    let Some((v, ..)) = kernel.body.iter().find(|(_, inst, _)| expands(inst)) else { return Ok(()) };
    fail(format!("{user} goes by source rows, but the probe {v} multiplies them: use `compact`, or probe by `exists`"))
}
