//! The entry: how a block begins a tile and ends it, and who does what.

use super::super::dialect::type_name;
use super::super::words::Words;
use super::{MULTIPROCESSOR_BYTES, Stream};
use crate::types::Repr;
use std::fmt::Write;

const ENTRY: &str = include_str!("../stream_entry.cu");
/// The maximum number of blocks of small programs that a multiprocessor runs: with more, threads have too few
/// registers.
const BLOCKS_MAX: usize = 4;

impl Stream {
    /// The function that sends for the columns of a tile.
    fn prefetch_rows(&self) -> String {
        let mut text = "FN void prefetch_rows(const Args &a, u64 row) {\n".to_string();
        for (number, ty) in self.inputs.iter().enumerate() {
            let word = self.words.column(number);
            let bits = if ty.dtype.repr() == Repr::Bool { 1 } else { 8 * ty.dtype.repr().bytes() };
            let mut one = |word: usize, bits: usize| {
                let _ = writeln!(text, "  if (a.w[{word}] != 0ull) {{ prefetch(a.w[{word}], row, {bits}); }}");
            };
            one(word, bits);
            if ty.nullable {
                one(word + 1, 1);
            }
        }
        text + "}\n"
    }

    /// The struct `Held`: what a thread remembers of a tile from its begin to its end.
    fn held(&self) -> String {
        let mut text = "struct Held {\n".to_string();
        if self.masked && !self.folds.is_empty() {
            text.push_str("  u32 own;\n");
        }
        if self.segment.is_some() || self.folds.iter().any(|fold| fold.float().is_none()) {
            text.push_str("  Local left;\n");
        }
        for (k, fold) in self.folds.iter().enumerate() {
            if let Some(repr) = fold.float() {
                let kind = if self.segment.is_some() { "Left" } else { "Plain" };
                let _ = writeln!(text, "  {kind}<{}> left{k};", type_name(repr));
            }
        }
        text + "};\n"
    }

    /// The bits of a thread's sixteen rows: which are selected, and which start a segment.
    fn row_bits(&self) -> String {
        let mine = match self.masked {
            true => format!("((const u16 *)(shared + {}))[threadIdx.x]", self.keep),
            false => "(1u << rows_at(base + threadIdx.x * 16, rows, 16)) - 1u".to_string(),
        };
        let starts = match self.segment {
            Some(_) => format!("((const u16 *)(shared + {}))[threadIdx.x]", self.starts),
            None => "0u".to_string(),
        };
        format!("  const u32 mine = {mine};\n  const u32 starts = {starts};\n")
    }

    /// The function that begins a tile: stages and folds its rows, and publishes its node.
    fn begin(&self, scan: bool) -> String {
        let bits = if self.packed { String::new() } else { format!("  __syncwarp();\n{}", self.row_bits()) };
        let ranked = match (self.packed, self.masked) {
            (true, _) => "  const Ranks ranks = rank_warps(count, s.counts);\n",
            (false, true) => "  const Ranks ranks = rank_rows(__popc(mine), s.counts);\n",
            (false, false) => "  const Ranks ranks = all_rows(base, rows);\n",
        };
        let own = if self.masked && !self.folds.is_empty() { "  h.own = ranks.own;\n" } else { "" };
        let counted = if self.masked || self.folds.is_empty() { "  all.e.count = ranks.total;\n" } else { "" };
        let node = if scan { self.write_node() } else { String::new() };
        format!(
            "FN void begin_tile(
  const Args &a, Shared &s, u32 slot, u8 *shared, u8 *stage, u64 *nodes, u64 first, u64 rows, u64 tile, Held &h, Thread &t
) {{
  const u64 base = (tile - first) * TILE;
  u32 count = 0;
  // Another block will want the tile that comes a round later.
  const u64 later = base + (u64)gridDim.x * TILE;
  if (later + TILE <= rows) {{ prefetch_rows(a, later); }}
  if ({}base + TILE <= rows) {{
    stage_rows<true>(a, shared, stage, base, rows, t, count);
  }} else {{
    stage_rows<false>(a, shared, stage, base, rows, t, count);
  }}
{bits}{ranked}{own}  if (threadIdx.x % 32 == 0) {{
    s.warp_parts[slot][threadIdx.x / 32].left = ranks.left;
    s.warp_parts[slot][threadIdx.x / 32].count = ranks.count;
  }}
  Node all = nothing();
{}{counted}  if (threadIdx.x == 0) {{ publish(nodes + (tile - first) * NODE_WORDS, all); }}
{node}{}}}
",
            self.shape.whole(),
            self.fold_rows(),
            self.number_rows(),
        )
    }

    /// The statements that note the numbers of the selected rows.
    fn number_rows(&self) -> String {
        if !self.masked || self.packed {
            return String::new();
        }
        format!(
            "  u16 *to = (u16 *)(shared + {}) + threadIdx.x / 32 * WARP_ROWS + (ranks.own - ranks.left);
#pragma unroll
  for (int i = 0; i < 16; i++) {{
    if ((mine >> i & 1) != 0) {{ *to++ = (u16)(threadIdx.x * 16 + i); }}
  }}
",
            self.index
        )
    }

    /// The function that ends a tile: what came before it is known, and its rows are written.
    fn end(&self, scan: bool) -> String {
        let partial = if scan { format!("a.w[{}] != 0ull", Words::FORM) } else { "false".to_string() };
        let shift = if scan { format!("partial ? {}u : 0u", 2 * super::HEAD) } else { "0u".to_string() };
        let written = if self.masked { "out + count" } else { "rows" };
        let base_out = if self.masked { "carry.e.count" } else { "base" };
        let bits = if self.folds.is_empty() && !scan { String::new() } else { self.row_bits() };
        let heads = if scan { self.write_heads() } else { String::new() };
        format!(
            "FN void end_tile(
  const Args &a, const Shared &s, u32 number, u8 *shared, u8 *stage, u64 first, u64 last, u64 rows, const Held &h, u32 &fold_fault
) {{
  const bool partial = {partial};
  const u32 shift = {shift};
  const u32 slot = number % SLOTS;
  const Node carry = s.carries[slot];
  const Part part = s.warp_parts[slot][threadIdx.x / 32];
  const u64 tile = first + s.tiles[number % 4], base = (tile - first) * TILE, base_out = {base_out}, out = base_out + part.left;
  const u32 count = part.count;
{bits}{}{}{heads}  // The last thread knows of the last rows.
  if (tile == last && threadIdx.x == WORKERS - 1) {{ ((u64 *)a.w[{}])[{}] = {written}; }}
}}
",
            self.finish_rows(),
            self.write_rows(),
            Words::STATUS,
            Words::WRITTEN,
        )
    }

    /// The number of blocks that a multiprocessor should run. Small programs run best with many.
    fn blocks(&self) -> usize {
        let small = self.shape.unrolled && self.folds.len() <= 1 && self.columns.len() <= 2;
        if !small || !self.layout.in_shared {
            return 1;
        }
        (MULTIPROCESSOR_BYTES / (self.layout.shared_bytes() + 2048)).clamp(1, BLOCKS_MAX)
    }

    /// The functions of a tile, and the entry.
    pub(super) fn entry(&self, text: &mut String, scan: bool) {
        text.push_str(&self.held());
        text.push_str(&self.prefetch_rows());
        text.push_str(&self.begin(scan));
        text.push_str(&self.end(scan));
        let layout = &self.layout;
        let mut define = |name: &str, value: usize| {
            let _ = writeln!(text, "#define {name} {value}");
        };
        define("BLOCKS", self.blocks());
        define("HEAD_BYTES", layout.head);
        define("BITS_BYTES", layout.bits);
        define("STAGED_BYTES", layout.staged);
        define("HELD_BYTES", layout.held);
        define("SLOT_BYTES", layout.slot());
        define("IN_SHARED", usize::from(layout.in_shared));
        define("STARTS", self.starts);
        define("ROWS", Words::ROWS);
        define("FIRST_ROW", Words::FIRST_ROW);
        define("STATUS", Words::STATUS);
        define("FOLD_FAULT", Words::FOLD_FAULT);
        define("SCRATCH", Words::SCRATCH);
        define("TILES", Words::TILES);
        define("BLOCK_SCRATCH", Words::BLOCK_SCRATCH);
        text.push_str(ENTRY);
    }
}
