//! [`Table`]: a stage that several devices do at once. It deals them batches of leaves and takes in what those give, in
//! the order of the rows.
//!
//! A batch is a part of what is left, larger for a device that was faster so far, and smaller towards the end, so that all
//! are done at about the same time. How fast a device is, its first batches tell. What a device could not do goes back to
//! the table, and another does it. Rows whose place in the result is known go there directly.

use super::batches::{Catch, Deal};
use super::landing::{Berth, Quay};
use super::merging::{Merger, Parcel};
use super::places::Places;
use crate::error::{Error, ErrorKind, Result};
use crate::runtime::resilience::clock::Clock;
use crate::runtime::results::Output;
use crate::runtime::transfer::Resident;
use pointsman_device::Outcome;
use pointsman_ir::kernel::LEAF_ROWS;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The part of its share of what is left that a device gets at once.
const BATCH_PART: f64 = 1.0 / 6.0;
/// The part of an equal share that a device gets before anything is known.
const FIRST_PART: f64 = 1.0 / 32.0;
/// A batch should not take less time than this, whatever is left: starting it costs something.
const BATCH_TIME_MIN: Duration = Duration::from_micros(200);

/// A batch that takes so many times as long as it should hangs, and others do it; in no less time than this.
const HANG_TIMES: f64 = 10.0;
const HANG_TIME_MIN: Duration = Duration::from_secs(1);

/// A stage on several devices.
pub(super) struct Table<'t> {
    deck: Mutex<Deck<'t>>,
    heap: Option<Mutex<Heap<'t>>>,
    clock: &'t dyn Clock,
    /// The columns that nobody needs of what batches give.
    unused: Vec<bool>,
}

/// What is still to be done.
struct Deck<'t> {
    rows: usize,
    /// Where rows go whose place is known, by the first row of each batch; what was dealt and did not come in included.
    places: BTreeMap<usize, Places<'t>>,
    /// How many rows are in their places.
    placed: usize,
    /// The first row that nobody was dealt, until there is none.
    next: Option<usize>,
    /// What was taken back.
    back: Vec<Range<usize>>,
    /// The first batch with a faulty row: what lies behind it need not be done.
    fault: Option<(usize, Error)>,
    hands: Vec<Hand>,
}

/// What a device did.
#[derive(Clone, Debug, Default)]
pub(super) struct Hand {
    pub(super) rows: usize,
    pub(super) batches: usize,
    /// When it got its first batch, when it had done that, and how many rows that had.
    began: Option<Duration>,
    first: Option<(Duration, usize)>,
    last: Duration,
    is_gone: bool,
}

/// What came in.
struct Heap<'t> {
    merger: Merger<'t>,
    /// By its first row, with the row behind its last.
    waiting: BTreeMap<usize, (usize, Parcel)>,
    /// The first row that did not come in.
    next: usize,
}

impl Hand {
    /// Rows a second, as far as that is known: without its first batch, which nothing overlapped, as soon as there are more.
    fn pace(&self) -> Option<f64> {
        let (first, first_rows) = self.first?;
        let (rows, time) = match self.batches {
            0 | 1 => (first_rows, first.saturating_sub(self.began?)),
            _ => (self.rows - first_rows, self.last.saturating_sub(first)),
        };
        Some(rows as f64 / time.as_secs_f64()).filter(|pace| pace.is_finite() && *pace > 0.0)
    }
}

impl<'t> Deck<'t> {
    /// The rows of the next batch for a device.
    fn next(&mut self, who: usize, most: usize, now: Duration) -> Option<Range<usize>> {
        let end = self.fault.as_ref().map_or(usize::MAX, |(row, _)| *row);
        self.back.retain(|rows| rows.start < end);
        self.hands[who].began.get_or_insert(now);
        if let Some(rows) = self.back.pop() {
            let cut = rows.end.min(rows.start + most);
            if cut < rows.end {
                self.back.push(cut..rows.end);
            }
            return Some(self.deal(rows.start..cut));
        }
        let first = self.next.filter(|first| *first < end)?;
        let leaves = self.part(who, (self.rows - first).div_ceil(LEAF_ROWS));
        let cut = self.rows.min(first.saturating_add(most.min(leaves * LEAF_ROWS)));
        self.next = (cut < self.rows).then_some(cut);
        Some(self.deal(first..cut))
    }

    /// Cuts the places of a batch off those of the rows behind it.
    fn deal(&mut self, rows: Range<usize>) -> Range<usize> {
        let is_longer = |places: &&Places<'t>| places.rows() > rows.len();
        if self.places.get(&rows.start).filter(is_longer).is_some()
            && let Some(places) = self.places.remove(&rows.start)
        {
            let (own, others) = places.split(rows.len());
            self.places.extend([(rows.start, own), (rows.end, others)]);
        }
        rows
    }

    /// How many of the leaves that are left a device gets.
    fn part(&self, who: usize, left: usize) -> usize {
        let present = || self.hands.iter().filter(|hand| !hand.is_gone);
        let Some(pace) = self.hands[who].pace() else {
            return ((left as f64 * FIRST_PART / present().count().max(1) as f64) as usize).max(1);
        };
        let known = || present().filter_map(Hand::pace);
        // Those that are not known are taken to be as fast as the others.
        let all = known().sum::<f64>() / known().count().max(1) as f64 * present().count() as f64;
        let least = pace * BATCH_TIME_MIN.as_secs_f64() / LEAF_ROWS as f64;
        (left as f64 * (pace / all) * BATCH_PART).max(least).max(1.0) as usize
    }

    /// How long a batch may take a device. Of one that has done none, not longer than all of the stage would take the
    /// others; any time as long as nothing is known of those, or none is left.
    fn patience(&self, who: usize, rows: usize) -> Duration {
        let others = || self.hands.iter().enumerate().filter(|(number, hand)| *number != who && !hand.is_gone);
        if others().next().is_none() {
            return Duration::MAX;
        }
        let whole = || self.rows as f64 / others().filter_map(|(_, hand)| hand.pace()).sum::<f64>();
        let time = self.hands[who].pace().map_or_else(whole, |pace| rows as f64 / pace);
        Duration::try_from_secs_f64(HANG_TIMES * time).unwrap_or(Duration::MAX).max(HANG_TIME_MIN)
    }

    /// A device has done a batch.
    fn done(&mut self, who: usize, rows: usize, now: Duration) {
        let hand = &mut self.hands[who];
        hand.rows += rows;
        hand.batches += 1;
        hand.last = now;
        hand.first.get_or_insert((now, rows));
    }
}

impl<'t> Table<'t> {
    /// A stage of so many rows, for so many devices, whose results of so many columns are merged.
    pub(super) fn merging(
        merger: Merger<'t>,
        (rows, devices): (usize, usize),
        columns: usize,
        clock: &'t dyn Clock,
    ) -> Table<'t> {
        let unused = (0..columns).map(|number| merger.is_unused(number)).collect();
        let heap = Some(Mutex::new(Heap { merger, waiting: BTreeMap::new(), next: 0 }));
        Table { heap, unused, ..Table::placing(None, (rows, devices), clock) }
    }

    /// The same where the place of each row is known.
    pub(super) fn placing(
        places: Option<Places<'t>>,
        (rows, devices): (usize, usize),
        clock: &'t dyn Clock,
    ) -> Table<'t> {
        let (places, hands) = (places.into_iter().map(|places| (0, places)).collect(), vec![Hand::default(); devices]);
        let deck = Deck { rows, places, placed: 0, next: Some(0), back: Vec::new(), fault: None, hands };
        Table { deck: Mutex::new(deck), heap: None, clock, unused: Vec::new() }
    }

    fn deck(&self) -> MutexGuard<'_, Deck<'t>> {
        self.deck.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a device.
    pub(super) fn seat(&self, who: usize) -> Seat<'_, 't> {
        Seat { table: self, who }
    }

    /// A device is not there any more.
    pub(super) fn leave(&self, who: usize) {
        self.deck().hands[who].is_gone = true;
    }

    /// Whether nothing is left to be done, once nobody has a batch any more.
    pub(super) fn is_done(&self) -> bool {
        let mut deck = self.deck();
        let end = deck.fault.as_ref().map_or(usize::MAX, |(row, _)| *row);
        deck.back.retain(|rows| rows.start < end);
        deck.back.is_empty() && deck.next.is_none_or(|next| next >= end)
    }

    /// What each device did, and the stage's result, unless that is in its places.
    pub(super) fn finish(self) -> Result<(Vec<Hand>, Option<Output>)> {
        let deck = self.deck.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = deck.fault {
            return Err(error);
        }
        let heap = self.heap.map(|heap| heap.into_inner().unwrap_or_else(PoisonError::into_inner));
        let came_in = heap.as_ref().map_or(deck.placed, |heap| heap.next);
        if came_in != deck.rows {
            return Err(Error::internal("a shared stage of which a part is missing"));
        }
        Ok((deck.hands, heap.map(|heap| heap.merger.finish()).transpose()?))
    }
}

/// A device's place at a table.
#[derive(Clone, Copy)]
pub(super) struct Seat<'s, 't> {
    table: &'s Table<'t>,
    who: usize,
}

impl<'t> Seat<'_, 't> {
    /// Takes in what a batch gave.
    pub(super) fn put(&self, rows: &Range<usize>, parcel: Parcel) -> Result<()> {
        self.table.deck().done(self.who, rows.len(), self.table.clock.now());
        let Some(heap) = &self.table.heap else {
            return Err(Error::internal("rows that have places were not put there"));
        };
        let mut heap = heap.lock().unwrap_or_else(PoisonError::into_inner);
        let heap = &mut *heap;
        heap.waiting.insert(rows.start, (rows.end, parcel));
        while let Some((end, parcel)) = heap.waiting.remove(&heap.next) {
            heap.merger.absorb(&parcel)?;
            heap.next = end;
        }
        Ok(())
    }

    /// The places of a batch's rows, if those are known; to be handed back by [`Seat::fill`].
    pub(super) fn places(&self, rows: &Range<usize>) -> Option<Places<'t>> {
        self.table.deck().places.remove(&rows.start)
    }

    /// Takes the places of a batch back: filled, or with the error that kept them from it.
    pub(super) fn fill<T>(&self, rows: &Range<usize>, places: Places<'t>, filled: Result<T>) -> Result<T> {
        let (mut deck, now) = (self.table.deck(), self.table.clock.now());
        match &filled {
            Ok(_) => {
                deck.placed += rows.len();
                deck.done(self.who, rows.len(), now);
            }
            Err(_) => drop(deck.places.insert(rows.start, places)),
        }
        filled
    }

    /// Whether nobody needs a column of what batches give.
    pub(super) fn is_unused(&self, number: usize) -> bool {
        self.table.unused.get(number).copied().unwrap_or(false)
    }
}

impl Deal for Seat<'_, '_> {
    fn next(&mut self, most: usize) -> Option<Range<usize>> {
        let now = self.table.clock.now();
        self.table.deck().next(self.who, most, now)
    }

    fn take_back(&mut self, rows: Range<usize>) {
        self.table.deck().back.push(rows);
    }

    fn failed(&mut self, rows: &Range<usize>, error: Error) -> Result<()> {
        if error.kind() != ErrorKind::Arithmetic {
            return Err(error);
        }
        let mut deck = self.table.deck();
        if deck.fault.as_ref().is_none_or(|(row, _)| rows.start < *row) {
            deck.fault = Some((rows.start, error));
        }
        Ok(())
    }

    fn patience(&self, rows: usize) -> Option<Duration> {
        Some(self.table.deck().patience(self.who, rows))
    }
}

impl Catch for Seat<'_, '_> {
    fn take(
        &mut self,
        rows: &Range<usize>,
        (columns, outcome): (&[Resident<'_>], Outcome),
        quay: Quay<'_>,
        beside: &mut dyn FnMut(),
    ) -> Result<u64> {
        if let Some(mut places) = self.places(rows) {
            let landed = places.check(outcome).and_then(|()| places.land(columns, quay, beside));
            return self.fill(rows, places, landed);
        }
        let berth = |(number, column)| if self.is_unused(number) { Ok(Berth::unused()) } else { Berth::new(column) };
        let mut berths: Vec<Berth<'_>> = columns.iter().enumerate().map(berth).collect::<Result<_>>()?;
        let bytes = quay.land(columns, &mut berths, beside)?;
        let columns = berths.into_iter().map(Berth::into_bytes).collect();
        self.put(rows, Parcel { columns, outcome, read: rows.len() })?;
        Ok(bytes)
    }
}
