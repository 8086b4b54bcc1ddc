//! A body under construction: which values can be seen, which are still unused, and operands of any type on demand.

use super::classes::DTypeClass;
use super::profile::Profile;
use super::rng::Rng;
use super::values::{self, Spread};
use crate::body::{Body, ColumnId, Inst, ParamId, ValueId};
use crate::data::{ColumnData, TableData};
use crate::kernel::SideTable;
use crate::op::{Op, cast_exists};
use crate::types::{DType, Type};

/// From this many columns on, an old one is preferred to a new one.
const COLUMNS_USUAL: usize = 8;

/// Whether an expression may ask for input columns that are not there yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NewColumns {
    /// It may: kernels.
    Allowed,
    /// The columns are given: plans.
    Refused,
}

/// A body under construction.
pub(super) struct Exprs<'a> {
    pub(super) rng: Rng,
    pub(super) profile: &'a Profile,
    pub(super) body: Body,
    pub(super) columns: Vec<Type>,
    pub(super) new_columns: NewColumns,
    pub(super) params: Vec<Type>,
    /// The captured tables, with their elements.
    pub(super) lists: Vec<ColumnData>,
    /// The other tables, with their rows: as `Build` writes them if they have keys, else the columns alone.
    pub(super) tables: Vec<(SideTable, TableData)>,
    /// The values an expression at this place may use.
    pub(super) visible: Vec<ValueId>,
    /// How often each value is used.
    pub(super) uses: Vec<u32>,
    /// Conditions the mask must hold, because values beyond them fault.
    pub(super) mask_needs: Vec<ValueId>,
    /// The number of operations that may still be left unguarded.
    pub(super) unguarded: usize,
    /// Whether unselected rows are never looked at: not so where a probe needs its keys before the mask is known.
    pub(super) mask_guards: bool,
    /// Whether the sink takes rows that a probe has multiplied.
    pub(super) may_multiply: bool,
    pub(super) loop_depth: usize,
    /// The number of operations so far.
    pub(super) calls: usize,
    /// The number of rows that the body runs over.
    pub(super) rows: usize,
}

impl<'a> Exprs<'a> {
    pub(super) fn new(rng: Rng, profile: &'a Profile, rows: usize) -> Exprs<'a> {
        Exprs {
            rng,
            profile,
            body: Body::new(),
            columns: Vec::new(),
            new_columns: NewColumns::Allowed,
            params: Vec::new(),
            lists: Vec::new(),
            tables: Vec::new(),
            visible: Vec::new(),
            uses: Vec::new(),
            mask_needs: Vec::new(),
            unguarded: 0,
            mask_guards: true,
            may_multiply: true,
            loop_depth: 0,
            calls: 0,
            rows,
        }
    }

    /// Appends an instruction without showing its value to later expressions.
    pub(super) fn add(&mut self, inst: Inst, ty: Type) -> ValueId {
        for operand in inst.operands() {
            self.uses[operand.index()] += 1;
        }
        self.uses.push(0);
        self.body.push(inst, ty)
    }

    /// Lets later expressions use a value.
    pub(super) fn show(&mut self, v: ValueId) -> ValueId {
        self.visible.push(v);
        v
    }

    pub(super) fn ty(&self, v: ValueId) -> Type {
        self.body.ty(v)
    }

    pub(super) fn allows(&self, dtype: DType) -> bool {
        self.profile.classes().contains(&DTypeClass::of(dtype))
    }

    /// A random type of the profile.
    pub(super) fn any_dtype(&mut self) -> DType {
        let class = self.rng.pick(self.profile.classes());
        self.rng.pick(class.samples())
    }

    /// Appends an operation, if it takes these operands and its result is a type of the profile.
    pub(super) fn call(&mut self, op: Op, args: &[ValueId], target: Option<DType>) -> Option<ValueId> {
        let ty = op.result_type(&self.body.types_of(args), target).ok()?;
        if !self.allows(ty.dtype) {
            return None;
        }
        self.calls += 1;
        Some(self.add(Inst::Call { op, args: args.to_vec() }, ty))
    }

    /// A baked value.
    pub(super) fn constant(&mut self, dtype: DType) -> Option<ValueId> {
        if dtype == DType::Opaque {
            return None;
        }
        let spread = Spread::random(&mut self.rng);
        let value = values::scalar(&mut self.rng, dtype, spread);
        Some(self.add(Inst::Const(Some(value)), dtype.required()))
    }

    /// A column, parameter or constant of this type.
    pub(super) fn leaf(&mut self, ty: Type) -> Option<ValueId> {
        let kind = self.rng.below(10);
        if (ty.dtype == DType::Opaque || kind < 5)
            && let Some(column) = self.column(ty)
        {
            return Some(column);
        }
        if ty.dtype == DType::Opaque && !ty.nullable {
            return None;
        }
        if ty.dtype != DType::Opaque && kind < 7 {
            let known = (0..self.params.len()).filter(|&p| self.params[p] == ty).collect::<Vec<_>>();
            let param =
                if known.is_empty() || self.rng.chance(50) { self.new_param(ty) } else { self.rng.pick(&known) };
            return Some(self.add(Inst::Param(ParamId(param as u32)), ty));
        }
        if ty.nullable { Some(self.add(Inst::Const(None), ty)) } else { self.constant(ty.dtype) }
    }

    fn new_param(&mut self, ty: Type) -> usize {
        self.params.push(ty);
        self.params.len() - 1
    }

    /// A column of this type, a new one if need be and allowed.
    fn column(&mut self, ty: Type) -> Option<ValueId> {
        if self.new_columns == NewColumns::Refused {
            return None;
        }
        let known = (0..self.columns.len()).filter(|&c| self.columns[c] == ty).collect::<Vec<_>>();
        let again = if self.columns.len() < COLUMNS_USUAL { 40 } else { 95 };
        let column = if known.is_empty() || !self.rng.chance(again) {
            self.columns.push(ty);
            self.columns.len() - 1
        } else {
            self.rng.pick(&known)
        };
        Some(self.add(Inst::Column(ColumnId(column as u32)), ty))
    }

    /// A visible value that the predicate likes; unused and late ones first.
    pub(super) fn seen(&mut self, likes: impl Fn(Type) -> bool) -> Option<ValueId> {
        let fit: Vec<ValueId> = self.visible.iter().copied().filter(|&v| likes(self.ty(v))).collect();
        let unused: Vec<ValueId> = fit.iter().copied().filter(|v| self.uses[v.index()] == 0).collect();
        if !unused.is_empty() && self.rng.chance(70) {
            return Some(self.rng.pick(&unused));
        }
        (!fit.is_empty()).then(|| self.rng.pick_late(&fit))
    }

    /// A value of this data type, with the given nullability if there is one: one that can be seen, a new leaf, or a
    /// conversion. `None` only for opaque values that cannot be had.
    pub(super) fn operand(&mut self, dtype: DType, nullable: Option<bool>) -> Option<ValueId> {
        let fits = |ty: Type| ty.dtype == dtype && nullable.is_none_or(|nullable| ty.nullable == nullable);
        let kind = self.rng.below(100);
        if kind < 75
            && let Some(v) = self.seen(fits)
        {
            return Some(v);
        }
        if kind >= 40
            && let Some(v) = self.converted(dtype, nullable)
        {
            return Some(v);
        }
        let nullable = nullable.unwrap_or_else(|| self.rng.chance(40));
        match self.leaf(Type { dtype, nullable }) {
            Some(v) => Some(v),
            None => self.seen(fits),
        }
    }

    /// Another value, converted (without faults) and made nullable or not as asked.
    fn converted(&mut self, dtype: DType, nullable: Option<bool>) -> Option<ValueId> {
        let from = self.seen(|ty| cast_exists(ty.dtype, dtype))?;
        let v = if self.ty(from).dtype == dtype { from } else { self.call(Op::CastSaturating, &[from], Some(dtype))? };
        match nullable {
            Some(true) if !self.ty(v).nullable => {
                let condition = self.condition();
                let null = self.add(Inst::Const(None), dtype.nullable());
                self.call(Op::Select, &[condition, v, null], None)
            }
            Some(false) if self.ty(v).nullable => {
                let fallback = self.leaf(dtype.required())?;
                self.call(Op::Coalesce, &[v, fallback], None)
            }
            _ => Some(v),
        }
    }

    /// A truth value.
    pub(super) fn condition(&mut self) -> ValueId {
        if let Some(v) = self.seen(|ty| ty.dtype == DType::Bool) {
            return v;
        }
        let compared = self.seen(|ty| ty.dtype.is_ordered());
        let compare = |exprs: &mut Self, left: ValueId| {
            let right = exprs.leaf(exprs.ty(left).dtype.required())?;
            let op = exprs.rng.pick(&[Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne]);
            exprs.call(op, &[left, right], None)
        };
        if let Some(v) = compared.and_then(|left| compare(self, left)) {
            return self.show(v);
        }
        let ty = Type { dtype: DType::Bool, nullable: self.rng.chance(40) };
        self.leaf(ty).expect("a bool can be baked")
    }

    /// Values that can be seen and nothing uses yet, oldest first.
    pub(super) fn unused(&self) -> Vec<ValueId> {
        let mut unused = self.visible.clone();
        unused.retain(|v| self.uses[v.index()] == 0);
        unused
    }
}
