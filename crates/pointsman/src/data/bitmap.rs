//! Appending bits to bitmaps.

use pointsman_device::host::Bits;

/// Writes bits after the first `at` bits, and zeros up to the end of the last byte.
pub(crate) fn append_bits(target: &mut [u8], at: usize, bits: Bits<'_>, count: usize) {
    if at.is_multiple_of(8) && bits.offset.is_multiple_of(8) {
        let (from, whole) = (bits.offset / 8, count / 8);
        target[at / 8..at / 8 + whole].copy_from_slice(&bits.bytes[from..from + whole]);
        if !count.is_multiple_of(8) {
            target[at / 8 + whole] = bits.bytes[from + whole] & low_bits(count % 8);
        }
        return;
    }
    append_eights(target, at, count, |first| eight(bits, first));
}

/// Writes `count` bits after the first `at` bits, and zeros up to the end of the last byte. `eight` gives eight bits
/// from a multiple of eight on; those beyond the last are ignored.
pub(crate) fn append_eights(target: &mut [u8], at: usize, count: usize, eight: impl Fn(usize) -> u8) {
    let (shift, end) = (at % 8, (at + count).div_ceil(8));
    for first in (0..count).step_by(8) {
        let (left, place) = (count - first, at / 8 + first / 8);
        let byte = eight(first) & low_bits(left.min(8));
        if shift == 0 {
            target[place] = byte;
            continue;
        }
        target[place] |= byte << shift;
        if place + 1 < end {
            target[place + 1] = byte >> (8 - shift);
        }
    }
}

/// Eight bits, starting with bit `first`. Bits beyond the last byte are zero.
fn eight(bits: Bits<'_>, first: usize) -> u8 {
    let (at, shift) = ((bits.offset + first) / 8, (bits.offset + first) % 8);
    let high = if shift == 0 { 0 } else { bits.bytes.get(at + 1).map_or(0, |byte| byte << (8 - shift)) };
    bits.bytes[at] >> shift | high
}

const fn low_bits(count: usize) -> u8 {
    if count >= 8 { 0xFF } else { (1 << count) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_appended_at_any_offset() {
        let noise: Vec<u8> = (0..64u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for parts in [vec![0, 3], vec![1, 7, 8], vec![5, 0, 20, 1], vec![64, 9, 90], vec![13; 7], vec![16, 8, 3]] {
            for offset in 0..17 {
                let (mut target, mut expected, mut at) = (vec![0xAB; 64], Vec::new(), 0);
                for count in parts.iter().copied() {
                    let bits = Bits { bytes: &noise, offset };
                    append_bits(&mut target, at, bits, count);
                    expected.extend((0..count).map(|bit| bits.get(bit)));
                    at += count;
                }
                expected.resize(at.next_multiple_of(8), false);
                let got = (0..expected.len()).map(|bit| Bits { bytes: &target, offset: 0 }.get(bit));
                assert_eq!(got.collect::<Vec<_>>(), expected, "{parts:?} from {offset}");
            }
        }
    }
}
