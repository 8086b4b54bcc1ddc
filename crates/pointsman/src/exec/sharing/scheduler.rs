//! [`ShareScheduler`]: how many rows each device of a shared stage gets next.
//!
//! A batch is a part of the device's share of the rows that are left. Shares follow the devices' rates: measured in this
//! stage, else predicted, else equal. Batches shrink towards the end (guided self-scheduling), and a device that would end
//! after the others gets no more, so all devices end at about the same time.
//!
//! If no prediction says that the stage is worth sharing, the first device measures it alone in the first batches.

use pointsman_ir::kernel::LEAF_ROWS;
use std::time::Duration;

/// The part of its share that a device gets in one batch: up to three batches are on a device at once.
const BATCH_PART: f64 = 1.0 / 6.0;
/// A batch should not take less time than this: launches and copies cost something, too.
const BATCH_TIME_MIN: Duration = Duration::from_micros(200);
/// The first batch of a device is at most this fraction of the stage: with a predicted rate, and without one.
const FIRST_FRACTION: usize = 64;
const UNKNOWN_FIRST_FRACTION: usize = 1024;
/// How many times as large as the one before a batch may be: among others, and while the first device measures.
const BATCH_GROWTH: usize = 2;
const MEASURED_GROWTH: usize = 8;
/// The other devices start if the first one takes longer than this for a batch that it measures.
const MEASURED_TIME_MAX: Duration = Duration::from_millis(100);
/// A batch hangs if it takes `HANG_FACTOR` times as long as it should, and at least `HANG_TIME_MIN`.
const HANG_FACTOR: f64 = 10.0;
const HANG_TIME_MIN: Duration = Duration::from_secs(1);

/// Decides which device of a shared stage gets how many rows.
pub(super) struct ShareScheduler {
    rows: usize,
    pub(super) devices: Vec<DeviceProgress>,
    mode: SchedulerMode,
    /// A stage that takes the first device less time than this is not worth sharing.
    share_time_min: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SchedulerMode {
    /// The first device works alone until its rate says whether the stage is worth sharing.
    Measuring,
    /// The stage is not worth sharing: the first device runs the rest.
    Single,
    Shared,
}

/// What a device does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A batch of this many leaves.
    Batch(usize),
    /// Finish a batch first.
    Later,
    /// No batch is left for this device.
    Nothing,
    /// Start the other devices, then ask again.
    StartOthers,
}

/// A device's part of a stage so far.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceProgress {
    /// Rows per second: predicted, and measured before the other devices started.
    predicted: Option<f64>,
    measured_alone: Option<f64>,
    window: RateWindow,
    /// Whether it stopped asking for batches: it failed, or there was nothing left for it.
    has_stopped: bool,
    has_failed: bool,
    /// When the last batch was handed out, and its leaves.
    last_start: Duration,
    leaves: usize,
    rows_in_flight: usize,
    pub(super) rows: usize,
    pub(super) batches: usize,
}

/// The batches from which a device's rate is measured.
#[derive(Clone, Debug, Default)]
struct RateWindow {
    start: Option<Duration>,
    /// When the first batch ended, and its rows.
    first_end: Option<(Duration, usize)>,
    last_end: Duration,
    rows: usize,
    batches: usize,
}

impl RateWindow {
    /// Rows per second; of several batches without the first one, which overlapped with none.
    fn rate(&self) -> Option<f64> {
        let (first_end, first_rows) = self.first_end?;
        let (rows, time) = match self.batches {
            1 => (self.rows, first_end.saturating_sub(self.start?)),
            _ => (self.rows - first_rows, self.last_end.saturating_sub(first_end)),
        };
        // The CPU takes no time on a virtual clock.
        Some(rows.max(1) as f64 / time.max(Duration::from_nanos(1)).as_secs_f64())
    }
}

impl DeviceProgress {
    fn new(predicted: Option<f64>) -> DeviceProgress {
        DeviceProgress { predicted, ..DeviceProgress::default() }
    }

    fn measured(&self) -> Option<f64> {
        if self.window.batches > 1 { self.window.rate() } else { self.measured_alone.or(self.window.rate()) }
    }

    fn rate(&self) -> Option<f64> {
        let prediction = self.predicted.filter(|_| self.window.batches <= 1 && self.measured_alone.is_none());
        prediction.or(self.measured())
    }
}

impl ShareScheduler {
    /// A stage of `rows` rows for devices with these predicted rates, in rows per second.
    pub(super) fn new(rows: usize, predicted: &[Option<f64>], share_time_min: Duration) -> ShareScheduler {
        let devices = predicted.iter().map(|rate| DeviceProgress::new(*rate)).collect();
        let known = predicted.first().copied().flatten().map(|rate| rows as f64 / rate);
        let is_shared = share_time_min.is_zero() || known.is_some_and(|time| time >= share_time_min.as_secs_f64());
        let mode = if is_shared { SchedulerMode::Shared } else { SchedulerMode::Measuring };
        ShareScheduler { rows, devices, mode, share_time_min }
    }

    /// Adds devices with these predicted rates; from now on all devices work. Rates are measured anew: starting the others
    /// took time.
    pub(super) fn share_with(&mut self, predicted: &[Option<f64>]) {
        for device in self.devices.iter_mut().filter(|device| device.rows_in_flight == 0) {
            device.measured_alone = device.measured();
            device.window = RateWindow::default();
        }
        self.devices.extend(predicted.iter().map(|rate| DeviceProgress::new(*rate)));
        self.mode = SchedulerMode::Shared;
    }

    /// Whether only the first device works so far.
    pub(super) fn is_measuring(&self) -> bool {
        self.mode == SchedulerMode::Measuring
    }

    /// Whether the first device has measured for so long that the others should start.
    pub(super) fn is_overdue(&self, now: Duration) -> bool {
        let started = self.devices.first().map_or(now, |first| first.last_start);
        self.is_measuring() && now.saturating_sub(started) >= MEASURED_TIME_MAX
    }

    /// Lets all devices ask for batches again that have not failed.
    pub(super) fn restart(&mut self) {
        self.devices.iter_mut().for_each(|device| device.has_stopped = device.has_failed);
    }

    /// A device failed.
    pub(super) fn fail(&mut self, device: usize) {
        (self.devices[device].has_failed, self.devices[device].has_stopped) = (true, true);
        self.mode = SchedulerMode::Shared;
    }

    /// Whether no other device works.
    pub(super) fn is_alone(&self, device: usize) -> bool {
        self.mode == SchedulerMode::Single || self.mode == SchedulerMode::Shared && self.others(device).next().is_none()
    }

    /// What a device does next, if `left` rows are left.
    pub(super) fn next(&mut self, device: usize, left: usize) -> Turn {
        match self.mode {
            SchedulerMode::Measuring => self.measure(left),
            SchedulerMode::Single => Turn::Batch(leaves(left)),
            SchedulerMode::Shared => {
                let own = &self.devices[device];
                let (is_busy, is_unknown) = (own.rows_in_flight > 0, own.rate().is_none());
                let batch = self.batch(device, left);
                let is_refused = is_busy && is_unknown || self.ends_last(device, batch * LEAF_ROWS, left);
                match is_refused {
                    true if is_busy => Turn::Later,
                    true => self.stop(device),
                    false => Turn::Batch(batch),
                }
            }
        }
    }

    /// Nothing is left for a device.
    pub(super) fn stop(&mut self, device: usize) -> Turn {
        self.devices[device].has_stopped = true;
        Turn::Nothing
    }

    /// The next batch of the first device, which measures whether the stage is worth sharing.
    fn measure(&mut self, left: usize) -> Turn {
        let first = &self.devices[0];
        if first.rows_in_flight > 0 {
            return Turn::Later;
        }
        let took = first.window.last_end.saturating_sub(first.last_start);
        match first.measured().filter(|_| took >= BATCH_TIME_MIN.min(self.share_time_min)) {
            None => {
                Turn::Batch((MEASURED_GROWTH * first.leaves).max(leaves(self.rows) / UNKNOWN_FIRST_FRACTION).max(1))
            }
            Some(rate) if left as f64 / rate < self.share_time_min.as_secs_f64() => {
                self.mode = SchedulerMode::Single;
                Turn::Batch(leaves(left))
            }
            Some(_) => Turn::StartOthers,
        }
    }

    /// The other devices that still ask for batches.
    fn others(&self, device: usize) -> impl Iterator<Item = &DeviceProgress> {
        let all = self.devices.iter().enumerate();
        all.filter(move |(number, other)| *number != device && !other.has_stopped).map(|(_, other)| other)
    }

    /// The leaves of a device's next batch.
    fn batch(&self, device: usize, left: usize) -> usize {
        let own = &self.devices[device];
        let working = || self.others(device).chain([own]);
        let known = || working().filter_map(DeviceProgress::rate);
        // Devices whose rate is unknown count as average.
        let average = known().sum::<f64>() / known().count().max(1) as f64;
        let share = match own.rate() {
            Some(rate) => rate / average / working().count() as f64,
            None => 1.0 / working().count() as f64,
        };
        let least = own.rate().unwrap_or(0.0) * BATCH_TIME_MIN.as_secs_f64();
        let rows = (left as f64 * share * BATCH_PART).max(least);
        let fraction = if own.predicted.is_some() { FIRST_FRACTION } else { UNKNOWN_FIRST_FRACTION };
        let most = if own.leaves == 0 { leaves(self.rows) / fraction } else { BATCH_GROWTH * own.leaves };
        ((rows / LEAF_ROWS as f64) as usize).min(most).max(1)
    }

    /// Whether a device with one more batch would end after the others, if those ran all rows that are left.
    fn ends_last(&self, device: usize, batch: usize, left: usize) -> bool {
        let own = &self.devices[device];
        let rates: Option<f64> = self.others(device).map(DeviceProgress::measured).sum();
        let (Some(own_rate), Some(rate)) = (own.rate(), rates.filter(|rate| *rate > 0.0)) else { return false };
        let others_rows = self.others(device).map(|other| other.rows_in_flight).sum::<usize>() + left;
        (own.rows_in_flight + batch) as f64 / own_rate > others_rows as f64 / rate
    }

    /// A batch of `rows` rows is handed to a device.
    pub(super) fn start_batch(&mut self, device: usize, rows: usize, now: Duration) {
        let own = &mut self.devices[device];
        own.window.start.get_or_insert(now);
        (own.last_start, own.leaves) = (now, leaves(rows));
        own.rows_in_flight += rows;
    }

    /// A device gave a batch back.
    pub(super) fn cancel_batch(&mut self, device: usize, rows: usize) {
        let own = &mut self.devices[device];
        own.rows_in_flight = own.rows_in_flight.saturating_sub(rows);
    }

    /// A device finished a batch.
    pub(super) fn end_batch(&mut self, device: usize, rows: usize, now: Duration) {
        self.cancel_batch(device, rows);
        let own = &mut self.devices[device];
        (own.rows, own.batches) = (own.rows + rows, own.batches + 1);
        let window = &mut own.window;
        (window.rows, window.batches, window.last_end) = (window.rows + rows, window.batches + 1, now);
        window.first_end.get_or_insert((now, rows));
    }

    /// How long a batch of `rows` rows may take a device before others run it: by the device's rate, else as if the others
    /// ran the whole stage; unlimited if there are no others, or nothing is measured.
    pub(super) fn timeout(&self, device: usize, rows: usize) -> Duration {
        let is_other = |(number, other): &(usize, &DeviceProgress)| *number != device && !other.has_failed;
        let others = || self.devices.iter().enumerate().filter(is_other);
        let rate: f64 = others().filter_map(|(_, other)| other.measured()).sum();
        let time = match self.devices[device].measured() {
            _ if others().next().is_none() => return Duration::MAX,
            Some(own) => rows as f64 / own,
            None => self.rows as f64 / rate,
        };
        Duration::try_from_secs_f64(HANG_FACTOR * time).unwrap_or(Duration::MAX).max(HANG_TIME_MIN)
    }
}

/// How many leaves these rows take; at least one.
fn leaves(rows: usize) -> usize {
    rows.div_ceil(LEAF_ROWS).max(1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Runs a stage on devices that take this many milliseconds for a leaf, one batch at a time: when each device ended,
    /// and its leaves.
    fn simulate(leaves: usize, mut scheduler: ShareScheduler, times: &[u32]) -> (Vec<Duration>, Vec<usize>) {
        let (mut ends, mut left) = (vec![Duration::ZERO; times.len()], leaves * LEAF_ROWS);
        let mut batches = vec![0; times.len()];
        loop {
            let asking = (0..times.len()).filter(|device| !scheduler.devices[*device].has_stopped);
            let Some(device) = asking.min_by_key(|device| ends[*device]) else { break };
            if batches[device] > 0 {
                scheduler.end_batch(device, batches[device], ends[device]);
                batches[device] = 0;
            }
            let turn = if left == 0 { scheduler.stop(device) } else { scheduler.next(device, left) };
            match turn {
                Turn::Batch(count) => {
                    let rows = left.min(count * LEAF_ROWS);
                    scheduler.start_batch(device, rows, ends[device]);
                    (left, batches[device]) = (left - rows, rows);
                    ends[device] += Duration::from_millis((rows / LEAF_ROWS) as u64) * times[device];
                }
                Turn::Nothing => {}
                Turn::Later | Turn::StartOthers => unreachable!("{turn:?}"),
            }
        }
        assert_eq!(left, 0);
        (ends, scheduler.devices.iter().map(|device| device.rows / LEAF_ROWS).collect())
    }

    fn rates(times: &[u32]) -> Vec<Option<f64>> {
        times.iter().map(|time| Some(1000.0 * LEAF_ROWS as f64 / f64::from(*time))).collect()
    }

    #[test]
    fn all_devices_end_at_the_same_time() {
        for times in [&[1, 1][..], &[1, 3], &[3, 1], &[1, 20], &[2, 3, 5]] {
            let ideal = 1000.0 / times.iter().map(|time| 1.0 / f64::from(*time)).sum::<f64>();
            let wrong: Vec<u32> = times.iter().rev().copied().collect();
            // Right predictions, none, and wrong ones, which the first batches correct.
            for predicted in [rates(times), vec![None; times.len()], rates(&wrong)] {
                let scheduler = ShareScheduler::new(1000 * LEAF_ROWS, &predicted, Duration::ZERO);
                let (ends, leaves) = simulate(1000, scheduler, times);
                let end = ends.iter().max().unwrap().as_secs_f64() * 1000.0;
                assert!(end <= 1.05 * ideal, "{times:?} by {predicted:?}: {end} ms instead of {ideal}, {leaves:?}");
                assert_eq!(leaves.iter().sum::<usize>(), 1000);
            }
        }
    }

    #[test]
    fn slow_device_does_not_delay_the_end() {
        let scheduler = ShareScheduler::new(100 * LEAF_ROWS, &rates(&[1, 60]), Duration::ZERO);
        let (ends, leaves) = simulate(100, scheduler, &[1, 60]);
        assert!(*ends.iter().max().unwrap() <= Duration::from_millis(101), "{ends:?}, {leaves:?}");
    }

    /// The first device runs batches alone, each of which takes this long for a leaf, until something is decided.
    fn measure(leaf: Duration, leaves: usize, share_time_min: Duration) -> (ShareScheduler, usize, Turn) {
        let mut scheduler = ShareScheduler::new(leaves * LEAF_ROWS, &[None], share_time_min);
        let (mut left, mut now) = (leaves, Duration::ZERO);
        loop {
            let turn = scheduler.next(0, left * LEAF_ROWS);
            match turn {
                Turn::Batch(count) if scheduler.is_measuring() => {
                    scheduler.start_batch(0, count * LEAF_ROWS, now);
                    assert_eq!(scheduler.next(0, left), Turn::Later);
                    now += leaf * count as u32;
                    scheduler.end_batch(0, count * LEAF_ROWS, now);
                    left -= count;
                }
                turn => return (scheduler, left, turn),
            }
        }
    }

    #[test]
    fn short_stage_is_left_to_the_first_device() {
        let (time, least) = (Duration::from_micros(10), Duration::from_millis(5));
        let (scheduler, left, turn) = measure(time, 200, least);
        assert_eq!((turn, scheduler.is_alone(0)), (Turn::Batch(left), true), "1.9 ms are left");
        assert_eq!(measure(time, 2000, least).2, Turn::StartOthers);
        let predicted = ShareScheduler::new(2000 * LEAF_ROWS, &[Some(LEAF_ROWS as f64 * 1e5)], least);
        assert!(!predicted.is_measuring(), "20 ms are predicted");
    }

    #[test]
    fn others_start_if_the_first_device_takes_too_long() {
        let mut scheduler = ShareScheduler::new(10 * LEAF_ROWS, &[None], SECOND);
        assert_eq!(scheduler.next(0, 10 * LEAF_ROWS), Turn::Batch(1));
        scheduler.start_batch(0, LEAF_ROWS, SECOND);
        assert!(
            !scheduler.is_overdue(SECOND + MEASURED_TIME_MAX / 2) && scheduler.is_overdue(SECOND + MEASURED_TIME_MAX)
        );
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), Duration::MAX, "there are no others");
        scheduler.share_with(&[None]);
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), Duration::MAX, "the other has not shown its rate");
        scheduler.start_batch(1, LEAF_ROWS, SECOND);
        scheduler.end_batch(1, LEAF_ROWS, 2 * SECOND);
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), 100 * SECOND, "the other could run the stage ten times");
        assert_eq!(scheduler.timeout(1, LEAF_ROWS), 10 * SECOND);
        scheduler.end_batch(0, LEAF_ROWS, 4 * SECOND);
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), 30 * SECOND, "its own rate");
        scheduler.fail(1);
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), Duration::MAX);
    }
}
