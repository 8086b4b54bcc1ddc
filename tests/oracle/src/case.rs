//! A plan with the rows it runs over, and what it means by the interpreter.

use pointsman_ir::data::TableData;
use pointsman_ir::fuse::fuse;
use pointsman_ir::interpret::PlanFault;
use pointsman_ir::plan::PlanError;
use pointsman_ir::random::plans::{self, PlanCase};
use pointsman_ir::random::{Profile, run_stages};

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
}

/// What plans are made of.
pub(crate) fn profile() -> Profile {
    plans::profile()
}

/// The case with this seed.
pub(crate) fn case(seed: u64, profile: &Profile) -> Case {
    plans::plan_case(seed, profile)
}

/// The case's rows by the interpreter.
pub(crate) fn interpret(case: &Case) -> Ours {
    let stages = match fuse(&case.plan) {
        Ok(stages) => stages,
        Err(error) => return Ours::Refused(error),
    };
    match run_stages(case, &stages) {
        Ok(rows) => Ours::Rows(rows),
        Err(fault) => Ours::Fault(fault),
    }
}
