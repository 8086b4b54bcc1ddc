//! Library calls: random ones of every kind, within their bounds of the sums that define them.

use super::differential::{compare_case, refusal};
use crate::Device;
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, call};
use pointsman_ir::kernel::call::{Convolve, Direction, Fft, Matmul, Method, Numbers, RightOperand, Storage, Transform};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Call, Kernel, Sink};
use pointsman_ir::random::{Case, OwnedInputs, Rng};
use pointsman_ir::types::DType;

/// How many calls of each kind are compared.
const CALLS: u64 = 120;

/// Compares random calls: sizes, types, storage, batches, expressions below them, and every layout of the inputs.
pub fn calls(device: &dyn Device) {
    if !device.info().capabilities.sinks.contains(&"call") {
        return;
    }
    let kinds: [fn(&mut Rng) -> Call; 3] = [matmul, fft, convolve];
    for seed in 0..CALLS {
        for (number, kind) in kinds.iter().enumerate() {
            let call = kind(&mut Rng::new(seed * 3 + number as u64));
            let case = case(seed, call, device.cuts_chunks());
            match compare_case(device, &case) {
                Ok(faulted) => assert!(!faulted, "seed {seed}: {}", case.kernel),
                Err(what) => panic!("seed {seed}: {what}\n{}", case.kernel),
            }
        }
    }
    mismatches(device);
}

/// Whether the result of a call is within the bounds of its sums.
pub(super) fn equal(case: &Case, sink: &Sink, found: &TableData) -> Result<(), String> {
    let Sink::Call { call, value, table } = sink else { return Ok(()) };
    let stored = Kernel { sink: Sink::Store { columns: vec![*value] }, ..case.kernel.clone() };
    let tables = case.inputs.built_tables(&stored);
    let rows = interpret::run(&stored, &case.inputs.borrow(&tables)).map_err(|fault| fault.to_string())?;
    let doubles = |column: &ColumnData| column.iter().flatten().map(call::double).collect::<Vec<f64>>();
    let table = table.map_or_else(Vec::new, |table| doubles(&case.inputs.lists[table.index()]));
    let dtype = rows.columns[0].dtype;
    let expected = call::compute(call, &doubles(&rows.columns[0]), &table, call::unit(dtype));
    if found.rows != expected.len() {
        return Err(format!("{} rows are expected, {} were written", expected.len(), found.rows));
    }
    for (row, (expected, found)) in expected.iter().zip(doubles(&found.columns[0])).enumerate() {
        let is_near = (found - expected.value).abs() <= expected.error;
        if !is_near && expected.error.is_finite() {
            return Err(format!("row {row} is {found:e}, not {:e} ± {:e}", expected.value, expected.error));
        }
    }
    Ok(())
}

/// A random size: mostly small, and at the edges of vectors and tiles.
fn size(rng: &mut Rng, most: usize) -> u64 {
    let sizes = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65];
    let size = if rng.chance(70) { rng.pick(&sizes) } else { 1 + rng.below(most) };
    size.min(most) as u64
}

fn matmul(rng: &mut Rng) -> Call {
    let storage = [Storage::Rows, Storage::Columns];
    Call::Matmul(Matmul {
        numbers: rng.pick(&[Numbers::Real, Numbers::Real, Numbers::Complex]),
        rows: size(rng, 70),
        inner: size(rng, 70),
        columns: size(rng, 70),
        left: rng.pick(&storage),
        right: rng.pick(&storage),
        operand: rng.pick(&[RightOperand::Shared, RightOperand::PerChunk]),
    })
}

fn fft(rng: &mut Rng) -> Call {
    let transforms = [Transform::Forward, Transform::Inverse, Transform::RealForward, Transform::RealInverse];
    let transform = rng.pick(&transforms);
    if rng.chance(30) {
        let whole = Fft { transform, outer: size(rng, 20), length: size(rng, 20), given: 0, kept: 0 };
        let [given, kept] = whole.whole();
        return Call::Fft(Fft { given, kept, ..whole });
    }
    let whole = Fft { transform, outer: 1, length: size(rng, 300), given: 0, kept: 0 };
    let [given, kept] = whole.whole();
    let mut part = |whole: u64| if rng.chance(60) { whole } else { 1 + rng.below(whole as usize) as u64 };
    Call::Fft(Fft { given: part(given), kept: part(kept), ..whole })
}

fn convolve(rng: &mut Rng) -> Call {
    let is_plane = rng.chance(50);
    let most = if is_plane { 12 } else { 200 };
    let height = |rng: &mut Rng, most| if is_plane { size(rng, most) } else { 1 };
    let weights = [height(rng, 5), size(rng, if is_plane { 5 } else { 40 })];
    let mut padding = |weight: u64| [(); 2].map(|()| rng.below(weight as usize + 2) as u64);
    let padding = [if is_plane { padding(weights[0]) } else { [0, 0] }, padding(weights[1])];
    // The weights fit into the padded channel.
    let input = [height(rng, most).max(weights[0]), size(rng, most).max(weights[1])];
    Call::Convolve(Convolve {
        method: rng.pick(&[Method::Sum, Method::Transform]),
        direction: rng.pick(&[Direction::Correlation, Direction::Convolution]),
        channels_in: if rng.chance(50) { 1 } else { size(rng, 4) },
        channels_out: if rng.chance(50) { 1 } else { size(rng, 4) },
        input,
        weights,
        padding,
        stride: [if is_plane { 1 + rng.below(3) as u64 } else { 1 }, 1 + rng.below(3) as u64],
    })
}

/// A case with random numbers: of a plain column, or of a product of two. `cuts_chunks`: whether it may have a part of a
/// chunk.
fn case(seed: u64, call: Call, cuts_chunks: bool) -> Case {
    let mut rng = Rng::new(seed);
    let dtype = rng.pick(&[DType::F32, DType::F64]);
    let chunks = rng.below(4) as u64;
    let is_part = cuts_chunks && call.cut_rows() < call.rows_in() && rng.chance(40);
    let part = |rng: &mut Rng| call.cut_rows() * rng.below(3 * (call.rows_in() / call.cut_rows()) as usize) as u64;
    let rows = if is_part { part(&mut rng) } else { call.rows_in() * chunks } as usize;
    let lists = if call.has_table() { format!("lists l0: {dtype}\n") } else { String::new() };
    let values = rng.pick(&["  v1: T = column c1\n", "  v1: T = column c1\n  v2: T = mul v0 v1\n"]);
    let last = if values.contains("v2") { "v2" } else { "v1" };
    let table = if call.has_table() { " l0" } else { "" };
    let text = format!(
        "kernel\ncolumns c0: T, c1: T\n{lists}  v0: T = column c0\n{values}sink call {call} of {last}{table}\n"
    );
    let kernel = parse(&text.replace('T', &dtype.to_string())).expect("the text of a kernel");
    let mut floats = |rows: usize| {
        let value = |rng: &mut Rng| call::rounded(dtype, (rng.below(2001) as f64 - 1000.0) / 512.0);
        ColumnData::from_scalars(dtype.required(), (0..rows).map(|_| Some(value(&mut rng))).collect::<Vec<_>>())
    };
    let columns = vec![floats(rows), floats(rows)];
    let table_rows = call.table_rows(chunks) as usize;
    let lists = if call.has_table() { vec![floats(table_rows)] } else { vec![] };
    let inputs = OwnedInputs { columns, params: vec![], lists, tables: vec![], first_row: 0, rows };
    // The layouts of a case go by its seed; the number that is a multiple of 4 would cut the rows.
    Case { seed: seed * 4 + 1 + seed % 3, kernel, inputs }
}

/// Rows that are no whole chunks, and tables of another size, are refused.
fn mismatches(device: &dyn Device) {
    let call = Call::Matmul(Matmul {
        numbers: Numbers::Real,
        rows: 4,
        inner: 3,
        columns: 2,
        left: Storage::Rows,
        right: Storage::Rows,
        operand: RightOperand::Shared,
    });
    let whole =
        (0..).map(|seed| case(seed, call, false)).find(|case| case.inputs.rows > 12).expect("some cases have chunks");
    let mut cut = whole.clone();
    cut.inputs = whole.inputs.slice(0..whole.inputs.rows - 1);
    let error = refusal(device, &cut);
    assert!(error.contains("give whole chunks"), "{error}");
    let mut short = whole;
    let list = &mut short.inputs.lists[0];
    *list = ColumnData::from_scalars(list.ty(), (0..5).map(|_| Some(call::rounded(list.dtype, 0.0))));
    let error = refusal(device, &short);
    assert!(error.contains("needs a captured table of 6 rows"), "{error}");
}
