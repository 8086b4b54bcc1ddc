//! The card that tests run on.

use pointsman_device::cuda::{CudaDevice, devices};

/// The first card; `None`, with the reason printed, on a machine without one. A card that cannot be used fails the
/// test.
pub(crate) fn first_card() -> Option<CudaDevice> {
    let found = devices();
    let first = found.devices.into_iter().next();
    if first.is_none() {
        let reason = found.missing.unwrap_or_default();
        assert!(!std::path::Path::new("/dev/nvidia0").exists(), "there is a card, but: {reason}");
        eprintln!("skipped: {reason}");
    }
    first
}
