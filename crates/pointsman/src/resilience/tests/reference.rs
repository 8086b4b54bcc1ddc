//! The circuit breaker once more, straight from its description: slow, with lists, for one thread.
//!
//! Closed → open at half of the last 20 calls failed, of at least 5; open for 5 s, doubling to 60 s → half-open with one
//! probe, which has 10 s; a cancelled probe frees its place; what is late counts for nothing.

use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The breaker's state.
pub(super) struct Reference {
    phase: Phase,
    /// How long it was open last, since it was closed.
    last_open: Option<Duration>,
    /// The calls under way whose results count.
    counting: Vec<u64>,
    next: u64,
    pub(super) seen: Seen,
}

enum Phase {
    /// With all calls since it closed; `true` is a failure.
    Closed(Vec<bool>),
    Open {
        ends: Duration,
    },
    /// With the end of its probe's time, if there is one.
    HalfOpen(Option<Duration>),
}

/// How often things happened.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) opened: u32,
    pub(super) opened_for_a_minute: u32,
    pub(super) probes: u32,
    pub(super) probes_out_of_time: u32,
    pub(super) probes_cancelled: u32,
    pub(super) closed: u32,
    pub(super) late: u32,
    pub(super) refused: u32,
}

/// What came of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Success,
    Failure,
    Disaster,
    Cancel,
}

impl Reference {
    pub(super) fn new() -> Reference {
        let phase = Phase::Closed(Vec::new());
        Reference { phase, last_open: None, counting: Vec::new(), next: 0, seen: Seen::default() }
    }

    fn open(&mut self, from: Duration) {
        let length = self.last_open.map_or(5 * SECOND, |last| (2 * last).min(60 * SECOND));
        self.last_open = Some(length);
        self.counting.clear();
        self.phase = Phase::Open { ends: from + length };
        self.seen.opened += 1;
        self.seen.opened_for_a_minute += u32::from(length == 60 * SECOND);
    }

    /// Lets the time come to this moment.
    fn advance(&mut self, now: Duration) {
        loop {
            match self.phase {
                Phase::Open { ends } if ends <= now => self.phase = Phase::HalfOpen(None),
                Phase::HalfOpen(Some(end)) if end <= now => {
                    self.seen.probes_out_of_time += 1;
                    self.open(end);
                }
                Phase::Closed(_) | Phase::Open { .. } | Phase::HalfOpen(_) => return,
            }
        }
    }

    /// A call that is let in, with its number and the end of its time if it is the probe; or when to ask again.
    pub(super) fn admit(&mut self, now: Duration) -> Result<(u64, Option<Duration>), Duration> {
        self.advance(now);
        let end = match &mut self.phase {
            Phase::Open { ends: until } | Phase::HalfOpen(Some(until)) => {
                self.seen.refused += 1;
                return Err(*until);
            }
            Phase::Closed(_) => None,
            Phase::HalfOpen(probe) => {
                *probe = Some(now + 10 * SECOND);
                self.seen.probes += 1;
                *probe
            }
        };
        self.next += 1;
        self.counting.push(self.next);
        Ok((self.next, end))
    }

    /// A call ends.
    pub(super) fn end(&mut self, call: u64, end: End, now: Duration) {
        self.advance(now);
        let Some(position) = self.counting.iter().position(|one| *one == call) else {
            self.seen.late += u32::from(end != End::Cancel);
            return;
        };
        self.counting.remove(position);
        match (&mut self.phase, end) {
            (Phase::Closed(_), End::Cancel) | (Phase::Open { .. }, _) => {}
            (Phase::Closed(calls), End::Success | End::Failure) => {
                calls.push(end == End::Failure);
                let last = &calls[calls.len().saturating_sub(20)..];
                let failed = last.iter().filter(|failed| **failed).count();
                if last.len() >= 5 && failed as f64 / last.len() as f64 >= 0.5 {
                    self.open(now);
                }
            }
            (Phase::Closed(_), End::Disaster) | (Phase::HalfOpen(_), End::Failure | End::Disaster) => self.open(now),
            (Phase::HalfOpen(probe), End::Cancel) => {
                *probe = None;
                self.seen.probes_cancelled += 1;
            }
            (Phase::HalfOpen(_), End::Success) => {
                self.phase = Phase::Closed(Vec::new());
                self.last_open = None;
                self.counting.clear();
                self.seen.closed += 1;
            }
        }
    }
}
