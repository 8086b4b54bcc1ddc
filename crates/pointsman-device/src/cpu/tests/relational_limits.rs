//! Limits of relational launches and of index builds: too little memory, and observers that stop them.

use super::super::{CpuDevice, CpuOptions};
use super::relational::{build, build_observed, column, probe};
use crate::launch::IndexInfo;
use crate::{Device, DeviceErrorKind, DeviceResult, ProgressObserver};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::types::{DType, Scalar};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A launch over one column that probes an index over 1,000 keys, or only the build of an index over the column.
struct Work {
    name: &'static str,
    /// The kernel behind its two columns of values: `v0` from the input, `v1` found in the index.
    kernel: Option<(&'static str, &'static str)>,
    rows: usize,
    room: usize,
}

const WORK: [Work; 11] = [
    Work { name: "build", kernel: None, rows: 200_000, room: 0 },
    Work { name: "append", kernel: Some(("inner", "sink compact v0, v1")), rows: 200_000, room: 200_000 },
    Work { name: "compact", kernel: Some(("unique_inner", "sink compact v0, v1")), rows: 200_000, room: 200_000 },
    Work { name: "store", kernel: Some(("unique_left", "sink store v0, v1")), rows: 200_000, room: 200_000 },
    Work { name: "reduce", kernel: Some(("inner", "sink reduce max(v0), count(v1)")), rows: 200_000, room: 1 },
    Work {
        name: "group",
        kernel: Some(("unique_left", "sink group keys(v0) folds(count(), max(v1)) order hash")),
        rows: 200_000,
        room: 200_000,
    },
    Work {
        name: "group with little room",
        kernel: Some(("unique_left", "sink group keys(v0) folds(count()) order hash")),
        rows: 200_000,
        room: 100_000,
    },
    Work {
        name: "group in order",
        kernel: Some(("unique_left", "v2: u64 = row_index\nsink group keys(v0) folds(min(v1)) order least v2")),
        rows: 500_000,
        room: 500_000,
    },
    Work {
        name: "sort",
        kernel: Some(("unique_left", "sink sort keys(v1 desc nulls_first, v0 asc nulls_last) columns(v0)")),
        rows: 200_000,
        room: 200_000,
    },
    Work {
        name: "top",
        kernel: Some(("unique_left", "sink sort keys(v0 desc nulls_last) columns(v0, v1) limit 1000")),
        rows: 900_000,
        room: 1000,
    },
    Work {
        name: "partition",
        kernel: Some(("unique_left", "sink partition hash(v0) bits 4 columns(v0, v1)")),
        rows: 200_000,
        room: 200_000,
    },
];

impl Work {
    fn input(&self) -> ColumnData {
        let odd = 0x9e37_79b9_7f4a_7c15u64;
        column(DType::I64, (0..self.rows as u64).map(|row| (row.wrapping_mul(odd) >> 20).into()))
    }

    /// The index that the kernel probes.
    fn index(&self, device: &CpuDevice) -> DeviceResult<Option<IndexInfo>> {
        let keys = |kind: &str| {
            let found = if kind == "inner" { self.rows } else { 1000 };
            build(device, &[ColumnData::slice(&self.input(), 0..found)], None)
        };
        self.kernel.map(|(kind, _)| keys(kind)).transpose()
    }

    /// Runs it; the results, which are the number of distinct keys for a build.
    fn run(
        &self,
        device: &CpuDevice,
        index: Option<IndexInfo>,
        input: &ColumnData,
        observer: Option<&dyn ProgressObserver>,
    ) -> DeviceResult<Vec<ColumnData>> {
        let Some((kind, sink)) = self.kernel else {
            let built = build_observed(device, std::slice::from_ref(input), None, observer)?;
            device.free_index(built.id);
            return Ok(vec![column(DType::U64, [built.distinct as i128])]);
        };
        let found = if kind.ends_with("left") { "u64?" } else { "u64" };
        let text = format!(
            "kernel\ncolumns c0: i64\ntables t0: keys(i64) columns()\n  v0: i64 = column c0\n  \
             v1: {found} = probe {kind} t0(v0)\n{sink}\n"
        );
        let (outcome, columns) = probe(device, &text, index.map(|index| index.id), input, self.room, observer)?;
        assert_eq!(outcome.fault, None, "{}", self.name);
        Ok(columns)
    }
}

fn device(pool_bytes: Option<usize>) -> CpuDevice {
    CpuDevice::new(CpuOptions { threads: Some(2), pool_bytes, poison: true, ..CpuOptions::default() })
}

/// With any limit, work ends with its result or with the error that memory ran out, and gives all memory back.
#[test]
fn little_memory_is_an_error_that_leaves_nothing() {
    for work in &WORK {
        let (input, plenty) = (work.input(), device(None));
        let expected = work.run(&plenty, work.index(&plenty).unwrap(), &input, None).unwrap();
        let (mut limit, mut refused) = (1 << 12, 0);
        loop {
            let device = device(Some(limit));
            let index = work.index(&device).ok();
            let result = match index {
                Some(index) => work.run(&device, index, &input, None),
                None => build(&device, std::slice::from_ref(&input), None).map(|_| Vec::new()),
            };
            let held = index.flatten().map_or(0, |index| index.bytes);
            assert_eq!(device.memory().used, held, "{} with {limit} bytes: memory came back", work.name);
            match result {
                Ok(result) => {
                    assert_eq!(result, expected, "{} with {limit} bytes", work.name);
                    break;
                }
                Err(error) => assert_eq!(error.kind, DeviceErrorKind::OutOfMemory, "{}: {error}", work.name),
            }
            refused += usize::from(index.is_some());
            limit += limit / 3;
        }
        assert!(refused > 0, "{}: {refused} refusals", work.name);
        assert!(limit > work.rows * 8, "{}: {limit} bytes for {} rows", work.name, work.rows);
    }
}

/// An observer that counts questions, and says no from some question on.
struct Questions {
    asked: AtomicUsize,
    until: usize,
}

impl ProgressObserver for Questions {
    fn should_continue(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) < self.until
    }

    fn rows_done(&self, _rows: usize) {}
}

/// Work asks often, and every answer can stop it.
#[test]
fn every_question_can_stop() {
    for work in &WORK {
        let (input, device) = (work.input(), device(None));
        let index = work.index(&device).unwrap();
        let held = device.memory().used;
        let ask = |until: usize| {
            let questions = Questions { asked: AtomicUsize::new(0), until };
            let result = work.run(&device, index, &input, Some(&questions));
            (questions.asked.into_inner(), result.map(drop))
        };
        let (asked, result) = ask(usize::MAX);
        result.unwrap();
        assert!(asked > work.rows / 8192, "{}: {asked} questions for {} rows", work.name, work.rows);
        // A few questions depend on which thread takes which task.
        for until in [0, 1, asked / 4, asked / 2, asked * 3 / 4, asked * 9 / 10] {
            let (_, stopped) = ask(until);
            let kind = stopped.map_err(|error| error.kind);
            assert_eq!(kind, Err(DeviceErrorKind::Stopped), "{}: question {until} of {asked}", work.name);
            assert_eq!(device.memory().used, held, "{}: memory came back", work.name);
        }
    }
}

/// A launch that goes on in the middle of a row's matches neither makes nor counts the earlier ones.
#[test]
fn a_resumed_row_costs_as_much_as_its_room() {
    let device = device(None);
    let index = build(&device, &[column(DType::I64, (0..2_000_000).map(|_| 1))], None).unwrap().id;
    let input = column(DType::I64, [1, 2, 1]);
    let text = "kernel
columns c0: i64
tables t0: keys(i64) columns()
  v0: i64 = column c0
  v1: u64 = probe inner t0(v0)
sink compact v1
";
    for first_match in [1, 1_234_567, 1_999_990] {
        let questions = Questions { asked: AtomicUsize::new(0), until: usize::MAX };
        let (outcome, columns) =
            super::relational::probe_from(&device, text, Some(index), &input, 100, Some(&questions), first_match)
                .unwrap();
        let first = outcome.rows.min(2_000_000 - first_match as usize);
        for (row, number) in [(0, first_match), (first - 1, first_match + first as u64 - 1)] {
            assert_eq!(columns[0].get(row), Some(Scalar::U64(number)), "from {first_match}");
        }
        let after = if first_match + 100 < 2_000_000 { (0, first_match + 100) } else { (2, 90) };
        assert_eq!((outcome.rows, outcome.consumed, outcome.next_match), (100, after.0, after.1));
        let asked = questions.asked.into_inner();
        assert!(asked < 150, "{asked} questions for 100 rows behind match {first_match}");
    }
}

/// Groups that fit exactly, and one less room: the launch stops at the first row of the group that does not fit.
#[test]
fn groups_up_to_the_room_are_taken() {
    let device = device(None);
    let rows = 600_000;
    let input = column(DType::I64, (0..rows).map(|row| if row == rows - 10 { -1 } else { row % 5000 }));
    let text = "kernel\ncolumns c0: i64\n  v0: i64 = column c0\nsink group keys(v0) folds(count()) order hash\n";
    for (room, groups, consumed) in
        [(5001, 5001, rows), (5000, 5000, rows - 10), (4999, 4999, 4999), (1, 1, 1), (700_000, 5001, rows)]
    {
        let (outcome, columns) = probe(&device, text, None, &input, room, None).unwrap();
        assert_eq!((outcome.rows, outcome.consumed as i128), (groups, consumed), "room for {room}");
        let counted = columns[1].iter().map(|count| count.map_or(0, |count| count.bits())).sum::<u128>();
        assert_eq!(counted as i128, consumed, "room for {room}");
    }
}

#[test]
fn indexes_count_their_distinct_keys() {
    let device = device(None);
    for (rows, distinct) in [(0, 0), (1, 1), (100_000, 100_000), (100_000, 777), (100_000, 1)] {
        let keys = column(DType::I64, (0..rows).map(|row| if distinct == rows { row } else { row % distinct }));
        let built = build(&device, &[keys], None).unwrap();
        assert_eq!(built.distinct as i128, distinct, "{rows} rows");
    }
}

/// The memory of launches whose results take none does not grow with their rows, and rows in several segments are written
/// where they belong, bits too.
#[test]
fn segments_bound_the_memory_and_end_anywhere() {
    let compare = "v2: i64 = const 700\nv3: bool = lt v0 v2\n";
    let found = "v4: bool = is_null v1\nv5: bool = not v4\nmask v5\n";
    let cases = [
        ("unique_left", format!("{compare}sink store v0, v3, v1"), true),
        ("unique_left", format!("{compare}{found}sink compact v0, v3, v1"), false),
        ("unique_inner", format!("{compare}sink compact v0, v3"), false),
        ("unique_inner", "sink compact v0, v1".to_string(), false),
        ("inner", "sink compact v0, v1".to_string(), false),
    ];
    for (kind, sink, keeps_all) in &cases {
        let found = if kind.ends_with("left") { "u64?" } else { "u64" };
        let text = format!(
            "kernel\ncolumns c0: i64\ntables t0: keys(i64) columns()\n  v0: i64 = column c0\n  \
             v1: {found} = probe {kind} t0(v0)\n{sink}\n"
        );
        let peak = |rows: i128| {
            let device = device(None);
            let index = build(&device, &[column(DType::I64, 0..1000)], None).unwrap().id;
            let input = column(DType::I64, (0..rows).map(|row| row % 1501));
            let (outcome, columns) = probe(&device, &text, Some(index), &input, rows as usize, None).unwrap();
            let kept: Vec<i128> = (0..rows).map(|row| row % 1501).filter(|key| *keeps_all || *key < 1000).collect();
            assert_eq!((outcome.rows, outcome.consumed), (kept.len(), rows as usize), "{kind} {sink}");
            let types = parse(&text).unwrap().output();
            for (number, (values, ty)) in columns.iter().zip(types).enumerate() {
                let expected = |key: i128| match (number, ty.dtype) {
                    (0, _) => Some(Scalar::I64(key as i64)),
                    (_, DType::Bool) => Some(Scalar::Bool(key < 700)),
                    _ => (key < 1000).then_some(Scalar::U64(key as u64)),
                };
                for (row, &key) in kept.iter().enumerate() {
                    assert_eq!(values.get(row), expected(key), "{kind} {sink}: column {number}, row {row}");
                }
            }
            device.memory().peak
        };
        let (few, many) = (peak(300_000), peak(1_200_000));
        assert!(many <= few + few / 4, "{kind} {sink}: {few} bytes for 300,000 rows, {many} for four times as many");
    }
}
