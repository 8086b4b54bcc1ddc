//! An entry of the program cache as bytes: in go a key and an image, out comes the same image for the same key, or why not.
//!
//! ```text
//! magic (8) · version (4) · lengths of key, format and program (8 each) · key · format · program · checksum (16)
//! ```
//! Numbers are little-endian. The checksum is over everything before it, and the lengths must fit to the byte, so an
//! entry that was damaged anywhere is refused.

use pointsman_device::ProgramImage;
use twox_hash::XxHash3_128;

const MAGIC: &[u8; 8] = b"PTSMPROG";
/// The form of entries; another one is refused.
const VERSION: u32 = 1;
const LENGTHS: usize = 3;
const HEAD_BYTES: usize = MAGIC.len() + 4 + LENGTHS * 8;
const CHECKSUM_BYTES: usize = 16;

/// Why an entry is not loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is not what was written, or no entry of this form.
    Damaged,
    /// It is whole, but of another key.
    OtherKey,
}

/// An entry's bytes.
pub(super) fn encode(key: &str, image: &ProgramImage) -> Vec<u8> {
    let parts = [key.as_bytes(), image.format.as_bytes(), &image.bytes];
    let mut bytes =
        Vec::with_capacity(HEAD_BYTES + parts.iter().map(|part| part.len()).sum::<usize>() + CHECKSUM_BYTES);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    parts.iter().for_each(|part| bytes.extend((part.len() as u64).to_le_bytes()));
    parts.iter().for_each(|part| bytes.extend(*part));
    bytes.extend(XxHash3_128::oneshot(&bytes).to_le_bytes());
    bytes
}

/// The image of an undamaged entry of this key.
pub(super) fn decode(bytes: &[u8], key: &str) -> Result<ProgramImage, Refused> {
    let (content, stored) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or(Refused::Damaged)?;
    if u128::from_le_bytes(*stored) != XxHash3_128::oneshot(content) {
        return Err(Refused::Damaged);
    }
    let (own_key, format, program) = parts(content).ok_or(Refused::Damaged)?;
    if own_key != key.as_bytes() {
        return Err(Refused::OtherKey);
    }
    let format = String::from_utf8(format.to_vec()).map_err(|_| Refused::Damaged)?;
    Ok(ProgramImage::stored(format, program.to_vec()))
}

/// Key, format and program, if the head is ours and the lengths fit.
fn parts(content: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let content = content.strip_prefix(MAGIC)?.strip_prefix(&VERSION.to_le_bytes())?;
    let (lengths, rest) = content.split_at_checked(LENGTHS * 8)?;
    let length = |number: usize| {
        let bytes = lengths.as_chunks::<8>().0.get(number)?;
        usize::try_from(u64::from_le_bytes(*bytes)).ok()
    };
    let (key, rest) = rest.split_at_checked(length(0)?)?;
    let (format, program) = rest.split_at_checked(length(1)?)?;
    (program.len() == length(2)?).then_some((key, format, program))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const KEY: &str = "build 1\nkernel";

    fn sealed(mut content: Vec<u8>) -> Vec<u8> {
        content.extend(XxHash3_128::oneshot(&content).to_le_bytes());
        content
    }

    #[test]
    fn what_was_written_is_read() {
        for program in [&b""[..], b"x", &[7; 1000]] {
            let image = ProgramImage::new("some format", program);
            assert_eq!(decode(&encode(KEY, &image), KEY), Ok(image));
        }
    }

    #[test]
    fn every_changed_byte_and_every_other_length_is_refused() {
        let bytes = encode(KEY, &ProgramImage::new("f", b"program"));
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                assert_eq!(decode(&bytes, KEY), Err(Refused::Damaged), "byte {at} ^ {flip:x}");
            }
            assert_eq!(decode(&bytes[..at], KEY), Err(Refused::Damaged), "the first {at} bytes");
        }
        let longer = [&bytes[..], b"!"].concat();
        assert_eq!(decode(&longer, KEY), Err(Refused::Damaged));
    }

    /// Even with a checksum that fits: heads of other forms, and lengths that do not.
    #[test]
    fn foreign_entries_with_a_good_checksum_are_refused() {
        let content = encode(KEY, &ProgramImage::new("f", b"program"));
        let content = &content[..content.len() - CHECKSUM_BYTES];
        assert!(decode(&sealed(content.to_vec()), KEY).is_ok());
        for at in 0..HEAD_BYTES {
            let mut other = content.to_vec();
            other[at] ^= 0x40;
            assert_eq!(decode(&sealed(other), KEY), Err(Refused::Damaged), "byte {at} of the head");
        }
        assert_eq!(decode(&sealed(Vec::new()), KEY), Err(Refused::Damaged));
    }

    #[test]
    fn an_entry_of_another_key_is_not_loaded() {
        let bytes = encode(KEY, &ProgramImage::new("f", b"program"));
        assert_eq!(decode(&bytes, "build 2\nkernel"), Err(Refused::OtherKey));
    }
}
