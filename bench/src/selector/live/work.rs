//! Random work: a chain of operations and a sink over one column, and where the column lies.

use crate::selector::dice::Dice;
use pointsman::Receipt;
use pointsman::{Column, Expr, Lookup, Result, Session, filtered, lookup, repeat};
use std::fmt;
use std::time::Instant;

/// The bounds of rows; sizes are log-uniform between them.
const ROWS_MIN: f64 = 1e3;
/// Most rows have values below this.
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
}

/// The type of the values.
#[derive(Clone, Copy, Debug)]
enum ValueType {
    F32,
    F64,
    U32,
    I64,
}

/// Where the column lies when a query names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// A borrowed slice: it is copied for every run on a card.
    Slice,
    /// A column of the session's own kind, which may stay on a card.
    Owned,
}

/// A query that can be run again and again: nanoseconds and the receipt.
pub(super) type Run<'a> = Box<dyn Fn() -> Result<(f64, Receipt)> + 'a>;

/// A random query over random data.
pub(super) struct Work {
    steps: Vec<Step>,
    sink: SinkChoice,
    pub(super) rows: usize,
    pub(super) placement: Placement,
    values: Values,
}

enum Values {
    F32(Column<f32>),
    F64(Column<f64>),
    U32(Column<u32>),
    I64(Column<i64>),
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ty = match self.values {
            Values::F32(_) => "f32",
            Values::F64(_) => "f64",
            Values::U32(_) => "u32",
            Values::I64(_) => "i64",
        };
        write!(f, "{} rows of {ty}, {:?}, {:?}, {:?}", self.rows, self.placement, self.steps, self.sink)
    }
}

impl Work {
    /// Draws a query and its data.
    pub(super) fn draw(dice: &mut Dice, rows_max: f64) -> Work {
        let rows = dice.between(ROWS_MIN.ln(), rows_max.ln()).exp() as usize;
        let ty = [ValueType::F32, ValueType::F64, ValueType::U32, ValueType::I64][dice.below(4)];
        let is_float = matches!(ty, ValueType::F32 | ValueType::F64);
        let count = 1 + (dice.unit() * dice.unit() * 10.0) as usize;
        let steps = (0..count).map(|_| step(dice, is_float)).collect();
        let sink = match dice.below(6) {
            0 => SinkChoice::Map,
            1 => SinkChoice::Filter(dice.unit()),
            // Sums of many `u32` do not fit the type.
            2 if !matches!(ty, ValueType::U32) => SinkChoice::Sum,
            2 | 3 => SinkChoice::FourFolds,
            4 if !matches!(ty, ValueType::U32) => SinkChoice::RunningSum,
            _ => SinkChoice::RunningMax,
        };
        let placement = if dice.chance(0.5) { Placement::Slice } else { Placement::Owned };
        let mut value = || (dice.unit() * VALUES as f64) as u32;
        let values = match ty {
            ValueType::F32 => Values::F32((0..rows).map(|_| value() as f32).collect::<Vec<_>>().into()),
            ValueType::F64 => Values::F64((0..rows).map(|_| f64::from(value())).collect::<Vec<_>>().into()),
            ValueType::U32 => Values::U32((0..rows).map(|_| value()).collect::<Vec<_>>().into()),
            ValueType::I64 => Values::I64((0..rows).map(|_| i64::from(value())).collect::<Vec<_>>().into()),
        };
        Work { steps, sink, rows, placement, values }
    }

    /// Prepares the query, on a device or on the one that the session chooses.
    pub(super) fn prepare<'a>(&'a self, session: &Session, device: Option<&str>) -> Result<Run<'a>> {
        match &self.values {
            Values::F32(column) => self.prepare_floats_f32(session, device, column),
            Values::F64(column) => self.prepare_floats_f64(session, device, column),
            Values::U32(column) => self.prepare_integers_u32(session, device, column),
            Values::I64(column) => self.prepare_integers_i64(session, device, column),
        }
    }

    /// Keeps an owned column on a device with memory of its own; whether it does.
    pub(super) fn keep_if_owned(&self, session: &Session, device: &str) -> Result<bool> {
        let is_kept = self.placement == Placement::Owned && !device.starts_with("cpu");
        if is_kept {
            self.keep(session, device)?;
        }
        Ok(is_kept)
    }

    /// Copies an owned column to a device for good; how long that took in nanoseconds.
    pub(super) fn keep(&self, session: &Session, device: &str) -> Result<f64> {
        let start = Instant::now();
        match &self.values {
            Values::F32(column) => session.keep(column, device)?,
            Values::F64(column) => session.keep(column, device)?,
            Values::U32(column) => session.keep(column, device)?,
            Values::I64(column) => session.keep(column, device)?,
        }
        Ok(start.elapsed().as_nanos() as f64)
    }

    /// Releases an owned column.
    pub(super) fn release(&self, session: &Session, device: &str) -> Result<()> {
        match &self.values {
            Values::F32(column) => session.release(column, device),
            Values::F64(column) => session.release(column, device),
            Values::U32(column) => session.release(column, device),
            Values::I64(column) => session.release(column, device),
        }
    }
}

fn step(dice: &mut Dice, is_float: bool) -> Step {
    match dice.below(if is_float { 12 } else { 8 }) {
        0..=2 => Step::Scale,
        3 => Step::Divide,
        4 => Step::Clamp,
        5 => Step::Loop(1 << dice.below(7)),
        6 => Step::LookUp(1 << (4 + dice.below(13))),
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

        impl Work {
            fn $prepare<'a>(
                &'a self,
                session: &Session,
                device: Option<&str>,
                column: &'a Column<$ty>,
            ) -> Result<Run<'a>> {
                let sizes = self.steps.iter().filter_map(|step| match step {
                    Step::LookUp(size) => Some(*size),
                    _ => None,
                });
                let tables: Vec<Lookup<$ty>> =
                    sizes.map(|size| lookup(&(0..size).map(|i| (i % 1000) as $ty).collect::<Vec<_>>())).collect();
                let steps = self.steps.clone();
                let chain = move |x: Expr<$ty>| $chain(&steps, &tables, x);
                let placement = self.placement;
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
                            Ok((time, answer.receipt().clone()))
                        }))
                    }};
                }
                let bound =
                    (VALUES as f64 * if let SinkChoice::Filter(share) = self.sink { share } else { 0.0 }) as $ty;
                match self.sink {
                    SinkChoice::Map => run!(move |x: Expr<$ty>| chain(x)),
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

floats!(prepare_floats_f32, chain_f32, f32);
floats!(prepare_floats_f64, chain_f64, f64);
integers!(prepare_integers_u32, chain_u32, u32);
integers!(prepare_integers_i64, chain_i64, i64);
