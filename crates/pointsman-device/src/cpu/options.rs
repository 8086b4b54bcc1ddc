//! The configuration of the CPU device: threads, morsels, memory.

use super::Isa;

/// The configuration of the CPU device.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuOptions {
    /// The name of the device; `None`: `cpu`. Several CPU devices with different threads or instruction sets need
    /// different names.
    pub name: Option<&'static str>,
    /// The number of threads, 1 to 1,024; `None`: as many as this process may use.
    pub threads: Option<usize>,
    /// Rows per morsel, rounded up to whole leaves; `None`: a few hundred kilobytes' worth.
    pub morsel_rows: Option<usize>,
    /// The best instruction set to use; `None`: the best that the processor has.
    pub isa: Option<Isa>,
    /// The limit of the host memory pool in bytes; `None`: the size of the system's memory.
    pub pool_bytes: Option<usize>,
    /// Whether kernels become machine code where possible; `None`: unless `POINTSMAN_JIT` is off. The results are the
    /// same.
    pub jit: Option<bool>,
    /// Whether the pool's memory is poisoned, for tests. See [`HostPool::poisoned`](crate::HostPool::poisoned).
    pub poison: bool,
    /// The directory of the system's energy counters; `None`: [`POWERCAP`](crate::energy::rapl::POWERCAP).
    pub powercap: Option<&'static str>,
}
