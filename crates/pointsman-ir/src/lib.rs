//! The language that Pointsman compiles: plans (what to compute), kernels (how), and the meaning of every operation.
//!
//! This crate is pure: no I/O, no clock, no threads, no Arrow, no device. The modules, in the order in which a query
//! passes through them:
//!
//! 1. [`types`], [`op`], [`body`]: values, operations, and the expression language of both plans and kernels;
//! 2. [`plan`]: a graph of operations over typed columns;
//! 3. [`expand`]: plan → plan; rewrites composite nodes (joins and aggregations) as nodes that `fuse` accepts;
//! 4. [`passes`]: plan → plan; optimisations, each of which can be switched off by name. They copy bodies with
//!    [`rewrite`];
//! 5. [`fuse`]: plan → stages, each of which is one kernel;
//! 6. [`kernel`]: a fused body and one sink; its text format, and the estimate of its bytes and operations;
//! 7. [`verify`]: the invariants of plans and kernels. Renderers, devices and the interpreter do not panic on what it
//!    accepts;
//! 8. [`guard`]: adds the conditions under which a fault counts, for devices that compute eagerly;
//!    [`split`]: cuts a kernel at its probes, for devices that search tables between two kernels;
//! 9. [`decompose`]: composite operations, such as elementary functions, as core arithmetic; the same for every device;
//! 10. [`interpret`]: the meaning of kernels and plans, one row at a time. Tests hold every device to it;
//! 11. [`render`]: kernels as CUDA C++, WGSL or x86-64 machine code.
//!
//! [`data`] has columns and tables in host memory, and [`hash`] the hash of keys. With the feature `testing`, `random`
//! generates kernels, inputs and plans for differential tests.

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]

pub mod body;
pub mod data;
pub mod decompose;
pub mod expand;
pub mod fuse;
pub mod guard;
pub mod hash;
pub mod interpret;
pub mod kernel;
pub mod op;
pub mod passes;
pub mod plan;
#[cfg(feature = "testing")]
pub mod random;
pub mod render;
pub mod rewrite;
pub mod split;
pub mod types;
pub mod verify;

/// The version of this crate, part of the key of stored programs and timings.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
