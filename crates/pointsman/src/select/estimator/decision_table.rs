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

    /// The numbers of its devices.
    pub fn arms(self) -> impl Iterator<Item = usize> {
        (0..ARMS_MAX).filter(move |&arm| self.has(arm))
    }
}

/// Why a device comes first in a [`Rank`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankReason {
    /// It has the best prediction.
    Best,
    /// A trial, to measure the device.
    Trial,
    /// The call moves its columns there: earlier calls have lost as much as the copy costs.
    Move,
}

/// The devices for a call, the first choice first. A decision is published as this one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank(u64);

/// The order in 32 bits, four for each device, the first choice lowest; the device to try (its number plus one); the
/// share of calls to learn from; the number of devices; whether moving columns may pay; why the first choice comes
/// first; the octave of the expected nanoseconds; and whether there is a decision at all.
const ORDER_BITS: u64 = u32::MAX as u64;
const TRIAL_AT: u32 = 32;
const SHARE_AT: u32 = 36;
const COUNT_AT: u32 = 40;
const MOVE_AT: u32 = 44;
const REASON_AT: u32 = 45;
const OCTAVE_AT: u32 = 47;
const PUBLISHED: u64 = 1 << 63;

/// Calls below this octave (65 µs) need not be avoided by other callers: counting them costs half a microsecond.
const LONG_OCTAVE: u32 = 16;
/// A time that is off by more than this many octaves is unusual.
const UNUSUAL_OCTAVES: u32 = 1;

impl Rank {
    /// A decision. `trial`: the device to try in one of the next calls. One in 2^`share` calls is learned from. `time`:
    /// the predicted nanoseconds of the first device.
    pub(crate) fn new(
        arms: impl ExactSizeIterator<Item = usize>,
        trial: Option<usize>,
        share: u8,
        may_move: bool,
        time: f64,
    ) -> Rank {
        let (count, trial) = (arms.len() as u64, trial.map_or(0, |arm| arm as u64 + 1));
        let parts = trial << TRIAL_AT | u64::from(share & 15) << SHARE_AT | count << COUNT_AT;
        let octave = u64::from((time.clamp(1.0, 1e18) as u64).ilog2());
        Rank(PUBLISHED | parts | u64::from(may_move) << MOVE_AT | octave << OCTAVE_AT).ordered(arms)
    }

    /// This rank with the devices in this order.
    fn ordered(self, arms: impl Iterator<Item = usize>) -> Rank {
        let order = arms.enumerate().fold(0, |order, (position, arm)| order | (arm as u64) << (4 * position));
        Rank(self.0 & !ORDER_BITS | order)
    }

    fn with_reason(self, reason: RankReason) -> Rank {
        Rank(self.0 & !(3 << REASON_AT) | (reason as u64) << REASON_AT)
    }

    #[inline]
    fn four_bits(self, at: u32) -> usize {
        (self.0 >> at & 15) as usize
    }

    /// The first choice.
    #[inline]
    pub fn first(self) -> usize {
        self.four_bits(0)
    }

    /// The choice at a position, from 0.
    pub fn nth(self, position: usize) -> Option<usize> {
        (position < self.four_bits(COUNT_AT)).then(|| self.four_bits(4 * position as u32))
    }

    /// All choices in order.
    pub fn arms(self) -> impl ExactSizeIterator<Item = usize> {
        (0..self.four_bits(COUNT_AT)).map(move |position| self.four_bits(4 * position as u32))
    }

    /// Why the first choice comes first.
    pub fn reason(self) -> RankReason {
        [RankReason::Best, RankReason::Trial, RankReason::Move, RankReason::Best][(self.0 >> REASON_AT & 3) as usize]
    }

    /// The device that waits for a caller to try it.
    #[inline]
    pub(crate) fn trial(self) -> Option<usize> {
        self.four_bits(TRIAL_AT).checked_sub(1)
    }

    /// Whether moving the call's owned columns to another device may pay.
    pub(crate) fn may_move(self) -> bool {
        self.0 >> MOVE_AT & 1 == 1
    }

    /// Whether the call should take so long that other callers should avoid its device meanwhile.
    pub(crate) fn is_long(self) -> bool {
        self.octave() >= LONG_OCTAVE
    }

    #[inline]
    fn octave(self) -> u32 {
        (self.0 >> OCTAVE_AT & 63) as u32
    }

    /// Whether a call took far less or far more time than expected. Such calls are learned from, too.
    #[inline]
    pub fn is_unusual(self, nanoseconds: u64) -> bool {
        nanoseconds.max(1).ilog2().abs_diff(self.octave()) > UNUSUAL_OCTAVES
    }

    /// The number of calls that a call stands for if it [is learned from](Rank::is_sampled).
    pub fn stands_for(self) -> u32 {
        1 << self.four_bits(SHARE_AT)
    }

    /// Whether a call is learned from: one in [`stands_for`](Rank::stands_for) is. `random` must differ from call to
    /// call.
    #[inline]
    pub fn is_sampled(self, random: u64) -> bool {
        random & u64::from(self.stands_for() - 1) == 0
    }

    /// This rank with another device first, for a reason. Every call with another reason than a prediction is learned
    /// from.
    pub(crate) fn led_by(self, arm: usize, reason: RankReason) -> Rank {
        let share = if reason == RankReason::Best { self.0 } else { self.0 & !(15 << SHARE_AT) };
        Rank(share).ordered(std::iter::once(arm).chain(self.arms().filter(|&other| other != arm))).with_reason(reason)
    }

    /// This rank with these devices last.
    pub(crate) fn without(self, closed: ArmSet) -> Rank {
        let open = self.arms().filter(|&arm| !closed.has(arm));
        let rank = self.ordered(open.chain(self.arms().filter(|&arm| closed.has(arm))));
        if rank.first() == self.first() { rank } else { rank.with_reason(RankReason::Best) }
    }
}

/// The decisions of one kernel for one input placement.
pub(crate) struct DecisionTable {
    words: [AtomicU64; BUCKETS],
}

impl DecisionTable {
    pub(crate) fn new() -> DecisionTable {
        DecisionTable { words: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// The decision for a size bucket; `None` if no call asked before. A trial is given to one caller, unless the
    /// device is closed.
    #[inline]
    pub(crate) fn rank(&self, bucket: u8, closed: ArmSet) -> Option<Rank> {
        let decision = self.get(bucket)?;
        match decision.trial() {
            Some(arm) if !closed.has(arm) => Some(self.take_trial(bucket, decision, arm)),
            Some(_) | None => Some(decision),
        }
    }

    #[cold]
    fn take_trial(&self, bucket: u8, decision: Rank, arm: usize) -> Rank {
        let (word, taken) = (&self.words[usize::from(bucket)], decision.0 & !(15 << TRIAL_AT));
        let won = word.compare_exchange(decision.0, taken, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if won { decision.led_by(arm, RankReason::Trial) } else { decision }
    }

    /// The decision for a size bucket. Its trial continues to wait for a caller.
    #[inline]
    pub(crate) fn get(&self, bucket: u8) -> Option<Rank> {
        let word = self.words[usize::from(bucket)].load(Ordering::Acquire);
        (word & PUBLISHED != 0).then_some(Rank(word))
    }

    pub(crate) fn publish(&self, bucket: u8, decision: Rank) {
        self.words[usize::from(bucket)].store(decision.0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_keep_their_parts() {
        let rank = Rank::new([3, 0, 7, 1].into_iter(), Some(7), 5, true, 1300.0);
        assert_eq!((rank.trial(), rank.reason()), (Some(7), RankReason::Best));
        assert_eq!(rank.arms().collect::<Vec<_>>(), [3, 0, 7, 1]);
        assert_eq!((rank.stands_for(), rank.may_move(), rank.nth(4), rank.is_long()), (32, true, None, false));
        let trial = rank.led_by(7, RankReason::Trial);
        assert_eq!((trial.arms().collect::<Vec<_>>(), trial.stands_for()), (vec![7, 3, 0, 1], 1));
        assert_eq!([300, 512, 2047, 4095, 4096].map(|time| rank.is_unusual(time)), [true, false, false, false, true]);
        let closed = rank.without(ArmSet::NONE.with(3).with(7));
        assert_eq!(closed.arms().collect::<Vec<_>>(), [0, 1, 3, 7]);
    }

    #[test]
    fn trial_is_given_to_one_caller() {
        let table = DecisionTable::new();
        assert_eq!(table.rank(10, ArmSet::NONE), None);
        table.publish(10, Rank::new([0, 1].into_iter(), Some(1), 0, false, 0.0));
        assert_eq!(table.rank(10, ArmSet::NONE.with(1)).map(Rank::first), Some(0), "a closed device is not tried");
        let ranks = [(); 2].map(|()| table.rank(10, ArmSet::NONE).map(|rank| (rank.first(), rank.reason())));
        assert_eq!(ranks, [Some((1, RankReason::Trial)), Some((0, RankReason::Best))]);
    }
}
