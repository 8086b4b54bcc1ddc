//! What a calibration would measure on a simulated machine: launches, speeds of memory at some sizes, copies, rates by
//! class. Honest and imperfect: cliffs between the points, waves and the cost of waking threads are in the figures, and
//! no kernel's own surprises are.

use super::hardware::Hardware;
use super::machine::Machine;
use super::works::{CLASSES, Class, Shape, Work};

/// Nanoseconds a byte at sizes in bytes.
pub type Points = Vec<(f64, f64)>;

/// What was measured of one arm.
#[derive(Clone, Debug)]
pub struct Probes {
    /// Nanoseconds of a call without rows.
    pub launch: f64,
    /// Reading.
    pub read: Points,
    /// Writing.
    pub write: Points,
    /// Copies to it; without points for a processor.
    pub up: Points,
    /// Copies from it.
    pub down: Points,
    /// Nanoseconds of a copy of a byte.
    pub copy_start: f64,
    /// Nanoseconds of an operation by class, over many rows.
    pub operations: [f64; 5],
    /// How many times as long arithmetic takes over fewer rows, at the nanoseconds it would take at that rate.
    pub ramp: Points,
}

/// Bytes at which memory and links are measured.
fn sizes() -> impl Iterator<Item = f64> {
    (14..=30).step_by(2).map(|bits| f64::from(bits).exp2())
}

/// Rows over which rates are measured, and operations of each.
const RATE_ROWS: f64 = 4_194_304.0;
const RATE_OPERATIONS: f64 = 256.0;
/// Operations of each row where the ramp is measured.
const RAMP_OPERATIONS: f64 = 8.0;

/// Measures every arm.
pub fn probe(machine: &Machine) -> Vec<Probes> {
    (0..machine.arms.len()).map(|arm| probe_arm(machine.hardware(arm))).collect()
}

fn probe_arm((hardware, slower): (&Hardware, f64)) -> Probes {
    let memory = |read: f64, write: f64| {
        let work = Work { name: "probe", read, write, operations: Vec::new(), shape: Shape::Map };
        let at = |bytes: f64| (bytes, slower * hardware.run_ns(&work, bytes / (read + write)) / bytes);
        sizes().map(at).collect::<Points>()
    };
    let work = |operations| Work { name: "probe", read: 4.0, write: 4.0, operations, shape: Shape::Map };
    let rate = |class: Class| {
        slower * hardware.run_ns(&work(vec![(class, RATE_OPERATIONS)]), RATE_ROWS) / (RATE_ROWS * RATE_OPERATIONS)
    };
    let operations = CLASSES.map(rate);
    let ramp = (8..=22).map(|bits| {
        let (rows, work) = (f64::from(bits).exp2(), work(vec![(Class::Elementary, RAMP_OPERATIONS)]));
        let at_best = rows * RAMP_OPERATIONS * operations[4];
        (at_best, slower * hardware.run_ns(&work, rows) / at_best)
    });
    let is_processor = matches!(hardware, Hardware::Processor(_));
    let link = |copy: &dyn Fn(f64) -> f64| -> Points {
        if is_processor {
            Vec::new()
        } else {
            sizes().map(|bytes| (bytes, (copy(bytes) - copy(1.0)) / bytes)).collect()
        }
    };
    Probes {
        launch: slower * hardware.launch_ns(),
        read: memory(8.0, 0.0),
        write: memory(0.0, 8.0),
        up: link(&|bytes| hardware.up_ns(bytes)),
        down: link(&|bytes| hardware.down_ns(bytes)),
        copy_start: hardware.up_ns(1.0),
        operations,
        ramp: ramp.collect(),
    }
}
