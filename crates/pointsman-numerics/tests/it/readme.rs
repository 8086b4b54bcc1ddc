//! The example in the repository's README is the one of this crate's README, which runs as a documentation test.

/// The Rust code after a line that starts so.
fn code(text: &str, fence: &str) -> String {
    let (_, after) = text.split_once(fence).unwrap();
    after.split_once("```").unwrap().0.to_string()
}

#[test]
fn both_readmes_have_the_same_example() {
    let root = include_str!("../../../../README.md").split_once("## Numerics").unwrap().1;
    assert_eq!(code(root, "```rust,ignore\n"), code(include_str!("../../README.md"), "```rust\n"));
}
