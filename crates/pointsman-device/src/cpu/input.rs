//! The inputs of a launch: columns in chunks, checked once, then read block by block, in place where possible.
//!
//! Chunks are borrowed and may have any length and alignment. [`Inputs::check`] checks their sizes, so nothing outside
//! the chunks is read.

use super::block::{bitmap, bytes, is_aligned};
use super::memory::StagedRanges;
use super::program::{Program, TableSource};
use crate::host::{Bits, BoolLayout, HostBuffer, HostChunk};
use crate::launch::{ColumnInput, Launch, TableInput};
use crate::{DeviceError, DeviceResult};
use pointsman_ir::types::{DType, Repr, Type};

/// The location of a block's values in a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkSlice {
    column: usize,
    chunk: usize,
    start: usize,
    end: usize,
}

/// A table that look-ups read: its values, and a validity byte per row, in place or copied.
pub(super) struct LookupTable<'a> {
    values: TableBytes<'a>,
    valid: Option<HostBuffer>,
    /// The number of rows.
    pub(super) rows: usize,
}

enum TableBytes<'a> {
    InPlace(&'a [u8]),
    Copied(HostBuffer),
}

impl LookupTable<'_> {
    /// The values, contiguous and aligned.
    pub(super) fn values(&self) -> &[u8] {
        match &self.values {
            TableBytes::InPlace(bytes) => bytes,
            TableBytes::Copied(bytes) => bytes,
        }
    }

    /// Bytes of the copies.
    pub(super) fn copied_bytes(&self) -> usize {
        let values = match &self.values {
            TableBytes::InPlace(_) => 0,
            TableBytes::Copied(bytes) => bytes.len(),
        };
        values + self.valid.as_ref().map_or(0, |valid| valid.len())
    }

    /// One validity byte per row; empty if no row is null.
    pub(super) fn valid(&self) -> &[u8] {
        self.valid.as_deref().unwrap_or(&[])
    }
}

/// The inputs of a launch, unchecked.
#[derive(Clone, Copy)]
pub(super) struct LaunchInputs<'a> {
    pub(super) first_row: u64,
    pub(super) rows: usize,
    pub(super) columns: &'a [ColumnInput<'a>],
    pub(super) lists: &'a [ColumnInput<'a>],
    pub(super) tables: &'a [TableInput<'a>],
}

impl<'a> LaunchInputs<'a> {
    /// The inputs of a launch.
    pub(super) fn of(launch: &Launch<'a, '_>) -> LaunchInputs<'a> {
        let Launch { first_row, rows, columns, lists, tables, .. } = *launch;
        LaunchInputs { first_row, rows, columns, lists, tables }
    }
}

/// The inputs of a launch, checked.
pub(super) struct Inputs<'a> {
    /// The source row number of row 0.
    pub(super) first_row: u64,
    columns: &'a [ColumnInput<'a>],
    /// The chunks of columns in device memory; empty if there are none.
    device: Vec<Option<HostChunk<'a>>>,
    /// The first row of each chunk of a column with several chunks; empty for columns with one.
    starts: Vec<Vec<usize>>,
    tables: Vec<LookupTable<'a>>,
    /// The tables, if they were prepared before the launch.
    prepared: Option<&'a [LookupTable<'a>]>,
}

impl<'a> Inputs<'a> {
    /// The inputs of a launch; [`Inputs::check`] must be called before they are read.
    pub(super) fn unchecked(launch: LaunchInputs<'a>, prepared: Option<&'a [LookupTable<'a>]>) -> Inputs<'a> {
        let LaunchInputs { first_row, columns, .. } = launch;
        Inputs { first_row, columns, device: Vec::new(), starts: Vec::new(), tables: Vec::new(), prepared }
    }

    /// Checks and prepares the columns and tables of the launch.
    pub(super) fn check(
        &mut self,
        program: &Program,
        launch: LaunchInputs<'a>,
        staged: &'a StagedRanges,
    ) -> DeviceResult<()> {
        let columns = launch.columns;
        if columns.iter().any(|column| matches!(column, ColumnInput::Device { .. })) {
            for (number, (column, ty)) in columns.iter().zip(&program.kernel.columns).enumerate() {
                let chunk = device_chunk(column, *ty, staged).map_err(|e| of_column("column", number, e))?;
                self.device.push(chunk);
            }
        }
        let mut is_cut = false;
        for (number, ty) in program.kernel.columns.iter().enumerate() {
            let chunks = self.chunks(number);
            check(chunks, *ty, launch.rows).map_err(|error| of_column("column", number, error))?;
            is_cut |= chunks.len() > 1;
        }
        if is_cut {
            self.starts = (0..columns.len()).map(|column| starts(self.chunks(column))).collect();
        }
        if self.prepared.is_none() && !program.tables.is_empty() {
            self.tables = lookup_tables(program, launch, staged)?;
        }
        Ok(())
    }

    fn chunks(&self, column: usize) -> &[HostChunk<'a>] {
        match &self.columns[column] {
            ColumnInput::Host(chunks) => chunks,
            ColumnInput::Device { .. } => self.device[column].as_slice(),
        }
    }

    /// The table of a look-up.
    pub(super) fn table(&self, table: usize) -> &LookupTable<'a> {
        &self.prepared.unwrap_or(&self.tables)[table]
    }

    /// The chunk that holds a row, and the row's number in it.
    fn find(&self, column: usize, row: usize) -> (usize, usize) {
        match self.starts.get(column) {
            Some(starts) if !starts.is_empty() => {
                let chunk = starts.partition_point(|&start| start <= row) - 1;
                (chunk, row - starts[chunk])
            }
            Some(_) | None => (0, row),
        }
    }

    /// The location of these rows of a column if they can be read in place: in one chunk, aligned, and not as bits.
    pub(super) fn place(&self, column: usize, dtype: DType, start: usize, rows: usize) -> Option<ChunkSlice> {
        if dtype == DType::Bool {
            return None;
        }
        let (chunk, row) = self.find(column, start);
        let piece = self.chunks(column).get(chunk)?;
        let width = dtype.repr().bytes();
        if piece.rows - row < rows || !is_aligned(piece.values, width) || is_row_numbers(piece, dtype) {
            return None;
        }
        Some(ChunkSlice { column, chunk, start: row * width, end: (row + rows) * width })
    }

    /// The chunk that holds all of these rows, and the first row's number in it.
    pub(super) fn piece(&self, column: usize, start: usize, rows: usize) -> Option<(&HostChunk<'a>, usize)> {
        let (chunk, row) = self.find(column, start);
        let piece = self.chunks(column).get(chunk)?;
        (piece.rows - row >= rows).then_some((piece, row))
    }

    /// The bytes at a location.
    pub(super) fn bytes(&self, place: ChunkSlice) -> &[u8] {
        &self.chunks(place.column)[place.chunk].values[place.start..place.end]
    }

    /// Copies these rows of a column into a slot.
    pub(super) fn load(&self, column: usize, dtype: DType, start: usize, rows: usize, dst: &mut [u8]) {
        let width = dtype.repr().bytes();
        self.each_piece(column, start, rows, |piece, row, at, n| {
            let dst = &mut dst[at * width..(at + n) * width];
            if is_row_numbers(piece, dtype) {
                bytes::number(dst, n, self.first_row + (start + at) as u64);
            } else {
                copy_values(piece, dtype, row, dst);
            }
        });
    }

    /// Writes one byte per row: 1 if it is not null.
    pub(super) fn load_validity(&self, column: usize, start: usize, dst: &mut [u8]) {
        let rows = dst.len();
        self.each_piece(column, start, rows, |piece, row, at, n| copy_validity(piece, row, &mut dst[at..at + n]));
    }

    /// Calls `f(chunk, row in the chunk, row in the block, rows)` for every chunk of a range.
    fn each_piece(
        &self,
        column: usize,
        start: usize,
        rows: usize,
        mut f: impl FnMut(&HostChunk<'_>, usize, usize, usize),
    ) {
        let (mut chunk, mut row) = self.find(column, start);
        let mut at = 0;
        while at < rows {
            let piece = &self.chunks(column)[chunk];
            let n = (piece.rows - row).min(rows - at);
            if n > 0 {
                f(piece, row, at, n);
            }
            at += n;
            chunk += 1;
            row = 0;
        }
    }
}

fn of_column(what: &str, number: usize, error: DeviceError) -> DeviceError {
    DeviceError { message: format!("{what} {number}: {}", error.message), ..error }
}

/// The first row of each chunk; empty for a single chunk.
fn starts(chunks: &[HostChunk<'_>]) -> Vec<usize> {
    if chunks.len() <= 1 {
        return Vec::new();
    }
    let mut row = 0;
    let start_of = |chunk: &HostChunk<'_>| {
        row += chunk.rows;
        row - chunk.rows
    };
    chunks.iter().map(start_of).collect()
}

/// The chunk of a column in device memory.
pub(super) fn device_chunk<'a>(
    column: &ColumnInput<'_>,
    ty: Type,
    staged: &'a StagedRanges,
) -> DeviceResult<Option<HostChunk<'a>>> {
    let ColumnInput::Device { values, validity, rows } = column else { return Ok(None) };
    let values = staged.read(*values)?;
    let validity = match validity {
        Some(range) if ty.nullable => Some(Bits { bytes: staged.read(*range)?, offset: 0 }),
        Some(_) | None => None,
    };
    Ok(Some(HostChunk { values, bools: BoolLayout::Bits, bit_offset: 0, validity, rows: *rows }))
}

/// Checks that the chunks are large enough and have `rows` rows in total.
#[inline]
pub(super) fn check(chunks: &[HostChunk<'_>], ty: Type, rows: usize) -> DeviceResult<()> {
    let mut total = 0usize;
    for chunk in chunks {
        let needed =
            value_bytes(chunk, ty.dtype).ok_or_else(|| DeviceError::invalid("more rows than any memory holds"))?;
        if chunk.values.len() < needed {
            let (rows, bytes) = (chunk.rows, chunk.values.len());
            return Err(DeviceError::invalid(format!(
                "a piece of {rows} {} has {bytes} bytes, not {needed}",
                ty.dtype
            )));
        }
        if let (true, Some(bits)) = (ty.nullable, chunk.validity) {
            let needed = bits.offset.checked_add(chunk.rows).map(|bits| bits.div_ceil(8));
            if needed.is_none_or(|needed| bits.bytes.len() < needed) {
                return Err(DeviceError::invalid(format!(
                    "a bitmap of {} bytes for {} rows",
                    bits.bytes.len(),
                    chunk.rows
                )));
            }
        }
        total = total.checked_add(chunk.rows).ok_or_else(|| DeviceError::invalid("more rows than any memory holds"))?;
    }
    if total != rows {
        return Err(DeviceError::invalid(format!("its pieces have {total} rows, the launch {rows}")));
    }
    Ok(())
}

/// The size of a chunk's values in bytes; `None` if it overflows a `usize`.
fn value_bytes(chunk: &HostChunk<'_>, dtype: DType) -> Option<usize> {
    if is_row_numbers(chunk, dtype) {
        return Some(0);
    }
    if dtype == DType::Bool && chunk.bools == BoolLayout::Bits {
        return Some(chunk.bit_offset.checked_add(chunk.rows)?.div_ceil(8));
    }
    chunk.rows.checked_mul(dtype.repr().bytes())
}

/// Whether a chunk holds opaque values that equal their row numbers and so take no memory.
pub(super) fn is_row_numbers(piece: &HostChunk<'_>, dtype: DType) -> bool {
    dtype == DType::Opaque && piece.values.is_empty()
}

/// Copies values of a chunk, bools as bytes.
pub(super) fn copy_values(piece: &HostChunk<'_>, dtype: DType, row: usize, dst: &mut [u8]) {
    if dtype.repr() != Repr::Bool {
        let start = row * dtype.repr().bytes();
        return dst.copy_from_slice(&piece.values[start..start + dst.len()]);
    }
    match piece.bools {
        BoolLayout::Bits => bitmap::unpack(piece.values, piece.bit_offset + row, dst),
        BoolLayout::Bytes => {
            for (dst, &byte) in dst.iter_mut().zip(&piece.values[row..]) {
                *dst = (byte != 0).into();
            }
        }
    }
}

/// Copies the validity of a chunk as bytes.
fn copy_validity(piece: &HostChunk<'_>, row: usize, dst: &mut [u8]) {
    match piece.validity {
        Some(bits) => bitmap::unpack(bits.bytes, bits.offset + row, dst),
        None => dst.fill(1),
    }
}

/// Prepares the tables that a program looks up.
pub(super) fn lookup_tables<'a>(
    program: &Program,
    launch: LaunchInputs<'a>,
    staged: &'a StagedRanges,
) -> DeviceResult<Vec<LookupTable<'a>>> {
    program.tables.iter().map(|&(source, ty)| table(launch, source, ty, staged)).collect()
}

/// Prepares a table for look-ups.
fn table<'a>(
    launch: LaunchInputs<'a>,
    source: TableSource,
    ty: Type,
    staged: &'a StagedRanges,
) -> DeviceResult<LookupTable<'a>> {
    match source {
        TableSource::List(list) => {
            let rows = match &launch.lists[list] {
                ColumnInput::Host(chunks) => {
                    let rows = chunks.iter().try_fold(0, |rows: usize, chunk| rows.checked_add(chunk.rows));
                    rows.ok_or_else(|| DeviceError::invalid(format!("list {list}: more rows than any memory holds")))?
                }
                ColumnInput::Device { rows, .. } => *rows,
            };
            list_table(&launch.lists[list], ty, rows, staged).map_err(|error| of_column("list", list, error))
        }
        TableSource::Column { table, column } => {
            let table = &launch.tables[table];
            let input = table.columns.get(column).ok_or_else(|| DeviceError::invalid("a table has too few columns"))?;
            list_table(input, ty, table.rows, staged).map_err(|error| of_column("table column", column, error))
        }
    }
}

fn list_table<'a>(
    input: &ColumnInput<'a>,
    ty: Type,
    rows: usize,
    staged: &'a StagedRanges,
) -> DeviceResult<LookupTable<'a>> {
    let own = device_chunk(input, ty, staged)?;
    let chunks: &[HostChunk<'_>] = match input {
        ColumnInput::Host(chunks) => chunks,
        ColumnInput::Device { .. } => own.as_slice(),
    };
    check(chunks, ty, rows)?;
    let width = ty.dtype.repr().bytes();
    let mut valid = None;
    if ty.nullable && chunks.iter().any(|chunk| chunk.validity.is_some()) {
        let valid = valid.insert(HostBuffer::try_zeroed(rows)?);
        let mut at = 0;
        for chunk in chunks {
            copy_validity(chunk, 0, &mut valid[at..at + chunk.rows]);
            at += chunk.rows;
        }
    }
    let in_place = matches!(chunks, [chunk] if ty.dtype != DType::Bool && is_aligned(chunk.values, width));
    if chunks.iter().any(|chunk| is_row_numbers(chunk, ty.dtype)) {
        let mut values = HostBuffer::try_zeroed(rows.saturating_mul(width))?;
        bytes::number(&mut values, rows, 0);
        return Ok(LookupTable { values: TableBytes::Copied(values), valid, rows });
    }
    if let (true, Some(chunk)) = (in_place, input_chunk(input, own)) {
        return Ok(LookupTable { values: TableBytes::InPlace(&chunk.values[..rows * width]), valid, rows });
    }
    let mut values = HostBuffer::try_zeroed(rows * width)?;
    let mut at = 0;
    for chunk in chunks {
        copy_values(chunk, ty.dtype, 0, &mut values[at..at + chunk.rows * width]);
        at += chunk.rows * width;
    }
    Ok(LookupTable { values: TableBytes::Copied(values), valid, rows })
}

/// The first chunk of an input.
fn input_chunk<'a>(input: &ColumnInput<'a>, own: Option<HostChunk<'a>>) -> Option<HostChunk<'a>> {
    match input {
        ColumnInput::Host(chunks) => chunks.first().copied(),
        ColumnInput::Device { .. } => own,
    }
}
