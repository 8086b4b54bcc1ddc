//! Programs that must not compile, and what the compiler says of them: `tests/compile_fail/*.rs`, each with its `.stderr`.
//!
//! The compiler checks each program against the library that this test binary was linked with, so nothing is built again.
//! `POINTSMAN_BLESS=1 cargo test -p pointsman --all-features --test it compile_fail` writes the `.stderr` files.
#![allow(clippy::unwrap_used)]

use pointsman_device::environment::{SWITCH, Variable, of_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of this crate, from the root of the workspace, where cargo and therefore these tests call the compiler.
const CRATE: &str = "crates/pointsman/";

/// Whether the messages are written instead of compared.
const BLESS: Variable = Variable { name: "POINTSMAN_BLESS", allowed: SWITCH };

/// A folder for what the compiler writes; it goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("pointsman-compile-fail-{}-{test}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The library that this binary was linked with: the newest that is not newer than the binary. Where a build with other
/// features lies between the two, it has the same sources, since cargo would have built the linked one again otherwise.
fn linked_library(binary: &Path) -> PathBuf {
    let modified = |path: &Path| path.metadata().unwrap().modified().unwrap();
    let is_candidate = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libpointsman-") && name.ends_with(".rlib") && modified(path) <= modified(binary)
    };
    let files = fs::read_dir(binary.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let newest = files.filter(is_candidate).max_by_key(|path| modified(path));
    newest.unwrap_or_else(|| panic!("no libpointsman-*.rlib lies beside {}", binary.display()))
}

fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap()
}

/// What the compiler says of a program that it refuses, normalised; an error if it accepts the program.
fn refusal(program: &Path, out: &Path) -> Result<String, String> {
    let binary = std::env::current_exe().unwrap();
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.current_dir(root()).args(["--edition", "2024", "--crate-type", "bin", "--emit", "metadata"]);
    command.args(["--color", "never", "--out-dir"]).arg(out).arg(program).arg("--extern");
    command.arg(format!("pointsman={}", linked_library(&binary).display()));
    command.arg("-L").arg(format!("dependency={}", binary.parent().unwrap().display()));
    let output = command.output().unwrap();
    if output.status.success() {
        return Err(format!("{} compiles, but must not", program.display()));
    }
    Ok(normalised(&String::from_utf8(output.stderr).unwrap()))
}

/// Messages without what changes from machine to machine and from one version of the library to the next: folders, the
/// library's line numbers, the number of further types in a list, the compiler's last words.
fn normalised(stderr: &str) -> String {
    let messages = stderr.trim_end().split("\n\n");
    let is_kept = |message: &&str| {
        let last_words =
            ["error: aborting due to", "For more information about", "Some errors have detailed explanations"];
        !last_words.iter().any(|words| message.starts_with(words))
    };
    let messages: Vec<String> = messages.filter(is_kept).map(without_numbers).collect();
    messages.join("\n\n") + "\n"
}

/// One message with the library's line numbers left blank, in a margin as wide as the program's own numbers need.
fn without_numbers(message: &str) -> String {
    let is_margin = |text: &str| text.chars().all(|char| char == ' ' || char.is_ascii_digit());
    let wide = message.lines().find_map(|line| line.find("--> ").filter(|at| is_margin(&line[..*at]))).unwrap_or(1);
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut of_library = false;
    for line in message.lines() {
        let (margin, rest) = line.split_at_checked(wide).filter(|(margin, _)| is_margin(margin)).unwrap_or(("", line));
        let Some((arrow, place)) = rest.split_once("--> ").filter(|(before, _)| before.is_empty()) else {
            let blank = of_library && !margin.is_empty();
            let margin = if blank { " " } else { margin };
            lines.push((margin.to_string(), with_any_count(rest)));
            continue;
        };
        let place = place.split_once(CRATE).map_or(place, |(_, place)| place);
        of_library = place.starts_with("src/");
        let shown = if of_library { place.split(':').next().unwrap() } else { place };
        lines.push((" ".to_string(), format!("{arrow}--> {shown}")));
    }
    let narrow = lines.iter().map(|(margin, _)| margin.trim().len()).max().unwrap_or(0).max(1);
    let line = |(margin, rest): &(String, String)| match margin.is_empty() {
        true => rest.clone(),
        false => format!("{:>narrow$}{rest}", margin.trim()),
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The line, if it ends a list of types: however many more there are.
fn with_any_count(line: &str) -> String {
    let count = line.trim_start().strip_prefix("and ").and_then(|rest| rest.strip_suffix(" others"));
    count.filter(|count| count.parse::<usize>().is_ok()).map_or(line.to_string(), |count| line.replace(count, "$N"))
}

/// Checks that a program is refused with the message in its `.stderr` file, which is written first if that is asked for.
fn check(program: &Path, out: &Path, bless: bool) -> Result<(), String> {
    let said = refusal(program, out)?;
    let file = root().join(program).with_extension("stderr");
    if bless {
        fs::write(&file, &said).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    if said == expected { Ok(()) } else { Err(format!("{}:\n{said}\nexpected:\n{expected}", program.display())) }
}

#[test]
fn messages_are_readable() {
    let scratch = Scratch::new("messages");
    let folder = Path::new(CRATE).join("tests/compile_fail");
    let files = fs::read_dir(root().join(&folder)).unwrap().map(|entry| folder.join(entry.unwrap().file_name()));
    let mut programs: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "rs")).collect();
    programs.sort();
    let bless = BLESS.switch(of_process).unwrap() == Some(true);
    let problem = |program: &PathBuf| check(program, &scratch.0, bless).err();
    let problems: Vec<String> = programs.iter().filter_map(problem).collect();
    assert!(programs.len() >= 14, "{} programs", programs.len());
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), programs.len(), problems.join("\n"));
}

#[test]
fn programs_that_compile_and_other_messages_are_found() {
    let scratch = Scratch::new("found");
    let file = |name: &str, text: &str| {
        let path = scratch.0.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let good = file("good.rs", "use pointsman::Session;\nfn main() {\n    let _ = Session::open();\n}\n");
    let problem = check(&good, &scratch.0, false).unwrap_err();
    assert!(problem.ends_with("good.rs compiles, but must not"), "{problem}");
    let bad = file("bad.rs", "fn main() {\n    pointsman::Session::shut();\n}\n");
    assert!(check(&bad, &scratch.0, false).unwrap_err().contains("no function or associated item named `shut`"));
    assert_eq!(check(&bad, &scratch.0, true), Ok(()));
    let stderr = bad.with_extension("stderr");
    fs::write(&stderr, fs::read_to_string(&stderr).unwrap().replace("shut", "stop")).unwrap();
    assert!(check(&bad, &scratch.0, false).unwrap_err().contains("expected:"));
}
