//! Maps the driver's result codes to error kinds.
//!
//! The table is our own, so that describing an error never calls the driver, which would panic without a driver.

use crate::{DeviceError, DeviceErrorKind};

/// The name and the error kind of a result code. Codes that end the context (nothing runs in it any more, and every
/// later call returns the same code) are [`DeviceErrorKind::Lost`].
pub(super) fn meaning(code: u32) -> (&'static str, DeviceErrorKind) {
    use DeviceErrorKind::{Compile, Internal, Lost, OutOfMemory, Transient, Unsupported};
    match code {
        1 => ("invalid value", Internal),
        2 => ("out of memory", OutOfMemory),
        3 => ("not initialized", Lost),
        4 => ("the driver shuts down", Lost),
        46 => ("device unavailable", Transient),
        100 => ("no device", Lost),
        101 => ("invalid device", Internal),
        200 => ("invalid image", Compile),
        201 => ("invalid context", Lost),
        209 => ("no code for this card", Compile),
        214 => ("uncorrectable memory error", Lost),
        218 => ("invalid assembly", Compile),
        220 => ("uncorrectable link error", Lost),
        221 => ("no compiler in the driver", Compile),
        222 => ("unsupported assembly version", Compile),
        226 => ("contained error", Lost),
        300 => ("invalid source", Compile),
        304 => ("operating system call failed", Transient),
        400 => ("invalid handle", Internal),
        401 => ("illegal state", Internal),
        500 => ("symbol not found", Compile),
        600 => ("not ready", Internal),
        700 => ("illegal address", Lost),
        701 => ("too many resources for a launch", Unsupported),
        702 => ("launch timed out", Lost),
        709 => ("the context was destroyed", Lost),
        710 => ("assertion failed on the card", Lost),
        714 => ("hardware stack error", Lost),
        715 => ("illegal instruction", Lost),
        716 => ("misaligned address", Lost),
        717 => ("invalid address space", Lost),
        718 => ("invalid program counter", Lost),
        719 => ("launch failed", Lost),
        720 => ("cooperative launch too large", Internal),
        800 => ("not permitted", Unsupported),
        801 => ("not supported", Unsupported),
        802 => ("the system is not ready", Transient),
        803 => ("driver and kernel module do not fit", Lost),
        804 => ("compatibility mode is not supported here", Lost),
        900..=908 => ("capturing failed", Internal),
        909 => ("timed out", Transient),
        999 => ("unknown error", Transient),
        _ => ("a code without a name", Internal),
    }
}

/// The error of a result code.
pub(super) fn error(code: u32, doing: &str) -> DeviceError {
    let (name, kind) = meaning(code);
    DeviceError::new(kind, format!("CUDA, {doing}: {name} (code {code})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeviceErrorKind::*;

    #[test]
    fn codes_become_kinds() {
        for (code, kind) in [
            (2, OutOfMemory),
            (700, Lost),
            (719, Lost),
            (702, Lost),
            (214, Lost),
            (714, Lost),
            (1, Internal),
            (400, Internal),
            (209, Compile),
            (999, Transient),
            (123_456, Internal),
        ] {
            assert_eq!(meaning(code).1, kind, "{code}");
        }
        let found = error(700, "launching");
        assert_eq!(found.message, "CUDA, launching: illegal address (code 700)");
    }
}
