//! [`Guide`]: the devices among which queries are given out that name none, and the selector that knows them.
//!
//! Nobody waits for it. The first query that takes the CPU long enough has a thread look for devices; until that is done
//! the CPU answers. Then the selector goes by guesses, and what it learns.

use super::choice::Choice;
use super::policy::Rules;
use super::{Session, Work};
use crate::runtime::devices::Roster;
use crate::runtime::inputs::Input;
use crate::runtime::resilience::clock::Clock;
use crate::runtime::station::Station;
use crate::select::{
    Arm, ArmSet, Known, Observation, Profile, Rank, Ranking, Residency, Selector, SelectorOptions, Size,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// A query that should take the CPU longer than this, in nanoseconds, is worth looking for other devices.
pub(super) const WORTH_LOOKING: f64 = 1e6;

/// Finds devices when they may be needed, and knows which is fastest.
pub(super) struct Guide {
    rules: Rules,
    field: Arc<Field>,
    /// Ends with the thread that looks for devices.
    scout: Mutex<Option<Receiver<()>>>,
    drop_patience: Duration,
}

/// What the thread that looks for devices shares with the session.
#[derive(Default)]
struct Field {
    /// `None` inside where there is nothing to choose from.
    contest: OnceLock<Option<Contest>>,
    is_begun: AtomicBool,
    is_over: AtomicBool,
}

/// Devices, and the selector that knows them by their numbers. The first is the CPU.
pub(super) struct Contest {
    pub(super) selector: Selector,
    pub(super) stations: Vec<Arc<Station>>,
}

impl Guide {
    pub(super) fn new(rules: Rules, drop_patience: Duration) -> Guide {
        Guide { rules, field: Arc::default(), scout: Mutex::default(), drop_patience }
    }

    /// The devices and their selector, once they are known and there are several.
    #[inline]
    pub(super) fn contest(&self) -> Option<&Contest> {
        self.field.contest.get()?.as_ref()
    }

    /// Whether it is known by now what there is to choose from.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.field.contest.get().is_some()
    }

    /// A query that takes the CPU so many nanoseconds: looks for devices if it is long enough, behind the caller's back.
    #[cold]
    pub(super) fn consider(&self, roster: &Arc<Roster>, nanoseconds: f64) {
        if self.rules.among.as_ref().is_some_and(|names| roster.has_all(names)) {
            self.field.settle(roster, &self.rules);
            return;
        }
        if nanoseconds < WORTH_LOOKING || self.field.is_begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let (field, roster, rules) = (self.field.clone(), roster.clone(), self.rules.clone());
        let (done, ends) = channel::<()>();
        let look = move || {
            roster.look_for_cards();
            field.settle(&roster, &rules);
            drop(done);
        };
        if std::thread::Builder::new().name("pointsman-scout".to_string()).spawn(look).is_ok() {
            *self.scout.lock().unwrap_or_else(PoisonError::into_inner) = Some(ends);
        }
    }

    /// Looks for devices now, and waits for that.
    pub(super) fn look_now(&self, roster: &Roster) {
        roster.look_for_cards();
        self.field.settle(roster, &self.rules);
    }
}

impl Field {
    /// Takes what is there by now for all there is.
    fn settle(&self, roster: &Roster, rules: &Rules) {
        self.contest.get_or_init(|| {
            let stations = roster.contenders(rules.among.as_deref());
            let arms: Vec<Arm> = stations.iter().map(|station| rules.arm(station)).collect();
            let options =
                SelectorOptions { learns: rules.learns, explores: rules.learns, ..SelectorOptions::default() };
            let selector = (arms.len() > 1).then(|| Selector::new(arms, options))?.ok()?;
            Some(Contest { selector, stations })
        });
    }
}

impl Rules {
    /// A device as the selector knows it before it is measured.
    fn arm(&self, station: &Station) -> Arm {
        let info = station.device.info();
        let capacity = station.residency.as_ref().and_then(|residency| residency.capacity());
        let memory = capacity.map(|bytes| (bytes as f64 * (1.0 - self.memory_reserve)) as u64);
        let guess = Profile::guess(info.kind, info.units);
        let guess = match station.host_memory {
            // Whatever its kind: it needs no copies.
            true => Profile { copy_in: Default::default(), copy_out: Default::default(), copy_start: 0.0, ..guess },
            false => guess,
        };
        Arm::new(station.name(), Profile { memory, ..guess })
    }
}

impl Drop for Guide {
    fn drop(&mut self) {
        self.field.is_over.store(true, Ordering::Relaxed);
        let scout = self.scout.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // A driver must not be left in the middle of its start when the process ends; but nobody waits for one that hangs.
        if let Some(Err(RecvTimeoutError::Timeout)) = scout.map(|ends| ends.recv_timeout(self.drop_patience)) {
            tracing::warn!(target: "pointsman", "a session ended while devices were still being looked for");
        }
    }
}

/// What a call took.
#[derive(Clone, Copy)]
pub(super) struct Told {
    /// Nanoseconds.
    pub(super) took: u64,
    pub(super) rows_out: usize,
    /// Whether others ran on the same device.
    pub(super) contended: bool,
}

/// A query as the selector knows it, with a choice for each device that takes it.
pub(crate) struct Entry {
    pub(super) selector: Selector,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) known: Arc<Known>,
    /// By the device's number.
    pub(super) choices: Vec<Option<Choice>>,
}

impl Entry {
    /// Tells what a call took on a device that it asked for, if that is worth learning from.
    pub(super) fn tell_asked(&self, station: &Arc<Station>, work: &Work<'_>, told: Told, noise: u64) {
        let is_own = |choice: &Option<Choice>| choice.as_ref().is_some_and(|own| Arc::ptr_eq(&own.station, station));
        let Some(arm) = self.choices.iter().position(is_own) else { return };
        let size = size_of(self, work.inputs, work.rows);
        let rank = self.selector.settled(&self.known, size, ArmSet::NONE);
        if rank.first() != arm || told.contended || rank.is_worth_learning(told.took, noise) {
            self.observe(size, arm, told, false);
        }
    }

    /// A ranking by when each would be done, of devices for some of which one has to wait.
    #[cold]
    fn with_queues(&self, size: Size, rank: Rank) -> Rank {
        let done = |arm: usize| {
            let ahead =
                self.choices.get(arm).and_then(Option::as_ref).map_or(0.0, |choice| choice.station.gate.runs_ahead());
            self.selector.predicted(&self.known, size, arm) * (1.0 + ahead)
        };
        let first = rank.arms().min_by(|&a, &b| done(a).total_cmp(&done(b)));
        first.map_or(rank, |first| rank.led_by(first))
    }

    fn observe(&self, size: Size, arm: usize, told: Told, explored: bool) {
        let known = self.known.clone();
        let output = Some((told.rows_out as f64 * known.workload().output_per_row) as u64);
        let (took, contended) = (Some(told.took as f64), told.contended);
        self.selector.advance_to(self.clock.now());
        self.selector.observe(Observation { known, size, arm, took, output, explored, contended });
    }
}

/// The devices for one call of a query.
#[derive(Clone)]
pub(crate) struct Bid {
    pub(super) entry: Arc<Entry>,
    pub(super) size: Size,
    pub(super) rank: Rank,
}

impl Bid {
    /// The choice at a place of the ranking.
    #[inline]
    pub(super) fn choice(&self, place: usize) -> Option<&Choice> {
        self.entry.choices.get(self.rank.nth(place)?)?.as_ref()
    }

    /// Tells what the call took on the device at a place of the ranking, if that is worth learning from.
    #[inline]
    pub(super) fn tell(&self, place: usize, told: Told, noise: u64) {
        if place > 0 || told.contended || self.rank.is_worth_learning(told.took, noise) {
            self.observe(place, told);
        }
    }

    #[cold]
    fn observe(&self, place: usize, told: Told) {
        let Some(arm) = self.rank.nth(place) else { return };
        self.entry.observe(self.size, arm, told, self.rank.explores() && place == 0);
    }

    /// What each device should take, as things are known now.
    pub(crate) fn ranking(&self) -> Ranking {
        self.entry.selector.explain(&self.entry.known, self.size, ArmSet::NONE)
    }
}

impl Session {
    /// The selector over the devices of this session, if it has several that queries are given out among. Looks for them
    /// unless that was done before.
    pub fn selector(&self) -> Option<Selector> {
        self.0.guide.look_now(&self.0.devices);
        self.0.guide.contest().map(|contest| contest.selector.clone())
    }

    /// The devices for a call, from the selector. Those that are shut come last.
    pub(super) fn bid(&self, entry: &Arc<Entry>, inputs: &[Input<'_>], rows: usize) -> Bid {
        let size = size_of(entry, inputs, rows);
        let (mut closed, clock) = (ArmSet::NONE, &*self.0.clock);
        loop {
            let rank = entry.selector.rank(&entry.known, size, closed);
            let arm = rank.first();
            if arm == 0 || closed.has(arm) || !is_shut(entry, arm, clock) {
                let ahead = entry.choices[arm].as_ref().map_or(0.0, |choice| choice.station.gate.runs_ahead());
                let rank = if ahead > 0.0 { entry.with_queues(size, rank) } else { rank };
                return Bid { entry: entry.clone(), size, rank };
            }
            closed = closed.with(arm);
        }
    }
}

fn is_shut(entry: &Entry, arm: usize, clock: &dyn Clock) -> bool {
    let Some(Some(choice)) = entry.choices.get(arm) else { return true };
    choice.station.health.as_ref().is_some_and(|health| health.is_shut(&choice.kernels, clock))
}

/// How large a call is, and which devices have what of its columns.
#[inline]
fn size_of(entry: &Entry, inputs: &[Input<'_>], rows: usize) -> Size {
    let size = Size::host(rows as u64);
    if inputs.iter().any(|input| input.label().is_some()) { with_residents(entry, inputs, size) } else { size }
}

#[cold]
fn with_residents(entry: &Entry, inputs: &[Input<'_>], size: Size) -> Size {
    let bytes = |input: &Input<'_>| input.pieces().iter().map(|piece| piece.values.len()).sum::<usize>() as f64;
    let all: f64 = inputs.iter().map(bytes).sum();
    let mut residency = Residency::HOST;
    for (arm, choice) in entry.choices.iter().enumerate() {
        let Some(own) = choice.as_ref().and_then(|choice| choice.station.residency.as_ref()) else { continue };
        let is_there = |input: &&Input<'_>| input.label().is_some_and(|label| own.has(label));
        let there: f64 = inputs.iter().filter(is_there).map(bytes).sum();
        residency = residency.with(arm, 1.0 - there / all.max(1.0));
    }
    Size { residency, ..size }
}
