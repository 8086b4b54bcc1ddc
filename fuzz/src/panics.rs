//! Panics anywhere in the process, also those that a thread of the library catches: each counts as a failure.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records every panic from now on, instead of printing it.
pub(crate) fn install() {
    panic::set_hook(Box::new(|info| {
        let thread = std::thread::current();
        let text = format!("thread {}: {info}", thread.name().unwrap_or("without a name"));
        PANICS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(text);
    }));
}

/// The panics since the last call.
pub(crate) fn take() -> Vec<String> {
    std::mem::take(&mut PANICS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// Calls `f`; a panic becomes its text.
pub(crate) fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(f)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
    })
}
