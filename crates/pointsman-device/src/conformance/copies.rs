//! Downloads of several ranges at once: every byte arrives in its place, and refused downloads change nothing. Also
//! results that share a buffer.

use super::run::load;
use crate::convert::{from_buffers, to_buffers, value_bytes};
use crate::{
    BoolLayout, BufferRange, ColumnInput, ColumnOutput, Device, DeviceErrorKind, DeviceResult, Download, Form,
    HostBuffer, Launch, LaunchStatus, Outcome, Priority, StreamId,
};
use pointsman_ir::data::ColumnData;
use pointsman_ir::interpret::{self, Inputs};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::types::{DType, Scalar, Type};
use std::sync::Arc;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(60);
/// The sizes of the buffers: small ones, an empty one, and one larger than any staging buffer.
const BUFFERS: [usize; 4] = [100, 0, 5000, 12 << 20];
/// The buffer, first byte and length of the ranges of one download.
const ASKED: [&[(usize, usize, usize)]; 7] = [
    &[],
    &[(1, 0, 0)],
    &[(0, 4, 1)],
    &[(0, 0, 8), (0, 8, 1), (2, 0, 8), (2, 8, 1)],
    &[(2, 16, 4000), (0, 0, 0), (0, 96, 4), (1, 0, 0), (2, 0, 16), (0, 0, 100)],
    &[(3, 0, 3), (3, 4, (9 << 20) + 5), (0, 0, 50), (3, 1 << 20, 1 << 20), (2, 4, 13)],
    &[(3, 0, 1 << 20), (3, 1 << 20, 1 << 20), (3, 0, (1 << 20) + 1), (3, 8, 65_537), (3, 12, 65_536), (2, 0, 5000)],
];

/// Bytes that differ from place to place and from buffer to buffer.
fn pattern(number: usize, bytes: usize) -> Vec<u8> {
    let byte = |place: usize| (place as u32).wrapping_mul(2_654_435_761).rotate_left(number as u32 * 5) as u8;
    (0..bytes).map(byte).collect()
}

fn filled(device: &dyn Device, stream: StreamId) -> Vec<(BufferRange, Vec<u8>)> {
    let one = |(number, bytes): (usize, usize)| {
        let range = BufferRange { buffer: device.allocate(bytes).expect("memory"), offset: 0, bytes: bytes as u64 };
        let (mut staging, pattern) = (HostBuffer::zeroed(bytes), pattern(number, bytes));
        staging.copy_from_slice(&pattern);
        device.copy_in(stream, Arc::new(staging), range).expect("a copy in");
        (range, pattern)
    };
    BUFFERS.into_iter().enumerate().map(one).collect()
}

/// Downloads ranges into memory filled with poison.
fn download(device: &dyn Device, stream: StreamId, ranges: &[BufferRange]) -> (DeviceResult<()>, Vec<Vec<u8>>) {
    let mut places: Vec<Vec<u8>> = ranges.iter().map(|range| vec![0xAB; range.bytes as usize]).collect();
    let parts = ranges.iter().zip(&mut places).map(|(from, destination)| Download { from: *from, destination });
    let done = device.download_all(stream, &mut parts.collect::<Vec<_>>(), TIMEOUT);
    (done, places)
}

/// All ranges of one download have the right bytes, whichever way they are copied. One invalid range prevents the whole
/// download.
pub fn several_ranges_arrive_together(device: &dyn Device) {
    let stream = device.open_stream(Priority::Normal).expect("a stream opens");
    let buffers = filled(device, stream);
    for asked in ASKED {
        let range = |&(buffer, offset, bytes): &(usize, usize, usize)| BufferRange {
            offset: offset as u64,
            bytes: bytes as u64,
            ..buffers[buffer].0
        };
        let bytes =
            |&(buffer, offset, bytes): &(usize, usize, usize)| buffers[buffer].1[offset..offset + bytes].to_vec();
        let (ranges, expected): (Vec<_>, Vec<_>) =
            (asked.iter().map(range).collect(), asked.iter().map(bytes).collect());
        let (done, places) = download(device, stream, &ranges);
        assert_eq!(done, Ok(()), "{asked:?}");
        assert!(places == expected, "{asked:?}");
        let (all, more) = (expected.concat(), 7);
        let copy = device.copy_out_all(stream, &ranges, HostBuffer::zeroed(all.len() + more)).expect("a copy");
        let copied = device.finish_copy(copy, TIMEOUT).expect("it comes");
        assert!(copied[..all.len()] == all && copied[all.len()..] == [0; 7], "{asked:?}");
        refuses_one_of(device, stream, &ranges, all.len());
    }
    buffers.iter().for_each(|(range, _)| device.free(range.buffer));
    device.close_stream(stream);
}

/// Checks that the ranges are refused with an invalid one among them, and with too little staging memory.
fn refuses_one_of(device: &dyn Device, stream: StreamId, ranges: &[BufferRange], bytes: usize) {
    let refused = |kind: DeviceErrorKind| assert_eq!(kind, DeviceErrorKind::InvalidArgument, "{ranges:?}");
    if bytes > 0 {
        let short = device.copy_out_all(stream, ranges, HostBuffer::zeroed(bytes - 1));
        refused(short.expect_err("too little staging").kind);
    }
    let Some(last) = ranges.last() else { return };
    let beyond = BufferRange { offset: last.offset + (16 << 20), ..*last };
    let with_beyond = [&ranges[..ranges.len() / 2], &[beyond], &ranges[ranges.len() / 2..]].concat();
    let staging = HostBuffer::zeroed(bytes + beyond.bytes as usize);
    refused(device.copy_out_all(stream, &with_beyond, staging).expect_err("beyond a buffer").kind);
    let (done, places) = download(device, stream, &with_beyond);
    refused(done.expect_err("beyond a buffer").kind);
    assert!(places.iter().flatten().all(|byte| *byte == 0xAB), "nothing came: {ranges:?}");
    let mut place = vec![0xAB; last.bytes as usize + 1];
    let longer = device.download_all(stream, &mut [Download { from: *last, destination: &mut place }], TIMEOUT);
    refused(longer.expect_err("more memory than bytes").kind);
    refuses_other_room(device, stream, *last);
}

/// Checks that destinations of the wrong length are refused after a valid part: nothing arrives and nothing stays
/// queued.
fn refuses_other_room(device: &dyn Device, stream: StreamId, range: BufferRange) {
    for room in [range.bytes.checked_sub(1), Some(range.bytes + 1)].into_iter().flatten() {
        let (mut fits, mut other) = (vec![0xAB; range.bytes as usize], vec![0xAB; room as usize]);
        let mut parts =
            [Download { from: range, destination: &mut fits }, Download { from: range, destination: &mut other }];
        // Some devices call it during a copy that fails later, so it is not checked.
        let done = device.download_while(stream, &mut parts, TIMEOUT, &mut || ());
        assert_eq!(done.map_err(|error| error.kind), Err(DeviceErrorKind::InvalidArgument), "{room} for {range:?}");
        assert!(fits.iter().chain(&other).all(|byte| *byte == 0xAB), "nothing came: {room} for {range:?}");
    }
}

/// Folds of several widths, with nullable and non-nullable results.
const FOLDS: &str = "kernel
columns c0: i32?, c1: u8
  v0: i32? = column c0
  v1: u8 = column c1
sink reduce sum(v0), min(v0), count(v0), max(v1), min(v1)
";

/// Uploads bytes into a buffer of their own.
fn sent(device: &dyn Device, stream: StreamId, bytes: &[u8]) -> BufferRange {
    let range =
        BufferRange { buffer: device.allocate(bytes.len()).expect("memory"), offset: 0, bytes: bytes.len() as u64 };
    device.upload(stream, bytes, range).expect("an upload");
    range
}

/// The folded columns.
fn folded(rows: usize) -> [ColumnData; 2] {
    let number = |row: usize| (!row.is_multiple_of(7)).then_some(Scalar::I32(row as i32 * 31 - 5000));
    let small = |row: usize| Some(Scalar::U8((row % 200) as u8 + 3));
    [
        ColumnData::from_scalars(DType::I32.nullable(), (0..rows).map(number)),
        ColumnData::from_scalars(DType::U8.required(), (0..rows).map(small)),
    ]
}

/// Ranges for a value and a bitmap of each type, in one buffer with no room to spare.
fn places(device: &dyn Device, stream: StreamId, types: &[Type]) -> (BufferRange, Vec<[BufferRange; 2]>) {
    let (align, mut end) = (device.info().capabilities.range_align.max(4), 0u64);
    let mut place = |bytes: usize| {
        let offset = end.next_multiple_of(align);
        end = offset + bytes as u64;
        (offset, bytes as u64)
    };
    let places: Vec<[(u64, u64); 2]> =
        types.iter().map(|ty| [place(value_bytes(*ty, BoolLayout::Bits, 1)), place(1)]).collect();
    let whole = sent(device, stream, &vec![0xEE; end as usize]);
    let range = |(offset, bytes)| BufferRange { offset, bytes, ..whole };
    (whole, places.into_iter().map(|own| own.map(range)).collect())
}

/// The results of folds lie in one buffer, as close together as the device's alignment allows; one copy downloads all
/// of them.
pub fn folds_share_a_buffer(device: &dyn Device) {
    let (kernel, rows) = (parse(FOLDS).expect("the text of a kernel"), 9001);
    let (program, stream) = (load(device, &kernel), device.open_stream(Priority::Normal));
    let (program, stream) = (program.expect("folds load"), stream.expect("a stream opens"));
    let columns = folded(rows);
    let inputs = Inputs { columns: &columns, params: &[], lists: &[], tables: &[], first_row: 0, rows };
    let expected = interpret::run(&kernel, &inputs).expect("the sum fits").columns;
    let types = kernel.output();
    let (whole, ranges) = places(device, stream, &types);
    let outputs = types.iter().zip(&ranges);
    let output = |ty: &Type, own: &[BufferRange; 2]| ColumnOutput::Device {
        values: own[0],
        validity: ty.nullable.then_some(own[1]),
    };
    let mut outputs: Vec<ColumnOutput<'_>> = outputs.map(|(ty, own)| output(ty, own)).collect();
    let read: Vec<ColumnInput<'_>> = columns.iter().map(|column| input(device, stream, column)).collect();
    let (columns, params, lists, tables, outputs) = (&read[..], &[][..], &[][..], &[][..], &mut outputs[..]);
    let mut launch =
        Launch { first_row: 0, rows, first_match: 0, form: Form::Whole, columns, params, lists, tables, outputs };
    let pending = device.launch(stream, program, &mut launch).expect("a launch");
    // Queued before the launch is waited for, as for results.
    let copy = device.copy_out_all(stream, &[whole], HostBuffer::zeroed(whole.bytes as usize)).expect("a copy");
    let outcome = match pending {
        LaunchStatus::Done(outcome) => outcome,
        LaunchStatus::Running(launch) => device.finish(launch, TIMEOUT).expect("it is done"),
    };
    assert_eq!(outcome, Outcome { rows: 1, consumed: rows, ..Outcome::default() });
    let came = device.finish_copy(copy, TIMEOUT).expect("it comes");
    let bytes = |range: BufferRange| &came[range.offset as usize..(range.offset + range.bytes) as usize];
    for ((ty, own), expected) in types.iter().zip(&ranges).zip(&expected) {
        let got = from_buffers(*ty, BoolLayout::Bits, bytes(own[0]), ty.nullable.then(|| bytes(own[1])), 1);
        assert_eq!(&got, expected, "{ty}");
    }
    device.close_stream(stream);
}

/// Uploads a column into buffers of its own.
fn input(device: &dyn Device, stream: StreamId, column: &ColumnData) -> ColumnInput<'static> {
    let (values, validity) = to_buffers(column);
    let validity = validity.map(|bits| sent(device, stream, &bits));
    ColumnInput::Device { values: sent(device, stream, &values), validity, rows: column.len() }
}
