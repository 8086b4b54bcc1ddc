//! Fractional differential equations against closed forms, against plain sums, and on devices that fail.

mod adaptive;
mod ensembles;
mod errors;
mod faults;
mod orders;
mod plain;
mod problems;
mod uniform;

/// The largest difference of two lists.
#[track_caller]
fn difference(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    let pairs = left.iter().zip(right);
    pairs.fold(0.0, |largest, (a, b)| if (a - b).is_nan() { f64::NAN } else { f64::max(largest, (a - b).abs()) })
}
