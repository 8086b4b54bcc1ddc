//! Memory that ends at an unmapped guard page: code that reads or writes after the last row crashes.
#![cfg(unix)]

use super::super::{CpuDevice, CpuOptions, Isa};
use crate::conformance::run::load;
use crate::host::{Bits, BoolLayout, HostChunk};
use crate::launch::{ColumnInput, ColumnOutput, Form, Launch, LaunchStatus, Outcome, capacity};
use crate::{Device, Priority};
use pointsman_ir::kernel::Kernel;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::types::DType;

/// At least a page of any system.
const GUARD_BYTES: usize = 1 << 16;

/// Bytes that end at a guard page.
struct GuardedMemory {
    start: *mut libc::c_void,
    mapped: usize,
    len: usize,
}

impl GuardedMemory {
    fn new(len: usize, byte: impl Fn(usize) -> u8) -> GuardedMemory {
        let room = len.next_multiple_of(GUARD_BYTES).max(GUARD_BYTES);
        let mapped = room + GUARD_BYTES;
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping at an address that the system chooses touches no memory of ours.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), mapped, protection, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        // SAFETY: these are the last bytes of the mapping, which nothing uses yet.
        let protected = unsafe { libc::mprotect(start.wrapping_byte_add(room), GUARD_BYTES, libc::PROT_NONE) };
        assert_eq!(protected, 0);
        let mut all = GuardedMemory { start, mapped, len };
        all.bytes().iter_mut().enumerate().for_each(|(at, place)| *place = byte(at));
        all
    }

    fn bytes(&mut self) -> &mut [u8] {
        let first = self.mapped - GUARD_BYTES - self.len;
        // SAFETY: the mapping has `len` initialized bytes before its guard page, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.wrapping_byte_add(first).cast(), self.len) }
    }
}

impl Drop for GuardedMemory {
    fn drop(&mut self) {
        // SAFETY: `new` mapped exactly this range, and no borrow of it is left.
        unsafe { libc::munmap(self.start, self.mapped) };
    }
}

/// Runs a kernel over a nullable column and a nullable bool column that end at guard pages; returns what it wrote.
fn written(device: &CpuDevice, kernel: &Kernel, rows: usize) -> (Outcome, Vec<Vec<u8>>) {
    let program = load(device, kernel).unwrap();
    let stream = device.open_stream(Priority::Normal).unwrap();
    let width = kernel.columns[0].dtype.repr().bytes();
    let mut values = GuardedMemory::new(rows * width, |at| (at * 7 % 251) as u8);
    let [mut truths, mut first, mut second] =
        [3, 5, 11].map(|factor| GuardedMemory::new(rows.div_ceil(8), |at| (at * factor + 83) as u8));
    let piece = |values, bytes| {
        let validity = Some(Bits { bytes, offset: 0 });
        [HostChunk { values, bools: BoolLayout::Bits, bit_offset: 0, validity, rows }]
    };
    let pieces = [piece(&*values.bytes(), &*first.bytes()), piece(&*truths.bytes(), &*second.bytes())];
    let columns = pieces.each_ref().map(|pieces| ColumnInput::Host(pieces));
    let room = capacity(kernel, Form::Whole, rows).0;
    let types = kernel.output();
    let mut outs: Vec<[GuardedMemory; 2]> = types
        .iter()
        .map(|ty| {
            let bits = room.div_ceil(8);
            let bytes = if ty.dtype == DType::Bool { bits } else { room * ty.dtype.repr().bytes() };
            [GuardedMemory::new(bytes, |_| 0), GuardedMemory::new(bits, |_| 0)]
        })
        .collect();
    let mut outputs: Vec<ColumnOutput<'_>> = Vec::new();
    for ([values, validity], ty) in outs.iter_mut().zip(&types) {
        let validity = ty.nullable.then(|| validity.bytes());
        outputs.push(ColumnOutput::Host { values: values.bytes(), bools: BoolLayout::Bits, validity });
    }
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
    let LaunchStatus::Done(outcome) = device.launch(stream, program, &mut launch).unwrap() else {
        panic!("it is done")
    };
    device.unload(program);
    // After the rows that `Compact` keeps, values are undefined.
    let keep = |(out, ty): (&mut [GuardedMemory; 2], &pointsman_ir::types::Type)| {
        let width = if ty.dtype == DType::Bool { 0 } else { ty.dtype.repr().bytes() };
        let [values, bits] = out;
        [&values.bytes()[..outcome.rows * width], &bits.bytes()[..outcome.rows.div_ceil(8)]].concat()
    };
    (outcome, outs.iter_mut().zip(&types).map(keep).collect())
}

#[test]
fn no_byte_after_the_last_row_is_touched() {
    let device = |isa, jit| CpuDevice::new(CpuOptions { isa: Some(isa), jit: Some(jit), ..CpuOptions::default() });
    let portable = device(Isa::Baseline, false);
    let jitted = [Isa::Avx2, Isa::Avx512].map(|isa| device(isa, true));
    let sinks = [
        "store v0, v1",
        "mask v3\nsink store v0, v1",
        "mask v3\nsink compact v0, v1",
        "mask v3\nsink reduce max(v0), min(v0), count(v1)",
    ];
    for ty in ["i8", "u16", "i32", "f32", "u64", "f64"] {
        for sink in sinks {
            let sink = if sink.starts_with("mask") { sink.to_string() } else { format!("sink {sink}") };
            let text = format!(
                "kernel\ncolumns c0: {ty}?, c1: bool?\n  v0: {ty}? = column c0\n  v1: bool? = column c1\n  \
                 v2: bool = is_null v0\n  v3: bool = not v2\n{sink}\n"
            );
            let kernel = parse(&text).unwrap();
            for rows in 0..=40 {
                let expected = written(&portable, &kernel, rows);
                for device in &jitted {
                    assert_eq!(written(device, &kernel, rows), expected, "{rows} rows\n{text}");
                }
            }
        }
    }
    let launches = |device: &CpuDevice| device.jit_launches();
    assert!(Isa::detect() < Isa::Avx2 || jitted.iter().all(|device| launches(device) > 900));
}
