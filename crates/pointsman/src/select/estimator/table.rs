//! The published choices: for each half-octave of rows one word, read by whoever asks and written by who learns.

use super::features::{ARMS_MAX, BUCKETS, Class, Size};
use std::sync::atomic::{AtomicU64, Ordering};

/// Devices, as a set of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArmSet(pub u8);

impl ArmSet {
    /// None of them.
    pub const NONE: ArmSet = ArmSet(0);
    /// All of them.
    pub const ALL: ArmSet = ArmSet(u8::MAX);

    /// The same with this one, if there can be one of this number.
    pub fn with(self, arm: usize) -> ArmSet {
        ArmSet(self.0 | if arm < ARMS_MAX { 1 << arm } else { 0 })
    }

    /// Whether it has this one.
    pub fn has(self, arm: usize) -> bool {
        arm < ARMS_MAX && self.0 >> arm & 1 == 1
    }
}

/// Devices for a call, the first choice first. A few bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// Four bits a device, the first choice lowest.
    order: u32,
    count: u8,
    explores: bool,
    /// Of calls that take as long as expected, one in so many (a power of two) is worth learning from.
    share: u8,
    /// Quarters of the logarithm to base 2 of the nanoseconds that the first choice should take.
    expected: u8,
}

impl Rank {
    /// The first choice.
    pub fn first(self) -> usize {
        (self.order & 15) as usize
    }

    /// The choice at this place, from 0.
    pub fn nth(self, place: usize) -> Option<usize> {
        (place < usize::from(self.count)).then(|| (self.order >> (4 * place) & 15) as usize)
    }

    /// All choices in order.
    pub fn arms(self) -> impl ExactSizeIterator<Item = usize> {
        (0..usize::from(self.count)).map(move |place| (self.order >> (4 * place) & 15) as usize)
    }

    /// Whether the first choice is there to learn about it, and not expected to be the fastest.
    pub fn explores(self) -> bool {
        self.explores
    }

    /// How many calls a call that took so long stands for, among those that are worth learning from: as usual ones are told
    /// less often than unusual ones, an unusual one stands for fewer.
    #[inline]
    pub fn weight(self, nanoseconds: u64) -> f64 {
        let is_usual = quarters(nanoseconds).abs_diff(self.expected) <= UNUSUAL;
        if is_usual { 1.0 } else { 1.0 / f64::from(1u32 << self.share) }
    }

    /// Whether a call that took so long is worth learning from. Of those that took as long as expected few are; which,
    /// `noise` decides: any number that differs from call to call.
    #[inline]
    pub fn is_worth_learning(self, nanoseconds: u64, noise: u64) -> bool {
        let apart = quarters(nanoseconds).abs_diff(self.expected);
        apart > UNUSUAL || noise & ((1 << self.share) - 1) == 0
    }

    /// The same where every call of these devices is worth learning from.
    #[inline]
    pub(crate) fn watched(self, arms: ArmSet) -> Rank {
        let is_watched = arms.0 >> self.first() & 1 == 1;
        Rank { share: if is_watched { 0 } else { self.share }, ..self }
    }

    /// The same with this device first, not to learn about it.
    pub(crate) fn led_by(self, arm: usize) -> Rank {
        let all: Vec<usize> = std::iter::once(arm).chain(self.arms().filter(|&other| other != arm)).collect();
        Rank { order: order(all.into_iter()), explores: self.explores && self.first() == arm, ..self }
    }

    /// The same without these devices at its front: they come last.
    pub(crate) fn without(self, closed: ArmSet) -> Rank {
        let (open, shut): (Vec<usize>, Vec<usize>) = self.arms().partition(|&arm| !closed.has(arm));
        let is_first = open.first().is_some_and(|&arm| arm == self.first());
        let all: Vec<usize> = open.into_iter().chain(shut).collect();
        Rank { order: order(all.into_iter()), explores: self.explores && is_first, ..self }
    }
}

/// What takes longer or shorter than expected by more than so many quarters of a logarithm to base 2 is unusual.
const UNUSUAL: u8 = 4;

/// Quarters of a logarithm to base 2.
#[inline]
pub(crate) fn quarters(nanoseconds: u64) -> u8 {
    let ns = nanoseconds.max(4);
    let octave = ns.ilog2();
    (4 * octave + (ns >> (octave - 2) & 3) as u32) as u8
}

fn order(arms: impl Iterator<Item = usize>) -> u32 {
    arms.enumerate().fold(0, |word, (place, arm)| word | (arm as u32) << (4 * place))
}

/// One choice as it is published: order in 32 bits, what is to be explored (its number plus one) in 4, the share of calls to
/// learn from in 4, what is expected in 8, the number of devices in 4, and the highest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u64);

const PUBLISHED: u64 = 1 << 63;

impl Word {
    pub(crate) fn new(
        arms: impl ExactSizeIterator<Item = usize>,
        explore: Option<usize>,
        share: u8,
        expected: u64,
    ) -> Word {
        let count = arms.len();
        debug_assert!((1..=ARMS_MAX).contains(&count), "a ranking of {count} devices");
        let explore = explore.map_or(0, |arm| arm as u64 + 1);
        let rest = explore << 32 | u64::from(share & 15) << 36 | u64::from(quarters(expected)) << 40;
        Word(PUBLISHED | u64::from(order(arms)) | rest | (count as u64) << 48)
    }

    #[inline]
    fn is_published(self) -> bool {
        self.0 & PUBLISHED != 0
    }

    #[inline]
    pub(crate) fn explore(self) -> Option<usize> {
        ((self.0 >> 32 & 15) as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn rank(self) -> Rank {
        Rank {
            order: self.0 as u32,
            count: (self.0 >> 48 & 15) as u8,
            explores: false,
            share: (self.0 >> 36 & 15) as u8,
            expected: (self.0 >> 40 & 255) as u8,
        }
    }

    /// The ranking in which this device comes first, to learn about it.
    fn exploring(self, arm: usize) -> Rank {
        Rank { explores: true, share: 0, ..self.rank().led_by(arm) }
    }
}

/// The choices of one kernel for one way its input lies.
pub(crate) struct Table {
    words: [AtomicU64; BUCKETS],
    /// The rows of the last call of each half-octave, by which it is judged.
    rows: [AtomicU64; BUCKETS],
}

impl Table {
    pub(crate) fn new() -> Table {
        Table { words: std::array::from_fn(|_| AtomicU64::new(0)), rows: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// The choice for a half-octave; `None` if nobody asked before. What is to be explored, one caller gets.
    #[inline]
    pub(crate) fn rank(&self, bucket: usize) -> Option<Rank> {
        let word = Word(self.words[bucket].load(Ordering::Acquire));
        if !word.is_published() {
            return None;
        }
        match word.explore() {
            None => Some(word.rank()),
            Some(arm) => Some(self.explore(bucket, word, arm)),
        }
    }

    #[cold]
    fn explore(&self, bucket: usize, word: Word, arm: usize) -> Rank {
        let taken = word.0 & !(15 << 32);
        let won = self.words[bucket].compare_exchange(word.0, taken, Ordering::AcqRel, Ordering::Relaxed);
        if won.is_ok() { word.exploring(arm) } else { word.rank() }
    }

    /// The word of a half-octave, if there is one.
    pub(crate) fn word(&self, bucket: usize) -> Option<Word> {
        Some(Word(self.words[bucket].load(Ordering::Acquire))).filter(|word| word.is_published())
    }

    /// The first choice of a half-octave, if there is one.
    pub(crate) fn first(&self, bucket: usize) -> Option<usize> {
        self.word(bucket).map(|word| word.rank().first())
    }

    pub(crate) fn publish(&self, bucket: usize, word: Word) {
        self.words[bucket].store(word.0, Ordering::Release);
    }

    /// The rows that a half-octave is judged by.
    pub(crate) fn rows(&self, bucket: usize) -> u64 {
        match self.rows[bucket].load(Ordering::Relaxed) {
            0 => Size::of(Class::Pageable, bucket as u8).rows,
            rows => rows,
        }
    }

    /// A call of so many rows.
    pub(crate) fn note_rows(&self, size: Size) {
        self.rows[size.bucket()].store(size.rows, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_order() {
        let word = Word::new([3, 0, 7, 1].into_iter(), Some(7), 5, 1 << 20);
        assert!(word.is_published());
        assert_eq!(word.explore(), Some(7));
        assert_eq!(word.rank().arms().collect::<Vec<_>>(), [3, 0, 7, 1]);
        assert_eq!(word.exploring(7).arms().collect::<Vec<_>>(), [7, 3, 0, 1]);
        assert_eq!((word.rank().share, word.rank().expected), (5, 80));
        let closed = ArmSet::default().with(3).with(7);
        assert_eq!(word.rank().without(closed).arms().collect::<Vec<_>>(), [0, 1, 3, 7]);
    }

    #[test]
    fn an_exploration_is_given_to_one() {
        let table = Table::new();
        assert_eq!(table.rank(10), None);
        table.publish(10, Word::new([0, 1].into_iter(), Some(1), 0, 100));
        let first = table.rank(10).expect("published");
        assert_eq!((first.first(), first.explores()), (1, true));
        let second = table.rank(10).expect("published");
        assert_eq!((second.first(), second.explores()), (0, false));
    }

    #[test]
    fn calls_that_take_longer_than_expected_are_always_learned_from() {
        let rank = Word::new([0].into_iter(), None, 6, 1000).rank();
        assert!(rank.is_worth_learning(2100, 1) && rank.is_worth_learning(400, 1));
        assert!(!rank.is_worth_learning(1000, 1) && rank.is_worth_learning(1000, 64));
    }
}
