//! A reference implementation of the circuit breaker, written directly from its description: slow, single-threaded.
//!
//! Closed → open when half of the last 20 calls failed, of at least 5; open for 5 s, doubling to 60 s → half-open with
//! one probe, which has 10 s; after a cancelled probe the next caller is the probe; late results are ignored.

use crate::resilience::breaker::Verdict;
use std::collections::BTreeMap;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The state of the reference breaker.
pub(super) struct Reference {
    phase: ReferencePhase,
    /// The length of the last open period since the breaker was closed.
    last_open: Option<Duration>,
    /// The calls in progress whose results count.
    counting: Vec<u64>,
    next: u64,
    pub(super) seen: Seen,
}

enum ReferencePhase {
    /// All calls since the breaker closed; `true` is a failure.
    Closed(Vec<bool>),
    Open {
        ends: Duration,
    },
    /// The deadline of the probe, if there is one.
    HalfOpen(Option<Duration>),
}

/// How often each case occurred.
pub(super) type Seen = BTreeMap<Case, u32>;

/// A case that the comparison must meet often enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Case {
    Opened,
    OpenedForAMinute,
    Probe,
    ProbeOutOfTime,
    ProbeCancelled,
    Closed,
    Late,
    Refused,
}

/// The number of cases.
pub(super) const CASES: usize = Case::Refused as usize + 1;

impl Reference {
    pub(super) fn new() -> Reference {
        let phase = ReferencePhase::Closed(Vec::new());
        Reference { phase, last_open: None, counting: Vec::new(), next: 0, seen: Seen::default() }
    }

    fn see(&mut self, case: Case) {
        *self.seen.entry(case).or_default() += 1;
    }

    fn open(&mut self, from: Duration) {
        let length = self.last_open.map_or(5 * SECOND, |last| (2 * last).min(60 * SECOND));
        self.last_open = Some(length);
        self.counting.clear();
        self.phase = ReferencePhase::Open { ends: from + length };
        self.see(Case::Opened);
        if length == 60 * SECOND {
            self.see(Case::OpenedForAMinute);
        }
    }

    /// Applies the state changes that are due at this moment.
    fn advance(&mut self, now: Duration) {
        loop {
            match self.phase {
                ReferencePhase::Open { ends } if ends <= now => self.phase = ReferencePhase::HalfOpen(None),
                ReferencePhase::HalfOpen(Some(end)) if end <= now => {
                    self.see(Case::ProbeOutOfTime);
                    self.open(end);
                }
                ReferencePhase::Closed(_) | ReferencePhase::Open { .. } | ReferencePhase::HalfOpen(_) => return,
            }
        }
    }

    /// Starts a call: returns its number and, for the probe, its deadline; or the end of the open period.
    pub(super) fn try_acquire(&mut self, now: Duration) -> Result<(u64, Option<Duration>), Duration> {
        self.advance(now);
        let end = match &mut self.phase {
            ReferencePhase::Open { ends: until } | ReferencePhase::HalfOpen(Some(until)) => {
                let until = *until;
                self.see(Case::Refused);
                return Err(until);
            }
            ReferencePhase::Closed(_) => None,
            ReferencePhase::HalfOpen(probe) => {
                let deadline = Some(now + 10 * SECOND);
                *probe = deadline;
                self.see(Case::Probe);
                deadline
            }
        };
        self.next += 1;
        self.counting.push(self.next);
        Ok((self.next, end))
    }

    /// Ends a call.
    pub(super) fn end(&mut self, call: u64, end: Verdict, now: Duration) {
        self.advance(now);
        let Some(position) = self.counting.iter().position(|one| *one == call) else {
            if end != Verdict::Cancelled {
                self.see(Case::Late);
            }
            return;
        };
        self.counting.remove(position);
        match (&mut self.phase, end) {
            (ReferencePhase::Closed(_), Verdict::Cancelled) | (ReferencePhase::Open { .. }, _) => {}
            (ReferencePhase::Closed(calls), Verdict::Success | Verdict::Failure) => {
                calls.push(end == Verdict::Failure);
                let last = &calls[calls.len().saturating_sub(20)..];
                let failed = last.iter().filter(|failed| **failed).count();
                if last.len() >= 5 && failed as f64 / last.len() as f64 >= 0.5 {
                    self.open(now);
                }
            }
            (ReferencePhase::Closed(_), Verdict::Trip)
            | (ReferencePhase::HalfOpen(_), Verdict::Failure | Verdict::Trip) => {
                self.open(now);
            }
            (ReferencePhase::HalfOpen(probe), Verdict::Cancelled) => {
                *probe = None;
                self.see(Case::ProbeCancelled);
            }
            (ReferencePhase::HalfOpen(_), Verdict::Success) => {
                self.phase = ReferencePhase::Closed(Vec::new());
                self.last_open = None;
                self.counting.clear();
                self.see(Case::Closed);
            }
        }
    }
}
