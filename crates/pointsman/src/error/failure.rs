//! [`FailureClass`]: the kind of a failure, which decides how a session reacts. [`FailedAttempt`]: a failed attempt at
//! a query.

use super::{Error, ErrorKind};
use pointsman_device::DeviceErrorKind;
use std::fmt;
use std::time::Duration;

/// The kind of a failure that ended an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureClass {
    /// The device or the host ran out of memory.
    OutOfMemory,
    /// A retry may succeed.
    Transient,
    /// The device is gone.
    Lost,
    /// The device's compiler refused the program.
    Compile,
    /// The device did not finish in time.
    Timeout,
    /// The answer differs from the CPU's.
    Mismatch,
    /// The device cannot run the query.
    Unsupported,
    /// The device was not tried: too many wait for it, it failed too often, or it was lost before.
    Refused,
    /// The disk failed while columns were spilled to it.
    Disk,
    /// The query or its data caused the failure, or the caller's deadline or cancellation ended it.
    User,
    /// A bug of Pointsman.
    Internal,
}

impl FailureClass {
    /// Classifies an error.
    pub(crate) fn of(error: &Error) -> FailureClass {
        match error.device_kind() {
            Some(DeviceErrorKind::OutOfMemory) => FailureClass::OutOfMemory,
            Some(DeviceErrorKind::Transient) => FailureClass::Transient,
            Some(DeviceErrorKind::Lost) => FailureClass::Lost,
            Some(DeviceErrorKind::Compile) => FailureClass::Compile,
            Some(DeviceErrorKind::Timeout) => FailureClass::Timeout,
            Some(DeviceErrorKind::Stopped | DeviceErrorKind::Expired) => FailureClass::User,
            Some(DeviceErrorKind::Unsupported) => FailureClass::Unsupported,
            Some(DeviceErrorKind::InvalidArgument | DeviceErrorKind::Internal) => FailureClass::Internal,
            // No device raised the error.
            None => match error.kind() {
                ErrorKind::InvalidQuery | ErrorKind::Arithmetic | ErrorKind::Cancelled => FailureClass::User,
                ErrorKind::Unsupported => FailureClass::Unsupported,
                ErrorKind::OutOfMemory => FailureClass::OutOfMemory,
                ErrorKind::Busy | ErrorKind::Unavailable | ErrorKind::DeviceLost => FailureClass::Refused,
                ErrorKind::Mismatch => FailureClass::Mismatch,
                // Without a device error, only the query's own deadline causes a timeout.
                ErrorKind::Timeout => FailureClass::User,
                ErrorKind::Io => FailureClass::Disk,
                ErrorKind::Internal => FailureClass::Internal,
            },
        }
    }

    /// Whether the device is to blame: it was tried, and neither the query nor its data caused the error.
    pub(crate) const fn is_device_failure(self) -> bool {
        match self {
            FailureClass::OutOfMemory
            | FailureClass::Transient
            | FailureClass::Lost
            | FailureClass::Compile
            | FailureClass::Timeout
            | FailureClass::Mismatch
            | FailureClass::Unsupported
            | FailureClass::Internal => true,
            FailureClass::Refused | FailureClass::Disk | FailureClass::User => false,
        }
    }

    /// The name of the class.
    pub const fn name(self) -> &'static str {
        match self {
            FailureClass::OutOfMemory => "out of memory",
            FailureClass::Transient => "transient",
            FailureClass::Lost => "lost",
            FailureClass::Compile => "compile",
            FailureClass::Timeout => "timeout",
            FailureClass::Mismatch => "mismatch",
            FailureClass::Unsupported => "unsupported",
            FailureClass::Refused => "not tried",
            FailureClass::Disk => "disk",
            FailureClass::User => "query",
            FailureClass::Internal => "internal",
        }
    }
}

/// A failed attempt at a query, or a device that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAttempt {
    /// The name of the device.
    pub device: String,
    /// The class of the failure.
    pub class: FailureClass,
    /// A message that says what happened.
    pub message: String,
    /// How long the attempt took.
    pub time: Duration,
}

impl fmt::Display for FailedAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {:.1?}): {}", self.device, self.class.name(), self.time, self.message)
    }
}
