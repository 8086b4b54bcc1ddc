//! Compares results that hold fast float sums: in go a case and two results, out comes whether all other columns have the
//! same bits and the fast sums are within their bound of each other.

use pointsman_ir::body::ValueId;
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret;
use pointsman_ir::kernel::{Fold, FoldInput, FoldMode, FoldOp, Kernel, Sink};
use pointsman_ir::op::Op;
use pointsman_ir::random::Case;
use pointsman_ir::types::{DType, Scalar};

/// Whether a result is what the interpreter gives.
pub(super) fn equal(case: &Case, expected: &TableData, found: &TableData) -> bool {
    let fast = fast_columns(&case.kernel);
    if fast.is_empty() || expected.types() != found.types() || expected.rows != found.rows {
        return expected == found;
    }
    expected.columns.iter().zip(&found.columns).enumerate().all(|(number, (expected, found))| {
        match fast.iter().find(|(column, _)| *column == number) {
            None => expected == found,
            Some((_, value)) => {
                let [magnitudes, counts] = bounds(case, number, *value);
                (0..expected.len()).all(|row| {
                    let number = |column: &ColumnData| column.get(row).map_or(f64::NAN, as_double);
                    let bound = bound(number(&magnitudes), number(&counts), expected.dtype);
                    is_within(number(expected), number(found), bound)
                })
            }
        }
    })
}

/// The columns of fast sums whose rows have no order, with the values that they add.
fn fast_columns(kernel: &Kernel) -> Vec<(usize, ValueId)> {
    let (before, folds): (usize, &[Fold]) = match &kernel.sink {
        Sink::Group { keys, folds, .. } => (keys.len(), folds),
        Sink::Reduce { folds } if kernel.body.multiplies_rows() => (0, folds),
        Sink::Reduce { .. } | Sink::Store { .. } | Sink::Compact { .. } | Sink::Scan { .. } => (0, &[]),
        Sink::Sort { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => (0, &[]),
    };
    let value = |(number, fold): (usize, &Fold)| match fold.input {
        FoldInput::Value(value) if fold.mode == FoldMode::Fast => Some((before + number, value)),
        FoldInput::Value(_) | FoldInput::Rows | FoldInput::State { .. } => None,
    };
    folds.iter().enumerate().filter_map(value).collect()
}

/// The sums of magnitudes and the numbers of values behind a column of fast sums.
fn bounds(case: &Case, column: usize, value: ValueId) -> [ColumnData; 2] {
    let mut kernel = case.kernel.clone();
    let magnitude = kernel.body.call(Op::Abs, &[value]).unwrap_or(value);
    let instead = [Fold::of(FoldOp::Sum, magnitude), Fold::of(FoldOp::Count, value)];
    instead.map(|fold| {
        let mut kernel = kernel.clone();
        match &mut kernel.sink {
            Sink::Group { keys, folds, .. } => folds[column - keys.len()] = fold,
            Sink::Reduce { folds } => folds[column] = fold,
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Scan { .. } => {}
            Sink::Sort { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => {}
        }
        let tables = case.inputs.built_tables(&kernel);
        let result = interpret::run(&kernel, &case.inputs.borrow(&tables));
        // The kernel ran without a fault, and neither a magnitude nor a count adds one.
        result.map_or_else(
            |_| ColumnData::from_scalars(DType::F64.required(), []),
            |mut table| table.columns.swap_remove(column),
        )
    })
}

/// How far two fast sums of `count` values may be apart: twice the bound of the contract, and the rounding of both to
/// the type of the fold.
fn bound(magnitude: f64, count: f64, dtype: DType) -> f64 {
    let unit = f64::EPSILON / 2.0;
    // The magnitude itself was rounded, to a single if the sum is one.
    let magnitude = magnitude * (1.0 + 1e-6);
    let rounding = if dtype == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let least = if dtype == DType::F32 { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) };
    2.0 * count * unit * magnitude / (1.0 - count * unit) + rounding * magnitude + least
}

/// Whether two sums are within a bound. Where magnitudes overflow, a sum may too, or not, as the order has it.
fn is_within(expected: f64, found: f64, bound: f64) -> bool {
    let are_equal = expected.to_bits() == found.to_bits();
    are_equal || bound == f64::INFINITY || (expected - found).abs() <= bound
}

fn as_double(value: Scalar) -> f64 {
    if let Scalar::F32(value) = value {
        return value.into();
    }
    if let Scalar::F64(value) = value {
        return value;
    }
    value.as_integer().map_or(f64::NAN, |value| value as f64)
}

#[cfg(test)]
mod tests {
    use super::{bound, fast_columns, is_within};
    use pointsman_ir::random::case;
    use pointsman_ir::types::DType;

    /// Random kernels hold fast sums whose rows have no order.
    #[test]
    fn random_kernels_have_fast_sums() {
        let device = crate::cpu::CpuDevice::default();
        let profile = crate::conformance::differential::profile(&device);
        let has_fast = |seed: &u64| !fast_columns(&case(*seed, &profile).kernel).is_empty();
        let found = (0..1000).filter(has_fast).count();
        assert!(found >= 5, "{found} of 1000 kernels");
    }

    #[test]
    fn sums_beyond_their_bound_differ() {
        let ten = bound(10.0, 4.0, DType::F64);
        let (near, far) = (10.0 + 4.0 * f64::EPSILON, 10.0 + 1e-13);
        for (one, other, expected) in
            [(10.0, 10.0, true), (10.0, near, true), (10.0, far, false), (10.0, f64::NAN, false), (1.0, -1.0, false)]
        {
            assert_eq!(is_within(one, other, ten), expected, "{one} {other}");
        }
        assert!(is_within(f64::NAN, f64::NAN, f64::NAN));
        assert!(is_within(f64::MAX, f64::INFINITY, bound(f64::INFINITY, 2.0, DType::F64)));
        assert!(!is_within(1.0, f64::INFINITY, bound(1.0, 2.0, DType::F64)));
    }
}
