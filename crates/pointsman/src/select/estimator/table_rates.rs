//! [`TableRates`]: how fast a device sorts, groups, builds, partitions, searches and gathers, as curves over the bytes
//! that rows are placed in or read from; and the time of the steps of a call that follows. Measured by
//! `calibration/tables.rs`.

use super::features::{KEPT_PART, Octave, Size};
use super::profile::Curve;
use super::table_steps::{TableStep, index_row_bytes};
use pointsman_ir::kernel::LEAF_ROWS;

/// The bytes of the keys that rates are measured with.
pub(crate) const RATED_KEY_BYTES: f64 = 8.0;

/// The speed of a device for work that accesses rows out of order. In a calibrated profile, a call that reads more, or
/// from more bytes, never takes less time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRates {
    /// Fixed nanoseconds of each step of a stage, except for gathers.
    pub start: f64,
    /// The slowdown of a row in a call of one leaf of rows, where few units of the device can help.
    pub alone: f64,
    /// Nanoseconds per row for each byte of its keys beyond the first eight.
    pub key_byte: f64,
    /// Nanoseconds per row and doubling of the number of rows, by the bytes of all keys.
    pub sort: Curve,
    /// As `sort`, for several keys of which the first has few values.
    pub sort_tied: Curve,
    /// Nanoseconds per row with one fold, by the bytes of all groups.
    pub group: Curve,
    /// Nanoseconds per new group, by the bytes of all groups.
    pub new_group: Curve,
    /// Nanoseconds per byte written for an index, by the bytes of the rows.
    pub build: Curve,
    /// Nanoseconds per indexed row, by the bytes of the index.
    pub index: Curve,
    /// Nanoseconds per byte, by the bytes of the rows.
    pub partition: Curve,
    /// Nanoseconds per row, by the bytes of the index.
    pub probe: Curve,
    /// Nanoseconds per value, by the bytes that it is read from.
    pub gather: Curve,
}

/// The number of rows that are sorted at a time with a limit; twice the limit if that is more.
const BATCH_ROWS: f64 = 262_144.0;
/// A row of a group with one fold reads three lines: of slots, of keys, and of the accumulator, as each further fold
/// does.
const GROUP_LINES: f64 = 3.0;

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
    /// The groups that it forms.
    groups: f64,
    /// The bytes of its tables and groups.
    working_set: Octave,
}

impl StepRows {
    fn of(steps: &[TableStep], size: Size) -> StepRows {
        let (read, output) = (size.rows as f64, size.output.number());
        let (selected, groups) = match steps.last() {
            // Rows have one match each, as far as anything is known.
            Some(TableStep::Group { .. }) => (read, output.unwrap_or(read * KEPT_PART).min(read)),
            Some(_) | None => (output.unwrap_or(read), 0.0),
        };
        StepRows { read, selected, groups, working_set: size.working_set }
    }
}

impl TableRates {
    /// What a device that moves so many bytes a second may be like, until it is measured. `alone`: the rates of one
    /// unit in terms of those of all.
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
            // The further keys lie out of order, too.
            sort_tied: by_rows(2.0),
            // A line of slots, one of keys and one of state.
            group: curve(3.0, 15.0),
            // Its state is set up, and its place among the groups is found.
            new_group: curve(20.0, 40.0),
            // Read and written in order.
            build: by_rows(0.05),
            // A line of slots, one of keys and one of numbers; and the same again to bring rows into order.
            index: curve(6.0, 20.0),
            partition: by_rows(0.25),
            // Lines of slots, keys and numbers.
            probe: curve(3.0, 15.0),
            gather: curve(0.5, 4.0),
        }
    }

    /// The nanoseconds of the steps of a call.
    pub(super) fn time(&self, steps: &[TableStep], size: Size) -> f64 {
        let rows = StepRows::of(steps, size);
        // A gather is part of the program that reads its row numbers.
        let start = |step: &TableStep| if matches!(step, TableStep::Gather { .. }) { 0.0 } else { self.start };
        steps.iter().map(|step| start(step) + self.step_time(step, rows)).sum()
    }

    fn step_time(&self, step: &TableStep, rows: StepRows) -> f64 {
        let StepRows { read, selected, groups, working_set } = rows;
        // A table of which nothing is known has as many rows as are read.
        let bytes = |rows: f64| working_set.number().unwrap_or(rows * step.entry_bytes());
        match *step {
            TableStep::Probe { key_bytes, .. } => {
                self.shared(read) * (self.probe.each(bytes(read)) + self.further(key_bytes))
            }
            TableStep::Gather { columns, .. } => {
                self.shared(selected) * f64::from(columns) * self.gather.each(bytes(selected))
            }
            // Rows are copied from where they were found to the result.
            TableStep::Select { columns, .. } => {
                self.shared(selected) * f64::from(columns) * self.gather.each(CACHED_BYTES)
            }
            TableStep::Sort { keys, key_bytes, columns, row_bytes, limit } => {
                let kept = limit.map_or(selected, |limit| selected.min(limit as f64));
                let batch = if limit.is_some() { selected.min(BATCH_ROWS.max(2.0 * kept)) } else { selected };
                let doublings = batch.max(2.0).log2();
                // Queries that sort by several keys expect rows to be equal in the first.
                let rate = if keys > 1 { &self.sort_tied } else { &self.sort };
                let sorting = doublings * rate.each(selected * key_bytes) + self.further(key_bytes);
                let writing = f64::from(columns) * self.gather.each(selected * row_bytes);
                selected * sorting + self.shared(kept) * writing
            }
            TableStep::Group { key_bytes, folds, .. } => {
                let bytes = bytes(groups);
                let further_folds = f64::from(folds.max(1) - 1) / GROUP_LINES;
                let each = self.group.each(bytes) * (1.0 + further_folds) + self.further(key_bytes);
                self.shared(selected) * each + groups * self.new_group.each(bytes)
            }
            TableStep::Build { key_bytes, row_bytes } => {
                let indexing = self.index.each(selected * index_row_bytes(key_bytes)) + self.further(key_bytes);
                selected * row_bytes * self.build.each(selected * row_bytes) + self.shared(selected) * indexing
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
    pub(super) fn fields(&mut self) -> ([&mut f64; 3], [&mut Curve; 9]) {
        let TableRates {
            start,
            alone,
            key_byte,
            sort,
            sort_tied,
            group,
            new_group,
            build,
            index,
            partition,
            probe,
            gather,
        } = self;
        ([start, alone, key_byte], [sort, sort_tied, group, new_group, build, index, partition, probe, gather])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::features::Workload;
    use super::super::model::{lower_bound, predict};
    use super::super::profile::Profile;
    use super::*;
    use pointsman_device::DeviceKind;

    /// Every step, with and without what it depends on.
    fn steps() -> Vec<TableStep> {
        let (key_bytes, columns, row_bytes) = (24.0, 3, 32.5);
        vec![
            TableStep::Probe { table: 0, key_bytes },
            TableStep::Gather { table: 0, columns, row_bytes },
            TableStep::Select { columns, row_bytes },
            TableStep::Sort { keys: 1, key_bytes, columns, row_bytes, limit: None },
            TableStep::Sort { keys: 3, key_bytes, columns: 0, row_bytes: 0.0, limit: Some(10) },
            TableStep::Group { key_bytes, folds: 3, state_bytes: 48.0 },
            TableStep::Group { key_bytes: 0.0, folds: 0, state_bytes: 0.0 },
            TableStep::Build { key_bytes, row_bytes },
            TableStep::Partition { key_bytes, row_bytes },
        ]
    }

    /// Stages of one step, and of all.
    fn stages() -> Vec<Vec<TableStep>> {
        steps().into_iter().map(|step| vec![step]).chain([steps()]).collect()
    }

    fn profiles() -> Vec<Profile> {
        let guess = |kind, units| Profile { measured: true, ..Profile::guess(kind, units) };
        [(DeviceKind::Cpu, 1), (DeviceKind::Cpu, 64), (DeviceKind::Cuda, 132), (DeviceKind::Vulkan, 20)]
            .map(|(kind, units)| guess(kind, units))
            .to_vec()
    }

    const ROWS: [u64; 12] = [0, 1, 2, 100, 4095, 4096, 4097, 100_000, 1 << 20, 1 << 32, 1 << 50, u64::MAX];

    #[test]
    fn more_rows_and_larger_tables_never_take_less() {
        for (profile, steps) in
            profiles().iter().flat_map(|profile| stages().into_iter().map(move |one| (profile, one)))
        {
            let time = |size: Size| profile.tables.time(&steps, size);
            let working_sets = || (0..=Octave::MAX.0).map(Octave);
            for working_set in working_sets() {
                for output in [Octave::UNKNOWN, Octave::of(1), Octave::of(1 << 20), Octave::MAX] {
                    let times = ROWS.map(|rows| time(Size { working_set, output, ..Size::host(rows) }));
                    assert!(times.is_sorted(), "{steps:?} {working_set:?} {output:?}: {times:?}");
                    assert!(times.iter().all(|time| *time >= 0.0 && time.is_finite()), "{times:?}");
                }
            }
            for rows in ROWS {
                let known = working_sets().skip(1);
                let times: Vec<f64> = known.map(|working_set| time(Size { working_set, ..Size::host(rows) })).collect();
                assert!(times.is_sorted(), "{steps:?} {rows}: {times:?}");
                let times = working_sets().skip(1).map(|output| time(Size { output, ..Size::host(rows) }));
                assert!(times.is_sorted(), "{steps:?} {rows}");
            }
        }
    }

    #[test]
    fn tables_beyond_the_caches_take_longer() {
        for profile in profiles() {
            for step in [TableStep::Probe { table: 0, key_bytes: 8.0 }, steps()[1], steps()[5]] {
                let time = |working_set| {
                    profile.tables.time(&[step], Size { working_set: Octave::of(working_set), ..Size::host(1 << 22) })
                };
                assert!(time(1 << 30) > 2.0 * time(1 << 14), "{step:?}");
            }
        }
    }

    #[test]
    fn predictions_are_finite_and_above_the_lower_bound() {
        for (profile, table_steps) in
            profiles().iter().flat_map(|profile| stages().into_iter().map(move |one| (profile, one)))
        {
            let workload = Workload {
                read_per_row: 16.0,
                written_per_row: 8.0,
                input_per_row: 16.0,
                output_per_row: 8.0,
                launches: 1,
                table_steps,
                ..Workload::default()
            };
            for rows in ROWS {
                for working_set in [Octave::UNKNOWN, Octave::of(1), Octave::MAX] {
                    let size = Size { working_set, ..Size::resident(rows) };
                    let time = predict(profile, &workload, size, 1, 8.0).total();
                    let bound = lower_bound(profile, &workload, size, 1, 8.0).min(1e18);
                    assert!((1.0..=1.0001e18).contains(&time) && bound <= time * 1.0001, "{rows}: {bound} of {time}");
                }
            }
        }
    }

    #[test]
    fn rates_survive_their_text() {
        for mut profile in profiles() {
            // Powers of two survive logarithms to the bit.
            let (numbers, curves) = profile.tables.fields();
            for (at, number) in numbers.into_iter().enumerate() {
                *number = 1.5 + at as f64;
            }
            for (at, curve) in curves.into_iter().enumerate() {
                *curve = Curve::new([(1.0, 0.125), (4096.0, (at as f64).exp2())]);
            }
            assert_eq!(Profile::from_text(&profile.to_text()).unwrap().tables, profile.tables);
        }
    }
}
