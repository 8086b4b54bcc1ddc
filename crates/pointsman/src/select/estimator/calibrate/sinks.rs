//! What sinks take beyond their bytes: the launches of each, and how much longer keeping some rows and carrying a sum along
//! take than copying as many bytes does.

use super::kernels::{VALUE_BYTES, Work};
use super::memory::{Columns, Found, own};
use super::meter::{Meter, Weighed};
use super::rig::{Program, Rig};
use crate::error::Result;
use crate::select::estimator::features::{SINKS, SinkKind};
use crate::select::estimator::profile::{Curve, SinkCost};
use std::time::Duration;

/// The smallest working set that is measured, in bytes, and how many times as large each is as the one before it: on a device
/// whose launches take long, and on the host.
const SIZES: (usize, usize) = (64 << 10, 16);
const HOST_SIZES: (usize, usize) = (2 << 10, 4);
/// The least part of what a run takes that must not be its launch.
const WORK_PART_MIN: f64 = 0.2;
/// A sink takes so many times as long as copying, at least and at most: the rest is noise.
const TIMES: (f64, f64) = (0.5, 256.0);

/// One run of a program over so many bytes, and the sink whose cost it tells.
struct Point {
    sink: SinkKind,
    bytes: usize,
    program: usize,
}

impl Weighed for Point {
    fn weight(&self) -> f64 {
        self.bytes as f64
    }
}

/// A sink that is measured beside storing and folding: a kernel of it, and the number of the program that was made of it.
pub(super) struct Sampled {
    pub(super) sink: SinkKind,
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
    let one_row = |one: &Sampled| Point { sink: one.sink, bytes: 2 * VALUE_BYTES, program: one.program };
    let launches: Vec<Point> = sampled.iter().map(one_row).collect();
    let run = |point: &Point, programs: &[Program]| {
        let has_nulls = point.sink == SinkKind::ScanWithNulls;
        columns.write(rig, &programs[point.program], point.bytes, has_nulls)
    };
    let timed = meter.series(until, &launches, |point| run(point, programs))?;
    for (point, timed) in launches.iter().zip(&timed) {
        costs[point.sink as usize].launch = (timed.median - found.launch).max(0.0);
    }
    costs[SinkKind::Reduce as usize].launch = (found.fold_launch - found.launch).max(0.0);
    let mut points = Vec::new();
    let (first, step) = if rig.is_host() { HOST_SIZES } else { SIZES };
    for bytes in std::iter::successors(Some(first), |bytes| bytes.checked_mul(step)) {
        if bytes > columns.bytes {
            break;
        }
        for one in sampled {
            let program = if rig.is_host() { own(rig, &one.work, programs)? } else { one.program };
            points.push(Point { sink: one.sink, bytes, program });
        }
    }
    let timed = meter.series(until, &points, |point| run(point, programs))?;
    for (sink, cost) in costs.iter_mut().enumerate() {
        let own = points.iter().zip(&timed).filter(|(point, _)| point.sink as usize == sink);
        let times = own.filter_map(|(point, timed)| {
            let bytes = point.bytes as f64;
            let plain = bytes * (found.read.each(bytes) + found.write.each(bytes)) / 2.0;
            let took = timed.least - found.launch - cost.launch;
            let is_work = took >= timed.least * WORK_PART_MIN;
            is_work.then_some((bytes, (took / plain).clamp(TIMES.0, TIMES.1)))
        });
        cost.times = Curve::new(times);
    }
    Ok(costs)
}
