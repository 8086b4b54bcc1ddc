//! The arguments of a launch as the words that its kernel takes: every range is checked against its buffer, its rows
//! and its alignment, then turned into an address. `pointsman_ir::render::cuda` defines the order of words.

use super::memory::BLOCK_ALIGN;
use super::program::CudaProgram;
use crate::convert::value_bytes;
use crate::host::BoolLayout;
use crate::launch::{ColumnInput, ColumnOutput, Form, Launch, capacity};
use crate::{BufferId, BufferRange, DeviceError, DeviceResult};
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::render::cuda::Words;
use pointsman_ir::types::{DType, Type};
use smallvec::SmallVec;

/// The maximum number of rows of a launch: columns of row numbers take no memory, so nothing else bounds it.
const ROWS_MAX: usize = 1 << 40;

/// A span of card memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The first address.
    pub(super) address: u64,
    /// The length in bytes.
    pub(super) bytes: u64,
}

/// The arguments of a launch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    /// The words; those of the status, the scratch memory, the tiles and the stop flag are filled in later.
    pub(super) words: SmallVec<[u64; 32]>,
    /// Spans that collect bits, to be zeroed before the launch.
    pub(super) bits: SmallVec<[Span; 4]>,
    /// The values and bitmaps of the outputs.
    pub(super) outputs: SmallVec<[(Span, Option<Span>); 4]>,
}

impl Arguments {
    /// Checks a launch and builds its words; `find` looks up the device's buffers.
    pub(super) fn new(
        program: &CudaProgram,
        launch: &Launch<'_, '_>,
        find: impl FnMut(BufferId) -> DeviceResult<Span>,
    ) -> DeviceResult<Arguments> {
        let (rows, nodes) = match launch.form {
            Form::Whole => (&program.whole[..], &[][..]),
            Form::Partial => (&program.partial.0[..], &program.partial.1[..]),
        };
        let mut arguments = of_kernel(&program.kernel, rows, nodes, launch, find)?;
        // The driver copies as many words as the entry takes, which is enough for either form.
        arguments.words.resize(program.words, 0);
        Ok(arguments)
    }
}

/// Builds the words of a launch of a kernel whose outputs have these types.
pub(super) fn of_kernel(
    kernel: &Kernel,
    row_types: &[Type],
    node_types: &[Type],
    launch: &Launch<'_, '_>,
    find: impl FnMut(BufferId) -> DeviceResult<Span>,
) -> DeviceResult<Arguments> {
    launch.check_against(kernel, row_types.len() + node_types.len())?;
    let most = launch.tables.iter().map(|table| table.rows).fold(launch.rows, usize::max);
    if most > ROWS_MAX {
        return Err(DeviceError::invalid(format!("{most} rows: the CUDA device takes at most {ROWS_MAX}")));
    }
    let form = match launch.form {
        Form::Whole => 0,
        Form::Partial => 1,
    };
    let mut words = WordWriter { words: SmallVec::new(), find };
    words.words.resize(Words::FIXED, 0);
    words.words[Words::ROWS] = launch.rows as u64;
    words.words[Words::FIRST_ROW] = launch.first_row;
    words.words[Words::FORM] = form;
    words.inputs(kernel, launch)?;
    let (row_room, node_room) = capacity(kernel, launch.form, launch.rows);
    let rows = row_types.iter().map(|ty| (*ty, row_room));
    let types = rows.chain(node_types.iter().map(|ty| (*ty, node_room)));
    let (mut outputs, mut bits) = (SmallVec::new(), SmallVec::new());
    let gathers_bits = matches!(kernel.sink, Sink::Compact { .. } | Sink::Scan { .. });
    for (number, (output, (ty, room))) in launch.outputs.iter().zip(types).enumerate() {
        let of_output = |error: DeviceError| within(&format!("output {number}"), error);
        let (values, validity) = words.output(output, ty, room).map_err(of_output)?;
        if gathers_bits {
            bits.extend(validity);
            bits.extend((ty.dtype == DType::Bool).then_some(values));
        }
        outputs.push((values, validity));
    }
    Ok(Arguments { words: words.words, bits, outputs })
}

/// Collects words.
struct WordWriter<F> {
    words: SmallVec<[u64; 32]>,
    find: F,
}

impl<F: FnMut(BufferId) -> DeviceResult<Span>> WordWriter<F> {
    /// Appends columns, scalars, captured tables and other tables.
    fn inputs(&mut self, kernel: &Kernel, launch: &Launch<'_, '_>) -> DeviceResult<()> {
        for (number, (column, ty)) in launch.columns.iter().zip(&kernel.columns).enumerate() {
            self.input(column, *ty, launch.rows).map_err(|error| within(&format!("column {number}"), error))?;
        }
        for param in launch.params {
            let bits = param.map_or(0, |value| value.bits());
            self.words.extend([bits as u64, (bits >> 64) as u64, u64::from(param.is_some())]);
        }
        for (number, (list, dtype)) in launch.lists.iter().zip(&kernel.lists).enumerate() {
            let (values, _, rows) = parts(list)?;
            let of_list = |error: DeviceError| within(&format!("captured table {number}"), error);
            let values = self.range(values, bytes_of(dtype.required(), rows)).map_err(of_list)?;
            self.words.extend([values.address, rows as u64]);
        }
        for (number, (table, side)) in launch.tables.iter().zip(&kernel.tables).enumerate() {
            self.words.push(table.rows as u64);
            for (column, ty) in table.columns.iter().zip(&side.columns) {
                self.input(column, *ty, table.rows).map_err(|error| within(&format!("table {number}"), error))?;
            }
        }
        Ok(())
    }

    /// Appends a column's values and bitmap. Opaque values that take no memory are their row numbers.
    fn input(&mut self, column: &ColumnInput<'_>, ty: Type, rows: usize) -> DeviceResult<()> {
        let (values, validity, own_rows) = parts(column)?;
        if own_rows != rows {
            return Err(DeviceError::invalid(format!("a column of {own_rows} rows, not {rows}")));
        }
        let is_numbered = ty.dtype == DType::Opaque && values.bytes == 0;
        let found = self.range(values, if is_numbered { 0 } else { bytes_of(ty, rows) })?;
        let validity = match validity.filter(|_| ty.nullable) {
            Some(bits) => self.range(bits, rows.div_ceil(8) as u64)?.address,
            None => 0,
        };
        self.words.extend([if is_numbered { 0 } else { found.address }, validity]);
        Ok(())
    }

    /// Appends an output's values and bitmap.
    fn output(&mut self, output: &ColumnOutput<'_>, ty: Type, room: usize) -> DeviceResult<(Span, Option<Span>)> {
        let ColumnOutput::Device { values, validity } = output else {
            return Err(DeviceError::invalid("the CUDA device does not write the host's memory"));
        };
        let values = self.range(*values, bytes_of(ty, room))?;
        let validity = match validity.filter(|_| ty.nullable) {
            Some(bits) => Some(self.range(bits, room.div_ceil(8) as u64)?),
            None if ty.nullable => return Err(DeviceError::invalid(format!("no bitmap for a {ty}"))),
            None => None,
        };
        self.words.extend([values.address, validity.map_or(0, |bits| bits.address)]);
        Ok((values, validity))
    }

    /// The first `bytes` bytes of a range, which must lie in its buffer and be aligned.
    fn range(&mut self, range: BufferRange, bytes: u64) -> DeviceResult<Span> {
        let address = address_of((self.find)(range.buffer)?, range)?;
        if !range.offset.is_multiple_of(BLOCK_ALIGN) {
            return Err(DeviceError::invalid(format!("byte {} is no multiple of {BLOCK_ALIGN}", range.offset)));
        }
        if bytes > range.bytes {
            return Err(DeviceError::invalid(format!("{} bytes, where {bytes} are needed", range.bytes)));
        }
        Ok(Span { address, bytes })
    }
}

/// The address of a range of a buffer; an error if it does not lie in the buffer.
pub(super) fn address_of(buffer: Span, range: BufferRange) -> DeviceResult<u64> {
    match range.offset.checked_add(range.bytes) {
        Some(end) if end <= buffer.bytes => Ok(buffer.address + range.offset),
        Some(_) | None => Err(DeviceError::invalid(format!(
            "{} bytes from byte {} do not lie in a buffer of {}",
            range.bytes, range.offset, buffer.bytes
        ))),
    }
}

fn parts(column: &ColumnInput<'_>) -> DeviceResult<(BufferRange, Option<BufferRange>, usize)> {
    match column {
        ColumnInput::Device { values, validity, rows } => Ok((*values, *validity, *rows)),
        ColumnInput::Host(_) => Err(DeviceError::invalid("the CUDA device does not read the host's memory")),
    }
}

fn bytes_of(ty: Type, rows: usize) -> u64 {
    value_bytes(ty, BoolLayout::Bits, rows) as u64
}

fn within(place: &str, error: DeviceError) -> DeviceError {
    DeviceError { message: format!("{place}: {}", error.message), ..error }
}

#[cfg(test)]
mod tests;
