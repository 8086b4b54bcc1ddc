//! What happens when a query runs: inputs and results in memory, the executor, the caches, the receipt.

pub(crate) mod agreement;
pub(crate) mod cache;
pub(crate) mod devices;
pub(crate) mod executor;
pub(crate) mod inputs;
pub(crate) mod memory;
pub(crate) mod programs;
pub(crate) mod receipt;
pub(crate) mod remote;
mod report;
pub(crate) mod residency;
pub(crate) mod resilience;
pub(crate) mod results;
pub(crate) mod station;
pub(crate) mod transfer;
