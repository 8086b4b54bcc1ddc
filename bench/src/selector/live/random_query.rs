//! [`RandomQuery`]: a chain of operations and a sink over one column, and where the column lies.

use super::random_call;
use crate::selector::random::Random;
use pointsman::Receipt;
use pointsman::plan::Call;
use pointsman::{Column, Expr, Lookup, Result, Session, filtered, lookup, repeat};
use std::fmt;
use std::time::Instant;

/// The fewest rows of a case; sizes are log-uniform.
pub(super) const ROWS_MIN: f64 = 1e3;
/// Values are whole numbers below this.
const VALUES: u64 = 1000;

/// One operation of a chain.
#[derive(Clone, Debug)]
enum Step {
    Scale,
    Divide,
    Clamp,
    Root,
    Exp,
    Sin,
    Ln,
    Loop(u32),
    LookUp(usize),
}

/// What happens to the rows.
#[derive(Clone, Copy, Debug)]
enum SinkChoice {
    Map,
    /// Keeps the rows above this share of the values.
    Filter(f64),
    Sum,
    FourFolds,
    RunningSum,
    RunningMax,
    /// A library call; the steps are not applied.
    Call(Call),
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnWork {
    /// Chains of operations with a sink.
    Queries,
    /// Library calls.
    Calls,
}

/// The type of the values.
#[derive(Clone, Copy, Debug)]
enum ValueType {
    F32,
    F64,
    U32,
    I64,
}

impl ValueType {
    const ALL: [ValueType; 4] = [ValueType::F32, ValueType::F64, ValueType::U32, ValueType::I64];

    fn name(self) -> &'static str {
        match self {
            ValueType::F32 => "f32",
            ValueType::F64 => "f64",
            ValueType::U32 => "u32",
            ValueType::I64 => "i64",
        }
    }

    fn bytes(self) -> u64 {
        match self {
            ValueType::F32 | ValueType::U32 => 4,
            ValueType::F64 | ValueType::I64 => 8,
        }
    }
}

/// Where the column lies when a query names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// A borrowed slice: it is copied for every run on a card.
    Slice,
    /// A column that a session may keep on a card.
    Owned,
}

/// A call: its time in nanoseconds, and its receipt.
pub(super) struct TimedCall {
    pub(super) time: f64,
    pub(super) receipt: Receipt,
}

/// Runs a prepared query once.
pub(super) type Run<'a> = Box<dyn Fn() -> Result<TimedCall> + 'a>;

/// Everything about a random query but its data.
#[derive(Clone)]
pub(super) struct QueryShape {
    steps: Vec<Step>,
    sink: SinkChoice,
    value_type: ValueType,
    pub(super) rows: usize,
    pub(super) placement: Placement,
    /// The generator of the data.
    values: Random,
}

/// A random query with its data.
pub(super) struct RandomQuery {
    pub(super) shape: QueryShape,
    values: Values,
}

enum Values {
    F32(Column<f32>),
    F64(Column<f64>),
    U32(Column<u32>),
    I64(Column<i64>),
}

/// Calls a method of the session with the typed column.
macro_rules! with_column {
    ($values:expr, $column:ident => $call:expr) => {
        match $values {
            Values::F32($column) => $call,
            Values::F64($column) => $call,
            Values::U32($column) => $call,
            Values::I64($column) => $call,
        }
    };
}

impl fmt::Display for QueryShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let QueryShape { steps, sink, value_type, rows, placement, values: _ } = self;
        write!(f, "{rows} rows of {}, {placement:?}, {steps:?}, {sink:?}", value_type.name())
    }
}

impl QueryShape {
    /// Draws a query with a number of rows between these bounds. The generator skips the numbers that the data takes.
    pub(super) fn draw(random: &mut Random, rows: [f64; 2], work: DrawnWork) -> QueryShape {
        let rows = random.between(rows[0].ln(), rows[1].ln()).exp() as usize;
        if work == DrawnWork::Calls {
            return QueryShape::draw_call(random, rows);
        }
        let value_type = ValueType::ALL[random.below(4)];
        let is_float = matches!(value_type, ValueType::F32 | ValueType::F64);
        let count = 1 + (random.unit() * random.unit() * 10.0) as usize;
        let steps = (0..count).map(|_| step(random, is_float)).collect();
        let sink = match random.below(6) {
            0 => SinkChoice::Map,
            1 => SinkChoice::Filter(random.unit()),
            // Sums of many `u32` do not fit the type.
            2 if !matches!(value_type, ValueType::U32) => SinkChoice::Sum,
            2 | 3 => SinkChoice::FourFolds,
            4 if !matches!(value_type, ValueType::U32) => SinkChoice::RunningSum,
            _ => SinkChoice::RunningMax,
        };
        let placement = if random.chance(0.5) { Placement::Slice } else { Placement::Owned };
        let values = random.clone();
        random.skip(rows as u64);
        QueryShape { steps, sink, value_type, rows, placement, values }
    }

    /// Draws a library call of about this many rows.
    fn draw_call(random: &mut Random, rows: usize) -> QueryShape {
        let (call, chunks) = random_call::draw(random, rows);
        let value_type = if random.chance(0.5) { ValueType::F32 } else { ValueType::F64 };
        let placement = if random.chance(0.5) { Placement::Slice } else { Placement::Owned };
        let rows = call.rows_in() as usize * chunks;
        let values = random.clone();
        random.skip(rows as u64);
        QueryShape { steps: vec![], sink: SinkChoice::Call(call), value_type, rows, placement, values }
    }

    /// This query over an owned column.
    pub(super) fn owned(self) -> QueryShape {
        QueryShape { placement: Placement::Owned, ..self }
    }

    /// Makes the data.
    pub(super) fn with_data(self) -> RandomQuery {
        let (mut random, rows) = (self.values.clone(), 0..self.rows);
        let mut value = || (random.unit() * VALUES as f64) as u32;
        let values = match self.value_type {
            ValueType::F32 => Values::F32(rows.map(|_| value() as f32).collect::<Vec<_>>().into()),
            ValueType::F64 => Values::F64(rows.map(|_| f64::from(value())).collect::<Vec<_>>().into()),
            ValueType::U32 => Values::U32(rows.map(|_| value()).collect::<Vec<_>>().into()),
            ValueType::I64 => Values::I64(rows.map(|_| i64::from(value())).collect::<Vec<_>>().into()),
        };
        RandomQuery { shape: self, values }
    }

    /// Rows, type, placement, sink and steps, for a table.
    pub(super) fn columns(&self) -> [String; 5] {
        let QueryShape { steps, sink, value_type, rows, placement, values: _ } = self;
        let name = value_type.name().to_string();
        [rows.to_string(), name, format!("{placement:?}"), format!("{sink:?}"), format!("{steps:?}")]
    }

    /// The bytes of the column.
    pub(super) fn bytes(&self) -> u64 {
        self.rows as u64 * self.value_type.bytes()
    }
}

impl RandomQuery {
    /// Prepares the query on a device, or on the device that the session chooses.
    pub(super) fn prepare<'a>(&'a self, session: &Session, device: Option<&str>) -> Result<Run<'a>> {
        let placement = self.shape.placement;
        match (&self.values, self.shape.sink) {
            (Values::F32(column), SinkChoice::Call(call)) => {
                random_call::prepare(session, device, (call, column, placement), |row| row as f32 * 0.25 - 0.5)
            }
            (Values::F64(column), SinkChoice::Call(call)) => {
                random_call::prepare(session, device, (call, column, placement), |row| row as f64 * 0.25 - 0.5)
            }
            (Values::F32(column), _) => self.prepare_f32(session, device, column),
            (Values::F64(column), _) => self.prepare_f64(session, device, column),
            (Values::U32(column), _) => self.prepare_u32(session, device, column),
            (Values::I64(column), _) => self.prepare_i64(session, device, column),
        }
    }

    /// Pins an owned column on a device with memory of its own; whether it did.
    pub(super) fn keep_if_owned(&self, session: &Session, device: &str) -> Result<bool> {
        let is_kept = self.shape.placement == Placement::Owned && !device.starts_with("cpu");
        if is_kept {
            self.keep(session, device)?;
        }
        Ok(is_kept)
    }

    /// Copies an owned column to a device and pins it there.
    pub(super) fn keep(&self, session: &Session, device: &str) -> Result<()> {
        with_column!(&self.values, column => session.keep(column, device))
    }

    /// Releases an owned column.
    pub(super) fn release(&self, session: &Session, device: &str) -> Result<()> {
        with_column!(&self.values, column => session.release(column, device))
    }
}

fn step(random: &mut Random, is_float: bool) -> Step {
    match random.below(if is_float { 12 } else { 8 }) {
        0..=2 => Step::Scale,
        3 => Step::Divide,
        4 => Step::Clamp,
        5 => Step::Loop(1 << random.below(7)),
        6 => Step::LookUp(1 << (4 + random.below(13))),
        7 => Step::Scale,
        8 => Step::Root,
        9 => Step::Exp,
        10 => Step::Sin,
        _ => Step::Ln,
    }
}

macro_rules! family {
    ($prepare:ident, $chain:ident, $ty:ty, $step:expr) => {
        fn $chain(steps: &[Step], tables: &[Lookup<$ty>], x: Expr<$ty>) -> Expr<$ty> {
            let mut tables = tables.iter();
            steps.iter().fold(x, |x, step| $step(x, step, &mut tables))
        }

        impl RandomQuery {
            fn $prepare<'a>(
                &'a self,
                session: &Session,
                device: Option<&str>,
                column: &'a Column<$ty>,
            ) -> Result<Run<'a>> {
                let sizes = self.shape.steps.iter().filter_map(|step| match step {
                    Step::LookUp(size) => Some(*size),
                    _ => None,
                });
                let tables: Vec<Lookup<$ty>> =
                    sizes.map(|size| lookup(&(0..size).map(|i| (i % 1000) as $ty).collect::<Vec<_>>())).collect();
                let steps = self.shape.steps.clone();
                let chain = move |x: Expr<$ty>| $chain(&steps, &tables, x);
                let placement = self.shape.placement;
                macro_rules! run {
                    ($f:expr) => {{
                        let prepared = session.prepare($f)?;
                        let prepared = if let Some(device) = device { prepared.require(device) } else { prepared };
                        Ok(Box::new(move || {
                            let start = Instant::now();
                            let answer = match placement {
                                Placement::Slice => prepared.run(&column[..])?,
                                Placement::Owned => prepared.run(column)?,
                            };
                            let time = start.elapsed().as_nanos() as f64;
                            Ok(TimedCall { time, receipt: answer.receipt().clone() })
                        }))
                    }};
                }
                let bound =
                    (VALUES as f64 * if let SinkChoice::Filter(share) = self.shape.sink { share } else { 0.0 }) as $ty;
                match self.shape.sink {
                    // Calls are of floats and have no chain.
                    SinkChoice::Map | SinkChoice::Call(_) => run!(move |x: Expr<$ty>| chain(x)),
                    SinkChoice::Filter(_) => run!(move |x: Expr<$ty>| filtered(x.gt(bound), chain(x))),
                    SinkChoice::Sum => run!(move |x: Expr<$ty>| chain(x).sum()),
                    SinkChoice::FourFolds => run!(move |x: Expr<$ty>| {
                        let y = chain(x);
                        (y.min(), y.max(), y.mean(), y.count())
                    }),
                    SinkChoice::RunningSum => run!(move |x: Expr<$ty>| chain(x).running_sum()),
                    SinkChoice::RunningMax => run!(move |x: Expr<$ty>| chain(x).running_max()),
                }
            }
        }
    };
}

macro_rules! floats {
    ($prepare:ident, $chain:ident, $ty:ty) => {
        family!($prepare, $chain, $ty, |x: Expr<$ty>,
                                        step: &Step,
                                        tables: &mut std::slice::Iter<'_, Lookup<$ty>>|
         -> Expr<$ty> {
            match step {
                Step::Scale => x * 0.5 + 1.0,
                Step::Divide => (x + 2.0) / (x.abs() * 0.5 + 1.0),
                Step::Clamp => x.least(900.0).greatest(1.0),
                Step::Root => (x * x + 1.0).sqrt(),
                Step::Exp => (x.abs() * -0.01).exp() * 1000.0,
                Step::Sin => x.sin() * 500.0 + 500.0,
                Step::Ln => (x.abs() + 1.0).ln(),
                Step::Loop(count) => repeat(*count, x, |_, y| y * 0.5 + 1.0),
                Step::LookUp(size) => match tables.next() {
                    Some(table) => table.at(x.cast_saturating::<u32>() & (*size as u32 - 1)),
                    None => x,
                },
            }
        });
    };
}

macro_rules! integers {
    ($prepare:ident, $chain:ident, $ty:ty) => {
        family!($prepare, $chain, $ty, |x: Expr<$ty>,
                                        step: &Step,
                                        tables: &mut std::slice::Iter<'_, Lookup<$ty>>|
         -> Expr<$ty> {
            match step {
                Step::Divide => (x + 5) / 3,
                Step::Clamp => x.least(900).greatest(1),
                Step::Loop(count) => repeat(*count, x, |_, y| (y * 5 + 3) & 1023),
                Step::LookUp(size) => match tables.next() {
                    Some(table) => table.at(x.cast_saturating::<u32>() & (*size as u32 - 1)),
                    None => x,
                },
                _ => (x * 3 + 7) & 1023,
            }
        });
    };
}

floats!(prepare_f32, chain_f32, f32);
floats!(prepare_f64, chain_f64, f64);
integers!(prepare_u32, chain_u32, u32);
integers!(prepare_i64, chain_i64, i64);
