//! [`MemoryReport`]: the memory of a session, on the host and on each device.

use super::ResidencyManager;
use super::resident_table::{HeldBytes, Retention};
use crate::json::{JsonObject, array};
use crate::text::bytes;
use pointsman_device::{MemoryInfo, PoolCounters};
use std::fmt;

/// The memory of a session. `Display` prints text, [`MemoryReport::to_json`] returns JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryReport {
    /// The counters of the pool of host memory, which holds results and intermediate columns.
    pub host: PoolCounters,
    /// The discovered devices that have memory of their own.
    pub devices: Vec<DeviceMemory>,
}

/// The memory of a device, and the session's part of it. Sizes are in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceMemory {
    /// The name of the device.
    pub device: String,
    /// The memory usage of the device, including other sessions of this process.
    pub info: MemoryInfo,
    /// The maximum for this session, queries and resident columns together; `None` if the size of the memory is
    /// unknown.
    pub limit_bytes: Option<u64>,
    /// The bytes that running queries of this session have reserved.
    pub reserved_bytes: u64,
    /// The number of running queries with a reservation.
    pub running_queries: usize,
    /// The number of queries that are waiting for memory.
    pub waiting_queries: usize,
    /// The number of queries that have waited for memory so far.
    pub waits: u64,
    /// The maximum number of later queries that were served before a waiting one.
    pub overtaken_max: u64,
    /// The number of columns that stay on the device between queries, cached and pinned ones.
    pub resident_columns: usize,
    /// The bytes of the resident columns.
    pub resident_bytes: u64,
    /// The maximum for cached columns; pinned ones do not count.
    pub cached_bytes_max: u64,
    /// The number of columns that [`Session::keep`](crate::Session::keep) pinned.
    pub pinned_columns: usize,
    /// The bytes of the pinned columns.
    pub pinned_bytes: u64,
    /// The number of resident columns evicted so far, cached and pinned ones.
    pub columns_evicted: u64,
    /// The number of pinned columns evicted so far.
    pub pins_evicted: u64,
}

impl ResidencyManager {
    /// Returns the current counters.
    pub(crate) fn report(&self) -> DeviceMemory {
        let (queue, info) = (self.queue.counters(), self.device.memory());
        let state = self.state.lock();
        let (cached, pinned) = (state.table.totals(Retention::Cached), state.table.totals(Retention::Pinned));
        let HeldBytes { columns, bytes } = pinned;
        DeviceMemory {
            device: self.device.info().name.clone(),
            info,
            limit_bytes: self.capacity,
            reserved_bytes: queue.reserved,
            running_queries: queue.reservations,
            waiting_queries: queue.waiting,
            waits: queue.waits,
            overtaken_max: queue.overtaken_max,
            resident_columns: cached.columns + columns,
            resident_bytes: cached.bytes + bytes,
            cached_bytes_max: self.cached_bytes_max,
            pinned_columns: columns,
            pinned_bytes: bytes,
            columns_evicted: state.evicted,
            pins_evicted: state.pins_evicted,
        }
    }
}

impl MemoryReport {
    /// The memory of the device with this name.
    pub fn device(&self, name: &str) -> Option<&DeviceMemory> {
        self.devices.iter().find(|device| device.device == name)
    }

    /// The fraction of the pool's memory that is unused now and kept for reuse, 0 to 1.
    pub fn unused_fraction(&self) -> f64 {
        let PoolCounters { kept_bytes, outstanding_bytes, .. } = self.host;
        kept_bytes as f64 / (kept_bytes + outstanding_bytes).max(1) as f64
    }

    /// The report as one JSON object: `host` has the counters and `unused_fraction`; `devices` is an array of objects
    /// with a member for each field, those of `info` included. Values that a driver does not report are `null`.
    pub fn to_json(&self) -> String {
        let PoolCounters { allocated, reused, outstanding_bytes, peak_bytes, kept_bytes } = self.host;
        let mut host = JsonObject::new();
        host.raw("allocated", allocated).raw("reused", reused).raw("outstanding_bytes", outstanding_bytes);
        host.raw("peak_bytes", peak_bytes).raw("kept_bytes", kept_bytes);
        host.raw("unused_fraction", self.unused_fraction());
        let devices = array(self.devices.iter().map(device_json));
        JsonObject::new().raw("host", host.end()).raw("devices", devices).end()
    }
}

fn device_json(memory: &DeviceMemory) -> String {
    let mut json = JsonObject::new();
    json.text("device", &memory.device).optional("total", memory.info.total).optional("free", memory.info.free);
    json.raw("used", memory.info.used).raw("peak", memory.info.peak).raw("zombie", memory.info.zombie);
    json.raw("kept", memory.info.kept);
    json.optional("limit_bytes", memory.limit_bytes).raw("reserved_bytes", memory.reserved_bytes);
    json.raw("running_queries", memory.running_queries).raw("waiting_queries", memory.waiting_queries);
    json.raw("waits", memory.waits).raw("overtaken_max", memory.overtaken_max);
    json.raw("resident_columns", memory.resident_columns).raw("resident_bytes", memory.resident_bytes);
    json.raw("cached_bytes_max", memory.cached_bytes_max).raw("pinned_columns", memory.pinned_columns);
    json.raw("pinned_bytes", memory.pinned_bytes).raw("columns_evicted", memory.columns_evicted);
    json.raw("pins_evicted", memory.pins_evicted).end()
}

impl fmt::Display for MemoryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PoolCounters { allocated, reused, outstanding_bytes, peak_bytes, kept_bytes } = self.host;
        let [used, peak, kept] = [outstanding_bytes, peak_bytes, kept_bytes].map(|count| bytes(count as u64));
        write!(f, "host: {used} in use, peak {peak}, {kept} kept ({:.0} %)", 100.0 * self.unused_fraction())?;
        write!(f, "; {allocated} buffers allocated, {reused} reused")?;
        self.devices.iter().try_for_each(|device| write!(f, "\n{device}"))
    }
}

impl fmt::Display for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryInfo { total, free, used, peak, zombie, kept } = self.info;
        write!(f, "{}: {} in use, peak {}", self.device, bytes(used), bytes(peak))?;
        if let (Some(free), Some(total)) = (free, total) {
            write!(f, ", {} of {} free", bytes(free), bytes(total))?;
        }
        if zombie > 0 {
            write!(f, ", {} held by hung work", bytes(zombie))?;
        }
        if kept > 0 {
            write!(f, ", {} kept for reuse", bytes(kept))?;
        }
        let limit = self.limit_bytes.map(|limit| format!(" of {}", bytes(limit))).unwrap_or_default();
        write!(f, "; {}{limit} reserved by {} queries", bytes(self.reserved_bytes), self.running_queries)?;
        if self.waiting_queries > 0 {
            write!(f, ", {} waiting", self.waiting_queries)?;
        }
        write!(f, "; {} columns resident, {}", self.resident_columns, bytes(self.resident_bytes))?;
        if self.pinned_columns > 0 {
            write!(f, ", {} of them pinned", self.pinned_columns)?;
        }
        if self.columns_evicted > 0 {
            write!(f, "; {} evicted so far", self.columns_evicted)?;
        }
        Ok(())
    }
}
