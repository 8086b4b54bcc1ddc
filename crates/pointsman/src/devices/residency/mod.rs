//! [`ResidencyManager`]: one session's share of a device's memory: the bytes that queries reserve before they run, and
//! the columns that stay on the device between queries.
//!
//! A query states its expected memory ([`MemoryForecast`]) and gets a [`MemoryReservation`] with the reserved bytes and
//! the resident copies of its columns. Reserved bytes and resident columns together never exceed the session's share.
//! Cached columns are evicted for queries, before a query waits and before a stage is split into batches; pinned
//! columns, which the user asked to keep, are evicted only if a query could not run otherwise.
//!
//! | file | contains |
//! | --- | --- |
//! | `resident_table` | the resident columns and their eviction order |
//! | `resident_column` | a column that stays on the device |
//! | `report` | `MemoryReport` |

pub(crate) mod report;
pub(crate) mod resident_column;
mod resident_table;

pub(crate) use resident_table::Retention;

use crate::data::identity::{ColumnCopies, ColumnIdentity, SharedIdentity};
use crate::devices::transfer::DeviceColumn;
use crate::instrument::counters::MemoryPressure;
use crate::resilience::gate::{WaitError, WaitLimit};
use crate::resilience::memory_queue::{MemoryQueue, QueueCounters, Reservation};
use crate::sync::Mutex;
use pointsman_device::Device;
use pointsman_ir::types::DType;
use resident_column::ResidentColumn;
use resident_table::{NewColumn, ResidentTable};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// One part in this many of a device's memory is never reserved: drivers round sizes up, and launches use scratch.
const MARGIN_PART: u64 = 16;
/// One part in this many of a session's device memory holds cached columns, by default.
const RESIDENT_PART: u64 = 4;
/// The default limit for cached columns if the driver does not report the memory size, in bytes.
const RESIDENT_BYTES: u64 = 256 << 20;
/// What the results of queries count as uses when they are new. Most are never read again, so they displace no column
/// that was uploaded lately.
const RESULT_USES: f64 = 0.25;
/// The fixed cost of a copy, in seconds.
const COPY_SECONDS: f64 = 10e-6;
/// The assumed speed of copies, in bytes per second.
const COPY_SPEED: f64 = 8e9;

/// The maximum number of bytes of a device's own memory that a session takes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemoryLimits {
    /// For all queries and resident columns together; `None`: a fixed part of the device's memory.
    pub(crate) device_bytes: Option<u64>,
    /// For resident columns that the session may evict; `None`: a fixed part of the former.
    pub(crate) resident_bytes: Option<u64>,
}

/// One session's share of a device's memory.
pub(crate) struct ResidencyManager {
    pub(crate) device: Arc<dyn Device>,
    own: Weak<ResidencyManager>,
    /// The session's share in bytes; `None` if the driver does not report the memory size and no limit is set.
    pub(crate) capacity: Option<u64>,
    /// The maximum number of bytes of cached columns.
    pub(super) cached_bytes_max: u64,
    pub(super) queue: MemoryQueue,
    state: Mutex<ResidencyState>,
    /// Whether freed memory may still be in use, because a run failed.
    is_unsettled: AtomicBool,
}

struct ResidencyState {
    table: ResidentTable<ResidentColumn>,
    /// Evicted columns so far.
    evicted: u64,
    /// The number of evicted columns that were pinned.
    pins_evicted: u64,
    /// Whether the device is closed.
    is_closed: bool,
}

/// The input of a query that reads a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputSlot {
    /// A column of the source.
    Column(usize),
    /// A captured table.
    List(usize),
}

/// An input column that may be resident already, or become resident.
pub(crate) struct WantedColumn<'a> {
    pub(crate) slot: InputSlot,
    pub(crate) identity: &'a ColumnIdentity,
    /// The id of the column of which it is a part, and the row where it begins there, if the device can read it there.
    pub(crate) whole: Option<(u64, usize)>,
    pub(crate) dtype: DType,
    /// Its size on the device.
    pub(crate) bytes: u64,
}

/// An input column that is resident.
pub(crate) struct ResidentInput {
    pub(crate) slot: InputSlot,
    pub(crate) column: Arc<ResidentColumn>,
    /// Where it begins in the resident column, if it is a part of that; `None` if it is that column.
    pub(crate) first_row: Option<usize>,
}

/// The memory that a query will need on a device.
#[derive(Default)]
pub(crate) struct MemoryForecast<'a> {
    pub(crate) wanted: Vec<WantedColumn<'a>>,
    /// Bytes of everything except the wanted columns.
    pub(crate) other_bytes: u64,
    /// Bytes of the smallest batches; 0 if the query cannot run in batches.
    pub(crate) smallest_batch_bytes: u64,
}

/// Reserved device memory of a query, and the resident copies of its columns. Released when it is dropped.
pub(crate) struct MemoryReservation<'r> {
    pub(crate) residency: &'r ResidencyManager,
    reservation: Reservation<'r>,
    hits: Mutex<Vec<ResidentInput>>,
    evicted: AtomicU64,
    pins_evicted: AtomicU64,
}

/// The outcome of a reservation, without its bytes.
struct Admission {
    hits: Vec<ResidentInput>,
    evicted: u64,
    pins_evicted: u64,
    /// The bytes of the session's share that are left.
    room: u64,
}

impl MemoryForecast<'_> {
    /// Changes the forecast to a run in batches, which upload every column again.
    pub(crate) fn use_batches(&mut self) {
        self.other_bytes = self.need(&[]).max(self.smallest_batch_bytes);
        self.wanted.clear();
    }

    /// The bytes to reserve if these columns are resident.
    fn need(&self, resident: &[u64]) -> u64 {
        let missing = self.wanted.iter().filter(|wanted| !wanted.is_in(resident));
        missing.fold(self.other_bytes, |sum, wanted| sum.saturating_add(wanted.bytes))
    }
}

impl WantedColumn<'_> {
    /// The ids by which the column may be resident, each with the row where it begins in the column of that id if it is a
    /// part of that. A column without an id is resident nowhere, so this assigns none.
    fn ids(&self) -> impl Iterator<Item = (u64, Option<usize>)> {
        let whole = self.whole.map(|(id, first_row)| (id, Some(first_row)));
        self.identity.known_id().map(|id| (id, None)).into_iter().chain(whole)
    }

    /// Whether the column is resident if these ids are.
    fn is_in(&self, numbers: &[u64]) -> bool {
        self.ids().any(|(id, _)| numbers.contains(&id))
    }
}

impl ResidencyManager {
    pub(crate) fn new(device: Arc<dyn Device>, limits: MemoryLimits) -> Arc<ResidencyManager> {
        let total = device.memory().total.map(|total| total - total / MARGIN_PART);
        let capacity = limits.device_bytes.into_iter().chain(total).min();
        let cached_bytes_max = limits.resident_bytes;
        let cached_bytes_max =
            cached_bytes_max.unwrap_or_else(|| capacity.map_or(RESIDENT_BYTES, |bytes| bytes / RESIDENT_PART));
        let state = ResidencyState { table: ResidentTable::default(), evicted: 0, pins_evicted: 0, is_closed: false };
        Arc::new_cyclic(|own| ResidencyManager {
            device,
            own: own.clone(),
            capacity,
            cached_bytes_max,
            queue: MemoryQueue::default(),
            state: Mutex::new(state),
            is_unsettled: AtomicBool::new(false),
        })
    }

    /// Reserves the memory of a query, waiting for other queries if necessary, and holds its resident columns.
    pub(crate) fn reserve(
        &self,
        forecast: &MemoryForecast<'_>,
        limit: &WaitLimit<'_>,
    ) -> Result<MemoryReservation<'_>, WaitError> {
        let (reservation, admission) = self.queue.reserve(limit, |queue| self.try_reserve(queue, forecast))?;
        // The device's pool of free buffers counts too: trimmed, it stays within the limit with all reservations.
        self.device.trim(admission.room);
        let (evicted, pins_evicted) = (AtomicU64::new(admission.evicted), AtomicU64::new(admission.pins_evicted));
        Ok(MemoryReservation { residency: self, reservation, hits: Mutex::new(admission.hits), evicted, pins_evicted })
    }

    /// Returns the bytes that a query gets now, or `None` if it has to wait.
    fn try_reserve(&self, queue: QueueCounters, forecast: &MemoryForecast<'_>) -> Option<(u64, Admission)> {
        let state = &mut *self.state.lock();
        let resident = state.resident(forecast);
        // At least the smallest batches: the resident columns may have to go, and then the query runs in batches.
        let need = forecast.need(&resident).max(forecast.smallest_batch_bytes.min(forecast.need(&[])));
        let Some(capacity) = self.capacity else {
            let hits = state.hits(forecast, &resident);
            return Some((need, Admission { hits, evicted: 0, pins_evicted: 0, room: u64::MAX }));
        };
        let taken = |state: &ResidencyState| queue.reserved + state.table.bytes() + self.zombie_bytes();
        let missing = need.saturating_add(taken(state)).saturating_sub(capacity);
        if missing == 0 || missing <= state.table.evictable_bytes(Retention::Cached, &resident) {
            let evicted = state.evict(missing, Retention::Cached, &resident);
            let room = capacity.saturating_sub(taken(state).saturating_add(need));
            return Some((need, Admission { hits: state.hits(forecast, &resident), evicted, pins_evicted: 0, room }));
        }
        if queue.reservations > 0 {
            return None;
        }
        // No other query holds memory, so this one gets all there is and runs in batches, which do not read resident
        // columns.
        let can_batch = forecast.smallest_batch_bytes > 0;
        let evicted = if can_batch { state.evict(u64::MAX, Retention::Cached, &[]) } else { 0 };
        let need = forecast.need(&[]);
        let short = forecast.smallest_batch_bytes.min(need).saturating_sub(capacity.saturating_sub(taken(state)));
        let pins_evicted = state.evict(short, Retention::Pinned, &[]);
        let left = capacity.saturating_sub(taken(state));
        let (need, room) = (need.min(left), left.saturating_sub(need));
        Some((need, Admission { hits: Vec::new(), evicted: evicted + pins_evicted, pins_evicted, room }))
    }

    /// Freed memory that running work may still use.
    fn zombie_bytes(&self) -> u64 {
        // Asking the driver takes longer than the rest of a reservation.
        if !self.is_unsettled.load(Ordering::Relaxed) {
            return 0;
        }
        let zombie = self.device.memory().zombie;
        self.is_unsettled.store(zombie > 0, Ordering::Relaxed);
        zombie
    }

    /// Records that a run failed: memory that it freed may still be in use.
    pub(crate) fn mark_unsettled(&self) {
        self.is_unsettled.store(true, Ordering::Relaxed);
    }

    /// Whether a column is resident, or a column of which it is a part that the device can read.
    pub(crate) fn has(&self, identity: &ColumnIdentity) -> bool {
        let whole = identity.whole(self.device.info().capabilities.range_align).map(|(id, _)| id);
        identity.known_id().into_iter().chain(whole).any(|id| self.state.lock().table.get(id).is_some())
    }

    /// Whether columns of this size can stay on the device.
    pub(crate) fn may_keep(&self, bytes: u64) -> bool {
        bytes <= self.cached_bytes_max
    }

    /// Whether columns are cached at all.
    pub(crate) fn caches_columns(&self) -> bool {
        self.cached_bytes_max > 0
    }

    /// Caches a column that a query uploaded, unless the cache is full of more valuable ones.
    pub(crate) fn offer(&self, identity: &ColumnIdentity, column: Arc<ResidentColumn>) {
        self.cache(identity.shared(), column, 1.0);
    }

    /// Caches a column of a query's result, which no query has read yet; returns its identity if it is cached.
    pub(crate) fn offer_result(&self, column: DeviceColumn) -> Option<Arc<SharedIdentity>> {
        let identity = SharedIdentity::of_new_column();
        self.cache(&identity, Arc::new(ResidentColumn::new(column)), RESULT_USES).then_some(identity)
    }

    /// Caches a column that counts as used so often, unless the cache is full of more valuable ones.
    fn cache(&self, identity: &SharedIdentity, copy: Arc<ResidentColumn>, uses: f64) -> bool {
        let bytes = copy.column.held_bytes();
        let column = NewColumn { copy, bytes, seconds_saved: copy_seconds(bytes), uses, retention: Retention::Cached };
        let state = &mut *self.state.lock();
        let cached = state.table.totals(Retention::Cached).bytes;
        let over = (cached + bytes).saturating_sub(self.cached_bytes_max);
        let has_room = || over == 0 || over <= state.table.bytes_worth_less(&column);
        if state.is_closed || state.table.get(identity.id).is_some() || !has_room() {
            return false;
        }
        state.evict(over, Retention::Cached, &[]);
        identity.add_copy(self.own.clone());
        state.table.insert(identity.id, column);
        true
    }

    /// Adds a pinned column.
    pub(crate) fn pin(&self, identity: &ColumnIdentity, column: Arc<ResidentColumn>) {
        let (identity, bytes) = (identity.shared(), column.column.held_bytes());
        let state = &mut *self.state.lock();
        if !state.is_closed && !state.table.pin(identity.id) {
            identity.add_copy(self.own.clone());
            let (seconds_saved, retention) = (copy_seconds(bytes), Retention::Pinned);
            state.table.insert(identity.id, NewColumn { copy: column, bytes, seconds_saved, uses: 1.0, retention });
        }
    }

    /// Pins a column if it is resident; returns whether it is.
    pub(crate) fn pin_if_resident(&self, identity: &ColumnIdentity) -> bool {
        identity.known_id().is_some_and(|id| self.state.lock().table.pin(id))
    }

    /// Drops all columns, and caches no more: the device is closed.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        let dropped = state.table.clear();
        drop(state);
        drop(dropped);
    }
}

impl ColumnCopies for ResidencyManager {
    /// Drops the copy of a column. Queries that read the copy keep it, and its bytes count, until they end.
    fn forget(&self, column: u64) {
        let mut state = self.state.lock();
        // Freed before its bytes are given to another query.
        drop(state.table.remove(column));
    }
}

impl ResidencyState {
    /// The ids of the wanted columns that are resident.
    fn resident(&self, forecast: &MemoryForecast<'_>) -> Vec<u64> {
        let resident_id = |wanted: &WantedColumn<'_>| {
            let has = |id: u64| self.table.get(id).is_some_and(|one| one.column.ty.dtype == wanted.dtype);
            wanted.ids().map(|(id, _)| id).find(|&id| has(id))
        };
        forecast.wanted.iter().filter_map(resident_id).collect()
    }

    /// Returns the copies of these columns and counts a use of each.
    fn hits(&mut self, forecast: &MemoryForecast<'_>, resident: &[u64]) -> Vec<ResidentInput> {
        let hit = |wanted: &WantedColumn<'_>| {
            let (id, first_row) = wanted.ids().find(|(id, _)| resident.contains(id))?;
            Some(ResidentInput { slot: wanted.slot, column: self.table.get_for_use(id)?, first_row })
        };
        forecast.wanted.iter().filter_map(hit).collect()
    }

    /// Evicts columns until `bytes` are freed or no evictable column is left; returns the number of evicted columns.
    fn evict(&mut self, bytes: u64, which: Retention, except: &[u64]) -> u64 {
        let evicted = self.table.evict(bytes, which, except).len() as u64;
        self.evicted += evicted;
        self.pins_evicted += if which == Retention::Pinned { evicted } else { 0 };
        evicted
    }
}

/// The predicted time of a copy, in seconds.
fn copy_seconds(bytes: u64) -> f64 {
    COPY_SECONDS + bytes as f64 / COPY_SPEED
}

impl MemoryReservation<'_> {
    /// The maximum number of bytes that the query may use; `None` if the device's memory size is unknown.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.residency.capacity.map(|_| self.reservation.bytes)
    }

    /// Returns the resident copies of the query's columns, once. The caller may drop them to free memory.
    pub(crate) fn take_hits(&self) -> Vec<ResidentInput> {
        std::mem::take(&mut *self.hits.lock())
    }

    /// Evicts all columns that no query reads; returns whether there were any.
    pub(crate) fn evict(&self, which: Retention) -> bool {
        let evicted = self.residency.state.lock().evict(u64::MAX, which, &[]);
        self.evicted.fetch_add(evicted, Ordering::Relaxed);
        if which == Retention::Pinned {
            self.pins_evicted.fetch_add(evicted, Ordering::Relaxed);
        }
        evicted > 0
    }

    /// The waits and evictions of the reservation.
    pub(crate) fn pressure(&self) -> MemoryPressure {
        let load = |count: &AtomicU64| u32::try_from(count.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        let (evicted, pins_evicted) = (load(&self.evicted), load(&self.pins_evicted));
        MemoryPressure { waited: self.reservation.waited, evicted, pins_evicted }
    }
}

#[cfg(test)]
mod tests;
