//! Measures the rates of work on tables, after launches and operations ([`Benchmark`]). Anything that the device
//! refuses to run remains a guess. A run takes some six slices at most, because it cannot be cut; larger tables than
//! that are extrapolated by what a gather takes from memory.

use super::benchmark::{Benchmark, LoadedKernel, is_refusal};
use super::kernels::{KernelWork, TableWork};
use super::sampler::SLICE_TIME_MAX;
use super::table_run::{TableRead, TableRun, WORD_BYTES};
use crate::error::Result;
use crate::select::estimator::{Curve, Profile, RATED_KEY_BYTES, TableRates};
use pointsman_ir::kernel::{Estimate, LEAF_ROWS};

/// The rows of a run over a table or into groups: enough for all units of a processor, and about a slice.
const ROWS: usize = 1 << 15;
/// The rows of the first run of a sink, and how many times as many each further run has.
const ROWS_FIRST: usize = 1 << 10;
const ROWS_STEP: usize = 4;
/// The groups of the first run, the bytes of the smallest column that is gathered from, and how many times as many each
/// further run has.
const GROUPS_FIRST: usize = 1 << 4;
const GROUPS_STEP: usize = 8;
const GATHERED_BYTES_FIRST: usize = 16 << 10;
const GATHERED_STEP: usize = 4;
/// Hashes below this are hardly ever equal.
const ALL_VALUES: u64 = 1 << 32;
/// Indexes grow until one takes this many slices. The last one exceeds the caches of most processors; it takes some 30
/// ms, like a compilation, and is built twice.
const INDEX_SLICES: f64 = 8.0;
/// The bytes of a row that is built or partitioned, of a group and of an index entry, as `table_steps.rs` counts them.
const WRITTEN_BYTES: f64 = 2.0 * WORD_BYTES as f64;
const GROUP_BYTES: f64 = 48.0;
const ENTRY_BYTES: f64 = 32.0;
/// The keys of the wide sort beyond the first.
const FURTHER_KEY_BYTES: f64 = 3.0 * RATED_KEY_BYTES;
/// The lines that a group and a search read out of order, and that building an index writes: slots, keys, state or
/// number. A line may take longer than one that is gathered, because the next one waits for it: up to so many times as
/// long.
const LINES: f64 = 3.0;
const WAITING_TIMES_MAX: f64 = 8.0;
/// Extrapolated working sets are this many times as large as the one before.
const EXTRAPOLATION_STEP: f64 = 8.0;
/// Work takes at least this part of a run: the rest of less would be noise.
pub(super) const WORK_PART_MIN: f64 = 0.1;

/// The points of a curve under measurement, by rising size.
pub(super) type Points = Vec<(f64, f64)>;

impl<'b> Benchmark<'b> {
    /// Measures the rates of work that accesses rows out of order.
    pub(super) fn measure_tables(&mut self, profile: &mut Profile) -> Result<()> {
        for measure in [Self::measure_gather, Self::measure_sort, Self::measure_partition] {
            tolerate(measure(self, profile))?;
        }
        tolerate(self.measure_index(profile))?;
        tolerate(self.measure_group(profile))
    }

    fn measure_gather(&mut self, profile: &mut Profile) -> Result<()> {
        let Some(kernel) = self.table_kernel(TableWork::Gather) else { return Ok(()) };
        let (rows, bytes_max) = (self.table_rows(), self.sampler.bytes_max);
        let mut points = Points::new();
        for bytes in sizes(GATHERED_BYTES_FIRST, GATHERED_STEP, bytes_max) {
            let run =
                TableRun { kernel, rows, values: bytes as u64 / 4, outputs: 1, read: TableRead::Column { bytes } };
            let time = self.table_time(&run, profile, 0.0)?;
            points.push((bytes as f64, time / rows as f64));
        }
        profile.tables.gather = never_faster(points);
        Ok(())
    }

    /// Measures a sort of one row, which shows what a step takes before its rows, and sorts by one key and by several.
    fn measure_sort(&mut self, profile: &mut Profile) -> Result<()> {
        let Some(kernel) = self.table_kernel(TableWork::Sort) else { return Ok(()) };
        profile.tables.start = self.table_time(&sort(kernel, 1), profile, 0.0)?;
        let (points, rows, time) = self.sorts(kernel, 1, profile)?;
        profile.tables.sort = never_shorter(points);
        if let Some(kernel) = self.table_kernel(TableWork::SortWide) {
            let wide = self.table_time(&sort(kernel, rows), profile, profile.tables.start)?;
            profile.tables.key_byte = (wide - time).max(0.0) / (rows as f64 * FURTHER_KEY_BYTES);
        }
        if let Some(kernel) = self.table_kernel(TableWork::SortTied) {
            let (points, ..) = self.sorts(kernel, 2, profile)?;
            profile.tables.sort_tied = extrapolated(never_faster(points), &profile.tables);
        }
        Ok(())
    }

    /// The nanoseconds of a row and a doubling over the bytes of `keys` keys, and the rows and the time of the last
    /// sort.
    fn sorts(&mut self, kernel: &LoadedKernel, keys: usize, profile: &Profile) -> Result<(Points, usize, f64)> {
        let (mut points, mut last, mut last_time) = (Points::new(), 0, 0.0);
        for rows in sizes(ROWS_FIRST, ROWS_STEP, self.output_rows()) {
            if last_time > SLICE_TIME_MAX.as_nanos() as f64 {
                break;
            }
            (last, last_time) = (rows, self.table_time(&sort(kernel, rows), profile, profile.tables.start)?);
            let count = rows as f64;
            // The column is written out of order.
            let writing = count * profile.tables.gather.each(count * WORD_BYTES as f64);
            let sorting = (last_time - writing).max(last_time / 2.0);
            points.push((count * keys as f64 * RATED_KEY_BYTES, sorting / (count * count.log2())));
        }
        Ok((points, last, last_time))
    }

    fn measure_partition(&mut self, profile: &mut Profile) -> Result<()> {
        let Some(kernel) = self.table_kernel(TableWork::Partition) else { return Ok(()) };
        let (mut points, mut last) = (Points::new(), 0.0);
        for rows in sizes(ROWS_FIRST, ROWS_STEP, self.output_rows()) {
            if last > SLICE_TIME_MAX.as_nanos() as f64 {
                break;
            }
            let run = TableRun { kernel, rows, values: ROWS as u64, outputs: 2, read: TableRead::Nothing };
            last = self.table_time(&run, profile, profile.tables.start)?;
            let bytes = rows as f64 * WRITTEN_BYTES;
            points.push((bytes, last / bytes));
        }
        profile.tables.partition = never_shorter(points);
        Ok(())
    }

    /// Measures rows of few groups, rows that are a group each, and rows of more and more groups.
    fn measure_group(&mut self, profile: &mut Profile) -> Result<()> {
        let Some(kernel) = self.table_kernel(TableWork::Group) else { return Ok(()) };
        let run = |rows: usize, values: u64| TableRun { kernel, rows, values, outputs: 2, read: TableRead::Nothing };
        let (many, start) = (self.table_rows(), profile.tables.start);
        let row = self.table_time(&run(many, GROUPS_FIRST as u64), profile, start)? / many as f64;
        let (mut new, mut last) = (Points::new(), 0.0);
        for rows in sizes(ROWS_FIRST, ROWS_STEP, self.output_rows()) {
            if last > SLICE_TIME_MAX.as_nanos() as f64 {
                break;
            }
            last = self.table_time(&run(rows, ALL_VALUES), profile, start)?;
            new.push((rows as f64 * GROUP_BYTES, (last / rows as f64 - row).max(row * WORK_PART_MIN)));
        }
        profile.tables.new_group = extrapolated(never_faster(new), &profile.tables);
        let mut points = vec![(GROUPS_FIRST as f64 * GROUP_BYTES, row)];
        for groups in sizes(GROUPS_FIRST, GROUPS_STEP, many / GROUPS_STEP).skip(1) {
            let (bytes, count) = (groups as f64 * GROUP_BYTES, groups as f64);
            let time = self.table_time(&run(many, groups as u64), profile, start)?;
            let rows_alone = (time - count * profile.tables.new_group.each(bytes)).max(time * WORK_PART_MIN);
            points.push((bytes, rows_alone / many as f64));
        }
        // A group is found like an entry of an index.
        let (bytes, each) = points[points.len() - 1];
        let probe = &profile.tables.probe;
        let longer = |at: f64| (probe.each(at) - probe.each(bytes)).max(0.0);
        points.extend(probe.points().filter(|(at, _)| *at > bytes).map(|(at, _)| (at, each + longer(at))));
        profile.tables.group = never_faster(points);
        Ok(())
    }

    /// Measures rows that are written for an index, the index, and searches of it.
    fn measure_index(&mut self, profile: &mut Profile) -> Result<()> {
        let works = [TableWork::Build, TableWork::Probe].map(|work| self.table_kernel(work));
        let [Some(build), Some(probe)] = works else { return Ok(()) };
        let (mut built, mut indexed, mut searched) = (Points::new(), Points::new(), Points::new());
        let mut last = 0.0;
        for rows in sizes(ROWS_FIRST, ROWS_STEP, self.output_rows()) {
            if last > INDEX_SLICES * SLICE_TIME_MAX.as_nanos() as f64 {
                break;
            }
            let run = TableRun { kernel: build, rows, values: ALL_VALUES, outputs: 2, read: TableRead::Nothing };
            let writing = self.table_time(&run, profile, 0.0)?;
            let sampler = self.sampler;
            let build = |benchmark: &mut Self| {
                let start = sampler.now();
                let index = benchmark.build_index(rows)?;
                Ok((index, sampler.now().saturating_sub(start).as_nanos() as f64))
            };
            let (first, once) = sampler.slice(|| build(self))?;
            drop(first);
            let (index, again) = sampler.slice(|| build(self))?;
            let indexing = once.min(again);
            last = indexing;
            let (bytes, entries) = (rows as f64 * WRITTEN_BYTES, rows as f64 * ENTRY_BYTES);
            built.push((bytes, writing / bytes));
            indexed.push((entries, indexing / rows as f64));
            let read = TableRead::Index(index.id);
            let values = rows as u64;
            let search = |rows: usize| TableRun { kernel: probe, rows, values, outputs: 1, read };
            let many = self.table_rows();
            let time = self.table_time(&search(many), profile, profile.tables.start)? / many as f64;
            searched.push((entries, time));
            if searched.len() == 1 && many > LEAF_ROWS {
                let leaf = self.table_time(&search(LEAF_ROWS), profile, profile.tables.start)?;
                profile.tables.alone = (leaf / LEAF_ROWS as f64 / time).max(1.0);
            }
        }
        let rates = &profile.tables;
        let [index, probe] = [indexed, searched].map(|points| extrapolated(never_faster(points), rates));
        (profile.tables.build, profile.tables.index, profile.tables.probe) = (never_shorter(built), index, probe);
        Ok(())
    }

    fn table_kernel(&self, work: TableWork) -> Option<&'b LoadedKernel> {
        self.kernels.iter().find(|kernel| kernel.work == KernelWork::Table(work))
    }

    /// The rows of a run over a table.
    fn table_rows(&self) -> usize {
        ROWS.min(self.output_rows())
    }

    /// The nanoseconds of a run without its launch, its operations and the time before its first row.
    fn table_time(&mut self, run: &TableRun<'_>, profile: &Profile, start: f64) -> Result<f64> {
        let sampler = self.sampler;
        let time = sampler.measure(|| self.run_table(run))?;
        let operations = Estimate::of(&run.kernel.kernel).ops_per_row;
        let computed: f64 = operations.iter().map(|(class, count)| count * profile.operations[*class as usize]).sum();
        let other = profile.launch + start + run.rows as f64 * computed;
        Ok((time - other).max(time * WORK_PART_MIN))
    }
}

/// A sort of `rows` rows, whose masked key has few values.
fn sort(kernel: &LoadedKernel, rows: usize) -> TableRun<'_> {
    TableRun { kernel, rows, values: GROUPS_FIRST as u64, outputs: 1, read: TableRead::Nothing }
}

/// The sizes from the first to the last, each `step` times as large as the one before.
fn sizes(first: usize, step: usize, last: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(first), move |size| size.checked_mul(step)).take_while(move |size| *size <= last)
}

/// A refusal leaves a guess as it is: a device may accept a kernel and refuse an index over its rows.
pub(super) fn tolerate(measured: Result<()>) -> Result<()> {
    match measured {
        Err(error) if is_refusal(&error) => Ok(()),
        measured => measured,
    }
}

/// A curve of a row's time where no larger working set takes less: what does is noise.
fn never_faster(mut points: Points) -> Curve {
    let mut least = 0.0f64;
    for (_, each) in &mut points {
        least = least.max(*each);
        *each = least;
    }
    Curve::new(points)
}

/// A curve of the time for each part of a size, in which no larger size takes less time in total.
pub(super) fn never_shorter(mut points: Points) -> Curve {
    let mut least = 0.0f64;
    for (size, each) in &mut points {
        least = least.max(*size * *each);
        *each = least / *size;
    }
    Curve::new(points)
}

/// A curve with further points up to the largest column that was gathered from, in proportion to what a gather takes
/// longer there. The curve's own growth shows the proportion.
fn extrapolated(curve: Curve, rates: &TableRates) -> Curve {
    let ends = curve.points().next().zip(curve.points().last());
    let (Some((first, last)), Some((bytes_max, _))) = (ends, rates.gather.points().last()) else { return curve };
    let gather = |bytes: f64| rates.gather.each(bytes);
    let lines = (last.1 - first.1) / (gather(last.0) - gather(first.0)).max(f64::MIN_POSITIVE);
    let lines = lines.clamp(LINES, WAITING_TIMES_MAX * LINES);
    let sizes = std::iter::successors(Some(last.0), |bytes| Some(bytes * EXTRAPOLATION_STEP)).skip(1);
    let further = sizes.take_while(|size| *size < bytes_max).chain((last.0 < bytes_max).then_some(bytes_max));
    let longer = |bytes: f64| lines * (gather(bytes) - gather(last.0)).max(0.0);
    Curve::new(curve.points().chain(further.map(|bytes| (bytes, last.1 + longer(bytes)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the points of a curve.
    fn check(curve: &Curve, expected: &[(f64, f64)]) {
        let is_near = |(found, known): ((f64, f64), &(f64, f64))| {
            (found.0 / known.0 - 1.0).abs() < 1e-9 && (found.1 / known.1 - 1.0).abs() < 1e-9
        };
        let points: Vec<(f64, f64)> = curve.points().collect();
        let is_alike = points.len() == expected.len() && points.iter().copied().zip(expected).all(is_near);
        assert!(is_alike, "{points:?} instead of {expected:?}");
    }

    #[test]
    fn noise_makes_nothing_larger_faster() {
        check(&never_faster(vec![(1.0, 3.0), (2.0, 2.0), (4.0, 5.0)]), &[(1.0, 3.0), (2.0, 3.0), (4.0, 5.0)]);
        check(&never_shorter(vec![(1.0, 8.0), (2.0, 2.0), (4.0, 3.0)]), &[(1.0, 8.0), (2.0, 4.0), (4.0, 3.0)]);
    }

    #[test]
    fn larger_tables_take_longer_in_proportion_to_a_gather() {
        let gather = Curve::new([(1e3, 1.0), (1e4, 2.0), (8e4, 4.0), (1e5, 5.0)]);
        let rates = TableRates { gather, ..TableRates::default() };
        let measured = |last: f64| vec![(1e3, 10.0), (1e4, last)];
        let extended = |last: f64| extrapolated(never_faster(measured(last)), &rates);
        check(&extended(20.0), &[(1e3, 10.0), (1e4, 20.0), (8e4, 40.0), (1e5, 50.0)]);
        // Noise is no growth: at least the lines of an entry count, and at most some that wait for each other.
        check(&extended(10.0), &[(1e3, 10.0), (1e4, 10.0), (8e4, 16.0), (1e5, 19.0)]);
        check(&extended(1e6), &[(1e3, 10.0), (1e4, 1e6), (8e4, 1_000_048.0), (1e5, 1_000_072.0)]);
        check(&extrapolated(never_faster(measured(20.0)), &TableRates::default()), &measured(20.0));
        check(&extrapolated(Curve::default(), &rates), &[]);
    }
}
