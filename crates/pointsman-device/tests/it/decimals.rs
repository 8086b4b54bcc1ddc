//! Decimals of more than 18 digits in machine code: the interpreter's bits at the edges of words and digits, in every
//! tail and slice, and the fault of the first row with too many digits.

use pointsman_device::Device;
use pointsman_device::conformance::differential::{compare_all, compare_case_on_all, compare_slices};
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use pointsman_ir::data::ColumnData;
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::guard;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{Case, DTypeClass, OwnedInputs, Profile, SinkKind, case};
use pointsman_ir::render::x86::{self, Target};
use pointsman_ir::types::{DType, Scalar};
use std::collections::BTreeMap;

/// Devices for the instruction sets with machine code that the processor has.
fn devices() -> Vec<(Isa, CpuDevice)> {
    let isas = [Isa::Avx512, Isa::Avx2].into_iter().filter(|isa| Isa::detect() >= *isa);
    let device = |isa| CpuDevice::new(CpuOptions { isa: Some(isa), jit: Some(true), ..CpuOptions::default() });
    isas.map(|isa| (isa, device(isa))).collect()
}

fn as_dyn(devices: &[(Isa, CpuDevice)]) -> Vec<&dyn Device> {
    devices.iter().map(|(_, device)| device as &dyn Device).collect()
}

fn decimal(precision: u8, scale: u8) -> DType {
    DType::Decimal { precision, scale }
}

/// Values of a type at the edges of words and digits.
fn edges(dtype: DType) -> Vec<i128> {
    let mut values = vec![0, 1, 2, 10, 99, 1 << 31, 1 << 32, 1 << 62, 1 << 63, 1 << 64, 1 << 65, 1 << 96, 1 << 126];
    for digits in [9, 18, 19, 20, 36, 37, 38] {
        values.push(10i128.pow(digits) - 1);
        values.push(10i128.pow(digits) / 2);
    }
    let near = values.iter().flat_map(|value| [value - 1, *value, value + 1]).flat_map(|value| [value, -value]);
    let mut values: Vec<i128> = near.filter(|value| fits(dtype, *value)).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Whether a type holds a value.
fn fits(dtype: DType, value: i128) -> bool {
    let digits = |precision: u8| value.unsigned_abs() < 10u128.pow(precision.into());
    let DType::Decimal { precision, .. } = dtype else { return Scalar::from_integer(dtype.repr(), value).is_some() };
    digits(precision)
}

fn column(dtype: DType, nullable: bool, values: impl IntoIterator<Item = i128>) -> ColumnData {
    let ty = if nullable { dtype.nullable() } else { dtype.required() };
    let scalar = |(row, value)| {
        let is_null = nullable && row % 5 == 3;
        Scalar::from_integer(dtype.repr(), value).filter(|_| !is_null)
    };
    ColumnData::from_scalars(ty, values.into_iter().enumerate().map(scalar).collect::<Vec<_>>())
}

/// Runs a kernel with and without machine code, in one chunk and in slices; returns whether it faulted.
fn check(text: &str, columns: Vec<ColumnData>, params: &[Option<Scalar>], slices: bool) -> bool {
    let kernel = parse(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let rows = columns[0].len();
    let params = params.to_vec();
    let inputs = OwnedInputs { columns, params, lists: Vec::new(), tables: Vec::new(), first_row: 0, rows };
    let case = Case { seed: 2, kernel, inputs };
    let devices = devices();
    let failed = |what: String| -> String { format!("{rows} rows: {what}\n{text}") };
    let faulted = compare_case_on_all(&as_dyn(&devices), &case).unwrap_or_else(|what| panic!("{}", failed(what)));
    if slices {
        compare_slices(&as_dyn(&devices), &case).unwrap_or_else(|what| panic!("{}", failed(what)));
    }
    for (isa, device) in devices {
        assert!(rows == 0 || device.jit_launches() > 0, "{isa:?}: no code for\n{text}");
    }
    faulted
}

/// The exact result of an operation, before its digits are counted.
fn exact(op: &str, a: i128, b: i128) -> Option<i128> {
    match op {
        "add" => a.checked_add(b),
        "sub" => a.checked_sub(b),
        "mul" => a.checked_mul(b),
        _ => Some(0),
    }
}

/// A kernel of one operation on two columns; rows are selected by a third if there is a mask.
fn binary(op: &str, [a, b]: [DType; 2], result: &str, nullable: bool, masked: bool) -> String {
    let null = if nullable { "?" } else { "" };
    let (extra, load, mask) =
        if masked { (", c2: bool", "  v3: bool = column c2\n", "mask v3\n") } else { ("", "", "") };
    format!(
        "kernel\ncolumns c0: {a}{null}, c1: {b}{null}{extra}\n  v0: {a}{null} = column c0\n  v1: {b}{null} = column c1\n  \
         v2: {result}{null} = {op} v0 v1\n{load}{mask}sink {} v2\n",
        if masked { "compact" } else { "store" }
    )
}

/// Operations with the types of their operands and results.
fn operations() -> Vec<(&'static str, [DType; 2], String)> {
    let mut all = Vec::new();
    for (op, result) in [("add", None), ("sub", None), ("least", Some(0)), ("greatest", Some(0))] {
        for (precision, scale) in [(18, 2), (19, 0), (28, 5), (37, 3), (38, 0)] {
            let dtype = decimal(precision, scale);
            if result.is_none() || precision > 18 {
                let result = decimal((precision + u8::from(result.is_none())).min(38), scale);
                all.push((op, [dtype; 2], result.to_string()));
            }
        }
    }
    for (p, q) in [(18, 18), (10, 18), (18, 19), (19, 18), (19, 19), (38, 1), (20, 30), (38, 38)] {
        all.push(("mul", [decimal(p, 0), decimal(q, 1)], decimal((p + q).min(38), 1).to_string()));
    }
    for op in ["eq", "ne", "lt", "le", "gt", "ge"] {
        all.push((op, [decimal(38, 4); 2], "bool".to_string()));
    }
    all
}

/// Whether an operation's result fits its digits.
fn keeps(op: &str, [x, y]: [DType; 2], a: i128, b: i128) -> bool {
    let (DType::Decimal { precision: p, .. }, DType::Decimal { precision: q, .. }) = (x, y) else { return true };
    let precision = if op == "mul" { p + q } else { p + 1 };
    exact(op, a, b).is_some_and(|value| fits(decimal(precision.min(38), 0), value))
}

type Pairs = Vec<(i128, i128)>;

/// All pairs of edges, first those whose result fits its digits.
fn pairs(op: &str, types: [DType; 2]) -> (Pairs, Pairs) {
    let all = edges(types[0]).into_iter().flat_map(|a| edges(types[1]).into_iter().map(move |b| (a, b)));
    all.partition(|&(a, b)| keeps(op, types, a, b))
}

#[test]
fn operations_are_right_at_the_edges() {
    for (op, types, result) in operations() {
        let (kept, _) = pairs(op, types);
        for nullable in [false, true] {
            let columns = vec![
                column(types[0], nullable, kept.iter().map(|pair| pair.0)),
                column(types[1], nullable, kept.iter().map(|pair| pair.1)),
            ];
            assert!(!check(&binary(op, types, &result, nullable, false), columns, &[], false), "{op} {types:?}");
        }
    }
}

#[test]
fn too_many_digits_fault_in_the_first_row() {
    for (op, types, result) in operations() {
        let (kept, beyond) = pairs(op, types);
        let fine = kept[kept.len() / 2];
        for (at, &bad) in beyond.iter().enumerate().step_by(beyond.len() / 40 + 1) {
            for (masked, selected) in [(false, true), (true, true), (true, false)] {
                // One row that faults, another one after it, both selected or not.
                let (first, second) = (at % 37, at % 37 + 1 + at % 3);
                let rows: Vec<(i128, i128)> =
                    (0..41).map(|row| if row == first || row == second { bad } else { fine }).collect();
                let mut columns = vec![
                    column(types[0], false, rows.iter().map(|pair| pair.0)),
                    column(types[1], false, rows.iter().map(|pair| pair.1)),
                ];
                if masked {
                    let is_bad = |row| row == first || row == second;
                    let chosen = (0..41).map(|row| Some(Scalar::Bool(selected || !is_bad(row))));
                    columns.push(ColumnData::from_scalars(DType::Bool.required(), chosen.collect::<Vec<_>>()));
                }
                let faulted = check(&binary(op, types, &result, false, masked), columns, &[], false);
                assert_eq!(faulted, selected, "{op} of {bad:?} in {types:?}");
            }
        }
    }
}

#[test]
fn signs_and_choices_are_right_at_the_edges() {
    for (precision, scale) in [(19, 19), (20, 3), (38, 0), (38, 38)] {
        let dtype = decimal(precision, scale);
        let values = edges(dtype);
        for nullable in [false, true] {
            let null = if nullable { "?" } else { "" };
            let ty = format!("{dtype}{null}");
            for op in ["neg v0", "abs v0", "sign v0", "clamp v0 v1 v2", "coalesce v0 v2", "select v3 v0 v1"] {
                let text = format!(
                    "kernel\ncolumns c0: {ty}, c1: {ty}\nparams p0: {dtype}?\n  v0: {ty} = column c0\n  \
                     v1: {ty} = column c1\n  v2: {dtype}? = param p0\n  v3: bool{null} = lt v0 v1\n  v4: {} = {op}\n\
                     sink store v4\n",
                    if op.contains("v2") { format!("{dtype}?") } else { ty.clone() }
                );
                let other = values.iter().rev().cycle().skip(7).copied().take(values.len());
                let columns = vec![column(dtype, nullable, values.iter().copied()), column(dtype, nullable, other)];
                for param in [None, Some(values[0]), Some(values[values.len() / 2]), Some(5)] {
                    let text = if op == "coalesce v0 v2" && !nullable {
                        text.replace("coalesce v0 v2", "coalesce v2 v2")
                    } else {
                        text.clone()
                    };
                    check(&text, columns.clone(), &[param.map(Scalar::I128)], false);
                }
            }
        }
    }
}

fn scale(dtype: DType) -> u8 {
    if let DType::Decimal { scale, .. } = dtype { scale } else { 0 }
}

/// A value converted to a type with fewer or more digits after the point; `None` if it does not fit.
fn converted(from: DType, to: DType, value: i128) -> Option<i128> {
    let power = |more: u8, less: u8| 10i128.pow(u32::from(more.saturating_sub(less)));
    let (up, down) = (power(scale(to), scale(from)), power(scale(from), scale(to)));
    let half = if matches!(to, DType::Decimal { .. }) { value.signum() * (down / 2) } else { 0 };
    let value = if down > 1 { (value + half) / down } else { value.checked_mul(up)? };
    Some(value).filter(|value| fits(to, *value))
}

#[test]
fn conversions_are_right_at_the_edges() {
    let integers = [DType::I8, DType::U8, DType::I32, DType::U32, DType::I64, DType::U64];
    let decimals = [(18, 0), (18, 5), (19, 0), (19, 19), (25, 3), (38, 0), (38, 10), (38, 37), (38, 38)];
    let decimals = decimals.map(|(precision, scale)| decimal(precision, scale));
    let is_wide = |dtype: DType| dtype.repr().bytes() == 16;
    for from in integers.into_iter().chain(decimals) {
        let powers = (0..38).flat_map(|digits| [10i128.pow(digits), 10i128.pow(digits + 1) / 2]);
        let near = powers.flat_map(|power| [power - 1, power, power + 1, 1 - power, -power, -1 - power]);
        let values: Vec<i128> = edges(from).into_iter().chain(near.filter(|value| fits(from, *value))).collect();
        for to in integers.into_iter().chain(decimals) {
            if from == to || !(is_wide(from) || is_wide(to)) {
                continue;
            }
            let text = |op: &str| {
                format!("kernel\ncolumns c0: {from}\n  v0: {from} = column c0\n  v1: {to} = {op} v0\nsink store v1\n")
            };
            check(&text("cast_saturating"), vec![column(from, false, values.iter().copied())], &[], false);
            let (kept, beyond): (Vec<i128>, Vec<i128>) =
                values.iter().partition(|value| converted(from, to, **value).is_some());
            assert!(!check(&text("cast"), vec![column(from, false, kept.iter().copied())], &[], false));
            for (at, &bad) in beyond.iter().enumerate().step_by(beyond.len() / 12 + 1) {
                let rows = (0..20).map(|row| if row == at % 20 { bad } else { 0 });
                assert!(check(&text("cast"), vec![column(from, false, rows)], &[], false), "{bad}: {from} as {to}");
            }
        }
    }
}

#[test]
fn every_number_of_rows_is_read_and_written() {
    let dtype = decimal(38, 2);
    let values = edges(dtype);
    let columns = "kernel\ncolumns c0: decimal(38,2)?, c1: decimal(38,2), c2: bool\n  v0: decimal(38,2)? = column c0\n  \
                   v1: decimal(38,2) = column c1\n  v2: bool = column c2\n  v3: decimal(38,2)? = least v0 v1\n";
    for sink in ["sink store v3, v1", "mask v2\nsink store v3, v1", "mask v2\nsink compact v3, v1"] {
        for sink in [sink.to_string(), sink.replace("v3, v1", "v1"), sink.replace("v3, v1", "v0")] {
            for rows in (0..=40).chain([63, 64, 65, 4095, 4097]) {
                let cells = |step: usize| (0..rows).map(move |row| row * step + 3);
                let cell = |at: usize| values[at % values.len()];
                let chosen = cells(7).map(|at| Some(Scalar::Bool(at % 3 > 0))).collect::<Vec<_>>();
                let columns_of = vec![
                    column(dtype, true, cells(5).map(cell)),
                    column(dtype, false, cells(11).map(cell)),
                    ColumnData::from_scalars(DType::Bool.required(), chosen),
                ];
                check(&format!("{columns}{sink}\n"), columns_of, &[], rows < 100);
            }
        }
    }
}

#[test]
fn random_kernels_with_decimals_become_code() {
    let classes = [DTypeClass::Bool, DTypeClass::I32, DTypeClass::U64, DTypeClass::Decimal64, DTypeClass::Decimal128];
    let rows = [(1, 2), (15, 2), (16, 2), (17, 2), (100, 2), (4095, 1), (4100, 1)];
    let profile = Profile::streaming().with_sinks(&[SinkKind::Store, SinkKind::Compact, SinkKind::Scan]);
    let profile = profile.with_classes(&classes).with_rows(&rows);
    let cases = pointsman_device::conformance::checks::cases(1_000);
    let devices = devices();
    let met = compare_all(&as_dyn(&devices), &profile, 0..cases, |_| {});
    let met = met.unwrap_or_else(|difference| panic!("{difference}"));
    for (isa, device) in devices {
        let (emitted, launches) = (device.jit_launches(), met.launches as u64);
        let target = if isa == Isa::Avx2 { Target::Avx2 } else { Target::Avx512 };
        let mut missing: BTreeMap<String, usize> = BTreeMap::new();
        for seed in 0..cases {
            let code = x86::render(&guard(&decompose(&case(seed, &profile).kernel)), target);
            if let Err(error) = code {
                *missing.entry(error.message).or_default() += 1;
            }
        }
        assert!(
            emitted * 100 >= launches * 99,
            "{isa:?}: {emitted} of {launches} launches ran code; of {cases} kernels: {missing:#?}"
        );
    }
}

#[test]
fn the_reason_for_missing_machine_code_is_reported() {
    let head = "kernel\ncolumns c0: decimal(38,2), c1: f64\n  v0: decimal(38,2) = column c0\n  v1: f64 = column c1\n";
    for (rest, message) in [
        ("  v2: f64 = cast v0\nsink store v2", "a conversion between floats and decimals of more than 18 digits"),
        ("  v2: decimal(38,2) = cast v1\nsink store v2", "a conversion between floats and decimals of more than 18"),
        ("sink reduce sum(v0)", "values of 128 bits are not emitted yet"),
        ("sink reduce min(v0)", "values of 128 bits are not emitted yet"),
    ] {
        let kernel = parse(&format!("{head}{rest}\n")).unwrap_or_else(|error| panic!("{error:?}: {rest}"));
        for target in [Target::Avx512, Target::Avx2] {
            let error = x86::render(&guard(&decompose(&kernel)), target).err().map(|error| error.message);
            assert!(error.as_ref().is_some_and(|error| error.starts_with(message)), "{rest}: {error:?}");
        }
    }
}
