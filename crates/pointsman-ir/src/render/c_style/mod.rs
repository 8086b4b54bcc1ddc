//! Renders the body of a guarded kernel as statements of a C-like language that compute one row. CUDA and WGSL share
//! it; a [`Dialect`] defines how each writes types, literals and operations.
//!
//! Every value `vN` is a variable of its representation; a nullable one has `nN` beside it, true where there is a
//! value. An instruction that can fault has a flag `eN`. All values are computed in every row, in order; what a null
//! holds means nothing. At the end `bad` is true where the row faults (see `guard.rs`). Names hold numbers only: no
//! text of a user ever reaches the source.

use super::NotRendered;
use crate::body::{Body, Inst, ListId, TableId, ValueId};
use crate::guard::{Check, Guarded};
use crate::op::{CoreOp, Op};
use crate::types::{DType, Repr, Scalar, Type};

/// An operand of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand<'a> {
    /// The expression: a name.
    pub(crate) name: &'a str,
    /// Its type.
    pub(crate) dtype: DType,
    /// Its value, where that is baked into the kernel.
    pub(crate) known: Option<Scalar>,
}

/// An operation on operands that are not null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// Which one. Never logic on nulls (`and`, `or`, `select`, `coalesce`, `is_null`): that is written here.
    pub(crate) op: CoreOp,
    /// Its operands.
    pub(crate) args: &'a [Operand<'a>],
    /// The type of its result.
    pub(crate) result: DType,
    /// The variable to set where it faults; it yields zero there.
    pub(crate) flag: Option<&'a str>,
}

/// A value read from memory: the expressions for the value and, if it may be null, for whether it is there.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    /// The value.
    pub(crate) value: String,
    /// Whether it is not null; `None`: always.
    pub(crate) valid: Option<String>,
}

/// A read by position that may lie outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position<'a> {
    /// The position: a name.
    pub(crate) name: &'a str,
    /// Its type: `u32` or `u64`.
    pub(crate) dtype: DType,
    /// The variable to set where it lies outside; the read yields zero there.
    pub(crate) flag: &'a str,
}

/// How a language writes what differs.
pub(crate) trait Dialect {
    /// A statement that declares a variable.
    fn declare(&self, name: &str, repr: Repr, value: &str) -> String;
    /// A value's expression.
    fn literal(&self, value: Scalar) -> String;
    /// An expression that is `yes` where the condition holds, else `no`.
    fn choose(&self, condition: &str, yes: &str, no: &str) -> String;
    /// The head and the end of a loop of at most `bound` iterations that counts in the variable `index`.
    fn repeat(&self, index: &str, bound: u32) -> (String, String);
    /// The statement at the start of an iteration of a loop that leaves it if the launch should stop; `None` if the
    /// loop never asks.
    fn leave_if_stopped(&self, of: ValueId) -> Option<String>;
    /// The row's value in a column.
    fn column(&self, column: usize) -> Read;
    /// A run-time scalar.
    fn param(&self, param: usize) -> Read;
    /// The number of the row in its source.
    fn row_index(&self) -> String;
    /// An operation.
    fn call(&self, call: &Call<'_>) -> Result<String, NotRendered>;
    /// An element of a captured table.
    fn lookup(&self, list: ListId, element: DType, at: &Position<'_>) -> String;
    /// A value of another table.
    fn gather(&self, table: TableId, column: u32, ty: Type, at: &Position<'_>) -> Read;
}

/// The statements of a body.
pub(crate) struct Lines {
    lines: Vec<String>,
    depth: usize,
}

impl Lines {
    /// No lines, at this depth of indentation.
    pub(crate) fn new(depth: usize) -> Lines {
        Lines { lines: Vec::new(), depth }
    }

    /// Appends a line.
    pub(crate) fn push(&mut self, line: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "  ".repeat(self.depth), line.as_ref()));
    }

    fn open(&mut self, head: &str) {
        self.push(head);
        self.depth += 1;
    }

    fn close(&mut self, end: &str) {
        self.depth -= 1;
        self.push(end);
    }

    /// The text, a newline after each line.
    pub(crate) fn text(self) -> String {
        self.lines.iter().fold(String::new(), |text, line| text + line + "\n")
    }
}

/// The name of a value's variable.
pub(crate) fn value(v: ValueId) -> String {
    format!("v{}", v.0)
}

/// An expression that is true where the value is not null.
pub(crate) fn valid(body: &Body, v: ValueId) -> String {
    if body.ty(v).nullable { format!("n{}", v.0) } else { "true".to_string() }
}

/// An expression that is true where a truth value is true: not false, not null.
pub(crate) fn is_true(body: &Body, v: ValueId) -> String {
    if body.ty(v).nullable { format!("(n{0} && v{0})", v.0) } else { value(v) }
}

/// Writes the statements of a kernel's body. Afterwards `bad` is true where the row faults.
pub(crate) fn body(guarded: &Guarded, dialect: &dyn Dialect, out: &mut Lines) -> Result<(), NotRendered> {
    let mut walk = Walk { guarded, body: &guarded.kernel.body, dialect, out, open: Vec::new() };
    walk.bool("bad", "false");
    for (v, inst, ty) in guarded.kernel.body.iter() {
        walk.close_loops(v.0);
        walk.instruction(v, inst, ty)?;
    }
    walk.close_loops(u32::MAX);
    walk.checks(&guarded.checks, "bad");
    Ok(())
}

/// A loop whose region is being written.
struct OpenLoop {
    v: ValueId,
    end: u32,
    tail: String,
}

struct Walk<'a> {
    guarded: &'a Guarded,
    body: &'a Body,
    dialect: &'a dyn Dialect,
    out: &'a mut Lines,
    open: Vec<OpenLoop>,
}

impl Walk<'_> {
    fn bool(&mut self, name: &str, value: &str) {
        self.out.push(self.dialect.declare(name, Repr::Bool, value));
    }

    fn variable(&mut self, v: ValueId, ty: Type, text: &str) {
        self.out.push(self.dialect.declare(&value(v), ty.dtype.repr(), text));
    }

    fn instruction(&mut self, v: ValueId, inst: &Inst, ty: Type) -> Result<(), NotRendered> {
        match inst {
            Inst::Column(column) => self.read(v, ty, &self.dialect.column(column.index())),
            Inst::Param(param) => self.read(v, ty, &self.dialect.param(param.index())),
            Inst::Const(constant) => {
                let text = self.dialect.literal(constant.unwrap_or(ty.dtype.repr().zero()));
                let valid = if constant.is_some() { "true" } else { "false" };
                self.read(v, ty, &Read { value: text, valid: Some(valid.to_string()) });
            }
            Inst::RowIndex => self.variable(v, ty, &self.dialect.row_index()),
            Inst::Call { op, args } => return self.call(v, *op, args, ty),
            Inst::Lookup { list, index } => {
                self.flag(v);
                let (name, flag) = (value(*index), format!("e{}", v.0));
                let at = Position { name: &name, dtype: self.body.ty(*index).dtype, flag: &flag };
                let text = self.dialect.lookup(*list, ty.dtype, &at);
                self.read(v, ty, &Read { value: text, valid: Some(valid(self.body, *index)) });
                self.unless_null(v, &[*index]);
            }
            Inst::Gather { table, column, row } => {
                self.flag(v);
                let (name, flag) = (value(*row), format!("e{}", v.0));
                let at = Position { name: &name, dtype: self.body.ty(*row).dtype, flag: &flag };
                let of = self.guarded.kernel.tables[table.index()].columns[*column as usize];
                let read = self.dialect.gather(*table, *column, of, &at);
                let there = [Some(valid(self.body, *row)), read.valid].into_iter().flatten();
                let valid = there.filter(|text| text != "true").collect::<Vec<_>>().join(" && ");
                let valid = if valid.is_empty() { "true".to_string() } else { valid };
                self.read(v, ty, &Read { value: read.value, valid: Some(valid) });
                self.unless_null(v, &[*row]);
            }
            Inst::Probe { .. } => return Err(NotRendered::new("a probe")),
            Inst::Loop { bound, slots, init, end, while_, .. } => {
                self.open_loop(v, (*bound, *end), (slots, init), *while_);
            }
            Inst::LoopIndex(of) => self.variable(v, ty, &format!("k{}", of.0)),
            Inst::LoopCarried { of, slot } | Inst::LoopResult { of, slot } => {
                self.read(v, ty, &Read { value: state(*of, *slot), valid: Some(state_valid(*of, *slot)) });
            }
        }
        Ok(())
    }

    /// Declares a value and, if its type is nullable, its validity.
    fn read(&mut self, v: ValueId, ty: Type, read: &Read) {
        self.variable(v, ty, &read.value);
        if ty.nullable {
            self.bool(&format!("n{}", v.0), read.valid.as_deref().unwrap_or("true"));
        }
    }

    fn flag(&mut self, v: ValueId) {
        self.bool(&format!("e{}", v.0), "false");
    }

    /// Takes a flag back where an operand is null: then nothing was computed.
    fn unless_null(&mut self, v: ValueId, operands: &[ValueId]) {
        let there = self.all_valid(operands);
        if there != "true" {
            self.out.push(format!("e{0} = e{0} && {there};", v.0));
        }
    }

    fn all_valid(&self, operands: &[ValueId]) -> String {
        let nullable = operands.iter().filter(|&&v| self.body.ty(v).nullable);
        let names: Vec<String> = nullable.map(|v| format!("n{}", v.0)).collect();
        if names.is_empty() { "true".to_string() } else { names.join(" && ") }
    }

    fn call(&mut self, v: ValueId, op: Op, args: &[ValueId], ty: Type) -> Result<(), NotRendered> {
        let op = op.core().ok_or_else(|| NotRendered::new(format!("`{}`, which is not decomposed", op.name())))?;
        if self.logic(v, op, args, ty) {
            return Ok(());
        }
        let names: Vec<String> = args.iter().map(|&arg| value(arg)).collect();
        let operand = |name, arg: ValueId| {
            let known = if let Inst::Const(constant) = self.body.inst(arg) { *constant } else { None };
            Operand { name, dtype: self.body.ty(arg).dtype, known }
        };
        let operands: Vec<Operand<'_>> = names.iter().zip(args).map(|(name, &arg)| operand(name, arg)).collect();
        let flag = self.body.can_fault(v).then(|| format!("e{}", v.0));
        if flag.is_some() {
            self.flag(v);
        }
        let call = Call { op, args: &operands, result: ty.dtype, flag: flag.as_deref() };
        let text = self.dialect.call(&call)?;
        let valid = self.all_valid(args);
        self.read(v, ty, &Read { value: text, valid: Some(valid) });
        if flag.is_some() {
            self.unless_null(v, args);
        }
        Ok(())
    }

    /// Writes an operation that treats nulls specially; returns whether it is one.
    fn logic(&mut self, v: ValueId, op: CoreOp, args: &[ValueId], ty: Type) -> bool {
        let (body, dialect) = (self.body, self.dialect);
        let name = |i: usize| value(args[i]);
        let there = |i: usize| valid(body, args[i]);
        let read = if op == CoreOp::And || op == CoreOp::Or {
            either(op == CoreOp::Or, (&name(0), &there(0)), (&name(1), &there(1)))
        } else if op == CoreOp::Select {
            let condition = is_true(body, args[0]);
            let valid = dialect.choose(&condition, &there(1), &there(2));
            Read { value: dialect.choose(&condition, &name(1), &name(2)), valid: Some(valid) }
        } else if op == CoreOp::Coalesce {
            let valid = Some(format!("({} || {})", there(0), there(1)));
            Read { value: dialect.choose(&there(0), &name(0), &name(1)), valid }
        } else if op == CoreOp::IsNull {
            Read { value: format!("!{}", there(0)), valid: None }
        } else {
            return false;
        };
        self.read(v, ty, &read);
        true
    }

    fn open_loop(
        &mut self,
        v: ValueId,
        (bound, end): (u32, u32),
        (slots, init): (&[Type], &[ValueId]),
        while_: Option<ValueId>,
    ) {
        for (slot, (&ty, &init)) in (0..).zip(slots.iter().zip(init)) {
            self.out.push(self.dialect.declare(&state(v, slot), ty.dtype.repr(), &value(init)));
            self.bool(&state_valid(v, slot), &valid(self.body, init));
        }
        if self.guarded.loop_checks.contains_key(&v) {
            self.flag(v);
        }
        let (head, tail) = self.dialect.repeat(&format!("k{}", v.0), bound);
        self.out.open(&head);
        if let Some(statement) = self.dialect.leave_if_stopped(v) {
            self.out.push(statement);
        }
        // A row that nothing needs might iterate to the bound.
        let selected = self.guarded.kernel.mask.filter(|&mask| self.open.is_empty() && mask < v);
        for condition in while_.filter(|&condition| condition < v).into_iter().chain(selected) {
            self.out.push(format!("if (!{}) {{ break; }}", is_true(self.body, condition)));
        }
        self.open.push(OpenLoop { v, end, tail });
    }

    /// Ends the regions that end before instruction `at`.
    fn close_loops(&mut self, at: u32) {
        while let Some(open) = self.open.pop_if(|open| open.end <= at) {
            self.close_loop(&open);
        }
    }

    fn close_loop(&mut self, open: &OpenLoop) {
        let guarded = self.guarded;
        let Inst::Loop { slots, while_, next, .. } = self.body.inst(open.v) else { return };
        if let Some(checks) = guarded.loop_checks.get(&open.v) {
            self.checks(checks, &format!("e{}", open.v.0));
        }
        if let Some(condition) = while_.filter(|&condition| condition > open.v) {
            self.out.push(format!("if (!{}) {{ break; }}", is_true(self.body, condition)));
        }
        // The next state may be made of the present one: it is read whole before any of it is written.
        for (slot, (&ty, &next)) in (0..).zip(slots.iter().zip(next)) {
            let (name, there) = (format!("x{}_{slot}", open.v.0), format!("y{}_{slot}", open.v.0));
            self.out.push(self.dialect.declare(&name, ty.dtype.repr(), &value(next)));
            self.bool(&there, &valid(self.body, next));
        }
        for slot in 0..slots.len() as u32 {
            self.out.push(format!("{} = x{}_{slot};", state(open.v, slot), open.v.0));
            self.out.push(format!("{} = y{}_{slot};", state_valid(open.v, slot), open.v.0));
        }
        self.out.close(&open.tail);
    }

    fn checks(&mut self, checks: &[Check], into: &str) {
        for check in checks {
            let guard = check.guard.map_or(String::new(), |guard| format!(" && {}", value(guard)));
            self.out.push(format!("{into} = {into} || (e{}{guard});", check.of.0));
        }
    }
}

/// Three-valued and, or (`decisive` true): the decisive value wins, then null.
fn either(decisive: bool, (a, a_valid): (&str, &str), (b, b_valid): (&str, &str)) -> Read {
    let not = if decisive { "" } else { "!" };
    // A null operand holds anything, so each side counts only where it is there.
    let decided = |value: &str, valid: &str| format!("({valid} && {not}{value})");
    let value = format!("{not}({} || {})", decided(a, a_valid), decided(b, b_valid));
    let valid = format!("(({a_valid} && {b_valid}) || {} || {})", decided(a, a_valid), decided(b, b_valid));
    Read { value, valid: Some(valid) }
}

/// The variable of a loop's slot.
fn state(of: ValueId, slot: u32) -> String {
    format!("s{}_{slot}", of.0)
}

/// The name of the validity variable of a loop's slot.
fn state_valid(of: ValueId, slot: u32) -> String {
    format!("t{}_{slot}", of.0)
}
