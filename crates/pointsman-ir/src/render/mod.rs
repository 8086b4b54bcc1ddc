//! Kernel → code, one module a target. Pure: in goes a guarded kernel, out come bytes or a sentence why there are none.

pub mod x86;
