//! Answers a plan of tables stage by stage. Each stage is treated like a separate query: a device is chosen for it when
//! its input rows exist, and it may be retried or moved to another device. So the number of its rows is known, a
//! failure repeats one stage only, and each stage may run on another device. The receipt names the device of each.

use super::attempt::QueryRun;
use super::call::{CallInputs, RunRecord};
use super::{CompiledFragment, Session, SessionInner, placement_info};
use crate::data::output::{Output, Results};
use crate::error::{FailedAttempt, Result};
use crate::exec::relational::{PlanTables, StageCall, StageTableRows};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::ProgramSource;
use crate::programs::program::OutputHistory;
use crate::select::estimator::{StageExpectation, TableRows};
use crate::select::{SHARED, SelectionInput};
use crate::sync::Mutex;
use crate::telemetry::receipt::{Cached, PlacementInfo, PredictionHandle, RareFacts, Receipt, Share};
use pointsman_ir::fuse::Stage;
use std::sync::Arc;

/// The stages of a compiled plan of tables.
pub(crate) struct CompiledStages {
    pub(crate) fragments: Vec<CompiledFragment>,
    /// The text of the last receipt about the placements of all stages. Most runs have the same.
    last: Mutex<Option<Arc<PlacementInfo>>>,
}

impl CompiledStages {
    pub(super) fn new(fragments: Vec<CompiledFragment>) -> CompiledStages {
        CompiledStages { fragments, last: Mutex::default() }
    }

    fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.fragments.iter().flat_map(|fragment| &fragment.candidates.stages)
    }
}

impl CompiledFragment {
    /// The results of the last runs of a plan's only stage, on each device.
    fn histories(&self) -> impl Iterator<Item = &OutputHistory> {
        let stages = self.candidates.all().filter_map(|placement| placement.loaded()?.stages.first());
        stages.map(|stage| &stage.history)
    }
}

/// The results of the stages that have run.
#[derive(Default)]
struct RanStages {
    infos: Vec<Arc<PlacementInfo>>,
    counters: RunCounters,
    /// The origin of the programs of each stage.
    sources: Vec<ProgramSource>,
    is_loaded: bool,
    attempts: Vec<FailedAttempt>,
    slowdown: Option<f32>,
    shares: Vec<Share>,
    ranked: Option<PredictionHandle>,
}

impl Session {
    /// Answers one call of a plan of tables.
    #[cold]
    pub(super) fn answer_stages(
        &self,
        compiled: &CompiledStages,
        plan: Cached,
        call: CallInputs<'_>,
        record: RunRecord<'_>,
    ) -> Result<Receipt> {
        let RunRecord { caller_values, timer, results, .. } = record;
        let reporter = call.own_reporter(compiled.fragments.len());
        let mut tables = PlanTables::new(compiled.stages().collect(), call.sources, call.params);
        let mut ran = RanStages::default();
        for number in 0..compiled.fragments.len() {
            let histories = || compiled.fragments[number].histories();
            let size = tables.next_size(|rows, is_proportional| {
                histories().find_map(|history| history.expected(rows, is_proportional))
            })?;
            timer.lap(Phase::Plan);
            let stage = StageCall {
                tables: &tables,
                number,
                size,
                batch_rows: call.limits.batch_rows.or(self.options().batch_rows),
                output_rows: self.options().output_rows,
                reporter: reporter.as_ref(),
                batches_before: ran.counters.batches(),
                bytes_moved_before: ran.counters.bytes_moved(),
            };
            let call = CallInputs { stage: Some(&stage), ..call };
            match self.answer_stage(&compiled.fragments[number], &call, timer, &mut ran) {
                Ok(output) => tables.end_stage(output),
                Err(error) => return Err(tables.locate(error).after_attempts(ran.attempts)),
            }
        }
        let output = tables.into_result()?;
        results.output = match caller_values {
            Some(values) => output.written_to(values)?,
            None => output,
        };
        timer.lap(Phase::CopyOut);
        ran.counters.rows_in = call.rows();
        ran.counters.rows_out = results.output.rows;
        let is_single = ran.infos.len() == 1;
        let rare = RareFacts {
            name: call.limits.name.clone(),
            sources: ran.is_loaded.then(|| ran.sources.into()),
            attempts: ran.attempts,
            slowdown: ran.slowdown,
            shares: (!ran.shares.is_empty()).then(|| ran.shares.into()),
        };
        Ok(Receipt {
            info: self.0.plan_info(compiled, ran.infos),
            counts: ran.counters,
            plan,
            start: timer.start,
            times: timer.times,
            rare: rare.into_shared(),
            ranked: ran.ranked.filter(|_| is_single),
            home: None,
        })
    }

    /// Runs the next stage, on the first of its devices that answers.
    fn answer_stage(
        &self,
        fragment: &CompiledFragment,
        call: &CallInputs<'_>,
        timer: &mut PhaseTimer,
        ran: &mut RanStages,
    ) -> Result<Output> {
        let session = &*self.0;
        let (tables, output) = call.stage.map(expectation).unwrap_or_default();
        let expected = StageExpectation { tables: &tables, output };
        let input = SelectionInput {
            inputs: &[],
            rows: call.rows(),
            expected: Some(&expected),
            batch_rows: call.limits.batch_rows,
        };
        let ranking = session.selector.rank(&fragment.candidates, input);
        let query = QueryRun { session, compiled: fragment, ranking: &ranking, call };
        let (mut own, mut results) = (timer.part(), Results::new());
        let mut record = RunRecord::new(None, &mut own, &mut results);
        let answered = query.first_success(&mut record);
        let done = answered.map(|(run, loaded)| {
            let slowdown = self.observe(&query, &run, loaded, &mut record);
            ran.add(&record, slowdown);
            ran.infos.push(placement_info(&loaded.info, &ranking, &record.log));
        });
        timer.add(&own);
        done?;
        ran.ranked = ranking.into_prediction_handle();
        Ok(results.output)
    }
}

/// The rows of a stage's tables, and those that it is expected to give, as the selector sees them.
fn expectation(stage: &StageCall<'_>) -> (Vec<TableRows>, Option<u64>) {
    let rows = |table: &StageTableRows| TableRows { indexed: table.indexed as u64, gathered: table.gathered as u64 };
    (stage.size.tables.iter().map(rows).collect(), stage.size.output.map(|rows| rows as u64))
}

impl RanStages {
    /// Adds a stage that has run.
    fn add(&mut self, record: &RunRecord<'_>, slowdown: Option<f32>) {
        self.counters.add_stage(&record.counters);
        self.is_loaded |= record.sources.is_some();
        self.sources.push(record.sources.as_ref().map_or(ProgramSource::Memory, |sources| sources[0]));
        self.attempts.extend(record.log.attempts.iter().cloned());
        self.slowdown = [self.slowdown, slowdown].into_iter().flatten().reduce(f32::max);
        let shares = record.shared.as_ref().and_then(|shared| shared.shares.as_deref());
        for share in shares.unwrap_or_default() {
            match self.shares.iter_mut().find(|known| known.device == share.device) {
                Some(known) => {
                    known.rows += share.rows;
                    known.batches += share.batches;
                    known.left_out = known.left_out.and(share.left_out);
                }
                None => self.shares.push(share.clone()),
            }
        }
    }
}

impl SessionInner {
    /// The text of a receipt about the placements of a plan's stages.
    fn plan_info(&self, compiled: &CompiledStages, infos: Vec<Arc<PlacementInfo>>) -> Arc<PlacementInfo> {
        let devices = || infos.iter().map(|info| &info.device);
        let is_same = |last: &&Arc<PlacementInfo>| {
            last.stage_devices().eq(devices()) && infos.iter().all(|info| info.why == last.why)
        };
        if let Some(last) = compiled.last.lock().as_ref().filter(is_same) {
            return last.clone();
        }
        let info = Arc::new(self.joined_info(compiled, &infos));
        *compiled.last.lock() = Some(info.clone());
        info
    }

    fn joined_info(&self, compiled: &CompiledStages, infos: &[Arc<PlacementInfo>]) -> PlacementInfo {
        let (mut names, mut whys): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for info in infos {
            for (list, one) in [(&mut names, &*info.device), (&mut whys, &*info.why)] {
                if !list.contains(&one) {
                    list.push(one);
                }
            }
        }
        let last = infos.last().and_then(|info| info.device.split(SHARED).next()).unwrap_or("cpu");
        PlacementInfo {
            device: names.join(", "),
            why: whys.join("; "),
            stages: infos.iter().flat_map(|info| info.stages.iter().copied()).collect(),
            stage_devices: infos.iter().map(|info| info.device.clone()).collect(),
            programs: infos.iter().flat_map(|info| info.programs.iter().cloned()).collect(),
            // The device of the last stage counts the answer.
            counters: self.telemetry.counters.of(last),
            trend: self.telemetry.trend(last, compiled.stages().map(|stage| stage.kernel.clone()).collect()),
            operations_per_row: infos.iter().map(|info| info.operations_per_row).sum(),
        }
    }
}
