//! [`PlanQuery`]: a plan that the program built, with its tables and scalars, and the settings of its run.

use crate::data::input::SourceTable;
use crate::data::output::Results;
use crate::error::{CallSite, Error, Result};
use crate::query::explain::Explain;
use crate::query::plan_rows::{PlanRows, result_schema};
use crate::query::plan_sources::{BoundSource, TableSource, bind, check_params};
use crate::query::setters::run_setters;
use crate::query::time_zones;
use crate::select::{PlacementRequest, SelectionInput};
use crate::session::advise::QueryFacts;
use crate::session::promise::Promise;
use crate::session::{CallInputs, RunLimits, RunRecord, Session, StartedCall};
use crate::telemetry;
use crate::telemetry::receipt::{Answer, Receipt};
use pointsman_ir::plan::Plan;
use pointsman_ir::types::Scalar;
use std::panic::Location;

/// A plan that has not run yet. [`Session::plan`] makes one; [`pointsman::plan`](crate::plan) has an example.
#[must_use = "a plan does nothing until it is run"]
pub struct PlanQuery<'a> {
    session: Session,
    plan: Plan,
    sources: Vec<TableSource<'a>>,
    params: Vec<Option<Scalar>>,
    request: PlacementRequest,
    limits: RunLimits,
    home: CallSite,
}

impl Session {
    /// Runs a plan that the program built over these tables, one for each of its sources in order, and these scalars,
    /// one for each of its parameters. See [`pointsman::plan`](crate::plan).
    ///
    /// Mistakes in the plan, missing or additional tables and scalars, and columns of other names or types are errors
    /// of the run.
    #[track_caller]
    pub fn plan<'a, S: Into<TableSource<'a>>>(
        &self,
        plan: Plan,
        sources: impl IntoIterator<Item = S>,
        params: &[Option<Scalar>],
    ) -> PlanQuery<'a> {
        PlanQuery {
            session: self.clone(),
            plan,
            sources: sources.into_iter().map(Into::into).collect(),
            params: params.to_vec(),
            request: PlacementRequest::default(),
            limits: RunLimits::default(),
            home: Location::caller(),
        }
    }
}

impl PlanQuery<'_> {
    run_setters!();

    fn placement_mut(&mut self) -> &mut PlacementRequest {
        &mut self.request
    }

    fn limits_mut(&mut self) -> &mut RunLimits {
        &mut self.limits
    }

    /// Runs the plan and returns its rows with a receipt.
    pub fn run(self) -> Result<Answer<PlanRows>> {
        let mut started = self.session.start(&self.limits);
        self.run_started(&self.limits, &mut started)
    }

    /// Shows every step from the plan to the programs, without running the plan. See [`Explain`].
    pub fn explain(&self) -> Explain {
        let bound = match self.bind() {
            Ok(bound) => bound,
            Err(error) => {
                // A mistake in the plan itself comes first.
                let error = pointsman_ir::verify::plan(&self.plan).err().map_or(error, Error::from);
                let mut explain = Explain::default();
                explain.error(&error.at(self.home));
                return explain;
            }
        };
        let rows = bound.iter().map(|source| source.rows).sum();
        let inputs = bound.first().map_or(&[][..], |source| &source.columns);
        let call = SelectionInput { inputs, rows, expected: None, batch_rows: self.limits.batch_rows };
        self.session.explain(QueryFacts {
            plan: &self.plan,
            params: &self.params,
            request: &self.request,
            call: Some(call),
        })
    }

    /// The columns of the plan's sources; its scalars are checked too.
    fn bind(&self) -> Result<Vec<BoundSource<'_>>> {
        check_params(&self.plan, &self.params)?;
        bind(&self.plan, &self.sources)
    }

    /// Runs the plan within these limits, for a call that has started.
    fn run_started(&self, limits: &RunLimits, started: &mut StartedCall) -> Result<Answer<PlanRows>> {
        let mut results = Results::new();
        let span = telemetry::query_span();
        let mut zones = Vec::new();
        let mut receipt = self.answer(limits, started, &mut results, &mut zones);
        self.session.record_outcome(self.home, limits.name.as_ref(), &mut receipt, &started.timer, span);
        let receipt = receipt?;
        let schema = &self.plan.node(self.plan.root()).schema;
        match result_schema(schema, &zones) {
            Ok(schema) => Ok(Answer::new(PlanRows::new(results.output, schema), receipt)),
            Err(error) => Err(self.session.record_failed_query(error.at(self.home), &started.timer)),
        }
    }

    fn answer(
        &self,
        limits: &RunLimits,
        started: &mut StartedCall,
        results: &mut Results,
        zones: &mut Vec<Option<crate::data::arrow::TimeZone>>,
    ) -> Result<Receipt> {
        let (session, deadline, timer) = (&self.session, started.deadline, &mut started.timer);
        // First: a mistake in the plan is reported before one in its tables.
        let (compiled, cached) = session.compile_cached(&self.plan, &self.request, timer)?;
        result_schema(&self.plan.node(self.plan.root()).schema, &[])?;
        let bound = self.bind()?;
        let of_sources: Vec<&[_]> = bound.iter().map(|source| &source.zones[..]).collect();
        *zones = time_zones::of_results(&self.plan, &of_sources);
        let sources: Vec<SourceTable<'_>> =
            bound.iter().map(|source| SourceTable { columns: &source.columns, rows: source.rows }).collect();
        let call = CallInputs { sources: &sources, params: &self.params, lists: &[], limits, deadline, stage: None };
        session.answer(&compiled, cached, call, RunRecord::new(None, timer, results))
    }
}

impl PlanQuery<'static> {
    /// Runs the plan on a thread of the session and returns a future for any executor. The plan must own its tables
    /// (batches by value), since it may outlive the call. Dropping the promise cancels the run.
    pub fn run_async(self) -> Promise<PlanRows> {
        let (session, limits) = (self.session.clone(), self.limits.clone());
        session.promise(limits, move |limits, started| self.run_started(limits, started))
    }
}
