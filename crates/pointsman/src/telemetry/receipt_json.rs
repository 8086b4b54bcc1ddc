//! A receipt as a JSON object, and as events for trace viewers.

use crate::error::FailedAttempt;
use crate::instrument::phase::Phase;
use crate::json::{JsonObject, array, quoted};
use crate::programs::ProgramSource;
use crate::telemetry::receipt::{Receipt, Share};
use pointsman_device::clock::FastInstant;
use std::time::SystemTime;

impl Receipt {
    /// Returns the receipt as one JSON object. Later versions may add members but keep these.
    ///
    /// | member | meaning |
    /// | --- | --- |
    /// | `name`, `location` | the name of the query, and the `file:line:column` that made it; or null |
    /// | `started` | the time of the call, in seconds since 1970-01-01T00:00:00Z |
    /// | `device`, `why` | the device that ran the query, and why this one |
    /// | `stages`, `programs`, `stage_devices` | arrays of text: each stage's sink, description of its program, and device |
    /// | `rows_in`, `rows_out` | rows of the source and of the result |
    /// | `bytes_read`, `bytes_written` | bytes that kernels read and wrote |
    /// | `bytes_moved_in`, `bytes_moved_out` | bytes copied to and from the device |
    /// | `batches` | batches that ran: one per stage, more if memory was too small or copies and runs overlapped |
    /// | `resumes`, `merges` | launches that continued where the one before had no room; launches that merged partial results |
    /// | `bytes_spilled` | bytes written to disk because they did not fit into the session's memory |
    /// | `shares` | the work of each device of a shared query: `{"device": …, "rows": …, "batches": …, "left_out": …}` |
    /// | `waited_for_memory` | `true` if the query waited for memory that other queries had reserved |
    /// | `columns_evicted`, `pins_evicted` | evicted resident columns, and how many of them were pinned |
    /// | `plan_cache`, `program_cache` | `hit` or `miss` |
    /// | `program_sources` | for each stage `{"from": …, "ns": …}`: `memory`, `disk`, `compiled` or `waited` |
    /// | `attempts` | failed attempts before this one: `{"device": …, "class": …, "message": …, "ns": …}` |
    /// | `slowdown` | if the device has turned slow, the time of the last runs relative to the usual time; else null |
    /// | `joules` | the energy of the run, if devices are chosen by energy and it is known; else null |
    /// | `plan_ns`, … `total_ns` | nanoseconds of each [`Phase`], and of all |
    pub fn to_json(&self) -> String {
        let mut json = JsonObject::new();
        json.text("device", self.device()).text("why", self.why());
        json.raw("stages", array(self.stages().iter().map(|stage| quoted(stage))));
        json.raw("programs", array(self.programs().iter().map(|program| quoted(program))));
        json.raw("stage_devices", array(self.stage_devices().map(quoted)));
        json.optional("name", self.name().map(quoted));
        json.optional("location", self.location().map(|at| quoted(&at.to_string())));
        let started = self.started().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        json.raw("started", format_args!("{}.{:06}", started.as_secs(), started.subsec_micros()));
        json.raw("rows_in", self.rows_in()).raw("rows_out", self.rows_out());
        json.raw("bytes_read", self.bytes_read()).raw("bytes_written", self.bytes_written());
        json.raw("bytes_moved_in", self.bytes_moved_in()).raw("bytes_moved_out", self.bytes_moved_out());
        json.raw("batches", self.batches()).raw("bytes_spilled", self.bytes_spilled());
        json.raw("resumes", self.resumes()).raw("merges", self.merges());
        json.raw("shares", array(self.shares().iter().map(share)));
        json.raw("waited_for_memory", self.waited_for_memory());
        json.raw("columns_evicted", self.columns_evicted()).raw("pins_evicted", self.pins_evicted());
        json.text("plan_cache", self.plan_cache().name()).text("program_cache", self.program_cache().name());
        json.raw("program_sources", array(self.program_sources().map(source)));
        json.raw("attempts", array(self.attempts().iter().map(attempt)));
        json.optional("slowdown", self.slowdown());
        json.optional("joules", self.joules());
        for phase in Phase::ALL {
            json.raw(&format!("{}_ns", phase.name()), self.time(phase).as_nanos());
        }
        json.raw("total_ns", self.total().as_nanos()).end()
    }

    /// Returns the receipt as a trace for `chrome://tracing` or Perfetto: the query and its phases in order, each as
    /// long as the sum of its parts.
    pub fn to_chrome_trace(&self) -> String {
        chrome_trace(std::slice::from_ref(self), self.start)
    }
}

/// A failed attempt as a JSON object.
pub(super) fn attempt(attempt: &FailedAttempt) -> String {
    let FailedAttempt { device, class, message, time } = attempt;
    let mut json = JsonObject::new();
    json.text("device", device).text("class", class.name()).text("message", message).raw("ns", time.as_nanos()).end()
}

fn share(share: &Share) -> String {
    let mut json = JsonObject::new();
    json.text("device", &share.device).raw("rows", share.rows).raw("batches", share.batches);
    json.optional("left_out", share.left_out.map(|why| quoted(why.name()))).end()
}

fn source(source: ProgramSource) -> String {
    JsonObject::new().text("from", source.name()).raw("ns", source.took().as_nanos()).end()
}

/// Returns receipts as one trace with times relative to `epoch`. Queries that overlap in time get separate lanes.
pub(crate) fn chrome_trace(receipts: &[Receipt], epoch: FastInstant) -> String {
    let mut order: Vec<(u64, &Receipt)> =
        receipts.iter().map(|receipt| (receipt.start.since(epoch), receipt)).collect();
    order.sort_by_key(|(start, _)| *start);
    // The end of the last query in each lane.
    let mut lanes: Vec<u64> = Vec::new();
    let mut events = Vec::new();
    for (start, receipt) in order {
        let lane = lanes.iter().position(|end| *end <= start).unwrap_or(lanes.len());
        lanes.resize(lanes.len().max(lane + 1), 0);
        lanes[lane] = start + receipt.total().as_nanos() as u64;
        events.extend(events_of(receipt, start, lane));
    }
    JsonObject::new().text("displayTimeUnit", "ns").raw("traceEvents", array(events)).end()
}

/// Returns the trace events of a query and its phases.
fn events_of(receipt: &Receipt, start: u64, lane: usize) -> Vec<String> {
    let event = |name: &str, from: u64, nanoseconds: u64, details: &str| {
        let micro = |nanoseconds: u64| format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
        let mut event = JsonObject::new();
        event.text("name", name).text("cat", "pointsman").text("ph", "X");
        event.raw("ts", micro(from)).raw("dur", micro(nanoseconds));
        event.raw("pid", std::process::id()).raw("tid", lane).raw("args", details).end()
    };
    let total = receipt.total().as_nanos() as u64;
    let mut events = vec![event(
        &format!("{} on {}", receipt.name().unwrap_or("query"), receipt.device()),
        start,
        total,
        &receipt.to_json(),
    )];
    let mut from = start;
    for phase in Phase::ALL {
        let took = receipt.time(phase).as_nanos() as u64;
        if took > 0 {
            events.push(event(phase.name(), from, took, "{}"));
        }
        from += took;
    }
    events
}
