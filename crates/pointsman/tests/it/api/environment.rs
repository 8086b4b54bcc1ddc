//! The variables of the environment, each in a process of its own: what a session understands, and what it refuses.

use pointsman::{ErrorKind, Session};
use pointsman_device::environment::{ALL, SWITCH};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

const CHILD: &str = "POINTSMAN_TEST_OPEN";

/// Opens a session in a process with these variables. The result is its error, if it fails.
fn open(variables: &[(&str, &OsStr)]) -> Option<String> {
    let file =
        std::env::temp_dir().join(format!("pointsman-open-{}-{:?}", std::process::id(), std::thread::current().id()));
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["api::environment::child", "--exact"]).env(CHILD, &file);
    for variable in ALL {
        child.env_remove(variable.name);
    }
    let output = child.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let said = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    (!said.is_empty()).then_some(said)
}

#[test]
fn child() {
    let Some(file) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let said = match Session::open() {
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
            error.to_string()
        }
        Ok(session) => {
            let directory = session.options().program_directory.clone();
            assert!(directory.is_none_or(|directory| directory.is_absolute()));
            String::new()
        }
    };
    std::fs::write(file, said).unwrap();
}

#[test]
fn invalid_variable_is_an_error_of_open() {
    let cases = [
        ("POINTSMAN_DEVICE", "cuda:x", "a device"),
        ("POINTSMAN_DEVICE", "gpu", "`gpu` is no device"),
        ("POINTSMAN_DEVICE", "cuda:0+", "`` is no device"),
        ("POINTSMAN_DEVICE", "cuda:007", "`cuda:007` is no device"),
        ("POINTSMAN_DEVICES", "cpu,cdua:0", "`cdua:0` is no device"),
        ("POINTSMAN_DISABLE", "vulcan", "`vulkan`"),
        ("POINTSMAN_POLICY", "quick", "`deterministic`"),
        ("POINTSMAN_WATTS", "cpu:150", "`cpu=150,cuda:0=400`"),
        ("POINTSMAN_WATTS", "cpu=-3", "above 0"),
        ("POINTSMAN_MEMORY_RESERVE", "half", "0 to 0.95"),
        ("POINTSMAN_LEARNING", "never", "`off`"),
        ("POINTSMAN_CACHE", "disabled", "`off`"),
        ("POINTSMAN_JIT", "of", "`off`"),
    ];
    for (name, value, allowed) in cases {
        let said = open(&[(name, value.as_ref())]).unwrap_or_else(|| panic!("{name}={value} is no error"));
        for part in [name, &format!("`{value}`"), allowed, "unset it"] {
            assert!(said.contains(part), "`{part}` is not in `{said}`");
        }
    }
}

#[test]
fn every_switch_has_the_same_words() {
    for variable in ALL.iter().filter(|variable| variable.allowed == SWITCH) {
        for word in ["off", "OFF", "0", "false", "no", "on", "1", "True", "yes", ""] {
            assert_eq!(open(&[(variable.name, word.as_ref())]), None, "{}={word}", variable.name);
        }
    }
    assert_eq!(open(&[("POINTSMAN_POLICY", "Deterministic".as_ref())]), None);
    assert_eq!(
        open(&[("POINTSMAN_CACHE_DIR", "relative".as_ref()), ("POINTSMAN_DEVICE", "cuda:7+cpu".as_ref())]),
        None
    );
}

#[test]
#[cfg(unix)]
fn only_directories_may_be_other_than_utf_8() {
    use std::os::unix::ffi::OsStringExt;
    let value = OsString::from_vec(b"o\xffn".to_vec());
    for variable in ALL {
        let said = open(&[(variable.name, &value)]);
        match variable.name.ends_with("_DIR") {
            true => assert_eq!(said, None),
            false => assert!(said.is_some_and(|said| said.contains(variable.name) && said.contains("not UTF-8"))),
        }
    }
}

#[test]
fn the_readme_lists_every_variable() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    for variable in ALL {
        assert!(readme.contains(&format!("| `{}=", variable.name)), "the README does not list {}", variable.name);
    }
    let is_part = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    for (at, _) in readme.match_indices("POINTSMAN_") {
        let name: String = readme[at..].chars().take_while(|letter| is_part(*letter)).collect();
        assert!(ALL.iter().any(|variable| variable.name == name), "no session reads {name}");
    }
}
