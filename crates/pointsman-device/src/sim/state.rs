//! The work of a simulated device: queued with its end time, and executed when that time has come.

use super::SimState;
use super::work::{Finished, Work};
use crate::{BufferId, DeviceError, DeviceErrorKind, DeviceResult, EventId, StreamId};
use std::time::Duration;

impl SimState {
    /// The memory that a buffer of `bytes` bytes takes.
    pub(super) fn taken(&self, bytes: usize) -> u64 {
        (bytes as u64).next_multiple_of(self.allocation_step)
    }

    /// Takes memory, until it is given back; an error if less is free.
    pub(super) fn take(&mut self, bytes: u64) -> DeviceResult<()> {
        let free = self.memory_bytes - self.used;
        if bytes > free {
            let message = format!("{bytes} bytes asked for, {free} of {} free", self.memory_bytes);
            self.refusals += 1;
            return Err(DeviceError::new(DeviceErrorKind::OutOfMemory, message));
        }
        self.used += bytes;
        self.peak = self.peak.max(self.used);
        Ok(())
    }

    /// A new unique number.
    pub(super) fn id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    /// The end time of a stream's work.
    pub(super) fn stream(&self, stream: StreamId) -> DeviceResult<Duration> {
        let end = self.streams.get(&stream).copied();
        end.ok_or_else(|| DeviceError::invalid(format!("there is no stream {}", stream.0)))
    }

    /// Queues work after the earlier work of its stream and engine.
    pub(super) fn queue(
        &mut self,
        stream: StreamId,
        now: Duration,
        takes: Duration,
        number: u64,
        work: Work,
    ) -> DeviceResult<()> {
        let end = self.engines.occupy(work.engine(), self.stream(stream)?.max(now), takes);
        self.streams.insert(stream, end);
        self.ends.insert(number, end);
        self.trips.queue();
        self.queue.insert((end, number), work);
        Ok(())
    }

    /// Executes the work that is due.
    pub(super) fn settle(&mut self, now: Duration) {
        while let Some(entry) = self.queue.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let ((_, number), work) = entry.remove_entry();
            match work.run(&mut self.memory) {
                Finished::CopyIn => drop(self.ends.remove(&number)),
                Finished::CopyOut(id, staging) => self.copy_ended(id, staging),
                Finished::Launch { id, outcome, happened, scratch } => {
                    self.used -= scratch;
                    self.launch_ended(id, outcome);
                    self.faults.record_fired(happened);
                }
            }
        }
        let unused = |doomed: &BufferId| !self.queue.values().any(|work| work.uses(*doomed));
        let free: Vec<BufferId> = self.doomed.iter().copied().filter(unused).collect();
        for buffer in free {
            self.doomed.remove(&buffer);
            self.used -= self.memory.remove(&buffer).map_or(0, |bytes| self.taken(bytes.len()));
        }
        self.free_indexes();
    }

    /// The time at which an event is reached.
    pub(super) fn event(&self, event: EventId) -> DeviceResult<Duration> {
        let time = self.events.get(&event).copied();
        time.ok_or_else(|| DeviceError::invalid(format!("there is no event {}", event.0)))
    }
}
