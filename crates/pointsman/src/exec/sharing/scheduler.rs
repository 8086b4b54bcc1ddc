//! [`ShareScheduler`]: how many rows each device of a shared stage gets next.
//!
//! A batch is a part of the device's share of the rows that are left. Shares follow the devices' rates: measured in this
//! stage, else predicted, else equal. Batches shrink towards the end (guided self-scheduling), and a device that would end
//! after the others gets no more, so all devices end at about the same time.

use crate::exec::batch_source::NextBatch;
use pointsman_ir::kernel::LEAF_ROWS;
use std::time::Duration;

/// The part of its share that a device gets in one batch: up to three batches are on a device at once.
const BATCH_PART: f64 = 1.0 / 6.0;
/// A batch should not take less time than this: launches and copies cost something, too.
const BATCH_TIME_MIN: Duration = Duration::from_micros(200);
/// The first batch of a device is at most this fraction of the stage: if all rates are predicted, and if not. Large batches
/// of one device could keep another from showing its rate.
const FIRST_FRACTION: usize = 64;
const UNKNOWN_FIRST_FRACTION: usize = 1024;
/// How many times as large as the one before a batch may be.
const BATCH_GROWTH: usize = 2;
/// A batch hangs if it takes `HANG_FACTOR` times as long as it should, and at least `HANG_TIME_MIN`.
const HANG_FACTOR: f64 = 10.0;
const HANG_TIME_MIN: Duration = Duration::from_secs(1);

/// Decides which device of a shared stage gets how many rows.
pub(super) struct ShareScheduler {
    pub(super) rows: usize,
    pub(super) devices: Vec<DeviceProgress>,
}

/// A device's part of a stage so far.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceProgress {
    /// The predicted rows per second.
    predicted: Option<f64>,
    /// Whether it stopped asking for batches: it failed, or there was nothing left for it.
    has_stopped: bool,
    has_failed: bool,
    /// When the first batch was handed out.
    start: Option<Duration>,
    /// When the first batch ended, and its rows.
    first_end: Option<(Duration, usize)>,
    last_end: Duration,
    /// The leaves of the last batch that was handed out.
    leaves: usize,
    rows_in_flight: usize,
    pub(super) rows: usize,
    pub(super) batches: usize,
}

impl DeviceProgress {
    /// The measured rows per second; of several batches without the first one, which overlapped with none.
    fn measured(&self) -> Option<f64> {
        let (first_end, first_rows) = self.first_end?;
        let (rows, time) = match self.batches {
            1 => (self.rows, first_end.saturating_sub(self.start?)),
            _ => (self.rows - first_rows, self.last_end.saturating_sub(first_end)),
        };
        // The CPU takes no time on a virtual clock.
        Some(rows.max(1) as f64 / time.max(Duration::from_nanos(1)).as_secs_f64())
    }

    /// Rows per second: measured from two batches on, before that as predicted.
    fn rate(&self) -> Option<f64> {
        self.predicted.filter(|_| self.batches <= 1).or(self.measured())
    }
}

impl ShareScheduler {
    /// A stage of `rows` rows for devices with these predicted rates, in rows per second.
    pub(super) fn new(rows: usize, predicted: impl IntoIterator<Item = Option<f64>>) -> ShareScheduler {
        let device = |predicted| DeviceProgress { predicted, ..DeviceProgress::default() };
        ShareScheduler { rows, devices: predicted.into_iter().map(device).collect() }
    }

    /// Lets all devices ask for batches again that have not failed.
    pub(super) fn restart(&mut self) {
        self.devices.iter_mut().for_each(|device| device.has_stopped = device.has_failed);
    }

    /// A device failed.
    pub(super) fn fail(&mut self, device: usize) {
        (self.devices[device].has_failed, self.devices[device].has_stopped) = (true, true);
    }

    /// What a device does next, if `left` rows are left.
    pub(super) fn next(&mut self, device: usize, left: usize) -> NextBatch<usize> {
        let own = &self.devices[device];
        let (is_busy, is_unknown) = (own.rows_in_flight > 0, own.rate().is_none());
        let batch = self.batch(device, left);
        let is_refused = is_busy && is_unknown || self.ends_last(device, batch, left);
        match is_refused {
            true if is_busy => NextBatch::Later,
            true => self.stop(device),
            false => NextBatch::Rows(batch),
        }
    }

    /// Nothing is left for a device.
    pub(super) fn stop(&mut self, device: usize) -> NextBatch<usize> {
        self.devices[device].has_stopped = true;
        NextBatch::Nothing
    }

    /// The other devices that still ask for batches.
    fn others(&self, device: usize) -> impl Iterator<Item = &DeviceProgress> {
        let all = self.devices.iter().enumerate();
        all.filter(move |(number, other)| *number != device && !other.has_stopped).map(|(_, other)| other)
    }

    /// The rows of a device's next batch, in whole leaves.
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
        let is_known = self.devices.iter().all(|device| device.predicted.is_some());
        let fraction = if is_known { FIRST_FRACTION } else { UNKNOWN_FIRST_FRACTION };
        let most = if own.leaves == 0 { leaves(self.rows) / fraction } else { BATCH_GROWTH * own.leaves };
        ((rows / LEAF_ROWS as f64) as usize).min(most).max(1) * LEAF_ROWS
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
        own.start.get_or_insert(now);
        own.leaves = leaves(rows);
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
        (own.rows, own.batches, own.last_end) = (own.rows + rows, own.batches + 1, now);
        own.first_end.get_or_insert((now, rows));
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
                NextBatch::Rows(most) => {
                    let rows = left.min(most);
                    scheduler.start_batch(device, rows, ends[device]);
                    (left, batches[device]) = (left - rows, rows);
                    ends[device] += Duration::from_millis((rows / LEAF_ROWS) as u64) * times[device];
                }
                NextBatch::Nothing => {}
                NextBatch::Later => unreachable!("one batch at a time"),
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
                let scheduler = ShareScheduler::new(1000 * LEAF_ROWS, predicted.iter().copied());
                let (ends, leaves) = simulate(1000, scheduler, times);
                let end = ends.iter().max().unwrap().as_secs_f64() * 1000.0;
                assert!(end <= 1.05 * ideal, "{times:?} by {predicted:?}: {end} ms instead of {ideal}, {leaves:?}");
                assert_eq!(leaves.iter().sum::<usize>(), 1000);
            }
        }
    }

    #[test]
    fn slow_device_does_not_delay_the_end() {
        let scheduler = ShareScheduler::new(100 * LEAF_ROWS, rates(&[1, 60]));
        let (ends, leaves) = simulate(100, scheduler, &[1, 60]);
        assert!(*ends.iter().max().unwrap() <= Duration::from_millis(101), "{ends:?}, {leaves:?}");
    }

    #[test]
    fn device_hangs_if_others_could_do_its_batch_many_times() {
        let mut scheduler = ShareScheduler::new(10 * LEAF_ROWS, [None]);
        scheduler.start_batch(0, LEAF_ROWS, SECOND);
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), Duration::MAX, "there are no others");
        let mut scheduler = ShareScheduler::new(10 * LEAF_ROWS, [None; 2]);
        assert_eq!(scheduler.next(0, 10 * LEAF_ROWS), NextBatch::Rows(LEAF_ROWS));
        scheduler.start_batch(0, LEAF_ROWS, SECOND);
        assert_eq!(scheduler.next(0, 9 * LEAF_ROWS), NextBatch::Later, "its rate is unknown");
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
