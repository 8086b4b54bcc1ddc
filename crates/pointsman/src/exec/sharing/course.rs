//! [`Course`]: whose turn it is, of devices that share a stage, and how many leaves it gets. In go the batches that were
//! dealt and done, and when.
//!
//! Devices of one machine may be in each other's way: they have its memory and its threads in common. So each works
//! **alone** first, to show how fast it is: for one batch, and then for a moment. Then the fastest works **together**
//! with the next, for a moment, and so on: who does not make those that work faster by [`GAIN_MIN`] is left out. All of that takes a few hundredths of
//! the time of the stage. Then it is **settled** who works, and a batch is a part of what is left, larger for a device
//! that is faster, and smaller towards the end, so that all are done at about the same time.
//!
//! Others than the first need not be there before it is known that the stage is worth the trouble: [`Turn::Call`].

use crate::devices::handle::MemoryAccess;
use crate::exec::sharing::pacing::{Pace, Window};
use crate::exec::sharing::runner::{Probe, Role, Runner};
use pointsman_ir::kernel::LEAF_ROWS;
use std::time::Duration;

/// The part of its share of what is left that a device gets at once.
const BATCH_PART: f64 = 1.0 / 6.0;
/// The part of an equal share that a device gets before anything is known.
const FIRST_PART: f64 = 1.0 / 32.0;
/// A batch is at most so many times as large as the one before; the first of a device that is known is at most one of so
/// many of the stage.
const BATCH_GROWTH: usize = 2;
const FIRST_BATCHES: usize = 64;
/// A batch should not take less time than this, whatever is left: starting it costs something.
const BATCH_TIME_MIN: Duration = Duration::from_micros(200);
/// The part of a stage in the first batch that a device does alone.
const LOOK_PART: usize = 1024;
/// The part of the predicted time that a device then works alone, in so many batches.
const ALONE_PART: f64 = 0.01;
const ALONE_BATCHES: usize = 3;
/// The part of it that devices work together before it is asked whether that helps, in about so many batches each.
const TOGETHER_PART: f64 = 0.03;
const TOGETHER_BATCHES: usize = 4;
/// Working together must be so much faster.
const GAIN_MIN: f64 = 1.05;
/// Nobody waits longer than this for one that works alone.
const ALONE_TIME_MAX: Duration = Duration::from_millis(100);

/// Who works when.
pub(in crate::exec) struct Course {
    rows: usize,
    runners: Vec<Runner>,
    phase: Phase,
    /// When that began.
    began: Duration,
    /// Rows a second of those that are in.
    rate: f64,
    /// What takes the first device less time alone is not worth sharing.
    worth: Duration,
    /// Whether there are others, who were not asked to come yet.
    may_call: bool,
    /// A batch that takes less time is not worth measuring.
    measured_min: Duration,
    /// Whether it was asked of all who helps.
    is_sure: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The one of this number works alone.
    Alone(usize),
    /// Others should come.
    Calling,
    /// Those that are in and this one work together, in batches that take so long.
    Together(usize, Duration),
    /// Those that are in work.
    Settled,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) enum Turn {
    /// This one's, for so many leaves.
    Now(usize),
    /// Others' first.
    Later,
    /// Others' to the end.
    Never,
    /// This one's, to ask the others to come.
    Call,
}

impl Course {
    /// So many rows, for devices of which this is known, if something is known of all. What takes the first of them less
    /// time is not worth sharing; if it is, others may be called.
    pub(in crate::exec) fn new(
        rows: usize,
        known: &[(Option<Pace>, MemoryAccess)],
        (worth, may_call): (Duration, bool),
        now: Duration,
    ) -> Course {
        let is_known = known.iter().all(|(pace, _)| pace.is_some());
        let role = |pace: &Option<Pace>| match pace {
            Some(pace) if is_known && pace.helps => Role::In,
            Some(_) if is_known => Role::Out,
            Some(_) | None => Role::New,
        };
        let runner =
            |(pace, reach): &(Option<Pace>, MemoryAccess)| Runner::new(role(pace), pace.filter(|_| is_known), *reach);
        let runners = known.iter().map(runner).collect();
        let (phase, began, rate, measured_min) = (Phase::Settled, Duration::ZERO, 0.0, BATCH_TIME_MIN.min(worth));
        let mut course = Course { rows, runners, phase, began, rate, worth, may_call, measured_min, is_sure: false };
        if is_known {
            course.someone_works();
        } else {
            course.enter(0, now);
        }
        course
    }

    /// The devices, in the order in which they came, and whether it was asked of all of them who helps.
    pub(in crate::exec) fn into_runners(self) -> (Vec<Runner>, bool) {
        (self.runners, self.is_sure)
    }

    /// Whether nobody waits for another's turn to be over.
    pub(in crate::exec) fn is_settled(&self) -> bool {
        self.phase == Phase::Settled
    }

    /// These others came, of those that were called.
    pub(in crate::exec) fn joined(&mut self, came: &[MemoryAccess], now: Duration) {
        self.may_call = false;
        self.runners.extend(came.iter().map(|&reach| Runner::new(Role::New, None, reach)));
        if matches!(self.phase, Phase::Calling | Phase::Settled) {
            self.advance(now);
        }
    }

    /// Whether one of this number may be the only one that works now.
    pub(in crate::exec) fn is_alone(&self, who: usize) -> bool {
        let is_other = |(number, one): (usize, &Runner)| number != who && one.is(Role::In);
        self.is_settled() && !self.runners.iter().enumerate().any(is_other)
    }

    /// Whose turn it is, where so many leaves are left.
    pub(in crate::exec) fn turn(&self, who: usize, left: usize) -> Turn {
        let own = &self.runners[who];
        if own.is_gone {
            return Turn::Never;
        }
        match self.phase {
            Phase::Calling if who == 0 => Turn::Call,
            Phase::Calling => Turn::Later,
            Phase::Alone(one) if one != who && own.role != Role::Out => Turn::Later,
            Phase::Alone(one) if one == who => match own.probe {
                Probe::Look(leaves) if own.under_way == 0 => Turn::Now(leaves),
                Probe::Run(batches, leaves) if batches > 0 => Turn::Now(leaves),
                Probe::Look(_) | Probe::Run(..) => Turn::Later,
            },
            Phase::Together(one, time) if one == who || own.role == Role::In => {
                let rows = own.pace().unwrap_or(0.0) * time.as_secs_f64();
                Turn::Now((rows / LEAF_ROWS as f64).max(1.0) as usize)
            }
            Phase::Settled if own.role == Role::In => {
                let first = self.rows.div_ceil(LEAF_ROWS) / FIRST_BATCHES;
                Turn::Now(match own.reach {
                    MemoryAccess::InPlace => self.part(who, left),
                    // Larger by leaps, they would leave a gap between copies and runs.
                    MemoryAccess::ByCopies => self.part(who, left).min(BATCH_GROWTH * own.leaves.max(first).max(1)),
                })
            }
            Phase::Together(..) if own.role == Role::Known => Turn::Later,
            Phase::Alone(_) | Phase::Together(..) | Phase::Settled => Turn::Never,
        }
    }

    /// How many of the leaves that are left a device gets.
    fn part(&self, who: usize, left: usize) -> usize {
        let working = || self.runners.iter().filter(|one| one.is(Role::In));
        if self.is_alone(who) {
            return left.max(1);
        }
        let Some(pace) = self.runners[who].pace() else {
            return ((left as f64 * FIRST_PART / working().count().max(1) as f64) as usize).max(1);
        };
        let known = || working().filter_map(Runner::pace);
        // Those that are not known are taken to be as fast as the others.
        let all = known().sum::<f64>() / known().count().max(1) as f64 * working().count() as f64;
        let least = pace * BATCH_TIME_MIN.as_secs_f64() / LEAF_ROWS as f64;
        (left as f64 * (pace / all) * BATCH_PART).max(least).max(1.0) as usize
    }

    /// A device was dealt a batch of so many leaves.
    pub(in crate::exec) fn dealt(&mut self, who: usize, leaves: usize, now: Duration) {
        let is_alone = self.phase == Phase::Alone(who);
        let own = &mut self.runners[who];
        own.under_way += 1;
        own.leaves = leaves;
        own.window.began.get_or_insert(now);
        if let Probe::Run(batches, leaves) = own.probe
            && is_alone
        {
            own.probe = Probe::Run(batches.saturating_sub(1), leaves);
        }
    }

    /// A batch of a device came to nothing.
    pub(in crate::exec) fn returned(&mut self, who: usize) {
        let is_alone = self.phase == Phase::Alone(who);
        let own = &mut self.runners[who];
        own.under_way = own.under_way.saturating_sub(1);
        if let Probe::Run(batches, leaves) = own.probe
            && is_alone
        {
            own.probe = Probe::Run(batches + 1, leaves);
        }
    }

    /// A device has done a batch of so many rows, and so many are left to be dealt. Whether it may be others' turn now.
    pub(in crate::exec) fn landed(&mut self, who: usize, rows: usize, now: Duration, left: usize) -> bool {
        let own = &mut self.runners[who];
        own.under_way = own.under_way.saturating_sub(1);
        own.rows += rows;
        own.batches += 1;
        own.window.note(rows, now);
        match self.phase {
            Phase::Alone(one) if one == who => self.showed(who, now, left),
            Phase::Together(one, time) => self.compare(one, time, now),
            Phase::Alone(_) | Phase::Calling | Phase::Settled => false,
        }
    }

    /// A device that works alone has done a batch.
    fn showed(&mut self, who: usize, now: Duration, left: usize) -> bool {
        let (all, least) = (self.rows.div_ceil(LEAF_ROWS), self.measured_min);
        let own = &mut self.runners[who];
        let Some(pace) = own.window.pace() else { return false };
        let mut again = None;
        match own.probe {
            Probe::Look(leaves) => again = own.look_again(leaves, all, least, now),
            Probe::Run(to_come, _) if to_come + own.under_way > 0 => return false,
            Probe::Run(..) => (own.role, own.alone, own.last) = (Role::Known, Some(pace), Some(pace)),
        }
        let rest = Duration::try_from_secs_f64(left as f64 / pace).unwrap_or(Duration::MAX);
        let is_short = who == 0 && own.role == Role::Seen && own.looked >= least && rest < self.worth;
        if let (false, Some(leaves)) = (is_short, again) {
            (own.probe, own.window) = (Probe::Look(leaves), Window::default());
            return false;
        }
        if is_short {
            self.settle_with(0);
        } else if who == 0 && self.may_call {
            self.phase = Phase::Calling;
        } else {
            self.advance(now);
        }
        true
    }

    fn best_alone(&self) -> f64 {
        self.runners.iter().filter_map(|one| one.alone).fold(0.0, f64::max)
    }

    /// A batch was done where one works together with those that are in: whether it helps.
    fn compare(&mut self, one: usize, time: Duration, now: Duration) -> bool {
        let elapsed = now.saturating_sub(self.began);
        let whole = time.saturating_mul(TOGETHER_BATCHES as u32);
        let team = |(number, runner): &(usize, &Runner)| *number == one || runner.is(Role::In);
        let least = self.runners.iter().enumerate().filter(team).map(|(_, own)| own.window.batches).min().unwrap_or(0);
        let is_over = least >= TOGETHER_BATCHES
            || (least >= 2 && elapsed >= whole.saturating_mul(3))
            || elapsed >= whole.saturating_mul(10);
        if !is_over {
            return false;
        }
        let seconds = elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        let measured = |own: &Runner| match own.window.batches {
            0 | 1 => own.window.rows as f64 / seconds,
            _ => own.window.pace().unwrap_or(0.0),
        };
        let joint = self.runners.iter().enumerate().filter(team).map(|(_, own)| measured(own)).sum::<f64>();
        if joint >= self.rate * GAIN_MIN {
            (self.runners[one].role, self.rate) = (Role::In, joint);
            for own in self.runners.iter_mut().filter(|own| own.is(Role::In)) {
                own.last = Some(measured(own)).filter(|pace| *pace > 0.0).or(own.last);
            }
        } else {
            self.runners[one].role = Role::Out;
        }
        self.advance(now);
        true
    }

    /// Goes on to whoever has not shown yet how fast it is, or how much it helps.
    fn advance(&mut self, now: Duration) {
        let present = self.runners.iter().filter(|one| !one.is_gone).count();
        if present <= 1 {
            return self.settle();
        }
        if let Some(next) = self.runners.iter().position(|one| one.is(Role::New)) {
            return self.enter(next, now);
        }
        let time = self.rows as f64 / self.best_alone() * ALONE_PART;
        for (number, own) in self.runners.iter_mut().enumerate().filter(|(_, one)| one.is(Role::Seen)) {
            // One that copies nothing overlaps nothing: a look says it all.
            if own.reach == MemoryAccess::ByCopies && own.looked.as_secs_f64() < time {
                let leaves = own.solo() * time / (ALONE_BATCHES * LEAF_ROWS) as f64;
                own.probe = Probe::Run(ALONE_BATCHES, leaves.max(1.0) as usize);
                own.window = Window::default();
                (self.phase, self.began) = (Phase::Alone(number), now);
                return;
            }
            own.role = Role::Known;
        }
        let by_pace = |(_, a): &(usize, &Runner), (_, b): &(usize, &Runner)| a.solo().total_cmp(&b.solo());
        loop {
            let known = self.runners.iter().enumerate().filter(|(_, one)| one.is(Role::Known));
            let Some((next, alone)) = known.rev().max_by(by_pace).map(|(number, one)| (number, one.solo())) else {
                self.is_sure = true;
                return self.settle();
            };
            if !self.runners.iter().any(|one| one.is(Role::In)) {
                (self.runners[next].role, self.rate) = (Role::In, alone);
            } else if alone < self.rate * (GAIN_MIN - 1.0) {
                self.runners[next].role = Role::Out;
            } else {
                let whole = self.rows as f64 / self.rate;
                let time = whole * TOGETHER_PART / TOGETHER_BATCHES as f64;
                self.phase = Phase::Together(next, Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX));
                self.began = now;
                self.runners.iter_mut().for_each(|one| one.window = Window::default());
                return;
            }
        }
    }

    /// One works alone.
    fn enter(&mut self, who: usize, now: Duration) {
        (self.phase, self.began) = (Phase::Alone(who), now);
        let first = (self.rows.div_ceil(LEAF_ROWS) / LOOK_PART).max(1);
        let own = &mut self.runners[who];
        (own.probe, own.window) = (Probe::Look(first), Window::default());
    }

    /// This one does all of it.
    fn settle_with(&mut self, who: usize) {
        self.runners.iter_mut().for_each(|one| one.role = Role::Out);
        self.runners[who].role = Role::In;
        self.phase = Phase::Settled;
        self.is_sure = true;
    }

    /// All but those that are out work to the end.
    pub(in crate::exec) fn settle(&mut self) {
        for one in self.runners.iter_mut().filter(|one| one.role != Role::Out) {
            one.role = Role::In;
        }
        self.phase = Phase::Settled;
        self.someone_works();
    }

    /// Where those that should work are gone, the others do.
    fn someone_works(&mut self) {
        if !self.runners.iter().any(|one| one.is(Role::In)) {
            self.runners.iter_mut().for_each(|one| one.role = Role::In);
        }
    }

    /// Whether the one that works alone does so for too long: then the others should not wait.
    pub(in crate::exec) fn is_overdue(&self, now: Duration) -> bool {
        let best = self.best_alone();
        let whole = if best > 0.0 { self.rows as f64 / best } else { 0.0 };
        let most = Duration::try_from_secs_f64(whole * ALONE_PART * 2.0).unwrap_or(Duration::MAX).max(ALONE_TIME_MAX);
        matches!(self.phase, Phase::Alone(_)) && now.saturating_sub(self.began) >= most
    }

    /// Whether others were not asked to come yet.
    pub(in crate::exec) fn may_call(&self) -> bool {
        self.may_call
    }

    /// A device is not there any more.
    pub(in crate::exec) fn left(&mut self, who: usize, now: Duration) {
        if std::mem::replace(&mut self.runners[who].is_gone, true) {
            return;
        }
        match self.phase {
            Phase::Alone(one) if one == who => self.advance(now),
            Phase::Together(one, _) if one == who => self.advance(now),
            Phase::Together(one, _) if self.runners[who].role == Role::In => {
                // What those that are left do together is not known.
                self.runners[one].role = Role::In;
                self.settle();
            }
            Phase::Alone(_) | Phase::Together(..) => {}
            Phase::Calling | Phase::Settled => self.someone_works(),
        }
    }

    /// Rows a second of a device, and of all others that are here.
    pub(in crate::exec) fn paces(&self, who: usize) -> (Option<f64>, Option<f64>) {
        let others = || self.runners.iter().enumerate().filter(|(number, one)| *number != who && !one.is_gone);
        let sum = || others().filter_map(|(_, one)| one.pace()).sum();
        (self.runners[who].pace(), others().next().map(|_| sum()))
    }
}
