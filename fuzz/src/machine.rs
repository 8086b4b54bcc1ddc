//! The sessions and devices that cases run on.

use pointsman::{Exactness, Result, Session, SessionOptions};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Memory of the session that spills, in bytes: a column of 200,000 doubles does not fit.
const SMALL_MEMORY_BYTES: usize = 1 << 20;
/// Device memory of the session that runs in batches.
const SMALL_DEVICE_BYTES: u64 = 1 << 20;

/// The machines that this process opened.
static MACHINES: AtomicU64 = AtomicU64::new(0);

/// A session with a name for the report.
pub(crate) struct NamedSession {
    pub(crate) name: &'static str,
    pub(crate) session: Session,
    /// Whether results may not fit.
    pub(crate) is_small: bool,
    /// Whether the optimizer runs.
    pub(crate) has_passes: bool,
}

/// A device that is not the CPU.
#[derive(Clone, Debug)]
pub(crate) struct OtherDevice {
    pub(crate) name: String,
    pub(crate) is_bounded: bool,
}

pub(crate) struct Machine {
    pub(crate) sessions: Vec<NamedSession>,
    pub(crate) others: Vec<OtherDevice>,
    pub(crate) has_cpu: bool,
    /// Whether the CPU runs block programs instead of machine code.
    pub(crate) cpu: &'static str,
    spill_directory: std::path::PathBuf,
}

impl Machine {
    /// Opens every session and finds the devices; `only` restricts them.
    pub(crate) fn open(only: Option<&[String]>) -> Result<Machine> {
        // Several machines of a process, as tests have them, must not remove each other's directory.
        let (process, number) = (std::process::id(), MACHINES.fetch_add(1, Ordering::Relaxed));
        let spill_directory = std::env::temp_dir().join(format!("pointsman-fuzz-{process}-{number}"));
        let options = || SessionOptions::new().spill_directory(&spill_directory);
        let unoptimised = pass_names().iter().fold(options(), |options, name| options.disable_pass(name));
        let all = [
            ("default", options()),
            ("one thread", options().threads(1).morsel_rows(1).poison_memory(true)),
            ("three threads", options().threads(3).morsel_rows(4096).keep_receipts(4).share_time_min(Duration::ZERO)),
            ("small memory", options().memory_bytes(SMALL_MEMORY_BYTES)),
            ("small device", options().device_memory_bytes(SMALL_DEVICE_BYTES).batches_in_flight(2).resident_bytes(0)),
            ("verified", options().verify_share(1.0)),
            // The last one, where cases find it.
            ("without passes", unoptimised),
        ];
        let open = |(name, options): (&'static str, SessionOptions)| {
            let (is_small, has_passes) = (name.starts_with("small"), options.disabled_passes.is_empty());
            Ok(NamedSession { name, session: options.open()?, is_small, has_passes })
        };
        let sessions = all.into_iter().map(open).collect::<Result<Vec<_>>>()?;
        let report = sessions[0].session.discover();
        let is_wanted = |name: &str| only.is_none_or(|only| only.iter().any(|one| one == name));
        let others = report.devices().iter().map(|device| &device.info).filter(|info| info.name != "cpu");
        let other = |info: &pointsman::report::DeviceInfo| OtherDevice {
            name: info.name.clone(),
            is_bounded: info.capabilities.exactness == Exactness::Bounded,
        };
        let is_off =
            std::env::var("POINTSMAN_JIT").is_ok_and(|text| ["off", "0", "false", "no"].contains(&text.as_str()));
        Ok(Machine {
            others: others.filter(|info| is_wanted(&info.name)).map(other).collect(),
            has_cpu: is_wanted("cpu"),
            cpu: if is_off { "cpu, block programs" } else { "cpu" },
            sessions,
            spill_directory,
        })
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.sessions.clear();
        // Spilled columns are gone with their queries; a directory that is left is only untidy.
        let _ = std::fs::remove_dir_all(&self.spill_directory);
    }
}

/// The names of the optimizer's passes, from the error that lists them.
fn pass_names() -> Vec<String> {
    let Err(error) = SessionOptions::new().disable_pass("?").open() else { return Vec::new() };
    let listed = error.message().split("the passes are ").nth(1).unwrap_or_default();
    listed.split(", ").map(str::to_string).filter(|name| !name.is_empty()).collect()
}
