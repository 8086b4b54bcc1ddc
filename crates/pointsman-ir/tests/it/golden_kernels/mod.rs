//! Golden kernels: each kernel of `tests/kernels/in`, rendered as its devices get it, equals the stored text in
//! `tests/kernels/out`. `tests/kernels/targets.txt` says which targets render which kernel.
//!

//! `cargo xtask kernels` shows what differs, `cargo xtask kernels --write` stores what the code renders now.

mod coverage;
mod diff;
mod listing;
mod render;

use pointsman_ir::kernel::Kernel;
use pointsman_ir::kernel::parse::parse;
use render::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels");
/// The variable that names a folder, for `cargo xtask kernels`: texts are written there instead of compared.
const INTO: &str = "POINTSMAN_KERNELS_INTO";
/// Lines of differences that a failure prints.
const SHOWN_LINES: usize = 40;

/// The texts of the kernels of `in`, by name.
pub(crate) fn inputs() -> BTreeMap<String, String> {
    texts(&Path::new(FOLDER).join("in"), "kernel")
}

/// The files of a folder by name without extension; each must have this extension.
fn texts(folder: &Path, extension: &str) -> BTreeMap<String, String> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    let text = |path: PathBuf| {
        assert_eq!(path.extension().and_then(|own| own.to_str()), Some(extension), "{}", path.display());
        (path.file_stem().unwrap().to_str().unwrap().to_string(), fs::read_to_string(&path).unwrap())
    };
    entries.map(|entry| text(entry.unwrap().path())).collect()
}

/// The kernels of `in`, by name.
fn kernels() -> BTreeMap<String, Kernel> {
    inputs().into_iter().map(|(name, text)| (name, parse(&text).unwrap())).collect()
}

/// The targets of each kernel that `targets.txt` lists.
fn listed() -> BTreeMap<String, BTreeSet<Target>> {
    let text = fs::read_to_string(Path::new(FOLDER).join("targets.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let entry = |line: &str| {
        let (name, targets) = line.split_once(':').unwrap_or_else(|| panic!("targets.txt: no `:` in `{line}`"));
        (name.to_string(), targets.split_whitespace().map(Target::from_name).collect())
    };
    lines.map(entry).collect()
}

/// The rendered texts of a target, by kernel.
fn rendered(target: Target) -> BTreeMap<String, String> {
    kernels().iter().filter_map(|(name, kernel)| Some((name.clone(), target.render(kernel)?))).collect()
}

/// Compares a target's texts with the stored ones, or writes them.
fn check(target: Target) {
    let now = rendered(target);
    if let Some(folder) = std::env::var_os(INTO) {
        let folder = Path::new(&folder).join(target.name());
        fs::create_dir_all(&folder).unwrap();
        let write = |(name, text)| fs::write(folder.join(format!("{name}.{}", target.extension())), text).unwrap();
        return now.iter().for_each(write);
    }
    let stored = texts(&Path::new(FOLDER).join("out").join(target.name()), target.extension());
    let names: BTreeSet<&String> = now.keys().chain(stored.keys()).collect();
    let differing: Vec<&String> = names.into_iter().filter(|name| now.get(*name) != stored.get(*name)).collect();
    let Some(first) = differing.first() else { return };
    let text = |texts: &BTreeMap<String, String>| texts.get(*first).cloned().unwrap_or_default();
    panic!(
        "{} golden kernels of {} differ: {differing:?}\n`cargo xtask kernels` shows all differences; if they are \
         intended, `cargo xtask kernels --write` stores them.\n{first}, stored (-) and rendered now (+):\n{}",
        differing.len(),
        target.name(),
        diff::excerpt(&text(&stored), &text(&now), SHOWN_LINES),
    );
}

#[test]
fn cuda_equals_the_goldens() {
    check(Target::Cuda);
}

#[test]
fn wgsl_equals_the_goldens() {
    check(Target::Wgsl);
}

#[test]
fn msl_equals_the_goldens() {
    check(Target::Msl);
}

#[test]
fn x86_equals_the_goldens() {
    check(Target::X86);
}

#[test]
fn targets_render_the_kernels_that_are_listed_for_them() {
    let found: BTreeMap<String, BTreeSet<Target>> = kernels()
        .iter()
        .map(|(name, kernel)| (name.clone(), Target::ALL.into_iter().filter(|t| t.render(kernel).is_some()).collect()))
        .collect();
    let line = |targets: Option<&BTreeSet<Target>>| match targets {
        Some(targets) => targets.iter().map(|target| format!(" {}", target.name())).collect(),
        None => " (no line)".to_string(),
    };
    let listed = listed();
    let names: BTreeSet<&String> = found.keys().chain(listed.keys()).collect();
    let wrong: Vec<String> = names
        .into_iter()
        .filter(|name| found.get(*name) != listed.get(*name))
        .map(|name| format!("{name}:{} but targets.txt says{}", line(found.get(name)), line(listed.get(name))))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The order of a hash table would show: each has its own seed.
#[test]
fn rendering_twice_gives_the_same_text() {
    for target in Target::ALL {
        assert!(rendered(target) == rendered(target), "{}", target.name());
    }
}
