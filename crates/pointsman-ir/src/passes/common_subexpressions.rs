//! `common-subexpressions`: values that are computed twice are computed once.
//!
//! In a loop only values that cannot fault are taken from outside: see [`crate::rewrite`].

use crate::plan::Plan;
use crate::rewrite::Merge;
use crate::rewrite::edit::{rewrite_values, tidy};

pub(super) fn run(plan: &Plan) -> Plan {
    tidy(&rewrite_values(&tidy(plan), &mut Merge))
}
