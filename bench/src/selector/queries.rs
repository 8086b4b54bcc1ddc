//! The works of the real grid: prepared queries over a column of singles, timed on a device that they require.

use pointsman::selector::Workload;
use pointsman::{Column, F32, Session, filtered};
use pointsman_ir::kernel::{Estimate, Sink, parse::parse};
use pointsman_ir::op::OpClass;
use std::time::Instant;

/// The names of the works.
pub const NAMES: [&str; 12] = [
    "negate",
    "poly",
    "divide",
    "root",
    "elementary",
    "sum",
    "square-sum",
    "four folds",
    "compact",
    "select few",
    "running-sum",
    "running-max",
];

/// What a run took, in nanoseconds, and how many rows its result has.
pub type Ran = pointsman::Result<(f64, usize)>;

/// Runs a query once over some values.
type Run<Values> = dyn Fn(&Values) -> Ran;

/// A query on one device: over the column itself, which may be resident, or over its values in the host's memory.
pub struct Query {
    /// Its kernel's text.
    pub kernel: String,
    column: Box<Run<Column<f32>>>,
    values: Box<Run<[f32]>>,
}

impl Query {
    /// Runs it where the column lies.
    pub fn on_column(&self, x: &Column<f32>) -> Ran {
        (self.column)(x)
    }

    /// Runs it on what is in the host's memory alone.
    pub fn on_values(&self, x: &[f32]) -> Ran {
        (self.values)(x)
    }
}

/// The work of this number on a device.
pub fn query(session: &Session, work: usize, device: &str) -> pointsman::Result<Query> {
    macro_rules! query {
        ($f:expr) => {{
            let prepared = std::rc::Rc::new(session.prepare($f)?.require(device));
            let kernel = prepared.explain().step("kernel").unwrap_or_default().to_string();
            let same = prepared.clone();
            let column = Box::new(move |x: &Column<f32>| {
                let start = Instant::now();
                let answer = prepared.run(x)?;
                Ok((start.elapsed().as_nanos() as f64, answer.receipt().rows_out()))
            });
            let values = Box::new(move |x: &[f32]| {
                let start = Instant::now();
                let answer = same.run(x)?;
                Ok((start.elapsed().as_nanos() as f64, answer.receipt().rows_out()))
            });
            Query { kernel, column, values }
        }};
    }
    Ok(match NAMES[work] {
        "negate" => query!(|x: F32| -x),
        "poly" => query!(|x: F32| x * x * 0.5 + x * 3.0 - 1.0),
        "divide" => query!(|x: F32| (x + 2.0) / (x * 0.5 + 1.0)),
        "root" => query!(|x: F32| (x * x + 1.0).sqrt()),
        "elementary" => query!(|x: F32| (-x).exp() * x.sin() + x.ln_1p()),
        "sum" => query!(|x: F32| x.sum()),
        "square-sum" => query!(|x: F32| (x * x * 0.5 + x * 3.0).sum()),
        "four folds" => query!(|x: F32| (x.min(), x.max(), x.mean(), x.count())),
        "compact" => query!(|x: F32| filtered(x.gt(50.0), x)),
        "select few" => query!(|x: F32| filtered(x.gt(99.0), x * 2.0)),
        "running-sum" => query!(|x: F32| x.running_sum()),
        _ => query!(|x: F32| x.running_max()),
    })
}

/// What a kernel's text says of a work, and the bytes of a row of its result.
pub fn workload(number: usize, text: &str) -> Result<(Workload, f64), String> {
    let kernel = parse(text).map_err(|error| format!("{}: {error}", NAMES[number]))?;
    let estimate = Estimate::of(&kernel);
    let classes = [OpClass::Simple, OpClass::Multiply, OpClass::Divide, OpClass::Convert, OpClass::Elementary];
    let output = if matches!(kernel.sink, Sink::Reduce { .. }) { 0.0 } else { estimate.write_bytes_per_row };
    let workload = Workload {
        key: number as u128 + 1,
        name: NAMES[number].to_string(),
        read_per_row: estimate.read_bytes_per_row,
        written_per_row: estimate.write_bytes_per_row,
        fixed_bytes: estimate.fixed_bytes,
        operations: classes.map(|class| estimate.ops_per_row.get(&class).copied().unwrap_or_default()),
        input_per_row: estimate.read_bytes_per_row,
        // As a query is taken to keep a third of its rows until more is known.
        output_per_row: if matches!(kernel.sink, Sink::Compact { .. }) { output / 3.0 } else { output },
        launches: 1,
        outputs: kernel.output().iter().map(|ty| 1 + u32::from(ty.nullable)).sum(),
        primary: kernel.sink.name(),
        ..Workload::default()
    };
    Ok((workload, output))
}
