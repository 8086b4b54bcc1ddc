//! Keys as words: a row of keys is a few 64-bit words that are equal exactly if the keys are, with the hash of the IR,
//! and with words that sort as the keys do.
//!
//! A row has, for each key, its canonical bits (one NaN, +0) in one word or, for 128 bits, the low word and the high
//! one; then one null bit per nullable key, in as many words as needed.

use super::columns::PoolColumn;
use super::context::RunContext;
use super::pool_memory::PoolVec;
use crate::DeviceResult;
use crate::sync::Mutex;
use pointsman_ir::hash::{MULTIPLIER, NULL_WORD, SEED};
use pointsman_ir::types::{NAN_F32, NAN_F64, Repr, Scalar, Type};
use std::cmp::Ordering;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::LazyLock;

/// The layout of a row of keys in words.
#[derive(Clone, Debug)]
pub(super) struct KeyLayout {
    types: Vec<Type>,
    /// The first word of each key.
    starts: Vec<usize>,
    /// The number of the first word of null bits.
    nulls: usize,
    /// Words of a row.
    pub(super) stride: usize,
}

/// Rows of keys and their hashes.
pub(super) struct EncodedKeys {
    /// The words of each row.
    pub(super) words: PoolVec<u64>,
    /// The hash of each row.
    pub(super) hashes: PoolVec<u64>,
}

impl EncodedKeys {
    /// The rows of these columns.
    pub(super) fn of(
        context: RunContext<'_>,
        layout: &KeyLayout,
        columns: &[PoolColumn],
        rows: usize,
    ) -> DeviceResult<EncodedKeys> {
        let words = PoolVec::new(context.pool(), rows.saturating_mul(layout.stride))?;
        let mut keys = EncodedKeys { words, hashes: PoolVec::new(context.pool(), rows)? };
        let (ranges, step) = (context.ranges(rows), context.task_rows());
        let words = keys.words.chunks_mut((step * layout.stride).max(1));
        let words = words.map(Some).chain(std::iter::repeat_with(|| None));
        let parts: Vec<_> = keys.hashes.chunks_mut(step).zip(words).map(Mutex::new).collect();
        context.tasks(ranges.len(), |task| {
            let mut part = parts[task].lock();
            let (hashes, words) = &mut *part;
            layout.encode(columns, ranges[task].clone(), words.as_deref_mut().unwrap_or(&mut []), hashes);
            Ok(())
        })?;
        drop(parts);
        Ok(keys)
    }

    /// The words of a row, of which there are `stride`.
    #[inline(always)]
    pub(super) fn row(&self, row: usize, stride: usize) -> &[u64] {
        &self.words[row * stride..(row + 1) * stride]
    }
}

impl KeyLayout {
    /// The layout of keys of these types.
    pub(super) fn new(types: &[Type]) -> KeyLayout {
        let mut next = 0;
        let words = |ty: &Type| if ty.dtype.repr() == Repr::I128 { 2 } else { 1 };
        let start = |ty: &Type| {
            next += words(ty);
            next - words(ty)
        };
        let starts = types.iter().map(start).collect();
        let null_words = if types.iter().any(|ty| ty.nullable) { types.len().div_ceil(64) } else { 0 };
        KeyLayout { types: types.to_vec(), starts, nulls: next, stride: next + null_words }
    }

    /// The number of keys.
    pub(super) fn len(&self) -> usize {
        self.types.len()
    }

    /// The types of the keys.
    pub(super) fn types(&self) -> &[Type] {
        &self.types
    }

    /// The words of the only key of a row, one of 8 or 16 bits, and their hash. `None` is null.
    pub(super) fn words_of(&self, key: Option<u64>) -> (Vec<u64>, u64) {
        let mut words = vec![0; self.stride];
        match key {
            Some(key) => words[self.starts[0]] = key,
            None => words[self.nulls] = 1,
        }
        (words, feed(SEED, key.unwrap_or(NULL_WORD)))
    }

    /// Writes the words of some rows, and their hashes.
    pub(super) fn encode(&self, columns: &[PoolColumn], rows: Range<usize>, words: &mut [u64], hashes: &mut [u64]) {
        hashes.fill(SEED);
        words.fill(0);
        for (key, column) in columns.iter().enumerate() {
            self.encode_key(key, column, rows.clone(), words, hashes);
        }
    }

    fn encode_key(&self, key: usize, column: &PoolColumn, rows: Range<usize>, words: &mut [u64], hashes: &mut [u64]) {
        let (start, at, first) = (self.starts[key], self.stride, rows.start);
        let nullable = column.is_nullable();
        let null = (self.nulls + key / 64, 1u64 << (key % 64));
        let repr = self.types[key].dtype.repr();
        let wide = repr == Repr::I128;
        column.each_value(rows, |row, low, high| {
            let (row_words, hash) = (&mut words[(row - first) * at..][..at], &mut hashes[row - first]);
            if nullable && !column.is_valid(row) {
                row_words[null.0] |= null.1;
                *hash = feed(*hash, NULL_WORD);
                return;
            }
            let low = canonical(repr, low);
            row_words[start] = low;
            *hash = feed(*hash, low);
            if wide {
                row_words[start + 1] = high;
                *hash = feed(*hash, high);
            }
        });
    }

    /// A key of a row of words; `None` is null.
    pub(super) fn decode(&self, words: &[u64], key: usize) -> Option<Scalar> {
        if self.is_null(words, key) {
            return None;
        }
        let (start, repr) = (self.starts[key], self.types[key].dtype.repr());
        let high = if repr == Repr::I128 { words[start + 1] } else { 0 };
        Some(Scalar::from_bits(repr, u128::from(high) << 64 | u128::from(words[start])))
    }

    fn is_null(&self, words: &[u64], key: usize) -> bool {
        self.types[key].nullable && words[self.nulls + key / 64] >> (key % 64) & 1 == 1
    }

    /// The order of two rows of words: key by key, null first, then as sorts have it.
    pub(super) fn compare(&self, a: &[u64], b: &[u64]) -> Ordering {
        let by_key = (0..self.types.len()).map(|key| {
            let (start, repr) = (self.starts[key], self.types[key].dtype.repr());
            let value = |words: &[u64]| {
                let high = if repr == Repr::I128 { words[start + 1] } else { 0 };
                (!self.is_null(words, key), sortable(repr, words[start], high))
            };
            value(a).cmp(&value(b))
        });
        by_key.fold(Ordering::Equal, Ordering::then)
    }
}

/// The canonical bits of a key.
#[inline(always)]
fn canonical(repr: Repr, low: u64) -> u64 {
    match repr {
        Repr::F32 => {
            let value = f32::from_bits(low as u32);
            if value.is_nan() { NAN_F32.into() } else { (value + 0.0).to_bits().into() }
        }
        Repr::F64 => {
            let value = f64::from_bits(low);
            if value.is_nan() { NAN_F64 } else { (value + 0.0).to_bits() }
        }
        Repr::Bool | Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 => low,
        Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::I128 => low,
    }
}

/// Unsigned bits that compare as the values do: −0 below +0, NaN on top.
#[inline(always)]
pub(super) fn sortable(repr: Repr, low: u64, high: u64) -> u128 {
    const SIGN: u64 = 1 << 63;
    let word = match repr {
        Repr::Bool | Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 => low,
        Repr::I8 => i64::from(low as i8) as u64 ^ SIGN,
        Repr::I16 => i64::from(low as i16) as u64 ^ SIGN,
        Repr::I32 => i64::from(low as i32) as u64 ^ SIGN,
        Repr::I64 => low ^ SIGN,
        Repr::F32 => {
            let bits = if f32::from_bits(low as u32).is_nan() { NAN_F32 } else { low as u32 };
            u64::from(if bits >> 31 == 1 { !bits } else { bits | 1 << 31 })
        }
        Repr::F64 => {
            let bits = if f64::from_bits(low).is_nan() { NAN_F64 } else { low };
            if bits >> 63 == 1 { !bits } else { bits | SIGN }
        }
        Repr::I128 => return u128::from(high ^ SIGN) << 64 | u128::from(low),
    };
    word.into()
}

/// The value whose [`sortable`] bits these are.
pub(super) fn from_sortable(repr: Repr, bits: u128) -> Scalar {
    const SIGN: u64 = 1 << 63;
    let word = bits as u64;
    let bits = match repr {
        Repr::Bool | Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 => bits,
        Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 => {
            let width = repr.bytes() * 8;
            u128::from(word ^ SIGN) & ((1 << width) - 1)
        }
        Repr::F32 => {
            let word = word as u32;
            u128::from(if word >> 31 == 1 { word & !(1 << 31) } else { !word })
        }
        Repr::F64 => u128::from(if word >> 63 == 1 { word & !SIGN } else { !word }),
        Repr::I128 => bits ^ 1 << 127,
    };
    Scalar::from_bits(repr, bits)
}

#[inline(always)]
fn feed(state: u64, word: u64) -> u64 {
    let mut h = state.wrapping_mul(MULTIPLIER) ^ word;
    h ^= h >> 32;
    h = h.wrapping_mul(MULTIPLIER);
    h ^= h >> 29;
    h = h.wrapping_mul(MULTIPLIER);
    h ^ (h >> 32)
}

/// The number of a hash's partition among 2^`bits`: its highest bits.
#[inline(always)]
pub(super) fn partition(hash: u64, bits: u32) -> usize {
    (hash >> 1 >> (63 - bits)) as usize
}

/// An odd number that is different in every process: no one can choose keys that crowd together. No result depends on
/// it.
static SLOT_MULTIPLIER: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0u64) | 1);

/// The place of a hash in a table of 2^`bits` slots: all of its bits count, so that hashes which agree in some of them
/// do not crowd together.
#[inline(always)]
pub(super) fn slot(hash: u64, bits: u32) -> usize {
    (hash.wrapping_mul(*SLOT_MULTIPLIER) >> 1 >> (63 - bits)) as usize
}
