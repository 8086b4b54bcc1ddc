//! The devices of this machine.

use crate::error::Result;
use pointsman_device::Device;
use std::sync::Arc;

/// All devices, the CPU first.
pub(crate) fn open(_threads: Option<usize>) -> Result<Vec<Arc<dyn Device>>> {
    Ok(Vec::new())
}
