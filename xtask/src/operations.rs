//! The tables of operations and of aggregates in `docs/semantics.md`, written from `Op::doc` and `AggregateOp::doc`, so
//! that none lacks a description.

use crate::repository::read;
use pointsman_ir::kernel::FoldOp;
use pointsman_ir::op::Op;
use pointsman_ir::plan::AggregateOp;
use std::path::Path;

const DOCUMENT: &str = "docs/semantics.md";

/// A table between two marks.
struct Table {
    begin: &'static str,
    end: &'static str,
    text: fn() -> String,
}

const TABLES: [Table; 2] = [
    Table {
        begin: "<!-- aggregates: written by `cargo xtask docs` -->\n",
        end: "<!-- end of aggregates -->\n",
        text: aggregates,
    },
    Table {
        begin: "<!-- operations: written by `cargo xtask docs` -->\n",
        end: "<!-- end of operations -->\n",
        text: operations,
    },
];

/// Writes the tables into the document.
pub(crate) fn write(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    match current(root, &mut problems) {
        Some((_, wanted)) => {
            if let Err(error) = std::fs::write(root.join(DOCUMENT), wanted) {
                problems.push(format!("{DOCUMENT}: cannot be written: {error}"));
            }
        }
        None => problems.push(format!("{DOCUMENT}: the marks around a table are missing")),
    }
    problems
}

/// Checks that the tables are those that would be written.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    match current(root, &mut problems) {
        Some((text, wanted)) if text == wanted => {}
        Some(_) => problems.push(format!("{DOCUMENT}: its tables are out of date: run `cargo xtask docs`")),
        None => problems.push(format!("{DOCUMENT}: the marks around a table are missing")),
    }
    problems
}

/// The document as it is and as it should be.
fn current(root: &Path, problems: &mut Vec<String>) -> Option<(String, String)> {
    let text = read(root, &root.join(DOCUMENT), problems);
    let mut wanted = text.clone();
    for table in TABLES {
        let begin = wanted.find(table.begin)? + table.begin.len();
        let end = begin + wanted[begin..].find(table.end)?;
        wanted.replace_range(begin..end, &(table.text)());
    }
    Some((text, wanted))
}

fn operations() -> String {
    let mut table = String::from("| operation | operands | meaning |\n| --- | --- | --- |\n");
    for op in Op::ALL {
        let meaning = op.doc().split_whitespace().collect::<Vec<_>>().join(" ");
        table.push_str(&format!("| `{}` | {} | {meaning} |\n", op.name(), op.arity()));
    }
    table
}

fn aggregates() -> String {
    let mut table = String::from("| aggregate | empty input | rule |\n| --- | --- | --- |\n");
    for op in AggregateOp::ALL {
        let name = match op {
            AggregateOp::Fold(_) => FoldOp::ALL.map(|op| format!("`{}`", op.name())).join(", "),
            AggregateOp::Quantile(_) => "`quantile(q)`".to_string(),
            op if op.takes_pairs() => format!("`{}(x, y)`", op.name()),
            op => format!("`{}`", op.name()),
        };
        let [empty, rule] = op.doc();
        table.push_str(&format!("| {name} | {empty} | {rule} |\n"));
    }
    table
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_operation_and_aggregate_is_documented() {
        assert_eq!(super::check(&crate::repository::root()), Vec::<String>::new());
    }
}
