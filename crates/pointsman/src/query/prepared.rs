//! [`Prepared`]: a query that is compiled once and runs on many inputs and parameters.

mod shape;

pub use shape::{Filtered, LookupParam, PreparedClosure, PreparedInput, PreparedResult, filtered};

use crate::data::element::Element;
use crate::data::input::{CapturedList, SourceTable};
use crate::data::output::Results;
use crate::error::{CallSite, Error, Result};
use crate::instrument::phase::PhaseTimer;
use crate::query::arguments::{ArgumentList, InputValue, RareArguments};
use crate::query::batches::check_schema;
use crate::query::build::{self, PlanBuilder};
use crate::query::explain::{Explain, StepRecorder};
use crate::query::expr::Expr;
use crate::query::plain_rows::copy_column;
use crate::query::setters::run_setters;
use crate::query::steps::{Binder, ResultParts, StepKind};
use crate::query::time_zones;
use crate::query::values::{ClosureResult, for_each_arity};
use crate::select::PlacementRequest;
use crate::session::advise::{Advisable, QueryFacts};
use crate::session::promise::Promise;
use crate::session::{CallInputs, CompiledPlan, RunLimits, RunRecord, Session, StartedCall};
use crate::telemetry;
use crate::telemetry::receipt::{Answer, Cached, Receipt};
use arrow_schema::SchemaRef;
use shape::filter;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// A query that is compiled once and runs on many inputs. Arguments of its closure are columns ([`Expr`], short
/// [`F32`](crate::F32)) and scalars ([`Param`](crate::Param)). [`Session::prepare`] makes one.
///
/// ```
/// # use pointsman::{filtered, Param, Session, F32};
/// # fn main() -> pointsman::Result<()> {
/// let s = Session::open()?;
/// let scaled = s.prepare(|x: F32, k: Param<f32>| (x * k).sum())?;
/// assert_eq!(*scaled.run(&[1.0, 2.0], 10.0)?, 30.0);
/// assert_eq!(*scaled.run(&[3.0], 0.5)?, 1.5);
/// let above = s.prepare(|x: F32, low: Param<f32>| filtered(x.gt(low), x * 2.0))?;
/// assert_eq!(above.run(&[1.0, 5.0], 3.0)?[..], [10.0]);
/// # Ok(())
/// # }
/// ```
///
/// The closure runs twice while the query is prepared: once for inputs without nulls and once for inputs with nulls.
/// The second variant compiles when the first null arrives; the receipt of that run says so.
#[doc(alias = "PreparedStatement")]
#[doc(alias = "compile")]
pub struct Prepared<A, Y> {
    session: Session,
    request: PlacementRequest,
    limits: RunLimits,
    shape: Y,
    plain: Arc<Variant>,
    nullable: Arc<Variant>,
    marker: PhantomData<fn(A)>,
}

impl<A, Y: Copy> Clone for Prepared<A, Y> {
    /// The same compiled query, with the same settings.
    fn clone(&self) -> Self {
        let Prepared { session, request, limits, shape, plain, nullable, marker } = self;
        let (plain, nullable) = (plain.clone(), nullable.clone());
        let (session, request, limits) = (session.clone(), request.clone(), limits.clone());
        Prepared { session, request, limits, shape: *shape, plain, nullable, marker: *marker }
    }
}

/// The query for inputs with nulls, or for inputs without.
struct Variant {
    builder: Arc<PlanBuilder>,
    compiled: OnceLock<CompiledPlan>,
}

impl Variant {
    /// Builds the plan. Returns it with the result of the closure.
    fn new<A, F: PreparedClosure<A>>(
        f: &F,
        nullable: bool,
        schema: Option<&SchemaRef>,
        at: CallSite,
    ) -> (Variant, <F::Output as PreparedResult>::Unfiltered) {
        let mut builder = PlanBuilder::new(at);
        builder.schema = schema.cloned();
        F::declare(&mut builder, nullable);
        if builder.fields.is_empty() && schema.is_none() {
            builder.fail(Error::invalid("a prepared query needs at least one column among its arguments"), at);
        }
        let (builder, shape) = builder.step(|| {
            let (condition, result) = f.call(at).parts();
            let mut parts = ResultParts::of(&result);
            if let Some(condition) = condition {
                filter(condition, &mut parts, at);
            }
            build::with_open(|builder| {
                <<F::Output as PreparedResult>::Unfiltered as ClosureResult>::Step::append(builder, &parts, at);
            });
            result
        });
        (Variant { builder: Arc::from(builder), compiled: OnceLock::new() }, shape)
    }

    /// The same query, not compiled yet.
    fn uncompiled(&self) -> Arc<Variant> {
        Arc::new(Variant { builder: self.builder.clone(), compiled: OnceLock::new() })
    }

    /// The tables of a call: those that the caller passes, and behind them those that the closure captured; `None` if the
    /// caller passes none. Record batches must have the columns that the query was prepared for.
    #[inline]
    fn lists(&self, call: &ArgumentList<'_>) -> Result<Option<Vec<CapturedList>>> {
        match &call.rare {
            None if self.builder.schema.is_none() => Ok(None),
            None => Err(Error::internal("a query over record batches was given none")),
            Some(rare) => self.lists_of(rare).map(Some),
        }
    }

    #[cold]
    fn lists_of(&self, rare: &RareArguments) -> Result<Vec<CapturedList>> {
        if let Some((prepared, given)) = self.builder.schema.as_ref().zip(rare.schema.as_ref()) {
            check_schema(prepared, given)?;
        }
        if self.builder.schema.is_some() && rare.schema.is_none() {
            let what = "a list of no record batches has no columns: give one batch without rows, \
                        `RecordBatch::new_empty(schema)`";
            return Err(Error::invalid(what));
        }
        let captured = self.builder.lists.get(rare.lists.len()..).unwrap_or_default();
        Ok(rare.lists.iter().chain(captured).cloned().collect())
    }

    /// The compiled query, and whether it was cached. The variant for nulls compiles when the first null arrives.
    fn compiled(
        &self,
        session: &Session,
        request: &PlacementRequest,
        watch: &mut PhaseTimer,
    ) -> Result<(&CompiledPlan, Cached)> {
        if let Some(compiled) = self.compiled.get() {
            return Ok((compiled, Cached::Hit));
        }
        let compiled = session.compile(self.builder.plan.clone(), request, watch, &mut StepRecorder::none())?;
        Ok((self.compiled.get_or_init(|| compiled), Cached::Miss))
    }
}

impl<A, Y: ClosureResult> Prepared<A, Y> {
    pub(crate) fn new<F>(session: &Session, schema: Option<&SchemaRef>, f: &F, at: CallSite) -> Result<Prepared<A, Y>>
    where
        F: PreparedClosure<A>,
        F::Output: PreparedResult<Unfiltered = Y>,
    {
        let (plain, shape) = Variant::new(f, false, schema, at);
        let (nullable, _) = Variant::new(f, true, schema, at);
        if let Some(mistake) = plain.builder.error.as_ref().or(nullable.builder.error.as_ref()) {
            return Err(mistake.clone());
        }
        let request = PlacementRequest::default();
        let compiled = plain.compiled(session, &request, &mut PhaseTimer::start());
        compiled
            .and_then(|(compiled, _)| {
                session.load_programs(compiled, None, &mut StepRecorder::none())?;
                session.preload(compiled);
                Ok(())
            })
            .map_err(|error| error.at(at))?;
        let (limits, plain, nullable) = (RunLimits::default(), Arc::new(plain), Arc::new(nullable));
        Ok(Prepared { session: session.clone(), request, limits, shape, plain, nullable, marker: PhantomData })
    }

    /// Shows every step from the plan to the programs, without running the query. See [`Explain`].
    pub fn explain(&self) -> Explain {
        self.session.explain(self.facts())
    }

    run_setters!();

    /// A changed placement compiles the query again when it next runs.
    fn placement_mut(&mut self) -> &mut PlacementRequest {
        (self.plain, self.nullable) = (self.plain.uncompiled(), self.nullable.uncompiled());
        &mut self.request
    }

    fn limits_mut(&mut self) -> &mut RunLimits {
        &mut self.limits
    }

    /// The variant that fits these inputs.
    fn variant(&self, call: &ArgumentList<'_>) -> &Variant {
        if call.has_nulls { &self.nullable } else { &self.plain }
    }

    /// Runs the query on these inputs.
    fn answer(
        &self,
        call: &mut ArgumentList<'_>,
        caller_values: Option<&mut [u8]>,
        results: &mut Results,
        limits: &RunLimits,
        started: &mut StartedCall,
    ) -> Result<Receipt> {
        let (variant, deadline, timer) = (self.variant(call), started.deadline, &mut started.timer);
        let rows = call.rows()?;
        let (compiled, cached) = variant.compiled(&self.session, &self.request, timer)?;
        // Scalars that the closure captured follow those that the caller passes.
        let written = &variant.builder.params[..];
        if !call.params.is_empty() {
            written[call.params.len()..].iter().for_each(|param| call.params.push(*param));
        }
        let (sources, given) = ([SourceTable { columns: &call.inputs, rows }], &call.params[..]);
        let params = if given.is_empty() { written } else { given };
        let given_lists = variant.lists(call)?;
        let lists = given_lists.as_ref().unwrap_or(&variant.builder.lists);
        let call = CallInputs { sources: &sources, params, lists, limits, deadline, stage: None };
        self.session.answer(compiled, cached, call, RunRecord::new(caller_values, timer, results))
    }

    /// Runs the query within these limits, for a call that has started.
    fn run_started(
        &self,
        call: &mut ArgumentList<'_>,
        limits: &RunLimits,
        started: &mut StartedCall,
    ) -> Result<Answer<Y::Out>> {
        let mut results = match &self.plain.builder.schema {
            None => Results::new(),
            Some(_) => Results::of_source(self.variant(call).builder.fields.clone()),
        };
        let span = telemetry::query_span();
        let mut receipt = self.answer(call, None, &mut results, limits, started);
        self.session.record_outcome(self.plain.builder.home, limits.name.as_ref(), &mut receipt, &started.timer, span);
        // A receipt is large: it moves only once, into the answer.
        if let Err(error) = receipt {
            return Err(error);
        }
        if !call.zones.is_empty() {
            results.zones = time_zones::of_results(&self.variant(call).builder.plan, &[&call.zones]);
        }
        match self.shape.take(&mut results) {
            Ok(value) => receipt.map(|receipt| Answer::new(value, receipt)),
            Err(error) => Err(self.session.record_failed_query(error.at(self.plain.builder.home), &started.timer)),
        }
    }
}

impl<A, Y: ClosureResult> Advisable for Prepared<A, Y> {
    fn facts(&self) -> QueryFacts<'_> {
        let builder = &*self.plain.builder;
        QueryFacts { plan: &builder.plan, params: &builder.params, request: &self.request, call: None }
    }
}

impl<A: 'static, Y: ClosureResult<Out: Send> + Send + Sync + 'static> Prepared<A, Y> {
    fn promise(&self, mut call: ArgumentList<'static>) -> Promise<Y::Out> {
        let prepared = self.clone();
        self.session
            .promise(self.limits.clone(), move |limits, started| prepared.run_started(&mut call, limits, started))
    }
}

impl<A, T: Element> Prepared<A, Expr<T>> {
    fn run_call_into(&self, call: &mut ArgumentList<'_>, out: &mut [T]) -> Result<Answer<usize>> {
        // Inputs of different lengths are an error of the run below.
        let direct = if call.rows().is_ok_and(|rows| out.len() >= rows) { T::bytes_mut(out) } else { None };
        let is_direct = direct.is_some();
        let mut results = Results::new();
        let span = telemetry::query_span();
        let mut started = self.session.start(&self.limits);
        let mut receipt = self.answer(call, direct, &mut results, &self.limits, &mut started);
        self.session.record_outcome(
            self.plain.builder.home,
            self.limits.name.as_ref(),
            &mut receipt,
            &started.timer,
            span,
        );
        // A receipt is large: it moves only once, into the answer.
        if let Err(error) = receipt {
            return Err(error);
        }
        match copy_column(&mut results, out, is_direct) {
            Ok(rows) => receipt.map(|receipt| Answer::new(rows, receipt)),
            Err(error) => Err(self.session.record_failed_query(error.at(self.plain.builder.home), &started.timer)),
        }
    }
}

macro_rules! arities {
    ($($name:ident)+) => {
        impl<Func, Out, $($name),+> PreparedClosure<($($name,)+)> for Func
        where
            Func: Fn($($name),+) -> Out,
            Out: PreparedResult,
            $($name: PreparedInput,)+
        {
            type Output = Out;

            fn declare(builder: &mut PlanBuilder, nullable: bool) {
                $($name::declare(builder, nullable);)+
            }

            #[allow(non_snake_case)]
            fn call(&self, at: CallSite) -> Out {
                let binder = &mut Binder::node(at);
                $(let $name = $name::bind(binder);)+
                self($($name),+)
            }
        }

        impl<Yielded: ClosureResult, $($name: PreparedInput),+> Prepared<($($name,)+), Yielded> {
            /// Runs the query on these inputs and returns its result with a receipt.
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub fn run<'a>(&self, $($name: impl InputValue<'a, $name>),+) -> Result<Answer<Yielded::Out>> {
                let mut call = ArgumentList::default();
                $($name.give(&mut call);)+
                self.run_started(&mut call, &self.limits, &mut self.session.start(&self.limits))
            }
        }

        impl<Yielded, $($name: PreparedInput + 'static),+> Prepared<($($name,)+), Yielded>
        where
            Yielded: ClosureResult<Out: Send> + Send + Sync + 'static,
        {
            /// Runs the query on a thread of the session and returns a future for any executor. The query owns these
            /// inputs. Dropping the promise cancels the run.
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub fn run_async(&self, $($name: impl InputValue<'static, $name>),+) -> Promise<Yielded::Out> {
                let mut call = ArgumentList::default();
                $($name.give(&mut call);)+
                self.promise(call)
            }
        }

        impl<Elem: Element, $($name: PreparedInput),+> Prepared<($($name,)+), Expr<Elem>> {
            /// Runs the query on these inputs, writes its values to the start of `out` and returns their number. A null
            /// among them, and an `out` that is too short, are errors.
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub fn run_into<'a>(&self, $($name: impl InputValue<'a, $name>,)+ out: &mut [Elem]) -> Result<Answer<usize>> {
                let mut call = ArgumentList::default();
                $($name.give(&mut call);)+
                self.run_call_into(&mut call, out)
            }
        }
    };
}

for_each_arity!(arities: A B C D E F G H I J K L M N O P);

const _: fn() = || {
    fn shared_between_threads<T: Send + Sync>() {}
    shared_between_threads::<Prepared<(Expr<f32>,), Expr<f32>>>();
    shared_between_threads::<Session>();
};
