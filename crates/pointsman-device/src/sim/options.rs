//! The configuration of a simulated device: its size, speed and faults.

use super::{SimClock, SimFault, SimHost, SimSpeed, SimWatts};
use crate::Exactness;

/// The configuration of a simulated device.
#[derive(Clone, Debug)]
pub struct SimOptions {
    /// The name of the device.
    pub name: String,
    /// The size of its memory in bytes.
    pub memory_bytes: u64,
    /// The granularity of its buffer sizes in bytes.
    pub allocation_step: u64,
    /// Bytes of memory that a launch of a library call takes for each of its rows, until it is done.
    pub call_scratch_row_bytes: u64,
    /// The part of the numeric contract that it claims to keep; it always keeps all of it.
    pub exactness: Exactness,
    /// Whether it runs kernels with `f64` values.
    pub f64: bool,
    /// The names of the sinks that it runs.
    pub sinks: Vec<&'static str>,
    /// Its speed.
    pub speed: SimSpeed,
    /// Its power draw; `None`: not reported.
    pub watts: Option<SimWatts>,
    /// Whether copies to the device on different streams overlap, so that a large one may end after small ones that
    /// began later; otherwise they run one after the other.
    pub copies_in_at_once: bool,
    /// The host that it shares with other devices; `None`: its own.
    pub host: Option<SimHost>,
    /// Whether its images are worth storing.
    pub images_worth_storing: bool,
    /// The reported version of its driver.
    pub driver: String,
    /// The planned faults.
    pub faults: Vec<SimFault>,
    /// Its clock.
    pub clock: SimClock,
}

impl Default for SimOptions {
    fn default() -> SimOptions {
        SimOptions {
            name: "sim".to_string(),
            memory_bytes: 1 << 30,
            allocation_step: 1,
            call_scratch_row_bytes: 0,
            exactness: Exactness::Exact,
            f64: true,
            sinks: vec!["store", "compact", "reduce", "scan", "sort", "group", "build", "partition", "call"],
            speed: SimSpeed::default(),
            watts: None,
            copies_in_at_once: false,
            host: None,
            images_worth_storing: false,
            driver: "1".to_string(),
            faults: Vec::new(),
            clock: SimClock::new(),
        }
    }
}
