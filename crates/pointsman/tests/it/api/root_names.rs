//! The names at the root of the crate are a decision: `root_names.txt` lists them, and this test compares.

use std::collections::BTreeSet;

const SOURCE: &str = include_str!("../../../src/lib.rs");
const EXPECTED: &str = include_str!("root_names.txt");

/// The names that `lib.rs` makes public: its `pub use` lists and its `pub mod`s.
fn root_names(source: &str) -> BTreeSet<String> {
    let items = source.split("\npub ").skip(1);
    let names = items.flat_map(|item| match item.split_once(' ') {
        Some(("use", rest)) => {
            let path = rest.split(';').next().unwrap();
            assert!(!path.contains('*') && !path.contains(" as "), "name every item: {path}");
            let last = path.split_once('{').map_or_else(|| path.rsplit("::").next().unwrap(), |(_, list)| list);
            last.trim_end_matches('}').split(',').map(|name| name.trim().to_string()).collect::<Vec<_>>()
        }
        Some(("mod", rest)) => vec![rest.split([';', ' ']).next().unwrap().to_string()],
        // A struct for the tests of the README, which is not in the crate.
        _ => Vec::new(),
    });
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn root_names_are_those_of_the_list() {
    let (found, expected) = (root_names(SOURCE), EXPECTED.lines().map(str::to_string).collect::<BTreeSet<_>>());
    let added: Vec<_> = found.difference(&expected).collect();
    let removed: Vec<_> = expected.difference(&found).collect();
    assert!(
        added.is_empty() && removed.is_empty(),
        "root names changed: added {added:?}, removed {removed:?}; put types that programs seldom name into \
         `pointsman::report` or `pointsman::types`, or change tests/it/api/root_names.txt"
    );
}

#[test]
fn lists_modules_and_single_names_are_read() {
    let source = "\npub mod a;\nmod b;\npub use c::{D,\n    e};\npub use f::G;\npub mod h {\n    pub use i::J;\n}\npub struct K;";
    assert_eq!(root_names(source).into_iter().collect::<Vec<_>>(), ["D", "G", "a", "e", "h"]);
}
