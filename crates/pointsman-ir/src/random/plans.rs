//! Random small plans with inputs: sources, projections, filters, joins, and everything that ends a stage. For tests
//! that an optimised plan gives what the plan as written gives, bit by bit.
//!
//! A float sum depends on the places of its rows, and a pass may change these where rows come from an earlier stage
//! (sorted, say, and filtered before instead of after). Such sums do not occur; those over groups are free of order.

use super::expr::{Exprs, NewColumns};
use super::profile::Profile;
use super::rng::Rng;
use super::values;
use super::{DTypeClass, SideTables};
use crate::body::{Inst, ValueId};
use crate::data::{ColumnData, TableData};
use crate::kernel::{Fold, FoldOp, Frame, NullOrder, Running, SortKey, SortOrder};
use crate::op::Op;
use crate::plan::{EquiJoinKind, NodeId, NodeKind, Plan, ROW_NUMBER, RowOrder, SourceId};
use crate::types::{DType, Repr, Scalar, Schema, Type};

/// A plan and what it runs over.
#[derive(Clone, Debug)]
pub struct PlanCase {
    /// The seed of this case.
    pub seed: u64,
    /// The plan.
    pub plan: Plan,
    /// The rows of each source.
    pub sources: Vec<TableData>,
    /// The scalars that are handed in at run time, in order.
    pub params: Vec<Option<Scalar>>,
    /// The captured tables.
    pub lists: Vec<ColumnData>,
}

/// The maximum number of operations one on top of the other, sources not counted.
const NODES_MAX: usize = 6;
/// Joins multiply rows, so plans have few.
const JOINS_MAX: usize = 2;

/// The parts of random plans.
pub fn profile() -> Profile {
    let mut profile = Profile::everything();
    profile.side_tables = SideTables::None;
    profile.unguarded_percent = 12;
    profile
}

/// The plan case with this seed.
pub fn plan_case(seed: u64, profile: &Profile) -> PlanCase {
    let mut rng = Rng::new(seed ^ 0x71a4);
    let rows = rng.pick(&[0, 1, 7, 7, 20, 20, 65, 65, 65, 257, 257]);
    let mut plans = Plans::new(rng, profile, rows);
    plans.grow();
    plans.finish(seed)
}

/// A plan under construction.
pub(super) struct Plans<'a> {
    pub(super) plan: Plan,
    pub(super) exprs: Exprs<'a>,
    pub(super) sources: Vec<TableData>,
    /// Whether the rows are still at their places in the source.
    positional: bool,
    joins: usize,
}

impl<'a> Plans<'a> {
    /// Creates an empty plan whose first source has this many rows.
    pub(super) fn new(rng: Rng, profile: &'a Profile, rows: usize) -> Plans<'a> {
        let mut exprs = Exprs::new(rng, profile, rows);
        exprs.new_columns = NewColumns::Refused;
        exprs.mask_guards = false;
        if exprs.rng.chance(profile.unguarded_percent) {
            exprs.unguarded = 1;
        }
        Plans { plan: Plan::default(), exprs, sources: Vec::new(), positional: true, joins: 0 }
    }

    /// The plan with random scalars.
    pub(super) fn finish(self, seed: u64) -> PlanCase {
        let Plans { mut plan, exprs, sources, .. } = self;
        let Exprs { mut rng, params, lists, .. } = exprs;
        plan.lists = lists.iter().map(|list| list.dtype).collect();
        plan.params = params;
        let given = plan.given_params().into_iter().map(|param| plan.params[param.index()]);
        let params = given.map(|ty| values::maybe(&mut rng, ty)).collect();
        PlanCase { seed, plan, sources, params, lists }
    }

    fn grow(&mut self) {
        let mut node = self.source();
        for _ in 0..1 + self.exprs.rng.below(NODES_MAX) {
            node = match self.exprs.rng.below(18) {
                0..4 => self.project(node),
                4..8 => self.filter(node),
                8..10 => self.join(node),
                10 => self.scan(node),
                11 => self.sort(node),
                12 => self.distinct(node),
                13 => self.group(node),
                14 => self.reduce(node),
                15 => self.filter_guards(node),
                _ => continue,
            };
            if matches!(self.plan.node(node).kind, NodeKind::EquiJoin { .. }) && self.exprs.rng.chance(40) {
                node = self.filter_guards(node);
            }
        }
        if self.exprs.rng.chance(60) {
            let last = [Self::scan, Self::sort, Self::group, Self::reduce, Self::reduce];
            let last = self.exprs.rng.pick(&last);
            last(self, node);
        }
    }

    fn source(&mut self) -> NodeId {
        let rng = &mut self.exprs.rng;
        let classes = self.exprs.profile.classes();
        let types: Vec<Type> = (0..2 + rng.below(4))
            .map(|_| {
                let usual = [DTypeClass::F64, DTypeClass::F32, DTypeClass::I32, DTypeClass::I64];
                let class: DTypeClass = if rng.chance(30) { rng.pick(&usual) } else { rng.pick(classes) };
                Type { dtype: rng.pick(class.samples()), nullable: rng.chance(45) }
            })
            .collect();
        let rows = if self.sources.is_empty() { self.exprs.rows } else { rng.pick(&[0, 1, 7, 20]) };
        self.sources.push(TableData::new(types.iter().map(|&ty| values::column(rng, ty, rows)).collect()));
        let fields = types.into_iter().enumerate().map(|(i, ty)| (format!("s{i}"), ty));
        self.plan.source(SourceId(self.sources.len() as u32 - 1), Schema::new(fields))
    }

    /// Makes expressions over a node's columns: they are all that can be seen.
    pub(super) fn over<T>(&mut self, node: NodeId, make: impl FnOnce(&mut Exprs<'_>) -> T) -> T {
        let fields = self.plan.node(node).schema.fields.len() as u32;
        let mut visible: Vec<ValueId> = (0..fields).map(|index| self.plan.column(node, index)).collect();
        if matches!(self.plan.node(node).kind, NodeKind::Source(_)) && self.exprs.rng.chance(20) {
            visible.push(self.plan.column(node, ROW_NUMBER));
        }
        std::mem::swap(&mut self.plan.body, &mut self.exprs.body);
        self.exprs.uses.resize(self.exprs.body.len(), 0);
        self.exprs.visible = visible;
        let made = make(&mut self.exprs);
        std::mem::swap(&mut self.plan.body, &mut self.exprs.body);
        made
    }

    fn project(&mut self, input: NodeId) -> NodeId {
        let columns = self.over(input, |exprs| {
            work(exprs, 6);
            let mut columns = exprs.unused();
            columns.truncate(5);
            columns.extend(exprs.seen(|_| true));
            columns
        });
        if columns.is_empty() { input } else { self.plan.push(NodeKind::Project { input, columns }, &[]) }
    }

    pub(super) fn filter(&mut self, input: NodeId) -> NodeId {
        let predicate = self.over(input, |exprs| {
            work(exprs, 3);
            let (first, second) = (exprs.condition(), exprs.condition());
            let either = if exprs.rng.chance(40) { exprs.call(Op::Or, &[first, second], None) } else { None };
            either.unwrap_or(first)
        });
        self.plan.push(NodeKind::Filter { input, predicate }, &[])
    }

    /// A filter, and after it a remainder that faults in the rows that the filter has stopped.
    fn filter_guards(&mut self, input: NodeId) -> NodeId {
        let fields = &self.plan.node(input).schema.fields;
        let integers: Vec<u32> =
            (0..fields.len()).filter(|&i| fields[i].ty.dtype.is_integer()).map(|i| i as u32).collect();
        if integers.is_empty() {
            return input;
        }
        let index = self.exprs.rng.pick(&integers);
        let dtype = fields[index as usize].ty.dtype;
        let divisor = self.plan.column(input, index);
        let predicate = self.over(input, |exprs| {
            let zero = exprs.add(Inst::Const(Some(dtype.repr().zero())), dtype.required());
            exprs.call(Op::Ne, &[divisor, zero], None).expect("integers can be compared")
        });
        let guard = self.plan.push(NodeKind::Filter { input, predicate }, &[]);
        self.remainder_of(guard, index)
    }

    /// A filter or projection with a remainder by an integer column, which faults where that is zero.
    fn remainder_of(&mut self, input: NodeId, index: u32) -> NodeId {
        let divisor = self.plan.column(input, index);
        let dtype = self.plan.body.ty(divisor).dtype;
        let remainder = self.over(input, |exprs| {
            let dividend = exprs.operand(dtype, None)?;
            exprs.call(Op::Rem, &[dividend, divisor], None)
        });
        let Some(remainder) = remainder else { return input };
        if self.exprs.rng.chance(40) {
            let columns = vec![remainder, divisor];
            return self.plan.push(NodeKind::Project { input, columns }, &[]);
        }
        let predicate = self.over(input, |exprs| {
            let other = exprs.leaf(dtype.required())?;
            exprs.call(Op::Le, &[remainder, other], None)
        });
        predicate.map_or(input, |predicate| self.plan.push(NodeKind::Filter { input, predicate }, &[]))
    }

    /// A join with a new source, filtered or projected perhaps.
    fn join(&mut self, left: NodeId) -> NodeId {
        if self.joins == JOINS_MAX || self.exprs.rows > 65 {
            return left;
        }
        let mut right = self.source();
        for _ in 0..self.exprs.rng.below(3) {
            right = if self.exprs.rng.chance(50) { self.filter(right) } else { self.project(right) };
        }
        let key = |exprs: &mut Exprs<'_>| exprs.seen(|ty| ty.dtype != DType::Opaque);
        let Some(right_key) = self.over(right, key) else { return left };
        let dtype = self.plan.body.ty(right_key).dtype;
        let fields = &self.plan.node(left).schema.fields;
        let same = fields.iter().position(|field| field.ty.dtype == dtype).map(|index| index as u32);
        let left_key = match same {
            Some(index) => Some(self.plan.column(left, index)),
            None => self.over(left, |exprs| exprs.operand(dtype, None)),
        };
        let Some(left_key) = left_key else { return left };
        self.joins += 1;
        let kind =
            self.exprs.rng.pick(&[EquiJoinKind::Inner, EquiJoinKind::Left, EquiJoinKind::Semi, EquiJoinKind::Anti]);
        let (left_keys, right_keys, pairs_max) = (vec![left_key], vec![right_key], None);
        let join = NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max };
        let join = self.plan.push(join, &[]);
        match same {
            // If no right key is zero, the rows that would fault have no match.
            Some(index) if dtype.is_integer() && self.exprs.rng.chance(50) => self.remainder_of(join, index),
            Some(_) | None => join,
        }
    }

    fn folds(&mut self, input: NodeId, float_sums: bool) -> Vec<Fold> {
        self.over(input, |exprs| {
            work(exprs, 4);
            let mut values = exprs.unused();
            values.truncate(3);
            values.extend(exprs.seen(|_| true));
            let mut folds = vec![Fold::COUNT_ROWS];
            for v in values {
                let fold = exprs.fold(v, None);
                let float = fold.value().is_some_and(|v| exprs.ty(v).dtype.is_float());
                let op = if fold.op == FoldOp::Sum && float && !float_sums { FoldOp::Max } else { fold.op };
                folds.push(Fold { op, ..fold });
            }
            folds
        })
    }

    fn reduce(&mut self, input: NodeId) -> NodeId {
        let folds = self.folds(input, self.positional);
        self.positional = false;
        self.plan.push(NodeKind::Reduce { input, folds }, &[])
    }

    fn group(&mut self, input: NodeId) -> NodeId {
        let folds = self.folds(input, true);
        let keys = self.over(input, |exprs| {
            let key = exprs.seen(|ty| ty.dtype != DType::Opaque);
            vec![key.unwrap_or_else(|| exprs.condition())]
        });
        self.positional = false;
        let order = self.exprs.rng.pick(&[RowOrder::FirstRow, RowOrder::Any]);
        self.plan.push(NodeKind::Group { input, keys, folds, order }, &[])
    }

    /// A scan goes by source rows, so its input is made of its own stage after a join.
    fn scan(&mut self, input: NodeId) -> NodeId {
        if self.joins > 0 {
            return input;
        }
        let folds = self.folds(input, self.positional);
        self.positional = false;
        let (columns, segment) = self.over(input, |exprs| {
            let columns = exprs.seen(|_| true).into_iter().collect();
            (columns, exprs.rng.chance(40).then(|| exprs.condition()))
        });
        let mut running = Vec::new();
        for fold in folds {
            let frame = if self.exprs.rng.chance(70) { Frame::Unbounded } else { Frame::Preceding(2) };
            running.push(Running { fold, frame });
        }
        self.plan.push(NodeKind::Scan { input, columns, running, segment }, &[])
    }

    fn sort(&mut self, input: NodeId) -> NodeId {
        let value = self.over(input, |exprs| {
            work(exprs, 2);
            exprs.seen(|ty| ty.dtype.is_ordered()).unwrap_or_else(|| exprs.condition())
        });
        let rng = &mut self.exprs.rng;
        let order = rng.pick(&[SortOrder::Ascending, SortOrder::Descending]);
        let keys = vec![SortKey { value, order, nulls: rng.pick(&[NullOrder::First, NullOrder::Last]) }];
        self.positional = false;
        let count = rng.pick(&[0, 1, 5, 30]);
        let top = rng.chance(40);
        let kind = if top { NodeKind::TopK { input, keys, count } } else { NodeKind::Sort { input, keys } };
        self.plan.push(kind, &[])
    }

    fn distinct(&mut self, input: NodeId) -> NodeId {
        if self.plan.node(input).schema.fields.iter().any(|field| field.ty.dtype == DType::Opaque) {
            return input;
        }
        self.positional = false;
        self.plan.push(NodeKind::Distinct { input }, &[])
    }
}

/// Up to this many operations, now and then a loop, a look-up, or an operation that is already there.
pub(super) fn work(exprs: &mut Exprs<'_>, most: usize) {
    for _ in 0..exprs.rng.below(most + 1) {
        match exprs.rng.below(20) {
            0 => exprs.looped(),
            1 => exprs.looked_up(),
            2..5 => again(exprs),
            5..10 => {
                special(exprs);
            }
            _ => {
                exprs.random_call();
            }
        }
    }
}

/// An operation on a value and itself, or on a value and a constant that algebra has rules for.
fn special(exprs: &mut Exprs<'_>) -> Option<ValueId> {
    let arithmetic = exprs.rng.chance(50);
    let likes = |ty: Type| ty.dtype.is_float() || ty.dtype == DType::Bool || !arithmetic && ty.dtype.is_ordered();
    let v = exprs.seen(likes)?;
    let dtype = exprs.ty(v).dtype;
    let other = if exprs.rng.chance(25) {
        v
    } else if exprs.rng.chance(20) {
        exprs.add(Inst::Const(None), dtype.nullable())
    } else {
        let value = neutral(&mut exprs.rng, dtype)?;
        exprs.add(Inst::Const(Some(value)), dtype.required())
    };
    let fits = |op: &Op| op.result_type(&exprs.body.types_of(&[v, other]), None).is_ok();
    let usual: Vec<Op> = [Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or].into_iter().filter(fits).collect();
    let binary = Op::ALL.iter().copied().filter(|op| op.arity() == 2);
    let all: Vec<Op> = binary.filter(fits).collect();
    let op = if usual.is_empty() || exprs.rng.chance(30) { exprs.rng.pick(&all) } else { exprs.rng.pick(&usual) };
    let args = if exprs.rng.chance(70) { [v, other] } else { [other, v] };
    let made = exprs.guarded(op, &args, None)?;
    Some(exprs.show(made))
}

/// Zeros, ones and all bits.
fn neutral(rng: &mut Rng, dtype: DType) -> Option<Scalar> {
    match dtype.repr() {
        Repr::F32 => Some(Scalar::F32(rng.pick(&[0.0, 0.0, -0.0, -0.0, 1.0, -1.0]))),
        Repr::F64 => Some(Scalar::F64(rng.pick(&[0.0, 0.0, -0.0, -0.0, 1.0, -1.0]))),
        repr @ (Repr::Bool | Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 | Repr::I128)
        | repr @ (Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64) => {
            Scalar::from_integer(repr, rng.pick(&[0, 0, 1, 1, -1]))
        }
    }
}

/// Repeats an operation on the same operands.
fn again(exprs: &mut Exprs<'_>) {
    let Some(v) = exprs.seen(|_| true) else { return };
    let (inst, ty) = (exprs.body.inst(v).clone(), exprs.ty(v));
    if matches!(inst, Inst::Call { .. }) {
        let twin = exprs.add(inst, ty);
        exprs.show(twin);
    }
}
