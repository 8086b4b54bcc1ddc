//! How the CPU device is set up: threads, morsels, memory.

use super::Isa;

/// How the CPU device is set up.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuOptions {
    /// What it is called; `None`: `cpu`. Several beside each other, with other threads or instructions, need other names.
    pub name: Option<&'static str>,
    /// How many threads, 1 to 1,024; `None`: as many as this process may use.
    pub threads: Option<usize>,
    /// Rows of a morsel, rounded up to whole leaves; `None`: a few hundred kilobytes' worth.
    pub morsel_rows: Option<usize>,
    /// The best instruction set to use; `None`: the best there is.
    pub isa: Option<Isa>,
    /// The most bytes of host memory its pool may hold; `None`: all of the system's.
    pub pool_bytes: Option<usize>,
    /// Whether kernels become machine code where they can; `None`: unless the environment says `POINTSMAN_JIT=off`.
    /// The results are the same.
    pub jit: Option<bool>,
    /// Whether its pool's memory is poisoned, for tests. See [`HostPool::poisoned`](crate::HostPool::poisoned).
    pub poison: bool,
    /// The folder of the system's energy counters; `None`: [`POWERCAP`](crate::energy::rapl::POWERCAP).
    pub powercap: Option<&'static str>,
}
