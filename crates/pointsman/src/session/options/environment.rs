//! What the environment sets for a session. Every variable is read once, when the session opens; a value that is not
//! allowed is an error that names the variable, even where an option of the session takes precedence.

use super::SessionOptions;
use crate::devices::registry::{is_device_name, is_kind};
use crate::error::{Error, Result};
use crate::select::SHARED;
use pointsman_device::environment::{self, Variable, VariableError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Separates the names of a list.
const LISTED: &str = ",";

/// The settings of the environment that are no options of a session.
#[derive(Debug, Default, PartialEq)]
pub(super) struct EnvironmentSettings {
    /// Devices or kinds that may not be used.
    pub(super) without: Vec<String>,
    /// Whether kernels become machine code on the CPU.
    pub(super) jit: Option<bool>,
}

impl From<VariableError> for Error {
    fn from(error: VariableError) -> Error {
        Error::invalid(error.to_string())
    }
}

impl SessionOptions {
    /// Takes options that are not set from the environment, and makes directories absolute: a later change of the
    /// current directory must not move them. `read` reads the environment.
    pub(super) fn read_environment(&mut self, read: impl Fn(&str) -> Option<OsString>) -> Result<EnvironmentSettings> {
        let added = self.added_names();
        let may_be = |name: &str| is_device_name(name) || added.iter().any(|own| own == name);
        let or_kind = |name: &str| may_be(name) || is_kind(name);
        let device = environment::DEVICE.text(&read)?;
        check_parts(environment::DEVICE, device.as_deref(), SHARED, may_be)?;
        let mut lists = [None, None];
        for (list, variable) in lists.iter_mut().zip([environment::DEVICES, environment::DISABLE]) {
            check_parts(variable, variable.text(&read)?.as_deref(), LISTED, or_kind)?;
            *list = variable.list(&read)?;
        }
        let [devices, without] = lists;
        environment::CACHE.switch(&read)?;
        environment::CUDA_LIBRARIES.switch(&read)?;
        self.devices = self.devices.take().or(devices);
        self.prefer = self.prefer.take().or(device);
        let named = |variable: Variable| variable.path(&read);
        self.program_directory = directory(self.program_directory.take(), named(environment::CACHE_DIR))?;
        self.spill_directory = directory(self.spill_directory.take(), named(environment::SPILL_DIR))?;
        Ok(EnvironmentSettings { without: without.unwrap_or_default(), jit: environment::JIT.switch(&read)? })
    }
}

/// Checks that every part of a variable names a device. An empty part of a list names nothing.
fn check_parts(variable: Variable, text: Option<&str>, separator: &str, is_name: impl Fn(&str) -> bool) -> Result<()> {
    let text = text.unwrap_or_default();
    let may_be_empty = separator == LISTED;
    let is_wrong = |part: &&str| !is_name(part) && (!part.is_empty() || !may_be_empty);
    match text.split(separator).map(str::trim).find(is_wrong) {
        Some(part) if !text.is_empty() => Err(variable.error_in(text, part, "is no device").into()),
        Some(_) | None => Ok(()),
    }
}

/// The absolute form of the session's own directory, or else of the environment's.
fn directory(own: Option<PathBuf>, named: Option<PathBuf>) -> Result<Option<PathBuf>> {
    let absolute = |path: &Path| {
        let why = |error| Error::invalid(format!("the directory `{}` has no absolute path: {error}", path.display()));
        std::path::absolute(path).map_err(why)
    };
    own.or(named).as_deref().map(absolute).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn read(variables: &[(&str, &str)], options: SessionOptions) -> Result<(SessionOptions, EnvironmentSettings)> {
        let mut options = options;
        let value = |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.into());
        let settings = options.read_environment(value)?;
        Ok((options, settings))
    }

    #[test]
    fn options_take_precedence() -> Result<()> {
        let variables = [
            ("POINTSMAN_DEVICES", "cpu, vulkan"),
            ("POINTSMAN_DEVICE", "cuda:0+cpu"),
            ("POINTSMAN_DISABLE", "vulkan:1,metal"),
            ("POINTSMAN_JIT", "No"),
        ];
        let (options, settings) = read(&variables, SessionOptions::new())?;
        assert_eq!(options.devices, Some(vec!["cpu".to_string(), "vulkan".to_string()]));
        assert_eq!(options.prefer.as_deref(), Some("cuda:0+cpu"));
        let without = vec!["vulkan:1".to_string(), "metal".to_string()];
        assert_eq!(settings, EnvironmentSettings { without, jit: Some(false) });
        let (options, _) = read(&variables, SessionOptions::new().devices(["cuda"]).prefer("cpu"))?;
        assert_eq!((options.devices, options.prefer), (Some(vec!["cuda".to_string()]), Some("cpu".to_string())));
        Ok(())
    }

    #[test]
    fn relative_directories_start_at_the_current_directory() -> Result<()> {
        let here = std::env::current_dir().expect("there is one");
        let variables = [("POINTSMAN_CACHE_DIR", "cache"), ("POINTSMAN_SPILL_DIR", "spill/here")];
        let (options, _) = read(&variables, SessionOptions::new())?;
        assert_eq!(
            (options.program_directory, options.spill_directory),
            (Some(here.join("cache")), Some(here.join("spill/here")))
        );
        let (options, _) = read(&variables, SessionOptions::new().program_directory("own").spill_directory("/s"))?;
        assert_eq!((options.program_directory, options.spill_directory), (Some(here.join("own")), Some("/s".into())));
        let refused = read(&[], SessionOptions::new().program_directory("")).expect_err("it names nothing");
        assert_eq!(refused.kind(), ErrorKind::InvalidQuery);
        Ok(())
    }
}
