//! Virtual time: a clock that only moves on request, and the cost of operations on it.

use crate::sync::{Condvar, Mutex, MutexGuard};
use pointsman_ir::kernel::Estimate;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ThreadId;
use std::time::Duration;

/// A clock that its owners move. Clones show the same time.
///
/// Threads that work concurrently on devices of one clock register with [`expect_threads`](SimClock::expect_threads)
/// first. Then each runs alone until it waits for a point in time, and the thread whose time comes first continues, so
/// time passes for all of them together, and always in the same way.
#[derive(Clone, Debug, Default)]
pub struct SimClock(Arc<ClockState>);

#[derive(Debug, Default)]
struct ClockState {
    now: AtomicU64,
    group: Mutex<ThreadGroup>,
    changed: Condvar,
}

/// Threads that work concurrently.
#[derive(Debug, Default)]
struct ThreadGroup {
    /// The number of threads that are not done.
    expected: usize,
    members: Vec<(ThreadId, usize)>,
    /// The time that each thread waits for, with its number.
    waiting: BTreeSet<(u64, usize)>,
    /// Threads that wait for another to unpark them.
    parked: BTreeSet<usize>,
    /// The thread that runs now.
    running: Option<usize>,
}

impl ThreadGroup {
    /// Lets the next thread continue once all others wait. If all of them are parked, one continues to check its
    /// condition.
    fn choose(&mut self) {
        if self.running.is_none() && self.waiting.len() + self.parked.len() == self.expected {
            let next = self.waiting.pop_first().map(|(_, number)| number);
            self.running = next.or_else(|| self.parked.pop_first());
        }
    }
}

impl SimClock {
    /// A clock at zero.
    pub fn new() -> SimClock {
        SimClock::default()
    }

    /// The time since zero.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.0.now.load(Ordering::Acquire))
    }

    /// Moves the time on. Other registered threads may run first.
    pub fn advance(&self, by: Duration) {
        if self.wait_turn(self.now().saturating_add(by)) {
            return;
        }
        let later = |now: u64| Some(now.saturating_add(nanoseconds(by)));
        // The closure always returns a time, so this never fails.
        let _ = self.0.now.fetch_update(Ordering::AcqRel, Ordering::Acquire, later);
    }

    /// Moves the time to `to`, unless it is past it. Other registered threads may run first.
    pub fn advance_to(&self, to: Duration) {
        if !self.wait_turn(to) {
            self.0.now.fetch_max(nanoseconds(to), Ordering::AcqRel);
        }
    }

    /// Waits until this thread's time comes, and moves the clock there; false if the thread is not registered.
    fn wait_turn(&self, to: Duration) -> bool {
        let (mut group, own, to) = (self.group(), std::thread::current().id(), nanoseconds(to));
        let Some((_, number)) = group.members.iter().find(|(id, _)| *id == own).copied() else { return false };
        group.running = None;
        self.wait(group, to, number);
        self.0.now.fetch_max(to, Ordering::AcqRel);
        true
    }

    /// Announces `threads` concurrent threads, each between [`SimClock::begin_thread`] and [`SimClock::end_thread`].
    pub fn expect_threads(&self, threads: usize) {
        self.group().expected += threads;
    }

    /// Registers this thread under a number; it continues when all threads are registered and it is next.
    pub fn begin_thread(&self, number: usize) {
        let mut group = self.group();
        group.members.push((std::thread::current().id(), number));
        let now = self.0.now.load(Ordering::Acquire);
        self.wait(group, now, number);
    }

    /// Ends the thread of this number, or announces that it will not begin.
    pub fn end_thread(&self, number: usize) {
        let mut group = self.group();
        group.members.retain(|(_, own)| *own != number);
        group.expected -= 1;
        group.running.take_if(|running| *running == number);
        group.choose();
        self.0.changed.notify_all();
    }

    /// Lets the others run until one of them calls [`SimClock::unpark`]; returns false at once if the thread is not
    /// registered.
    pub fn park(&self) -> bool {
        let (mut group, own) = (self.group(), std::thread::current().id());
        let Some((_, number)) = group.members.iter().find(|(id, _)| *id == own).copied() else { return false };
        group.running = None;
        group.parked.insert(number);
        group.choose();
        self.0.changed.notify_all();
        drop(self.0.changed.wait_while(group, |group| group.running != Some(number)));
        true
    }

    /// Lets parked threads continue, as if they waited for the current time.
    pub fn unpark(&self) {
        let (mut group, now) = (self.group(), self.0.now.load(Ordering::Acquire));
        let parked = std::mem::take(&mut group.parked);
        group.waiting.extend(parked.into_iter().map(|number| (now, number)));
    }

    /// Waits until a thread is next.
    fn wait(&self, mut group: MutexGuard<'_, ThreadGroup>, until: u64, number: usize) {
        group.waiting.insert((until, number));
        group.choose();
        self.0.changed.notify_all();
        drop(self.0.changed.wait_while(group, |group| group.running != Some(number)));
    }

    fn group(&self) -> MutexGuard<'_, ThreadGroup> {
        self.0.group.lock()
    }
}

/// Whole nanoseconds; saturates.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The speed of a simulated device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimSpeed {
    /// The duration of a compilation.
    pub compile: Duration,
    /// The fixed duration of a launch, before its first row.
    pub launch: Duration,
    /// The fixed duration of a copy, before its first byte.
    pub copy: Duration,
    /// Bytes per second between the host and the device.
    pub link_bytes_per_second: f64,
    /// Bytes per second between the device and its memory.
    pub memory_bytes_per_second: f64,
    /// Operations per second, including those of library calls.
    pub ops_per_second: f64,
}

impl Default for SimSpeed {
    /// A mid-range card.
    fn default() -> SimSpeed {
        SimSpeed {
            compile: Duration::from_millis(50),
            launch: Duration::from_micros(5),
            copy: Duration::from_micros(10),
            link_bytes_per_second: 25e9,
            memory_bytes_per_second: 1e12,
            ops_per_second: 1e13,
        }
    }
}

impl SimSpeed {
    /// The duration of a copy of `bytes` bytes.
    pub fn copy_time(&self, bytes: u64) -> Duration {
        self.copy + seconds(bytes as f64 / self.link_bytes_per_second)
    }

    /// The duration of a launch over `rows` rows.
    pub fn launch_time(&self, estimate: &Estimate, rows: usize) -> Duration {
        let rows = rows as f64;
        let bytes = estimate.fixed_bytes + rows * (estimate.read_bytes_per_row + estimate.write_bytes_per_row);
        let ops = estimate.ops_per_row.values().sum::<f64>() + estimate.call_ops_per_row;
        self.launch + seconds(bytes / self.memory_bytes_per_second) + seconds(rows * ops / self.ops_per_second)
    }
}

/// A duration in seconds; zero if it is not a valid duration.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One thread waits for another, which takes its time, to unpark it.
    #[test]
    fn parked_threads_continue_when_unparked() {
        let clock = SimClock::new();
        assert!(!clock.park(), "an unregistered thread does not park");
        let (is_done, mut looks) = (AtomicU64::new(0), 0);
        clock.expect_threads(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                clock.begin_thread(1);
                clock.advance(Duration::from_secs(3));
                is_done.store(1, Ordering::Release);
                clock.unpark();
                clock.advance(Duration::from_secs(2));
                clock.end_thread(1);
            });
            clock.begin_thread(0);
            while is_done.load(Ordering::Acquire) == 0 {
                assert!(clock.park());
                looks += 1;
            }
            assert_eq!((looks, clock.now()), (1, Duration::from_secs(3)), "not before, and at that moment");
            clock.end_thread(0);
        });
        assert_eq!(clock.now(), Duration::from_secs(5));
    }
}
