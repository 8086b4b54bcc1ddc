//! The ways to run a query that several devices may share: all of them together, or each of them alone, as if only that
//! one had been asked for. [`Party`] says which comes next, by what whole runs took; [`Ways`] remembers them by kernels,
//! devices and size.
//!
//! Nothing is known at first, so the first run is shared, and by the way each device shows how fast it is. That is a hint,
//! not a measurement: it says who is worth a run alone. From then on the way that takes the least time for a row wins.
//! Others are tried again when a first time may have been a bad one ([`EARLY`]), then seldom and within a budget, and
//! anew when the winner's time has changed.

use crate::cache::Cache;
use crate::devices::handle::MemoryAccess;
use crate::sync::{Mutex, MutexGuard};
use pointsman_ir::kernel::Kernel;
use std::sync::Arc;

/// The most queries, each with its devices and a size, that are remembered.
const WAYS_MAX: usize = 1024;
/// The best of so many last runs is what a way takes: what disturbs a run makes it longer.
const RUNS_KEPT: usize = 4;
/// So many in a row that are all longer by [`CHANGE`] are no disturbance: what was before does not count any more.
const RUNS_CHANGED: usize = 3;
/// A device that was not tried alone is, if it should take at most so many times as long as the best way: what it showed
/// among others was short, and one that works in the host's memory had to wake its threads for it.
const WORTH_IN_PLACE: f64 = 2.0;
const WORTH_BY_COPIES: f64 = 1.25;
/// A way that ran once, and took at most so many times as long, runs once more: first times are not judged.
const WORTH_AGAIN: f64 = 1.25;
/// What showed itself so many times as fast as before is worth measuring anew.
const BRIGHTER: f64 = 1.25;
/// In these runs another way has a chance, if it takes at most so many times as long; more if it ran only once.
const EARLY: [u64; 2] = [4, 8];
const EARLY_TIMES: f64 = 2.0;
const EARLY_TIMES_ONCE: f64 = 3.0;
/// Then in these, and in one of so many, if it takes at most so many times as long, and all of that costs no more than
/// this part of all time.
const LATER: [u64; 2] = [16, 32];
const SELDOM: u64 = 64;
const SELDOM_TIMES: f64 = 1.5;
/// More if that was not asked in so many runs.
const LONG: u64 = 512;
const LONG_TIMES: f64 = 4.0;
const BUDGET: f64 = 0.01;
/// When the best way's time changes by this, others have their early chances again; not within so many runs.
const CHANGE: f64 = 1.5;
const CHANGE_RUNS: u64 = 16;
/// A device that failed alone is not tried alone in so many runs.
const BARRED_RUNS: u64 = 64;

/// A way to run a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// All devices share it.
    Together,
    /// The one of this number does all of it.
    Alone(usize),
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    pub(crate) way: Way,
    /// Whether it is tried, although another way is better for all that is known.
    pub(crate) is_trial: bool,
    /// Whether what that costs counts: early chances are few.
    is_paid: bool,
}

impl Pick {
    /// The best way, for all that is known.
    fn best(way: Way) -> Pick {
        Pick { way, is_trial: false, is_paid: false }
    }
}

/// A device as it is when a way is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Whether it may be asked.
    pub(crate) is_open: bool,
    pub(crate) reach: MemoryAccess,
}

/// A query of some size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Topic {
    pub(crate) kernels: Vec<Kernel>,
    /// The octave of its rows.
    octave: u32,
    /// Whether a device may keep its columns, and need not copy them again.
    may_stay: bool,
}

impl Topic {
    pub(crate) fn new(kernels: Vec<Kernel>, rows: usize, may_stay: bool) -> Topic {
        Topic { kernels, octave: rows.max(1).ilog2(), may_stay }
    }
}

/// All ways of a session.
pub(crate) struct Ways {
    alone: Cache<(Topic, String), Alone>,
    parties: Cache<(Topic, String), Party>,
}

impl Default for Ways {
    fn default() -> Ways {
        Ways { alone: Cache::new(WAYS_MAX), parties: Cache::new(WAYS_MAX) }
    }
}

impl Ways {
    /// What a query took a device alone, whoever asked for that.
    pub(crate) fn alone(&self, topic: &Topic, device: &str) -> Arc<Alone> {
        let key = (topic.clone(), device.to_string());
        self.alone.get(&key).unwrap_or_else(|| self.alone.put(key, Arc::default()))
    }

    /// The ways to run a query on these devices.
    pub(crate) fn party(&self, topic: Topic, devices: &[&str]) -> Arc<Party> {
        let key = (topic, devices.join("+"));
        self.parties.get(&key).unwrap_or_else(|| {
            let alone = devices.iter().map(|device| self.alone(&key.0, device)).collect();
            self.parties.put(key, Arc::new(Party::new(alone)))
        })
    }
}

/// The last runs on one device alone.
#[derive(Default)]
pub(crate) struct Alone(Mutex<Times>);

impl Alone {
    /// A run took so many seconds for so many rows.
    pub(crate) fn note(&self, seconds: f64, rows: usize) {
        self.lock().note(seconds / rows.max(1) as f64);
    }

    fn lock(&self) -> MutexGuard<'_, Times> {
        self.0.lock()
    }
}

/// The last times for a row, in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// The newest first.
    last: [f64; RUNS_KEPT],
    /// How many of those there are.
    kept: usize,
    runs: u64,
}

impl Times {
    fn note(&mut self, each: f64) {
        // What takes no time, as the CPU on a virtual clock, can be compared too.
        self.last.rotate_right(1);
        self.last[0] = each.max(f64::MIN_POSITIVE);
        (self.kept, self.runs) = ((self.kept + 1).min(RUNS_KEPT), self.runs + 1);
        let (new, old) = self.last[..self.kept].split_at(self.kept.min(RUNS_CHANGED));
        if least(old).zip(least(new)).is_some_and(|(old, new)| new > CHANGE * old) {
            self.kept = RUNS_CHANGED;
        }
    }

    fn best(&self) -> Option<f64> {
        least(&self.last[..self.kept])
    }
}

/// The ways to run a query on some devices.
pub(crate) struct Party {
    alone: Vec<Arc<Alone>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    together: Times,
    /// What should take a device alone by what it showed among others: seconds for a row.
    hints: Vec<Option<f64>>,
    /// Whether a device showed since it last ran alone that it is faster than it had shown before, and than it was then.
    is_brighter: Vec<bool>,
    /// How often each way was tried, and in which run at last; that of all together is the first.
    tried: Vec<(u64, u64)>,
    /// Until which run a device is not tried alone.
    barred: Vec<u64>,
    runs: u64,
    /// The same since the chances of others began anew.
    turn: u64,
    /// The best way, and what it took when that was last asked.
    usual: Option<(Way, f64)>,
    /// How many times as fast it was when the chances of others last began anew: they may be too.
    eased: f64,
    /// A way that was the best until it took longer, and what it took before: it may have been disturbed.
    former: Option<(Way, f64)>,
    /// Whether something changed since the chances of others last began.
    is_unsettled: bool,
    /// Seconds of all runs, and what later trials took longer than the best way.
    spent: f64,
    excess: f64,
}

/// A way that could be picked.
#[derive(Clone, Copy)]
struct Candidate {
    way: Way,
    /// Seconds for a row, measured or else as it should be.
    each: f64,
    /// How many runs say so.
    runs: u64,
    /// A hint is worth a trial if it is at most so many times as long.
    worth: f64,
}

impl Party {
    fn new(alone: Vec<Arc<Alone>>) -> Party {
        let count = alone.len();
        let (hints, is_brighter, barred) = (vec![None; count], vec![false; count], vec![0; count]);
        let tried = vec![(0, 0); 1 + count];
        Party { alone, state: Mutex::new(State { hints, is_brighter, barred, tried, ..State::default() }) }
    }

    /// The way of the next run.
    pub(crate) fn pick(&self, members: &[Member]) -> Pick {
        let mut state = self.lock();
        state.runs += 1;
        state.turn += 1;
        if state.is_unsettled && state.turn > CHANGE_RUNS {
            (state.turn, state.is_unsettled) = (EARLY[0], false);
        }
        let candidates = self.candidates(&state, members);
        let Some(best) = best_of(&candidates).filter(|_| state.together.runs > 0) else {
            return Pick::best(Way::Together);
        };
        let eager = state.eager(best, &candidates);
        let is_paid = eager.is_none() && !EARLY.contains(&state.turn);
        let trial = eager.or_else(|| state.chance(best, &candidates));
        let Some(trial) = trial else { return Pick::best(best.way) };
        let runs = state.runs;
        let (times, last) = &mut state.tried[seat(trial.way)];
        (*times, *last) = (*times + 1, runs);
        if let Way::Alone(number) = trial.way {
            state.is_brighter[number] = false;
        }
        Pick { way: trial.way, is_trial: true, is_paid }
    }

    /// A run this way took so many seconds for so many rows; what it should take each device alone by what it showed.
    pub(crate) fn note(&self, pick: Pick, (seconds, rows): (f64, usize), hints: &[Option<f64>]) {
        let mut state = self.lock();
        let each = seconds / rows.max(1) as f64;
        let before = best_of(&self.candidates(&state, &[])).map(|best| best.each);
        match pick.way {
            Way::Together => state.together.note(each),
            Way::Alone(number) => self.alone[number].lock().note(each),
        }
        for (number, seconds) in hints.iter().enumerate() {
            if let Some(seconds) = seconds {
                state.hint(number, seconds / rows.max(1) as f64, self.alone[number].lock().best());
            }
        }
        state.spent += seconds;
        if pick.is_paid {
            state.excess += before.map_or(0.0, |best| (each - best).max(0.0)) * rows as f64;
        }
        let candidates = self.candidates(&state, &[]);
        state.watch(&candidates);
    }

    /// A device failed alone.
    pub(crate) fn failed(&self, number: usize) {
        let mut state = self.lock();
        state.barred[number] = state.runs + BARRED_RUNS;
    }

    /// What is known: of all together, and of each alone, in seconds for a row.
    pub(crate) fn known(&self) -> (Option<f64>, Vec<Option<f64>>) {
        let alone = self.alone.iter().map(|alone| alone.lock().best()).collect();
        (self.lock().together.best(), alone)
    }

    /// The ways of which something is known; all devices may be asked unless told.
    fn candidates(&self, state: &State, members: &[Member]) -> Vec<Candidate> {
        let together = state.together.best().map(|each| {
            let (way, runs) = (Way::Together, state.together.runs);
            Candidate { way, each, runs, worth: WORTH_BY_COPIES }
        });
        let alone = self.alone.iter().enumerate().filter_map(|(number, times)| {
            let member = members.get(number);
            if state.barred[number] > state.runs || member.is_some_and(|member| !member.is_open) {
                return None;
            }
            let mut times = *times.lock();
            if state.is_brighter[number] {
                times = Times::default();
            }
            let worth = match member.map(|member| member.reach) {
                Some(MemoryAccess::InPlace) => WORTH_IN_PLACE,
                Some(MemoryAccess::ByCopies) | None => WORTH_BY_COPIES,
            };
            let each = times.best().or(state.hints[number])?;
            Some(Candidate { way: Way::Alone(number), each, runs: times.runs, worth })
        });
        together.into_iter().chain(alone).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    /// A device showed what a row should take it alone, where it was measured to take so long.
    fn hint(&mut self, number: usize, each: f64, measured: Option<f64>) {
        let before = self.hints[number].replace(each);
        let is_less = |than: Option<f64>| than.is_some_and(|than| each * BRIGHTER < than);
        self.is_brighter[number] |= is_less(before) && is_less(measured);
    }

    /// A way that nothing speaks against trying at once: a device that should be about as fast alone, or one that ran a
    /// first time.
    fn eager(&self, best: Candidate, candidates: &[Candidate]) -> Option<Candidate> {
        let is_worth = |one: &&Candidate| {
            let (tried, _) = self.tried[seat(one.way)];
            let most = if one.runs == 0 { one.worth } else { WORTH_AGAIN };
            let is_new = tried <= one.runs || matches!(one.way, Way::Alone(number) if self.is_brighter[number]);
            one.way != best.way && one.runs < 2 && is_new && one.each <= most * best.each
        };
        candidates.iter().filter(is_worth).min_by(|a, b| a.each.total_cmp(&b.each)).copied()
    }

    /// The way that was not tried for longest, where it is time to try another and that is not too dear.
    fn chance(&self, best: Candidate, candidates: &[Candidate]) -> Option<Candidate> {
        let is_early = EARLY.contains(&self.turn);
        if !is_early && !LATER.contains(&self.turn) && !self.turn.is_multiple_of(SELDOM) {
            return None;
        }
        let per_run = self.spent / self.runs.max(1) as f64;
        let is_worth = |one: &&Candidate| {
            let times = one.each / best.each;
            let at_best = match self.former {
                Some((way, each)) if is_early && way == one.way => each / best.each,
                Some(_) | None if is_early => times / self.eased.max(1.0),
                Some(_) | None => times,
            };
            let most = match is_early {
                true if one.runs == 1 => EARLY_TIMES_ONCE,
                true => EARLY_TIMES,
                false if self.since(one.way) >= LONG => LONG_TIMES,
                false => SELDOM_TIMES,
            };
            let is_paid = is_early || self.excess + (times - 1.0) * per_run <= BUDGET * self.spent;
            one.way != best.way && at_best <= most && is_paid && self.since(one.way) > 1
        };
        candidates.iter().filter(is_worth).max_by_key(|one| self.since(one.way)).copied()
    }

    /// How many runs ago a way was tried.
    fn since(&self, way: Way) -> u64 {
        self.runs - self.tried[seat(way)].1
    }

    /// Notices that the best way takes another time than it used to.
    fn watch(&mut self, candidates: &[Candidate]) {
        let Some(best) = best_of(candidates) else { return };
        let (way, usual) = self.usual.unwrap_or((best.way, best.each));
        let times = candidates.iter().find(|one| one.way == way).map_or(1.0, |one| one.each / usual);
        if way != best.way && times > CHANGE {
            (self.former, self.is_unsettled) = (Some((way, usual)), true);
        } else if way == best.way && self.turn > CHANGE_RUNS {
            if (1.0 / CHANGE..=CHANGE).contains(&times) {
                return;
            }
            (self.eased, self.is_unsettled) = (1.0 / times, true);
        }
        self.former.take_if(|(way, _)| *way == best.way);
        self.usual = Some((best.way, best.each));
    }
}

fn least(times: &[f64]) -> Option<f64> {
    times.iter().copied().reduce(f64::min)
}

/// The measured way that takes the least time.
fn best_of(candidates: &[Candidate]) -> Option<Candidate> {
    candidates.iter().filter(|one| one.runs > 0).min_by(|a, b| a.each.total_cmp(&b.each)).copied()
}

fn seat(way: Way) -> usize {
    match way {
        Way::Together => 0,
        Way::Alone(number) => 1 + number,
    }
}

#[cfg(test)]
mod tests;
