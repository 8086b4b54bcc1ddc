//! `docs/reliability.md` names tests: each exists, in the file that is named with it.
#![allow(clippy::unwrap_used)]

use std::path::Path;

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a source has a test of this name.
fn has_test(source: &str, name: &str) -> bool {
    let head = format!("fn {name}()");
    let mut lines = source.lines().map(str::trim);
    let mut is_test = false;
    lines.any(|line| {
        let found = is_test && line.starts_with(&head);
        // Other attributes may stand between.
        is_test = line == "#[test]" || (is_test && line.starts_with("#["));
        found
    })
}

/// The tests that a cell names and that are not there; and how many it names.
fn check_cell(cell: &str, crates: &Path) -> (Vec<String>, usize) {
    let (mut missing, mut count, mut file, mut source) = (Vec::new(), 0, "", String::new());
    for word in quoted(cell) {
        if word.ends_with(".rs") {
            file = word;
            source = std::fs::read_to_string(crates.join(file)).unwrap_or_default();
            continue;
        }
        count += 1;
        if !has_test(&source, word) {
            missing.push(format!("`{word}` in `{file}`"));
        }
    }
    (missing, count)
}

#[test]
fn every_test_that_is_named_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(crates.parent().unwrap().join("docs/reliability.md")).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| **")).collect();
    assert!(rows.len() >= 20, "{} rows", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 3, "a promise, tests and a figure: {row}");
        let (missing, count) = check_cell(cells[1], crates);
        assert!(count > 0 && missing.is_empty() && !cells[2].trim().is_empty(), "not there: {missing:?} of {row}");
    }
}

#[test]
fn a_test_that_does_not_exist_is_found() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let own = "pointsman/tests/it/reliability_document.rs";
    let cell =
        format!("`{own}`: `every_test_that_is_named_exists`, `check_cell`, `no_such_test`; `no/file.rs`: `quoted`");
    let (missing, count) = check_cell(&cell, crates);
    assert_eq!((missing.len(), count), (3, 4), "{missing:?}");
}
