//! One case: a random program over a random source. In goes a seed, out come the answers that were wrong.

use crate::compare::{difference, tolerances};
use crate::generate::{self, Budget};
use crate::machine::{Machine, NamedSession};
use crate::options::Limits;
use crate::program::{Program, StepKind};
use crate::query::{Collect, PREPARED_COLUMNS, Settings, append_steps, run_prepared};
use crate::random::Random;
use crate::reference::{self, Expected, Planted, ScanParts};
use crate::report::Report;
use crate::sources::{Data, Form, Kind, Source};
use crate::typed::{Found, WIDE_PLACES};
use crate::value::{TYPES, Type};
use crate::witness::Witness;
use pointsman::{CancellationToken, Error, ErrorKind};
use std::time::{Duration, Instant};

/// The most that an answer may come behind its deadline, on the CPU and on other devices.
pub(crate) const LATE_ON_CPU: Duration = Duration::from_millis(50);
pub(crate) const LATE_ELSEWHERE: Duration = Duration::from_millis(250);

/// Streams of random numbers, one for each purpose.
const PROGRAM: u64 = 1;
const DATA: u64 = 2;
const RUNS: u64 = 3;
const PIECES: u64 = 4;

/// A failed check.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The counter it belongs to: `wrong` or `late`.
    pub(crate) kind: &'static str,
    pub(crate) text: String,
}

pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) form: Form,
    pub(crate) rows: usize,
    pub(crate) program: Program,
    pub(crate) data: Vec<Data>,
    /// The inputs of the second run of a prepared query.
    second: Option<Vec<Data>>,
}

impl Case {
    pub(crate) fn new(seed: u64, limits: Limits) -> Case {
        let random = &mut Random::stream(seed, PROGRAM);
        let is_prepared = random.percent(10);
        let form = random_form(random);
        let rows = random_rows(random);
        let columns = if is_prepared { PREPARED_COLUMNS.to_vec() } else { random_columns(form, random) };
        let iterations = if rows > 5000 { 3 } else { 12 };
        let nodes = limits.nodes.unwrap_or(*random.pick(&[2, 4, 8, 14]));
        let budget = Budget { nodes, iterations, is_prepared };
        let program = generate::program(&columns, budget, random);
        let random = &mut Random::stream(seed, DATA);
        let mut data = random_data(form, &columns, rows, is_prepared, random);
        let mut second = is_prepared.then(|| random_data(form, &columns, random_rows(random) % 5000, true, random));
        let rows = limits.rows.map_or(rows, |most| rows.min(most));
        for column in data.iter_mut().chain(second.iter_mut().flatten()) {
            column.truncate(rows);
        }
        Case { seed, form, rows, program, data, second }
    }

    /// Runs the case and counts what happened.
    pub(crate) fn check(&self, machine: &Machine, planted: Option<Planted>, report: &mut Report) -> Vec<Failure> {
        let answer = |parts| reference::answer(&self.program, &self.data, self.rows, parts, planted);
        let expected = answer(ScanParts::Used);
        report.add("total", "", "cases", 1);
        report.add("total", "", "rows", self.rows as u64);
        report.add("sink", self.sink(), "cases", 1);
        if let Expected::Fault(_) = expected {
            report.add("total", "", "faults expected", 1);
            report.add("sink", self.sink(), "faults", 1);
        }
        let random = &mut Random::stream(self.seed, RUNS);
        let mut failures = Vec::new();
        let mut runs: Vec<Run<'_>> = Vec::new();
        for number in 0..2 {
            let Some(run) = Run::random(machine, number == 0 && machine.has_cpu, random) else { continue };
            runs.push(if planted.is_some() { run.plain() } else { run });
        }
        if matches!(expected, Expected::Fault(_)) && planted.is_none() && machine.has_cpu {
            runs.push(Run::without_passes(machine));
        }
        for run in runs {
            let unpruned = (!run.session.has_passes).then(|| answer(ScanParts::All));
            let expected = unpruned.as_ref().unwrap_or(&expected);
            failures.extend(match &self.second {
                Some(second) => self.run_prepared(&run, expected, second, planted, report),
                None => self.run(&run, expected, planted, report),
            });
        }
        failures
    }

    /// The sink of the last stage.
    fn sink(&self) -> &'static str {
        let steps = &self.program.steps;
        let is_filter = |kind: &StepKind| matches!(kind, StepKind::Filter(_));
        let scan = steps.iter().rposition(|step| matches!(step.kind, StepKind::Scan { .. }));
        match (&steps[steps.len() - 1].kind, scan) {
            _ if self.second.is_some() => "prepared",
            (StepKind::Fold { .. }, None) => "reduce",
            (StepKind::Scan { .. }, _) => "scan",
            (StepKind::Fold { .. }, Some(_)) => "scan, then reduce",
            (StepKind::Filter(_) | StepKind::Map { .. }, Some(_)) => "scan, then rows",
            (StepKind::Filter(_) | StepKind::Map { .. }, None) => {
                if steps.iter().any(|step| is_filter(&step.kind)) {
                    "compact"
                } else {
                    "store"
                }
            }
        }
    }

    fn run(&self, run: &Run<'_>, expected: &Expected, planted: Option<Planted>, report: &mut Report) -> Vec<Failure> {
        let source = Source::new(self.form, &self.data, &mut Random::stream(self.seed, PIECES));
        let session = &run.session.session;
        let collect = self.collect(run.collect, expected);
        let settings = &run.settings;
        let started = Instant::now();
        let witness = settings.deadline.map(|deadline| Witness::new(started + deadline));
        let cancels = run.cancel_after.map(|after| (settings.token.clone(), after));
        let canceller = cancels.and_then(|(token, after)| Some((token?, after))).map(|(token, after)| {
            std::thread::spawn(move || {
                std::thread::sleep(after);
                token.cancel();
            })
        });
        let got = match run.mode {
            Mode::Wait => Some(append_steps(source.open(session), &self.program).run(settings, collect)),
            Mode::Async => Some(append_steps(source.open_owned(session), &self.program).start(settings)()),
            Mode::Dropped => {
                drop(append_steps(source.open_owned(session), &self.program).start(settings));
                None
            }
        };
        let late = witness.map(Witness::finish);
        if let Some(canceller) = canceller {
            // The thread only sleeps and cancels.
            let _ = canceller.join();
        }
        run.count(&got, self.rows, report);
        let Some(got) = got else { return Vec::new() };
        let context = |text: String| format!("{text} [{}]", run.describe());
        let mut failures = Vec::new();
        if let Some(late) = late.filter(|late| late.exceeds(run.late_allowed())) {
            failures.push(Failure { kind: "late", text: context(late.to_string()) });
        }
        report.add("total", "", "stolen", u64::from(late.is_some_and(|late| late.is_excused(run.late_allowed()))));
        let is_slice = run.mode == Mode::Wait && matches!(collect, Collect::Vector | Collect::Slice(_));
        failures.extend(
            self.wrong(run, expected, &got, (is_slice, planted), report)
                .map(|text| Failure { kind: "wrong", text: context(text) }),
        );
        failures
    }

    fn run_prepared(
        &self,
        run: &Run<'_>,
        expected: &Expected,
        second: &[Data],
        planted: Option<Planted>,
        report: &mut Report,
    ) -> Vec<Failure> {
        let settings = Settings { deadline: None, token: None, ..run.settings.clone() };
        let inputs = [&self.data[..], second, &self.data[..]];
        let context = |text: String| Failure { kind: "wrong", text: format!("{text} [prepared, {}]", run.describe()) };
        let answers = match run_prepared(&run.session.session, &self.program, &inputs, &settings) {
            Ok(answers) => answers,
            Err(error) => return vec![context(format!("not prepared: {error:?}"))],
        };
        let parts = if run.session.has_passes { ScanParts::Used } else { ScanParts::All };
        let other = reference::answer(&self.program, second, second[0].rows(), parts, planted);
        let expected = [expected, &other, expected];
        let checked = answers.into_iter().zip(expected).filter_map(|(got, expected)| {
            let got = Some(got);
            run.count(&got, self.rows, report);
            self.wrong(run, expected, &got?, (false, planted), report)
        });
        checked.map(context).collect()
    }

    /// How results are collected: into plain values only where they are one column.
    fn collect(&self, wanted: Collect, expected: &Expected) -> Collect {
        match wanted {
            Collect::Slice(_) => {
                let result_rows = match expected {
                    Expected::Columns(columns) => columns.first().map_or(0, Vec::len),
                    Expected::Fault(_) => self.rows,
                };
                Collect::Slice(if self.seed.is_multiple_of(2) { self.rows } else { result_rows })
            }
            Collect::Columns | Collect::Vector => wanted,
        }
    }

    /// What is wrong with an answer, if anything is.
    fn wrong(
        &self,
        run: &Run<'_>,
        expected: &Expected,
        got: &Result<Found, Error>,
        (is_plain, planted): (bool, Option<Planted>),
        report: &mut Report,
    ) -> Option<String> {
        if let Err(error) = got {
            let is_allowed = match error.kind() {
                ErrorKind::Timeout => run.settings.deadline.is_some(),
                ErrorKind::Cancelled => run.cancel_after.is_some(),
                ErrorKind::OutOfMemory => run.session.is_small,
                // A device refuses what it cannot run, and pauses after a failure.
                ErrorKind::Unsupported | ErrorKind::Unavailable => run.is_other,
                // Plain values cannot say that a value is null.
                ErrorKind::InvalidQuery => is_plain && has_nulls(expected),
                ErrorKind::Arithmetic => run.is_loose(&self.program),
                ErrorKind::Busy | ErrorKind::DeviceLost | ErrorKind::Mismatch => false,
                ErrorKind::Io | ErrorKind::Internal => false,
                _ => false,
            };
            if is_allowed {
                return None;
            }
        }
        if got.is_ok() && run.is_loose(&self.program) {
            return None;
        }
        if is_plain && got.is_ok() && has_nulls(expected) && self.is_one_column() {
            return Some("nulls became plain values".to_string());
        }
        let difference = difference(expected, got, &tolerances(&self.program))?;
        let can_lack_row = self.program.can_fault_without_row();
        let is_removed = run.session.has_passes && is_fault_removed(expected, got, is_plain, can_lack_row);
        if is_removed && planted.is_none() {
            report.add("session", run.session.name, "no faults", 1);
            return None;
        }
        Some(difference)
    }

    fn is_one_column(&self) -> bool {
        let is_fold = matches!(self.program.steps[self.program.steps.len() - 1].kind, StepKind::Fold { .. });
        let last = self.program.steps.iter().rev().find_map(|step| step.row());
        let is_batch = last.is_none() && matches!(self.form, Form::Batch | Form::Batches);
        !is_fold && !is_batch && last.map_or(self.program.columns.len(), |row| row.len()) == 1
    }

    /// The case for people: the plan of the query, its first rows and the right answer.
    pub(crate) fn describe(&self, machine: &Machine) -> String {
        let source = Source::new(self.form, &self.data, &mut Random::stream(self.seed, PIECES));
        let explain = append_steps(source.open(&machine.sessions[0].session), &self.program).explain();
        let mut text = format!("{} rows from {:?} of {:?}\n", self.rows, self.form, self.program.columns);
        for (number, step) in self.program.steps.iter().enumerate() {
            text += &format!("step {number}: {:?}\n", step.kind);
            for (at, node) in step.nodes.iter().enumerate() {
                text += &format!("  {at}: {:?} = {:?}\n", node.ty, node.operation);
            }
        }
        for (number, table) in self.program.tables.iter().enumerate() {
            text += &format!("table {number}: {:?}\n", table.values);
        }
        text += &explain.to_string();
        for row in 0..self.rows.min(20) {
            let cells = self.data.iter().map(|column| crate::value::show(column.get(row)));
            text += &format!("row {row}: {}\n", cells.collect::<Vec<_>>().join(", "));
        }
        match reference::answer(&self.program, &self.data, self.rows, ScanParts::Used, None) {
            Expected::Fault(rows) => text += &format!("expected: a fault in row {rows:?}\n"),
            Expected::Columns(columns) => {
                for (number, column) in columns.iter().enumerate() {
                    let cells = column.iter().take(20).map(|value| crate::value::show(*value));
                    text += &format!("expected column {number}: {}\n", cells.collect::<Vec<_>>().join(", "));
                }
            }
        }
        let source = source.open(&machine.sessions[0].session);
        text + &match append_steps(source, &self.program).run(&Settings::default(), Collect::Columns) {
            Err(error) => format!("got: {error:?}\n"),
            Ok(found) => {
                let shown = |column: &Vec<Option<crate::value::Value>>| {
                    column.iter().take(20).map(|value| crate::value::show(*value)).collect::<Vec<_>>().join(", ")
                };
                found
                    .columns
                    .iter()
                    .enumerate()
                    .map(|(at, column)| format!("got column {at}: {}\n", shown(column)))
                    .collect()
            }
        }
    }
}

/// Whether the answer lacks the fault of the first faulty row. A pass may remove the fault of a row, for example that of `x`
/// in `x < x`; the run without passes must report it. No pass removes the overflow of a sum, which names no row.
pub(crate) fn is_fault_removed(
    expected: &Expected,
    got: &Result<Found, Error>,
    is_plain: bool,
    can_lack_row: bool,
) -> bool {
    let Expected::Fault(rows) = expected else { return false };
    let Some(first) = rows.iter().copied().flatten().min() else { return false };
    match got {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::InvalidQuery => is_plain,
        // Another fault is the first one now: in a later row, or one that names no row.
        Err(error) if error.kind() == ErrorKind::Arithmetic => error.row().map_or(can_lack_row, |row| row > first),
        Err(_) => false,
    }
}

fn has_nulls(expected: &Expected) -> bool {
    matches!(expected, Expected::Columns(columns) if columns.iter().flatten().any(Option::is_none))
}

fn random_form(random: &mut Random) -> Form {
    match random.below(12) {
        0..=2 => Form::Batch,
        3 => Form::Batches,
        4 => Form::BatchRange,
        5..=7 => Form::Single(*random.pick(&[Kind::Slice, Kind::Vector, Kind::Column, Kind::Array])),
        8 => Form::Range,
        9 => Form::Pair,
        10 => Form::Point,
        11.. => Form::Times,
    }
}

/// Sizes at which blocks, leaves and vectors end, and any others.
fn random_rows(random: &mut Random) -> usize {
    match random.below(20) {
        0..=7 => *random.pick(&[0, 1, 2, 7, 8, 63, 64, 65, 255, 256, 257]),
        8..=13 => random.below(2000),
        14..=16 => *random.pick(&[4095, 4096, 4097, 8191, 12289]),
        17 | 18 => random.below(20_000),
        19.. if random.percent(50) => *random.pick(&[65_535, 65_536, 65_537]),
        19.. => random.below(200_000),
    }
}

fn random_columns(form: Form, random: &mut Random) -> Vec<Type> {
    if let Some(types) = form.types() {
        return types.to_vec();
    }
    match form {
        Form::Single(_) => return vec![*random.pick(&TYPES)],
        Form::Range => return vec![*random.pick(&[Type::U32, Type::U64, Type::I32, Type::I64])],
        Form::Batch | Form::Batches | Form::BatchRange | Form::Pair | Form::Point | Form::Times => {}
    }
    let mut columns: Vec<Type> = Vec::new();
    for _ in 0..random.between(1, 5) {
        let ty = *random.pick(&TYPES);
        // One place of a wide row stays free for the range.
        if columns.iter().filter(|&&other| other == ty).count() + 1 < WIDE_PLACES {
            columns.push(ty);
        }
    }
    if form == Form::BatchRange {
        columns.push(Type::U32);
    }
    columns
}

fn random_data(form: Form, columns: &[Type], rows: usize, is_prepared: bool, random: &mut Random) -> Vec<Data> {
    let column = |(at, &ty): (usize, &Type)| {
        if is_prepared {
            return match at + 1 == columns.len() {
                true => Data::constant(ty, ty.random(random), rows),
                false => Data::random(ty, rows, *random.pick(&[0, 0, 20]), random),
            };
        }
        if form.is_range(at, columns.len()) {
            let (low, high) = ty.range();
            let start = ty.random(random).int().clamp(low, high - rows as i128);
            return Data::range(ty, start, rows);
        }
        let nulls = if form.has_nulls(at, columns.len()) { *random.pick(&[0, 0, 0, 1, 10, 50, 100]) } else { 0 };
        Data::random(ty, rows, nulls, random)
    };
    columns.iter().enumerate().map(column).collect()
}

/// How the caller gets the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Wait,
    Async,
    /// The promise is dropped at once.
    Dropped,
}

/// One run of a case: session, device, and how long it may take.
struct Run<'m> {
    session: &'m NamedSession,
    device: String,
    /// Whether a device other than the CPU may answer.
    is_other: bool,
    /// Whether floats need not have the exact bits.
    is_bounded: bool,
    settings: Settings,
    mode: Mode,
    collect: Collect,
    cancel_after: Option<Duration>,
}

impl<'m> Run<'m> {
    fn random(machine: &'m Machine, on_cpu: bool, random: &mut Random) -> Option<Run<'m>> {
        let session = random.pick(&machine.sessions);
        let mut settings = Settings::default();
        let other = machine.others.get(random.below(machine.others.len().max(1)));
        let (device, is_other, is_bounded) = match (random.below(16), other) {
            _ if on_cpu => {
                settings.require = Some("cpu".to_string());
                (machine.cpu.to_string(), false, false)
            }
            (0 | 1, _) if machine.has_cpu => (format!("automatic, {}", machine.cpu), !machine.others.is_empty(), false),
            (2, Some(other)) if machine.has_cpu => {
                settings.prefer = Some(format!("{}+cpu", other.name));
                settings.is_bounded = random.percent(50);
                (format!("{}+cpu", other.name), true, other.is_bounded && settings.is_bounded)
            }
            (3 | 4, Some(other)) => {
                settings.require = Some(other.name.clone());
                settings.is_bounded = random.percent(50);
                (other.name.clone(), true, other.is_bounded && settings.is_bounded)
            }
            (_, _) if machine.has_cpu => {
                settings.require = Some("cpu".to_string());
                (machine.cpu.to_string(), false, false)
            }
            (_, _) => return None,
        };
        let mode = *random.pick(&[Mode::Wait, Mode::Wait, Mode::Wait, Mode::Wait, Mode::Async, Mode::Dropped]);
        let collect = *random.pick(&[Collect::Columns, Collect::Columns, Collect::Vector, Collect::Slice(0)]);
        let deadline = random.percent(8).then(|| Duration::from_micros(random.below(20_000) as u64));
        let cancel_after = random.percent(6).then(|| Duration::from_micros(random.below(3000) as u64));
        settings.deadline = deadline;
        settings.token = cancel_after.map(|_| CancellationToken::new());
        Some(Run { session, device, is_other, is_bounded, settings, mode, collect, cancel_after })
    }

    /// A run that nothing optimises.
    fn without_passes(machine: &'m Machine) -> Run<'m> {
        Run {
            session: &machine.sessions[machine.sessions.len() - 1],
            device: machine.cpu.to_string(),
            is_other: false,
            is_bounded: false,
            settings: Settings { require: Some("cpu".to_string()), ..Settings::default() },
            mode: Mode::Wait,
            collect: Collect::Columns,
            cancel_after: None,
        }
    }

    /// The run without limits, and with an answer.
    fn plain(mut self) -> Run<'m> {
        (self.settings.deadline, self.settings.token, self.cancel_after) = (None, None, None);
        Run { mode: Mode::Wait, collect: Collect::Columns, ..self }
    }

    /// Whether floats of the program need not have the exact bits on this device.
    fn is_loose(&self, program: &Program) -> bool {
        self.is_bounded && program.has_float_arithmetic()
    }

    fn late_allowed(&self) -> Duration {
        if self.is_other { LATE_ELSEWHERE } else { LATE_ON_CPU }
    }

    fn count(&self, got: &Option<Result<Found, Error>>, rows: usize, report: &mut Report) {
        let outcome = match got {
            None => "dropped",
            Some(Ok(_)) => "answers",
            Some(Err(error)) => match error.kind() {
                ErrorKind::Arithmetic => "faults",
                ErrorKind::Timeout => "deadlines",
                ErrorKind::Cancelled => "cancelled",
                ErrorKind::Unsupported => "unsupported",
                ErrorKind::OutOfMemory => "no memory",
                ErrorKind::Unavailable => "unavailable",
                // A slice or a vector cannot hold the nulls of the result.
                ErrorKind::InvalidQuery => "nulls refused",
                _ => "other errors",
            },
        };
        report.add("device", &self.device, outcome, 1);
        report.add("device", &self.device, "rows", rows as u64);
        report.add("session", self.session.name, outcome, 1);
        report.add("total", "", "runs", 1);
        match outcome {
            "faults" => report.add("total", "", "faults seen", 1),
            "deadlines" => report.add("total", "", "deadlines fired", 1),
            "cancelled" => report.add("total", "", "cancelled", 1),
            _ => {}
        }
    }

    fn describe(&self) -> String {
        let Run { session, device, mode, collect, settings, .. } = self;
        format!("{device}, session `{}`, {mode:?}, {collect:?}, {settings:?}", session.name)
    }
}
