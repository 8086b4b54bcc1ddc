//! Plan → plan: one file a pass, one ordered list. No pass changes the result or the output's schema.
//!
//! In: a verified plan, the names of passes to leave out, and an observer that may time them. Out: a plan that computes the
//! same. A pass may remove an error together with an unused value, never add one. Each goes through one
//! wrapper, [`run`], which compares the schemas and, in debug builds, verifies the plan. Here is no clock: the observer
//! brings its own.

mod common_subexpressions;
mod edit;
mod fold_constants;
mod prune_columns;
mod push_filters;
mod simplify;

use crate::plan::{PLAN_DEPTH_MAX, PLAN_NODES_MAX, Plan, PlanError};
use crate::verify;
use std::collections::BTreeSet;

/// The passes in the order they run.
const PASSES: &[Pass] = &[
    // First, since a constant lets the algebra see more.
    Pass { name: "fold-constants", run: fold_constants::run },
    // Before the algebra, which sees that two operands are one value only by their ids.
    Pass { name: "common-subexpressions", run: common_subexpressions::run },
    Pass { name: "simplify", run: simplify::run },
    // Before columns are dropped: a filter further down is one user less further up.
    Pass { name: "push-filters", run: push_filters::run },
    Pass { name: "prune-columns", run: prune_columns::run },
];

/// The names of all passes, in the order they run.
pub const NAMES: &[&str] = &["fold-constants", "common-subexpressions", "simplify", "push-filters", "prune-columns"];

/// Told before and after every pass: for timing and for `explain`.
pub trait Observer {
    /// A pass is about to run.
    fn before(&mut self, _pass: &'static str) {}
    /// A pass has made this plan.
    fn after(&mut self, _pass: &'static str, _plan: &Plan) {}
}

/// Looks at nothing.
impl Observer for () {}

/// Which passes run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassOptions {
    /// The names of passes to leave out.
    pub disabled: BTreeSet<String>,
}

struct Pass {
    name: &'static str,
    run: fn(&Plan) -> Plan,
}

/// Runs every pass that is not left out. The plan has passed [`verify::plan`]; only debug builds check that, before the
/// first pass and after each.
pub fn run(plan: Plan, options: &PassOptions, observer: &mut dyn Observer) -> Result<Plan, PlanError> {
    if let Some(unknown) = options.disabled.iter().find(|name| !NAMES.contains(&name.as_str())) {
        let names = NAMES.join(", ");
        return Err(PlanError::invalid(format!("there is no pass `{unknown}` to leave out: the passes are {names}")));
    }
    if cfg!(debug_assertions) {
        verify::plan(&plan)?;
    }
    let mut plan = plan;
    for pass in PASSES.iter().filter(|pass| !options.disabled.contains(pass.name)) {
        plan = apply(pass, plan, observer)?;
    }
    Ok(plan)
}

fn apply(pass: &Pass, plan: Plan, observer: &mut dyn Observer) -> Result<Plan, PlanError> {
    observer.before(pass.name);
    let made = (pass.run)(&plan);
    // Copying a predicate may take a plan over the limits that hold for it: then it stays as it was.
    let made = if within_limits(&made) { made } else { plan.clone() };
    observer.after(pass.name, &made);
    let broken = |what: &str| {
        PlanError::invalid(format!("internal: pass {} broke the plan: {what}; please report it", pass.name))
    };
    if cfg!(debug_assertions) {
        verify::plan(&made).map_err(|error| broken(&error.message))?;
    }
    if made.node(made.root()).schema != plan.node(plan.root()).schema {
        return Err(broken("the result has other columns"));
    }
    Ok(made)
}

fn within_limits(plan: &Plan) -> bool {
    let mut depths: Vec<usize> = Vec::with_capacity(plan.nodes.len());
    for node in &plan.nodes {
        depths.push(1 + node.kind.inputs().iter().map(|input| depths[input.index()]).max().unwrap_or(0));
    }
    let depth = depths.into_iter().max().unwrap_or(0);
    depth <= PLAN_DEPTH_MAX && plan.nodes.len() + plan.body.len() <= PLAN_NODES_MAX
}
