//! Single-pass compactions on the portable GPU, against the interpreter: every row width that a workgroup keeps, and
//! selections from none to all. Without an adapter the tests print that and pass.

use pointsman_device::conformance::differential::compare_case;
use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{Case, OwnedInputs, Rng};
use pointsman_ir::types::{DType, Scalar, Type};

/// Keeps the rows where `c0` is below the parameter; writes the other columns.
fn kernel(columns: &[Type]) -> String {
    let declared: String = columns.iter().enumerate().map(|(i, ty)| format!(", c{}: {ty}", i + 1)).collect();
    let read: String =
        (columns.iter().enumerate()).map(|(i, ty)| format!("  v{}: {ty} = column c{}\n", i + 3, i + 1)).collect();
    let written: Vec<String> = (0..columns.len()).map(|i| format!("v{}", i + 3)).collect();
    format!(
        "kernel\ncolumns c0: u8{declared}\nparams p0: u8\n  v0: u8 = column c0\n  v1: u8 = param p0
  v2: bool = lt v0 v1\n{read}mask v2\nsink compact {}\n",
        written.join(", ")
    )
}

fn column(ty: Type, rows: usize, rng: &mut Rng) -> ColumnData {
    let value = |_| {
        let null = ty.nullable && rng.below(4) == 0;
        let value = Scalar::from_bits(ty.dtype.repr(), u128::from(rng.bits()));
        (!null).then_some(value.canonical())
    };
    ColumnData::from_scalars(ty, (0..rows).map(value))
}

fn device(options: WgpuOptions) -> Option<WgpuDevice> {
    let found = discover();
    let card = found.adapters.iter().find(|adapter| !adapter.is_software);
    let Some(adapter) = card.or(found.adapters.first()) else {
        eprintln!("skipped: {}", found.why_none.as_deref().unwrap_or("no adapter"));
        return None;
    };
    let options = WgpuOptions { single_pass: Some(true), ..options };
    Some(WgpuDevice::open(adapter, options).expect("an adapter that was found opens"))
}

/// Row widths from zero words up; the wider the rows, the fewer of them a workgroup keeps.
fn widths() -> Vec<Vec<Type>> {
    vec![
        vec![],
        vec![DType::F32.required()],
        vec![DType::Bool.required(), DType::U8.required()],
        vec![DType::I32.nullable(), DType::U16.required()],
        vec![DType::I64.required(), DType::I8.nullable()],
        vec![DType::F64.nullable(), DType::U64.required(), DType::Bool.nullable()],
    ]
}

fn check(options: WgpuOptions, rows: &[usize]) {
    let Some(device) = device(options) else { return };
    let mut rng = Rng::new(11);
    for columns in widths() {
        let kernel = parse(&kernel(&columns)).expect("the text of a kernel");
        for &rows in rows {
            for below in [0, 1, 128, 255] {
                let types = [DType::U8.required()].into_iter().chain(columns.iter().copied());
                let columns = types.map(|ty| column(ty, rows, &mut rng)).collect();
                let params = vec![Some(Scalar::U8(below))];
                let inputs = OwnedInputs { columns, params, lists: vec![], tables: vec![], first_row: 0, rows };
                let case = Case { seed: 0, kernel: kernel.clone(), inputs };
                compare_case(&device, &case)
                    .unwrap_or_else(|what| panic!("{rows} rows below {below}: {what}\n{}", kernel.print()));
            }
        }
    }
}

#[test]
fn rows_of_every_width_are_kept_and_written_in_order() {
    check(WgpuOptions::default(), &[1, 1025, 8192, 8193, 70_001]);
}

/// The less memory a workgroup has, the fewer rows it keeps; without memory it reads the selected rows again.
#[test]
fn workgroups_of_little_memory_write_the_same_rows() {
    for bytes in [0, 8 << 10, 16 << 10] {
        check(WgpuOptions { workgroup_bytes_max: Some(bytes), ..WgpuOptions::default() }, &[1025, 20_001]);
    }
}

/// Zeros of both signs are equal, all NaNs are equal and above everything else, and subnormals are not zero.
#[test]
fn floats_are_compared_by_their_order() {
    let Some(device) = device(WgpuOptions::default()) else { return };
    let ends = [0u64, 1, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7f80_0001, 0x7fc0_0000];
    let double = |bits: u64| (bits >> 23) << 52 | (bits & 0x7f_ffff) << 29 | bits & 1;
    for (dtype, sign) in [(DType::F32, 1u64 << 31), (DType::F64, 1 << 63)] {
        let edges: Vec<u64> = ends.iter().map(|&bits| if dtype == DType::F32 { bits } else { double(bits) }).collect();
        let edges: Vec<u64> = edges.iter().flat_map(|&bits| [bits, bits | sign]).collect();
        let all = edges.len();
        let value = |edge: usize| Some(Scalar::from_bits(dtype.repr(), edges[edge].into()));
        let column = |at: &dyn Fn(usize) -> usize| {
            ColumnData::from_scalars(dtype.required(), (0..all * all).map(|row| value(at(row))))
        };
        let columns = vec![column(&|row| row / all), column(&|row| row % all)];
        let calls = ["eq", "ne", "lt", "le", "gt", "ge"];
        let lines = (2..).zip(calls).map(|(at, call)| format!("  v{at}: bool = {call} v0 v1\n"));
        let text = format!(
            "kernel\ncolumns c0: {dtype}, c1: {dtype}\n  v0: {dtype} = column c0\n  v1: {dtype} = column c1\n{}sink store v2, v3, v4, v5, v6, v7\n",
            lines.collect::<String>()
        );
        let kernel = parse(&text).expect("the text of a kernel");
        let inputs =
            OwnedInputs { columns, params: vec![], lists: vec![], tables: vec![], first_row: 0, rows: all * all };
        compare_case(&device, &Case { seed: 0, kernel, inputs }).unwrap_or_else(|what| panic!("{dtype}: {what}"));
    }
}

#[test]
fn workgroups_count_tiles_that_no_other_has_counted() {
    check(WgpuOptions { backward: true, ..WgpuOptions::default() }, &[8193, 70_001]);
}
