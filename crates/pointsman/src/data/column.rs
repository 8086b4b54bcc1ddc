//! [`Column`]: owned, immutable, reference-counted values of one type, some of which may be null.
//!
//! Cloning shares the memory. Results use pooled memory; a `Vec` becomes a column without a copy. Nulls are counted on
//! first use, so that a result is not read again just to count them.

use crate::data::arrow::TimeZone;
use crate::data::bitmap::append_bits;
use crate::data::chunks::host_chunk;
use crate::data::element::Element;
use crate::data::identity::ColumnIdentity;
use crate::data::memory::SharedPooled;
use crate::data::output::ResultColumn;
use crate::error::{Error, Result};
use pointsman_device::host::{Bits, HostChunk};
use pointsman_ir::types::DType;
use std::fmt;
use std::ops::{Bound, Deref, RangeBounds};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The location of a column's values.
pub(crate) enum ColumnMemory<T> {
    /// In memory of the runtime.
    Pooled(SharedPooled),
    /// In a vector.
    Vec(Arc<Vec<T>>),
    /// In the memory of another column.
    Part(Arc<PartMemory<T>>),
}

/// The memory of a column from a value on.
pub(crate) struct PartMemory<T> {
    /// No part of another memory.
    memory: ColumnMemory<T>,
    first: usize,
}

impl<T> Clone for ColumnMemory<T> {
    fn clone(&self) -> Self {
        match self {
            ColumnMemory::Pooled(buffer) => ColumnMemory::Pooled(buffer.clone()),
            ColumnMemory::Vec(values) => ColumnMemory::Vec(values.clone()),
            ColumnMemory::Part(part) => ColumnMemory::Part(part.clone()),
        }
    }
}

impl<T: Element> ColumnMemory<T> {
    /// The first `len` values.
    pub(crate) fn values(&self, len: usize) -> &[T] {
        match self {
            // Memory of no bytes need not be aligned.
            ColumnMemory::Pooled(_) | ColumnMemory::Part(_) if len == 0 => &[],
            // Never a bool (see `Column::from_pooled`), so the check costs nothing: every byte pattern is a value.
            ColumnMemory::Pooled(buffer) => bytemuck::checked::cast_slice(&buffer[..len * size_of::<T>()]),
            ColumnMemory::Vec(values) => &values[..len],
            ColumnMemory::Part(part) => &part.memory.values(part.first + len)[part.first..],
        }
    }

    /// The bytes of the first `len` values.
    pub(crate) fn bytes(&self, len: usize) -> &[u8] {
        match self {
            ColumnMemory::Pooled(buffer) => &buffer[..len * size_of::<T>()],
            ColumnMemory::Vec(values) => bytemuck::cast_slice(&values[..len]),
            ColumnMemory::Part(part) => &part.memory.bytes(part.first + len)[part.first * size_of::<T>()..],
        }
    }

    /// The memory from a value on.
    fn from(&self, first: usize) -> ColumnMemory<T> {
        let (memory, first) = match self {
            ColumnMemory::Part(part) => (&part.memory, part.first + first),
            ColumnMemory::Pooled(_) | ColumnMemory::Vec(_) => (self, first),
        };
        ColumnMemory::Part(Arc::new(PartMemory { memory: memory.clone(), first }))
    }
}

/// Values of one type, some of which may be null: owned, immutable and reference-counted, so that clones share the
/// memory. Derefs to a slice in which null slots are zero. Devices keep columns in their memory between queries.
///
/// ```
/// # use pointsman::Column;
/// let column = Column::from(vec![1, 2, 3]);
/// assert_eq!(column.len(), 3);
/// assert_eq!(&column[1..], &[2, 3]);
/// assert_eq!(column.nulls(), 0);
/// let gaps = Column::from_options([Some(1.5f32), None]);
/// assert_eq!((gaps.nulls(), gaps.is_valid(1), gaps.to_vec()), (1, false, vec![1.5, 0.0]));
/// ```
#[doc(alias = "Array")]
#[doc(alias = "Series")]
pub struct Column<T> {
    pub(crate) values: ColumnMemory<T>,
    len: usize,
    /// May be present although no value is null.
    valid: Option<ColumnMemory<u8>>,
    /// Counted on first use; [`UNCOUNTED`] until then.
    nulls: AtomicUsize,
    identity: ColumnIdentity,
    /// Only timestamps have one. Boxed: a column of at most 128 bytes is moved without a call.
    zone: Option<Box<TimeZone>>,
}

/// Devices read parts of columns whose values take a multiple of these bytes: GPUs address whole words.
const PART_VALUE_BYTES: usize = 4;

/// Stands for a number of nulls that is not known yet.
const UNCOUNTED: usize = usize::MAX;

const _: () = assert!(size_of::<Column<f64>>() <= 128, "moving a larger column takes a call");

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        let (values, valid, identity) = (self.values.clone(), self.valid.clone(), self.identity.clone());
        let nulls = AtomicUsize::new(self.nulls.load(Ordering::Relaxed));
        Column { values, len: self.len, valid, nulls, identity, zone: self.zone.clone() }
    }
}

impl<T: Element> Column<T> {
    /// A column of a result. Truth values are checked and copied out of its memory once, so that reading them is free.
    #[inline]
    pub(crate) fn from_result(result: ResultColumn, zone: Option<TimeZone>) -> Result<Column<T>> {
        let ResultColumn { values, valid, rows: len, identity, .. } = result;
        let values = if T::DTYPE == DType::Bool {
            let values =
                T::truths(&values[..len]).ok_or_else(|| Error::internal("a device wrote a wrong truth value"))?;
            ColumnMemory::Vec(Arc::new(values))
        } else {
            ColumnMemory::Pooled(values.into_shared())
        };
        let valid = valid.map(|valid| ColumnMemory::Pooled(valid.into_shared()));
        let mut column = Column::new(values, valid, len);
        column.identity = identity.map(ColumnIdentity::from).unwrap_or_default();
        column.set_zone(zone);
        Ok(column)
    }

    /// A column of these parts.
    pub(crate) fn new(values: ColumnMemory<T>, valid: Option<ColumnMemory<u8>>, len: usize) -> Column<T> {
        let (nulls, identity) = (AtomicUsize::new(UNCOUNTED), ColumnIdentity::default());
        Column { values, len, valid, nulls, identity, zone: None }
    }

    /// A column of values and nulls.
    pub fn from_options(values: impl IntoIterator<Item = Option<T>>) -> Column<T> {
        let zero: T = bytemuck::checked::pod_read_unaligned(&[0u8; 16][..size_of::<T>()]);
        let mut bitmap = Vec::new();
        let mut plain = Vec::new();
        for (i, value) in values.into_iter().enumerate() {
            if i % 8 == 0 {
                bitmap.push(0u8);
            }
            bitmap[i / 8] |= u8::from(value.is_some()) << (i % 8);
            plain.push(value.unwrap_or(zero));
        }
        let len = plain.len();
        Column::new(ColumnMemory::Vec(Arc::new(plain)), Some(ColumnMemory::Vec(Arc::new(bitmap))), len)
    }

    /// Some of the rows, as a column that shares the memory. A device that has this column reads the rows there, without
    /// a copy of their own, if they begin where the device can address them (on CUDA, at a multiple of 256 bytes) and
    /// have values of at least four bytes without nulls. Rows that do not exist are an error.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// let column = pointsman::Column::from(vec![1.0, 2.0, 4.0, 8.0]);
    /// assert_eq!(&column.slice(1..3)?[..], [2.0, 4.0]);
    /// assert_eq!(&column.slice(2..)?.slice(..1)?[..], [4.0]);
    /// assert!(column.slice(3..5).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn slice(&self, rows: impl RangeBounds<usize>) -> Result<Column<T>> {
        let start = match rows.start_bound() {
            Bound::Included(&start) => Some(start),
            Bound::Excluded(&before) => before.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match rows.end_bound() {
            Bound::Included(&last) => last.checked_add(1),
            Bound::Excluded(&end) => Some(end),
            Bound::Unbounded => Some(self.len),
        };
        let (Some(start), Some(end)) = (start, end.filter(|&end| end <= self.len)) else {
            return Err(self.no_such_rows());
        };
        if start > end {
            return Err(self.no_such_rows());
        }
        let mut column = Column::new(self.values.from(start), None, end - start);
        column.zone = self.zone.clone();
        // Bitmaps of parts would begin within a byte.
        if let Some(bits) = self.bitmap() {
            let mut bitmap = vec![0; column.len.div_ceil(8)];
            append_bits(&mut bitmap, 0, Bits { offset: bits.offset + start, ..bits }, column.len);
            column.valid = Some(ColumnMemory::Vec(Arc::new(bitmap)));
        } else if size_of::<T>().is_multiple_of(PART_VALUE_BYTES) {
            column.identity = self.identity.part(start, size_of::<T>());
        }
        Ok(column)
    }

    fn no_such_rows(&self) -> Error {
        let len = self.len;
        Error::invalid(format!(
            "a part of a column of {len} rows begins and ends within 0..{len}, its end not before its start"
        ))
    }

    /// The number of nulls. The first call counts them.
    #[doc(alias = "null_count")]
    pub fn nulls(&self) -> usize {
        let Some(bits) = self.bits() else { return 0 };
        let known = self.nulls.load(Ordering::Relaxed);
        if known != UNCOUNTED {
            return known;
        }
        let nulls = self.len - ones(bits.bytes, self.len);
        self.nulls.store(nulls, Ordering::Relaxed);
        nulls
    }

    /// Whether `row` exists and its value is not null.
    pub fn is_valid(&self, row: usize) -> bool {
        row < self.len && self.bits().is_none_or(|bits| bits.get(row))
    }

    /// All values in order; `None` is null. (`iter` is that of the slice, in which null slots are zero.)
    pub fn options(&self) -> impl ExactSizeIterator<Item = Option<T>> + '_ {
        (0..self.len).map(|row| self.is_valid(row).then(|| self[row]))
    }

    /// A copy of the values; null slots are zero.
    pub fn to_vec(&self) -> Vec<T> {
        self.deref().to_vec()
    }

    /// The column as an Arrow array that shares its memory. Only booleans are copied, since Arrow packs them into bits.
    pub fn to_arrow(&self) -> T::Array {
        T::array(self)
    }

    /// The time zone of a column of [`Timestamp`](crate::Timestamp)s that came from Arrow. It is a name for
    /// [`to_arrow`](Column::to_arrow): the values are microseconds in UTC, and columns are compared without it.
    pub fn time_zone(&self) -> Option<&str> {
        self.zone().map(|zone| &**zone)
    }

    /// Sets the time zone, if the column has timestamps.
    pub(crate) fn set_zone(&mut self, zone: Option<TimeZone>) {
        self.zone = zone.filter(|_| T::DTYPE == DType::Timestamp).map(Box::new);
    }

    /// The time zone, to be shared.
    pub(crate) fn zone(&self) -> Option<&TimeZone> {
        self.zone.as_deref()
    }

    /// The validity bitmap, if there is one.
    fn bits(&self) -> Option<Bits<'_>> {
        self.valid.as_ref().map(|valid| Bits { bytes: valid.bytes(self.len.div_ceil(8)), offset: 0 })
    }

    /// The validity bitmap; `None` if no value is null.
    pub(crate) fn bitmap(&self) -> Option<Bits<'_>> {
        self.bits().filter(|_| self.nulls() > 0)
    }

    /// The memory that holds the bitmap; `None` if no value is null.
    pub(crate) fn bitmap_memory(&self) -> Option<&ColumnMemory<u8>> {
        self.valid.as_ref().filter(|_| self.nulls() > 0)
    }

    /// The identity by which devices recognise the column.
    pub(crate) fn identity(&self) -> &ColumnIdentity {
        &self.identity
    }

    /// The column as a device reads it.
    pub(crate) fn chunk(&self) -> HostChunk<'_> {
        HostChunk { validity: self.bitmap(), ..chunk_of(self) }
    }
}

/// Values without nulls as a device reads them.
pub(crate) fn chunk_of<T: Element>(values: &[T]) -> HostChunk<'_> {
    host_chunk(bytemuck::cast_slice(values), None, values.len())
}

/// The number of set bits among the first `len`.
pub(crate) fn ones(bytes: &[u8], len: usize) -> usize {
    // The compiler vectorises a count of whole words.
    let (words, rest) = bytes[..len / 8].as_chunks::<8>();
    let whole: u64 = words.iter().map(|&word| u64::from(u64::from_le_bytes(word).count_ones())).sum();
    let rest: u32 = rest.iter().map(|byte| byte.count_ones()).sum();
    let tail = if len.is_multiple_of(8) { 0 } else { bytes[len / 8] & ((1 << (len % 8)) - 1) };
    whole as usize + (rest + tail.count_ones()) as usize
}

impl<T: Element> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.values.values(self.len)
    }
}

impl<T: Element> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Column<T> {
        let len = values.len();
        Column::new(ColumnMemory::Vec(Arc::new(values)), None, len)
    }
}

impl<T: Element> From<Vec<Option<T>>> for Column<T> {
    fn from(values: Vec<Option<T>>) -> Column<T> {
        Column::from_options(values)
    }
}

impl<T: Element> From<Box<[T]>> for Column<T> {
    fn from(values: Box<[T]>) -> Column<T> {
        Column::from(values.into_vec())
    }
}

impl<T: Element> From<Column<T>> for Vec<T> {
    /// The values; null slots are zero. They are not copied if the column was made from a vector and is its only user.
    fn from(column: Column<T>) -> Vec<T> {
        match column.values {
            ColumnMemory::Vec(values) => Arc::try_unwrap(values).unwrap_or_else(|values| values.to_vec()),
            ColumnMemory::Pooled(_) | ColumnMemory::Part(_) => column.to_vec(),
        }
    }
}

impl<T: Element> From<Column<T>> for Vec<Option<T>> {
    fn from(column: Column<T>) -> Vec<Option<T>> {
        column.options().collect()
    }
}

impl<'a, T: Element> IntoIterator for &'a Column<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    /// The values; null slots are zero.
    fn into_iter(self) -> std::slice::Iter<'a, T> {
        self.iter()
    }
}

impl<T: Element> From<&[T]> for Column<T> {
    fn from(values: &[T]) -> Column<T> {
        Column::from(values.to_vec())
    }
}

impl<T: Element> PartialEq for Column<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.nulls() == other.nulls() && self.options().eq(other.options())
    }
}

impl<T: Element> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nulls() == 0 {
            f.debug_list().entries(self.deref()).finish()
        } else {
            f.debug_list().entries(self.options()).finish()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Session;

    #[test]
    fn bits_are_counted_up_to_any_end() {
        let bytes: Vec<u8> = (0..200u32).map(|i| (i * 37 + i / 7) as u8).collect();
        for len in 0..=8 * bytes.len() {
            let each = (0..len).filter(|&i| bytes[i / 8] >> (i % 8) & 1 == 1).count();
            assert_eq!(ones(&bytes, len), each, "{len} bits");
        }
    }

    #[test]
    fn truth_values_are_bytes_of_0_and_1() {
        for len in [0, 1, 7, 64, 1000] {
            let mut bytes: Vec<u8> = (0..len).map(|i| (i % 3 == 0).into()).collect();
            assert_eq!(bool::truths(&bytes), Some((0..len).map(|i| i % 3 == 0).collect()));
            if let Some(last) = bytes.last_mut() {
                *last = 2;
                assert_eq!(bool::truths(&bytes), None, "of {len}");
            }
        }
        assert_eq!(u8::truths(&[0, 1]), None);
    }

    /// The number of nulls, if it was counted.
    fn counted<T>(column: &Column<T>) -> usize {
        column.nulls.load(Ordering::Relaxed)
    }

    #[test]
    fn nulls_of_a_result_are_counted_on_demand() -> Result<()> {
        let given = Column::from_options((0..1000).map(|i| (i % 3 != 0).then_some(i)));
        let column = Session::open()?.from(&given).map(|x| x + 1).run()?.into_value();
        assert!(column.valid.is_some() && counted(&column) == UNCOUNTED, "the result was read again");
        assert!(!column.is_valid(0) && column.is_valid(1) && column[1] == 2);
        assert_eq!(column.options().flatten().count(), 666);
        assert_eq!(counted(&column), UNCOUNTED, "one row asks for no count");
        assert_eq!((column.nulls(), counted(&column.clone())), (334, 334));
        Ok(())
    }

    #[test]
    fn parts_share_the_memory() -> Result<()> {
        let session = Session::open()?;
        let given = Column::from((0..100).collect::<Vec<i64>>());
        for column in [given.clone(), session.from(&given).map(|x| x + 0).run()?.into_value()] {
            for rows in [0..100, 0..0, 100..100, 3..4, 8..16, 9..91] {
                let part = column.slice(rows.clone())?;
                assert_eq!((&part[..], part.nulls()), (&given[rows.clone()], 0));
                assert!(rows.is_empty() || part.as_ptr() == column[rows.start..].as_ptr(), "it was copied");
                let expected: Vec<i64> = given[rows.clone()].iter().map(|x| x * 2).collect();
                assert_eq!(session.from(&part).map(|x| x * 2).run()?.to_vec(), expected);
                assert_eq!(part.to_arrow().values(), &given[rows.clone()]);
                let last = part.slice(part.len().saturating_sub(2)..)?;
                assert_eq!(&last[..], &part[part.len().saturating_sub(2)..]);
            }
            for (start, end) in [(0, 101), (101, 101), (5, 4), (usize::MAX, usize::MAX)] {
                let error = column.slice(start..end).map(drop).unwrap_err();
                assert!(error.message().contains("within 0..100"), "{error}");
            }
            assert!(column.slice(..=usize::MAX).is_err() && column.slice(..=99)?.len() == 100);
        }
        Ok(())
    }

    #[test]
    fn parts_with_nulls_have_their_own_bitmap() -> Result<()> {
        let value = |row: usize| (!row.is_multiple_of(3)).then_some(row as f32);
        let column = Column::from_options((0..100).map(value));
        for (start, end) in [(0, 100), (1, 9), (7, 71), (8, 8), (99, 100)] {
            let part = column.slice(start..end)?;
            assert!(part.options().eq((start..end).map(value)), "{start}..{end}: {part:?}");
            assert_eq!(part.nulls(), (start..end).filter(|row| row.is_multiple_of(3)).count());
            assert!(part.slice(..)?.iter().eq(part.iter()));
        }
        let truths = Column::from(vec![true, false, true, true]);
        assert_eq!(&truths.slice(1..3)?[..], [false, true]);
        Ok(())
    }

    #[test]
    fn a_bitmap_without_a_null_is_no_bitmap() {
        let column = Column::from_options((0..9).map(Some));
        assert!(column.bitmap().is_none() && column.bitmap_memory().is_none() && column.chunk().validity.is_none());
        assert_eq!((column.nulls(), arrow_array::Array::nulls(&column.to_arrow())), (0, None));
        assert_eq!(column, Column::from((0..9).collect::<Vec<i32>>()));
    }
}
