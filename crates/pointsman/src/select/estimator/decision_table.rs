//! [`DecisionTable`]: the published decisions of one kernel and input placement, one word per size bucket. Callers read
//! them without locks; learning writes them.

use super::features::{ARMS_MAX, BUCKETS};
use std::sync::atomic::{AtomicU64, Ordering};

/// A set of devices, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArmSet(pub u8);

impl ArmSet {
    /// No device.
    pub const NONE: ArmSet = ArmSet(0);
    /// All devices.
    pub const ALL: ArmSet = ArmSet(u8::MAX);

    /// This set with one more device. Numbers from [`ARMS_MAX`] on are ignored.
    pub fn with(self, arm: usize) -> ArmSet {
        ArmSet(self.0 | if arm < ARMS_MAX { 1 << arm } else { 0 })
    }

    /// Whether a device is in the set.
    pub fn has(self, arm: usize) -> bool {
        arm < ARMS_MAX && self.0 >> arm & 1 == 1
    }
}

/// Why a device comes first in a [`Rank`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankReason {
    /// It has the best prediction.
    Best,
    /// It is tried, to measure it.
    Trial,
    /// The call moves its columns there: earlier calls have lost as much as the copy costs.
    Move,
}

/// The devices for a call, the first choice first. A few bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// Four bits per device, the first choice lowest.
    order: u32,
    count: u8,
    reason: RankReason,
    /// One in 2^`share` calls is learned from.
    share: u8,
    /// Whether moving the call's owned columns to another device may pay.
    may_move: bool,
    /// The predicted time of the best device, as quarters of its logarithm to base 2.
    expected: u8,
}

impl Rank {
    /// The first choice.
    pub fn first(self) -> usize {
        (self.order & 15) as usize
    }

    /// The choice at a position, from 0.
    pub fn nth(self, position: usize) -> Option<usize> {
        (position < usize::from(self.count)).then(|| (self.order >> (4 * position) & 15) as usize)
    }

    /// All choices in order.
    pub fn arms(self) -> impl ExactSizeIterator<Item = usize> {
        (0..usize::from(self.count)).map(move |position| (self.order >> (4 * position) & 15) as usize)
    }

    /// Why the first choice comes first.
    pub fn reason(self) -> RankReason {
        self.reason
    }

    /// Whether moving the call's owned columns to another device may pay.
    pub(crate) fn may_move(self) -> bool {
        self.may_move
    }

    /// The predicted time of the best device, in nanoseconds, rounded to a quarter of an octave.
    pub(crate) fn expected(self) -> u64 {
        let octave = u32::from(self.expected / 4);
        (4 + u64::from(self.expected % 4)).checked_shl(octave).map_or(u64::MAX, |time| time >> 2)
    }

    /// The number of calls that a call stands for if it [is learned from](Rank::is_sampled).
    pub fn stands_for(self) -> u32 {
        1 << self.share
    }

    /// Whether a call took less than half or more than twice as long as expected. Such calls are learned from, too.
    #[inline]
    pub fn is_unusual(self, nanoseconds: u64) -> bool {
        quarter_octaves(nanoseconds).abs_diff(self.expected) > UNUSUAL_QUARTERS
    }

    /// Whether a call is learned from: one in [`stands_for`](Rank::stands_for) is. `random` must differ from call to call.
    #[inline]
    pub fn is_sampled(self, random: u64) -> bool {
        random & ((1 << self.share) - 1) == 0
    }

    /// This rank with another device first, for a reason.
    pub(crate) fn led_by(self, arm: usize, reason: RankReason) -> Rank {
        let others = self.arms().filter(|&other| other != arm);
        let share = if reason == RankReason::Best { self.share } else { 0 };
        Rank { order: packed(std::iter::once(arm).chain(others)), reason, share, ..self }
    }

    /// This rank with these devices last.
    pub(crate) fn without(self, closed: ArmSet) -> Rank {
        let open = self.arms().filter(|&arm| !closed.has(arm));
        let order = packed(open.chain(self.arms().filter(|&arm| closed.has(arm))));
        let is_same = order & 15 == self.order & 15;
        Rank { order, reason: if is_same { self.reason } else { RankReason::Best }, ..self }
    }
}

/// A time that is off by more than this many quarters of an octave is unusual.
const UNUSUAL_QUARTERS: u8 = 4;

fn packed(arms: impl Iterator<Item = usize>) -> u32 {
    arms.enumerate().fold(0, |word, (position, arm)| word | (arm as u32) << (4 * position))
}

/// A decision as it is published, in one word: the order in 32 bits, the device to try (its number plus one) in 4, the
/// share of calls to learn from in 4, the number of devices in 4, whether moving columns may pay in 1, the expected time in
/// 8, and the top bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedDecision(u64);

const PUBLISHED: u64 = 1 << 63;
const TRIAL_BITS: u64 = 15 << 32;

impl PackedDecision {
    pub(crate) fn new(
        arms: impl ExactSizeIterator<Item = usize>,
        trial: Option<usize>,
        share: u8,
        may_move: bool,
        expected: f64,
    ) -> PackedDecision {
        let count = arms.len() as u64;
        let trial = trial.map_or(0, |arm| arm as u64 + 1) << 32;
        let expected = u64::from(quarter_octaves(expected.clamp(4.0, 1e18) as u64)) << 45;
        let rest = trial | u64::from(share & 15) << 36 | count << 40 | u64::from(may_move) << 44 | expected;
        PackedDecision(PUBLISHED | u64::from(packed(arms)) | rest)
    }

    /// The device that waits for a caller to try it.
    #[inline]
    pub(crate) fn trial(self) -> Option<usize> {
        ((self.0 >> 32 & 15) as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn rank(self) -> Rank {
        Rank {
            order: self.0 as u32,
            count: (self.0 >> 40 & 15) as u8,
            reason: RankReason::Best,
            share: (self.0 >> 36 & 15) as u8,
            may_move: self.0 >> 44 & 1 == 1,
            expected: (self.0 >> 45) as u8,
        }
    }
}

/// Quarters of a logarithm to base 2, of at least 4.
fn quarter_octaves(nanoseconds: u64) -> u8 {
    let octave = nanoseconds.max(4).ilog2();
    (4 * octave + (nanoseconds.max(4) >> (octave - 2) & 3) as u32) as u8
}

/// The decisions of one kernel for one input placement.
pub(crate) struct DecisionTable {
    words: [AtomicU64; BUCKETS],
}

impl DecisionTable {
    pub(crate) fn new() -> DecisionTable {
        DecisionTable { words: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// The decision for a size bucket; `None` if no call asked before. A trial is given to one caller, unless the device is
    /// closed.
    #[inline]
    pub(crate) fn rank(&self, bucket: u8, closed: ArmSet) -> Option<Rank> {
        let decision = self.get(bucket)?;
        match decision.trial() {
            Some(arm) if !closed.has(arm) => Some(self.take_trial(bucket, decision, arm)),
            Some(_) | None => Some(decision.rank()),
        }
    }

    #[cold]
    fn take_trial(&self, bucket: u8, decision: PackedDecision, arm: usize) -> Rank {
        let (word, taken) = (&self.words[usize::from(bucket)], decision.0 & !TRIAL_BITS);
        let won = word.compare_exchange(decision.0, taken, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if won { decision.rank().led_by(arm, RankReason::Trial) } else { decision.rank() }
    }

    /// The decision for a size bucket, without its trial.
    #[inline]
    pub(crate) fn get(&self, bucket: u8) -> Option<PackedDecision> {
        let word = self.words[usize::from(bucket)].load(Ordering::Acquire);
        (word & PUBLISHED != 0).then_some(PackedDecision(word))
    }

    pub(crate) fn publish(&self, bucket: u8, decision: PackedDecision) {
        self.words[usize::from(bucket)].store(decision.0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_keep_their_parts() {
        let decision = PackedDecision::new([3, 0, 7, 1].into_iter(), Some(7), 5, true, 1300.0);
        assert_eq!(decision.trial(), Some(7));
        let rank = decision.rank();
        assert_eq!(rank.arms().collect::<Vec<_>>(), [3, 0, 7, 1]);
        assert_eq!((rank.stands_for(), rank.may_move(), rank.nth(4), rank.expected()), (32, true, None, 1280));
        let trial = rank.led_by(7, RankReason::Trial);
        assert_eq!((trial.arms().collect::<Vec<_>>(), trial.stands_for()), (vec![7, 3, 0, 1], 1));
        let closed = rank.without(ArmSet::NONE.with(3).with(7));
        assert_eq!(closed.arms().collect::<Vec<_>>(), [0, 1, 3, 7]);
    }

    #[test]
    fn trial_is_given_to_one_caller() {
        let table = DecisionTable::new();
        assert_eq!(table.rank(10, ArmSet::NONE), None);
        table.publish(10, PackedDecision::new([0, 1].into_iter(), Some(1), 0, false, 0.0));
        assert_eq!(table.rank(10, ArmSet::NONE.with(1)).map(Rank::first), Some(0), "a closed device is not tried");
        let ranks = [(); 2].map(|()| table.rank(10, ArmSet::NONE).map(|rank| (rank.first(), rank.reason())));
        assert_eq!(ranks, [Some((1, RankReason::Trial)), Some((0, RankReason::Best))]);
    }
}
