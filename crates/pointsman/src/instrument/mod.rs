//! What a run records about itself: the time of each phase, counters, progress and spans. Receipts are made of it in
//! `telemetry/`.

pub(crate) mod counters;
pub(crate) mod left_out;
pub(crate) mod phase;
pub(crate) mod progress;
pub(crate) mod spans;
