//! The real grid: every work, size and place on every device at hand is measured; then the selector chooses among them,
//! cold and warm, with times that were measured, and its choices are judged by the table.

use super::dice::Dice;
use super::figures::{Figure, Tally};
use super::ours::Ours;
use super::policies::Policy;
use super::queries::{NAMES, Query, query, workload};
use super::record;
use super::report::{Row, Table};
use super::scenarios::{COLD_CALLS, WARM_CALLS};
use super::works::{Call, Place};
use pointsman::select::{Arm, ArmSet, Profile, Workload};
use pointsman::{Column, Exactness, Session};
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

/// A cell is measured until this many nanoseconds are spent on an arm, and so many times at least and at most.
const CELL_NS: f64 = 3e7;
const ROUNDS_MIN: usize = 3;
const ROUNDS_MAX: usize = 25;
/// Runs shorter than this are timed after two others of the same device.
const SETTLED_NS: f64 = 2e6;
/// Replays of the selector, each with other dice.
const REPLAYS: u64 = 20;

/// What was measured.
pub struct Grid {
    /// The devices and what a calibration says of them.
    pub arms: Vec<Arm>,
    works: Vec<(Workload, f64)>,
    cells: Vec<Cell>,
}

/// One cell.
pub struct Cell {
    /// The work, the size and the place.
    pub call: Call,
    /// Rows of the result.
    pub rows_out: usize,
    /// Nanoseconds of each run, by arm; none if the arm does not take it.
    pub samples: Vec<Vec<f64>>,
}

impl Cell {
    fn cost(&self, arm: usize) -> f64 {
        self.samples[arm].iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn oracle(&self) -> f64 {
        (0..self.samples.len()).map(|arm| self.cost(arm)).fold(f64::INFINITY, f64::min)
    }
}

/// A session with the processor's variants as devices of their own, and all others there are.
pub fn session() -> pointsman::Result<Session> {
    let portable = CpuOptions { name: Some("cpu-portable"), jit: Some(false), ..CpuOptions::default() };
    let variants = [portable, CpuOptions { name: Some("cpu-avx2"), isa: Some(Isa::Avx2), ..CpuOptions::default() }];
    let builder = Session::builder().exactness(Exactness::Bounded);
    variants.into_iter().fold(builder, |builder, options| builder.device(Arc::new(CpuDevice::new(options)))).open()
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
        let (mut works, mut cells) = (Vec::new(), Vec::new());
        let columns: Vec<Column<f32>> = sizes.iter().map(|&rows| Column::from(crate::prices(rows as usize))).collect();
        for (work, name) in NAMES.iter().enumerate() {
            let queries: Vec<Query> =
                arms.iter().map(|arm| query(session, work, &arm.name)).collect::<pointsman::Result<_>>()?;
            works.push(workload(work, &queries[0].kernel)?);
            for column in &columns {
                progress(&format!("{name}, {} rows", column.len()));
                for place in places(&arms) {
                    cells.push(measure(session, &arms, &queries, column, (work, place))?);
                }
            }
        }
        Ok(Grid::of(arms, works, cells))
    }

    /// What was measured before.
    pub fn of(arms: Vec<Arm>, works: Vec<(Workload, f64)>, cells: Vec<Cell>) -> Grid {
        Grid { arms, works, cells }
    }

    /// What was measured, cell by cell.
    pub fn cells(&self) -> &[Cell] {
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
    fn calls(&self, ours: &mut Ours, dice: &mut Dice, count: usize, spent: &mut [f64; 3]) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..count {
            let cell = &self.cells[dice.below(self.cells.len())];
            let choice = ours.choose(&cell.call);
            let samples = &cell.samples[choice.arm];
            let cost = cell.cost(choice.arm);
            spent[0] += cost;
            if choice.explores {
                spent[1] += cost;
                spent[2] += cost - cell.oracle();
            }
            tally.add(cell.oracle(), cost);
            ours.learn(&cell.call, choice.arm, samples[dice.below(samples.len())]);
        }
        tally
    }

    /// The figures of the selector, and of each device alone; and what the last replay's selector predicts.
    pub fn judge(&self) -> (Table, Ours) {
        let mut values: BTreeMap<Figure, Vec<f64>> = BTreeMap::new();
        let mut last = self.selector();
        for seed in 0..REPLAYS {
            let (mut ours, mut dice, mut spent) = (self.selector(), Dice::new(seed), [0.0; 3]);
            let cold = self.calls(&mut ours, &mut dice, COLD_CALLS, &mut spent);
            self.calls(&mut ours, &mut dice, WARM_CALLS - COLD_CALLS, &mut spent);
            let warm = self.judged(|call| ours.best(call));
            let figures = [
                (Figure::ColdSum, cold.sum()),
                (Figure::ColdMean, cold.mean()),
                (Figure::WarmSum, warm.sum()),
                (Figure::WarmMean, warm.mean()),
                (Figure::WorstCell, warm.worst()),
                (Figure::Exploration, spent[1] / spent[0]),
                (Figure::ExplorationLoss, spent[2] / spent[0]),
            ];
            figures.into_iter().for_each(|(figure, value)| values.entry(figure).or_default().push(value));
            last = ours;
        }
        let alone = |(arm, own): (usize, &Arm)| {
            let warm = self.judged(|_| arm);
            let values =
                [(Figure::WarmSum, warm.sum()), (Figure::WarmMean, warm.mean()), (Figure::WorstCell, warm.worst())];
            Row {
                policy: format!("always {}", own.name),
                values: values.map(|(figure, value)| (figure, vec![value])).into(),
            }
        };
        let mut rows: Vec<Row> = self.arms.iter().enumerate().map(alone).collect();
        rows.push(Row { policy: super::ours::NAME.to_string(), values });
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

    fn judged(&self, mut choose: impl FnMut(&Call) -> usize) -> Tally {
        let mut tally = Tally::default();
        self.cells.iter().for_each(|cell| tally.add(cell.oracle(), cell.cost(choose(&cell.call))));
        tally
    }

    /// Work by work: the calls with columns in the host's memory, with what each device took.
    pub fn measured(&self, work: usize) -> Vec<(Call, Vec<f64>)> {
        let own = self.cells.iter().filter(|cell| cell.call.work == work && cell.call.place == Place::Host);
        own.map(|cell| (cell.call, (0..self.arms.len()).map(|arm| cell.cost(arm)).collect())).collect()
    }
}

/// Where columns are: in the host's memory, and on each device that has its own.
fn places(arms: &[Arm]) -> Vec<Place> {
    let is_remote = |profile: &Profile| !profile.copy_in.pageable.is_empty();
    let remote = (0..arms.len()).filter(|&arm| is_remote(&arms[arm].profile)).map(Place::Resident);
    std::iter::once(Place::Host).chain(remote).collect()
}

/// Measures one cell on every arm in turn, round by round.
fn measure(
    session: &Session,
    arms: &[Arm],
    queries: &[Query],
    column: &Column<f32>,
    (work, place): (usize, Place),
) -> pointsman::Result<Cell> {
    if let Place::Resident(home) = place {
        session.keep(column, &arms[home].name)?;
    }
    let run = |arm: usize| match place {
        Place::Resident(home) if home == arm => queries[arm].on_column(column),
        Place::Resident(_) | Place::Host => queries[arm].on_values(column),
    };
    // The first run compiles, and says whether the device takes it.
    let first: Vec<Option<usize>> = (0..arms.len()).map(|arm| run(arm).ok().map(|(_, rows)| rows)).collect();
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); arms.len()];
    for round in 0..ROUNDS_MAX {
        for arm in (0..arms.len()).filter(|&arm| first[arm].is_some()) {
            if round < ROUNDS_MIN || samples[arm].iter().sum::<f64>() < CELL_NS {
                // The threads and caches of whoever ran before must not be in its way.
                if samples[arm].last().is_none_or(|last| *last < SETTLED_NS) {
                    run(arm)?;
                    run(arm)?;
                }
                samples[arm].push(run(arm)?.0);
            }
        }
    }
    if let Place::Resident(home) = place {
        session.release(column, &arms[home].name)?;
    }
    let call = Call { work, rows: column.len() as u64, place };
    Ok(Cell { call, rows_out: first.into_iter().flatten().next().unwrap_or(0), samples })
}
