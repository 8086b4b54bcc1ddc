//! `common-subexpressions`: values that are computed twice are computed once.
//!
//! In a loop only values that cannot fault are taken from outside: see [`crate::rewrite`].

use super::edit::{rewrite_values, tidy};
use crate::plan::Plan;
use crate::rewrite::Merge;

pub(super) fn run(plan: &Plan) -> Plan {
    tidy(&rewrite_values(&tidy(plan), &mut Merge))
}
