//! The portable GPU around its kernels: copies without staging where memory is shared, driver code stored in images,
//! and timed launches. Without an adapter the tests print that and pass.

use pointsman_device::conformance::copies::several_ranges_arrive_together;
use pointsman_device::wgpu::{Adapter, WgpuDevice, WgpuOptions, discover};
use pointsman_device::{
    BufferId, BufferRange, ColumnInput, ColumnOutput, Device, DeviceErrorKind, Download, Form, HostBuffer, Launch,
    LaunchStatus, Outcome, Priority, ProgramId, ProgramImage, StreamId,
};
use pointsman_ir::kernel::parse::parse;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(60);
const DOUBLED: &str = "kernel
columns c0: u32
  v0: u32 = column c0
  v1: u32 = add v0 v0
sink store v1
";

fn adapter(wanted: impl Fn(&Adapter) -> bool) -> Option<&'static Adapter> {
    let found = discover().adapters.iter().find(|adapter| wanted(adapter));
    if found.is_none() {
        eprintln!("skipped: no such adapter");
    }
    found
}

fn open(adapter: &Adapter, options: WgpuOptions) -> (WgpuDevice, StreamId) {
    let device = WgpuDevice::open(adapter, options).expect("an adapter that was found opens");
    let stream = device.open_stream(Priority::Normal).expect("a stream opens");
    (device, stream)
}

/// The adapter, treated as one with memory of its own.
fn with_own_memory(adapter: &Adapter) -> Adapter {
    let mut own = adapter.clone();
    own.is_unified = false;
    own
}

fn range(buffer: BufferId, offset: usize, bytes: usize) -> BufferRange {
    BufferRange { buffer, offset: offset as u64, bytes: bytes as u64 }
}

fn double(device: &WgpuDevice, stream: StreamId, program: ProgramId, rows: usize, from: BufferId, to: BufferId) {
    let columns = [ColumnInput::Device { values: range(from, 0, 4 * rows), validity: None, rows }];
    let mut outputs = [ColumnOutput::Device { values: range(to, 0, 4 * rows), validity: None }];
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
    let pending = device.launch(stream, program, &mut launch).expect("a launch");
    let outcome = match pending {
        LaunchStatus::Done(outcome) => outcome,
        LaunchStatus::Running(launch) => device.finish(launch, TIMEOUT).expect("it finishes"),
    };
    assert_eq!(outcome, Outcome { rows, consumed: rows, ..Outcome::default() });
}

fn image(device: &WgpuDevice) -> ProgramImage {
    device.compile(&parse(DOUBLED).expect("the text of a kernel")).expect("it compiles")
}

#[test]
fn shared_memory_is_written_and_read_in_place() {
    let Some(adapter) = adapter(|adapter| adapter.is_unified) else { return };
    let (device, stream) = open(adapter, WgpuOptions::default());
    assert!(device.info().capabilities.unified_memory);
    let program = device.load(&image(&device)).expect("it loads");
    let rows = 10_000;
    let (from, to) = (device.allocate(4 * rows).expect("memory"), device.allocate(4 * rows).expect("memory"));
    let mut bytes: Vec<u8> = (0..rows as u32).flat_map(u32::to_le_bytes).collect();
    // Part by part: the second starts at a multiple of 4 bytes but not of 8, the last ends within a word.
    for part in [0..20, 20..39_001] {
        device.upload(stream, &bytes[part.clone()], range(from, part.start, part.len())).expect("an upload");
    }
    bytes[39_001..].fill(0);
    device.upload(stream, &bytes[39_004..], range(from, 39_004, 996)).expect("an upload");
    double(&device, stream, program, rows, from, to);
    // Only the order of calls puts the second upload after the launch that reads the overwritten bytes.
    device.upload(stream, &[0xff; 40_000], range(from, 0, 40_000)).expect("an upload");
    let mut out = vec![0; 39_990];
    device.download(stream, range(to, 4, 39_990), &mut out, TIMEOUT).expect("a download");
    let word = |bytes: &[u8], row: usize| {
        u32::from_le_bytes(bytes[4 * row..4 * row + 4].try_into().expect("a word has four bytes"))
    };
    for row in 1..9997 {
        assert_eq!(word(&out, row - 1), 2 * word(&bytes, row), "row {row}");
    }
    assert_eq!(device.staged_copies(), 0);
    let beyond = device.upload(stream, &[0; 8], range(from, 39_996, 8)).expect_err("beyond the buffer");
    assert_eq!(beyond.kind, DeviceErrorKind::InvalidArgument, "{beyond}");
    let unaligned = device.download(stream, range(from, 2, 4), &mut [0; 4], TIMEOUT).expect_err("inside a word");
    assert_eq!(unaligned.kind, DeviceErrorKind::InvalidArgument, "{unaligned}");
}

#[test]
fn copies_of_other_memory_go_through_staging() {
    let Some(adapter) = adapter(|adapter| !adapter.is_unified) else { return };
    let (device, stream) = open(adapter, WgpuOptions::default());
    assert!(!device.info().capabilities.unified_memory);
    let buffer = device.allocate(16).expect("memory");
    device.upload(stream, &[7; 16], range(buffer, 0, 16)).expect("an upload");
    let mut out = [0; 12];
    device.download(stream, range(buffer, 4, 12), &mut out, TIMEOUT).expect("a download");
    assert_eq!((out, device.staged_copies()), ([7; 12], 2));
}

/// Downloads of any size and offset, on an adapter that is treated as one with memory of its own.
#[test]
fn downloads_in_pieces_have_every_byte() {
    let Some(adapter) = adapter(|_| true) else { return };
    let (device, stream) = open(&with_own_memory(adapter), WgpuOptions::default());
    assert!(!device.info().capabilities.unified_memory);
    const PIECE: usize = 8 << 20;
    const BYTES: usize = 6 * PIECE;
    let numbers: Vec<u8> =
        (0..BYTES / 4).flat_map(|number| (number as u32).wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let buffer = device.allocate(BYTES).expect("memory");
    device.upload(stream, &numbers, range(buffer, 0, BYTES)).expect("an upload");
    let sizes = [0, 1, 4, 63, 4096, 4097, PIECE - 9, PIECE - 8, PIECE - 7, PIECE, PIECE + 1, 4 * PIECE, 5 * PIECE + 3];
    for offset in [0, 4, PIECE - 12] {
        for bytes in sizes.into_iter().filter(|bytes| offset + bytes <= BYTES) {
            let mut out = vec![0; bytes];
            device.download(stream, range(buffer, offset, bytes), &mut out, TIMEOUT).expect("a download");
            assert!(out == numbers[offset..offset + bytes], "{bytes} bytes from {offset}");
        }
    }
}

/// Uploads of any size and offset, through reused staging buffers.
#[test]
fn uploads_through_reused_staging_have_every_byte() {
    let Some(adapter) = adapter(|_| true) else { return };
    let (device, stream) = open(&with_own_memory(adapter), WgpuOptions::default());
    const MEGABYTE: usize = 1 << 20;
    const BYTES: usize = 90 * MEGABYTE;
    let numbers: Vec<u8> =
        (0..BYTES / 4).flat_map(|number| (number as u32).wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let buffer = device.allocate(BYTES).expect("memory");
    let sizes = [MEGABYTE - 1, MEGABYTE, MEGABYTE + 3, 8 * MEGABYTE - 4, 8 * MEGABYTE + 2, 85 * MEGABYTE + 1];
    for (round, bytes) in sizes.into_iter().enumerate() {
        let offset = 4 * round;
        let part = &numbers[offset..offset + bytes];
        device.upload(stream, &vec![0xff; bytes + 8], range(buffer, offset, bytes + 8)).expect("an upload");
        device.upload(stream, part, range(buffer, offset, bytes)).expect("an upload");
        let mut out = vec![0; bytes + 8];
        device.download(stream, range(buffer, offset, bytes + 8), &mut out, TIMEOUT).expect("a download");
        assert!(out[..bytes] == *part, "{bytes} bytes");
        // The rest of the last word is padding, and the bytes after it stay unchanged.
        let end = bytes.next_multiple_of(4);
        assert!(out[bytes..end].iter().all(|byte| *byte == 0), "{bytes} bytes");
        assert!(out[end..].iter().all(|byte| *byte == 0xff), "{bytes} bytes");
    }
}

/// Ranges of several buffers share staging buffers, or are read in place, with one wait.
#[test]
fn ranges_of_one_download_share_staging() {
    let Some(adapter) = adapter(|_| true) else { return };
    for (adapter, staged) in [(with_own_memory(adapter), 1), (adapter.clone(), u64::from(!adapter.is_unified))] {
        let (device, stream) = open(&adapter, WgpuOptions::default());
        several_ranges_arrive_together(&device);
        let buffers: Vec<BufferId> = (1..=9u8)
            .map(|number| {
                let buffer = device.allocate(1000).expect("memory");
                device.upload(stream, &[number; 1000], range(buffer, 0, 1000)).expect("an upload");
                buffer
            })
            .collect();
        let before = device.staged_copies();
        let mut out: Vec<Vec<u8>> = (1..=9).map(|number| vec![0; number * 100]).collect();
        let from = |place: usize, destination: &[u8]| range(buffers[place], 4 * place, destination.len());
        let parts = out
            .iter_mut()
            .enumerate()
            .map(|(place, destination)| Download { from: from(place, destination), destination });
        device.download_all(stream, &mut parts.collect::<Vec<_>>(), TIMEOUT).expect("a download");
        assert!((1..).zip(&out).all(|(number, bytes)| bytes.iter().all(|byte| *byte == number)));
        assert_eq!(device.staged_copies() - before, staged);
        device.destroy();
        out.iter_mut().for_each(|bytes| bytes.fill(0xAB));
        let parts = out
            .iter_mut()
            .enumerate()
            .map(|(place, destination)| Download { from: from(place, destination), destination });
        let lost = device.download_all(stream, &mut parts.collect::<Vec<_>>(), TIMEOUT).expect_err("it is lost");
        assert_eq!(lost.kind, DeviceErrorKind::Lost, "{lost}");
        assert!(out.iter().flatten().all(|byte| *byte == 0xAB), "nothing came");
    }
}

/// A queued copy has the bytes of its time, however large it is and whatever is written later.
#[test]
fn later_work_does_not_change_a_queued_copy() {
    let Some(adapter) = adapter(|_| true) else { return };
    let (device, stream) = open(&with_own_memory(adapter), WgpuOptions::default());
    const BYTES: usize = 40 << 20;
    let buffer = device.allocate(BYTES).expect("memory");
    device.upload(stream, &vec![7; BYTES], range(buffer, 0, BYTES)).expect("an upload");
    let copy = device.copy_out(stream, range(buffer, 0, BYTES), HostBuffer::zeroed(BYTES)).expect("a copy");
    device.upload(stream, &vec![9; BYTES], range(buffer, 0, BYTES)).expect("an upload");
    let copied = device.finish_copy(copy, TIMEOUT).expect("it is done");
    assert!(copied.iter().all(|byte| *byte == 7));
}

/// Large buffers are reused with their old content: launches write all of their results, and counters return to zero.
#[test]
fn reused_large_buffers_give_the_same_results() {
    let Some(adapter) = adapter(|_| true) else { return };
    const ROWS: usize = (65 << 20) / 4;
    for adapter in [adapter.clone(), with_own_memory(adapter)] {
        let (device, stream) = open(&adapter, WgpuOptions::default());
        let program = device.load(&image(&device)).expect("it loads");
        for (round, rows) in [ROWS, ROWS - 3, ROWS].into_iter().enumerate() {
            let [from, to] = [(); 2].map(|()| device.allocate(4 * rows).expect("memory"));
            let number = |row: usize| (row as u32).wrapping_mul(3 + round as u32);
            let numbers: Vec<u8> = (0..rows).flat_map(|row| number(row).to_le_bytes()).collect();
            device.upload(stream, &numbers, range(from, 0, 4 * rows)).expect("an upload");
            double(&device, stream, program, rows, from, to);
            let mut out = vec![0; 4 * rows];
            device.download(stream, range(to, 0, 4 * rows), &mut out, TIMEOUT).expect("a download");
            let is_right = |(row, four): (usize, &[u8])| four == number(row).wrapping_mul(2).to_le_bytes();
            assert!(out.chunks_exact(4).enumerate().all(is_right), "round {round}");
            let beyond = device.download(stream, range(to, 4 * rows, 4), &mut [0; 4], TIMEOUT);
            assert_eq!(beyond.expect_err("beyond what was asked for").kind, DeviceErrorKind::InvalidArgument);
            [from, to].into_iter().for_each(|buffer| device.free(buffer));
            assert_eq!(device.memory().used, 0);
        }
    }
}

#[test]
fn lost_device_with_shared_memory_reports_the_loss() {
    let Some(adapter) = adapter(|adapter| adapter.is_unified) else { return };
    let (device, stream) = open(adapter, WgpuOptions::default());
    let buffer = device.allocate(16).expect("memory");
    device.destroy();
    let error = device.upload(stream, &[7; 16], range(buffer, 0, 16)).expect_err("it is lost");
    assert_eq!(error.kind, DeviceErrorKind::Lost, "{error}");
    let error = device.download(stream, range(buffer, 0, 16), &mut [0; 16], TIMEOUT).expect_err("it is lost");
    assert_eq!(error.kind, DeviceErrorKind::Lost, "{error}");
}

#[test]
fn stored_driver_code_is_used_only_if_undamaged() {
    let Some(adapter) = adapter(|_| true) else { return };
    let (device, _) = open(adapter, WgpuOptions { keeps_code: Some(true), ..WgpuOptions::default() });
    let (plain, _) = open(adapter, WgpuOptions { keeps_code: Some(false), ..WgpuOptions::default() });
    let (kept, bare) = (image(&device), image(&plain));
    if kept.bytes.len() == bare.bytes.len() {
        eprintln!("skipped: the driver keeps nothing");
        return;
    }
    let describe = |device: &WgpuDevice, image: &ProgramImage| {
        let program = device.load(image).expect("it loads");
        device.describe(program)
    };
    // A program that was just compiled is loaded as it is, once.
    assert_eq!(describe(&device, &kept), "WGSL");
    assert_eq!(describe(&device, &kept), "WGSL, from kept code");
    assert_eq!(describe(&device, &bare), "WGSL");
    assert_eq!(describe(&plain, &kept), "WGSL");
    // The checksum of the image is right, that of the code is not.
    let mut program = kept.program(&kept.format).expect("a whole image").to_vec();
    let last = program.len() - 20;
    program[last] ^= 1;
    assert_eq!(describe(&device, &ProgramImage::new(&kept.format, &program)), "WGSL");
}

#[test]
fn large_launches_measure_the_speed_of_a_program() {
    let Some(adapter) = adapter(|_| true) else { return };
    let (device, stream) = open(adapter, WgpuOptions { keeps_code: Some(false), ..WgpuOptions::default() });
    let program = device.load(&image(&device)).expect("it loads");
    let rows = 1 << 16;
    let (from, to) = (device.allocate(4 * rows).expect("memory"), device.allocate(4 * rows).expect("memory"));
    double(&device, stream, program, rows - 1, from, to);
    assert_eq!(device.describe(program), "WGSL");
    double(&device, stream, program, rows, from, to);
    let described = device.describe(program);
    assert!(described.starts_with("WGSL, ") && described.ends_with(" rows a millisecond"), "{described}");
}
