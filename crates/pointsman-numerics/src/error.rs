//! Errors of this crate: an argument outside the domain of a function, with what is allowed.

/// An argument that a function does not allow.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// An argument outside the function's domain.
    Domain {
        /// The name of the argument.
        argument: &'static str,
        /// What the caller gave.
        given: f64,
        /// What is allowed, as it reads after "must be".
        allowed: &'static str,
    },
    /// Lengths or shapes that do not fit together.
    Shape(String),
    /// A computation that did not reach its tolerance.
    NotConverged(String),
}

/// The result of a function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Domain { argument, given, allowed } => write!(f, "`{argument}` must be {allowed}, not {given}"),
            Error::Shape(text) | Error::NotConverged(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}
