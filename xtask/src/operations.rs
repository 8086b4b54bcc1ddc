//! The table of operations in `docs/semantics.md`, written from `Op::doc`, so that no operation lacks a description.

use crate::repository::read;
use pointsman_ir::op::Op;
use std::path::Path;

const DOCUMENT: &str = "docs/semantics.md";
const BEGIN: &str = "<!-- operations: written by `cargo xtask docs` -->\n";
const END: &str = "<!-- end of operations -->\n";

/// Writes the table into the document.
pub(crate) fn write(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    match current(root, &mut problems) {
        Some((_, wanted)) => {
            if let Err(error) = std::fs::write(root.join(DOCUMENT), wanted) {
                problems.push(format!("{DOCUMENT}: cannot be written: {error}"));
            }
        }
        None => problems.push(format!("{DOCUMENT}: the marks around the table of operations are missing")),
    }
    problems
}

/// Checks that the table is the one that would be written.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    match current(root, &mut problems) {
        Some((text, wanted)) if text == wanted => {}
        Some(_) => problems.push(format!("{DOCUMENT}: the table of operations is out of date: run `cargo xtask docs`")),
        None => problems.push(format!("{DOCUMENT}: the marks around the table of operations are missing")),
    }
    problems
}

/// The document as it is and as it should be.
fn current(root: &Path, problems: &mut Vec<String>) -> Option<(String, String)> {
    let text = read(root, &root.join(DOCUMENT), problems);
    let begin = text.find(BEGIN)? + BEGIN.len();
    let end = begin + text[begin..].find(END)?;
    let wanted = format!("{}{}{}", &text[..begin], table(), &text[end..]);
    Some((text, wanted))
}

fn table() -> String {
    let mut table = String::from("| operation | operands | meaning |\n| --- | --- | --- |\n");
    for op in Op::ALL {
        let meaning = op.doc().split_whitespace().collect::<Vec<_>>().join(" ");
        table.push_str(&format!("| `{}` | {} | {meaning} |\n", op.name(), op.arity()));
    }
    table
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_operation_is_documented() {
        assert_eq!(super::check(&crate::repository::root()), Vec::<String>::new());
    }
}
