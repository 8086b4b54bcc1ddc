//! A session of its own for each case: fresh ones, and ones with a stored profile.

use super::LiveBenchmark;
use super::automatic_calls::{AutomaticCalls, DeviceHistory};
use super::case::{Case, WARM_CALLS, median};
use super::choice_report::{CaseResult, ChoiceReport};
use super::random_query::Run;
use super::session_times::{compared_devices, session_times};
use pointsman::{Result, Session};
use std::error::Error;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// A fresh session works this long on its case before its calls are judged: devices are found and measured meanwhile.
const SETTLING: Duration = Duration::from_millis(1500);
/// The fewest calls before that, of a case and of a slow case.
const CALLS_MIN: [usize; 2] = [20, 8];
/// The first calls with a stored profile, which are not judged.
const STORED_CALLS: usize = 2;
/// The most time of all fresh sessions, and of all sessions with a stored profile. Cases that have not begun by then are left
/// out, so that a seed takes about five minutes at most.
const FRESH_TIME_MAX: Duration = Duration::from_secs(95);
const STORED_TIME_MAX: Duration = Duration::from_secs(40);

impl LiveBenchmark {
    /// A session of its own for each case, with nothing stored.
    pub fn fresh(&self, mut progress: impl FnMut(&str)) -> Result<ChoiceReport> {
        let (begin, mut results) = (Instant::now(), Vec::new());
        for (number, case) in self.cases.iter().enumerate().take_while(|_| begin.elapsed() < FRESH_TIME_MAX) {
            progress(&format!("fresh sessions: {number} of {}", self.cases.len()));
            let session = self.options(None).open()?;
            let run = case.query.prepare(&session, None)?;
            let (start, mut history, mut calls) = (Instant::now(), DeviceHistory::default(), 0);
            while calls < calls_min(case) || !is_settled(start) {
                history.add(run()?.receipt.device());
                calls += 1;
            }
            let judged = self.judge((number, case), &session, &run, history)?;
            drop((run, session));
            results.extend(self.informed(case, judged, calls)?);
        }
        Ok(ChoiceReport::new("fresh sessions, warm", results))
    }

    /// A session of its own for each case, after one session that has run all of them and has stored what it learned.
    pub fn stored(&self, mut progress: impl FnMut(&str)) -> std::result::Result<ChoiceReport, Box<dyn Error>> {
        let parent = std::env::temp_dir().join(format!("pointsman-selector-{}", std::process::id()));
        let [directory, copy] = ["stored", "copy"].map(|name| parent.join(name));
        let (begin, first) = (Instant::now(), self.options(Some(&directory)).open()?);
        first.wait_until_calibrated();
        // Twice: while a case runs for the first time, compilers run beside it, and such times are not stored.
        for _ in 0..2 {
            for (number, case) in self.cases.iter().enumerate() {
                progress(&format!("a session that stores its profile: {number} of {}", self.cases.len()));
                let run = case.query.prepare(&first, None)?;
                (0..calls_min(case)).try_for_each(|_| run().map(drop))?;
            }
        }
        drop(first);
        let mut results = Vec::new();
        for (number, case) in self.cases.iter().enumerate().take_while(|_| begin.elapsed() < STORED_TIME_MAX) {
            progress(&format!("stored profile: {number} of {}", self.cases.len()));
            // A copy: sessions store what they learn when they end, and the next case must not profit from the required runs.
            copy_directory(&directory, &copy)?;
            let session = self.options(Some(&copy)).open()?;
            // Devices are looked for in the background; the profile is of no use before they are found.
            session.wait_until_calibrated();
            let run = case.query.prepare(&session, None)?;
            let mut history = DeviceHistory::default();
            for _ in 0..STORED_CALLS {
                history.add(run()?.receipt.device());
            }
            let judged = self.judge((number, case), &session, &run, history)?;
            drop((run, session));
            results.extend(self.informed(case, judged, STORED_CALLS)?);
        }
        // A directory that stays behind in the system's temporary directory does no harm.
        let _ = std::fs::remove_dir_all(&parent);
        Ok(ChoiceReport::new("stored profile, from the third call", results))
    }

    /// Adds the median time of the calls in a session that requires the best device of the reference, finds an owned column
    /// there, and makes as many calls before them.
    fn informed(&self, case: &Case, judged: Option<CaseResult>, calls_before: usize) -> Result<Option<CaseResult>> {
        let (device, time) = case.best();
        let Some(judged) = judged else { return Ok(None) };
        if !time.is_finite() {
            return Ok(Some(judged));
        }
        let session = self.options(None).open()?;
        case.query.keep_if_owned(&session, device)?;
        let run = case.query.prepare(&session, Some(device))?;
        let (start, mut calls) = (Instant::now(), 0);
        while calls < calls_before && start.elapsed() < SETTLING {
            run()?;
            calls += 1;
        }
        let times = (0..WARM_CALLS).map(|_| Ok(run()?.time)).collect::<Result<Vec<_>>>()?;
        Ok(Some(judged.with_informed(median(times))))
    }

    /// Makes the calls of a case that are judged, and then measures its devices in the same session. The order matters:
    /// required runs teach the selector.
    fn judge(
        &self,
        (number, case): (usize, &Case),
        session: &Session,
        run: &Run<'_>,
        mut history: DeviceHistory,
    ) -> Result<Option<CaseResult>> {
        let warm = (0..WARM_CALLS).map(|_| run()).collect::<Result<Vec<_>>>()?;
        warm.iter().for_each(|call| history.add(call.receipt.device()));
        let Some(calls) = AutomaticCalls::new(history, &warm) else { return Ok(None) };
        let devices = compared_devices(case, Some(&calls), &self.devices);
        let times = session_times(session, &case.query, &devices)?;
        Ok(Some(CaseResult::new((number, case), calls, case.times.clone(), times)))
    }
}

/// Replaces a directory by a copy of another one, if there is that other one: a session that learned nothing stores nothing.
fn copy_directory(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    if !from.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(to)?;
    // Sessions refuse directories that other users can write to.
    std::fs::set_permissions(to, std::fs::metadata(from)?.permissions())?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_directory(&entry.path(), &target)?,
            false => drop(std::fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}

fn calls_min(case: &Case) -> usize {
    CALLS_MIN[usize::from(case.is_slow())]
}

/// Whether a fresh session has worked for long enough. Its calibration may go on: it makes way for the calls.
fn is_settled(start: Instant) -> bool {
    start.elapsed() >= SETTLING
}
