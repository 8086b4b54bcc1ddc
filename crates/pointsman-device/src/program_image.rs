//! [`ProgramImage`]: a program as bytes, as `compile` returns it, a cache stores it and `load` takes it. Damaged and
//! foreign images are refused.

use crate::{DeviceError, DeviceErrorKind, DeviceResult};

/// Bytes of the checksum at the end of an image.
const CHECKSUM_BYTES: usize = 8;

/// A program as bytes, with a checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramImage {
    /// The kind of device that made the image and the format of its bytes; other devices refuse it.
    pub format: String,
    /// The program, followed by a checksum.
    pub bytes: Vec<u8>,
}

impl ProgramImage {
    /// Creates an image of a program.
    pub fn new(format: &str, program: &[u8]) -> ProgramImage {
        let mut bytes = program.to_vec();
        bytes.extend(checksum(format, program).to_le_bytes());
        ProgramImage { format: format.to_string(), bytes }
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
