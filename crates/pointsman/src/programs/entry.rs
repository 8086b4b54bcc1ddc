//! The file format of a stored program: a key and an image. Only the same key reads the image, and a damaged entry is
//! never decoded.
//!
//! ```text
//! magic (8) · version (4) · lengths of key, format and program (8 each) · key · format · program · checksum (16)
//! ```
//! Numbers are little-endian. The checksum covers everything before it, and the lengths must add up exactly, so damage
//! anywhere in the entry is detected.

use super::store::Stored;
use pointsman_device::ProgramImage;
use twox_hash::XxHash3_128;

const MAGIC: &[u8; 8] = b"PTSMPROG";
/// The version of the format; entries of other versions are refused.
const VERSION: u32 = 1;
const LENGTHS: usize = 3;
const HEADER_BYTES: usize = MAGIC.len() + 4 + LENGTHS * 8;
const CHECKSUM_BYTES: usize = 16;

/// Encodes an entry.
pub(super) fn encode(key: &str, image: &ProgramImage) -> Vec<u8> {
    let parts = [key.as_bytes(), image.format.as_bytes(), &image.bytes];
    let mut bytes =
        Vec::with_capacity(HEADER_BYTES + parts.iter().map(|part| part.len()).sum::<usize>() + CHECKSUM_BYTES);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    parts.iter().for_each(|part| bytes.extend((part.len() as u64).to_le_bytes()));
    parts.iter().for_each(|part| bytes.extend(*part));
    bytes.extend(XxHash3_128::oneshot(&bytes).to_le_bytes());
    bytes
}

/// Decodes an entry; [`Stored::Absent`] if it has another key.
pub(super) fn decode(bytes: &[u8], key: &str) -> Stored {
    match parts(bytes) {
        Some((own, image)) if own == key.as_bytes() => Stored::Found(image),
        Some(_) => Stored::Absent,
        None => Stored::Damaged,
    }
}

/// The key and the image of an entry; `None` if the checksum, the header or the lengths are wrong.
fn parts(bytes: &[u8]) -> Option<(&[u8], ProgramImage)> {
    let (content, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
    if u128::from_le_bytes(*checksum) != XxHash3_128::oneshot(content) {
        return None;
    }
    let content = content.strip_prefix(MAGIC)?.strip_prefix(&VERSION.to_le_bytes())?;
    let (lengths, rest) = content.split_at_checked(LENGTHS * 8)?;
    let length = |number: usize| {
        let bytes = lengths.as_chunks::<8>().0.get(number)?;
        usize::try_from(u64::from_le_bytes(*bytes)).ok()
    };
    let (key, rest) = rest.split_at_checked(length(0)?)?;
    let (format, program) = rest.split_at_checked(length(1)?)?;
    if program.len() != length(2)? {
        return None;
    }
    Some((key, ProgramImage::stored(String::from_utf8(format.to_vec()).ok()?, program.to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "build 1\nkernel";

    fn with_checksum(mut content: Vec<u8>) -> Vec<u8> {
        content.extend(XxHash3_128::oneshot(&content).to_le_bytes());
        content
    }

    #[test]
    fn decode_returns_the_encoded_image() {
        for program in [&b""[..], b"x", &[7; 1000]] {
            let image = ProgramImage::new("some format", program);
            assert_eq!(decode(&encode(KEY, &image), KEY), Stored::Found(image));
        }
    }

    #[test]
    fn any_changed_byte_or_length_is_refused() {
        let bytes = encode(KEY, &ProgramImage::new("f", b"program"));
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                assert_eq!(decode(&bytes, KEY), Stored::Damaged, "byte {at} ^ {flip:x}");
            }
            assert_eq!(decode(&bytes[..at], KEY), Stored::Damaged, "the first {at} bytes");
        }
        let longer = [&bytes[..], b"!"].concat();
        assert_eq!(decode(&longer, KEY), Stored::Damaged);
    }

    /// The checksum matches, but the header is foreign or the lengths do not add up.
    #[test]
    fn foreign_header_with_a_valid_checksum_is_refused() {
        let content = encode(KEY, &ProgramImage::new("f", b"program"));
        let content = &content[..content.len() - CHECKSUM_BYTES];
        assert!(matches!(decode(&with_checksum(content.to_vec()), KEY), Stored::Found(_)));
        for at in 0..HEADER_BYTES {
            let mut other = content.to_vec();
            other[at] ^= 0x40;
            assert_eq!(decode(&with_checksum(other), KEY), Stored::Damaged, "byte {at} of the header");
        }
        assert_eq!(decode(&with_checksum(Vec::new()), KEY), Stored::Damaged);
    }

    #[test]
    fn entry_of_another_key_is_refused() {
        let bytes = encode(KEY, &ProgramImage::new("f", b"program"));
        assert_eq!(decode(&bytes, "build 2\nkernel"), Stored::Absent);
    }
}
