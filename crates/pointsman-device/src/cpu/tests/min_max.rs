//! Running minima, maxima and counts: every type, in every order, with nulls in any position.

use super::super::CpuDevice;
use super::{check, over, scans};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{OwnedInputs, Rng};
use pointsman_ir::types::{DType, Scalar};

const SMALL: [usize; 14] = [0, 1, 7, 15, 16, 17, 63, 64, 65, 255, 256, 257, 4095, 4096];
const LARGE: [usize; 5] = [4097, 9000, 65_535, 65_536, 65_537];

const TYPES: [(&str, DType); 14] = [
    ("bool", DType::Bool),
    ("i8", DType::I8),
    ("i16", DType::I16),
    ("i32", DType::I32),
    ("i64", DType::I64),
    ("u8", DType::U8),
    ("u16", DType::U16),
    ("u32", DType::U32),
    ("u64", DType::U64),
    ("f32", DType::F32),
    ("f64", DType::F64),
    ("date32", DType::Date32),
    ("timestamp", DType::Timestamp),
    ("decimal(30,2)", DType::Decimal { precision: 30, scale: 2 }),
];

/// The order of the values.
#[derive(Clone, Copy, Debug)]
enum Order {
    Rising,
    Falling,
    Any,
}

/// Which rows are null.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Nulls {
    /// None: the column is not nullable.
    Never,
    /// None, although the column is nullable.
    NoRow,
    Some,
    /// All rows of the first leaves if there are several, otherwise half of the rows.
    UntilLate,
    AllRows,
}

const WAYS: [(Order, Nulls); 8] = [
    (Order::Any, Nulls::Never),
    (Order::Rising, Nulls::Never),
    (Order::Falling, Nulls::Never),
    (Order::Any, Nulls::Some),
    (Order::Rising, Nulls::Some),
    (Order::Falling, Nulls::UntilLate),
    (Order::Any, Nulls::NoRow),
    (Order::Any, Nulls::AllRows),
];

/// Folds alone, with columns, and over masked rows.
const SINKS: [&str; 3] = [
    "sink scan columns() running(min(v0), max(v0))",
    "sink scan columns(v0) running(max(v0), count(v0), min(v0), count())",
    "mask v1\nsink scan columns() running(max(v0), min(v1), count(v0), min(v0))",
];

fn kernel(name: &str, nulls: Nulls, sink: &str) -> Kernel {
    let null = if nulls == Nulls::Never { "" } else { "?" };
    let text = format!(
        "kernel\ncolumns c0: {name}{null}, c1: bool?\n  v0: {name}{null} = column c0\n  v1: bool? = column c1\n{sink}\n"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

/// A value of a sequence of this order at `row`; now and then the end of the type.
fn value(rng: &mut Rng, dtype: DType, order: Order, row: usize, rows: usize) -> Scalar {
    const ENDS: [i128; 6] =
        [i8::MIN as i128, u16::MAX as i128, i32::MIN as i128, i64::MIN as i128, i64::MAX as i128, u64::MAX as i128];
    let part = (row * 120 / rows) as i128;
    let whole = match order {
        Order::Rising => part,
        Order::Falling => 120 - part,
        Order::Any if rng.below(300) == 0 && dtype != DType::Date32 => ENDS[rng.below(ENDS.len())],
        Order::Any => rng.below(120) as i128,
    };
    if dtype == DType::Bool {
        return Scalar::Bool(whole > 60);
    }
    match (Scalar::from_integer(dtype.repr(), whole), order) {
        (Some(whole), _) => whole,
        (None, Order::Any) if matches!(dtype, DType::F32 | DType::F64) => scans::value(rng, dtype),
        (None, _) if dtype == DType::F32 => Scalar::F32((whole - 60) as f32),
        (None, _) if dtype == DType::F64 => Scalar::F64((whole - 60) as f64),
        (None, _) => Scalar::from_integer(dtype.repr(), 1).expect("every integer type holds a one"),
    }
}

fn inputs(dtype: DType, order: Order, nulls: Nulls, rows: usize) -> OwnedInputs {
    inputs_of(dtype, nulls, rows, |rng, row| value(rng, dtype, order, row, rows))
}

fn inputs_of(dtype: DType, nulls: Nulls, rows: usize, value: impl Fn(&mut Rng, usize) -> Scalar) -> OwnedInputs {
    let mut rng = Rng::new(rows as u64 + 11);
    let late = if rows > 8200 { 8200 } else { rows / 2 };
    let x: Vec<_> = (0..rows)
        .map(|row| {
            let is_null = match nulls {
                Nulls::Never | Nulls::NoRow => false,
                Nulls::Some => rng.below(10) == 0,
                Nulls::UntilLate => row < late,
                Nulls::AllRows => true,
            };
            (!is_null).then(|| value(&mut rng, row))
        })
        .collect();
    let flags: Vec<_> = (0..rows).map(|_| (rng.below(9) > 0).then(|| Scalar::Bool(rng.below(5) > 0))).collect();
    let ty = if nulls == Nulls::Never { dtype.required() } else { dtype.nullable() };
    over(vec![ColumnData::from_scalars(ty, x), ColumnData::from_scalars(DType::Bool.nullable(), flags)], 0)
}

#[test]
fn every_type_order_and_null_gives_the_bits_of_the_interpreter() {
    let devices = scans::devices();
    let mut turn = 0;
    let mut next = || -> &CpuDevice {
        turn += 1;
        &devices[turn % devices.len()]
    };
    for (at, (name, dtype)) in TYPES.into_iter().enumerate() {
        for (number, way) in WAYS.into_iter().enumerate() {
            for sink in SINKS {
                let kernel = kernel(name, way.1, sink);
                for rows in SMALL {
                    check(next(), &kernel, inputs(dtype, way.0, way.1, rows));
                }
            }
            // The interpreter is slow for many rows.
            let (rows, sink) = (LARGE[(at + number) % LARGE.len()], SINKS[(at + 2 * number) % SINKS.len()]);
            check(next(), &kernel(name, way.1, sink), inputs(dtype, way.0, way.1, rows));
        }
    }
}

/// Sizes around those of groups, words, leaves and morsels.
const EDGES: [usize; 12] = [1, 2, 15, 16, 17, 63, 64, 65, 4095, 4096, 4097, 65_537];
/// Zeros of both signs, their neighbours, a one, and quiet NaNs of both signs with different payloads: as `f32` and as
/// `f64`.
const ODD: [(u32, u64); 7] = [
    (0x8000_0000, 0x8000_0000_0000_0000),
    (0, 0),
    (1, 1),
    (0x8000_0001, 0x8000_0000_0000_0001),
    (0x3f80_0000, 0x3ff0_0000_0000_0000),
    (0x7fc0_0001, 0x7ff8_0000_0000_0001),
    (0xffd1_2345, 0xfffa_3456_789a_bcde),
];

/// One of the odd floats, starting with this one: more of them in later rows, so that each is the best for a while.
fn odd(rng: &mut Rng, dtype: DType, from: usize, row: usize, rows: usize) -> Scalar {
    let (short, long) = ODD[(from + rng.below(1 + row * ODD.len() / rows)) % ODD.len()];
    if dtype == DType::F32 { Scalar::F32(f32::from_bits(short)) } else { Scalar::F64(f64::from_bits(long)) }
}

#[test]
fn signed_zeros_and_nans_give_the_bits_of_the_interpreter() {
    let devices = scans::devices();
    for (name, dtype) in [("f32", DType::F32), ("f64", DType::F64)] {
        for nulls in [Nulls::Never, Nulls::Some, Nulls::NoRow] {
            for (at, sink) in SINKS.into_iter().enumerate() {
                let kernel = kernel(name, nulls, sink);
                for from in 0..ODD.len() {
                    // The interpreter is slow for many rows.
                    for rows in EDGES.into_iter().filter(|rows| *rows < 65_537 || (from + at) % SINKS.len() == 0) {
                        let inputs = || inputs_of(dtype, nulls, rows, |rng, row| odd(rng, dtype, from, row, rows));
                        let few = if rows < 4000 { devices.len() } else { 1 };
                        let turn = devices.iter().cycle().skip(from + at + rows);
                        turn.take(few).for_each(|device| check(device, &kernel, inputs()));
                    }
                }
            }
        }
    }
}

#[test]
fn a_million_rows_give_the_bits_of_the_interpreter() {
    let way = (Order::Any, Nulls::UntilLate);
    let kernel = kernel("f32", way.1, SINKS[0]);
    scans::devices()
        .iter()
        .take(1)
        .for_each(|device| check(device, &kernel, inputs(DType::F32, way.0, way.1, 1_000_001)));
}
