//! [`MemoryReport`]: the memory of a session, on the host and on each device.

use super::ResidencyManager;
use super::resident_table::{HeldBytes, Retention};
use crate::json::{JsonObject, array};
use crate::text::bytes;
use pointsman_device::{MemoryInfo, PoolCounters};
use std::fmt;

/// How the memory of a session stands. `Display` for people, [`MemoryReport::to_json`] for machines.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryReport {
    /// The host's memory for results and intermediate columns: what was taken from the system, what is in use, what is
    /// kept for the next query.
    pub host: PoolCounters,
    /// Devices with memory of their own, as far as they were looked for.
    pub devices: Vec<DeviceMemory>,
}

/// How a device's own memory stands, in bytes but for the counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceMemory {
    /// The device.
    pub device: String,
    /// What the device says: all there is, what is free, what its buffers take, the most they ever took, what work
    /// that does not end holds, and what is kept for buffers to come. Other sessions of this process are in it.
    pub info: MemoryInfo,
    /// The most that this session takes, queries and resident columns together; `None` if the size is unknown.
    pub limit: Option<u64>,
    /// What running queries of this session have reserved.
    pub reserved: u64,
    /// How many queries that are.
    pub running: usize,
    /// How many queries wait for memory.
    pub waiting: usize,
    /// How many ever waited.
    pub waits: u64,
    /// The most queries that were ever served before one that came earlier.
    pub passed_max: u64,
    /// Columns that are there between queries.
    pub resident_columns: usize,
    /// What they take.
    pub resident_bytes: u64,
    /// The most that they take, but for those that were asked for.
    pub resident_limit: u64,
    /// Those of them that [`Session::keep`](crate::Session::keep) was asked for.
    pub pinned_columns: usize,
    /// What these take.
    pub pinned_bytes: u64,
    /// Columns that made room for others or for queries so far.
    pub columns_evicted: u64,
    /// Those of them that were asked for.
    pub pins_evicted: u64,
}

impl ResidencyManager {
    /// Returns the current counters.
    pub(crate) fn report(&self) -> DeviceMemory {
        let (standing, info) = (self.queue.standing(), self.device.memory());
        let state = self.state.lock();
        let (cached, pinned) = (state.table.totals(Retention::Cached), state.table.totals(Retention::Pinned));
        let HeldBytes { columns, bytes } = pinned;
        DeviceMemory {
            device: self.device.info().name.clone(),
            info,
            limit: self.capacity,
            reserved: standing.reserved,
            running: standing.reservations,
            waiting: standing.waiting,
            waits: standing.waits,
            passed_max: standing.passed_max,
            resident_columns: cached.columns + columns,
            resident_bytes: cached.bytes + bytes,
            resident_limit: self.resident_limit,
            pinned_columns: columns,
            pinned_bytes: bytes,
            columns_evicted: state.evicted,
            pins_evicted: state.unpinned,
        }
    }
}

impl MemoryReport {
    /// The memory of a device, by its name.
    pub fn device(&self, name: &str) -> Option<&DeviceMemory> {
        self.devices.iter().find(|device| device.device == name)
    }

    /// The part of the host's memory taken from the system that is unused now, 0 to 1: kept for results to come.
    pub fn fragmentation(&self) -> f64 {
        let PoolCounters { kept_bytes, outstanding_bytes, .. } = self.host;
        kept_bytes as f64 / (kept_bytes + outstanding_bytes).max(1) as f64
    }

    /// The report as one JSON object: `host` with the counters and `fragmentation`, and `devices`, an array with a
    /// member for each field. What a driver does not tell is `null`.
    pub fn to_json(&self) -> String {
        let PoolCounters { allocated, reused, outstanding_bytes, peak_bytes, kept_bytes } = self.host;
        let mut host = JsonObject::new();
        host.raw("allocated", allocated).raw("reused", reused).raw("outstanding_bytes", outstanding_bytes);
        host.raw("peak_bytes", peak_bytes).raw("kept_bytes", kept_bytes);
        host.raw("fragmentation", self.fragmentation());
        let devices = array(self.devices.iter().map(device_json));
        JsonObject::new().raw("host", host.end()).raw("devices", devices).end()
    }
}

fn device_json(memory: &DeviceMemory) -> String {
    let mut json = JsonObject::new();
    json.text("device", &memory.device).optional("total", memory.info.total).optional("free", memory.info.free);
    json.raw("used", memory.info.used).raw("peak", memory.info.peak).raw("zombie", memory.info.zombie);
    json.raw("kept", memory.info.kept);
    json.optional("limit", memory.limit).raw("reserved", memory.reserved).raw("running", memory.running);
    json.raw("waiting", memory.waiting).raw("waits", memory.waits).raw("passed_max", memory.passed_max);
    json.raw("resident_columns", memory.resident_columns).raw("resident_bytes", memory.resident_bytes);
    json.raw("resident_limit", memory.resident_limit).raw("pinned_columns", memory.pinned_columns);
    json.raw("pinned_bytes", memory.pinned_bytes).raw("columns_evicted", memory.columns_evicted);
    json.raw("pins_evicted", memory.pins_evicted).end()
}

impl fmt::Display for MemoryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PoolCounters { allocated, reused, outstanding_bytes, peak_bytes, kept_bytes } = self.host;
        let [used, peak, kept] = [outstanding_bytes, peak_bytes, kept_bytes].map(|count| bytes(count as u64));
        write!(f, "host: {used} in use, {peak} at most, {kept} kept ({:.0} %)", 100.0 * self.fragmentation())?;
        write!(f, "; {allocated} buffers taken, {reused} used again")?;
        self.devices.iter().try_for_each(|device| write!(f, "\n{device}"))
    }
}

impl fmt::Display for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryInfo { total, free, used, peak, zombie, kept } = self.info;
        write!(f, "{}: {} in use, {} at most", self.device, bytes(used), bytes(peak))?;
        if let (Some(free), Some(total)) = (free, total) {
            write!(f, ", {} of {} free", bytes(free), bytes(total))?;
        }
        if zombie > 0 {
            write!(f, ", {} held by work that does not end", bytes(zombie))?;
        }
        if kept > 0 {
            write!(f, ", {} kept for buffers to come", bytes(kept))?;
        }
        let limit = self.limit.map(|limit| format!(" of {}", bytes(limit))).unwrap_or_default();
        write!(f, "; {}{limit} reserved by {} queries", bytes(self.reserved), self.running)?;
        if self.waiting > 0 {
            write!(f, ", {} wait", self.waiting)?;
        }
        write!(f, "; {} columns resident, {}", self.resident_columns, bytes(self.resident_bytes))?;
        if self.pinned_columns > 0 {
            write!(f, ", {} of them to be kept", self.pinned_columns)?;
        }
        if self.columns_evicted > 0 {
            write!(f, "; {} made room so far", self.columns_evicted)?;
        }
        Ok(())
    }
}
