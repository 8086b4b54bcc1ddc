//! Compares an expression of two columns with a function of plain Rust, bit for bit: at several sizes, and with nulls.

use super::session;
use pointsman::{Column, Element, Expr, null, select};

/// The sizes around blocks and leaves.
pub(crate) const SIZES: [usize; 7] = [0, 1, 7, 63, 64, 65, 4097];

/// A value that can be compared bit for bit; a NaN has one pattern.
pub(crate) trait Exact: Element {
    /// The bits.
    fn exact(self) -> u64;
}

macro_rules! exact {
    ($($type:ident: |$value:ident| $bits:expr;)*) => {$(
        impl Exact for $type {
            fn exact(self) -> u64 {
                let $value = self;
                $bits
            }
        }
    )*};
}

exact! {
    bool: |v| v.into();
    i8: |v| v as u64;
    i16: |v| v as u64;
    i32: |v| v as u64;
    i64: |v| v as u64;
    u8: |v| v.into();
    u16: |v| v.into();
    u32: |v| v.into();
    u64: |v| v;
    f32: |v| if v.is_nan() { f32::NAN.to_bits().into() } else { v.to_bits().into() };
    f64: |v| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() };
}

/// The pairs, repeated or cut to every size of [`SIZES`], and all of them.
#[track_caller]
pub(crate) fn check<A: Exact, B: Exact, U: Exact>(
    pairs: &[(A, B)],
    f: impl Fn(Expr<A>, Expr<B>) -> Expr<U> + Copy,
    plain: impl Fn(A, B) -> U,
) {
    check_sizes(pairs, &[&SIZES[..], &[pairs.len()]].concat(), f, plain);
}

/// The same for a function of one value.
#[track_caller]
pub(crate) fn check_one<A: Exact, U: Exact>(
    values: &[A],
    f: impl Fn(Expr<A>) -> Expr<U> + Copy,
    plain: impl Fn(A) -> U,
) {
    let pairs: Vec<(A, bool)> = values.iter().map(|&value| (value, true)).collect();
    check(&pairs, |a, always| select(always, f(a), null()), |a, _| plain(a));
}

/// The pairs at these sizes: first without nulls, then with a null in every third row of the one column and in every
/// fifth of the other. The result is null if either is.
#[track_caller]
pub(crate) fn check_sizes<A: Exact, B: Exact, U: Exact>(
    pairs: &[(A, B)],
    sizes: &[usize],
    f: impl Fn(Expr<A>, Expr<B>) -> Expr<U> + Copy,
    plain: impl Fn(A, B) -> U,
) {
    let s = session();
    for &size in sizes {
        let rows: Vec<(A, B)> = pairs.iter().copied().cycle().take(size).collect();
        let (a, b): (Vec<A>, Vec<B>) = rows.iter().copied().unzip();
        compare_rows(&rows, |_| true, &s.from((&a, &b)).map(|(a, b)| f(a, b)).collect().unwrap(), &plain);
        let some_a = Column::from_options(a.iter().enumerate().map(|(k, &a)| (k % 3 > 0).then_some(a)));
        let some_b = Column::from_options(b.iter().enumerate().map(|(k, &b)| (k % 5 > 0).then_some(b)));
        let found = s.from((&some_a, &some_b)).map(|(a, b)| f(a, b)).collect().unwrap();
        compare_rows(&rows, |k| k % 3 > 0 && k % 5 > 0, &found, &plain);
    }
}

/// Compares rows of results, which are null unless the row is `valid`.
#[track_caller]
fn compare_rows<A: Exact, B: Exact, U: Exact>(
    rows: &[(A, B)],
    valid: impl Fn(usize) -> bool,
    found: &Column<U>,
    plain: &impl Fn(A, B) -> U,
) {
    assert_eq!(found.len(), rows.len());
    for (k, (&(a, b), found)) in rows.iter().zip(found.options()).enumerate() {
        let expected = valid(k).then(|| plain(a, b));
        let equal = found.map(U::exact) == expected.map(U::exact);
        assert!(equal, "row {k} of {}: {a:?}, {b:?}: {found:?} instead of {expected:?}", rows.len());
    }
}
