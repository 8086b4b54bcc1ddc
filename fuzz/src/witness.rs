//! How late an answer is, beyond what the machine makes everything late: a witness thread sleeps to the same deadline and
//! then counts the milliseconds that it gets. On a busy machine it gets fewer, and answers may take longer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_millis(1);

/// Counts the milliseconds after an instant.
pub(crate) struct Witness {
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
        Witness { ticks, is_over, thread }
    }

    /// The milliseconds that the witness got since the instant.
    pub(crate) fn finish(self) -> Duration {
        let ticks = self.ticks.load(Ordering::Relaxed);
        self.is_over.store(true, Ordering::Relaxed);
        // A witness never panics.
        let _ = self.thread.join();
        Duration::from_millis(ticks)
    }
}
