//! One launch: a program over a range of rows, its inputs, its outputs and its outcome.

use crate::host::{BoolLayout, HostChunk};
use crate::{BufferId, DeviceError, DeviceResult, LaunchId};
use pointsman_ir::kernel::{Kernel, LEAF_ROWS};
use pointsman_ir::types::Scalar;

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

/// Another table that the kernel gathers from or probes.
#[derive(Clone, Debug)]
pub struct TableInput<'a> {
    /// The key columns, as `Build` wrote them.
    pub keys: &'a [ColumnInput<'a>],
    /// The value columns.
    pub columns: &'a [ColumnInput<'a>],
    /// The number of rows.
    pub rows: usize,
}

/// Where an output column goes. It must have room for [`capacity`] rows.
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
    /// The number of rows.
    pub rows: usize,
    /// Final or partial result.
    pub form: Form,
    /// The kernel's columns.
    pub columns: &'a [ColumnInput<'a>],
    /// The kernel's scalars; `None` is null.
    pub params: &'a [Option<Scalar>],
    /// The kernel's captured tables.
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

/// The maximum number of rows and nodes that a launch over `rows` rows writes.
pub fn capacity(kernel: &Kernel, form: Form, rows: usize) -> (usize, usize) {
    match form {
        Form::Whole => (kernel.sink.output_rows_max(rows), 0),
        Form::Partial => kernel.sink.partial_rows_max(rows),
    }
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
        if self.first_row.checked_add(self.rows as u64).is_none() {
            return Err(DeviceError::invalid("row numbers beyond 2^64"));
        }
        let aligned = self.first_row.is_multiple_of(LEAF_ROWS as u64);
        if kernel.sink.folds_by_leaf() && !aligned {
            return Err(DeviceError::invalid(format!("row {} is not the first of a leaf", self.first_row)));
        }
        Ok(())
    }
}
