//! A kernel as text. In: a kernel. Out: text that is the same for equal kernels and that [`parse`](super::parse) reads
//! back into the same kernel. Floats are written by their bits, with the number behind a `#`. No user's text appears.
//!
//! ```text
//! kernel
//! columns c0: f32, c1: i64?
//! params p0: f32
//! lists l0: f32
//! tables t0: keys(i64) columns(f64?, u32)
//!   v0: f32 = column c0
//!   v1: f32 = const 0x40000000 # 2.0
//!   v2 = loop 16 (f32 = v0) {
//!     v3: f32 = carried v2.0
//!     v4: f32 = mul v3 v1
//!     v5: bool = lt v4 v1
//!     while v5
//!     next v4
//!   }
//!   v6: f32 = result v2.0
//! mask v7
//! sink reduce sum(v6), count()
//! ```

use super::{
    Fold, FoldInput, FoldMode, Frame, GroupOrder, Kernel, NullOrder, PartitionBy, Running, Sink, SortKey, SortOrder,
};
use crate::body::Inst;
use crate::types::{DType, Scalar, Type};
use std::fmt::{self, Display};

/// The text of a kernel.
pub fn print(kernel: &Kernel) -> String {
    kernel.to_string()
}

impl Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel")?;
        declarations(f, "columns", 'c', &self.columns)?;
        declarations(f, "params", 'p', &self.params)?;
        declarations(f, "lists", 'l', &self.lists)?;
        let tables = self.tables.iter().map(|t| format!("keys({}) columns({})", commas(&t.keys), commas(&t.columns)));
        declarations(f, "tables", 't', &tables.collect::<Vec<_>>())?;
        body(f, self)?;
        if let Some(mask) = self.mask {
            writeln!(f, "mask {mask}")?;
        }
        writeln!(f, "sink {}", sink(&self.sink).trim_end())
    }
}

fn declarations(f: &mut fmt::Formatter<'_>, word: &str, letter: char, all: &[impl Display]) -> fmt::Result {
    if all.is_empty() {
        return Ok(());
    }
    let each: Vec<String> = all.iter().enumerate().map(|(i, one)| format!("{letter}{i}: {one}")).collect();
    writeln!(f, "{word} {}", each.join(", "))
}

/// The instructions, indented by loop.
fn body(f: &mut fmt::Formatter<'_>, kernel: &Kernel) -> fmt::Result {
    let mut open: Vec<(u32, &Inst)> = Vec::new();
    for (v, inst, ty) in kernel.body.iter() {
        close(f, &mut open, v.0)?;
        write!(f, "{}", indent(open.len()))?;
        if let Inst::Loop { end, .. } = inst {
            writeln!(f, "{v} = {}", instruction(inst, ty))?;
            open.push((*end, inst));
        } else {
            writeln!(f, "{v}: {ty} = {}", instruction(inst, ty))?;
        }
    }
    close(f, &mut open, u32::MAX)
}

/// Closes the loops whose region ends at or before `at`.
fn close(f: &mut fmt::Formatter<'_>, open: &mut Vec<(u32, &Inst)>, at: u32) -> fmt::Result {
    while let Some(&(end, inst)) = open.last()
        && end <= at
    {
        if let Inst::Loop { while_, next, .. } = inst {
            let inner = indent(open.len());
            if let Some(condition) = while_ {
                writeln!(f, "{inner}while {condition}")?;
            }
            writeln!(f, "{inner}{}", format!("next {}", commas(next)).trim_end())?;
        }
        open.pop();
        writeln!(f, "{}}}", indent(open.len()))?;
    }
    Ok(())
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth + 1)
}

fn commas(all: &[impl Display]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn instruction(inst: &Inst, ty: Type) -> String {
    match inst {
        Inst::Column(column) => format!("column {column}"),
        Inst::Param(param) => format!("param {param}"),
        Inst::Const(value) => format!("const {}", constant(*value, ty.dtype)),
        Inst::RowIndex => "row_index".to_string(),
        Inst::Call { op, args } => args.iter().fold(op.name().to_string(), |text, arg| format!("{text} {arg}")),
        Inst::Lookup { list, index } => format!("lookup {list} {index}"),
        Inst::Gather { table, column, row } => format!("gather {table}.{column} {row}"),
        Inst::Probe { table, keys, when, kind } => {
            let when = when.map_or_else(String::new, |when| format!(" when {when}"));
            format!("probe {} {table}({}){when}", kind.name(), commas(keys))
        }
        Inst::Loop { bound, slots, init, .. } => {
            let state: Vec<String> = slots.iter().zip(init).map(|(slot, init)| format!("{slot} = {init}")).collect();
            format!("loop {bound} ({}) {{", state.join(", "))
        }
        Inst::LoopIndex(of) => format!("index {of}"),
        Inst::LoopCarried { of, slot } => format!("carried {of}.{slot}"),
        Inst::LoopResult { of, slot } => format!("result {of}.{slot}"),
    }
}

/// A constant: floats by their bits, everything else as its number (of a decimal: unscaled).
fn constant(value: Option<Scalar>, dtype: DType) -> String {
    match value {
        None => "null".to_string(),
        Some(Scalar::F32(v)) => format!("0x{:08x} # {v:?}", v.to_bits()),
        Some(Scalar::F64(v)) => format!("0x{:016x} # {v:?}", v.to_bits()),
        Some(value) if dtype.is_decimal() => format!("{value} # unscaled"),
        Some(value) => value.to_string(),
    }
}

fn sink(sink: &Sink) -> String {
    let name = sink.name();
    match sink {
        Sink::Store { columns } | Sink::Compact { columns } => format!("{name} {}", commas(columns)),
        Sink::Reduce { folds } => format!("{name} {}", folds_text(folds)),
        Sink::Scan { columns, running, segment } => {
            let running: Vec<String> = running.iter().map(running_text).collect();
            let segment = segment.map_or_else(String::new, |v| format!(" segment {v}"));
            format!("{name} columns({}) running({}){segment}", commas(columns), running.join(", "))
        }
        Sink::Sort { keys, columns, limit } => {
            let keys: Vec<String> = keys.iter().map(key_text).collect();
            let limit = limit.map_or_else(String::new, |limit| format!(" limit {limit}"));
            format!("{name} keys({}) columns({}){limit}", keys.join(", "), commas(columns))
        }
        Sink::Group { keys, folds, order } => {
            let order = match order {
                GroupOrder::Least(value) => format!("least {value}"),
                GroupOrder::Hash => "hash".to_string(),
            };
            format!("{name} keys({}) folds({}) order {order}", commas(keys), folds_text(folds))
        }
        Sink::Build { keys, columns } => format!("{name} keys({}) columns({})", commas(keys), commas(columns)),
        Sink::Partition { by, bits, columns } => {
            let by = match by {
                PartitionBy::Hash(keys) => format!("hash({})", commas(keys)),
                PartitionBy::Range { key, bounds } => format!("range({key}, {bounds})"),
            };
            format!("{name} {by} bits {bits} columns({})", commas(columns))
        }
        Sink::Call { call, value, table } => {
            let table = table.map_or_else(String::new, |table| format!(" {table}"));
            format!("{name} {call} of {value}{table}")
        }
    }
}

fn folds_text(folds: &[Fold]) -> String {
    folds.iter().map(fold_text).collect::<Vec<_>>().join(", ")
}

fn fold_text(fold: &Fold) -> String {
    let input = match fold.input {
        FoldInput::Rows => String::new(),
        FoldInput::Value(value) => value.to_string(),
        FoldInput::State { first, of: None } => format!("state {first}"),
        FoldInput::State { first, of: Some(of) } => format!("state {first} of {of}"),
    };
    let mode = match fold.mode {
        FoldMode::Reproducible => "",
        FoldMode::Fast => " fast",
    };
    format!("{}({input}){mode}", fold.op.name())
}

fn running_text(running: &Running) -> String {
    match running.frame {
        Frame::Unbounded => fold_text(&running.fold),
        Frame::Preceding(rows) => format!("{} preceding {rows}", fold_text(&running.fold)),
    }
}

fn key_text(key: &SortKey) -> String {
    format!("{} {} {}", key.value, order_name(key.order), nulls_name(key.nulls))
}

/// The word for a direction.
pub(crate) const fn order_name(order: SortOrder) -> &'static str {
    match order {
        SortOrder::Ascending => "asc",
        SortOrder::Descending => "desc",
    }
}

/// The word for the place of nulls.
pub(crate) const fn nulls_name(nulls: NullOrder) -> &'static str {
    match nulls {
        NullOrder::First => "nulls_first",
        NullOrder::Last => "nulls_last",
    }
}
