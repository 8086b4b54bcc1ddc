//! The measured errors: within the contract, and as `docs/semantics.md` says. `POINTSMAN_BLESS=1` writes what is measured.

use super::{contract, double, functions, single};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/semantics.md");
const BEGIN: &str = "<!-- errors: written by `POINTSMAN_BLESS=1 cargo test -p pointsman-ir --test it elementary` -->\n";
const END: &str = "<!-- end of errors -->\n";

#[test]
fn errors_keep_the_contract_and_are_documented() {
    let mut table =
        String::from("| function | at most | `f32` measured | `f64` measured |\n| --- | --- | --- | --- |\n");
    let mut broken = Vec::new();
    for op in functions() {
        let measured = [single::measure(op), double::measure(op)];
        broken
            .extend(measured.iter().filter(|(off, _)| *off > contract(op)).map(|(off, at)| format!("{off} ULP: {at}")));
        let [single, double] = measured.map(|(off, _)| (off * 100.0).ceil() / 100.0);
        table.push_str(&format!("| `{}` | {} | {single:.2} | {double:.2} |\n", op.name(), contract(op)));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let text = std::fs::read_to_string(DOCUMENT).unwrap();
    let begin = text.find(BEGIN).expect("the document has a place for the table") + BEGIN.len();
    let end = begin + text[begin..].find(END).expect("the table ends");
    if std::env::var_os("POINTSMAN_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(DOCUMENT, format!("{}{table}{}", &text[..begin], &text[end..])).unwrap();
        return;
    }
    assert_eq!(&text[begin..end], table, "docs/semantics.md is out of date: see this file's head");
}
