//! [`ShareScheduler`]: decides which rows each device of a shared stage gets next.
//!
//! Rows are split by the devices' rates: as predicted for the first batches, then as measured in this stage. A batch is
//! a fraction of the device's share of the remaining rows, so batches shrink towards the end (guided self-scheduling).
//! A device that would finish after the others gets no more rows, so all devices finish at about the same time.

use pointsman_ir::kernel::LEAF_ROWS;
use std::ops::Range;
use std::time::Duration;

/// The part of its share that a device gets in one batch: up to three batches are on a device at once.
const BATCH_PART: f64 = 1.0 / 6.0;
/// The first batch of a device is at most this fraction of the stage: if all rates are predicted, and if not. Large
/// batches of one device could keep another from showing its rate.
const FIRST_FRACTION: usize = 64;
const UNKNOWN_FRACTION: usize = 1024;
/// How many times as large as the one before a batch may be: the copies of a large batch would leave a gap after the
/// runs of small ones.
const BATCH_GROWTH: usize = 2;
/// A batch should not take less time than this: launches and copies cost something, too.
const BATCH_TIME_MIN: Duration = Duration::from_micros(200);
/// A batch hangs if it takes `HANG_FACTOR` times as long as it should, and at least `HANG_TIME_MIN`.
const HANG_FACTOR: f64 = 10.0;
const HANG_TIME_MIN: Duration = Duration::from_secs(1);

/// Hands out the rows of a shared stage.
pub(super) struct ShareScheduler {
    pub(super) rows: usize,
    /// The rows that no device has. The next batch is cut from the last range, so rows that a device gave back come
    /// first. A stage without rows has one empty range.
    rest: Vec<Range<usize>>,
    /// Rows from this one on need not be done.
    pub(super) end: usize,
    pub(super) devices: Vec<DeviceProgress>,
}

/// A device's part of a stage so far.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceProgress {
    /// Rows per second as predicted, and as measured; not measured before the first batch has ended, and after a
    /// failure.
    predicted: Option<f64>,
    measured: Option<f64>,
    /// When the measurement began, and the rows that were done since then.
    start: Option<Duration>,
    timed_rows: usize,
    /// The leaves of the last batch that was handed out.
    leaves: usize,
    rows_in_flight: usize,
    pub(super) rows: usize,
    batches: usize,
    /// Whether it asks for no more batches: it failed, or there was nothing left for it.
    has_stopped: bool,
}

impl DeviceProgress {
    /// Rows per second: as measured from two batches on; before that as predicted, or as measured if nothing was
    /// predicted.
    fn rate(&self) -> Option<f64> {
        self.predicted.filter(|_| self.batches < 2).or(self.measured)
    }
}

impl ShareScheduler {
    /// A stage of `rows` rows for devices with these predicted rates, in rows per second.
    pub(super) fn new(rows: usize, predicted: impl IntoIterator<Item = Option<f64>>) -> ShareScheduler {
        let device = |predicted| DeviceProgress { predicted, ..DeviceProgress::default() };
        let (whole, devices) = (0..rows, predicted.into_iter().map(device).collect());
        ShareScheduler { rows, rest: vec![whole], end: usize::MAX, devices }
    }

    /// Lets all devices that have not failed ask for batches.
    pub(super) fn start(&mut self, failed: impl Iterator<Item = bool>) {
        self.devices.iter_mut().zip(failed).for_each(|(device, failed)| device.has_stopped = failed);
    }

    /// A device asks for no batches in this round.
    pub(super) fn stop(&mut self, device: usize) {
        self.devices[device].has_stopped = true;
    }

    /// A device failed.
    pub(super) fn fail(&mut self, device: usize) {
        (self.devices[device].measured, self.devices[device].has_stopped) = (None, true);
    }

    /// Hands out no row from this one on.
    pub(super) fn stop_at(&mut self, row: usize) {
        self.end = row;
        self.rest.retain(|rows| rows.start < row);
    }

    /// Whether no row is left to hand out. Once no device has a batch, all rows are done.
    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next batch of a device, at most `most` rows; `None` if nothing is left for it.
    pub(super) fn next(&mut self, device: usize, most: usize, now: Duration) -> Option<Range<usize>> {
        let left = self.rest.iter().map(ExactSizeIterator::len).sum();
        let batch = self.batch(device, left).min(most);
        let next = if self.ends_last(device, batch, left) { None } else { self.rest.pop() };
        self.devices[device].has_stopped = next.is_none();
        let Range { start, end } = next?;
        let cut = end.min(start.saturating_add(batch));
        self.rest.extend((cut < end).then_some(cut..end));
        let own = &mut self.devices[device];
        own.start.get_or_insert(now);
        own.rows_in_flight += cut - start;
        own.leaves = (cut - start).div_ceil(LEAF_ROWS);
        Some(start..cut)
    }

    /// The other devices that still ask for batches.
    fn others(&self, device: usize) -> impl Iterator<Item = &DeviceProgress> {
        let all = self.devices.iter().enumerate();
        all.filter(move |(number, other)| *number != device && !other.has_stopped).map(|(_, other)| other)
    }

    /// The rows of a device's next batch, whole leaves, if `left` rows are left.
    fn batch(&self, device: usize, left: usize) -> usize {
        let (own, leaves) = (&self.devices[device], self.rows.div_ceil(LEAF_ROWS));
        let is_known = self.devices.iter().all(|device| device.predicted.is_some());
        let first = leaves / if is_known { FIRST_FRACTION } else { UNKNOWN_FRACTION };
        let batch = match own.rate() {
            None => first,
            Some(rate) => {
                let all = rate + self.others(device).filter_map(DeviceProgress::rate).sum::<f64>();
                let rows = (left as f64 * rate / all * BATCH_PART).max(rate * BATCH_TIME_MIN.as_secs_f64());
                let most = if own.leaves == 0 { first } else { BATCH_GROWTH * own.leaves };
                ((rows / LEAF_ROWS as f64) as usize).min(most)
            }
        };
        batch.max(1) * LEAF_ROWS
    }

    /// Whether a device with one more batch would end after the others, if those ran all rows that are left.
    fn ends_last(&self, device: usize, batch: usize, left: usize) -> bool {
        let own = &self.devices[device];
        let rates: Option<f64> = self.others(device).map(|other| other.measured).sum();
        let (Some(own_rate), Some(rate)) = (own.rate(), rates.filter(|rate| *rate > 0.0)) else { return false };
        let others_rows = self.others(device).map(|other| other.rows_in_flight).sum::<usize>() + left;
        (own.rows_in_flight + batch) as f64 / own_rate > others_rows as f64 / rate
    }

    /// A device gave a batch back.
    pub(super) fn take_back(&mut self, device: usize, rows: Range<usize>) {
        self.devices[device].rows_in_flight -= rows.len();
        self.rest.extend((rows.start < self.end).then_some(rows));
    }

    /// A device finished a batch.
    pub(super) fn end_batch(&mut self, device: usize, rows: usize, now: Duration) {
        let own = &mut self.devices[device];
        own.rows_in_flight -= rows;
        (own.rows, own.batches, own.timed_rows) = (own.rows + rows, own.batches + 1, own.timed_rows + rows);
        // The CPU takes no time on a virtual clock.
        let time = now.saturating_sub(own.start.unwrap_or(now)).max(Duration::from_nanos(1));
        own.measured = Some(own.timed_rows.max(1) as f64 / time.as_secs_f64());
        if own.batches == 1 {
            // The first batch is cold and overlaps with no other: it counts only until the second one ends.
            (own.start, own.timed_rows) = (Some(now), 0);
        }
    }

    /// How long a batch of `rows` rows may take a device before others run it: by the device's rate, else as if the
    /// others ran the whole stage; unlimited if no other device has shown that it works.
    pub(super) fn timeout(&self, device: usize, rows: usize) -> Duration {
        let others = self.devices.iter().enumerate().filter(|(number, _)| *number != device);
        let others: f64 = others.filter_map(|(_, other)| other.measured).sum();
        let time = match self.devices[device].measured {
            Some(own) if others > 0.0 => rows as f64 / own,
            Some(_) | None => self.rows as f64 / others,
        };
        Duration::try_from_secs_f64(HANG_FACTOR * time).unwrap_or(Duration::MAX).max(HANG_TIME_MIN)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Runs a stage on devices that take this many milliseconds for a leaf, one batch at a time: when each device
    /// ended, and its leaves.
    fn simulate(leaves: usize, predicted: &[Option<f64>], times: &[u32]) -> (Vec<Duration>, Vec<usize>) {
        let mut scheduler = ShareScheduler::new(leaves * LEAF_ROWS, predicted.iter().copied());
        let mut ends = vec![Duration::ZERO; times.len()];
        let mut batches = vec![0; times.len()];
        loop {
            let asking = (0..times.len()).filter(|device| !scheduler.devices[*device].has_stopped);
            let Some(device) = asking.min_by_key(|device| ends[*device]) else { break };
            if batches[device] > 0 {
                scheduler.end_batch(device, batches[device], ends[device]);
            }
            let next = scheduler.next(device, usize::MAX, ends[device]);
            batches[device] = next.map_or(0, |rows| rows.len());
            ends[device] += Duration::from_millis((batches[device] / LEAF_ROWS) as u64) * times[device];
        }
        assert!(scheduler.is_done());
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
                let (ends, leaves) = simulate(1000, &predicted, times);
                let end = ends.iter().max().unwrap().as_secs_f64() * 1000.0;
                assert!(end <= 1.05 * ideal, "{times:?} by {predicted:?}: {end} ms instead of {ideal}, {leaves:?}");
                assert_eq!(leaves.iter().sum::<usize>(), 1000);
            }
        }
    }

    #[test]
    fn slow_device_does_not_delay_the_end() {
        let (ends, leaves) = simulate(100, &rates(&[1, 60]), &[1, 60]);
        assert!(*ends.iter().max().unwrap() <= Duration::from_millis(101), "{ends:?}, {leaves:?}");
    }

    #[test]
    fn device_hangs_if_others_could_do_its_batch_many_times() {
        let mut scheduler = ShareScheduler::new(10 * LEAF_ROWS, [None]);
        assert_eq!(scheduler.next(0, usize::MAX, SECOND), Some(0..LEAF_ROWS));
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), Duration::MAX, "there are no others");
        let mut scheduler = ShareScheduler::new(10 * LEAF_ROWS, [None; 2]);
        assert_eq!(scheduler.next(0, usize::MAX, SECOND), Some(0..LEAF_ROWS));
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), Duration::MAX, "the other has not shown its rate");
        assert_eq!(scheduler.next(1, usize::MAX, SECOND), Some(LEAF_ROWS..2 * LEAF_ROWS));
        scheduler.end_batch(1, LEAF_ROWS, 2 * SECOND);
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), 100 * SECOND, "the other could run the stage ten times");
        assert_eq!(scheduler.timeout(1, LEAF_ROWS), Duration::MAX, "the first device may hang");
        scheduler.end_batch(0, LEAF_ROWS, 4 * SECOND);
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), 30 * SECOND, "its own rate");
        assert_eq!(scheduler.timeout(1, LEAF_ROWS), 10 * SECOND);
        scheduler.fail(1);
        assert_eq!(scheduler.timeout(0, LEAF_ROWS), Duration::MAX);
    }

    #[test]
    fn rows_after_a_faulty_one_are_not_assigned() {
        let mut scheduler = ShareScheduler::new(10 * LEAF_ROWS, [None; 2]);
        let batches = [0, 1].map(|device| scheduler.next(device, usize::MAX, SECOND).unwrap());
        scheduler.stop_at(batches[1].start);
        scheduler.take_back(1, batches[1].clone());
        assert!(scheduler.is_done());
        scheduler.take_back(0, batches[0].clone());
        assert_eq!(scheduler.next(1, usize::MAX, SECOND).as_ref(), Some(&batches[0]));
    }
}
