//! Abandoned launches and copies: kept while they run, dropped when they end.

use super::work::Work;
use super::{NEVER, SimDevice, SimState};
use crate::{CopyId, DeviceResult, HostBuffer, LaunchId, Outcome};

impl SimDevice {
    /// Ends hung work at the current time, like a driver that recovers.
    pub fn recover(&self) {
        let (mut state, now) = (self.lock(), self.clock.now());
        let hung: Vec<_> = state.queue.extract_if((NEVER, 0).., |_, _| true).collect();
        for ((_, number), work) in hung {
            // An abandoned copy has no end time to change.
            if let Some(end) = state.ends.get_mut(&number) {
                *end = now;
            }
            state.queue.insert((now, number), work);
        }
        for end in state.streams.values_mut().filter(|end| **end == NEVER) {
            *end = now;
        }
        state.settle(now);
    }
}

impl SimState {
    /// Stores the outcome of a launch, unless it was abandoned.
    pub(super) fn launch_ended(&mut self, launch: LaunchId, outcome: DeviceResult<Outcome>) {
        if self.forgotten.remove(&launch) {
            self.ends.remove(&launch.0);
        } else {
            self.launches.insert(launch, outcome);
        }
    }

    /// Abandons a launch.
    pub(super) fn forget(&mut self, launch: LaunchId) {
        if self.launches.remove(&launch).is_some() {
            self.ends.remove(&launch.0);
        } else if self.queue.keys().any(|(_, number)| *number == launch.0) {
            self.forgotten.insert(launch);
        }
    }

    /// The scratch memory of abandoned launches.
    pub(super) fn forgotten_scratch(&self) -> u64 {
        let scratch = |work: &Work| match work {
            Work::Launch(launch) if self.forgotten.contains(&launch.id) => launch.scratch,
            Work::Launch(_) | Work::CopyIn { .. } | Work::CopyOut { .. } => 0,
        };
        self.queue.values().map(scratch).sum()
    }

    /// Stores the result of a copy, unless it was abandoned.
    pub(super) fn copy_ended(&mut self, copy: CopyId, staging: HostBuffer) {
        if self.ends.contains_key(&copy.0) {
            self.copies.insert(copy, staging);
        }
    }

    /// Abandons a copy.
    pub(super) fn forget_copy(&mut self, copy: CopyId) {
        self.ends.remove(&copy.0);
        self.copies.remove(&copy);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::sim::{SimDevice, SimFault, SimOptions, SimSpeed};
    use crate::{BufferRange, Device, DeviceErrorKind, Download, Priority};
    use std::time::Duration;

    /// A byte takes a millisecond: three copies of 8, 80 and 8 bytes.
    #[test]
    fn copies_that_time_out_are_abandoned() {
        let speed = SimSpeed { copy: Duration::ZERO, link_bytes_per_second: 1000.0, ..SimSpeed::default() };
        for (timeout, landed) in [(4, 0), (10, 1), (100, 3)] {
            let device = SimDevice::new(SimOptions { speed, ..SimOptions::default() });
            let stream = device.open_stream(Priority::Normal).unwrap();
            let from = BufferRange { buffer: device.allocate(80).unwrap(), offset: 0, bytes: 80 };
            device.upload(stream, &[7; 80], from).unwrap();
            device.clock().advance(Duration::from_millis(80));
            let (mut bytes, mut under_way) = ([vec![0; 8], vec![0; 80], vec![0; 8]], 0);
            let part = |destination: &[u8]| BufferRange { bytes: destination.len() as u64, ..from };
            let mut parts: Vec<Download<'_>> =
                bytes.iter_mut().map(|destination| Download { from: part(destination), destination }).collect();
            let while_copying = &mut || under_way = device.copies();
            let done = device.download_while(stream, &mut parts, Duration::from_millis(timeout), while_copying);
            let timed_out = done.is_err_and(|error| error.kind == DeviceErrorKind::Timeout);
            let came = bytes.iter().filter(|part| part.iter().all(|byte| *byte == 7)).count();
            assert_eq!((timed_out, came), (landed < 3, landed), "{timeout} ms");
            assert_eq!((under_way, device.copies()), (3, 0), "{timeout} ms");
            let late = device.download(stream, from, &mut [0; 80], Duration::from_millis(timeout.min(10)));
            assert_eq!((late.map_err(|error| error.kind), device.copies()), (Err(DeviceErrorKind::Timeout), 0));
            device.free(from.buffer);
            assert_eq!(device.memory().used, 80, "what is under way needs it");
            device.clock().advance(Duration::from_secs(1));
            assert_eq!((device.memory().used, device.copies()), (0, 0), "done, and nobody asks");
        }
    }

    /// One copy of several ranges arrives as a whole or not at all, and costs as much as a single copy.
    #[test]
    fn a_copy_of_several_ranges_is_all_or_nothing() {
        let speed = SimSpeed { copy: Duration::from_millis(10), link_bytes_per_second: 1e6, ..SimSpeed::default() };
        let failing = SimFault::CopyOutFails { copy: 1, kind: DeviceErrorKind::Transient };
        let device = SimDevice::new(SimOptions { speed, faults: vec![failing], ..SimOptions::default() });
        let stream = device.open_stream(Priority::Normal).unwrap();
        let from = BufferRange { buffer: device.allocate(600).unwrap(), offset: 0, bytes: 600 };
        device.upload(stream, &[7; 600], from).unwrap();
        device.clock().advance(Duration::from_secs(1));
        let (fine, late, failed) = (Ok(()), Err(DeviceErrorKind::Timeout), Err(DeviceErrorKind::Transient));
        for (timeout, expected) in [(20, fine), (10, late), (20, failed), (20, fine)] {
            let (mut bytes, trips) = ([vec![0; 300], vec![0; 0], vec![0; 100]], device.round_trips());
            let part = |destination: &[u8]| BufferRange { bytes: destination.len() as u64, offset: 200, ..from };
            let mut parts: Vec<Download<'_>> =
                bytes.iter_mut().map(|destination| Download { from: part(destination), destination }).collect();
            let start = device.clock().now();
            let done = device.download_all(stream, &mut parts, Duration::from_millis(timeout));
            assert_eq!(done.map_err(|error| error.kind), expected);
            let value = if expected.is_ok() { 7 } else { 0 };
            assert!(bytes.iter().flatten().all(|byte| *byte == value), "{expected:?}");
            let took = device.clock().now() - start;
            assert!(took <= Duration::from_micros(10_400), "the bytes of all, and one start: {took:?}");
            assert_eq!((device.round_trips() - trips, device.copies()), (1, 0), "{expected:?}");
            device.clock().advance(Duration::from_secs(1));
        }
        assert_eq!(device.fired(), [failing]);
    }
}
