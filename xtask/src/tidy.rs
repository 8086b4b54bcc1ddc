//! Rules of the repository that no compiler checks. Each returns the problems it finds, as lines for people.

use crate::repository::{files, read, shown};
use crate::{kernels, layering, modules, operations};
use std::path::Path;

/// The most words `ARCHITECTURE.md` may have: a map, not a book.
const ARCHITECTURE_WORDS_MAX: usize = 1500;

/// Integration tests that are binaries of their own, beside `tests/it` of their crate, each with the reason.
const TEST_BINARIES: [(&str, &str); 4] = [
    ("crates/pointsman/tests/allocation.rs", "counts allocations with a global allocator"),
    ("crates/pointsman/tests/fork.rs", "forks: a lock that another test's thread holds would stay locked in the child"),
    (
        "crates/pointsman/tests/interleavings/main.rs",
        "compiles files of the library over locks that are not the system's",
    ),
    ("crates/pointsman/tests/spans.rs", "a subscriber misses spans that other tests' threads open first"),
];

/// Every check, in one list.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let checks = [
        headers,
        goldens,
        unfinished,
        architecture,
        test_binaries,
        operations::check,
        layering::check,
        modules::layering,
        modules::type_names,
    ];
    checks.iter().flat_map(|check| check(root)).collect()
}

/// Every source file says on its first line what it is.
fn headers(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for path in files(root, ".rs") {
        if !read(root, &path, &mut problems).starts_with("//! ") {
            problems
                .push(format!("{}: line 1 must be a `//!` sentence that says what the file is", shown(root, &path)));
        }
    }
    problems
}

/// Every expected output has the input it belongs to, and the other way round.
fn goldens(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for path in files(root, ".stderr") {
        if !path.with_extension("rs").exists() {
            problems.push(format!("{}: no test writes this", shown(root, &path)));
        }
    }
    for path in files(root, ".rs").iter().filter(|path| path.iter().any(|part| part == "compile_fail")) {
        if path.file_name().is_some_and(|name| name != "mod.rs") && !path.with_extension("stderr").exists() {
            problems.push(format!("{}: the message it must fail with is missing", shown(root, path)));
        }
    }
    problems.extend(kernels::check(root));
    problems
}

/// Nothing is left open in the text of the code.
fn unfinished(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    // Put together here, so that this file does not contain what it looks for.
    let marks = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["TB", "D."].concat(), ["XX", "X"].concat()];
    for path in files(root, ".rs").into_iter().chain(files(root, ".md")) {
        let text = read(root, &path, &mut problems);
        for mark in marks.iter().filter(|mark| text.contains(mark.as_str())) {
            problems.push(format!("{}: contains `{mark}`", shown(root, &path)));
        }
    }
    problems
}

/// The map of the code stays a map.
fn architecture(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let words = read(root, &root.join("ARCHITECTURE.md"), &mut problems).split_whitespace().count();
    if words > ARCHITECTURE_WORDS_MAX {
        problems.push(format!("ARCHITECTURE.md: {words} words; at most {ARCHITECTURE_WORDS_MAX}"));
    }
    problems
}

/// The integration tests of a crate are one binary, `tests/it`: every further one links the whole crate again.
fn test_binaries(root: &Path) -> Vec<String> {
    let of_cargo = |path: &Path| {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        let parts: Vec<&str> = parts.iter().map(|part| &**part).collect();
        matches!(parts[..], [_, "tests", _] | [_, "tests", _, "main.rs"])
    };
    let crates = root.join("crates");
    let mut problems = Vec::new();
    let mut listed: Vec<&str> = TEST_BINARIES.iter().map(|(path, _)| *path).collect();
    for path in files(&crates, ".rs").iter().filter(|path| path.strip_prefix(&crates).is_ok_and(of_cargo)) {
        let shown = shown(root, path);
        let before = listed.len();
        listed.retain(|path| *path != shown);
        if listed.len() == before && !shown.ends_with("/tests/it/main.rs") {
            problems.push(format!(
                "{shown}: a test binary of its own; make it a module of `tests/it`, or list it in xtask/src/tidy.rs"
            ));
        }
    }
    problems.extend(listed.iter().map(|path| format!("{path}: listed as a test binary, but not there")));
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        assert_eq!(check(&crate::repository::root()), Vec::<String>::new());
    }

    /// What a check says of a folder with these files.
    fn problems(test: &str, paths: &[&str], check: fn(&Path) -> Vec<String>) -> Vec<String> {
        let folder = std::env::temp_dir().join(format!("pointsman-tidy-{}-{test}", std::process::id()));
        for path in paths.iter().map(|path| folder.join(path)) {
            std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a temporary folder");
            std::fs::write(path, "fn main() {}\n").expect("a temporary file");
        }
        let problems = check(&folder);
        std::fs::remove_dir_all(&folder).expect("the temporary folder goes away");
        problems
    }

    #[test]
    fn a_file_without_a_header_is_found() {
        let problems = problems("headers", &["bare.rs"], headers);
        assert_eq!(problems.len(), 1, "{problems:?}");
    }

    #[test]
    fn a_test_binary_that_is_not_listed_is_found() {
        let listed = TEST_BINARIES.map(|(path, _)| path);
        let modules = ["crates/a/tests/it/main.rs", "crates/a/tests/it/b.rs", "crates/a/src/tests/c.rs"];
        let all: Vec<&str> = listed.into_iter().chain(modules).collect();
        assert_eq!(problems("binaries", &all, test_binaries), Vec::<String>::new());
        let extra = [&all[1..], &["crates/a/tests/d.rs", "crates/a/tests/e/main.rs"]].concat();
        let problems = problems("extra", &extra, test_binaries);
        assert_eq!(problems.len(), 3, "two that are not listed, and one that is not there: {problems:?}");
    }
}
