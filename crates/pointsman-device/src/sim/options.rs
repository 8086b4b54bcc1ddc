//! How a simulated device is set up: its size, speed and failures.

use super::{SimClock, SimFault, SimHost, SimSpeed, SimWatts};
use crate::Exactness;

/// How a simulated device is set up.
#[derive(Clone, Debug)]
pub struct SimOptions {
    /// Its name.
    pub name: String,
    /// Its memory, in bytes.
    pub memory_bytes: u64,
    /// Its buffers take multiples of so many bytes.
    pub allocation_step: u64,
    /// Which part of the numeric contract it says it keeps; it always keeps all of it.
    pub exactness: Exactness,
    /// Whether it runs kernels with doubles.
    pub f64: bool,
    /// How fast it is.
    pub speed: SimSpeed,
    /// What it draws; `None`: it does not tell.
    pub watts: Option<SimWatts>,
    /// Whether copies into it that are on different streams go on at once, so that a large one ends after small ones that
    /// began later; else one goes behind the other.
    pub copies_in_at_once: bool,
    /// What its copies wait for that other devices' copies wait for too; nothing unless told.
    pub host: Option<SimHost>,
    /// Whether its images are worth storing.
    pub images_worth_storing: bool,
    /// The version of its driver, as it tells it.
    pub driver: String,
    /// The failures to come.
    pub faults: Vec<SimFault>,
    /// The clock it goes by.
    pub clock: SimClock,
}

impl Default for SimOptions {
    fn default() -> SimOptions {
        SimOptions {
            name: "sim".to_string(),
            memory_bytes: 1 << 30,
            allocation_step: 1,
            exactness: Exactness::Exact,
            f64: true,
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
