//! The head of a block: its number, its rows and a checksum, which tell whether the block is what was written.
//!
//! ```text
//! checksum (16) · magic (8) · version (8) · number (8) · rows (8) · bytes (8) · zeros (8) · payload
//! ```
//! Numbers are little-endian. The checksum is over everything behind it.

use twox_hash::XxHash3_128;

/// Bytes of the head: the payload after it starts on a cache line.
pub(super) const HEAD_BYTES: usize = 64;

const CHECKSUM_BYTES: usize = 16;
const MAGIC: &[u8; 8] = b"PTSMSPIL";
/// The form of blocks.
const VERSION: u64 = 1;

/// Which block it is, and how many rows it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) number: usize,
    pub(super) rows: usize,
}

impl Head {
    /// The fields between the checksum and a payload of so many bytes.
    fn fields(self, bytes: usize) -> [u8; HEAD_BYTES - CHECKSUM_BYTES] {
        let mut fields = [0; HEAD_BYTES - CHECKSUM_BYTES];
        fields[..8].copy_from_slice(MAGIC);
        let numbers = [VERSION, self.number as u64, self.rows as u64, bytes as u64];
        for (place, number) in fields[8..].chunks_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        fields
    }
}

/// Writes the head before a payload. The block has room for it.
pub(super) fn seal(block: &mut [u8], head: Head) {
    let fields = head.fields(block.len() - HEAD_BYTES);
    block[CHECKSUM_BYTES..HEAD_BYTES].copy_from_slice(&fields);
    let checksum = XxHash3_128::oneshot(&block[CHECKSUM_BYTES..]);
    block[..CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
}

/// Whether a block is the one that was sealed with this head, to the bit.
pub(super) fn is_whole(block: &[u8], head: Head) -> bool {
    let Some((checksum, rest)) = block.split_first_chunk::<CHECKSUM_BYTES>() else { return false };
    let Some(payload) = block.len().checked_sub(HEAD_BYTES) else { return false };
    rest.starts_with(&head.fields(payload)) && u128::from_le_bytes(*checksum) == XxHash3_128::oneshot(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_and_any_other_head_is_noticed() {
        let head = Head { number: 7, rows: 20 };
        let mut block = [vec![0xAB; HEAD_BYTES], (0..100).collect()].concat();
        seal(&mut block, head);
        assert!(is_whole(&block, head));
        for at in 0..block.len() {
            for flip in [1, 0x80, 0xFF] {
                let mut other = block.clone();
                other[at] ^= flip;
                assert!(!is_whole(&other, head), "byte {at} ^ {flip:x}");
            }
            assert!(!is_whole(&block[..at], head), "the first {at} bytes");
        }
        assert!(!is_whole(&block, Head { number: 8, ..head }) && !is_whole(&block, Head { rows: 19, ..head }));
    }
}
