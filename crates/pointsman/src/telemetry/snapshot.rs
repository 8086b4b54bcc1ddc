//! [`Snapshot`]: how a session stands, to be put into a report of a problem.

use super::Telemetry;
use super::device_counters::{DeviceHealth, Slowdown};
use super::json::{JsonObject, array, quoted};
use super::lock;
use crate::devices::registry::DeviceEntry;
use crate::devices::residency::report::MemoryReport;
use crate::programs::ProgramCacheReport;
use crate::session::shadow::VerificationReport;
use crate::telemetry::receipt::Receipt;
use std::fmt;

/// How a session stands: its devices and how they did, its memory, its programs, what happened last. `Display` for
/// people, [`Snapshot::to_json`] for machines.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The version of the library.
    pub version: &'static str,
    /// The devices that were looked for so far.
    pub devices: Vec<DeviceEntry>,
    /// How the devices did that were asked so far.
    pub health: Vec<DeviceHealth>,
    /// The memory of the host and of the devices.
    pub memory: MemoryReport,
    /// How the session came by its programs.
    pub programs: ProgramCacheReport,
    /// What came of the runs that were checked on the CPU.
    pub shadow: VerificationReport,
    /// The last failures of devices, the oldest first.
    pub failures: Vec<String>,
    /// The last receipts, the oldest first, if the session keeps any.
    pub receipts: Vec<Receipt>,
}

impl Snapshot {
    pub(crate) fn new(
        telemetry: &Telemetry,
        devices: Vec<DeviceEntry>,
        memory: MemoryReport,
        programs: ProgramCacheReport,
        shadow: VerificationReport,
    ) -> Snapshot {
        Snapshot {
            version: env!("CARGO_PKG_VERSION"),
            devices,
            health: telemetry.tallies.health(),
            memory,
            programs,
            shadow,
            failures: lock(&telemetry.failures).iter().cloned().collect(),
            receipts: telemetry.receipts(),
        }
    }

    /// The snapshot as one JSON object, with a member for each field. Receipts are as in [`Receipt::to_json`].
    pub fn to_json(&self) -> String {
        let mut json = JsonObject::new();
        json.text("version", self.version);
        json.raw("devices", array(self.devices.iter().map(device_json)));
        json.raw("health", array(self.health.iter().map(health_json)));
        json.raw("memory", self.memory.to_json()).raw("programs", programs_json(&self.programs));
        json.raw("shadow", shadow_json(self.shadow));
        json.raw("failures", array(self.failures.iter().map(|failure| quoted(failure))));
        json.raw("receipts", array(self.receipts.iter().map(Receipt::to_json))).end()
    }
}

fn device_json(device: &DeviceEntry) -> String {
    let (info, memory) = (&device.info, device.memory);
    let number = |bytes: Option<u64>| bytes.map_or_else(|| "null".to_string(), |bytes| bytes.to_string());
    let mut json = JsonObject::new();
    json.text("name", &info.name).text("model", &info.model).raw("units", info.units);
    json.raw("memory_total", number(memory.total)).raw("memory_free", number(memory.free));
    json.raw("memory_used", memory.used).raw("memory_zombie", memory.zombie).end()
}

fn health_json(health: &DeviceHealth) -> String {
    let mut json = JsonObject::new();
    json.text("device", &health.device).raw("answers", health.answers).raw("failures", health.failures);
    json.maybe("last_error", health.last_error.as_deref());
    json.raw("slow", array(health.slow.iter().map(slowdown_json))).end()
}

fn slowdown_json(slowdown: &Slowdown) -> String {
    let Slowdown { stages, rows, usual, now } = slowdown;
    let mut json = JsonObject::new();
    json.text("stages", stages).raw("rows", rows);
    json.raw("usual_ns", usual.as_nanos()).raw("now_ns", now.as_nanos()).end()
}

fn shadow_json(shadow: VerificationReport) -> String {
    let VerificationReport { checked, differed, passed_over } = shadow;
    JsonObject::new().raw("checked", checked).raw("differed", differed).raw("passed_over", passed_over).end()
}

fn programs_json(programs: &ProgramCacheReport) -> String {
    let directory = programs.directory.as_ref().map(|directory| directory.display().to_string());
    let mut json = JsonObject::new();
    json.maybe("directory", directory.as_deref()).maybe("off", programs.off.as_deref());
    json.raw("compiled", programs.compiled).raw("from_disk", programs.from_disk).raw("waited", programs.waited);
    json.raw("damaged", programs.damaged).raw("lost", programs.lost);
    json.maybe("last_loss", programs.last_loss.as_deref()).end()
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pointsman {}", self.version)?;
        for DeviceEntry { info, memory } in &self.devices {
            write!(f, "device   {}: {}, {} bytes used", info.name, info.model, memory.used)?;
            if memory.zombie > 0 {
                write!(f, ", {} of them held by work that does not end", memory.zombie)?;
            }
            writeln!(f)?;
        }
        for DeviceHealth { device, answers, failures, last_error, slow } in &self.health {
            write!(f, "health   {device}: {answers} answers, {failures} failures")?;
            last_error.as_ref().map_or(Ok(()), |error| write!(f, ", the last: {error}"))?;
            writeln!(f)?;
            slow.iter().try_for_each(|slowdown| writeln!(f, "slow     {device}: {slowdown}"))?;
        }
        self.memory.to_string().lines().try_for_each(|line| writeln!(f, "memory   {line}"))?;
        let ProgramCacheReport { compiled, from_disk, waited, damaged, lost, .. } = &self.programs;
        write!(
            f,
            "programs {compiled} compiled, {from_disk} from disk, {waited} waits, {damaged} damaged, {lost} lost"
        )?;
        let off = self.programs.off.iter().map(|why| ("off", why));
        let loss = self.programs.last_loss.iter().map(|why| ("the last loss", why));
        off.chain(loss).try_for_each(|(what, why)| write!(f, "; {what}: {why}"))?;
        writeln!(f)?;
        let VerificationReport { checked, differed, passed_over } = self.shadow;
        if checked + passed_over > 0 {
            writeln!(f, "shadow   {checked} runs checked on the CPU, {differed} differed, {passed_over} passed over")?;
        }
        self.failures.iter().try_for_each(|failure| writeln!(f, "failure  {failure}"))?;
        self.receipts.iter().try_for_each(|receipt| writeln!(f, "receipt  {receipt}"))
    }
}
