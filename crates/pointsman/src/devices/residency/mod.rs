//! [`Residency`]: a device's memory as one session shares it out: what queries reserve before they run, and the columns
//! that stay there between queries.
//!
//! In goes what a query will take ([`MemoryForecast`]), out comes a [`MemoryReservation`]: so many bytes, and those of its columns that
//! are there already. Reserved bytes and resident columns together are never more than the session's part of the memory.
//! Columns that were kept on the way make room for queries, before anyone waits and before a stage is cut into batches;
//! columns that somebody asked to keep only if a query could not run at all.
//!
//! | file | has |
//! | --- | --- |
//! | `table` | which columns are there, and which is worth least |
//! | `kept` | a column that stays |
//! | `report` | `MemoryReport` |

pub(crate) mod report;
pub(crate) mod resident_column;
mod resident_table;

pub(crate) use resident_table::Retention;

use crate::data::identity::{ColumnCopies, ColumnIdentity};
use crate::instrument::counters::MemoryPressure;
use crate::resilience::gate::{WaitError, WaitLimit};
use crate::resilience::memory_queue::{MemoryQueue, QueueStanding, Reservation};
use pointsman_device::Device;
use pointsman_ir::types::DType;
use resident_column::ResidentColumn;
use resident_table::ResidentTable;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// The part of a device's memory that no query reserves: drivers round sizes up, and launches have scratch memory.
const MARGIN_PART: u64 = 16;
/// The part of a session's memory on a device that columns take which are kept on the way.
const RESIDENT_PART: u64 = 4;
/// The same where the driver does not tell how much memory there is, in bytes.
const RESIDENT_BYTES: u64 = 256 << 20;
/// What a copy costs beside its bytes, in seconds.
const COPY_SECONDS: f64 = 10e-6;
/// How fast copies are until some were seen, in bytes a second, and how many bytes that guess counts for.
const LINK_GUESS: f64 = 8e9;
const LINK_GUESS_BYTES: f64 = 1e6;

/// The most bytes of a device's own memory that a session takes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemoryLimits {
    /// For all queries and resident columns together; `None`: a fixed part of the device's memory.
    pub(crate) device_bytes: Option<u64>,
    /// For resident columns that the session may evict; `None`: a fixed part of the former.
    pub(crate) resident_bytes: Option<u64>,
}

/// The memory of a device.
pub(crate) struct Residency {
    pub(crate) device: Arc<dyn Device>,
    own: Weak<Residency>,
    /// What the session may take of it; `None`: nobody knows how much there is.
    pub(super) capacity: Option<u64>,
    /// The most for columns that are kept on the way.
    pub(super) resident_limit: u64,
    pub(super) ledger: MemoryQueue,
    state: Mutex<State>,
    /// A run failed: memory that was given back may still be in use.
    is_unsettled: AtomicBool,
}

struct State {
    table: ResidentTable<ResidentColumn>,
    pace: LinkSpeed,
    /// Columns that made room.
    evicted: u64,
    /// Those of them that somebody asked to keep.
    unpinned: u64,
    /// The device is not used any more.
    is_closed: bool,
}

/// How long copies took.
struct LinkSpeed {
    bytes: f64,
    seconds: f64,
}

/// Where a query reads a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputSlot {
    /// This column of the source.
    Column(usize),
    /// This captured table.
    List(usize),
}

/// A column that may be on the device already, or stay there.
pub(crate) struct WantedColumn<'a> {
    pub(crate) place: InputSlot,
    pub(crate) identity: &'a ColumnIdentity,
    pub(crate) dtype: DType,
    /// What it takes.
    pub(crate) bytes: u64,
}

/// What a query will take of a device's memory.
#[derive(Default)]
pub(crate) struct MemoryForecast<'a> {
    pub(crate) wanted: Vec<WantedColumn<'a>>,
    /// All but the wanted columns.
    pub(crate) others: u64,
    /// What the smallest batches take; 0: less than all is of no use.
    pub(crate) least: u64,
}

/// The leave to use so much of a device's memory, and the columns that are there. Given back when it is dropped.
pub(crate) struct MemoryReservation<'r> {
    pub(crate) residency: &'r Residency,
    reservation: Reservation<'r>,
    hits: Mutex<Vec<(InputSlot, Arc<ResidentColumn>)>>,
    evicted: AtomicU64,
    unpinned: AtomicU64,
}

/// What goes with a reservation.
#[derive(Default)]
struct Admission {
    hits: Vec<(InputSlot, Arc<ResidentColumn>)>,
    evicted: u64,
    unpinned: u64,
}

impl MemoryForecast<'_> {
    /// All of it in batches of at least a leaf, which bring every column over anew.
    pub(crate) fn in_batches(&mut self) {
        self.others = self.need(&[]).max(self.least);
        self.wanted.clear();
    }

    /// What is to be taken if these columns are there.
    fn need(&self, there: &[u64]) -> u64 {
        let missing = self.wanted.iter().filter(|wanted| !wanted.is_in(there));
        missing.fold(self.others, |sum, wanted| sum.saturating_add(wanted.bytes))
    }
}

impl WantedColumn<'_> {
    /// Nobody numbers a column to look for it.
    fn is_in(&self, numbers: &[u64]) -> bool {
        self.identity.is_known() && numbers.contains(&self.identity.shared().id)
    }
}

impl Residency {
    /// Nothing reserved, nothing there.
    pub(crate) fn new(device: Arc<dyn Device>, limits: MemoryLimits) -> Arc<Residency> {
        let total = device.memory().total.map(|total| total - total / MARGIN_PART);
        let capacity = limits.device_bytes.into_iter().chain(total).min();
        let resident_limit = limits.resident_bytes;
        let resident_limit =
            resident_limit.unwrap_or_else(|| capacity.map_or(RESIDENT_BYTES, |bytes| bytes / RESIDENT_PART));
        let pace = LinkSpeed { bytes: LINK_GUESS_BYTES, seconds: LINK_GUESS_BYTES / LINK_GUESS };
        let state = State { table: ResidentTable::default(), pace, evicted: 0, unpinned: 0, is_closed: false };
        Arc::new_cyclic(|own| Residency {
            device,
            own: own.clone(),
            capacity,
            resident_limit,
            ledger: MemoryQueue::default(),
            state: Mutex::new(state),
            is_unsettled: AtomicBool::new(false),
        })
    }

    /// Reserves what a query will take, waiting for others if there must be; with the columns that are there.
    pub(crate) fn admit(
        &self,
        forecast: &MemoryForecast<'_>,
        bounds: &WaitLimit<'_>,
    ) -> Result<MemoryReservation<'_>, WaitError> {
        let mut room = u64::MAX;
        let (reservation, found) = self.ledger.reserve(bounds, |standing| {
            let (need, found) = self.find(standing, forecast)?;
            room = self.room(standing, need);
            Some((need, found))
        })?;
        // What the device keeps for buffers to come is memory too: with all that is reserved it stays within the limit.
        self.device.trim(room);
        let (evicted, unpinned) = (AtomicU64::new(found.evicted), AtomicU64::new(found.unpinned));
        Ok(MemoryReservation { residency: self, reservation, hits: Mutex::new(found.hits), evicted, unpinned })
    }

    /// The bytes that a query gets, or `None` if it has to wait.
    fn find(&self, standing: QueueStanding, forecast: &MemoryForecast<'_>) -> Option<(u64, Admission)> {
        let state = &mut *self.lock();
        let there = state.there(forecast);
        // What is there may have to go, and then the query runs in batches.
        let need = forecast.need(&there).max(forecast.least.min(forecast.need(&[])));
        let Some(capacity) = self.capacity else {
            return Some((need, Admission { hits: state.take(forecast, &there), ..Admission::default() }));
        };
        let taken = standing.reserved + state.table.bytes() + self.zombie_bytes();
        let missing = need.saturating_add(taken).saturating_sub(capacity);
        if missing <= state.table.idle_bytes(Retention::Cached, &there) {
            let evicted = state.evict(missing, Retention::Cached, &there);
            return Some((need, Admission { hits: state.take(forecast, &there), evicted, unpinned: 0 }));
        }
        if standing.reservations > 0 {
            return None;
        }
        // There is nobody to wait for: it gets what there is, and runs in batches, which do not read resident columns.
        let is_of_use = forecast.least > 0;
        let evicted = if is_of_use { state.evict(u64::MAX, Retention::Cached, &[]) } else { 0 };
        let need = forecast.need(&[]);
        let left = |state: &State| capacity.saturating_sub(state.table.bytes() + self.zombie_bytes());
        let short = forecast.least.min(need).saturating_sub(left(state));
        let unpinned = state.evict(short, Retention::Pinned, &[]);
        Some((need.min(left(state)), Admission { hits: Vec::new(), evicted: evicted + unpinned, unpinned }))
    }

    /// What is left of the session's part once a query has so many bytes.
    fn room(&self, standing: QueueStanding, need: u64) -> u64 {
        let Some(capacity) = self.capacity else { return u64::MAX };
        let taken = standing.reserved + self.lock().table.bytes() + self.zombie_bytes();
        capacity.saturating_sub(taken.saturating_add(need))
    }

    /// Memory that was given back and that work under way may still touch.
    fn zombie_bytes(&self) -> u64 {
        // Asking a driver takes longer than all the rest.
        if !self.is_unsettled.load(Ordering::Relaxed) {
            return 0;
        }
        let zombie = self.device.memory().zombie;
        self.is_unsettled.store(zombie > 0, Ordering::Relaxed);
        zombie
    }

    /// A run failed: what it gave back may still be in use.
    pub(crate) fn unsettle(&self) {
        self.is_unsettled.store(true, Ordering::Relaxed);
    }

    /// Whether a column is there.
    pub(crate) fn has(&self, identity: &ColumnIdentity) -> bool {
        identity.is_known() && self.lock().table.peek(identity.shared().id).is_some()
    }

    /// What the session may take of the device's memory, if anyone knows.
    pub(crate) fn capacity(&self) -> Option<u64> {
        self.capacity
    }

    /// Whether columns are kept that nobody asked to keep.
    pub(crate) fn keeps_any(&self) -> bool {
        self.resident_limit > 0
    }

    /// A copy into the device took so long.
    pub(crate) fn note_copy(&self, bytes: u64, took: Duration) {
        // On a clock that stands still no copy takes any time.
        if !took.is_zero() {
            let pace = &mut self.lock().pace;
            // Newer copies count for more.
            (pace.bytes, pace.seconds) = (pace.bytes / 2.0 + bytes as f64, pace.seconds / 2.0 + took.as_secs_f64());
        }
    }

    /// Keeps a column that a query brought over, unless others are worth more.
    pub(crate) fn offer(&self, identity: &ColumnIdentity, kept: Arc<ResidentColumn>) {
        let (identity, bytes) = (identity.shared(), kept.column.held_bytes());
        let state = &mut *self.lock();
        let (saves, cached) = (state.pace.seconds_for(bytes), state.table.held(Retention::Cached).bytes);
        let over = (cached + bytes).saturating_sub(self.resident_limit);
        if state.is_closed || state.table.peek(identity.id).is_some() || over > state.table.lesser_bytes(bytes, saves) {
            return;
        }
        state.evict(over, Retention::Cached, &[]);
        identity.add_copy(self.own.clone());
        state.table.insert(identity.id, kept, bytes, saves, Retention::Cached);
    }

    /// Keeps a column for good, which was brought over for that.
    pub(crate) fn pin(&self, identity: &ColumnIdentity, kept: Arc<ResidentColumn>) {
        let (identity, bytes) = (identity.shared(), kept.column.held_bytes());
        let state = &mut *self.lock();
        if !state.is_closed && !state.table.pin(identity.id) {
            identity.add_copy(self.own.clone());
            let saves = state.pace.seconds_for(bytes);
            state.table.insert(identity.id, kept, bytes, saves, Retention::Pinned);
        }
    }

    /// Keeps a column for good if it is there; whether it is.
    pub(crate) fn pin_resident(&self, identity: &ColumnIdentity) -> bool {
        identity.is_known() && self.lock().table.pin(identity.shared().id)
    }

    /// Lets all columns go: the device is not used any more.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        let gone = state.table.clear();
        drop(state);
        drop(gone);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ColumnCopies for Residency {
    /// Drops the copy of a column. A query that reads the copy keeps it until it is done; until then it counts.
    fn forget(&self, column: u64) {
        let gone = self.lock().table.remove(column);
        drop(gone);
    }
}

impl State {
    /// The numbers of those wanted columns that are there.
    fn there(&self, forecast: &MemoryForecast<'_>) -> Vec<u64> {
        let known = forecast.wanted.iter().filter(|wanted| wanted.identity.is_known());
        let is_there = |wanted: &&WantedColumn<'_>| {
            self.table.peek(wanted.identity.shared().id).is_some_and(|kept| kept.column.dtype() == wanted.dtype)
        };
        known.filter(is_there).map(|wanted| wanted.identity.shared().id).collect()
    }

    /// Those columns, for a use.
    fn take(&mut self, forecast: &MemoryForecast<'_>, there: &[u64]) -> Vec<(InputSlot, Arc<ResidentColumn>)> {
        let wanted = forecast.wanted.iter().filter(|wanted| wanted.is_in(there));
        wanted.filter_map(|wanted| Some((wanted.place, self.table.take(wanted.identity.shared().id)?))).collect()
    }

    /// Frees so many bytes, if there are as many; how many columns went.
    fn evict(&mut self, bytes: u64, which: Retention, but: &[u64]) -> u64 {
        let gone = self.table.evict(bytes, which, but).len() as u64;
        self.evicted += gone;
        self.unpinned += if which == Retention::Pinned { gone } else { 0 };
        gone
    }
}

impl LinkSpeed {
    fn seconds_for(&self, bytes: u64) -> f64 {
        COPY_SECONDS + bytes as f64 * self.seconds / self.bytes
    }
}

impl MemoryReservation<'_> {
    /// The most that the query takes; `None`: nobody knows.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.residency.capacity.map(|_| self.reservation.bytes())
    }

    /// The columns that are there, once: whoever takes them may let them go, to make room.
    pub(crate) fn take_hits(&self) -> Vec<(InputSlot, Arc<ResidentColumn>)> {
        std::mem::take(&mut *self.hits.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Frees the memory of columns that nobody reads; whether there were any.
    pub(crate) fn evict(&self, which: Retention) -> bool {
        let gone = self.residency.lock().evict(u64::MAX, which, &[]);
        self.evicted.fetch_add(gone, Ordering::Relaxed);
        if which == Retention::Pinned {
            self.unpinned.fetch_add(gone, Ordering::Relaxed);
        }
        gone > 0
    }

    /// What the query had to do for its memory.
    pub(crate) fn pressure(&self) -> MemoryPressure {
        let load = |count: &AtomicU64| u32::try_from(count.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        let (evicted, unpinned) = (load(&self.evicted), load(&self.unpinned));
        MemoryPressure { waited: self.reservation.waited(), evicted, unpinned }
    }
}

#[cfg(test)]
mod tests;
