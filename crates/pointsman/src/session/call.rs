//! A call of a query: its inputs and limits ([`CallInputs`]), and the record of its run ([`RunRecord`]).

use crate::data::input::{CapturedList, SourceTable};
use crate::data::output::Results;
use crate::error::Error;
use crate::exec::relational::StageCall;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::PhaseTimer;
use crate::instrument::progress::{Callback, Reporter};
use crate::resilience::attempt_log::AttemptLog;
use crate::resilience::cancel::CancellationToken;
use crate::select::SelectionInput;
use crate::telemetry::receipt::{ProgramSources, Share};
use pointsman_ir::types::Scalar;
use std::sync::Arc;
use std::time::Duration;

/// The limits of a run, the callback that it reports progress to, and its name in reports.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunLimits {
    /// The name of the query in reports.
    pub(crate) name: Option<Arc<str>>,
    /// How long the query may take.
    pub(crate) deadline: Option<Duration>,
    pub(crate) token: Option<CancellationToken>,
    pub(crate) progress: Option<Callback>,
    /// The maximum number of rows of a batch, on devices that run in batches.
    pub(crate) batch_rows: Option<usize>,
}

/// A call whose clock has started.
pub(crate) struct StartedCall {
    pub(crate) timer: PhaseTimer,
    /// When the call must be done, by the session's clock.
    pub(crate) deadline: Option<Duration>,
}

/// The inputs and limits of a call.
#[derive(Clone, Copy)]
pub(crate) struct CallInputs<'a> {
    /// The tables that the query reads, by number.
    pub(crate) sources: &'a [SourceTable<'a>],
    pub(crate) params: &'a [Option<Scalar>],
    pub(crate) lists: &'a [CapturedList],
    pub(crate) limits: &'a RunLimits,
    /// When the call must be done, by the session's clock.
    pub(crate) deadline: Option<Duration>,
    /// The stage to run; `None` if all stages of the query run together.
    pub(crate) stage: Option<&'a StageCall<'a>>,
}

impl<'a> CallInputs<'a> {
    /// The call as the selector sees it.
    #[inline]
    pub(super) fn selection_input(&self) -> SelectionInput<'a> {
        SelectionInput {
            inputs: self.source().columns,
            rows: self.rows(),
            expected: None,
            batch_rows: self.limits.batch_rows,
        }
    }

    /// A reporter of the progress of a run of `stages` stages, if the caller asked for it and no plan of tables has
    /// one.
    pub(super) fn own_reporter(&self, stages: usize) -> Option<Reporter<'a>> {
        let callback = self.limits.progress.as_ref().filter(|_| self.stage.is_none())?;
        Some(Reporter::new(callback, stages))
    }

    /// The reporter of the plan that the stage belongs to, if the caller asked for it.
    pub(super) fn stage_reporter(&self) -> Option<&'a Reporter<'a>> {
        self.stage.filter(|_| self.limits.progress.is_some())?.reporter
    }

    /// The first table.
    #[inline]
    pub(crate) fn source(&self) -> SourceTable<'a> {
        self.sources.first().copied().unwrap_or(SourceTable { columns: &[], rows: 0 })
    }

    /// The rows that the stage reads in order and out of order, or those of all tables.
    #[inline]
    pub(crate) fn rows_touched(&self) -> usize {
        let tables = self.stage.map_or(&[][..], |stage| &stage.size.tables);
        tables.iter().fold(self.rows(), |rows, table| rows.saturating_add(table.indexed).saturating_add(table.gathered))
    }

    /// The rows that the stage reads, or those of all tables.
    #[inline]
    pub(crate) fn rows(&self) -> usize {
        match (self.stage, self.sources) {
            (Some(stage), _) => stage.size.rows,
            (None, [only]) => only.rows,
            (None, sources) => sources.iter().map(|source| source.rows).sum(),
        }
    }
}

/// The record of a call's run: results, times, counters, failures.
pub(crate) struct RunRecord<'r> {
    /// The caller's memory for the values of the only column.
    pub(crate) caller_values: Option<&'r mut [u8]>,
    pub(crate) timer: &'r mut PhaseTimer,
    pub(crate) results: &'r mut Results,
    pub(super) counters: RunCounters,
    /// The time of the run that gave the results, in nanoseconds.
    pub(super) nanoseconds: u64,
    /// Whether other queries ran on the same device.
    pub(super) contended: bool,
    /// `None` if no devices shared the run or might have shared it.
    pub(super) shared: Option<Box<SharedRun>>,
    /// The origin of the programs, if the successful attempt loaded them.
    pub(super) sources: ProgramSources,
    pub(super) log: AttemptLog,
}

impl<'r> RunRecord<'r> {
    pub(crate) fn new(
        caller_values: Option<&'r mut [u8]>,
        timer: &'r mut PhaseTimer,
        results: &'r mut Results,
    ) -> RunRecord<'r> {
        RunRecord {
            caller_values,
            timer,
            results,
            counters: RunCounters::default(),
            nanoseconds: 0,
            contended: false,
            shared: None,
            sources: None,
            log: AttemptLog::default(),
        }
    }
}

/// The facts about a run that several devices shared.
#[derive(Default)]
pub(super) struct SharedRun {
    /// The part of each device.
    pub(super) shares: Option<Arc<[Share]>>,
    /// Whether a device did not take part to the end.
    pub(super) is_incomplete: bool,
    /// The failure of the first device, if the run returned another error.
    pub(super) own_failure: Option<Error>,
    /// The time of the run, where devices may share it.
    pub(super) time: Duration,
}

impl SharedRun {
    /// Whether the first device ran no batch: the others did everything.
    pub(super) fn is_first_idle(&self) -> bool {
        self.shares.as_ref().and_then(|shares| shares.first()).is_some_and(|share| share.batches == 0)
    }
}
