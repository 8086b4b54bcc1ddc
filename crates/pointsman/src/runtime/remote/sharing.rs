//! Runs the stages of a compiled query on several devices at once: each stage is a [`Table`] at which all of them sit, a
//! thread each, and its result lies in the host's memory.
//!
//! A device that fails leaves, and so does one that hangs by what the table knows of its pace and the others'; what it was
//! dealt and did not do is dealt to the others, once. Only when all have failed has the run.

use super::Run;
use super::batches;
use super::footprint::output_types;
use super::local::Local;
use super::merging::Merger;
use super::places::Places;
use super::stock::{Given, Stock};
use super::table::{Hand, Table};
use crate::error::{Error, ErrorKind, Result};
use crate::runtime::executor::{Allowed, Common, Job, Step, allocate};
use crate::runtime::receipt::{Counts, Phase, Watch};
use crate::runtime::residency::Grant;
use crate::runtime::resilience::clock::Clock;
use crate::runtime::results::Output;
use crate::runtime::station::{Lease, Station};
use crate::runtime::transfer::Port;
use crate::telemetry;
use pointsman_device::Form;
use pointsman_ir::fuse::StageInput;
use pointsman_ir::kernel::Sink;
use std::time::Duration;

/// A device that takes part.
pub(crate) struct Partner<'p> {
    pub(crate) station: &'p Station,
    pub(crate) steps: &'p [Step],
    pub(crate) lease: Lease<'p>,
    /// What of its own memory is reserved.
    grant: Option<Grant<'p>>,
    /// The end of the time that it has.
    until: Option<Duration>,
    /// Why it left, and when.
    pub(crate) failed: Option<(Error, Duration)>,
    /// The rows and batches of all stages that it did.
    pub(crate) rows: usize,
    pub(crate) batches: usize,
    counts: Counts,
}

impl<'p> Partner<'p> {
    /// A device with these programs.
    pub(crate) fn new(
        station: &'p Station,
        steps: &'p [Step],
        (lease, grant): (Lease<'p>, Option<Grant<'p>>),
        until: Option<Duration>,
    ) -> Partner<'p> {
        Partner { station, steps, lease, grant, until, failed: None, rows: 0, batches: 0, counts: Counts::default() }
    }

    /// Whether its time is over.
    pub(crate) fn is_over(&self, clock: &dyn Clock) -> bool {
        self.until.is_some_and(|until| clock.now() >= until)
    }
}

/// Runs all stages; puts the last one's columns into `last`, and what was counted where it is told. `into` is the caller's
/// memory for the only column's values.
pub(crate) fn execute(
    partners: &mut [Partner<'_>],
    common: Common<'_>,
    mut into: Option<&mut [u8]>,
    watch: &mut Watch,
    (last, counts): (&mut Output, &mut Counts),
) -> Result<()> {
    let stages = partners.first().map_or(0, |partner| partner.steps.len());
    let mut done: Vec<Output> = Vec::new();
    for number in 0..stages {
        let own = if number + 1 == stages { into.as_deref_mut() } else { None };
        let output = stage(partners, common, (number, &done), own).map_err(|error| error.in_stage(number))?;
        if let Some(reporter) = common.reporter {
            let moved = partners.iter().map(|one| one.counts.bytes_moved_in + one.counts.bytes_moved_out).sum();
            reporter.end(partners.iter().map(|one| one.batches).sum(), moved);
        }
        watch.lap(Phase::Run);
        done.push(output);
    }
    *last = done.pop().ok_or_else(|| Error::internal("a query without a stage"))?;
    *counts = Counts { rows_in: common.rows, rows_out: last.rows, ..Counts::default() };
    for partner in partners {
        counts.bytes_read += partner.counts.bytes_read;
        counts.bytes_written += partner.counts.bytes_written;
        counts.bytes_moved_in += partner.counts.bytes_moved_in;
        counts.bytes_moved_out += partner.counts.bytes_moved_out;
        counts.batches += partner.batches;
        counts.pressure += partner.grant.as_ref().map(Grant::pressure).unwrap_or_default();
    }
    Ok(())
}

/// Runs a stage on all devices that are left.
fn stage(
    partners: &mut [Partner<'_>],
    common: Common<'_>,
    (number, done): (usize, &[Output]),
    into: Option<&mut [u8]>,
) -> Result<Output> {
    let step = &partners[0].steps[number];
    let _span = telemetry::stage(step);
    if !step.stage.tables.is_empty() {
        return Err(Error::unsupported("joins cannot run yet"));
    }
    let rows = match step.stage.input {
        StageInput::Source(_) => common.rows,
        StageInput::Stage(number) => done[number].rows,
    };
    let (clock, seats) = (common.time.clock, (rows, partners.len()));
    if let Some(reporter) = common.reporter {
        reporter.begin(number, rows);
    }
    if let Sink::Store { .. } = &step.stage.kernel.sink {
        let mut output = Output::default();
        allocate(&step.output, rows, into.is_some(), common.pool, &mut output)?;
        let table = Table::placing(Some(Places::of(&mut output, rows, into)), seats, clock);
        Part { common, number, done, form: Form::Whole, table: &table }.all_rounds(partners)?;
        table.finish().map(|(hands, _)| told(partners, hands))?;
        output.rows = rows;
        output.columns.iter_mut().for_each(|column| column.rows = rows);
        return Ok(output);
    }
    let merger = Merger::new(step, rows, common.pool, into)?;
    let form = merger.form();
    let table = Table::merging(merger, seats, output_types(step, form, 0).count(), clock);
    Part { common, number, done, form, table: &table }.all_rounds(partners)?;
    let (hands, output) = table.finish()?;
    told(partners, hands);
    output.ok_or_else(|| Error::internal("a shared stage without a result"))
}

/// Adds up what each device did.
fn told(partners: &mut [Partner<'_>], hands: Vec<Hand>) {
    for (partner, hand) in partners.iter_mut().zip(hands) {
        partner.rows += hand.rows;
        partner.batches += hand.batches;
    }
}

/// What devices do of a stage.
#[derive(Clone, Copy)]
struct Part<'a, 't> {
    common: Common<'a>,
    number: usize,
    /// What earlier stages gave.
    done: &'a [Output],
    form: Form,
    table: &'a Table<'t>,
}

impl Part<'_, '_> {
    /// Lets devices work until all is done: again where one of them failed, and others had nothing to do any more.
    fn all_rounds(&self, partners: &mut [Partner<'_>]) -> Result<()> {
        let count = |partners: &[Partner<'_>]| partners.iter().filter(|partner| partner.failed.is_none()).count();
        loop {
            let before = count(partners);
            self.round(partners)?;
            if self.table.is_done() {
                return Ok(());
            }
            if before == count(partners) {
                return Err(Error::internal("a shared stage that nobody goes on with"));
            }
        }
    }

    /// Lets all devices that are left work until nothing is left to be dealt; an error if none is left, or nobody should
    /// go on.
    fn round(&self, partners: &mut [Partner<'_>]) -> Result<()> {
        let mut present: Vec<(usize, &mut Partner<'_>)> = Vec::new();
        let mut why = None;
        for (seat, partner) in partners.iter_mut().enumerate() {
            match &partner.failed {
                None => present.push((seat, partner)),
                Some((error, _)) => {
                    self.table.leave(seat);
                    let is_final = error.kind() == ErrorKind::Cancelled;
                    if is_final || why.is_none() {
                        why = Some(error.clone());
                    }
                }
            }
        }
        let is_cancelled = why.as_ref().is_some_and(|error| error.kind() == ErrorKind::Cancelled);
        let Some((first, others)) = present.split_first_mut().filter(|_| !is_cancelled) else {
            return Err(why.unwrap_or_else(|| Error::internal("a shared stage without a device")));
        };
        self.common.time.clock.gather(1 + others.len());
        std::thread::scope(|scope| {
            for (turn, (seat, partner)) in others.iter_mut().enumerate() {
                let (seat, clock) = (*seat, self.common.time.clock);
                let spawned =
                    std::thread::Builder::new().spawn_scoped(scope, move || self.work(1 + turn, seat, partner));
                if spawned.is_err() {
                    // It does nothing in this round; the others do its part.
                    clock.end(1 + turn);
                }
            }
            self.work(0, first.0, first.1);
        });
        Ok(())
    }

    /// Does a device's part.
    fn work(&self, turn: usize, seat: usize, partner: &mut Partner<'_>) {
        let _turn = Turn::begin(self.common.time.clock, turn);
        let start = self.common.time.clock.now();
        let mut counts = partner.counts;
        let worked = match partner.station.host_memory {
            true => self.in_place(seat, partner, &mut counts),
            false => self.through_copies(seat, partner, &mut counts),
        };
        partner.counts = counts;
        let took = self.common.time.clock.now().saturating_sub(start);
        partner.failed = worked.err().map(|error| (error.in_stage(self.number), took));
    }

    /// What it needs, within its own time.
    fn job<'j>(&'j self, partner: &'j Partner<'_>) -> Job<'j> {
        let time = Allowed { until: partner.until, ..self.common.time };
        Common { time, ..self.common }.on(&partner.lease, partner.grant.as_ref())
    }

    fn in_place(&self, seat: usize, partner: &Partner<'_>, counts: &mut Counts) -> Result<()> {
        let job = self.job(partner);
        let local = Local { step: &partner.steps[self.number], job: &job, done: self.done, form: self.form };
        local.work(&mut self.table.seat(seat), counts)
    }

    fn through_copies(&self, seat: usize, partner: &Partner<'_>, counts: &mut Counts) -> Result<()> {
        let job = self.job(partner);
        let mut port = Port::new(&*partner.station.device, partner.lease.stream, job.time);
        let mut stock = Stock::new(&job, &port)?;
        self.done.iter().for_each(|output| stock.push(Given::lent(output)));
        let steps = &partner.steps[self.number..];
        let (mut watch, step) = (Watch::start(), &steps[0]);
        let mut run = Run { steps, step, job: &job, port: &mut port, stock: &mut stock, counts, watch: &mut watch };
        let (mut deal, mut catch) = (self.table.seat(seat), self.table.seat(seat));
        let worked = batches::work(&mut run, usize::MAX, self.form, &mut deal, &mut catch);
        drop(stock);
        counts.bytes_moved_in += port.bytes_in;
        counts.bytes_moved_out += port.bytes_out;
        worked
    }
}

/// A thread's time among those that work at once.
struct Turn<'c> {
    clock: &'c dyn Clock,
    number: usize,
}

impl<'c> Turn<'c> {
    fn begin(clock: &'c dyn Clock, number: usize) -> Turn<'c> {
        clock.begin(number);
        Turn { clock, number }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.clock.end(self.number);
    }
}
