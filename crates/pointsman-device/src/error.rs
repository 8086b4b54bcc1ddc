//! What can go wrong on a device, by kind: the runtime reacts to the kind, never to the text.

use std::fmt;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceErrorKind {
    /// The device cannot run this kernel, ever.
    Unsupported,
    /// The device's compiler or loader refused the program.
    Compile,
    /// No memory for it now.
    OutOfMemory,
    /// It may work if tried again.
    Transient,
    /// The device is gone for this process.
    Lost,
    /// The patience ran out; the work may still be running.
    Timeout,
    /// Whoever looked on told it to stop: see `ProgressObserver`.
    Stopped,
    /// A handle, a size or a layout that does not fit: a bug above this crate.
    InvalidArgument,
    /// A bug in this crate.
    Internal,
}

/// A failure of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceError {
    /// What kind.
    pub kind: DeviceErrorKind,
    /// What happened, for people.
    pub message: String,
}

impl DeviceError {
    /// An error of this kind.
    pub fn new(kind: DeviceErrorKind, message: impl Into<String>) -> DeviceError {
        DeviceError { kind, message: message.into() }
    }

    /// A handle, size or layout that does not fit.
    pub fn invalid(message: impl Into<String>) -> DeviceError {
        DeviceError::new(DeviceErrorKind::InvalidArgument, message)
    }

    /// A kernel that the device cannot run.
    pub fn unsupported(message: impl Into<String>) -> DeviceError {
        DeviceError::new(DeviceErrorKind::Unsupported, message)
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DeviceError {}

/// A result of a device.
pub type DeviceResult<T> = Result<T, DeviceError>;
