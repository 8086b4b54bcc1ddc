//! What a run records about itself: the time of each phase, counters, progress, spans and reasons for leaving devices
//! out. `telemetry/` builds receipts from them.

pub(crate) mod counters;
pub(crate) mod phase;
pub(crate) mod progress;
pub(crate) mod skip_reason;
pub(crate) mod spans;
