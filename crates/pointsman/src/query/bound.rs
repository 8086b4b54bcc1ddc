//! [`BoundQuery`]: a plan with its inputs, as [`Query`](crate::Query) builds it and a session runs it.

use crate::data::input::{Input, SourceTable};
use crate::data::memory::InlineVec;
use crate::data::output::Results;
use crate::error::{CallSite, Error, Result};
use crate::instrument::phase::PhaseTimer;
use crate::query::build::{Handle, PlanBuilder};
use crate::query::explain::Explain;
use crate::query::plain_rows::PlainValues;
use crate::query::source::Opener;
use crate::select::{PlacementRequest, SelectionInput};
use crate::session::advise::QueryFacts;
use crate::session::promise::Promise;
use crate::session::{CallInputs, RunLimits, RunRecord, Session, StartedCall};
use crate::telemetry;
use crate::telemetry::receipt::{Answer, Receipt};

/// A plan under construction with its inputs and the settings of its run.
pub(crate) struct BoundQuery<'a> {
    session: Session,
    pub(super) builder: Box<PlanBuilder>,
    /// The sources, by number; at least one.
    sources: Vec<OpenedSource<'a>>,
    pub(super) request: PlacementRequest,
    pub(super) limits: RunLimits,
    /// What the rows of the source consist of.
    entries: Vec<Option<Handle>>,
}

/// A source of a query: columns of one length.
struct OpenedSource<'a> {
    inputs: Vec<Input<'a>>,
    rows: usize,
}

impl<'a> BoundQuery<'a> {
    pub(crate) fn new(session: &Session, mut source: Opener<'a>) -> BoundQuery<'a> {
        source.finish();
        let Opener { builder, inputs, rows, entries, .. } = source;
        BoundQuery {
            session: session.clone(),
            builder,
            sources: vec![OpenedSource { inputs, rows: rows.unwrap_or(0) }],
            request: PlacementRequest::default(),
            limits: RunLimits::default(),
            entries,
        }
    }

    /// Adds columns to the only source, before the first step.
    pub(super) fn with_source<S>(self, at: CallSite, open: impl FnOnce(&mut Opener<'a>) -> S) -> (BoundQuery<'a>, S) {
        let BoundQuery { session, builder, mut sources, request, limits, entries } = self;
        let (inputs, rows) = sources.pop().map_or((Vec::new(), 0), |source| (source.inputs, source.rows));
        let mut opener = Opener::again(builder, inputs, rows, entries, at);
        let other = open(&mut opener);
        (BoundQuery { request, limits, ..BoundQuery::new(&session, opener) }, other)
    }

    /// Appends the plan and the sources of another query of the session, whose last node becomes this one's. Returns
    /// the position of its first field among the fields of both. The settings of the other query's run are dropped.
    pub(super) fn append(&mut self, other: BoundQuery<'a>, at: CallSite) -> u32 {
        if !self.session.is_same(&other.session) {
            let what = "the queries belong to different sessions: start both from one session or its clones";
            self.builder.fail(Error::invalid(what), at);
        }
        self.sources.extend(other.sources);
        self.builder.append(*other.builder, at)
    }

    /// The rows of all sources.
    fn rows(&self) -> usize {
        self.sources.iter().map(|source| source.rows).sum()
    }

    /// Reports the first mistake of the query, or runs it; `take` reads the result.
    pub(crate) fn run<T>(self, take: impl FnOnce(&mut Results) -> Result<T>) -> Result<Answer<T>> {
        let mut started = self.session.start(&self.limits);
        let ran = self.run_within(&self.limits, &mut started, None)?;
        self.answer(ran, &started.timer, take)
    }

    /// Reads the result of a run. An error of that counts as a failed query too.
    fn answer<T>(
        &self,
        (mut results, receipt): (Results, Receipt),
        timer: &PhaseTimer,
        take: impl FnOnce(&mut Results) -> Result<T>,
    ) -> Result<Answer<T>> {
        match take(&mut results) {
            Ok(value) => Ok(Answer::new(value, receipt)),
            Err(error) => Err(self.session.record_failed_query(error.at(self.builder.home), timer)),
        }
    }

    /// Runs the query and drops the result. `batch_rows` limits the rows of a batch where it runs in batches.
    pub(crate) fn once(&self, batch_rows: Option<usize>) -> Result<Receipt> {
        let limits = RunLimits { batch_rows, ..self.limits.clone() };
        let (_, receipt) = self.run_within(&limits, &mut self.session.start(&limits), None)?;
        Ok(receipt)
    }

    /// Runs the query within these limits, for a call that has started.
    fn run_within(
        &self,
        limits: &RunLimits,
        started: &mut StartedCall,
        caller_values: Option<&mut [u8]>,
    ) -> Result<(Results, Receipt)> {
        let (session, builder, deadline) = (&self.session, &*self.builder, started.deadline);
        if let Some(mistake) = &builder.error {
            let mut mistake = mistake.clone();
            mistake.set_query(builder.home, limits.name.as_ref());
            return Err(session.record_failed_query(mistake, &started.timer));
        }
        let mut results = Results::of_source(builder.fields.clone());
        let (span, timer) = (telemetry::query_span(), &mut started.timer);
        let mut receipt = session.compile_cached(&builder.plan, &self.request, timer).and_then(|(compiled, cached)| {
            let sources = self.sources.iter().map(|source| SourceTable { columns: &source.inputs, rows: source.rows });
            let sources: InlineVec<SourceTable<'_>> = sources.collect();
            let (params, lists) = (&builder.params[..], &builder.lists[..]);
            let call = CallInputs { sources: &sources, params, lists, limits, deadline, stage: None };
            session.answer(&compiled, cached, call, RunRecord::new(caller_values, timer, &mut results))
        });
        session.record_outcome(builder.home, limits.name.as_ref(), &mut receipt, &started.timer, span);
        results.zones = builder.zones();
        Ok((results, receipt?))
    }

    /// Runs the query, writes the values of its row to `out` and returns their number.
    pub(crate) fn run_into<R: PlainValues>(self, row: &R, mut out: R::Slices<'_>) -> Result<Answer<usize>> {
        // Joins and unions, which have several sources, may give more rows than the sources have.
        let fits = |memory: &&mut [u8]| self.sources.len() == 1 && memory.len() >= self.rows() * R::VALUE_BYTES;
        let direct = R::memory(&mut out).filter(fits);
        let is_written = direct.is_some();
        let mut started = self.session.start(&self.limits);
        let ran = self.run_within(&self.limits, &mut started, direct)?;
        self.answer(ran, &started.timer, |results| row.copy_to(results, &mut out, is_written))
    }

    /// The facts about the query that advice needs.
    pub(crate) fn facts(&self) -> QueryFacts<'_> {
        let inputs = self.sources.first().map_or(&[][..], |source| &source.inputs);
        let call = SelectionInput { inputs, rows: self.rows(), expected: None, batch_rows: self.limits.batch_rows };
        QueryFacts { plan: &self.builder.plan, params: &self.builder.params, request: &self.request, call: Some(call) }
    }

    /// Runs the query on a thread of the session; `take` reads the result.
    pub(crate) fn run_async<T: Send + 'static>(
        self,
        take: impl FnOnce(&mut Results) -> Result<T> + Send + 'static,
    ) -> Promise<T>
    where
        'a: 'static,
    {
        let (session, limits) = (self.session.clone(), self.limits.clone());
        session.promise(limits, move |limits, started| {
            let ran = self.run_within(limits, started, None)?;
            self.answer(ran, &started.timer, take)
        })
    }

    /// Every step from the plan to the programs, as text.
    pub(crate) fn explain(&self) -> Explain {
        let Some(error) = &self.builder.error else { return self.session.explain(self.facts()) };
        let mut explain = Explain::default();
        explain.error(error);
        explain
    }
}
