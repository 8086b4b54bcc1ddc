//! Text into a kernel: the reverse of [`print`](super::print). In: any text. Out: a kernel that is written right, but
//! that may still make no sense (`verify` says), or the line where something else was expected. Never panics, and takes
//! memory in proportion to the text alone. What follows a `#` on a line is ignored, and so are spaces and empty lines.

mod call;
mod instruction;
mod line;

use super::{
    Fold, FoldInput, FoldMode, FoldOp, Frame, GroupOrder, Kernel, NullOrder, PartitionBy, Running, SideTable, Sink,
    SortKey, SortOrder,
};
use crate::body::{Body, ValueId};
use line::{Line, Lines};
use std::fmt;

/// Text that is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counting from 1.
    pub line: usize,
    /// What was expected there, and what was found.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a kernel's text.
pub fn parse(text: &str) -> Result<Kernel, ParseError> {
    let mut lines = Lines::new(text)?;
    lines.required("kernel")?.end()?;
    let columns = declarations(&mut lines, "columns", 'c', Line::ty)?;
    let params = declarations(&mut lines, "params", 'p', Line::ty)?;
    let lists = declarations(&mut lines, "lists", 'l', Line::dtype)?;
    let tables = declarations(&mut lines, "tables", 't', side_table)?;
    let body: Body = instruction::body(&mut lines)?;
    let mask = mask(&mut lines)?;
    let mut line = lines.required("sink")?;
    let sink = sink(&mut line)?;
    line.end()?;
    lines.end()?;
    Ok(Kernel { columns, params, lists, tables, body, mask, sink })
}

/// A line such as `columns c0: f32, c1: i64?`; none if the line is not there.
fn declarations<'a, T>(
    lines: &mut Lines<'a>,
    word: &str,
    letter: char,
    item: fn(&mut Line<'a>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    let mut all = Vec::new();
    let Some(mut line) = lines.optional(word) else { return Ok(all) };
    loop {
        line.expect(&format!("{letter}{}", all.len()))?;
        line.expect(":")?;
        all.push(item(&mut line)?);
        if !line.take(",") {
            line.end()?;
            return Ok(all);
        }
    }
}

fn side_table(line: &mut Line<'_>) -> Result<SideTable, ParseError> {
    line.expect("keys")?;
    let keys = line.parens(Line::dtype)?;
    line.expect("columns")?;
    Ok(SideTable { keys, columns: line.parens(Line::ty)? })
}

fn mask(lines: &mut Lines<'_>) -> Result<Option<ValueId>, ParseError> {
    let Some(mut line) = lines.optional("mask") else { return Ok(None) };
    let mask = line.value()?;
    line.end()?;
    Ok(Some(mask))
}

fn sink(line: &mut Line<'_>) -> Result<Sink, ParseError> {
    let word = line.word("a sink")?;
    match word {
        "store" => Ok(Sink::Store { columns: line.bare(Line::value)? }),
        "compact" => Ok(Sink::Compact { columns: line.bare(Line::value)? }),
        "reduce" => Ok(Sink::Reduce { folds: line.bare(fold)? }),
        "scan" => {
            let columns = values(line, "columns")?;
            line.expect("running")?;
            let running = line.parens(running)?;
            let segment = if line.take("segment") { Some(line.value()?) } else { None };
            Ok(Sink::Scan { columns, running, segment })
        }
        "sort" => {
            line.expect("keys")?;
            let keys = line.parens(sort_key)?;
            let columns = values(line, "columns")?;
            let limit = if line.take("limit") { Some(line.number("a number of rows")?) } else { None };
            Ok(Sink::Sort { keys, columns, limit })
        }
        "group" => {
            let keys = values(line, "keys")?;
            line.expect("folds")?;
            let folds = line.parens(fold)?;
            line.expect("order")?;
            let order = if line.take("hash") {
                GroupOrder::Hash
            } else {
                line.expect("least")?;
                GroupOrder::Least(line.value()?)
            };
            Ok(Sink::Group { keys, folds, order })
        }
        "build" => Ok(Sink::Build { keys: values(line, "keys")?, columns: values(line, "columns")? }),
        "partition" => {
            let by = partition_by(line)?;
            line.expect("bits")?;
            let bits = line.number("the bits of a partition's number")?;
            Ok(Sink::Partition { by, bits, columns: values(line, "columns")? })
        }
        "call" => {
            let call = call::call(line)?;
            line.expect("of")?;
            let value = line.value()?;
            let table = if line.at_end() { None } else { Some(line.list()?) };
            Ok(Sink::Call { call, value, table })
        }
        other => line.fail(format!("expected a sink (such as `reduce`), not `{other}`")),
    }
}

/// `word(v1, v2)`.
fn values(line: &mut Line<'_>, word: &str) -> Result<Vec<ValueId>, ParseError> {
    line.expect(word)?;
    line.parens(Line::value)
}

fn fold(line: &mut Line<'_>) -> Result<Fold, ParseError> {
    let word = line.word("a fold")?;
    let Some(op) = FoldOp::ALL.into_iter().find(|op| op.name() == word) else {
        return line.fail(format!("expected a fold (such as `sum`), not `{word}`"));
    };
    line.expect("(")?;
    let input = if line.next_is(")") {
        FoldInput::Rows
    } else if line.take("state") {
        let first = line.column()?;
        FoldInput::State { first, of: if line.take("of") { Some(line.dtype()?) } else { None } }
    } else {
        FoldInput::Value(line.value()?)
    };
    line.expect(")")?;
    let mode = if line.take("fast") { FoldMode::Fast } else { FoldMode::Reproducible };
    Ok(Fold { op, input, mode })
}

fn running(line: &mut Line<'_>) -> Result<Running, ParseError> {
    let fold = fold(line)?;
    let frame =
        if line.take("preceding") { Frame::Preceding(line.number("a number of rows")?) } else { Frame::Unbounded };
    Ok(Running { fold, frame })
}

fn sort_key(line: &mut Line<'_>) -> Result<SortKey, ParseError> {
    let value = line.value()?;
    let order = line.one_of([("asc", SortOrder::Ascending), ("desc", SortOrder::Descending)])?;
    let nulls = line.one_of([("nulls_first", NullOrder::First), ("nulls_last", NullOrder::Last)])?;
    Ok(SortKey { value, order, nulls })
}

fn partition_by(line: &mut Line<'_>) -> Result<PartitionBy, ParseError> {
    if line.take("hash") {
        return Ok(PartitionBy::Hash(line.parens(Line::value)?));
    }
    line.expect("range")?;
    line.expect("(")?;
    let key = line.value()?;
    line.expect(",")?;
    let bounds = line.list()?;
    line.expect(")")?;
    Ok(PartitionBy::Range { key, bounds })
}
