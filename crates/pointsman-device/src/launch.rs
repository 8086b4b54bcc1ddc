//! One run of a program over some rows: what goes in, where results go, and what came of it.

use crate::host::{BoolLayout, HostChunk};
use crate::{BufferId, DeviceError, DeviceResult, LaunchId};
use pointsman_ir::kernel::{Kernel, LEAF_ROWS};
use pointsman_ir::types::Scalar;

/// A part of a device's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: BufferId,
    /// Where it starts, in bytes.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// Whether a launch computes the finished result or a partial one, to be merged with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The finished result: `Kernel::output()`.
    Whole,
    /// The partial state: `Kernel::partial()`, rows' columns first, then nodes' columns.
    Partial,
}

/// Where a column's values are. Values lie side by side in their representation (a bool as a bit in device buffers);
/// nulls are a bitmap, a set bit for a value.
#[derive(Clone, Debug)]
pub enum ColumnInput<'a> {
    /// In the host's memory, in one or more pieces.
    Host(&'a [HostChunk<'a>]),
    /// In the device's memory.
    Device {
        /// The values.
        values: BufferRange,
        /// The bitmap of values that are not null.
        validity: Option<BufferRange>,
        /// How many rows there are: those of the launch, of the table, or of the captured table.
        rows: usize,
    },
}

/// Another table that the kernel gathers from or probes.
#[derive(Clone, Debug)]
pub struct TableInput<'a> {
    /// Its keys, as `Build` wrote them.
    pub keys: &'a [ColumnInput<'a>],
    /// Its columns.
    pub columns: &'a [ColumnInput<'a>],
    /// How many rows.
    pub rows: usize,
}

/// Where a result's column goes. There must be room for [`capacity`] rows.
#[derive(Debug)]
pub enum ColumnOutput<'a> {
    /// Into the host's memory.
    Host {
        /// The values; bools as `bools` says.
        values: &'a mut [u8],
        /// How bools are written; other types ignore it.
        bools: BoolLayout,
        /// The bitmap; must be there when the column's type is nullable.
        validity: Option<&'a mut [u8]>,
    },
    /// Into the device's memory, bools as bits.
    Device {
        /// The values.
        values: BufferRange,
        /// The bitmap.
        validity: Option<BufferRange>,
    },
}

/// One run of a program.
#[derive(Debug)]
pub struct Launch<'a, 'o> {
    /// The number of row 0 in its source. A multiple of `LEAF_ROWS` for `Reduce` and `Scan`.
    pub first_row: u64,
    /// How many rows.
    pub rows: usize,
    /// Finished or partial.
    pub form: Form,
    /// The kernel's columns.
    pub columns: &'a [ColumnInput<'a>],
    /// The kernel's scalars; `None` is null.
    pub params: &'a [Option<Scalar>],
    /// The kernel's captured tables.
    pub lists: &'a [ColumnInput<'a>],
    /// The kernel's other tables.
    pub tables: &'a [TableInput<'a>],
    /// Where the result goes.
    pub outputs: &'a mut [ColumnOutput<'o>],
}

/// Looks on while a launch runs, and may end it. Called by every thread that works on the launch.
pub trait Onlooker: Sync {
    /// Whether the launch should go on; asked before each piece of its rows.
    fn goes_on(&self) -> bool;

    /// So many more rows are done.
    fn did(&self, rows: usize);
}

/// What came of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How many rows were written.
    pub rows: usize,
    /// How many nodes were written (partial form only).
    pub nodes: usize,
    /// The smallest source row in which an operation faulted; then the outputs are undefined.
    pub fault: Option<Faulted>,
}

/// Where a launch faulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faulted {
    /// In this source row, the smallest of all; evaluating that row again tells what happened.
    Row(u64),
    /// In the finished value of this fold: it does not fit its type.
    Fold(usize),
}

/// A launch that is done, or one that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// Done, or sure to end so: the outputs are there for whatever is queued on the stream from now on.
    Done(Outcome),
    /// Under way: ask `Device::finish`.
    Running(LaunchId),
}

/// The most rows and nodes a launch over `rows` rows can write.
pub fn capacity(kernel: &Kernel, form: Form, rows: usize) -> (usize, usize) {
    match form {
        Form::Whole => (kernel.sink.output_rows_max(rows), 0),
        Form::Partial => kernel.sink.partial_rows_max(rows),
    }
}

/// The error of a launch with too many or too few of something: columns, scalars, lists, tables, outputs.
#[cold]
fn miscounted(given: [usize; 5], wanted: [usize; 5]) -> DeviceError {
    let names = ["columns", "params", "lists", "tables", "outputs"];
    let text = |((what, given), wanted)| format!("the launch has {given} {what}, the kernel {wanted}");
    let counts = names.into_iter().zip(given).zip(wanted).filter(|((_, given), wanted)| given != wanted);
    DeviceError::invalid(counts.map(text).next().unwrap_or_default())
}

impl Launch<'_, '_> {
    /// Checks that the launch fits the kernel in number of columns, scalars, tables, outputs and rows, and that the scalars
    /// have their types.
    pub fn check(&self, kernel: &Kernel) -> DeviceResult<()> {
        let outputs = match self.form {
            Form::Whole => kernel.output().len(),
            Form::Partial => kernel.partial().rows.len() + kernel.partial().nodes.len(),
        };
        self.check_against(kernel, outputs)
    }

    /// Whether it reads and writes the host's memory alone.
    pub fn is_on_host(&self) -> bool {
        let is_lent = |column: &ColumnInput<'_>| matches!(column, ColumnInput::Host(_));
        self.columns.iter().all(is_lent)
            && self.lists.iter().all(is_lent)
            && self.tables.iter().all(|table| table.columns.iter().all(is_lent))
            && self.outputs.iter().all(|output| matches!(output, ColumnOutput::Host { .. }))
    }

    /// As [`Launch::check`], where the number of outputs is known already: allocates nothing.
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
            return Err(DeviceError::invalid("rows beyond the last number"));
        }
        let aligned = self.first_row.is_multiple_of(LEAF_ROWS as u64);
        if kernel.sink.folds_by_leaf() && !aligned {
            return Err(DeviceError::invalid(format!("row {} is not the first of a leaf", self.first_row)));
        }
        Ok(())
    }
}
