//! Checks a body: ids, regions, visibility and types. In: a body and what its columns, parameters and tables are.
//! Out: where its loops lie, for the checks of what uses its values.

use super::{VerifyError, fail};
use crate::body::{Body, Inst, LOOP_BOUND_MAX, ValueId};
use crate::kernel::SideTable;
use crate::op::Op;
use crate::plan::PLAN_DEPTH_MAX;
use crate::types::{DECIMAL_DIGITS_MAX, DType, Scalar, Type};

/// The objects that the ids of a body refer to.
pub(super) struct Scope<'a> {
    /// The types of the columns.
    pub(super) columns: &'a [Type],
    /// The types of the parameters.
    pub(super) params: &'a [Type],
    /// The element types of the captured tables.
    pub(super) lists: &'a [DType],
    /// The other tables; `None` in a plan, which has no row numbers, gathers and probes.
    pub(super) tables: Option<&'a [SideTable]>,
}

/// Checks all values of a body; hands back what checks its users.
pub(super) fn check<'a>(body: &'a Body, scope: &'a Scope<'a>) -> Result<Checked<'a>, VerifyError> {
    regions(body)?;
    let checked = Checked { body, enclosing: body.enclosing_loops(), scope };
    for (v, inst, ty) in body.iter() {
        digits(ty.dtype, || format!("{v} (`{}`)", name(inst)))?;
        let derived = checked.derive(v, inst, ty)?;
        if derived != ty {
            return fail(format!("{v}: `{}` gives {derived}, but {v} is typed {ty}: type it {derived}", name(inst)));
        }
    }
    Ok(checked)
}

/// Checks that a type's digits are within the limits.
pub(super) fn digits(dtype: DType, what: impl Fn() -> String) -> Result<(), VerifyError> {
    if let DType::Decimal { precision, scale } = dtype
        && DType::decimal(precision, scale).is_none()
    {
        return fail(format!(
            "{}: there is no type {dtype}: a decimal has 1 to {DECIMAL_DIGITS_MAX} digits, no more of them behind the point",
            what()
        ));
    }
    Ok(())
}

/// The word for an instruction, as `print` writes it.
pub(super) fn name(inst: &Inst) -> &'static str {
    match inst {
        Inst::Column(_) => "column",
        Inst::Param(_) => "param",
        Inst::Const(_) => "const",
        Inst::RowIndex => "row_index",
        Inst::Call { op, .. } => op.name(),
        Inst::Lookup { .. } => "lookup",
        Inst::Gather { .. } => "gather",
        Inst::Probe { .. } => "probe",
        Inst::Loop { .. } => "loop",
        Inst::LoopIndex(_) => "index",
        Inst::LoopCarried { .. } => "carried",
        Inst::LoopResult { .. } => "result",
    }
}

/// Checks that regions are nested and bounded.
fn regions(body: &Body) -> Result<(), VerifyError> {
    let mut open: Vec<u32> = Vec::new();
    for (v, inst, _) in body.iter() {
        while open.last().is_some_and(|&end| end <= v.0) {
            open.pop();
        }
        let Inst::Loop { bound, end, .. } = inst else { continue };
        if *bound == 0 {
            return fail(format!("{v}: a loop without a bound: give it one of 1 to {LOOP_BOUND_MAX} iterations"));
        }
        if *bound > LOOP_BOUND_MAX {
            return fail(format!("{v}: a loop of up to {bound} iterations: at most {LOOP_BOUND_MAX} are allowed"));
        }
        let outer = open.last().copied().unwrap_or(body.len() as u32);
        if *end <= v.0 || *end > outer {
            return fail(format!(
                "{v}: the region of a `loop` must end behind {v} and at {outer} at the latest, not at {end}: close it there"
            ));
        }
        open.push(*end);
        if open.len() > PLAN_DEPTH_MAX {
            return fail(format!(
                "{v}: loops are nested more than {PLAN_DEPTH_MAX} deep: compute the inner ones first"
            ));
        }
    }
    Ok(())
}

/// A body whose values hold the invariants.
pub(super) struct Checked<'a> {
    body: &'a Body,
    /// For every value the loop whose region it lies in.
    enclosing: Vec<Option<ValueId>>,
    scope: &'a Scope<'a>,
}

impl Checked<'_> {
    /// The type of a value that a sink or node (`user`) takes: it must be one of the top level.
    pub(super) fn top_level(&self, user: &str, v: ValueId) -> Result<Type, VerifyError> {
        self.value(user, v, self.body.len() as u32)
    }

    /// The type of a value that is used at position `at` by `user`.
    fn value(&self, user: &str, v: ValueId, at: u32) -> Result<Type, VerifyError> {
        if self.visible(user, v, at)? {
            return Ok(self.body.ty(v));
        }
        no_value(user, v)
    }

    /// Checks that `v` can be used at position `at`; returns whether it has a value (all but loops do).
    fn visible(&self, user: &str, v: ValueId, at: u32) -> Result<bool, VerifyError> {
        if !self.body.contains(v) {
            let last = self.body.len().saturating_sub(1);
            return fail(format!("{user} uses {v}, but the last value is v{last}: use one that exists"));
        }
        if let Some(region) = self.enclosing[v.index()]
            && !self.region_contains(region, at)
        {
            return fail(format!(
                "{user} uses {v}, which lies in the loop {region}, from outside: carry it in the loop's state and use a `result` of {region}"
            ));
        }
        if v.0 >= at {
            return fail(format!("{user} uses {v} before it is computed: move {v} before its use"));
        }
        Ok(!matches!(self.body.inst(v), Inst::Loop { .. }))
    }

    fn region_contains(&self, of: ValueId, at: u32) -> bool {
        of.0 < at && matches!(self.body.inst(of), Inst::Loop { end, .. } if at < *end)
    }

    /// The type of value `v` by the rules.
    fn derive(&self, v: ValueId, inst: &Inst, ty: Type) -> Result<Type, VerifyError> {
        let user = format!("{v}: `{}`", name(inst));
        let operand = |u: ValueId| self.value(&user, u, v.0);
        match inst {
            Inst::Column(column) => declared(&user, self.scope.columns, column.index(), column),
            Inst::Param(param) => declared(&user, self.scope.params, param.index(), param),
            Inst::Const(value) => constant(&user, *value, ty),
            Inst::RowIndex => self.tables(&user).map(|_| DType::U64.required()),
            Inst::Call { op, args } => {
                let types = args.iter().map(|&u| operand(u)).collect::<Result<Vec<_>, _>>()?;
                call(v, *op, &types, ty)
            }
            Inst::Lookup { list, index } => {
                let dtype = declared(&user, self.scope.lists, list.index(), list)?;
                let index = operand(*index)?;
                if !matches!(index.dtype, DType::U32 | DType::U64) {
                    return fail(format!("{user} goes by an index of type u32 or u64, not {}: cast it", index.dtype));
                }
                Ok(Type { dtype, nullable: index.nullable })
            }
            Inst::Gather { table, column, row } => {
                let table_type = declared(&user, self.tables(&user)?, table.index(), table)?;
                let of = declared(&user, &table_type.columns, *column as usize, format!("column {column} of {table}"))?;
                let row = operand(*row)?;
                expect(&user, "a row number", row.dtype, DType::U64)?;
                Ok(Type { dtype: of.dtype, nullable: of.nullable || row.nullable })
            }
            Inst::Probe { .. } => self.probe(&user, v, inst),
            Inst::Loop { .. } => self.loop_(&user, v, inst).map(|()| DType::Bool.required()),
            Inst::LoopIndex(of) => self.inside(&user, v, *of).map(|_| DType::U32.required()),
            Inst::LoopCarried { of, slot } => {
                let slots = self.inside(&user, v, *of)?;
                declared(&user, slots, *slot as usize, format!("slot {slot} of {of}"))
            }
            Inst::LoopResult { of, slot } => {
                let slots = self.behind(&user, v, *of)?;
                declared(&user, slots, *slot as usize, format!("slot {slot} of {of}"))
            }
        }
    }

    fn tables(&self, user: &str) -> Result<&[SideTable], VerifyError> {
        let Some(tables) = self.scope.tables else {
            return fail(format!(
                "{user} belongs to kernels: in a plan use the row number column of a source, or a join"
            ));
        };
        Ok(tables)
    }

    /// The slots of the loop `of`, whose region `v` must lie in.
    fn inside(&self, user: &str, v: ValueId, of: ValueId) -> Result<&[Type], VerifyError> {
        let has_value = self.visible(user, of, v.0)?;
        if has_value || !self.region_contains(of, v.0) {
            return fail(format!("{user} must lie in the region of a loop, but {of} is none that {v} lies in"));
        }
        Ok(self.body.loop_slots(of))
    }

    /// The slots of the loop `of`. `v` must come after the loop's region.
    fn behind(&self, user: &str, v: ValueId, of: ValueId) -> Result<&[Type], VerifyError> {
        let has_value = self.visible(user, of, v.0)?;
        if has_value || self.region_contains(of, v.0) {
            return fail(format!("{user} must lie behind a loop's region, but {of} is no loop that ends before {v}"));
        }
        Ok(self.body.loop_slots(of))
    }

    fn probe(&self, user: &str, v: ValueId, inst: &Inst) -> Result<Type, VerifyError> {
        let Inst::Probe { table, keys, when, kind } = inst else { return Ok(self.body.ty(v)) };
        let wanted = &declared(user, self.tables(user)?, table.index(), table)?.keys;
        if let Some(of) = self.enclosing[v.index()] {
            return fail(format!("{user} lies in the loop {of}: probe at the top level, before the loop"));
        }
        if wanted.is_empty() || keys.len() != wanted.len() {
            return fail(format!(
                "{user} brings {} keys, but {table} has {}: a probe needs one value for each key of a built table",
                keys.len(),
                wanted.len()
            ));
        }
        for (&key, &wanted) in keys.iter().zip(wanted) {
            expect(user, &format!("the key {key}"), self.value(user, key, v.0)?.dtype, wanted)?;
        }
        if let Some(when) = when {
            expect(user, &format!("the condition {when}"), self.value(user, *when, v.0)?.dtype, DType::Bool)?;
        }
        Ok(kind.output())
    }

    fn loop_(&self, user: &str, v: ValueId, inst: &Inst) -> Result<(), VerifyError> {
        let Inst::Loop { slots, init, while_, next, .. } = inst else { return Ok(()) };
        if init.len() != slots.len() || next.len() != slots.len() {
            return fail(format!(
                "{user} has {} slots, {} first values and {} next values: give one of each for every slot",
                slots.len(),
                init.len(),
                next.len()
            ));
        }
        for (i, (&slot, (&init, &next))) in slots.iter().zip(init.iter().zip(next)).enumerate() {
            digits(slot.dtype, || format!("{user} slot {i}"))?;
            let (first, after) = (self.value(user, init, v.0)?, self.end_of_iteration(user, v, next)?);
            expect(user, &format!("the first value {init} of slot {i}"), first.dtype, slot.dtype)?;
            expect(user, &format!("the next value {next} of slot {i}"), after.dtype, slot.dtype)?;
            let derived = Type { nullable: first.nullable || after.nullable, ..slot };
            if derived != slot {
                return fail(format!("{user} has the slot {i} typed {slot}, but its values are {derived}: type it so"));
            }
        }
        if let Some(condition) = while_ {
            let ty = self.end_of_iteration(user, v, *condition)?;
            expect(user, &format!("the condition {condition}"), ty.dtype, DType::Bool)?;
        }
        Ok(())
    }

    /// The type of a value that ends an iteration of the loop at `of`: in its region, or visible where the loop stands.
    fn end_of_iteration(&self, user: &str, of: ValueId, v: ValueId) -> Result<Type, VerifyError> {
        let own = self.body.contains(v) && self.enclosing[v.index()] == Some(of);
        if !own {
            return self.value(user, v, of.0);
        }
        if matches!(self.body.inst(v), Inst::Loop { .. }) {
            return no_value(user, v);
        }
        Ok(self.body.ty(v))
    }
}

/// Something declared outside the body, by its id.
fn declared<T: Clone>(user: &str, of: &[T], index: usize, id: impl ToString) -> Result<T, VerifyError> {
    let found = of.get(index).cloned();
    found.map_or_else(|| fail(format!("{user}: {} does not exist: there are {}", id.to_string(), of.len())), Ok)
}

fn no_value<T>(user: &str, v: ValueId) -> Result<T, VerifyError> {
    fail(format!("{user} uses {v}, which is a loop and has no value: use a `result` of {v}"))
}

fn expect(user: &str, what: &str, found: DType, wanted: DType) -> Result<(), VerifyError> {
    if found == wanted {
        return Ok(());
    }
    fail(format!("{user}: {what} must be {wanted}, not {found}: cast it"))
}

fn call(v: ValueId, op: Op, args: &[Type], ty: Type) -> Result<Type, VerifyError> {
    let target = op.is_cast().then_some(ty.dtype);
    op.result_type(args, target).or_else(|error| fail(format!("{v}: {error}")))
}

fn constant(user: &str, value: Option<Scalar>, ty: Type) -> Result<Type, VerifyError> {
    let Some(value) = value else { return Ok(ty.dtype.nullable()) };
    if value.repr() != ty.dtype.repr() {
        let (is, wanted) = (value.repr(), ty.dtype.repr());
        return fail(format!("{user} holds a value of {is:?}, but a {ty} is held in {wanted:?}: convert the value"));
    }
    if let (DType::Decimal { precision, .. }, Some(unscaled)) = (ty.dtype, value.as_integer())
        && unscaled.unsigned_abs() >= 10u128.pow(u32::from(precision))
    {
        return fail(format!("{user}: {value} has more than the {precision} digits of {ty}: use a wider decimal"));
    }
    Ok(ty)
}
