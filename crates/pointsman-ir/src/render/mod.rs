//! Kernel → code, one module a target. Pure: in goes a guarded kernel, out come bytes or text, or a sentence why there are
//! none.

pub(crate) mod c_style;
pub mod cuda;
pub mod wgsl;
pub mod x86;

use std::fmt;

/// What keeps a kernel from being written as source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRendered {
    /// What is missing, in a few words.
    pub message: String,
}

impl NotRendered {
    pub(crate) fn new(message: impl Into<String>) -> NotRendered {
        NotRendered { message: message.into() }
    }
}

impl fmt::Display for NotRendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NotRendered {}
