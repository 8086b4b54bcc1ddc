//! [`Workload`]: what a query asks of a device for each row, from its kernels alone. [`Size`]: the rows of one call,
//! where its input lies, and what is known of its tables.

use super::call_class::{CALL_CLASSES, CallClass};
use super::model::predict;
use super::profile::Profile;
use super::table_steps::{TableStep, row_bytes};
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::kernel::{Call, Estimate, Kernel, Sink};
use std::fmt;
use twox_hash::XxHash3_128;

/// The number of operation classes, in the order of `OpClass`: simple, multiply, divide, convert, elementary.
pub const CLASSES: usize = 5;

/// The maximum number of devices of a selector.
pub const ARMS_MAX: usize = 8;

/// The work of a query on a device, mostly per row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// Identifies the query across processes.
    pub key: u128,
    /// A readable name.
    pub name: String,
    /// Bytes of columns that the kernels read for each row of the source.
    pub read_per_row: f64,
    /// Bytes that the kernels write for each row of the source.
    pub written_per_row: f64,
    /// Bytes read or written regardless of the rows.
    pub fixed_bytes: f64,
    /// Operations for each row by class: simple, multiply, divide, convert, elementary.
    pub operations: [f64; CLASSES],
    /// Operations of library calls for each row of the source, by [`CallClass`].
    pub calls: [f64; CALL_CLASSES],
    /// Bytes of the source's columns for each row. A device with memory of its own needs a copy of them.
    pub input_per_row: f64,
    /// Bytes of the right matrices and weights of library calls that do not grow with the rows. They are copied like
    /// columns.
    pub input_fixed: f64,
    /// Bytes of the result for each row. A device with memory of its own copies them back.
    pub output_per_row: f64,
    /// Bytes of one row of the result.
    pub output_row_bytes: f64,
    /// The number of kernels, which run one after the other.
    pub launches: u32,
    /// The number of buffers of the result, each copied on its own: values, and validity bits of nullable columns.
    pub outputs: u32,
    /// The steps that access rows out of order: probes, gathers, and sinks that place rows.
    pub table_steps: Vec<TableStep>,
    /// Whether rows are read or written out of order: the steps above, and look-ups.
    pub random_access: bool,
    /// The sink of the last kernel.
    pub primary: &'static str,
    /// The bytes of the widest column.
    pub value_bytes: u32,
    /// Whether a kernel has loops.
    pub iterative: bool,
}

impl Workload {
    /// The workload of a query's stages.
    pub(crate) fn of(stages: &[Stage]) -> Workload {
        let mut workload = Workload { launches: stages.len() as u32, ..Workload::default() };
        let mut text = String::new();
        // The rows that each stage gives for a row of the source.
        let mut rows_out: Vec<f64> = Vec::with_capacity(stages.len());
        for stage in stages {
            text.push_str(&stage.kernel.print());
            let reads_source = stage.parts.iter().any(|part| matches!(part.input, StageInput::Source(_)));
            let rows = stage.parts.iter().map(|part| part.input).fold(0.0, |rows: f64, input| match input {
                StageInput::Source(_) => rows.max(1.0),
                // A stage of a plan of tables is described alone: its rows are those that the call is about.
                StageInput::Stage(number) => rows.max(rows_out.get(number).copied().unwrap_or(1.0)),
            });
            workload.add(&stage.kernel, reads_source, rows);
            rows_out.push(rows * growth(&stage.kernel.sink));
        }
        workload.key = XxHash3_128::oneshot(text.as_bytes());
        let names: Vec<&str> = stages.iter().map(|stage| stage.kernel.sink.name()).collect();
        workload.name = format!("{} {:08x}", names.join(", "), workload.key as u32);
        if let Some(Stage { kernel, .. }) = stages.last() {
            workload.primary = kernel.sink.name();
            let kept = if matches!(kernel.sink, Sink::Compact { .. } | Sink::Group { .. }) { KEPT_PART } else { 1.0 };
            let is_limited = matches!(kernel.sink, Sink::Reduce { .. } | Sink::Sort { limit: Some(_), .. });
            workload.output_row_bytes = Estimate::of(kernel).write_bytes_per_row / growth(&kernel.sink);
            let kept = kept * rows_out.last().copied().unwrap_or(1.0);
            workload.output_per_row = if is_limited { 0.0 } else { workload.output_row_bytes * kept };
            workload.outputs = kernel.output().iter().map(|ty| 1 + u32::from(ty.nullable)).sum();
        }
        workload
    }

    /// Adds a kernel that reads so many rows for each row of the source. A kernel that reads another's result is assumed to
    /// get all of the rows that the other one may give.
    fn add(&mut self, kernel: &Kernel, reads_source: bool, rows: f64) {
        let estimate = Estimate::of(kernel);
        // The estimate counts what is read from tables, too; steps have that.
        let read = row_bytes(kernel.columns.iter().copied()).min(estimate.read_bytes_per_row);
        self.read_per_row += rows * read;
        self.written_per_row += rows * estimate.write_bytes_per_row;
        self.fixed_bytes += estimate.fixed_bytes;
        for (class, times) in &estimate.ops_per_row {
            self.operations[*class as usize] += rows * times;
        }
        if let Sink::Call { call, value, .. } = &kernel.sink {
            self.add_call(call, rows, kernel.body.ty(*value).dtype.repr().bytes() as f64);
        }
        if reads_source {
            self.input_per_row += read;
        }
        let steps = TableStep::of(kernel);
        self.random_access |= !kernel.lists.is_empty() || !steps.is_empty();
        self.table_steps.extend(steps);
        self.iterative |= kernel.body.iter().any(|(_, inst, _)| matches!(inst, pointsman_ir::body::Inst::Loop { .. }));
        let widest = kernel.columns.iter().map(|ty| ty.dtype.repr().bytes() as u32).max();
        self.value_bytes = self.value_bytes.max(widest.unwrap_or(0));
    }

    /// Adds a library call that reads so many values of so many bytes for each row of the source: its operations and its
    /// captured table.
    pub(super) fn add_call(&mut self, call: &Call, rows: f64, value_bytes: f64) {
        let (class, operations) = CallClass::of(call, value_bytes);
        let chunks_per_row = rows / call.rows_in() as f64;
        self.calls[class as usize] += chunks_per_row * operations;
        let [one, two] = [1, 2].map(|chunks| call.table_rows(chunks) as f64 * value_bytes);
        if two > one {
            self.read_per_row += chunks_per_row * one;
            self.input_per_row += chunks_per_row * one;
        } else {
            self.fixed_bytes += one;
            self.input_fixed += one;
        }
    }

    /// The workload of library calls over values of so many bytes. They follow each other, chunk by chunk.
    pub(super) fn of_calls(calls: &[Call], value_bytes: f64) -> Workload {
        let mut workload = Workload { launches: calls.len() as u32, primary: "call", ..Workload::default() };
        let source_rows = calls.first().map_or(1, Call::rows_in) as f64;
        for call in calls {
            let [read, written] = [call.rows_in(), call.rows_out()].map(|rows| rows as f64 / source_rows);
            workload.read_per_row += read * value_bytes;
            workload.written_per_row += written * value_bytes;
            workload.output_per_row = written * value_bytes;
            workload.add_call(call, read, value_bytes);
        }
        workload.input_per_row += value_bytes;
        Workload { outputs: 1, output_row_bytes: value_bytes, value_bytes: value_bytes as u32, ..workload }
    }

    /// The predicted nanoseconds per row on a device that has the input, for many rows.
    pub(crate) fn nanoseconds_per_row(&self, profile: &Profile) -> f64 {
        const MANY: u64 = 1 << 24;
        predict(profile, self, Size::host(MANY), 0, self.output_per_row).run / MANY as f64
    }

    /// Operations for each byte that is read or written.
    pub fn intensity(&self) -> f64 {
        self.operations.iter().chain(&self.calls).sum::<f64>() / (self.read_per_row + self.written_per_row).max(1.0)
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.operations.iter().chain(&self.calls).sum::<f64>();
        let (read, written) = (self.read_per_row, self.written_per_row);
        write!(f, "{}: a row reads {read:.1} B and writes {written:.1} B, ", self.primary)?;
        write!(f, "{count:.1} operations ({:.2} a byte) on values of {} B", self.intensity(), self.value_bytes)?;
        write!(f, "; {} kernels", self.launches)?;
        f.write_str(if self.random_access { ", out of order" } else { ", in order" })?;
        f.write_str(if self.iterative { ", with loops" } else { ", without loops" })?;
        self.table_steps.iter().try_for_each(|step| write!(f, "; {step}"))?;
        let calls = CallClass::ALL.into_iter().zip(self.calls).filter(|(_, operations)| *operations > 0.0);
        { calls }.try_for_each(|(class, operations)| write!(f, "; {operations:.1} operations of {class}"))
    }
}

/// The rows that a sink gives for each row that it reads, if it keeps all of them.
fn growth(sink: &Sink) -> f64 {
    match sink {
        Sink::Call { call, .. } => call.rows_out() as f64 / call.rows_in() as f64,
        Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => 1.0,
        Sink::Sort { .. } | Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } => 1.0,
    }
}

/// The part of the rows that a filter or a group is assumed to keep until something shows it.
pub(super) const KEPT_PART: f64 = 1.0 / 3.0;

/// The part of a call's input that each device lacks, in fifteenths: four bits per device, the first device lowest. The
/// bits of devices that work in the host's memory are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Residency(pub u32);

impl Residency {
    /// All input is in the host's memory only.
    pub const HOST: Residency = Residency(u32::MAX);
    /// All input is in the memory of every device.
    pub const RESIDENT: Residency = Residency(0);

    /// The part that a device lacks, 0 to 1.
    pub fn missing(self, arm: usize) -> f64 {
        if arm >= ARMS_MAX {
            return 1.0;
        }
        f64::from((self.0 >> (4 * arm as u32)) & 15) / 15.0
    }

    /// This residency, except that a device lacks this part (0 to 1, rounded up).
    pub fn with(self, arm: usize, missing: f64) -> Residency {
        if arm >= ARMS_MAX {
            return self;
        }
        let (at, fifteenths) = (4 * arm as u32, (missing.clamp(0.0, 1.0) * 15.0).ceil() as u32);
        Residency(self.0 & !(15 << at) | fifteenths << at)
    }
}

/// A number of bytes or rows, to the power of two at or below it; or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Octave(pub u8);

impl Octave {
    /// The number is unknown.
    pub const UNKNOWN: Octave = Octave(0);
    /// The octave of the largest number.
    pub const MAX: Octave = Octave::of(u64::MAX);

    /// The octave of a number; 0 counts as 1.
    pub const fn of(number: u64) -> Octave {
        let number = if number == 0 { 1 } else { number };
        Octave(number.ilog2() as u8 + 1)
    }

    /// The middle of the octave; `None` if the number is unknown.
    pub(super) fn number(self) -> Option<f64> {
        (self != Octave::UNKNOWN).then(|| (f64::from(self.0) - 0.5).exp2())
    }
}

/// The rows of a call, the location of its input, and the known sizes of its tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Rows of its source.
    pub rows: u64,
    /// The part of the input that each device lacks.
    pub residency: Residency,
    /// Whether the input lies in page-locked host memory, so that copies need no staging.
    pub locked: bool,
    /// Whether all input belongs to owned columns, which stay on a device once they are copied there.
    pub owned: bool,
    /// The bytes of the tables that it probes and gathers from, and of the groups that it forms.
    pub working_set: Octave,
    /// The rows of its result, if they are not known from its rows.
    pub output: Octave,
}

impl Size {
    /// A call over this many rows of borrowed host memory.
    pub const fn host(rows: u64) -> Size {
        let (working_set, output) = (Octave::UNKNOWN, Octave::UNKNOWN);
        Size { rows, residency: Residency::HOST, locked: false, owned: false, working_set, output }
    }

    /// A call over this many rows that every device has.
    pub const fn resident(rows: u64) -> Size {
        Size { residency: Residency::RESIDENT, owned: true, ..Size::host(rows) }
    }

    /// This call, with all its input on a device.
    pub(crate) fn moved_to(self, device: usize) -> Size {
        Size { residency: self.residency.with(device, 0.0), ..self }
    }

    /// The half-octave of the rows: 0 for none or one, 2 for two, 3 for three, 4 for four and five.
    pub(crate) fn bucket(self) -> u8 {
        let rows = self.rows.max(1);
        let octave = rows.ilog2();
        // The upper half of an octave begins at √2 times its start: 92,682 / 2^16.
        let scaled = if octave >= 16 { rows >> (octave - 16) } else { rows << (16 - octave) };
        (2 * octave + u32::from(scaled >= 92_682)).min(BUCKETS as u32 - 1) as u8
    }

    /// The location of the input for a device.
    pub(crate) fn class(self, device: usize) -> Class {
        match ((self.residency.0 >> (4 * device as u32)) & 15, self.locked) {
            (0, _) => Class::Resident,
            (15, false) => Class::Pageable,
            (15, true) => Class::Locked,
            _ => Class::Partial,
        }
    }

    /// Where the input lies for all devices, and how large the tables are, as decisions are told apart: on each device,
    /// partly there, or on the host. A size without rows. `ignored` are the bits of devices that work in the host's
    /// memory.
    #[inline]
    pub(crate) fn placement(self, ignored: u32) -> Size {
        let bits = self.residency.0 | ignored;
        if bits == u32::MAX {
            return Size { rows: 0, residency: Residency::HOST, ..self };
        }
        let level = |device: usize| match bits >> (4 * device) & 15 {
            0 => 0,
            15 => 15,
            _ => 8,
        };
        let residency = Residency((0..ARMS_MAX).map(|device| level(device) << (4 * device)).sum());
        Size { rows: 0, residency, ..self }
    }
}

/// The number of size buckets, half-octaves of rows: up to 2^48 rows.
pub(crate) const BUCKETS: usize = 96;

/// The location of a call's input, for one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// In the device's memory.
    Resident,
    /// Partly in the device's memory.
    Partial,
    /// In pageable host memory.
    Pageable,
    /// In page-locked host memory.
    Locked,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_half_octaves() {
        for (rows, bucket) in [(0, 0), (1, 0), (2, 2), (3, 3), (4, 4), (5, 4), (6, 5), (1 << 20, 40), (1_482_912, 41)] {
            assert_eq!(Size::host(rows).bucket(), bucket, "{rows}");
        }
        assert_eq!(Size::host(u64::MAX).bucket(), BUCKETS as u8 - 1);
        let mut last = 0;
        for rows in 1..100_000 {
            let bucket = Size::host(rows).bucket();
            assert!(bucket >= last, "{rows}");
            last = bucket;
        }
    }

    #[test]
    fn features_list_the_table_steps() {
        let text = "kernel
columns c0: i64
tables t0: keys(i64) columns(f64)
  v0: i64 = column c0
  v1: u64 = probe unique_inner t0(v0)
  v2: f64 = gather t0.0 v1
sink group keys(v0) folds(sum(v2)) order hash
";
        let kernel = pointsman_ir::kernel::parse::parse(text).expect("a kernel");
        let mut workload = Workload { primary: kernel.sink.name(), launches: 1, ..Workload::default() };
        workload.add(&kernel, true, 1.0);
        assert_eq!((workload.read_per_row, workload.input_per_row), (8.0, 8.0), "what is gathered is no input");
        let expected = "out of order, without loops; searches table 0 for 8.0 B of keys; gathers 8.0 B in 1 columns of \
                        table 0; groups by 8.0 B of keys with 52.0 B of state for 1 folds";
        let features = workload.to_string();
        assert!(features.ends_with(expected), "{features}");
    }

    #[test]
    fn residency_keeps_a_part_for_each_device() {
        let residency = Residency::HOST.with(2, 0.0).with(3, 0.4);
        let parts: Vec<f64> = (0..ARMS_MAX).map(|arm| residency.missing(arm)).collect();
        assert_eq!(parts, [1.0, 1.0, 0.0, 0.4, 1.0, 1.0, 1.0, 1.0]);
        let size = Size { residency, ..Size::host(1) };
        assert_eq!([size.class(1), size.class(2), size.class(3)], [Class::Pageable, Class::Resident, Class::Partial]);
    }
}
