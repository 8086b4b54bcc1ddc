//! How fast devices are: [`Window`] measures one, [`Pace`] says what came of it, and [`Paces`] remembers it for the next
//! query with the same kernel, the same devices and about as many rows.

use crate::cache::Cache;
use crate::sync::Mutex;
use pointsman_ir::kernel::Kernel;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The most kernels, each with its devices and a size, whose paces are remembered.
const PACES_MAX: usize = 1024;
/// After so many runs it is asked anew who helps.
const RUNS_MAX: u32 = 64;
/// What takes so many times as long as it should is asked anew too.
const SLOWER: f64 = 1.5;

/// The batches that a device has done since some moment.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct Window {
    /// When it was dealt the first of them.
    pub(in crate::exec) began: Option<Duration>,
    /// When that was done, and how many rows it had.
    first: Option<(Duration, usize)>,
    last: Duration,
    pub(in crate::exec) rows: usize,
    pub(in crate::exec) batches: usize,
}

impl Window {
    /// A batch of so many rows is done.
    pub(in crate::exec) fn note(&mut self, rows: usize, now: Duration) {
        self.rows += rows;
        self.batches += 1;
        self.last = now;
        self.first.get_or_insert((now, rows));
    }

    /// Rows a second: without its first batch, which nothing overlapped, as soon as there are more. What takes no time, as
    /// the CPU on a virtual clock, is very fast.
    pub(in crate::exec) fn pace(&self) -> Option<f64> {
        let (first, first_rows) = self.first?;
        let (rows, time) = match self.batches {
            0 | 1 => (first_rows, first.saturating_sub(self.began?)),
            _ => (self.rows - first_rows, self.last.saturating_sub(first)),
        };
        Some(rows.max(1) as f64 / time.max(Duration::from_nanos(1)).as_secs_f64())
    }
}

/// How fast a device is at a kernel, in rows a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    pub(crate) alone: f64,
    /// Among those that it works with.
    pub(crate) at_work: f64,
    /// Whether it makes them faster.
    pub(crate) helps: bool,
}

/// The paces of a session.
pub(crate) struct Paces {
    known: Cache<(Kernel, String, u32), Memory>,
}

/// What is remembered of a kernel, by device.
#[derive(Default)]
pub(crate) struct Memory(Mutex<Known>);

#[derive(Default)]
struct Known {
    paces: BTreeMap<String, Pace>,
    runs: u32,
}

impl Default for Paces {
    fn default() -> Paces {
        Paces { known: Cache::new(PACES_MAX) }
    }
}

impl Paces {
    /// What is remembered of a kernel over about so many rows on these devices.
    pub(crate) fn of(&self, kernel: &Kernel, devices: &str, rows: usize) -> Arc<Memory> {
        let key = (kernel.clone(), devices.to_string(), rows.max(1).ilog2());
        self.known.get(&key).unwrap_or_else(|| self.known.put(key, Arc::default()))
    }
}

impl Memory {
    /// How fast a device is.
    pub(crate) fn pace(&self, device: &str) -> Option<Pace> {
        self.lock().paces.get(device).copied()
    }

    /// Whether it is known that only one of them is worth asking.
    pub(crate) fn is_of_one(&self) -> bool {
        self.lock().paces.values().filter(|pace| pace.helps).count() == 1
    }

    /// Asks anew who helps.
    pub(crate) fn forget(&self) {
        *self.lock() = Known::default();
    }

    /// Takes in a run that found out who helps.
    pub(in crate::exec) fn learn(&self, paces: impl Iterator<Item = (String, Pace)>) {
        *self.lock() = Known { paces: paces.collect(), runs: 0 };
    }

    /// Takes in a run by what was known: how fast those were that worked. Where they were much slower, nothing is known
    /// any more.
    pub(in crate::exec) fn confirm(&self, paces: &[(String, f64)]) {
        let mut known = self.lock();
        let sum = |paces: &mut dyn Iterator<Item = f64>| paces.sum::<f64>();
        let before = sum(&mut paces.iter().filter_map(|(name, _)| Some(known.paces.get(name)?.at_work)));
        known.runs += 1;
        if known.runs >= RUNS_MAX || sum(&mut paces.iter().map(|(_, pace)| *pace)) * SLOWER < before {
            *known = Known::default();
        }
        for (name, pace) in paces {
            if let Some(own) = known.paces.get_mut(name) {
                own.at_work = *pace;
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock()
    }
}
