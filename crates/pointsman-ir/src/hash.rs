//! The 64-bit hash of keys, which assigns rows to partitions and orders groups. It is the same on every device, and
//! never changes.
//!
//! The state `h` starts at [`SEED`]. For each word `w`, it becomes `mix((h · MULTIPLIER) xor w)` modulo 2^64, where
//! `mix` multiplies twice and folds the high bits down before, between and after. A null is the word [`NULL_WORD`]; any
//! other value is its bits, zero-extended to 64; a 128-bit value is its low word, then its high word.

use crate::interpret::order;
use crate::types::{Repr, Scalar};

/// The initial state.
pub const SEED: u64 = 0x5053_4d4e_0000_0001;
/// The word of a null key.
pub const NULL_WORD: u64 = 0xa5a5_5a5a_c3c3_3c3c;
/// The factor of the state before a word is added, and of `mix`.
pub const MULTIPLIER: u64 = 0xd6e8_feb8_6659_fd93;

/// The hash of a row's keys, in canonical form (one NaN, +0 for −0).
pub fn keys(keys: &[Option<Scalar>]) -> u64 {
    keys.iter().fold(SEED, |state, key| match key {
        None => feed(state, NULL_WORD),
        Some(value) => {
            let bits = order::key(*value).bits();
            let low = feed(state, bits as u64);
            if value.repr() == Repr::I128 { feed(low, (bits >> 64) as u64) } else { low }
        }
    })
}

/// The partition of a row among 2^`bits`: the highest bits of its hash.
pub fn partition(row: &[Option<Scalar>], bits: u8) -> u32 {
    (keys(row) >> 1 >> (63 - u32::from(bits))) as u32
}

fn feed(state: u64, word: u64) -> u64 {
    mix(state.wrapping_mul(MULTIPLIER) ^ word)
}

fn mix(mut h: u64) -> u64 {
    h ^= h >> 32;
    h = h.wrapping_mul(MULTIPLIER);
    h ^= h >> 29;
    h = h.wrapping_mul(MULTIPLIER);
    h ^ (h >> 32)
}
