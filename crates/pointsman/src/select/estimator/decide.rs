//! The decision: from what every device should take to an order of them, with hysteresis, and with the one that is worth
//! exploring. What is decided is published for callers to read (`table.rs`).

use super::features::{ARMS_MAX, Size};
use super::known::{Known, Lie, Looked};
use super::outlook::{Judged, View};
use super::ranking::{Prediction, Ranking};
use super::table::{ArmSet, Rank, Table, Word};
use super::{Inner, Selector};

/// A device is chosen instead of another if it is faster by this, as a logarithm, …
const SWITCH_MIN: f64 = 0.05;
/// … and by so many standard deviations of what is known of both, but no more than this need be.
const SWITCH_DEVIATIONS: f64 = 2.0;
const SWITCH_MAX: f64 = 0.3;
/// … in so many calls on end.
const SWITCH_CALLS: u32 = 3;
/// A device that was measured so often may be left for one that should be as good.
const TRIED_SAMPLES: f64 = 4.0;
/// As good is also what should be slower by less than this part of what it is uncertain by.
const TRIED_SPREAD: f64 = 0.35;
/// One that was measured at most once has fewer samples than this.
const ONCE: f64 = 2.0;
/// One that was measured less often than this was only tried.
const TRIAL_SAMPLES: f64 = 2.5;
/// A device may be explored if it may be the fastest: if it is not slower by so many standard deviations.
const EXPLORE_DEVIATIONS: f64 = 1.28;
/// What takes this part at most of all that may be spent on exploring is cheap: it is explored after so many calls if it may
/// be the fastest within so many deviations, whether or not that is likely to pay.
const CHEAP_PART: f64 = 0.03;
const CHEAP_CALLS: f64 = 3.0;
const CHEAP_DEVIATIONS: f64 = 2.5;
/// What is known better than this need not be explored.
const EXPLORE_SPREAD_MIN: f64 = 0.04;
/// What should take more than so many times as long is never explored.
const EXPLORE_LOSS_MAX: f64 = 3.0;
/// From so many samples on few calls are learned from: one in 2^3, and one in 2^6 from so many calls on.
const SETTLED_SAMPLES: f64 = 16.0;
const SETTLED_CALLS: f64 = 256.0;

/// Why a choice is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Someone asks for the first time.
    New,
    /// A call there was learned from.
    Call,
    /// Something near it was.
    Neighbour,
    /// Others learned something.
    Taught,
    /// A device is not what it was.
    Drift,
}

impl Inner {
    /// Looks at every choice of a kernel again, and publishes those that may be others.
    pub(super) fn publish_all(&self, known: &Known, cause: Cause) {
        let (mut mind, shared) = (known.mind(), self.shared());
        known.refit(&mut mind, &shared);
        let (view, places) = View::of(known, &mut mind, &shared, self.seconds());
        for ((lie, bucket), place) in places.iter_mut() {
            known.with_table(lie, |table| {
                let size = Size { rows: table.rows(bucket), residency: lie.0, locked: lie.1 };
                let looked = place.look(&view, size);
                if looked.differs || cause != Cause::Neighbour {
                    table.publish(bucket, self.decide(looked, &view, table.first(bucket), cause));
                }
            });
        }
    }

    /// Looks at a choice for the first time, and publishes what follows.
    fn publish_first(&self, known: &Known, lie: Lie, bucket: usize) -> Word {
        let before = self.chosen_before(known.workload.key, lie, bucket).filter(|&arm| known.takes.has(arm));
        let (mut mind, shared) = (known.mind(), self.shared());
        known.refit(&mut mind, &shared);
        let (view, places) = View::of(known, &mut mind, &shared, self.seconds());
        let place = places.at_or_new((lie, bucket));
        known.with_table(lie, |table| {
            let size = Size { rows: table.rows(bucket), residency: lie.0, locked: lie.1 };
            let incumbent = table.first(bucket).or(before);
            let word = self.decide(place.look(&view, size), &view, incumbent, Cause::New);
            table.publish(bucket, word);
            word
        })
    }

    /// What follows from what every device should take at a place.
    pub(super) fn decide(&self, looked: Looked<'_>, view: &View<'_>, incumbent: Option<usize>, cause: Cause) -> Word {
        let Looked { calls, seat, outlook, .. } = looked;
        let prices = &view.shared().prices;
        let judged = &*prices.of(&outlook.judged);
        let incumbent = incumbent.filter(|&own| prices.compares(own));
        let first = incumbent.map_or_else(|| quickest(judged), |own| seat.succeed(own, judged, cause));
        let explores = self.options.learns && self.options.explores && cause != Cause::New;
        let explore = if explores { worth_exploring((judged, &outlook.judged), first, calls, view) } else { None };
        // Who may be replaced soon is looked at call by call.
        let settled = explore.is_none() && seat.streak == 0;
        let expected = outlook.judged.iter().find(|one| one.arm == first).map_or(0.0, |own| own.time);
        word(judged, (first, explore), (calls, settled), expected)
    }
}

impl Selector {
    /// The first call of its size.
    #[cold]
    pub(super) fn rank_first(&self, known: &Known, lie: Lie, size: Size) -> Rank {
        known.with_table(lie, |table: &Table| table.note_rows(size));
        self.0.publish_first(known, lie, size.bucket()).rank()
    }

    /// What a device should take for a call while others run there too, in nanoseconds.
    pub(crate) fn predicted_in_company(&self, known: &Known, size: Size, arm: usize) -> f64 {
        let (mut mind, shared) = (known.mind(), self.0.shared());
        let judged = self.0.judge(known, &mut mind, &shared, size);
        let slower = shared.arms.get(arm).map_or(1.0, |arm| arm.load.max(0.0).exp());
        judged.iter().find(|(one, _)| one.arm == arm).map_or(f64::MAX, |(one, _)| one.time * slower)
    }

    /// What every device should take for a call, and why they are in this order.
    pub fn explain(&self, known: &Known, size: Size, closed: ArmSet) -> Ranking {
        let rank = self.rank(known, size, closed);
        let (mut mind, shared) = (known.mind(), self.0.shared());
        let judged = self.0.judge(known, &mut mind, &shared, size);
        let place = |arm: usize| rank.arms().position(|own| own == arm).unwrap_or(ARMS_MAX);
        let mut predictions: Vec<Prediction> = judged
            .iter()
            .map(|(one, basis)| Prediction {
                device: self.0.names[one.arm].clone(),
                parts: basis.parts(one),
                compile: 0.0,
                spread: one.spread,
                samples: one.samples as u32,
                is_closed: one.arm != 0 && closed.has(one.arm),
                why_closed: None,
                watts: self.0.watts_compared(&shared.prices, one.arm),
                why_unknown: None,
            })
            .collect();
        let order: Vec<usize> = judged.iter().map(|(one, _)| place(one.arm)).collect();
        let mut numbered: Vec<(usize, Prediction)> = order.into_iter().zip(predictions.drain(..)).collect();
        numbered.sort_by_key(|(place, _)| *place);
        Ranking {
            rows: size.rows,
            explores: rank.explores(),
            goal: self.goal(),
            predictions: numbered.into_iter().map(|(_, one)| one).collect(),
        }
    }
}

fn quickest(judged: &[Judged]) -> usize {
    judged.iter().min_by(|a, b| a.time.total_cmp(&b.time)).map_or(0, |one| one.arm)
}

/// The standard deviation of the logarithm of how many times as long one takes as the other.
fn apart(one: &Judged, other: &Judged) -> f64 {
    (one.spread * one.spread + other.spread * other.spread).sqrt()
}

/// Who should be chosen instead of who is, and for how many calls on end.
#[derive(Clone, Debug, Default)]
pub(super) struct Seat {
    challenger: Option<usize>,
    streak: u32,
}

impl Seat {
    /// Who is chosen from now on.
    fn succeed(&mut self, incumbent: usize, judged: &[Judged], cause: Cause) -> usize {
        let best = quickest(judged);
        let of = |arm: usize| judged.iter().find(|one| one.arm == arm);
        let (Some(own), Some(other)) = (of(incumbent), of(best)) else { return best };
        if best == incumbent {
            *self = Seat::default();
            // One that should be as good, as far as that is known, and was never tried, or once, costs nothing to try.
            let is_as_good = |one: &&Judged| {
                let within = (TRIED_SPREAD * one.spread).clamp(SWITCH_MIN, SWITCH_MAX);
                one.arm != incumbent && one.samples < ONCE && one.time < (1.0 + within) * own.time
            };
            let other = judged.iter().find(is_as_good).filter(|_| own.samples >= TRIED_SAMPLES && cause == Cause::Call);
            return other.map_or(incumbent, |one| one.arm);
        }
        let gap = (own.time / other.time).ln();
        let needed = (SWITCH_DEVIATIONS * apart(own, other)).clamp(SWITCH_MIN, SWITCH_MAX);
        // Nothing was measured that could be noise.
        let is_guess = own.samples == 0.0 || other.samples == 0.0;
        // One that was only tried, and is no better than who was there before, is left at once.
        let was_trial = own.samples < TRIAL_SAMPLES && other.samples >= TRIED_SAMPLES && cause == Cause::Call;
        if cause == Cause::Drift && gap > 0.0 || (is_guess || was_trial) && gap > SWITCH_MIN {
            *self = Seat::default();
            return best;
        }
        match cause {
            // Who was chosen before is again, unless another is better.
            Cause::New | Cause::Taught => return if gap > needed { best } else { incumbent },
            Cause::Neighbour | Cause::Drift => return incumbent,
            Cause::Call => {}
        }
        if gap <= needed || self.challenger != Some(best) {
            (self.challenger, self.streak) = (Some(best), u32::from(gap > needed));
            return incumbent;
        }
        self.streak += 1;
        if self.streak >= SWITCH_CALLS { best } else { incumbent }
    }
}

/// The device that is worth a call although another should be faster, of what they take of what counts, and their times.
fn worth_exploring(
    (judged, timed): (&[Judged], &[Judged]),
    first: usize,
    calls: f64,
    view: &View<'_>,
) -> Option<usize> {
    let own = judged.iter().find(|one| one.arm == first)?;
    let ledger = &view.shared().ledger;
    let is_open = |one: &&Judged| {
        // What may be spent is time, whatever counts; who cannot be compared is not explored.
        let time = timed.iter().find(|own| own.arm == one.arm).map_or(f64::INFINITY, |own| own.time);
        // What is quickly answered is asked first: mostly the answer is no.
        if one.arm == first || !ledger.may_explore(time) || one.time.is_infinite() {
            return false;
        }
        let is_within = |deviations: f64| (one.time / own.time).ln() < deviations * apart(one, own);
        let may_be_faster = || {
            let cost = (one.time - own.time).max(0.0);
            let hoped = own.time - one.time * (-EXPLORE_DEVIATIONS * one.spread).exp();
            hoped * calls >= cost && is_within(EXPLORE_DEVIATIONS)
        };
        let is_worth_asking = one.spread > EXPLORE_SPREAD_MIN && one.time < EXPLORE_LOSS_MAX * own.time;
        let is_cheap = || {
            let is_new = one.samples == 0.0 && calls >= CHEAP_CALLS;
            is_new && time <= CHEAP_PART * ledger.left_to_explore() && is_within(CHEAP_DEVIATIONS)
        };
        // A device that nobody uses any more may have recovered.
        is_worth_asking && (may_be_faster() || is_cheap()) || view.is_unseen(one.arm)
    };
    let hope = |one: &Judged| one.time * (-one.spread).exp();
    judged.iter().filter(is_open).min_by(|a, b| hope(a).total_cmp(&hope(b))).map(|one| one.arm)
}

fn word(
    judged: &[Judged],
    (first, explore): (usize, Option<usize>),
    (calls, settled): (f64, bool),
    expected: f64,
) -> Word {
    // Times above zero are in the order of their bits, of which the last three hold the device's number.
    let place = |one: &Judged| if one.arm == first { one.arm as u64 } else { one.time.to_bits() & !7 | one.arm as u64 };
    let mut places = [u64::MAX; ARMS_MAX];
    places.iter_mut().zip(judged).for_each(|(own, one)| *own = place(one));
    let places = &mut places[..judged.len()];
    places.sort_unstable();
    let arms = places.iter().map(|place| (place & 7) as usize);
    let own = judged.iter().find(|one| one.arm == first);
    let share = match own {
        Some(own) if own.samples >= SETTLED_SAMPLES && settled => {
            if calls >= SETTLED_CALLS {
                6
            } else {
                3
            }
        }
        Some(_) | None => 0,
    };
    Word::new(arms, explore, share, expected.clamp(1.0, 1e18) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that was measured often, and takes so long.
    fn judged(arm: usize, time: f64, spread: f64) -> Judged {
        Judged { arm, time, spread, samples: 20.0 }
    }

    #[test]
    fn a_choice_changes_when_another_was_better_three_times_on_end() {
        let better = [judged(0, 100.0, 0.01), judged(1, 80.0, 0.01)];
        let as_good = [judged(0, 100.0, 0.01), judged(1, 97.0, 0.01)];
        let mut seat = Seat::default();
        let mut calls = |judged: &[Judged], count: usize| -> Vec<usize> {
            (0..count).map(|_| seat.succeed(0, judged, Cause::Call)).collect()
        };
        assert_eq!(calls(&better, 2), [0, 0]);
        assert_eq!(calls(&as_good, 1), [0], "and it begins anew");
        assert_eq!(calls(&better, 3), [0, 0, 1]);
        assert_eq!(calls(&as_good, 9), [0; 9], "3 % are none");
        let unsure = [judged(0, 100.0, 0.1), judged(1, 80.0, 0.1)];
        assert_eq!(calls(&unsure, 9), [0; 9], "less than two deviations");
    }

    #[test]
    fn a_drift_and_a_guess_change_it_at_once() {
        let better = [judged(0, 100.0, 0.01), judged(1, 80.0, 0.01)];
        assert_eq!(Seat::default().succeed(0, &better, Cause::Drift), 1);
        assert_eq!(Seat::default().succeed(0, &better, Cause::Neighbour), 0);
        for cause in [Cause::New, Cause::Taught] {
            assert_eq!(Seat::default().succeed(0, &better, cause), 1);
            let close = [judged(0, 100.0, 0.01), judged(1, 96.0, 0.01)];
            assert_eq!(Seat::default().succeed(0, &close, cause), 0, "within what a change needs");
        }
        let guessed = [judged(0, 100.0, 0.01), Judged { samples: 0.0, ..judged(1, 80.0, 0.5) }];
        assert_eq!(Seat::default().succeed(0, &guessed, Cause::Neighbour), 1);
    }

    #[test]
    fn one_that_was_only_tried_and_is_no_better_is_left_at_once() {
        let tried = |samples: f64| [judged(0, 90.0, 0.01), Judged { samples, ..judged(1, 100.0, 0.3) }];
        assert_eq!(Seat::default().succeed(1, &tried(1.0), Cause::Call), 0);
        assert_eq!(Seat::default().succeed(1, &tried(1.0), Cause::Neighbour), 1);
        assert_eq!(Seat::default().succeed(1, &tried(3.0), Cause::Call), 1, "it is known by now");
    }

    #[test]
    fn one_that_should_be_as_good_is_tried_and_tried_again() {
        let tried = |samples: f64, time: f64, spread: f64| {
            let both = [judged(0, 100.0, 0.01), Judged { samples, ..judged(1, time, spread) }];
            Seat::default().succeed(0, &both, Cause::Call) == 1
        };
        assert!(tried(0.0, 104.0, 0.1) && tried(1.0, 104.0, 0.1) && !tried(2.0, 104.0, 0.1));
        assert!(tried(1.0, 125.0, 2.0) && !tried(1.0, 131.0, 2.0), "however uncertain that is");
    }
}
