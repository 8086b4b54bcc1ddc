//! [`Runner`]: one of several devices that share a stage, as the [`Course`](crate::exec::sharing::course::Course) sees it.

use crate::devices::handle::MemoryAccess;
use crate::exec::sharing::pacing::{Pace, Window};
use std::time::Duration;

/// How much larger the next look is where one took no time worth measuring.
const LOOK_GROWTH: usize = 8;
/// How long a look at a device should take that works in the host's memory, with the time that its threads take to wake;
/// of at most one of so many parts of the stage.
const LOOK_TIME_IN_PLACE: Duration = Duration::from_micros(1500);
const LOOK_PARTS_IN_PLACE: usize = 32;

/// What a device is among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) enum Role {
    /// It has not shown how fast it is.
    New,
    /// One batch has.
    Seen,
    /// As many as are worth it have.
    Known,
    /// It works.
    In,
    /// It does not help.
    Out,
}

/// What a device still has to do alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) enum Probe {
    /// One batch of so many leaves.
    Look(usize),
    /// So many batches, of so many leaves each.
    Run(usize, usize),
}

/// A device.
#[derive(Clone, Debug)]
pub(in crate::exec) struct Runner {
    pub(in crate::exec) role: Role,
    pub(in crate::exec) reach: MemoryAccess,
    pub(in crate::exec) is_gone: bool,
    pub(in crate::exec) probe: Probe,
    pub(in crate::exec) under_way: usize,
    /// The leaves of the last batch that it was dealt.
    pub(in crate::exec) leaves: usize,
    /// How long the last batch took that it did alone to be looked at, and how many those were.
    pub(in crate::exec) looked: Duration,
    looks: usize,
    /// Rows a second alone, and at last.
    pub(in crate::exec) alone: Option<f64>,
    pub(in crate::exec) last: Option<f64>,
    pub(in crate::exec) window: Window,
    /// What it did.
    pub(in crate::exec) rows: usize,
    pub(in crate::exec) batches: usize,
}

impl Runner {
    /// One of which this is known.
    pub(in crate::exec) fn new(role: Role, pace: Option<Pace>, reach: MemoryAccess) -> Runner {
        let (alone, last) = (pace.map(|pace| pace.alone), pace.map(|pace| pace.at_work));
        let (is_gone, probe, under_way, leaves, looked) = (false, Probe::Look(1), 0, 0, Duration::ZERO);
        let (window, looks, rows, batches) = (Window::default(), 0, 0, 0);
        Runner { role, reach, is_gone, probe, under_way, leaves, looked, looks, alone, last, window, rows, batches }
    }

    /// Rows a second, as far as that is known.
    pub(in crate::exec) fn pace(&self) -> Option<f64> {
        if self.window.batches > 1 { self.window.pace() } else { self.last.or_else(|| self.window.pace()) }
    }

    /// Whether it is this, and here.
    pub(in crate::exec) fn is(&self, role: Role) -> bool {
        self.role == role && !self.is_gone
    }

    /// Rows a second alone; none if that is not known.
    pub(in crate::exec) fn solo(&self) -> f64 {
        self.alone.unwrap_or(0.0)
    }

    /// A batch of so many leaves of a stage that it did alone is done: the leaves of another, if that one was too short to
    /// tell how fast it is.
    pub(in crate::exec) fn look_again(
        &mut self,
        leaves: usize,
        all: usize,
        least: Duration,
        now: Duration,
    ) -> Option<usize> {
        self.looked = now.saturating_sub(self.window.began.unwrap_or(now));
        self.last = self.window.pace();
        self.role = Role::Seen;
        self.looks += 1;
        if self.looked < least {
            return Some(leaves.saturating_mul(LOOK_GROWTH));
        }
        if self.reach == MemoryAccess::ByCopies || least.is_zero() {
            self.alone = self.last;
            return None;
        }
        self.alone = Some(self.solo().max(self.last.unwrap_or(0.0)));
        let most = (all / LOOK_PARTS_IN_PLACE).max(leaves);
        let times = LOOK_TIME_IN_PLACE.as_secs_f64() / self.looked.as_secs_f64();
        let next = ((leaves as f64 * times.max(1.0)) as usize).min(most);
        // The first look of all is also a wake-up.
        (next > leaves || self.looks == 1).then_some(next)
    }

    /// What is known of it by now.
    pub(in crate::exec) fn learned(&self) -> Option<Pace> {
        let at_work = self.pace()?;
        Some(Pace { alone: self.alone.unwrap_or(at_work), at_work, helps: self.role != Role::Out })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const LEAST: Duration = Duration::from_micros(200);

    /// The leaves of all looks at a device which takes so many nanoseconds for a row, and as many once to wake; and its
    /// pace in the end, in rows a microsecond.
    fn looks(reach: MemoryAccess, each: u64, wake: u64) -> (Vec<usize>, u64) {
        let (mut runner, mut now, mut leaves) = (Runner::new(Role::New, None, reach), Duration::ZERO, vec![1]);
        loop {
            let last = *leaves.last().unwrap();
            runner.window = Window::default();
            runner.window.began = Some(now);
            now += Duration::from_nanos(last as u64 * 4096 * each + if leaves.len() == 1 { wake } else { 0 });
            runner.window.note(last * 4096, now);
            match runner.look_again(last, 10_000, LEAST, now) {
                Some(next) => leaves.push(next),
                None => return (leaves, (runner.solo() / 1e6).round() as u64),
            }
        }
    }

    #[test]
    fn one_that_works_in_place_is_looked_at_for_longer() {
        assert_eq!(looks(MemoryAccess::ByCopies, 100, 0), (vec![1], 10));
        assert_eq!(looks(MemoryAccess::ByCopies, 10, 0), (vec![1, 8], 100), "the first took no time worth measuring");
        assert_eq!(looks(MemoryAccess::ByCopies, 100, 800_000), (vec![1], 3), "what it takes to begin it always takes");
        assert_eq!(looks(MemoryAccess::InPlace, 500, 0), (vec![1, 1], 2), "the first is a wake-up");
        assert_eq!(looks(MemoryAccess::InPlace, 100, 800_000), (vec![1, 1, 3], 10));
        let (leaves, pace) = looks(MemoryAccess::InPlace, 1, 100_000);
        assert_eq!((leaves.len(), pace), (4, 1000), "{leaves:?}");
        assert_eq!(leaves[3], 10_000 / 32, "no more of the stage than that");
    }
}
