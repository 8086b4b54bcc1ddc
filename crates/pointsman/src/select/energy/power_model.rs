//! [`PowerModel`]: the power that a device draws at work beyond idle. In go readings of its energy and the time that it
//! was busy between them; out come watts. [`measure_watts`] measures them: the device is idle for a second, then busy for
//! one, while its energy is read.
//!
//! A line is fitted through the observed spans: their power over the fraction of the time that the device was busy. Its
//! slope is the power of work. Spans that are all alike show no slope; then the last result stays.

use crate::error::{Error, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use crate::select::calibration::with_read_load;
use pointsman_device::{Device, DeviceKind, EnergyReading};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The weight of earlier spans shrinks by this factor with each new one.
const DECAY: f64 = 0.9;
/// The busy fractions must have at least this variance.
const VARIANCE_MIN: f64 = 0.01;
/// One span moves the result by at most the first factor, and all spans move a measured result by at most the second: the
/// power of other processes cannot be told from the session's own.
const STEP_MAX: f64 = 1.5;
const LEARNED_MAX: f64 = 2.0;
/// How long a measured device is idle, and how long busy: drivers count ten times a second.
const SPAN: Duration = Duration::from_secs(1);
/// The shortest interval between readings of a measured device.
const READ_INTERVAL: Duration = Duration::from_millis(50);
/// The runs of a simulated device in a span: its power is exact, and simulating it takes the processor long.
const SIM_RUNS: u32 = 4;

/// The power of a device at work, by its energy readings.
#[derive(Clone, Debug, Default)]
pub(super) struct PowerModel {
    last: Option<MeterReading>,
    /// The first reading of the span.
    span_start: Option<MeterReading>,
    fit: LineFit,
    watts: Option<f64>,
    /// The result of a measurement while nothing else ran.
    measured: Option<f64>,
}

/// Times are in seconds, energies in joules.
#[derive(Clone, Copy, Debug)]
struct MeterReading {
    time: f64,
    energy: f64,
    /// The power at this moment; 0 for a device that counts its energy.
    power: f64,
    /// How long the device has been busy so far.
    busy: f64,
}

/// Weighted sums over spans, for a least-squares line: their number, busy fractions, squares of these, watts, and
/// products of fractions and watts.
#[derive(Clone, Copy, Debug, Default)]
struct LineFit([f64; 5]);

impl LineFit {
    fn add(&mut self, fraction: f64, watts: f64) {
        let new = [1.0, fraction, fraction * fraction, watts, fraction * watts];
        self.0.iter_mut().zip(new).for_each(|(sum, new)| *sum = *sum * DECAY + new);
    }

    /// The slope of the line, if the spans differ enough.
    fn slope(&self) -> Option<f64> {
        let [_, fraction, fraction_squared, watts, product] = self.0.map(|sum| sum / self.0[0]);
        let variance = fraction_squared - fraction * fraction;
        let slope = (product - fraction * watts) / variance;
        (variance >= VARIANCE_MIN && slope > 0.0 && slope.is_finite()).then_some(slope)
    }
}

impl PowerModel {
    /// Adds a reading of a device that has been busy for so long, which starts a span if there is none. A device that
    /// reports its current power must be read several times in a span.
    fn read(&mut self, now: Duration, reading: EnergyReading, busy: Duration) {
        let time = now.as_secs_f64();
        let (energy, power) = match reading {
            EnergyReading::Counted(joules) => (joules, 0.0),
            EnergyReading::Drawn(power) => {
                let add = |last: MeterReading| last.energy + (time - last.time) * (last.power + power) / 2.0;
                (self.last.map_or(0.0, add), power)
            }
        };
        let reading = MeterReading { time, energy, power, busy: busy.as_secs_f64() };
        self.last = Some(reading);
        self.span_start.get_or_insert(reading);
    }

    /// Ends a span at the last reading and starts the next. Returns the power if it is known.
    fn end_span(&mut self) -> Option<f64> {
        if let Some((start, end)) = self.span_start.zip(self.last) {
            let (time, energy) = (end.time - start.time, end.energy - start.energy);
            // A counter that fell was reset with its driver.
            if time > 0.0 && energy >= 0.0 {
                // Queries that overlap keep the device busy once.
                self.fit.add(((end.busy - start.busy) / time).clamp(0.0, 1.0), energy / time);
                self.watts = self.fit.slope().map(|slope| self.limit(slope)).or(self.watts);
            }
        }
        self.span_start = self.last;
        self.watts
    }

    /// Learns from the energy since the last call. Returns the power if it is known. The power at two moments says nothing
    /// about the time between them, so only counted energy is learned from.
    pub(super) fn learn(&mut self, now: Duration, reading: EnergyReading, busy: Duration) -> Option<f64> {
        match reading {
            EnergyReading::Counted(_) => self.read(now, reading, busy),
            EnergyReading::Drawn(_) => return self.watts,
        }
        self.end_span()
    }

    /// Discards the current span.
    pub(super) fn restart_span(&mut self) {
        self.span_start = None;
    }

    /// Marks the current result as measured: learned results stay near it.
    pub(super) fn bound_by_measurement(&mut self) {
        self.restart_span();
        self.measured = self.watts;
    }

    fn limit(&self, new: f64) -> f64 {
        let near = |new: f64, old: Option<f64>, by: f64| old.map_or(new, |old| new.clamp(old / by, old * by));
        near(near(new, self.watts, STEP_MAX), self.measured, LEARNED_MAX)
    }
}

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
        self.model.restart_span();
        self.read(Duration::ZERO)?;
        for _ in 0..SPAN.as_millis() / READ_INTERVAL.as_millis() {
            self.clock.sleep(READ_INTERVAL);
            self.read(Duration::ZERO)?;
        }
        self.model.end_span();
        // The first runs bring the device to its full clock rate, and do not count.
        self.keep_busy(SPAN / 4, &mut run)?;
        self.model.restart_span();
        self.read(Duration::ZERO)?;
        let own_busy = self.keep_busy(SPAN, &mut run)?;
        self.read(own_busy)?;
        let watts = self.model.end_span();
        self.model.bound_by_measurement();
        Ok(watts)
    }

    /// Reads the energy after this measurement has kept the device busy for so long.
    fn read(&mut self, own_busy: Duration) -> Result<()> {
        if self.stop.is_cancelled() {
            return Err(Error::cancelled());
        }
        self.model.read(self.clock.now(), (self.read_energy)()?, (self.busy_time)() + own_busy);
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
                self.read(busy)?;
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

    /// A device on a clock, which draws 50 W, and more while it works.
    #[derive(Default)]
    struct TestDevice {
        model: PowerModel,
        now: f64,
        joules: f64,
        worked: f64,
    }

    impl TestDevice {
        /// Lets it work at `work` watts for a part of the time.
        fn span(&mut self, seconds: f64, part: f64, work: f64) -> Option<f64> {
            self.now += seconds;
            self.worked += part * seconds;
            self.joules += (50.0 + work * part) * seconds;
            let [now, busy] = [self.now, self.worked].map(Duration::from_secs_f64);
            self.model.learn(now, EnergyReading::Counted(self.joules), busy)
        }

        /// The result after minutes with these parts and watts in turn.
        fn minutes(&mut self, count: usize, turns: &[(f64, f64)]) -> Option<f64> {
            let turns = turns.iter().cycle().take(count);
            turns.map(|(part, work)| self.span(60.0, *part, *work)).last().flatten()
        }

        /// One that was idle for a second and worked for one, at 200 W.
        fn measured() -> TestDevice {
            let mut device = TestDevice::default();
            assert_eq!(device.span(1.0, 0.0, 200.0), None, "the first reading begins");
            assert_eq!(device.span(1.0, 0.0, 200.0), None, "what it draws idle says nothing of work");
            assert!(is_near(device.span(1.0, 1.0, 200.0), 200.0));
            device
        }
    }

    fn is_near(found: Option<f64>, watts: f64) -> bool {
        found.is_some_and(|found| (found / watts - 1.0).abs() < 1e-6)
    }

    #[test]
    fn runs_of_a_session_teach_and_spans_that_are_alike_do_not() {
        let mut device = TestDevice::measured();
        // Real queries draw more than what it was measured with.
        let learned = device.minutes(60, &[(0.1, 300.0), (0.8, 300.0), (0.4, 300.0)]);
        assert!(learned.is_some_and(|watts| (watts / 300.0 - 1.0).abs() < 0.01), "{learned:?}");
        let steady = device.minutes(300, &[(0.5, 300.0), (0.501, 500.0)]);
        assert!(steady.is_some_and(|watts| (200.0..600.0).contains(&watts)), "{steady:?}: that is not the work");
    }

    #[test]
    fn what_was_measured_is_not_left_far_behind() {
        let mut device = TestDevice::measured();
        device.model.bound_by_measurement();
        for (work, bound) in [(900.0, 400.0), (1.0, 100.0)] {
            let found = device.minutes(60, &[(0.0, work), (1.0, work)]);
            assert!(is_near(found, bound), "{found:?}");
        }
    }

    #[test]
    fn one_odd_span_does_not_move_it_far() {
        let mut device = TestDevice::measured();
        let odd = device.span(1.0, 1.0, 1e6);
        assert!(is_near(odd, 300.0), "{odd:?}");
        device.joules = 0.0;
        assert_eq!(device.span(1.0, 1.0, 200.0), odd, "a counter that began anew says nothing");
    }

    #[test]
    fn watts_of_two_moments_a_minute_apart_are_not_learned_from() {
        let learned = |counts: bool| {
            let (mut model, mut joules, mut worked) = (PowerModel::default(), 0.0, 0.0);
            let spans = [(0.0, 40.0), (0.0, 40.0), (0.9, 240.0), (0.1, 60.0)].into_iter().enumerate();
            let learned = spans.map(|(minute, (part, watts))| {
                joules += 60.0 * watts;
                worked += 60.0 * part;
                let reading = if counts { EnergyReading::Counted(joules) } else { EnergyReading::Drawn(watts) };
                model.learn(Duration::from_secs(60 * minute as u64), reading, Duration::from_secs_f64(worked))
            });
            learned.last().flatten()
        };
        assert!(learned(false).is_none() && learned(true).is_some());
    }

    #[test]
    fn watts_of_moments_are_added_up() {
        let mut model = PowerModel::default();
        for (second, watts, busy, expected) in [(0, 40.0, 0, None), (2, 140.0, 1, Some(100.0))] {
            model.restart_span();
            for tenth in 0..=10 {
                let now = Duration::from_millis(1000 * second + 100 * tenth);
                model.read(now, EnergyReading::Drawn(watts), Duration::from_secs(busy * (tenth / 10)));
                if tenth == 0 {
                    assert_eq!(model.end_span(), None);
                }
            }
            let found = model.end_span();
            assert!(found == expected || expected.is_some_and(|watts| is_near(found, watts)), "{found:?}");
        }
    }

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
