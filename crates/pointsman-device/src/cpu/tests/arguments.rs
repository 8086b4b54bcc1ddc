//! Invalid arguments are errors that say what is wrong, never crashes; and launches over device buffers.

use super::super::CpuDevice;
use crate::host::{Bits, BoolLayout, HostBuffer, HostChunk};
use crate::launch::{BufferRange, ColumnInput, ColumnOutput, Form, Launch, LaunchStatus, Outcome};
use crate::{Device, DeviceErrorKind, DeviceResult, Priority, ProgramId};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::types::Scalar;
use std::sync::Arc;
use std::time::Duration;

/// A launch of `c0 + p0` over four nullable rows, every part of which a test can make invalid.
#[derive(Clone)]
struct Attempt {
    rows: usize,
    first_row: u64,
    values: Vec<u8>,
    chunk_rows: usize,
    bits: Option<(Vec<u8>, usize)>,
    params: Vec<Option<Scalar>>,
    columns: usize,
    output_bytes: usize,
    validity_bytes: Option<usize>,
}

impl Default for Attempt {
    fn default() -> Attempt {
        Attempt {
            rows: 4,
            first_row: 0,
            values: [1i32, 2, 3, 4].iter().flat_map(|value| value.to_le_bytes()).collect(),
            chunk_rows: 4,
            bits: Some((vec![0b1011], 0)),
            params: vec![Some(Scalar::I32(10))],
            columns: 1,
            output_bytes: 16,
            validity_bytes: Some(1),
        }
    }
}

fn load(device: &CpuDevice, sink: &str) -> ProgramId {
    let text = format!(
        "kernel\ncolumns c0: i32?\nparams p0: i32\n  v0: i32? = column c0\n  v1: i32 = param p0\n  \
         v2: i32? = add v0 v1\nsink {sink}\n"
    );
    device.load(&device.compile(&parse(&text).unwrap()).unwrap()).unwrap()
}

impl Attempt {
    fn run(&self) -> DeviceResult<(Outcome, Vec<u8>, Vec<u8>)> {
        let device = CpuDevice::default();
        let stream = device.open_stream(Priority::Normal).unwrap();
        let program = load(&device, "store v2");
        let validity = self.bits.as_ref().map(|(bytes, offset)| Bits { bytes, offset: *offset });
        let (values, bools, rows) = (&self.values[..], BoolLayout::Bits, self.chunk_rows);
        let chunks = [HostChunk { values, bools, bit_offset: 0, validity, rows }];
        let columns = vec![ColumnInput::Host(&chunks); self.columns];
        let (mut out, mut out_bits) =
            (vec![0xAB; self.output_bytes], self.validity_bytes.map(|bytes| vec![0xAB; bytes]));
        let pending = {
            let mut outputs = [ColumnOutput::Host { values: &mut out, bools, validity: out_bits.as_deref_mut() }];
            let mut launch = Launch {
                first_row: self.first_row,
                rows: self.rows,
                first_match: 0,
                form: Form::Whole,
                columns: &columns,
                params: &self.params,
                lists: &[],
                tables: &[],
                outputs: &mut outputs,
            };
            device.launch(stream, program, &mut launch)?
        };
        let LaunchStatus::Done(outcome) = pending else { panic!("the CPU's launches are done at once") };
        Ok((outcome, out, out_bits.unwrap_or_default()))
    }
}

#[test]
fn a_launch_that_fits_runs() {
    let (outcome, values, bits) = Attempt::default().run().unwrap();
    assert_eq!(outcome, Outcome { rows: 4, consumed: 4, ..Outcome::default() });
    let expected: Vec<u8> = [11i32, 12, 0, 14].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!((values, bits), (expected, vec![0b1011]));
}

#[test]
fn invalid_launches_are_errors() {
    let fits = Attempt::default();
    let misfits = [
        ("too few values", Attempt { values: vec![0; 15], ..fits.clone() }),
        ("too few rows", Attempt { chunk_rows: 3, ..fits.clone() }),
        ("too many rows", Attempt { rows: 3, ..fits.clone() }),
        ("rows beyond memory", Attempt { chunk_rows: usize::MAX, ..fits.clone() }),
        ("row numbers beyond 2^64", Attempt { first_row: u64::MAX, ..fits.clone() }),
        ("a bitmap too short", Attempt { bits: Some((vec![0b1011], 5)), ..fits.clone() }),
        ("a bitmap far away", Attempt { bits: Some((vec![0b1011], usize::MAX)), ..fits.clone() }),
        ("no column", Attempt { columns: 0, ..fits.clone() }),
        ("two columns", Attempt { columns: 2, ..fits.clone() }),
        ("no parameter", Attempt { params: Vec::new(), ..fits.clone() }),
        ("a parameter of another type", Attempt { params: vec![Some(Scalar::F32(1.0))], ..fits.clone() }),
        ("a null parameter", Attempt { params: vec![None], ..fits.clone() }),
        ("too little room", Attempt { output_bytes: 15, ..fits.clone() }),
        ("a bitmap without room", Attempt { validity_bytes: Some(0), ..fits.clone() }),
        ("no bitmap", Attempt { validity_bytes: None, ..fits.clone() }),
    ];
    for (what, attempt) in misfits {
        assert_eq!(attempt.run().unwrap_err().kind, DeviceErrorKind::InvalidArgument, "{what}");
    }
}

#[test]
fn values_without_a_bitmap_are_not_null() {
    let (_, _, bits) = Attempt { bits: None, ..Attempt::default() }.run().unwrap();
    assert_eq!(bits, [0b1111]);
}

#[test]
fn buffers_of_the_device_are_read_and_written() {
    let device = CpuDevice::default();
    let stream = device.open_stream(Priority::Normal).unwrap();
    let program = load(&device, "store v2");
    let buffer = device.allocate(64).unwrap();
    let range = |offset, bytes| BufferRange { buffer, offset, bytes };
    let mut staging = HostBuffer::zeroed(17);
    staging[..16].copy_from_slice(&Attempt::default().values);
    staging[16] = 0b1011;
    device.copy_in(stream, Arc::new(staging), range(1, 17)).unwrap();
    let attempt = |values: BufferRange, rows: usize, out: BufferRange| {
        let columns = [ColumnInput::Device { values, validity: Some(range(17, 1)), rows }];
        let mut outputs = [ColumnOutput::Device { values: out, validity: Some(range(40, 1)) }];
        let mut launch = Launch {
            first_row: 0,
            rows: 4,
            first_match: 0,
            form: Form::Whole,
            columns: &columns,
            params: &[Some(Scalar::I32(10))],
            lists: &[],
            tables: &[],
            outputs: &mut outputs,
        };
        device.launch(stream, program, &mut launch).map_err(|error| error.kind)
    };
    let misfit = Err(DeviceErrorKind::InvalidArgument);
    assert_eq!(attempt(range(1, 15), 4, range(20, 16)), misfit, "too few values");
    assert_eq!(attempt(range(1, 16), 5, range(20, 16)), misfit, "too many rows");
    assert_eq!(attempt(range(1, 16), 4, range(20, 15)), misfit, "too little room");
    assert_eq!(attempt(range(1, 16), 4, range(60, 16)), misfit, "beyond the buffer");
    assert_eq!(attempt(range(u64::MAX, 16), 4, range(20, 16)), misfit, "far beyond the buffer");
    assert!(attempt(range(1, 16), 4, range(20, 16)).is_ok());
    let copy = device.copy_out(stream, range(20, 21), HostBuffer::zeroed(21)).unwrap();
    let back = device.finish_copy(copy, Duration::ZERO).unwrap();
    let expected: Vec<u8> = [11i32, 12, 0, 14].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!((&back[..16], back[20]), (&expected[..], 0b1011));
    device.free(buffer);
    assert_eq!(device.memory().used, 0);
}
