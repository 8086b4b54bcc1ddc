//! Renders folds as WGSL: the type of an accumulator, its identity, how two are combined, and its words in a node.
//!
//! | fold | type | words |
//! | --- | --- | --- |
//! | count | `u32` (a launch has fewer than 2^32 rows) | 1 |
//! | sum of integers | `vec4<u32>`: 128 bits | 4 |
//! | sum of floats | its bits | 1 or 2 |
//! | min, max | `Best_…`: the value's bits, and whether there is one | 2 or 3 |

use super::library::Library;
use super::memory::bits;
use super::ops::choice;
use super::types::{is_signed, literal, name, needs_64_bit, storage_type};
use crate::body::Body;
use crate::kernel::{Fold, FoldOp};
use crate::op::CoreOp;
use crate::types::Repr;

/// The kind of an accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number of values.
    Count,
    /// A sum in 128 bits of integers of this representation.
    Sum(Repr),
    /// A sum of floats.
    Float(Repr),
    /// The smallest or the greatest (`CoreOp::Least`, `CoreOp::Greatest`).
    Best(Repr, CoreOp),
}

impl Kind {
    /// The accumulator of a fold over rows in source order.
    pub(super) fn of(fold: &Fold, body: &Body) -> Kind {
        let dtype = fold.value().map(|v| body.ty(v).dtype);
        match (fold.op, dtype) {
            (FoldOp::Count, _) | (_, None) => Kind::Count,
            (FoldOp::Sum, Some(dtype)) if dtype.is_float() => Kind::Float(dtype.repr()),
            (FoldOp::Sum | FoldOp::Total, Some(dtype)) => Kind::Sum(dtype.repr()),
            (FoldOp::Min, Some(dtype)) => Kind::Best(dtype.repr(), CoreOp::Least),
            (FoldOp::Max, Some(dtype)) => Kind::Best(dtype.repr(), CoreOp::Greatest),
        }
    }

    /// The WGSL type of the accumulator.
    pub(super) fn ty(self) -> String {
        match self {
            Kind::Count => "u32".to_string(),
            Kind::Sum(_) => "vec4<u32>".to_string(),
            Kind::Float(repr) => storage_type(repr).to_string(),
            Kind::Best(repr, _) => format!("Best_{}", name(repr)),
        }
    }

    /// The declaration of the type, if it needs one. A kernel with several such folds has it once.
    pub(super) fn declaration(self) -> Option<String> {
        match self {
            Kind::Best(repr, _) => {
                Some(format!("struct {} {{\n  v: {},\n  there: u32,\n}}\n", self.ty(), storage_type(repr)))
            }
            Kind::Count | Kind::Sum(_) | Kind::Float(_) => None,
        }
    }

    /// The fold of no values.
    pub(super) fn identity(self) -> String {
        match self {
            Kind::Count => "0u".to_string(),
            Kind::Sum(_) => "vec4<u32>()".to_string(),
            // Adding −0 changes no value.
            Kind::Float(Repr::F32) => format!("{}u", (-0f32).to_bits()),
            Kind::Float(_) => format!("{}lu", (-0f64).to_bits()),
            Kind::Best(repr, _) => format!("{}({}, 0u)", self.ty(), literal(repr.zero())),
        }
    }

    /// The accumulator of one row's value; the identity unless `there` is true.
    pub(super) fn input(self, value: &str, there: &str) -> String {
        match self {
            Kind::Count => format!("u32({there})"),
            Kind::Sum(repr) => format!("select(vec4<u32>(), widened_{}({value}), {there})", name(repr)),
            Kind::Float(_) => format!("select({}, {value}, {there})", self.identity()),
            Kind::Best(..) => format!("{}({value}, u32({there}))", self.ty()),
        }
    }

    /// Combines two accumulators, the left one first.
    pub(super) fn combine(self, left: &str, right: &str, library: &Library) -> String {
        match self {
            Kind::Count => format!("({left} + {right})"),
            Kind::Sum(_) => format!("add_128({left}, {right})"),
            Kind::Float(repr) => format!("add_{}({left}, {right})", name(repr)),
            Kind::Best(repr, op) => {
                let (function, ty) = (format!("{}_best_{}", op.name(), name(repr)), self.ty());
                library.define(&function, || {
                    let best = choice(op, repr, "a.v", "b.v");
                    format!(
                        "fn {function}(a: {ty}, b: {ty}) -> {ty} {{
  if (b.there == 0u) {{ return a; }}
  if (a.there == 0u) {{ return b; }}
  return {ty}({best}, 1u);
}}\n"
                    )
                });
                format!("{function}({left}, {right})")
            }
        }
    }

    /// The number of words of a node that the accumulator takes.
    pub(super) fn words(self) -> u32 {
        let value = |repr: Repr| if needs_64_bit(repr) { 2 } else { 1 };
        match self {
            Kind::Count => 1,
            Kind::Sum(_) => 4,
            Kind::Float(repr) => value(repr),
            Kind::Best(repr, _) => 1 + value(repr),
        }
    }

    /// Statements that write an accumulator to words, starting at word `at`.
    pub(super) fn write(self, value: &str, at: &str) -> String {
        let word = |k: u32, text: String| format!("  nodes[{at} + {k}u] = {text};\n");
        let held_value = |repr: Repr, value: &str| {
            let value = bits(repr, value);
            if needs_64_bit(repr) {
                word(0, format!("u32({value} & 0xfffffffflu)")) + &word(1, format!("u32({value} >> 32u)"))
            } else {
                word(0, value)
            }
        };
        match self {
            Kind::Count => word(0, value.to_string()),
            Kind::Sum(_) => (0..4).map(|k| word(k, format!("{value}[{k}u]"))).collect(),
            Kind::Float(repr) => held_value(repr, value),
            Kind::Best(repr, _) => {
                held_value(repr, &format!("{value}.v")) + &word(self.words() - 1, format!("{value}.there"))
            }
        }
    }

    /// An expression that reads an accumulator from words, starting at word `at`.
    pub(super) fn read(self, at: &str) -> String {
        let word = |k: u32| format!("nodes[{at} + {k}u]");
        let held_value = |repr: Repr| {
            let long = || format!("(u64({}) | (u64({}) << 32u))", word(0), word(1));
            match storage_type(repr) {
                "bool" => format!("({} != 0u)", word(0)),
                "i32" => format!("bitcast<i32>({})", word(0)),
                "i64" => format!("bitcast<i64>({})", long()),
                "u64" => long(),
                _ => word(0),
            }
        };
        match self {
            Kind::Count => word(0),
            Kind::Sum(_) => format!("vec4<u32>({}, {}, {}, {})", word(0), word(1), word(2), word(3)),
            Kind::Float(repr) => held_value(repr),
            Kind::Best(repr, _) => format!("{}({}, {})", self.ty(), held_value(repr), word(self.words() - 1)),
        }
    }

    /// Whether a sum can be kept in 64 bits inside a leaf.
    pub(super) fn is_short_sum(self) -> bool {
        matches!(self, Kind::Sum(repr) if !needs_64_bit(repr))
    }
}

/// Finishes a running value: statements that define `name` and, if a sum may not fit, report that.
pub(super) fn finished(kind: Kind, output: Repr, number: usize, value: &str, name_: &str) -> String {
    let fault = format!("atomicMax(&status[args[1].y + 1u], {}u)", 0xffff - number);
    match kind {
        Kind::Count => format!("        let {name_} = u64({value});\n"),
        Kind::Sum(_) if output == Repr::I128 => format!("        let {name_} = {value};\n"),
        Kind::Sum(_) => {
            let ty = storage_type(output);
            format!(
                "        let {name_}w = {value};
        if (!fits_{of}({name_}w)) {{ {fault}; }}
        let {name_} = {cut};\n",
                of = name(output),
                cut = match ty {
                    "i64" => format!("bitcast<i64>(low_64({name_}w))"),
                    "u64" => format!("low_64({name_}w)"),
                    "i32" => format!("bitcast<i32>({name_}w.x)"),
                    _ => format!("{name_}w.x"),
                }
            )
        }
        Kind::Float(repr) => {
            // A sum is never negative zero.
            let zero = literal(repr.zero());
            let of = name(repr);
            format!("        let {name_} = canonical_{of}(add_{of}({value}, {zero}));\n")
        }
        Kind::Best(repr, _) => {
            let value_ = if matches!(repr, Repr::F32 | Repr::F64) {
                format!("canonical_{}({name_}b.v)", name(repr))
            } else {
                format!("{name_}b.v")
            };
            format!(
                "        let {name_}b = {value};
        let {name_} = select({}, {value_}, {name_}b.there != 0u);\n",
                literal(repr.zero())
            )
        }
    }
}

/// The number of words of a finished value, which come after the tree: four for the value, one for its validity, and
/// padding.
pub const FINISHED_WORDS: u32 = 8;

/// Statements that finish a fold of a whole result and write it to its words, starting at word `at`.
pub(super) fn finish_into(kind: Kind, output: Repr, number: usize, value: &str) -> String {
    let first = number as u32 * FINISHED_WORDS;
    let word = |k: u32, text: &str| format!("  nodes[at + {}u] = {text};\n", first + k);
    if kind == Kind::Count {
        return word(0, value) + &word(1, "0u");
    }
    let name_ = format!("z{number}");
    let mut text = finished(kind, output, number, value, &name_);
    let value = bits(output, &name_);
    text += &match output {
        Repr::I64 | Repr::U64 | Repr::F64 => {
            word(0, &format!("u32({value} & 0xfffffffflu)")) + &word(1, &format!("u32({value} >> 32u)"))
        }
        Repr::I128 => (0..4).map(|k| word(k, &format!("{value}[{k}u]"))).collect(),
        Repr::I8 | Repr::U8 => word(0, &format!("({value} & 255u)")),
        Repr::I16 | Repr::U16 => word(0, &format!("({value} & 65535u)")),
        Repr::Bool | Repr::I32 | Repr::U32 | Repr::F32 => word(0, &value),
    };
    if matches!(kind, Kind::Best(..)) { text + &word(4, &format!("{name_}b.there")) } else { text }
}

/// Defines the functions that widen integers to 128 bits and check whether such a value fits.
pub(super) fn define_wide(library: &Library, repr: Repr) {
    let ty = storage_type(repr);
    library.define(&format!("widened_{}", name(repr)), || {
        let words = match (needs_64_bit(repr), is_signed(repr)) {
            (false, true) => {
                "let high = bitcast<u32>(v >> 31u);\n  return vec4<u32>(bitcast<u32>(v), high, high, high);"
            }
            (false, false) => "return vec4<u32>(v, 0u, 0u, 0u);",
            (true, true) => {
                "let b = bitcast<u64>(v);
  let high = select(0u, 0xffffffffu, v < 0li);
  return vec4<u32>(u32(b & 0xfffffffflu), u32(b >> 32u), high, high);"
            }
            (true, false) => "return vec4<u32>(u32(v & 0xfffffffflu), u32(v >> 32u), 0u, 0u);",
        };
        format!("fn widened_{}(v: {ty}) -> vec4<u32> {{\n  {words}\n}}\n", name(repr))
    });
    library.define(&format!("fits_{}", name(repr)), || {
        let width = 8 * repr.bytes();
        let test = match (width, is_signed(repr)) {
            (64, true) => "let s = bitcast<u32>(bitcast<i32>(w.y) >> 31u);\n  return w.z == s && w.w == s;".to_string(),
            (64, false) => "return (w.z | w.w) == 0u;".to_string(),
            (32, true) => {
                "let s = bitcast<u32>(bitcast<i32>(w.x) >> 31u);\n  return w.y == s && w.z == s && w.w == s;".to_string()
            }
            (32, false) => "return (w.y | w.z | w.w) == 0u;".to_string(),
            (_, true) => format!(
                "let s = bitcast<u32>(bitcast<i32>(w.x) >> {}u);\n  return bitcast<u32>(bitcast<i32>(w.x) >> 31u) == s && w.y == s && w.z == s && w.w == s;",
                width - 1
            ),
            (_, false) => format!("return ((w.x >> {width}u) | w.y | w.z | w.w) == 0u;"),
        };
        format!("fn fits_{}(w: vec4<u32>) -> bool {{\n  {test}\n}}\n", name(repr))
    });
}
