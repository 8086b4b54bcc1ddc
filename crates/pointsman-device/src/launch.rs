//! One launch: a program over a range of rows, its inputs, its outputs and its outcome.

use crate::host::{BoolLayout, HostChunk};
use crate::{BufferId, DeviceError, DeviceResult, IndexId, LaunchId};
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::kernel::call::CallMismatch;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS, Sink};
use pointsman_ir::types::{DType, Scalar, Type};

/// A range of a device buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: BufferId,
    /// The first byte.
    pub offset: u64,
    /// The length in bytes.
    pub bytes: u64,
}

/// Whether a launch computes the final result or a partial one, which is merged with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The final result: `Kernel::output()`.
    Whole,
    /// The partial state: `Kernel::partial()`, row columns first, then node columns.
    Partial,
}

/// Where the values of an input column are. Values are contiguous in their representation (bools are bits in device
/// buffers); a set bit in the validity bitmap marks a value that is not null.
#[derive(Clone, Debug)]
pub enum ColumnInput<'a> {
    /// In host memory, in one or more chunks.
    Host(&'a [HostChunk<'a>]),
    /// In device memory.
    Device {
        /// The values.
        values: BufferRange,
        /// The validity bitmap.
        validity: Option<BufferRange>,
        /// The number of rows of the launch, the table or the captured table.
        rows: usize,
    },
}

impl ColumnInput<'_> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            ColumnInput::Host(chunks) => chunks.iter().map(|chunk| chunk.rows).sum(),
            ColumnInput::Device { rows, .. } => *rows,
        }
    }
}

/// Another table that the kernel gathers from or probes.
#[derive(Clone, Debug)]
pub struct TableInput<'a> {
    /// The index over its keys; `None` if the table is only gathered from.
    pub index: Option<IndexId>,
    /// The columns to gather from.
    pub columns: &'a [ColumnInput<'a>],
    /// The number of rows.
    pub rows: usize,
}

/// What [`Device::build_index`](crate::Device::build_index) reads.
#[derive(Clone, Debug)]
pub struct IndexKeys<'a> {
    /// The key columns, as `Build` wrote them: canonical and without nulls.
    pub keys: &'a [ColumnInput<'a>],
    /// The types of the keys.
    pub types: &'a [DType],
    /// The number (`u64`) by which a probe names each row; `None` numbers the rows from 0.
    pub numbers: Option<ColumnInput<'a>>,
    /// The number of rows.
    pub rows: usize,
}

/// An index that was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexInfo {
    /// Its handle, valid until [`Device::free_index`](crate::Device::free_index).
    pub id: IndexId,
    /// Whether two rows have the same keys. It decides which kernel probes the index.
    pub unique: KeyUniqueness,
    /// The number of distinct keys: a row that finds a match finds `rows / distinct` of them on average.
    pub distinct: usize,
    /// The memory that it takes, as [`MemoryInfo::used`](crate::MemoryInfo::used) counts it.
    pub bytes: u64,
}

/// Where an output column goes. Its size is the room that a launch has: at least [`room_min`] rows. With less room than
/// [`capacity`], and where [`capacity`] does not bound the result, a launch may stop early ([`Outcome::consumed`]).
#[derive(Debug)]
pub enum ColumnOutput<'a> {
    /// In host memory.
    Host {
        /// The values; `bools` gives the layout of bools.
        values: &'a mut [u8],
        /// The layout of bools; other types ignore it.
        bools: BoolLayout,
        /// The validity bitmap; required if the column's type is nullable.
        validity: Option<&'a mut [u8]>,
    },
    /// In device memory, bools as bits.
    Device {
        /// The values.
        values: BufferRange,
        /// The validity bitmap.
        validity: Option<BufferRange>,
    },
}

/// One run of a program.
#[derive(Debug)]
pub struct Launch<'a, 'o> {
    /// The source row number of row 0. A multiple of `LEAF_ROWS` for `Reduce` and `Scan`.
    pub first_row: u64,
    /// The number of rows. Of a library call whole chunks, or a multiple of `Call::cut_rows` if the
    /// device cuts chunks; then `Call::over` is what it computes.
    pub rows: usize,
    /// The number of matches of row 0 that an earlier launch consumed ([`Outcome::next_match`]); 0 at first.
    pub first_match: u64,
    /// Final or partial result.
    pub form: Form,
    /// The kernel's columns.
    pub columns: &'a [ColumnInput<'a>],
    /// The kernel's scalars; `None` is null.
    pub params: &'a [Option<Scalar>],
    /// The kernel's captured tables; of one with a part for each chunk of a call, the parts of these rows.
    pub lists: &'a [ColumnInput<'a>],
    /// The kernel's other tables.
    pub tables: &'a [TableInput<'a>],
    /// The output columns.
    pub outputs: &'a mut [ColumnOutput<'o>],
}

/// Receives progress while a launch runs, and may stop it. Every thread that works on the launch calls it.
pub trait ProgressObserver: Sync {
    /// Whether the launch should continue; called before each morsel.
    fn should_continue(&self) -> bool;

    /// Reports that `rows` more rows are done.
    fn rows_done(&self, rows: usize);
}

/// The outcome of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The number of rows written.
    pub rows: usize,
    /// The number of nodes written (partial form only).
    pub nodes: usize,
    /// The smallest source row in which an operation faulted. If set, the outputs are undefined.
    pub fault: Option<FaultLocation>,
    /// The number of rows that the result covers: all of them, or, if the outputs were full, those before the row at
    /// which the next launch has to start. 0 if a row faulted.
    pub consumed: usize,
    /// The number of matches of that row that the result covers too. 0 unless the launch stopped between the matches of
    /// a row.
    pub next_match: u64,
}

/// Where a launch faulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultLocation {
    /// The smallest source row that faulted. Evaluating that row again gives the reason.
    Row(u64),
    /// In the final value of this fold, which does not fit its type.
    Fold(usize),
}

/// Whether a launch is done or still running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchStatus {
    /// Done, or certain to end with this outcome: work that is queued on the stream from now on sees the outputs.
    Done(Outcome),
    /// Running; [`Device::finish`](crate::Device::finish) waits for it.
    Running(LaunchId),
}

/// The maximum number of rows and nodes that a launch over `rows` rows writes. A `Compact` behind probes that multiply
/// rows may have more rows than this to write, and then stops early.
pub fn capacity(kernel: &Kernel, form: Form, rows: usize) -> (usize, usize) {
    match form {
        Form::Whole => (kernel.sink.output_rows_max(rows), 0),
        Form::Partial => kernel.sink.partial_rows_max(rows),
    }
}

/// Whether a launch of this kernel may stop before its last row, for lack of room.
pub fn may_stop_early(kernel: &Kernel) -> bool {
    match &kernel.sink {
        Sink::Group { .. } => true,
        Sink::Compact { .. } => kernel.body.multiplies_rows(),
        Sink::Store { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => false,
        Sink::Sort { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => false,
    }
}

/// The number of rows and nodes that the outputs of a launch over `rows` rows must have room for. A launch that may stop
/// early needs room for one row, and works best with a leaf's rows or more.
pub fn room_min(kernel: &Kernel, form: Form, rows: usize) -> (usize, usize) {
    let (most, nodes) = capacity(kernel, form, rows);
    if may_stop_early(kernel) { (most.min(1), nodes) } else { (most, nodes) }
}

/// The number of rows of these types that outputs have room for.
pub fn output_room(outputs: &[ColumnOutput<'_>], types: &[Type]) -> usize {
    let of_values = |ty: &Type, bytes: usize, bools: BoolLayout| {
        let is_bits = ty.dtype == DType::Bool && bools == BoolLayout::Bits;
        if is_bits { bytes.saturating_mul(8) } else { bytes / ty.dtype.repr().bytes() }
    };
    let room = |(output, ty): (&ColumnOutput<'_>, &Type)| {
        let (values, validity) = match output {
            ColumnOutput::Host { values, bools, validity } => {
                (of_values(ty, values.len(), *bools), validity.as_ref().map(|bits| bits.len()))
            }
            ColumnOutput::Device { values, validity } => {
                let bytes = |range: &BufferRange| usize::try_from(range.bytes).unwrap_or(usize::MAX);
                (of_values(ty, bytes(values), BoolLayout::Bits), validity.as_ref().map(bytes))
            }
        };
        validity.filter(|_| ty.nullable).map_or(values, |bits| values.min(bits.saturating_mul(8)))
    };
    outputs.iter().zip(types).map(room).min().unwrap_or(usize::MAX)
}

/// The error of a launch with a wrong number of columns, scalars, lists, tables or outputs.
#[cold]
fn miscounted(given: [usize; 5], wanted: [usize; 5]) -> DeviceError {
    let names = ["columns", "params", "lists", "tables", "outputs"];
    let text = |((what, given), wanted)| format!("the launch has {given} {what}, the kernel {wanted}");
    let counts = names.into_iter().zip(given).zip(wanted).filter(|((_, given), wanted)| given != wanted);
    DeviceError::invalid(counts.map(text).next().unwrap_or_default())
}

impl Launch<'_, '_> {
    /// Checks that the launch fits the kernel: the number of columns, scalars, tables, outputs and rows, and the types
    /// of the scalars.
    pub fn check(&self, kernel: &Kernel) -> DeviceResult<()> {
        let outputs = match self.form {
            Form::Whole => kernel.output().len(),
            Form::Partial => kernel.partial().rows.len() + kernel.partial().nodes.len(),
        };
        self.check_against(kernel, outputs)
    }

    /// Whether the launch reads and writes host memory only.
    pub fn is_host_only(&self) -> bool {
        let is_lent = |column: &ColumnInput<'_>| matches!(column, ColumnInput::Host(_));
        self.columns.iter().all(is_lent)
            && self.lists.iter().all(is_lent)
            && self.tables.iter().all(|table| table.columns.iter().all(is_lent))
            && self.outputs.iter().all(|output| matches!(output, ColumnOutput::Host { .. }))
    }

    /// Checks that the launch fits the kernel, like [`Launch::check`], with a known number of outputs. Allocates
    /// nothing.
    pub fn check_against(&self, kernel: &Kernel, outputs: usize) -> DeviceResult<()> {
        let given = [self.columns.len(), self.params.len(), self.lists.len(), self.tables.len(), self.outputs.len()];
        let (columns, params) = (kernel.columns.len(), kernel.params.len());
        let wanted = [columns, params, kernel.lists.len(), kernel.tables.len(), outputs];
        if given.iter().zip(&wanted).any(|(given, wanted)| given != wanted) {
            return Err(miscounted(given, wanted));
        }
        for (number, (param, ty)) in self.params.iter().zip(&kernel.params).enumerate() {
            let fits = param.map_or(ty.nullable, |value| value.repr() == ty.dtype.repr());
            if !fits {
                return Err(DeviceError::invalid(format!("parameter {number} is not a {ty}")));
            }
        }
        if !self.tables.is_empty() {
            self.check_tables(kernel)?;
        }
        if let Sink::Call { call, table, .. } = &kernel.sink {
            let table_rows = table.map_or(0, |table| self.lists[table.index()].rows());
            let mismatch = |mismatch: CallMismatch| DeviceError::invalid(mismatch.to_string());
            call.check_launch(self.rows as u64, table_rows as u64).map_err(mismatch)?;
        }
        if self.first_match > 0 && (self.rows == 0 || !may_stop_early(kernel)) {
            return Err(DeviceError::invalid(
                "a launch that starts between matches, of a kernel that never stops there",
            ));
        }
        if self.first_row.checked_add(self.rows as u64).is_none() {
            return Err(DeviceError::invalid("row numbers beyond 2^64"));
        }
        let aligned = self.first_row.is_multiple_of(LEAF_ROWS as u64);
        if kernel.sink.folds_by_leaf() && !aligned {
            return Err(DeviceError::invalid(format!("row {} is not the first of a leaf", self.first_row)));
        }
        Ok(())
    }

    fn check_tables(&self, kernel: &Kernel) -> DeviceResult<()> {
        for (number, (table, side)) in self.tables.iter().zip(&kernel.tables).enumerate() {
            if table.columns.len() != side.columns.len() {
                let (given, wanted) = (table.columns.len(), side.columns.len());
                return Err(DeviceError::invalid(format!("table {number} has {given} columns, the kernel {wanted}")));
            }
            if table.index.is_some() == side.keys.is_empty() {
                let what = if side.keys.is_empty() { "an index, but no keys" } else { "keys, but no index" };
                return Err(DeviceError::invalid(format!("table {number} has {what}")));
            }
        }
        Ok(())
    }
}
