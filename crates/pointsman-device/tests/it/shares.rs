//! The same bits for any number of threads and any morsel size, and results larger than 2^31 bytes.
#![allow(clippy::unwrap_used)]

use pointsman_device::conformance::differential::compare_case;
use pointsman_device::conformance::layout::Shape;
use pointsman_device::conformance::run::{Ran, Run, load};
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use pointsman_device::launch::FaultLocation;
use pointsman_device::*;
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS};
use pointsman_ir::random::{Case, OwnedInputs, Profile, case};
use pointsman_ir::types::{DType, Scalar};

/// Threads and rows per morsel; the others are compared with the first.
const SHARES: [(usize, usize); 9] =
    [(1, usize::MAX), (1, 4096), (2, 4096), (2, 1 << 20), (3, 8192), (3, 12_288), (7, 4096), (7, 8192), (7, 1 << 16)];

fn devices() -> Vec<CpuDevice> {
    let options =
        |(threads, morsel)| CpuOptions { threads: Some(threads), morsel_rows: Some(morsel), ..CpuOptions::default() };
    SHARES.into_iter().map(|share| CpuDevice::new(options(share))).collect()
}

/// Runs a case on all devices, twice on each; all must give the same result.
fn check(devices: &[CpuDevice], case: &Case, form: Form) -> Option<FaultLocation> {
    let mut first: Option<Ran> = None;
    for (device, share) in devices.iter().zip(SHARES) {
        let program = load(device, &case.kernel).unwrap();
        for _ in 0..2 {
            let (kernel, inputs, shape) = (&case.kernel, &case.inputs, Shape::Random(case.seed));
            let ran = Run { device, program, kernel, inputs, form, shape }.run().unwrap();
            let Some(first) = &first else {
                first = Some(ran);
                continue;
            };
            assert_eq!(ran.outcome.fault, first.outcome.fault, "seed {} {form:?} {share:?}", case.seed);
            let same = ran.result == first.result && (ran.outcome.fault.is_some() || ran.outcome == first.outcome);
            assert!(same, "seed {} {form:?} {share:?}\n{}", case.seed, case.kernel.print());
        }
        device.unload(program);
    }
    first.and_then(|first| first.outcome.fault)
}

#[test]
fn results_do_not_depend_on_threads_or_morsels() {
    let devices = devices();
    let profile = Profile::streaming().with_rows(&[(100_001, 2), (120_000, 1), (40_961, 2), (36_864, 1)]);
    for seed in 0..24 {
        let case = case(seed, &profile);
        let form = if seed % 3 == 0 { Form::Partial } else { Form::Whole };
        check(&devices, &case, form);
    }
}

/// Many concurrent callers, each with more morsels than there are threads.
#[test]
fn callers_share_the_threads() {
    let options = CpuOptions { threads: Some(3), morsel_rows: Some(4096), ..CpuOptions::default() };
    let device = CpuDevice::new(options);
    let profile = Profile::streaming().with_rows(&[(70_001, 1)]);
    std::thread::scope(|scope| {
        for caller in 0..8 {
            let (device, profile) = (&device, &profile);
            scope.spawn(move || {
                let case = case(caller, profile);
                for _ in 0..4 {
                    compare_case(device, &case).unwrap_or_else(|what| panic!("seed {caller}: {what}"));
                }
            });
        }
    });
}

/// Divides by its column.
const DIVISION: &str = "kernel
columns c0: i64
  v0: i64 = column c0
  v1: i64 = const 4
  v2: i64 = div v1 v0
  v3: bool = lt v0 v1
";

/// Divides by its column in the second iteration only.
const LOOP: &str = "kernel
columns c0: i64
  v0: i64 = column c0
  v1: i64 = const 1000
  v2 = loop 2 (i64 = v1, i64 = v1) {
    v3: i64 = carried v2.0
    v4: i64 = carried v2.1
    v5: i64 = div v3 v4
    next v5, v0
  }
  v6: i64 = result v2.0
";

const CASES: [(&str, &str); 7] = [
    (DIVISION, "store v2"),
    (DIVISION, "compact v2"),
    (DIVISION, "reduce sum(v2)"),
    (DIVISION, "scan columns(v2) running(sum(v2))"),
    (DIVISION, "scan columns(v2) running(sum(v2) preceding 3, max(v2)) segment v3"),
    (LOOP, "store v6"),
    (LOOP, "reduce max(v6)"),
];

/// Several rows fault, most in different morsels: the smallest is reported, whichever thread finds it first.
#[test]
fn the_smallest_faulting_row_is_reported_by_any_thread() {
    let devices = devices();
    let (rows, first_row) = (15 * LEAF_ROWS + 7, 8 * LEAF_ROWS as u64);
    for (body, sink) in CASES {
        let text = format!("{body}sink {sink}\n");
        let kernel = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        for smallest in [0, 1023, 4095, 4096, 8192 + 5, 10 * LEAF_ROWS, rows - 1] {
            let faults = |row: usize| row >= smallest && (row - smallest).is_multiple_of(5000);
            let values = (0..rows).map(|row| Some(Scalar::I64(if faults(row) { 0 } else { 1 + row as i64 % 7 })));
            let columns = vec![ColumnData::from_scalars(DType::I64.required(), values)];
            let inputs = OwnedInputs { columns, params: vec![], lists: vec![], tables: vec![], first_row, rows };
            let case = Case { seed: smallest as u64, kernel: kernel.clone(), inputs };
            let fault = check(&devices, &case, Form::Whole);
            assert_eq!(fault, Some(FaultLocation::Row(first_row + smallest as u64)), "{sink}");
        }
    }
}

/// Rows whose size in bytes exceeds 32 bits.
const MANY: usize = (1 << 31) + 4097;

/// Takes 5 GB and a minute: run it with `--run-ignored all`.
#[test]
#[ignore = "takes 5 GB"]
fn results_may_exceed_two_gigabytes() {
    let kernel = |sink: &str| -> Kernel {
        let head = "kernel\ncolumns c0: u8\n  v0: u8 = column c0\n  v1: u64 = cast v0\n  v2: u8 = bit_not v0\n";
        parse(&format!("{head}sink {sink}\n")).unwrap()
    };
    let mut values = HostBuffer::zeroed(MANY);
    for (row, value) in values.iter_mut().enumerate() {
        *value = (row % 251) as u8;
    }
    let chunks = [HostChunk { values: &values, bools: BoolLayout::Bits, bit_offset: 0, validity: None, rows: MANY }];
    let device = CpuDevice::default();
    let stream = device.open_stream(Priority::Normal).unwrap();
    let launch = |kernel: &Kernel, room: &mut [u8]| {
        let program = load(&device, kernel).unwrap();
        let mut outputs = [ColumnOutput::Host { values: room, bools: BoolLayout::Bits, validity: None }];
        let mut launch = Launch {
            first_row: 0,
            rows: MANY,
            first_match: 0,
            form: Form::Whole,
            columns: &[ColumnInput::Host(&chunks)],
            params: &[],
            lists: &[],
            tables: &[],
            outputs: &mut outputs,
        };
        device.launch(stream, program, &mut launch).unwrap()
    };
    let mut sum = [0; 8];
    launch(&kernel("reduce sum(v1)"), &mut sum);
    let expected: u64 = values.iter().map(|&value| u64::from(value)).sum();
    assert_eq!(u64::from_le_bytes(sum), expected);
    let mut stored = HostBuffer::zeroed(MANY);
    launch(&kernel("store v2"), &mut stored);
    assert!(stored.iter().zip(&values[..]).all(|(a, b)| *a == !*b));
    let LaunchStatus::Done(outcome) = launch(&kernel("compact v2"), &mut stored) else { panic!("done at once") };
    assert_eq!(outcome.rows, MANY);
    assert!(stored.iter().zip(&values[..]).all(|(a, b)| *a == !*b));
}
