//! [`Snapshot`]: the state of a session, for a bug report.

use super::device_counters::{DeviceHealth, Slowdown};
use super::failed_query::{FailedQuery, SessionHealth};
use crate::devices::registry::DeviceEntry;
use crate::devices::residency::report::MemoryReport;
use crate::json::{JsonObject, array, quoted};
use crate::programs::ProgramCacheReport;
use crate::telemetry::receipt::Receipt;
use std::fmt;

/// The state of a session: its devices and their health, its memory, its programs, and its last failures and receipts.
/// `Display` prints it as text, [`Snapshot::to_json`] returns JSON.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The version of the library.
    pub version: &'static str,
    /// The devices that have been discovered so far.
    pub devices: Vec<DeviceEntry>,
    /// The health of the devices that have been used so far, and the number of failed queries.
    pub health: SessionHealth,
    /// Host and device memory.
    pub memory: MemoryReport,
    /// The program cache.
    pub programs: ProgramCacheReport,
    /// The results of the runs that the CPU repeated.
    pub verification: VerificationReport,
    /// The last device failures, the oldest first.
    pub failures: Vec<String>,
    /// The last queries that ended in an error, the oldest first.
    pub failed_queries: Vec<FailedQuery>,
    /// The last receipts, the oldest first; empty unless the session keeps receipts.
    pub receipts: Vec<Receipt>,
}

/// The results of checking runs on the CPU. See [`SessionOptions::verify_share`](crate::SessionOptions::verify_share).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerificationReport {
    /// Runs whose answers were compared.
    pub checked: u64,
    /// Runs whose answer differed from the CPU's.
    pub differed: u64,
    /// Runs that could not be checked: the CPU does not run the query, or had no time or memory for it; or the contract
    /// does not determine the answer, because a float decides something on a bounded device.
    pub skipped: u64,
}

impl Snapshot {
    /// Returns the snapshot as one JSON object with a member for each field. Receipts have the form of
    /// [`Receipt::to_json`].
    pub fn to_json(&self) -> String {
        let VerificationReport { checked, differed, skipped } = self.verification;
        let mut verification = JsonObject::new();
        verification.raw("checked", checked).raw("differed", differed).raw("skipped", skipped);
        let mut failed_counts = JsonObject::new();
        for count in &self.health.failed_queries {
            failed_counts.raw(count.kind.name(), count.queries);
        }
        let mut json = JsonObject::new();
        json.text("version", self.version);
        json.raw("devices", array(self.devices.iter().map(device_json)));
        json.raw("health", array(self.health.iter().map(health_json)));
        json.raw("memory", self.memory.to_json()).raw("programs", programs_json(&self.programs));
        json.raw("verification", verification.end());
        json.raw("failures", array(self.failures.iter().map(|failure| quoted(failure))));
        json.raw("failed_query_counts", failed_counts.end());
        json.raw("failed_queries", array(self.failed_queries.iter().map(FailedQuery::to_json)));
        json.raw("receipts", array(self.receipts.iter().map(Receipt::to_json))).end()
    }
}

fn device_json(device: &DeviceEntry) -> String {
    let (info, memory) = (&device.info, device.memory);
    let mut json = JsonObject::new();
    json.text("name", &info.name).text("model", &info.model).raw("units", info.units);
    json.optional("memory_total", memory.total).optional("memory_free", memory.free);
    json.raw("memory_used", memory.used).raw("memory_zombie", memory.zombie).end()
}

fn health_json(health: &DeviceHealth) -> String {
    let mut json = JsonObject::new();
    json.text("device", &health.device).raw("answers", health.answers).raw("failures", health.failures);
    json.optional("last_error", health.last_error.as_deref().map(quoted));
    json.raw("slow", array(health.slow.iter().map(slowdown_json))).end()
}

fn slowdown_json(slowdown: &Slowdown) -> String {
    let Slowdown { stages, rows, usual, now } = slowdown;
    let mut json = JsonObject::new();
    json.text("stages", stages).raw("rows", rows);
    json.raw("usual_ns", usual.as_nanos()).raw("now_ns", now.as_nanos()).end()
}

fn programs_json(programs: &ProgramCacheReport) -> String {
    let directory = programs.directory.as_ref().map(|directory| quoted(&directory.display().to_string()));
    let mut json = JsonObject::new();
    json.optional("directory", directory).optional("off", programs.off.as_deref().map(quoted));
    json.raw("compiled", programs.compiled).raw("from_disk", programs.from_disk).raw("waited", programs.waited);
    json.raw("damaged", programs.damaged).raw("refused", programs.refused);
    json.optional("last_refusal", programs.last_refusal.as_deref().map(quoted)).raw("lost", programs.lost);
    json.optional("last_loss", programs.last_loss.as_deref().map(quoted)).end()
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pointsman {}", self.version)?;
        for DeviceEntry { info, memory } in &self.devices {
            write!(f, "device   {}: {}, {} bytes used", info.name, info.model, memory.used)?;
            if memory.zombie > 0 {
                write!(f, ", {} of them held by hung work", memory.zombie)?;
            }
            writeln!(f)?;
        }
        for DeviceHealth { device, answers, failures, last_error, slow } in self.health.iter() {
            write!(f, "health   {device}: {answers} answers, {failures} failures")?;
            last_error.as_ref().map_or(Ok(()), |error| write!(f, ", the last: {error}"))?;
            writeln!(f)?;
            slow.iter().try_for_each(|slowdown| writeln!(f, "slow     {device}: {slowdown}"))?;
        }
        self.memory.to_string().lines().try_for_each(|line| writeln!(f, "memory   {line}"))?;
        let ProgramCacheReport { compiled, from_disk, waited, damaged, refused, lost, .. } = &self.programs;
        write!(
            f,
            "programs {compiled} compiled, {from_disk} from disk, {waited} waits, {damaged} damaged, {refused} refused, \
             {lost} lost"
        )?;
        let off = self.programs.off.iter().map(|why| ("off", why));
        let refusal = self.programs.last_refusal.iter().map(|why| ("the last refusal", why));
        let loss = self.programs.last_loss.iter().map(|why| ("the last loss", why));
        off.chain(refusal).chain(loss).try_for_each(|(what, why)| write!(f, "; {what}: {why}"))?;
        writeln!(f)?;
        let VerificationReport { checked, differed, skipped } = self.verification;
        if checked + skipped > 0 {
            writeln!(f, "verified {checked} runs checked on the CPU, {differed} differed, {skipped} skipped")?;
        }
        self.failures.iter().try_for_each(|failure| writeln!(f, "failure  {failure}"))?;
        for count in &self.health.failed_queries {
            writeln!(f, "failed   {} queries: {}", count.queries, count.kind.name())?;
        }
        self.failed_queries.iter().try_for_each(|failed| writeln!(f, "failed   {failed}"))?;
        self.receipts.iter().try_for_each(|receipt| writeln!(f, "receipt  {receipt}"))
    }
}
