//! Bitmaps and bytes of 0 or 1: unpacking, packing, appending at any bit, and moving toward the front.

/// Expands eight bits to a word of eight bytes of 0 or 1.
#[inline(always)]
fn spread(bits: u8) -> u64 {
    let lanes = u64::from(bits).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((lanes + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101
}

/// Packs the lowest bits of eight bytes of 0 or 1 into one byte.
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

/// Copies bits, starting at bit `at`, to whole bytes; bits beyond the end are 0.
pub(in crate::cpu) fn copy(bits: &[u8], at: usize, dst: &mut [u8]) {
    let (first, shift) = (at / 8, at % 8);
    let (words, _) = dst.as_chunks_mut::<8>();
    // A word needs bits of nine bytes.
    let whole = bits.len().saturating_sub(first + 1) / 8;
    let copied = words.len().min(whole);
    for (word, at) in words[..copied].iter_mut().zip((first..).step_by(8)) {
        let mut low = [0; 8];
        low.copy_from_slice(&bits[at..at + 8]);
        // Two shifts, because a shift by 64 would have no effect.
        let high = u64::from(bits[at + 8]) << (63 - shift) << 1;
        *word = (u64::from_le_bytes(low) >> shift | high).to_le_bytes();
    }
    for (number, byte) in dst.iter_mut().enumerate().skip(8 * copied) {
        *byte = eight(bits, at + 8 * number);
    }
}

/// Writes a byte of 0 or 1 for each bit from bit `at` on.
pub(in crate::cpu) fn unpack(bits: &[u8], at: usize, dst: &mut [u8]) {
    let (words, rest) = dst.as_chunks_mut::<8>();
    let whole = words.len();
    match bits.get(at / 8..at / 8 + whole) {
        Some(bytes) if at.is_multiple_of(8) => {
            words.iter_mut().zip(bytes).for_each(|(word, &byte)| *word = spread(byte).to_le_bytes());
        }
        Some(_) | None => {
            let bits_of = (at..).step_by(8).map(|at| eight(bits, at));
            words.iter_mut().zip(bits_of).for_each(|(word, byte)| *word = spread(byte).to_le_bytes());
        }
    }
    let last = spread(eight(bits, at + 8 * whole)).to_le_bytes();
    rest.copy_from_slice(&last[..rest.len()]);
}

/// Writes `n` bits: the first `zeros` are 0, the others 1. The rest of the last byte becomes 0.
pub(in crate::cpu) fn set_from(dst: &mut [u8], zeros: usize, n: usize) {
    let bytes = &mut dst[..n.div_ceil(8)];
    bytes[..zeros / 8].fill(0);
    bytes[zeros / 8..].fill(u8::MAX);
    if let Some(byte) = bytes.get_mut(zeros / 8) {
        *byte &= !low_bits(zeros % 8);
    }
    if let Some(byte) = bytes.last_mut().filter(|_| !n.is_multiple_of(8)) {
        *byte &= low_bits(n % 8);
    }
}

/// Writes bytes of 0 or 1 as bits, starting at bit `at`. Earlier bits stay; the rest of the last byte becomes 0.
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

/// Writes the first `n` bits of `bits`, whose later bits are 0, starting at bit `at`. Earlier bits stay; the rest of
/// the last byte becomes 0.
pub(in crate::cpu) fn append_bits(dst: &mut [u8], at: usize, bits: &[u8], n: usize) {
    if n == 0 {
        return;
    }
    let (first, shift) = (at / 8, at % 8);
    if shift == 0 {
        let (copied, rest) = dst[first..(at + n).div_ceil(8)].split_at_mut(bits.len().min(n.div_ceil(8)));
        copied.copy_from_slice(&bits[..copied.len()]);
        rest.fill(0);
        return;
    }
    let mut carry = dst[first] & ((1 << shift) - 1);
    for (number, byte) in dst[first..(at + n).div_ceil(8)].iter_mut().enumerate() {
        let moved = u16::from(bits.get(number).copied().unwrap_or(0)) << shift;
        *byte = carry | moved as u8;
        carry = (moved >> 8) as u8;
    }
}

/// Moves `n` bits toward the front, from bit `from` to bit `to`. The bits before `to` stay; the rest of the last byte
/// becomes 0.
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
    fn first_bits_are_zeros_and_later_bits_are_ones() {
        for n in [0usize, 1, 7, 8, 9, 63, 64, 65, 200] {
            for zeros in 0..=n {
                let (mut bits, mut packed) = (vec![0xAB; n.div_ceil(8) + 1], vec![0xAB; n.div_ceil(8) + 1]);
                set_from(&mut bits, zeros, n);
                append(&mut packed, 0, &(0..n).map(|i| u8::from(i >= zeros)).collect::<Vec<u8>>());
                assert_eq!(bits, packed, "{zeros} of {n}");
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
