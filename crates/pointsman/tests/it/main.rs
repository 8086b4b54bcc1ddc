//! The integration tests of the public API, in one binary: every further binary would link all devices again.
//!
//! Tests that need a process of their own are beside this folder, or start this binary again with a name and `--exact`.

mod api;
mod compile_fail;
#[cfg(all(target_os = "linux", feature = "cuda"))]
mod drivers;
mod energy;
mod memory;
mod plans;
mod reliability_document;
mod reporting;
mod reproducible;
mod resilience;
mod selection;
mod sharing;
mod spill;
