//! [`PressureReport`]: owned columns that do not all fit into the memory of a device, used in random order.
//!
//! The total of a session that chooses is compared with the host alone, and with the plan that
//! knows the number of uses of each column and keeps the columns with the highest saving per byte on the device.

use super::case::if_able;
use super::random_query::{DrawnWork, QueryShape, RandomQuery, Run};
use super::text::time;
use super::use_costs::{HOST, UseCosts};
use crate::selector::random::Random;
use pointsman::{Result, Session, SessionOptions};
use std::fmt;
use std::time::{Duration, Instant};

/// The number of columns and their rows.
const COLUMNS: usize = 12;
const ROWS: [f64; 2] = [5e5, 5e6];
/// The bytes of all columns over the bytes that may stay on the device.
const OVERCOMMITMENT: f64 = 2.5;
/// The most time that the measurement of the costs takes on all devices.
const COSTS_TIME_MAX: Duration = Duration::from_secs(10);
/// The most uses in all, and the most time that they take in the session that chooses.
const USES: usize = 1000;
const TIME_MAX: Duration = Duration::from_secs(5);

/// The totals of the three ways to use the columns.
pub struct PressureReport {
    device: String,
    /// The bytes of all columns, and those that may stay on the device.
    bytes: [u64; 2],
    uses: usize,
    /// The number of columns that the plan keeps on the device.
    kept: usize,
    automatic: f64,
    on_host: f64,
    planned: f64,
}

/// The columns, and the costs of a use of each; `None` where the device refuses the query or was not measured.
struct Columns {
    queries: Vec<RandomQuery>,
    costs: Vec<Option<UseCosts>>,
}

impl PressureReport {
    /// Measures the device that saves most; `None` if no device has memory of its own.
    pub(super) fn measure(
        options: &SessionOptions,
        devices: &[String],
        seed: u64,
        mut progress: impl FnMut(&str),
    ) -> Result<Option<PressureReport>> {
        let mut random = Random::new(seed ^ 2);
        let queries = (0..COLUMNS).map(|_| QueryShape::draw(&mut random, ROWS, DrawnWork::Queries).owned().with_data());
        let queries: Vec<RandomQuery> = queries.collect();
        let order = zipf_order(&mut random);
        let mut columns = Columns { queries, costs: Vec::new() };
        let mut best: Option<(f64, String, Vec<Option<UseCosts>>)> = None;
        let devices: Vec<&String> = devices.iter().filter(|device| !device.starts_with(HOST)).collect();
        for &device in &devices {
            progress(&format!("memory pressure: costs on {device}"));
            columns.measure(&options.clone().open()?, device, COSTS_TIME_MAX / devices.len() as u32)?;
            let saving = (0..COLUMNS).map(|column| columns.saving(column, &order).max(0.0)).sum::<f64>();
            if best.as_ref().is_none_or(|(most, ..)| saving > *most) {
                best = Some((saving, device.clone(), std::mem::take(&mut columns.costs)));
            }
        }
        let Some((_, device, costs)) = best else { return Ok(None) };
        columns.costs = costs;
        columns.compare(options, &device, &order, progress).map(Some)
    }
}

/// Columns in random order. The column of rank r is used in proportion to 1 / r, as by Zipf's law.
fn zipf_order(random: &mut Random) -> Vec<usize> {
    let weights: Vec<f64> = (1..=COLUMNS).map(|rank| 1.0 / rank as f64).collect();
    let sum = weights.iter().sum::<f64>();
    let draw = |_| {
        let mut rest = random.unit() * sum;
        let is_passed = |weight: &&f64| {
            rest -= **weight;
            rest >= 0.0
        };
        weights.iter().take_while(is_passed).count().min(COLUMNS - 1)
    };
    (0..USES).map(draw).collect()
}

impl Columns {
    /// Measures the costs of the columns on a device, those that are used most first, for as long as there is time.
    fn measure(&mut self, session: &Session, device: &str, time_limit: Duration) -> Result<()> {
        let start = Instant::now();
        let costs = self.queries.iter().map(|query| match start.elapsed() < time_limit {
            true => if_able(UseCosts::measure(session, query, device)),
            false => Ok(None),
        });
        self.costs = costs.collect::<Result<_>>()?;
        Ok(())
    }

    /// The time that a column on the device saves in these uses, less its copy.
    fn saving(&self, column: usize, order: &[usize]) -> f64 {
        let uses = order.iter().filter(|&&other| other == column).count() as f64;
        self.costs[column].as_ref().map_or(0.0, |costs| uses * (costs.host - costs.device) - costs.copy)
    }

    /// Chooses the columns with the highest saving per byte that fit into `resident_bytes`.
    fn plan(&self, order: &[usize], resident_bytes: u64) -> Vec<usize> {
        let savings: Vec<f64> = (0..COLUMNS).map(|column| self.saving(column, order)).collect();
        let per_byte = |column: &usize| savings[*column] / self.queries[*column].shape.bytes() as f64;
        let mut worth_it: Vec<usize> = (0..COLUMNS).filter(|&column| savings[column] > 0.0).collect();
        worth_it.sort_by(|one, other| per_byte(other).total_cmp(&per_byte(one)));
        let mut free = resident_bytes;
        let fits = |&column: &usize| {
            let bytes = self.queries[column].shape.bytes();
            free.checked_sub(bytes).inspect(|rest| free = *rest).is_some()
        };
        worth_it.into_iter().filter(fits).collect()
    }

    fn compare(
        &self,
        options: &SessionOptions,
        device: &str,
        order: &[usize],
        mut progress: impl FnMut(&str),
    ) -> Result<PressureReport> {
        let bytes = self.queries.iter().map(|query| query.shape.bytes()).sum::<u64>();
        let resident_bytes = (bytes as f64 / OVERCOMMITMENT) as u64;
        let options = options.clone().resident_bytes(resident_bytes).choose_among([HOST, device]);
        progress(&format!("memory pressure: choosing between {HOST} and {device}"));
        let session = options.clone().open()?;
        session.calibrate()?;
        let (automatic, uses) = self.run(&session, |_| None, order, TIME_MAX)?;
        let order = &order[..uses];
        progress("memory pressure: the host alone");
        let (on_host, _) = self.run(&options.clone().open()?, |_| Some(HOST), order, Duration::MAX)?;
        progress("memory pressure: planned");
        let (kept, session) = (self.plan(order, resident_bytes), options.open()?);
        for &column in &kept {
            self.queries[column].keep(&session, device)?;
            // Compiles the query for the device; a session that chooses does that in the background.
            self.queries[column].prepare(&session, Some(device))?()?;
        }
        let copies = kept.iter().filter_map(|&column| Some(self.costs[column].as_ref()?.copy)).sum::<f64>();
        let place = |column: usize| Some(if kept.contains(&column) { device } else { HOST });
        let (planned, _) = self.run(&session, place, order, Duration::MAX)?;
        let (device, bytes) = (device.to_string(), [bytes, resident_bytes]);
        Ok(PressureReport { device, bytes, uses, kept: kept.len(), automatic, on_host, planned: copies + planned })
    }

    /// Uses the columns in order, each on its device or where the session chooses. The total time, and the uses made.
    fn run<'d>(
        &self,
        session: &Session,
        place: impl Fn(usize) -> Option<&'d str>,
        order: &[usize],
        time_limit: Duration,
    ) -> Result<(f64, usize)> {
        let prepare = |(column, query)| RandomQuery::prepare(query, session, place(column));
        let runs: Vec<Run<'_>> = self.queries.iter().enumerate().map(prepare).collect::<Result<_>>()?;
        let (start, mut total, mut uses) = (Instant::now(), 0.0, 0);
        for &column in order {
            if start.elapsed() > time_limit {
                break;
            }
            total += runs[column]()?.time;
            uses += 1;
        }
        Ok((total, uses))
    }
}

impl fmt::Display for PressureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [bytes, resident_bytes] = self.bytes.map(|bytes| bytes as f64 / 1e6);
        writeln!(
            f,
            "{COLUMNS} owned columns, {bytes:.0} MB in all, {resident_bytes:.0} MB of which may stay on {}, {} uses\n",
            self.device, self.uses
        )?;
        let ratio = |total: f64| self.automatic / total;
        writeln!(f, "- the session took {}", time(self.automatic))?;
        writeln!(f, "- {:.2}× the host alone, {}", ratio(self.on_host), time(self.on_host))?;
        let plan = format!("the plan that knows the uses and keeps {} columns on the device", self.kept);
        writeln!(f, "- {:.2}× {plan}, {}", ratio(self.planned), time(self.planned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_is_used_most() {
        let order = zipf_order(&mut Random::new(1));
        let uses = |column: usize| order.iter().filter(|&&other| other == column).count();
        assert!(order.len() == USES && uses(0) > uses(3) && uses(3) > uses(11) && uses(11) > 0);
    }
}
