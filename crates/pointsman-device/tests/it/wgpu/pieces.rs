//! Launches that are submitted in pieces: other commands may come between the pieces and still see what the order of
//! the calls says, and a forgotten launch submits nothing more. Without an adapter the tests print that and pass.

use pointsman_device::call_limit::{self, CallLimit};
use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
use pointsman_device::{
    BufferId, BufferRange, ColumnInput, ColumnOutput, Device, DeviceErrorKind, Form, Launch, LaunchId, LaunchStatus,
    Priority, ProgramId, StreamId,
};
use pointsman_ir::kernel::parse::parse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(60);
/// A hundred pieces.
const ROWS: usize = 100 * PIECE_ROWS;
const PIECE_ROWS: usize = 4096;
const DOUBLED: &str = "kernel
columns c0: u32
  v0: u32 = column c0
  v1: u32 = add v0 v0
sink store v1
";
const SUM: &str = "kernel
columns c0: u32
  v0: u32 = column c0
sink reduce sum(v0)
";

struct Gpu {
    device: WgpuDevice,
    stream: StreamId,
}

impl Gpu {
    /// Opens the first adapter with short dispatches.
    fn open() -> Option<Gpu> {
        let Some(adapter) = discover().adapters.first() else {
            eprintln!("skipped: no adapter");
            return None;
        };
        let options = WgpuOptions { dispatch_rows_max: Some(PIECE_ROWS as u64), ..WgpuOptions::default() };
        let device = WgpuDevice::open(adapter, options).expect("an adapter that was found opens");
        let stream = device.open_stream(Priority::Normal).expect("a stream opens");
        Some(Gpu { device, stream })
    }

    fn program(&self, text: &str) -> ProgramId {
        let image = self.device.compile(&parse(text).expect("the text of a kernel")).expect("it compiles");
        self.device.load(&image).expect("it loads")
    }

    fn column(&self, value: impl Fn(u32) -> u32) -> BufferId {
        let buffer = self.device.allocate(4 * ROWS).expect("memory");
        let bytes: Vec<u8> = (0..ROWS as u32).flat_map(|row| value(row).to_le_bytes()).collect();
        self.device.upload(self.stream, &bytes, range(buffer, 4 * ROWS)).expect("an upload");
        buffer
    }

    fn read(&self, from: BufferId, rows: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * rows];
        self.device.download(self.stream, range(from, 4 * rows), &mut bytes, TIMEOUT).expect("a download");
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }

    fn launch(&self, program: ProgramId, from: BufferId, to: BufferRange) -> LaunchId {
        let columns = [ColumnInput::Device { values: range(from, 4 * ROWS), validity: None, rows: ROWS }];
        let mut outputs = [ColumnOutput::Device { values: to, validity: None }];
        let mut launch = Launch {
            first_row: 0,
            rows: ROWS,
            first_match: 0,
            form: Form::Whole,
            columns: &columns,
            params: &[],
            lists: &[],
            tables: &[],
            outputs: &mut outputs,
        };
        match self.device.launch(self.stream, program, &mut launch).expect("a launch") {
            LaunchStatus::Running(launch) => launch,
            LaunchStatus::Done(outcome) => panic!("it is done already: {outcome:?}"),
        }
    }

    fn finish(&self, launch: LaunchId) {
        let outcome = self.device.finish(launch, TIMEOUT).expect("it finishes");
        assert_eq!(outcome.fault, None);
    }
}

fn range(buffer: BufferId, bytes: usize) -> BufferRange {
    BufferRange { buffer, offset: 0, bytes: bytes as u64 }
}

/// Doubles one of two columns while sums over both are in progress, and finishes them in another order.
#[test]
fn launches_between_the_pieces_of_others_share_no_memory_with_them() {
    let Some(gpu) = Gpu::open() else { return };
    let (sum, doubled) = (gpu.program(SUM), gpu.program(DOUBLED));
    let columns = [gpu.column(|row| row % 1000), gpu.column(|row| row % 77)];
    let sums = columns.map(|column| {
        let to = gpu.device.allocate(8).expect("memory");
        (gpu.launch(sum, column, range(to, 8)), to)
    });
    let to = gpu.device.allocate(4 * ROWS).expect("memory");
    let last = gpu.launch(doubled, columns[0], range(to, 4 * ROWS));
    gpu.finish(last);
    sums.iter().rev().for_each(|(launch, _)| gpu.finish(*launch));
    let expected = [1000u32, 77].map(|modulus| (0..ROWS as u32).map(|row| u64::from(row % modulus)).sum::<u64>());
    for ((_, to), expected) in sums.iter().zip(expected) {
        let words = gpu.read(*to, 2);
        assert_eq!(u64::from(words[0]) | u64::from(words[1]) << 32, expected);
    }
    assert!((0..).zip(gpu.read(to, ROWS)).all(|(row, value)| value == 2 * (row % 1000)));
}

/// Every later command on the same buffers sees all pieces, although nobody waited for the launch.
#[test]
fn later_commands_see_all_pieces() {
    let Some(gpu) = Gpu::open() else { return };
    let doubled = gpu.program(DOUBLED);
    let from = gpu.column(|row| row);
    let [twice, four_times] = [(); 2].map(|()| gpu.device.allocate(4 * ROWS).expect("memory"));
    let first = gpu.launch(doubled, from, range(twice, 4 * ROWS));
    let second = gpu.launch(doubled, twice, range(four_times, 4 * ROWS));
    // Overwrites what the second launch reads.
    gpu.device.upload(gpu.stream, &vec![0xff; 4 * ROWS], range(twice, 4 * ROWS)).expect("an upload");
    let result = gpu.read(four_times, ROWS);
    assert!((0..).zip(result).all(|(row, value)| value == 4 * row));
    gpu.finish(second);
    gpu.finish(first);
    let third = gpu.launch(doubled, from, range(twice, 4 * ROWS));
    let event = gpu.device.record(gpu.stream).expect("an event");
    let start = Instant::now();
    while gpu.device.event_status(event).expect("its status") != pointsman_device::EventStatus::Reached {
        assert!(start.elapsed() < TIMEOUT);
    }
    let outcome = gpu.device.finish(third, Duration::ZERO).expect("an event is reached after the launches before it");
    assert_eq!(outcome.rows, ROWS);
}

/// A launch that is forgotten after its first pieces leaves the later rows as they were.
#[test]
fn a_forgotten_launch_submits_nothing_more() {
    let Some(gpu) = Gpu::open() else { return };
    let doubled = gpu.program(DOUBLED);
    let from = gpu.column(|row| row);
    let to = gpu.column(|_| u32::MAX);
    let launch = gpu.launch(doubled, from, range(to, 4 * ROWS));
    let late = gpu.device.finish(launch, Duration::ZERO).expect_err("not in no time");
    assert_eq!(late.kind, DeviceErrorKind::Timeout, "{late}");
    gpu.device.forget_launch(launch);
    let result = gpu.read(to, ROWS);
    let done = result.iter().position(|&value| value == u32::MAX).expect("rows that were not written");
    assert!(done >= 2 * PIECE_ROWS && done.is_multiple_of(PIECE_ROWS), "{done} rows were written");
    assert!(result[done..].iter().all(|&value| value == u32::MAX));
    let start = Instant::now();
    while gpu.device.zombies() > 0 {
        assert!(start.elapsed() < TIMEOUT, "the pieces end");
    }
}

/// Another thread waits for the launch without time to do so, while the queue is busy: it submits some of its pieces and
/// gives up, and no piece is lost.
#[test]
fn a_caller_that_gives_up_leaves_the_launch_as_it_was() {
    let Some(gpu) = Gpu::open() else { return };
    let doubled = gpu.program(DOUBLED);
    let from = gpu.column(|row| row);
    let [to, other] = [(); 2].map(|()| gpu.device.allocate(4 * ROWS).expect("memory"));
    let mut timeouts = 0;
    for round in 0..10 {
        gpu.device.upload(gpu.stream, &vec![0xff; 4 * ROWS], range(to, 4 * ROWS)).expect("an upload");
        let launch = gpu.launch(doubled, from, range(to, 4 * ROWS));
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // Its pieces keep the queue busy.
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    gpu.finish(gpu.launch(doubled, from, range(other, 4 * ROWS)));
                }
            });
            let _limit = call_limit::set(CallLimit { until: Some(Instant::now()), is_cancelled: None });
            for _ in 0..200 {
                let read = gpu.device.download(gpu.stream, range(to, 4), &mut [0; 4], TIMEOUT);
                timeouts += usize::from(read.is_err_and(|error| error.kind == DeviceErrorKind::Expired));
            }
            is_done.store(true, Ordering::Relaxed);
        });
        gpu.finish(launch);
        let result = gpu.read(to, ROWS);
        assert!((0..).zip(result).all(|(row, value)| value == 2 * row), "round {round}");
    }
    assert!(timeouts > 0, "the caller must give up for this test to mean something");
}
