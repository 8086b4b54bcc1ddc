//! Dependencies between the project's crates point one way: `pointsman-ir` ← `pointsman-device` ← `pointsman` ←
//! `pointsman-numerics`. Only the crates that must may have `unsafe` code or know Arrow.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The project's crates, lowest first: a crate may depend on those before it alone.
const LAYERS: &[&str] = &[
    "pointsman-ir",
    "pointsman-device",
    "pointsman",
    "pointsman-numerics",
    "pointsman-examples",
    "pointsman-bench",
    "pointsman-fuzz",
    "xtask",
];
/// Crates that others must not use although they come before them: the checks build without the devices, examples and
/// benchmarks are programs, and the fuzzer works from outside.
const NOT_USED: &[(&str, &[&str])] = &[
    ("xtask", &["pointsman-device", "pointsman", "pointsman-examples", "pointsman-bench", "pointsman-fuzz"]),
    ("pointsman-fuzz", &["pointsman-ir", "pointsman-device", "pointsman-examples", "pointsman-bench"]),
    ("pointsman-bench", &["pointsman-examples"]),
];
/// The examples' only dependencies: the README's first command builds nothing else. (`tokio` is optional.)
const EXAMPLES_USE: &[&str] = &["pointsman", "indicatif", "tokio"];
/// The one crate that may contain `unsafe`; every other one must forbid it.
const UNSAFE_ALLOWED: &[&str] = &["pointsman-device"];
/// Outside crates that a project crate must not depend on: the IR is pure, and Arrow stops at the public API.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("pointsman-ir", &["rayon", "arrow-array", "arrow-buffer", "arrow-schema", "libc", "tokio", "serde"]),
    ("pointsman-device", &["arrow-array", "arrow-buffer", "arrow-schema"]),
];

/// Checks the layers against `cargo metadata`.
pub(crate) fn check(root: &Path) -> Vec<String> {
    match metadata(root) {
        Ok(metadata) => check_metadata(&metadata).into_iter().chain(check_unsafe(root)).collect(),
        Err(problem) => vec![problem],
    }
}

fn metadata(root: &Path) -> Result<Value, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata did not start: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata printed no JSON: {error}"))
}

fn check_metadata(metadata: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(layer) = LAYERS.iter().position(|layer| *layer == name) else {
            problems.push(format!("{name}: not in the list of layers (xtask/src/layering.rs)"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let uses = dependency["name"].as_str().unwrap_or_default();
            let below = LAYERS.iter().position(|layer| *layer == uses);
            let in_tests = dependency["kind"].as_str() == Some("dev");
            if below.is_some_and(|below| below >= layer && !(in_tests && below == layer)) {
                problems.push(format!("{name} depends on {uses}: dependencies point the other way"));
            }
            if NOT_USED.iter().any(|(of, crates)| *of == name && crates.contains(&uses)) {
                problems.push(format!("{name} depends on {uses}, which it must build without"));
            }
            if name == "pointsman-examples" && !EXAMPLES_USE.contains(&uses) {
                problems.push(format!(
                    "pointsman-examples depends on {uses}: the README's first command must not build it"
                ));
            }
            let banned = FORBIDDEN.iter().any(|(of, crates)| *of == name && crates.contains(&uses));
            if banned && !in_tests {
                problems.push(format!("{name} depends on {uses}, which its layer must not know"));
            }
        }
    }
    problems
}

/// Every crate root but the allowed ones forbids `unsafe`.
fn check_unsafe(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for name in LAYERS.iter().filter(|name| !UNSAFE_ALLOWED.contains(name)) {
        let folder = match *name {
            "xtask" => root.join("xtask"),
            "pointsman-bench" => root.join("bench"),
            "pointsman-fuzz" => root.join("fuzz"),
            "pointsman-examples" => root.join("examples"),
            name => root.join("crates").join(name),
        };
        let file = if ["xtask", "pointsman-fuzz"].contains(name) { "src/main.rs" } else { "src/lib.rs" };
        let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        if !text.contains("#![forbid(unsafe_code)]") {
            problems.push(format!("{name}: {file} must say #![forbid(unsafe_code)]"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_point_one_way() {
        assert_eq!(check(&crate::repository::root()), Vec::<String>::new());
    }

    #[test]
    fn a_dependency_that_points_up_is_found() {
        let metadata = serde_json::json!({"packages": [
            {"name": "pointsman-ir", "dependencies": [{"name": "pointsman-device", "kind": null}, {"name": "rayon", "kind": null}]},
        ]});
        assert_eq!(check_metadata(&metadata).len(), 2);
    }
}
