//! The power that each device draws at work beyond idle, in watts, from which the selector predicts energy. Watts that
//! the user states never change; others are measured: the device is idle for a second, then busy for one, while its
//! energy is read. No energy counter is read around a query.

use super::benchmark::with_benchmark;
use super::sampler::{CalibrationContext, Sampler};
use crate::error::{Error, ErrorKind, Result};
use crate::select::policy::REMEDY;
use crate::select::service::SelectableDevices;
use pointsman_device::{Device, DeviceKind, EnergyReading};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A device is idle, then busy for this many steps of this length: one second in total, because drivers update their
/// counters about ten times per second.
const STEPS: usize = 20;
const STEP_TIME: Duration = Duration::from_millis(50);
/// The bytes that a busy device reads again and again: more than the caches hold.
const BYTES_MAX: usize = 256 << 20;

impl SelectableDevices {
    /// Measures the power of a device in about two seconds, and compares by the result from now on; `None` if energy
    /// does not count or the watts were stated.
    pub(super) fn measure_watts(&self, arm: usize, context: CalibrationContext<'_>) -> Option<Result<f64>> {
        let measured = self.metered.has(arm).then(|| measure_watts(&self.handles[arm].device, context))?;
        match &measured {
            Ok(watts) => self.selector.set_watts(arm, *watts),
            Err(error) => {
                let (device, why) = (self.handles[arm].name(), error.message());
                // A measurement that fails again for the same reason says so once.
                if self.selector.set_watts_unknown(arm, why) && error.kind() != ErrorKind::Cancelled {
                    tracing::warn!(target: "pointsman", device, "`LeastEnergy` cannot select this device: {why}; {REMEDY}");
                }
            }
        }
        Some(measured)
    }
}

/// The power of a device while it reads its memory, beyond idle, in watts. An error says why it is unknown.
fn measure_watts(device: &Arc<dyn Device>, context: CalibrationContext<'_>) -> Result<f64> {
    device.energy()?;
    let mut sampler = Sampler::new(context, device);
    sampler.bytes_max = sampler.bytes_max.min(BYTES_MAX);
    with_benchmark(&sampler, 1, |mut benchmark| {
        work_watts(&sampler, &|| Ok(device.energy()?), || {
            let start = Instant::now();
            loop {
                benchmark.run(&benchmark.kernels[0], 0..sampler.bytes_max)?;
                // Simulating a run takes the processor long, and the power of a simulated device is exact.
                if start.elapsed() >= STEP_TIME || device.info().kind == DeviceKind::Sim {
                    return Ok(());
                }
            }
        })
    })
}

/// The mean power while `work` repeats, beyond the mean power while nothing does. `work` takes about [`STEP_TIME`].
fn work_watts(
    sampler: &Sampler<'_>,
    read_energy: &dyn Fn() -> Result<EnergyReading>,
    mut work: impl FnMut() -> Result<()>,
) -> Result<f64> {
    let mean_watts = |steps: usize, step: &mut dyn FnMut() -> Result<()>| -> Result<f64> {
        let (start, before) = (sampler.now(), read_energy()?);
        for _ in 0..steps {
            sampler.check()?;
            step()?;
        }
        let seconds = sampler.now().saturating_sub(start).as_secs_f64();
        Ok(match (before, read_energy()?) {
            (EnergyReading::Counted(before), EnergyReading::Counted(after)) => (after - before) / seconds,
            // Drivers without a counter report a mean of their own.
            (_, EnergyReading::Drawn(watts)) | (EnergyReading::Drawn(watts), EnergyReading::Counted(_)) => watts,
        })
    };
    let mut rest = || {
        sampler.context.clock.sleep(STEP_TIME);
        Ok(())
    };
    let watts = sampler.slice(|| {
        let before = (sampler.context.ended_queries)();
        let idle = mean_watts(STEPS, &mut rest)?;
        if before.is_none() || (sampler.context.ended_queries)() != before {
            return Err(Error::unsupported("queries ran while its idle power was measured"));
        }
        // The device comes to its full clock rate; this does not count.
        mean_watts(STEPS / 4, &mut work)?;
        Ok(mean_watts(STEPS, &mut work)? - idle)
    })?;
    let is_clear = watts > 0.0 && watts.is_finite();
    let unclear = || Error::unsupported("what it draws at work cannot be told from what it draws idle");
    is_clear.then_some(watts).ok_or_else(unclear)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::Policy;
    use crate::select::calibration::ThreadControl;
    use crate::select::estimator::{ArmSet, Size, Workload};
    use crate::session::options::SessionOptions;
    use pointsman_device::sim::{SimClock, SimDevice, SimOptions, SimWatts};
    use std::cell::Cell;

    /// Calls `run` with the context of a calibration by this clock, without queries.
    fn with_context<T>(clock: &SimClock, run: impl FnOnce(CalibrationContext<'_>) -> T) -> T {
        run(CalibrationContext { clock, control: &ThreadControl::default(), ended_queries: &|| Some(0) })
    }

    /// A device that draws 40 W idle, and at work 20 W more for its first quarter of a second, 200 W more from then on.
    fn check_work_watts(reading: impl Fn(f64, f64) -> EnergyReading) {
        let (clock, runs, joules) = (SimClock::new(), Cell::new(0), Cell::new(0.0));
        let watts = Cell::new(40.0);
        let read_energy = || {
            let reading = reading(joules.get() + 40.0 * clock.now().as_secs_f64(), watts.get());
            watts.set(40.0);
            Ok(reading)
        };
        let device: Arc<dyn Device> = Arc::new(SimDevice::new(SimOptions::default()));
        let found = with_context(&clock, |context| {
            work_watts(&Sampler::new(context, &device), &read_energy, || {
                let work = if runs.get() < 5 { 20.0 } else { 200.0 };
                clock.advance(STEP_TIME);
                runs.set(runs.get() + 1);
                watts.set(40.0 + work);
                joules.set(joules.get() + work * STEP_TIME.as_secs_f64());
                Ok(())
            })
        });
        assert!(found.as_ref().is_ok_and(|watts| (watts / 200.0 - 1.0).abs() < 1e-6), "{found:?}");
        assert_eq!(runs.get(), 5 + 20, "the first runs bring it to its full clock rate");
    }

    #[test]
    fn power_at_work_is_that_of_a_second_beyond_that_of_an_idle_second() {
        check_work_watts(|joules, _| EnergyReading::Counted(joules));
        check_work_watts(|_, watts| EnergyReading::Drawn(watts));
    }

    #[test]
    fn failed_measurement_reports_its_reason_and_keeps_known_watts() {
        let options = SimOptions { watts: Some(SimWatts { idle: 20.0, work: 300.0 }), ..SimOptions::default() };
        let device = Arc::new(SimDevice::new(options));
        let clock = device.clock().clone();
        let builder = SessionOptions::new().devices(["cpu"]).threads(1).add_device(device);
        let builder = builder.clock(Arc::new(clock.clone())).choose_among(["sim"]).policy(Policy::LeastEnergy);
        let session = builder.watts("cpu", 100.0).open().expect("a session");
        session.selector().expect("two devices");
        let devices = session.0.selector.devices().expect("two devices");
        let measure = |clock: &SimClock| with_context(clock, |context| devices.measure_watts(1, context));
        let kernel = devices.selector.register(&Workload::default(), ArmSet::ALL);
        let why_unknown = || {
            let ranking = devices.selector.explain(&kernel, Size::host(1), ArmSet::NONE);
            ranking.predictions.into_iter().find(|one| one.device == "sim").and_then(|one| one.why_unknown)
        };
        assert_eq!(why_unknown().as_deref(), Some("it is not measured yet"));
        // By another clock no time passes while it works.
        let error = measure(&SimClock::new()).and_then(Result::err).expect("it fails");
        assert!(error.message().contains("from what it draws idle"), "{error}");
        assert_eq!((why_unknown().as_deref(), devices.selector.watts(1)), (Some(error.message()), None));
        let found = measure(&clock).and_then(Result::ok);
        assert!(found.is_some_and(|watts| (watts / 300.0 - 1.0).abs() < 1e-6), "{found:?}");
        assert!(measure(&SimClock::new()).is_some_and(|again| again.is_err()));
        assert_eq!(devices.selector.watts(1), found, "what is known stays");
        assert!(with_context(&clock, |context| devices.measure_watts(0, context)).is_none(), "it was stated");
    }
}
