//! The golden kernels: shows how what the code renders now differs from the stored texts, and stores it if asked. The
//! tests of `pointsman-ir` render; nothing here knows how.

use crate::repository::{files, read, shown};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the kernels (`in`), their texts (`out`) and the list of who renders them (`targets.txt`) are.
const FOLDER: &str = "crates/pointsman-ir/tests/kernels";
/// The folders of `out`, and the extensions of their files.
const TARGETS: [(&str, &str); 4] = [("cuda", "cu"), ("wgsl", "wgsl"), ("msl", "metal"), ("x86", "asm")];

/// Shows the differences, and stores the new texts with `--write`.
pub(crate) fn run(root: &Path, options: &[String]) -> Vec<String> {
    let write = match options {
        [] => false,
        [option] if option == "--write" => true,
        other => return vec![format!("xtask kernels: `{}` is no option; there is `--write`", other.join(" "))],
    };
    let (stored, rendered) = (root.join(FOLDER).join("out"), root.join("target/kernels"));
    let result = render(root, &rendered).and_then(|()| {
        let show = |format: &str| difference(root, format, &stored, &rendered);
        show("--stat")?;
        if write { replace(&stored, &rendered) } else { show("--patch") }
    });
    result.err().into_iter().collect()
}

/// Lets the tests of the renderers write what they render into a folder.
fn render(root: &Path, into: &Path) -> Result<(), String> {
    if into.exists() {
        fs::remove_dir_all(into).map_err(|error| format!("{}: {error}", into.display()))?;
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let ended = Command::new(cargo)
        .args(["test", "--quiet", "--package", "pointsman-ir", "--all-features", "--test", "it", "equals_the_goldens"])
        .env("POINTSMAN_KERNELS_INTO", into)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo test did not start: {error}"))?;
    if ended.status.success() {
        return Ok(());
    }
    let [out, err] = [&ended.stdout, &ended.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    Err(format!("the kernels could not be rendered:\n{out}{err}"))
}

/// Prints how two folders differ.
fn difference(root: &Path, format: &str, old: &Path, new: &Path) -> Result<(), String> {
    let relative = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_path_buf();
    let ended = Command::new("git")
        .args(["--no-pager", "diff", "--no-index", format])
        .args([relative(old), relative(new)])
        .current_dir(root)
        .status()
        .map_err(|error| format!("git did not start: {error}"))?;
    // 1 says that there are differences.
    if ended.code().is_some_and(|code| code <= 1) { Ok(()) } else { Err(format!("git diff failed: {ended}")) }
}

/// Puts a folder in the place of another.
fn replace(old: &Path, new: &Path) -> Result<(), String> {
    let removed = if old.exists() { fs::remove_dir_all(old) } else { Ok(()) };
    removed.and_then(|()| fs::rename(new, old)).map_err(|error| format!("{}: {error}", old.display()))
}

/// Every kernel has its line in `targets.txt`, every target of a line its text, and every text its kernel and target.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let (folder, mut problems) = (root.join(FOLDER), Vec::new());
    let list = folder.join("targets.txt");
    let text = read(root, &list, &mut problems);
    let mut expected = BTreeSet::from([list.clone()]);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, targets) = line.split_once(':').unwrap_or((line, ""));
        expected.insert(folder.join("in").join(format!("{name}.kernel")));
        for target in targets.split_whitespace() {
            let Some((_, ending)) = TARGETS.iter().find(|(known, _)| *known == target) else {
                problems.push(format!("{}: there is no target `{target}`", shown(root, &list)));
                continue;
            };
            expected.insert(folder.join("out").join(target).join(format!("{name}.{ending}")));
        }
    }
    let found: BTreeSet<PathBuf> = files(&folder, "").into_iter().collect();
    let missing =
        expected.difference(&found).map(|path| format!("{}: listed in targets.txt, but missing", shown(root, path)));
    let unknown = found.difference(&expected).map(|path| format!("{}: not listed in targets.txt", shown(root, path)));
    problems.extend(missing.chain(unknown));
    problems.extend(
        files(root, ".kernel")
            .iter()
            .filter(|path| !path.starts_with(&folder))
            .map(|path| format!("{}: a kernel that no test reads; it belongs in {FOLDER}/in", shown(root, path))),
    );
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_golden_without_a_kernel_and_a_kernel_without_a_golden_are_found() {
        let root = std::env::temp_dir().join(format!("pointsman-kernels-{}", std::process::id()));
        let folder = root.join(FOLDER);
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a temporary folder");
            fs::write(path, text).expect("a temporary file");
        };
        write("targets.txt", "# a list\na: cuda x86\nb:\n");
        write("in/a.kernel", "");
        write("in/c.kernel", "");
        write("out/cuda/a.cu", "");
        write("out/msl/a.metal", "");
        let problems = check(&root);
        fs::remove_dir_all(&root).expect("the temporary folder goes away");
        let named: Vec<&str> = problems.iter().filter_map(|line| line.strip_prefix(FOLDER)).collect();
        assert_eq!(
            named,
            [
                "/in/b.kernel: listed in targets.txt, but missing",
                "/out/x86/a.asm: listed in targets.txt, but missing",
                "/in/c.kernel: not listed in targets.txt",
                "/out/msl/a.metal: not listed in targets.txt",
            ]
        );
    }
}
