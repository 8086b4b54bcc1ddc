//! The power that each device draws at work beyond idle, in watts, from which the selector predicts energy. Watts that the
//! user states never change; others are measured by calibration and then adjusted from runs. No energy counter is read
//! around a query.

mod power_model;

use super::estimator::{Goal, Selector};
use super::policy::{REMEDY, SelectionRules};
use super::service::SelectableDevices;
use crate::devices::handle::DeviceHandle;
use crate::error::{ErrorKind, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use crate::sync::Mutex;
use crate::telemetry::device_counters::{DeviceCounterSet, DeviceCounters};
use power_model::{PowerModel, measure_watts};
use std::sync::Arc;

/// The power models of the devices to choose from, by the selector's number of the device; `None` if its watts were stated
/// or energy does not count.
pub(super) struct PowerMeters(Vec<Option<DeviceMeter>>);

struct DeviceMeter {
    /// Held while the device is measured, for seconds; no query locks it.
    model: Mutex<PowerModel>,
    /// Counts the time that queries kept the device busy.
    counters: Arc<DeviceCounters>,
    /// Why the last measurement failed, if the power is unknown.
    why_unknown: Mutex<Option<String>>,
}

impl PowerMeters {
    /// Gives the selector the watts that were stated; devices without get a meter if energy counts.
    pub(super) fn new(
        selector: &Selector,
        rules: &SelectionRules,
        handles: &[Arc<DeviceHandle>],
        counters: &DeviceCounterSet,
    ) -> PowerMeters {
        let meter = |(arm, handle): (usize, &Arc<DeviceHandle>)| {
            let stated = rules.watts.get(handle.name()).inspect(|watts| selector.set_watts(arm, **watts));
            let is_metered = rules.goal == Goal::Energy && stated.is_none();
            let (model, counters, why_unknown) = (Mutex::default(), counters.of(handle.name()), Mutex::default());
            is_metered.then_some(DeviceMeter { model, counters, why_unknown })
        };
        PowerMeters(handles.iter().enumerate().map(meter).collect())
    }

    fn of(&self, arm: usize) -> Option<&DeviceMeter> {
        self.0.get(arm)?.as_ref()
    }

    /// Why the power of a device is unknown. Reads no energy counter, because queries call this.
    pub(super) fn why_unknown(&self, arm: usize) -> String {
        let why = self.of(arm).and_then(|meter| meter.why_unknown.lock().clone());
        why.unwrap_or_else(|| "it is not measured yet".to_string())
    }
}

impl SelectableDevices {
    /// Measures the power of a device in about two seconds, and compares by the result from now on; `None` if energy does
    /// not count or the watts were stated.
    pub(super) fn measure_watts(&self, arm: usize, clock: &dyn Clock, stop: &CancellationToken) -> Option<Result<f64>> {
        let DeviceMeter { model, counters, why_unknown } = self.meters.of(arm)?;
        let (mut model, mut new_model) = (model.lock(), PowerModel::default());
        let (device, busy_time) = (&self.handles[arm].device, || counters.busy_time());
        let measured = measure_watts(device, &mut new_model, clock, stop, &busy_time);
        match &measured {
            Ok(watts) => {
                (*model, *why_unknown.lock()) = (new_model, None);
                self.selector.set_watts(arm, *watts);
            }
            Err(error) => {
                // The energy of the failed measurement belongs to no query.
                model.restart_span();
                let is_unknown = self.selector.watts(arm).is_none();
                *why_unknown.lock() = is_unknown.then(|| error.message().to_string());
            }
        }
        Some(measured)
    }

    /// Measures the power of all devices, and warns about those whose power stays unknown.
    pub(super) fn measure_all_watts(&self, clock: &dyn Clock, stop: &CancellationToken) {
        for (arm, handle) in self.handles.iter().enumerate() {
            let error = self.measure_watts(arm, clock, stop).and_then(Result::err);
            if let Some(error) = error.filter(|error| error.kind() != ErrorKind::Cancelled) {
                let (device, why) = (handle.name(), error.message());
                tracing::warn!(target: "pointsman", device, "`LeastEnergy` cannot select this device: {why}; {REMEDY}");
            }
        }
    }

    /// Learns the power of devices from their energy and busy time since the last call. A device whose measurement failed
    /// is left out: nothing would bound the result.
    pub(super) fn learn_watts(&self, clock: &dyn Clock) {
        for (arm, handle) in self.handles.iter().enumerate() {
            let meter = self.meters.of(arm).filter(|meter| meter.why_unknown.lock().is_none());
            let Some(DeviceMeter { model, counters, .. }) = meter else { continue };
            let mut model = model.lock();
            let Ok(reading) = handle.device.energy() else { continue };
            if let Some(watts) = model.learn(clock.now(), reading, counters.busy_time()) {
                self.selector.set_watts(arm, watts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::resilience::cancel::CancellationToken;
    use crate::select::Policy;
    use crate::session::Session;
    use crate::session::options::SessionOptions;
    use pointsman_device::sim::{SimClock, SimDevice, SimOptions, SimSpeed, SimWatts};
    use pointsman_device::{Device, EnergyReading};
    use std::sync::Arc;
    use std::time::Duration;

    fn joules(device: &SimDevice) -> f64 {
        match device.energy().expect("it was told") {
            EnergyReading::Counted(joules) => joules,
            EnergyReading::Drawn(_) => panic!("it counts"),
        }
    }

    /// A session among the CPU, of 100 W, and a simulated device of 300 W.
    fn session() -> (Session, Arc<SimDevice>, SimClock) {
        let (compile, short) = (Duration::ZERO, Duration::from_micros(1));
        let speed = SimSpeed { compile, launch: short, copy: short, ..SimSpeed::default() };
        let watts = Some(SimWatts { idle: 20.0, work: 300.0 });
        let device = Arc::new(SimDevice::new(SimOptions { speed, watts, ..SimOptions::default() }));
        let clock = device.clock().clone();
        let builder = SessionOptions::new().devices(["cpu"]).threads(1).add_device(device.clone());
        let builder = builder.clock(Arc::new(clock.clone())).choose_among(["sim"]).policy(Policy::LeastEnergy);
        let session = builder.watts("cpu", 100.0).open().expect("a session");
        session.selector().expect("two devices");
        (session, device, clock)
    }

    #[test]
    fn new_measurement_replaces_the_old_one() {
        let (session, _, clock) = session();
        let devices = session.0.selector.devices().expect("two devices");
        let model = &devices.meters.of(1).expect("its watts were not stated").model;
        for (second, joules) in [(0, 0.0), (1, 0.0), (2, 30.0)] {
            let worked = Duration::from_secs(if second == 2 { 1 } else { 0 });
            model.lock().learn(Duration::from_secs(second), EnergyReading::Counted(joules), worked);
        }
        model.lock().bound_by_measurement();
        devices.selector.set_watts(1, 30.0);
        let found = devices.measure_watts(1, &clock, &CancellationToken::new()).and_then(Result::ok);
        for watts in [found, devices.selector.watts(1)] {
            assert!(watts.is_some_and(|watts| (watts / 300.0 - 1.0).abs() < 1e-6), "{watts:?}");
        }
    }

    #[test]
    fn failed_measurements_are_not_learned() {
        let (session, device, clock) = session();
        let devices = session.0.selector.devices().expect("two devices");
        let learn = || {
            devices.learn_watts(&clock);
            clock.advance(Duration::from_secs(1));
            devices.learn_watts(&clock);
            session.from(&[1i64; 1000]).map(|n| n * 3).require("sim").run().expect("an answer");
            clock.advance(session.0.telemetry.counters.of("sim").busy_time());
            devices.learn_watts(&clock);
            devices.selector.watts(1)
        };
        assert_eq!(devices.meters.why_unknown(1), "it is not measured yet");
        // By another clock no time passes while it works.
        let stop = CancellationToken::new();
        let error = devices.measure_watts(1, &SimClock::new(), &stop).and_then(Result::err).expect("it fails");
        assert!(error.message().contains("from what it draws idle"), "{error}");
        assert_eq!(devices.meters.why_unknown(1), error.message());
        assert_eq!(learn(), None);
        assert!(devices.measure_watts(1, &clock, &stop).is_some_and(|found| found.is_ok()));
        assert!(learn().is_some_and(|watts| (150.0..600.0).contains(&watts)), "{:?}", joules(&device));
    }

    #[test]
    fn session_learns_power_draw_from_runs() {
        let (session, device, clock) = session();
        let devices = session.0.selector.devices().expect("two devices");
        devices.learn_watts(&clock);
        clock.advance(Duration::from_secs(1));
        devices.learn_watts(&clock);
        assert_eq!(devices.selector.watts(1), None, "it was idle");
        let (start, before) = (clock.now(), joules(&device));
        session.from(&[1i64; 1000]).map(|n| n * 3).require("sim").run().expect("an answer");
        // Queries are timed by the system's clock, so that is how long the virtual one goes on, too.
        let worked = session.0.telemetry.counters.of("sim").busy_time();
        assert!(worked > Duration::ZERO);
        clock.advance(worked);
        devices.learn_watts(&clock);
        let time = (clock.now() - start).as_secs_f64();
        let expected = (joules(&device) - before - 20.0 * time) / worked.as_secs_f64();
        let found = devices.selector.watts(1).expect("it worked");
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} W, not {expected} W");
        assert_eq!(devices.selector.watts(0), Some(100.0), "what was stated stays");
    }
}
