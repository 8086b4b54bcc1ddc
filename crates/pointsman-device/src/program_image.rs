//! [`ProgramImage`]: a program as bytes, as `compile` returns it, a cache stores it and `load` takes it. Damaged and
//! foreign images are refused.
//! A device whose images are never stored may hand over the kernel itself instead of bytes.

use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use pointsman_ir::kernel::Kernel;
use std::sync::Arc;

/// Bytes of the checksum at the end of an image.
const CHECKSUM_BYTES: usize = 8;

/// A program as bytes, with a checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramImage {
    /// The kind of device that made the image and the format of its bytes; other devices refuse it.
    pub format: String,
    /// The program, followed by a checksum.
    pub bytes: Vec<u8>,
    /// The verified kernel, where the program is made by `load`. It is lost when the bytes are stored.
    pub(crate) kernel: Option<Arc<Kernel>>,
}

impl ProgramImage {
    /// Creates an image of a program.
    pub fn new(format: &str, program: &[u8]) -> ProgramImage {
        let mut bytes = program.to_vec();
        bytes.extend(checksum(format, program).to_le_bytes());
        ProgramImage::stored(format.to_string(), bytes)
    }

    /// The image with these bytes, as a store kept them. `load` finds out whether they are undamaged.
    pub fn stored(format: String, bytes: Vec<u8>) -> ProgramImage {
        ProgramImage { format, bytes, kernel: None }
    }

    /// An image that holds a kernel and no bytes but the checksum. The caller has verified the kernel.
    pub(crate) fn of_kernel(format: &str, kernel: Kernel) -> ProgramImage {
        ProgramImage { kernel: Some(Arc::new(kernel)), ..ProgramImage::new(format, &[]) }
    }

    /// The program, if this is an undamaged image of the given format.
    pub fn program(&self, format: &str) -> DeviceResult<&[u8]> {
        let refuse = |message: String| Err(DeviceError::new(DeviceErrorKind::Compile, message));
        if self.format != format {
            return refuse(format!("an image of `{}`, not of `{format}`", self.format));
        }
        let Some((program, stored)) = self.bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
            return refuse(format!("an image of {} bytes has no checksum", self.bytes.len()));
        };
        if u64::from_le_bytes(*stored) != checksum(format, program) {
            return refuse("a damaged image: its checksum does not fit".to_string());
        }
        Ok(program)
    }
}

/// FNV-1a in 64 bits: each step is invertible, so a change of any single byte is always detected.
fn checksum(format: &str, program: &[u8]) -> u64 {
    let bytes = format.bytes().chain(program.iter().copied());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
