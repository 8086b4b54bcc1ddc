//! One opaque [`Error`] with a small [`ErrorKind`]. Programs handle errors by kind, never by text.

mod failure;

pub use failure::{FailedAttempt, FailureClass};

use pointsman_device::{DeviceError, DeviceErrorKind};
use pointsman_ir::interpret::{Fault, FaultKind};
use pointsman_ir::plan::{PlanError, PlanErrorKind};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A line of the user's program.
pub(crate) type CallSite = &'static Location<'static>;

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of an [`Error`]: who can do something about it. The first three are for the author of the query, `Internal`
/// is for the authors of Pointsman, and all others are conditions of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The query or an option makes no sense: columns of different lengths, an unknown column, a value of another
    /// query.
    InvalidQuery,
    /// The query makes sense, but no device here supports it.
    Unsupported,
    /// A computation failed: a division by zero, a cast out of range, a sum that does not fit. See [`Error::row`].
    Arithmetic,
    /// There is not enough memory.
    OutOfMemory,
    /// Too many queries wait already. See [`SessionOptions::queue_limit`](crate::SessionOptions::queue_limit).
    Busy,
    /// The device failed, but may work later.
    Unavailable,
    /// The device was lost and does not work again in this process.
    DeviceLost,
    /// The device gave another answer than the CPU, and no other device may answer. See
    /// [`SessionOptions::verify_share`](crate::SessionOptions::verify_share).
    Mismatch,
    /// The query took longer than its deadline, or its device longer than the launch timeout.
    Timeout,
    /// The query was cancelled.
    Cancelled,
    /// A file or a connection failed.
    Io,
    /// A bug of Pointsman.
    Internal,
}

impl ErrorKind {
    /// The name of the kind, as metrics and JSON have it.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorKind::InvalidQuery => "invalid_query",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Arithmetic => "arithmetic",
            ErrorKind::OutOfMemory => "out_of_memory",
            ErrorKind::Busy => "busy",
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::DeviceLost => "device_lost",
            ErrorKind::Mismatch => "mismatch",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Io => "io",
            ErrorKind::Internal => "internal",
        }
    }
}

/// An error: a kind for programs, a sentence for people that names the remedy, and, where known, the step of the query
/// and the row that caused it.
///
/// ```
/// # fn main() -> pointsman::Result<()> {
/// let s = pointsman::Session::open()?;
/// let error = s.from(&[6i32, 3, 0]).map(|x| 6 / x).run().unwrap_err();
/// assert_eq!((error.kind(), error.row()), (pointsman::ErrorKind::Arithmetic, Some(2)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone)]
struct Details {
    kind: ErrorKind,
    message: String,
    at: Option<CallSite>,
    /// The name of the query.
    query: Option<Arc<str>>,
    row: Option<u64>,
    /// The kind of failure that a device reported, if a device failed.
    device: Option<DeviceErrorKind>,
    /// The stage that failed, where that is known.
    stage: Option<usize>,
    attempts: Vec<FailedAttempt>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(Details {
            kind,
            message: message.into(),
            at: None,
            query: None,
            row: None,
            device: None,
            stage: None,
            attempts: Vec::new(),
        }))
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::InvalidQuery, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Unsupported, message)
    }

    pub(crate) fn internal(message: impl fmt::Display) -> Error {
        Error::new(ErrorKind::Internal, format!("{message} (this is a bug of Pointsman: please report it)"))
    }

    /// The error of a query that was cancelled.
    pub(crate) fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "the query was cancelled")
    }

    /// Adds the call site, unless the error has one.
    pub(crate) fn at(mut self, place: CallSite) -> Error {
        self.set_call_site(place);
        self
    }

    /// Adds the call site, unless the error has one.
    pub(crate) fn set_call_site(&mut self, place: CallSite) {
        self.0.at.get_or_insert(place);
    }

    /// Adds the query's name, and its call site, unless the error has one.
    #[cold]
    pub(crate) fn set_query(&mut self, place: CallSite, name: Option<&Arc<str>>) {
        self.set_call_site(place);
        self.0.query = name.cloned();
    }

    pub(crate) fn in_row(mut self, row: u64) -> Error {
        self.0.row = Some(row);
        self
    }

    /// States the row of a stage's result in the message, since that is no row of the source.
    pub(crate) fn behind_stage(mut self, row: u64, stage: usize) -> Error {
        self.0.row = None;
        self.0.message = format!("row {row} of what stage {stage} gave: {}", self.0.message);
        self
    }

    /// States the source of its row in the message, since a query over several has several such rows.
    pub(crate) fn in_source(mut self, source: u32) -> Error {
        self.0.message = format!("source {source}: {}", self.0.message);
        self
    }

    /// States the row of what a stage reads in the message, since that is no row of one source.
    pub(crate) fn behind_rows(mut self, row: u64, stage: usize) -> Error {
        self.0.row = None;
        self.0.message = format!("row {row} of what stage {stage} reads: {}", self.0.message);
        self
    }

    /// Adds the stage that raised the error.
    pub(crate) fn in_stage(mut self, stage: usize) -> Error {
        self.0.stage = Some(stage);
        self
    }

    /// Adds the failed attempts.
    pub(crate) fn with_attempts(mut self, attempts: Vec<FailedAttempt>) -> Error {
        self.0.attempts = attempts;
        self
    }

    /// Adds failed attempts that came before those of the error.
    pub(crate) fn after_attempts(mut self, mut before: Vec<FailedAttempt>) -> Error {
        before.append(&mut self.0.attempts);
        self.0.attempts = before;
        self
    }

    /// Replaces the message.
    pub(crate) fn with_message(mut self, message: String) -> Error {
        self.0.message = message;
        self
    }

    /// The kind of failure that a device reported.
    pub(crate) fn device_kind(&self) -> Option<DeviceErrorKind> {
        self.0.device
    }

    /// The stage that raised the error.
    pub(crate) fn stage(&self) -> Option<usize> {
        self.0.stage
    }

    /// Every failed attempt of the query, in order: more than one if several devices or retries failed.
    pub fn attempts(&self) -> &[FailedAttempt] {
        &self.0.attempts
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The cause and the remedy, without the row and the step.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The row of the source in which a computation failed, if known.
    pub fn row(&self) -> Option<u64> {
        self.0.row
    }

    /// The name of the query, if it has one.
    pub fn query(&self) -> Option<&str> {
        self.0.query.as_deref()
    }

    /// The line of the program that wrote the step that failed, if known.
    pub fn location(&self) -> Option<&'static Location<'static>> {
        self.0.at
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.0.query {
            write!(f, "query `{name}`: ")?;
        }
        if let Some(row) = self.0.row {
            write!(f, "row {row}: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(at) = self.0.at {
            write!(f, " (query step at {}:{})", at.file(), at.line())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Error {
        match error.kind {
            PlanErrorKind::Invalid => Error::invalid(error.message),
            PlanErrorKind::Unsupported => Error::unsupported(error.message),
            PlanErrorKind::Internal => Error::internal(error.message),
        }
    }
}

impl From<DeviceError> for Error {
    fn from(error: DeviceError) -> Error {
        let kind = error.kind;
        let mut error = match kind {
            DeviceErrorKind::Unsupported => Error::unsupported(error.message),
            DeviceErrorKind::OutOfMemory => {
                Error::new(ErrorKind::OutOfMemory, format!("out of memory: {}", error.message))
            }
            DeviceErrorKind::Lost => Error::new(ErrorKind::DeviceLost, error.message),
            DeviceErrorKind::Transient => Error::new(ErrorKind::Unavailable, error.message),
            DeviceErrorKind::Timeout | DeviceErrorKind::Expired => Error::new(ErrorKind::Timeout, error.message),
            DeviceErrorKind::Stopped => Error::new(ErrorKind::Cancelled, error.message),
            DeviceErrorKind::Compile | DeviceErrorKind::InvalidArgument | DeviceErrorKind::Internal => {
                Error::internal(error.message)
            }
        };
        error.0.device = Some(kind);
        error
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        let remedy = match fault.kind {
            FaultKind::DivisionByZero => "guard it with `select` or filter the row out",
            FaultKind::Overflow => {
                "cast the operands to a wider type, or keep the row out with `filter` or `select`; of `checked_` methods, \
                 the operators `+`, `-` and `*` wrap"
            }
            FaultKind::CastOutOfRange => "use `cast_saturating`, or a wider type",
            FaultKind::IndexOutOfBounds => "keep the index below the length of the table",
            FaultKind::SumOutOfRange => "cast the values to a wider type before the sum",
        };
        let mut error = Error::new(ErrorKind::Arithmetic, format!("{}; {remedy}", fault.message));
        error.0.row = fault.row;
        error
    }
}
