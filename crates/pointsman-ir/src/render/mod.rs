//! Kernel → code, one module per target: renders a guarded kernel as bytes or text, or returns an error that says why
//! that is not possible. Pure.

pub(crate) mod c_style;
pub mod cuda;
pub mod wgsl;
pub mod x86;

use std::fmt;

/// The reason why a kernel cannot be rendered as source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRendered {
    /// The unsupported part, in a few words.
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
