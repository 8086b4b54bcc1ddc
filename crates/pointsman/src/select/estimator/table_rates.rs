//! [`TableRates`]: how fast a device sorts, groups, builds, partitions, searches and gathers, as curves over the bytes that
//! rows are placed in or read from; and the time of the steps of a call that follows. Measured by `calibration/tables.rs`.

use super::features::{KEPT_PART, Octave, Size};
use super::profile::Curve;
use super::table_steps::TableStep;
use pointsman_ir::kernel::LEAF_ROWS;

/// The bytes of the keys, and of the state of a group, that rates are measured with.
pub(crate) const RATED_KEY_BYTES: f64 = 8.0;
const RATED_STATE_BYTES: f64 = 16.0;

/// How fast a device does what is out of order. Every curve of a calibrated profile gives a call that reads more, or from
/// more bytes, no less time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRates {
    /// Nanoseconds that a stage takes for each of its steps but gathers, whatever its rows.
    pub start: f64,
    /// How many times as long a row takes in a call of one leaf of rows, where few units of the device can help.
    pub alone: f64,
    /// Nanoseconds of a row for each byte of its keys beyond the first eight.
    pub key_byte: f64,
    /// Nanoseconds of a row for each time that the number of rows doubles, over the bytes of all keys.
    pub sort: Curve,
    /// Nanoseconds of a row with one fold, over the bytes of all groups.
    pub group: Curve,
    /// Nanoseconds of a byte, over the bytes of the rows, with the index.
    pub build: Curve,
    /// Nanoseconds of a byte, over the bytes of the rows.
    pub partition: Curve,
    /// Nanoseconds of a row, over the bytes of the index.
    pub probe: Curve,
    /// Nanoseconds of a value, over the bytes that it is read from.
    pub gather: Curve,
}

/// The working sets between which guessed rates change: what the caches of a core hold, and what no cache does.
const CACHED_BYTES: f64 = 32768.0;
const UNCACHED_BYTES: f64 = 33_554_432.0;
/// A cache line, which every access out of order moves.
const LINE_BYTES: f64 = 64.0;

/// The rows of a call.
#[derive(Clone, Copy)]
struct StepRows {
    /// The rows that the stage reads.
    read: f64,
    /// The rows that reach its sink.
    selected: f64,
    /// The bytes of its tables and groups.
    working_set: Octave,
}

impl TableRates {
    /// What a device that moves so many bytes a second may be like, until it is measured. `alone`: the rates of one unit in
    /// terms of those of all.
    pub(super) fn guess(bandwidth: f64, start: f64, alone: f64) -> TableRates {
        let line = LINE_BYTES * 1e9 / bandwidth;
        // From memory, a line takes some four times as long as in order: the next access waits for it.
        let curve =
            |cached: f64, uncached: f64| Curve::new([(CACHED_BYTES, cached * line), (UNCACHED_BYTES, uncached * line)]);
        // Few rows are sorted or written by one unit.
        let by_rows = |each: f64| curve(each * alone, each);
        TableRates {
            start,
            alone,
            key_byte: 0.05 * line,
            sort: by_rows(0.6),
            // A line of slots, one of keys and one of state.
            group: curve(3.0, 15.0),
            // Written, hashed, placed, and written to the index.
            build: by_rows(0.5),
            partition: by_rows(0.25),
            // Lines of slots, keys and numbers.
            probe: curve(3.0, 15.0),
            gather: curve(0.5, 4.0),
        }
    }

    /// The nanoseconds of the steps of a call.
    pub(super) fn time(&self, steps: &[TableStep], size: Size) -> f64 {
        let read = size.rows as f64;
        let selected = size.selected.number().unwrap_or(read);
        let rows = StepRows { read, selected, working_set: size.working_set };
        // A gather is part of the program that reads its row numbers.
        let start = |step: &TableStep| if matches!(step, TableStep::Gather { .. }) { 0.0 } else { self.start };
        steps.iter().map(|step| start(step) + self.step_time(step, rows)).sum()
    }

    fn step_time(&self, step: &TableStep, rows: StepRows) -> f64 {
        let StepRows { read, selected, working_set } = rows;
        // A table of which nothing is known is as large as what is read, and a group has as many rows as a filter drops.
        let bytes = |rows: f64| working_set.number().unwrap_or(rows * step.entry_bytes());
        match *step {
            TableStep::Probe { key_bytes, .. } => {
                self.shared(read) * (self.probe.each(bytes(read)) + self.further(key_bytes))
            }
            TableStep::Gather { columns, .. } => {
                self.shared(selected) * f64::from(columns) * self.gather.each(bytes(selected))
            }
            TableStep::Sort { key_bytes, columns, row_bytes, limit } => {
                let kept = limit.map_or(selected, |limit| selected.min(limit as f64));
                // With a limit, rows are sorted in batches of about as many as are kept.
                let doublings = (2.0 * kept).min(selected).max(2.0).log2();
                let sorting = doublings * self.sort.each(selected * key_bytes) + self.further(key_bytes);
                let writing = f64::from(columns) * self.gather.each(selected * row_bytes);
                selected * sorting + self.shared(kept) * writing
            }
            TableStep::Group { key_bytes, state_bytes, .. } => {
                let bytes = bytes(selected * KEPT_PART);
                let further_state = (state_bytes / RATED_STATE_BYTES - 1.0).max(0.0) * self.gather.each(bytes);
                self.shared(selected) * (self.group.each(bytes) + self.further(key_bytes) + further_state)
            }
            TableStep::Build { key_bytes, row_bytes } => {
                selected * (row_bytes * self.build.each(selected * row_bytes) + self.further(key_bytes))
            }
            TableStep::Partition { key_bytes, row_bytes } => {
                selected * (row_bytes * self.partition.each(selected * row_bytes) + self.further(key_bytes))
            }
        }
    }

    /// The nanoseconds of a row's keys beyond those that the rates were measured with.
    fn further(&self, key_bytes: f64) -> f64 {
        self.key_byte * (key_bytes - RATED_KEY_BYTES).max(0.0)
    }

    /// The rows that all units would do in the time that these take: a leaf is done by one unit.
    fn shared(&self, rows: f64) -> f64 {
        rows.max(rows.min(LEAF_ROWS as f64) * self.alone)
    }

    /// The numbers and curves that are written to files, in an order that stays.
    pub(super) fn fields(&mut self) -> ([&mut f64; 3], [&mut Curve; 6]) {
        let TableRates { start, alone, key_byte, sort, group, build, partition, probe, gather } = self;
        ([start, alone, key_byte], [sort, group, build, partition, probe, gather])
    }
}
