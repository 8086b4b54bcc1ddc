//! Library calls on the portable GPU: the kernels of `call_kernels` as pipelines, and their launches. In: a kernel with the
//! sink `Call`. The expressions below a call run first, as a program that stores their value in scratch memory of the
//! device; a call of a plain column reads the column where it is.

mod launch;
mod memory;
mod program;

pub(super) use launch::CallLaunch;
pub(super) use program::{WgpuCall, check};
