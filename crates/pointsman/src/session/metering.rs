//! [`Metering`]: what the devices that are chosen from draw, where they are compared by energy. Stated watts stay; others are
//! measured once, and learned from runs from then on: nobody reads counters around a query.

use super::guide::Contest;
use super::policy::Rules;
use super::watts::REMEDY;
use crate::error::{Error, ErrorKind, Result};
use crate::runtime::resilience::cancel::CancellationToken;
use crate::runtime::resilience::clock::Clock;
use crate::runtime::station::Station;
use crate::select::{self, Bench, Goal, Wattmeter};
use crate::telemetry::tally::{Tallies, Tally};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The meters of devices.
pub(super) struct Metering {
    /// By the device's number; `None` where its watts were stated.
    meters: Vec<Option<Mutex<Metered>>>,
}

/// A device's meter, and where it is counted how long it worked.
struct Metered {
    meter: Wattmeter,
    tally: Arc<Tally>,
}

impl Metering {
    /// Meters for devices; none where energy does not count.
    pub(super) fn new(rules: &Rules, stations: &[Arc<Station>], tallies: &Tallies) -> Metering {
        let is_metered =
            |station: &&Arc<Station>| rules.goal == Goal::Energy && !rules.watts.contains_key(station.name());
        let metered = |station: &Arc<Station>| {
            Mutex::new(Metered { meter: Wattmeter::default(), tally: tallies.of(station.name()) })
        };
        Metering { meters: stations.iter().map(|station| Some(station).filter(is_metered).map(metered)).collect() }
    }

    fn of(&self, arm: usize) -> Option<MutexGuard<'_, Metered>> {
        self.meters.get(arm)?.as_ref().map(|metered| metered.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Contest {
    /// Takes the watts that were stated.
    pub(super) fn take_stated(&self, rules: &Rules) {
        for (arm, station) in self.stations.iter().enumerate() {
            rules.watts.get(station.name()).iter().for_each(|watts| self.selector.set_watts(arm, **watts));
        }
    }

    /// Measures what a device draws, about two seconds long, and compares by that from now on; `None` where that does not
    /// count, or was stated.
    pub(super) fn measure_watts(&self, arm: usize, clock: &dyn Clock, stop: &CancellationToken) -> Option<Result<f64>> {
        let Metered { meter, tally } = &mut *self.metering.of(arm)?;
        let worked = || tally.worked();
        let found = select::watts(&self.stations[arm].device, meter, &Bench { clock, stop, worked: &worked });
        if let Ok(watts) = &found {
            self.selector.set_watts(arm, *watts);
        }
        Some(found)
    }

    /// The same for all of them. Says of which nobody knows it.
    pub(super) fn measure_all_watts(&self, clock: &dyn Clock, stop: &CancellationToken) {
        for (arm, station) in self.stations.iter().enumerate() {
            match self.measure_watts(arm, clock, stop) {
                Some(Err(error)) if error.kind() != ErrorKind::Cancelled => told(station, &error),
                Some(_) | None => {}
            }
        }
    }

    /// Learns what devices draw from what they drew and how long they worked since this was last called.
    pub(super) fn learn_watts(&self, clock: &dyn Clock) {
        for (arm, station) in self.stations.iter().enumerate() {
            let Some(mut metered) = self.metering.of(arm) else { continue };
            let Metered { meter, tally } = &mut *metered;
            let Ok(reading) = station.device.energy() else { continue };
            meter.read(clock.now(), reading);
            if let Some(watts) = meter.end_span(tally.worked()) {
                self.selector.set_watts(arm, watts);
            }
        }
    }
}

fn told(station: &Station, error: &Error) {
    let (name, why) = (station.name(), error.message());
    tracing::warn!(target: "pointsman", device = name, "takes no part where the least energy is chosen: {why}; {REMEDY}");
}

#[cfg(test)]
mod tests {
    use crate::session::Session;
    use crate::session::policy::Policy;
    use pointsman_device::sim::{SimDevice, SimOptions, SimSpeed, SimWatts};
    use pointsman_device::{Device, EnergyReading};
    use std::sync::Arc;
    use std::time::Duration;

    fn joules(device: &SimDevice) -> f64 {
        match device.energy().expect("it was told") {
            EnergyReading::Counted(joules) => joules,
            EnergyReading::Drawn(_) => panic!("it counts"),
        }
    }

    #[test]
    fn runs_of_a_session_teach_what_a_device_draws() {
        let (compile, short) = (Duration::ZERO, Duration::from_micros(1));
        let speed = SimSpeed { compile, launch: short, copy: short, ..SimSpeed::default() };
        let watts = Some(SimWatts { idle: 20.0, work: 300.0 });
        let device = Arc::new(SimDevice::new(SimOptions { speed, watts, ..SimOptions::default() }));
        let clock = device.clock().clone();
        let builder = Session::builder().devices(["cpu"]).threads(1).device(device.clone());
        let builder = builder.clock(Arc::new(clock.clone())).choose_among(["sim"]).policy(Policy::LeastEnergy);
        let session = builder.watts("cpu", 100.0).open().expect("a session");
        let selector = session.selector().expect("two devices");
        let contest = session.0.guide.contest().expect("two devices");
        contest.learn_watts(&clock);
        clock.advance(Duration::from_secs(1));
        contest.learn_watts(&clock);
        assert_eq!(selector.watts(1), None, "it was idle");
        let (start, before) = (clock.now(), joules(&device));
        session.from(&[1i64; 1000]).map(|n| n * 3).require("sim").run().expect("an answer");
        // Queries are timed by the system's clock, so that is how long the virtual one goes on, too.
        let worked = session.0.telemetry.tallies.of("sim").worked();
        assert!(worked > Duration::ZERO);
        clock.advance(worked);
        contest.learn_watts(&clock);
        let time = (clock.now() - start).as_secs_f64();
        let expected = (joules(&device) - before - 20.0 * time) / worked.as_secs_f64();
        let found = selector.watts(1).expect("it worked");
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} W, not {expected} W");
        assert_eq!(selector.watts(0), Some(100.0), "what was stated stays");
    }
}
