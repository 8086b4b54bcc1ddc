//! The device memory of a stage: the bytes of its inputs, outputs and scratch memory, the limit, and the batches that
//! fit. [`forecast`]: the device memory of a whole query, which is every column once, and the outputs of all stages, which
//! stay until the end. Scratch memory counts for every stage too: launches are queued without waiting for earlier ones.

use crate::data::identity::ColumnIdentity;
use crate::data::input::{CapturedList, SourceTable};
use crate::data::memory::InlineVec;
use crate::devices::residency::{InputSlot, MemoryForecast, WantedColumn};
use crate::devices::transfer::{BUFFER_BYTES_MIN, DeviceColumn, TransferStream, places_together};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::context::RunContext;
use crate::exec::launch::{StageLaunch, cut_rows, output_types, table_part};
use crate::exec::on_device::DeviceStage;
use crate::programs::program::CompiledStage;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_device::{Device, Form};
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::types::{DType, Type};
use std::fmt;

/// A stage that needs less memory is run without asking the device how much is free, in bytes.
const UNASKED_BYTES: u64 = 64 << 10;
/// The part of a device's free memory that is left to it: drivers round sizes up, and launches have scratch memory.
const MARGIN_PART: u64 = 16;
/// The maximum number of batches at once: one is uploaded, one runs, one is downloaded.
pub(crate) const AT_ONCE_MAX: usize = 3;
/// If several batches are on the device at once, each takes this fraction of the stage, within these limits in bytes:
/// small enough that the first and the last batch, which nothing overlaps, do not matter, and large enough that
/// starting copies does not matter.
const BATCH_PART: u64 = 16;
const BATCH_BYTES_MIN: u64 = 16 << 20;
const BATCH_BYTES_MAX: u64 = 256 << 20;
/// A stage of this many bytes is cut although it fits, so that copies and runs overlap. Where threads copy its columns
/// through staging, it has to be larger: the copies of small batches keep them waiting.
const WORTH_CUTTING_BYTES: u64 = 256 << 20;
const STAGED_WORTH_CUTTING_BYTES: u64 = 2 << 30;

/// Bytes of a device's memory.
#[derive(Clone, Copy)]
pub(super) struct Footprint<'d> {
    device: &'d dyn Device,
    /// All bytes, as the device allocates them.
    pub(super) bytes: u64,
    /// The size of the largest buffer.
    largest: u64,
}

impl<'d> Footprint<'d> {
    pub(super) fn on(device: &'d dyn Device) -> Footprint<'d> {
        Footprint { device, bytes: 0, largest: 0 }
    }

    fn buffer(self, bytes: usize) -> Self {
        let buffer = bytes.max(BUFFER_BYTES_MIN) as u64;
        let bytes = self.bytes.saturating_add(self.device.allocation_bytes(buffer));
        Footprint { bytes, largest: self.largest.max(buffer), ..self }
    }

    /// Adds `rows` rows of a column that is uploaded.
    fn input(self, chunks: &[HostChunk<'_>], dtype: DType, rows: usize) -> Self {
        let nullable = chunks.iter().any(|chunk| chunk.validity.is_some());
        self.column(Type { dtype, nullable }, rows)
    }

    /// Adds the captured lists of a stage that are uploaded.
    pub(super) fn lists(
        self,
        stage: &CompiledStage,
        lists: &[CapturedList],
        is_uploaded: impl Fn(usize) -> bool,
    ) -> Self {
        let uploaded = stage.lists.iter().zip(&stage.kernel.lists).filter(|(id, _)| is_uploaded(id.index()));
        uploaded.fold(self, |all, (id, dtype)| {
            let chunk = lists[id.index()].values.chunk();
            all.input(&[chunk], *dtype, chunk.rows)
        })
    }

    /// Adds the captured lists that each batch of `rows` rows uploads.
    fn batch_lists(self, kernel: &Kernel, rows: usize) -> Self {
        table_part(kernel, 0..rows)
            .into_iter()
            .fold(self, |all, (list, part)| all.column(kernel.lists[list].required(), part.len()))
    }

    /// Adds a column, with a bitmap if it is nullable.
    pub(super) fn column(self, ty: Type, rows: usize) -> Self {
        let all = self.buffer(value_bytes(ty, BoolLayout::Bits, rows));
        if ty.nullable { all.buffer(rows.div_ceil(8)) } else { all }
    }

    /// Adds the outputs of a stage over `rows` rows, and the scratch memory of its launch.
    pub(super) fn outputs(self, stage: &CompiledStage, form: Form, rows: usize) -> Self {
        self.scratch(stage, rows).typed_outputs(stage, form, output_types(stage, form, rows))
    }

    /// Adds the scratch memory of a launch. Only library calls need more than the margin of [`Limit::of`].
    fn scratch(self, stage: &CompiledStage, rows: usize) -> Self {
        let is_call = matches!(stage.kernel.sink, Sink::Call { .. });
        let bytes = if is_call { self.device.scratch_bytes(stage.program.id, rows) } else { 0 };
        Footprint { bytes: self.bytes.saturating_add(bytes), ..self }
    }

    /// Adds outputs of these types, each with its room in rows.
    fn typed_outputs(self, stage: &CompiledStage, form: Form, columns: impl Iterator<Item = (Type, usize)>) -> Self {
        match share_a_buffer(&stage.kernel, form) {
            true => self.buffer(places_together(self.device, &columns.collect::<InlineVec<_>>()).1),
            false => columns.fold(self, |all, (ty, room)| all.column(ty, room)),
        }
    }

    /// The footprint of a launch that uploads these columns and all captured lists.
    pub(super) fn of_chunks(launch: &StageLaunch<'d>, columns: &[InlineVec<HostChunk<'_>>]) -> Self {
        let (stage, rows) = (launch.stage, launch.rows.len());
        let columns = columns.iter().zip(&stage.kernel.columns);
        let inputs = columns.fold(Footprint::on(stage.device()), |all, (chunks, ty)| all.input(chunks, ty.dtype, rows));
        let lists = launch.list_chunks().zip(&stage.kernel.lists);
        let inputs = lists.fold(inputs, |all, (chunk, dtype)| all.input(&[chunk], *dtype, chunk.rows));
        inputs.scratch(stage, rows).typed_outputs(stage, launch.form, launch.output_types())
    }

    /// The footprint of `rows` rows of the columns for which `is_uploaded` returns true, and of the launch's outputs.
    fn of_launch(at: &DeviceStage<'_, 'd>, form: Form, rows: usize, is_uploaded: impl Fn(u32) -> bool) -> Self {
        let stage = at.stage();
        let columns = stage.columns().iter().zip(&stage.kernel.columns).filter(|(column, _)| is_uploaded(**column));
        let inputs = columns
            .fold(Footprint::on(stage.device()), |all, (&column, ty)| all.input(&at.chunks(column), ty.dtype, rows));
        inputs.outputs(stage, form, rows)
    }

    /// Adds the captured lists that are not on the device yet and that all batches share.
    fn shared_lists(self, at: &DeviceStage<'_, '_>) -> Self {
        let own = batch_list(at.stage());
        self.lists(at.stage(), at.run.context.lists, |list| Some(list) != own && at.tables.list(list).is_none())
    }

    /// The footprint of a whole stage, without the columns and lists that are already on the device.
    fn of_stage(at: &DeviceStage<'_, 'd>) -> Footprint<'d> {
        let launch = Footprint::of_launch(at, Form::Whole, at.rows(), |column| at.is_missing(column));
        launch.lists(at.stage(), at.run.context.lists, |list| at.tables.list(list).is_none())
    }

    /// The footprint of a batch of `rows` rows, alone on the device.
    pub(super) fn of_batch(at: &DeviceStage<'_, 'd>, form: Form, rows: usize) -> Footprint<'d> {
        let launch = Footprint::of_launch(at, form, rows, |_| true);
        launch.batch_lists(&at.stage().kernel, rows).shared_lists(at)
    }
}

/// The captured list of the query of which each batch uploads its part; the others are uploaded once.
pub(super) fn batch_list(stage: &CompiledStage) -> Option<usize> {
    let (number, _) = table_part(&stage.kernel, 0..0)?;
    Some(stage.lists[number].index())
}

/// Whether the columns that a launch writes share a buffer: the values of whole folds are few and downloaded at once.
/// Kernels bind other outputs separately, and not every device binds one buffer twice.
fn share_a_buffer(kernel: &Kernel, form: Form) -> bool {
    form == Form::Whole && kernel.sink.gives_one_row()
}

/// Memory for the columns that a launch writes.
pub(super) fn allocate_outputs(transfer: &TransferStream<'_>, launch: &StageLaunch<'_>) -> Result<Vec<DeviceColumn>> {
    let columns = launch.output_types();
    match share_a_buffer(&launch.stage.kernel, launch.form) {
        true => transfer.allocate_together(&columns.collect::<InlineVec<_>>()),
        false => { columns }.map(|(ty, room)| transfer.allocate(ty, room)).collect(),
    }
}

/// How much of a device's memory a stage may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// The limit in total; `None` if it is unknown.
    bytes: Option<u64>,
    /// The limit for one buffer.
    buffer: u64,
}

impl Limit {
    /// The minimum of the rest of the run's reservation, the free memory of the device, and its largest buffer.
    pub(super) fn of(context: &RunContext<'_>, device: &dyn Device, held: u64) -> Limit {
        let allowed = context.memory_limit().map(|limit| limit.saturating_sub(held));
        let free = device.memory().free.map(|free| free - free / MARGIN_PART);
        let buffer = device.info().capabilities.buffer_bytes_max;
        Limit { bytes: allowed.into_iter().chain(free).min(), buffer }
    }

    pub(super) fn holds(&self, need: &Footprint<'_>) -> bool {
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

/// Whether a whole stage fits into the free memory of the device.
pub(super) fn fits(at: &DeviceStage<'_, '_>) -> bool {
    let (need, held) = (Footprint::of_stage(at), at.held_bytes());
    // The reservation is known without asking the device.
    let is_reserved = at.run.context.memory_limit().is_none_or(|limit| need.bytes <= limit.saturating_sub(held));
    (need.bytes <= UNASKED_BYTES && is_reserved) || Limit::of(at.run.context, at.stage().device(), held).holds(&need)
}

/// How a stage is cut into batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchPlan {
    /// The rows of a batch, a multiple of what the sink may be cut at.
    pub(super) rows: usize,
    /// How many batches are on the device at once.
    pub(super) at_once: usize,
}

/// The largest batches that fit, as many at once as are wanted if the smallest batch fits so often; an error if not even
/// one fits. Several at once are no larger than they must be to keep the device busy.
pub(super) fn cut(at: &DeviceStage<'_, '_>) -> Result<BatchPlan> {
    let (stage, context, device) = (at.stage(), at.run.context, at.stage().device());
    let limit = Limit::of(context, device, at.held_bytes());
    let lists = Footprint::on(device).shared_lists(at);
    let unit = cut_rows(stage);
    let need = |units: usize| Footprint::of_batch(at, at.batch_form(), units * unit);
    let all = at.rows().div_ceil(unit).max(1);
    let enough = (need(all).bytes / BATCH_PART).clamp(BATCH_BYTES_MIN, BATCH_BYTES_MAX);
    let fits = |units: usize, at_once: usize| {
        let one = need(units);
        let bytes = (one.bytes - lists.bytes).saturating_mul(at_once as u64).saturating_add(lists.bytes);
        let is_small = at_once == 1 || units == 1 || one.bytes <= enough;
        is_small && limit.holds(&Footprint { bytes, ..one })
    };
    if !limit.holds(&need(1)) {
        return Err(no_room(stage, unit, need(1), &limit.to_string()));
    }
    let at_once = (1..=wanted_at_once(context, device)).rev().find(|&at_once| fits(1, at_once)).unwrap_or(1);
    Ok(BatchPlan { rows: largest(all, |units| fits(units, at_once)).max(1) * unit, at_once })
}

/// The largest count up to `all` that fits, where every smaller one does.
pub(super) fn largest(all: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut fit, mut too_many) = (0, all + 1);
    while too_many - fit > 1 {
        let middle = fit + (too_many - fit) / 2;
        if fits(middle) { fit = middle } else { too_many = middle }
    }
    fit
}

/// How many batches should be on the device at once. Copies between a device and memory that it shares with the host
/// wait for all that is queued, so nothing overlaps there.
fn wanted_at_once(context: &RunContext<'_>, device: &dyn Device) -> usize {
    let is_unified = device.info().capabilities.unified_memory;
    if is_unified { 1 } else { context.batches_in_flight.clamp(1, AT_ONCE_MAX) }
}

/// Whether a stage is cut into batches although it fits, because its copies then overlap its runs: a large one over
/// borrowed columns (others may stay on the device), whose output goes to the host anyway.
pub(super) fn is_worth_cutting(at: &DeviceStage<'_, '_>) -> bool {
    let (stage, context, device) = (at.stage(), at.run.context, at.stage().device());
    let input = |column: u32| &context.source.columns[column as usize];
    let keeps_columns = context.caching_residency().is_some();
    let is_borrowed = |&column: &u32| {
        let may_stay = keeps_columns && input(column).identity().is_some();
        input(column).lent_pieces().is_some() && !may_stay && at.is_missing(column)
    };
    let comes_from_host = match stage.input() {
        StageInput::Source(_) => stage.columns().iter().all(is_borrowed),
        StageInput::Stage(_) => false,
    };
    let goes_to_host = at.number + 1 == at.run.stages.len();
    let is_direct = |&column: &u32| input(column).pieces().iter().all(|chunk| device.copies_directly(chunk.values));
    let is_large = || {
        let bytes = Footprint::of_stage(at).bytes;
        bytes >= STAGED_WORTH_CUTTING_BYTES || bytes >= WORTH_CUTTING_BYTES && stage.columns().iter().all(is_direct)
    };
    comes_from_host
        && stage.kernel.sink.batches_are_cheap()
        && goes_to_host
        && wanted_at_once(context, device) > 1
        && is_large()
}

/// The error of a stage that does not fit into a device's memory in batches of `rows` rows.
pub(super) fn no_room(stage: &CompiledStage, rows: usize, need: Footprint<'_>, limit: &str) -> Error {
    let (sink, name) = (stage.kernel.sink.name(), &stage.device().info().name);
    let what = format!("out of memory: `{sink}` over {rows} rows needs {} bytes of `{name}`, {limit}", need.bytes);
    Error::new(ErrorKind::OutOfMemory, what)
}

/// The maximum device memory of a query over one table.
pub(crate) fn forecast<'a>(
    device: &dyn Device,
    stages: &[CompiledStage],
    source: &SourceTable<'a>,
    lists: &'a [CapturedList],
) -> MemoryForecast<'a> {
    let SourceTable { columns: inputs, rows } = *source;
    // One small buffer more, for the download that waits for the others.
    let other_bytes = device.allocation_bytes(BUFFER_BYTES_MIN as u64);
    let mut all = MemoryForecast {
        other_bytes,
        smallest_batch_bytes: smallest_batch_bytes(device, stages, lists).saturating_add(other_bytes),
        ..MemoryForecast::default()
    };
    let (mut seen_columns, mut seen_lists) = (vec![false; inputs.len()], vec![false; lists.len()]);
    let mut rows_out = Vec::new();
    for stage in stages {
        // A column may be resident on the device if it has an identity.
        let mut add = |slot, identity: Option<&'a ColumnIdentity>, dtype, bytes| match identity {
            Some(identity) => {
                let whole = identity.whole(device.info().capabilities.range_align);
                all.wanted.push(WantedColumn { slot, identity, whole, dtype, bytes });
            }
            None => all.other_bytes = all.other_bytes.saturating_add(bytes),
        };
        let read = match stage.input() {
            StageInput::Source(_) => {
                for (&column, ty) in stage.columns().iter().zip(&stage.kernel.columns) {
                    let index = column as usize;
                    if !std::mem::replace(&mut seen_columns[index], true) {
                        let bytes = Footprint::on(device).input(&inputs[index].pieces(), ty.dtype, rows).bytes;
                        add(InputSlot::Column(index), inputs[index].identity(), ty.dtype, bytes);
                    }
                }
                rows
            }
            StageInput::Stage(number) => rows_out[number],
        };
        for (id, dtype) in stage.lists.iter().zip(&stage.kernel.lists) {
            if !std::mem::replace(&mut seen_lists[id.index()], true) {
                let values = &lists[id.index()].values;
                let bytes = column_bytes(device, &values.chunk(), *dtype);
                add(InputSlot::List(id.index()), values.identity(), *dtype, bytes);
            }
        }
        all.other_bytes = all.other_bytes.saturating_add(Footprint::on(device).outputs(stage, Form::Whole, read).bytes);
        rows_out.push(capacity(&stage.kernel, Form::Whole, read).0);
    }
    all
}

/// The device memory of an uploaded column.
pub(crate) fn column_bytes(device: &dyn Device, chunk: &HostChunk<'_>, dtype: DType) -> u64 {
    Footprint::on(device).input(std::slice::from_ref(chunk), dtype, chunk.rows).bytes
}

/// The maximum memory of the smallest batch of any stage, in either form.
pub(super) fn smallest_batch_bytes(device: &dyn Device, stages: &[CompiledStage], lists: &[CapturedList]) -> u64 {
    let one = |stage: &CompiledStage| {
        // Columns may have bitmaps that their stage does not read.
        let columns = stage.kernel.columns.iter().map(|ty| ty.dtype.nullable());
        let rows = cut_rows(stage);
        let inputs = columns.fold(Footprint::on(device), |all, ty| all.column(ty, rows));
        let own = batch_list(stage);
        let inputs = inputs.lists(stage, lists, |list| Some(list) != own).batch_lists(&stage.kernel, rows);
        let launch = |form| inputs.outputs(stage, form, rows).bytes;
        launch(Form::Whole).max(launch(Form::Partial))
    };
    stages.iter().map(one).max().unwrap_or(0)
}
