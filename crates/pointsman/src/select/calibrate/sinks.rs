//! What sinks take beyond their bytes: the launches of each, and how much longer keeping some rows and carrying a sum along
//! take than copying as many bytes does.

use super::kernels::{VALUE_BYTES, Work};
use super::memory::{Columns, Found, own};
use super::meter::{Meter, Weighed};
use super::rig::{Program, Rig};
use crate::error::Result;
use crate::select::features::{SINKS, sink_number};
use crate::select::profile::{Curve, SinkCost};
use std::time::Duration;

/// The smallest working set that is measured, in bytes; each is so many times the one before it.
const FIRST_BYTES: usize = 64 << 10;
const STEP: usize = 16;
/// A sink takes so many times as long as copying, at least and at most: the rest is noise.
const TIMES: (f64, f64) = (0.5, 32.0);

/// One run of a program over so many bytes, and the sink whose cost it tells.
struct Point {
    sink: usize,
    bytes: usize,
    program: usize,
}

impl Weighed for Point {
    fn weight(&self) -> f64 {
        self.bytes as f64
    }
}

/// A sink that is measured beside storing and folding: its name, a kernel of it, and the number of the program that was made of it.
pub(super) struct Sampled {
    pub(super) name: &'static str,
    pub(super) work: Work,
    pub(super) program: usize,
}

/// Measures sinks up to this moment; `found` is what was measured of memory.
pub(super) fn measure(
    rig: &Rig,
    meter: &Meter<'_>,
    (columns, found): (&Columns, &Found),
    (sampled, programs): (&[Sampled], &mut Vec<Program>),
    until: Duration,
) -> Result<[SinkCost; SINKS]> {
    let mut costs: [SinkCost; SINKS] = Default::default();
    let one_row =
        |one: &Sampled| sink_number(one.name).map(|sink| Point { sink, bytes: 2 * VALUE_BYTES, program: one.program });
    let launches: Vec<Point> = sampled.iter().filter_map(one_row).collect();
    let run = |point: &Point, programs: &[Program]| columns.copy(rig, &programs[point.program], point.bytes);
    let timed = meter.series(until, &launches, |point| run(point, programs))?;
    for (point, timed) in launches.iter().zip(&timed) {
        costs[point.sink].launch = (timed.median - found.launch).max(0.0);
    }
    if let Some(fold) = sink_number("reduce") {
        costs[fold].launch = (found.fold_launch - found.launch).max(0.0);
    }
    let mut points = Vec::new();
    for bytes in std::iter::successors(Some(FIRST_BYTES), |bytes| bytes.checked_mul(STEP)) {
        if bytes > columns.bytes {
            break;
        }
        for one in sampled {
            let program = if rig.is_host() { own(rig, &one.work, programs)? } else { one.program };
            points.extend(sink_number(one.name).map(|sink| Point { sink, bytes, program }));
        }
    }
    let timed = meter.series(until, &points, |point| run(point, programs))?;
    for (sink, cost) in costs.iter_mut().enumerate() {
        let own = points.iter().zip(&timed).filter(|(point, _)| point.sink == sink);
        let times = own.map(|(point, timed)| {
            let bytes = point.bytes as f64;
            let plain = bytes * (found.read.each(bytes) + found.write.each(bytes)) / 2.0;
            let took = timed.least - found.launch - cost.launch;
            (bytes, (took / plain).clamp(TIMES.0, TIMES.1))
        });
        cost.times = Curve::new(times);
    }
    Ok(costs)
}
