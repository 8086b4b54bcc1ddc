//! The portable GPU, on an adapter that this machine has; without one the tests say so and pass.

#[cfg(feature = "calls")]
mod calls;
mod compact;
mod device;
mod discovery;
mod kernels;
mod large;
mod pieces;
