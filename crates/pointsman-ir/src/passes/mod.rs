//! Passes rewrite a plan into an equivalent one: one file per pass, one ordered list. No pass changes the result or the
//! output's schema. A pass may remove an error together with an unused value, but never adds one.
//!
//! [`run`] takes a verified plan, the names of passes to leave out, and an observer. After each pass, it compares the
//! output schemas and, in debug builds, verifies the plan. This crate has no clock; an observer that times passes
//! brings its own.

mod common_subexpressions;
mod fold_constants;
mod prune_columns;
mod push_filters;
mod simplify;

use crate::plan::{PLAN_DEPTH_MAX, PLAN_NODES_MAX, Plan, PlanError, PlanErrorKind};
use crate::verify;
use std::collections::BTreeSet;

/// The passes in the order they run.
const PASSES: &[Pass] = &[
    // First: constants let `simplify` match more.
    Pass { name: "fold-constants", run: fold_constants::run },
    // Before `simplify`, which recognises equal operands only by equal ids.
    Pass { name: "common-subexpressions", run: common_subexpressions::run },
    Pass { name: "simplify", run: simplify::run },
    // Before `prune-columns`: nodes that a filter has moved below need not carry its columns any more.
    Pass { name: "push-filters", run: push_filters::run },
    Pass { name: "prune-columns", run: prune_columns::run },
];

/// The names of all passes, in the order they run.
pub const NAMES: &[&str] = &["fold-constants", "common-subexpressions", "simplify", "push-filters", "prune-columns"];

/// Is notified before and after every pass, to time it or to explain it.
pub trait Observer {
    /// A pass is about to run.
    fn before(&mut self, _pass: &'static str) {}
    /// A pass has returned this plan, or left it unchanged.
    fn after(&mut self, _pass: &'static str, _plan: &Plan) {}
}

/// Ignores all passes.
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

/// Runs every pass that is not left out. The plan must satisfy [`verify::plan`], which debug builds check before the
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
    let rewritten = (pass.run)(&plan);
    // A pass that copies predicates may exceed the limits of a plan: then the old plan stays.
    let rewritten = if within_limits(&rewritten) { rewritten } else { plan.clone() };
    observer.after(pass.name, &rewritten);
    let broken = |what: &str| {
        let message = format!("pass {} broke the plan: {what}", pass.name);
        PlanError { kind: PlanErrorKind::Internal, message }
    };
    if cfg!(debug_assertions) {
        verify::plan(&rewritten).map_err(|error| broken(&error.message))?;
    }
    if rewritten.node(rewritten.root()).schema != plan.node(plan.root()).schema {
        return Err(broken("it changed the output schema"));
    }
    Ok(rewritten)
}

fn within_limits(plan: &Plan) -> bool {
    let mut depths: Vec<usize> = Vec::with_capacity(plan.nodes.len());
    for node in &plan.nodes {
        depths.push(1 + node.kind.inputs().iter().map(|input| depths[input.index()]).max().unwrap_or(0));
    }
    let depth = depths.into_iter().max().unwrap_or(0);
    depth <= PLAN_DEPTH_MAX && plan.nodes.len() + plan.body.len() <= PLAN_NODES_MAX
}
