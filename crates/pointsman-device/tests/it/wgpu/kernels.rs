//! The portable GPU against the interpreter, on an adapter of this machine; without one the tests print that and pass.

use pointsman_device::conformance::differential::{Met, compare_all, compare_case, compare_parts, profile};
use pointsman_device::conformance::layout::Shape;
use pointsman_device::conformance::run::{Run, load};
use pointsman_device::conformance::{checks, copies};
use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
use pointsman_device::{
    BufferRange, ColumnInput, ColumnOutput, Device, DeviceErrorKind, Form, HostBuffer, Launch, LaunchStatus, Priority,
};
use pointsman_ir::body::Inst;
use pointsman_ir::data::ColumnData;
use pointsman_ir::decompose::decompose;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{FoldOp, Kernel, Sink};
use pointsman_ir::op::{Op, OpClass};
use pointsman_ir::random::{Case, OwnedInputs, Profile, Rng, SinkKind, case};
use pointsman_ir::types::{DType, Scalar};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(60);
/// The number of random kernels per sink; fewer for scans, since a software adapter takes seconds to compile one.
const KERNELS: usize = 320;
const SCANS: usize = 80;
/// A software adapter takes seconds to compile more of these operations, which it emulates.
const FMAS_MAX: usize = 6;

/// Opens an adapter, preferring a card; prints the reason if the test is skipped.
fn device(options: WgpuOptions) -> Option<WgpuDevice> {
    let found = discover();
    let card = found.adapters.iter().find(|adapter| !adapter.is_software);
    match card.or(found.adapters.first()) {
        Some(adapter) => Some(WgpuDevice::open(adapter, options).expect("an adapter that was found opens")),
        None => {
            eprintln!("skipped: {}", found.why_none.as_deref().unwrap_or("no adapter"));
            None
        }
    }
}

fn is_software(device: &WgpuDevice) -> bool {
    device.info().model.starts_with("software")
}

/// Whether a kernel's results are exact on any device, and this device compiles it in reasonable time.
fn is_comparable(device: &WgpuDevice, kernel: &Kernel) -> bool {
    if !is_software(device) {
        return !computes_floats(kernel);
    }
    let is_fma = |inst: &Inst| matches!(inst, Inst::Call { op: Op::Fma, .. });
    let fmas = decompose(kernel).body.iter().filter(|(_, inst, ty)| is_fma(inst) && ty.dtype == DType::F64).count();
    fmas <= FMAS_MAX
}

/// Whether the kernel uses float arithmetic, whose rounding is the driver's.
fn computes_floats(kernel: &Kernel) -> bool {
    let is_float = |v| kernel.body.ty(v).dtype.is_float();
    let computes = |inst: &Inst| match inst {
        Inst::Call { op, args } => match op.class() {
            OpClass::Multiply | OpClass::Divide | OpClass::Elementary => is_float(args[0]),
            OpClass::Simple => matches!(op, Op::Add | Op::Sub) && is_float(args[0]),
            OpClass::Convert => true,
        },
        _ => false,
    };
    let converts_to_float = |inst: &Inst, ty: DType| match inst {
        Inst::Call { op, args } if op.class() == OpClass::Convert => ty.is_float() || is_float(args[0]),
        inst => computes(inst),
    };
    let sums = |op: FoldOp, v: Option<_>| op == FoldOp::Sum && v.is_some_and(is_float);
    let sink_sums = match &kernel.sink {
        Sink::Reduce { folds } => folds.iter().any(|fold| sums(fold.op, fold.value())),
        Sink::Scan { running, .. } => running.iter().any(|one| sums(one.fold.op, one.fold.value())),
        _ => false,
    };
    sink_sums || kernel.body.iter().any(|(_, inst, ty)| converts_to_float(inst, ty.dtype))
}

/// Compares random kernels until this many have run.
fn run_random(device: &WgpuDevice, profile: &Profile, kernels: usize) -> Met {
    run_random_on_all(std::slice::from_ref(device), profile, kernels)
}

/// Compares random kernels on devices of one adapter until this many have run on each.
fn run_random_on_all(devices: &[WgpuDevice], profile: &Profile, kernels: usize) -> Met {
    let mut met = Met::default();
    let mut seeds = (0..).filter(|&seed| is_comparable(&devices[0], &case(seed, profile).kernel));
    let devices: Vec<&dyn Device> = devices.iter().map(|device| device as &dyn Device).collect();
    while met.kernels - met.refused < kernels {
        let next: Vec<u64> = seeds.by_ref().take(kernels.min(50)).collect();
        met += compare_all(&devices, profile, next, |_| ()).unwrap_or_else(|difference| panic!("{difference}"));
    }
    met
}

fn random_kernels_of(sink: SinkKind, kernels: usize) {
    let Some(device) = device(WgpuOptions::default()) else { return };
    let profile = profile(&device).with_sinks(&[sink]);
    let met = run_random(&device, &profile, kernels);
    eprintln!("{sink:?}: {met:?}");
    assert!(met.faults > 0, "faults must occur to be compared: {met:?}");
}

#[test]
fn random_stores_give_the_bits_of_the_interpreter() {
    random_kernels_of(SinkKind::Store, KERNELS);
}

#[test]
fn random_compactions_give_the_bits_of_the_interpreter() {
    random_kernels_of(SinkKind::Compact, KERNELS);
}

#[test]
fn random_builds_give_the_bits_of_the_interpreter() {
    random_kernels_of(SinkKind::Build, KERNELS);
}

#[test]
fn random_reductions_give_the_bits_of_the_interpreter() {
    random_kernels_of(SinkKind::Reduce, KERNELS);
}

#[test]
fn random_scans_give_the_bits_of_the_interpreter() {
    random_kernels_of(SinkKind::Scan, SCANS);
}

/// Bindings and dispatches so small that every launch has many ranges of rows.
#[test]
fn row_ranges_equal_the_whole_result() {
    let options =
        WgpuOptions { binding_bytes_max: Some(128 << 10), dispatch_rows_max: Some(8192), ..WgpuOptions::default() };
    let Some(device) = device(options) else { return };
    for sink in [SinkKind::Store, SinkKind::Compact, SinkKind::Build, SinkKind::Reduce, SinkKind::Scan] {
        let profile =
            profile(&device).with_sinks(&[sink]).with_rows(&[(8193, 1), (30_000, 2), (65_537, 1), (100_000, 1)]);
        run_random(&device, &profile, 12);
    }
}

/// Two-dimensional grids: so few workgroups per line that every launch has several lines.
#[test]
fn grids_of_several_lines_equal_the_whole_result() {
    let Some(device) = device(WgpuOptions { groups_max: Some(20), ..WgpuOptions::default() }) else { return };
    for sink in [SinkKind::Store, SinkKind::Compact, SinkKind::Reduce, SinkKind::Scan] {
        let profile = profile(&device).with_sinks(&[sink]).with_rows(&[(100_000, 1), (600_000, 1)]);
        run_random(&device, &profile, 4);
    }
}

/// Compactions in a single pass, in one dispatch and in several, and in several passes.
#[test]
fn compactions_in_several_passes_equal_the_whole_result() {
    let ways = [(true, None), (true, Some(8192)), (false, None)];
    let options = ways.map(|(single_pass, dispatch_rows_max)| WgpuOptions {
        single_pass: Some(single_pass),
        dispatch_rows_max,
        ..WgpuOptions::default()
    });
    let Some(devices) = options.into_iter().map(device).collect::<Option<Vec<WgpuDevice>>>() else { return };
    let rows = [(7, 1), (4095, 2), (8193, 1), (100_000, 3), (600_000, 1)];
    let profile = profile(&devices[0]).with_sinks(&[SinkKind::Compact]).with_rows(&rows);
    run_random_on_all(&devices, &profile, 20);
}

/// Every workgroup needs the counts of workgroups that start later, so it must compute them itself.
#[test]
fn compactions_do_not_rely_on_the_order_of_workgroups() {
    let options = WgpuOptions { single_pass: Some(true), backward: true, ..WgpuOptions::default() };
    let Some(device) = device(options) else { return };
    let profile = profile(&device).with_sinks(&[SinkKind::Compact]).with_rows(&[(100_000, 2), (200_001, 1)]);
    run_random(&device, &profile, 12);
}

#[test]
fn merged_partials_equal_the_whole_result() {
    let Some(device) = device(WgpuOptions::default()) else { return };
    let profile = profile(&device).with_rows(&[(0, 1), (1, 1), (4095, 2), (4097, 3), (9_000, 4), (41_000, 2)]);
    let mut rng = Rng::new(1);
    let seeds = (0..).map(|seed| case(seed, &profile)).filter(|case| is_comparable(&device, &case.kernel));
    for case in seeds.take(80) {
        if let Err(what) = compare_parts(&[&device], &case, &mut rng) {
            panic!("seed {}: {what}\n{}", case.seed, case.kernel.print());
        }
    }
}

#[test]
fn launches_from_many_threads_do_not_disturb_each_other() {
    let Some(device) = device(WgpuOptions::default()) else { return };
    let profile = profile(&device);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (profile, device) = (&profile, &device);
            scope.spawn(move || {
                let cases = (20_000 + thread..).step_by(4).map(|seed| case(seed, profile));
                for case in cases.filter(|case| is_comparable(device, &case.kernel)).take(10) {
                    let seed = case.seed;
                    run_one(device, &case).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
                }
            });
        }
    });
}

fn run_one(device: &WgpuDevice, case: &Case) -> Result<(), String> {
    if device.supports(&case.kernel).is_err() {
        return Ok(());
    }
    compare_case(device, case).map(drop)
}

/// Every elementary function on values of every exponent.
#[test]
fn elementary_functions_have_the_bits_of_the_interpreter() {
    let Some(device) = device(WgpuOptions::default()) else { return };
    let mut rng = Rng::new(7);
    for &op in Op::ALL.iter().filter(|op| op.is_elementary()) {
        for dtype in [DType::F32, DType::F64] {
            // A software driver takes a minute to compile these in double precision.
            if is_software(&device) && dtype == DType::F64 && !matches!(op, Op::Exp | Op::Ln | Op::Cbrt) {
                continue;
            }
            check_elementary(&device, op, dtype, &mut rng);
        }
    }
}

fn check_elementary(device: &WgpuDevice, op: Op, dtype: DType, rng: &mut Rng) {
    let columns = ["c0: T", "c1: T"][..op.arity()].join(", ");
    let values = ["  v0: T = column c0\n", "  v1: T = column c1\n"][..op.arity()].concat();
    let (args, at) = (["v0", "v1"][..op.arity()].join(" "), op.arity());
    let text = format!("kernel\ncolumns {columns}\n{values}  v{at}: T = {} {args}\nsink store v{at}\n", op.name());
    let kernel = parse(&text.replace(": T", &format!(": {dtype}"))).expect("the text of a kernel");
    let mut value = || {
        let bits = u128::from(rng.bits());
        Some(Scalar::from_bits(dtype.repr(), bits).canonical())
    };
    let columns: Vec<ColumnData> =
        (0..op.arity()).map(|_| ColumnData::from_scalars(dtype.required(), (0..2000).map(|_| value()))).collect();
    let inputs = OwnedInputs { columns, params: vec![], lists: vec![], tables: vec![], first_row: 0, rows: 2000 };
    let case = Case { seed: 1, kernel, inputs };
    if is_software(device) {
        compare_case(device, &case).unwrap_or_else(|what| panic!("{op:?} of {dtype}: {what}"));
    }
}

/// Float arithmetic on any adapter: within a few units in the last place per operation.
#[test]
fn float_arithmetic_is_near_the_interpreters() {
    let Some(device) = device(WgpuOptions::default()) else { return };
    let mut rng = Rng::new(3);
    for dtype in
        [DType::F32, DType::F64].into_iter().filter(|&dtype| dtype == DType::F32 || device.info().capabilities.f64)
    {
        let mut value = || {
            let value = 1.0 + rng.below(1 << 20) as f64 / 1024.0;
            Some(if dtype == DType::F32 { Scalar::F32(value as f32) } else { Scalar::F64(value) })
        };
        let columns: Vec<ColumnData> =
            (0..2).map(|_| ColumnData::from_scalars(dtype.required(), (0..9000).map(|_| value()))).collect();
        let inputs = OwnedInputs { columns, params: vec![], lists: vec![], tables: vec![], first_row: 0, rows: 9000 };
        let head =
            format!("kernel\ncolumns c0: {dtype}, c1: {dtype}\n  v0: {dtype} = column c0\n  v1: {dtype} = column c1\n");
        for call in ["add v0 v1", "mul v0 v1", "div v0 v1", "sqrt v0", "fma v0 v1 v0", "ln v0"] {
            let text = format!("{head}  v2: {dtype} = {call}\nsink store v2\n");
            check_near(&device, &text, &inputs, 8.0);
        }
        check_near(&device, &format!("{head}sink reduce sum(v0), sum(v1)\n"), &inputs, 64.0);
    }
}

/// Compares a kernel's results within this many units in the last place.
fn check_near(device: &WgpuDevice, text: &str, inputs: &OwnedInputs, units: f64) {
    let kernel = parse(text).expect("the text of a kernel");
    let program = load(device, &kernel).expect("it loads");
    let expected = Case { seed: 0, kernel: kernel.clone(), inputs: inputs.clone() }.run().expect("nothing faults");
    let run = Run { device, program, kernel: &kernel, inputs, form: Form::Whole, shape: Shape::Copied };
    let found = run.run().expect("it runs").result.rows;
    let double = |value: Option<Scalar>| match value {
        Some(Scalar::F32(value)) => (f64::from(value), f64::from(f32::EPSILON)),
        Some(Scalar::F64(value)) => (value, f64::EPSILON),
        other => panic!("{other:?} is no float"),
    };
    for (expected, found) in expected.columns.iter().zip(&found.columns) {
        for (row, (expected, found)) in expected.iter().zip(found.iter()).enumerate() {
            let ((expected, unit), (found, _)) = (double(expected), double(found));
            assert!(
                (expected - found).abs() <= units * unit * expected.abs(),
                "row {row}: {expected}, {found}\n{text}"
            );
        }
    }
}

#[test]
fn the_rules_of_every_device_are_kept() {
    let Some(device) = device(WgpuOptions::default()) else { return };
    checks::damaged_images(&device);
    checks::launches_that_do_not_fit(&device);
    checks::kernels_without_code(&device);
    checks::freed_memory_is_returned(&device);
    checks::streams_and_events(&device);
    copies::several_ranges_arrive_together(&device);
    copies::folds_share_a_buffer(&device);
}

const DOUBLED: &str = "kernel
columns c0: u32
  v0: u32 = column c0
  v1: u32 = add v0 v0
sink store v1
";

/// A launch over buffers of a device.
fn launch_doubled(device: &WgpuDevice, rows: usize) -> pointsman_device::DeviceResult<Vec<u32>> {
    let stream = device.open_stream(Priority::Normal)?;
    let program = device.load(&device.compile(&parse(DOUBLED).expect("the text of a kernel"))?)?;
    let bytes = 4 * rows;
    let (input, output) = (device.allocate(bytes)?, device.allocate(bytes)?);
    let range = |buffer| BufferRange { buffer, offset: 0, bytes: bytes as u64 };
    let mut staging = HostBuffer::zeroed(bytes);
    for (row, value) in staging.chunks_exact_mut(4).enumerate() {
        value.copy_from_slice(&(row as u32).to_le_bytes());
    }
    device.copy_in(stream, Arc::new(staging), range(input))?;
    let columns = [ColumnInput::Device { values: range(input), validity: None, rows }];
    let mut outputs = [ColumnOutput::Device { values: range(output), validity: None }];
    let mut launch = Launch {
        first_row: 0,
        rows,
        first_match: 0,
        form: Form::Whole,
        columns: &columns,
        params: &[],
        lists: &[],
        tables: &[],
        outputs: &mut outputs,
    };
    let pending = device.launch(stream, program, &mut launch)?;
    if rows == 12_345 {
        device.destroy();
    }
    if let LaunchStatus::Running(launch) = pending {
        // After a timeout the launch continues and can be waited for again.
        match device.finish(launch, Duration::ZERO) {
            Err(error) if error.kind == DeviceErrorKind::Timeout => device.finish(launch, TIMEOUT)?,
            finished => finished?,
        };
    }
    let copy = device.copy_out(stream, range(output), HostBuffer::zeroed(bytes))?;
    let out = device.finish_copy(copy, TIMEOUT)?;
    Ok(out.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

#[test]
fn a_device_that_is_destroyed_mid_query_is_lost() {
    let Some(lost) = device(WgpuOptions::default()) else { return };
    let error = launch_doubled(&lost, 12_345).expect_err("it was destroyed");
    assert_eq!(error.kind, DeviceErrorKind::Lost, "{error}");
    let error = lost.allocate(16).expect_err("it stays lost");
    assert_eq!(error.kind, DeviceErrorKind::Lost, "{error}");
    assert!(error.message.contains("last commands"), "{error}");
    let Some(other) = device(WgpuOptions::default()) else { return };
    let doubled = launch_doubled(&other, 1000).expect("another device of the adapter still works");
    assert!(doubled.iter().enumerate().all(|(row, &value)| value == 2 * row as u32));
}

/// Prints the adapters, for the test below.
#[test]
fn adapters_are_listed() {
    let found = discover();
    for adapter in &found.adapters {
        eprintln!("{}: {}", adapter.name, adapter.model);
    }
    eprintln!("{} adapters, {:?}", found.adapters.len(), found.why_none);
    assert_eq!(found.adapters.is_empty(), found.why_none.is_some());
}

#[test]
#[cfg(target_os = "linux")]
fn a_machine_without_a_driver_has_no_adapter_and_a_reason() {
    let this = std::env::current_exe().expect("a test is a program");
    let mut listing = Command::new(this);
    listing.args(["--exact", "wgpu::kernels::adapters_are_listed", "--nocapture"]);
    listing.env("VK_ICD_FILENAMES", "/nonexistent.json").env("VK_DRIVER_FILES", "/nonexistent.json");
    let output = listing.output().expect("the test runs again");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("0 adapters, Some("), "{text}");
}
