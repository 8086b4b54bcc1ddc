//! `Reduce`: a warp folds a leaf, a block joins eight leaves, and the last of 32 siblings to finish joins them, up to
//! the root, whose result is written. Float sums are grouped as `interpret/reduce.rs` says: by row position alone.

use super::dialect::type_name;
use super::fold::{Folded, Kept, Stream, finish, negative_zero, node_words, structs, take};
use super::rows::{self, Shape};
use super::words::Words;
use super::{Kind, NODES, Needs};
use crate::guard::Guarded;
use crate::kernel::{Fold, LEAF_ROWS, Work};
use crate::render::NotRendered;
use crate::types::Repr;
use std::fmt::Write;

const THREADS: u32 = 256;
/// Leaves of a block: one a warp.
const GROUP_LEAVES: usize = 8;
/// A leaf's accumulators, four to a thread.
const THREAD_LANES: usize = 4;
/// Bytes of an accumulator in a leaf's record: the value, and whether there is one.
const SLOT_BYTES: u64 = 32;
/// Bytes that a thread has on the way at a time.
const IN_FLIGHT: usize = 128;
const TEXT: &str = include_str!("reduce.cu");

/// The text after the shared parts, and what its launch needs.
pub(super) fn render(guarded: &Guarded, folds: &[Fold]) -> Result<(String, Needs), NotRendered> {
    let kernel = &guarded.kernel;
    let words = Words::of(kernel);
    let folded = Folded::all(folds, &kernel.body, 0);
    let mut shape = Shape::of(guarded, &[], THREAD_LANES);
    let bytes: usize = kernel.columns.iter().map(|ty| ty.dtype.repr().bytes()).sum::<usize>().max(1);
    // Steps of 128 rows that are on the way at a time.
    shape.chunks =
        if shape.unrolled { (IN_FLIGHT / (THREAD_LANES * bytes)).clamp(1, 8).next_power_of_two() } else { 1 };
    let values: Vec<_> = folds.iter().filter_map(Fold::value).collect();
    let can_fault = !guarded.checks.is_empty();
    let mut text = rows::functions(guarded, &words, &values, shape)?;
    text.push_str(&structs(&folded, Stream::default()));
    text.push_str(NODES);
    fold_row(&mut text, &folded, can_fault);
    lanes(&mut text, &folded);
    text.push_str(&fold_leaf(shape));
    write_leaf(&mut text, &folded);
    write_result(&mut text, &words, &folded);
    let can_stop = Work::of(kernel).must_be_stoppable();
    let mut fault = if can_fault { format!("report_fault(a.w[{}], t.worst);", Words::STATUS) } else { String::new() };
    if can_stop {
        let _ = write!(fault, "report_stop(a.w[{}], t);", Words::STATUS);
    }
    text.push_str(&TEXT.replace("REPORT_FAULT;", &fault).replace("SPLIT_WHOLE", shape.whole()));
    let leaf_bytes = SLOT_BYTES * folded.len() as u64;
    let kind = Kind::Reduce { group_bytes: group_bytes(&folded), leaf_bytes };
    let tile_rows = (GROUP_LEAVES * LEAF_ROWS) as u64;
    Ok((text, Needs { threads: THREADS, tile_rows, shared_bytes: 0, block_scratch: 0, kind, can_fault, can_stop }))
}

/// The bytes of a group's record.
fn group_bytes(folds: &[Folded]) -> u64 {
    4 * node_words(folds, Stream::default()).next_multiple_of(4) as u64
}

/// The function that takes a row in; lane `j` of a thread's four.
fn fold_row(text: &mut String, folds: &[Folded], can_fault: bool) {
    let mut fields = String::new();
    let mut takes = String::new();
    for (k, fold) in folds.iter().enumerate() {
        let (there, value) = match fold.input {
            Some(input) => (format!("o.keep && o.m{input}"), format!("o.o{input}")),
            None => ("o.keep".to_string(), String::new()),
        };
        if let Some(repr) = fold.float() {
            let name = type_name(repr);
            let _ = writeln!(fields, "  {name} s{k}[4];");
            let nothing = negative_zero(repr);
            let _ = writeln!(takes, "  lanes.s{k}[j] = add<{name}>(lanes.s{k}[j], ({there}) ? {value} : {nothing});");
        } else {
            let _ = writeln!(takes, "  {}", take(fold, k, "exact", &there, &value));
        }
    }
    let fault = if can_fault { "  if (o.bad && ~row > t.worst) { t.worst = ~row; }\n" } else { "" };
    let _ = write!(
        text,
        "struct Lanes {{\n{fields}  u32 unused;\n}};
FN void fold_row(const Args &a, u64 row, const In &in, int i, int j, Exact &exact, Lanes &lanes, Thread &t) {{
  Out o;
  body(a, row, in, i, o, t);
{fault}{takes}}}
"
    );
}

/// Functions that start the lanes of float sums and join them into a node.
fn lanes(text: &mut String, folds: &[Folded]) {
    let (mut start, mut join) = (String::new(), String::new());
    for (k, fold) in folds.iter().enumerate() {
        let Some(repr) = fold.float() else { continue };
        let _ = writeln!(start, "  for (int j = 0; j < 4; j++) {{ lanes.s{k}[j] = {}; }}", negative_zero(repr));
        let _ = writeln!(join, "  node.a{k} = join_lanes<{}, V>(lanes.s{k});", type_name(repr));
    }
    let _ = write!(
        text,
        "FN void start_lanes(Lanes &lanes) {{\n#pragma unroll\n  for (int once = 0; once < 1; once++) {{\n{start}  }}\n}}
template <class T, int W> FN T join_lanes(T (&s)[4]);
FN void join_all_lanes(Lanes &lanes, Node &node) {{\n{join}}}
"
    );
}

/// The function with which a warp folds a leaf.
fn fold_leaf(shape: Shape) -> String {
    let steps = THREAD_LANES / shape.chunk;
    let at = format!("base + (u64)(k + q / {steps}) * 128 + q % {steps} * {} + lane * V", 32 * shape.chunk);
    let row = format!("a.w[{}] + at + i", Words::FIRST_ROW);
    let fold = format!("if (i < in.count) {{ fold_row(a, {row}, in, i, q % {steps} * V + i, n.e, lanes, t); }}");
    let inner = if shape.unrolled {
        let chunks = shape.chunks * steps;
        format!(
            "    In loaded[{chunks}];
#pragma unroll
    for (int q = 0; q < {chunks}; q++) {{ load_chunk<WHOLE>(a, {at}, rows, loaded[q]); }}
#pragma unroll
    for (int q = 0; q < {chunks}; q++) {{
      const u64 at = {at};
      const In &in = loaded[q];
#pragma unroll
      for (int i = 0; i < V; i++) {{ {fold} }}
    }}"
        )
    } else {
        format!(
            "#pragma unroll 1
    for (int q = 0; q < {steps}; q++) {{
      const u64 at = {at};
      In in;
      load_chunk<WHOLE>(a, at, rows, in);
      const int i = 0;
      {fold}
    }}"
        )
    };
    format!(
        "template <bool WHOLE> FN void fold_leaf(const Args &a, u64 base, u64 rows, Node &n, Thread &t) {{
  const u32 lane = threadIdx.x % 32;
  Lanes lanes;
  start_lanes(lanes);
#pragma unroll 1
  for (u32 k = 0; k < 32 && (WHOLE || base + k * 128 < rows); k += U) {{
{inner}
  }}
#pragma unroll
  for (u32 s = 16; s > 0; s /= 2) {{ append(n.e, shuffle_from(n.e, (lane + s) % 32)); }}
  join_all_lanes(lanes, n);
}}
"
    )
}

/// The function that writes a leaf's accumulators, for the partial form.
fn write_leaf(text: &mut String, folds: &[Folded]) {
    let mut writes = String::new();
    for (k, fold) in folds.iter().enumerate() {
        let (value, there) = match fold.kept {
            Kept::Float(repr) => (format!("canonical<{}>(n.a{k})", type_name(repr)), "1u".to_string()),
            Kept::Count | Kept::Exact => (format!("n.e.a{k}"), "1u".to_string()),
            Kept::Min(repr) | Kept::Max(repr) => {
                (format!("canonical<{}>(n.e.a{k})", type_name(repr)), format!("n.e.h{k}"))
            }
        };
        let at = SLOT_BYTES * k as u64;
        let _ = writeln!(
            writes,
            "  *({} *)(to + {at}) = {value};\n  *(u32 *)(to + {}) = {there};",
            fold.type_name(),
            at + 16
        );
    }
    let bytes = SLOT_BYTES * folds.len() as u64;
    let _ = write!(text, "#define LEAF_BYTES {bytes}ull\nFN void write_leaf(u8 *to, const Node &n) {{\n{writes}}}\n");
    let _ = writeln!(text, "#define GROUP_BYTES {}ull", group_bytes(folds));
}

/// The function that writes the finished values.
fn write_result(text: &mut String, words: &Words, folds: &[Folded]) {
    let mut writes = String::new();
    for (k, fold) in folds.iter().enumerate() {
        let word = words.output(k);
        let accumulator = if fold.float().is_some() { format!("n.a{k}") } else { format!("n.e.a{k}") };
        let fault = format!("if (fault < {0}ull) {{ fault = {0}ull; }}", folds.len() - k);
        let (check, value) = finish(fold, &accumulator, "i128", &fault);
        let _ = writeln!(writes, "  {check}");
        if fold.nullable() {
            let _ = writeln!(writes, "  *(u8 *)a.w[{}] = n.e.h{k} != 0u ? 1 : 0;", word + 1);
        }
        if fold.output.repr() == Repr::Bool {
            let _ = writeln!(writes, "  *(u8 *)a.w[{word}] = {value} ? 1 : 0;");
        } else {
            let _ = writeln!(writes, "  *({} *)a.w[{word}] = {value};", type_name(fold.output.repr()));
        }
    }
    let status = Words::STATUS;
    let _ = write!(
        text,
        "FN void write_result(const Args &a, const Node &n) {{
  u64 fault = 0;
{writes}  ((u64 *)a.w[{status}])[{}] = fault;
}}
",
        Words::FOLD_FAULT
    );
}
