//! Launches that would run for minutes stop soon after they are abandoned, and leave the card to others. Skipped
//! without a card.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use super::card::first_card;
use pointsman_device::cuda::CudaDevice;
use pointsman_device::*;
use pointsman_ir::kernel::parse::parse;
#[cfg(feature = "calls")]
use pointsman_ir::verify;
use std::cell::Cell;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Two nested loops, `OUTER` times 16 million iterations a row: minutes for a single row.
const BODY: &str = "kernel
columns c0: i64
  v0: i64 = column c0
  v1 = loop OUTER (i64 = v0) {
    v2: i64 = carried v1.0
    v3 = loop 16777216 (i64 = v2) {
      v4: i64 = carried v3.0
      v5: i64 = mul v4 v0
      v6: i64 = add v5 v4
      next v6
    }
    v7: i64 = result v3.0
    next v7
  }
  v8: i64 = result v1.0
";
/// How long a test waits for a card at most. The launches would take far longer.
const TIMEOUT: Duration = Duration::from_secs(20);
const ROWS: usize = 3_000_000;

/// The first card, for one test at a time: a launch that is not stopped yet keeps the launches of other tests waiting, and
/// these tests measure how long they wait.
fn first_card_alone() -> Option<(CudaDevice, MutexGuard<'static, ()>)> {
    static ALONE: Mutex<()> = Mutex::new(());
    let card = first_card()?;
    Some((card, ALONE.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// A launch that is stopped at the latest when it is dropped, so that a failed test does not keep the card for minutes.
struct EndlessLaunch<'a> {
    card: &'a dyn Device,
    id: LaunchId,
    is_forgotten: Cell<bool>,
}

impl<'a> EndlessLaunch<'a> {
    fn start(buffers: &Buffers<'a>, program: ProgramId, rows: usize) -> EndlessLaunch<'a> {
        let id = running(buffers.launch(program, rows).unwrap());
        EndlessLaunch { card: buffers.card, id, is_forgotten: Cell::new(false) }
    }

    /// Waits this long; an error if the launch ended.
    fn assert_runs_for(&self, time: Duration, what: &str) {
        let error = self.card.finish(self.id, time).unwrap_err();
        assert_eq!(error.kind, DeviceErrorKind::Timeout, "{what}: the launch ended by itself");
    }

    fn forget(&self) {
        if !self.is_forgotten.replace(true) {
            self.card.forget_launch(self.id);
        }
    }
}

impl Drop for EndlessLaunch<'_> {
    fn drop(&mut self) {
        self.forget();
    }
}

struct Buffers<'a> {
    card: &'a dyn Device,
    stream: StreamId,
    input: BufferRange,
    output: BufferRange,
}

impl<'a> Buffers<'a> {
    fn new(card: &'a dyn Device) -> Buffers<'a> {
        let range = || BufferRange { buffer: card.allocate(8 * ROWS).unwrap(), offset: 0, bytes: 8 * ROWS as u64 };
        let (stream, input, output) = (card.open_stream(Priority::Normal).unwrap(), range(), range());
        let threes: Vec<u8> = 3i64.to_le_bytes().repeat(ROWS);
        card.upload(stream, &threes, input).unwrap();
        Buffers { card, stream, input, output }
    }

    /// Compiles and loads a kernel. A driver may load only when the launches under way have ended.
    fn load(&self, text: &str) -> ProgramId {
        self.card.load(&self.card.compile(&parse(text).unwrap()).unwrap()).unwrap()
    }

    /// Starts a launch over these rows.
    fn launch(&self, program: ProgramId, rows: usize) -> DeviceResult<LaunchStatus> {
        let columns = [ColumnInput::Device { values: self.input, validity: None, rows }];
        let mut outputs = [ColumnOutput::Device { values: self.output, validity: None }];
        let (columns, outputs) = (&columns[..], &mut outputs[..]);
        let (params, lists, tables) = (&[], &[], &[]);
        let mut launch =
            Launch { first_row: 0, rows, first_match: 0, form: Form::Whole, columns, params, lists, tables, outputs };
        self.card.launch(self.stream, program, &mut launch)
    }
}

fn running(status: LaunchStatus) -> LaunchId {
    match status {
        LaunchStatus::Running(id) => id,
        LaunchStatus::Done(outcome) => panic!("a launch that can stop is waited for: {outcome:?}"),
    }
}

#[test]
fn abandoned_launches_of_every_sink_stop() {
    let Some((card, _alone)) = first_card_alone() else { return };
    let buffers = Buffers::new(&card);
    let sinks = ["store v8", "reduce sum(v8)", "compact v8", "scan columns() running(sum(v8))"];
    for (sink, rows) in sinks.iter().flat_map(|sink| [1, 257, 65_537, ROWS].map(|rows| (sink, rows))) {
        let text = BODY.replace("OUTER", "100000") + "sink " + sink + "\n";
        let launch = EndlessLaunch::start(&buffers, buffers.load(&text), rows);
        launch.assert_runs_for(Duration::from_millis(20), &format!("{sink}, {rows} rows"));
        assert_eq!(card.zombies(), 0);
        let start = Instant::now();
        launch.forget();
        while card.zombies() > 0 && start.elapsed() < TIMEOUT {
            std::thread::yield_now();
        }
        assert_eq!(card.zombies(), 0, "{sink}, {rows} rows: the launch did not stop");
        println!("{sink}, {rows} rows: the card was free after {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    }
}

#[test]
fn a_launch_that_is_queued_behind_another_stops_too() {
    let Some((card, _alone)) = first_card_alone() else { return };
    let buffers = Buffers::new(&card);
    let program = buffers.load(&(BODY.replace("OUTER", "100000") + "sink store v8\n"));
    let launches: Vec<EndlessLaunch<'_>> = (0..3).map(|_| EndlessLaunch::start(&buffers, program, ROWS)).collect();
    let start = Instant::now();
    launches.iter().rev().for_each(EndlessLaunch::forget);
    while card.zombies() > 0 && start.elapsed() < TIMEOUT {
        std::thread::yield_now();
    }
    assert_eq!(card.zombies(), 0, "a queued launch did not stop");
    // Later launches on the same stream are not affected.
    let text = BODY.replace("OUTER", "1").replace("16777216", "4096") + "sink compact v8\n";
    let outcome = card.finish(running(buffers.launch(buffers.load(&text), 1000).unwrap()), TIMEOUT).unwrap();
    assert_eq!((outcome.rows, outcome.fault), (1000, None));
    let mut values = vec![0; 8000];
    let mut parts = [Download { from: BufferRange { bytes: 8000, ..buffers.output }, destination: &mut values[..] }];
    card.download_all(buffers.stream, &mut parts, TIMEOUT).unwrap();
    let expected = (0..4096).fold(3i64, |value, _| value.wrapping_mul(3).wrapping_add(value));
    let (values, _) = values.as_chunks::<8>();
    assert!(values.iter().all(|value| i64::from_le_bytes(*value) == expected));
}

#[test]
fn a_launch_stops_while_the_driver_loads_a_program() {
    let Some((card, _alone)) = first_card_alone() else { return };
    let buffers = Buffers::new(&card);
    let program = buffers.load(&(BODY.replace("OUTER", "100000") + "sink store v8\n"));
    let image = card.compile(&parse(&(BODY.replace("OUTER", "7") + "sink reduce max(v8)\n")).unwrap()).unwrap();
    // Moved into the scope: if an assertion fails there, the launch must stop before the scope waits for its thread.
    let launch = EndlessLaunch::start(&buffers, program, ROWS);
    std::thread::scope(|scope| {
        let launch = launch;
        let loading = scope.spawn(|| card.load(&image));
        launch.assert_runs_for(Duration::from_millis(100), "store");
        let start = Instant::now();
        launch.forget();
        loading.join().unwrap().unwrap();
        println!("the program was loaded after {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
        assert!(start.elapsed() < TIMEOUT, "the launch did not stop while a program was loaded");
    });
}

#[test]
fn a_call_with_a_limit_gives_up_while_the_driver_loads_a_program() {
    let Some((card, _alone)) = first_card_alone() else { return };
    let (buffers, others) = (Buffers::new(&card), Buffers::new(&card));
    let program = buffers.load(&(BODY.replace("OUTER", "100000") + "sink store v8\n"));
    let short = buffers.load("kernel\ncolumns c0: i64\n  v0: i64 = column c0\n  v1: i64 = neg v0\nsink store v1\n");
    let image = card.compile(&parse(&(BODY.replace("OUTER", "9") + "sink reduce max(v8)\n")).unwrap()).unwrap();
    let launch = EndlessLaunch::start(&buffers, program, ROWS);
    std::thread::scope(|scope| {
        let launch = launch;
        let loading = scope.spawn(|| card.load(&image));
        std::thread::sleep(Duration::from_millis(100));
        let start = Instant::now();
        let until = Some(start + Duration::from_millis(50));
        let limit = call_limit::set(call_limit::CallLimit { until, is_cancelled: None });
        let refused = others.launch(short, ROWS).unwrap_err();
        assert_eq!(refused.kind, DeviceErrorKind::Expired, "{refused}");
        drop(limit);
        // Nothing that is freed waits either.
        card.free(others.input.buffer);
        assert!(start.elapsed() < Duration::from_millis(250), "{:?}", start.elapsed());
        assert!(!loading.is_finished(), "the driver waits for the launch");
        launch.forget();
        loading.join().unwrap().unwrap();
    });
    assert!(others.launch(short, 1000).is_err(), "its input was freed");
    assert!(buffers.launch(short, 1000).is_ok());
}

/// A resource that is freed while the driver loads a program keeps the streams that use it, and with them their scratch
/// memory, until a later call finds that their work is over.
#[test]
fn a_stream_that_was_closed_while_the_driver_loads_a_program_is_freed_later() {
    let Some((card, _alone)) = first_card_alone() else { return };
    let buffers = Buffers::new(&card);
    let endless = buffers.load(&(BODY.replace("OUTER", "100000") + "sink store v8\n"));
    // A compaction has scratch memory, which stays with its stream.
    let compact = buffers.load("kernel\ncolumns c0: i64\n  v0: i64 = column c0\nsink compact v0\n");
    let image = card.compile(&parse(&(BODY.replace("OUTER", "11") + "sink reduce max(v8)\n")).unwrap()).unwrap();
    let used = card.memory().used;
    let closed = Buffers::new(&card);
    card.finish(running(closed.launch(compact, ROWS).unwrap()), TIMEOUT).unwrap();
    let launch = EndlessLaunch::start(&buffers, endless, ROWS);
    std::thread::scope(|scope| {
        let launch = launch;
        let loading = scope.spawn(|| card.load(&image));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!loading.is_finished(), "the driver waits for the launch");
        let Buffers { stream, input, output, .. } = closed;
        card.close_stream(stream);
        card.free(input.buffer);
        card.free(output.buffer);
        launch.forget();
        loading.join().unwrap().unwrap();
    });
    // On a thread of its own: the test must end even if this call does not.
    let card = Arc::new(card);
    let (sender, receiver) = channel();
    let freeing = card.clone();
    std::thread::spawn(move || sender.send(freeing.memory().used));
    assert_eq!(receiver.recv_timeout(TIMEOUT), Ok(used), "the closed stream's memory was not freed");
}

#[test]
fn a_long_body_without_loops_stops() {
    /// Rows that take a fast card seconds.
    const ROWS: usize = 1 << 34;
    let Some((card, _alone)) = first_card_alone() else { return };
    let buffers = Buffers::new(&card);
    let sines: String = (2..202).map(|v| format!("  v{v}: f32 = sin v{}\n", v - 1)).collect();
    let text = format!("kernel\n  v0: u64 = row_index\n  v1: f32 = cast v0\n{sines}sink reduce max(v201)\n");
    let program = buffers.load(&text);
    let mut outputs = [ColumnOutput::Device { values: buffers.output, validity: Some(buffers.input) }];
    let (columns, params, lists, tables) = (&[], &[], &[], &[]);
    let outputs = &mut outputs[..];
    let mut launch =
        Launch { first_row: 0, rows: ROWS, first_match: 0, form: Form::Whole, columns, params, lists, tables, outputs };
    let id = running(card.launch(buffers.stream, program, &mut launch).unwrap());
    let launch = EndlessLaunch { card: &card, id, is_forgotten: Cell::new(false) };
    launch.assert_runs_for(Duration::from_millis(50), "reduce");
    let start = Instant::now();
    launch.forget();
    while card.zombies() > 0 && start.elapsed() < TIMEOUT {
        std::thread::yield_now();
    }
    println!("the card was free after {:.1?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_millis(500), "the launch ran on: {:?}", start.elapsed());
}

/// A product of rows that take minutes each.
#[cfg(feature = "calls")]
const CALL: &str = "kernel
lists l0: f32
  v0: u64 = row_index
  v1 = loop 100000 (u64 = v0) {
    v2: u64 = carried v1.0
    v3 = loop 16777216 (u64 = v2) {
      v4: u64 = carried v3.0
      v5: u64 = mul v4 v0
      v6: u64 = add v5 v4
      next v6
    }
    v7: u64 = result v3.0
    next v7
  }
  v8: u64 = result v1.0
  v9: f32 = cast v8
sink call matmul real 8192 8192 8192 left rows right rows shared of v9 l0
";

/// The limit of a call passes while its slices wait for its rows: their launch counts as abandoned until it has stopped.
#[cfg(feature = "calls")]
#[test]
fn rows_of_a_call_that_was_not_queued_stop() {
    const SIDE: usize = 8192;
    let kernel = parse(CALL).unwrap();
    assert_eq!(verify::kernel(&kernel), Ok(()));
    let Some((card, _alone)) = first_card_alone() else { return };
    if card.memory().free.is_some_and(|free| free < 8 << 30) {
        return println!("skipped: less than 8 GiB of memory");
    }
    let buffers = Buffers::new(&card);
    let program = card.load(&card.compile(&kernel).unwrap()).unwrap();
    let endless = buffers.load(&(BODY.replace("OUTER", "100000") + "sink store v8\n"));
    let range = |bytes: usize| BufferRange { buffer: card.allocate(bytes).unwrap(), offset: 0, bytes: bytes as u64 };
    let (rows, table, output) = (3 * SIDE * SIDE, range(4 * SIDE * SIDE), range(12 * SIDE * SIDE));
    let lists = [ColumnInput::Device { values: table, validity: None, rows: SIDE * SIDE }];
    let mut outputs = [ColumnOutput::Device { values: output, validity: None }];
    let (columns, params, tables, lists) = (&[], &[], &[], &lists[..]);
    let outputs = &mut outputs[..];
    let mut launch =
        Launch { first_row: 0, rows, first_match: 0, form: Form::Whole, columns, params, lists, tables, outputs };
    // The library loads its kernels with their first launch, and the driver then waits for all that run.
    let short = parse(&CALL.replace("100000", "1").replace("16777216", "1")).unwrap();
    let short = card.load(&card.compile(&short).unwrap()).unwrap();
    if let LaunchStatus::Running(id) = card.launch(buffers.stream, short, &mut launch).unwrap() {
        card.finish(id, TIMEOUT).unwrap();
    }
    let earlier = EndlessLaunch::start(&buffers, endless, ROWS);
    let until = Some(Instant::now() + Duration::from_millis(500));
    let limit = call_limit::set(call_limit::CallLimit { until, is_cancelled: None });
    let refused = card.launch(buffers.stream, program, &mut launch).unwrap_err();
    drop(limit);
    assert_eq!(refused.kind, DeviceErrorKind::Expired, "{refused}");
    assert_eq!(card.zombies(), 1, "the launch of the rows");
    let start = Instant::now();
    earlier.forget();
    while card.zombies() > 0 && start.elapsed() < TIMEOUT {
        std::thread::yield_now();
    }
    assert_eq!(card.zombies(), 0, "the rows did not stop");
}
