//! A stage that a device's memory does not hold at once, in batches of whole leaves: each copies in its rows, runs, and
//! hands its result to the [`Merger`]; then its buffers are given back.
//!
//! Batches overlap: while one runs, the next is copied in and the one before is copied out, each on a stream of its own.
//! They are merged in their order. A batch for which there is no memory beside others waits until those are gone, and then
//! fewer are under way at once; one for which there is none although it is alone stays alone and is halved, down to one
//! leaf. Between batches the query may be cancelled.

use super::DeviceStage;
use crate::data::chunks::slice;
use crate::data::output::Output;
use crate::devices::residency::Retention;
use crate::devices::transfer::DeviceColumn;
use crate::error::{Error, Result};
use crate::exec::batch_source::{BatchSink, BatchSource, DeviceBatch, NextBatch, SequentialBatches};
use crate::exec::in_place::TimeLimit;
use crate::exec::merge::Merger;
use crate::exec::on_device::batch_download::BatchDownload;
use crate::exec::on_device::footprint::{BatchPlan, Footprint, Limit, cut, no_room};
use crate::exec::on_device::in_flight::InFlightLaunch;
use crate::instrument::phase::Phase;
use crate::resilience::retry::{FailureClass, Reaction, reaction};
use pointsman_device::{Form, Outcome, StreamId};
use pointsman_ir::kernel::LEAF_ROWS;
use std::collections::VecDeque;
use std::ops::Range;

/// Runs a stage in batches of at most so many rows. Its result is in the host's memory; `into` is the caller's for the
/// only column's values.
pub(in crate::exec) fn run(run: &mut DeviceStage<'_, '_>, rows_max: usize, into: Option<&mut [u8]>) -> Result<Output> {
    let (step, job) = (run.step, run.job);
    run.stock.move_out(run.steps, run.port, job.pool)?;
    let rows = run.stock.rows_of(&step.stage, job);
    let mut merger = Merger::new(step, rows, job.pool, into)?;
    work(run, rows_max, merger.form(), &mut SequentialBatches::of(rows), &mut merger)?;
    merger.finish()
}

/// Runs all batches that are dealt, each of at most so many rows.
pub(in crate::exec) fn work(
    run: &mut DeviceStage<'_, '_>,
    rows_max: usize,
    form: Form,
    deal: &mut dyn BatchSource,
    catch: &mut dyn BatchSink,
) -> Result<()> {
    let BatchPlan { rows, at_once } = cut(run.step, run.job, run.port, run.stock, form)?;
    let (home, streams) = (run.port.stream, run.job.lease.streams(at_once)?);
    let (size, is_dry, under_way, landing, starved) = (rows.min(rows_max), false, VecDeque::new(), None, None);
    let moved = run.port.bytes_in + run.port.bytes_out;
    let lists_are_there = run.step.stage.lists.is_empty();
    let mut line = BatchPipeline {
        run,
        deal,
        form,
        is_dry,
        is_early: false,
        size,
        streams,
        home,
        lists_are_there,
        at_once,
        under_way,
        landing,
        starved,
        moved,
    };
    let ran = line.work(catch).map_err(|error| line.clear(error));
    run.port.stream = home;
    ran
}

/// Batches, one behind the other.
struct BatchPipeline<'l, 'r, 'd> {
    run: &'l mut DeviceStage<'r, 'd>,
    deal: &'l mut dyn BatchSource,
    form: Form,
    /// Whether there was no batch left to be started.
    is_dry: bool,
    /// Whether it was others' turn.
    is_early: bool,
    /// The most rows of a batch.
    size: usize,
    /// One for each batch at once, that of the last batch first.
    streams: Vec<StreamId>,
    /// The stream that captured tables come over on, one of them.
    home: StreamId,
    /// Whether all captured tables came over, and every stream waits for that.
    lists_are_there: bool,
    /// How many batches are on the device at once.
    at_once: usize,
    /// Each with its rows, in order.
    under_way: VecDeque<(Range<usize>, InFlightLaunch<'d>)>,
    /// The rows of the batch that is waited for or copied out.
    landing: Option<Range<usize>>,
    starved: Option<FailedAllocation>,
    /// The bytes that were copied when progress was last told.
    moved: u64,
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
    fn work(&mut self, catch: &mut dyn BatchSink) -> Result<()> {
        loop {
            if self.under_way.is_empty()
                && let Some(starved) = self.starved.take()
            {
                self.shrink(&starved)?;
            }
            // While a batch is copied out, one more is on the device.
            while self.may_start(self.at_once.min(2)) {
                self.start(self.under_way.len())?;
            }
            match self.under_way.pop_front() {
                Some((rows, flight)) => self.land(rows, flight, catch)?,
                None if self.starved.is_none() && self.is_dry => return Ok(()),
                None if self.is_early => self.deal.wait(),
                None => {}
            }
            self.is_early = false;
        }
    }

    /// Waits for a batch and takes in what it gave, while the next is started.
    fn land(&mut self, rows: Range<usize>, flight: InFlightLaunch<'d>, catch: &mut dyn BatchSink) -> Result<()> {
        self.landing = Some(rows.clone());
        let (stream, read) = (flight.stream, flight.read);
        let (columns, outcome) = match self.arrive(rows.len(), flight) {
            Ok(arrived) => arrived,
            Err(error) => return self.fail(rows, error),
        };
        let (time, pool) = (self.time_for(rows.len()), self.run.job.pool);
        let quay = BatchDownload { device: self.run.port.device, stream, time, pool };
        let mut started = Ok(());
        let beside = &mut || {
            if self.may_start(self.at_once - 1) {
                started = self.start(self.under_way.len() + 1);
            }
        };
        let bytes = catch.take(DeviceBatch { rows: &rows, columns: &columns, outcome, quay }, beside)?;
        self.landing = None;
        self.run.count(read, &columns);
        started?;
        self.run.port.bytes_out += bytes;
        self.run.counts.batches += 1;
        self.run.watch.lap(Phase::CopyOut);
        let moved = self.run.port.bytes_in + self.run.port.bytes_out;
        self.run.job.did_batch(rows.len(), moved - std::mem::replace(&mut self.moved, moved));
        Ok(())
    }

    /// The time for a batch of so many rows.
    fn time_for(&self, rows: usize) -> TimeLimit<'d> {
        let time = self.run.port.time;
        TimeLimit { patience: self.deal.patience(rows).map_or(time.patience, |one| one.min(time.patience)), ..time }
    }

    /// Waits for a batch of so many rows: the columns that it wrote. Where others could do it, what is known of its device
    /// and of theirs is asked for again and again.
    fn arrive(&mut self, rows: usize, mut flight: InFlightLaunch<'d>) -> Result<(Vec<DeviceColumn<'d>>, Outcome)> {
        if self.deal.patience(rows).is_none() {
            return self.run.arrive(flight);
        }
        let (clock, start) = (self.run.port.time.clock, self.run.port.time.clock.now());
        loop {
            let (glance, time) = (self.deal.glance(), self.time_for(rows));
            let left = time.patience.saturating_sub(clock.now().saturating_sub(start)).min(time.left());
            match flight.glance(left.min(glance)) {
                Ok(()) => return self.run.arrive(flight),
                Err(error) if left <= glance || FailureClass::of(&error) != FailureClass::Timeout => return Err(error),
                Err(_) => {}
            }
        }
    }

    /// Whether another batch may be started beside fewer than so many.
    fn may_start(&self, fewer_than: usize) -> bool {
        !self.is_dry && !self.is_early && self.starved.is_none() && self.under_way.len() < fewer_than
    }

    /// Starts the next batch beside so many others, if there is one and there is memory for it.
    fn start(&mut self, others: usize) -> Result<()> {
        let rows = match self.deal.next(self.size) {
            NextBatch::Rows(rows) => rows,
            NextBatch::Later => {
                self.is_early = true;
                return Ok(());
            }
            NextBatch::Nothing => {
                self.is_dry = true;
                return Ok(());
            }
        };
        self.streams.rotate_left(1);
        self.run.port.stream = self.streams[0];
        let error = match self.run.job.may_go_on().and_then(|()| self.depart(rows.clone())) {
            Ok(flight) => {
                self.under_way.push_back((rows, flight));
                return Ok(());
            }
            Err(error) => error,
        };
        let size = rows.len();
        self.deal.take_back(rows);
        if !is_out_of_memory(&error) {
            return Err(error);
        }
        self.starved = Some(FailedAllocation { rows: size, others, error });
        Ok(())
    }

    /// What follows from a batch that failed while it ran. Those behind it will run again, if they must.
    fn fail(&mut self, rows: Range<usize>, error: Error) -> Result<()> {
        if is_out_of_memory(&error) {
            self.starved = Some(FailedAllocation { rows: rows.len(), others: self.under_way.len(), error });
        } else {
            self.deal.failed(&rows, error)?;
        }
        self.finish_all()
    }

    /// Copies in the rows of a batch and launches it.
    fn depart(&mut self, rows: Range<usize>) -> Result<InFlightLaunch<'d>> {
        let run = &mut *self.run;
        let (stage, job) = (&run.step.stage, run.job);
        if !self.lists_are_there {
            // All on one stream, also where a part of them came over before: until the others wait for that one, any may
            // still be on its way.
            let own = std::mem::replace(&mut run.port.stream, self.home);
            let sent = run.stock.send_lists(stage, job, run.port).and_then(|()| run.port.fence(&self.streams));
            run.port.stream = own;
            sent?;
            self.lists_are_there = true;
        }
        let mut columns = Vec::with_capacity(stage.columns.len());
        for (&index, ty) in stage.columns.iter().zip(&stage.kernel.columns) {
            let pieces = slice(&run.stock.pieces(stage, index, job), ty.dtype, rows.clone());
            columns.push(run.port.send(&pieces, ty.dtype)?);
        }
        run.watch.lap(Phase::CopyIn);
        run.depart(self.form, rows, Some(columns))
    }

    /// Makes room for a batch that found none: resident columns go. Where there is none to go, there are as many at once as there were beside it; where it was alone it stays so,
    /// and is halved.
    fn shrink(&mut self, starved: &FailedAllocation) -> Result<()> {
        self.run.port.drain();
        if self.run.evict(Retention::Cached) {
            return Ok(());
        }
        let were_several = self.at_once > 1;
        self.at_once = starved.others.max(1);
        match halved(starved.rows) {
            Some(half) if starved.others == 0 => self.size = half,
            None if !were_several => return Err(out_of_memory(self.run, self.form, starved.rows, &starved.error)),
            Some(_) | None => {}
        }
        Ok(())
    }

    /// Waits for all that is under way; what comes of it does not matter any more. An error if some of it hangs or the
    /// device is gone: then nobody waits for the rest.
    fn finish_all(&mut self) -> Result<()> {
        while let Some((rows, flight)) = self.under_way.pop_back() {
            let arrived = self.arrive(rows.len(), flight);
            self.deal.take_back(rows);
            if let Err(error) = arrived
                && is_hopeless(&error)
            {
                self.forget_all();
                return Err(error);
            }
        }
        self.take_back_landing();
        Ok(())
    }

    /// Forgets all that is under way.
    fn forget_all(&mut self) {
        self.under_way.drain(..).rev().for_each(|(rows, _)| self.deal.take_back(rows));
        self.take_back_landing();
    }

    fn take_back_landing(&mut self) {
        if let Some(rows) = self.landing.take() {
            self.deal.take_back(rows);
        }
        self.is_dry = false;
    }

    /// Leaves nothing on the device behind a failure: waits for what is under way, unless it hangs or the device is gone.
    /// Where that shows only now it is the failure, unless the caller must be told of the first: then the lease is.
    fn clear(&mut self, error: Error) -> Error {
        if is_hopeless(&error) {
            self.forget_all();
            return error;
        }
        let class = FailureClass::of(&error);
        let Err(worse) = self.finish_all().and_then(|()| self.settle(class)) else { return error };
        if reaction(class) != Reaction::Return {
            return worse;
        }
        self.run.job.lease.record_masked_error(worse);
        error
    }

    /// Waits for what the streams have queued behind a failure of this class; an error if that hangs or the device is gone.
    fn settle(&mut self, class: FailureClass) -> Result<()> {
        // There is none to wait with, and that was done before.
        let streams = if class == FailureClass::OutOfMemory { &[] } else { &self.streams[..] };
        for &stream in streams {
            self.run.port.stream = stream;
            self.run.port.settle().or_else(|error| if is_hopeless(&error) { Err(error) } else { Ok(()) })?;
        }
        Ok(())
    }
}

/// Whether it is no use to wait for what else is on the device.
fn is_hopeless(error: &Error) -> bool {
    matches!(FailureClass::of(error), FailureClass::Timeout | FailureClass::Lost)
}

fn is_out_of_memory(error: &Error) -> bool {
    FailureClass::of(error) == FailureClass::OutOfMemory
}

/// Half of a batch, in whole leaves; `None` if it has only one.
pub(in crate::exec) fn halved(rows: usize) -> Option<usize> {
    let leaves = rows.div_ceil(LEAF_ROWS);
    (leaves > 1).then(|| leaves.div_ceil(2) * LEAF_ROWS)
}

/// The error of a batch that cannot be halved.
pub(in crate::exec) fn out_of_memory(run: &DeviceStage<'_, '_>, form: Form, rows: usize, error: &Error) -> Error {
    let need = Footprint::of_batch(run.step, run.job, run.stock, form, rows);
    let limit = Limit::of(run.job, run.port, run.stock.held_bytes());
    no_room(run.step, rows, need, run.port, &format!("{limit} ({})", error.message()))
}
