//! Measures the power of a device: idle for a second, then busy for one, while its energy is read.

use super::power_model::PowerModel;
use crate::error::{Error, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use crate::select::calibration::with_read_load;
use pointsman_device::{Device, DeviceKind, EnergyReading};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the device is idle, and how long busy: drivers count ten times a second.
const SPAN: Duration = Duration::from_secs(1);
/// The shortest interval between readings.
const READ_INTERVAL: Duration = Duration::from_millis(50);
/// The runs of a simulated device in a span: its power is exact, and simulating it takes the processor long.
const SIM_RUNS: u32 = 4;

/// The power of a device at work beyond idle, in watts. `model` can learn on from there. `busy_time`: how long queries
/// have kept the device busy so far. An error says why the power is unknown.
pub(super) fn measure_watts(
    device: &Arc<dyn Device>,
    model: &mut PowerModel,
    clock: &dyn Clock,
    stop: &CancellationToken,
    busy_time: &dyn Fn() -> Duration,
) -> Result<f64> {
    device.energy()?;
    let (read_energy, is_sim) = (|| Ok(device.energy()?), device.info().kind == DeviceKind::Sim);
    let mut measurement = Measurement { read_energy: &read_energy, is_sim, model, clock, stop, busy_time };
    let measured = with_read_load(device, clock, stop, |run| measurement.measure(run))?;
    measured.ok_or_else(|| Error::unsupported("what it draws at work cannot be told from what it draws idle"))
}

/// The spans of a measurement.
struct Measurement<'m> {
    read_energy: &'m dyn Fn() -> Result<EnergyReading>,
    is_sim: bool,
    model: &'m mut PowerModel,
    clock: &'m dyn Clock,
    stop: &'m CancellationToken,
    busy_time: &'m dyn Fn() -> Duration,
}

impl Measurement<'_> {
    /// Measures the power drawn while `run` repeats; `None` if it does not differ clearly from the idle power.
    fn measure(&mut self, mut run: impl FnMut() -> Result<()>) -> Result<Option<f64>> {
        self.start_span()?;
        for _ in 0..SPAN.as_millis() / READ_INTERVAL.as_millis() {
            self.clock.sleep(READ_INTERVAL);
            self.read()?;
        }
        self.model.end_span((self.busy_time)());
        // The first runs bring the device to its full clock rate, and do not count.
        self.keep_busy(SPAN / 4, &mut run)?;
        self.start_span()?;
        let own_busy = self.keep_busy(SPAN, &mut run)?;
        self.read()?;
        let watts = self.model.end_span((self.busy_time)() + own_busy);
        self.model.bound_by_measurement();
        Ok(watts)
    }

    fn read(&mut self) -> Result<()> {
        if self.stop.is_cancelled() {
            return Err(Error::cancelled());
        }
        self.model.read(self.clock.now(), (self.read_energy)()?);
        Ok(())
    }

    fn start_span(&mut self) -> Result<()> {
        self.model.restart_span();
        self.read()?;
        self.model.end_span((self.busy_time)());
        Ok(())
    }

    /// Repeats `run` for this long. Returns how long that took.
    fn keep_busy(&mut self, time: Duration, run: &mut impl FnMut() -> Result<()>) -> Result<Duration> {
        let (start, real) = (self.clock.now(), Instant::now());
        let (mut runs, mut busy, mut last_read) = (0, Duration::ZERO, Duration::ZERO);
        let is_sim = self.is_sim;
        let goes_on = |runs: u32, busy: Duration| match is_sim {
            true => runs < SIM_RUNS,
            // A clock that stands still must not keep the device busy for ever.
            false => busy < time && real.elapsed() < 2 * SPAN,
        };
        while goes_on(runs, busy) {
            run()?;
            (runs, busy) = (runs + 1, self.clock.now().saturating_sub(start));
            // The device does not work while it is read.
            if busy >= last_read + READ_INTERVAL {
                last_read = busy;
                self.read()?;
            }
        }
        Ok(busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_device::sim::SimClock;
    use std::cell::Cell;

    #[test]
    fn the_runs_that_bring_it_to_its_full_clock_do_not_count() {
        let (clock, runs, joules) = (SimClock::new(), Cell::new(0), Cell::new(0.0));
        let (stop, each) = (CancellationToken::new(), Duration::from_millis(50));
        // It draws 40 W idle, and at work 20 W more for its first quarter of a second, 200 W more from then on.
        let read_energy = || Ok(EnergyReading::Counted(joules.get() + 40.0 * clock.now().as_secs_f64()));
        let run = || {
            let watts = if runs.get() < 5 { 20.0 } else { 200.0 };
            clock.advance(each);
            runs.set(runs.get() + 1);
            joules.set(joules.get() + watts * each.as_secs_f64());
            Ok(())
        };
        let (mut model, busy_time) = (PowerModel::default(), || Duration::ZERO);
        let (read_energy, clock, stop, busy_time) = (&read_energy, &clock, &stop, &busy_time);
        let mut measurement = Measurement { read_energy, is_sim: false, model: &mut model, clock, stop, busy_time };
        let found = measurement.measure(run).expect("it tells what it draws");
        assert!(found.is_some_and(|watts| (watts / 200.0 - 1.0).abs() < 1e-6), "{found:?}");
        assert_eq!(runs.get(), 5 + 20);
    }
}
