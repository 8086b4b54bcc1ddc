//! The kernels that devices are measured with: one for each kind of sink, and one for each class of operations, which
//! reads and writes no memory. They are small, because compiling for a GPU takes long.

use crate::select::estimator::{CLASSES, SINKS, SinkKind};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Estimate, Kernel};
use pointsman_ir::op::OpClass;
use pointsman_ir::types::Scalar;

/// The bytes of a value of the measured columns.
pub(super) const VALUE_BYTES: usize = 4;

/// The kernels for each sink but their first lines: sum, copy, filter that keeps half of values between 1 and 2,
/// running sum, and running maximum, which is null before the first value.
const SINK_KERNELS: [(SinkKind, &str); SINKS] = [
    (SinkKind::Reduce, "sink reduce sum(v0)\n"),
    (SinkKind::Store, "sink store v0\n"),
    (SinkKind::Compact, "  v1: f32 = const 0x3fc00000\n  v2: bool = gt v0 v1\nmask v2\nsink compact v0\n"),
    (SinkKind::Scan, "sink scan columns() running(sum(v0))\n"),
    (SinkKind::ScanWithNulls, "sink scan columns() running(max(v0))\n"),
];

/// The kernels for classes of operations: the steps of a chain, how often a chain repeats them, and the independent chains
/// of a row. Each kernel has few operations of later classes. `?` is the value before a step; `v0` and `v1` are the
/// parameters. Values stay finite however often the steps repeat. Multiplication takes as long as addition wherever vectors
/// are computed, so one kernel does both.
const CLASS_KERNELS: [(OpClass, &str, usize, usize); CLASSES - 1] = [
    (OpClass::Simple, "f32 = add ? v0; f32 = mul ? v0", 4, 4),
    (OpClass::Convert, "i32 = reinterpret ?; f32 = cast ?", 4, 4),
    (OpClass::Divide, "f32 = div ? v1; f32 = div ? v0", 1, 1),
    // Between -1 and 1, then between 1/e and e, then positive and small.
    (OpClass::Elementary, "f32 = sin ?; f32 = exp ?; f32 = log1p ?", 1, 2),
];

/// The parameters of the operation kernels. They are no constants, so that compilers cannot replace the division.
/// The last one makes row numbers so small that elementary functions need no range reduction.
const PARAMS: [f32; 3] = [0.75, 1.000_001, 1e-7];

/// A kernel that a device is measured with.
pub(super) struct CalibrationKernel {
    pub(super) kernel: Kernel,
    pub(super) params: Vec<Option<Scalar>>,
    pub(super) sink: SinkKind,
    /// The class of most of its operations; `None` of a kernel that measures a sink.
    pub(super) class: Option<OpClass>,
}

impl CalibrationKernel {
    /// All kernels: sum and copy first, the other sinks, then the classes of operations.
    pub(super) fn all() -> impl Iterator<Item = CalibrationKernel> {
        let sinks = SINK_KERNELS.into_iter().map(|(sink, rest)| {
            let text = format!("kernel\ncolumns c0: f32\n  v0: f32 = column c0\n{rest}");
            CalibrationKernel { kernel: parsed(&text), params: Vec::new(), sink, class: None }
        });
        let classes = CLASS_KERNELS.into_iter().map(|(class, steps, repeats, chains)| {
            let params = PARAMS.map(|value| Some(Scalar::F32(value))).to_vec();
            let kernel = parsed(&operation_text(steps, repeats, chains));
            CalibrationKernel { kernel, params, sink: SinkKind::Reduce, class: Some(class) }
        });
        sinks.chain(classes)
    }

    /// The operations of each class for a row. Multiplications count as simple.
    pub(super) fn operations(&self) -> [f64; CLASSES] {
        let mut operations = [0.0; CLASSES];
        for (class, count) in &Estimate::of(&self.kernel).ops_per_row {
            let class = if *class == OpClass::Multiply { OpClass::Simple } else { *class };
            operations[class as usize] += count;
        }
        operations
    }
}

fn parsed(text: &str) -> Kernel {
    parse(text).expect("the text of a calibration kernel is valid")
}

/// A kernel that starts chains of operations at the row number, and sums their ends.
fn operation_text(steps: &str, repeats: usize, chains: usize) -> String {
    let row = ["u64 = row_index", "f32 = cast v3", "f32 = mul v4 v2"].map(String::from);
    let mut values: Vec<String> = (0..PARAMS.len()).map(|number| format!("f32 = param p{number}")).chain(row).collect();
    let mut add = |value: String| {
        values.push(value);
        values.len() - 1
    };
    let (mut start, mut sum) = (5, 5);
    for _ in 0..chains {
        start = add(format!("f32 = mul v{start} v0"));
        let chain = std::iter::repeat_n(steps.split("; "), repeats).flatten();
        let end = chain.fold(start, |before, step| add(step.replace('?', &format!("v{before}"))));
        sum = add(format!("f32 = add v{sum} v{end}"));
    }
    let lines: String = values.iter().enumerate().map(|(number, value)| format!("  v{number}: {value}\n")).collect();
    format!("kernel\nparams p0: f32, p1: f32, p2: f32\n{lines}sink reduce sum(v{sum})\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_ir::verify;

    #[test]
    fn every_kernel_is_valid_and_mostly_what_it_measures() {
        for kernel in CalibrationKernel::all() {
            verify::kernel(&kernel.kernel).unwrap_or_else(|error| panic!("{error}\n{}", kernel.kernel.print()));
            assert_eq!(SinkKind::of(&kernel.kernel), Some(kernel.sink));
            let Some(class) = kernel.class else { continue };
            let estimate = Estimate::of(&kernel.kernel);
            assert_eq!((estimate.read_bytes_per_row, estimate.write_bytes_per_row), (0.0, 0.0));
            let (own, all) = (kernel.operations()[class as usize], kernel.operations().iter().sum::<f64>());
            // A division takes many times as long as the operations beside it.
            let part = if class == OpClass::Divide { 0.25 } else { 0.35 };
            assert!(own >= part * all, "{class:?}: {own} of {all}");
        }
    }
}
