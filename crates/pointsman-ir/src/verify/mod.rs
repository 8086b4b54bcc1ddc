//! The invariants of kernels and plans, as prose and as code. The error names the violation and a remedy. Renderers,
//! devices and the interpreter do not panic on accepted kernels and plans.
//!
//! A query's plan is verified once, by `Session::compile`, and each of its kernels once, by `fuse`. Passes and `fuse`
//! verify plans again in debug builds only. A kernel from text or an image is verified by its reader, and the CPU
//! verifies what it compiles, because its machine code is memory-safe only for verified kernels.
//!
//! **Of every body** (`body.rs`):
//!
//! 1. Every id (value, column, parameter, captured table, other table, loop slot) names something that exists.
//! 2. The region of a loop starts after the loop instruction, does not end before it starts, and ends within the region
//!    around it; loops are nested at most [`PLAN_DEPTH_MAX`] deep; the bound is 1 to [`LOOP_BOUND_MAX`].
//! 3. Operands come before their users. A value of a region is used in that region, or one nested in it, alone. What
//!    ends an iteration (`while`, `next`) lies in the loop's own region or is visible where the loop stands.
//! 4. A loop has no value: only `index` and `carried` (inside its region) and `result` (after it) name it.
//! 5. Every type is the one the rules derive: [`Op::result_type`], the declared type of a column, parameter, captured
//!    table or other table, `u64` for a row number, `u32` for an iteration. A slot has the data type of its first and
//!    next values and is nullable where either is.
//! 6. A constant is held as its type says, and a decimal has at most its type's digits; a null is of a nullable type (a
//!    constant that is not null may be of either). Decimals have 1 to [`DECIMAL_DIGITS_MAX`] digits, and no more of
//!    them after the point.
//! 7. A look-up's index is a `u32` or `u64`, a gather's row a `u64`, a `while` and a `when` a bool.
//!
//! **Of kernels** (`kernel.rs`):
//!
//! 8. A probe stands at the top level and brings one key for each key of its table, of the same data types; the table
//!    has keys, and none is opaque.
//! 9. The mask is a bool. The mask and what the sink takes are values of the top level.
//! 10. A fold takes its value's type; only `count` has no value. Sort keys and range keys have an order; keys of
//!     groups, builds and hash partitions are not opaque. A segment start is a bool.
//! 11. A partition sink has at least one partition; its bounds have the type of its key.
//! 12. `store` and `scan` go by source rows: no probe multiplies them.
//!
//! **Of plans** (`plan.rs`), with 1–7 and 10 for their expressions and nodes:
//!
//! 13. There is at least one node; nodes come after their inputs; no more than [`PLAN_NODES_MAX`] nodes and expressions
//!     in all, and no more than [`PLAN_DEPTH_MAX`] nodes on top of each other.
//! 14. A plan's column exists; the row number is one of sources alone.
//! 15. An expression of a node uses columns of that node's inputs alone (the left keys of a join the left one's, the
//!     right keys the right one's), and neither `row_index` nor `gather` nor `probe`.
//! 16. A node's schema has the types that [`Plan::schema_of`] derives.
//! 17. Union inputs have the same data types; a join has keys, as many left as right, of the same data types; a cross
//!     join has none. A residual is a bool, uses no row number, and its sides are two nodes. Only an inner join limits
//!     pairs.
//! 18. A computed scalar is a column of a node before its users, of its type; it is nullable unless the node always has
//!     one row and the column has no nulls.
//! 19. Aggregates take values as folds do; means, medians and quantiles take numbers; a fraction lies between 0 and 1.
//!
//! [`LOOP_BOUND_MAX`]: crate::body::LOOP_BOUND_MAX
//! [`DECIMAL_DIGITS_MAX`]: crate::types::DECIMAL_DIGITS_MAX
//! [`PLAN_DEPTH_MAX`]: crate::plan::PLAN_DEPTH_MAX
//! [`PLAN_NODES_MAX`]: crate::plan::PLAN_NODES_MAX
//! [`Op::result_type`]: crate::op::Op::result_type
//! [`Plan::schema_of`]: crate::plan::Plan::schema_of

mod body;
mod composite;
mod kernel;
mod keys;
mod plan;

use crate::kernel::Kernel;
use crate::plan::{Plan, PlanError};
use std::fmt;

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// Which value breaks it, how, and what to do.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Checks every invariant of kernels.
pub fn kernel(kernel: &Kernel) -> Result<(), VerifyError> {
    kernel::check(kernel)
}

/// Checks every invariant of plans.
pub fn plan(plan: &Plan) -> Result<(), PlanError> {
    plan::check(plan).map_err(|error| PlanError::invalid(error.message))
}

/// An error with this message.
fn fail<T>(message: String) -> Result<T, VerifyError> {
    Err(VerifyError { message })
}
