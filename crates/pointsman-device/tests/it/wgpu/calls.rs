//! Library calls on the portable GPU: the conformance suite with small limits, calls larger than the suite's against the
//! CPU, and launches that fault, are abandoned, or read what they write. Without an adapter the tests print that and pass.

use pointsman_device::conformance::calls::calls;
use pointsman_device::conformance::layout::Shape;
use pointsman_device::conformance::run::{Run, load};
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use pointsman_device::launch::FaultLocation;
use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
use pointsman_device::{
    BufferId, BufferRange, ColumnInput, ColumnOutput, Device, DeviceErrorKind, Form, Launch, LaunchStatus, Priority,
    ProgramId, StreamId,
};
use pointsman_ir::data::ColumnData;
use pointsman_ir::interpret::call;
use pointsman_ir::kernel::call::{Convolve, Direction, Fft, Matmul, Method, RightOperand, Storage, Transform};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Call, Kernel};
use pointsman_ir::random::{OwnedInputs, Rng};
use pointsman_ir::types::DType;
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(120);

fn device(options: WgpuOptions) -> Option<WgpuDevice> {
    let Some(adapter) = discover().adapters.first() else {
        eprintln!("skipped: no adapter");
        return None;
    };
    Some(WgpuDevice::open(adapter, options).expect("an adapter that was found opens"))
}

/// A call of a column.
fn kernel(call: impl Into<Call>, dtype: DType) -> Kernel {
    let call = call.into();
    let (lists, table) = match call.has_table() {
        true => (format!("lists l0: {dtype}\n"), " l0"),
        false => (String::new(), ""),
    };
    let text =
        format!("kernel\ncolumns c0: {dtype}\n{lists}  v0: {dtype} = column c0\nsink call {call} of v0{table}\n");
    parse(&text).expect("the text of a kernel")
}

fn random(rng: &mut Rng, dtype: DType, rows: u64) -> ColumnData {
    let value = |rng: &mut Rng| call::rounded(dtype, rng.below(1 << 30) as f64 / f64::from(1 << 29) - 1.0);
    ColumnData::from_scalars(dtype.required(), (0..rows).map(|_| Some(value(rng))).collect::<Vec<_>>())
}

fn doubles(column: &ColumnData) -> Vec<f64> {
    column.iter().flatten().map(call::double).collect()
}

fn absolute(column: &ColumnData) -> ColumnData {
    let values = doubles(column).into_iter().map(|value| Some(call::rounded(column.dtype, value.abs())));
    ColumnData::from_scalars(column.ty(), values.collect::<Vec<_>>())
}

/// The results of a call on a device.
fn run(device: &dyn Device, kernel: &Kernel, columns: Vec<ColumnData>, lists: Vec<ColumnData>) -> Vec<f64> {
    let rows = columns[0].len();
    let inputs = OwnedInputs { columns, params: vec![], lists, tables: vec![], first_row: 0, rows };
    let program = load(device, kernel).unwrap_or_else(|error| panic!("{error}\n{}", kernel.print()));
    let shape = if device.info().capabilities.host_memory { Shape::Plain } else { Shape::Copied };
    let run = Run { device, program, kernel, inputs: &inputs, form: Form::Whole, shape };
    let ran = run.run().unwrap_or_else(|error| panic!("{error}\n{}", kernel.print()));
    device.unload(program);
    doubles(&ran.result.rows.columns[0])
}

fn norm(numbers: &[f64]) -> f64 {
    numbers.iter().map(|number| number * number).sum::<f64>().sqrt()
}

/// How far each result of a chunk may be from the exact one (docs/semantics.md, "Calls"). Sums are bounded by the results
/// of magnitudes, which the CPU computes.
fn bounds(cpu: &CpuDevice, kernel: &Kernel, call: &Call, column: &ColumnData, lists: &[ColumnData]) -> Vec<f64> {
    let unit = call::unit(column.dtype);
    let rows_out = call.rows_out() as usize;
    let magnitudes = || run(cpu, kernel, vec![absolute(column)], lists.iter().map(absolute).collect());
    let sums = |terms: u64| magnitudes().into_iter().map(|sum| 4.0 * (terms as f64 + 1.0) * unit * sum).collect();
    match call {
        Call::Matmul(product) => sums(product.inner),
        Call::Fft(fft) => {
            let count = fft.outer as f64 * fft.length as f64;
            // A half spectrum has each number but the first twice.
            let of_chunk = |chunk: &[f64]| {
                let whole = if fft.transform == Transform::RealInverse { 2f64.sqrt() } else { 1.0 };
                let scale = match fft.transform {
                    Transform::Forward | Transform::RealForward => 1.0,
                    Transform::Inverse | Transform::RealInverse => 1.0 / count,
                };
                4.0 * (count.log2() + 2.0) * unit * count.sqrt() * whole * norm(chunk) * scale
            };
            let chunks = doubles(column);
            let chunks = chunks.chunks_exact(call.rows_in() as usize);
            chunks.flat_map(|chunk| vec![of_chunk(chunk); rows_out]).collect()
        }
        Call::Convolve(sum) => {
            let terms = sum.channels_in * sum.weights[0] * sum.weights[1];
            let weights = doubles(&lists[0]);
            let numbers = 4.0 * call.rows_in() as f64 + weights.len() as f64;
            let spread = |chunk: &[f64]| match sum.method {
                Method::Sum => 0.0,
                Method::Transform => 12.0 * (numbers.log2() + 2.0) * unit * norm(chunk) * norm(&weights),
            };
            let chunks = doubles(column);
            let chunks = chunks.chunks_exact(call.rows_in() as usize);
            let spread: Vec<f64> = chunks.flat_map(|chunk| vec![spread(chunk); rows_out]).collect();
            let sums: Vec<f64> = sums(terms);
            sums.iter().zip(spread).map(|(sum, spread)| sum + spread).collect()
        }
    }
}

/// Compares a call with the CPU's results: both are within the bounds of the exact ones.
fn check(gpu: &WgpuDevice, cpu: &CpuDevice, call: impl Into<Call>, dtype: DType, chunks: u64) {
    let call = call.into();
    assert_eq!(call.mistake(), None, "{call}");
    if dtype == DType::F64 && !gpu.info().capabilities.f64 {
        return;
    }
    let mut rng = Rng::new(call.rows_in() ^ call.rows_out() << 20);
    let kernel = kernel(call, dtype);
    let column = random(&mut rng, dtype, call.rows_in() * chunks);
    let table_rows = call.table_rows(chunks);
    let lists: Vec<ColumnData> = call.has_table().then(|| random(&mut rng, dtype, table_rows)).into_iter().collect();
    let expected = run(cpu, &kernel, vec![column.clone()], lists.clone());
    let bounds = bounds(cpu, &kernel, &call, &column, &lists);
    let found = run(gpu, &kernel, vec![column], lists);
    assert_eq!(found.len(), expected.len());
    for (row, ((found, expected), bound)) in found.iter().zip(&expected).zip(bounds).enumerate() {
        let error = (found - expected).abs();
        assert!(error <= 2.0 * bound, "{call} {dtype}: row {row} is {found:e}, not {expected:e} ± {bound:e}");
    }
}

/// Runs a check for floats and doubles.
fn check_all(calls: Vec<(Call, u64)>) {
    let Some(gpu) = device(WgpuOptions::default()) else { return };
    let cpu = CpuDevice::new(CpuOptions::default());
    for (call, chunks) in calls {
        for dtype in [DType::F32, DType::F64] {
            check(&gpu, &cpu, call, dtype, chunks);
        }
    }
}

#[test]
fn calls_keep_their_bounds() {
    let Some(gpu) = device(WgpuOptions::default()) else { return };
    calls(&gpu);
}

/// Dispatches of one workgroup, grids of seven by seven, little shared memory, and bindings so small that chunks run in
/// batches; larger chunks are refused.
#[test]
fn calls_within_small_limits_keep_their_bounds() {
    let options = WgpuOptions {
        binding_bytes_max: Some(32 << 10),
        dispatch_rows_max: Some(4096),
        groups_max: Some(7),
        workgroup_bytes_max: Some(8 << 10),
        ..WgpuOptions::default()
    };
    let Some(gpu) = device(options) else { return };
    calls(&gpu);
    let cpu = CpuDevice::new(CpuOptions::default());
    check(&gpu, &cpu, Matmul::real(29, 30, 31), DType::F32, 100);
    let per_chunk = Matmul { operand: RightOperand::PerChunk, ..Matmul::real(13, 14, 15) };
    check(&gpu, &cpu, per_chunk, DType::F32, 100);
    check(&gpu, &cpu, Fft::forward(1000), DType::F32, 30);
    let refused = gpu.supports(&kernel(Matmul::real(8192, 2, 2), DType::F32)).expect_err("64 KiB in 32 KiB");
    assert_eq!(refused.kind, DeviceErrorKind::Unsupported, "{refused}");
    assert!(refused.message.starts_with("calls beyond the limits of its kernels: the input of a chunk"), "{refused}");
}

#[test]
fn large_products_keep_their_bounds() {
    let (left, right) = (Storage::Columns, Storage::Columns);
    let columns = Matmul { left, right, operand: RightOperand::PerChunk, ..Matmul::real(130, 300, 70) };
    check_all(vec![
        (Matmul::real(257, 1025, 63).into(), 2),
        (Matmul::real(600, 33, 600).into(), 1),
        (Matmul::real(1, 100_003, 2).into(), 2),
        (Matmul::real(5000, 7, 1).into(), 3),
        (Matmul::real(1, 1, 1).into(), 70_000),
        (columns.into(), 3),
    ]);
}

#[test]
fn long_transforms_keep_their_bounds() {
    check_all(vec![
        (Fft::forward(65_536).into(), 2),
        (Fft::inverse(65_537).into(), 1),
        (Fft::forward(1_000_003).into(), 1),
        (Fft::forward(1 << 20).into(), 1),
        (Fft::real_forward(100_000).into(), 3),
        (Fft::real_inverse(50_021).into(), 2),
        (Fft { given: 30_000, kept: 12_345, ..Fft::forward(70_000) }.into(), 2),
        (Fft::forward(8).into(), 10_000),
        (Fft::plane(Transform::Forward, 300, 500).into(), 2),
        (Fft::plane(Transform::RealForward, 1009, 64).into(), 1),
        (Fft::plane(Transform::RealInverse, 128, 4099).into(), 1),
    ]);
}

#[test]
fn large_convolutions_keep_their_bounds() {
    let direction = Direction::Convolution;
    let padding = [[1, 2], [2, 1]];
    let plane = Convolve { channels_in: 4, channels_out: 3, padding, direction, ..Convolve::plane([100, 257], [5, 3]) };
    let method = Method::Transform;
    check_all(vec![
        (Convolve::line(100_000, 65).into(), 1),
        (Convolve { method, ..Convolve::line(100_000, 4097) }.into(), 1),
        (Convolve { padding: [[0, 0], [4096, 4096]], ..Convolve::line(20_000, 4097) }.into(), 2),
        (plane.into(), 2),
        (Convolve { method, stride: [2, 3], ..plane }.into(), 2),
        (Convolve { channels_in: 70, channels_out: 130, ..Convolve::plane([9, 9], [3, 3]) }.into(), 2),
        (Convolve { stride: [1, 1000], ..Convolve::line(100_000, 4097) }.into(), 2),
    ]);
}

/// A device with a loaded call of one column.
struct Loaded {
    device: WgpuDevice,
    stream: StreamId,
    program: ProgramId,
}

impl Loaded {
    fn new(options: WgpuOptions, kernel: &Kernel) -> Option<Loaded> {
        let device = device(options)?;
        let stream = device.open_stream(Priority::Normal).expect("a stream opens");
        let program = load(&device, kernel).expect("it loads");
        Some(Loaded { device, stream, program })
    }

    fn buffer(&self, floats: &[f32]) -> BufferId {
        let bytes: &[u8] = bytemuck::cast_slice(floats);
        let buffer = self.device.allocate(bytes.len()).expect("memory");
        self.device.upload(self.stream, bytes, whole(buffer, floats.len())).expect("an upload");
        buffer
    }

    fn read(&self, from: BufferRange) -> Vec<f32> {
        let mut floats = vec![0f32; from.bytes as usize / 4];
        self.device.download(self.stream, from, bytemuck::cast_slice_mut(&mut floats), TIMEOUT).expect("a download");
        floats
    }

    fn launch(&self, rows: usize, columns: &[BufferRange], to: BufferRange) -> LaunchStatus {
        self.launch_with(rows, columns, &[], to)
    }

    /// Launches over floats, with captured tables.
    fn launch_with(
        &self,
        rows: usize,
        columns: &[BufferRange],
        lists: &[BufferRange],
        to: BufferRange,
    ) -> LaunchStatus {
        let input = |values: &BufferRange, rows| ColumnInput::Device { values: *values, validity: None, rows };
        let columns: Vec<ColumnInput<'_>> = columns.iter().map(|column| input(column, rows)).collect();
        let lists: Vec<ColumnInput<'_>> = lists.iter().map(|list| input(list, list.bytes as usize / 4)).collect();
        let mut outputs = [ColumnOutput::Device { values: to, validity: None }];
        let mut launch = Launch {
            first_row: 0,
            rows,
            first_match: 0,
            form: Form::Whole,
            columns: &columns,
            params: &[],
            lists: &lists,
            tables: &[],
            outputs: &mut outputs,
        };
        self.device.launch(self.stream, self.program, &mut launch).expect("a launch")
    }
}

fn whole(buffer: BufferId, floats: usize) -> BufferRange {
    BufferRange { buffer, offset: 0, bytes: 4 * floats as u64 }
}

fn running(status: LaunchStatus) -> pointsman_device::LaunchId {
    match status {
        LaunchStatus::Running(launch) => launch,
        LaunchStatus::Done(outcome) => panic!("it is done already: {outcome:?}"),
    }
}

/// The rows and the result lie in one buffer, so the rows are copied first; later commands see the result, although
/// nobody waited for it, and all memory but the constants is given back.
#[test]
fn a_call_may_write_to_the_buffer_that_it_reads() {
    let options = WgpuOptions { dispatch_rows_max: Some(1 << 14), ..WgpuOptions::default() };
    let Some(loaded) = Loaded::new(options, &kernel(Fft::forward(1024), DType::F32)) else { return };
    let count = 2 * 1024 * 40;
    let mut rows = vec![0f32; 2 * count];
    rows[..count].iter_mut().step_by(2 * 1024).for_each(|first| *first = 3.0);
    let buffer = loaded.buffer(&rows);
    let range = |start: usize| BufferRange { buffer, offset: 4 * start as u64, bytes: 4 * count as u64 };
    let used = loaded.device.memory().used;
    let launch = running(loaded.launch(count, &[range(0)], range(count)));
    // The transform of a number at place 0 is that number everywhere.
    let result = loaded.read(range(count));
    assert!(result.chunks_exact(2).all(|pair| pair == [3.0, 0.0]));
    let outcome = loaded.device.finish(launch, TIMEOUT).expect("it finishes");
    assert_eq!((outcome.rows, outcome.consumed, outcome.fault), (count, count, None));
    assert_eq!(loaded.device.memory().used, used);
    loaded.device.unload(loaded.program);
    loaded.device.free(buffer);
    assert_eq!(loaded.device.memory().used, 0, "the constants are counted and freed");
}

/// A launch takes exactly the scratch memory that the device forecasts: of stored rows, and of batches of chunks.
#[test]
fn scratch_memory_of_calls_is_forecast() {
    let planes = Convolve { channels_in: 2, channels_out: 3, ..Convolve::plane([60, 50], [5, 3]) };
    let calls: [(Call, usize); 8] = [
        (Fft::forward(8).into(), 10_000),
        (Fft::forward(1 << 16).into(), 3),
        (Fft::real_forward(1009).into(), 70),
        (Fft { given: 300, kept: 7, ..Fft::real_forward(1000) }.into(), 40),
        (Fft::plane(Transform::RealInverse, 64, 100).into(), 9),
        (Matmul::real(65, 300, 33).into(), 4),
        (Convolve { method: Method::Transform, ..planes }.into(), 12),
        (Convolve { method: Method::Transform, ..Convolve::line(50_000, 700) }.into(), 3),
    ];
    let mut most = 0;
    for ((call, chunks), is_stored) in calls.into_iter().flat_map(|call| [(call, false), (call, true)]) {
        let plain = kernel(call, DType::F32);
        let text = plain.print().replace("sink call", "  v1: f32 = add v0 v0\nsink call").replace(" of v0", " of v1");
        let kernel = if is_stored { parse(&text).expect("the text of a kernel") } else { plain };
        let Some(loaded) = Loaded::new(WgpuOptions::default(), &kernel) else { return };
        let (rows, results) = (call.rows_in() as usize * chunks, call.rows_out() as usize * chunks);
        let (from, to) = (loaded.buffer(&vec![1.0; rows]), loaded.buffer(&vec![0.0; results]));
        let table = vec![1.0; call.table_rows(chunks as u64) as usize];
        let lists = if call.has_table() { vec![whole(loaded.buffer(&table), table.len())] } else { Vec::new() };
        let used = loaded.device.memory().used;
        let launch = running(loaded.launch_with(rows, &[whole(from, rows)], &lists, whole(to, results)));
        let taken = loaded.device.memory().used - used;
        assert_eq!(loaded.device.scratch_bytes(loaded.program, rows), taken, "{chunks} x {call}, stored: {is_stored}");
        loaded.device.finish(launch, TIMEOUT).expect("it finishes");
        assert_eq!(loaded.device.memory().used, used, "{call}");
        most = most.max(taken);
    }
    assert!(most > 1 << 20, "{most} bytes at most: nothing was compared");
}

/// A forgotten launch submits nothing more, and its memory is given back when its last piece has ended.
#[test]
fn a_forgotten_call_runs_only_what_was_submitted() {
    let options = WgpuOptions { dispatch_rows_max: Some(1), ..WgpuOptions::default() };
    let Some(loaded) = Loaded::new(options, &kernel(Fft::forward(1 << 18), DType::F32)) else { return };
    let count = 2 << 18;
    let (from, to) = (loaded.buffer(&vec![1.0; count]), loaded.buffer(&vec![-1.0; count]));
    let used = loaded.device.memory().used;
    let launch = running(loaded.launch(count, &[whole(from, count)], whole(to, count)));
    let late = loaded.device.finish(launch, Duration::ZERO).expect_err("not in no time");
    assert_eq!(late.kind, DeviceErrorKind::Timeout, "{late}");
    loaded.device.forget_launch(launch);
    assert!(loaded.read(whole(to, count)).contains(&-1.0), "the last pass did not run to its end");
    let start = Instant::now();
    while loaded.device.zombies() > 0 {
        assert!(start.elapsed() < TIMEOUT, "the pieces end");
    }
    assert_eq!(loaded.device.memory().used, used);
    // The device goes on.
    let launch = running(loaded.launch(count, &[whole(from, count)], whole(to, count)));
    loaded.device.finish(launch, TIMEOUT).expect("it finishes");
    let result = loaded.read(whole(to, count));
    assert_eq!(result[..4], [262_144.0, 262_144.0, 0.0, 0.0]);
}

/// A row faults in the expressions below a call: the launch says which.
#[test]
fn faults_below_a_call_name_their_row() {
    let call = Call::from(Fft::real_forward(1000));
    let text = format!(
        "kernel\ncolumns c0: i32\n  v0: i32 = column c0\n  v1: i32 = div v0 v0\n  v2: f32 = cast v1\n\
         sink call {call} of v2\n"
    );
    let Some(loaded) = Loaded::new(WgpuOptions::default(), &parse(&text).expect("the text of a kernel")) else {
        return;
    };
    let (rows, results) = (5000, call.rows_out() as usize * 5);
    for (zero, expected) in [(None, None), (Some(4321), Some(FaultLocation::Row(4321)))] {
        let mut numbers: Vec<f32> = vec![f32::from_bits(7); rows];
        if let Some(zero) = zero {
            numbers[zero] = f32::from_bits(0);
        }
        let (from, to) = (loaded.buffer(&numbers), loaded.buffer(&vec![0.0; results]));
        let launch = running(loaded.launch(rows, &[whole(from, rows)], whole(to, results)));
        let outcome = loaded.device.finish(launch, TIMEOUT).expect("it finishes");
        assert_eq!(outcome.fault, expected);
        if expected.is_none() {
            assert_eq!(outcome.rows, results);
            assert_eq!(loaded.read(whole(to, 4)), [1000.0, 0.0, 0.0, 0.0]);
        }
    }
}
