//! The body in steps of 16 rows: every value that the roots and the checks need, in order; what stands in memory when
//! it is first used.

use super::countdown::counting_loops;
use super::emitter::{BLOCK, BYTE, Emitter, Kind, Lane, ROW, ROWS};
use super::frame::check_length;
use super::layout::{Layout, Source};
use super::loops::OpenLoop;
use super::step::{Class, Memory, Reg, Step};
use super::{NotEmitted, arithmetic, cast, compare, decimal, logic, scalar, wide};
use crate::body::{Body, Inst, ValueId};
use crate::guard::{Check, Guarded};
use crate::op::Op;
use crate::types::{DType, Repr, Scalar, Type};
use iced_x86::{Code, Register};
use std::collections::BTreeSet;

/// The lanes of a value, or its mask.
#[derive(Clone, Debug)]
pub(super) enum Data {
    /// One, two or four vectors.
    Lanes(Vec<Reg>),
    /// The rows in which it is true.
    Truth(Reg),
}

/// A value of the body in 16 rows.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) data: Data,
    /// The rows in which it is not null; `None`: all.
    pub(super) valid: Option<Reg>,
    /// The rows in which its operation faults.
    pub(super) flag: Option<Reg>,
    /// Whether it is known not to be a NaN.
    pub(super) is_number: bool,
}

impl Value {
    pub(super) fn lanes(lanes: Vec<Reg>, valid: Option<Reg>) -> Value {
        Value { data: Data::Lanes(lanes), valid, flag: None, is_number: false }
    }

    pub(super) fn truth(truth: Reg, valid: Option<Reg>) -> Value {
        Value { data: Data::Truth(truth), valid, flag: None, is_number: false }
    }

    /// Its vectors; none for a truth value.
    pub(super) fn parts(&self) -> &[Reg] {
        match &self.data {
            Data::Lanes(parts) => parts,
            Data::Truth(_) => &[],
        }
    }

    /// Its mask, if it is a truth value.
    pub(super) fn mask(&self) -> Option<Reg> {
        match self.data {
            Data::Truth(mask) => Some(mask),
            Data::Lanes(_) => None,
        }
    }
}

/// A snapshot of the values in registers: the lengths of the logs of [`Lower`] and of its emitter.
pub(super) struct Loaded {
    values: usize,
    columns: usize,
    upper: usize,
    has_row_numbers: bool,
}

/// A body while it is lowered.
pub(super) struct Lower<'a, 'k> {
    pub(super) e: Emitter<'a>,
    pub(super) guarded: &'k Guarded,
    pub(super) body: &'k Body,
    pub(super) open: Vec<OpenLoop>,
    /// The loops that count down.
    pub(super) counting: BTreeSet<ValueId>,
    values: Vec<Option<Value>>,
    columns: Vec<Option<Value>>,
    row_numbers: Option<Vec<Reg>>,
    /// The values and columns in the order in which they came: a region that may be skipped forgets the last of them.
    value_log: Vec<ValueId>,
    column_log: Vec<usize>,
}

impl<'a, 'k> Lower<'a, 'k> {
    pub(super) fn new(e: Emitter<'a>, guarded: &'k Guarded) -> Lower<'a, 'k> {
        let kernel = &guarded.kernel;
        let (values, columns) = (vec![None; kernel.body.len()], vec![None; kernel.columns.len()]);
        let (value_log, column_log) = (Vec::with_capacity(values.len()), Vec::with_capacity(columns.len()));
        let (body, open, counting) = (&kernel.body, Vec::new(), counting_loops(&kernel.body));
        Lower { e, guarded, body, open, counting, values, columns, row_numbers: None, value_log, column_log }
    }

    /// Lowers every operation that something needs.
    pub(super) fn run(&mut self) -> Result<(), NotEmitted> {
        let needed = needed(self.guarded);
        for (v, inst, ty) in self.body.iter() {
            self.close_loops(v)?;
            // A body that is too long is given up early: what follows would take its time for nothing.
            check_length(self.e.steps.len())?;
            if !needed[v.index()] {
                continue;
            }
            match inst {
                Inst::Call { op, args } => {
                    let value = self.call(*op, args, ty)?;
                    self.set(v, value);
                }
                Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => {}
                Inst::Lookup { index, .. } | Inst::Gather { row: index, .. } => {
                    let value = self.look_up(inst, *index, ty)?;
                    self.set(v, value);
                }
                Inst::Probe { .. } => return Err(NotEmitted::new("searching a built table is not emitted yet")),
                Inst::Loop { .. } => self.open_loop(v)?,
                Inst::LoopIndex(of) => {
                    let value = self.loop_index(*of);
                    self.set(v, value);
                }
                Inst::LoopCarried { of, slot } | Inst::LoopResult { of, slot } => {
                    let value = self.state(*of, *slot, ty)?;
                    self.set(v, value);
                }
            }
        }
        self.close_loops(ValueId(self.body.len() as u32))
    }

    /// Takes down a value.
    pub(super) fn set(&mut self, v: ValueId, value: Value) {
        self.values[v.index()] = Some(value);
        self.value_log.push(v);
    }

    /// A snapshot of the values that are in registers now.
    pub(super) fn loaded(&self) -> Loaded {
        Loaded {
            values: self.value_log.len(),
            columns: self.column_log.len(),
            upper: self.e.upper.len(),
            has_row_numbers: self.row_numbers.is_some(),
        }
    }

    /// Forgets what was loaded since.
    pub(super) fn forget_since(&mut self, before: Loaded) {
        for v in self.value_log.drain(before.values..) {
            self.values[v.index()] = None;
        }
        for column in self.column_log.drain(before.columns..) {
            self.columns[column] = None;
        }
        self.e.upper.forget_since(before.upper);
        if !before.has_row_numbers {
            self.row_numbers = None;
        }
    }

    /// Whether a value is there, or can be loaded.
    pub(super) fn is_known(&self, v: ValueId) -> bool {
        let loads = matches!(self.body.inst(v), Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex);
        loads || self.values[v.index()].is_some()
    }

    /// The rows in which one of these checks holds.
    pub(super) fn faults(&mut self, checks: &[Check]) -> Result<Option<Reg>, NotEmitted> {
        let mut faults = None;
        for check in checks {
            let Some(mut flag) = self.get(check.of)?.flag else { continue };
            if let Some(guard) = check.guard {
                let guard = self.is_true(guard)?;
                flag = self.e.and(flag, guard);
            }
            faults = Some(faults.map_or(flag, |faults| self.e.or(faults, flag)));
        }
        Ok(faults)
    }

    /// An element of a table; positions outside it are flagged, and 0 is read there.
    fn look_up(&mut self, inst: &Inst, index: ValueId, ty: Type) -> Result<Value, NotEmitted> {
        let source = Source::of(inst).and_then(|source| self.e.shared.sources.iter().position(|one| *one == source));
        let number = source.ok_or_else(|| NotEmitted::new("a look-up in an unknown table"))?;
        let (index_ty, position) = (self.body.ty(index), self.get(index)?);
        let kernel = &self.guarded.kernel;
        let nullable = matches!(inst, Inst::Gather { table, column, .. }
            if kernel.tables[table.index()].columns[*column as usize].nullable);
        // A truth value is a byte.
        let lane = Lane::moved(ty.dtype.repr()).unwrap_or(Lane { kind: Kind::Unsigned, bits: 8 });
        let from = Lane::of(index_ty.dtype.repr()).ok_or_else(wide_integers)?;
        let e = &mut self.e;
        let parts =
            if from.wide() { position.parts().to_vec() } else { cast::widened(e, from, position.parts()[0]).to_vec() };
        let layout = e.shared.layout;
        let rows = e.block_word(Class::Vector, layout.table_rows(number));
        let wide = Lane { kind: Kind::Unsigned, bits: 64 };
        let inside: Vec<Reg> = parts.iter().map(|&part| compare::less(e, wide, part, rows)).collect();
        let inside = e.whole_mask(&inside);
        let mut positions = Vec::with_capacity(2);
        for (part, &position) in parts.iter().enumerate() {
            positions.push(e.keep(wide, part, inside, position));
        }
        let words = (layout.table_values(number), nullable.then(|| layout.table_validity(number)));
        let look_up = if lane.paired() { scalar::looked_up_wide } else { scalar::looked_up };
        let looked = look_up(e, lane, &positions, words);
        let outside = e.not(inside);
        let flag = position.valid.map_or(outside, |valid| e.and(outside, valid));
        let valid = e.both(position.valid, looked.valid);
        let data = if ty.dtype == DType::Bool {
            let truth = e.mask();
            let value = looked.values[0];
            e.push(Step::new(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32).def_mask(truth).read(value).read(value));
            Data::Truth(truth)
        } else {
            Data::Lanes(looked.values)
        };
        Ok(Value { data, valid, flag: Some(flag), is_number: false })
    }

    /// A value; what stands in memory is loaded the first time.
    pub(super) fn get(&mut self, v: ValueId) -> Result<Value, NotEmitted> {
        if let Some(value) = &self.values[v.index()] {
            return Ok(value.clone());
        }
        let ty = self.body.ty(v);
        let value = match self.body.inst(v) {
            Inst::Column(column) => self.column(column.index(), ty)?,
            Inst::Param(param) => self.param(param.index(), ty)?,
            Inst::Const(value) => self.constant(*value, ty)?,
            Inst::RowIndex => self.row_index(),
            inst @ (Inst::Call { .. }
            | Inst::Lookup { .. }
            | Inst::Gather { .. }
            | Inst::Probe { .. }
            | Inst::Loop { .. }
            | Inst::LoopIndex(_)
            | Inst::LoopCarried { .. }
            | Inst::LoopResult { .. }) => return Err(NotEmitted::new(format!("{inst:?} is used before it is there"))),
        };
        self.set(v, value.clone());
        Ok(value)
    }

    /// The rows in which a truth value is true.
    pub(super) fn is_true(&mut self, v: ValueId) -> Result<Reg, NotEmitted> {
        let value = self.get(v)?;
        let mask = value.mask().ok_or_else(|| NotEmitted::new("a condition is not a truth value"))?;
        Ok(value.valid.map_or(mask, |valid| self.e.and(mask, valid)))
    }

    fn call(&mut self, op: Op, args: &[ValueId], ty: Type) -> Result<Value, NotEmitted> {
        let core = op.core().ok_or_else(|| NotEmitted::new(format!("`{}` is not decomposed", op.name())))?;
        let types = self.body.types_of(args);
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            values.push(self.get(arg)?);
        }
        let e = &mut self.e;
        if let Some(value) = logic::lower(e, core, &values, &types)? {
            return Ok(value);
        }
        let valid = values.iter().fold(None, |valid, value| e.both(valid, value.valid));
        let (data, flag) = if op.is_cast() {
            cast::lower(e, core, &values[0], types[0].dtype, ty.dtype)?
        } else if ty.dtype == DType::Bool {
            (Data::Truth(compare::lower(e, core, &values, types[0].dtype)?), None)
        } else {
            arithmetic::lower(e, core, &values, types[0].dtype, ty.dtype)?
        };
        let flag = flag.map(|flag| valid.map_or(flag, |valid| e.and(flag, valid)));
        Ok(Value { data, valid, flag, is_number: false })
    }

    fn column(&mut self, column: usize, ty: Type) -> Result<Value, NotEmitted> {
        if let Some(value) = &self.columns[column] {
            return Ok(value.clone());
        }
        let layout = self.e.shared.layout;
        let data = match Lane::moved(ty.dtype.repr()) {
            Some(lane) if lane.paired() => Data::Lanes(wide::load(&mut self.e, layout.column_values(column))),
            Some(lane) => Data::Lanes(self.load(layout.column_values(column), lane)),
            None if ty.dtype == DType::Bool => Data::Truth(self.load_bits(layout.column_values(column))),
            None => return Err(wide_integers()),
        };
        let valid = ty.nullable.then(|| self.load_bits(layout.column_validity(column)));
        let value = Value { data, valid, flag: None, is_number: false };
        self.columns[column] = Some(value.clone());
        self.column_log.push(column);
        Ok(value)
    }

    fn load(&mut self, word: usize, lane: Lane) -> Vec<Reg> {
        let mut parts = Vec::with_capacity(lane.parts());
        for part in 0..lane.parts() {
            let tail = self.e.tail.map(|tail| self.e.mask_of(tail, part));
            let base = self.e.pointer(word);
            let memory = Memory { offset: 64 * part as u32, ..Memory::indexed(base, ROW, lane.bits / 8) };
            let dst = self.e.vector();
            let step = Step::new(load_code(lane)).def(dst).mem(memory);
            self.e.push(match tail {
                Some(tail) => step.masked_zeroing(tail),
                None => step,
            });
            parts.push(dst);
        }
        parts
    }

    /// 16 bits of a bitmap. In a tail of up to 8 rows only one byte is read: there may be no second.
    fn load_bits(&mut self, word: usize) -> Reg {
        let dst = self.e.mask();
        let base = self.e.pointer(word);
        let memory = Memory::indexed(base, BYTE, 1);
        if self.e.tail.is_none() {
            self.e.push(Step::new(Code::VEX_Kmovw_kr_km16).def_mask(dst).mem(memory));
            return dst;
        }
        let label = self.e.shared.label();
        self.e.push(Step::new(Code::Movzx_r32_rm8).gpr(Register::EAX).mem(memory));
        self.e.push(Step::new(Code::Lea_r64_m).gpr(Register::RBX).mem(Memory { offset: 8, ..Memory::at(ROW, 0) }));
        self.e.push(Step::new(Code::Cmp_r64_rm64).gpr(Register::RBX).gpr(ROWS));
        self.e.push(Step::jump(Code::Jae_rel32_64, label));
        self.e.push(Step::new(Code::Movzx_r32_rm16).gpr(Register::EAX).mem(memory));
        self.e.push(Step::label(label));
        self.e.push(Step::new(Code::VEX_Kmovw_kr_r32).def_mask(dst).gpr(Register::EAX));
        dst
    }

    fn param(&mut self, param: usize, ty: Type) -> Result<Value, NotEmitted> {
        let layout = self.e.shared.layout;
        let valid = ty.nullable.then(|| self.e.block_word(Class::Mask, layout.param_validity(param)));
        if ty.dtype == DType::Bool {
            return Ok(Value::truth(self.e.block_word(Class::Mask, layout.param(param)), valid));
        }
        let reg = self.e.block_word(Class::Vector, layout.param(param));
        if ty.dtype.repr() == Repr::I128 {
            let high = self.e.block_word(Class::Vector, layout.param_high(param));
            return Ok(Value::lanes(vec![reg, reg, high, high], valid));
        }
        let lane = Lane::of(ty.dtype.repr()).ok_or_else(wide_integers)?;
        Ok(Value::lanes(vec![reg; lane.parts()], valid))
    }

    fn constant(&mut self, value: Option<Scalar>, ty: Type) -> Result<Value, NotEmitted> {
        let valid = if value.is_none() { Some(self.e.fixed_mask(0)) } else { None };
        let scalar = value.unwrap_or(ty.dtype.repr().zero());
        if let Scalar::Bool(truth) = scalar {
            return Ok(Value::truth(self.e.fixed_mask(if truth { 0xffff } else { 0 }), valid));
        }
        if let Scalar::I128(value) = scalar {
            return Ok(Value { data: decimal::constant(&mut self.e, value), valid, flag: None, is_number: true });
        }
        let lane = Lane::of(ty.dtype.repr()).ok_or_else(wide_integers)?;
        let reg = self.e.int(lane, scalar.as_integer().unwrap_or(scalar.bits() as i128));
        let is_number = !nan(scalar);
        Ok(Value { is_number, ..Value::lanes(vec![reg; lane.parts()], valid) })
    }

    fn row_index(&mut self) -> Value {
        if let Some(numbers) = &self.row_numbers {
            return Value::lanes(numbers.clone(), None);
        }
        let first = Memory::at(BLOCK, 8 * Layout::FIRST_ROW as u32);
        self.e.push(Step::new(Code::Mov_r64_rm64).gpr(Register::RAX).mem(first));
        self.e.push(Step::new(Code::Add_r64_rm64).gpr(Register::RAX).gpr(ROW));
        let start = self.e.vector();
        self.e.push(Step::new(Code::EVEX_Vpbroadcastq_zmm_k1z_r64).def(start).gpr(Register::RAX));
        let mut parts = Vec::with_capacity(2);
        for lanes in [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]] {
            let lanes = self.e.words(lanes);
            parts.push(self.e.op2(Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, start, lanes));
        }
        self.row_numbers = Some(parts.clone());
        Value::lanes(parts, None)
    }
}

/// The instruction that reads a vector, narrow integers extended to 32 bits.
pub(super) fn load_code(lane: Lane) -> Code {
    match (lane.bits, lane.kind) {
        (8, Kind::Signed) => Code::EVEX_Vpmovsxbd_zmm_k1z_xmmm128,
        (8, _) => Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
        (16, Kind::Signed) => Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256,
        (16, _) => Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
        (32, _) => Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
        (_, _) => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
    }
}

fn nan(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::F32(v) if v.is_nan()) || matches!(scalar, Scalar::F64(v) if v.is_nan())
}

/// Why a value of 128 bits is refused.
pub(super) fn wide_integers() -> NotEmitted {
    NotEmitted::new(format!("values of {} bits are not emitted yet", 8 * Repr::I128.bytes()))
}

/// The values that the roots and the checks depend on.
fn needed(guarded: &Guarded) -> Vec<bool> {
    let body = &guarded.kernel.body;
    let mut needed = vec![false; body.len()];
    let checked = guarded.checks.iter().flat_map(|check| std::iter::once(check.of).chain(check.guard));
    for v in guarded.kernel.roots().into_iter().chain(checked) {
        needed[v.index()] = true;
    }
    // A loop comes before what ends its iterations: all loops are taken in.
    for (v, inst, _) in body.iter() {
        if matches!(inst, Inst::Loop { .. }) {
            needed[v.index()] = true;
            inst.operands().iter().for_each(|operand| needed[operand.index()] = true);
        }
    }
    let in_loops = guarded.loop_checks.values().flatten();
    for check in in_loops {
        needed[check.of.index()] = true;
        check.guard.iter().for_each(|guard| needed[guard.index()] = true);
    }
    for (v, inst, _) in body.iter().rev() {
        if needed[v.index()] {
            for operand in inst.operands() {
                needed[operand.index()] = true;
            }
        }
    }
    needed
}
