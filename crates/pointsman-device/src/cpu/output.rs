//! The outputs of a launch: columns, checked once, split between threads at whole leaves, and written from the front.
//!
//! Slots of a block become values (bools as bits or bytes) and bitmaps. Null slots are zero, NaNs are canonical, and
//! the last byte of a bitmap is zero after the last row: every byte up to the last row is defined.

use super::block::{Args, BLOCK_ROWS, Imm, StepFn, bitmap, bytes, gather, is_aligned};
use super::isa::Level;
use crate::host::{BoolLayout, HostBuffer};
use crate::{DeviceError, DeviceResult};
use pointsman_ir::types::{Repr, Scalar, Type};
use smallvec::SmallVec;

/// Encodes a column of a type for output.
#[derive(Clone, Copy)]
pub(super) struct OutputEncoder {
    /// The type of the column.
    pub(super) ty: Type,
    /// Canonicalises NaNs and zeroes null slots: with validity, and without.
    with: Option<StepFn>,
    without: Option<StepFn>,
}

impl OutputEncoder {
    /// The encoder of a type.
    pub(super) fn new(level: Level, ty: Type) -> OutputEncoder {
        let repr = ty.dtype.repr();
        OutputEncoder { ty, with: bytes::leave(level, repr, true), without: bytes::leave(level, repr, false) }
    }

    /// Bytes of a value in a block.
    pub(super) fn width(&self) -> usize {
        self.ty.dtype.repr().bytes()
    }
}

/// Writes an output column, or a thread's part of it.
pub(super) struct ColumnWriter<'a> {
    values: &'a mut [u8],
    bools: BoolLayout,
    validity: Option<&'a mut [u8]>,
    ty: Type,
    /// Rows written so far.
    rows: usize,
}

impl<'a> ColumnWriter<'a> {
    /// A writer with room for `capacity` rows; an error if there is not enough.
    #[inline]
    pub(super) fn new(
        values: &'a mut [u8],
        bools: BoolLayout,
        validity: Option<&'a mut [u8]>,
        ty: Type,
        capacity: usize,
    ) -> DeviceResult<ColumnWriter<'a>> {
        check_room(values, bools, validity.as_deref(), ty, capacity)?;
        Ok(ColumnWriter { values, bools, validity: validity.filter(|_| ty.nullable), ty, rows: 0 })
    }

    /// Borrows the writer for a while.
    pub(super) fn reborrow(&mut self) -> ColumnWriter<'_> {
        let validity = self.validity.as_deref_mut();
        ColumnWriter { values: self.values, bools: self.bools, validity, ty: self.ty, rows: self.rows }
    }

    /// Splits off the next `rows` rows, a multiple of 8.
    pub(super) fn split_front(&mut self, rows: usize) -> ColumnWriter<'a> {
        let bytes = value_bytes(self.ty, self.bools, rows).unwrap_or(usize::MAX).min(self.values.len());
        let (values, rest) = std::mem::take(&mut self.values).split_at_mut(bytes);
        self.values = rest;
        let validity = self.validity.take().map(|validity| {
            let (front, rest) = validity.split_at_mut((rows / 8).min(validity.len()));
            self.validity = Some(rest);
            front
        });
        ColumnWriter { values, bools: self.bools, validity, ty: self.ty, rows: 0 }
    }

    /// Splits off all remaining rows.
    pub(super) fn split_all(&mut self) -> ColumnWriter<'a> {
        let (values, validity) = (std::mem::take(&mut self.values), self.validity.take());
        ColumnWriter { values, bools: self.bools, validity, ty: self.ty, rows: 0 }
    }

    /// The type of the column.
    pub(super) fn ty(&self) -> Type {
        self.ty
    }

    /// The layout of bools.
    pub(super) fn bools(&self) -> BoolLayout {
        self.bools
    }

    /// Bytes of the values of `rows` rows.
    pub(super) fn bytes_of(&self, rows: usize) -> usize {
        value_bytes(self.ty, self.bools, rows).unwrap_or(usize::MAX)
    }

    /// The memory of the next row's value, for types whose values are whole bytes.
    pub(super) fn next_values(&mut self) -> &mut [u8] {
        &mut self.values[self.rows * self.ty.dtype.repr().bytes()..]
    }

    /// The memory of the next row's bool, if bools are bits and the next one is the first of a byte.
    pub(super) fn next_bools(&mut self) -> Option<&mut [u8]> {
        let whole = self.is_bits() && self.rows.is_multiple_of(8);
        whole.then(|| &mut self.values[self.rows / 8..])
    }

    /// The memory of the next row's validity, if its bit is the first of a byte.
    pub(super) fn next_validity(&mut self) -> Option<&mut [u8]> {
        let rows = self.rows;
        self.validity.as_deref_mut().filter(|_| rows.is_multiple_of(8)).map(|bits| &mut bits[rows / 8..])
    }

    /// Whether the column has a bitmap.
    pub(super) fn is_nullable(&self) -> bool {
        self.validity.is_some()
    }

    /// Writes the bools of `n` rows after the rows counted so far; `bits` must be zero after them.
    pub(super) fn put_bools(&mut self, bits: &[u8], n: usize) {
        if self.is_bits() {
            bitmap::append_bits(self.values, self.rows, bits, n);
        } else {
            bitmap::unpack(bits, 0, &mut self.values[self.rows..self.rows + n]);
        }
    }

    /// Writes the validity of `n` rows after the rows counted so far, if the column has a bitmap; `bits` must be zero
    /// after them.
    pub(super) fn put_validity(&mut self, bits: &[u8], n: usize) {
        if let Some(validity) = &mut self.validity {
            bitmap::append_bits(validity, self.rows, bits, n);
        }
    }

    /// Counts rows that were written from outside.
    pub(super) fn advance(&mut self, rows: usize) {
        self.rows += rows;
    }

    fn is_bits(&self) -> bool {
        self.ty.dtype.repr() == Repr::Bool && self.bools == BoolLayout::Bits
    }

    /// Encodes and appends the values `data` of `n` rows; rows whose `valid` byte is 0 are null.
    pub(super) fn put(
        &mut self,
        encoder: &OutputEncoder,
        data: &[u8],
        valid: Option<&[u8]>,
        n: usize,
        spare: &mut HostBuffer,
    ) {
        let width = encoder.width();
        let step = if valid.is_some() { encoder.with } else { encoder.without };
        let args = |dst| Args { n, a: data, b: valid.unwrap_or(&[]), c: &[], dst, flag: &mut [], imm: Imm::default() };
        if self.is_bits() {
            let data = match step {
                Some(step) => {
                    step(args(&mut spare[..]));
                    &spare[..n]
                }
                None => &data[..n],
            };
            bitmap::append(self.values, self.rows, data);
        } else {
            let dst = &mut self.values[self.rows * width..(self.rows + n) * width];
            match step {
                Some(step) if is_aligned(dst, width) => step(args(dst)),
                Some(step) => {
                    step(args(&mut spare[..]));
                    dst.copy_from_slice(&spare[..n * width]);
                }
                None => dst.copy_from_slice(&data[..n * width]),
            }
        }
        if let Some(bits) = &mut self.validity {
            match valid {
                Some(valid) => bitmap::append(bits, self.rows, &valid[..n]),
                None => bitmap::append(bits, self.rows, &ONES[..n]),
            }
        }
        self.rows += n;
    }

    /// Encodes and appends the rows of a block at these positions.
    pub(super) fn put_selected(
        &mut self,
        encoder: &OutputEncoder,
        source: BlockValues<'_>,
        positions: &[u16],
        spare: &mut OutputScratch,
    ) {
        let BlockValues { data, valid, n } = source;
        if positions.len() == n {
            return self.put(encoder, data, valid, n, &mut spare.encoder);
        }
        let width = encoder.width();
        gather::compact(width, &data[..n * width], positions, &mut spare.data);
        if let Some(valid) = valid {
            gather::compact(1, &valid[..n], positions, &mut spare.valid);
        }
        let valid = valid.map(|_| &spare.valid[..]);
        self.put(encoder, &spare.data, valid, positions.len(), &mut spare.encoder);
    }

    /// Appends one row.
    pub(super) fn push(&mut self, value: Option<Scalar>) {
        let width = self.ty.dtype.repr().bytes();
        let bits = value.map_or(0, |value| value.canonical().bits()).to_le_bytes();
        if self.is_bits() {
            bitmap::append(self.values, self.rows, &bits[..1]);
        } else {
            self.values[self.rows * width..(self.rows + 1) * width].copy_from_slice(&bits[..width]);
        }
        if let Some(validity) = &mut self.validity {
            bitmap::append(validity, self.rows, &[value.is_some().into()]);
        }
        self.rows += 1;
    }

    /// Moves the `n` rows from row `from` on to the end of the rows written so far.
    pub(super) fn move_down(&mut self, from: usize, n: usize) {
        if from != self.rows {
            if self.is_bits() {
                bitmap::shift_down(self.values, from, self.rows, n);
            } else {
                let width = self.ty.dtype.repr().bytes();
                self.values.copy_within(from * width..(from + n) * width, self.rows * width);
            }
            if let Some(bits) = &mut self.validity {
                bitmap::shift_down(bits, from, self.rows, n);
            }
        }
        self.rows += n;
    }
}

/// The writers of a thread, stored inline for most launches.
pub(super) type ColumnWriters<'a> = SmallVec<[ColumnWriter<'a>; 8]>;

/// A column that threads append to in order.
pub(super) struct AppendColumn<'a>(ColumnWriter<'a>);

impl<'a> AppendColumn<'a> {
    /// A column without rows.
    pub(super) fn new(out: ColumnWriter<'a>) -> AppendColumn<'a> {
        AppendColumn(out)
    }

    /// Whether the values are bits.
    pub(super) fn is_bits(&self) -> bool {
        self.0.is_bits()
    }

    /// Appends `n` rows. Bits are copied at once, since rows of two threads share bytes. Values are copied later, by
    /// the caller, into the returned memory, which no other thread uses.
    pub(super) fn take(&mut self, values: &[u8], validity: &[u8], n: usize) -> &'a mut [u8] {
        let out = &mut self.0;
        // The last byte ends with zeros; the bytes after it are undefined.
        let bits = n.div_ceil(8);
        if out.is_nullable() {
            out.put_validity(&validity[..bits], n);
        }
        if out.is_bits() {
            out.put_bools(&values[..bits], n);
        }
        out.rows += n;
        let bytes = if out.is_bits() { 0 } else { n * out.ty.dtype.repr().bytes() };
        let (front, rest) = std::mem::take(&mut out.values).split_at_mut(bytes);
        out.values = rest;
        front
    }
}

/// Values of a block: `n` rows with their validity.
#[derive(Clone, Copy)]
pub(super) struct BlockValues<'a> {
    pub(super) data: &'a [u8],
    pub(super) valid: Option<&'a [u8]>,
    pub(super) n: usize,
}

static ONES: [u8; BLOCK_ROWS] = [1; BLOCK_ROWS];

/// Scratch memory for encoding a block.
pub(super) struct OutputScratch {
    data: HostBuffer,
    valid: HostBuffer,
    encoder: HostBuffer,
}

impl OutputScratch {
    /// Allocates memory for values of any type.
    pub(super) fn new() -> OutputScratch {
        let wide = || HostBuffer::zeroed(BLOCK_ROWS * Repr::I128.bytes());
        OutputScratch { data: wide(), valid: HostBuffer::zeroed(BLOCK_ROWS), encoder: wide() }
    }

    /// The memory for encoded values.
    pub(super) fn encoder(&mut self) -> &mut HostBuffer {
        &mut self.encoder
    }
}

/// Checks that there is room for `capacity` rows of a type.
fn check_room(
    values: &[u8],
    bools: BoolLayout,
    validity: Option<&[u8]>,
    ty: Type,
    capacity: usize,
) -> DeviceResult<()> {
    let needed = value_bytes(ty, bools, capacity);
    if needed.is_none_or(|needed| values.len() < needed) {
        return Err(DeviceError::invalid(format!("{} bytes for {capacity} values of {ty}", values.len())));
    }
    match validity {
        _ if !ty.nullable => Ok(()),
        Some(bits) if bits.len() >= capacity.div_ceil(8) => Ok(()),
        Some(bits) => Err(DeviceError::invalid(format!("a bitmap of {} bytes for {capacity} rows", bits.len()))),
        None => Err(DeviceError::invalid(format!("a column of {ty} without a bitmap"))),
    }
}

/// The size of values in bytes; `None` if no memory holds them.
fn value_bytes(ty: Type, bools: BoolLayout, rows: usize) -> Option<usize> {
    if ty.dtype.repr() == Repr::Bool && bools == BoolLayout::Bits {
        return Some(rows.div_ceil(8));
    }
    rows.checked_mul(ty.dtype.repr().bytes())
}
