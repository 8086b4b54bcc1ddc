//! Grows random bodies: adds loops, look-ups, row numbers and other tables besides operations.

use super::expr::Exprs;
use super::profile::{Quota, SideTables};
use super::ranges;
use super::rng::Rng;
use super::values::{self, Spread};
use crate::body::{Inst, KeyUniqueness, ListId, ProbeKind, TableId, ValueId};
use crate::data::{ColumnData, TableData};
use crate::kernel::SideTable;
use crate::op::Op;
use crate::types::{DType, Scalar, Type};
use std::collections::HashSet;

/// The maximum nesting depth of loops.
const LOOP_DEPTH_MAX: usize = 2;
/// The maximum number of rows at which probes may multiply rows.
const PROBED_ROWS_MAX: usize = 5_000;

impl Exprs<'_> {
    /// Appends everything in the quota, and then more, until there are `calls` operations.
    pub(super) fn grow(&mut self, quota: &Quota, calls: usize) {
        for _ in 0..2 + self.rng.below(3) {
            let ty = Type { dtype: self.any_dtype(), nullable: self.rng.chance(45) };
            if let Some(leaf) = self.leaf(ty) {
                self.show(leaf);
            }
        }
        self.side_tables();
        let mut asked: Vec<_> = quota.triples.clone();
        let mut cast = quota.cast;
        while self.calls < calls || !asked.is_empty() || cast.is_some() {
            match self.rng.below(100) {
                0..25 if !asked.is_empty() => {
                    let triple = asked.swap_remove(self.rng.below(asked.len()));
                    self.asked_call(triple);
                }
                25..35 if cast.is_some() => {
                    if let Some((pair, nullable)) = cast.take() {
                        self.asked_cast(pair, nullable);
                    }
                }
                90..95 if self.calls < calls => self.looped(),
                95..98 => self.looked_up(),
                98 => self.row_number(),
                _ if self.calls < calls => {
                    self.random_call();
                }
                _ => {}
            }
        }
    }

    fn row_number(&mut self) {
        if self.allows(DType::U64) {
            let v = self.add(Inst::RowIndex, DType::U64.required());
            self.show(v);
        }
    }

    /// A loop over one to three values, with or without a condition.
    pub(super) fn looped(&mut self) {
        if self.loop_depth == LOOP_DEPTH_MAX || !self.allows(DType::U32) {
            return;
        }
        let mut init = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            let seen = self.seen(|_| true).map(|v| self.ty(v).dtype);
            let dtype = if self.rng.chance(70) { seen } else { None }.unwrap_or_else(|| self.any_dtype());
            init.extend(self.operand(dtype, None));
        }
        if init.is_empty() {
            return;
        }
        let bound = self.rng.pick(if self.loop_depth == 0 { &[1, 2, 3, 5, 9][..] } else { &[1, 2, 3][..] });
        for &v in &init {
            self.uses[v.index()] += 1;
        }
        let of = self.body.open_loop(bound, &init);
        self.uses.push(1);
        let outside = self.visible.len();
        self.loop_depth += 1;
        let (condition, next) = self.region(of, init.len() as u32);
        self.loop_depth -= 1;
        self.body.close_loop(of, condition, &next).expect("a slot and its next value have one type");
        self.visible.truncate(outside);
        let shown = self.rng.below(init.len());
        for slot in 0..init.len() {
            if slot == shown || self.rng.chance(70) {
                let ty = self.body.loop_slots(of)[slot];
                let result = self.add(Inst::LoopResult { of, slot: slot as u32 }, ty);
                self.show(result);
            }
        }
    }

    /// The region of a loop: its condition and the state after an iteration.
    fn region(&mut self, of: ValueId, slots: u32) -> (Option<ValueId>, Vec<ValueId>) {
        let index = self.add(Inst::LoopIndex(of), DType::U32.required());
        self.show(index);
        let mut carried = Vec::new();
        for slot in 0..slots {
            let ty = self.body.loop_slots(of)[slot as usize];
            let v = self.add(Inst::LoopCarried { of, slot }, ty);
            carried.push(self.show(v));
        }
        for _ in 0..1 + self.rng.below(5) {
            if self.rng.chance(12) {
                self.looped();
            } else {
                self.random_call();
            }
        }
        let mut next = Vec::new();
        for &state in &carried {
            let ty = self.ty(state);
            let inner = |exprs: &Self, v: &ValueId| v.0 > state.0 && exprs.ty(*v).dtype == ty.dtype;
            let fresh: Vec<ValueId> = self.visible.iter().copied().filter(|v| inner(self, v)).collect();
            let v = if fresh.is_empty() { self.stepped(state) } else { self.rng.pick_late(&fresh) };
            self.uses[v.index()] += 1;
            next.push(v);
        }
        let condition = self.rng.chance(50).then(|| self.condition());
        if let Some(v) = condition {
            self.uses[v.index()] += 1;
        }
        (condition, next)
    }

    /// A new value of the state's type, for a loop whose operations yielded none.
    fn stepped(&mut self, state: ValueId) -> ValueId {
        let dtype = self.ty(state).dtype;
        let Some(other) = self.operand(dtype, None) else { return state };
        let op = if dtype == DType::Bool {
            Op::Or
        } else if dtype.is_integer() || dtype.is_float() {
            Op::Add
        } else if dtype.is_ordered() {
            Op::Greatest
        } else {
            Op::Coalesce
        };
        self.call(op, &[state, other], None).unwrap_or(state)
    }

    /// An element of a captured table.
    pub(super) fn looked_up(&mut self) {
        let dtype = self.any_dtype();
        if dtype == DType::Opaque {
            return;
        }
        let index_dtype = self.rng.pick(&[DType::U32, DType::U64]);
        if !self.allows(index_dtype) {
            return;
        }
        let list = match self.lists.iter().position(|list| list.dtype == dtype && !list.is_empty()) {
            Some(list) if self.rng.chance(70) => list,
            Some(_) | None => {
                let length = 1 + self.rng.below(20);
                self.lists.push(values::column(&mut self.rng, dtype.required(), length));
                self.lists.len() - 1
            }
        };
        let Some(index) = self.operand(index_dtype, None) else { return };
        let index = self.position(index, self.lists[list].len());
        let ty = Type { dtype, nullable: self.ty(index).nullable };
        let v = self.add(Inst::Lookup { list: ListId(list as u32), index }, ty);
        self.show(v);
    }

    /// The index reduced below `length`, unless it should stay unguarded.
    fn position(&mut self, index: ValueId, length: usize) -> ValueId {
        if self.unguarded > 0 && self.rng.chance(20) {
            self.unguarded -= 1;
            return index;
        }
        let dtype = self.ty(index).dtype;
        if self.rng.chance(50) {
            let length = Scalar::from_integer(dtype.repr(), length as i128).expect("a length fits an index");
            let length = self.add(Inst::Const(Some(length)), dtype.required());
            return self.call(Op::Rem, &[index, length], None).expect("an index is an integer");
        }
        let range = ranges::integers(dtype, 0, length as i128 - 1);
        self.clamped(&[index], &[range]).expect("an index has an order")[0]
    }

    /// Adds gathers and probes, if the profile has them.
    fn side_tables(&mut self) {
        if self.profile.side_tables == SideTables::None || !self.allows(DType::U64) || !self.rng.chance(35) {
            return;
        }
        let probe = self.profile.side_tables == SideTables::GatherAndProbe && self.rng.chance(60);
        self.mask_guards &= !probe;
        let row = if probe { self.probed() } else { None };
        let table = match row {
            Some(_) => self.tables.len() - 1,
            None => self.plain_table(),
        };
        let row = match row {
            Some(row) if self.ty(row).dtype == DType::U64 => row,
            Some(_) | None => {
                let rows = self.tables[table].1.rows;
                let Some(row) = self.operand(DType::U64, None).filter(|_| rows > 0) else { return };
                self.position(row, rows)
            }
        };
        for column in 0..self.tables[table].0.columns.len() {
            let of = self.tables[table].0.columns[column];
            let ty = Type { dtype: of.dtype, nullable: of.nullable || self.ty(row).nullable };
            let v = self.add(Inst::Gather { table: TableId(table as u32), column: column as u32, row }, ty);
            self.show(v);
        }
    }

    fn side_columns(&mut self) -> Vec<Type> {
        (0..1 + self.rng.below(3)).map(|_| Type { dtype: self.any_dtype(), nullable: self.rng.chance(40) }).collect()
    }

    fn plain_table(&mut self) -> usize {
        let columns = self.side_columns();
        let rows = 1 + self.rng.below(30);
        let data = columns.iter().map(|&ty| values::column(&mut self.rng, ty, rows)).collect();
        self.tables.push((SideTable { keys: Vec::new(), columns }, TableData::new(data)));
        self.tables.len() - 1
    }

    /// A search in a new built table: the row numbers that it yields, or whether there is a match.
    fn probed(&mut self) -> Option<ValueId> {
        let mut keys = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let known = self.seen(|ty| ty.dtype != DType::Opaque).map(|v| self.ty(v).dtype);
            keys.extend(self.operand(known.unwrap_or(DType::Bool), None));
        }
        let when = self.rng.chance(30).then(|| self.condition());
        let multiplies = self.may_multiply && self.rows <= PROBED_ROWS_MAX;
        let kinds: Vec<ProbeKind> =
            ProbeKind::ALL.into_iter().filter(|kind| multiplies || !kind.multiplies()).collect();
        let kind = self.rng.pick(&kinds);
        let columns = self.side_columns();
        let types: Vec<DType> = keys.iter().map(|&key| self.ty(key).dtype).collect();
        let rows = self.rng.pick(&[0, 1, 5, 30]);
        let keys_are = if kind.multiplies() { KeyUniqueness::Repeated } else { KeyUniqueness::Unique };
        let table = built_table(&mut self.rng, types, columns, rows, keys_are);
        self.tables.push(table);
        let table = TableId(self.tables.len() as u32 - 1);
        let v = self.add(Inst::Probe { table, keys, when, kind }, kind.output());
        Some(self.show(v))
    }
}

/// A table as a `Build` sink writes it: keys (−0 as +0, one NaN), columns. Of rows with the same keys, a table with
/// unique keys has only the first.
fn built_table(
    rng: &mut Rng,
    keys: Vec<DType>,
    columns: Vec<Type>,
    rows: usize,
    keys_are: KeyUniqueness,
) -> (SideTable, TableData) {
    let mut drawn: Vec<Vec<Option<Scalar>>> = vec![Vec::new(); rows];
    for &key in &keys {
        let spread = rng.pick(&[Spread::Repeated, Spread::Small]);
        let column = values::column_of(rng, key.required(), rows, spread);
        drawn.iter_mut().zip(column.iter()).for_each(|(row, value)| row.push(value.map(as_key)));
    }
    if keys_are == KeyUniqueness::Unique {
        let mut seen = HashSet::new();
        drawn.retain(|row| seen.insert(row.clone()));
    }
    let rows = drawn.len();
    let key =
        |(number, key): (usize, &DType)| ColumnData::from_scalars(key.required(), drawn.iter().map(|row| row[number]));
    let mut data: Vec<ColumnData> = keys.iter().enumerate().map(key).collect();
    data.extend(columns.iter().map(|&ty| values::column(rng, ty, rows)));
    (SideTable { keys, columns }, TableData { columns: data, rows })
}

/// The canonical form of a key.
fn as_key(value: Scalar) -> Scalar {
    let negative_zero = [Scalar::F32(-0.0), Scalar::F64(-0.0)].contains(&value);
    if negative_zero { value.repr().zero() } else { value.canonical() }
}
