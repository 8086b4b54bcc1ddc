//! The functions that compute a tile's rows and stage what they yield.

use super::super::dialect::type_name;
use super::super::fold::Folded;
use super::super::words::Words;
use super::Stream;
use std::fmt::Write;

impl Stream {
    /// The input of a fold in a row: whether there is a value, and the value.
    pub(super) fn taken(&self, fold: &Folded) -> (String, String) {
        match fold.input {
            Some(input) => (format!("o.keep && o.m{input}"), format!("o.o{input}")),
            None => ("o.keep".to_string(), String::new()),
        }
    }

    /// The function that computes a chunk's rows and stages what they yield.
    pub(super) fn stage_chunk(&self, text: &mut String) {
        let [mut bits, mut arrays, mut rows, mut beyond, mut puts, mut ends] = [const { String::new() }; 6];
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
                let _ = writeln!(arrays, "  {name} x{k}[V];");
                let _ = writeln!(rows, "      x{k}[i] = o.m{k} ? canonical<{name}>(o.o{k}) : ({name})0;");
                let _ = writeln!(beyond, "      x{k}[i] = ({name})0;");
                let _ = writeln!(puts, "  put_chunk<{name}>(({name} *)(stage + {offset}), at, x{k});");
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
                let nothing = fold.adds_nothing().unwrap_or_else(|| format!("({name})0"));
                let value = if fold.adds_nothing().is_some() {
                    format!("({there}) ? {value} : {nothing}")
                } else {
                    value.clone()
                };
                let _ = writeln!(arrays, "  {name} y{k}[V];");
                let _ = writeln!(rows, "      y{k}[i] = {value};");
                let _ = writeln!(beyond, "      y{k}[i] = {nothing};");
                let _ = writeln!(puts, "  put_chunk<{name}>(({name} *)(stage + {offset}), at, y{k});");
            }
            if let Some(offset) = place.truth {
                rows += &bit(&format!("t{k}"), offset, &value);
            }
            if let Some(offset) = place.valid {
                rows += &bit(&format!("h{k}"), offset, &there);
            }
        }
        let fault = if self.can_fault { "      if (o.bad && ~row > t.worst) { t.worst = ~row; }\n" } else { "" };
        let _ = write!(
            text,
            "FN void stage_chunk(
  const Args &a, u8 *shared, u8 *stage, u64 base, u32 at, const In &in, Thread &t
) {{
{bits}{arrays}{}
  for (int i = 0; i < V; i++) {{
    if (i < in.count) {{
      const u64 row = a.w[{}] + base + at + i;
      Out o;
      body(a, row, in, i, o, t);
{fault}{rows}    }} else {{
{beyond}    }}
  }}
{puts}{ends}}}
",
            self.shape.unroll(),
            Words::FIRST_ROW
        );
    }

    /// The function that stages a warp's rows.
    pub(super) fn stage_rows(&self, text: &mut String) {
        let stride = 32 * self.shape.chunk;
        let step = stride * self.shape.chunks;
        let (arrays, chunks) = match self.packed {
            true => self.pack_chunks(),
            false => (
                String::new(),
                format!(
                    "#pragma unroll
    for (int u = 0; u < U; u++) {{ stage_chunk(a, shared, stage, base, c + u * {stride} + threadIdx.x % 32 * V, in[u], t); }}
"
                ),
            ),
        };
        let _ = write!(
            text,
            "template <bool WHOLE>
FN void stage_rows(const Args &a, u8 *shared, u8 *stage, u64 base, u64 rows, Thread &t, u32 &count) {{
  const u32 first = threadIdx.x / 32 * WARP_ROWS;
#pragma unroll 1
  for (u32 c = first; c < first + WARP_ROWS; c += {step}) {{
    In in[U];
#pragma unroll
    for (int u = 0; u < U; u++) {{
      load_chunk<WHOLE>(a, base + c + u * {stride} + threadIdx.x % 32 * V, rows, in[u]);
    }}
{arrays}{chunks}  }}
}}
"
        );
    }

    /// The statements that compute chunks and put their selected rows one after the other, where rows are values alone.
    fn pack_chunks(&self) -> (String, String) {
        let [mut arrays, mut rows, mut starts, mut puts] = [const { String::new() }; 4];
        for (k, (ty, place)) in self.columns.iter().zip(&self.column_places).enumerate() {
            let (name, offset) = (type_name(ty.dtype.repr()), place.values.unwrap_or(0));
            let _ = writeln!(arrays, "    {name} x{k}[U][V];");
            let _ = writeln!(rows, "        x{k}[u][i] = canonical<{name}>(o.o{k});");
            let _ = writeln!(
                arrays,
                "#pragma unroll\n    for (int i = 0; i < U * V; i++) {{ x{k}[i / V][i % V] = ({name})0; }}"
            );
            let _ = write!(puts, " *to{k}++ = x{k}[u][i];");
            let _ = writeln!(starts, "      {name} *to{k} = ({name} *)(stage + {offset}) + to;");
        }
        let fault = if self.can_fault { "        if (o.bad && ~row > t.worst) { t.worst = ~row; }\n" } else { "" };
        let bits = 32 / self.shape.chunks;
        let field = |of: &str| {
            if bits == 32 { of.to_string() } else { format!("({of} >> ({bits} * u) & {}u)", (1u64 << bits) - 1) }
        };
        let stride = 32 * self.shape.chunk;
        let chunks = format!(
            "    u32 keep[U], counts = 0;
#pragma unroll
    for (int u = 0; u < U; u++) {{
      keep[u] = 0;
#pragma unroll
      for (int i = 0; i < V; i++) {{
        if (!WHOLE && i >= in[u].count) {{ continue; }}
        const u64 row = a.w[{}] + base + c + u * {stride} + threadIdx.x % 32 * V + i;
        Out o;
        body(a, row, in[u], i, o, t);
        keep[u] |= (u32)o.keep << i;
{fault}{rows}      }}
      // Else the compiler remembers every row's choice apart, of which it has room for seven.
      asm volatile(\"\" : \"+r\"(keep[u]));
      counts |= (u32)__popc(keep[u]) << ({bits} * u % 32);
    }}
    // The counts of all chunks, side by side in one word.
    const u32 through = scan_warp(counts), all = __shfl_sync(FULL, through, 31), left = through - counts;
#pragma unroll
    for (int u = 0; u < U; u++) {{
      const u32 to = first + count + {};
{starts}#pragma unroll
      for (int i = 0; i < V; i++) {{
        if ((keep[u] >> i & 1) != 0) {{{puts} }}
      }}
      count += {};
    }}
",
            Words::FIRST_ROW,
            field("left"),
            field("all"),
        );
        (arrays, chunks)
    }
}
