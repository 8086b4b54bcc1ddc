//! Indexes, hashes, limits of memory and stops of relational kernels.

use super::super::relational::hashes_of;
use super::super::{CpuDevice, CpuOptions};
use crate::convert::{Layout, OwnedChunk, OwnedOutput};
use crate::host::BoolLayout;
use crate::launch::{ColumnInput, ColumnOutput, FaultLocation, Form, IndexInfo, IndexKeys, Launch, TableInput};
use crate::{Device, DeviceErrorKind, DeviceResult, IndexId, LaunchStatus, Outcome, Priority, ProgressObserver};
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::data::ColumnData;
use pointsman_ir::hash;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{Rng, values};
use pointsman_ir::types::{DType, Scalar, Type};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(super) fn column(ty: DType, values: impl IntoIterator<Item = i128>) -> ColumnData {
    ColumnData::from_scalars(ty.required(), values.into_iter().map(|value| Scalar::from_integer(ty.repr(), value)))
}

pub(super) fn build(device: &CpuDevice, keys: &[ColumnData], numbers: Option<&ColumnData>) -> DeviceResult<IndexInfo> {
    build_observed(device, keys, numbers, None)
}

pub(super) fn build_observed(
    device: &CpuDevice,
    keys: &[ColumnData],
    numbers: Option<&ColumnData>,
    observer: Option<&dyn ProgressObserver>,
) -> DeviceResult<IndexInfo> {
    let chunk = |column: &ColumnData| OwnedChunk::new(column, 0..column.len(), Layout::default());
    let owned: Vec<OwnedChunk> = keys.iter().chain(numbers).map(chunk).collect();
    let chunks: Vec<_> = owned.iter().map(|chunk| [chunk.chunk()]).collect();
    let inputs: Vec<ColumnInput<'_>> = chunks.iter().map(|chunk| ColumnInput::Host(chunk)).collect();
    let types: Vec<DType> = keys.iter().map(|column| column.dtype).collect();
    let (keys_in, numbers_in) = inputs.split_at(keys.len());
    let rows = keys[0].len();
    let keys = IndexKeys { keys: keys_in, types: &types, numbers: numbers_in.first().cloned(), rows };
    device.build_index(device.open_stream(Priority::Normal)?, &keys, observer)
}

/// Runs a kernel over one column of `i64`, with a table that has an index and no columns.
pub(super) fn probe(
    device: &CpuDevice,
    text: &str,
    index: Option<IndexId>,
    input: &ColumnData,
    room: usize,
    observer: Option<&dyn ProgressObserver>,
) -> DeviceResult<(Outcome, Vec<ColumnData>)> {
    probe_from(device, text, index, input, room, observer, 0)
}

/// Runs such a kernel from a match of row 0 on.
pub(super) fn probe_from(
    device: &CpuDevice,
    text: &str,
    index: Option<IndexId>,
    input: &ColumnData,
    room: usize,
    observer: Option<&dyn ProgressObserver>,
    first_match: u64,
) -> DeviceResult<(Outcome, Vec<ColumnData>)> {
    let kernel = parse(text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
    let program = device.load(&device.compile(&kernel)?)?;
    let stream = device.open_stream(Priority::Normal)?;
    let owned = OwnedChunk::new(input, 0..input.len(), Layout::default());
    let chunks = [owned.chunk()];
    let columns = [ColumnInput::Host(&chunks)];
    let table = [TableInput { index, columns: &[], rows: 0 }];
    let tables = &table[..kernel.tables.len()];
    let types = kernel.output();
    let mut results: Vec<OwnedOutput> =
        types.iter().map(|ty| OwnedOutput::new(*ty, room, BoolLayout::Bits, 0)).collect();
    let mut outputs: Vec<ColumnOutput<'_>> = results.iter_mut().map(OwnedOutput::output).collect();
    let (form, rows, outputs) = (Form::Whole, input.len(), &mut outputs[..]);
    let columns = &columns[..];
    let mut launch =
        Launch { first_row: 0, rows, first_match, form, columns, params: &[], lists: &[], tables, outputs };
    let status = match observer {
        Some(observer) => device.launch_observed(stream, program, &mut launch, observer)?,
        None => device.launch(stream, program, &mut launch)?,
    };
    let LaunchStatus::Done(outcome) = status else { panic!("launches are done when they return") };
    Ok((outcome, results.iter().map(|result| result.column(outcome.rows)).collect()))
}

const INNER: &str = "kernel
columns c0: i64
tables t0: keys(i64) columns()
  v0: i64 = column c0
  v1: u64 = probe inner t0(v0)
sink compact v0, v1
";

/// A launch whose output is full before the faulty rows says where it stopped; with room enough, the smallest faulty row
/// counts, although a key of a later row faults first.
#[test]
fn a_full_output_beats_a_later_fault() {
    let text = "kernel
columns c0: i64
tables t0: keys(i64) columns()
  v0: i64 = column c0
  v1: i64 = const 1
  v2: i64 = checked_add v0 v1
  v3: u64 = probe inner t0(v2)
  v4: i64 = div v1 v0
sink compact v4
";
    let device = CpuDevice::default();
    let index = build(&device, &[column(DType::I64, (0..101).map(|row| if row == 0 { 1 } else { 2 }))], None).unwrap();
    let value = |row: i128| match row {
        0 => 1,
        5 => 0,
        300 => i128::from(i64::MAX),
        _ => 7,
    };
    let input = column(DType::I64, (0..400).map(value));
    let outcome = |room| probe(&device, text, Some(index.id), &input, room, None).unwrap().0;
    let full = outcome(10);
    assert_eq!((full.fault, full.rows, full.consumed, full.next_match), (None, 10, 0, 10));
    assert_eq!(outcome(1000).fault, Some(FaultLocation::Row(5)));
}

#[test]
fn key_hashes_equal_the_definition() {
    let mut rng = Rng::new(1);
    let types = [DType::Bool, DType::I8, DType::U16, DType::I32, DType::F32, DType::F64, DType::I64];
    let types = types.into_iter().chain([DType::Decimal { precision: 38, scale: 2 }, DType::U64]);
    for dtype in types {
        for other in [DType::I16.nullable(), DType::Decimal { precision: 30, scale: 0 }.required()] {
            for ty in [dtype.required(), dtype.nullable()] {
                let columns = [ty, other].map(|ty: Type| values::column(&mut rng, ty, 200));
                let expected: Vec<u64> =
                    (0..200).map(|row| hash::keys(&[columns[0].get(row), columns[1].get(row)])).collect();
                assert_eq!(hashes_of(&CpuDevice::default().shared, &columns), expected, "{ty} {other}");
            }
        }
    }
}

/// Equal keys, keys that agree in their low or high bits, and keys in order: a search takes few steps, so that a hundred
/// thousand take milliseconds; a quadratic one would take minutes.
#[test]
fn adversarial_keys_cost_no_more_than_others() {
    let device = CpuDevice::default();
    let rows = 100_000i128;
    for what in ["equal", "low bits", "high bits", "pairs"] {
        let key = |row: i128| match what {
            "equal" => 7,
            "low bits" => row << 40,
            "high bits" => row,
            _ => row / 2,
        };
        let keys = column(DType::I64, (0..rows).map(key));
        let start = Instant::now();
        let index = build(&device, std::slice::from_ref(&keys), None).unwrap();
        let unique = if ["equal", "pairs"].contains(&what) { KeyUniqueness::Repeated } else { KeyUniqueness::Unique };
        assert_eq!(index.unique, unique, "{what}");
        assert_eq!(device.memory().used, index.bytes, "{what}: the index alone takes memory");
        let exists = INNER.replace("v1: u64 = probe inner", "v1: bool = probe exists");
        let (outcome, columns) = probe(&device, &exists, Some(index.id), &keys, rows as usize, None).unwrap();
        assert_eq!((outcome.rows, outcome.consumed), (rows as usize, rows as usize), "{what}");
        assert!(columns[1].iter().all(|found| found == Some(Scalar::Bool(true))), "{what}");
        device.free_index(index.id);
        assert_eq!(device.memory().used, 0, "{what}: all memory came back");
        assert!(start.elapsed() < Duration::from_secs(20), "{what}: {:?}", start.elapsed());
    }
}

#[test]
fn matches_come_in_the_order_of_the_index_and_with_its_numbers() {
    let device = CpuDevice::default();
    let keys = column(DType::I64, [5, 3, 5, 4, 5]);
    let numbers = column(DType::U64, [50, 30, 51, 40, 7]);
    let index = build(&device, &[keys], Some(&numbers)).unwrap();
    let (_, columns) = probe(&device, INNER, Some(index.id), &column(DType::I64, [4, 5, 9]), 10, None).unwrap();
    assert_eq!(columns[0], column(DType::I64, [4, 5, 5, 5]));
    assert_eq!(columns[1], column(DType::U64, [40, 50, 51, 7]));
}

#[test]
fn a_row_with_more_matches_than_room_stops_between_them() {
    let device = CpuDevice::default();
    let index = build(&device, &[column(DType::I64, [1; 100])], None).unwrap();
    let (outcome, _) = probe(&device, INNER, Some(index.id), &column(DType::I64, [2, 1, 1]), 30, None).unwrap();
    assert_eq!(outcome, Outcome { rows: 30, consumed: 1, next_match: 30, ..Outcome::default() });
    let (outcome, _) = probe(&device, INNER, Some(index.id), &column(DType::I64, [2, 1, 1]), 100, None).unwrap();
    assert_eq!(outcome, Outcome { rows: 100, consumed: 2, next_match: 0, ..Outcome::default() });
}

#[test]
fn probes_of_unfit_indexes_are_errors() {
    let device = CpuDevice::default();
    let input = column(DType::I64, [1]);
    let repeated = build(&device, &[column(DType::I64, [1, 1])], None).unwrap().id;
    let other = build(&device, &[column(DType::I32, [1])], None).unwrap().id;
    let freed = build(&device, &[column(DType::I64, [1])], None).unwrap().id;
    device.free_index(freed);
    let unique = INNER.replace("inner", "unique_inner");
    let attempts = [
        ("no index", INNER, None),
        ("a freed index", INNER, Some(freed)),
        ("keys of another type", INNER, Some(other)),
        ("repeated keys", &unique[..], Some(repeated)),
    ];
    for (what, text, index) in attempts {
        let refused = probe(&device, text, index, &input, 10, None).unwrap_err();
        assert_eq!(refused.kind, DeviceErrorKind::InvalidArgument, "{what}: {refused}");
    }
}

#[test]
fn work_beyond_the_pool_is_out_of_memory_and_leaves_nothing() {
    let device = CpuDevice::new(CpuOptions { pool_bytes: Some(4 << 20), ..CpuOptions::default() });
    let rows = 200_000;
    let values = column(DType::I64, 0..rows);
    let texts = ["sink sort keys(v0 desc nulls_first) columns(v0)", "sink group keys(v0) folds(count()) order hash"];
    for sink in texts {
        let text = format!("kernel\ncolumns c0: i64\n  v0: i64 = column c0\n{sink}\n");
        let refused = probe(&device, &text, None, &values, rows as usize, None).unwrap_err();
        assert_eq!(refused.kind, DeviceErrorKind::OutOfMemory, "{sink}");
        assert_eq!(device.memory().used, 0, "{sink}: all memory came back");
    }
    assert_eq!(build(&device, &[values], None).unwrap_err().kind, DeviceErrorKind::OutOfMemory);
    assert_eq!(device.memory().used, 0, "all memory came back");
}

/// An observer that stops a launch after some questions.
struct StopsAfter {
    questions: AtomicUsize,
    rows: AtomicUsize,
}

impl ProgressObserver for StopsAfter {
    fn should_continue(&self) -> bool {
        let left = self.questions.load(Ordering::Relaxed);
        self.questions.store(left.saturating_sub(1), Ordering::Relaxed);
        left > 0
    }

    fn rows_done(&self, rows: usize) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }
}

/// One row has ten million matches: the launch asks while it goes through them.
#[test]
fn long_expansions_stop() {
    let device = CpuDevice::new(CpuOptions { threads: Some(2), ..CpuOptions::default() });
    let index = build(&device, &[column(DType::I64, (0..4000).map(|_| 1))], None).unwrap().id;
    let input = column(DType::I64, (0..4000).map(|_| 1));
    let counted = INNER.replace("sink compact v0, v1", "sink group keys(v0) folds(count()) order hash");
    for questions in [1, 100, 1000] {
        let observer = StopsAfter { questions: AtomicUsize::new(questions), rows: AtomicUsize::new(0) };
        let stopped = probe(&device, &counted, Some(index), &input, 10, Some(&observer)).unwrap_err();
        assert_eq!(stopped.kind, DeviceErrorKind::Stopped);
        assert_eq!(observer.rows.into_inner(), 0, "rows of a launch that was stopped are not done");
    }
    let observer = StopsAfter { questions: AtomicUsize::new(usize::MAX), rows: AtomicUsize::new(0) };
    let (outcome, columns) = probe(&device, &counted, Some(index), &input, 10, Some(&observer)).unwrap();
    assert_eq!((outcome.rows, columns[1].get(0)), (1, Some(Scalar::U64(16_000_000))));
    assert_eq!(observer.rows.into_inner(), 4000);
}
