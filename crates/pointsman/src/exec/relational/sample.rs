//! Estimates the number of distinct keys of a table, or the rows of a join, from a sample of its rows. At most
//! [`SAMPLE_ROWS`] rows are read. Equal columns give equal estimates: nothing here reads a clock or draws random
//! numbers.
//!
//! Distinct keys are estimated by Chao's estimator (Chao: "Nonparametric estimation of the number of classes in a
//! population", 1984; bias-corrected): d + f₁ (f₁ − 1) / (2 (f₂ + 1)) for d distinct keys in the sample, of which f₁
//! occur once and f₂ twice. It is a lower bound in expectation, and right on average where all keys are equally
//! frequent. It is never below d, nor above n / r · f₁ + (d − f₁) for n rows of which r are sampled: the bounds within
//! which the true number lies with high probability (Charikar, Chaudhuri, Motwani, Narasayya: "Towards estimation error
//! guarantees for distinct values", 2000).

use crate::data::output::cell;
use pointsman_device::host::HostChunk;
use pointsman_ir::hash;
use pointsman_ir::types::{Scalar, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of rows of a sample.
pub(super) const SAMPLE_ROWS: usize = 1024;

/// A key column.
pub(super) struct KeyColumn<'a> {
    pub(super) chunks: &'a [HostChunk<'a>],
    pub(super) ty: Type,
}

/// The keys of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KeySample {
    /// The rows of the input.
    rows: u64,
    /// The rows of the sample.
    sampled: u64,
    /// Sampled rows without a null key; only these can match in a join.
    valid: u64,
    /// Distinct keys of the sample.
    distinct: u64,
    /// Keys that occur exactly once in the sample.
    once: u64,
    /// Keys that occur exactly twice in the sample.
    twice: u64,
}

/// The row numbers to sample, ascending: every row of a small table, otherwise about [`SAMPLE_ROWS`] pseudorandom ones.
pub(super) fn sampled_rows(rows: usize) -> Vec<usize> {
    if rows <= SAMPLE_ROWS {
        return (0..rows).collect();
    }
    let place = |number: usize| {
        let random = hash::keys(&[Some(Scalar::U64(number as u64))]);
        ((u128::from(random) * rows as u128) >> 64) as usize
    };
    // Equal numbers are taken once.
    (0..SAMPLE_ROWS).map(place).collect::<BTreeSet<usize>>().into_iter().collect()
}

impl KeySample {
    /// Samples the keys in `columns`, which have `rows` rows each.
    pub(super) fn of(columns: &[KeyColumn<'_>], rows: usize) -> KeySample {
        let sampled = sampled_rows(rows);
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        let mut valid = 0;
        for &row in &sampled {
            let keys: Vec<Option<Scalar>> = columns.iter().map(|column| cell(column.chunks, row, column.ty)).collect();
            valid += u64::from(keys.iter().all(Option::is_some));
            *counts.entry(hash::keys(&keys)).or_default() += 1;
        }
        let occurring = |times: u64| counts.values().filter(|&&count| count == times).count() as u64;
        KeySample {
            rows: rows as u64,
            sampled: sampled.len() as u64,
            valid,
            distinct: counts.len() as u64,
            once: occurring(1),
            twice: occurring(2),
        }
    }

    /// The number of distinct keys of all rows, where null is a key like any other. Exact if all rows were sampled.
    pub(super) fn distinct_keys(&self) -> u64 {
        let unseen = self.rows - self.sampled;
        if unseen == 0 {
            return self.distinct;
        }
        let [rows, sampled, distinct, once, twice] =
            [self.rows, self.sampled, self.distinct, self.once, self.twice].map(|count| count as f64);
        let chao = distinct + once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
        let most = rows / sampled * once + (distinct - once);
        // Each key that was not seen has a row that was not seen.
        (chao.min(most) as u64).clamp(self.distinct, self.distinct.saturating_add(unseen))
    }

    /// The rows without a null key.
    fn valid_rows(&self) -> f64 {
        self.rows as f64 * self.valid as f64 / self.sampled.max(1) as f64
    }

    /// The estimated distinct keys of one side of a join. If no sampled key occurs twice, the keys are assumed to be
    /// unique, because most joins use a unique key on one side.
    fn keys_of_side(&self) -> u64 {
        if self.once == self.sampled { self.rows } else { self.distinct_keys() }
    }

    /// Estimates the rows of a join of this table with an indexed one: every key of the side with fewer distinct keys
    /// is assumed to occur on the other side with that side's average frequency (Selinger et al.: "Access path
    /// selection in a relational database management system", SIGMOD 1979). It is exact for a foreign key.
    pub(super) fn join_rows(&self, index: &KeySample) -> u64 {
        let distinct = self.keys_of_side().max(index.keys_of_side()).max(1) as f64;
        (self.valid_rows() * index.valid_rows() / distinct).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_device::host::BoolLayout;
    use pointsman_ir::types::DType;

    /// The sample of a column of keys without nulls, in two chunks.
    fn sample(keys: &[u64]) -> KeySample {
        let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
        let (first, second) = bytes.split_at(keys.len() / 3 * 8);
        let chunk = |values| HostChunk {
            values,
            bools: BoolLayout::Bits,
            bit_offset: 0,
            validity: None,
            rows: values.len() / 8,
        };
        let chunks = [chunk(first), chunk(second)];
        KeySample::of(&[KeyColumn { chunks: &chunks, ty: DType::U64.required() }], keys.len())
    }

    fn mixed(number: u64) -> u64 {
        hash::keys(&[Some(Scalar::U64(number ^ 0xabcd))])
    }

    #[test]
    fn samples_are_spread_over_all_rows_and_never_differ() {
        for rows in [0, 1, SAMPLE_ROWS, SAMPLE_ROWS + 1, 1_000_000, usize::MAX] {
            let sampled = sampled_rows(rows);
            assert_eq!(sampled, sampled_rows(rows));
            assert!(sampled.is_sorted() && sampled.iter().all(|&row| row < rows), "{rows}");
            if rows <= SAMPLE_ROWS {
                assert_eq!(sampled.len(), rows);
                continue;
            }
            assert!(sampled.len() > SAMPLE_ROWS / 2 && sampled.len() <= SAMPLE_ROWS, "{} of {rows}", sampled.len());
            for eighth in 0..8 {
                let start = rows / 8 * eighth;
                let own = sampled.iter().filter(|&&row| row >= start && row - start < rows / 8).count();
                assert!((64..256).contains(&own), "{own} of {rows} from {start} on");
            }
        }
    }

    #[test]
    fn few_rows_are_counted_exactly() {
        for (keys, distinct) in [(0, 0), (1, 1), (7, 7), (100, 10), (1024, 10)] {
            let column: Vec<u64> = (0..keys).map(|row| row % distinct.max(1)).collect();
            assert_eq!(sample(&column).distinct_keys(), distinct, "{keys}");
        }
    }

    /// Checks the estimate of a column: it is off by at most √(n / r), times a constant. No estimator promises less for
    /// all columns.
    fn check(what: &str, keys: &[u64]) -> f64 {
        let distinct = keys.iter().collect::<BTreeSet<_>>().len() as f64;
        let ratio = sample(keys).distinct_keys() as f64 / distinct;
        let bound = (keys.len() as f64 / SAMPLE_ROWS as f64).sqrt() * 1.5;
        assert!(ratio <= bound && ratio >= 1.0 / bound, "{what}, {} rows, {distinct} keys: {ratio}", keys.len());
        ratio
    }

    #[test]
    fn distinct_keys_are_estimated_within_the_bound() {
        for rows in [5_000u64, 100_000, 1_000_000] {
            for keys in [1, 2, 30, 1_000, 20_000, rows] {
                let shuffled: Vec<u64> = (0..rows).map(|row| mixed(row) % keys).collect();
                check("uniform", &shuffled);
                let sorted: Vec<u64> = (0..rows).map(|row| row * keys / rows).collect();
                check("sorted", &sorted);
                // Half of the rows have one key, a quarter another, …, and the rest are rare.
                let skewed: Vec<u64> = (0..rows)
                    .map(|row| mixed(row).leading_zeros().min(10) as u64)
                    .map(|key| if key == 10 { key + mixed(key) % keys } else { key })
                    .collect();
                check("skewed", &skewed);
            }
        }
    }

    #[test]
    fn estimate_is_chao_s_within_its_bounds() {
        let part = KeySample { rows: 10_000, sampled: 1000, valid: 1000, distinct: 600, once: 400, twice: 99 };
        assert_eq!(part.distinct_keys(), 600 + 400 * 399 / 200);
        let half = KeySample { rows: 2000, sampled: 1000, valid: 1000, distinct: 800, once: 600, twice: 0 };
        assert_eq!(half.distinct_keys(), 2 * 600 + 200, "at most");
        let nearly_all = KeySample { rows: 1010, ..half };
        assert_eq!(nearly_all.distinct_keys(), 806, "rows that were not sampled may repeat keys of the sample");
    }

    #[test]
    fn unique_and_repeated_keys_are_distinguished() {
        let unique: Vec<u64> = (0..1_000_000).map(mixed).collect();
        assert!(check("unique", &unique) > 0.3);
        let repeated: Vec<u64> = (0..1_000_000).map(|row| mixed(row) % 500).collect();
        assert!((0.8..1.25).contains(&check("repeated", &repeated)));
    }

    #[test]
    fn nulls_are_one_key_and_match_nothing() {
        let values = [0u8; 8 * 16];
        let validity = Some(pointsman_device::host::Bits { bytes: &[0b1111_0000, 0b1111_1111], offset: 0 });
        let chunk = HostChunk { values: &values, bools: BoolLayout::Bits, bit_offset: 0, validity, rows: 16 };
        let nullable = KeySample::of(&[KeyColumn { chunks: &[chunk], ty: DType::U64.nullable() }], 16);
        assert_eq!(nullable.distinct_keys(), 2, "null and 0");
        let zeros = sample(&[0, 0, 0]);
        assert_eq!(nullable.join_rows(&zeros), (12 * 3) / 2);
    }

    #[test]
    fn rows_of_joins_follow_from_rows_and_distinct_keys() {
        let primary = sample(&(0..1000).collect::<Vec<_>>());
        let foreign = sample(&(0..800).map(|row| row % 100).collect::<Vec<_>>());
        assert_eq!(foreign.join_rows(&primary), 800, "each row has one match");
        assert_eq!(primary.join_rows(&foreign), 800);
        let repeated = sample(&(0..1000).map(|row| row % 100).collect::<Vec<_>>());
        assert_eq!(foreign.join_rows(&repeated), 8000, "each row has ten matches");
        assert_eq!(sample(&[]).join_rows(&primary), 0);
        assert_eq!(primary.join_rows(&sample(&[])), 0);
        let many = KeySample { rows: u64::MAX, sampled: 1024, valid: 1024, distinct: 1, once: 0, twice: 0 };
        assert_eq!(many.join_rows(&many), u64::MAX, "more than can be counted");
    }
}
