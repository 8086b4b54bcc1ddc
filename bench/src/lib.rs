//! Data for the benchmarks, the same for every side.

#![forbid(unsafe_code)]

/// `rows` numbers between 0 and 100 in no particular order, the same every time.
pub fn prices(rows: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32 * 100.0
    };
    (0..rows).map(|_| next()).collect()
}
