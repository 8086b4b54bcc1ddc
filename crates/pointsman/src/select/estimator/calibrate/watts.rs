//! What a device draws while it works, measured: idle for a second, then busy for one. In between its energy is read.

use super::kernels::Work;
use super::memory::Columns;
use super::rig::Rig;
use super::{Clock, Limits};
use crate::error::{Error, Result};
use crate::resilience::cancel::CancellationToken;
use crate::select::estimator::wattmeter::Wattmeter;
use pointsman_device::{Device, DeviceKind, EnergyReading};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long it is idle, and how long busy: drivers count ten times a second.
const SPAN: Duration = Duration::from_secs(1);
/// How often it is read meanwhile, at the most.
const READ_EVERY: Duration = Duration::from_millis(50);
/// How many runs of a simulated device are a span: what it draws is exact, and running takes the processor long.
const SIM_RUNS: u32 = 4;
/// The bytes that it reads again and again: more than its caches hold.
const BYTES: usize = 256 << 20;

/// What a device is measured by.
pub(crate) struct Bench<'b> {
    pub(crate) clock: &'b dyn Clock,
    pub(crate) stop: &'b CancellationToken,
    /// How long queries have kept it busy so far.
    pub(crate) worked: &'b dyn Fn() -> Duration,
}

/// What a device draws while it works, beyond what it draws idle, in watts. The meter can go on from there. An error says why
/// nobody knows, and what to do about it.
pub(crate) fn watts(device: &Arc<dyn Device>, meter: &mut Wattmeter, bench: &Bench<'_>) -> Result<f64> {
    device.energy()?;
    let (rig, limits) = (Rig::open(device)?, Limits::of(&**device));
    let (Some(reader), Some(copier)) = (rig.load(&Work::read())?, rig.load(&Work::copy())?) else {
        return Err(Error::unsupported("it runs no kernel to be measured with"));
    };
    let columns = Columns::new(&rig, limits.bytes_max.min(BYTES))?;
    columns.fill(&rig, &copier, columns.bytes)?;
    let tell = || Ok(device.energy()?);
    let is_sim = device.info().kind == DeviceKind::Sim;
    let mut span = Span { tell: &tell, is_sim, meter, bench, own: Duration::ZERO };
    let found = span.measure(|| columns.read(&rig, &reader, columns.bytes))?;
    found.ok_or_else(|| Error::unsupported("what it draws at work cannot be told from what it draws idle"))
}

/// Spans of a device.
struct Span<'s> {
    /// What the device says of its energy.
    tell: &'s dyn Fn() -> Result<EnergyReading>,
    is_sim: bool,
    meter: &'s mut Wattmeter,
    bench: &'s Bench<'s>,
    /// How long it was kept busy here.
    own: Duration,
}

impl Span<'_> {
    /// What it draws while it does this, if that can be told from what it draws idle.
    fn measure(&mut self, run: impl Fn() -> Result<()>) -> Result<Option<f64>> {
        self.idle()?;
        // The first runs bring it to its full clock, and do not count.
        self.keep_busy(SPAN / 4, &run)?;
        let found = self.busy(SPAN, &run)?;
        self.meter.is_measured();
        Ok(found)
    }

    fn read(&mut self) -> Result<()> {
        if self.bench.stop.is_cancelled() {
            return Err(Error::cancelled());
        }
        self.meter.read(self.bench.clock.now(), (self.tell)()?);
        Ok(())
    }

    fn begin(&mut self) -> Result<()> {
        self.meter.interrupt();
        self.read()?;
        self.end();
        Ok(())
    }

    fn end(&mut self) -> Option<f64> {
        self.meter.end_span((self.bench.worked)() + self.own)
    }

    /// A span in which it is left alone.
    fn idle(&mut self) -> Result<()> {
        self.begin()?;
        for _ in 0..SPAN.as_millis() / READ_EVERY.as_millis() {
            self.bench.clock.sleep(READ_EVERY);
            self.read()?;
        }
        self.end();
        Ok(())
    }

    /// A span in which it does this again and again; what it draws.
    fn busy(&mut self, time: Duration, run: impl Fn() -> Result<()>) -> Result<Option<f64>> {
        self.begin()?;
        let busy = self.keep_busy(time, run)?;
        self.own += busy;
        self.read()?;
        Ok(self.end())
    }

    /// Does this again and again; for how long.
    fn keep_busy(&mut self, time: Duration, run: impl Fn() -> Result<()>) -> Result<Duration> {
        let (start, real) = (self.bench.clock.now(), Instant::now());
        let (mut now, mut read, mut runs) = (start, start, 0);
        let is_sim = self.is_sim;
        // A clock that stands still must not keep it busy for ever.
        let is_over = |now: Duration, runs| match is_sim {
            true => runs == SIM_RUNS,
            false => now.saturating_sub(start) >= time || real.elapsed() >= 2 * SPAN,
        };
        while !is_over(now, runs) {
            run()?;
            runs += 1;
            now = self.bench.clock.now();
            // Reading takes time in which it does not work.
            if now.saturating_sub(read) >= READ_EVERY {
                read = now;
                self.read()?;
            }
        }
        Ok(now.saturating_sub(start))
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
        let tell = || Ok(EnergyReading::Counted(joules.get() + 40.0 * clock.now().as_secs_f64()));
        let run = || {
            let watts = if runs.get() < 5 { 20.0 } else { 200.0 };
            clock.advance(each);
            runs.set(runs.get() + 1);
            joules.set(joules.get() + watts * each.as_secs_f64());
            Ok(())
        };
        let bench = Bench { clock: &clock, stop: &stop, worked: &|| Duration::ZERO };
        let mut meter = Wattmeter::default();
        let mut span = Span { tell: &tell, is_sim: false, meter: &mut meter, bench: &bench, own: Duration::ZERO };
        let found = span.measure(run).expect("it tells what it draws");
        assert!(found.is_some_and(|watts| (watts / 200.0 - 1.0).abs() < 1e-6), "{found:?}");
        assert_eq!(runs.get(), 5 + 20);
    }
}
