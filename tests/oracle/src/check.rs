//! One case through both engines: in goes a case, out comes whether they agree, by which rule they may differ, or how they
//! fail to.

use crate::case::{Case, Ours, interpret};
use crate::compare::{Difference, difference};
use crate::engine::{Answer, Engine};
use crate::expression::FaultMode;
use crate::notes::Notes;
use crate::panics;
use crate::rules::Rule;
use crate::session::CpuSession;
use crate::skip::Skip;
use crate::translate::{Translation, translate};
use datafusion::error::DataFusionError;
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::PlanFault;

/// What came of a case.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The same rows.
    Agree,
    /// A fault here and an error there.
    BothFail,
    /// A known disagreement.
    Known(Rule),
    /// Not compared.
    Skipped(String),
    /// A disagreement without a rule.
    Failed(Box<Failure>),
}

/// A disagreement without a rule.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The rows differ.
    Rows { ours: TableData, theirs: Answer, difference: Difference },
    /// We fault, DataFusion gives rows.
    OnlyOursFails { fault: PlanFault, theirs: Answer },
    /// We give rows, DataFusion fails although nothing raises.
    OnlyTheirsFails { ours: TableData, error: String },
    /// Our kernels do not give what our plan means.
    Interpreters(String),
    /// One side panics.
    Panic(String),
    /// The plan cannot be translated or is refused.
    Translation(String),
}

impl Failure {
    /// A word for the kind of failure: while a case shrinks, it stays of one kind.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Failure::Rows { .. } => "rows differ",
            Failure::OnlyOursFails { .. } => "only our side fails",
            Failure::OnlyTheirsFails { .. } => "only DataFusion fails",
            Failure::Interpreters(_) => "our two interpreters differ",
            Failure::Panic(_) => "panic",
            Failure::Translation(_) => "the plan is not translated",
        }
    }
}

/// What runs plans.
pub(crate) struct Engines {
    /// The other side.
    pub(crate) datafusion: Engine,
    /// Our side, as users run it; without it, its interpreters alone.
    pub(crate) session: Option<CpuSession>,
}

/// Runs a case on both sides. A panic is a failure like any other.
pub(crate) fn check(case: &Case, engines: &Engines) -> (Outcome, Notes) {
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check_unguarded(case, engines)));
    checked.unwrap_or_else(|_| (Outcome::Failed(Box::new(Failure::Panic(panics::last()))), Notes::default()))
}

fn check_unguarded(case: &Case, engines: &Engines) -> (Outcome, Notes) {
    let engine = &engines.datafusion;
    let (ours, through_session) = interpret(case, engines.session.as_ref());
    if let Ours::Wrong(difference) = ours {
        return (Outcome::Failed(Box::new(Failure::Interpreters(difference))), Notes::default());
    }
    let mode = if matches!(ours, Ours::Fault(_)) { FaultMode::Raise } else { FaultMode::Null };
    let Translation { relations, mut notes } = match translate(case, engine, mode) {
        Ok(translation) => translation,
        Err(Skip::Run(error)) => return (judge(ours, Err(error), &Notes::default()), Notes::default()),
        Err(skip) => return (of_skip(&skip), Notes::default()),
    };
    notes.through_session = through_session;
    let run = |node: usize| engine.run(&relations[node], &case.plan.nodes[node].schema.types());
    let root = relations.len() - 1;
    let outcome = match judge(ours, run(root), &notes) {
        // A join reads nothing of one side if the other is empty.
        Outcome::Failed(failure) if matches!(*failure, Failure::OnlyOursFails { .. }) => {
            match (0..root).any(|node| run(node).is_err()) {
                true => Outcome::Known(Rule::FaultNotReached),
                false => Outcome::Failed(failure),
            }
        }
        outcome @ (Outcome::Agree | Outcome::BothFail | Outcome::Known(_)) => outcome,
        outcome @ (Outcome::Skipped(_) | Outcome::Failed(_)) => outcome,
    };
    (outcome, notes)
}

fn judge(ours: Ours, theirs: Result<Answer, DataFusionError>, notes: &Notes) -> Outcome {
    match (ours, theirs) {
        (Ours::Wrong(difference), _) => Outcome::Failed(Box::new(Failure::Interpreters(difference))),
        (Ours::Refused(error), _) => Outcome::Skipped(format!("we refuse the plan: {}", error.message)),
        (Ours::Fault(_), Err(_)) => Outcome::BothFail,
        (Ours::Fault(fault), Ok(theirs)) => match Rule::of_fault(&fault, notes) {
            Some(rule) => Outcome::Known(rule),
            None => Outcome::Failed(Box::new(Failure::OnlyOursFails { fault, theirs })),
        },
        (Ours::Rows(ours), Err(error)) => {
            Outcome::Failed(Box::new(Failure::OnlyTheirsFails { ours, error: error.to_string() }))
        }
        (Ours::Rows(ours), Ok(theirs)) => compared(ours, theirs, notes),
    }
}

fn of_skip(skip: &Skip) -> Outcome {
    match skip.is_failure() {
        true => Outcome::Failed(Box::new(Failure::Translation(skip.to_string()))),
        false => Outcome::Skipped(skip.to_string()),
    }
}

fn compared(ours: TableData, theirs: Answer, notes: &Notes) -> Outcome {
    let Some(difference) = difference(&ours, &theirs) else { return Outcome::Agree };
    match Rule::of_difference(&difference, notes) {
        Some(rule) => Outcome::Known(rule),
        None => Outcome::Failed(Box::new(Failure::Rows { ours, theirs, difference })),
    }
}
