//! An observer stops a launch of the CPU inside long loops and long bodies: machine code of every level and block
//! programs, every sink. Nothing here is timed: questions are counted against iterations.
#![allow(clippy::unwrap_used)]

use pointsman_device::conformance::run::load;
use pointsman_device::convert::OwnedOutput;
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use pointsman_device::launch::capacity;
use pointsman_device::{
    BoolLayout, ColumnInput, ColumnOutput, Device, DeviceErrorKind, DeviceResult, Form, HostChunk, Launch,
    LaunchStatus, Outcome, Priority, ProgramId, ProgressObserver,
};
use pointsman_ir::kernel::Kernel;
use pointsman_ir::kernel::parse::parse;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Stops a launch at a question, and counts the questions and the rows.
struct Stopper {
    asked: AtomicUsize,
    stops_at: usize,
    rows: AtomicUsize,
}

impl Stopper {
    fn at(question: usize) -> Stopper {
        Stopper { asked: AtomicUsize::new(0), stops_at: question, rows: AtomicUsize::new(0) }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl ProgressObserver for Stopper {
    fn should_continue(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) + 1 < self.stops_at
    }

    fn rows_done(&self, rows: usize) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }
}

/// Every way to run a kernel on this processor, each with one thread and with three.
fn devices() -> Vec<CpuDevice> {
    let ways = [(Isa::Avx512, true), (Isa::Avx2, true), (Isa::detect(), false), (Isa::Baseline, false)];
    let ways = ways.into_iter().filter(|&(isa, _)| Isa::detect() >= isa);
    let device = |threads, (isa, jit)| {
        CpuDevice::new(CpuOptions { threads: Some(threads), isa: Some(isa), jit: Some(jit), ..CpuOptions::default() })
    };
    ways.flat_map(|way| [device(1, way), device(3, way)]).collect()
}

/// Runs a loaded kernel over one column of `f64`, with or without an observer; the outcome and the bytes of the results.
fn run(
    device: &CpuDevice,
    (kernel, program): (&Kernel, ProgramId),
    form: Form,
    rows: usize,
    observer: Option<&Stopper>,
) -> DeviceResult<(Outcome, Vec<Vec<u8>>)> {
    let values: Vec<u8> = (0..rows).flat_map(|row| (1.0 + row as f64 / 1e4).to_le_bytes()).collect();
    let chunk = [HostChunk { values: &values, bools: BoolLayout::Bits, bit_offset: 0, validity: None, rows }];
    let (row_room, node_room) = capacity(kernel, form, rows);
    let types: Vec<_> = match form {
        Form::Whole => kernel.output().into_iter().map(|ty| (ty, row_room)).collect(),
        Form::Partial => {
            let schema = kernel.partial();
            let of_rows = schema.rows.into_iter().map(|ty| (ty, row_room));
            of_rows.chain(schema.nodes.into_iter().map(|ty| (ty, node_room))).collect()
        }
    };
    let mut results: Vec<OwnedOutput> =
        types.into_iter().map(|(ty, room)| OwnedOutput::new(ty, room, BoolLayout::Bits, 0)).collect();
    let mut outputs: Vec<ColumnOutput<'_>> = results.iter_mut().map(OwnedOutput::output).collect();
    let mut launch = Launch {
        first_row: 0,
        rows,
        first_match: 0,
        form,
        columns: &[ColumnInput::Host(&chunk)],
        params: &[],
        lists: &[],
        tables: &[],
        outputs: &mut outputs,
    };
    let stream = device.open_stream(Priority::Normal)?;
    let status = match observer {
        Some(observer) => device.launch_observed(stream, program, &mut launch, observer)?,
        None => device.launch(stream, program, &mut launch)?,
    };
    let LaunchStatus::Done(outcome) = status else { panic!("launches on the CPU are done when they return") };
    let mut bytes = Vec::new();
    for output in &mut outputs {
        let ColumnOutput::Host { values, .. } = output else { panic!("outputs are in host memory") };
        bytes.push(values.to_vec());
    }
    Ok((outcome, bytes))
}

/// The sinks over a value `v`, with the forms that have code of their own.
fn sinks(v: u32) -> Vec<(String, Form)> {
    let all = [
        format!("sink store v{v}"),
        format!("sink compact v{v}"),
        format!("sink reduce sum(v{v}), max(v{v})"),
        format!("sink scan columns(v{v}) running(sum(v{v}))"),
    ];
    all.into_iter().flat_map(|sink| [(sink.clone(), Form::Whole), (sink, Form::Partial)]).collect()
}

fn kernel(body: &str, sink: &str) -> Kernel {
    let text = format!("kernel\ncolumns c0: f64\n  v0: f64 = column c0\n{body}{sink}\n");
    parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

/// Two nested loops; the result is `v9`. The inner one has a condition, which all rows meet.
fn nested(outer: u32, inner: u32) -> String {
    format!(
        "  v1: f64 = const 0x3ff0000000000001\n  v2 = loop {outer} (f64 = v0) {{\n    v3: f64 = carried v2.0\n    \
         v4 = loop {inner} (f64 = v3) {{\n      v5: f64 = carried v4.0\n      v6: f64 = mul v5 v1\n      \
         v7: bool = ge v6 v1\n      while v7\n      next v6\n    }}\n    v8: f64 = result v4.0\n    next v8\n  }}\n  \
         v9: f64 = result v2.0\n"
    )
}

/// Checks that a launch ends as stopped, at the question that was answered with no.
fn check_stops(body: &str, v: u32, rows: usize) {
    for device in devices() {
        for (sink, form) in sinks(v) {
            let kernel = kernel(body, &sink);
            let program = load(&device, &kernel).unwrap();
            for question in [1, 2, 4] {
                let observer = Stopper::at(question);
                let way = format!("{}, {sink}, {form:?}, question {question}", device.info().model);
                let error = run(&device, (&kernel, program), form, rows, Some(&observer)).err();
                assert_eq!(error.map(|error| error.kind), Some(DeviceErrorKind::Stopped), "{way}");
                // Threads that were asked at the same time may each have asked once more.
                assert!((question..question + 3).contains(&observer.asked()), "{way}: asked {}", observer.asked());
                assert_eq!(observer.rows.load(Ordering::Relaxed), 0, "{way}: no row was done");
            }
            assert_eq!(device.pool().counters().outstanding_bytes, 0, "a stopped launch gives its memory back");
        }
    }
}

#[test]
fn nested_loops_over_one_row_stop() {
    // All iterations would take minutes.
    check_stops(&nested(1 << 20, 1 << 20), 9, 1);
}

#[test]
fn loops_over_many_rows_stop_inside_a_morsel() {
    check_stops(&nested(200, 1 << 22), 9, 3 * 4096 + 5);
}

#[test]
fn loops_of_few_iterations_stop_if_they_are_nested_deeply() {
    // No loop has many iterations, but all together have 10^9.
    let mut body = String::new();
    let depth = 9;
    for level in 0..depth {
        let from = if level == 0 { "v0".to_string() } else { format!("v{}", 2 * level) };
        body += &format!("  v{} = loop 10 (f64 = {from}) {{\n", 2 * level + 1);
        body += &format!("  v{}: f64 = carried v{}.0\n", 2 * level + 2, 2 * level + 1);
    }
    let mut next = 2 * depth + 1;
    body += &format!("  v{next}: f64 = add v{} v{}\n", next - 1, next - 1);
    for level in (0..depth).rev() {
        body += &format!("  next v{next}\n  }}\n  v{}: f64 = result v{}.0\n", next + 1, 2 * level + 1);
        next += 1;
    }
    check_stops(&body, next as u32, 1);
}

/// Loops side by side that need not count down themselves.
fn heavy() -> String {
    let mut body = "  v1: f64 = const 0x3ff0000000000001\n".to_string();
    let mut last = 0;
    for at in (2..).step_by(4).take(40) {
        body += &format!(
            "  v{at} = loop 100 (f64 = v{last}) {{\n    v{}: f64 = carried v{at}.0\n    v{}: f64 = mul v{} v1\n    \
             next v{}\n  }}\n  v{}: f64 = result v{at}.0\n",
            at + 1,
            at + 2,
            at + 1,
            at + 2,
            at + 3
        );
        last = at + 3;
    }
    body
}

#[test]
fn many_short_loops_stop_inside_a_leaf() {
    check_stops(&heavy(), 161, 4096);
}

/// So many nested functions that there is no machine code.
fn long(functions: u32) -> String {
    (1..=functions).map(|v| format!("  v{v}: f64 = sin v{}\n", v - 1)).collect()
}

#[test]
fn long_bodies_stop_inside_a_leaf() {
    check_stops(&long(100), 100, 4096);
}

#[test]
fn polls_are_a_bounded_number_of_iterations_apart() {
    let (outer, inner) = (64u32, 1u32 << 13);
    let iterations = (outer * inner) as usize;
    for device in devices() {
        for (sink, form) in sinks(9) {
            let (kernel, observer) = (kernel(&nested(outer, inner), &sink), Stopper::at(usize::MAX));
            let program = load(&device, &kernel).unwrap();
            run(&device, (&kernel, program), form, 1, Some(&observer)).unwrap();
            let (asked, way) = (observer.asked(), format!("{}, {sink}, {form:?}", device.info().model));
            assert!(asked >= iterations >> 17, "{way}: {asked} questions in {iterations} iterations");
            assert!(asked <= iterations >> 8, "{way}: {asked} questions in {iterations} iterations");
        }
    }
}

#[test]
fn observer_does_not_change_results() {
    let bodies = [(nested(3, 70_000), 9, 40), (nested(50, 90), 9, 9000), (heavy(), 161, 4100), (long(30), 30, 9000)];
    for (body, v, rows) in bodies {
        for device in devices() {
            for (sink, form) in sinks(v) {
                let (kernel, observer) = (kernel(&body, &sink), Stopper::at(usize::MAX));
                let program = load(&device, &kernel).unwrap();
                let alone = run(&device, (&kernel, program), form, rows, None).unwrap();
                let observed = run(&device, (&kernel, program), form, rows, Some(&observer)).unwrap();
                assert_eq!(alone, observed, "{}, {sink}, {form:?}", device.info().model);
            }
        }
    }
}

#[test]
fn panicking_observer_reaches_the_caller_from_machine_code() {
    struct Panics;
    impl ProgressObserver for Panics {
        fn should_continue(&self) -> bool {
            panic!("planted")
        }

        fn rows_done(&self, _: usize) {}
    }
    let kernel = kernel(&nested(1 << 20, 1 << 20), "sink store v9");
    for isa in [Isa::Avx512, Isa::Avx2, Isa::Baseline].into_iter().filter(|&isa| Isa::detect() >= isa) {
        let device = CpuDevice::new(CpuOptions { threads: Some(1), isa: Some(isa), ..CpuOptions::default() });
        let program = load(&device, &kernel).unwrap();
        let (values, mut written) = (1f64.to_le_bytes(), [0; 8]);
        let chunk = [HostChunk { values: &values, bools: BoolLayout::Bits, bit_offset: 0, validity: None, rows: 1 }];
        let columns = [ColumnInput::Host(&chunk)];
        let mut outputs = [ColumnOutput::Host { values: &mut written, bools: BoolLayout::Bits, validity: None }];
        let (params, lists, tables, outputs) = (&[], &[], &[], &mut outputs[..]);
        let mut launch = Launch {
            first_row: 0,
            rows: 1,
            first_match: 0,
            form: Form::Whole,
            columns: &columns,
            params,
            lists,
            tables,
            outputs,
        };
        let stream = device.open_stream(Priority::Normal).unwrap();
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            device.launch_observed(stream, program, &mut launch, &Panics).map(drop)
        }));
        assert!(caught.is_err_and(|panic| panic.downcast_ref() == Some(&"planted")), "{isa:?}");
    }
}

#[test]
fn kernel_too_long_for_machine_code_is_reported() {
    for isa in [Isa::Avx512, Isa::Avx2].into_iter().filter(|&isa| Isa::detect() >= isa) {
        let device = CpuDevice::new(CpuOptions { isa: Some(isa), jit: Some(true), ..CpuOptions::default() });
        for (sink, _) in sinks(1000).into_iter().step_by(2) {
            let program = load(&device, &kernel(&long(1000), &sink)).unwrap();
            let said = device.describe(program);
            assert!(said.ends_with("block program: the code would have more than 20000 instructions"), "{said}");
        }
    }
}
