//! `Compact` and `Scan`: a block stages a tile's rows in shared memory, ranks the selected ones, learns what came before,
//! and writes them behind each other. The tree of tiles is in `stream.cu`.

mod folds;
mod stage;
mod write;

use super::fold::{self, Folded, Kept, node_words, structs};
use super::rows::{self, Shape};
use super::words::Words;
use super::{Kind, NODES, Needs};
use crate::body::ValueId;
use crate::guard::Guarded;
use crate::kernel::{Fold, LEAF_ROWS};
use crate::render::NotRendered;
use crate::types::{Repr, Type};
use std::fmt::Write;

const TEXT: &str = include_str!("stream.cu");
const THREADS: u32 = 256;
/// Rows of a thread's chunks in a tile.
const THREAD_ROWS: usize = LEAF_ROWS / THREADS as usize;
/// Places of a staged column: every sixteenth is left out, so that threads side by side meet different banks.
const PLACES: usize = LEAF_ROWS + LEAF_ROWS / 16;
/// The most shared memory for staged rows; more goes to the block's scratch memory.
const STAGED_BYTES_MAX: usize = 96 << 10;
/// The most shared memory of which a multiprocessor has eight.
const SMALL_BYTES: usize = 28_000;
/// Columns of a partial row before the kept ones: leaf, before the first start, segment start.
const HEAD: usize = 3;

/// Where things are staged.
struct Layout {
    /// Bytes of shared memory taken by the struct `Shared`, bits and numbers of rows.
    fixed: usize,
    /// Bytes of staged values.
    staged: usize,
    in_shared: bool,
}

/// What is staged of one value.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The offset of the values, among the staged ones.
    values: Option<usize>,
    /// The offset of a fold's finished values: those it takes, unless their width differs.
    finished: Option<usize>,
    /// The offset of the bits of a truth value, in shared memory.
    truth: Option<usize>,
    /// The offset of the bits that say what is not null.
    valid: Option<usize>,
}

struct Stream {
    words: Words,
    shape: Shape,
    columns: Vec<Type>,
    folds: Vec<Folded>,
    segment: Option<ValueId>,
    masked: bool,
    can_fault: bool,
    /// Offsets in shared memory: numbers of the selected rows, bits of selected rows, of segment starts, of rows that
    /// take the carry.
    index: usize,
    keep: usize,
    starts: usize,
    before: usize,
    column_places: Vec<Place>,
    fold_places: Vec<Place>,
    layout: Layout,
}

/// The text behind the shared parts, and what its launch needs.
pub(super) fn render(
    guarded: &Guarded,
    columns: &[ValueId],
    folds: &[Fold],
    segment: Option<ValueId>,
) -> Result<(String, Needs), NotRendered> {
    let kernel = &guarded.kernel;
    let scan = !matches!(kernel.sink, crate::kernel::Sink::Compact { .. });
    let stream = Stream::new(guarded, columns, folds, segment);
    let mut values = columns.to_vec();
    values.extend(folds.iter().filter_map(|fold| fold.value));
    values.extend(segment);
    let of = fold::Stream { counted: stream.masked || folds.is_empty(), segments: segment.is_some() };
    let node_words = node_words(&stream.folds, of);
    let mut text = rows::functions(guarded, &stream.words, &values, stream.shape)?;
    text.push_str(&structs(&stream.folds, of));
    text.push_str(NODES);
    let flag = |set: bool| if set { "true" } else { "false" };
    let _ = writeln!(text, "#define LEAVES {}\n#define SEGMENTS {}", flag(scan), flag(segment.is_some()));
    let _ = writeln!(text, "#define PADDED {}\n#define MASKED {}", flag(!folds.is_empty()), flag(stream.masked));
    text.push_str(TEXT);
    stream.stage_chunk(&mut text);
    stream.entry(&mut text, scan);
    let (fixed, staged) = (stream.layout.fixed as u32, stream.layout.staged as u32);
    let (shared_bytes, block_scratch) =
        if stream.layout.in_shared { (fixed + staged, 0) } else { (fixed, u64::from(staged)) };
    let kind = Kind::Stream { node_words: node_words as u64, leaves: scan };
    let can_fault = stream.can_fault;
    Ok((text, Needs { threads: THREADS, tile_rows: LEAF_ROWS as u64, shared_bytes, block_scratch, kind, can_fault }))
}

/// Takes aligned memory.
fn reserve(at: &mut usize, bytes: usize) -> usize {
    let start = at.next_multiple_of(16);
    *at = start + bytes;
    start
}

impl Stream {
    fn new(guarded: &Guarded, columns: &[ValueId], folds: &[Fold], segment: Option<ValueId>) -> Stream {
        let kernel = &guarded.kernel;
        let words = Words::of(kernel);
        let types = kernel.body.types_of(columns);
        let folds = Folded::all(folds, &kernel.body, columns.len());
        let mut shape = Shape::of(guarded, &types, THREAD_ROWS);
        shape.chunks = shape.chunks.min(THREAD_ROWS / shape.chunk);
        let masked = kernel.mask.is_some();
        let bits = LEAF_ROWS / 8;
        let mut fixed = shared_struct_bytes(&folds);
        let index = reserve(&mut fixed, if masked { LEAF_ROWS * 2 } else { 0 });
        let keep = reserve(&mut fixed, bits);
        let starts = reserve(&mut fixed, bits);
        let before = reserve(&mut fixed, bits);
        let places = if folds.is_empty() { LEAF_ROWS } else { PLACES };
        let mut staged = 0;
        let mut place = |taken: Option<Repr>, finished: Option<Repr>, nullable: bool| {
            let wide = |repr: &Repr| *repr != Repr::Bool;
            let values = taken.filter(wide).map(|repr| reserve(&mut staged, places * repr.bytes()));
            let same = taken.map(Repr::bytes) == finished.map(Repr::bytes);
            let finished = finished.filter(wide);
            let apart = finished.map(|repr| if same { 0 } else { reserve(&mut staged, places * repr.bytes()) });
            Place {
                values,
                finished: if same { values } else { apart },
                truth: (taken == Some(Repr::Bool)).then(|| reserve(&mut fixed, bits)),
                valid: nullable.then(|| reserve(&mut fixed, bits)),
            }
        };
        let column_places: Vec<Place> =
            types.iter().map(|ty| place(Some(ty.dtype.repr()), None, ty.nullable)).collect();
        let fold_places: Vec<Place> = (folds.iter())
            .map(|fold| {
                // A count looks at what is there alone.
                let taken = fold.taken.filter(|_| fold.kept != Kept::Count);
                place(taken, Some(fold.output.repr()), fold.adds_nothing().is_none())
            })
            .collect();
        let in_shared = staged <= STAGED_BYTES_MAX;
        let layout = Layout { fixed: fixed.next_multiple_of(16), staged: staged.next_multiple_of(16), in_shared };
        let can_fault = !guarded.checks.is_empty();
        Stream {
            words,
            shape,
            columns: types,
            folds,
            segment,
            masked,
            can_fault,
            index,
            keep,
            starts,
            before,
            column_places,
            fold_places,
            layout,
        }
    }

    /// The words of output `number`: rows of the partial form have a head.
    fn output(&self, number: usize) -> String {
        format!("{} + shift", self.words.output(number))
    }

    /// The entry.
    fn entry(&self, text: &mut String, scan: bool) {
        let tile = THREADS as usize * self.shape.chunk * self.shape.chunks;
        let stride = THREADS as usize * self.shape.chunk;
        let whole = self.shape.whole();
        // Small programs run best with as many threads as there can be: tiles wait for each other.
        let small = self.shape.unrolled && self.folds.len() <= 1 && self.columns.len() <= 2;
        let blocks = if small && self.layout.fixed + self.layout.staged <= SMALL_BYTES { 8 } else { 1 };
        let stage = match self.layout.in_shared {
            true => format!("shared + {}", self.layout.fixed),
            false => format!("(u8 *)a.w[{}] + (u64)blockIdx.x * {}ull", Words::BLOCK_SCRATCH, self.layout.staged),
        };
        let mine = match self.masked {
            true => format!("((const u16 *)(shared + {}))[threadIdx.x]", self.keep),
            false => "(1u << rows_at(base + threadIdx.x * 16, rows, 16)) - 1u".to_string(),
        };
        let total = if self.masked { "sum_block(s.counts)" } else { "rows_at(base, rows, TILE)" };
        let tell = "    if (threadIdx.x == 0) { publish(nodes + (tile - first) * NODE_WORDS, all); }\n";
        // What counts rows alone is known before they are ranked, and others wait for it.
        let counted = if self.masked || self.folds.is_empty() { "    all.e.count = total;\n" } else { "" };
        let (early, late) = match self.folds.is_empty() && self.segment.is_none() {
            true => (format!("{counted}{tell}"), String::new()),
            false => (counted.to_string(), tell.to_string()),
        };
        let base_out = if self.masked { "carry.e.count" } else { "base" };
        let starts = match self.segment {
            Some(_) => format!("((const u16 *)(shared + {}))[threadIdx.x]", self.starts),
            None => "0u".to_string(),
        };
        let rank = match self.masked {
            true => format!(
                "    {{
      u16 *to = (u16 *)(shared + {}) + rank_left;
#pragma unroll
      for (int i = 0; i < 16; i++) {{
        if ((mine >> i & 1) != 0) {{ *to++ = (u16)(threadIdx.x * 16 + i); }}
      }}
    }}
",
                self.index
            ),
            false => String::new(),
        };
        let partial = if scan { format!("a.w[{}] != 0ull", Words::FORM) } else { "false".to_string() };
        let shift = if scan { format!("partial ? {}u : 0u", 2 * HEAD) } else { "0u".to_string() };
        let zero_starts = match self.segment {
            None if scan => {
                format!("  if (threadIdx.x < 128) {{ ((u32 *)(shared + {}))[threadIdx.x] = 0; }}\n", self.starts)
            }
            Some(_) | None => String::new(),
        };
        let totals = if self.folds.iter().any(|fold| fold.float().is_some()) {
            "  __shared__ Pair<f64> totals[33];\n"
        } else {
            ""
        };
        let write_partial = if scan { self.write_partial() } else { String::new() };
        let _ = write!(
            text,
            "template <bool WHOLE>
FN void stage_tile(const Args &a, u8 *shared, u8 *stage, u64 base, u64 rows, u64 &worst) {{
  u32 kept = 0;
#pragma unroll 1
  for (u32 c = 0; c < TILE; c += {tile}) {{
    In in[U];
#pragma unroll
    for (int u = 0; u < U; u++) {{ load_chunk<WHOLE>(a, base + c + u * {stride} + threadIdx.x * V, rows, in[u]); }}
#pragma unroll
    for (int u = 0; u < U; u++) {{
      stage_chunk(a, shared, stage, base, c + u * {stride} + threadIdx.x * V, in[u], worst, kept);
    }}
  }}
  if (!MASKED) {{ return; }}
  kept = sum_warp(kept);
  if (threadIdx.x % 32 == 0) {{ ((Shared *)shared)->counts[threadIdx.x / 32] = kept; }}
}}
extern \"C\" __global__ void __launch_bounds__({THREADS}, {blocks}) pointsman(const __grid_constant__ Args a) {{
  extern __shared__ uint4 memory[];
  static_assert(sizeof(Shared) <= {}, \"shared memory was laid out for less\");
  u8 *const shared = (u8 *)memory;
  u8 *const stage = {stage};
  Shared &s = *(Shared *)shared;
{totals}{zero_starts}  const bool partial = {partial};
  const u32 shift = {shift};
  const u64 rows = a.w[{}], tiles = a.w[{}], first = LEAVES ? a.w[{}] / TILE : 0, last = first + tiles - 1;
  u64 *const nodes = (u64 *)(a.w[{}] + 64);
  u64 worst = 0;
  u32 fold_fault = 0;
  // With a block for every tile, each takes one ticket; else blocks stay and take more.
  for (u64 taken = 0; taken * gridDim.x < tiles; taken++) {{
    __syncthreads();
    if (threadIdx.x == 0) {{ s.tile = atomicAdd((u32 *)a.w[{}], 1u); }}
    __syncthreads();
    const u64 tile = first + s.tile, base = (u64)s.tile * TILE;
    if (tile > last) {{ break; }}
    if ({whole}base + TILE <= rows) {{
      stage_tile<true>(a, shared, stage, base, rows, worst);
    }} else {{
      stage_tile<false>(a, shared, stage, base, rows, worst);
    }}
    __syncthreads();
    const u32 mine = {mine};
    const u32 starts = {starts};
    const u32 total = {total};
    Node all = nothing();
{early}{}{late}    if (threadIdx.x < 32) {{ tell_parents(nodes, first, last, tile); }}
{rank}    for (u32 level = threadIdx.x / 32; level < LEVELS; level += 8) {{
      collect(nodes, first, last, tile, level, s.parts);
    }}
    __syncthreads();
    // One warp adds up: all of them would take the others' turns.
    if (threadIdx.x < 32) {{
      const Node carry = carry_into(tile, s.parts);
      if (threadIdx.x == 0) {{ s.carry = carry; }}
    }}
    __syncthreads();
    const Node carry = s.carry;
    const u64 base_out = {base_out};
{}{}{write_partial}    if (tile == last && threadIdx.x == 0) {{ ((u64 *)a.w[{}])[{}] = base_out + total; }}
  }}
",
            shared_struct_bytes(&self.folds),
            Words::ROWS,
            Words::TILES,
            Words::FIRST_ROW,
            Words::SCRATCH,
            Words::SCRATCH,
            self.fold_rows(),
            self.finish_rows(),
            self.write_rows(),
            Words::STATUS,
            Words::WRITTEN,
        );
        let _ = writeln!(
            text,
            "  if (fold_fault != 0u) {{ atomicMax((u64 *)a.w[{}] + {}, (u64)fold_fault); }}",
            Words::STATUS,
            Words::FOLD_FAULT
        );
        if self.can_fault {
            let _ = writeln!(text, "  report_fault(a.w[{}], worst);", Words::STATUS);
        }
        text.push_str("}\n");
    }
}

/// At least the bytes of the struct `Node`.
fn node_bytes(folds: &[Folded]) -> usize {
    // Each member may have as much padding before it as it is long; flags and the count take 16.
    16 + folds.iter().map(|_| 32).sum::<usize>()
}

/// At least the bytes of the struct `Shared`.
fn shared_struct_bytes(folds: &[Folded]) -> usize {
    80 + (8 + 13 * 4 + 1) * node_bytes(folds)
}
