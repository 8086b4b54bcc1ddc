//! The real grid: every work, size and place on every device at hand is measured; then the selector chooses among them,
//! cold and warm, with times that were measured, and its choices are judged by the table.

use super::figures::{Figure, Tally};
use super::ours::Ours;
use super::policies::Policy;
use super::queries::{NAMES, Query, query, workload};
use super::random::Random;
use super::record;
use super::report::{Row, Table};
use super::scenarios::{COLD_CALLS, WARM_CALLS};
use super::works::{Call, Place};
use pointsman::selector::{Arm, ArmSet, Profile, Workload};
use pointsman::{Column, Exactness, Session, SessionOptions};
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

/// How often the whole grid is measured: whatever disturbs a machine for a while disturbs few runs of a cell.
const PASSES: usize = 3;
/// A cell is measured in each until this many nanoseconds are spent on an arm, and so many times at least and at most.
const CELL_NS: f64 = 1e7;
const ROUNDS_MIN: usize = 3;
const ROUNDS_MAX: usize = 8;
/// What an arm runs in a row is as if it were chosen again and again. Its first runs still meet the threads and caches of
/// whoever ran before: they do not count until so many on end were not shorter than this part of all before them, or so many
/// were made, or until they took this many nanoseconds.
const SETTLED_RUNS: usize = 2;
const SETTLED_PART: f64 = 0.97;
const SETTLING_MAX: usize = 16;
const SETTLING_NS: f64 = 2e7;
/// Cells that are shown as the worst.
const SHOWN_CELLS: usize = 12;
/// Replays of the selector, each with another seed.
const REPLAYS: u64 = 20;

/// What was measured.
pub struct Grid {
    /// The devices and what a calibration says of them.
    pub arms: Vec<Arm>,
    works: Vec<(Workload, f64)>,
    cells: Vec<GridCell>,
}

/// What counts as the cost of a cell on an arm, of all its runs.
#[derive(Clone, Copy)]
enum Cost {
    Middle,
    Least,
}

/// The runs of one work at one size and place.
pub struct GridCell {
    /// The work, the size and the place.
    pub call: Call,
    /// Rows of the result.
    pub rows_out: usize,
    /// Nanoseconds of each run, by arm; none if the arm does not take it.
    pub samples: Vec<Vec<f64>>,
}

impl GridCell {
    /// What an arm takes but for noise: the middle of its runs, however many there are of each arm.
    fn cost(&self, arm: usize) -> f64 {
        self.cost_by(Cost::Middle, arm)
    }

    fn cost_by(&self, cost: Cost, arm: usize) -> f64 {
        let mut samples = self.samples[arm].clone();
        samples.sort_by(f64::total_cmp);
        let place = match cost {
            Cost::Middle => samples.len() / 2,
            Cost::Least => 0,
        };
        samples.get(place).copied().unwrap_or(f64::INFINITY)
    }

    fn oracle(&self) -> f64 {
        self.oracle_by(Cost::Middle)
    }

    fn oracle_by(&self, cost: Cost) -> f64 {
        (0..self.samples.len()).map(|arm| self.cost_by(cost, arm)).fold(f64::INFINITY, f64::min)
    }
}

/// A session with the processor's variants as devices of their own, and all others there are.
pub fn session() -> pointsman::Result<Session> {
    options().open()
}

/// The options of such a session.
pub fn options() -> SessionOptions {
    let portable = CpuOptions { name: Some("cpu-portable"), jit: Some(false), ..CpuOptions::default() };
    let variants = [portable, CpuOptions { name: Some("cpu-avx2"), isa: Some(Isa::Avx2), ..CpuOptions::default() }];
    let builder = SessionOptions::new().exactness(Exactness::Bounded);
    variants.into_iter().fold(builder, |builder, options| builder.add_device(Arc::new(CpuDevice::new(options))))
}

/// The twelve sizes up to this one.
pub fn sizes(largest: f64) -> Vec<u64> {
    let octaves = (largest / 1e3).log10();
    (0..12).map(|i| 10f64.powf(3.0 + octaves * f64::from(i) / 11.0).round() as u64).collect()
}

impl Grid {
    /// Measures everything on these devices, or on all that the session has.
    pub fn measure(
        session: &Session,
        only: Option<&[String]>,
        sizes: &[u64],
        mut progress: impl FnMut(&str),
    ) -> Result<Grid, Box<dyn Error>> {
        progress("calibrating");
        let calibrated = session.calibrate()?.devices.into_iter();
        let measured = calibrated.filter_map(|one| Some((one.device, one.profile.ok()?)));
        let arms: Vec<Arm> = measured
            .filter(|(name, _)| only.is_none_or(|only| only.contains(name)))
            .map(|(name, profile)| Arm::new(&name, profile))
            .collect();
        let columns: Vec<Column<f32>> = sizes.iter().map(|&rows| Column::from(crate::prices(rows as usize))).collect();
        let prepared = |work| arms.iter().map(|arm| query(session, work, &arm.name)).collect::<pointsman::Result<_>>();
        let queries: Vec<Vec<Query>> = (0..NAMES.len()).map(prepared).collect::<pointsman::Result<_>>()?;
        let works = queries.iter().enumerate().map(|(work, own)| workload(work, &own[0].kernel));
        let works = works.collect::<Result<_, _>>()?;
        let mut cells: BTreeMap<Call, GridCell> = BTreeMap::new();
        for pass in 1..=PASSES {
            for (work, name) in NAMES.iter().enumerate() {
                for column in &columns {
                    progress(&format!("{pass} of {PASSES}: {name}, {} rows", column.len()));
                    for place in places(&arms) {
                        let cell = measure(session, &arms, &queries[work], column, (work, place))?;
                        match cells.get_mut(&cell.call) {
                            Some(own) => {
                                own.samples.iter_mut().zip(cell.samples).for_each(|(own, more)| own.extend(more))
                            }
                            None => drop(cells.insert(cell.call, cell)),
                        }
                    }
                }
            }
        }
        let cells = cells.into_values().collect();
        Ok(Grid::of(arms, works, cells))
    }

    /// What was measured before.
    pub fn of(arms: Vec<Arm>, works: Vec<(Workload, f64)>, cells: Vec<GridCell>) -> Grid {
        Grid { arms, works, cells }
    }

    /// What was measured, cell by cell.
    pub fn cells(&self) -> &[GridCell] {
        &self.cells
    }

    /// A grid that was recorded, perhaps elsewhere.
    pub fn recorded(session: &Session, text: &str) -> Result<Grid, Box<dyn Error>> {
        let (arms, cells) = record::read(text)?;
        let work = |work| Ok::<_, Box<dyn Error>>(workload(work, &query(session, work, "cpu")?.kernel)?);
        let works = (0..NAMES.len()).map(work).collect::<Result<_, _>>()?;
        Ok(Grid::of(arms, works, cells))
    }

    /// The selector over these devices, with nothing learned yet.
    fn selector(&self) -> Ours {
        let takes = |work: usize| {
            let own = self.cells.iter().find(|cell| cell.call.work == work);
            let taken = |arm: &usize| own.is_some_and(|cell| !cell.samples[*arm].is_empty());
            (0..self.arms.len()).filter(taken).fold(ArmSet::NONE, ArmSet::with)
        };
        let works = self.works.iter().enumerate().map(|(work, (own, _))| (own.clone(), takes(work))).collect();
        let per_row: Vec<f64> = self.works.iter().map(|(_, bytes)| *bytes).collect();
        let rows_out: BTreeMap<Call, usize> = self.cells.iter().map(|cell| (cell.call, cell.rows_out)).collect();
        let output = move |call: &Call| (rows_out[call] as f64 * per_row[call.work]) as u64;
        Ours::among(self.arms.clone(), works, Box::new(output))
    }

    /// Calls of random cells, each with a time that was measured; what was chosen, by the table.
    fn calls(&self, ours: &mut Ours, random: &mut Random, count: usize, spent: &mut [f64; 3]) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..count {
            let cell = &self.cells[random.below(self.cells.len())];
            let choice = ours.choose(&cell.call);
            let samples = &cell.samples[choice.arm];
            let cost = cell.cost(choice.arm);
            spent[0] += cost;
            if choice.explores {
                spent[1] += cost;
                spent[2] += cost - cell.oracle();
            }
            tally.add(cell.oracle(), cost);
            ours.learn(&cell.call, choice.arm, samples[random.below(samples.len())]);
        }
        tally
    }

    /// The figures of the selector, and of each device alone; and what the last replay's selector predicts.
    pub fn evaluate(&self) -> (Table, Ours) {
        let [mut values, mut by_least]: [BTreeMap<Figure, Vec<f64>>; 2] = Default::default();
        let mut last = self.selector();
        for seed in 0..REPLAYS {
            let (mut ours, mut random, mut spent) = (self.selector(), Random::new(seed), [0.0; 3]);
            let cold = self.calls(&mut ours, &mut random, COLD_CALLS, &mut spent);
            self.calls(&mut ours, &mut random, WARM_CALLS - COLD_CALLS, &mut spent);
            let warm = self.judged(|call| ours.best(call));
            let figures = [
                (Figure::ColdSum, cold.sum()),
                (Figure::ColdMean, cold.mean()),
                (Figure::Exploration, spent[1] / spent[0]),
                (Figure::ExplorationLoss, spent[2] / spent[0]),
            ];
            figures
                .into_iter()
                .chain(warmth(&warm))
                .for_each(|(figure, value)| values.entry(figure).or_default().push(value));
            let least = warmth(&self.judged_by(Cost::Least, |call| ours.best(call)));
            least.into_iter().for_each(|(figure, value)| by_least.entry(figure).or_default().push(value));
            last = ours;
        }
        let alone = |(arm, own): (usize, &Arm)| {
            let values = warmth(&self.judged(|_| arm));
            Row {
                policy: format!("always {}", own.name),
                values: values.map(|(figure, value)| (figure, vec![value])).into(),
            }
        };
        let mut rows: Vec<Row> = self.arms.iter().enumerate().map(alone).collect();
        rows.push(Row { policy: super::ours::NAME.to_string(), values });
        rows.push(Row { policy: format!("{}, by the least of the runs", super::ours::NAME), values: by_least });
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
        let name = format!("Real devices: {}; {} cells", names.join(", "), self.cells.len());
        (Table { name, rows }, last)
    }

    /// How far the calibration alone is off: predicted / measured, the middle of all works, by device, place and size.
    pub fn calibration(&self) -> String {
        let (ours, mut ratios) = (self.selector(), BTreeMap::<(String, String), BTreeMap<u64, Vec<f64>>>::new());
        for cell in &self.cells {
            for (name, predicted) in ours.predicted(&cell.call) {
                let arm = self.arms.iter().position(|arm| arm.name == name).expect("one of the devices");
                let there = if cell.call.place == Place::Resident(arm) { "resident" } else { "host" };
                let own = ratios.entry((name, there.to_string())).or_default();
                own.entry(cell.call.rows).or_default().push(predicted / cell.cost(arm));
            }
        }
        let mut text = "\nPredicted by the calibration alone / measured, middle of all works:\n".to_string();
        for ((name, there), sizes) in &mut ratios {
            text += &format!("- {name}, {there}:");
            for (rows, all) in sizes {
                all.sort_by(f64::total_cmp);
                text += &format!(" {rows}: {:.2}", all[all.len() / 2]);
            }
            text += "\n";
        }
        text
    }

    /// The cells that lose most by the choices of a selector: by time, and by ratio.
    fn losses(&self, ours: &mut Ours) -> String {
        let mut all: Vec<(f64, f64, String)> = Vec::new();
        for cell in &self.cells {
            let (arm, predicted) = (ours.best(&cell.call), ours.predicted(&cell.call));
            let one = |(arm, own): (usize, &Arm)| {
                let time = predicted.iter().find(|(name, _)| *name == own.name).map_or(f64::NAN, |(_, time)| *time);
                format!("{} {:.0} ({:.0})", own.name, cell.cost(arm) / 1e3, time / 1e3)
            };
            let times: Vec<String> = self.arms.iter().enumerate().map(one).collect();
            let place = match cell.call.place {
                Place::Host => "host",
                Place::Resident(arm) => &self.arms[arm].name,
            };
            let (name, rows, chosen) = (NAMES[cell.call.work], cell.call.rows, &self.arms[arm].name);
            let ratio = cell.cost(arm) / cell.oracle();
            let text = format!("{ratio:.2}× {name}, {rows} rows in {place}: {chosen}, of {}", times.join(", "));
            all.push((cell.cost(arm) - cell.oracle(), ratio, text));
        }
        let mut text = String::new();
        for by_ratio in [false, true] {
            let key = |one: &(f64, f64, String)| if by_ratio { one.1 } else { one.0 };
            all.sort_by(|a, b| key(b).total_cmp(&key(a)));
            text += if by_ratio { "- by ratio:\n" } else { "- by time:\n" };
            all.iter().take(SHOWN_CELLS).for_each(|(_, _, one)| text += &format!("  - {one}\n"));
        }
        text
    }

    /// Where the selector loses, before anything was learned and at the end: µs that were measured (and predicted).
    pub fn worst(&self, last: &mut Ours) -> String {
        let mut first = self.selector();
        let cold = self.judged(|call| first.best(call));
        let (sum, mean) = (100.0 * cold.sum(), 100.0 * cold.mean());
        let cold = self.losses(&mut first);
        let warm = self.losses(last);
        format!(
            "By the calibration alone: Σ {sum:.1} %, mean {mean:.1} %. It loses most, in µs measured (predicted):\n{cold}\nAfter learning:\n{warm}"
        )
    }

    fn judged(&self, choose: impl FnMut(&Call) -> usize) -> Tally {
        self.judged_by(Cost::Middle, choose)
    }

    fn judged_by(&self, cost: Cost, mut choose: impl FnMut(&Call) -> usize) -> Tally {
        let mut tally = Tally::default();
        let mut add = |cell: &GridCell| tally.add(cell.oracle_by(cost), cell.cost_by(cost, choose(&cell.call)));
        self.cells.iter().for_each(&mut add);
        tally
    }

    /// Work by work: the calls with columns in the host's memory, with what each device took.
    pub fn measured(&self, work: usize) -> Vec<(Call, Vec<f64>)> {
        let own = self.cells.iter().filter(|cell| cell.call.work == work && cell.call.place == Place::Host);
        own.map(|cell| (cell.call, (0..self.arms.len()).map(|arm| cell.cost(arm)).collect())).collect()
    }
}

/// The figures of choices after learning.
fn warmth(warm: &Tally) -> [(Figure, f64); 3] {
    [(Figure::WarmSum, warm.sum()), (Figure::WarmMean, warm.mean()), (Figure::WorstCell, warm.worst())]
}

/// Where columns are: in the host's memory, and on each device that has its own.
fn places(arms: &[Arm]) -> Vec<Place> {
    let is_remote = |profile: &Profile| !profile.copy_in.pageable.is_empty();
    let remote = (0..arms.len()).filter(|&arm| is_remote(&arms[arm].profile)).map(Place::Resident);
    std::iter::once(Place::Host).chain(remote).collect()
}

/// Measures one cell on every arm in turn.
fn measure(
    session: &Session,
    arms: &[Arm],
    queries: &[Query],
    column: &Column<f32>,
    (work, place): (usize, Place),
) -> pointsman::Result<GridCell> {
    if let Place::Resident(home) = place {
        session.keep(column, &arms[home].name)?;
    }
    let run = |arm: usize| match place {
        Place::Resident(home) if home == arm => queries[arm].on_column(column),
        Place::Resident(_) | Place::Host => queries[arm].on_values(column),
    };
    let (mut rows_out, mut samples) = (0, vec![Vec::new(); arms.len()]);
    for (arm, samples) in samples.iter_mut().enumerate() {
        // The first run compiles, and says whether the device takes it.
        let Ok((_, rows)) = run(arm) else { continue };
        rows_out = rows;
        settle(|| Ok(run(arm)?.0))?;
        while samples.len() < ROUNDS_MIN || samples.len() < ROUNDS_MAX && samples.iter().sum::<f64>() < CELL_NS {
            samples.push(run(arm)?.0);
        }
    }
    if let Place::Resident(home) = place {
        session.release(column, &arms[home].name)?;
    }
    let call = Call { work, rows: column.len() as u64, place };
    Ok(GridCell { call, rows_out, samples })
}

/// Runs until they take no less than before.
fn settle(mut run: impl FnMut() -> pointsman::Result<f64>) -> pointsman::Result<()> {
    let (mut least, mut spent, mut no_shorter) = (f64::INFINITY, 0.0, 0);
    for _ in 0..SETTLING_MAX {
        let took = run()?;
        no_shorter = if took < SETTLED_PART * least { 0 } else { no_shorter + 1 };
        (least, spent) = (least.min(took), spent + took);
        if no_shorter == SETTLED_RUNS || spent > SETTLING_NS {
            break;
        }
    }
    Ok(())
}
