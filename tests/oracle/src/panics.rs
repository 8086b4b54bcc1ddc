//! Panics of either side: kept for the report of the failure instead of printed, since a case that panics is run again and
//! again while it shrinks.

use std::sync::{Mutex, PoisonError};

static LAST: Mutex<String> = Mutex::new(String::new());

/// Keeps the messages of panics from now on.
pub(crate) fn install() {
    std::panic::set_hook(Box::new(|info| *LAST.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string()));
}

/// The message of the last panic.
pub(crate) fn last() -> String {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
