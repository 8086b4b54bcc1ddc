//! Folds: the struct that holds a sink's accumulators, and the statements that start, join, feed and finish them.
//!
//! Counts, exact sums, min and max do not depend on grouping; float sums do, so they are kept apart: `Exact` holds the
//! former, `Node` all of them.

use super::dialect::{literal, type_name, wide};
use crate::body::Body;
use crate::kernel::{Fold, FoldOp};
use crate::types::{DType, Repr, Scalar};
use std::fmt::Write;

/// The kind of a fold's accumulator.
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
            let taken = fold.value().map(|v| body.ty(v).dtype.repr());
            let input = fold.value().map(|_| next);
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

    /// The identity of a sum; `None` for other folds.
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

/// The contents of a sink's nodes besides its folds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stream {
    /// Whether they count the selected rows.
    pub(super) counted: bool,
    /// Whether they hold segment starts.
    pub(super) segments: bool,
}

/// The literal that adds nothing to a float sum.
pub(super) fn negative_zero(repr: Repr) -> String {
    literal(if repr == Repr::F32 { Scalar::F32(-0.0) } else { Scalar::F64(-0.0) })
}

/// The words that a value of a type is passed between threads as.
const fn words(repr: Repr) -> usize {
    match repr {
        Repr::I128 => 4,
        Repr::I64 | Repr::U64 | Repr::F64 => 2,
        Repr::Bool | Repr::I8 | Repr::I16 | Repr::I32 | Repr::U8 | Repr::U16 | Repr::U32 | Repr::F32 => 1,
    }
}

/// The members of a struct: name, type, words.
type Members = Vec<(String, &'static str, usize)>;

/// The members of `Exact` (or of `Local`), and those that `Node` has beside it.
fn members(folds: &[Folded], of: Stream, local: bool) -> (Members, Members) {
    let (mut exact, mut floats) = (Members::new(), Members::new());
    if of.counted && !local {
        exact.push(("count".to_string(), "u64", 2));
    }
    if of.segments {
        exact.push(("starts".to_string(), "u32", 1));
    }
    for (k, fold) in folds.iter().enumerate() {
        let (name, type_name) = (format!("a{k}"), fold.type_name());
        match fold.kept {
            Kept::Float(repr) => floats.push((name, type_name, words(repr))),
            Kept::Count => exact.push((name, type_name, 2)),
            Kept::Exact if local && fold.leaf_sum() == "i64" => exact.push((name, "i64", 2)),
            Kept::Exact => exact.push((name, type_name, if fold.leaf_sum() == "i64" { 3 } else { 4 })),
            Kept::Min(repr) | Kept::Max(repr) => {
                exact.push((name, type_name, words(repr)));
                exact.push((format!("h{k}"), "u32", 1));
            }
        }
    }
    (exact, floats)
}

/// The number of words in which a `Node` is passed between threads.
pub(super) fn node_words(folds: &[Folded], of: Stream) -> usize {
    let (exact, floats) = members(folds, of, false);
    count(&exact) + count(&floats)
}

/// The structs `Local`, `Exact` and `Node`, and `nothing`, `append`, `reset`, `to_words` and `from_words` for them.
///
/// A `Local` is the `Exact` of one leaf, in narrower types. With segments, both have a field `starts`: where it is set,
/// what lies left of it is forgotten.
pub(super) fn structs(folds: &[Folded], of: Stream) -> String {
    let [mut nothing, mut add] = [const { String::new() }; 2];
    for (k, fold) in folds.iter().enumerate() {
        let Some(repr) = fold.float() else { continue };
        let name = fold.type_name();
        let sum = format!("starts_here(right.e) ? right.a{k} : add<{name}>(left.a{k}, right.a{k})");
        let _ = writeln!(add, "  left.a{k} = {sum};");
        let _ = writeln!(nothing, "  n.a{k} = {};", negative_zero(repr));
    }
    let (exact, floats) = members(folds, of, false);
    let (local, _) = members(folds, of, true);
    let widen = |(name, type_name, _): &(String, &str, usize)| match name.as_str() {
        "count" => "  n.count = 0;\n".to_string(),
        name => format!("  n.{name} = ({type_name})l.{name};\n"),
    };
    let widen: String = exact.iter().map(widen).collect();
    let (exact_words, node_words) = (count(&exact), count(&exact) + count(&floats));
    format!(
        "template <class T> struct Words;
{}{}FN Exact widened(const Local &l) {{
  Exact n;
{widen}  return n;
}}
#define NODE_WORDS {node_words}
struct Node {{
  Exact e;
{}}};
template <> struct Words<Node> {{ static const int count = NODE_WORDS; }};
FN void to_words(const Node &n, u32 *w) {{
  to_words(n.e, w);
{}}}
FN void from_words(Node &n, const u32 *w) {{
  from_words(n.e, w);
{}}}
FN Node nothing() {{
  Node n;
  clear(n.e);
{nothing}  return n;
}}
FN void append(Node &left, const Node &right) {{
{add}  append(left.e, right.e);
}}
",
        integral("Local", folds, &local, Stream { counted: false, ..of }),
        integral("Exact", folds, &exact, of),
        declared(&floats),
        passed("put_word", &floats, exact_words),
        passed("get_word", &floats, exact_words),
    )
}

/// A struct of accumulators that do not depend on grouping, and its functions.
fn integral(name: &str, folds: &[Folded], members: &Members, of: Stream) -> String {
    let [mut reset, mut join] = [const { String::new() }; 2];
    for (k, fold) in folds.iter().enumerate() {
        match fold.kept {
            Kept::Float(_) => {}
            Kept::Count | Kept::Exact => {
                let _ = writeln!(reset, "  left.a{k} = 0;");
                let _ = writeln!(join, "  left.a{k} += right.a{k};");
            }
            Kept::Min(_) | Kept::Max(_) => {
                let better = better(fold, &format!("right.a{k}"), &format!("left.a{k}"));
                let test = format!("right.h{k} != 0u && (left.h{k} == 0u || {better})");
                let _ = writeln!(reset, "  left.a{k} = ({})0;\n  left.h{k} = 0u;", fold.type_name());
                let _ = writeln!(join, "  if ({test}) {{ left.a{k} = right.a{k}; left.h{k} = 1u; }}");
            }
        }
    }
    let (no_count, count_join) = match of.counted {
        true => ("  n.count = 0;\n", "  left.count += right.count;\n"),
        false => ("", ""),
    };
    let (zero, flags, here) = match of.segments {
        true => ("  n.starts = 0u;\n", "  left.starts |= right.starts;\n", "e.starts != 0u"),
        false => ("", "", "false"),
    };
    format!(
        "struct {name} {{
{}}};
template <> struct Words<{name}> {{ static const int count = {}; }};
FN void to_words(const {name} &n, u32 *w) {{
{}}}
FN void from_words({name} &n, const u32 *w) {{
{}}}
FN bool starts_here(const {name} &e) {{ return {here}; }}
FN void reset({name} &left) {{
{reset}}}
FN void clear({name} &n) {{
  reset(n);
{no_count}{zero}}}
FN void append({name} &left, const {name} &right) {{
  if (starts_here(right)) {{ reset(left); }}
{join}{count_join}{flags}}}
",
        declared(members),
        count(members),
        passed("put_word", members, 0),
        passed("get_word", members, 0),
    )
}

fn count(members: &Members) -> usize {
    members.iter().map(|(_, _, words)| words).sum()
}

fn declared(members: &Members) -> String {
    members.iter().map(|(name, type_name, _)| format!("  {type_name} {name};\n")).collect()
}

/// Calls that put each member into its words, or get it from there.
fn passed(call: &str, members: &Members, first: usize) -> String {
    let mut at = first;
    let mut text = String::new();
    for (name, type_name, words) in members {
        let call =
            if *type_name == "i128" && *words == 3 { call.replace("word", "three_words") } else { call.to_string() };
        let _ = writeln!(text, "  {call}(n.{name}, w + {at});");
        at += words;
    }
    text
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
/// `sum` is the type of an exact sum; `fault` is what to do where it does not fit.
pub(super) fn finish(fold: &Folded, accumulator: &str, sum: &str, fault: &str) -> (String, String) {
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
                format!("({sum})({name}){accumulator} != {accumulator}")
            };
            (format!("if ({limit}) {{ {fault} }}"), format!("({name}){accumulator}"))
        }
        Kept::Min(_) | Kept::Max(_) => (String::new(), format!("canonical<{name}>({accumulator})")),
    }
}
