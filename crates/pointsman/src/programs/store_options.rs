//! [`StoreOptions`]: the directory and the size limit of the program store.

use crate::private_dir::user_cache_dir;
use pointsman_device::environment::{CACHE, CACHE_DIR};
use std::ffi::OsString;
use std::path::PathBuf;

/// The default size limit of the program store, in bytes.
pub(crate) const STORED_BYTES_MAX: u64 = 256 << 20;

/// The session's settings for the program store.
#[derive(Clone, Debug)]
pub(crate) struct StoreOptions {
    /// The directory; `None` takes it from the environment.
    pub(crate) directory: Option<PathBuf>,
    /// The maximum total size of all entries, in bytes; 0 turns the store off.
    pub(crate) bytes_max: u64,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions { directory: None, bytes_max: STORED_BYTES_MAX }
    }
}

impl StoreOptions {
    /// The directory, or the reason why programs are not stored. `variable` reads the environment.
    pub(crate) fn directory(&self, variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, String> {
        if self.bytes_max == 0 {
            return Err("`program_bytes` is 0".to_string());
        }
        if CACHE.switch(&variable).map_err(|error| error.to_string())? == Some(false) {
            return Err("POINTSMAN_CACHE=off".to_string());
        }
        let named = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let directory = self.directory.clone().or_else(|| CACHE_DIR.path(&variable));
        let default = || user_cache_dir(&named).map(|cache| cache.join("pointsman"));
        let directory = directory.or_else(default);
        let directory = directory.ok_or_else(|| "there is no cache directory: set POINTSMAN_CACHE_DIR".to_string())?;
        std::path::absolute(&directory).map_err(|error| format!("{}: {error}", directory.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(options: &StoreOptions, variables: &[(&str, &str)], expected: Result<&str, &str>) {
        let variable = |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.into());
        let directory = options.directory(variable);
        assert_eq!(directory.as_deref(), expected.map(std::path::Path::new).map_err(String::from).as_deref());
    }

    #[test]
    fn session_overrides_environment_and_off_overrides_both() {
        let (plain, off) = (StoreOptions::default(), StoreOptions { bytes_max: 0, ..StoreOptions::default() });
        let own = StoreOptions { directory: Some("/own".into()), ..StoreOptions::default() };
        let (dir, home) = (("POINTSMAN_CACHE_DIR", "/dir"), ("HOME", "/home/a"));
        check(&plain, &[dir, home], Ok("/dir"));
        check(&own, &[dir, home], Ok("/own"));
        check(&own, &[dir, ("POINTSMAN_CACHE", "OFF")], Err("POINTSMAN_CACHE=off"));
        check(&own, &[dir, ("POINTSMAN_CACHE", "0")], Err("POINTSMAN_CACHE=off"));
        check(&own, &[("POINTSMAN_CACHE", "on")], Ok("/own"));
        check(&off, &[dir], Err("`program_bytes` is 0"));
        check(&plain, &[], Err("there is no cache directory: set POINTSMAN_CACHE_DIR"));
    }

    #[test]
    #[cfg(all(unix, not(target_vendor = "apple")))]
    fn default_directory_is_in_the_user_cache() {
        let (plain, home) = (StoreOptions::default(), ("HOME", "/home/a"));
        check(&plain, &[home], Ok("/home/a/.cache/pointsman"));
        check(&plain, &[home, ("XDG_CACHE_HOME", "/x")], Ok("/x/pointsman"));
        check(&plain, &[home, ("XDG_CACHE_HOME", "relative")], Ok("/home/a/.cache/pointsman"));
        check(&plain, &[("HOME", "relative")], Err("there is no cache directory: set POINTSMAN_CACHE_DIR"));
    }
}
