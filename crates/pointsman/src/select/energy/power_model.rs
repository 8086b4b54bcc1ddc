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
    /// The last reading: the energy so far, and its time.
    reading: Option<(f64, f64)>,
    /// The last power, of a device that reports no energy.
    power: Option<f64>,
    span_start: Option<SpanStart>,
    fit: LineFit,
    watts: Option<f64>,
    /// The result of a measurement while nothing else ran.
    measured: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct SpanStart {
    time: f64,
    energy: f64,
    busy: f64,
}

/// Weighted sums over spans, for a least-squares line.
#[derive(Clone, Copy, Debug, Default)]
struct LineFit {
    count: f64,
    fraction: f64,
    fraction_squared: f64,
    watts: f64,
    product: f64,
}

impl LineFit {
    fn add(&mut self, fraction: f64, watts: f64) {
        let LineFit { count, fraction: sum, fraction_squared, watts: watts_sum, product } = self;
        let new = [1.0, fraction, fraction * fraction, watts, fraction * watts];
        for (sum, new) in [count, sum, fraction_squared, watts_sum, product].into_iter().zip(new) {
            *sum = *sum * DECAY + new;
        }
    }

    /// The slope of the line, if the spans differ enough.
    fn slope(&self) -> Option<f64> {
        let (fraction, watts) = (self.fraction / self.count, self.watts / self.count);
        let variance = self.fraction_squared / self.count - fraction * fraction;
        let slope = (self.product / self.count - fraction * watts) / variance;
        (variance >= VARIANCE_MIN && slope > 0.0 && slope.is_finite()).then_some(slope)
    }
}

impl PowerModel {
    /// Adds a reading. A device that reports its current power must be read several times in a span.
    pub(super) fn read(&mut self, now: Duration, reading: EnergyReading) {
        let now = now.as_secs_f64();
        let energy = match reading {
            EnergyReading::Counted(joules) => joules,
            EnergyReading::Drawn(watts) => {
                let before = self.power.replace(watts).unwrap_or(watts);
                self.reading.map_or(0.0, |(energy, time)| energy + (now - time) * (before + watts) / 2.0)
            }
        };
        self.reading = Some((energy, now));
    }

    /// Ends a span at the last reading and starts the next; `busy` is the time that the device was busy so far. Returns
    /// the power if it is known.
    pub(super) fn end_span(&mut self, busy: Duration) -> Option<f64> {
        let (energy, time) = self.reading?;
        let busy = busy.as_secs_f64();
        if let Some(start) = self.span_start.replace(SpanStart { time, energy, busy }) {
            let (time, energy) = (time - start.time, energy - start.energy);
            // A counter that fell was reset with its driver.
            if time > 0.0 && energy >= 0.0 {
                // Queries that overlap keep the device busy once.
                self.fit.add(((busy - start.busy) / time).clamp(0.0, 1.0), energy / time);
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

    /// A device on a clock, which draws 50 W, and 200 W more while it works.
    #[derive(Default)]
    struct TestDevice {
        model: PowerModel,
        now: f64,
        joules: f64,
        worked: f64,
    }

    impl TestDevice {
        fn span(&mut self, seconds: f64, part: f64, work: f64) -> Option<f64> {
            self.now += seconds;
            self.worked += part * seconds;
            self.joules += (50.0 + work * part) * seconds;
            self.model.read(Duration::from_secs_f64(self.now), EnergyReading::Counted(self.joules));
            self.model.end_span(Duration::from_secs_f64(self.worked))
        }
    }

    fn is_near(found: Option<f64>, watts: f64) -> bool {
        found.is_some_and(|found| (found / watts - 1.0).abs() < 1e-6)
    }

    #[test]
    fn an_idle_second_and_a_busy_one_are_enough() {
        let mut device = TestDevice::default();
        assert_eq!(device.span(1.0, 0.0, 200.0), None, "the first reading begins");
        assert_eq!(device.span(1.0, 0.0, 200.0), None, "what it draws idle says nothing of work");
        assert!(is_near(device.span(1.0, 1.0, 200.0), 200.0));
    }

    #[test]
    fn runs_of_a_session_teach_and_spans_that_are_alike_do_not() {
        let mut device = TestDevice::default();
        let parts = [0.0, 0.0, 1.0];
        assert!(is_near(parts.map(|part| device.span(1.0, part, 200.0))[2], 200.0));
        // Real queries draw more than what it was measured with.
        let learned = (0..60).map(|n| device.span(60.0, [0.1, 0.8, 0.4][n % 3], 300.0)).last().flatten();
        assert!(learned.is_some_and(|watts| (watts / 300.0 - 1.0).abs() < 0.01), "{learned:?}");
        let alike = [(0.5, 300.0), (0.501, 500.0)];
        let steady = (0..300).map(|n| device.span(60.0, alike[n % 2].0, alike[n % 2].1)).last().flatten();
        assert!(steady.is_some_and(|watts| (200.0..600.0).contains(&watts)), "{steady:?}: that is not the work");
    }

    #[test]
    fn what_was_measured_is_not_left_far_behind() {
        let mut device = TestDevice::default();
        let parts = [0.0, 0.0, 1.0];
        assert!(is_near(parts.map(|part| device.span(1.0, part, 200.0))[2], 200.0));
        device.model.bound_by_measurement();
        let more = (0..60).map(|n| device.span(60.0, [0.0, 1.0][n % 2], 900.0)).last().flatten();
        assert!(is_near(more, 400.0), "{more:?}");
        let less = (0..60).map(|n| device.span(60.0, [0.0, 1.0][n % 2], 1.0)).last().flatten();
        assert!(is_near(less, 100.0), "{less:?}");
    }

    #[test]
    fn one_odd_span_does_not_move_it_far() {
        let mut device = TestDevice::default();
        let parts = [0.0, 0.0, 1.0];
        assert!(is_near(parts.map(|part| device.span(1.0, part, 200.0))[2], 200.0));
        let odd = device.span(1.0, 1.0, 1e6);
        assert!(is_near(odd, 300.0), "{odd:?}");
        device.joules = 0.0;
        assert_eq!(device.span(1.0, 1.0, 200.0), odd, "a counter that began anew says nothing");
    }

    #[test]
    fn watts_of_two_moments_a_minute_apart_are_not_learned_from() {
        let (mut drawn, mut counted) = (PowerModel::default(), PowerModel::default());
        let [drawn, counted] = [(&mut drawn, false), (&mut counted, true)].map(|(meter, counts)| {
            let mut joules = 0.0;
            let spans = [(0.0, 40.0), (0.0, 40.0), (0.9, 240.0), (0.1, 60.0)].into_iter().enumerate();
            let mut worked = 0.0;
            let learned = spans.map(|(minute, (part, watts))| {
                joules += 60.0 * watts;
                worked += 60.0 * part;
                let reading = if counts { EnergyReading::Counted(joules) } else { EnergyReading::Drawn(watts) };
                meter.learn(Duration::from_secs(60 * minute as u64), reading, Duration::from_secs_f64(worked))
            });
            learned.last().flatten()
        });
        assert!(drawn.is_none() && counted.is_some(), "{drawn:?} {counted:?}");
    }

    #[test]
    fn watts_of_moments_are_added_up() {
        let mut meter = PowerModel::default();
        let mut read = |tenths: u64, watts: f64| {
            meter.read(Duration::from_millis(100 * tenths), EnergyReading::Drawn(watts));
        };
        read(0, 40.0);
        let idle = meter.end_span(Duration::ZERO);
        (1..=10).for_each(|tenths| meter.read(Duration::from_millis(100 * tenths), EnergyReading::Drawn(40.0)));
        let still = meter.end_span(Duration::ZERO);
        meter.restart_span();
        meter.read(Duration::from_secs(2), EnergyReading::Drawn(140.0));
        let begun = meter.end_span(Duration::ZERO);
        (21..=30).for_each(|tenths| meter.read(Duration::from_millis(100 * tenths), EnergyReading::Drawn(140.0)));
        assert_eq!((idle, still, begun), (None, None, None));
        assert!(is_near(meter.end_span(Duration::from_secs(1)), 100.0));
    }
}
