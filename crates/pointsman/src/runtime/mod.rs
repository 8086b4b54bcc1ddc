//! What happens when a query runs: inputs and results in memory, the executor, the caches, the receipt.

pub(crate) mod agreement;
mod bits;
mod bounded;
pub(crate) mod cache;
pub(crate) mod devices;
pub(crate) mod executor;
mod fetching;
pub(crate) mod inputs;
pub(crate) mod job;
pub(crate) mod memory;
pub(crate) mod office;
mod pieces;
pub(crate) mod private;
pub(crate) mod programs;
pub(crate) mod progress;
pub(crate) mod promise;
pub(crate) mod receipt;
pub(crate) mod remote;
mod report;
pub(crate) mod residency;
pub(crate) mod resilience;
pub(crate) mod results;
pub(crate) mod spill;
pub(crate) mod station;
pub(crate) mod transfer;
