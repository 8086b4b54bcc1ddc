//! The parts that all sinks share: the chunk of input rows that a thread loads, the body as a function of one row, and
//! what it yields.

use super::dialect::{ASKING_INTERVAL_UNITS, Cuda, type_name, units_of_question};
use super::words::Words;
use crate::body::ValueId;
use crate::guard::Guarded;
use crate::kernel::Work;
use crate::render::NotRendered;
use crate::render::c_style::{self, Lines, is_true, valid, value};
use crate::types::{DType, Repr, Type};
use std::fmt::Write;

/// Bodies of more instructions are not unrolled: they are bound by arithmetic, and compiling them takes long.
const UNROLLED_INSTRUCTIONS: usize = 80;
/// Bytes a thread has on the way from memory at a time.
const BYTES_IN_FLIGHT: usize = 64;

/// The function that asks whether to stop.
const STOP_TEXT: &str = include_str!("stop.cu");

/// The number of rows that a thread processes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Rows that lie side by side.
    pub(super) chunk: usize,
    /// Chunks that are loaded before the first is computed.
    pub(super) chunks: usize,
    /// Whether the body is written out for each row.
    pub(super) unrolled: bool,
}

impl Shape {
    /// The shape for a kernel, with chunks of at most `most` rows.
    pub(super) fn of(guarded: &Guarded, outputs: &[Type], most: usize) -> Shape {
        let kernel = &guarded.kernel;
        let widths = |types: &[Type]| {
            let values = types.iter().map(|ty| ty.dtype.repr()).filter(|&repr| repr != Repr::Bool);
            values.map(Repr::bytes).collect::<Vec<usize>>()
        };
        let widest = widths(&kernel.columns).into_iter().chain(widths(outputs)).max().unwrap_or(4);
        let unrolled = kernel.body.len() <= UNROLLED_INSTRUCTIONS;
        if !unrolled {
            return Shape { chunk: 1, chunks: 1, unrolled };
        }
        let chunk = (16 / widest.min(16)).min(most);
        let bytes = widths(&kernel.columns).iter().sum::<usize>().max(1);
        let chunks = (BYTES_IN_FLIGHT / (chunk * bytes)).clamp(1, 4);
        Shape { chunk, chunks: if chunks == 3 { 2 } else { chunks }, unrolled }
    }

    /// What stands before the test for a whole tile: long bodies are written once, for tiles with and without an end.
    pub(super) fn whole(self) -> &'static str {
        if self.unrolled { "" } else { "false && " }
    }

    /// The pragma before loops over rows.
    pub(super) fn unroll(self) -> &'static str {
        if self.unrolled { "#pragma unroll" } else { "#pragma unroll 1" }
    }
}

/// A value that the body hands to its sink: `oN`, and `mN` where it is not null.
pub(super) fn yielded(text: &mut String, values: &[(ValueId, DType)]) {
    text.push_str("struct Out {\n");
    for (number, (_, dtype)) in values.iter().enumerate() {
        let _ = writeln!(text, "  {} o{number};\n  bool m{number};", type_name(dtype.repr()));
    }
    text.push_str("  bool keep;\n  bool bad;\n};\n");
}

/// The structs `In` and `Out`, and the functions `load_chunk` and `body`.
pub(super) fn functions(
    guarded: &Guarded,
    words: &Words,
    values: &[ValueId],
    shape: Shape,
) -> Result<String, NotRendered> {
    let kernel = &guarded.kernel;
    let mut text = format!("#define V {}\n#define U {}\n", shape.chunk, shape.chunks);
    let _ = writeln!(text, "struct Args {{ u64 w[{}]; }};", words.count());
    input(&mut text, words, &kernel.columns);
    let typed: Vec<(ValueId, DType)> = values.iter().map(|&v| (v, kernel.body.ty(v).dtype)).collect();
    yielded(&mut text, &typed);
    let work = Work::of(kernel);
    if work.must_be_stoppable() {
        let (stop, launch, status) = (Words::STOP, Words::LAUNCH, Words::STATUS);
        let _ = write!(text, "#define STOP {stop}\n#define LAUNCH {launch}\n#define STOP_STATUS {status}\n");
        let _ = write!(text, "#define STOPPED {}\n#define ASKING_INTERVAL {ASKING_INTERVAL_UNITS}u\n", Words::STOPPED);
        text.push_str(STOP_TEXT);
    }
    text.push_str("FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {\n");
    let mut lines = Lines::new(1);
    if work.must_be_stoppable() {
        let units = units_of_question(work.outside_polling_loops);
        lines.push(format!("if (should_stop(a, t, {units})) {{ out = Out(); return; }}"));
    }
    let dialect = Cuda { words, columns: &kernel.columns, params: &kernel.params, work: &work };
    c_style::body(guarded, &dialect, &mut lines)?;
    lines.push(format!("out.keep = {};", kernel.mask.map_or("true".to_string(), |mask| is_true(&kernel.body, mask))));
    for (number, &v) in values.iter().enumerate() {
        lines.push(format!("out.o{number} = {};", value(v)));
        lines.push(format!("out.m{number} = {};", valid(&kernel.body, v)));
    }
    lines.push("out.bad = bad;");
    text.push_str(&lines.text());
    text.push_str("}\n");
    Ok(text)
}

/// The struct `In` and the function `load_chunk`.
fn input(text: &mut String, words: &Words, columns: &[Type]) {
    let mut fields = String::new();
    let mut loads = String::new();
    for (number, ty) in columns.iter().enumerate() {
        let word = words.column(number);
        let name = type_name(ty.dtype.repr());
        if ty.dtype.repr() == Repr::Bool {
            let _ = writeln!(fields, "  u32 c{number};");
            let _ = writeln!(loads, "  in.c{number} = load_bits<V>((const u8 *)a.w[{word}], at, count);");
        } else {
            let _ = writeln!(fields, "  {name} c{number}[V];");
            let load = format!("load_values<{name}, V>((const {name} *)a.w[{word}], at, count, in.c{number});");
            if ty.dtype == DType::Opaque {
                let numbers =
                    format!("for (int k = 0; k < V; k++) {{ in.c{number}[k] = a.w[{}] + at + k; }}", Words::FIRST_ROW);
                let _ = writeln!(loads, "  if (a.w[{word}] != 0ull) {{ {load} }} else {{ {numbers} }}");
            } else {
                let _ = writeln!(loads, "  {load}");
            }
        }
        if ty.nullable {
            let bits = word + 1;
            let _ = writeln!(fields, "  u32 n{number};");
            let load = format!("load_bits<V>((const u8 *)a.w[{bits}], at, count)");
            let _ = writeln!(loads, "  in.n{number} = a.w[{bits}] == 0ull ? FULL : {load};");
        }
    }
    let _ = writeln!(text, "struct In {{\n{fields}  u32 count;\n}};");
    let _ = writeln!(
        text,
        "template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {{\n  \
         const u32 count = WHOLE ? V : rows_at(at, rows, V);\n  in.count = count;\n{loads}}}"
    );
}
