//! Errors of devices, by kind: the runtime reacts to the kind, never to the text.

use std::fmt;

/// The kind of a device error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceErrorKind {
    /// The device can never run this kernel.
    Unsupported,
    /// The device's compiler or loader refused the program.
    Compile,
    /// There is not enough memory now.
    OutOfMemory,
    /// The operation may succeed if tried again.
    Transient,
    /// The device is lost for this process.
    Lost,
    /// The timeout expired; the work may still be running.
    Timeout,
    /// The calling thread's limit passed while the call waited: see [`call_limit`](crate::call_limit). This does not
    /// mean that the device has failed.
    Expired,
    /// The observer of the launch stopped it: see [`ProgressObserver`](crate::ProgressObserver).
    Stopped,
    /// An invalid handle, size or layout: a bug above this crate.
    InvalidArgument,
    /// A bug in this crate.
    Internal,
}

/// An error of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceError {
    /// The kind.
    pub kind: DeviceErrorKind,
    /// A description of the error.
    pub message: String,
}

impl DeviceError {
    /// Creates an error of this kind.
    pub fn new(kind: DeviceErrorKind, message: impl Into<String>) -> DeviceError {
        DeviceError { kind, message: message.into() }
    }

    /// An invalid handle, size or layout.
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

/// The result of a device operation.
pub type DeviceResult<T> = Result<T, DeviceError>;
