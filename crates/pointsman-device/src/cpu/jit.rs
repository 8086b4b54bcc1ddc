//! Calls machine code: points it at the columns of a launch; the results are rows, or the folds of a leaf.
//!
//! One call covers up to a leaf, or many leaves if all columns are read and written in place (`sinks` makes the calls).
//! Contiguous columns are read in place. Rows that span several chunks, bools in bytes and bitmaps that start inside a
//! byte are copied first, one leaf at a time. Nothing here allocates after [`JitFrame::new`].

mod sinks;

pub(super) use sinks::{compact, fill, leaf, store};

use super::block::bitmap;
use super::executable_memory::JitFunction;
use super::input::{Inputs, is_row_numbers};
use super::isa::Level;
use super::launch::Execution;
use super::program::{Load, Program, TableSource};
use crate::host::{BoolLayout, HostBuffer};
use pointsman_ir::guard::Guarded;
use pointsman_ir::kernel::Sink;
use pointsman_ir::render::x86::{
    self, BITMAP_SLACK, Code, Layout, NotEmitted, POLL_BUDGET, RUN_ROWS, STEP_ROWS, Source,
};
use pointsman_ir::types::{DType, Scalar, Type};
use std::ops::Range;

/// Bytes of a bitmap of a call that copies.
const BITMAP_BYTES: usize = RUN_ROWS / 8;
/// The maximum number of rows of a call that reads and writes in place: large enough to make the cost of entering and
/// leaving the code negligible.
const LONG_ROWS: usize = 16 * RUN_ROWS;
/// The bitmap of a column without nulls.
static ALL_VALID: [u8; LONG_ROWS / 8] = [0xff; LONG_ROWS / 8];
/// The values of an empty table: look-ups that miss read its first row.
static NOTHING: [u8; 16] = [0; 16];

/// The machine code of a kernel.
pub(super) struct JitCode {
    function: JitFunction,
    code: Code,
    /// The maximum number of rows of a call: fewer than [`LONG_ROWS`] if rows are so costly that the code must poll
    /// earlier.
    pub(super) call_rows: usize,
}

impl JitCode {
    /// Generates machine code for a guarded kernel and the instruction set of a [`Level`]; the error says what is
    /// missing.
    pub(super) fn new(guarded: &Guarded, level: Level) -> Result<JitCode, NotEmitted> {
        let target = level.target().ok_or_else(|| NotEmitted { message: "the processor has no AVX2".to_string() })?;
        let code = x86::render(guarded, target)?;
        let refused = || NotEmitted { message: "the system gives no executable memory".to_string() };
        let function = JitFunction::new(&code.bytes).ok_or_else(refused)?;
        let steps = POLL_BUDGET as u64 / code.step_cost.max(1);
        let rows = (steps as usize).saturating_mul(STEP_ROWS).min(LONG_ROWS);
        let call_rows = (rows / RUN_ROWS).max(1) * RUN_ROWS;
        Ok(JitCode { function, code, call_rows })
    }

    /// The size of the code in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.code.bytes.len()
    }
}

/// The memory that a thread needs to call the code of one program.
pub(super) struct JitFrame {
    block: Vec<u64>,
    /// The scratch memory of the code.
    scratch: HostBuffer,
    /// Copies of columns, by position among the program's loads: values and bitmap.
    columns: Vec<[HostBuffer; 2]>,
    /// Output bits before they are appended: values and bitmap.
    outputs: Vec<[HostBuffer; 2]>,
    /// Bools as bytes, before or after they are bits.
    bytes: HostBuffer,
}

impl JitFrame {
    /// Allocates the memory for one thread.
    pub(super) fn new(code: &JitCode, program: &Program) -> JitFrame {
        let mut scratch = HostBuffer::zeroed(code.code.scratch_bytes.max(64));
        for (at, word) in scratch.chunks_exact_mut(8).zip(&code.code.constants) {
            at.copy_from_slice(&word.to_le_bytes());
        }
        let column = |ty: Type| {
            let bits = || HostBuffer::zeroed(BITMAP_BYTES);
            let values =
                if ty.dtype == DType::Bool { bits() } else { HostBuffer::zeroed(RUN_ROWS * ty.dtype.repr().bytes()) };
            [values, if ty.nullable { bits() } else { HostBuffer::default() }]
        };
        let columns = program.loads.iter().map(|load| column(load.value.ty)).collect();
        let writes = matches!(program.kernel.sink, Sink::Store { .. } | Sink::Compact { .. });
        let bits = |_: &Type| [(); 2].map(|()| HostBuffer::zeroed(BITMAP_BYTES + BITMAP_SLACK));
        let mut outputs = if writes { program.output.iter().map(bits).collect() } else { Vec::new() };
        if let Sink::Scan { columns, running, .. } = &program.kernel.sink {
            outputs = (0..=columns.len() + running.len()).map(|_| bits(&DType::Bool.required())).collect();
        }
        let mut block = vec![0; code.code.layout.words()];
        block[code.code.layout.should_continue()] = JitFunction::should_continue_address();
        JitFrame { block, scratch, columns, outputs, bytes: HostBuffer::zeroed(RUN_ROWS) }
    }

    /// Writes the parameters to their words of the block.
    pub(super) fn set_params(&mut self, program: &Program, params: &[Option<Scalar>]) {
        let Some(code) = &program.jit_code else { return };
        let blocks = self.block[code.code.layout.param(0)..].chunks_exact_mut(Layout::PARAM_WORDS);
        for (param, block) in params.iter().zip(blocks) {
            let (low, high) = param.map_or((0, 0), words);
            block.copy_from_slice(&[low, high, if param.is_some() { 0xffff } else { 0 }]);
        }
    }

    /// Points the block at the rows of a column; copies them if they cannot be read in place.
    fn point(&mut self, layout: &Layout, number: usize, program: &Program, inputs: &Inputs<'_>, rows: Range<usize>) {
        let load = &program.loads[number];
        let (column, ty, start, n) = (load.column, load.value.ty, rows.start, rows.len());
        let piece = inputs.piece(column, start, n);
        let in_place = piece.and_then(|(piece, row)| {
            if ty.dtype == DType::Bool {
                let is_bits = piece.bools == BoolLayout::Bits;
                return if is_bits { whole_bytes(piece.values, piece.bit_offset + row) } else { None };
            }
            (!is_row_numbers(piece, ty.dtype)).then(|| &piece.values[row * ty.dtype.repr().bytes()..])
        });
        let [values, _] = &mut self.columns[number];
        self.block[layout.column_values(column)] = match in_place {
            Some(bytes) => address(bytes),
            None if ty.dtype == DType::Bool => {
                inputs.load(column, ty.dtype, start, n, &mut self.bytes);
                bitmap::append(values, 0, &self.bytes[..n]);
                address(values)
            }
            None => {
                inputs.load(column, ty.dtype, start, n, values);
                address(values)
            }
        };
        if ty.nullable {
            self.point_validity(layout, number, program, inputs, rows);
        }
    }

    /// Points the block at the bitmap of a nullable column; copies it if it does not start at a byte.
    fn point_validity(
        &mut self,
        layout: &Layout,
        number: usize,
        program: &Program,
        inputs: &Inputs<'_>,
        rows: Range<usize>,
    ) {
        let (column, start, n) = (program.loads[number].column, rows.start, rows.len());
        let piece = inputs.piece(column, start, n);
        let [_, validity] = &mut self.columns[number];
        let in_place = piece.and_then(|(piece, row)| match piece.validity {
            Some(bits) => whole_bytes(bits.bytes, bits.offset + row),
            None => Some(&ALL_VALID[..]),
        });
        self.block[layout.column_validity(column)] = match in_place {
            Some(bytes) => address(bytes),
            None => {
                if let Some((piece, row)) = piece
                    && let Some(bits) = piece.validity
                {
                    bitmap::copy(bits.bytes, bits.offset + row, &mut validity[..n.div_ceil(8)]);
                } else {
                    inputs.load_validity(column, start, &mut self.bytes[..n]);
                    bitmap::append(validity, 0, &self.bytes[..n]);
                }
                address(validity)
            }
        };
    }

    /// The number of rows that one call may cover: many if all columns are read in place.
    fn reach(program: &Program, inputs: &Inputs<'_>, rows: Range<usize>) -> usize {
        let n = rows.len().min(LONG_ROWS);
        let in_place = |load: &Load| {
            let ty = load.value.ty;
            let Some((piece, row)) = inputs.piece(load.column, rows.start, n) else { return false };
            let bits = piece.validity.is_none_or(|bits| (bits.offset + row).is_multiple_of(8));
            let values = if ty.dtype == DType::Bool {
                piece.bools == BoolLayout::Bits && (piece.bit_offset + row).is_multiple_of(8)
            } else {
                !is_row_numbers(piece, ty.dtype)
            };
            values && (bits || !ty.nullable)
        };
        if n > RUN_ROWS && !program.loads.iter().all(in_place) { RUN_ROWS } else { n }
    }

    /// Counts the steps of a call, and asks whether the launch should continue if enough of them were computed since
    /// the last question; false if it should not. The code continues with the same countdown in its loops.
    #[inline]
    fn count_down(&mut self, run: &Execution<'_>, code: &JitCode, rows: usize) -> bool {
        let layout = &code.code.layout;
        let countdown = layout.countdown();
        let Some(observed) = run.observed else {
            self.block[layout.should_continue_argument()] = 0;
            // Without an observer, the budget is never used up.
            self.block[countdown] = (i64::MAX / 2) as u64;
            return true;
        };
        let address = std::ptr::from_ref(observed).expose_provenance();
        self.block[layout.should_continue_argument()] = address as u64;
        self.block[layout.stopped()] = 0;
        let cost = code.code.call_cost(rows);
        let left = (self.block[countdown] as i64).min(POLL_BUDGET).saturating_sub_unsigned(cost);
        self.block[countdown] = left as u64;
        if left < 0 {
            self.block[countdown] = POLL_BUDGET as u64;
            return observed.should_continue();
        }
        true
    }

    /// Points the block at the tables that look-ups read.
    fn point_tables(&mut self, code: &Code, program: &Program, inputs: &Inputs<'_>) {
        for (number, source) in code.sources.iter().enumerate() {
            let source = match *source {
                Source::List(list) => TableSource::List(list),
                Source::Column { table, column } => TableSource::Column { table, column },
            };
            let Some(position) = program.tables.iter().position(|(known, _)| *known == source) else { continue };
            let table = inputs.table(position);
            let values = if table.rows == 0 { &NOTHING } else { table.values() };
            let layout = &code.layout;
            self.block[layout.table_values(number)] = address(values);
            self.block[layout.table_validity(number)] =
                if table.valid().is_empty() { 0 } else { address(table.valid()) };
            self.block[layout.table_rows(number)] = table.rows as u64;
        }
    }

    /// Computes a range of rows; false if one faults, if an earlier row is known to fault, or if the launch is stopped.
    /// Outputs and lanes are in the block.
    fn call(&mut self, run: &Execution<'_>, code: &JitCode, rows: Range<usize>) -> bool {
        if run.faults_before(rows.start) {
            return false;
        }
        let layout = &code.code.layout;
        if !self.count_down(run, code, rows.len()) {
            return false;
        }
        self.block[Layout::ROWS] = rows.len() as u64;
        self.block[Layout::FIRST_ROW] = run.inputs.first_row + rows.start as u64;
        self.block[Layout::SCRATCH] = address(&self.scratch);
        self.block[Layout::FAULT] = u64::MAX;
        for number in 0..run.program.loads.len() {
            self.point(layout, number, run.program, &run.inputs, rows.clone());
        }
        self.point_tables(&code.code, run.program, &run.inputs);
        // SAFETY: the code was generated for a verified kernel and this processor's level; `point` set every column to
        // at least `rows` values and bits, and the callers set outputs (or lanes) with room for as many; the scratch
        // memory and the block have the sizes that the code asked for, and belong to this thread alone; the launch that
        // the code polls outlives the call.
        unsafe { code.function.call(&mut self.block) };
        if let Some(observed) = run.observed
            && self.block[layout.stopped()] != 0
        {
            observed.resume_panic();
            return false;
        }
        let fault = self.block[Layout::FAULT];
        if fault != u64::MAX {
            run.fault_in(rows.start + fault as usize);
        }
        fault == u64::MAX
    }
}

/// The address of bytes, for the block.
fn address(bytes: &[u8]) -> u64 {
    bytes.as_ptr().expose_provenance() as u64
}

/// The address of bytes that the code writes.
fn address_mut(bytes: &mut [u8]) -> u64 {
    bytes.as_mut_ptr().expose_provenance() as u64
}

/// The bytes from a bit on, if the bit is the first of a byte.
fn whole_bytes(bytes: &[u8], bit: usize) -> Option<&[u8]> {
    bit.is_multiple_of(8).then(|| &bytes[bit / 8..])
}

/// The words of a parameter: values of up to 32 bits twice, sign-extended; a bool as a mask; 128 bits in both words.
fn words(value: Scalar) -> (u64, u64) {
    let twice = |bits: u32| u64::from(bits) << 32 | u64::from(bits);
    match value {
        Scalar::Bool(truth) => (if truth { 0xffff } else { 0 }, 0),
        Scalar::I8(value) => (twice(i32::from(value) as u32), 0),
        Scalar::I16(value) => (twice(i32::from(value) as u32), 0),
        Scalar::I32(value) => (twice(value as u32), 0),
        Scalar::I64(value) => (value as u64, 0),
        Scalar::U8(value) => (twice(value.into()), 0),
        Scalar::U16(value) => (twice(value.into()), 0),
        Scalar::U32(value) => (twice(value), 0),
        Scalar::U64(value) => (value, 0),
        Scalar::F32(value) => (twice(value.to_bits()), 0),
        Scalar::F64(value) => (value.to_bits(), 0),
        Scalar::I128(value) => (value as u64, (value >> 64) as u64),
    }
}
