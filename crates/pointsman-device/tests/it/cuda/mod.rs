//! What an NVIDIA card does beside the conformance suite. Skipped, with the reason, where there is none.

pub(crate) mod card;
mod copies;
mod faults;
mod stops;
