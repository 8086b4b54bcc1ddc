//! A plan with the rows it runs over, and what it means by the interpreters.

use crate::session::{CpuSession, Given};
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::PlanFault;
use pointsman_ir::interpret::plan::{PlanInputs, Reference};
use pointsman_ir::plan::PlanError;
use pointsman_ir::random::plans::{self, PlanCase};
use pointsman_ir::random::{Profile, run_stages, tables};
use pointsman_ir::{expand, fuse, interpret};

/// A plan and what it runs over.
pub(crate) type Case = PlanCase;

/// What our side gives.
#[derive(Debug)]
pub(crate) enum Ours {
    /// The result's rows.
    Rows(TableData),
    /// A fault.
    Fault(PlanFault),
    /// The plan is refused.
    Refused(PlanError),
    /// The kernels do not give what the plan means.
    Wrong(String),
}

/// Every so many seeds a plan has long expressions and few kinds of operators; the others have all kinds.
const EXPRESSIONS_EVERY: u64 = 4;

/// What plans are made of.
pub(crate) struct Profiles {
    expressions: Profile,
    tables: Profile,
}

impl Profiles {
    /// Everything that plans can hold.
    pub(crate) fn everything() -> Profiles {
        Profiles { expressions: plans::profile(), tables: tables::profile() }
    }

    /// The case with this seed.
    pub(crate) fn case(&self, seed: u64) -> Case {
        if seed.is_multiple_of(EXPRESSIONS_EVERY) {
            plans::plan_case(seed, &self.expressions)
        } else {
            tables::table_case(seed, &self.tables)
        }
    }
}

/// The case's rows, and whether a session gave them; else the interpreter of kernels did. The interpreter of plans must agree
/// with both.
pub(crate) fn interpret(case: &Case, session: Option<&CpuSession>) -> (Ours, bool) {
    let inputs = PlanInputs { sources: &case.sources, params: &case.params, lists: &case.lists };
    let meant = match interpret::plan::run(&case.plan, &inputs) {
        Ok(meant) => meant,
        Err(error) => return (Ours::Refused(error), false),
    };
    let stages = match expand::run(&case.plan).and_then(|plan| fuse::fuse(&plan)) {
        Ok(stages) => stages,
        Err(error) => return (Ours::Refused(error), false),
    };
    let kernels = agreed(&meant, run_stages(case, &stages));
    match (session.map(|session| session.run(case)), &kernels) {
        // The interpreter's fault says of which kind it is.
        (Some(Given::Result(Err(_))), Ours::Fault(_)) => (kernels, true),
        (Some(Given::Result(result)), Ours::Rows(_) | Ours::Fault(_)) => (agreed(&meant, result), true),
        (Some(Given::Broken(error)), Ours::Rows(_) | Ours::Fault(_)) => (Ours::Wrong(error), true),
        (Some(_) | None, _) => (kernels, false),
    }
}

fn agreed(meant: &Reference, found: Result<TableData, PlanFault>) -> Ours {
    match (meant.compare(&found), found) {
        (Err(difference), _) => Ours::Wrong(difference),
        (Ok(_), Ok(rows)) => Ours::Rows(rows),
        (Ok(_), Err(fault)) => Ours::Fault(fault),
    }
}
