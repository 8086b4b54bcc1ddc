//! Non-temporal copies: they write past the caches, for results that are larger than the caches. Also prefetching.

/// Copies `from` to `to`, with non-temporal stores if `streams`.
pub(crate) fn copy(from: &[u8], to: &mut [u8], streams: bool) {
    if streams { stream(from, to) } else { to.copy_from_slice(from) }
}

#[cfg(target_arch = "x86_64")]
fn stream(from: &[u8], to: &mut [u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    // SAFETY: any 16 bytes are a vector.
    let (head, lines, _) = unsafe { to.align_to_mut::<__m128i>() };
    let (start, middle) = (head.len(), lines.len() * 16);
    let mut from_vectors = from[start..start + middle].chunks_exact(16);
    for line in lines {
        let Some(vector) = from_vectors.next() else { break };
        // SAFETY: every processor of this architecture has SSE2, and the chunk has 16 bytes.
        let vector = unsafe { _mm_loadu_si128(vector.as_ptr().cast()) };
        // SAFETY: the line is aligned to 16 and borrowed for writing.
        unsafe { _mm_stream_si128(line, vector) };
    }
    // SAFETY: as above. The fence orders the streamed stores before anything that other threads learn next.
    unsafe { _mm_sfence() };
    to[..start].copy_from_slice(&from[..start]);
    to[start + middle..].copy_from_slice(&from[start + middle..]);
}

#[cfg(not(target_arch = "x86_64"))]
fn stream(from: &[u8], to: &mut [u8]) {
    to.copy_from_slice(from);
}

/// Prefetches bytes into the caches.
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks_exact(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every processor of this architecture has the instruction; it changes nothing and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_copied() {
        let from: Vec<u8> = (0..1000u32).map(|i| (i * 7) as u8).collect();
        for offset in 0..17 {
            for len in (0..70).chain([511, 512, 900]) {
                let mut to = vec![0xee; 1000];
                copy(&from[3..3 + len], &mut to[offset..offset + len], true);
                assert_eq!(&to[offset..offset + len], &from[3..3 + len], "offset {offset}, {len} bytes");
                assert!(to[..offset].iter().chain(&to[offset + len..]).all(|&byte| byte == 0xee));
            }
        }
    }
}
