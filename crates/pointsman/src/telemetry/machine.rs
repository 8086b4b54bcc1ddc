//! A receipt for machines: a JSON object, and events for the trace viewers of browsers.

use super::json::{JsonObject, array, quoted};
use crate::instrument::phase::Phase;
use crate::programs::ProgramSource;
use crate::resilience::attempt_log::FailedAttempt;
use crate::telemetry::receipt::{Receipt, Share};
use pointsman_device::clock::FastInstant;

impl Receipt {
    /// The receipt for machines: one JSON object. Members may be added by later versions; those that are here stay.
    ///
    /// | member | is |
    /// | --- | --- |
    /// | `device`, `why` | the device that ran it, and why this one |
    /// | `stages`, `programs` | arrays of text: each stage's sink, and what it ran as |
    /// | `rows_in`, `rows_out` | rows of the source and of the result |
    /// | `bytes_read`, `bytes_written` | what kernels read and wrote |
    /// | `bytes_moved_in`, `bytes_moved_out` | what was copied to and from the device |
    /// | `batches` | batches that ran: one a stage, more where memory was too small, or copies and runs overlap |
    /// | `bytes_spilled` | what went to the disk, because the session's memory did not hold it |
    /// | `shares` | what each of several devices did: `{"device": …, "rows": …, "batches": …, "left_out": …}` |
    /// | `waited_for_memory` | `true` if it waited for memory that other queries had reserved |
    /// | `columns_evicted`, `pins_evicted` | resident columns that made room, and those of them that were to be kept |
    /// | `plan_cache`, `program_cache` | `hit` or `miss` |
    /// | `program_sources` | for each stage `{"from": …, "ns": …}`: `memory`, `disk`, `compiled` or `waited` |
    /// | `attempts` | what failed before: `{"device": …, "class": …, "message": …, "ns": …}` |
    /// | `slowdown` | how many times as long as usual the last runs took, if the device has turned slow; else null |
    /// | `joules` | the energy of the run, if devices are chosen by that and it is known; else null |
    /// | `plan_ns`, … `total_ns` | nanoseconds, one member for each [`Phase`] and one for all |
    pub fn to_json(&self) -> String {
        let mut json = JsonObject::new();
        json.text("device", self.device()).text("why", self.why());
        json.raw("stages", array(self.stages().iter().map(|stage| quoted(stage))));
        json.raw("programs", array(self.programs().iter().map(|program| quoted(program))));
        json.raw("rows_in", self.rows_in()).raw("rows_out", self.rows_out());
        json.raw("bytes_read", self.bytes_read()).raw("bytes_written", self.bytes_written());
        json.raw("bytes_moved_in", self.bytes_moved_in()).raw("bytes_moved_out", self.bytes_moved_out());
        json.raw("batches", self.batches()).raw("bytes_spilled", self.bytes_spilled());
        json.raw("shares", array(self.shares().iter().map(share)));
        json.raw("waited_for_memory", self.waited_for_memory());
        json.raw("columns_evicted", self.columns_evicted()).raw("pins_evicted", self.pins_evicted());
        json.text("plan_cache", self.plan_cache().name()).text("program_cache", self.program_cache().name());
        json.raw("program_sources", array(self.program_sources().map(source)));
        json.raw("attempts", array(self.attempts().iter().map(attempt)));
        json.raw("slowdown", self.slowdown().map_or_else(|| "null".to_string(), |slowdown| slowdown.to_string()));
        json.raw("joules", self.joules().map_or_else(|| "null".to_string(), |joules| joules.to_string()));
        for phase in Phase::ALL {
            json.raw(&format!("{}_ns", phase.name()), self.time(phase).as_nanos());
        }
        json.raw("total_ns", self.total().as_nanos()).end()
    }

    /// The receipt as a trace of one query, which browsers show (`chrome://tracing`, Perfetto): the query and its phases
    /// in order, each as long as all its parts together.
    pub fn to_chrome_trace(&self) -> String {
        chrome_trace(std::slice::from_ref(self), self.start())
    }
}

fn attempt(attempt: &FailedAttempt) -> String {
    let FailedAttempt { device, class, message, time } = attempt;
    let mut json = JsonObject::new();
    json.text("device", device).text("class", class.name()).text("message", message).raw("ns", time.as_nanos()).end()
}

fn share(share: &Share) -> String {
    let mut json = JsonObject::new();
    json.text("device", &share.device).raw("rows", share.rows).raw("batches", share.batches);
    match share.left_out {
        Some(why) => json.text("left_out", why.name()).end(),
        None => json.raw("left_out", "null").end(),
    }
}

fn source(source: ProgramSource) -> String {
    JsonObject::new().text("from", source.name()).raw("ns", source.took().as_nanos()).end()
}

/// Receipts as one trace; times count from `epoch`. Queries at the same time stand in lanes of their own.
pub(crate) fn chrome_trace(receipts: &[Receipt], epoch: FastInstant) -> String {
    let mut order: Vec<(u64, &Receipt)> = receipts.iter().map(|one| (one.start().since(epoch), one)).collect();
    order.sort_by_key(|(start, _)| *start);
    // When the last query of each lane is done.
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

/// A query and its phases.
fn events_of(receipt: &Receipt, start: u64, lane: usize) -> Vec<String> {
    let event = |name: &str, from: u64, nanoseconds: u64, details: &str| {
        let micro = |nanoseconds: u64| format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
        let mut event = JsonObject::new();
        event.text("name", name).text("cat", "pointsman").text("ph", "X");
        event.raw("ts", micro(from)).raw("dur", micro(nanoseconds));
        event.raw("pid", std::process::id()).raw("tid", lane).raw("args", details).end()
    };
    let total = receipt.total().as_nanos() as u64;
    let mut events = vec![event(&format!("query on {}", receipt.device()), start, total, &receipt.to_json())];
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
