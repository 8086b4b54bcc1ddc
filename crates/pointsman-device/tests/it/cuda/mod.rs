//! What an NVIDIA card does beside the conformance suite. Skipped, with the reason, where there is none.

#[cfg(feature = "calls")]
mod calls;
pub(crate) mod card;
mod copies;
mod faults;
mod stops;
