//! The integration tests of the devices, in one binary: every further binary would link the graphics stack again.
//!
//! On a machine without cargo, the binary runs by itself: `it cuda` tests an NVIDIA card, `it wgpu` the portable GPU,
//! `it --ignored --nocapture --test-threads 1 wgpu::large` its large columns and speeds.

#![cfg(feature = "testing")]

mod bad_launches;
mod conformance;
#[cfg(feature = "cuda")]
mod cuda;
mod decimals;
#[cfg(all(feature = "calls", feature = "wgpu"))]
mod devices_document;
mod emitted;
mod energy;
mod folds;
#[cfg(all(feature = "calls", any(feature = "cuda", feature = "wgpu")))]
mod large_calls;
#[cfg(all(unix, feature = "cuda"))]
mod nvrtc;
mod planted;
mod shares;
mod stops;
#[cfg(feature = "wgpu")]
mod wgpu;
