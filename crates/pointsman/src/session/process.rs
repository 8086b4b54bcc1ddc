//! Sessions in a child that `fork` made: queries are errors, and dropping the session does nothing.

use super::Session;
use crate::error::{Error, ErrorKind, Result};
use std::sync::Arc;

impl Drop for Session {
    /// In a forked child the session is leaked: joining threads that do not exist panics, waiting for them takes
    /// forever, and its drivers and stored files are the parent's.
    fn drop(&mut self) {
        let process = self.0.process;
        if !process.is_same() || (Arc::strong_count(&self.0) == 1 && !process.is_current()) {
            std::mem::forget(self.0.clone());
        }
    }
}

impl Session {
    /// An error in a forked child: a lock that another thread held when it was forked would never be released.
    #[inline]
    pub(super) fn check_process(&self) -> Result<()> {
        if self.0.process.is_same() { Ok(()) } else { Err(inherited()) }
    }
}

/// The error of a query whose session another process opened.
#[cold]
pub(crate) fn inherited() -> Error {
    let text =
        "the session was inherited through `fork`, without its threads and drivers: open a session in this process";
    Error::new(ErrorKind::Unavailable, text)
}
