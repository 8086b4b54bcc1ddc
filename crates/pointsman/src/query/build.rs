//! [`PlanBuilder`]: the plan under construction. Closures append to the query whose step is being built.
//!
//! Expressions are `Copy` and know only their query's number and a value's number. So they find the query through a
//! stack of open builders, one stack per thread: a step pushes its query's builder, runs the closure, and pops it. The
//! builder keeps the first mistake with the call site that made it. From then on every value is *poisoned* (it stands
//! for nothing), and the query reports the mistake when it runs. Nothing here panics.

mod loops;
mod tables;

use crate::data::arrow::TimeZone;
use crate::data::element::Element;
use crate::data::input::CapturedList;
use crate::data::source_field::SourceField;
use crate::error::{CallSite, Error};
use crate::query::time_zones;
use arrow_schema::SchemaRef;
use pointsman_ir::body::{ListId, ValueId};
use pointsman_ir::op::{Op, TypeError};
use pointsman_ir::plan::{NodeId, NodeKind, PLAN_DEPTH_MAX, PLAN_NODES_MAX, Plan, SourceId};
use pointsman_ir::types::{DType, Field, Scalar, Type};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The value number of a poisoned expression.
const POISON: u32 = u32::MAX;
/// The query number of an expression that was made outside any query.
const NOWHERE: u64 = 0;

/// What an expression refers to: a value of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle {
    query: u64,
    value: u32,
    home: CallSite,
}

impl Handle {
    /// A placeholder value, until a step binds it.
    pub(crate) fn unbound(at: CallSite) -> Handle {
        Handle { query: NOWHERE, value: POISON, home: at }
    }
}

/// A query's plan so far, with the scalars and tables it captured.
pub struct PlanBuilder {
    number: u64,
    /// The place where the query was made.
    pub(crate) home: CallSite,
    pub(crate) plan: Plan,
    pub(crate) params: Vec<Option<Scalar>>,
    pub(crate) lists: Vec<CapturedList>,
    /// The columns of the sources; shared with the results, which have their names.
    pub(crate) fields: Arc<Vec<SourceField>>,
    /// The schema of the record batches that a prepared query takes.
    pub(crate) schema: Option<SchemaRef>,
    /// The first mistake.
    pub(crate) error: Option<Error>,
    /// Values before this one belong to earlier steps.
    step_start: u32,
    /// The nodes whose columns the open step may use: both inputs of a join, or the last node twice.
    inputs: [NodeId; 2],
    /// The number of nodes on the longest path from a source to the last node.
    depth: usize,
    /// For every value, the number of the loop whose region it lies in, plus one; 0 outside loops.
    region: Vec<u32>,
    /// Whether each loop is still open, by its number.
    loop_is_open: Vec<bool>,
    /// The open loops' numbers, outermost first.
    open_loops: Vec<u32>,
}

thread_local! {
    #[expect(clippy::vec_box, reason = "a builder moves between its query and this stack at every step")]
    static OPEN: RefCell<Vec<Box<PlanBuilder>>> = const { RefCell::new(Vec::new()) };
}

static QUERIES: AtomicU64 = AtomicU64::new(NOWHERE + 1);

/// Takes the builder off the stack if the closure panics.
struct Installed;

impl Drop for Installed {
    fn drop(&mut self) {
        let _builder = take_open();
    }
}

fn take_open() -> Option<Box<PlanBuilder>> {
    OPEN.try_with(|open| open.borrow_mut().pop()).ok().flatten()
}

/// Runs `f` on the query that is being built on this thread, if there is one.
pub(crate) fn with_open<R>(f: impl FnOnce(&mut PlanBuilder) -> R) -> Option<R> {
    OPEN.try_with(|open| open.borrow_mut().last_mut().map(|builder| f(builder))).ok().flatten()
}

/// Appends to the query that is being built; outside any query the result is poisoned.
pub(crate) fn append(at: CallSite, f: impl FnOnce(&mut PlanBuilder) -> Handle) -> Handle {
    with_open(f).unwrap_or(Handle::unbound(at))
}

/// Appends an operation.
pub(crate) fn call(op: Op, args: &[Handle], at: CallSite) -> Handle {
    append(at, |builder| builder.call(op, args, at))
}

impl PlanBuilder {
    /// A plan of one source without columns yet.
    pub(crate) fn new(home: CallSite) -> Box<PlanBuilder> {
        let mut plan = Plan::default();
        plan.source(SourceId(0), Default::default());
        Box::new(PlanBuilder {
            number: QUERIES.fetch_add(1, Ordering::Relaxed),
            home,
            plan,
            params: Vec::new(),
            lists: Vec::new(),
            fields: Arc::default(),
            schema: None,
            error: None,
            step_start: 0,
            inputs: [NodeId(0); 2],
            depth: 1,
            region: Vec::new(),
            loop_is_open: Vec::new(),
            open_loops: Vec::new(),
        })
    }

    /// Runs a closure with this builder open, as a new step: values of earlier steps are out of reach in it.
    pub(crate) fn step<R>(self: Box<Self>, f: impl FnOnce() -> R) -> (Box<Self>, R) {
        let root = self.plan.root();
        self.step_over([root; 2], f)
    }

    /// Runs a closure with this builder open, in the same step as before.
    pub(crate) fn open_again<R>(self: Box<Self>, f: impl FnOnce() -> R) -> (Box<Self>, R) {
        let (step_start, inputs) = (self.step_start, self.inputs);
        let (mut builder, result) = self.step_over(inputs, f);
        builder.step_start = step_start;
        (builder, result)
    }

    /// Runs a closure over the columns of these nodes with this builder open, as a new step.
    pub(crate) fn step_over<R>(mut self: Box<Self>, inputs: [NodeId; 2], f: impl FnOnce() -> R) -> (Box<Self>, R) {
        self.step_start = self.plan.body.len() as u32;
        self.inputs = inputs;
        let home = self.home;
        if OPEN.try_with(|open| open.borrow_mut().push(self)).is_err() {
            // The thread is ending: nothing is left to build with, and no caller takes a result.
            return (PlanBuilder::broken(home), f());
        }
        let installed = Installed;
        let result = f();
        std::mem::forget(installed);
        let mut builder = take_open().unwrap_or_else(|| PlanBuilder::broken(home));
        if !builder.open_loops.is_empty() {
            // The step's closure caught a panic inside a loop, so the loop is incomplete.
            let what = "a closure of a loop panicked, so the loop has no end: let the panic pass";
            builder.fail(Error::invalid(what), home);
            builder.open_loops.clear();
        }
        (builder, result)
    }

    /// The time zones of the plan's results; empty if no source has any.
    pub(crate) fn zones(&self) -> Vec<Option<TimeZone>> {
        if self.fields.iter().all(|field| field.zone.is_none()) {
            return Vec::new();
        }
        let mut zones: Vec<Vec<Option<TimeZone>>> = Vec::new();
        for field in self.fields.iter().filter(|field| field.column.is_some()) {
            let source = field.source.0 as usize;
            zones.resize(zones.len().max(source + 1), Vec::new());
            zones[source].push(field.zone.clone());
        }
        time_zones::of_results(&self.plan, &zones.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    fn broken(home: CallSite) -> Box<PlanBuilder> {
        let mut builder = PlanBuilder::new(home);
        builder.fail(Error::internal("a query lost its plan while a step was built"), home);
        builder
    }

    /// Remembers a mistake, unless there is one already.
    pub(crate) fn fail(&mut self, error: Error, at: CallSite) {
        self.error.get_or_insert_with(|| error.at(at));
    }

    /// Whether a mistake was made.
    pub(crate) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Whether an expression or a row is of this query.
    pub(crate) fn owns(&self, handle: Handle) -> bool {
        handle.query == self.number
    }

    /// A placeholder value of this query.
    pub(crate) fn poisoned(&self) -> Handle {
        Handle { query: self.number, value: POISON, home: self.home }
    }

    /// The value of an expression, if it may be used here.
    pub(crate) fn value(&mut self, of: Handle, at: CallSite) -> Option<ValueId> {
        match self.misuse(of) {
            None if of.value == POISON || self.has_failed() => None,
            None => Some(ValueId(of.value)),
            Some(error) => {
                self.fail(error, at);
                None
            }
        }
    }

    /// Why an expression cannot be used here.
    fn misuse(&self, of: Handle) -> Option<Error> {
        let place = |at: CallSite| format!("{}:{}", at.file(), at.line());
        if of.query == NOWHERE {
            return Some(Error::invalid(format!(
                "an expression made at {} outside any query cannot be used in query {}: build it inside a closure of this query",
                place(of.home),
                self.number,
            )));
        }
        if of.query != self.number {
            return Some(Error::invalid(format!(
                "a column of query {} (made at {}) cannot be used in query {} (made at {}): pass both sources to one `from`, as a tuple, or join the queries",
                of.query,
                place(of.home),
                self.number,
                place(self.home),
            )));
        }
        if of.value == POISON {
            return None;
        }
        if of.value < self.step_start {
            return Some(Error::invalid(
                "an expression of an earlier step of the query cannot be used in this one: use the row the closure is given, or return the value from the earlier `map`",
            ));
        }
        let region = self.region.get(of.value as usize).copied().unwrap_or(0);
        let closed = region > 0 && !self.loop_is_open[region as usize - 1];
        closed.then(|| {
            Error::invalid("an expression made inside a loop cannot be used behind it: carry it in the loop's state")
        })
    }

    /// The values of several expressions.
    pub(crate) fn values(&mut self, of: impl Iterator<Item = Handle>, at: CallSite) -> Option<Vec<ValueId>> {
        of.map(|one| self.value(one, at)).collect()
    }

    /// Records the loop region of the values just appended, and checks that the plan stays within its size limit.
    fn appended(&mut self, value: ValueId, at: CallSite) -> Handle {
        let region = self.open_loops.last().map_or(0, |&number| number + 1);
        self.region.resize(self.plan.body.len(), region);
        self.check_size(at);
        if self.has_failed() { self.poisoned() } else { Handle { value: value.0, ..self.poisoned() } }
    }

    fn check_size(&mut self, at: CallSite) {
        let size = self.plan.body.len() + self.plan.nodes.len();
        if size > PLAN_NODES_MAX {
            let remedy = "write repeated work as a loop (`repeat`, `iterate`), or split the query";
            let what = format!("the query has more than {PLAN_NODES_MAX} steps and expressions: {remedy}");
            self.fail(Error::invalid(what), at);
        }
    }

    /// Appends the value that `f` adds to the plan, unless a mistake was made.
    fn push(&mut self, at: CallSite, f: impl FnOnce(&mut Plan) -> Result<ValueId, TypeError>) -> Handle {
        if self.has_failed() {
            return self.poisoned();
        }
        match f(&mut self.plan) {
            Ok(value) => self.appended(value, at),
            Err(error) => {
                self.fail(Error::invalid(error.message), at);
                self.poisoned()
            }
        }
    }

    /// Appends an operation.
    pub(crate) fn call(&mut self, op: Op, args: &[Handle], at: CallSite) -> Handle {
        let mut values = [ValueId(0); 3];
        for (slot, &arg) in values.iter_mut().zip(args) {
            let Some(value) = self.value(arg, at) else { return self.poisoned() };
            *slot = value;
        }
        self.push(at, |plan| plan.body.call(op, &values[..args.len().min(3)]))
    }

    /// Appends a conversion.
    pub(crate) fn cast(&mut self, op: Op, arg: Handle, to: DType, at: CallSite) -> Handle {
        let Some(value) = self.value(arg, at) else { return self.poisoned() };
        self.push(at, |plan| plan.body.cast(op, value, to))
    }

    /// Appends a new run-time scalar.
    pub(crate) fn param(&mut self, value: Scalar, dtype: DType, at: CallSite) -> Handle {
        if !self.has_failed() {
            self.params.push(Some(value));
        }
        self.push(at, |plan| Ok(plan.param(dtype.required())))
    }

    /// Appends a constant.
    pub(crate) fn constant(&mut self, value: Option<Scalar>, dtype: DType, at: CallSite) -> Handle {
        self.push(at, |plan| {
            Ok(match value {
                Some(value) => plan.body.constant(value, dtype),
                None => plan.body.null(dtype),
            })
        })
    }

    /// Appends a column of the last node.
    pub(crate) fn column(&mut self, index: u32, at: CallSite) -> Handle {
        self.column_of(self.plan.root(), index, at)
    }

    /// Appends a column of a node.
    pub(crate) fn column_of(&mut self, node: NodeId, index: u32, at: CallSite) -> Handle {
        self.push(at, |plan| Ok(plan.column(node, index)))
    }

    /// Whether the open step may use the columns of a node.
    pub(crate) fn reads(&self, node: NodeId) -> bool {
        self.inputs.contains(&node)
    }

    /// Appends a look-up in a table, which is captured.
    pub(crate) fn lookup(&mut self, list: &CapturedList, index: Handle, at: CallSite) -> Handle {
        let id = self.captured(list);
        self.lookup_in(id, list.dtype, index, at)
    }

    /// Appends a look-up in a captured table.
    pub(crate) fn lookup_in(&mut self, id: ListId, dtype: DType, index: Handle, at: CallSite) -> Handle {
        let Some(index) = self.value(index, at) else { return self.poisoned() };
        self.push(at, |plan| Ok(plan.body.lookup(id, dtype, index)))
    }

    /// The number of a table, which is captured at its first use.
    pub(crate) fn captured(&mut self, list: &CapturedList) -> ListId {
        let known = self.lists.iter().position(|one| one.id == list.id);
        let id = known.unwrap_or_else(|| {
            self.lists.push(list.clone());
            self.plan.lists.push(list.dtype);
            self.lists.len() - 1
        });
        ListId(id as u32)
    }

    /// Appends a node and checks the limits.
    pub(crate) fn node(&mut self, kind: NodeKind, at: CallSite) {
        if !self.has_failed() {
            self.plan.push(kind, &[]);
            self.depth += 1;
            self.check_size(at);
        }
        if self.depth > PLAN_DEPTH_MAX {
            let what = format!("the query has more than {PLAN_DEPTH_MAX} steps: join some of its maps and filters");
            self.fail(Error::invalid(what), at);
        }
    }

    /// Appends a projection to these values.
    pub(crate) fn project(&mut self, values: impl IntoIterator<Item = Handle>, at: CallSite) {
        if let Some(columns) = self.values(values.into_iter(), at) {
            let input = self.plan.root();
            self.node(NodeKind::Project { input, columns }, at);
        }
    }

    /// Removes the last node, a projection whose columns nothing uses yet.
    pub(super) fn unproject(&mut self) {
        self.plan.nodes.pop();
        self.depth -= 1;
    }

    /// Appends a filter.
    pub(crate) fn filter(&mut self, condition: Handle, at: CallSite) {
        if let Some(predicate) = self.value(condition, at) {
            let input = self.plan.root();
            self.node(NodeKind::Filter { input, predicate }, at);
        }
    }

    /// The next field of the source: this column of it, without a name.
    pub(crate) fn unnamed_field<T: Element>(&self, column: usize, zone: Option<TimeZone>) -> SourceField {
        let name = format!("_{}", self.fields.len());
        SourceField { name, dtype: T::DTYPE, source: SourceId(0), column: Some(column as u32), zone, arrow: None }
    }

    /// Adds a column to the source.
    pub(crate) fn add_field(&mut self, field: SourceField, nullable: bool) {
        let ty = Type { dtype: field.dtype, nullable };
        if let Some(source) = self.plan.nodes.first_mut() {
            source.schema.fields.push(Field { name: field.name.clone(), ty });
        }
        Arc::make_mut(&mut self.fields).push(field);
    }
}
