//! The modules of `crates/pointsman` depend one way, and a type name that leaves its module stands once in the crate.
//!
//! Both checks read the source as text: paths that start with `crate::`, and declarations that are visible outside their
//! module. Unit tests may use any module.

use crate::repository::{files, read, shown};
use std::collections::BTreeMap;
use std::path::Path;

const SOURCE: &str = "crates/pointsman/src";

/// The modules, lowest first. A module may use those in rows above its own, and those in its own row. The entry with the
/// longest matching path counts, so that a folder can be split.
const LAYERS: &[&[&str]] = &[
    &["error", "sync", "cache", "private_dir", "text", "json"],
    &["data"],
    &["resilience"],
    &["instrument"],
    &["programs"],
    &["devices"],
    &["exec"],
    &["select/estimator"],
    &["telemetry"],
    &["select"],
    &["query", "session"],
    &["lib", "arrow", "plan", "random", "report", "selector", "types"],
];

/// Folders whose insides will be replaced: the names of their private types may stand elsewhere too.
const TO_BE_REPLACED: &[&str] = &[];

/// Items at the root of the crate that any module may name: they are re-exports for documentation links.
fn is_root_item(segment: &str) -> bool {
    segment.starts_with(char::is_uppercase)
}

/// Checks that modules depend one way.
pub(crate) fn layering(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for path in files(&root.join(SOURCE), ".rs") {
        let text = read(root, &path, &mut problems);
        let module = module_path(root, &path);
        if is_test(&module) {
            continue;
        }
        let Some((own, _)) = layer_of(&module) else {
            problems.push(format!("{}: not in the list of layers (xtask/src/modules.rs)", shown(root, &path)));
            continue;
        };
        for (number, line) in code_lines(&text) {
            for used in crate_paths(line) {
                match layer_of(&used) {
                    Some((layer, name)) if layer > own => problems
                        .push(format!("{}:{number}: `{module}` uses `{name}`, which is above it", shown(root, &path))),
                    Some(_) => {}
                    None => problems.push(format!("{}:{number}: `crate::{used}` is in no layer", shown(root, &path))),
                }
            }
        }
    }
    problems
}

/// Checks that no two modules export types of the same name.
pub(crate) fn type_names(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files(&root.join(SOURCE), ".rs") {
        let text = read(root, &path, &mut problems);
        let module = module_path(root, &path);
        if is_test(&module) {
            continue;
        }
        let is_replaced = TO_BE_REPLACED.iter().any(|folder| module.starts_with(folder));
        for (number, line) in code_lines(&text) {
            if is_replaced && !line.starts_with("pub ") {
                continue;
            }
            if let Some(name) = exported_type(line) {
                declared.entry(name.to_string()).or_default().push(format!("{}:{number}", shown(root, &path)));
            }
        }
    }
    let repeated = declared.into_iter().filter(|(_, places)| places.len() > 1);
    problems.extend(
        repeated.map(|(name, places)| format!("`{name}` is declared {} times: {}", places.len(), places.join(", "))),
    );
    problems
}

/// The path of a file's module, with `/` between its parts: `select/estimator/store`.
fn module_path(root: &Path, file: &Path) -> String {
    let path = file.strip_prefix(root.join(SOURCE)).unwrap_or(file).with_extension("");
    let path = path.display().to_string().replace('\\', "/");
    path.strip_suffix("/mod").unwrap_or(&path).to_string()
}

fn is_test(module: &str) -> bool {
    module.split('/').any(|part| part == "tests" || part == "poison")
}

/// The layer of a module or path, and the entry that it matches.
fn layer_of(module: &str) -> Option<(usize, &'static str)> {
    let is_in = |entry: &str| module == entry || module.strip_prefix(entry).is_some_and(|rest| rest.starts_with('/'));
    let entries = LAYERS.iter().enumerate().flat_map(|(layer, row)| row.iter().map(move |entry| (layer, *entry)));
    entries.filter(|(_, entry)| is_in(entry)).max_by_key(|(_, entry)| entry.len())
}

/// The lines of a file before its unit tests, without comments, numbered from 1.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| pair[0].trim() == "#[cfg(test)]" && pair[1].starts_with("mod tests"));
    let end = tests.unwrap_or(lines.len());
    let code = lines.into_iter().take(end).enumerate().map(|(number, line)| (number + 1, line));
    code.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// The paths behind each `crate::` of a line, with `/` between their parts.
fn crate_paths(line: &str) -> Vec<String> {
    let is_visibility = |before: &str| before.ends_with("pub(in ") || before.ends_with("in ");
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let (before, rest) = (&line[..at], &line[at + "crate::".len()..]);
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') || is_visibility(before) {
            continue;
        }
        let path: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
        let path = path.trim_end_matches(':').replace("::", "/");
        if !path.is_empty() && !is_root_item(&path) {
            found.push(path);
        }
    }
    found
}

/// The name of a type that a line declares and that other modules can see.
fn exported_type(line: &str) -> Option<&str> {
    // Associated types and items of inner modules are indented.
    let rest = line.strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let rest = rest.trim_start();
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let name = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_entry_decides_the_layer() {
        let estimator = layer_of("select/estimator/store").map(|(_, name)| name);
        assert_eq!(estimator, Some("select/estimator"));
        assert!(layer_of("select/service") > layer_of("telemetry"));
        assert!(layer_of("select/estimator") < layer_of("telemetry"));
        assert_eq!(layer_of("nowhere"), None);
    }

    #[test]
    fn paths_are_found_in_code_and_not_in_visibilities() {
        let check = |line: &str, expected: &[&str]| assert_eq!(crate_paths(line), expected, "{line}");
        check("use crate::data::column::Column;", &["data/column/Column"]);
        check("use crate::exec::{a, b};", &["exec"]);
        check("let x: crate::Error = crate::select::watts();", &["select/watts"]);
        check("pub(in crate::exec) fn f()", &[]);
        check("macro_rules! m { () => { $crate::data::x } }", &["data/x"]);
    }

    #[test]
    fn unit_tests_and_comments_are_not_code() {
        let text = "//! crate::a\nuse crate::data::x;\n#[cfg(test)]\nmod tests {\n use crate::session::y;\n}\n";
        assert_eq!(code_lines(text).collect::<Vec<_>>(), [(2, "use crate::data::x;")]);
    }

    #[test]
    fn exported_types_have_a_name() {
        let check = |line: &str, expected: Option<&str>| assert_eq!(exported_type(line), expected, "{line}");
        check("pub struct Column<T> {", Some("Column"));
        check("pub(crate) enum Input<'a> {", Some("Input"));
        check("pub(in crate::exec) type Bytes = (A, B);", Some("Bytes"));
        check("struct Private;", None);
        check("    pub struct Inner;", None);
        check("pub fn f() {}", None);
    }
}
