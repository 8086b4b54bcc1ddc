//! What a run records about itself: the time of each phase, counters and progress. `telemetry/` makes receipts of them.

pub(crate) mod counters;
pub(crate) mod phase;
pub(crate) mod progress;
pub(crate) mod skip_reason;
pub(crate) mod spans;
