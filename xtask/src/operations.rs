//! The tables of operations, of composed methods and of aggregates in `docs/semantics.md`, written from `Op::doc`, from
//! the comments of the methods and from `AggregateOp::doc`, so that none lacks a description.

use crate::repository::read;
use pointsman_ir::kernel::FoldOp;
use pointsman_ir::op::Op;
use pointsman_ir::plan::AggregateOp;
use std::path::Path;

const DOCUMENT: &str = "docs/semantics.md";
/// The file of the methods that are several operations.
const METHODS: &str = "crates/pointsman/src/query/composed.rs";

/// A part of the document.
struct Part {
    begin: &'static str,
    end: &'static str,
    text: String,
}

/// Writes the tables into the document.
pub(crate) fn write(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    if let Some((_, wanted)) = current(root, &mut problems)
        && let Err(error) = std::fs::write(root.join(DOCUMENT), wanted)
    {
        problems.push(format!("{DOCUMENT}: cannot be written: {error}"));
    }
    problems
}

/// Checks that the tables are those that would be written.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    if let Some((text, wanted)) = current(root, &mut problems)
        && text != wanted
    {
        problems.push(format!("{DOCUMENT}: the tables of operations are out of date: run `cargo xtask docs`"));
    }
    problems
}

/// The document as it is and as it should be.
fn current(root: &Path, problems: &mut Vec<String>) -> Option<(String, String)> {
    let text = read(root, &root.join(DOCUMENT), problems);
    let methods = read(root, &root.join(METHODS), problems);
    let parts = [
        Part {
            begin: "<!-- aggregates: written by `cargo xtask docs` -->\n",
            end: "<!-- end of aggregates -->\n",
            text: aggregates(),
        },
        Part {
            begin: "<!-- operations: written by `cargo xtask docs` -->\n",
            end: "<!-- end of operations -->\n",
            text: operations(),
        },
        Part {
            begin: "<!-- methods: written by `cargo xtask docs` -->\n",
            end: "<!-- end of methods -->\n",
            text: composed(&methods),
        },
    ];
    let mut wanted = text.clone();
    for part in parts {
        match replaced(&wanted, &part) {
            Some(with) => wanted = with,
            None => {
                problems.push(format!("{DOCUMENT}: the marks `{}` are missing", part.begin.trim_end()));
                return None;
            }
        }
    }
    Some((text, wanted))
}

/// The text with another part between the marks.
fn replaced(text: &str, part: &Part) -> Option<String> {
    let begin = text.find(part.begin)? + part.begin.len();
    let end = begin + text[begin..].find(part.end)?;
    Some(format!("{}{}{}", &text[..begin], part.text, &text[end..]))
}

fn operations() -> String {
    let mut table = String::from("| operation | operands | meaning |\n| --- | --- | --- |\n");
    for op in Op::ALL {
        let meaning = op.doc().split_whitespace().collect::<Vec<_>>().join(" ");
        table.push_str(&format!("| `{}` | {} | {meaning} |\n", op.name(), op.arity()));
    }
    table
}

/// The public methods of the source, with the first paragraphs of their comments.
fn composed(source: &str) -> String {
    let mut table = String::from("| method | of | meaning |\n| --- | --- | --- |\n");
    let (mut of, mut comment) = ("", Vec::new());
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment.push(text.trim());
        } else if let Some(bound) = line.strip_prefix("impl<T: ") {
            of = values(bound.split('>').next().unwrap_or_default());
        } else if let Some(signature) = line.strip_prefix("pub fn ") {
            let name = signature.split(['(', '<']).next().unwrap_or_default();
            let paragraph: Vec<&str> = comment.iter().copied().take_while(|line| !line.is_empty()).collect();
            table.push_str(&format!("| `{name}` | {of} | {} |\n", without_links(&paragraph.join(" "))));
        }
        if !line.starts_with("///") && !line.starts_with("#[") {
            comment.clear();
        }
    }
    table
}

/// The aggregates of a plan.
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

/// The values that a bound of the interface stands for.
fn values(bound: &str) -> &'static str {
    [("Number", "numbers"), ("Integer", "integers"), ("Float", "floats")]
        .iter()
        .find(|(name, _)| *name == bound)
        .map_or("all values", |(_, values)| values)
}

/// The text, with the words of links to other methods in the place of the links.
fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((word, target)) = link.split_once("`](") else { break };
        let Some((_, after)) = target.split_once(')') else { break };
        plain.push_str(&format!("{before}`{word}`"));
        rest = after;
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_and_aggregate_is_documented() {
        assert_eq!(check(&crate::repository::root()), Vec::<String>::new());
    }

    #[test]
    fn methods_come_with_their_first_paragraphs() {
        let source = "
/// A helper.
fn helper() {}

impl<T: Float> Expr<T> {
    /// One, as [`two`](Expr::two)
    /// has it.
    ///
    /// More.
    #[track_caller]
    pub fn one(self) -> Expr<T> {
        two
    }

    fn hidden(self) {}
    pub fn bare<U>(self) {}
}
";
        let expected = "| `one` | floats | One, as `two` has it. |\n| `bare` | floats |  |\n";
        assert_eq!(composed(source).split_once("| --- | --- | --- |\n").map(|(_, rows)| rows), Some(expected));
    }
}
