//! Runs a stage on a device in batches of whole leaves, or of whole chunks of a library call: each batch uploads its
//! rows, runs, passes its output to the [`Merger`], and frees its buffers.
//!
//! Batches overlap: while one runs, the next is uploaded and the previous one is downloaded, each on its own stream.
//! They are merged in order. If a batch finds no memory while others are on the device, it waits for them, and then
//! fewer batches overlap; if it is alone, it is halved, down to one leaf or chunk. The query may be cancelled between
//! batches.

use crate::data::chunks::slice;
use crate::data::output::Output;
use crate::devices::download::BatchDownload;
use crate::devices::residency::Retention;
use crate::devices::transfer::DeviceColumn;
use crate::error::{Error, FailureClass, Result};
use crate::exec::batch_source::{BatchSink, BatchSource, DeviceBatch, SequentialBatches};
use crate::exec::footprint::{self, BatchPlan, Footprint, Limit};
use crate::exec::launch::{InFlightLaunch, POLL_INTERVAL, cut_rows, table_part};
use crate::exec::merge::Merger;
use crate::exec::on_device::DeviceStage;
use crate::exec::{chunks, is_out_of_memory};
use crate::instrument::phase::Phase;
use crate::resilience::retry::{Reaction, reaction};
use crate::resilience::time_limit::TimeLimit;
use pointsman_device::{DeviceErrorKind, Form, Outcome, StreamId};
use std::collections::VecDeque;
use std::ops::Range;

/// Runs a stage in batches of at most `rows_max` rows. Its output is in the host's memory; `caller_values` is the
/// caller's memory for the values of the only column.
pub(super) fn run(
    stage: &mut DeviceStage<'_, '_>,
    rows_max: usize,
    caller_values: Option<&mut [u8]>,
) -> Result<Output> {
    stage.move_to_host()?;
    let rows = stage.rows();
    let mut merger = Merger::new(stage.stage(), rows, stage.run.context.pool, caller_values)?;
    run_from(stage, rows_max, &mut SequentialBatches::of(rows), &mut merger)?;
    merger.finish()
}

/// Runs all batches of a source, each of at most `rows_max` rows.
pub(super) fn run_from(
    stage: &mut DeviceStage<'_, '_>,
    rows_max: usize,
    source: &mut dyn BatchSource,
    sink: &mut dyn BatchSink,
) -> Result<()> {
    let BatchPlan { rows, at_once } = footprint::cut(stage)?;
    let home = stage.tables.transfer.stream;
    let mut pipeline = BatchPipeline {
        streams: stage.run.context.lease.streams(at_once)?,
        home,
        lists_are_uploaded: stage.stage().lists.is_empty(),
        bytes_reported: stage.tables.transfer.bytes_moved(),
        stage,
        source,
        is_dry: false,
        size: rows.min(rows_max),
        at_once,
        in_flight: VecDeque::new(),
        downloading: None,
        starved: None,
    };
    let ran = pipeline.run(sink).map_err(|error| pipeline.clear(error));
    stage.tables.transfer.stream = home;
    ran
}

/// The batches of a stage that are on the device.
struct BatchPipeline<'l, 'r, 'd> {
    stage: &'l mut DeviceStage<'r, 'd>,
    source: &'l mut dyn BatchSource,
    /// Whether the source had no batch left.
    is_dry: bool,
    /// The maximum number of rows of a batch.
    size: usize,
    /// One for each batch at once, that of the last batch first.
    streams: Vec<StreamId>,
    /// The one of them that uploads the captured lists.
    home: StreamId,
    /// Whether all captured lists were uploaded, and every stream waits for that.
    lists_are_uploaded: bool,
    /// How many batches are on the device at once.
    at_once: usize,
    /// Each with its rows, in order.
    in_flight: VecDeque<(Range<usize>, InFlightLaunch<'d>)>,
    /// The rows of the batch that is waited for or downloaded.
    downloading: Option<Range<usize>>,
    starved: Option<FailedAllocation>,
    /// The moved bytes that progress was told of.
    bytes_reported: u64,
}

/// A batch for which there was no memory.
struct FailedAllocation {
    rows: usize,
    /// How many others were on the device.
    others: usize,
    error: Error,
}

impl<'d> BatchPipeline<'_, '_, 'd> {
    /// Runs all batches.
    fn run(&mut self, sink: &mut dyn BatchSink) -> Result<()> {
        loop {
            if self.in_flight.is_empty()
                && let Some(starved) = self.starved.take()
            {
                self.shrink(&starved)?;
            }
            // While a batch is downloaded, one more is on the device.
            while self.may_start(self.at_once.min(2)) {
                self.start(self.in_flight.len())?;
            }
            match self.in_flight.pop_front() {
                Some((rows, launch)) => self.finish_batch(rows, launch, sink)?,
                None if self.starved.is_none() && self.is_dry => return Ok(()),
                None => {}
            }
        }
    }

    /// Waits for a batch and hands its output to the sink; the next batch starts while that is copied.
    fn finish_batch(&mut self, rows: Range<usize>, launch: InFlightLaunch<'d>, sink: &mut dyn BatchSink) -> Result<()> {
        self.downloading = Some(rows.clone());
        let (stream, bytes_read) = (launch.stream, launch.bytes_read);
        let (columns, outcome) = match self.wait(rows.len(), launch) {
            Ok(done) => done,
            Err(error) => return self.fail(rows, error),
        };
        let (time, pool) = (self.time_for(rows.len()), self.stage.run.context.pool);
        let download = BatchDownload { device: &**self.stage.tables.transfer.device, stream, time, pool };
        let mut started = Ok(());
        let while_copying = &mut || {
            if self.may_start(self.at_once - 1) {
                started = self.start(self.in_flight.len() + 1);
            }
        };
        let bytes = sink.take(DeviceBatch { rows: &rows, columns: &columns, outcome, download }, while_copying)?;
        self.downloading = None;
        self.stage.count(bytes_read, &columns);
        started?;
        let DeviceStage { run, tables, .. } = &mut *self.stage;
        tables.transfer.bytes_out += bytes;
        run.counters.batches += 1;
        run.timer.lap(Phase::CopyOut);
        let moved = tables.transfer.bytes_moved();
        let more = moved - std::mem::replace(&mut self.bytes_reported, moved);
        run.context.report(|reporter| reporter.end_batch(rows.len(), more));
        Ok(())
    }

    /// The time for a batch of `rows` rows.
    fn time_for(&self, rows: usize) -> TimeLimit<'d> {
        let time = self.stage.tables.transfer.time;
        TimeLimit { timeout: self.source.timeout(rows).map_or(time.timeout, |one| one.min(time.timeout)), ..time }
    }

    /// Waits for a batch of `rows` rows: the columns that it wrote. Where other devices could run it, the timeout is
    /// asked for again and again, since it depends on what they measured meanwhile.
    fn wait(&mut self, rows: usize, mut launch: InFlightLaunch<'d>) -> Result<(Vec<DeviceColumn>, Outcome)> {
        if self.source.timeout(rows).is_none() {
            return self.stage.wait(launch);
        }
        let clock = self.stage.tables.transfer.time.clock;
        let start = clock.now();
        loop {
            let time = self.time_for(rows);
            let left = time.timeout.saturating_sub(clock.now().saturating_sub(start)).min(time.left());
            match launch.poll(left.min(POLL_INTERVAL)) {
                Ok(_) => return self.stage.wait(launch),
                Err(error) if left <= POLL_INTERVAL || FailureClass::of(&error) != FailureClass::Timeout => {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
    }

    /// Whether another batch may start while fewer than `fewer_than` are in flight.
    fn may_start(&self, fewer_than: usize) -> bool {
        !self.is_dry && self.starved.is_none() && self.in_flight.len() < fewer_than
    }

    /// Starts the next batch while `others` batches are on the device, if there is one and there is memory for it.
    fn start(&mut self, others: usize) -> Result<()> {
        let Some(rows) = self.source.next(self.size) else {
            self.is_dry = true;
            return Ok(());
        };
        self.streams.rotate_left(1);
        self.stage.tables.transfer.stream = self.streams[0];
        let error = match self.stage.run.context.check_limits().and_then(|()| self.submit(rows.clone())) {
            Ok(launch) => {
                self.in_flight.push_back((rows, launch));
                return Ok(());
            }
            Err(error) => error,
        };
        let size = rows.len();
        self.source.take_back(rows);
        if !is_out_of_memory(&error) {
            return Err(error);
        }
        self.starved = Some(FailedAllocation { rows: size, others, error });
        Ok(())
    }

    /// Handles a batch that failed while it ran. The later ones in flight run again.
    fn fail(&mut self, rows: Range<usize>, error: Error) -> Result<()> {
        if is_out_of_memory(&error) {
            self.starved = Some(FailedAllocation { rows: rows.len(), others: self.in_flight.len(), error });
        } else {
            self.source.failed(&rows, error)?;
        }
        self.take_back_all(true)
    }

    /// Uploads the rows of a batch and launches it.
    fn submit(&mut self, rows: Range<usize>) -> Result<InFlightLaunch<'d>> {
        let stage = self.stage.stage();
        let DeviceStage { run, tables, .. } = &mut *self.stage;
        if !self.lists_are_uploaded {
            // All on one stream, even where some were uploaded before: until the other streams wait for it, any of the
            // lists may still be on its way.
            let own = std::mem::replace(&mut tables.transfer.stream, self.home);
            let uploaded = tables.upload_lists(stage, run.context, footprint::batch_list(stage));
            let uploaded = uploaded.and_then(|()| tables.transfer.fence(&self.streams));
            tables.transfer.stream = own;
            uploaded?;
            self.lists_are_uploaded = true;
        }
        let mut columns = Vec::with_capacity(stage.columns().len());
        for (&column, ty) in stage.columns().iter().zip(&stage.kernel.columns) {
            let own = slice(&chunks(run.context, &run.outputs, stage, column), ty.dtype, rows.clone());
            columns.push(tables.transfer.upload(&own, ty.dtype)?);
        }
        if let Some((list, part)) = table_part(&stage.kernel, rows.clone()) {
            let (whole, dtype) =
                (run.context.lists[stage.lists[list].index()].values.chunk(), stage.kernel.lists[list]);
            columns.push(tables.transfer.upload(&slice(&[whole], dtype, part), dtype)?);
        }
        run.timer.lap(Phase::CopyIn);
        self.stage.submit(rows, Some(columns))
    }

    /// Makes room for a batch that found no memory: evicts resident columns. If there are none, the number of batches
    /// on the device is limited to the current one; a batch that was alone is halved.
    fn shrink(&mut self, starved: &FailedAllocation) -> Result<()> {
        self.stage.tables.transfer.drain();
        if self.stage.evict(Retention::Cached) {
            return Ok(());
        }
        let were_several = self.at_once > 1;
        self.at_once = starved.others.max(1);
        match halved(starved.rows, cut_rows(self.stage.stage())) {
            Some(half) if starved.others == 0 => self.size = half,
            None if !were_several => {
                return Err(out_of_memory(self.stage, self.stage.batch_form(), starved.rows, &starved.error));
            }
            Some(_) | None => {}
        }
        Ok(())
    }

    /// Takes back all batches on the device and drops their results, after waiting for them if it `waits`. An error if
    /// one hangs or the device is lost: then the rest is not waited for.
    fn take_back_all(&mut self, mut waits: bool) -> Result<()> {
        let mut waited = Ok(());
        while let Some((rows, launch)) = self.in_flight.pop_back() {
            if waits
                && let Err(error) = self.wait(rows.len(), launch)
                && is_hopeless(&error)
            {
                (waits, waited) = (false, Err(error));
            }
            self.source.take_back(rows);
        }
        if let Some(rows) = self.downloading.take() {
            self.source.take_back(rows);
        }
        self.is_dry = false;
        waited
    }

    /// Leaves nothing on the device after a failure: waits for what is in flight, unless it hangs or the device is
    /// lost. A hang or a loss that shows only now replaces the error, unless the caller must see the first one: then
    /// the lease keeps the second.
    fn clear(&mut self, error: Error) -> Error {
        let is_hopeless = is_hopeless(&error);
        let cleared = self.take_back_all(!is_hopeless);
        if is_hopeless {
            return error;
        }
        let class = FailureClass::of(&error);
        let Err(worse) = cleared.and_then(|()| self.settle(class)) else { return error };
        if reaction(class) != Reaction::Return {
            return worse;
        }
        *self.stage.run.context.lease.masked_error.borrow_mut() = Some(worse);
        error
    }

    /// Waits for the work queued on the streams after a failure of this class; an error if that hangs or the device is
    /// lost.
    fn settle(&mut self, class: FailureClass) -> Result<()> {
        // Waiting takes a few bytes of memory, and after a lack of memory it was done before.
        let streams = if class == FailureClass::OutOfMemory { &[] } else { &self.streams[..] };
        for &stream in streams {
            let transfer = &mut self.stage.tables.transfer;
            transfer.stream = stream;
            transfer.settle().or_else(|error| if is_hopeless(&error) { Err(error) } else { Ok(()) })?;
        }
        Ok(())
    }
}

/// Whether waiting for the rest of the device's work is useless.
fn is_hopeless(error: &Error) -> bool {
    let has_expired = error.device_kind() == Some(DeviceErrorKind::Expired);
    has_expired || matches!(FailureClass::of(error), FailureClass::Timeout | FailureClass::Lost)
}

/// Half of a batch, in whole units of this many rows; `None` if it has only one.
pub(super) fn halved(rows: usize, unit: usize) -> Option<usize> {
    let units = rows.div_ceil(unit);
    (units > 1).then(|| units.div_ceil(2) * unit)
}

/// The error of a batch that cannot be halved.
pub(super) fn out_of_memory(stage: &DeviceStage<'_, '_>, form: Form, rows: usize, error: &Error) -> Error {
    let need = Footprint::of_batch(stage, form, rows);
    let limit = Limit::of(stage.run.context, stage.stage().device(), stage.held_bytes());
    footprint::no_room(stage.stage(), rows, need, &format!("{limit} ({})", error.message()))
}
