//! Compiles a verified kernel to a program: machine code, or steps over slots (the block program).
//!
//! Steps are compiled only if there is no machine code; otherwise only the program's inputs and outputs are determined
//! (`Lowering::outline`). The kernel's guards (`pointsman_ir::guard`) become steps like any other. Every value gets
//! slots for its values, its validity (if its type is nullable) and its flags (if it can fault); slots have use counts
//! and are reused after the last use. A value that a loop uses from outside lives until the loop's end. Nothing here
//! recurses: regions open and close on a stack.

mod loops;

use super::block::{Imm, StepFn, bytes};
use super::isa::Level;
use super::jit::JitCode;
use super::lower;
use super::output::OutputEncoder;
use super::program::{Call, Load, Lookup, Parts, Program, Slot, Step, TableSource, Value};
use super::sink::{SinkColumn, SinkProgram};
use super::slots::{LiveRanges, SlotAllocator};
use super::{block, reduce, scan};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use loops::OpenLoop;
use pointsman_ir::body::{Body, Inst, ListId, TableId, ValueId};
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::{Check, Guarded, guard};
use pointsman_ir::kernel::{Kernel, Sink, StreamingSink};
use pointsman_ir::types::{Repr, Scalar, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Compiles a verified kernel.
pub(super) fn compile(kernel: Arc<Kernel>, level: Level, jit: bool) -> DeviceResult<Program> {
    let guarded = guard(&decompose(&kernel));
    let name = level.isa().name();
    let (jit_code, description) = match jit.then(|| JitCode::new(&guarded, level)) {
        Some(Ok(code)) => {
            let description = format!("{name} machine code, {} bytes", code.bytes());
            (Some(code), description)
        }
        Some(Err(why)) => (None, format!("{name} block program: {why}")),
        None => (None, format!("{name} block program")),
    };
    let parts = match jit_code {
        Some(_) => Lowering::new(&guarded, level, LiveRanges::default()).outline()?,
        None => Lowering::new(&guarded, level, LiveRanges::of(&guarded)).steps()?,
    };
    Ok(Program::new(kernel, parts, jit_code, description))
}

/// A value with its flags.
#[derive(Clone, Copy)]
struct Lowered {
    value: Value,
    flag: Option<Slot>,
}

/// The program while it is compiled.
pub(super) struct Lowering<'k> {
    guarded: &'k Guarded,
    body: &'k Body,
    /// The instruction set to compile for.
    pub(super) level: Level,
    slots: SlotAllocator,
    live_ranges: LiveRanges,
    values: Vec<Option<Lowered>>,
    states: BTreeMap<ValueId, Vec<Value>>,
    steps: Vec<Step>,
    open: Vec<OpenLoop>,
    loads: Vec<Load>,
    row_numbers: Option<Slot>,
    params: Vec<(usize, Value)>,
    constants: Vec<(Slot, Scalar)>,
    baked: BTreeMap<(Repr, u128), Slot>,
    tables: Vec<(TableSource, Type)>,
}

impl<'k> Lowering<'k> {
    fn new(guarded: &'k Guarded, level: Level, live_ranges: LiveRanges) -> Lowering<'k> {
        let body = &guarded.kernel.body;
        Lowering {
            guarded,
            body,
            level,
            slots: SlotAllocator::default(),
            live_ranges,
            values: vec![None; body.len()],
            states: BTreeMap::new(),
            steps: Vec::new(),
            open: Vec::new(),
            loads: Vec::new(),
            row_numbers: None,
            params: Vec::new(),
            constants: Vec::new(),
            baked: BTreeMap::new(),
            tables: Vec::new(),
        }
    }

    /// The block program.
    fn steps(mut self) -> DeviceResult<Parts> {
        let body = self.body;
        for (v, inst, ty) in body.iter() {
            self.close_loops(v)?;
            self.value(v, inst, ty)?;
            self.release_after(v);
        }
        self.close_loops(ValueId(body.len() as u32))?;
        self.finish()
    }

    /// The parts of a program that machine code needs: the columns and tables that it reads, and the sink. It has no
    /// steps, and one slot represents every value.
    fn outline(mut self) -> DeviceResult<Parts> {
        let (body, slot) = (self.body, self.ones());
        for (v, inst, ty) in body.iter() {
            let value = Value { data: slot, valid: ty.nullable.then_some(slot), ty };
            match inst {
                Inst::Column(column) => {
                    self.load(column.index(), |_| value);
                }
                Inst::Lookup { list, .. } => {
                    self.list(*list);
                }
                Inst::Gather { table, column, .. } => {
                    self.gathered(*table, *column);
                }
                Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Call { .. } | Inst::Probe { .. } => {}
                Inst::Loop { .. } | Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => {}
            }
            self.set(v, value, None);
        }
        let mask = self.guarded.kernel.mask.map(|_| slot);
        self.into_parts(None, mask)
    }

    /// The slots of a value that was lowered before.
    pub(super) fn get(&self, v: ValueId) -> Value {
        self.lowered(v).value
    }

    /// The body that is lowered.
    pub(super) fn body(&self) -> &'k Body {
        self.body
    }

    fn lowered(&self, v: ValueId) -> Lowered {
        self.values[v.index()].expect("verified bodies define values before their uses")
    }

    fn set(&mut self, v: ValueId, value: Value, flag: Option<Slot>) {
        self.values[v.index()] = Some(Lowered { value, flag });
    }

    /// Allocates a slot for values of this width, with one user.
    pub(super) fn slot(&mut self, width: usize) -> Slot {
        self.slots.take(width)
    }

    /// Removes a user of a slot; a slot without users is reused.
    pub(super) fn release(&mut self, slot: Slot) {
        self.slots.release(slot);
    }

    /// Adds a user to a slot.
    pub(super) fn share(&mut self, slot: Slot) -> Slot {
        self.slots.share(slot)
    }

    /// Appends a step.
    pub(super) fn call(&mut self, f: StepFn, args: &[Slot], dst: Slot) {
        self.call_with(f, args, dst, None, Imm::default());
    }

    /// Appends a step with flags and numbers.
    pub(super) fn call_with(&mut self, f: StepFn, args: &[Slot], dst: Slot, flag: Option<Slot>, imm: Imm) {
        let arg = |position: usize| args.get(position).copied();
        self.steps.push(Step::Call(Call { f, args: [arg(0), arg(1), arg(2)], dst, flag, imm }));
    }

    /// A slot that always holds one value.
    pub(super) fn constant(&mut self, value: Scalar) -> Slot {
        let known = (value.repr(), value.bits());
        if let Some(slot) = self.baked.get(&known) {
            return self.slots.share(*slot);
        }
        let slot = self.slots.fresh(value.repr().bytes());
        // The program itself is a user, so the slot is never reused.
        self.slots.share(slot);
        self.baked.insert(known, slot);
        self.constants.push((slot, value));
        slot
    }

    /// A slot in which every byte is 1.
    pub(super) fn ones(&mut self) -> Slot {
        self.constant(Scalar::U8(1))
    }

    /// A slot with `a & b`, with a new user. `None` stands for all true.
    pub(super) fn both(&mut self, a: Option<Slot>, b: Option<Slot>) -> Option<Slot> {
        match (a, b) {
            (None, None) => None,
            (Some(one), None) | (None, Some(one)) => Some(self.slots.share(one)),
            (Some(a), Some(b)) if a == b => Some(self.slots.share(a)),
            (Some(a), Some(b)) => {
                let dst = self.slots.take(1);
                self.call(bytes::and(self.level), &[a, b], dst);
                Some(dst)
            }
        }
    }

    /// A slot, with a new user, of the rows in which a truth value is true and not null.
    pub(super) fn truth(&mut self, v: ValueId) -> Slot {
        let value = self.get(v);
        self.both(Some(value.data), value.valid).expect("there is a slot to begin with")
    }

    fn new_value(&mut self, ty: Type) -> Value {
        let data = self.slots.take(ty.dtype.repr().bytes());
        let valid = ty.nullable.then(|| self.slots.take(1));
        Value { data, valid, ty }
    }

    /// A value that exists before the first step.
    fn fresh_value(&mut self, ty: Type) -> Value {
        let data = self.slots.fresh(ty.dtype.repr().bytes());
        let valid = ty.nullable.then(|| self.slots.fresh(1));
        Value { data, valid, ty }
    }

    /// Adds a user to the slots of a value.
    fn alias(&mut self, value: Value) -> Value {
        self.slots.share(value.data);
        value.valid.map(|valid| self.slots.share(valid));
        value
    }

    fn release_after(&mut self, v: ValueId) {
        for dead in self.live_ranges.ending_at(v) {
            self.release_value(dead);
        }
    }

    fn release_value(&mut self, v: ValueId) {
        let Some(lowered) = self.values[v.index()].take() else { return };
        for slot in self.states.remove(&v).into_iter().flatten() {
            self.slots.release(slot.data);
            self.slots.release_each(slot.valid);
        }
        self.slots.release(lowered.value.data);
        self.slots.release_each(lowered.value.valid);
        self.slots.release_each(lowered.flag);
    }

    fn value(&mut self, v: ValueId, inst: &Inst, ty: Type) -> DeviceResult<()> {
        match inst {
            Inst::Column(column) => {
                let value = self.column(column.index(), ty);
                self.set(v, value, None);
            }
            Inst::Param(param) => {
                let value = self.param(param.index(), ty);
                self.set(v, value, None);
            }
            Inst::Const(constant) => {
                let value = self.baked(*constant, ty);
                self.set(v, value, None);
            }
            Inst::RowIndex => {
                let slot = *self.row_numbers.get_or_insert_with(|| self.slots.fresh(8));
                self.slots.share(slot);
                self.set(v, Value { data: slot, valid: None, ty }, None);
            }
            Inst::Call { op, args } => {
                let operands: Vec<Value> = args.iter().map(|&arg| self.get(arg)).collect();
                let faults = self.body.can_fault(v);
                let core = op.core().ok_or_else(|| internal("a composite operation is decomposed before"))?;
                let (value, flag) = lower::lower(self, core, &operands, ty, faults)?;
                self.set(v, value, flag);
            }
            Inst::Lookup { list, index } => {
                let table = self.list(*list);
                self.lookup(v, table, *index, ty);
            }
            Inst::Gather { table, column, row } => {
                let table = self.gathered(*table, *column);
                self.lookup(v, table, *row, ty);
            }
            Inst::Probe { .. } => return Err(DeviceError::unsupported("the CPU device does not probe tables yet")),
            Inst::Loop { .. } => self.open_loop(v, inst),
            Inst::LoopIndex(of) => {
                let open = self.open.iter_mut().find(|open| open.v == *of).expect("the index is used in the loop");
                let slot = *open.index.get_or_insert_with(|| self.slots.fresh(4));
                self.slots.share(slot);
                self.set(v, Value { data: slot, valid: None, ty }, None);
            }
            Inst::LoopCarried { of, slot } | Inst::LoopResult { of, slot } => {
                let state = self.states[of][*slot as usize];
                let value = self.alias(state);
                self.set(v, value, None);
            }
        }
        Ok(())
    }

    /// A column is loaded once per block, before its first use; its slots are never reused.
    fn column(&mut self, column: usize, ty: Type) -> Value {
        let value = self.load(column, |to| to.fresh_value(ty));
        self.alias(value)
    }

    /// The value of a loaded column; `new` makes one if the column was not loaded before.
    fn load(&mut self, column: usize, new: impl FnOnce(&mut Self) -> Value) -> Value {
        if let Some(load) = self.loads.iter().find(|load| load.column == column) {
            return load.value;
        }
        let value = new(self);
        self.loads.push(Load { column, value });
        value
    }

    fn param(&mut self, param: usize, ty: Type) -> Value {
        let known = self.params.iter().find(|(known, _)| *known == param).map(|(_, value)| *value);
        let value = known.unwrap_or_else(|| {
            let value = self.fresh_value(ty);
            self.params.push((param, value));
            value
        });
        self.alias(value)
    }

    fn baked(&mut self, constant: Option<Scalar>, ty: Type) -> Value {
        let value = constant.unwrap_or(ty.dtype.repr().zero());
        // A truth value is a byte of 0 or 1 in a block.
        let data = self.constant(if let Scalar::Bool(truth) = value { Scalar::U8(truth.into()) } else { value });
        let valid = ty.nullable.then(|| self.constant(Scalar::U8(constant.is_some().into())));
        Value { data, valid, ty }
    }

    /// The number of a captured table among the tables that look-ups read.
    fn list(&mut self, list: ListId) -> usize {
        let of = self.guarded.kernel.lists[list.index()].required();
        self.table(TableSource::List(list.index()), of)
    }

    /// The number of another table's column among the tables that look-ups read.
    fn gathered(&mut self, table: TableId, column: u32) -> usize {
        let of = self.guarded.kernel.tables[table.index()].columns[column as usize];
        self.table(TableSource::Column { table: table.index(), column: column as usize }, of)
    }

    fn table(&mut self, source: TableSource, of: Type) -> usize {
        self.tables.iter().position(|known| *known == (source, of)).unwrap_or_else(|| {
            self.tables.push((source, of));
            self.tables.len() - 1
        })
    }

    fn lookup(&mut self, v: ValueId, table: usize, index: ValueId, ty: Type) {
        let (index, (_, of)) = (self.get(index), self.tables[table]);
        let (width, index_width) = (of.dtype.repr().bytes(), index.ty.dtype.repr().bytes());
        let f = block::gather::lookup(width, index_width);
        let (dst, flag) = (self.slots.take(width), self.slots.take(1));
        let own = of.nullable.then(|| (block::gather::lookup(1, index_width), self.slots.take(1)));
        self.steps.push(Step::Lookup(Lookup { f, table, index: index.data, dst, flag, valid: own }));
        let flag = self.flag_where_valid(flag, index.valid);
        let valid = self.both(index.valid, own.map(|(_, slot)| slot));
        self.slots.release_each(own.map(|(_, slot)| slot));
        self.set(v, Value { data: dst, valid, ty }, Some(flag));
    }

    /// The flags of rows in which all operands are valid. Consumes the slot `flag`.
    pub(super) fn flag_where_valid(&mut self, flag: Slot, valid: Option<Slot>) -> Slot {
        let both = self.both(Some(flag), valid).expect("there is a slot to begin with");
        self.slots.release(flag);
        both
    }

    /// `into |= flag & guard & rows` for each check.
    fn checks(&mut self, checks: &[Check], rows: Slot, destination: Slot) {
        for check in checks {
            let Some(flag) = self.lowered(check.of).flag else { continue };
            let guard = match check.guard {
                Some(guard) => self.truth(guard),
                None => self.ones(),
            };
            self.call(bytes::accumulate(self.level), &[flag, guard, rows], destination);
            self.slots.release(guard);
        }
    }

    fn finish(mut self) -> DeviceResult<Parts> {
        let fault = (!self.guarded.checks.is_empty()).then(|| self.slots.take(1));
        if let Some(fault) = fault {
            self.call(bytes::clear, &[], fault);
            let all = self.ones();
            let guarded = self.guarded;
            self.checks(&guarded.checks, all, fault);
        }
        let mask = self.guarded.kernel.mask.map(|mask| self.truth(mask));
        self.into_parts(fault, mask)
    }

    fn into_parts(mut self, fault: Option<Slot>, mask: Option<Slot>) -> DeviceResult<Parts> {
        let sink = self.sink(mask)?;
        Ok(Parts {
            loads: self.loads,
            row_numbers: self.row_numbers,
            params: self.params,
            constants: self.constants,
            widths: self.slots.into_widths(),
            tables: self.tables,
            steps: self.steps,
            fault,
            mask,
            sink,
        })
    }

    fn sink(&mut self, mask: Option<Slot>) -> DeviceResult<SinkProgram> {
        let kernel = &self.guarded.kernel;
        let sink = kernel.sink.streaming().ok_or_else(|| no_sink(&kernel.sink))?;
        match sink {
            StreamingSink::Store { columns } => {
                let mut written = self.columns(columns);
                if let Some(mask) = mask {
                    for column in &mut written {
                        column.value.valid = self.both(column.value.valid, Some(mask));
                    }
                }
                Ok(SinkProgram::Store(written))
            }
            StreamingSink::Compact { columns } => Ok(SinkProgram::Compact(self.columns(columns))),
            StreamingSink::Reduce { folds } => {
                let lower = |fold| reduce::FoldProgram::new(self, fold, mask);
                Ok(SinkProgram::Reduce(folds.iter().map(lower).collect::<DeviceResult<_>>()?))
            }
            StreamingSink::Scan { columns, running, segment } => {
                Ok(SinkProgram::Scan(scan::ScanProgram::new(self, columns, running, segment, mask)?))
            }
        }
    }

    /// Columns that a sink writes.
    pub(super) fn columns(&mut self, columns: &[ValueId]) -> Vec<SinkColumn> {
        let level = self.level;
        let column = |&v| {
            let value = self.get(v);
            SinkColumn { value, encoder: OutputEncoder::new(level, value.ty) }
        };
        columns.iter().map(column).collect()
    }
}

/// The error for a sink that this path does not run.
pub(super) fn no_sink(sink: &Sink) -> DeviceError {
    DeviceError::unsupported(format!("the CPU device has no `{}` yet", sink.name()))
}

/// The error for a bug of this device, instead of a panic.
pub(super) fn internal(message: impl Into<String>) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Internal, message)
}

/// The error for a type without this loop. Verified kernels never cause it.
pub(super) fn no_loop(what: &str, repr: Repr) -> DeviceError {
    internal(format!("no loop for {what} on {repr:?}"))
}
