//! Runs the stages of a compiled query: finds memory for each, launches it, and hands its rows to the next.

pub(crate) mod batch_source;
pub(crate) mod context;
pub(crate) mod in_place;
mod in_place_batches;
pub(crate) mod merge;
pub(crate) mod on_device;
mod output_slices;
pub(crate) mod sharing;
pub(crate) mod spill;
mod spilled;
