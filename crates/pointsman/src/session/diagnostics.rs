//! The reports of a session: its programs, the health of its devices, its last receipts.

use super::Session;
use crate::error::{CallSite, Error, ErrorKind, Result};
use crate::instrument::phase::PhaseTimer;
use crate::programs::ProgramCacheReport;
use crate::select::{CalibrationReport, Selector};
use crate::telemetry::QuerySpan;
use crate::telemetry::failed_query::{FailedQuery, SessionHealth};
use crate::telemetry::receipt::Receipt;
use crate::telemetry::snapshot::{Snapshot, VerificationReport};
use std::path::Path;
use std::sync::Arc;

impl Session {
    /// Measures every device of this session, one after the other, in about three seconds in all, and chooses by the
    /// result from now on. Where devices are chosen by energy, measuring the power of each takes two seconds more.
    /// Other work on the devices makes them look slower. An error if none could be measured.
    ///
    /// ```no_run
    /// # fn main() -> pointsman::Result<()> {
    /// println!("{}", pointsman::Session::open()?.calibrate()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn calibrate(&self) -> Result<CalibrationReport> {
        self.discover();
        self.0.selector.calibrate()
    }

    /// Whether devices are being measured in the background now. Starts nothing, not even device discovery.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// let s = pointsman::Session::open()?;
    /// assert!(!s.is_calibrating(), "a query that takes longer than 1 ms starts it");
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_calibrating(&self) -> bool {
        self.0.selector.is_calibrating()
    }

    /// Blocks until measuring the devices in the background has ended; discovers devices and starts measuring if that
    /// has not begun. While a caller waits, measuring does not pause for queries of other threads. Returns at once if
    /// there is nothing to measure: the CPU is the only device, or the session does not measure or learn.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// let s = pointsman::SessionOptions::new().devices(["cpu"]).open()?;
    /// s.wait_until_calibrated();
    /// assert!(!s.is_calibrating());
    /// # Ok(())
    /// # }
    /// ```
    pub fn wait_until_calibrated(&self) {
        // A child that `fork` made has no thread to wait for.
        if self.0.process.is_same() {
            self.0.selector.wait_until_calibrated();
        }
    }

    /// The selector over the devices of this session. `None` if the CPU is the only device, or if devices were not
    /// looked for yet: [`Session::discover`] looks for them. Starts nothing: what earlier sessions learned is read, and
    /// devices are measured, after [`Session::discover`] or the first longer query that names no device.
    pub fn selector(&self) -> Option<Selector> {
        self.0.selector.selector()
    }

    /// The results of the runs that were checked on the CPU.
    pub fn verification(&self) -> VerificationReport {
        self.0.verifier.report()
    }

    /// The counters of the session's program cache, and its directory.
    pub fn program_cache(&self) -> ProgramCacheReport {
        self.0.programs.report()
    }

    /// Answers, failures and the last error of each device used so far, and the number of failed queries by the kind of
    /// their error.
    pub fn health(&self) -> SessionHealth {
        self.0.telemetry.health()
    }

    /// The last queries that ended in an error, the oldest first: 16, or
    /// [`SessionOptions::keep_receipts`](crate::SessionOptions::keep_receipts) if that is more.
    pub fn failed_queries(&self) -> Vec<FailedQuery> {
        self.0.telemetry.failed_queries.all()
    }

    /// The last receipts, the oldest first: as many as
    /// [`SessionOptions::keep_receipts`](crate::SessionOptions::keep_receipts) says.
    pub fn receipts(&self) -> Vec<Receipt> {
        self.0.telemetry.receipts.all()
    }

    /// The last receipts as one trace, which browsers show (`chrome://tracing`, Perfetto).
    pub fn chrome_trace(&self) -> String {
        self.0.telemetry.chrome_trace()
    }

    /// Writes [`chrome_trace`](Session::chrome_trace) to a file.
    pub fn write_chrome_trace(&self, file: impl AsRef<Path>) -> Result<()> {
        let file = file.as_ref();
        let io_error = |error: std::io::Error| Error::new(ErrorKind::Io, format!("{}: {error}", file.display()));
        std::fs::write(file, self.chrome_trace()).map_err(io_error)
    }

    /// The state of the session, for a problem report. Discovers no devices and writes nothing.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            version: env!("CARGO_PKG_VERSION"),
            devices: self.0.registry.entries(),
            health: self.health(),
            memory: self.memory(),
            programs: self.0.programs.current_report(),
            verification: self.verification(),
            failures: self.0.telemetry.failures.all(),
            failed_queries: self.failed_queries(),
            receipts: self.receipts(),
        }
    }

    /// Records the outcome of a query that was made at `home`; the receipt, or the error, gets that call site, and the
    /// error the query's name. Borrows the receipt: it is large, and a function that returned it would move it once
    /// more.
    #[inline]
    pub(crate) fn record_outcome(
        &self,
        home: CallSite,
        name: Option<&Arc<str>>,
        result: &mut Result<Receipt>,
        timer: &PhaseTimer,
        span: QuerySpan,
    ) {
        match result {
            Ok(receipt) => receipt.home = Some(home),
            Err(error) => error.set_query(home, name),
        }
        if self.0.process.is_same() {
            self.0.telemetry.record(result, timer, span);
        }
    }

    /// Records that a query failed before it began, or after its devices answered. Returns its error.
    #[cold]
    pub(crate) fn record_failed_query(&self, error: Error, timer: &PhaseTimer) -> Error {
        if self.0.process.is_same() {
            self.0.telemetry.record_failed_query(&error, timer);
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use crate::session::options::SessionOptions;
    use std::time::Duration;

    #[test]
    fn a_session_is_calibrated_while_the_caller_waits() {
        let session = SessionOptions::new().devices(["cpu"]).open().expect("a session");
        let report = session.calibrate().expect("the processor is there");
        let [cpu] = &report.devices[..] else { panic!("{report}") };
        assert_eq!(cpu.device, "cpu");
        assert!(cpu.profile.as_ref().is_ok_and(|profile| profile.measured), "{report}");
        assert!(cpu.took > Duration::ZERO && report.to_string().lines().count() == 2, "{report}");
    }
}
