//! [`Table`]: a stage that several devices do at once. It deals them batches of leaves and takes in what those give, in
//! the order of the rows.
//!
//! Whose turn it is, and how many leaves it gets, the [`Course`] says. What a device could not do goes back to the table,
//! and another does it. Rows whose place in the result is known go there directly.

use crate::data::output::Output;
use crate::devices::handle::MemoryAccess;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::batch_download::HostDestination;
use crate::exec::batch_source::{BatchSink, BatchSource, DeviceBatch, NextBatch, WhileCopying};
use crate::exec::merge::{HostBatch, Merger};
use crate::exec::output_slices::OutputSlices;
use crate::exec::sharing::course::{Course, Turn};
use crate::resilience::clock::Clock;
use crate::sync::{Condvar, Mutex, MutexGuard};
use pointsman_ir::kernel::LEAF_ROWS;
use std::collections::BTreeMap;
use std::ops::Range;

use std::time::Duration;

/// A batch that takes so many times as long as it should hangs, and others do it; in no less time than this.
const HANG_TIMES: f64 = 10.0;
const HANG_TIME_MIN: Duration = Duration::from_secs(1);
/// How long a batch that others could do is waited for before they are asked how fast they are, and while they wait.
const GLANCE: Duration = Duration::from_secs(1);
const GLANCE_ALONE: Duration = Duration::from_millis(100);

/// A stage on several devices.
pub(in crate::exec) struct Table<'t> {
    deck: Mutex<Deck<'t>>,
    /// It may be another's turn.
    changed: Condvar,
    heap: Option<Mutex<Heap<'t>>>,
    clock: &'t dyn Clock,
    /// The columns that nobody needs of what batches give.
    unused: Vec<bool>,
}

/// What is still to be done.
struct Deck<'t> {
    rows: usize,
    /// Where rows go whose place is known, by the first row of each batch; what was dealt and did not come in included.
    places: BTreeMap<usize, OutputSlices<'t>>,
    /// How many rows are in their places.
    placed: usize,
    /// The first row that nobody was dealt, until there is none.
    next: Option<usize>,
    /// What was taken back.
    back: Vec<Range<usize>>,
    /// The first batch with a faulty row: what lies behind it need not be done.
    fault: Option<(usize, Error)>,
    course: Course,
}

/// What came in.
struct Heap<'t> {
    merger: Merger<'t>,
    /// By its first row, with the row behind its last.
    waiting: BTreeMap<usize, (usize, HostBatch)>,
    /// The first row that did not come in.
    next: usize,
}

impl<'t> Deck<'t> {
    /// The first row that need not be done any more.
    fn end(&self) -> usize {
        self.fault.as_ref().map_or(self.rows, |(row, _)| (*row).min(self.rows))
    }

    /// How many rows are left to be dealt.
    fn left(&mut self) -> usize {
        let end = self.end();
        self.back.retain(|rows| rows.start < end);
        let rest = self.next.map_or(0, |next| end.saturating_sub(next));
        self.back.iter().map(ExactSizeIterator::len).sum::<usize>() + rest
    }

    /// Whether there is a batch left, of however many rows: a stage without rows has one too.
    fn has_more(&mut self) -> bool {
        let end = self.end();
        self.back.retain(|rows| rows.start < end);
        !self.back.is_empty() || self.next.is_some_and(|next| next < end || self.rows == 0)
    }

    /// The rows of the next batch for a device; `None` if it is its turn to ask others to come first.
    fn next(&mut self, who: usize, most: usize, now: Duration) -> Option<NextBatch> {
        if !self.has_more() {
            self.course.settle();
            return Some(NextBatch::Nothing);
        }
        let left = self.left().div_ceil(LEAF_ROWS);
        let leaves = match self.course.turn(who, left) {
            Turn::Now(leaves) => leaves,
            Turn::Later => return Some(NextBatch::Later),
            Turn::Never => return Some(NextBatch::Nothing),
            Turn::Call => return None,
        };
        let most = most.min(leaves.saturating_mul(LEAF_ROWS));
        self.course.dealt(who, most.div_ceil(LEAF_ROWS), now);
        if let Some(rows) = self.back.pop() {
            let cut = rows.end.min(rows.start.saturating_add(most));
            if cut < rows.end {
                self.back.push(cut..rows.end);
            }
            return Some(NextBatch::Rows(self.deal(rows.start..cut)));
        }
        let first = self.next.unwrap_or(self.rows);
        let cut = self.rows.min(first.saturating_add(most));
        self.next = (cut < self.rows).then_some(cut);
        Some(NextBatch::Rows(self.deal(first..cut)))
    }

    /// Cuts the places of a batch off those of the rows behind it.
    fn deal(&mut self, rows: Range<usize>) -> Range<usize> {
        let is_longer = |places: &&OutputSlices<'t>| places.rows() > rows.len();
        if self.places.get(&rows.start).filter(is_longer).is_some()
            && let Some(places) = self.places.remove(&rows.start)
        {
            let (own, others) = places.split(rows.len());
            self.places.extend([(rows.start, own), (rows.end, others)]);
        }
        rows
    }

    /// How long a batch may take a device. Of one that has done none, not longer than all of the stage would take the
    /// others; any time as long as nothing is known of those, or none is left.
    fn patience(&self, who: usize, rows: usize) -> Duration {
        let (own, others) = self.course.paces(who);
        let Some(others) = others else { return Duration::MAX };
        let time = own.map_or_else(|| self.rows as f64 / others, |pace| rows as f64 / pace);
        Duration::try_from_secs_f64(HANG_TIMES * time).unwrap_or(Duration::MAX).max(HANG_TIME_MIN)
    }

    /// A device has done a batch; whether it may be another's turn.
    fn done(&mut self, who: usize, rows: usize, now: Duration) -> bool {
        let left = self.left();
        self.course.landed(who, rows, now, left)
    }
}

impl<'t> Table<'t> {
    /// A stage of so many rows, whose results of so many columns are merged.
    pub(in crate::exec) fn merging(
        merger: Merger<'t>,
        (rows, course): (usize, Course),
        columns: usize,
        clock: &'t dyn Clock,
    ) -> Table<'t> {
        let unused = (0..columns).map(|number| merger.is_unused(number)).collect();
        let heap = Some(Mutex::new(Heap { merger, waiting: BTreeMap::new(), next: 0 }));
        Table { heap, unused, ..Table::placing(None, (rows, course), clock) }
    }

    /// The same where the place of each row is known.
    pub(in crate::exec) fn placing(
        places: Option<OutputSlices<'t>>,
        (rows, course): (usize, Course),
        clock: &'t dyn Clock,
    ) -> Table<'t> {
        let places = places.into_iter().map(|places| (0, places)).collect();
        let deck = Deck { rows, places, placed: 0, next: Some(0), back: Vec::new(), fault: None, course };
        Table { deck: Mutex::new(deck), changed: Condvar::new(), heap: None, clock, unused: Vec::new() }
    }

    fn deck(&self) -> MutexGuard<'_, Deck<'t>> {
        self.deck.lock()
    }

    /// The place of a device; `call` asks the others to come, and has those that do [join](Table::join).
    pub(in crate::exec) fn seat<'s>(&'s self, who: usize, call: Option<&'s dyn Fn()>) -> Seat<'s, 't> {
        Seat { table: self, who, call }
    }

    /// These devices are there too.
    pub(in crate::exec) fn join(&self, came: &[MemoryAccess]) {
        self.deck().course.joined(came, self.clock.now());
        self.rouse();
    }

    /// A device is not there any more.
    pub(in crate::exec) fn leave(&self, who: usize) {
        self.deck().course.left(who, self.clock.now());
        self.rouse();
    }

    /// Tells those that wait that it may be their turn.
    fn rouse(&self) {
        self.changed.notify_all();
        self.clock.rouse();
    }

    /// Whether nothing is left to be done, once nobody has a batch any more.
    pub(in crate::exec) fn is_done(&self) -> bool {
        !self.deck().has_more()
    }

    /// What each device did, and the stage's result, unless that is in its places.
    pub(in crate::exec) fn finish(self) -> Result<(Course, Option<Output>)> {
        let deck = self.deck.into_inner();
        if let Some((_, error)) = deck.fault {
            return Err(error);
        }
        let heap = self.heap.map(|heap| heap.into_inner());
        let came_in = heap.as_ref().map_or(deck.placed, |heap| heap.next);
        if came_in != deck.rows {
            return Err(Error::internal("a shared stage of which a part is missing"));
        }
        Ok((deck.course, heap.map(|heap| heap.merger.finish()).transpose()?))
    }
}

/// A device's place at a table.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Seat<'s, 't> {
    table: &'s Table<'t>,
    who: usize,
    call: Option<&'s dyn Fn()>,
}

impl<'t> Seat<'_, 't> {
    /// A batch is done.
    fn done(&self, rows: usize) {
        if self.table.deck().done(self.who, rows, self.table.clock.now()) {
            self.table.rouse();
        }
    }

    /// Asks the others to come.
    fn call_others(&self) {
        match self.call {
            Some(call) => call(),
            None => self.table.join(&[]),
        }
    }

    /// How many rows the stage has, and whether nobody else works now, nor will.
    pub(in crate::exec) fn outlook(&self) -> (usize, bool) {
        let deck = self.table.deck();
        (deck.rows, deck.course.is_alone(self.who))
    }

    /// Takes in what a batch gave.
    pub(in crate::exec) fn put(&self, rows: &Range<usize>, parcel: HostBatch) -> Result<()> {
        self.done(rows.len());
        let Some(heap) = &self.table.heap else {
            return Err(Error::internal("rows that have places were not put there"));
        };
        let mut heap = heap.lock();
        let heap = &mut *heap;
        heap.waiting.insert(rows.start, (rows.end, parcel));
        while let Some((end, parcel)) = heap.waiting.remove(&heap.next) {
            heap.merger.absorb(&parcel)?;
            heap.next = end;
        }
        Ok(())
    }

    /// The places of a batch's rows, if those are known; to be handed back by [`Seat::fill`].
    pub(in crate::exec) fn places(&self, rows: &Range<usize>) -> Option<OutputSlices<'t>> {
        self.table.deck().places.remove(&rows.start)
    }

    /// Takes the places of a batch back: filled, or with the error that kept them from it.
    pub(in crate::exec) fn fill<T>(
        &self,
        rows: &Range<usize>,
        places: OutputSlices<'t>,
        filled: Result<T>,
    ) -> Result<T> {
        match &filled {
            Ok(_) => {
                self.table.deck().placed += rows.len();
                self.done(rows.len());
            }
            Err(_) => drop(self.table.deck().places.insert(rows.start, places)),
        }
        filled
    }

    /// Whether nobody needs a column of what batches give.
    pub(in crate::exec) fn is_unused(&self, number: usize) -> bool {
        self.table.unused.get(number).copied().unwrap_or(false)
    }
}

impl BatchSource for Seat<'_, '_> {
    fn next(&mut self, most: usize) -> NextBatch {
        loop {
            let now = self.table.clock.now();
            let dealt = self.table.deck().next(self.who, most, now);
            match dealt {
                Some(NextBatch::Nothing) => {
                    self.table.rouse();
                    return NextBatch::Nothing;
                }
                Some(dealt) => return dealt,
                None => self.call_others(),
            }
        }
    }

    fn wait(&mut self) {
        let table = self.table;
        let is_early = |deck: &mut Deck<'_>| {
            let left = deck.left().div_ceil(LEAF_ROWS);
            deck.has_more() && deck.course.turn(self.who, left) == Turn::Later
        };
        while is_early(&mut table.deck()) {
            if !table.clock.park() {
                drop(table.changed.wait_while(table.deck(), is_early));
            }
        }
    }

    fn take_back(&mut self, rows: Range<usize>) {
        let mut deck = self.table.deck();
        deck.back.push(rows);
        deck.course.returned(self.who);
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

    fn timeout(&self, rows: usize) -> Option<Duration> {
        Some(self.table.deck().patience(self.who, rows))
    }

    fn poll_interval(&self) -> Duration {
        let (now, deck) = (self.table.clock.now(), self.table.deck());
        let (is_overdue, may_call) = (deck.course.is_overdue(now), deck.course.may_call());
        let glance = if deck.course.is_settled() { GLANCE } else { GLANCE_ALONE };
        drop(deck);
        if is_overdue {
            if may_call {
                self.call_others();
            }
            self.table.deck().course.settle();
            self.table.rouse();
        }
        glance
    }
}

impl BatchSink for Seat<'_, '_> {
    fn take(
        &mut self,
        DeviceBatch { rows, columns, outcome, download }: DeviceBatch<'_, '_>,
        while_copying: WhileCopying<'_>,
    ) -> Result<u64> {
        if let Some(mut places) = self.places(rows) {
            let landed = places.check(outcome).and_then(|()| places.download(columns, download, while_copying));
            return self.fill(rows, places, landed);
        }
        let berth = |(number, column)| match self.is_unused(number) {
            true => HostDestination::unused(download.pool),
            false => HostDestination::new(column, download.pool),
        };
        let mut berths: Vec<HostDestination<'_>> = columns.iter().enumerate().map(berth).collect::<Result<_>>()?;
        let bytes = download.run(columns, &mut berths, Some(while_copying))?;
        let columns = berths.into_iter().map(HostDestination::into_bytes).collect();
        self.put(rows, HostBatch { columns, outcome, read: rows.len() })?;
        Ok(bytes)
    }
}
