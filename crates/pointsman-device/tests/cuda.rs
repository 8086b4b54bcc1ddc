//! The conformance suite on the first NVIDIA card. Skipped, with the reason, where there is none.
#![cfg(feature = "cuda")]

#[path = "cuda/card.rs"]
mod card;

use card::first_card;

pointsman_device::conformance!(cuda, first_card, optional);
