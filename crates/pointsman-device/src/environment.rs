//! The environment variables of the library, and the only parser for them. A variable that is unset or empty has no
//! value; an invalid value is an error that names the variable, the value and the allowed values.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// The values of a variable that is on or off.
pub const SWITCH: &str = "`on`, `1`, `true` or `yes`, or `off`, `0`, `false` or `no`";
const DEVICES_ALLOWED: &str = "devices (`cuda:0`) or kinds of device (`vulkan`), separated by commas";
const DIRECTORY: &str = "a directory";

/// An environment variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: &'static str,
    /// The allowed values, for people.
    pub allowed: &'static str,
}

macro_rules! variables {
    ($($(#[doc = $doc:literal])+ $constant:ident = $name:literal: $allowed:expr;)*) => {
        $($(#[doc = $doc])+ pub const $constant: Variable = Variable { name: $name, allowed: $allowed };)*

        /// Every variable that a session reads.
        pub const ALL: &[Variable] = &[$($constant),*];
    };
}

variables! {
    /// The device of queries that name none.
    DEVICE = "POINTSMAN_DEVICE": "a device (`cpu`, `cuda:0`), or several joined by `+`";
    /// The devices that may be used.
    DEVICES = "POINTSMAN_DEVICES": DEVICES_ALLOWED;
    /// The devices that may not be used.
    DISABLE = "POINTSMAN_DISABLE": DEVICES_ALLOWED;
    /// How devices are selected.
    POLICY = "POINTSMAN_POLICY": "`fastest`, `least-energy` or `deterministic`";
    /// The power of devices.
    WATTS = "POINTSMAN_WATTS": "devices with watts above 0, separated by commas: `cpu=150,cuda:0=400`";
    /// Whether runs change later choices.
    LEARNING = "POINTSMAN_LEARNING": SWITCH;
    /// The fraction of a device's memory that the selector leaves free.
    MEMORY_RESERVE = "POINTSMAN_MEMORY_RESERVE": "a fraction from 0 to 0.95";
    /// Whether programs and timings are stored.
    CACHE = "POINTSMAN_CACHE": SWITCH;
    /// The directory of stored programs and timings.
    CACHE_DIR = "POINTSMAN_CACHE_DIR": DIRECTORY;
    /// The directory of spilled columns.
    SPILL_DIR = "POINTSMAN_SPILL_DIR": DIRECTORY;
    /// Whether kernels become machine code on the CPU.
    JIT = "POINTSMAN_JIT": SWITCH;
    /// Whether cuBLAS and cuFFT compute library calls on NVIDIA cards.
    CUDA_LIBRARIES = "POINTSMAN_CUDA_LIBRARIES": SWITCH;
}

/// A variable whose value is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableError {
    variable: Variable,
    value: String,
    /// The part of the value that is wrong, and why; empty if the whole value is wrong.
    detail: String,
}

impl fmt::Display for VariableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VariableError { variable: Variable { name, allowed }, value, detail } = self;
        write!(f, "the environment variable {name} is `{value}`{detail}: set it to {allowed}, or unset it")
    }
}

impl std::error::Error for VariableError {}

/// Reads a variable of this process.
pub fn of_process(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

impl Variable {
    /// The error for this value of the variable.
    pub fn error(self, value: impl Into<String>) -> VariableError {
        VariableError { variable: self, value: value.into(), detail: String::new() }
    }

    /// The error for this value of the variable, of which one part is wrong.
    pub fn error_in(self, value: impl Into<String>, part: &str, why: &str) -> VariableError {
        VariableError { variable: self, value: value.into(), detail: format!(", where `{part}` {why}") }
    }

    /// The value without spaces around it; `None` if the variable is unset or empty. `read` reads the environment.
    pub fn text(self, read: impl Fn(&str) -> Option<OsString>) -> Result<Option<String>, VariableError> {
        let Some(value) = read(self.name) else { return Ok(None) };
        let shown = value.to_string_lossy().into_owned();
        let text = value
            .into_string()
            .map_err(|_| VariableError { detail: ", which is not UTF-8".to_string(), ..self.error(shown) })?;
        Ok(Some(text.trim().to_string()).filter(|text| !text.is_empty()))
    }

    /// Whether the variable is on or off, in any case of letters.
    pub fn switch(self, read: impl Fn(&str) -> Option<OsString>) -> Result<Option<bool>, VariableError> {
        let Some(text) = self.text(read)? else { return Ok(None) };
        match text.to_ascii_lowercase().as_str() {
            "on" | "1" | "true" | "yes" => Ok(Some(true)),
            "off" | "0" | "false" | "no" => Ok(Some(false)),
            _ => Err(self.error(text)),
        }
    }

    /// The parts of a list with commas, without the empty ones.
    pub fn list(self, read: impl Fn(&str) -> Option<OsString>) -> Result<Option<Vec<String>>, VariableError> {
        let text = self.text(read)?;
        let parts =
            |text: String| text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_string).collect();
        Ok(text.map(parts))
    }

    /// The path, which need not be UTF-8; `None` if the variable is unset or empty.
    pub fn path(self, read: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        read(self.name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(value: &str) -> impl Fn(&str) -> Option<OsString> {
        move |_| Some(value.into())
    }

    #[test]
    fn switches_have_the_same_words_everywhere() {
        for variable in ALL.iter().filter(|variable| variable.allowed == SWITCH) {
            for (on, off) in [("on", "off"), ("1", "0"), ("true", "false"), ("yes", "no"), ("ON", " Off ")] {
                assert_eq!(variable.switch(reads(on)), Ok(Some(true)), "{variable:?} {on}");
                assert_eq!(variable.switch(reads(off)), Ok(Some(false)), "{variable:?} {off}");
            }
            assert_eq!(variable.switch(reads(" ")), Ok(None));
            assert_eq!(variable.switch(|_| None), Ok(None));
            let error = variable.switch(reads("perhaps")).expect_err("it is no switch").to_string();
            for part in [variable.name, "`perhaps`", "`off`, `0`, `false` or `no`"] {
                assert!(error.contains(part), "{error}");
            }
        }
    }

    #[test]
    fn lists_have_no_empty_parts() {
        let parts = |text| DEVICES.list(reads(text)).expect("it is UTF-8");
        assert_eq!(parts(" cpu ,, cuda:0,"), Some(vec!["cpu".to_string(), "cuda:0".to_string()]));
        assert_eq!(parts(""), None);
    }

    #[test]
    #[cfg(unix)]
    fn only_paths_may_be_other_than_utf_8() {
        use std::os::unix::ffi::OsStringExt;
        let read = |_: &str| Some(OsString::from_vec(vec![b'o', 0xff]));
        for variable in ALL {
            let error = variable.text(read).expect_err("it is not UTF-8").to_string();
            assert!(error.contains(variable.name) && error.contains("not UTF-8"), "{error}");
        }
        assert_eq!(CACHE_DIR.path(read), Some(PathBuf::from(OsString::from_vec(vec![b'o', 0xff]))));
    }
}
