//! The integration tests of the language, one binary: linking is most of what a small test file costs to build. None of

//! them changes the environment, the working folder or anything else of the process, so none needs one of its own.

#![allow(clippy::unwrap_used)]

mod bad_plans;
mod calls;
mod cuda_text;
mod elementary;
mod estimate;
mod fuse;
mod fuse_tables;
mod golden_kernels;
mod guard;
mod guard_eager;
mod interpret;
mod kernel_text;
mod merge;
mod pass_equivalence;
mod pass_expressions;
mod pass_nodes;
mod plan_append;
mod plan_composites;
mod plan_text;
mod random_coverage;
mod random_faults;
mod random_roundtrip;
mod split;
mod tables;
mod tables_by_hand;
mod verify_kernel;
mod wgsl_text;
