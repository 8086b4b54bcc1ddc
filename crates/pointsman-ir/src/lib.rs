//! The language Pointsman compiles: plans (what to compute), kernels (how), and what every operation means.
//!
//! Pure: no input or output, no clock, no threads, no Arrow, no device. The modules in the order a query passes them:
//!
//! 1. [`types`], [`op`], [`body`]: values, operations, and the expression language both plans and kernels use;
//! 2. [`plan`]: a tree of operations over typed columns;
//! 3. [`passes`]: plan → plan (by copying, see [`rewrite`]), each verified after and switchable by name;
//! 4. [`fuse`]: plan → stages, each one kernel;
//! 5. [`kernel`]: a fused body plus one sink; its text, and its estimate of bytes and operations;
//! 6. [`verify`]: the invariants; after it, code generation never panics;
//! 7. [`guard`]: where an operation that can fault is needed, for devices that compute eagerly;
//!    [`split`]: a kernel cut at its probes, for devices that search tables between two kernels;
//! 8. [`decompose`]: elementary functions as arithmetic, once for every device;
//! 9. [`interpret`]: the meaning of all of it, one row at a time: the oracle every device is held to;
//! 10. [`render`]: kernels as machine code, bytes that a device makes executable.
//!
//! With the feature `testing`, `random` makes kernels, inputs and plans for differential tests.

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

/// The version of the language and of all that is made from it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
