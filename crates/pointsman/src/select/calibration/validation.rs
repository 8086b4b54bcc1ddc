//! How far predictions of relational stages are off on the CPU after a calibration: random kernels of the generator and
//! searches of large tables, over several sizes. Run alone, on a machine that does nothing else:
//! `cargo test -p pointsman --all-features --lib select::calibration::validation -- --ignored --nocapture`
#![allow(clippy::print_stdout, reason = "it prints its figures")]

use super::kernels::call_kernel;
use super::tests::calibrate;
use super::thread::ThreadControl;
use crate::resilience::clock::SystemClock;
use crate::select::estimator::{
    Arm, ArmSet, CallClass, Curve, Selector, SelectorOptions, Size, StageExpectation, TableRates, TableRows, Workload,
};
use pointsman_device::convert::{Layout, OwnedChunk, OwnedOutput};
use pointsman_device::cpu::CpuDevice;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_device::{
    ColumnInput, ColumnOutput, Device, Form, IndexKeys, Launch, LaunchStatus, Priority, ProgramId, StreamId, TableInput,
};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::fuse::{Stage, StageInput, StagePart};
use pointsman_ir::kernel::call::{Convolve, Fft, Matmul};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Call, Kernel, Sink};
use pointsman_ir::plan::SourceId;
use pointsman_ir::random::{Case, OwnedInputs, Profile as KernelProfile, Rng, SinkKind, case, values};
use pointsman_ir::types::{DType, Scalar};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Kernels of the generator, and the rows of each.
const KERNELS: u64 = 60;
const ROWS: [usize; 4] = [1_000, 10_000, 100_000, 500_000];
/// The rows of indexes that are searched.
const TABLE_ROWS: [usize; 4] = [1_000, 30_000, 1_000_000, 4_000_000];
/// Runs of each, of which the shortest counts.
const RUNS: usize = 3;

/// A device with the profile that was measured of it.
struct Calibrated {
    device: Arc<dyn Device>,
    stream: StreamId,
    selector: Selector,
}

/// What a kernel runs over.
struct Inputs {
    columns: Vec<ColumnData>,
    params: Vec<Option<Scalar>>,
    lists: Vec<ColumnData>,
    tables: Vec<TableData>,
    rows: usize,
}

/// A run, and the rows that it gave; `None` if a row faulted or the output was full.
struct Measured {
    nanoseconds: f64,
    rows: Option<usize>,
}

impl Calibrated {
    fn new() -> Calibrated {
        let device: Arc<dyn Device> = Arc::new(CpuDevice::default());
        let (clock, start) = (SystemClock::start(), Instant::now());
        let profile = calibrate(&device, &clock, &ThreadControl::default()).expect("nothing fails");
        let took = start.elapsed();
        let stream = device.open_stream(Priority::Normal).expect("a stream");
        let selector = Selector::new(vec![Arm::new("cpu", profile)], SelectorOptions::default()).expect("a selector");
        println!("calibrated in {took:.1?}\n{}", profile_lines(&selector).join("\n"));
        Calibrated { device, stream, selector }
    }

    /// Measured time divided by the predicted one; `None` if the kernel gives no result over these inputs.
    fn ratio(&self, kernel: &Kernel, inputs: &Inputs, is_known: bool) -> Option<f64> {
        let measured = self.measure(kernel, inputs);
        let rows = measured.rows?;
        let stage = Stage {
            kernel: kernel.clone(),
            parts: vec![StagePart {
                input: StageInput::Source(SourceId(0)),
                columns: (0..kernel.columns.len() as u32).collect(),
                skip: 0,
                fetch: None,
            }],
            params: Vec::new(),
            lists: Vec::new(),
            tables: Vec::new(),
            pair_limits: Vec::new(),
        };
        let workload = Workload::of(std::slice::from_ref(&stage));
        let table_rows = |table: &TableData| TableRows { indexed: table.rows as u64, gathered: table.rows as u64 };
        let tables: Vec<TableRows> = inputs.tables.iter().map(table_rows).collect();
        let expected = StageExpectation { tables: &tables, output: Some(rows as u64) };
        let known = workload.expecting(Size::host(inputs.rows as u64), &expected);
        let size = if is_known { known } else { Size::host(inputs.rows as u64) };
        let kernel = self.selector.register(&workload, ArmSet::ALL);
        let predicted = self.selector.explain(&kernel, size, ArmSet::NONE).predictions[0].time();
        Some(measured.nanoseconds / predicted)
    }

    fn measure(&self, kernel: &Kernel, inputs: &Inputs) -> Measured {
        let program = self.device.compile(kernel).and_then(|image| self.device.load(&image)).expect("a program");
        let chunk = |column: &ColumnData| OwnedChunk::new(column, 0..column.len(), Layout::default());
        let owned = |columns: &[ColumnData]| columns.iter().map(chunk).collect::<Vec<_>>();
        let columns = owned(&inputs.columns);
        let lists = owned(&inputs.lists);
        let tables: Vec<_> = inputs.tables.iter().map(|table| owned(&table.columns)).collect();
        let measured = self.measure_loaded(kernel, program, inputs, [&columns, &lists], &tables);
        self.device.unload(program);
        measured
    }

    fn measure_loaded(
        &self,
        kernel: &Kernel,
        program: ProgramId,
        inputs: &Inputs,
        [columns, lists]: [&[OwnedChunk]; 2],
        tables: &[Vec<OwnedChunk>],
    ) -> Measured {
        let [columns, lists] = [columns, lists].map(chunks);
        let tables: Vec<_> = tables.iter().map(|table| chunks(table)).collect();
        let columns: Vec<_> = columns.iter().map(|chunk| ColumnInput::Host(chunk)).collect();
        let lists: Vec<_> = lists.iter().map(|chunk| ColumnInput::Host(chunk)).collect();
        let tables: Vec<Vec<_>> =
            tables.iter().map(|table| table.iter().map(|chunk| ColumnInput::Host(chunk)).collect()).collect();
        let bound: Vec<TableInput<'_>> = tables
            .iter()
            .zip(&kernel.tables)
            .zip(&inputs.tables)
            .map(|((columns, side), table)| {
                let (keys, columns) = columns.split_at(side.keys.len());
                let build = || IndexKeys { keys, types: &side.keys, numbers: None, rows: table.rows };
                let index = (!keys.is_empty())
                    .then(|| self.device.build_index(self.stream, &build(), None).expect("an index").id);
                TableInput { index, columns, rows: table.rows }
            })
            .collect();
        let room = capacity(kernel, Form::Whole, inputs.rows).0.max(1 << 16);
        let types = kernel.output();
        let mut results: Vec<_> = types.iter().map(|ty| OwnedOutput::new(*ty, room, BoolLayout::Bits, 0)).collect();
        let mut measured = Measured { nanoseconds: f64::INFINITY, rows: None };
        for _ in 0..=RUNS {
            let mut outputs: Vec<ColumnOutput<'_>> = results.iter_mut().map(OwnedOutput::output).collect();
            let mut launch = Launch {
                first_row: 0,
                rows: inputs.rows,
                first_match: 0,
                form: Form::Whole,
                columns: &columns,
                params: &inputs.params,
                lists: &lists,
                tables: &bound,
                outputs: &mut outputs,
            };
            let start = Instant::now();
            let status = self.device.launch(self.stream, program, &mut launch).expect("a launch");
            let mut took = start.elapsed();
            let LaunchStatus::Done(outcome) = status else { panic!("launches are done when they return") };
            let is_complete = outcome.fault.is_none() && outcome.consumed == inputs.rows;
            measured.rows = is_complete.then_some(outcome.rows);
            if let Sink::Build { keys, .. } = &kernel.sink {
                took += self.index_time(&results[..keys.len()], outcome.rows);
            }
            measured.nanoseconds = measured.nanoseconds.min(took.as_nanos() as f64);
        }
        bound.iter().filter_map(|table| table.index).for_each(|index| self.device.free_index(index));
        measured
    }
}

impl Calibrated {
    /// How long indexing the keys takes that a build wrote.
    fn index_time(&self, keys: &[OwnedOutput], rows: usize) -> Duration {
        let columns: Vec<ColumnData> = keys.iter().map(|key| key.column(rows)).collect();
        let types: Vec<DType> = columns.iter().map(|column| column.dtype).collect();
        let owned: Vec<OwnedChunk> =
            columns.iter().map(|column| OwnedChunk::new(column, 0..rows, Layout::default())).collect();
        let chunks = chunks(&owned);
        let inputs: Vec<_> = chunks.iter().map(|chunk| ColumnInput::Host(chunk)).collect();
        let start = Instant::now();
        let keys = IndexKeys { keys: &inputs, types: &types, numbers: None, rows };
        let index = self.device.build_index(self.stream, &keys, None).expect("an index");
        let took = start.elapsed();
        self.device.free_index(index.id);
        took
    }
}

/// The rates of the first device.
fn profile_lines(selector: &Selector) -> Vec<String> {
    let TableRates {
        start,
        alone,
        key_byte,
        sort,
        sort_tied,
        group,
        new_group,
        build,
        index,
        partition,
        probe,
        gather,
    } = selector.profile(0).expect("a profile").tables;
    let curves = [
        ("sort", sort),
        ("sort tied", sort_tied),
        ("group", group),
        ("new group", new_group),
        ("build", build),
        ("index", index),
    ];
    let curves = curves.into_iter().chain([("partition", partition), ("probe", probe), ("gather", gather)]);
    let line = |(name, curve): (&str, Curve)| {
        let points = curve.points().map(|(size, each)| format!(" {size:.0}: {each:.2}"));
        name.to_string() + &points.collect::<String>()
    };
    let numbers = format!("start {start:.0}, alone {alone:.2}, key byte {key_byte:.3}");
    std::iter::once(numbers).chain(curves.map(line)).collect()
}

fn chunks(owned: &[OwnedChunk]) -> Vec<[HostChunk<'_>; 1]> {
    owned.iter().map(|chunk| [chunk.chunk()]).collect()
}

/// Prints the median and the tenths of measured ÷ predicted.
fn summary(what: &str, ratios: impl IntoIterator<Item = f64>) -> f64 {
    let mut ratios: Vec<f64> = ratios.into_iter().collect();
    ratios.sort_by(f64::total_cmp);
    let at = |part: f64| ratios[((ratios.len() - 1) as f64 * part) as usize];
    println!("{what}: {} runs, 10 % {:.2}, median {:.2}, 90 % {:.2}", ratios.len(), at(0.1), at(0.5), at(0.9));
    at(0.5)
}

fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    now.as_nanos() as u64
}

/// A kernel with the sink of another, over columns of the values that the sink takes.
fn sink_alone(kernel: &Kernel) -> Kernel {
    let text = kernel.print();
    let sink = text.lines().find(|line| line.starts_with("sink")).expect("every kernel has a sink");
    let lists = text.lines().find(|line| line.starts_with("lists")).map(|line| format!("{line}\n"));
    let mut values = kernel.sink.operands();
    values.sort();
    values.dedup();
    let types = || values.iter().map(|&value| kernel.body.ty(value)).enumerate();
    let columns: Vec<String> = types().map(|(at, ty)| format!("c{at}: {ty}")).collect();
    let body: String = types().map(|(at, ty)| format!("  v{at}: {ty} = column c{at}\n")).collect();
    let place = |word: &str| values.iter().position(|value| value.to_string() == word);
    let mut words = sink.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric());
    let sink: String = words
        .by_ref()
        .map(|word| {
            let name = word.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
            place(name).map_or(word.to_string(), |at| format!("v{at}{}", &word[name.len()..]))
        })
        .collect();
    let columns = if columns.is_empty() { String::new() } else { format!("columns {}\n", columns.join(", ")) };
    let text = format!("kernel\n{columns}{}{body}{sink}\n", lists.unwrap_or_default());
    parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

/// The ratios of a kernel over several sizes, with what is known of the result and without.
fn ratios(calibrated: &Calibrated, case: &Case, kernel: &Kernel) -> Vec<[f64; 2]> {
    let mut rng = Rng::new(case.seed);
    let mut found = Vec::new();
    for rows in ROWS {
        let columns = kernel.columns.iter().map(|&ty| values::column(&mut rng, ty, rows)).collect();
        let OwnedInputs { params, lists, tables, .. } = case.inputs.clone();
        let params = if kernel.params.is_empty() { Vec::new() } else { params };
        let tables = if kernel.tables.is_empty() { Vec::new() } else { tables };
        let inputs = Inputs { columns, params, lists, tables, rows };
        let ratios = [true, false].map(|is_known| calibrated.ratio(kernel, &inputs, is_known));
        if let [Some(known), Some(unknown)] = ratios {
            if !(0.2..5.0).contains(&known) && kernel.params.is_empty() {
                println!("{known:.2} at {rows} rows: {}", kernel.print().lines().last().unwrap_or_default());
            }
            found.push([known, unknown]);
        }
    }
    found
}

#[test]
#[ignore = "prints figures; takes a minute"]
fn random_relational_kernels_take_about_the_predicted_time() {
    let (calibrated, first) = (Calibrated::new(), seed());
    println!("seed {first}");
    let sinks = [SinkKind::Sort, SinkKind::Group, SinkKind::Build, SinkKind::Partition, SinkKind::Compact];
    let (mut alone, mut whole) = (Vec::new(), Vec::new());
    for sink in sinks {
        let mut profile = KernelProfile::everything().with_sinks(&[sink]).with_rows(&[(100, 1)]);
        (profile.unguarded_percent, profile.calls_max) = (0, 8);
        let mut own = Vec::new();
        for seed in (0..KERNELS / sinks.len() as u64).map(|number| first.wrapping_add(number)) {
            let case = case(seed, &profile);
            if sink != SinkKind::Compact {
                own.extend(ratios(&calibrated, &case, &sink_alone(&case.kernel)));
            }
            whole.extend(ratios(&calibrated, &case, &case.kernel));
        }
        if !own.is_empty() {
            summary(&format!("{sink:?}"), own.iter().map(|[known, _]| *known));
        }
        alone.extend(own);
    }
    summary("sinks alone, unknown results", alone.iter().map(|[_, unknown]| *unknown));
    summary("with their bodies", whole.iter().map(|[known, _]| *known));
    let median = summary("sinks alone", alone.iter().map(|[known, _]| *known));
    assert!((0.25..4.0).contains(&median), "{median}");
}

const SEARCH: &str = "kernel
columns c0: u64
tables t0: keys(u64) columns(i64, f64)
  v0: u64 = column c0
  v1: u64 = probe unique_inner t0(v0)
  v2: i64 = gather t0.0 v1
  v3: f64 = gather t0.1 v1
sink compact v0, v2, v3
";
const GROUP: &str = "kernel
columns c0: u64
  v0: u64 = column c0
sink group keys(v0) folds(sum(v0), count()) order hash
";

#[test]
#[ignore = "prints figures; takes a minute"]
fn searches_and_groups_of_any_size_take_about_the_predicted_time() {
    let (calibrated, first) = (Calibrated::new(), seed());
    println!("seed {first}");
    let (mut rng, mut all) = (Rng::new(first), Vec::new());
    let words = |values: Vec<u64>| {
        ColumnData::from_scalars(DType::U64.required(), values.into_iter().map(|value| Some(Scalar::U64(value))))
    };
    for table_rows in TABLE_ROWS {
        for rows in ROWS {
            let keys = words((0..rows).map(|_| rng.below(table_rows) as u64).collect());
            let column = |ty: DType, rng: &mut Rng| values::column(rng, ty.required(), table_rows);
            let columns = vec![
                words((0..table_rows as u64).collect()),
                column(DType::I64, &mut rng),
                column(DType::F64, &mut rng),
            ];
            let tables = vec![TableData { columns, rows: table_rows }];
            let inputs = |tables| Inputs { columns: vec![keys.clone()], params: vec![], lists: vec![], tables, rows };
            let [search, group] = [SEARCH, GROUP].map(|text| parse(text).expect("a kernel"));
            let ratio = |kernel: &Kernel, tables| calibrated.ratio(kernel, &inputs(tables), true).expect("a result");
            let ratios = [ratio(&search, tables), ratio(&group, vec![])];
            println!("{rows} rows of {table_rows}: search {:.2}, group {:.2}", ratios[0], ratios[1]);
            all.extend(ratios);
        }
    }
    let median = summary("searches and groups", all);
    assert!((0.25..4.0).contains(&median), "{median}");
}

/// Sizes between and beyond those that calibration measures, a batch, and calls of other kinds.
#[cfg(feature = "calls")]
#[test]
#[ignore = "measures for a minute"]
fn library_calls() {
    let calibrated = Calibrated::new();
    for (class, curve) in CallClass::ALL.into_iter().zip(calibrated.selector.profile(0).expect("a profile").calls) {
        let points: String =
            curve.points().map(|(operations, each)| format!(" {operations:.2e}: {:.1}", 1.0 / each)).collect();
        println!("{class}, billions of operations a second:{points}");
    }
    let product = |size| Call::from(Matmul::real(size, size, size));
    let planes = Convolve { channels_in: 8, channels_out: 16, ..Convolve::plane([128, 128], [3, 3]) };
    let calls = [4, 32, 100, 300, 1000, 2000, 4096].map(|size| (product(size), 1));
    let calls = calls.into_iter().chain([(product(32), 1000), (Matmul::complex(500, 500, 500).into(), 1)]);
    let lengths = [16, 1000, 4096, 1 << 16, 1_000_003, 1 << 20, 1 << 23];
    let calls = calls.chain(lengths.map(|length| (Fft::forward(length).into(), 1)));
    let calls = calls.chain([(Fft::real_forward(1 << 20).into(), 1), (Fft::forward(1024).into(), 1000)]);
    let calls = calls.chain([
        (Convolve::line(1 << 20, 15).into(), 1),
        (Convolve::line(1 << 22, 200).into(), 1),
        (planes.into(), 8),
    ]);
    let mut all = Vec::new();
    for (call, chunks) in calls {
        for dtype in [DType::F32, DType::F64] {
            let column = |rows: u64| {
                ColumnData::from_scalars(
                    dtype.required(),
                    (0..rows).map(|row| {
                        Some(if dtype == DType::F32 {
                            Scalar::F32(row as f32 / 9e6)
                        } else {
                            Scalar::F64(row as f64 / 9e6)
                        })
                    }),
                )
            };
            let (rows, table_rows) = (chunks * call.rows_in(), call.table_rows(chunks));
            let lists = if call.has_table() { vec![column(table_rows)] } else { Vec::new() };
            let inputs =
                Inputs { columns: vec![column(rows)], params: vec![], lists, tables: vec![], rows: rows as usize };
            let kernel = call_kernel(&call, dtype);
            let ratio = calibrated.ratio(&kernel, &inputs, false).expect("a result");
            println!("{ratio:.2} {dtype} {chunks} x {call}");
            all.push(ratio);
        }
    }
    let median = summary("library calls", all);
    assert!((0.5..2.0).contains(&median), "{median}");
}
