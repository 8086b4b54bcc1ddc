//! `Store`: each thread computes chunks of rows and writes them where they came from.

use super::dialect::type_name;
use super::rows::Shape;
use super::words::Words;
use crate::types::{Repr, Type};
use std::fmt::Write;

/// Threads of a block.
pub(super) const THREADS: usize = 256;

/// The kernel function.
pub(super) fn kernel(words: &Words, outputs: &[Type], shape: Shape, can_fault: bool, can_stop: bool) -> String {
    let mut text = String::new();
    chunk(&mut text, words, outputs, shape, can_fault);
    let tile = THREADS * shape.chunk * shape.chunks;
    let stride = THREADS * shape.chunk;
    let whole = shape.whole();
    let _ = write!(
        text,
        "template <bool WHOLE> FN void store_tile(const Args &a, u64 base, u64 rows, Thread &t) {{
  In in[U];
#pragma unroll
  for (int u = 0; u < U; u++) {{ load_chunk<WHOLE>(a, base + u * {stride}, rows, in[u]); }}
#pragma unroll
  for (int u = 0; u < U; u++) {{ store_chunk(a, base + u * {stride}, rows, in[u], t); }}
}}
extern \"C\" __global__ void __launch_bounds__({THREADS}) pointsman(const __grid_constant__ Args a) {{
  const u64 rows = a.w[{}], tiles = a.w[{}];
  Thread t = {{0, 0u, false}};
  for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {{
    if ({whole}(tile + 1) * {tile} <= rows) {{
      store_tile<true>(a, tile * {tile} + threadIdx.x * V, rows, t);
    }} else {{
      store_tile<false>(a, tile * {tile} + threadIdx.x * V, rows, t);
    }}
  }}
",
        Words::ROWS,
        Words::TILES
    );
    if can_fault {
        let _ = writeln!(text, "  report_fault(a.w[{}], t.worst);", Words::STATUS);
    }
    if can_stop {
        let _ = writeln!(text, "  report_stop(a.w[{}], t);", Words::STATUS);
    }
    text.push_str("}\n");
    text
}

/// The function that computes and writes a chunk.
fn chunk(text: &mut String, words: &Words, outputs: &[Type], shape: Shape, can_fault: bool) {
    let (mut arrays, mut rows, mut stores) = (String::new(), String::new(), String::new());
    for (number, ty) in outputs.iter().enumerate() {
        let word = words.output(number);
        let there = format!("o.keep && o.m{number}");
        if ty.dtype.repr() == Repr::Bool {
            let _ = writeln!(arrays, "  u32 w{number} = 0;");
            let _ = writeln!(rows, "      w{number} |= (u32)({there} && o.o{number}) << i;");
            let _ = writeln!(stores, "  store_bits<V>((u8 *)a.w[{word}], at, rows, w{number});");
        } else {
            let name = type_name(ty.dtype.repr());
            let _ = writeln!(arrays, "  {name} w{number}[V] = {{}};");
            let _ = writeln!(rows, "      w{number}[i] = {there} ? canonical<{name}>(o.o{number}) : ({name})0;");
            let _ = writeln!(stores, "  store_values<{name}, V>(({name} *)a.w[{word}], at, in.count, w{number});");
        }
        if ty.nullable {
            let _ = writeln!(arrays, "  u32 z{number} = 0;");
            let _ = writeln!(rows, "      z{number} |= (u32)({there}) << i;");
            let _ = writeln!(stores, "  store_bits<V>((u8 *)a.w[{}], at, rows, z{number});", word + 1);
        }
    }
    let fault = if can_fault { "      if (o.bad && ~row > t.worst) { t.worst = ~row; }\n" } else { "" };
    let _ = write!(
        text,
        "FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {{
{arrays}{}
  for (int i = 0; i < V; i++) {{
    if (i < in.count) {{
      const u64 row = a.w[{}] + at + i;
      Out o;
      body(a, row, in, i, o, t);
{fault}{rows}    }}
  }}
{stores}}}
",
        shape.unroll(),
        Words::FIRST_ROW
    );
}
