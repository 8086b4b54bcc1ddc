//! [`Turn`]: how a choice is tried. A query that several devices may share is done by all of them, or by one of them alone
//! where that is faster: by what earlier runs took, and who is worth a trial (`runtime/remote/ways.rs`). And its run.

use super::attempt::{Attempt, RunRecord};
use super::choice::{LoadedPrograms, Placement};
use super::sharing::{self, may_help};
use super::{CallInputs, CompiledPlan, Session};
use crate::devices::residency::MemoryReservation;
use crate::error::Result;
use crate::exec::context::{QueryContext, RunContext};
use crate::exec::sharing::pacing::Memory;
use crate::exec::{self, RunResult};
use crate::instrument::progress::Reporter;
use crate::query::explain::StepRecorder;
use crate::select::sharing::ways::{Member, Party, Pick, Topic, Way};
use crate::telemetry::receipt::LeftOut;
use pointsman_ir::fuse::Stage;
use pointsman_ir::kernel::Estimate;
use std::sync::Arc;
use std::time::Duration;

/// Bytes and operations a second of a device of which nothing is known, and the least that it is guessed to take for a
/// query that is worth asking how long it takes, in seconds.
const GUESS_RATE: f64 = 1e10;
const GUESS_MIN: f64 = 10e-6;
/// A shorter run, in nanoseconds, of a query that nobody shares is not remembered.
const NOTED_MIN_NS: u64 = 5_000_000;

/// How a choice is tried.
pub(super) struct Turn<'t> {
    /// The choice, or one of its devices alone.
    pub(super) choice: &'t Placement,
    pub(super) is_shared: bool,
    pub(super) spared: Option<Spared<'t>>,
    /// The ways that there are, and which one this is; `None` where there is nothing to be learned.
    party: Option<(Arc<Party>, Pick)>,
}

/// Devices that could take part in a run that one of them does alone.
#[derive(Clone, Copy)]
pub(super) struct Spared<'t> {
    /// All of them.
    pub(super) of: &'t Placement,
    pub(super) why: LeftOut,
}

impl Turn<'_> {
    /// Whether a device is tried alone before which there is another.
    pub(super) fn is_of_another(&self) -> bool {
        matches!(&self.party, Some((_, Pick { way: Way::Alone(number), .. })) if *number > 0)
    }

    /// It came to nothing.
    pub(super) fn failed(&self) {
        if let Some((party, Pick { way: Way::Alone(number), .. })) = &self.party {
            party.failed(*number);
        }
    }
}

impl Session {
    /// Runs the programs, until then at most.
    pub(super) fn run(
        &self,
        one: &Attempt<'_>,
        ready: &LoadedPrograms,
        reply: &mut RunRecord<'_>,
        until: Option<Duration>,
        grant: Option<MemoryReservation<'_>>,
    ) -> Result<()> {
        let start = (one.is_shared || one.spared.is_some()).then(|| self.0.clock.now());
        let ran = match one.is_shared {
            true => self.run_shared(one, ready, reply, self.allowed(until), grant),
            false => self.run_alone(one, ready, reply, until, grant),
        };
        if let Some(start) = start {
            reply.shared.took = self.0.clock.now().saturating_sub(start);
        }
        ran
    }

    /// Runs the programs on a choice's device.
    fn run_alone(
        &self,
        one: &Attempt<'_>,
        ready: &LoadedPrograms,
        reply: &mut RunRecord<'_>,
        until: Option<Duration>,
        grant: Option<MemoryReservation<'_>>,
    ) -> Result<()> {
        let (station, work) = (&*one.choice.station, one.work);
        let mut lease = station.stream()?;
        let (inputs, rows, params, lists) = (work.inputs, work.rows, work.params, &work.captured.lists[..]);
        let (pool, spill, options) = (&self.0.pool, &self.0.spill, &self.0.options);
        let (token, grant) = (work.limits.token.as_ref(), grant.as_ref());
        let reporter = work.limits.progress.as_ref().map(|told| Reporter::new(told, ready.steps.len()));
        let (reporter, batch_rows, time) = (reporter.as_ref(), work.limits.batch_rows, self.allowed(until));
        let common = QueryContext { inputs, rows, params, lists, pool, spill, time, token, options, reporter };
        let context = RunContext { common, lease: &lease, batch_rows, reservation: grant };
        let (into, timer, counters) = (reply.into.as_deref_mut(), &mut *reply.watch, &mut reply.counts);
        let ran =
            reply.results.fill(|output| exec::run(&ready.steps, &context, RunResult { into, output, timer, counters }));
        if let (Some(spared), true) = (one.spared, ran.is_ok()) {
            reply.shared.shares = Some(sharing::alone(one.choice, spared, (rows, reply.counts.batches)));
        }
        ran.inspect_err(|error| reply.shared.own = self.failed_on(station, &mut lease, error))
    }

    /// How a choice is tried; by all of its devices where one of them failed at it alone.
    #[inline]
    pub(super) fn turn<'t>(
        &self,
        choice: &'t Placement,
        stages: &[Stage],
        work: &CallInputs<'_>,
        is_fallen: bool,
    ) -> Turn<'t> {
        if choice.beside.is_empty() {
            return Turn { choice, is_shared: false, spared: None, party: None };
        }
        self.turn_of_several(choice, stages, work, is_fallen)
    }

    #[cold]
    fn turn_of_several<'t>(
        &self,
        choice: &'t Placement,
        stages: &[Stage],
        work: &CallInputs<'_>,
        is_fallen: bool,
    ) -> Turn<'t> {
        let together = Turn { choice, is_shared: true, spared: None, party: None };
        if self.is_too_short(choice, stages, work) {
            let spared = Some(Spared { of: choice, why: LeftOut::TooShort });
            return Turn { is_shared: false, spared, ..together };
        }
        let memories = || stages.iter().map(|stage| self.0.paces.of(&stage.kernel, &choice.names(), work.rows));
        // SharedRun with nobody it would only be one alone: whether others help is asked anew.
        let ask_all = || memories().filter(|memory| memory.is_of_one()).for_each(|memory| memory.forget());
        if is_fallen {
            ask_all();
            return together;
        }
        // Who asks that all take part in the shortest of queries asks for that in any.
        if self.0.options.share_time_min.is_zero() || work.limits.batch_rows.is_some() {
            return together;
        }
        let member = |choice: &Placement| {
            let health = choice.station.health.as_ref();
            let is_shut = health.is_some_and(|health| health.is_shut(&choice.kernels, &*self.0.clock));
            Member { is_open: !is_shut, reach: choice.station.reach() }
        };
        let party = self.party(choice, stages, work);
        let pick = party.pick(&choice.alone.iter().map(member).collect::<Vec<_>>());
        let party = Some((party, pick));
        match pick.way {
            Way::Together => {
                if pick.is_trial {
                    ask_all();
                }
                Turn { party, ..together }
            }
            Way::Alone(number) => {
                let memories: Vec<Arc<Memory>> = memories().collect();
                let others = choice.alone.iter().enumerate().filter(|(other, _)| *other != number);
                let may_others = others.into_iter().any(|(_, other)| may_help(&memories, other.station.name()));
                let why = if pick.is_trial && may_others { LeftOut::Trial } else { LeftOut::NoGain };
                let spared = Some(Spared { of: choice, why });
                Turn { choice: &choice.alone[number], is_shared: false, spared, party }
            }
        }
    }

    /// Whether a query is known to take the first device, or guessed to take any, less time than sharing costs.
    fn is_too_short(&self, choice: &Placement, stages: &[Stage], work: &CallInputs<'_>) -> bool {
        let least = self.0.options.share_time_min.as_secs_f64();
        match stages {
            [stage] if least > 0.0 => {
                let known = self.0.paces.of(&stage.kernel, &choice.names(), work.rows).pace(choice.station.name());
                let seconds = known.map(|pace| work.rows as f64 / pace.alone);
                seconds.map_or_else(|| guess(stage, work.rows) < GUESS_MIN, |seconds| seconds < least)
            }
            _ => false,
        }
    }

    /// The ways to run a query that the devices of a choice may share.
    fn party(&self, choice: &Placement, stages: &[Stage], work: &CallInputs<'_>) -> Arc<Party> {
        let may_stay = work.inputs.iter().any(|input| input.identity().is_some());
        let names: Vec<&str> = choice.alone.iter().map(|one| one.station.name()).collect();
        self.0.ways.party(topic(stages, work.rows, may_stay), &names)
    }

    /// Remembers what a run took.
    #[inline]
    pub(super) fn note(&self, turn: &Turn<'_>, stages: &[Stage], reply: &RunRecord<'_>, work: &CallInputs<'_>) {
        if turn.party.is_some() || reply.took >= NOTED_MIN_NS && !turn.is_shared {
            self.note_run(turn, stages, reply, work);
        }
    }

    #[cold]
    fn note_run(&self, turn: &Turn<'_>, stages: &[Stage], reply: &RunRecord<'_>, work: &CallInputs<'_>) {
        // What others' queries or failures had to do with says little of the way.
        if reply.contended || work.limits.batch_rows.is_some() || !reply.shared.failed.is_empty() {
            return;
        }
        if let Some((party, pick)) = &turn.party {
            return party.note(*pick, (reply.shared.took.as_secs_f64(), work.rows), &reply.shared.hints);
        }
        let may_stay = work.inputs.iter().any(|input| input.identity().is_some());
        let alone = self.0.ways.alone(&topic(stages, work.rows, may_stay), turn.choice.station.name());
        alone.note(Duration::from_nanos(reply.took).as_secs_f64(), work.rows);
    }

    /// Writes down what is known of the ways to run a query that several devices may share, for so many rows.
    pub(super) fn explain_ways(&self, compiled: &CompiledPlan, rows: Option<usize>, notes: &mut StepRecorder<'_>) {
        let (Some(choice), Some(rows)) = (compiled.choices.first().filter(|one| !one.beside.is_empty()), rows) else {
            return;
        };
        notes.note("ways", || {
            let names: Vec<&str> = choice.alone.iter().map(|one| one.station.name()).collect();
            let told = |each: Option<f64>| match each.map(|each| Duration::try_from_secs_f64(each * rows as f64)) {
                Some(Ok(time)) => format!("{time:.1?}"),
                Some(Err(_)) | None => "not measured".to_string(),
            };
            let of = |may_stay| self.0.ways.party(topic(&compiled.stages, rows, may_stay), &names).known();
            let (together, alone) = match of(false) {
                (None, _) => of(true),
                known => known,
            };
            let alone = names.iter().zip(alone).map(|(name, each)| format!("{name} alone: {}", told(each)));
            let lines = std::iter::once(format!("together: {}", told(together))).chain(alone);
            format!("{rows} rows\n{}", lines.collect::<Vec<_>>().join("\n"))
        });
    }
}

fn topic(stages: &[Stage], rows: usize, may_stay: bool) -> Topic {
    Topic::new(stages.iter().map(|stage| stage.kernel.clone()).collect(), rows, may_stay)
}

/// How long a stage may take, in seconds.
fn guess(stage: &Stage, rows: usize) -> f64 {
    let estimate = Estimate::of(&stage.kernel);
    let bytes = estimate.read_bytes_per_row + estimate.write_bytes_per_row;
    (bytes + estimate.ops_per_row.values().sum::<f64>()) * rows as f64 / GUESS_RATE
}
