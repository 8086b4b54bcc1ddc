//! `Compact` and `Scan`: a block stages a tile's rows in shared memory, ranks the selected ones, learns what came before,
//! and writes them behind each other. The tree of tiles is in `stream.cu`.

use super::dialect::type_name;
use super::fold::{self, Folded, Kept, finish, negative_zero, node_words, structs, take};
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
    let _ = writeln!(text, "#define PADDED {}", flag(!folds.is_empty()));
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

    /// What a fold takes in a row: whether there is a value, and the value.
    fn taken(&self, fold: &Folded) -> (String, String) {
        match fold.input {
            Some(input) => (format!("o.keep && o.m{input}"), format!("o.o{input}")),
            None => ("o.keep".to_string(), String::new()),
        }
    }

    /// The function that computes a chunk's rows and stages what they yield.
    fn stage_chunk(&self, text: &mut String) {
        let (mut bits, mut rows, mut beyond, mut ends) = (String::new(), String::new(), String::new(), String::new());
        let mut bit = |name: &str, offset: usize, test: &str| {
            let _ = writeln!(bits, "  u32 {name} = 0;");
            let _ = writeln!(ends, "  stage_bits<V>((u32 *)(shared + {offset}), at, {name});");
            format!("      {name} |= (u32)({test}) << i;\n")
        };
        if self.masked {
            rows += &bit("keep", self.keep, "o.keep");
        }
        if self.segment.is_some() {
            let number = self.columns.len() + self.folds.iter().filter(|fold| fold.input.is_some()).count();
            rows += &bit("starts", self.starts, &format!("o.keep && o.m{number} && o.o{number}"));
        }
        for (k, (ty, place)) in self.columns.iter().zip(&self.column_places).enumerate() {
            let name = type_name(ty.dtype.repr());
            if let Some(offset) = place.values {
                let value = format!("o.m{k} ? canonical<{name}>(o.o{k}) : ({name})0");
                let _ = writeln!(rows, "      (({name} *)(stage + {offset}))[p + i] = {value};");
            }
            if let Some(offset) = place.truth {
                rows += &bit(&format!("c{k}"), offset, &format!("o.m{k} && o.o{k}"));
            }
            if let Some(offset) = place.valid {
                rows += &bit(&format!("n{k}"), offset, &format!("o.m{k}"));
            }
        }
        for (k, (fold, place)) in self.folds.iter().zip(&self.fold_places).enumerate() {
            let (there, value) = self.taken(fold);
            if let (Some(offset), Some(repr)) = (place.values, fold.taken) {
                let name = type_name(repr);
                let slot = format!("(({name} *)(stage + {offset}))[p + i]");
                if let Some(nothing) = fold.adds_nothing() {
                    let _ = writeln!(rows, "      {slot} = ({there}) ? {value} : {nothing};");
                    let _ = writeln!(beyond, "      {slot} = {nothing};");
                } else {
                    let _ = writeln!(rows, "      {slot} = {value};");
                }
            }
            if let Some(offset) = place.truth {
                rows += &bit(&format!("t{k}"), offset, &value);
            }
            if let Some(offset) = place.valid {
                rows += &bit(&format!("h{k}"), offset, &there);
            }
        }
        let fault = if self.can_fault { "      if (o.bad && ~row > worst) { worst = ~row; }\n" } else { "" };
        let _ = write!(
            text,
            "FN void stage_chunk(const Args &a, u8 *shared, u8 *stage, u64 base, u32 at, const In &in, u64 &worst) {{
{bits}  const u32 p = place(at);
{}
  for (int i = 0; i < V; i++) {{
    if (i < in.count) {{
      const u64 row = a.w[{}] + base + at + i;
      Out o;
      body(a, row, in, i, o);
{fault}{rows}    }} else {{
{beyond}    }}
  }}
{ends}}}
",
            self.shape.unroll(),
            Words::FIRST_ROW
        );
    }

    /// The words of output `number`: rows of the partial form have a head.
    fn output(&self, number: usize) -> String {
        format!("{} + shift", self.words.output(number))
    }

    /// The statements that fold a thread's sixteen rows: before the tile's node is told.
    fn fold_rows(&self) -> String {
        let exact: Vec<(usize, &Folded)> =
            self.folds.iter().enumerate().filter(|(_, fold)| fold.adds_nothing().is_none()).collect();
        let mut text = String::new();
        let scanned = self.segment.is_some() || self.folds.iter().any(|fold| fold.float().is_none());
        text.push_str(match self.masked {
            true => "    u32 total;\n    const u32 rank_left = rank_block(__popc(mine), s.counts, total);\n",
            false => "    const u32 total = rows_at(base, rows, TILE), rank_left = threadIdx.x * 16;\n",
        });
        if scanned {
            text.push_str("    Local own;\n    clear(own);\n");
        }
        if self.segment.is_some() {
            let _ = writeln!(text, "    own.starts = starts != 0u ? 1u : 0u;");
        }
        if !exact.is_empty() {
            let takes: String = exact.iter().map(|&(k, fold)| self.take_staged(k, fold, "own")).collect();
            let _ = write!(
                text,
                "#pragma unroll 1
    for (int i = 0; i < 16; i++) {{
      const u32 r = threadIdx.x * 16 + i;
      if ((starts >> i & 1) != 0) {{ reset(own); }}
{takes}    }}
"
            );
        }
        text.extend(self.sums().map(|(k, fold)| self.fold_sum(k, fold)));
        text.push_str("    Node all = nothing();\n");
        if scanned {
            text.push_str("    Local local;\n    const Local left = scan_block(own, s.warps, local);\n");
            text.push_str("    all.e = widened(local);\n");
        }
        if self.masked {
            text.push_str("    all.e.count = total;\n");
        }
        for (k, fold) in self.folds.iter().enumerate() {
            let (Some(repr), Some(offset)) = (fold.float(), self.fold_places[k].values) else { continue };
            let (name, zero) = (type_name(repr), negative_zero(repr));
            let staged = format!("(const {name} *)(stage + {offset})");
            let _ = writeln!(text, "    {name} sum{k};");
            let _ = writeln!(
                text,
                "    const Left<{name}> left{k} = scan_tile<{name}>({staged}, starts, {zero}, (Pair<{name}> *)totals, sum{k});"
            );
            let _ = writeln!(text, "    all.a{k} = sum{k};");
        }
        text
    }

    /// The exact sums, which have loops of their own.
    fn sums(&self) -> impl Iterator<Item = (usize, &Folded)> {
        self.folds.iter().enumerate().filter(|(_, fold)| fold.kept == Kept::Exact)
    }

    /// Adds up a thread's sixteen rows.
    fn fold_sum(&self, k: usize, fold: &Folded) -> String {
        let (name, sum, offset) = (fold.taken.map_or("u8", type_name), fold.leaf_sum(), self.staged(k));
        format!(
            "    {{
      const {name} *staged = (const {name} *)(stage + {offset});
      {sum} sum = 0;
#pragma unroll
      for (int i = 0; i < 16; i++) {{
        if (SEGMENTS && (starts >> i & 1) != 0) {{ sum = 0; }}
        sum += ({sum})staged[place(threadIdx.x * 16 + i)];
      }}
      own.a{k} = sum;
    }}
"
        )
    }

    /// Writes the running values of an exact sum: finished into the stage, or as they are kept into a partial's column.
    fn finish_sum(&self, k: usize, fold: &Folded) -> String {
        let (name, output) = (fold.taken.map_or("u8", type_name), type_name(fold.output.repr()));
        let (sum, offset, finished) = (fold.leaf_sum(), self.staged(k), self.fold_places[k].finished.unwrap_or(0));
        let (check, value) = finish(fold, "sum", sum, "misfit = misfit || kept;");
        let (word, number) = (self.output(self.columns.len() + k), self.folds.len() - k);
        let start = if sum == "i64" { format!("near_i64(running.a{k})") } else { format!("running.a{k}") };
        let row = |then: &str| {
            format!(
                "      for (int i = 0; i < 16; i++) {{
        const u32 at = place(threadIdx.x * 16 + i);
        const bool kept = (mine >> i & 1) != 0;
        if (SEGMENTS && (starts >> i & 1) != 0) {{ sum = 0; }}
        sum += ({sum})staged[at];
        {then}
      }}
"
            )
        };
        let whole = row(&format!("{check} finished[at] = {value};"));
        let part = row(&format!("if (kept) {{ ((i128 *)a.w[{word}])[base_out + rank++] = (i128)sum; }}"));
        format!(
            "    {{
      const {name} *staged = (const {name} *)(stage + {offset});
      {output} *finished = ({output} *)(stage + {finished});
      {sum} sum = {start};
      bool misfit = false;
      if (partial) {{
        u32 rank = rank_left;
#pragma unroll 1
{part}      }} else {{
#pragma unroll
{whole}      }}
      if (misfit) {{ fold_fault = max(fold_fault, {number}u); }}
    }}
"
        )
    }

    /// The offset of what a fold takes.
    fn staged(&self, k: usize) -> usize {
        self.fold_places[k].values.unwrap_or(0)
    }

    /// Takes the staged value of row `r`, the thread's row `i`, into an accumulator.
    fn take_staged(&self, k: usize, fold: &Folded, into: &str) -> String {
        let place = self.fold_places[k];
        let there = format!("bit_at(shared + {}, r)", place.valid.unwrap_or(self.keep));
        let value = match (place.values, place.truth, fold.taken) {
            (Some(offset), _, Some(repr)) => format!("((const {} *)(stage + {offset}))[place(r)]", type_name(repr)),
            (_, Some(offset), _) => format!("bit_at(shared + {offset}, r)"),
            (_, None, _) => String::new(),
        };
        format!("      {}\n", take(fold, k, into, &there, &value))
    }

    /// The statements that finish a thread's sixteen rows, once the carry is known.
    fn finish_rows(&self) -> String {
        let mut text = String::new();
        if self.folds.iter().any(|fold| fold.float().is_none()) {
            text.push_str(
                "    Exact running = partial ? nothing().e : carry.e;\n    append(running, widened(left));\n",
            );
        }
        let [mut rows, mut ends] = [const { String::new() }; 2];
        for (k, fold) in self.folds.iter().enumerate() {
            match fold.kept {
                Kept::Float(repr) => text += &self.finish_float(k, fold, repr),
                Kept::Exact => text += &self.finish_sum(k, fold),
                Kept::Count | Kept::Min(_) | Kept::Max(_) => {
                    rows += &self.take_staged(k, fold, "running");
                    rows += &self.finish_exact(k, fold);
                    let _ = writeln!(text, "    u32 valid{k} = 0, truth{k} = 0;");
                    if let Some(offset) = self.fold_places[k].truth {
                        let _ = writeln!(ends, "    ((u16 *)(shared + {offset}))[threadIdx.x] = (u16)truth{k};");
                    }
                    if let Some(offset) = self.fold_places[k].valid {
                        let _ = writeln!(ends, "    ((u16 *)(shared + {offset}))[threadIdx.x] = (u16)valid{k};");
                    }
                }
            }
        }
        if !rows.is_empty() {
            let _ = write!(
                text,
                "    u32 rank = rank_left;
#pragma unroll 1
    for (int i = 0; i < 16; i++) {{
      const u32 r = threadIdx.x * 16 + i;
      const bool kept = (mine >> i & 1) != 0;
      if ((starts >> i & 1) != 0) {{ reset(running); }}
{rows}      if (kept) {{ rank++; }}
    }}
{ends}"
            );
        }
        text
    }

    /// Writes the running value of an exact fold: finished into the stage, or as it is kept into a partial's column.
    fn finish_exact(&self, k: usize, fold: &Folded) -> String {
        let place = self.fold_places[k];
        let fault = format!("if (!partial && kept) {{ fold_fault = max(fold_fault, {}u); }}", self.folds.len() - k);
        let accumulator = format!("running.a{k}");
        let (check, value) = finish(fold, &accumulator, "i128", &fault);
        let there = if fold.nullable() { format!("running.h{k} != 0u") } else { "true".to_string() };
        let word = self.output(self.columns.len() + k);
        let mut text = String::new();
        let _ = writeln!(text, "      {check}");
        let _ = writeln!(text, "      valid{k} |= (u32)({there}) << i;");
        if place.truth.is_some() {
            let _ = writeln!(text, "      truth{k} |= (u32)({there} && {value}) << i;");
            return text;
        }
        let (kept, output) = (fold.type_name(), type_name(fold.output.repr()));
        let whole = match place.finished {
            Some(offset) => format!("(({output} *)(stage + {offset}))[place(r)] = ({there}) ? {value} : ({output})0;"),
            None => String::new(),
        };
        let canonical = if fold.nullable() { format!("canonical<{kept}>({accumulator})") } else { accumulator };
        let part = format!("(({kept} *)a.w[{word}])[base_out + rank] = ({there}) ? {canonical} : ({kept})0;");
        let _ = writeln!(text, "      if (partial) {{ if (kept) {{ {part} }} }} else {{ {whole} }}");
        text
    }

    /// Writes the running value of a float sum into the stage.
    fn finish_float(&self, k: usize, fold: &Folded, repr: Repr) -> String {
        let (name, offset) = (type_name(repr), self.fold_places[k].values.unwrap_or(0));
        let (_, value) = finish(fold, "p.v", "", "");
        format!(
            "    {{
      {name} x[16];
      {name} *staged = ({name} *)(stage + {offset});
#pragma unroll
      for (int i = 0; i < 16; i++) {{ x[i] = staged[place(threadIdx.x * 16 + i)]; }}
      u32 flags = starts;
      scan_sixteen<{name}>(x, flags);
#pragma unroll
      for (int i = 0; i < 16; i++) {{
        Pair<{name}> p = local_value<{name}>(left{k}, x[i], (flags >> i & 1) != 0);
        if (!partial) {{
          if (!p.f) {{ p.v = add<{name}>(carry.a{k}, p.v); }}
          p.v = {value};
        }} else {{
          p.v = canonical<{name}>(p.v);
        }}
        staged[place(threadIdx.x * 16 + i)] = p.v;
      }}
    }}
"
        )
    }

    /// The statements that write the selected rows.
    fn write_rows(&self) -> String {
        let index = if self.masked { format!("(const u16 *)(shared + {})", self.index) } else { "0".to_string() };
        let mut text = String::new();
        for (k, (ty, place)) in self.columns.iter().zip(&self.column_places).enumerate() {
            text += &write_staged(ty.dtype.repr(), *place, ty.nullable, &self.output(k), &index);
        }
        for (k, fold) in self.folds.iter().enumerate() {
            let (place, word) = (self.fold_places[k], self.output(self.columns.len() + k));
            let repr = fold.output.repr();
            let finished = Place { values: place.finished, ..place };
            let written = write_staged(repr, finished, fold.nullable(), &word, &index);
            if fold.float().is_some() || place.truth.is_some() {
                text += &written;
            } else {
                // The accumulators of a partial were written by their threads; their nulls were not.
                let nulls = Place { valid: place.valid, ..Place::default() };
                let nulls = write_staged(repr, nulls, fold.nullable(), &word, &index);
                let _ = write!(text, "    if (!partial) {{\n{written}    }} else {{\n{nulls}    }}\n");
            }
        }
        text
    }

    /// What only the partial form of a `Scan` writes: the heads of rows, and the leaf's node.
    fn write_partial(&self) -> String {
        let word = |number: usize| self.words.output(number);
        let index = if self.masked { format!("(const u16 *)(shared + {})", self.index) } else { "0".to_string() };
        let nodes = HEAD + self.columns.len() + self.folds.len();
        let mut text = format!(
            "    if (partial) {{
      u32 before = 0, started = {};
      for (int i = 0; i < 16; i++) {{
        started |= starts >> i & 1;
        before |= (started == 0u ? 1u : 0u) << i;
      }}
      ((u16 *)(shared + {}))[threadIdx.x] = (u16)before;
      __syncthreads();
      for (u32 i = threadIdx.x; i < total; i += 256) {{ ((u64 *)a.w[{}])[base_out + i] = tile; }}
      write_bits((u32 *)a.w[{}], base_out, total, (const u32 *)(shared + {}), {index});
      write_bits((u32 *)a.w[{}], base_out, total, (const u32 *)(shared + {}), {index});
      if (threadIdx.x == 0) {{
        const u64 at = tile - first;
        ((u8 *)a.w[{}])[at] = 0;
        ((u64 *)a.w[{}])[at] = tile;
",
            if self.segment.is_some() { "left.starts" } else { "0u" },
            self.before,
            word(0),
            word(1),
            self.before,
            word(2),
            self.starts,
            word(nodes),
            word(nodes + 1),
        );
        if self.segment.is_some() {
            let _ = writeln!(text, "        if (all.e.starts != 0u) {{ set_bit(a.w[{}], at); }}", word(nodes + 2));
        }
        for (k, fold) in self.folds.iter().enumerate() {
            let (word, name) = (word(nodes + 3 + k), fold.type_name());
            let value = if fold.float().is_some() { format!("all.a{k}") } else { format!("all.e.a{k}") };
            let value = if fold.kept == Kept::Exact { value } else { format!("canonical<{name}>({value})") };
            if fold.nullable() {
                let _ = writeln!(text, "        if (all.e.h{k} != 0u) {{ set_bit(a.w[{}], at); }}", word + 1);
            }
            let there = if fold.nullable() { format!("all.e.h{k} != 0u") } else { "true".to_string() };
            if name == "bool" {
                let _ = writeln!(text, "        if ({there} && {value}) {{ set_bit(a.w[{word}], at); }}");
            } else {
                let _ = writeln!(text, "        (({name} *)a.w[{word}])[at] = ({there}) ? {value} : ({name})0;");
            }
        }
        text + "      }\n    }\n"
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
#pragma unroll 1
  for (u32 c = 0; c < TILE; c += {tile}) {{
    In in[U];
#pragma unroll
    for (int u = 0; u < U; u++) {{ load_chunk<WHOLE>(a, base + c + u * {stride} + threadIdx.x * V, rows, in[u]); }}
#pragma unroll
    for (int u = 0; u < U; u++) {{
      stage_chunk(a, shared, stage, base, c + u * {stride} + threadIdx.x * V, in[u], worst);
    }}
  }}
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
{}    if (threadIdx.x < 32) {{ tell(nodes, first, last, tile, all); }}
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
{}    __syncthreads();
{}{write_partial}    if (tile == last && threadIdx.x == 0) {{ ((u64 *)a.w[{}])[{}] = base_out + total; }}
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

/// The statements that write a staged value of the selected rows.
fn write_staged(repr: Repr, place: Place, nullable: bool, word: &str, index: &str) -> String {
    let mut text = String::new();
    let bits = |text: &mut String, word: &str, offset: usize| {
        let staged = format!("(const u32 *)(shared + {offset})");
        let _ = writeln!(text, "    write_bits((u32 *)a.w[{word}], base_out, total, {staged}, {index});");
    };
    if let Some(offset) = place.values {
        let name = type_name(repr);
        let staged = format!("(const {name} *)(stage + {offset})");
        let _ = writeln!(text, "    write_values<{name}>(({name} *)a.w[{word}], base_out, total, {staged}, {index});");
    }
    if let Some(offset) = place.truth {
        bits(&mut text, word, offset);
    }
    if let (Some(offset), true) = (place.valid, nullable) {
        bits(&mut text, &format!("{word} + 1"), offset);
    }
    text
}

/// At least the bytes of the struct `Node`.
fn node_bytes(folds: &[Folded]) -> usize {
    // Each member may have as much padding before it as it is long; flags and the count take 16.
    16 + folds.iter().map(|_| 32).sum::<usize>()
}

/// At least the bytes of the struct `Shared`.
fn shared_struct_bytes(folds: &[Folded]) -> usize {
    64 + (8 + 13 * 4 + 1) * node_bytes(folds)
}
