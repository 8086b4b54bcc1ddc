//! [`philox`]: the counter-based generator Philox4x32-10 of Salmon, Moraes, Dror and Shaw (2011), as expressions.
//!
//! In: a counter and a key. Out: four random words. All arithmetic is on 32 bits, which every device has.

use pointsman::{Expr, IntoExpr, lit};

const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// What the two words of the key grow by after each round.
const KEY_STEPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: u32 = 10;

/// The four random words of a counter, for a key: Philox4x32-10.
///
/// Different counters have words that no statistical test in use tells from independent random bits; the same holds for
/// different keys. It is not a cipher.
///
/// ```
/// use pointsman::{lit, Session};
/// use pointsman_numerics::noise::philox;
///
/// # fn main() -> pointsman::Result<()> {
/// let session = Session::open()?;
/// let words = session.from(0u32..1).map(|i| philox([i; 4], [lit(0), lit(0)]));
/// let [first, ..] = words.run()?.into_value();
/// assert_eq!(first[..], [0x6627_e8d5]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn philox(counter: [Expr<u32>; 4], key: [impl IntoExpr<u32>; 2]) -> [Expr<u32>; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let [mut k0, mut k1] = key.map(IntoExpr::into_expr);
    for round in 0..ROUNDS {
        if round > 0 {
            (k0, k1) = (k0 + lit(KEY_STEPS[0]), k1 + lit(KEY_STEPS[1]));
        }
        let high = [high_word(c0, MULTIPLIERS[0]), high_word(c2, MULTIPLIERS[1])];
        let low = [c0 * lit(MULTIPLIERS[0]), c2 * lit(MULTIPLIERS[1])];
        [c0, c1, c2, c3] = [high[1] ^ c1 ^ k0, low[1], high[0] ^ c3 ^ k1, low[0]];
    }
    [c0, c1, c2, c3]
}

/// The upper word of a product, from products of 16 bits: the portable GPU has no integers of 64 bits.
#[track_caller]
fn high_word(word: Expr<u32>, constant: u32) -> Expr<u32> {
    let (half, mask) = (lit(16u32), lit(0xffffu32));
    let (low, high) = (word & mask, word >> half);
    let (constant_low, constant_high) = (lit(constant & 0xffff), lit(constant >> 16));
    // Neither sum overflows: (2^16 − 1)^2 + 2^16 − 1 < 2^32.
    let first = high * constant_low + ((low * constant_low) >> half);
    let second = low * constant_high + (first & mask);
    high * constant_high + (first >> half) + (second >> half)
}
