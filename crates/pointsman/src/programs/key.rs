//! The key of a stored program: everything that its image depends on, as text, and a file's name made of that.

use pointsman_device::{BUILD, Device};
use pointsman_ir::VERSION;
use pointsman_ir::kernel::Kernel;
use twox_hash::XxHash3_128;

/// What stands behind the dot in the names of entries.
pub(super) const EXTENSION: &str = "program";

/// The key of a stored program.
pub(super) struct Key {
    /// All of it. An entry holds it too, so that no other program is loaded even if two keys had one name.
    pub(super) text: String,
    /// The name of the entry's file.
    pub(super) name: String,
}

impl Key {
    /// The key of a kernel on a device.
    pub(super) fn new(kernel: &Kernel, device: &dyn Device) -> Key {
        let (info, target, kernel) = (device.info(), device.fingerprint(), kernel.print());
        Key::of_text(format!(
            "build {BUILD}, language {VERSION}\ndevice {:?} {:?}\ntarget {target:?}\n{kernel}",
            info.kind, info.model
        ))
    }

    pub(super) fn of_text(text: String) -> Key {
        let name = format!("{:032x}.{EXTENSION}", XxHash3_128::oneshot(text.as_bytes()));
        Key { text, name }
    }
}
