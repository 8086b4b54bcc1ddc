//! What a session tells about itself: its programs, the health of its devices, its last receipts.

use super::Session;
use crate::error::{Error, ErrorKind, Result};
use crate::programs::ProgramCacheReport;
use crate::telemetry::QuerySpan;
use crate::telemetry::device_counters::DeviceHealth;
use crate::telemetry::receipt::Receipt;
use crate::telemetry::snapshot::Snapshot;
use std::path::Path;

impl Session {
    /// How this session came by its programs, and where they are stored.
    pub fn program_cache(&self) -> ProgramCacheReport {
        self.0.programs.report()
    }

    /// How each device did that was asked so far: answers, failures, the last error.
    pub fn health(&self) -> Vec<DeviceHealth> {
        self.0.telemetry.tallies.health()
    }

    /// The last receipts, the oldest first: as many as [`SessionOptions::keep_receipts`](crate::SessionOptions::keep_receipts) says.
    pub fn receipts(&self) -> Vec<Receipt> {
        self.0.telemetry.receipts()
    }

    /// The last receipts as one trace, which browsers show (`chrome://tracing`, Perfetto).
    pub fn chrome_trace(&self) -> String {
        self.0.telemetry.chrome_trace()
    }

    /// Writes that trace to a file.
    pub fn write_chrome_trace(&self, file: impl AsRef<Path>) -> Result<()> {
        let file = file.as_ref();
        let told = |error: std::io::Error| Error::new(ErrorKind::Io, format!("{}: {error}", file.display()));
        std::fs::write(file, self.chrome_trace()).map_err(told)
    }

    /// How the session stands, to be put into a report of a problem. Looks for no devices and writes nothing.
    pub fn snapshot(&self) -> Snapshot {
        let (devices, programs) = (self.0.devices.known(), self.0.programs.peek());
        Snapshot::new(&self.0.telemetry, devices, self.memory(), programs, self.verification())
    }

    /// Tells what came of a query.
    #[inline]
    pub(crate) fn tell(&self, result: &Result<Receipt>, span: QuerySpan) {
        self.0.telemetry.tell(result, span);
    }
}
