//! [`Wattmeter`]: what a device draws while it works, beyond what it draws idle: in go readings of its energy, and how long
//! it worked between them, out come watts.
//!
//! A line is drawn through the spans that were seen: their watts over the part of the time that the device worked. Its
//! rise is what work draws. Spans that are all alike show no rise; then what was found before stays.

use pointsman_device::EnergyReading;
use std::time::Duration;

/// Earlier spans count for so much less with each new one.
const KEPT: f64 = 0.9;
/// The parts of the time that the device worked must differ by so much, as a variance, for the line to mean anything.
const APART_MIN: f64 = 0.01;
/// One span moves what was found before by no more than this factor, and all of them what was measured by no more than that:
/// what others draw meanwhile cannot be told from its own.
const STEP_MAX: f64 = 1.5;
const LEARNED_MAX: f64 = 2.0;

/// What a device draws while it works, by its readings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wattmeter {
    /// Joules so far, and when that was read, in seconds.
    read: Option<(f64, f64)>,
    /// The watts of that moment, of a device that tells no joules.
    drawn: Option<f64>,
    /// When the span under way began, the joules then, and how long the device had worked.
    begin: Option<(f64, f64, f64)>,
    sums: Sums,
    watts: Option<f64>,
    /// What was found where nothing else ran.
    measured: Option<f64>,
}

/// Weighted sums over spans: their number, the parts worked, their squares, the watts, and the products of both.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    part: f64,
    square: f64,
    watts: f64,
    product: f64,
}

impl Sums {
    fn take(&mut self, part: f64, watts: f64) {
        for sum in [&mut self.count, &mut self.part, &mut self.square, &mut self.watts, &mut self.product] {
            *sum *= KEPT;
        }
        self.count += 1.0;
        self.part += part;
        self.square += part * part;
        self.watts += watts;
        self.product += part * watts;
    }

    /// The rise of the line, if there is one that means anything.
    fn rise(&self) -> Option<f64> {
        let (part, watts) = (self.part / self.count, self.watts / self.count);
        let apart = self.square / self.count - part * part;
        let rise = (self.product / self.count - part * watts) / apart;
        (apart >= APART_MIN && rise > 0.0 && rise.is_finite()).then_some(rise)
    }
}

impl Wattmeter {
    /// Takes in a reading. Devices that tell the watts of the moment are read several times in a span.
    pub(crate) fn read(&mut self, now: Duration, reading: EnergyReading) {
        let now = now.as_secs_f64();
        let joules = match reading {
            EnergyReading::Counted(joules) => joules,
            EnergyReading::Drawn(watts) => {
                let before = self.drawn.replace(watts).unwrap_or(watts);
                self.read.map_or(0.0, |(joules, then)| joules + (now - then) * (before + watts) / 2.0)
            }
        };
        self.read = Some((joules, now));
    }

    /// Ends a span with the last reading, and begins the next; the device has worked for so long so far. What it draws, if
    /// that is known.
    pub(crate) fn end_span(&mut self, worked: Duration) -> Option<f64> {
        let (joules, now) = self.read?;
        let worked = worked.as_secs_f64();
        if let Some((then, joules_then, worked_then)) = self.begin.replace((now, joules, worked)) {
            let (time, drawn) = (now - then, joules - joules_then);
            // A counter that fell began anew, with its driver.
            if time > 0.0 && drawn >= 0.0 {
                // Several at once draw what the device draws.
                self.sums.take(((worked - worked_then) / time).clamp(0.0, 1.0), drawn / time);
                self.watts = self.sums.rise().map(|new| self.step(new)).or(self.watts);
            }
        }
        self.watts
    }

    /// Learns from what was drawn since it was last told: a span that nobody reads in between. What it draws, if that is
    /// known. The watts of two moments say nothing of the time between them, so who counts nothing is not learned from.
    pub(crate) fn learn(&mut self, now: Duration, reading: EnergyReading, worked: Duration) -> Option<f64> {
        match reading {
            EnergyReading::Counted(_) => self.read(now, reading),
            EnergyReading::Drawn(_) => return self.watts,
        }
        self.end_span(worked)
    }

    /// The next span has nothing to do with the one under way.
    pub(crate) fn interrupt(&mut self) {
        self.begin = None;
    }

    /// What was found by now was measured: what is learned from now on stays near it.
    pub(crate) fn is_measured(&mut self) {
        self.interrupt();
        self.measured = self.watts;
    }

    fn step(&self, new: f64) -> f64 {
        let near = |new: f64, old: Option<f64>, by: f64| old.map_or(new, |old| new.clamp(old / by, old * by));
        near(near(new, self.watts, STEP_MAX), self.measured, LEARNED_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device on a clock, which draws 50 W, and 200 W more while it works.
    #[derive(Default)]
    struct Bench {
        meter: Wattmeter,
        now: f64,
        joules: f64,
        worked: f64,
    }

    impl Bench {
        fn span(&mut self, seconds: f64, part: f64, work: f64) -> Option<f64> {
            self.now += seconds;
            self.worked += part * seconds;
            self.joules += (50.0 + work * part) * seconds;
            self.meter.read(Duration::from_secs_f64(self.now), EnergyReading::Counted(self.joules));
            self.meter.end_span(Duration::from_secs_f64(self.worked))
        }
    }

    fn is_near(found: Option<f64>, watts: f64) -> bool {
        found.is_some_and(|found| (found / watts - 1.0).abs() < 1e-6)
    }

    #[test]
    fn an_idle_second_and_a_busy_one_are_enough() {
        let mut bench = Bench::default();
        assert_eq!(bench.span(1.0, 0.0, 200.0), None, "the first reading begins");
        assert_eq!(bench.span(1.0, 0.0, 200.0), None, "what it draws idle says nothing of work");
        assert!(is_near(bench.span(1.0, 1.0, 200.0), 200.0));
    }

    #[test]
    fn runs_of_a_session_teach_and_spans_that_are_alike_do_not() {
        let mut bench = Bench::default();
        let parts = [0.0, 0.0, 1.0];
        assert!(is_near(parts.map(|part| bench.span(1.0, part, 200.0))[2], 200.0));
        // Real queries draw more than what it was measured with.
        let learned = (0..60).map(|n| bench.span(60.0, [0.1, 0.8, 0.4][n % 3], 300.0)).last().flatten();
        assert!(learned.is_some_and(|watts| (watts / 300.0 - 1.0).abs() < 0.01), "{learned:?}");
        let alike = [(0.5, 300.0), (0.501, 500.0)];
        let steady = (0..300).map(|n| bench.span(60.0, alike[n % 2].0, alike[n % 2].1)).last().flatten();
        assert!(steady.is_some_and(|watts| (200.0..600.0).contains(&watts)), "{steady:?}: that is not the work");
    }

    #[test]
    fn what_was_measured_is_not_left_far_behind() {
        let mut bench = Bench::default();
        let parts = [0.0, 0.0, 1.0];
        assert!(is_near(parts.map(|part| bench.span(1.0, part, 200.0))[2], 200.0));
        bench.meter.is_measured();
        let more = (0..60).map(|n| bench.span(60.0, [0.0, 1.0][n % 2], 900.0)).last().flatten();
        assert!(is_near(more, 400.0), "{more:?}");
        let less = (0..60).map(|n| bench.span(60.0, [0.0, 1.0][n % 2], 1.0)).last().flatten();
        assert!(is_near(less, 100.0), "{less:?}");
    }

    #[test]
    fn one_odd_span_does_not_move_it_far() {
        let mut bench = Bench::default();
        let parts = [0.0, 0.0, 1.0];
        assert!(is_near(parts.map(|part| bench.span(1.0, part, 200.0))[2], 200.0));
        let odd = bench.span(1.0, 1.0, 1e6);
        assert!(is_near(odd, 300.0), "{odd:?}");
        bench.joules = 0.0;
        assert_eq!(bench.span(1.0, 1.0, 200.0), odd, "a counter that began anew says nothing");
    }

    #[test]
    fn watts_of_two_moments_a_minute_apart_are_not_learned_from() {
        let (mut drawn, mut counted) = (Wattmeter::default(), Wattmeter::default());
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
        let mut meter = Wattmeter::default();
        let mut read = |tenths: u64, watts: f64| {
            meter.read(Duration::from_millis(100 * tenths), EnergyReading::Drawn(watts));
        };
        read(0, 40.0);
        let idle = meter.end_span(Duration::ZERO);
        (1..=10).for_each(|tenths| meter.read(Duration::from_millis(100 * tenths), EnergyReading::Drawn(40.0)));
        let still = meter.end_span(Duration::ZERO);
        meter.interrupt();
        meter.read(Duration::from_secs(2), EnergyReading::Drawn(140.0));
        let begun = meter.end_span(Duration::ZERO);
        (21..=30).for_each(|tenths| meter.read(Duration::from_millis(100 * tenths), EnergyReading::Drawn(140.0)));
        assert_eq!((idle, still, begun), (None, None, None));
        assert!(is_near(meter.end_span(Duration::from_secs(1)), 100.0));
    }
}
