//! Large columns on a real card: ignored, since a software adapter has neither the memory nor the speed. Run with
//! `cargo test -p pointsman-device --all-features --release --test it -- --ignored --nocapture --test-threads 1 wgpu::large`.

use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
use pointsman_device::{
    BufferId, BufferRange, ColumnInput, ColumnOutput, Device, EventStatus, Form, HostBuffer, Launch, LaunchStatus,
    Outcome, Priority, ProgramId, StreamId,
};
use pointsman_ir::kernel::parse::parse;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(300);
/// The rows of the speed test, and the number of runs of each kernel.
const SPEED_ROWS: usize = 1 << 26;
const RUNS: u32 = 10;
/// Launches before the measurement: a cold card is slow.
const WARM_UP: u32 = 20;
/// Launches that are queued between two events, so that fixed costs do not count.
const QUEUED: u32 = 16;

const COPY: &str = "kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink store v0\n";
const MAP: &str = "kernel
columns c0: f32
params p0: f32, p1: f32, p2: f32
  v0: f32 = column c0
  v1: f32 = param p0
  v2: f32 = param p1
  v3: f32 = param p2
  v4: f32 = mul v0 v0
  v5: f32 = mul v4 v1
  v6: f32 = mul v0 v2
  v7: f32 = add v5 v6
  v8: f32 = sub v7 v3
sink store v8
";
const SUM: &str = "kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink reduce sum(v0)\n";
const COMPACT: &str = "kernel
columns c0: f32
params p0: f32
  v0: f32 = column c0
  v1: f32 = param p0
  v2: bool = gt v0 v1
mask v2
sink compact v0
";

struct Card {
    device: WgpuDevice,
    stream: StreamId,
}

impl Card {
    fn find(options: WgpuOptions) -> Option<Card> {
        let adapter = discover().adapters.iter().find(|adapter| !adapter.is_software);
        let Some(adapter) = adapter else {
            eprintln!("skipped: no card");
            return None;
        };
        let device = WgpuDevice::open(adapter, options).expect("an adapter that was found opens");
        let stream = device.open_stream(Priority::Normal).expect("a stream opens");
        Some(Card { device, stream })
    }

    fn load(&self, text: &str) -> ProgramId {
        let image = self.device.compile(&parse(text).expect("the text of a kernel")).expect("it compiles");
        self.device.load(&image).expect("it loads")
    }

    /// Fills a buffer with one word per row.
    fn words(&self, rows: usize, word: impl Fn(usize) -> u32) -> BufferId {
        let mut staging = HostBuffer::zeroed(4 * rows);
        for (row, bytes) in staging.chunks_exact_mut(4).enumerate() {
            bytes.copy_from_slice(&word(row).to_le_bytes());
        }
        let buffer = self.device.allocate(4 * rows).expect("there is memory");
        self.device.copy_in(self.stream, Arc::new(staging), range(buffer, 0, 4 * rows)).expect("a copy in");
        buffer
    }

    fn read(&self, buffer: BufferId, offset: usize, bytes: usize) -> Vec<u32> {
        let copy = self.device.copy_out(self.stream, range(buffer, offset, bytes), HostBuffer::zeroed(bytes));
        let out = self.device.finish_copy(copy.expect("a copy out"), TIMEOUT).expect("it comes back");
        out.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    fn launch(
        &self,
        program: ProgramId,
        rows: usize,
        params: &[f32],
        from: BufferId,
        to: (BufferId, usize),
    ) -> LaunchStatus {
        let params: Vec<_> = params.iter().map(|&value| Some(pointsman_ir::types::Scalar::F32(value))).collect();
        let columns = [ColumnInput::Device { values: range(from, 0, 4 * rows), validity: None, rows }];
        let mut outputs = [ColumnOutput::Device { values: range(to.0, 0, to.1), validity: None }];
        let mut launch = Launch {
            first_row: 0,
            rows,
            first_match: 0,
            form: Form::Whole,
            columns: &columns,
            params: &params,
            lists: &[],
            tables: &[],
            outputs: &mut outputs,
        };
        self.device.launch(self.stream, program, &mut launch).expect("a launch")
    }

    fn finish(&self, pending: LaunchStatus) -> Outcome {
        match pending {
            LaunchStatus::Done(outcome) => outcome,
            LaunchStatus::Running(launch) => self.device.finish(launch, TIMEOUT).expect("it finishes"),
        }
    }

    /// The device time of one of `queued` launches that are queued together: the best of several measurements, on a
    /// warm card.
    fn time(&self, queued: u32, run: impl Fn() -> Option<LaunchStatus>) -> Duration {
        let finish = |one: Option<LaunchStatus>| {
            one.map(|one| self.finish(one));
        };
        (0..WARM_UP).for_each(|_| finish(run()));
        let once = |_| {
            let start = self.device.record(self.stream).expect("an event");
            let pending: Vec<Option<LaunchStatus>> = (0..queued).map(|_| run()).collect();
            let end = self.device.record(self.stream).expect("an event");
            pending.into_iter().for_each(finish);
            while self.device.event_status(end) != Ok(EventStatus::Reached) {}
            let took = self.device.elapsed(start, end).expect("both were reached");
            self.device.forget_event(start);
            self.device.forget_event(end);
            took / queued
        };
        (0..RUNS).map(once).min().unwrap_or_default()
    }
}

/// The host time of a call: the best of several; its result is consumed outside the measurement.
fn host_time<T>(call: impl Fn() -> T, done: impl Fn(T) -> usize) -> Duration {
    let once = |_| {
        let start = Instant::now();
        let made = call();
        let took = start.elapsed();
        assert!(done(made) > 0);
        took
    };
    (0..RUNS).map(once).min().unwrap_or_default()
}

fn range(buffer: BufferId, offset: usize, bytes: usize) -> BufferRange {
    BufferRange { buffer, offset: offset as u64, bytes: bytes as u64 }
}

/// Prints one line: milliseconds, speed, and the share of the copy's speed.
fn print_speed(name: &str, took: Duration, bytes: usize, copy: &mut Option<f64>) {
    let (ms, speed) = (took.as_secs_f64() * 1e3, bytes as f64 / took.as_secs_f64() / 1e9);
    let share = 100.0 * speed / *copy.get_or_insert(speed);
    eprintln!("{name:<12} {ms:8.4} ms {speed:7.0} GB/s {share:5.1} % of the copy kernel");
}

/// A column of values from -1000 to 1000.
fn value(row: usize) -> u32 {
    ((row.wrapping_mul(2_654_435_761) % 2001) as f32 - 1000.0).to_bits()
}

/// The speed of a copy, a map, a sum and a compaction of half the rows: bytes read and written per device time.
#[test]
#[ignore = "needs a card"]
fn speeds() {
    let Some(card) = Card::find(WgpuOptions::default()) else { return };
    eprintln!("{}: {:?}", card.device.info().model, card.device.info().capabilities);
    let rows = SPEED_ROWS;
    let (from, to) = (card.words(rows, value), card.device.allocate(4 * rows).expect("there is memory"));
    let selected = (0..rows).filter(|&row| f32::from_bits(value(row)) > 0.0).count();
    let kernels = [
        ("copy kernel", COPY, &[][..], 8 * rows),
        ("map", MAP, &[0.5, 3.0, 1.0][..], 8 * rows),
        ("sum", SUM, &[][..], 4 * rows),
        ("compaction", COMPACT, &[0.0][..], 4 * rows + 4 * selected),
    ];
    let mut copy = None;
    for (name, text, params, bytes) in kernels {
        let program = card.load(text);
        let room = if name == "sum" { 4 } else { 4 * rows };
        let run = || Some(card.launch(program, rows, params, from, (to, room)));
        print_speed(name, card.time(QUEUED, run), bytes, &mut copy);
        let launches = || (0..QUEUED).filter_map(|_| run()).collect();
        let host = host_time(launches, |all: Vec<LaunchStatus>| all.into_iter().map(|one| card.finish(one).rows).sum());
        eprintln!("{name:<12} {:?} alone; {:?} of the host a launch", card.time(1, run), host / QUEUED);
    }
    let across = || {
        card.device.copy_across(card.stream, range(from, 0, 4 * rows), range(to, 0, 4 * rows)).expect("a copy across");
        None
    };
    print_speed("driver copy", card.time(QUEUED, across), 8 * rows, &mut copy);
    assert_eq!(card.finish(card.launch(card.load(COMPACT), rows, &[0.0], from, (to, 4 * rows))).rows, selected);
}

/// The speed of compactions with tiles of every size, and in several passes.
#[test]
#[ignore = "needs a card"]
fn speeds_of_compactions() {
    let rows = SPEED_ROWS;
    let selected = (0..rows).filter(|&row| f32::from_bits(value(row)) > 0.0).count();
    let ways = [
        ("copy kernel", COPY, WgpuOptions::default()),
        ("48 KiB", COMPACT, WgpuOptions { workgroup_bytes_max: Some(48 << 10), ..WgpuOptions::default() }),
        ("32 KiB", COMPACT, WgpuOptions { workgroup_bytes_max: Some(32 << 10), ..WgpuOptions::default() }),
        ("16 KiB", COMPACT, WgpuOptions { workgroup_bytes_max: Some(16 << 10), ..WgpuOptions::default() }),
        ("leaves", COMPACT, WgpuOptions { workgroup_bytes_max: Some(0), ..WgpuOptions::default() }),
        ("passes", COMPACT, WgpuOptions { single_pass: Some(false), ..WgpuOptions::default() }),
    ];
    let mut copy = None;
    for (name, text, options) in ways {
        let Some(card) = Card::find(options) else { return };
        let (from, to) = (card.words(rows, value), card.device.allocate(4 * rows).expect("there is memory"));
        let program = card.load(text);
        let (params, bytes) = if text == COPY { (&[][..], 8 * rows) } else { (&[0.0][..], 4 * rows + 4 * selected) };
        let run = || Some(card.launch(program, rows, params, from, (to, 4 * rows)));
        print_speed(name, card.time(QUEUED, run), bytes, &mut copy);
        let kept = run().map(|one| card.finish(one).rows);
        assert_eq!(kept, Some(if text == COPY { rows } else { selected }), "{name}");
    }
}

const ADD_ONE: &str = "kernel
columns c0: u32
  v0: u32 = column c0
  v1: u32 = const 1
  v2: u32 = add v0 v1
sink store v2
";
const EVEN: &str = "kernel
columns c0: u32
  v0: u32 = column c0
  v1: u32 = const 1
  v2: u32 = bit_and v0 v1
  v3: u32 = const 0
  v4: bool = eq v2 v3
mask v4
sink compact v0
";
const TOTAL: &str = "kernel\ncolumns c0: u32\n  v0: u32 = column c0\nsink reduce total(v0)\n";

/// A column of 3 GiB: larger than a binding.
#[test]
#[ignore = "needs a card"]
fn a_column_past_the_binding_limit_comes_out_right() {
    let Some(card) = Card::find(WgpuOptions::default()) else { return };
    let rows = 3 << 28;
    let bytes = 4 * rows;
    let (from, to) = (card.words(rows, |row| row as u32), card.device.allocate(bytes).expect("there is memory"));
    let stored = card.finish(card.launch(card.load(ADD_ONE), rows, &[], from, (to, bytes)));
    assert_eq!(stored.rows, rows);
    for row in [0, 1 << 28, (1 << 29) - 100, 1 << 29, rows - 100] {
        let expected: Vec<u32> = (row..row + 100).map(|row| row as u32 + 1).collect();
        assert_eq!(card.read(to, 4 * row, 400), expected, "stored from row {row}");
    }
    let kept = card.finish(card.launch(card.load(EVEN), rows, &[], from, (to, bytes)));
    assert_eq!(kept.rows, rows / 2);
    for row in [0, 1 << 27, (1 << 28) - 50, rows / 2 - 100] {
        let expected: Vec<u32> = (row..row + 100).map(|row| 2 * row as u32).collect();
        assert_eq!(card.read(to, 4 * row, 400), expected, "kept from row {row}");
    }
    card.finish(card.launch(card.load(TOTAL), rows, &[], from, (to, 16)));
    let words = card.read(to, 0, 16);
    let total = words.iter().rev().fold(0u128, |total, &word| total << 32 | u128::from(word));
    assert_eq!(total, (rows as u128 - 1) * rows as u128 / 2);
}
