//! Bitmaps and bytes of 0 or 1: unpacking, packing, appending at any bit, and moving toward the front.

/// A word of eight bytes, each the bit of its number.
#[inline(always)]
fn spread(bits: u8) -> u64 {
    let lanes = u64::from(bits).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((lanes + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101
}

/// The lowest bits of eight bytes of 0 or 1, side by side.
#[inline(always)]
fn gather(bytes: u64) -> u8 {
    (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The eight bits from bit `at` on; bits beyond the end are 0.
#[inline(always)]
fn eight(bytes: &[u8], at: usize) -> u8 {
    let (byte, shift) = (at / 8, at % 8);
    let low = bytes.get(byte).copied().unwrap_or(0);
    let high = if shift == 0 { 0 } else { bytes.get(byte + 1).copied().unwrap_or(0) };
    (u16::from_le_bytes([low, high]) >> shift) as u8
}

/// Copies bits from bit `at` on, eight a byte; bits beyond the end are 0.
pub(in crate::cpu) fn copy(bits: &[u8], at: usize, dst: &mut [u8]) {
    for (number, byte) in dst.iter_mut().enumerate() {
        *byte = eight(bits, at + 8 * number);
    }
}

/// Writes a byte of 0 or 1 for each bit from bit `at` on.
pub(in crate::cpu) fn unpack(bits: &[u8], at: usize, dst: &mut [u8]) {
    let mut at = at;
    let mut words = dst.chunks_exact_mut(8);
    for word in &mut words {
        word.copy_from_slice(&spread(eight(bits, at)).to_le_bytes());
        at += 8;
    }
    let rest = words.into_remainder();
    let last = spread(eight(bits, at)).to_le_bytes();
    let n = rest.len();
    rest.copy_from_slice(&last[..n]);
}

/// Writes bytes of 0 or 1 as bits from bit `at` on. The bits before stay; those behind, up to the byte's end, become 0.
pub(in crate::cpu) fn append(dst: &mut [u8], at: usize, bytes: &[u8]) {
    let (mut byte, shift) = (at / 8, at % 8);
    let mut carry = if shift == 0 { 0 } else { dst[byte] & ((1 << shift) - 1) };
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let mut lanes = [0; 8];
        lanes.copy_from_slice(word);
        let bits = u16::from(gather(u64::from_le_bytes(lanes))) << shift;
        dst[byte] = carry | bits as u8;
        carry = (bits >> 8) as u8;
        byte += 1;
    }
    let rest = words.remainder();
    let mut lanes = [0; 8];
    lanes[..rest.len()].copy_from_slice(rest);
    let bits = u16::from(gather(u64::from_le_bytes(lanes))) << shift | u16::from(carry);
    if shift + rest.len() > 0 {
        dst[byte] = bits as u8;
    }
    if shift + rest.len() > 8 {
        dst[byte + 1] = (bits >> 8) as u8;
    }
}

/// Writes the first `n` of some bits, zeros behind them, from bit `at` on. The bits before stay; those behind, up to the
/// byte's end, become 0.
pub(in crate::cpu) fn append_bits(dst: &mut [u8], at: usize, bits: &[u8], n: usize) {
    if n == 0 {
        return;
    }
    let (first, shift) = (at / 8, at % 8);
    let mut carry = if shift == 0 { 0 } else { dst[first] & ((1 << shift) - 1) };
    for (number, byte) in dst[first..(at + n).div_ceil(8)].iter_mut().enumerate() {
        let moved = u16::from(bits.get(number).copied().unwrap_or(0)) << shift;
        *byte = carry | moved as u8;
        carry = (moved >> 8) as u8;
    }
}

/// Moves `n` bits toward the front, from bit `from` to bit `to`. The bits before `to` stay; those behind the last, up to
/// its byte's end, become 0.
pub(in crate::cpu) fn shift_down(bits: &mut [u8], from: usize, to: usize, n: usize) {
    debug_assert!(to <= from, "bits move toward the front alone");
    let (mut at, end) = (to, to + n);
    let mut source = from;
    while at < end {
        let shift = at % 8;
        let taken = (8 - shift).min(end - at);
        // Every byte written lies at or before the bits still to be read.
        let moved = eight(bits, source) & low_bits(taken);
        let kept = bits[at / 8] & low_bits(shift);
        bits[at / 8] = kept | moved << shift;
        at += taken;
        source += taken;
    }
}

/// A byte whose lowest `n` bits are set.
fn low_bits(n: usize) -> u8 {
    if n >= 8 { u8::MAX } else { (1 << n) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(n: usize) -> Vec<u8> {
        (0..n).map(|i| u8::from((i * 7 + i / 5) % 3 == 0)).collect()
    }

    #[test]
    fn appended_bits_are_unpacked_again() {
        for n in [0, 1, 7, 8, 9, 63, 64, 65, 200] {
            for at in [0, 1, 3, 7, 8, 13] {
                let bytes = pattern(n);
                let mut bits = vec![0xAB; (at + n).div_ceil(8) + 1];
                append(&mut bits, 0, &vec![1; at]);
                append(&mut bits, at, &bytes);
                let (mut packed, mut same) = (vec![0; n.div_ceil(8)], bits.clone());
                append(&mut packed, 0, &bytes);
                append_bits(&mut same, at, &packed, n);
                assert_eq!(same, bits, "{n} at {at}");
                let mut out = vec![0; n.div_ceil(8)];
                copy(&bits, at, &mut out);
                let mut copied = vec![9; n];
                unpack(&out, 0, &mut copied);
                assert_eq!(copied, bytes, "{n} at {at}");
                let mut all = vec![9; at + n];
                unpack(&bits, 0, &mut all);
                assert!(all[..at].iter().all(|&one| one == 1), "{n} at {at}");
                assert_eq!(all[at..], bytes, "{n} at {at}");
                let tail = (at + n).div_ceil(8) * 8 - (at + n);
                let mut rest = vec![9; tail];
                unpack(&bits, at + n, &mut rest);
                assert!(rest.iter().all(|&one| one == 0), "{n} at {at}");
                assert_eq!(bits.last(), Some(&0xAB));
            }
        }
    }

    #[test]
    fn moved_bits_stay_the_same() {
        for (from, to, n) in [(9, 2, 100), (8, 8, 17), (64, 0, 65), (13, 12, 3), (5, 0, 0), (70, 69, 64)] {
            let bytes = pattern(from + n);
            let mut bits = vec![0; (from + n).div_ceil(8)];
            append(&mut bits, 0, &bytes);
            shift_down(&mut bits, from, to, n);
            let mut moved = vec![0; to + n];
            unpack(&bits, 0, &mut moved);
            assert_eq!(moved[..to], bytes[..to]);
            assert_eq!(moved[to..], bytes[from..]);
        }
    }
}
