//! A device with a planted bug: wraps another device and corrupts its inputs, its kernels or its outputs. The suite
//! must find every one of [`Bug::ALL`]; a bug that it misses is a gap in the suite.

use crate::convert::pack;
use crate::host::{Bits, HostBuffer, HostChunk};
use crate::launch::{BufferRange, ColumnInput, ColumnOutput, FaultLocation, Launch, LaunchStatus, Outcome};
use crate::sync::Mutex;
use crate::*;
use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::kernel::{
    Fold, FoldOp, GroupOrder, Kernel, LEAF_ROWS, NullOrder, PartitionBy, Running, Sink, SortKey, SortOrder,
};
use pointsman_ir::op::Op;
use pointsman_ir::rewrite::{Renamed, Rewrite, Writer, copy};
use pointsman_ir::types::{Scalar, Type};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

macro_rules! bugs {
    ($($(#[doc = $doc:literal])+ $name:ident,)*) => {
        /// A realistic bug.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Bug {
            /// No bug: the suite must find nothing.
            Nothing,
            $($(#[doc = $doc])+ $name,)*
        }

        impl Bug {
            /// Every bug but [`Bug::Nothing`].
            pub const ALL: &'static [Bug] = &[$(Bug::$name,)*];
        }
    };
}

bugs! {
    /// `<` in place of `<=`.
    LessForLessOrEqual,
    /// `>` in place of `>=`.
    GreaterForGreaterOrEqual,
    /// The operands of a subtraction are swapped.
    SubtractionReversed,
    /// The greater in place of the smaller of two values.
    GreatestForLeast,
    /// The branches of a selection are swapped.
    BranchesSwapped,
    /// `and` in place of `or`.
    AndForOr,
    /// A checked addition wraps.
    CheckedAdditionWraps,
    /// A checked conversion saturates.
    CastSaturates,
    /// Rounding truncates.
    RoundTruncates,
    /// A fused multiply-add rounds twice.
    MultiplyAddRoundsTwice,
    /// `is_null` always returns false.
    IsNullAlwaysFalse,
    /// A loop stops one iteration early.
    LoopOneShort,
    /// The row mask is ignored.
    MaskDropped,
    /// A count of values includes nulls.
    NullsCounted,
    /// In folds, the minimum in place of the maximum.
    MinForMax,
    /// The last row is dropped.
    TailDropped,
    /// The validity of inputs is ignored.
    ValidityIgnored,
    /// Each row has the validity of the next.
    ValidityOffByOne,
    /// Each row has the value of the next.
    ValuesOffByOne,
    /// For a column in chunks, the first chunk is read repeatedly.
    FirstPieceRepeated,
    /// Row numbers are off (by a leaf, where only leaves count).
    RowNumberOff,
    /// Two scalars of one type are swapped.
    ParamsSwapped,
    /// Null slots of the result are not zeroed.
    NullSlotsDirty,
    /// Bits after the last row of a bitmap are not zeroed.
    BitmapTailDirty,
    /// NaNs in the output are not canonical.
    NanNotCanonical,
    /// An empty sum is −0.
    SumOfNothingNegative,
    /// A fault goes unreported.
    FaultLost,
    /// A fault is reported for the next row.
    FaultRowOff,
    /// A sum that does not fit is reported for another fold.
    FaultFoldOff,
    /// Scalars keep the values of a program's first launch.
    FirstParamsKept,
    /// A launch writes as many rows as the program's first one did.
    FirstRowsKept,
    /// A sort goes the other way.
    SortReversed,
    /// A sort puts nulls at the other end.
    SortNullsMoved,
    /// A sort with a limit yields one row less.
    LimitOneShort,
    /// Groups come in the order of their hashes, whatever the order that was asked for.
    GroupOrderIgnored,
    /// A hash of several keys takes them in another order.
    PartitionKeysReversed,
    /// A probe searches for rows that its condition excludes.
    ProbeConditionIgnored,
    /// A probe finds no row, or every row's answer is false.
    ProbeFindsNothing,
    /// A launch that goes on begins again with the row's first match.
    FirstMatchIgnored,
    /// The offset of a buffer range is ignored.
    BufferOffsetIgnored,
    /// A program that was unloaded still runs.
    UnloadForgotten,
}

/// A device with a bug.
pub struct Planted<D> {
    /// The wrapped device.
    pub device: D,
    /// The bug.
    pub bug: Bug,
    /// The scalars and rows of every program's first launch.
    first: Mutex<BTreeMap<ProgramId, First>>,
}

/// The scalars and rows of a program's first launch.
type First = (Vec<Option<Scalar>>, usize);

impl<D: Device> Planted<D> {
    /// Plants a bug in a device.
    pub fn new(device: D, bug: Bug) -> Planted<D> {
        Planted { device, bug, first: Mutex::default() }
    }

    /// The scalars and rows of the program's first launch.
    fn first(&self, program: ProgramId, launch: &Launch<'_, '_>) -> First {
        let mut first = self.first.lock();
        first.entry(program).or_insert_with(|| (launch.params.to_vec(), launch.rows)).clone()
    }
}

impl<D: Device> Device for Planted<D> {
    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage> {
        self.device.compile(&mutate(kernel, self.bug))
    }

    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<LaunchStatus> {
        let first = self.first(program, launch);
        let mut pending = launch_broken(&self.device, self.bug, stream, program, launch, &first)?;
        if let LaunchStatus::Done(outcome) = &mut pending {
            match (self.bug, outcome.fault) {
                (Bug::FaultLost, _) => outcome.fault = None,
                (Bug::FaultRowOff, Some(FaultLocation::Row(row))) => outcome.fault = Some(FaultLocation::Row(row + 1)),
                (Bug::FaultFoldOff, Some(FaultLocation::Fold(fold))) => {
                    outcome.fault = Some(FaultLocation::Fold(fold + 1))
                }
                (Bug::FirstRowsKept, None) if outcome.rows == launch.rows => outcome.rows = outcome.rows.min(first.1),
                _ => {}
            }
            launch.outputs.iter_mut().for_each(|output| spoil(output, outcome.rows, self.bug));
        }
        Ok(pending)
    }

    fn build_index(
        &self,
        stream: StreamId,
        keys: &IndexKeys<'_>,
        observer: Option<&dyn ProgressObserver>,
    ) -> DeviceResult<IndexInfo> {
        self.device.build_index(stream, keys, observer)
    }

    fn free_index(&self, index: IndexId) {
        self.device.free_index(index);
    }

    fn info(&self) -> &DeviceInfo {
        self.device.info()
    }

    fn memory(&self) -> MemoryInfo {
        self.device.memory()
    }

    fn supports(&self, kernel: &Kernel) -> DeviceResult<()> {
        self.device.supports(kernel)
    }

    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
        self.device.load(image)
    }

    fn describe(&self, program: ProgramId) -> String {
        self.device.describe(program)
    }

    fn unload(&self, program: ProgramId) {
        if self.bug != Bug::UnloadForgotten {
            self.device.unload(program);
        }
    }

    fn allocate(&self, bytes: usize) -> DeviceResult<BufferId> {
        self.device.allocate(bytes)
    }

    fn free(&self, buffer: BufferId) {
        self.device.free(buffer);
    }

    fn open_stream(&self, priority: Priority) -> DeviceResult<StreamId> {
        self.device.open_stream(priority)
    }

    fn close_stream(&self, stream: StreamId) {
        self.device.close_stream(stream);
    }

    fn copy_in(&self, stream: StreamId, from: Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()> {
        self.device.copy_in(stream, from, to)
    }

    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], destination: HostBuffer) -> DeviceResult<CopyId> {
        self.device.copy_out_all(stream, from, destination)
    }

    fn finish_copy(&self, copy: CopyId, timeout: Duration) -> DeviceResult<HostBuffer> {
        self.device.finish_copy(copy, timeout)
    }

    fn forget_copy(&self, copy: CopyId) {
        self.device.forget_copy(copy);
    }

    fn record(&self, stream: StreamId) -> DeviceResult<EventId> {
        self.device.record(stream)
    }

    fn wait_for(&self, stream: StreamId, event: EventId) -> DeviceResult<()> {
        self.device.wait_for(stream, event)
    }

    fn event_status(&self, event: EventId) -> DeviceResult<EventStatus> {
        self.device.event_status(event)
    }

    fn elapsed(&self, from: EventId, to: EventId) -> DeviceResult<Duration> {
        self.device.elapsed(from, to)
    }

    fn forget_event(&self, event: EventId) {
        self.device.forget_event(event);
    }

    fn finish(&self, launch: LaunchId, timeout: Duration) -> DeviceResult<Outcome> {
        self.device.finish(launch, timeout)
    }

    fn forget_launch(&self, launch: LaunchId) {
        self.device.forget_launch(launch);
    }

    fn zombies(&self) -> usize {
        self.device.zombies()
    }
}

/// The kernel that the broken device runs in place of this one.
fn mutate(kernel: &Kernel, bug: Bug) -> Kernel {
    let mut mutated = kernel.clone();
    let mut out = Writer::new();
    let mut names = Renamed::new();
    let mut rule = Mutation { bug, changed: false };
    let finds = |inst: &Inst| matches!(inst, Inst::Probe { kind, .. } if kind.finds_rows());
    let probes = kernel.body.iter().filter(|(_, inst, _)| finds(inst)).map(|(v, ..)| v);
    let roots: Vec<ValueId> = kernel.roots().into_iter().chain(probes).collect();
    copy(&kernel.body, &roots, &mut out, &mut names, &mut rule);
    // Copying drops unused values, and with them faults: a kernel that the bug does not affect stays unchanged.
    if rule.changed {
        mutated.body = out.finish();
        mutated.mask = kernel.mask.map(|mask| names.get(mask));
        mutated.sink = kernel.sink.map_operands(|v| names.get(v));
    }
    mutated.sink = mutate_sink(mutate_folds(mutated.sink, bug), bug);
    // A masked store writes nullable columns; without the mask, the types of its output would change.
    if bug == Bug::MaskDropped && !matches!(kernel.sink, Sink::Store { .. }) {
        mutated.mask = None;
    }
    if bug == Bug::LoopOneShort { shortened(mutated) } else { mutated }
}

/// Replaces correct instructions by wrong ones.
struct Mutation {
    bug: Bug,
    /// Whether an instruction was replaced.
    changed: bool,
}

impl Rewrite for Mutation {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        if let Inst::Probe { table, keys, when, kind } = inst {
            let ignores = self.bug == Bug::ProbeConditionIgnored && when.is_some();
            let when =
                if self.bug == Bug::ProbeFindsNothing { Some(out.truth(false)) } else { when.filter(|_| !ignores) };
            self.changed |= ignores || self.bug == Bug::ProbeFindsNothing;
            return out.append(Inst::Probe { table, keys, when, kind }, ty);
        }
        let Inst::Call { op, mut args } = inst else { return out.append(inst, ty) };
        let right = (op, args.clone());
        let op = match (self.bug, op) {
            (Bug::LessForLessOrEqual, Op::Le) => Op::Lt,
            (Bug::GreaterForGreaterOrEqual, Op::Ge) => Op::Gt,
            (Bug::GreatestForLeast, Op::Least) => Op::Greatest,
            (Bug::AndForOr, Op::Or) => Op::And,
            (Bug::CheckedAdditionWraps, Op::CheckedAdd) => Op::Add,
            (Bug::CastSaturates, Op::Cast) => Op::CastSaturating,
            (Bug::RoundTruncates, Op::Round) => Op::Trunc,
            (_, op) => op,
        };
        match (self.bug, op) {
            (Bug::SubtractionReversed, Op::Sub) => args.swap(0, 1),
            (Bug::BranchesSwapped, Op::Select) => args.swap(1, 2),
            (Bug::IsNullAlwaysFalse, Op::IsNull) => {
                self.changed = true;
                return out.truth(false);
            }
            (Bug::MultiplyAddRoundsTwice, Op::Fma) => {
                self.changed = true;
                let product = out.call(Op::Mul, &args[..2]).expect("floats can be multiplied");
                return out.call(Op::Add, &[product, args[2]]).expect("floats can be added");
            }
            _ => {}
        }
        self.changed |= right != (op, args.clone());
        out.append(Inst::Call { op, args }, ty)
    }
}

fn mutate_folds(sink: Sink, bug: Bug) -> Sink {
    let fold = |fold: Fold| match (bug, fold.op) {
        (Bug::NullsCounted, FoldOp::Count) => Fold::COUNT_ROWS,
        (Bug::MinForMax, FoldOp::Max) => Fold { op: FoldOp::Min, ..fold },
        _ => fold,
    };
    if let Sink::Reduce { folds } = sink {
        return Sink::Reduce { folds: folds.into_iter().map(fold).collect() };
    }
    if let Sink::Group { keys, folds, order } = sink {
        return Sink::Group { keys, folds: folds.into_iter().map(fold).collect(), order };
    }
    if let Sink::Scan { columns, running, segment } = sink {
        let running = running.into_iter().map(|one| Running { fold: fold(one.fold), ..one }).collect();
        return Sink::Scan { columns, running, segment };
    }
    sink
}

/// Corrupts a sink that sorts, groups or partitions.
fn mutate_sink(sink: Sink, bug: Bug) -> Sink {
    match (bug, sink) {
        (Bug::SortReversed | Bug::SortNullsMoved, Sink::Sort { keys, columns, limit }) => {
            let other_order = |order| match order {
                SortOrder::Ascending => SortOrder::Descending,
                SortOrder::Descending => SortOrder::Ascending,
            };
            let other_nulls = |nulls| match nulls {
                NullOrder::First => NullOrder::Last,
                NullOrder::Last => NullOrder::First,
            };
            let key = |key: SortKey| match bug == Bug::SortReversed {
                true => SortKey { order: other_order(key.order), ..key },
                false => SortKey { nulls: other_nulls(key.nulls), ..key },
            };
            Sink::Sort { keys: keys.into_iter().map(key).collect(), columns, limit }
        }
        (Bug::LimitOneShort, Sink::Sort { keys, columns, limit }) => {
            Sink::Sort { keys, columns, limit: limit.map(|limit| limit.saturating_sub(1)) }
        }
        (Bug::GroupOrderIgnored, Sink::Group { keys, folds, order: GroupOrder::Least(_) }) => {
            Sink::Group { keys, folds, order: GroupOrder::Hash }
        }
        (Bug::PartitionKeysReversed, Sink::Partition { by: PartitionBy::Hash(mut keys), bits, columns }) => {
            keys.reverse();
            Sink::Partition { by: PartitionBy::Hash(keys), bits, columns }
        }
        (_, sink) => sink,
    }
}

/// Removes one iteration from every loop with several, by editing the kernel's text.
fn shortened(kernel: Kernel) -> Kernel {
    let shorten = |line: &str| {
        let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
        if let Some(at) = words.iter().position(|word| word == "loop")
            && let Some(bound) = words.get(at + 1).and_then(|bound| bound.parse::<u32>().ok())
        {
            words[at + 1] = (bound - 1).max(1).to_string();
        }
        words.join(" ")
    };
    let text = kernel.print().lines().map(shorten).collect::<Vec<_>>().join("\n") + "\n";
    pointsman_ir::kernel::parse::parse(&text).unwrap_or(kernel)
}

/// Launches with corrupted inputs.
fn launch_broken<D: Device>(
    device: &D,
    bug: Bug,
    stream: StreamId,
    program: ProgramId,
    launch: &mut Launch<'_, '_>,
    first: &First,
) -> DeviceResult<LaunchStatus> {
    if launch.columns.iter().any(|column| matches!(column, ColumnInput::Device { .. })) {
        return launch_copied(device, bug, stream, program, launch);
    }
    let rows = if bug == Bug::TailDropped { launch.rows.saturating_sub(1) } else { launch.rows };
    let pieces: Vec<Vec<ChunkCopy>> = launch.columns.iter().map(|column| broken_chunks(column, bug, rows)).collect();
    let chunks: Vec<Vec<HostChunk<'_>>> =
        pieces.iter().map(|pieces| pieces.iter().map(ChunkCopy::chunk).collect()).collect();
    let columns: Vec<ColumnInput<'_>> = chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect();
    let mut params = launch.params.to_vec();
    if bug == Bug::ParamsSwapped {
        swap_params(&mut params);
    }
    if bug == Bug::FirstParamsKept {
        params.clone_from(&first.0);
    }
    let first_row = if bug == Bug::RowNumberOff { launch.first_row + LEAF_ROWS as u64 } else { launch.first_row };
    let mut broken = Launch {
        first_row,
        rows,
        first_match: if bug == Bug::FirstMatchIgnored { 0 } else { launch.first_match },
        form: launch.form,
        columns: &columns,
        params: &params,
        lists: launch.lists,
        tables: launch.tables,
        outputs: &mut [],
    };
    let mut outputs: Vec<ColumnOutput<'_>> = launch.outputs.iter_mut().map(reborrow).collect();
    broken.outputs = &mut outputs;
    let mut pending = device.launch(stream, program, &mut broken)?;
    if let (Bug::TailDropped, LaunchStatus::Done(outcome)) = (bug, &mut pending)
        && outcome.rows == rows
    {
        outcome.rows = launch.rows;
    }
    Ok(pending)
}

/// Launches over device buffers: only their offsets can be corrupted.
fn launch_copied<D: Device>(
    device: &D,
    bug: Bug,
    stream: StreamId,
    program: ProgramId,
    launch: &mut Launch<'_, '_>,
) -> DeviceResult<LaunchStatus> {
    let moved = |range: BufferRange| BufferRange { offset: 0, ..range };
    let column = |column: &ColumnInput<'_>| match column {
        ColumnInput::Device { values, validity, rows } if bug == Bug::BufferOffsetIgnored => {
            ColumnInput::Device { values: moved(*values), validity: validity.map(moved), rows: *rows }
        }
        ColumnInput::Device { values, validity, rows } => {
            ColumnInput::Device { values: *values, validity: *validity, rows: *rows }
        }
        ColumnInput::Host(_) => ColumnInput::Host(&[]),
    };
    let columns: Vec<ColumnInput<'_>> = launch.columns.iter().map(column).collect();
    let mut outputs: Vec<ColumnOutput<'_>> = launch.outputs.iter_mut().map(reborrow).collect();
    let Launch { first_row, rows, first_match, form, params, lists, tables, .. } = *launch;
    let (columns, outputs) = (&columns[..], &mut outputs[..]);
    device.launch(
        stream,
        program,
        &mut Launch { first_row, rows, first_match, form, columns, params, lists, tables, outputs },
    )
}

fn reborrow<'b>(output: &'b mut ColumnOutput<'_>) -> ColumnOutput<'b> {
    match output {
        ColumnOutput::Host { values, bools, validity } => {
            ColumnOutput::Host { values, bools: *bools, validity: validity.as_deref_mut() }
        }
        ColumnOutput::Device { values, validity } => ColumnOutput::Device { values: *values, validity: *validity },
    }
}

fn swap_params(params: &mut [Option<Scalar>]) {
    let repr = |param: &Option<Scalar>| param.map(Scalar::repr);
    for i in 1..params.len() {
        if let Some(j) = (0..i).find(|&j| params[i].is_some() && repr(&params[i]) == repr(&params[j])) {
            params.swap(i, j);
            return;
        }
    }
}

/// A chunk of a column that a bug has rewritten.
struct ChunkCopy {
    values: Vec<u8>,
    bit_offset: usize,
    bools: host::BoolLayout,
    validity: Option<(Vec<u8>, usize)>,
    rows: usize,
}

impl ChunkCopy {
    fn chunk(&self) -> HostChunk<'_> {
        HostChunk {
            values: &self.values,
            bools: self.bools,
            bit_offset: self.bit_offset,
            validity: self.validity.as_ref().map(|(bytes, offset)| Bits { bytes, offset: *offset }),
            rows: self.rows,
        }
    }
}

fn broken_chunks(column: &ColumnInput<'_>, bug: Bug, rows: usize) -> Vec<ChunkCopy> {
    let ColumnInput::Host(chunks) = column else { return Vec::new() };
    let mut left = rows;
    let mut broken = Vec::new();
    for (number, &own) in chunks.iter().enumerate() {
        let larger_first = chunks[0].rows >= own.rows && chunks[0].validity.is_some() == own.validity.is_some();
        let from =
            if bug == Bug::FirstPieceRepeated && number > 0 && larger_first { &chunks[0] } else { &chunks[number] };
        let rows = own.rows.min(left);
        left -= rows;
        let mut values = from.values.to_vec();
        let mut bit_offset = from.bit_offset;
        if bug == Bug::ValuesOffByOne && rows > 1 {
            let width = values.len() / own.rows.max(1);
            if width > 0 && bit_offset == 0 {
                values.copy_within(width.., 0);
            } else {
                bit_offset = bit_offset.saturating_sub(1);
            }
        }
        let validity = from.validity.filter(|_| bug != Bug::ValidityIgnored).map(|bits| {
            let off = if bug == Bug::ValidityOffByOne { 1 } else { 0 };
            (pack((0..own.rows).map(|i| bits.get((i + off).min(own.rows - 1))), 0), 0)
        });
        broken.push(ChunkCopy { values, bit_offset, bools: from.bools, validity, rows });
    }
    broken
}

/// Corrupts the outputs.
fn spoil(output: &mut ColumnOutput<'_>, rows: usize, bug: Bug) {
    let ColumnOutput::Host { values, validity, .. } = output else { return };
    if bug == Bug::NullSlotsDirty {
        let width = values.len().checked_div(rows).unwrap_or(0);
        let null = |row: usize| validity.as_ref().is_some_and(|bits| bits[row / 8] >> (row % 8) & 1 == 0);
        for row in (0..rows).filter(|&row| width > 0 && null(row)) {
            values[row * width..][..width].fill(1);
        }
    }
    let required = validity.is_none();
    if let (Bug::BitmapTailDirty, Some(bits), false) = (bug, validity, rows.is_multiple_of(8)) {
        bits[rows / 8] |= 0x80;
    }
    if bug == Bug::NanNotCanonical {
        replace_words(values, &0x7fc0_0000u32.to_le_bytes(), &0xffc0_0000u32.to_le_bytes());
    }
    if bug == Bug::SumOfNothingNegative && rows == 1 && required {
        replace_words(values, &0f32.to_le_bytes(), &(-0f32).to_le_bytes());
    }
}

/// Replaces one four-byte word by another in a column of four-byte words.
fn replace_words(values: &mut [u8], from: &[u8; 4], to: &[u8; 4]) {
    for word in values.chunks_exact_mut(4).filter(|word| **word == from[..]) {
        word.copy_from_slice(to);
    }
}
