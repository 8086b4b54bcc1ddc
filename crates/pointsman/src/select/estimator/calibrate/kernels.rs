//! The kernels that devices are measured with: one that only reads, one that copies, one that keeps some rows, one that
//! carries a sum along, and one for each class of operations, which reads and writes nothing. They are small: a card's compiler
//! takes long, for divisions above all.

use crate::select::estimator::features::{CLASSES, SinkKind, class_number};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Estimate, Kernel};
use pointsman_ir::op::OpClass;
use pointsman_ir::types::Scalar;
use std::fmt::Write;

/// Sums a column.
const READ: &str = "kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink reduce sum(v0)\n";
/// Copies a column.
const COPY: &str = "kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink store v0\n";

/// Keeps half of a column of numbers between 1 and 2.
const KEEP: &str = "kernel\ncolumns c0: f32\n  v0: f32 = column c0\n  v1: f32 = const 0x3fc00000\n  v2: bool = gt v0 v1\nmask v2\nsink compact v0\n";
/// The running maximum of a column, of which there is none before the first value.
const CARRY_MAX: &str = "kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink scan columns() running(max(v0))\n";
/// The running sum of a column.
const CARRY: &str = "kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink scan columns() running(sum(v0))\n";

/// The classes that have kernels of their own. Multiplying takes as long as adding wherever numbers are computed with by the
/// vector, so one kernel does both: every kernel more is compiled by every card.
pub(super) const CLASSES_MEASURED: [OpClass; CLASSES - 1] =
    [OpClass::Simple, OpClass::Divide, OpClass::Convert, OpClass::Elementary];

/// Bytes of a value of those columns.
pub(super) const VALUE_BYTES: usize = 4;

/// The parameters of the kernels of classes: where their chains start, and what their operations take.
const PARAMS: [f32; 6] = [1e-7, 2e-7, 3e-7, 4e-7, 0.75, 1.000_001];

/// A kernel and its parameters.
pub(super) struct Work {
    pub(super) kernel: Kernel,
    pub(super) params: Vec<Option<Scalar>>,
}

impl Work {
    /// Reads a column of `f32`, and gives one row.
    pub(super) fn read() -> Work {
        Work::of(READ, &[])
    }

    /// Reads a column of `f32`, and writes as many.
    pub(super) fn copy() -> Work {
        Work::of(COPY, &[])
    }

    /// Reads a column of `f32`, and writes half of it.
    pub(super) fn keep() -> Work {
        Work::of(KEEP, &[])
    }

    /// Reads a column of `f32`, and writes its running sum.
    pub(super) fn carry() -> Work {
        Work::of(CARRY, &[])
    }

    /// Reads a column of `f32`, and writes its running maximum, which may be missing.
    pub(super) fn carry_max() -> Work {
        Work::of(CARRY_MAX, &[])
    }

    /// What kind of sink it has.
    pub(super) fn sink(&self) -> Option<SinkKind> {
        SinkKind::of(&self.kernel)
    }

    /// Computes with operations of one class for the most part, from the rows' numbers, and gives one row.
    pub(super) fn class(class: OpClass) -> Work {
        Work::of(&class_text(class), &PARAMS)
    }

    /// How many operations of each class a row takes; those that multiply count as simple.
    pub(super) fn operations(&self) -> [f64; CLASSES] {
        let mut operations = [0.0; CLASSES];
        for (class, times) in &Estimate::of(&self.kernel).ops_per_row {
            let class = if *class == OpClass::Multiply { OpClass::Simple } else { *class };
            operations[class_number(class)] += times;
        }
        operations
    }

    fn of(text: &str, params: &[f32]) -> Work {
        let kernel = parse(text).expect("the kernels of a calibration are written right");
        Work { kernel, params: params.iter().map(|&value| Some(Scalar::F32(value))).collect() }
    }
}

/// The steps of a chain, how often they are repeated, and how many chains a row has beside each other, so that none waits for
/// the one before it. `?` is the value before each, `v4` and `v5` are the last parameters. The values stay small and finite
/// however often that is.
const fn steps(class: OpClass) -> (&'static [(&'static str, &'static str)], usize, usize) {
    match class {
        OpClass::Simple | OpClass::Multiply => (&[("f32", "add ? v4"), ("f32", "mul ? v4")], 4, 4),
        OpClass::Divide => (&[("f32", "div ? v5"), ("f32", "div ? v4")], 1, 1),
        OpClass::Convert => (&[("i32", "reinterpret ?"), ("f32", "cast ?")], 4, 4),
        // Between -1 and 1, then between 1/e and e, then positive and small.
        OpClass::Elementary => (&[("f32", "sin ?"), ("f32", "exp ?"), ("f32", "log1p ?")], 1, 2),
    }
}

/// A few chains of operations that start at the row's number, and the sum of their ends.
fn class_text(class: OpClass) -> String {
    let mut text = Text::new();
    let row = text.value("u64", "row_index");
    let x = text.value("f32", &format!("cast v{row}"));
    let (steps, times, chains) = steps(class);
    let ends: Vec<usize> = (0..chains)
        .map(|chain| {
            let start = text.value("f32", &format!("mul v{x} v{chain}"));
            let all = std::iter::repeat_n(steps, times).flatten();
            all.fold(start, |x, (ty, step)| text.value(ty, &step.replace('?', &format!("v{x}"))))
        })
        .collect();
    let sum = ends.into_iter().reduce(|a, b| text.value("f32", &format!("add v{a} v{b}")));
    format!("{}sink reduce sum(v{})\n", text.text, sum.unwrap_or(x))
}

/// A kernel's text that grows.
struct Text {
    text: String,
    values: usize,
}

impl Text {
    /// A kernel without columns that has the parameters as its first values.
    fn new() -> Text {
        let names: Vec<String> = (0..PARAMS.len()).map(|number| format!("p{number}: f32")).collect();
        let mut text = Text { text: format!("kernel\nparams {}\n", names.join(", ")), values: 0 };
        for number in 0..PARAMS.len() {
            text.value("f32", &format!("param p{number}"));
        }
        text
    }

    /// Another value; its number.
    fn value(&mut self, ty: &str, is: &str) -> usize {
        let number = self.values;
        // Writing to a text never fails.
        let _ = writeln!(self.text, "  v{number}: {ty} = {is}");
        self.values += 1;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_ir::verify;

    #[test]
    fn every_kernel_makes_sense_and_is_mostly_what_it_is_for() {
        let works = [Work::copy(), Work::read(), Work::keep(), Work::carry(), Work::carry_max()];
        for (number, work) in works.iter().enumerate() {
            verify::kernel(&work.kernel).expect("it makes sense");
            assert_eq!(work.sink().map(|kind| kind as usize), Some(number));
        }
        for class in CLASSES_MEASURED {
            let work = Work::class(class);
            verify::kernel(&work.kernel).unwrap_or_else(|error| panic!("{error}\n{}", work.kernel.print()));
            let estimate = Estimate::of(&work.kernel);
            assert_eq!((estimate.read_bytes_per_row, estimate.write_bytes_per_row), (0.0, 0.0));
            let (own, all) = (work.operations()[class_number(class)], work.operations().iter().sum::<f64>());
            // Dividing takes many times as long as what is beside it.
            let part = if class == OpClass::Divide { 0.3 } else { 0.4 };
            assert!(own >= part * all, "{class:?}: {own} of {all}");
        }
    }
}
