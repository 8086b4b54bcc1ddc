//! [`ScanMerger`]: finishes the rows of a scan's batches on the host. From the prefixes inside each leaf, which a
//! device wrote, and the nodes of the leaves, it computes the same bits as the interpreter.
//!
//! A row's value combines the carry of its leaf, which is the fold of all leaves before it, with the row's own prefix.
//! The interpreter computes the carries; the rest is a loop over bytes.

use crate::devices::download::ColumnBytes;
use crate::exec::footprint::largest;
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::ScanCarries;
use pointsman_ir::kernel::{FoldOp, Kernel, Sink};
use pointsman_ir::types::{DType, NAN_F32, NAN_F64, Repr, Scalar};
use std::cmp::Ordering;
use std::convert::identity;
use std::ops::Range;

/// The value of an exact sum after an overflow.
const SUM_OVERFLOWED: i128 = i128::MIN;

/// A sum that does not fit its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) struct OutOfRange;

/// The rows of a scan, finished one batch after the other.
pub(in crate::exec) struct ScanMerger {
    carries: ScanCarries,
    folds: Vec<Finish>,
    /// The number of columns that are passed on unchanged.
    pub(in crate::exec) kept: usize,
    /// Whether segments start in it: otherwise the carry applies to every row.
    pub(in crate::exec) has_segments: bool,
}

/// How a fold is finished.
#[derive(Clone, Copy, Debug)]
enum Finish {
    Count,
    /// A sum of integers, from `least` to `most`, in `width` bytes.
    Exact {
        least: i128,
        most: i128,
        width: usize,
    },
    Single,
    Double,
    /// The smallest or the greatest.
    Best {
        repr: Repr,
        wanted: Ordering,
    },
}

/// The rows of a leaf.
struct Leaf {
    rows: Range<usize>,
    /// The end of those that take something over.
    reached: usize,
    /// A value a fold.
    carry: Vec<Option<Scalar>>,
}

impl ScanMerger {
    /// Nothing yet; `None` for a kernel that is no scan or has frames.
    pub(in crate::exec) fn new(kernel: &Kernel) -> Option<ScanMerger> {
        let Sink::Scan { columns, running, segment } = &kernel.sink else { return None };
        let carries = ScanCarries::new(kernel).filter(|_| !kernel.body.multiplies_rows())?;
        let finish = |op: FoldOp, dtype: DType| match (op, dtype.repr()) {
            (FoldOp::Count, _) => Some(Finish::Count),
            (FoldOp::Sum, Repr::F32) => Some(Finish::Single),
            (FoldOp::Sum, Repr::F64) => Some(Finish::Double),
            (FoldOp::Sum | FoldOp::Total, repr) => exact(dtype, repr),
            (FoldOp::Min, repr) => Some(Finish::Best { repr, wanted: Ordering::Less }),
            (FoldOp::Max, repr) => Some(Finish::Best { repr, wanted: Ordering::Greater }),
        };
        let folds = running.iter().map(|one| finish(one.fold.op, one.fold.output(&kernel.body).dtype));
        let folds = folds.collect::<Option<_>>()?;
        Some(ScanMerger { carries, folds, kept: columns.len(), has_segments: segment.is_some() })
    }

    /// Finishes a batch: writes the values of each fold, and gives their bitmaps, empty for those without nulls.
    /// `leaves` are the numbers of the rows' leaves, `takes` tells which rows lie before their leaf's first start.
    pub(in crate::exec) fn finish(
        &mut self,
        rows: usize,
        (leaves, takes): (&[u8], &[u8]),
        sums: &[ColumnBytes],
        nodes: &TableData,
        targets: &mut [&mut [u8]],
    ) -> Result<Vec<Vec<u8>>, OutOfRange> {
        let leaves = self.leaves(rows, leaves, takes, nodes);
        let folds = self.folds.iter().enumerate().zip(sums).zip(targets);
        let finished = folds.map(|(((number, &finish), (own, bitmap)), target)| {
            let nulls = if let Finish::Best { .. } = finish { rows.div_ceil(8) } else { 0 };
            let mut column = FoldColumn { own, bitmap, target, valid: vec![0; nulls] };
            for leaf in &leaves {
                column.rows(finish, leaf.rows.start..leaf.reached, leaf.carry[number])?;
                column.rows(finish, leaf.reached..leaf.rows.end, None)?;
            }
            Ok(column.valid)
        });
        finished.collect()
    }

    fn leaves(&mut self, rows: usize, numbers: &[u8], takes: &[u8], nodes: &TableData) -> Vec<Leaf> {
        let (numbers, _) = numbers.as_chunks::<8>();
        let mut end = 0;
        let leaf = |(leaf, carry): (u64, Vec<Option<Scalar>>)| {
            let start = end;
            end += numbers[start..rows].partition_point(|number| u64::from_le_bytes(*number) <= leaf);
            // Those before the first start come first.
            let is_before = |row: usize| !self.has_segments || takes[row / 8] >> (row % 8) & 1 == 1;
            let reached = start + largest(end - start, |count| is_before(start + count - 1));
            Leaf { rows: start..end, reached, carry }
        };
        self.carries.take(nodes).into_iter().map(leaf).collect()
    }
}

/// How a sum of whole numbers is finished.
fn exact(dtype: DType, repr: Repr) -> Option<Finish> {
    let bits = 8 * repr.bytes() as u32;
    let (least, most) = match repr {
        Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 => (i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
        Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 => (0, (1 << bits) - 1),
        Repr::I128 => (SUM_OVERFLOWED + 1, i128::MAX),
        Repr::Bool | Repr::F32 | Repr::F64 => return None,
    };
    let (least, most) = if let DType::Decimal { precision, .. } = dtype {
        let most = 10i128.checked_pow(precision.into())? - 1;
        (-most, most)
    } else {
        (least, most)
    };
    Some(Finish::Exact { least, most, width: repr.bytes() })
}

/// The values of a fold in a batch on their way out.
struct FoldColumn<'b> {
    /// The prefixes inside the leaves, and their bitmap.
    own: &'b [u8],
    bitmap: &'b [u8],
    target: &'b mut [u8],
    /// The bitmap of the target; empty for folds without nulls.
    valid: Vec<u8>,
}

impl FoldColumn<'_> {
    /// A range of rows with the same carry, or none.
    fn rows(&mut self, finish: Finish, rows: Range<usize>, carry: Option<Scalar>) -> Result<(), OutOfRange> {
        let (own, target) = (self.own, &mut *self.target);
        let whole = || carry.and_then(Scalar::as_integer).unwrap_or(0);
        match finish {
            Finish::Count => {
                let carry = whole() as u64;
                each::<8, 8>(rows, own, target, |own| u64::from_le_bytes(own).wrapping_add(carry).to_le_bytes());
            }
            Finish::Single => {
                let carry = if let Some(Scalar::F32(carry)) = carry { carry } else { -0.0 };
                each::<4, 4>(rows, own, target, |own| single(carry + f32::from_le_bytes(own) + 0.0).to_le_bytes());
            }
            Finish::Double => {
                let carry = if let Some(Scalar::F64(carry)) = carry { carry } else { -0.0 };
                each::<8, 8>(rows, own, target, |own| double(carry + f64::from_le_bytes(own) + 0.0).to_le_bytes());
            }
            Finish::Exact { least, most, width } => {
                let fits = match width {
                    1 => wholes::<1>(rows, whole(), own, target, least..=most),
                    2 => wholes::<2>(rows, whole(), own, target, least..=most),
                    4 => wholes::<4>(rows, whole(), own, target, least..=most),
                    8 => wholes::<8>(rows, whole(), own, target, least..=most),
                    _ => wholes::<16>(rows, whole(), own, target, least..=most),
                };
                return if fits { Ok(()) } else { Err(OutOfRange) };
            }
            Finish::Best { repr, wanted } => self.best(repr, wanted, rows, carry),
        }
        Ok(())
    }

    /// The smallest or greatest values.
    fn best(&mut self, repr: Repr, wanted: Ordering, rows: Range<usize>, carry: Option<Scalar>) {
        let own = self.own;
        macro_rules! of {
            ($T:ty, $order:expr, $canonical:expr) => {{
                let own = &own.as_chunks().0[..rows.end];
                of!($T, $order, $canonical, |row: usize| <$T>::from_le_bytes(own[row]))
            }};
            ($T:ty, $order:expr, $canonical:expr, $read:expr) => {{
                let bits = carry.map(|carry| carry.bits().to_le_bytes());
                let carry = bits.and_then(|bits| bits.first_chunk().copied()).map(<$T>::from_le_bytes);
                self.of(rows, carry, $read, |a, b| $order(&b, &a) == wanted, |v| $canonical(v).to_le_bytes())
            }};
        }
        match repr {
            Repr::I8 => of!(i8, Ord::cmp, identity),
            Repr::I16 => of!(i16, Ord::cmp, identity),
            Repr::I32 => of!(i32, Ord::cmp, identity),
            Repr::I64 => of!(i64, Ord::cmp, identity),
            Repr::U8 => of!(u8, Ord::cmp, identity),
            Repr::U16 => of!(u16, Ord::cmp, identity),
            Repr::U32 => of!(u32, Ord::cmp, identity),
            Repr::U64 => of!(u64, Ord::cmp, identity),
            Repr::I128 => of!(i128, Ord::cmp, identity),
            Repr::F32 => of!(f32, |a: &f32, b: &f32| float_order(&f64::from(*a), &f64::from(*b)), single),
            Repr::F64 => of!(f64, float_order, double),
            Repr::Bool => of!(u8, Ord::cmp, identity, |row: usize| own[row / 8] >> (row % 8) & 1),
        }
    }

    /// The better of the carry and each row's own value; `is_better` compares the second with the first.
    fn of<const N: usize, T: Copy>(
        &mut self,
        rows: Range<usize>,
        carry: Option<T>,
        read: impl Fn(usize) -> T,
        is_better: impl Fn(T, T) -> bool,
        write: impl Fn(T) -> [u8; N],
    ) {
        let target = &mut self.target.as_chunks_mut::<N>().0[..rows.end];
        for row in rows {
            let is_there = self.bitmap[row / 8] >> (row % 8) & 1 == 1;
            let best = match (carry, is_there.then(|| read(row))) {
                (Some(carry), Some(own)) => Some(if is_better(carry, own) { own } else { carry }),
                (carry, own) => carry.or(own),
            };
            target[row] = best.map_or([0; N], &write);
            self.valid[row / 8] |= u8::from(best.is_some()) << (row % 8);
        }
    }
}

/// Writes what `f` makes of each of these rows.
fn each<const I: usize, const O: usize>(
    rows: Range<usize>,
    own: &[u8],
    target: &mut [u8],
    mut f: impl FnMut([u8; I]) -> [u8; O],
) {
    let (own, target) = (&own.as_chunks::<I>().0[rows.clone()], &mut target.as_chunks_mut::<O>().0[rows]);
    for (own, target) in own.iter().zip(target) {
        *target = f(*own);
    }
}

/// Sums of whole numbers; whether all of them fit.
fn wholes<const O: usize>(
    rows: Range<usize>,
    carry: i128,
    own: &[u8],
    target: &mut [u8],
    range: std::ops::RangeInclusive<i128>,
) -> bool {
    let mut fits = true;
    each::<16, O>(rows, own, target, |own| {
        let own = i128::from_le_bytes(own);
        let is_lost = carry == SUM_OVERFLOWED || own == SUM_OVERFLOWED;
        let sum = carry.checked_add(own).filter(|_| !is_lost).unwrap_or(SUM_OVERFLOWED);
        fits &= range.contains(&sum);
        let bytes = sum.to_le_bytes();
        std::array::from_fn(|at| bytes[at])
    });
    fits
}

/// All NaNs are one value above everything, and −0 lies below +0.
fn float_order(a: &f64, b: &f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => a.total_cmp(b),
        (a, b) => a.cmp(&b),
    }
}

fn single(value: f32) -> f32 {
    if value.is_nan() { f32::from_bits(NAN_F32) } else { value }
}

fn double(value: f64) -> f64 {
    if value.is_nan() { f64::from_bits(NAN_F64) } else { value }
}

#[cfg(test)]
mod tests;
