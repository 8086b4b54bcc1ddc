//! [`Runner`]: one of several devices that share a stage, as the [`Course`](super::course::Course) sees it.

use super::pacing::{Pace, Window};
use std::time::Duration;

/// What a device is among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
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
pub(super) enum Probe {
    /// One batch of so many leaves.
    Look(usize),
    /// So many batches, of so many leaves each.
    Run(usize, usize),
}

/// A device.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    pub(super) role: Role,
    pub(super) is_gone: bool,
    pub(super) probe: Probe,
    pub(super) under_way: usize,
    /// The leaves of the last batch that it was dealt.
    pub(super) leaves: usize,
    /// How long its first batch took.
    pub(super) looked: Duration,
    /// Rows a second alone, and at last.
    pub(super) alone: Option<f64>,
    pub(super) last: Option<f64>,
    pub(super) window: Window,
    /// What it did.
    pub(super) rows: usize,
    pub(super) batches: usize,
}

impl Runner {
    /// One of which this is known.
    pub(super) fn new(role: Role, pace: Option<Pace>) -> Runner {
        let (alone, last) = (pace.map(|pace| pace.alone), pace.map(|pace| pace.at_work));
        let (is_gone, probe, under_way, leaves, looked) = (false, Probe::Look(1), 0, 0, Duration::ZERO);
        let (window, rows, batches) = (Window::default(), 0, 0);
        Runner { role, is_gone, probe, under_way, leaves, looked, alone, last, window, rows, batches }
    }

    /// Rows a second, as far as that is known.
    pub(super) fn pace(&self) -> Option<f64> {
        if self.window.batches > 1 { self.window.pace() } else { self.last.or_else(|| self.window.pace()) }
    }

    /// Whether it is this, and here.
    pub(super) fn is(&self, role: Role) -> bool {
        self.role == role && !self.is_gone
    }

    /// Rows a second alone; none if that is not known.
    pub(super) fn solo(&self) -> f64 {
        self.alone.unwrap_or(0.0)
    }

    /// What is known of it by now.
    pub(super) fn learned(&self) -> Option<Pace> {
        let at_work = self.pace()?;
        Some(Pace { alone: self.alone.unwrap_or(at_work), at_work, helps: self.role != Role::Out })
    }
}
