//! The `tracing` span of a stage, made only when a subscriber listens.

use pointsman_device::Device;
use pointsman_ir::kernel::Kernel;
use tracing::level_filters::LevelFilter;
use tracing::span::EnteredSpan;

/// Whether a subscriber may listen: one comparison, before anything is built for it.
#[inline]
pub(crate) fn has_subscriber() -> bool {
    LevelFilter::current() >= LevelFilter::DEBUG
}

/// Begins the span of a stage.
#[inline]
pub(crate) fn stage(device: &dyn Device, kernel: &Kernel) -> Option<EnteredSpan> {
    if has_subscriber() { Some(stage_span(device, kernel)) } else { None }
}

#[cold]
fn stage_span(device: &dyn Device, kernel: &Kernel) -> EnteredSpan {
    tracing::debug_span!(target: "pointsman", "stage", device = device.info().name, sink = kernel.sink.name()).entered()
}
