//! The header of a block. In go a payload, its number and its rows; out comes whether a block is exactly as written.
//!
//! ```text
//! checksum (16) · magic (8) · version (8) · number (8) · rows (8) · bytes (8) · zeros (8) · payload
//! ```
//! Numbers are little-endian. The checksum covers everything after it.

use twox_hash::XxHash3_128;

/// The size of the header; the payload starts at a cache line.
pub(super) const HEADER_BYTES: usize = 64;

const CHECKSUM_BYTES: usize = 16;
const MAGIC: &[u8; 8] = b"PTSMSPIL";
/// The version of the block format.
const VERSION: u64 = 1;

/// The number of a block in its table, and its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockHeader {
    pub(super) number: usize,
    pub(super) rows: usize,
}

impl BlockHeader {
    /// The header without the checksum, for a payload of `bytes` bytes.
    fn fields(self, bytes: usize) -> [u8; HEADER_BYTES - CHECKSUM_BYTES] {
        let mut fields = [0; HEADER_BYTES - CHECKSUM_BYTES];
        fields[..8].copy_from_slice(MAGIC);
        let numbers = [VERSION, self.number as u64, self.rows as u64, bytes as u64];
        for (place, number) in fields[8..].chunks_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        fields
    }
}

/// Writes the header. The first [`HEADER_BYTES`] of the block are reserved for it.
pub(super) fn write_header(block: &mut [u8], header: BlockHeader) {
    let fields = header.fields(block.len() - HEADER_BYTES);
    block[CHECKSUM_BYTES..HEADER_BYTES].copy_from_slice(&fields);
    let checksum = XxHash3_128::oneshot(&block[CHECKSUM_BYTES..]);
    block[..CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
}

/// Whether a block is exactly as it was written with this header.
pub(super) fn is_intact(block: &[u8], header: BlockHeader) -> bool {
    let Some((checksum, rest)) = block.split_first_chunk::<CHECKSUM_BYTES>() else { return false };
    let Some(payload) = block.len().checked_sub(HEADER_BYTES) else { return false };
    rest.starts_with(&header.fields(payload)) && u128::from_le_bytes(*checksum) == XxHash3_128::oneshot(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_or_header_is_detected() {
        let header = BlockHeader { number: 7, rows: 20 };
        let mut block = [vec![0xAB; HEADER_BYTES], (0..100).collect()].concat();
        write_header(&mut block, header);
        assert!(is_intact(&block, header));
        for at in 0..block.len() {
            for flip in [1, 0x80, 0xFF] {
                let mut other = block.clone();
                other[at] ^= flip;
                assert!(!is_intact(&other, header), "byte {at} ^ {flip:x}");
            }
            assert!(!is_intact(&block[..at], header), "the first {at} bytes");
        }
        assert!(
            !is_intact(&block, BlockHeader { number: 8, ..header })
                && !is_intact(&block, BlockHeader { rows: 19, ..header })
        );
    }
}
