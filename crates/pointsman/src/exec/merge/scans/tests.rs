//! Random scans, cut anywhere: the same bits as the interpreter's.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::data::memory::Pool;
use pointsman_device::HostPool;
use pointsman_device::convert::{from_buffers, to_buffers};
use pointsman_device::host::BoolLayout;
use pointsman_ir::data::ColumnData;
use pointsman_ir::interpret::{self, Inputs, Partial};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::kernel::parse::parse;
use std::sync::Arc;

const TYPES: [&str; 13] =
    ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "decimal(20, 3)", "decimal(38, 0)"];

/// Numbers that look random, always the same.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 ^ self.0 >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn value(&mut self, repr: Repr, span: u64) -> Scalar {
        let small = self.below(span) as i128;
        match repr {
            Repr::F32 if small == 1 => Scalar::F32(f32::from_bits(0xFFC0_0001)),
            Repr::F64 if small == 1 => Scalar::F64(f64::INFINITY),
            Repr::F64 if small == 2 => Scalar::F64(-0.0),
            Repr::F32 => Scalar::F32(small as f32 / 7.0 - span as f32 / 15.0),
            Repr::F64 => Scalar::F64(small as f64 / 7.0 - span as f64 / 15.0),
            Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 => Scalar::from_integer(repr, small).unwrap(),
            Repr::Bool => Scalar::Bool(small & 1 == 1),
            Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 | Repr::I128 => {
                Scalar::from_integer(repr, small - span as i128 / 2).unwrap()
            }
        }
    }
}

/// A scan of this type, with columns, starts and a mask; its columns are the value, the start, and what is selected.
fn kernel_of(ty: &str, nullable: bool, segmented: bool, masked: bool) -> Kernel {
    let mark = if nullable { "?" } else { "" };
    let sum = if ty == "bool" { "" } else { "sum(v0), " };
    let mask = if masked { "mask v2\n" } else { "" };
    let segment = if segmented { " segment v1" } else { "" };
    let head = format!("kernel\ncolumns c0: {ty}{mark}, c1: bool, c2: bool\n  v0: {ty}{mark} = column c0\n");
    let body = "  v1: bool = column c1\n  v2: bool = column c2\n";
    parse(&format!(
        "{head}{body}{mask}sink scan columns(v0, v1) running({sum}max(v0), count(v0), min(v0), count()){segment}\n"
    ))
    .unwrap()
}

fn columns_of(kernel: &Kernel, rows: usize, span: u64, draws: &mut Draws) -> Vec<ColumnData> {
    let repr = kernel.columns[0].dtype.repr();
    let is_null = |draws: &mut Draws| kernel.columns[0].nullable && draws.below(3) == 0;
    let values: Vec<_> = (0..rows).map(|_| (!is_null(draws)).then(|| draws.value(repr, span))).collect();
    let mut truth =
        |one_in: u64| -> Vec<_> { (0..rows).map(|_| Some(Scalar::Bool(draws.below(one_in) == 0))).collect() };
    let (starts, selected) = (truth(5000), truth(2));
    let data = [values, starts, selected].into_iter().zip(&kernel.columns);
    data.map(|(values, ty)| ColumnData::from_scalars(*ty, values)).collect()
}

fn partial_of(kernel: &Kernel, columns: &[ColumnData], rows: Range<usize>) -> Partial {
    let columns: Vec<_> = columns.iter().map(|column| column.slice(rows.clone())).collect();
    let (first_row, rows) = (rows.start as u64, rows.len());
    let inputs = Inputs { columns: &columns, params: &[], lists: &[], tables: &[], first_row, rows };
    interpret::partial(kernel, &inputs).unwrap()
}

/// The folds of a batch as they are finished here.
fn finished(scans: &mut ScanMerger, kernel: &Kernel, partial: &Partial) -> Result<Vec<ColumnData>, OutOfRange> {
    let bytes = |column: &ColumnData| {
        let (values, bitmap) = to_buffers(column);
        let owned = |bytes: &[u8]| {
            let mut owned = Pool::new(Arc::new(HostPool::new(1 << 30).poisoned())).take(bytes.len()).unwrap();
            owned[..bytes.len()].copy_from_slice(bytes);
            owned
        };
        (owned(&values), owned(&bitmap.unwrap_or_default()))
    };
    let columns: Vec<ColumnBytes> = partial.rows.columns.iter().map(bytes).collect();
    let types = kernel.output().split_off(scans.kept);
    let rows = partial.rows.rows;
    let mut room: Vec<Vec<u8>> = types.iter().map(|ty| vec![0xAB; rows * ty.dtype.repr().bytes()]).collect();
    let mut targets: Vec<&mut [u8]> = room.iter_mut().map(|bytes| &mut bytes[..]).collect();
    let (head, sums) = ((&columns[0].0[..], &columns[1].0[..]), &columns[3 + scans.kept..]);
    let bitmaps = scans.finish(rows, head, sums, &partial.nodes, &mut targets)?;
    let columns = types.iter().zip(&room).zip(&bitmaps);
    Ok(columns.map(|((ty, values), bits)| from_buffers(*ty, BoolLayout::Bytes, values, Some(bits), rows)).collect())
}

/// Whether a scan over columns gave the same rows in batches of `leaves` leaves, or the same failure.
fn check(kernel: &Kernel, columns: &[ColumnData], leaves: usize, what: &str) -> bool {
    let rows = columns[0].len();
    let whole = interpret::finish(kernel, partial_of(kernel, columns, 0..rows));
    let (mut scans, mut at) = (ScanMerger::new(kernel).unwrap(), 0);
    let mut is_out_of_range = false;
    for from in (0..rows).step_by(leaves * LEAF_ROWS) {
        let partial = partial_of(kernel, columns, from..rows.min(from + leaves * LEAF_ROWS));
        let end = at + partial.rows.rows;
        match (finished(&mut scans, kernel, &partial), &whole) {
            (Ok(got), Ok(whole)) => {
                let expected = whole.slice(at..end).columns.split_off(scans.kept);
                assert!(got == expected, "{what}: other bits in rows {at} to {end}");
            }
            (Ok(_), Err(_)) => {}
            (Err(OutOfRange), _) => is_out_of_range = true,
        }
        at = end;
    }
    assert_eq!(is_out_of_range, whole.is_err(), "{what}");
    is_out_of_range
}

#[test]
fn rows_are_the_interpreters() {
    let (mut draws, mut out_of_range) = (Draws(1), 0);
    for ty in TYPES {
        for flags in 0..8 {
            let (nullable, segmented, masked) = (flags & 1 > 0, flags & 2 > 0, flags & 4 > 0);
            let kernel = kernel_of(ty, nullable, segmented, masked);
            // Small values for small types, or no sum would fit.
            let span = if ty.ends_with('8') { 3 } else { 100 };
            let columns = columns_of(&kernel, 3 * LEAF_ROWS + draws.below(9000) as usize, span, &mut draws);
            for leaves in [1, 2, 9] {
                out_of_range += usize::from(check(&kernel, &columns, leaves, &kernel.print()));
            }
        }
    }
    assert!(out_of_range > 0 && out_of_range < 13 * 8 * 3 / 2, "{out_of_range} sums did not fit");
}

#[test]
fn sums_that_overflow_in_between_are_reported() {
    let kernel = kernel_of("i64", false, false, false);
    let rows = 3 * LEAF_ROWS;
    let value = |row: usize| match row {
        5000 => i64::MAX,
        5001 => 1,
        5002 => -9,
        _ => 0,
    };
    let truth = |_| Some(Scalar::Bool(false));
    let values = (0..rows).map(|row| Some(Scalar::I64(value(row))));
    let mut columns = vec![ColumnData::from_scalars(kernel.columns[0], values)];
    columns.extend([1, 2].map(|number| ColumnData::from_scalars(kernel.columns[number], (0..rows).map(truth))));
    assert!(check(&kernel, &columns, 1, "a sum that is too large for a moment"));
}
