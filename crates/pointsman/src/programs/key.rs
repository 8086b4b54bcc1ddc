//! The key of a stored program: everything that its image depends on, as text, and the file name derived from that
//! text.

use pointsman_device::{BUILD, Device};
use pointsman_ir::VERSION;
use pointsman_ir::kernel::Kernel;
use twox_hash::XxHash3_128;

/// The extension of entry files.
pub(super) const EXTENSION: &str = "program";

/// The key of a stored program.
pub(super) struct Key {
    /// The whole key. Each entry contains it, so that a hash collision of two file names never loads a wrong program.
    pub(super) text: String,
    /// The file name of the entry: a hash of `text`.
    pub(super) name: String,
}

impl Key {
    pub(super) fn new(kernel: &Kernel, device: &dyn Device) -> Key {
        let (info, target, kernel) = (device.info(), device.fingerprint(), kernel.print());
        Key::from_text(format!(
            "build {BUILD}, language {VERSION}\ndevice {:?} {:?}\ntarget {target:?}\n{kernel}",
            info.kind, info.model
        ))
    }

    pub(super) fn from_text(text: String) -> Key {
        let name = format!("{:032x}.{EXTENSION}", XxHash3_128::oneshot(text.as_bytes()));
        Key { text, name }
    }
}
