//! The power that each device draws at work beyond idle, in watts, from which the selector predicts energy. Watts that the
//! user states never change; others are measured: the device is idle for a second, then busy for one, while its energy is
//! read. No energy counter is read around a query.

use super::benchmark::{Benchmark, load_kernels};
use super::sampler::{CalibrationContext, Sampler};
use crate::devices::handle::DeviceHandle;
use crate::error::{Error, ErrorKind, Result};
use crate::select::estimator::{Goal, Selector};
use crate::select::policy::{REMEDY, SelectionRules};
use crate::select::service::SelectableDevices;
use crate::sync::Mutex;
use pointsman_device::{Device, DeviceKind, EnergyReading};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The interval between readings, and the readings of a device that is idle or busy: a second in all, because drivers
/// count ten times a second.
const READ_INTERVAL: Duration = Duration::from_millis(50);
const READINGS: usize = 20;
/// The bytes that a busy device reads again and again: more than the caches hold.
const BYTES_MAX: usize = 256 << 20;

/// Why the power of each device is unknown until it is measured, by the selector's number of the device; `None` if its
/// watts were stated or energy does not count.
pub(in crate::select) struct PowerMeters(Vec<Option<Mutex<String>>>);

impl PowerMeters {
    /// Gives the selector the watts that were stated; devices without are measured if energy counts.
    pub(in crate::select) fn new(selector: &Selector, rules: &SelectionRules, handles: &[Arc<DeviceHandle>]) -> Self {
        let meter = |(arm, handle): (usize, &Arc<DeviceHandle>)| {
            let stated = rules.watts.get(handle.name()).inspect(|watts| selector.set_watts(arm, **watts));
            let is_measured = rules.goal == Goal::Energy && stated.is_none();
            is_measured.then(|| Mutex::new("it is not measured yet".to_string()))
        };
        PowerMeters(handles.iter().enumerate().map(meter).collect())
    }

    /// Why the power of a device is unknown, as long as it is. Reads no energy counter, because queries call this.
    pub(in crate::select) fn why_unknown(&self, arm: usize) -> String {
        self.0.get(arm).and_then(Option::as_ref).map_or_else(String::new, |why| why.lock().clone())
    }
}

impl SelectableDevices {
    /// Measures the power of a device in about two seconds, and compares by the result from now on; `None` if energy does
    /// not count or the watts were stated.
    pub(super) fn measure_watts(&self, arm: usize, context: CalibrationContext<'_>) -> Option<Result<f64>> {
        let why_unknown = self.meters.0.get(arm)?.as_ref()?;
        let measured = measure_watts(&self.handles[arm].device, context);
        match &measured {
            Ok(watts) => self.selector.set_watts(arm, *watts),
            Err(error) => {
                let (device, why) = (self.handles[arm].name(), error.message());
                // A measurement that fails again for the same reason says so once.
                let is_new = std::mem::replace(&mut *why_unknown.lock(), why.to_string()) != why;
                if is_new && error.kind() != ErrorKind::Cancelled {
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
    let (mut sampler, kept_bytes) = (Sampler::new(context, device), device.memory().kept);
    sampler.bytes_max = sampler.bytes_max.min(BYTES_MAX);
    let kernels = load_kernels(&sampler, 1)?;
    let mut benchmark = Benchmark::open(&sampler, &kernels)?;
    let watts = work_watts(&sampler, &|| Ok(device.energy()?), || {
        let start = Instant::now();
        loop {
            benchmark.run(&kernels[0], 0..sampler.bytes_max)?;
            // Simulating a run takes the processor long, and the power of a simulated device is exact.
            if start.elapsed() >= READ_INTERVAL || device.info().kind == DeviceKind::Sim {
                return Ok(());
            }
        }
    });
    drop(benchmark);
    device.trim(kept_bytes);
    watts
}

/// The mean power while `work` repeats, beyond the mean power while nothing does. `work` takes about [`READ_INTERVAL`].
fn work_watts(
    sampler: &Sampler<'_>,
    read_energy: &dyn Fn() -> Result<EnergyReading>,
    mut work: impl FnMut() -> Result<()>,
) -> Result<f64> {
    let mean_watts = |steps: usize, step: &mut dyn FnMut() -> Result<()>| -> Result<f64> {
        let start = sampler.now();
        let (mut now, mut last, mut joules) = (start, read_energy()?, 0.0);
        for _ in 0..steps {
            sampler.check()?;
            step()?;
            let (time, reading) = (sampler.now(), read_energy()?);
            joules += match (last, reading) {
                (EnergyReading::Counted(before), EnergyReading::Counted(after)) => after - before,
                (_, EnergyReading::Drawn(watts)) | (EnergyReading::Drawn(watts), EnergyReading::Counted(_)) => {
                    watts * time.saturating_sub(now).as_secs_f64()
                }
            };
            (now, last) = (time, reading);
        }
        Ok(joules / now.saturating_sub(start).as_secs_f64())
    };
    let mut rest = || {
        sampler.context.clock.sleep(READ_INTERVAL);
        Ok(())
    };
    let watts = sampler.slice(|| {
        let before = (sampler.context.ended_queries)();
        let idle = mean_watts(READINGS, &mut rest)?;
        if before.is_none() || (sampler.context.ended_queries)() != before {
            return Err(Error::unsupported("queries ran while its idle power was measured"));
        }
        // The device comes to its full clock rate; this does not count.
        mean_watts(READINGS / 4, &mut work)?;
        Ok(mean_watts(READINGS, &mut work)? - idle)
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
    use crate::session::options::SessionOptions;
    use pointsman_device::sim::{SimClock, SimDevice, SimOptions, SimWatts};
    use std::cell::Cell;
    use std::sync::atomic::AtomicBool;

    /// Calls `run` with the context of a calibration by this clock, without queries.
    fn with_context<T>(clock: &SimClock, run: impl FnOnce(CalibrationContext<'_>) -> T) -> T {
        let (control, is_measuring) = (ThreadControl::default(), AtomicBool::default());
        run(CalibrationContext { clock, control: &control, ended_queries: &|| Some(0), is_measuring: &is_measuring })
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
                clock.advance(READ_INTERVAL);
                runs.set(runs.get() + 1);
                watts.set(40.0 + work);
                joules.set(joules.get() + work * READ_INTERVAL.as_secs_f64());
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
    fn failed_measurement_tells_why_and_keeps_known_watts() {
        let options = SimOptions { watts: Some(SimWatts { idle: 20.0, work: 300.0 }), ..SimOptions::default() };
        let device = Arc::new(SimDevice::new(options));
        let clock = device.clock().clone();
        let builder = SessionOptions::new().devices(["cpu"]).threads(1).add_device(device);
        let builder = builder.clock(Arc::new(clock.clone())).choose_among(["sim"]).policy(Policy::LeastEnergy);
        let session = builder.watts("cpu", 100.0).open().expect("a session");
        session.selector().expect("two devices");
        let devices = session.0.selector.devices().expect("two devices");
        let measure = |clock: &SimClock| with_context(clock, |context| devices.measure_watts(1, context));
        assert_eq!(devices.meters.why_unknown(1), "it is not measured yet");
        // By another clock no time passes while it works.
        let error = measure(&SimClock::new()).and_then(Result::err).expect("it fails");
        assert!(error.message().contains("from what it draws idle"), "{error}");
        assert_eq!((devices.meters.why_unknown(1).as_str(), devices.selector.watts(1)), (error.message(), None));
        let found = measure(&clock).and_then(Result::ok);
        assert!(found.is_some_and(|watts| (watts / 300.0 - 1.0).abs() < 1e-6), "{found:?}");
        assert!(measure(&SimClock::new()).is_some_and(|again| again.is_err()));
        assert_eq!(devices.selector.watts(1), found, "what is known stays");
        assert!(with_context(&clock, |context| devices.measure_watts(0, context)).is_none(), "it was stated");
    }
}
