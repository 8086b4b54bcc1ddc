//! [`PowerModel`]: the power that a device draws at work beyond idle. In go readings of its energy and the time that it
//! was busy between them; out come watts.
//!
//! A line is fitted through the observed spans: their power over the fraction of the time that the device was busy. Its
//! slope is the power of work. Spans that are all alike show no slope; then the last result stays.

use pointsman_device::EnergyReading;
use std::time::Duration;

/// The weight of earlier spans shrinks by this factor with each new one.
const DECAY: f64 = 0.9;
/// The busy fractions must have at least this variance.
const VARIANCE_MIN: f64 = 0.01;
/// One span moves the result by at most the first factor, and all spans move a measured result by at most the second: the
/// power of other processes cannot be told from the session's own.
const STEP_MAX: f64 = 1.5;
const LEARNED_MAX: f64 = 2.0;

/// The power of a device at work, by its energy readings. Times are in seconds, energies in joules.
#[derive(Clone, Debug, Default)]
pub(super) struct PowerModel {
    last: Option<MeterReading>,
    /// The first reading of the span, and how long the device had been busy by then.
    span_start: Option<(MeterReading, f64)>,
    fit: LineFit,
    watts: Option<f64>,
    /// The result of a measurement while nothing else ran.
    measured: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct MeterReading {
    time: f64,
    energy: f64,
    /// The power at this moment; 0 for a device that counts its energy.
    power: f64,
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
    /// Adds a reading. A device that reports its current power must be read several times in a span.
    pub(super) fn read(&mut self, now: Duration, reading: EnergyReading) {
        let time = now.as_secs_f64();
        let (energy, power) = match reading {
            EnergyReading::Counted(joules) => (joules, 0.0),
            EnergyReading::Drawn(power) => {
                let add = |last: MeterReading| last.energy + (time - last.time) * (last.power + power) / 2.0;
                (self.last.map_or(0.0, add), power)
            }
        };
        self.last = Some(MeterReading { time, energy, power });
    }

    /// Ends a span at the last reading and starts the next; `busy` is the time that the device was busy so far. Returns
    /// the power if it is known.
    pub(super) fn end_span(&mut self, busy: Duration) -> Option<f64> {
        let (last, busy) = (self.last?, busy.as_secs_f64());
        if let Some((start, busy_before)) = self.span_start.replace((last, busy)) {
            let (time, energy) = (last.time - start.time, last.energy - start.energy);
            // A counter that fell was reset with its driver.
            if time > 0.0 && energy >= 0.0 {
                // Queries that overlap keep the device busy once.
                self.fit.add(((busy - busy_before) / time).clamp(0.0, 1.0), energy / time);
                self.watts = self.fit.slope().map(|slope| self.limit(slope)).or(self.watts);
            }
        }
        self.watts
    }

    /// Learns from the energy since the last call. Returns the power if it is known. The power at two moments says nothing
    /// about the time between them, so only counted energy is learned from.
    pub(super) fn learn(&mut self, now: Duration, reading: EnergyReading, busy: Duration) -> Option<f64> {
        match reading {
            EnergyReading::Counted(_) => self.read(now, reading),
            EnergyReading::Drawn(_) => return self.watts,
        }
        self.end_span(busy)
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

#[cfg(test)]
mod tests {
    use super::*;

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
            self.model.read(Duration::from_secs_f64(self.now), EnergyReading::Counted(self.joules));
            self.model.end_span(Duration::from_secs_f64(self.worked))
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
                model.read(Duration::from_millis(1000 * second + 100 * tenth), EnergyReading::Drawn(watts));
                if tenth == 0 {
                    assert_eq!(model.end_span(Duration::ZERO), None);
                }
            }
            let found = model.end_span(Duration::from_secs(busy));
            assert!(found == expected || expected.is_some_and(|watts| is_near(found, watts)), "{found:?}");
        }
    }
}
