//! What a stage takes of a device's memory, told beforehand: its inputs and outputs in bytes, the limit there is, and
//! how it is cut into batches that fit.

use crate::data::memory::InlineVec;
use crate::devices::transfer::{BUFFER_BYTES_MIN, DeviceColumn, TransferStream, is_numbered, places_together};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::in_place::{CompiledStage, RunContext};
use crate::exec::on_device::device_tables::DeviceTables;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_device::{Device, Form};
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS};
use pointsman_ir::types::{DType, Type};
use std::fmt;

/// A stage that needs less is not worth asking the device for what it has free, in bytes.
const UNASKED_BYTES: u64 = 64 << 10;
/// The part of a device's free memory that is left to it: drivers round sizes up, and launches have scratch memory.
const MARGIN_PART: u64 = 16;
/// The most batches at once: one that is copied in, one that runs, one that is copied out.
const AT_ONCE_MAX: usize = 3;
/// What a batch takes where there are several at once, in bytes: a part of the stage, so that the first and the last,
/// which nothing overlaps, do not matter, but enough that it does not matter either what it takes to start copies.
const BATCH_PART: u64 = 16;
const BATCH_BYTES_MIN: u64 = 16 << 20;
const BATCH_BYTES_MAX: u64 = 256 << 20;
/// A stage that takes so many bytes is worth cutting although it fits: copies and runs overlap then. Where threads copy its
/// columns through staging, it has to be larger: the copies of small batches keep them waiting.
const WORTH_CUTTING_BYTES: u64 = 256 << 20;
const STAGED_WORTH_CUTTING_BYTES: u64 = 2 << 30;

/// ColumnBytes of a device's memory.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Footprint<'d> {
    device: &'d dyn Device,
    /// All of them, as the device hands them out.
    pub(in crate::exec) bytes: u64,
    /// Those that are asked for as the largest buffer.
    largest: u64,
}

impl<'d> Footprint<'d> {
    /// Nothing yet.
    fn on(device: &'d dyn Device) -> Footprint<'d> {
        Footprint { device, bytes: 0, largest: 0 }
    }

    fn buffer(&mut self, bytes: usize) {
        let bytes = bytes.max(BUFFER_BYTES_MIN) as u64;
        self.bytes = self.bytes.saturating_add(self.device.allocation_bytes(bytes));
        self.largest = self.largest.max(bytes);
    }

    /// Adds so many rows of a column that is copied in.
    fn input(&mut self, pieces: &[HostChunk<'_>], dtype: DType, rows: usize) {
        let values = if is_numbered(pieces, dtype) { 0 } else { rows };
        self.buffer(value_bytes(dtype.required(), BoolLayout::Bits, values));
        if pieces.iter().any(|piece| piece.validity.is_some()) {
            self.buffer(rows.div_ceil(8));
        }
    }

    /// Adds room for results.
    fn output(&mut self, ty: Type, rows: usize) {
        self.buffer(value_bytes(ty, BoolLayout::Bits, rows));
        if ty.nullable {
            self.buffer(rows.div_ceil(8));
        }
    }

    /// What so many rows of a column take that is copied in.
    pub(in crate::exec) fn of_column(
        device: &'d dyn Device,
        pieces: &[HostChunk<'_>],
        dtype: DType,
        rows: usize,
    ) -> Footprint<'d> {
        let mut all = Footprint::on(device);
        all.input(pieces, dtype, rows);
        all
    }

    /// What room for so many rows of a type takes.
    pub(in crate::exec) fn of_room(device: &'d dyn Device, ty: Type, rows: usize) -> Footprint<'d> {
        let mut all = Footprint::on(device);
        all.output(ty, rows);
        all
    }

    /// What the outputs of a stage over so many rows take.
    pub(in crate::exec) fn of_outputs(step: &'d CompiledStage, form: Form, rows: usize) -> Footprint<'d> {
        let mut all = Footprint::on(&*step.program.device);
        all.outputs(step, form, rows);
        all
    }

    /// Adds a stage's captured tables, where they are not on the device yet.
    fn lists(&mut self, step: &CompiledStage, job: &RunContext<'_>, stock: &DeviceTables<'_>) {
        for (id, dtype) in step.stage.lists.iter().zip(&step.stage.kernel.lists) {
            if stock.is_list_missing(id.index()) {
                let chunk = job.lists[id.index()].values.chunk();
                self.input(&[chunk], *dtype, chunk.rows);
            }
        }
    }

    fn outputs(&mut self, step: &CompiledStage, form: Form, rows: usize) {
        let columns = output_types(step, form, rows);
        match lie_together(&step.stage.kernel, form) {
            true => self.buffer(places_together(self.device, &columns.collect::<InlineVec<_>>()).1),
            false => { columns }.for_each(|(ty, room)| self.output(ty, room)),
        }
    }

    /// What a whole stage takes beside what is on the device already.
    pub(in crate::exec) fn of_stage(
        step: &'d CompiledStage,
        job: &RunContext<'_>,
        stock: &DeviceTables<'_>,
    ) -> Footprint<'d> {
        let (stage, rows) = (&step.stage, stock.rows_of(&step.stage, job));
        let mut all = Footprint::on(&*step.program.device);
        for (&index, ty) in stage.columns.iter().zip(&stage.kernel.columns) {
            if stock.is_missing(stage, index) {
                all.input(&stock.pieces(stage, index, job), ty.dtype, rows);
            }
        }
        all.lists(step, job, stock);
        all.outputs(step, Form::Whole, rows);
        all
    }

    /// What so many rows take that lie in these pieces, with all that the stage reads beside.
    pub(in crate::exec) fn of_pieces(
        step: &'d CompiledStage,
        job: &RunContext<'_>,
        pieces: &[InlineVec<HostChunk<'_>>],
        form: Form,
        rows: usize,
    ) -> Footprint<'d> {
        let mut all = Footprint::on(&*step.program.device);
        pieces.iter().zip(&step.stage.kernel.columns).for_each(|(pieces, ty)| all.input(pieces, ty.dtype, rows));
        for (id, dtype) in step.stage.lists.iter().zip(&step.stage.kernel.lists) {
            let chunk = job.lists[id.index()].values.chunk();
            all.input(&[chunk], *dtype, chunk.rows);
        }
        all.outputs(step, form, rows);
        all
    }

    /// What a batch of so many rows takes.
    pub(in crate::exec) fn of_batch(
        step: &'d CompiledStage,
        job: &RunContext<'_>,
        stock: &DeviceTables<'_>,
        form: Form,
        rows: usize,
    ) -> Footprint<'d> {
        let stage = &step.stage;
        let mut all = Footprint::on(&*step.program.device);
        for (&index, ty) in stage.columns.iter().zip(&stage.kernel.columns) {
            all.input(&stock.pieces(stage, index, job), ty.dtype, rows);
        }
        all.lists(step, job, stock);
        all.outputs(step, form, rows);
        all
    }
}

/// The columns that a launch over so many rows writes, each with the rows that there must be room for.
pub(crate) fn output_types(step: &CompiledStage, form: Form, rows: usize) -> impl Iterator<Item = (Type, usize)> {
    let (room, nodes) = capacity(&step.stage.kernel, form, rows);
    let (row_types, node_types) = match form {
        Form::Whole => (step.output.clone(), Vec::new()),
        Form::Partial => {
            let schema = step.stage.kernel.partial();
            (schema.rows, schema.nodes)
        }
    };
    row_types.into_iter().map(move |ty| (ty, room)).chain(node_types.into_iter().map(move |ty| (ty, nodes)))
}

/// Whether the columns that a launch writes share a buffer: the values of whole folds are few and wanted at once. Others
/// are bound by kernels, and not every device takes a buffer twice.
fn lie_together(kernel: &Kernel, form: Form) -> bool {
    form == Form::Whole && kernel.sink.gives_one_row()
}

/// Memory for the columns that a launch over so many rows writes.
pub(in crate::exec) fn room_for_outputs<'d>(
    port: &TransferStream<'d>,
    step: &CompiledStage,
    form: Form,
    rows: usize,
) -> Result<Vec<DeviceColumn<'d>>> {
    let columns = output_types(step, form, rows);
    match lie_together(&step.stage.kernel, form) {
        true => port.room_together(&columns.collect::<InlineVec<_>>()),
        false => { columns }.map(|(ty, room)| port.room_for(ty, room)).collect(),
    }
}

/// How much of a device's memory there is for a stage.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct Limit {
    /// In all; `None`: nobody knows.
    bytes: Option<u64>,
    /// For one buffer.
    buffer: u64,
}

impl Limit {
    /// The least of what the options allow, what the device has free, and what it takes as one buffer.
    pub(in crate::exec) fn of(job: &RunContext<'_>, port: &TransferStream<'_>, held: u64) -> Limit {
        let allowed = job.memory_limit().map(|limit| limit.saturating_sub(held));
        let free = port.device.memory().free.map(|free| free - free / MARGIN_PART);
        let buffer = port.device.info().capabilities.buffer_bytes_max;
        Limit { bytes: allowed.into_iter().chain(free).min(), buffer }
    }

    pub(in crate::exec) fn holds(&self, need: &Footprint<'_>) -> bool {
        self.bytes.is_none_or(|limit| need.bytes <= limit) && need.largest <= self.buffer
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            Some(bytes) => write!(f, "the limit is {} bytes", bytes.min(self.buffer)),
            None => write!(f, "the limit of a buffer is {} bytes", self.buffer),
        }
    }
}

/// Whether a whole stage fits into what is left of the device's memory.
pub(in crate::exec) fn fits(
    step: &CompiledStage,
    job: &RunContext<'_>,
    port: &TransferStream<'_>,
    stock: &DeviceTables<'_>,
) -> bool {
    let need = Footprint::of_stage(step, job, stock);
    // What was granted is told without asking the device.
    let is_granted = job.memory_limit().is_none_or(|limit| need.bytes <= limit.saturating_sub(stock.held_bytes()));
    (need.bytes <= UNASKED_BYTES && is_granted) || Limit::of(job, port, stock.held_bytes()).holds(&need)
}

/// How a stage is cut into batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) struct BatchPlan {
    /// The rows of a batch, whole leaves.
    pub(in crate::exec) rows: usize,
    /// How many batches there are room for at once.
    pub(in crate::exec) at_once: usize,
}

/// The largest batches that fit, as many at once as are wanted if a leaf of each does; an error if not even one leaf fits.
/// Several at once are no larger than they must be to keep the device busy.
pub(in crate::exec) fn cut(
    step: &CompiledStage,
    job: &RunContext<'_>,
    port: &TransferStream<'_>,
    stock: &DeviceTables<'_>,
    form: Form,
) -> Result<BatchPlan> {
    let limit = Limit::of(job, port, stock.held_bytes());
    let mut lists = Footprint::on(port.device);
    lists.lists(step, job, stock);
    let need = |leaves: usize| Footprint::of_batch(step, job, stock, form, leaves * LEAF_ROWS);
    let all = stock.rows_of(&step.stage, job).div_ceil(LEAF_ROWS).max(1);
    let enough = (need(all).bytes / BATCH_PART).clamp(BATCH_BYTES_MIN, BATCH_BYTES_MAX);
    let fits = |leaves: usize, at_once: usize| {
        let one = need(leaves);
        let bytes = (one.bytes - lists.bytes).saturating_mul(at_once as u64).saturating_add(lists.bytes);
        let is_small = at_once == 1 || leaves == 1 || one.bytes <= enough;
        is_small && limit.holds(&Footprint { bytes, ..one })
    };
    if !limit.holds(&need(1)) {
        return Err(no_room(step, LEAF_ROWS, need(1), port, &limit.to_string()));
    }
    let at_once = (1..=wanted_at_once(job, port)).rev().find(|&at_once| fits(1, at_once)).unwrap_or(1);
    // So many leaves fit, and so many do not.
    let (mut fit, mut too_many) = (1, all + 1);
    while too_many - fit > 1 {
        let middle = fit + (too_many - fit) / 2;
        if fits(middle, at_once) { fit = middle } else { too_many = middle }
    }
    Ok(BatchPlan { rows: fit * LEAF_ROWS, at_once })
}

/// How many batches should be under way at once. Copies between a device and the memory it shares with the host wait for
/// all that is queued, so there nothing overlaps.
fn wanted_at_once(job: &RunContext<'_>, port: &TransferStream<'_>) -> usize {
    let is_unified = port.device.info().capabilities.unified_memory;
    if is_unified { 1 } else { job.options.batches_in_flight.clamp(1, AT_ONCE_MAX) }
}

/// Whether a stage is cut into batches although it fits, because its copies then overlap its runs: a large one, of columns
/// that are lent (others may be kept on the device), whose result goes to the host anyway. A scan is not: its batches
/// come back with more than its result. Nor are rows that are kept: how much memory they take is known in the end.
pub(in crate::exec) fn is_worth_cutting(
    steps: &[CompiledStage],
    step: &CompiledStage,
    job: &RunContext<'_>,
    port: &TransferStream<'_>,
    stock: &DeviceTables<'_>,
) -> bool {
    let stage = &step.stage;
    let may_stay = |index: u32| {
        let keeps = job.grant.is_some_and(|grant| grant.residency.caches_columns());
        keeps && job.inputs[index as usize].identity().is_some()
    };
    let is_lent = |index: u32| {
        let is_borrowed = job.inputs[index as usize].lent_pieces().is_some();
        is_borrowed && !may_stay(index) && stock.is_missing(stage, index)
    };
    let comes_from_host = match stage.input {
        StageInput::Source(_) => stage.columns.iter().all(|&index| is_lent(index)),
        StageInput::Stage(_) => false,
    };
    let is_cut_well = stage.kernel.sink.batches_are_cheap();
    let goes_to_host = steps.len() == 1;
    let bytes = || Footprint::of_stage(step, job, stock).bytes;
    let is_direct = |index: &u32| {
        let pieces = job.inputs[*index as usize].pieces();
        pieces.iter().all(|piece| port.device.copies_directly(piece.values))
    };
    let is_large = || {
        let bytes = bytes();
        let is_direct = || stage.columns.iter().all(is_direct);
        bytes >= STAGED_WORTH_CUTTING_BYTES || bytes >= WORTH_CUTTING_BYTES && is_direct()
    };
    comes_from_host && is_cut_well && goes_to_host && wanted_at_once(job, port) > 1 && is_large()
}

/// The error of a stage that does not fit into a device's memory in batches of so many rows.
pub(in crate::exec) fn no_room(
    step: &CompiledStage,
    rows: usize,
    need: Footprint<'_>,
    port: &TransferStream<'_>,
    limit: &str,
) -> Error {
    let (sink, name) = (step.stage.kernel.sink.name(), &port.device.info().name);
    let what = format!("out of memory: `{sink}` over {rows} rows needs {} bytes of `{name}`, {limit}", need.bytes);
    Error::new(ErrorKind::OutOfMemory, what)
}
