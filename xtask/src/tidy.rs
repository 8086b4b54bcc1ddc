//! Rules of the repository that no compiler checks. Each returns the problems it finds, as lines for people.

use crate::repository::{files, read, shown};
use crate::{kernels, layering, modules, operations};
use std::path::Path;

/// The most words `ARCHITECTURE.md` may have: a map, not a book.
const ARCHITECTURE_WORDS_MAX: usize = 1500;

/// Every check, in one list.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let checks = [
        headers,
        goldens,
        unfinished,
        architecture,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        assert_eq!(check(&crate::repository::root()), Vec::<String>::new());
    }

    #[test]
    fn a_file_without_a_header_is_found() {
        let folder = std::env::temp_dir().join(format!("pointsman-tidy-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        std::fs::write(folder.join("bare.rs"), "fn main() {}\n").expect("a temporary file");
        let problems = headers(&folder);
        std::fs::remove_dir_all(&folder).expect("the temporary folder goes away");
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}
