//! [`Workload`]: what the selector knows of a query before it runs, from its kernels alone. [`Size`]: what it knows of a call.

use super::model::predict;
use super::profile::Profile;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::kernel::{Estimate, Kernel, Sink, StreamingSink};
use pointsman_ir::op::OpClass;
use std::fmt;
use twox_hash::XxHash3_128;

/// How many classes of operations there are: simple, multiply, divide, convert, elementary.
pub const CLASSES: usize = 5;

/// How many kinds of sinks have costs of their own: [`SinkKind`].
pub const SINKS: usize = 5;

/// Sinks by what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinkKind {
    /// Writes a row for each row.
    Store,
    /// Folds all rows into one.
    Reduce,
    /// Writes some rows.
    Compact,
    /// Carries something along.
    Scan,
    /// The same where some rows may have no value.
    ScanWithNulls,
}

impl SinkKind {
    /// Of a kernel; `None` of those that are not told apart.
    pub fn of(kernel: &Kernel) -> Option<SinkKind> {
        Some(match kernel.sink.streaming()? {
            StreamingSink::Store { .. } => SinkKind::Store,
            StreamingSink::Reduce { .. } => SinkKind::Reduce,
            StreamingSink::Compact { .. } => SinkKind::Compact,
            StreamingSink::Scan { .. } if kernel.output().iter().any(|ty| ty.nullable) => SinkKind::ScanWithNulls,
            StreamingSink::Scan { .. } => SinkKind::Scan,
        })
    }
}

/// The most devices that a selector chooses among.
pub const ARMS_MAX: usize = 8;

/// What a query asks of a device for each row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// Tells it from all others, also in another process.
    pub key: u128,
    /// For people.
    pub name: String,
    /// Bytes that kernels read for each row of the source.
    pub read_per_row: f64,
    /// Bytes that they write for each row of the source.
    pub written_per_row: f64,
    /// Bytes read or written whatever the rows.
    pub fixed_bytes: f64,
    /// Operations for each row by class: simple, multiply, divide, convert, elementary.
    pub operations: [f64; CLASSES],
    /// Bytes of the source's columns for each row: what a device with memory of its own has to be given.
    pub input_per_row: f64,
    /// Bytes of the result for each row: what such a device has to give back.
    pub output_per_row: f64,
    /// How many kernels run one behind the other.
    pub launches: u32,
    /// How many of them have which sink, by [`SinkKind`].
    pub sinks: [u32; SINKS],
    /// How many pieces of memory the result consists of, each a copy: values, and where some may be missing their bits.
    pub outputs: u32,
    /// Whether rows are read out of order: look-ups, probes, gathers.
    pub random_access: bool,
    /// The sink of the last kernel.
    pub primary: &'static str,
    /// The bytes of the widest value that it computes with.
    pub value_bytes: u32,
    /// Whether a kernel has loops.
    pub iterative: bool,
}

impl Workload {
    /// Of the stages of a query.
    pub(crate) fn of(stages: &[Stage]) -> Workload {
        let mut workload = Workload { launches: stages.len() as u32, ..Workload::default() };
        let mut text = String::new();
        for stage in stages {
            text.push_str(&stage.kernel.print());
            workload.add(&stage.kernel, matches!(stage.input, StageInput::Source(_)));
        }
        workload.key = XxHash3_128::oneshot(text.as_bytes());
        let names: Vec<&str> = stages.iter().map(|stage| stage.kernel.sink.name()).collect();
        workload.primary = names.last().copied().unwrap_or("");
        workload.name = format!("{} {:08x}", names.join(", "), workload.key as u32);
        workload.output_per_row = stages.last().map_or(0.0, |stage| output_per_row(&stage.kernel));
        let columns = stages.last().map(|stage| stage.kernel.output()).unwrap_or_default();
        workload.outputs = columns.iter().map(|ty| 1 + u32::from(ty.nullable)).sum();
        workload
    }

    /// Adds a kernel; one behind another is taken to get all of its rows.
    fn add(&mut self, kernel: &Kernel, reads_source: bool) {
        let estimate = Estimate::of(kernel);
        self.read_per_row += estimate.read_bytes_per_row;
        self.written_per_row += estimate.write_bytes_per_row;
        self.fixed_bytes += estimate.fixed_bytes;
        if let Some(kind) = SinkKind::of(kernel) {
            self.sinks[kind as usize] += 1;
        }
        for (class, times) in &estimate.ops_per_row {
            self.operations[class_number(*class)] += times;
        }
        if reads_source {
            self.input_per_row += estimate.read_bytes_per_row;
        }
        self.random_access |= !kernel.lists.is_empty() || !kernel.tables.is_empty();
        self.iterative |= kernel.body.iter().any(|(_, inst, _)| matches!(inst, pointsman_ir::body::Inst::Loop { .. }));
        let widest = kernel.columns.iter().map(|ty| ty.dtype.repr().bytes() as u32).max();
        self.value_bytes = self.value_bytes.max(widest.unwrap_or(0));
    }

    /// What a row should take a device that has it, in nanoseconds, when there are many.
    pub(crate) fn nanoseconds_per_row(&self, profile: &Profile) -> f64 {
        const MANY: u64 = 1 << 24;
        predict(profile, self, Size::host(MANY), 0, self.output_per_row).run / MANY as f64
    }

    /// Operations for each byte that is read or written.
    pub fn intensity(&self) -> f64 {
        self.operations.iter().sum::<f64>() / (self.read_per_row + self.written_per_row).max(1.0)
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (read, written, count) = (self.read_per_row, self.written_per_row, self.operations.iter().sum::<f64>());
        write!(f, "{}: a row reads {read:.1} B and writes {written:.1} B, ", self.primary)?;
        write!(f, "{count:.1} operations ({:.2} a byte) on values of {} B", self.intensity(), self.value_bytes)?;
        write!(f, "; {} kernels", self.launches)?;
        f.write_str(if self.random_access { ", out of order" } else { ", in order" })?;
        f.write_str(if self.iterative { ", with loops" } else { ", without loops" })
    }
}

/// The number of a class among [`CLASSES`].
pub(crate) fn class_number(class: OpClass) -> usize {
    match class {
        OpClass::Simple => 0,
        OpClass::Multiply => 1,
        OpClass::Divide => 2,
        OpClass::Convert => 3,
        OpClass::Elementary => 4,
    }
}

/// The part of the rows that a filter is taken to keep until it is known.
const KEPT_PART: f64 = 1.0 / 3.0;

/// Bytes of a kernel's result for each row that it reads; a guess where that depends on the rows.
fn output_per_row(kernel: &Kernel) -> f64 {
    if kernel.sink.output_rows_max(usize::MAX) < usize::MAX {
        return 0.0;
    }
    let kept = if matches!(kernel.sink, Sink::Compact { .. }) { KEPT_PART } else { 1.0 };
    Estimate::of(kernel).write_bytes_per_row * kept
}

/// The part of a call's input that each device has to be given, in fifteenths: four bits a device, the first lowest.
/// Devices that work in the host's memory need nothing, whatever it says of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Residency(pub u32);

impl Residency {
    /// Everything is in the host's memory alone.
    pub const HOST: Residency = Residency(u32::MAX);
    /// Everything is in the memory of every device.
    pub const RESIDENT: Residency = Residency(0);

    /// The part that a device has to be given, 0 to 1.
    pub fn missing(self, arm: usize) -> f64 {
        f64::from((self.0 >> (4 * arm as u32)) & 15) / 15.0
    }

    /// The same where this part, 0 to 1, is missing at a device; rounded up.
    pub fn with(self, arm: usize, missing: f64) -> Residency {
        let (at, fifteenths) = (4 * arm as u32, (missing.clamp(0.0, 1.0) * 15.0).ceil() as u32);
        Residency(self.0 & !(15 << at) | fifteenths << at)
    }
}

/// What is known of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Rows of its source.
    pub rows: u64,
    /// What of its input each device has already.
    pub residency: Residency,
    /// Whether its input stays where it is in the host's memory, so that copies need no staging.
    pub locked: bool,
}

impl Size {
    /// So many rows in the host's memory.
    pub fn host(rows: u64) -> Size {
        Size { rows, residency: Residency::HOST, locked: false }
    }

    /// So many rows that every device has.
    pub fn resident(rows: u64) -> Size {
        Size { rows, residency: Residency::RESIDENT, locked: false }
    }

    /// The middle of a half-octave, the input lying so for every device.
    pub(crate) fn of(class: Class, bucket: u8) -> Size {
        let residency = match class {
            Class::There => Residency::RESIDENT,
            Class::Partly => Residency(0x8888_8888),
            Class::Pageable | Class::Locked => Residency::HOST,
        };
        let rows = 2f64.powf(f64::from(bucket) / 2.0 + 0.25) as u64;
        Size { rows, residency, locked: class == Class::Locked }
    }

    /// The half-octave of the rows: 0 for none or one, 2 for two, 3 for three, 4 for four and five.
    pub(crate) fn bucket(self) -> usize {
        let rows = self.rows.max(1);
        let octave = rows.ilog2();
        // The upper half of an octave begins at √2 times its start: 46,341 / 2^15.
        let scaled = if octave >= 16 { rows >> (octave - 16) } else { rows << (16 - octave) };
        (2 * octave as usize + usize::from(scaled >= 92_682)).min(BUCKETS - 1)
    }

    /// How its input lies for a device: whether that has it, and how it is copied if not.
    pub(crate) fn class(self, arm: usize) -> Class {
        match ((self.residency.0 >> (4 * arm as u32)) & 15, self.locked) {
            (0, _) => Class::There,
            (15, false) => Class::Pageable,
            (15, true) => Class::Locked,
            _ => Class::Partly,
        }
    }
}

/// How many half-octaves of rows are told apart: up to 2^48 rows.
pub(crate) const BUCKETS: usize = 96;

/// How the input of a call lies for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// The device has it.
    There,
    /// It has some of it.
    Partly,
    /// All is in memory that the system may move.
    Pageable,
    /// All is in memory that stays where it is.
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
        assert_eq!(Size::host(u64::MAX).bucket(), BUCKETS - 1);
        let mut last = 0;
        for rows in 1..100_000 {
            let bucket = Size::host(rows).bucket();
            assert!(bucket >= last, "{rows}");
            last = bucket;
        }
    }

    #[test]
    fn residency_keeps_a_part_for_each_device() {
        let residency = Residency::HOST.with(2, 0.0).with(3, 0.4);
        let parts: Vec<f64> = (0..ARMS_MAX).map(|arm| residency.missing(arm)).collect();
        assert_eq!(parts, [1.0, 1.0, 0.0, 0.4, 1.0, 1.0, 1.0, 1.0]);
        let size = Size { rows: 1, residency, locked: false };
        assert_eq!([size.class(1), size.class(2), size.class(3)], [Class::Pageable, Class::There, Class::Partly]);
    }
}
