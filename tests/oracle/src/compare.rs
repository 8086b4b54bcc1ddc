//! Two answers: in go our rows and DataFusion's, out comes the first difference, or none. Rows that the plan puts at one
//! place are compared as a multiset, all others in order.

use crate::engine::{Answer, AnswerPrecision};
use crate::expression::Share;
use pointsman_ir::data::TableData;
use pointsman_ir::types::Scalar;
use std::collections::HashMap;

/// The share of the sum of magnitudes that a sum of doubles, or of singles, may be off.
const SUM_SHARE_F64: f64 = 1e-12;
const SUM_SHARE_F32: f64 = 1e-5;
/// The share of the greatest magnitude that a quantile may be off: its position is rounded to six digits there.
const QUANTILE_SHARE: f64 = 2e-6;
/// The share of its value that something computed from such a sum may be off.
const ROUNDED_SHARE_F64: f64 = 1e-9;
const ROUNDED_SHARE_F32: f64 = 1e-3;

/// How two answers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// A row of ours that has no partner among the rows at its place.
    Row {
        /// Its number in our answer.
        row: usize,
        /// Whether some row there differs from it in rounded values alone.
        rounding: Rounding,
    },
    /// Another number of rows.
    RowCount,
    /// Another number of columns.
    ColumnCount,
}

/// What is known of a row without a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// Values that must be the same differ.
    ExactDiffers,
    /// Only values computed from float sums differ.
    RoundedDiffers,
    /// A float sum differs, and the sum of its magnitudes is beyond its type.
    SumOverflows,
}

/// The first difference.
pub(crate) fn difference(ours: &TableData, theirs: &Answer) -> Option<Difference> {
    if ours.columns.len() != theirs.rows.columns.len() {
        return Some(Difference::ColumnCount);
    }
    if ours.rows != theirs.rows.rows {
        return Some(Difference::RowCount);
    }
    let mut start = 0;
    while start < ours.rows {
        let place = theirs.places[start];
        let end = (start..ours.rows).find(|&row| theirs.places[row] != place).unwrap_or(ours.rows);
        if let Some(found) = run_difference(ours, theirs, start, end) {
            return Some(found);
        }
        start = end;
    }
    None
}

/// The first row of ours in `start..end` without a partner there.
fn run_difference(ours: &TableData, theirs: &Answer, start: usize, end: usize) -> Option<Difference> {
    let exact = |table: &TableData, row: usize| -> Vec<Option<Scalar>> {
        let columns = table.columns.iter().zip(&theirs.precisions);
        let kept = columns.filter(|(_, precision)| matches!(precision, AnswerPrecision::Exact));
        kept.map(|(column, _)| column.get(row)).collect()
    };
    let mut left: HashMap<Vec<Option<Scalar>>, Vec<usize>> = HashMap::new();
    (start..end).for_each(|row| left.entry(exact(&theirs.rows, row)).or_default().push(row));
    for row in start..end {
        let candidates = left.entry(exact(ours, row)).or_default();
        match candidates.iter().position(|&other| closeness(ours, row, theirs, other).is_none()) {
            Some(at) => {
                candidates.swap_remove(at);
            }
            None => {
                let best = candidates.iter().filter_map(|&other| closeness(ours, row, theirs, other));
                let rounding = best.max_by_key(|rounding| *rounding as u8).unwrap_or(Rounding::ExactDiffers);
                return Some(Difference::Row { row, rounding });
            }
        }
    }
    None
}

/// Why the rows' rounded values differ by too much; `None` if they do not.
fn closeness(ours: &TableData, row: usize, theirs: &Answer, other: usize) -> Option<Rounding> {
    let mut worst = None;
    for (i, precision) in theirs.precisions.iter().enumerate() {
        let (a, b) = (ours.columns[i].get(row), theirs.rows.columns[i].get(other));
        let found = match precision {
            AnswerPrecision::Exact => None,
            AnswerPrecision::Rounded => (!is_near(a, b, Bound::OfValue)).then_some(Rounding::RoundedDiffers),
            AnswerPrecision::Sum { magnitudes, share } => sum_closeness(a, b, magnitudes.get(other), *share),
        };
        let severity = |rounding: &Option<Rounding>| match rounding {
            None => 0,
            Some(Rounding::SumOverflows) => 1,
            Some(Rounding::RoundedDiffers) => 2,
            Some(Rounding::ExactDiffers) => 3,
        };
        if severity(&found) > severity(&worst) {
            worst = found;
        }
    }
    worst
}

fn sum_closeness(a: Option<Scalar>, b: Option<Scalar>, magnitude: Option<Scalar>, share: Share) -> Option<Rounding> {
    let magnitude = magnitude.and_then(double).unwrap_or(0.0);
    if is_near(a, b, Bound::Of(magnitude, share)) {
        return None;
    }
    let single = matches!(a.or(b), Some(Scalar::F32(_)));
    let limit = if single { f64::from(f32::MAX) } else { f64::MAX };
    // Half the limit, since a sum of magnitudes is rounded too. An infinity among the values counts as well.
    let within = magnitude < limit / 2.0;
    Some(if !within { Rounding::SumOverflows } else { Rounding::ExactDiffers })
}

fn double(value: Scalar) -> Option<f64> {
    if let Scalar::F32(v) = value {
        return Some(v.into());
    }
    if let Scalar::F64(v) = value { Some(v) } else { None }
}

/// How far two floats may lie apart.
#[derive(Clone, Copy)]
enum Bound {
    /// A share of this magnitude.
    Of(f64, Share),
    /// A share of the greater value.
    OfValue,
}

/// Whether two values are the same, or floats within the bound. Zeros are the same whatever their sign.
fn is_near(a: Option<Scalar>, b: Option<Scalar>, bound: Bound) -> bool {
    if a == b {
        return true;
    }
    let (Some(a), Some(b)) = (a, b) else { return false };
    let single = matches!(a, Scalar::F32(_));
    let (Some(a), Some(b)) = (double(a), double(b)) else { return false };
    let (share, magnitude) = match (bound, single) {
        (Bound::Of(magnitude, Share::Quantile), _) => (QUANTILE_SHARE, magnitude),
        (Bound::Of(magnitude, Share::Sum), false) => (SUM_SHARE_F64, magnitude),
        (Bound::Of(magnitude, Share::Sum), true) => (SUM_SHARE_F32, magnitude),
        (Bound::OfValue, false) => (ROUNDED_SHARE_F64, a.abs().max(b.abs())),
        (Bound::OfValue, true) => (ROUNDED_SHARE_F32, a.abs().max(b.abs())),
    };
    let least = if single { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let allowed = magnitude * share + least;
    allowed.is_finite() && (a - b).abs() <= allowed
}
