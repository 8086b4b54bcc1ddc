//! The steps of tables through the typed API (sorts, limits, groups, joins) against plain Rust, over every size at which
//! leaves, batches and morsels begin and end, with nulls, NaN and both zeros.

mod batches;
mod chains;
mod groups;
mod histograms;
mod joins;
mod mistakes;
mod plan_text;
mod rows;
mod statistics;

use super::{noise, session};
use pointsman::{Column, Element};

/// Numbers of rows.
const SIZES: [usize; 6] = [0, 1, 7, 4097, 65_537, 1_000_000];

/// Keys among `distinct` values, one in eleven null.
fn keys(rows: usize, distinct: u64) -> Vec<Option<i64>> {
    let key = |bits: u64| (!bits.is_multiple_of(11)).then_some((bits >> 20) % distinct.max(1)).map(|key| key as i64);
    noise(rows).into_iter().map(key).collect()
}

/// Multiples of an eighth whose sums are exact, with nulls, NaN and both zeros.
fn floats(rows: usize) -> Vec<Option<f64>> {
    let value = |bits: u64| match (bits >> 7) % 40 {
        0..3 => None,
        3 => Some(f64::NAN),
        4 => Some(0.0),
        5 => Some(-0.0),
        _ => Some(((bits >> 30) % 1000) as f64 / 8.0 - 60.0),
    };
    noise(rows).into_iter().map(value).collect()
}

/// Integers between −500 and 500, some of them null.
fn numbers(rows: usize) -> Vec<Option<i64>> {
    noise(rows).into_iter().map(|bits| (!bits.is_multiple_of(7)).then_some((bits >> 40) as i64 % 1001 - 500)).collect()
}

fn column<T: Element>(values: &[Option<T>]) -> Column<T> {
    Column::from_options(values.iter().copied())
}

fn options<T: Element>(column: &Column<T>) -> Vec<Option<T>> {
    column.options().collect()
}

/// The value that stands for all values equal to it: there is one NaN, and −0 equals +0.
fn canonical(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { (value + 0.0).to_bits() }
}

/// Compares results, and names the first row that differs.
#[track_caller]
fn check<T: PartialEq + std::fmt::Debug>(what: &str, found: &[T], expected: &[T]) {
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    let rows = differs.map(|row| (row, &found[row], &expected[row]));
    assert_eq!((found.len(), differs), (expected.len(), None), "{what}: {rows:?}");
}
