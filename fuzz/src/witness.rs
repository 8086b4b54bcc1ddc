//! How late an answer is, beyond what the machine makes everything late: a witness thread sleeps to the same deadline and
//! then counts the milliseconds that it gets. On a busy machine it gets fewer, and answers may take longer. On a virtual
//! machine, the hypervisor may take away one processor while the witness runs on another; that time is reported apart.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_millis(1);

/// Shorter waits need no look at the time that was stolen.
const STOLEN_CHECK_MIN: Duration = Duration::from_millis(40);
/// The system counts stolen time with a delay of at most this.
const STOLEN_DELAY: Duration = Duration::from_millis(12);

/// How late an answer was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lateness {
    /// The time that the witness got after the limit.
    late: Duration,
    /// The time that the hypervisor took from the processors during the run.
    stolen: Duration,
}

impl Lateness {
    /// Whether it was later than allowed, without the stolen time.
    pub(crate) fn exceeds(self, allowed: Duration) -> bool {
        self.late.saturating_sub(self.stolen) > allowed
    }

    /// Whether it was later than allowed, but not without the stolen time.
    pub(crate) fn is_excused(self, allowed: Duration) -> bool {
        self.late > allowed && !self.exceeds(allowed)
    }
}

impl std::fmt::Display for Lateness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ms late, {} ms stolen", self.late.as_millis(), self.stolen.as_millis())
    }
}

/// The time that the hypervisor has taken from this machine's processors; 0 where the system does not say.
fn stolen() -> Duration {
    // The first line sums up all processors; its eighth number is the stolen time, in hundredths of a second.
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks = text.lines().next().and_then(|line| line.split_whitespace().nth(8)?.parse().ok());
    Duration::from_millis(10 * ticks.unwrap_or(0u64))
}

/// Counts the milliseconds after an instant.
pub(crate) struct Witness {
    stolen_before: Duration,
    ticks: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Witness {
    pub(crate) fn new(from: Instant) -> Witness {
        let (ticks, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, stop) = (ticks.clone(), is_over.clone());
        let thread = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let left = from.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    std::thread::sleep(TICK);
                    counted.fetch_add(1, Ordering::Relaxed);
                } else {
                    // Wakes up now and then, so that an early answer does not leave the thread behind.
                    std::thread::sleep(left.min(10 * TICK));
                }
            }
        });
        Witness { stolen_before: stolen(), ticks, is_over, thread }
    }

    /// The milliseconds that the witness got since the instant.
    pub(crate) fn finish(self) -> Lateness {
        let ticks = self.ticks.load(Ordering::Relaxed);
        self.is_over.store(true, Ordering::Relaxed);
        // A witness never panics.
        let _ = self.thread.join();
        let late = Duration::from_millis(ticks);
        if late < STOLEN_CHECK_MIN {
            return Lateness { late, stolen: Duration::ZERO };
        }
        std::thread::sleep(STOLEN_DELAY);
        Lateness { late, stolen: stolen().saturating_sub(self.stolen_before) }
    }
}
