//! Renders the function `row`, which computes the sink's operands from the row's number and the values of its columns.

use super::arguments::{Arguments, param, word};
use super::library::Library;
use super::memory::{Column, at};
use super::types::{integer, literal, name, needs_64_bit, storage_type};
use super::{ArgumentMemory, Target};
use super::{memory, ops};
use crate::body::{Inst, ListId, TableId, ValueId};
use crate::guard::Guarded;
use crate::kernel::Kernel;
use crate::render::NotRendered;
use crate::render::c_style::{self, Call, Dialect, Lines, Position, Read};
use crate::types::{DType, Repr, Scalar, Type};
use std::collections::BTreeSet;

/// Bodies of more instructions are written once.
pub(super) const UNROLLED_INSTRUCTIONS: usize = 40;
/// Bodies of at most this many instructions are written sixteen times.
pub(super) const SHORT_INSTRUCTIONS: usize = 16;

/// Everything that the parts of a program are written with.
pub(super) struct Writer<'a> {
    pub(super) guarded: &'a Guarded,
    pub(super) target: Target,
    pub(super) arguments: Arguments,
    pub(super) library: Library,
}

/// A field of what `row` returns.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) ty: &'static str,
    pub(super) value: String,
}

impl Field {
    /// A field.
    pub(super) fn new(name: impl Into<String>, ty: &'static str, value: impl Into<String>) -> Field {
        Field { name: name.into(), ty, value: value.into() }
    }
}

impl<'a> Writer<'a> {
    pub(super) fn kernel(&self) -> &'a Kernel {
        &self.guarded.kernel
    }

    /// The bound of a counting loop. A software driver writes loops of known bounds out, which takes it long.
    pub(super) fn bound(&self, count: u32) -> String {
        match self.target.arguments {
            ArgumentMemory::Uniform => format!("{count}u"),
            ArgumentMemory::Storage => format!("({count}u + args[3].w)"),
        }
    }

    /// The number of rows that are unrolled, so that their reads are in flight together.
    pub(super) fn rows_together(&self) -> u32 {
        if self.kernel().body.len() <= UNROLLED_INSTRUCTIONS { 4 } else { 1 }
    }

    /// How many fours of rows an invocation reads before it computes them, so that the reads are in flight together. A
    /// software driver would only take longer to compile.
    pub(super) fn quads_together(&self) -> u32 {
        match (self.target.arguments, self.kernel().body.len()) {
            (ArgumentMemory::Storage, _) => 1,
            (ArgumentMemory::Uniform, ..=SHORT_INSTRUCTIONS) => 4,
            (ArgumentMemory::Uniform, ..=UNROLLED_INSTRUCTIONS) => 2,
            (ArgumentMemory::Uniform, _) => 1,
        }
    }

    /// A call of `row` for row `j` of four that were read.
    pub(super) fn row_of_quad(&self, j: &str, set: &str) -> String {
        let mut arguments = vec![format!("base{set} + {j}")];
        for column in self.columns() {
            arguments.push(column.value_of_quad(j, set));
            arguments.extend(column.ty.nullable.then(|| column.valid_of_quad(j, set)));
        }
        format!("row({})", arguments.join(", "))
    }

    /// The columns that the body reads.
    pub(super) fn columns(&self) -> Vec<Column<'_>> {
        let read = |inst: &Inst| if let Inst::Column(column) = inst { Some(column.index()) } else { None };
        let used: BTreeSet<usize> = self.kernel().body.iter().filter_map(|(_, inst, _)| read(inst)).collect();
        let column = |number: usize| {
            let ty = self.kernel().columns[number];
            Column { number, ty, arguments: &self.arguments }
        };
        used.into_iter().map(column).collect()
    }

    /// An expression that is true where the row reaches the sink.
    pub(super) fn selected(&self) -> String {
        self.kernel().mask.map_or("true".to_string(), |mask| c_style::is_true(&self.kernel().body, mask))
    }

    /// An expression that is true where a value is not null.
    pub(super) fn valid(&self, v: ValueId) -> String {
        c_style::valid(&self.kernel().body, v)
    }

    /// A value as it leaves the kernel: the one NaN, and zero where there is none.
    pub(super) fn leaving(&self, v: ValueId, there: &str) -> String {
        leaving(self.kernel().body.ty(v).dtype.repr(), c_style::value(v), there)
    }

    /// The struct and the function. Fields are `selected`, `bad`, then these.
    pub(super) fn row(&self, fields: Vec<Field>) -> Result<String, NotRendered> {
        let mut all = vec![Field::new("selected", "bool", self.selected()), Field::new("bad", "bool", "bad")];
        all.extend(fields);
        let declared = all.iter().map(|field| format!("  {}: {},\n", field.name, field.ty)).collect::<String>();
        let mut lines = Lines::new(1);
        c_style::body(self.guarded, self, &mut lines)?;
        let values: Vec<&str> = all.iter().map(|field| field.value.as_str()).collect();
        let mut parameters = "r: u32".to_string();
        for column in self.columns() {
            let i = column.number;
            parameters += &format!(", c{i}: {}", storage_type(column.ty.dtype.repr()));
            parameters += &if column.ty.nullable { format!(", d{i}: bool") } else { String::new() };
        }
        let body = lines.text();
        let result = values.join(", ");
        Ok(format!("struct Row {{\n{declared}}}\nfn row({parameters}) -> Row {{\n{body}  return Row({result});\n}}\n"))
    }

    /// A call of `row` for a row that is read alone.
    pub(super) fn row_at(&self, row: &str) -> String {
        let mut arguments = vec![row.to_string()];
        for column in self.columns() {
            arguments.push(column.value_at(row));
            arguments.extend(column.ty.nullable.then(|| column.valid_at(row)));
        }
        format!("row({})", arguments.join(", "))
    }

    /// A statement that reports a faulting row.
    pub(super) fn tell_fault(&self, row: &str, condition: &str) -> String {
        if self.guarded.checks.is_empty() {
            return String::new();
        }
        format!("if ({condition}) {{ atomicMax(&status[args[1].y], ~({row})); }}")
    }

    fn rows_of(&self, at: usize, dtype: DType) -> String {
        if dtype == DType::U64 { format!("u64({})", word(at)) } else { word(at) }
    }

    /// A function that reads an array by position.
    fn reader(&self, function: &str, array: &str, repr: Repr, rows: usize, at: &Position<'_>) -> String {
        let function = format!("{function}_{}", at.dtype);
        let limit = self.rows_of(rows, at.dtype);
        let row = if at.dtype == DType::U64 { "u32(i)" } else { "i" };
        self.library.define(&function, || {
            format!(
                "fn {function}(i: {index}, f: ptr<function, bool>) -> {ty} {{
  if (i >= {limit}) {{ *f = true; return {zero}; }}
  return {value};
}}\n",
                index = storage_type(at.dtype.repr()),
                ty = storage_type(repr),
                zero = literal(repr.zero()),
                value = memory::at(repr, array, row),
            )
        });
        format!("{function}({}, &{})", at.name, at.flag)
    }
}

/// A value as it leaves a kernel: the one NaN, and zero where there is none.
pub(super) fn leaving(repr: Repr, value: String, there: &str) -> String {
    let value =
        if matches!(repr, Repr::F32 | Repr::F64) { format!("canonical_{}({value})", name(repr)) } else { value };
    if there == "true" { value } else { format!("select({}, {value}, {there})", literal(repr.zero())) }
}

impl Dialect for Writer<'_> {
    fn declare(&self, name: &str, repr: Repr, value: &str) -> String {
        format!("var {name}: {} = {value};", storage_type(repr))
    }

    fn literal(&self, value: Scalar) -> String {
        literal(value)
    }

    fn choose(&self, condition: &str, yes: &str, no: &str) -> String {
        if yes == no { yes.to_string() } else { format!("select({no}, {yes}, {condition})") }
    }

    fn repeat(&self, index: &str, bound: u32) -> (String, String) {
        (format!("for (var {index} = 0u; {index} < {bound}u; {index}++) {{"), "}".to_string())
    }

    /// A dispatch cannot be told to stop: its rows are cut so that it ends soon, and rows that may take too long are
    /// refused.
    fn leave_if_stopped(&self, _of: ValueId) -> Option<String> {
        None
    }

    fn column(&self, column: usize) -> Read {
        let valid = self.kernel().columns[column].nullable.then(|| format!("d{column}"));
        Read { value: format!("c{column}"), valid }
    }

    fn param(&self, number: usize) -> Read {
        let first = self.arguments.param(number);
        Read { value: param(first, self.kernel().params[number]), valid: Some(format!("({} != 0u)", word(first + 2))) }
    }

    fn row_index(&self) -> String {
        "row_number(r)".to_string()
    }

    fn call(&self, call: &Call<'_>) -> Result<String, NotRendered> {
        ops::call(call, &self.library)
    }

    fn lookup(&self, list: ListId, element: DType, position: &Position<'_>) -> String {
        let (i, rows) = (list.index(), self.arguments.list_rows(list.index()));
        self.reader(&format!("list{i}_at"), &format!("list{i}"), element.repr(), rows, position)
    }

    fn gather(&self, table: TableId, column: u32, ty: Type, position: &Position<'_>) -> Read {
        let (t, c, rows) = (table.index(), column as usize, self.arguments.table_rows(table.index()));
        let array = format!("table{t}_{c}");
        let value = self.reader(&format!("{array}_at"), &array, ty.dtype.repr(), rows, position);
        let flags = word(self.arguments.table_flags(t, c));
        let last = format!(
            "min({}, max({}, {one}) - {one})",
            position.name,
            self.rows_of(rows, position.dtype),
            one = integer(position.dtype.repr(), 1)
        );
        let bit = at(Repr::Bool, &format!("tablev{t}_{c}"), &format!("u32({last})"));
        let valid = ty.nullable.then(|| format!("(({flags} & 1u) == 0u || {bit})"));
        Read { value, valid }
    }
}

/// Why a kernel's values cannot be held, if so.
pub(super) fn check_types(kernel: &Kernel, target: Target) -> Result<(), NotRendered> {
    for (v, inst, ty) in kernel.body.iter() {
        let repr = ty.dtype.repr();
        if matches!(inst, Inst::Loop { .. }) {
            continue;
        }
        if repr == Repr::I128 {
            return Err(NotRendered::new(format!("decimals of more than 18 digits ({v}: {ty})")));
        }
        if repr == Repr::F64 && !target.f64 {
            return Err(NotRendered::new(format!("f64 ({v}: {ty})")));
        }
        if needs_64_bit(repr) && !target.i64 {
            return Err(NotRendered::new(format!("64-bit integers ({v}: {ty})")));
        }
    }
    check_casts(kernel, target)
}

/// Decimals become floats, and floats decimals, through doubles.
fn check_casts(kernel: &Kernel, target: Target) -> Result<(), NotRendered> {
    for (v, inst, ty) in kernel.body.iter() {
        let Inst::Call { op, args } = inst else { continue };
        let from = kernel.body.ty(args[0]).dtype;
        let doubles = ty.dtype.is_float() && from.is_decimal() || ty.dtype.is_decimal() && from.is_float();
        if op.is_cast() && doubles && !target.f64 {
            return Err(NotRendered::new(format!("f64 (between {from} and {ty}, {v})")));
        }
    }
    Ok(())
}
