//! Copies past the caches, for bytes that nobody on the processor reads soon: the target's lines are not read first, and
//! what the caches hold stays there.

/// Fewer bytes are copied as usual.
const BYTES_MIN: usize = 64 << 10;

/// Copies all bytes; both slices have as many.
#[cfg(target_arch = "x86_64")]
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    if from.len() < BYTES_MIN || to.len() != from.len() {
        return to.copy_from_slice(from);
    }
    let head = to.as_ptr().align_offset(64).min(to.len());
    to[..head].copy_from_slice(&from[..head]);
    let (lines, tail) = to[head..].as_chunks_mut::<64>();
    let (sources, rest) = from[head..].as_chunks::<64>();
    for (line, source) in lines.iter_mut().zip(sources) {
        let (line, source) = (line.as_mut_ptr().cast::<__m128i>(), source.as_ptr().cast::<__m128i>());
        for part in 0..4 {
            // SAFETY: a source has 64 bytes, this part among them; any alignment will do.
            let value = unsafe { _mm_loadu_si128(source.add(part)) };
            // SAFETY: a line has 64 bytes, this part among them, and starts at a multiple of 64.
            unsafe { _mm_stream_si128(line.add(part), value) };
        }
    }
    // Whoever is told next that the bytes are there finds them there.
    // SAFETY: every processor of this kind has it.
    unsafe { _mm_sfence() };
    tail.copy_from_slice(rest);
}

/// Copies all bytes; both slices have as many.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    to.copy_from_slice(from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives_and_no_other_changes() {
        let from: Vec<u8> = (0..BYTES_MIN as u32 + 300).map(|i| (i.wrapping_mul(2_654_435_761) >> 9) as u8).collect();
        for bytes in
            [0, 1, 63, 64, 65, BYTES_MIN - 1, BYTES_MIN, BYTES_MIN + 1, BYTES_MIN + 63, BYTES_MIN + 64, BYTES_MIN + 200]
        {
            for (start, at) in [(0, 0), (1, 0), (0, 1), (7, 60), (33, 64), (64, 3)] {
                let mut to = vec![0xAB; BYTES_MIN + 300];
                copy(&mut to[at..at + bytes], &from[start..start + bytes]);
                assert!(to[at..at + bytes] == from[start..start + bytes], "{bytes} bytes from {start} to {at}");
                let beside = to[..at].iter().chain(&to[at + bytes..]);
                assert!(beside.into_iter().all(|byte| *byte == 0xAB), "beside {bytes} bytes at {at}");
            }
        }
    }
}
