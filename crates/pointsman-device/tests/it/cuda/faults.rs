//! Failures on a card stay there: a lost card reports it at once, and nothing else in the process is affected. Also
//! columns of more than 2^32 bytes. Skipped without a card.
#![allow(clippy::unwrap_used)]

use super::card::first_card;
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use pointsman_device::cuda::CudaDevice;
use pointsman_device::*;
use pointsman_ir::kernel::parse::parse;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(60);
/// Set in the process that loses its card: the processes of other tests keep theirs.
const LOSE: &str = "POINTSMAN_LOSE_CARD";

/// Doubles its column.
const DOUBLE: &str = "kernel
columns c0: f32
  v0: f32 = column c0
  v1: f32 = add v0 v0
sink store v1
";

/// Writes to an unmapped address.
const ILLEGAL: &str = "extern \"C\" __global__ void pointsman() { *(volatile unsigned long long*)16 = 1; }";

/// Runs a program over a column of floats.
fn run(device: &dyn Device, program: ProgramId, column: &[f32]) -> DeviceResult<Vec<f32>> {
    let stream = device.open_stream(Priority::Normal)?;
    let bytes = 4 * column.len() as u64;
    let mut staging = HostBuffer::zeroed(bytes as usize);
    staging.chunks_exact_mut(4).zip(column).for_each(|(to, value)| to.copy_from_slice(&value.to_le_bytes()));
    let range = || -> DeviceResult<BufferRange> {
        Ok(BufferRange { buffer: device.allocate(bytes as usize)?, offset: 0, bytes })
    };
    let (input, output) = (range()?, range()?);
    device.copy_in(stream, Arc::new(staging), input)?;
    let columns = [ColumnInput::Device { values: input, validity: None, rows: column.len() }];
    let mut outputs = [ColumnOutput::Device { values: output, validity: None }];
    launch(device, stream, program, column.len(), &columns, &mut outputs)?;
    let copy = device.copy_out(stream, output, HostBuffer::zeroed(bytes as usize))?;
    let back = device.finish_copy(copy, TIMEOUT)?;
    device.free(input.buffer);
    device.free(output.buffer);
    device.close_stream(stream);
    let (values, _) = back.as_chunks::<4>();
    Ok(values.iter().map(|value| f32::from_le_bytes(*value)).collect())
}

fn launch(
    device: &dyn Device,
    stream: StreamId,
    program: ProgramId,
    rows: usize,
    columns: &[ColumnInput<'_>],
    outputs: &mut [ColumnOutput<'_>],
) -> DeviceResult<Outcome> {
    let (params, lists, tables) = (&[], &[], &[]);
    let mut launch =
        Launch { first_row: 0, rows, first_match: 0, form: Form::Whole, columns, params, lists, tables, outputs };
    match device.launch(stream, program, &mut launch)? {
        LaunchStatus::Done(outcome) => Ok(outcome),
        LaunchStatus::Running(launch) => device.finish(launch, TIMEOUT),
    }
}

fn load(device: &dyn Device, text: &str) -> ProgramId {
    device.load(&device.compile(&parse(text).unwrap()).unwrap()).unwrap()
}

/// The loss happens in a process of its own, which must exit normally: a lost card ends the context of its whole
/// process.
#[test]
fn an_illegal_address_loses_the_card_and_nothing_else() {
    if first_card().is_none() {
        return;
    }
    let test = std::env::current_exe().unwrap();
    let child = Command::new(test)
        .args(["--exact", "cuda::faults::loses_its_card", "--nocapture"])
        .env(LOSE, "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{told}");
    assert!(told.contains("the card was lost"), "the test ran: {told}");
}

#[test]
fn loses_its_card() {
    if std::env::var_os(LOSE).is_none() {
        return;
    }
    let card = first_card().expect("the parent saw a card");
    let kernel = parse(DOUBLE).unwrap();
    let good = load(&card, DOUBLE);
    assert_eq!(run(&card, good, &[1.0, 2.5]).unwrap(), [2.0, 5.0]);
    let bad = card.load_source(&kernel, ILLEGAL).unwrap();
    let start = Instant::now();
    let lost = run(&card, bad, &[1.0]).unwrap_err();
    assert_eq!(lost.kind, DeviceErrorKind::Lost, "{lost}");
    assert!(lost.message.contains("700"), "{lost}");
    let stays_lost = |result: DeviceResult<()>| assert_eq!(result.unwrap_err().kind, DeviceErrorKind::Lost);
    stays_lost(card.allocate(16).map(drop));
    stays_lost(card.open_stream(Priority::Normal).map(drop));
    stays_lost(run(&card, good, &[1.0]).map(drop));
    stays_lost(card.load(&card.compile(&kernel).unwrap()).map(drop));
    card.unload(good);
    assert_eq!(card.memory().free, Some(0));
    drop(card);
    let cpu = CpuDevice::new(CpuOptions::default());
    assert_eq!(run(&cpu, load(&cpu, DOUBLE), &[1.0, 2.5]).unwrap(), [2.0, 5.0]);
    assert!(start.elapsed() < TIMEOUT, "nothing waited for a lost card");
    eprintln!("the card was lost: {lost}");
}

#[test]
fn a_launch_continues_after_a_timeout() {
    let Some(card) = first_card() else { return };
    // A faulting division has a status, so its end is waited for.
    let text = DOUBLE.replace("f32", "i32").replace("add v0 v0", "div v0 v0");
    let kernel = parse(&text).unwrap();
    let slow = "extern \"C\" __global__ void pointsman() {
        if (threadIdx.x == 0) { long long start = clock64(); while (clock64() - start < 400000000LL) { } }
    }";
    let program = card.load_source(&kernel, slow).unwrap();
    let stream = card.open_stream(Priority::Normal).unwrap();
    let range = || BufferRange { buffer: card.allocate(16).unwrap(), offset: 0, bytes: 16 };
    let (values, result) = (range(), range());
    let columns = [ColumnInput::Device { values, validity: None, rows: 4 }];
    let mut outputs = [ColumnOutput::Device { values: result, validity: None }];
    let (params, lists, tables) = (&[], &[], &[]);
    let mut launch = Launch {
        first_row: 0,
        rows: 4,
        first_match: 0,
        form: Form::Whole,
        columns: &columns,
        params,
        lists,
        tables,
        outputs: &mut outputs,
    };
    let LaunchStatus::Running(running) = card.launch(stream, program, &mut launch).unwrap() else {
        panic!("it has a status")
    };
    let copy = card.copy_out(stream, result, HostBuffer::zeroed(16)).unwrap();
    let timeout = |error: DeviceError| assert_eq!(error.kind, DeviceErrorKind::Timeout, "{error}");
    let mut places = [[0xAB; 16]; 2];
    let [one, other] = &mut places;
    let mut parts = [Download { from: values, destination: one }, Download { from: result, destination: other }];
    timeout(card.download_all(stream, &mut parts, Duration::from_millis(1)).unwrap_err());
    assert_eq!(places, [[0xAB; 16]; 2], "nothing is written where the time was over");
    card.unload(program);
    card.free(values.buffer);
    card.free(result.buffer);
    timeout(card.finish(running, Duration::from_millis(1)).unwrap_err());
    timeout(card.finish_copy(copy, Duration::from_millis(1)).unwrap_err());
    assert_eq!(card.finish(running, TIMEOUT).unwrap().rows, 4);
    assert_eq!(card.finish_copy(copy, TIMEOUT).unwrap().len(), 16);
    assert_eq!(card.finish(running, TIMEOUT).unwrap_err().kind, DeviceErrorKind::InvalidArgument);
    card.close_stream(stream);
    assert_eq!(card.memory().used, 0, "what was freed under way came back");
}

/// Numbers its rows, three times each.
const NUMBERS: &str = "kernel
  v0: u64 = row_index
  v1: u64 = const 3
  v2: u64 = mul v0 v1
sink store v2
";

/// Sums, finds and keeps.
const FOLD: &str = "kernel
columns c0: u64
  v0: u64 = column c0
sink reduce sum(v0), max(v0)
";

const COPY: &str = "kernel
columns c0: u64
  v0: u64 = column c0
  v1: u64 = bit_not v0
sink store v1
";

/// The texts of these tests are valid kernels, which is checked on machines without a card too.
#[test]
fn kernel_texts_parse() {
    for text in [DOUBLE, NUMBERS, FOLD, COPY] {
        let kernel = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        pointsman_ir::verify::kernel(&kernel).unwrap_or_else(|error| panic!("{error}\n{text}"));
        pointsman_ir::render::cuda::supports(&kernel).unwrap();
    }
}

fn read(card: &CudaDevice, stream: StreamId, range: BufferRange) -> Vec<u64> {
    let copy = card.copy_out(stream, range, HostBuffer::zeroed(range.bytes as usize)).unwrap();
    let bytes = card.finish_copy(copy, TIMEOUT).unwrap();
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

#[test]
fn a_column_of_five_gibibytes() {
    let Some(card) = first_card() else { return };
    if card.memory().free.unwrap_or(0) < 16 << 30 {
        eprintln!("skipped: less than 16 GiB of the card's memory are free");
        return;
    }
    let bytes = 5u64 << 30;
    let rows = (bytes / 8) as usize;
    let stream = card.open_stream(Priority::Normal).unwrap();
    let range = |bytes: u64| BufferRange { buffer: card.allocate(bytes as usize).unwrap(), offset: 0, bytes };
    let (numbers, copied, sum, max, bit) = (range(bytes), range(bytes), range(8), range(8), range(1));
    let output = |values, validity| ColumnOutput::Device { values, validity };
    let made = load(&card, NUMBERS);
    let column = [ColumnInput::Device { values: numbers, validity: None, rows }];
    assert_eq!(launch(&card, stream, made, rows, &[], &mut [output(numbers, None)]).unwrap().rows, rows);
    let folds = &mut [output(sum, None), output(max, Some(bit))];
    launch(&card, stream, load(&card, FOLD), rows, &column, folds).unwrap();
    let last = rows as u64 - 1;
    assert_eq!(read(&card, stream, sum), [3 * (last * (last + 1) / 2)]);
    assert_eq!(read(&card, stream, max), [3 * last]);
    launch(&card, stream, load(&card, COPY), rows, &column, &mut [output(copied, None)]).unwrap();
    for start in [0, 1 << 20, (4 << 30) - 4096, 4 << 30, bytes - (64 << 20)] {
        let part = BufferRange { offset: start, bytes: (64 << 20).min(bytes - start), ..copied };
        let words = read(&card, stream, part);
        let wrong = (start / 8..).zip(&words).find(|(row, word)| **word != !(3 * row));
        assert_eq!(wrong, None, "from byte {start}");
    }
}
