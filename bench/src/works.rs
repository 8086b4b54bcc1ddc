//! The works of `bench/gpu` as kernels: what each computes, over columns of which types, with which scalars.

use pointsman_ir::kernel::{Kernel, parse::parse};
use pointsman_ir::types::Scalar;

/// A kernel and the scalars it runs with.
pub struct Work {
    /// The kernel.
    pub kernel: Kernel,
    /// Its parameters.
    pub params: Vec<Option<Scalar>>,
}

/// The work of this name over columns of these types, or why there is none.
pub fn work(name: &str, types: &[&str]) -> Result<Work, String> {
    if let Some(call) = name.strip_prefix("call/") {
        return call_work(call, types);
    }
    let (text, params) = match (name, types) {
        ("copy", [ty]) => (head(&[ty], &[]) + "sink store v0\n", vec![]),
        ("poly", ["f32"]) => (POLY.to_string(), vec![Scalar::F32(0.5), Scalar::F32(3.0), Scalar::F32(1.0)]),
        ("sum", [ty]) => (head(&[ty], &[]) + "sink reduce sum(v0)\n", vec![]),
        ("filter-sum", ["f32"]) => (FILTER_SUM.to_string(), vec![Scalar::F32(0.5), Scalar::F32(3.0)]),
        ("compact", ["f32"]) => {
            let body = "  v2: bool = gt v0 v1\nmask v2\nsink compact v0\n";
            (head(&["f32"], &["f32"]) + body, vec![Scalar::F32(0.5)])
        }
        ("running-sum", [ty]) => (head(&[ty], &[]) + "sink scan columns() running(sum(v0))\n", vec![]),
        ("q6", ["i32", "f64", "f64", "f64"]) => (
            head(types, &["i32", "i32", "f64", "f64", "f64"]) + Q6,
            vec![Scalar::I32(8766), Scalar::I32(9131), Scalar::F64(0.05), Scalar::F64(0.07), Scalar::F64(24.0)],
        ),
        _ => return Err(format!("there is no work `{name}` over columns of {}", types.join(", "))),
    };
    let kernel = parse(&text).map_err(|error| format!("{name}: {error}"))?;
    Ok(Work { kernel, params: params.into_iter().map(Some).collect() })
}

/// A library call (its text, with `/` for spaces) of the first column, with the second one as its captured table.
fn call_work(call: &str, types: &[&str]) -> Result<Work, String> {
    let call = call.replace('/', " ");
    let (list, table) = match types {
        [_] => (String::new(), ""),
        [_, ty] => (format!("lists l0: {ty}\n"), " l0"),
        _ => return Err("a call takes one column, or two".to_string()),
    };
    let ty = types[0];
    let text = format!("kernel\ncolumns c0: {ty}\n{list}  v0: {ty} = column c0\nsink call {call} of v0{table}\n");
    let kernel = parse(&text).map_err(|error| format!("{call}: {error}"))?;
    Ok(Work { kernel, params: vec![] })
}

/// The first lines of a kernel: its columns and parameters as its first values.
fn head(columns: &[&str], params: &[&str]) -> String {
    let list = |letter: &str, types: &[&str]| {
        types.iter().enumerate().map(|(i, ty)| format!("{letter}{i}: {ty}")).collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("kernel\ncolumns {}\n", list("c", columns));
    if !params.is_empty() {
        text += &format!("params {}\n", list("p", params));
    }
    for (i, ty) in columns.iter().enumerate() {
        text += &format!("  v{i}: {ty} = column c{i}\n");
    }
    for (i, ty) in params.iter().enumerate() {
        text += &format!("  v{}: {ty} = param p{i}\n", columns.len() + i);
    }
    text
}

/// `x*x*0.5 + x*3 - 1`.
const POLY: &str = "\
kernel
columns c0: f32
params p0: f32, p1: f32, p2: f32
  v0: f32 = column c0
  v1: f32 = param p0
  v2: f32 = param p1
  v3: f32 = param p2
  v4: f32 = mul v0 v0
  v5: f32 = mul v4 v1
  v6: f32 = mul v0 v2
  v7: f32 = add v5 v6
  v8: f32 = sub v7 v3
sink store v8
";

/// The sum of `x*x*0.5 + x*3` where `x > 0.5`.
const FILTER_SUM: &str = "\
kernel
columns c0: f32
params p0: f32, p1: f32
  v0: f32 = column c0
  v1: f32 = param p0
  v2: f32 = param p1
  v3: bool = gt v0 v1
  v4: f32 = mul v0 v0
  v5: f32 = mul v4 v1
  v6: f32 = mul v0 v2
  v7: f32 = add v5 v6
mask v3
sink reduce sum(v7)
";

/// The shape of TPC-H's query 6: three conditions on a date, a discount and a quantity, the sum of a product. Columns are
/// date, discount, quantity, price.
const Q6: &str = "\
  v9: bool = ge v0 v4
  v10: bool = lt v0 v5
  v11: bool = ge v1 v6
  v12: bool = le v1 v7
  v13: bool = lt v2 v8
  v14: bool = and v9 v10
  v15: bool = and v11 v12
  v16: bool = and v14 v15
  v17: bool = and v16 v13
  v18: f64 = mul v3 v1
mask v17
sink reduce sum(v18)
";
