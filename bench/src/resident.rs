//! Columns that stay on a device, and kernels run over them: timed on the device by events, or by the wall clock.

use crate::works::{Work, work};
use pointsman_device::host::BoolLayout;
use pointsman_device::launch::capacity;
use pointsman_device::{
    BufferId, BufferRange, ColumnInput, ColumnOutput, Device, DeviceError, Form, Launch, LaunchStatus, Outcome,
    Priority, ProgramId, StreamId, convert::value_bytes,
};
use pointsman_ir::types::{DType, Repr, Scalar, Type};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a launch may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// How many values of a result a check shows.
pub const SAMPLES: usize = 64;

/// A result, or why there is none.
pub type Answered<T> = Result<T, String>;

/// A device with columns on it and programs for works over them.
pub struct Bench {
    device: Arc<dyn Device>,
    stream: StreamId,
    columns: BTreeMap<String, Column>,
    runs: BTreeMap<String, Run>,
}

/// A column on the device.
#[derive(Clone, Copy)]
struct Column {
    ty: Type,
    rows: usize,
    buffer: BufferId,
}

/// A work over columns, with room for its results.
struct Run {
    work: Work,
    program: ProgramId,
    columns: Vec<Column>,
    outputs: Vec<Column>,
    outcome: Outcome,
}

fn text(error: DeviceError) -> String {
    error.to_string()
}

/// The values' type: `f32`, `i64`, …
fn dtype(name: &str) -> Answered<DType> {
    match name {
        "f32" => Ok(DType::F32),
        "f64" => Ok(DType::F64),
        "i32" => Ok(DType::I32),
        "i64" => Ok(DType::I64),
        other => Err(format!("there are no columns of `{other}` here")),
    }
}

impl Column {
    fn range(&self, rows: usize) -> BufferRange {
        let bytes = value_bytes(self.ty, BoolLayout::Bits, rows) as u64;
        BufferRange { buffer: self.buffer, offset: 0, bytes }
    }

    fn input(&self) -> ColumnInput<'static> {
        ColumnInput::Device { values: self.range(self.rows), validity: None, rows: self.rows }
    }
}

impl Bench {
    /// Nothing on this device yet.
    pub fn open(device: Arc<dyn Device>) -> Answered<Bench> {
        let stream = device.open_stream(Priority::Normal).map_err(text)?;
        Ok(Bench { device, stream, columns: BTreeMap::new(), runs: BTreeMap::new() })
    }

    /// The device.
    pub fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Runs a work over columns (`FILE:TYPE`, each a file of numbers) this often; milliseconds of each run between two
    /// events on the device.
    pub fn events(&mut self, name: &str, columns: &[&str], times: usize) -> Answered<Vec<f64>> {
        let mut run = self.take_run(name, columns)?;
        let timed = (0..times).map(|_| self.between_events(&mut run)).collect();
        self.runs.insert(key(name, columns), run);
        timed
    }

    /// The same by the wall clock, from the launch to the knowledge that it is done.
    pub fn wall(&mut self, name: &str, columns: &[&str], times: usize) -> Answered<Vec<f64>> {
        let mut run = self.take_run(name, columns)?;
        let timed = (0..times).map(|_| {
            let start = Instant::now();
            self.launch(&mut run)?;
            Ok(start.elapsed().as_secs_f64() * 1e3)
        });
        let timed = timed.collect();
        self.runs.insert(key(name, columns), run);
        timed
    }

    /// What the last run of a work gave: rows, the sum of all values, and some of them, from the first to the last.
    pub fn check(&mut self, name: &str, columns: &[&str]) -> Answered<(usize, f64, Vec<f64>)> {
        let run = self.take_run(name, columns)?;
        let rows = run.outcome.rows;
        let values = match run.outputs.first() {
            Some(column) => self.values(column, rows),
            None => Err("a work without results".to_string()),
        };
        self.runs.insert(key(name, columns), run);
        let values = values?;
        let at = |sample: usize| if rows < 2 { 0 } else { sample * (rows - 1) / (SAMPLES - 1) };
        let samples = (0..SAMPLES.min(rows)).map(|sample| values[at(sample)]).collect();
        Ok((rows, sum_of(&values), samples))
    }

    /// Puts numbers on the device as a column that goes by this name instead of a file's, for works over `NAME:TYPE`.
    pub fn put(&mut self, name: &str, dtype: DType, numbers: &[u8]) -> Answered<()> {
        self.column(name, dtype, numbers).map(drop)
    }

    /// Frees everything on the device.
    pub fn clear(&mut self) {
        let outputs = std::mem::take(&mut self.runs).into_values();
        for run in outputs {
            self.device.unload(run.program);
            run.outputs.iter().for_each(|column| self.device.free(column.buffer));
        }
        std::mem::take(&mut self.columns).values().for_each(|column| self.device.free(column.buffer));
    }

    /// A run out of those known, or a new one that ran twice already.
    fn take_run(&mut self, name: &str, columns: &[&str]) -> Answered<Run> {
        if let Some(run) = self.runs.remove(&key(name, columns)) {
            return Ok(run);
        }
        let mut run = self.new_run(name, columns)?;
        for _ in 0..2 {
            self.launch(&mut run)?;
        }
        Ok(run)
    }

    fn new_run(&mut self, name: &str, columns: &[&str]) -> Answered<Run> {
        let split = |column: &'_ str| column.rsplit_once(':').map(|(file, ty)| (file.to_string(), ty.to_string()));
        let named: Vec<(String, String)> = columns
            .iter()
            .map(|column| split(column).ok_or("a column is `FILE:TYPE`".to_string()))
            .collect::<Result<_, _>>()?;
        let types: Vec<&str> = named.iter().map(|(_, ty)| ty.as_str()).collect();
        let work = work(name, &types)?;
        self.device.supports(&work.kernel).map_err(text)?;
        let image = self.device.compile(&work.kernel).map_err(text)?;
        let program = self.device.load(&image).map_err(text)?;
        let columns = named.iter().map(|(file, ty)| self.load(file, dtype(ty)?)).collect::<Answered<Vec<_>>>()?;
        let rows = columns.first().map_or(0, |column| column.rows);
        let room = capacity(&work.kernel, Form::Whole, rows).0;
        let outputs = work.kernel.output().into_iter().map(|ty| self.room(ty, room)).collect::<Answered<_>>()?;
        Ok(Run { work, program, columns, outputs, outcome: Outcome::default() })
    }

    fn room(&self, ty: Type, rows: usize) -> Answered<Column> {
        let buffer = self.device.allocate(value_bytes(ty, BoolLayout::Bits, rows).max(16)).map_err(text)?;
        Ok(Column { ty, rows, buffer })
    }

    /// A file's numbers as a column on the device.
    fn load(&mut self, file: &str, dtype: DType) -> Answered<Column> {
        if let Some(column) = self.columns.get(file) {
            return Ok(*column);
        }
        let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        self.column(file, dtype, &bytes)
    }

    /// Numbers as a column on the device.
    fn column(&mut self, name: &str, dtype: DType, numbers: &[u8]) -> Answered<Column> {
        let column = self.room(dtype.required(), numbers.len() / dtype.repr().bytes())?;
        self.device.upload(self.stream, numbers, column.range(column.rows)).map_err(text)?;
        self.columns.insert(name.to_string(), column);
        Ok(column)
    }

    fn between_events(&self, run: &mut Run) -> Answered<f64> {
        let before = self.device.record(self.stream).map_err(text)?;
        let pending = self.queue(run)?;
        let after = self.device.record(self.stream).map_err(text)?;
        self.finish(run, pending)?;
        while self.device.event_status(after).map_err(text)? == pointsman_device::EventStatus::Pending {
            std::thread::yield_now();
        }
        let elapsed = self.device.elapsed(before, after).map_err(text)?;
        self.device.forget_event(before);
        self.device.forget_event(after);
        Ok(elapsed.as_secs_f64() * 1e3)
    }

    fn launch(&self, run: &mut Run) -> Answered<()> {
        let pending = self.queue(run)?;
        self.finish(run, pending)
    }

    fn queue(&self, run: &mut Run) -> Answered<LaunchStatus> {
        let inputs: Vec<ColumnInput<'_>> = run.columns.iter().map(Column::input).collect();
        let (columns, lists) = inputs.split_at(run.work.kernel.columns.len());
        let output = |column: &Column| ColumnOutput::Device { values: column.range(column.rows), validity: None };
        let mut outputs: Vec<ColumnOutput<'_>> = run.outputs.iter().map(output).collect();
        let mut launch = Launch {
            first_row: 0,
            first_match: 0,
            rows: run.columns.first().map_or(0, |column| column.rows),
            form: Form::Whole,
            columns,
            params: &run.work.params,
            lists,
            tables: &[],
            outputs: &mut outputs,
        };
        self.device.launch(self.stream, run.program, &mut launch).map_err(text)
    }

    fn finish(&self, run: &mut Run, pending: LaunchStatus) -> Answered<()> {
        run.outcome = match pending {
            LaunchStatus::Done(outcome) => outcome,
            LaunchStatus::Running(id) => self.device.finish(id, PATIENCE).map_err(text)?,
        };
        run.outcome.fault.map_or(Ok(()), |fault| Err(format!("the work failed: {fault:?}")))
    }

    /// A column's first values.
    fn values(&self, column: &Column, rows: usize) -> Answered<Vec<f64>> {
        let range = column.range(rows);
        let mut bytes = vec![0; range.bytes as usize];
        if !bytes.is_empty() {
            self.device.download(self.stream, range, &mut bytes, PATIENCE).map_err(text)?;
        }
        let repr = column.ty.dtype.repr();
        Ok(bytes.chunks_exact(repr.bytes()).map(|value| number(repr, value)).collect())
    }
}

fn key(name: &str, columns: &[&str]) -> String {
    format!("{name} {}", columns.join(" "))
}

/// A value as a double.
fn number(repr: Repr, bytes: &[u8]) -> f64 {
    let mut wide = [0; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    match Scalar::from_bits(repr, u128::from_le_bytes(wide)) {
        Scalar::Bool(value) => f64::from(u8::from(value)),
        Scalar::I8(value) => value.into(),
        Scalar::I16(value) => value.into(),
        Scalar::I32(value) => value.into(),
        Scalar::I64(value) => value as f64,
        Scalar::U8(value) => value.into(),
        Scalar::U16(value) => value.into(),
        Scalar::U32(value) => value.into(),
        Scalar::U64(value) => value as f64,
        Scalar::F32(value) => value.into(),
        Scalar::F64(value) => value,
        Scalar::I128(value) => value as f64,
    }
}

/// The sum with what each step rounds away added back: the last of 2^28 numbers counts as much as the first.
fn sum_of(values: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0, 0.0);
    for &value in values {
        let next: f64 = sum + value;
        lost += if f64::abs(sum) >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}
