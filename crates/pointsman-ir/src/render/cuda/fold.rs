//! Folds: the struct that holds a sink's accumulators, and the statements that start, join, feed and finish them.
//!
//! Counts, exact sums, min and max do not depend on grouping; float sums do, so they are kept apart: `Exact` holds the
//! former, `Node` all of them.

use super::dialect::{literal, type_name, wide};
use crate::body::Body;
use crate::kernel::{Fold, FoldOp};
use crate::types::{DType, Repr, Scalar};
use std::fmt::Write;

/// What kind of accumulator a fold has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// A count, in 64 bits.
    Count,
    /// A sum in 128 bits.
    Exact,
    /// A float sum.
    Float(Repr),
    /// The smallest.
    Min(Repr),
    /// The greatest.
    Max(Repr),
}

/// A fold of the sink.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folded {
    /// Its accumulator.
    pub(super) kept: Kept,
    /// The type of its result.
    pub(super) output: DType,
    /// Which of the body's values it takes; `None` counts rows.
    pub(super) input: Option<usize>,
    /// The representation of what it takes.
    pub(super) taken: Option<Repr>,
}

impl Folded {
    /// The folds of a sink; `inputs` is the number of the first fold's value among those that the body yields.
    pub(super) fn all(folds: &[Fold], body: &Body, inputs: usize) -> Vec<Folded> {
        let mut next = inputs;
        let mut all = Vec::with_capacity(folds.len());
        for fold in folds {
            let taken = fold.value.map(|v| body.ty(v).dtype.repr());
            let input = fold.value.map(|_| next);
            next += usize::from(input.is_some());
            let kept = match (fold.op, taken) {
                (FoldOp::Count, _) | (_, None) => Kept::Count,
                (FoldOp::Sum, Some(repr @ (Repr::F32 | Repr::F64))) => Kept::Float(repr),
                (FoldOp::Sum | FoldOp::Total, Some(_)) => Kept::Exact,
                (FoldOp::Min, Some(repr)) => Kept::Min(repr),
                (FoldOp::Max, Some(repr)) => Kept::Max(repr),
            };
            all.push(Folded { kept, output: fold.output(body).dtype, input, taken });
        }
        all
    }

    /// The representation of a float sum.
    pub(super) fn float(&self) -> Option<Repr> {
        if let Kept::Float(repr) = self.kept { Some(repr) } else { None }
    }

    /// What adds nothing to a sum; `None` for other folds.
    pub(super) fn adds_nothing(&self) -> Option<String> {
        match (self.kept, self.taken) {
            (Kept::Float(repr), _) => Some(negative_zero(repr)),
            (Kept::Exact, Some(repr)) => Some(format!("({})0", type_name(repr))),
            (Kept::Count | Kept::Min(_) | Kept::Max(_) | Kept::Exact, _) => None,
        }
    }

    /// The type in which a leaf's rows are added up exactly, and beyond whose range no result fits.
    pub(super) fn leaf_sum(&self) -> &'static str {
        let narrow = self.taken.is_some_and(|repr| repr.bytes() <= 4) && self.output.repr().bytes() <= 4;
        if narrow { "i64" } else { "i128" }
    }

    /// The type of its accumulator.
    pub(super) fn type_name(&self) -> &'static str {
        match self.kept {
            Kept::Count => "u64",
            Kept::Exact => "i128",
            Kept::Float(repr) | Kept::Min(repr) | Kept::Max(repr) => type_name(repr),
        }
    }

    /// Whether its result may be null.
    pub(super) fn nullable(&self) -> bool {
        matches!(self.kept, Kept::Min(_) | Kept::Max(_))
    }
}

/// The literal that adds nothing to a float sum.
pub(super) fn negative_zero(repr: Repr) -> String {
    literal(if repr == Repr::F32 { Scalar::F32(-0.0) } else { Scalar::F64(-0.0) })
}

/// The structs `Exact` and `Node`, and `nothing`, `append` and `reset` for them.
///
/// With `segments`, `Exact` has a field `starts`: where it is set, what lies left of it is forgotten.
pub(super) fn structs(folds: &[Folded], segments: bool) -> String {
    let [mut members, mut nothing, mut join, mut floats, mut add] = [const { String::new() }; 5];
    for (k, fold) in folds.iter().enumerate() {
        let name = fold.type_name();
        match fold.kept {
            Kept::Float(repr) => {
                let sum = format!("right.e.starts_here() ? right.a{k} : add<{name}>(left.a{k}, right.a{k})");
                let _ = writeln!(floats, "  {name} a{k};");
                let _ = writeln!(add, "  left.a{k} = {sum};");
                let _ = writeln!(nothing, "  n.a{k} = {};", negative_zero(repr));
            }
            Kept::Count | Kept::Exact => {
                let _ = writeln!(members, "  {name} a{k};");
                let _ = writeln!(nothing, "  n.e.a{k} = 0;");
                let _ = writeln!(join, "  left.a{k} += right.a{k};");
            }
            Kept::Min(_) | Kept::Max(_) => {
                let better = better(fold, &format!("right.a{k}"), &format!("left.a{k}"));
                let test = format!("right.h{k} != 0u && (left.h{k} == 0u || {better})");
                let _ = writeln!(members, "  {name} a{k};\n  u32 h{k};");
                let _ = writeln!(nothing, "  n.e.a{k} = ({name})0;\n  n.e.h{k} = 0u;");
                let _ = writeln!(join, "  if ({test}) {{ left.a{k} = right.a{k}; left.h{k} = 1u; }}");
            }
        }
    }
    let reset: String = (nothing.lines().filter(|line| line.contains("n.e.")))
        .map(|line| line.replace("n.e.", "left.") + "\n")
        .collect();
    let (extra, zeros, flags, here) = match segments {
        true => ("  u32 starts;\n", "  n.e.starts = 0u;\n", "  left.starts |= right.starts;\n", "starts != 0u"),
        false => ("", "", "", "false"),
    };
    format!(
        "struct Exact {{
  u64 count;
{extra}{members}  FN_MEMBER bool starts_here() const {{ return {here}; }}
}};
FN void reset(Exact &left) {{
{reset}}}
FN void append(Exact &left, const Exact &right) {{
  if (right.starts_here()) {{ reset(left); }}
{join}  left.count += right.count;
{flags}}}
struct Node {{
  Exact e;
{floats}}};
FN Node nothing() {{
  Node n;
  n.e.count = 0;
{zeros}{nothing}  return n;
}}
FN void append(Node &left, const Node &right) {{
{add}  append(left.e, right.e);
}}
"
    )
    .replace("FN_MEMBER", "__device__ __forceinline__")
}

/// A test whether one value is better than another in a min or max.
fn better(fold: &Folded, one: &str, other: &str) -> String {
    let (name, least) = (fold.type_name(), matches!(fold.kept, Kept::Min(_)));
    if least { format!("below<{name}>({one}, {other})") } else { format!("below<{name}>({other}, {one})") }
}

/// A statement that takes a value into an `Exact` where `there` holds; nothing for float sums.
pub(super) fn take(fold: &Folded, k: usize, into: &str, there: &str, value: &str) -> String {
    match fold.kept {
        Kept::Float(_) => String::new(),
        Kept::Count => format!("{into}.a{k} += ({there}) ? 1ull : 0ull;"),
        Kept::Exact => format!("if ({there}) {{ {into}.a{k} += (i128){value}; }}"),
        Kept::Min(_) | Kept::Max(_) => {
            let better = better(fold, value, &format!("{into}.a{k}"));
            let test = format!("({there}) && ({into}.h{k} == 0u || {better})");
            format!("if ({test}) {{ {into}.a{k} = {value}; {into}.h{k} = 1u; }}")
        }
    }
}

/// The finished value of an accumulator: an expression, and the statement before it that looks whether it fits.
/// `node` names the `Node`; `fault` is what to do where it does not fit.
pub(super) fn finish(fold: &Folded, accumulator: &str, fault: &str) -> (String, String) {
    let name = type_name(fold.output.repr());
    match fold.kept {
        Kept::Count => (String::new(), accumulator.to_string()),
        Kept::Float(repr) => {
            let zero = literal(repr.zero());
            (String::new(), format!("canonical<{name}>(add<{name}>({accumulator}, {zero}))"))
        }
        Kept::Exact => {
            let limit = if let DType::Decimal { precision, .. } = fold.output {
                let limit = wide(10i128.pow(precision.into()));
                format!("{accumulator} >= {limit} || {accumulator} <= -{limit}")
            } else {
                format!("(i128)({name}){accumulator} != {accumulator}")
            };
            (format!("if ({limit}) {{ {fault} }}"), format!("({name}){accumulator}"))
        }
        Kept::Min(_) | Kept::Max(_) => (String::new(), format!("canonical<{name}>({accumulator})")),
    }
}
