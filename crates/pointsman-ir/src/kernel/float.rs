//! Which kernels compute with floats: devices that are only bounded take those where the user allows it.

use crate::body::Inst;
use crate::kernel::{FoldOp, Kernel};
use crate::types::DType;

/// The first float computation of a kernel, by name, whose result a bounded device may round differently; `None` if every
/// device gives the same bits. Comparing, choosing, moving and negating floats is exact everywhere.
pub fn float_arithmetic(kernel: &Kernel) -> Option<String> {
    let is_float = |v| kernel.body.ty(v).dtype.is_float();
    let computes = kernel.body.iter().find_map(|(_, inst, ty)| {
        let Inst::Call { op, args } = inst else { return None };
        let dtype = args.iter().map(|&v| kernel.body.ty(v).dtype).chain([ty.dtype]).find(|dtype| dtype.is_float())?;
        op.rounds().then(|| named(op.name(), dtype))
    });
    let folds = kernel.sink.folds();
    let sum = folds
        .iter()
        .filter(|fold| fold.op == FoldOp::Sum)
        .filter_map(crate::kernel::Fold::value)
        .find(|&v| is_float(v));
    computes.or_else(|| sum.map(|v| named("sum", kernel.body.ty(v).dtype)))
}

fn named(what: &str, dtype: DType) -> String {
    format!("`{what}` of {dtype}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::parse::parse;

    fn check(text: &str, expected: Option<&str>) {
        let kernel = parse(text).expect("a kernel");
        assert_eq!(float_arithmetic(&kernel).as_deref(), expected, "{text}");
    }

    #[test]
    fn only_rounded_operations_count() {
        check("kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink reduce min(v0), max(v0), count(v0)\n", None);
        check("kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink reduce sum(v0)\n", Some("`sum` of f32"));
        check("kernel\ncolumns c0: u8\n  v0: u8 = column c0\nsink scan columns() running(sum(v0))\n", None);
        check(
            "kernel\ncolumns c0: f64\n  v0: f64 = column c0\n  v1: f64 = neg v0\n  v2: bool = lt v1 v0\nmask v2\nsink compact v1\n",
            None,
        );
        check(include_str!("../../tests/kernels/in/elementary.kernel"), Some("`exp` of f64"));
        check(include_str!("../../tests/kernels/in/reduce_loop.kernel"), Some("`fma` of f32"));
    }
}
