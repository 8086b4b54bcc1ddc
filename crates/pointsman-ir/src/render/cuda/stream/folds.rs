//! Running folds: each thread folds its sixteen rows before the tile's node is published, and finishes them once the
//! carry is known.

use super::super::dialect::type_name;
use super::super::fold::{Folded, Kept, finish, negative_zero, take};
use super::Stream;
use crate::types::{DType, Repr};
use std::fmt::Write;

impl Stream {
    /// The statements that fold a thread's sixteen rows, before the tile's node is published.
    pub(super) fn fold_rows(&self) -> String {
        let exact: Vec<(usize, &Folded)> =
            self.folds.iter().enumerate().filter(|(_, fold)| fold.adds_nothing().is_none()).collect();
        let mut text = String::new();
        let scanned = self.segment.is_some() || self.folds.iter().any(|fold| fold.float().is_none());
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
        if scanned {
            text.push_str("    Local local;\n    h.left = scan_block(own, s.warps, local);\n");
            text.push_str("    all.e = widened(local);\n");
        }
        // Float sums take turns with the memory that the warps meet at: between two turns all have met once more.
        let floats = self.folds.iter().enumerate().filter_map(|(k, fold)| Some((k, fold.float()?)));
        for (turn, (k, repr)) in floats.enumerate() {
            let offset = self.staged(k);
            let (name, zero) = (type_name(repr), negative_zero(repr));
            let staged = format!("(const {name} *)(stage + {offset})");
            let _ = writeln!(text, "    {name} sum{k};");
            let _ = writeln!(
                text,
                "    hold<{name}>(h.left{k}, scan_tile<{name}>({staged}, starts, {zero}, (Pair<{name}> *)s.totals[{}], sum{k}));",
                turn % 2
            );
            let _ = writeln!(text, "    all.a{k} = sum{k};");
        }
        text
    }

    /// The exact sums, which have loops of their own.
    pub(super) fn sums(&self) -> impl Iterator<Item = (usize, &Folded)> {
        self.folds.iter().enumerate().filter(|(_, fold)| fold.kept == Kept::Exact)
    }

    /// Adds up a thread's sixteen rows.
    pub(super) fn fold_sum(&self, k: usize, fold: &Folded) -> String {
        let (name, sum, offset) = (fold.taken.map_or("u8", type_name), fold.leaf_sum(), self.staged(k));
        format!(
            "    {{
      {name} x[16];
      read_sixteen<{name}>((const {name} *)(stage + {offset}), x);
      {sum} sum = 0;
#pragma unroll
      for (int i = 0; i < 16; i++) {{
        if (SEGMENTS && (starts >> i & 1) != 0) {{ sum = 0; }}
        sum += ({sum})x[i];
      }}
      own.a{k} = sum;
    }}
"
        )
    }

    /// The number of selected rows of the tile before a thread's rows.
    fn own_rank(&self) -> &'static str {
        if self.masked { "h.own" } else { "threadIdx.x * 16" }
    }

    /// The statements that finish a thread's sixteen rows, once the carry is known.
    pub(super) fn finish_rows(&self) -> String {
        let own = self.own_rank();
        let mut text = String::new();
        if self.folds.iter().any(|fold| fold.float().is_none()) {
            text.push_str(
                "    Exact running = partial ? nothing().e : carry.e;\n    append(running, widened(h.left));\n",
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
                "    u32 rank = {own};
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
        if !self.folds.is_empty() {
            text.push_str("  __syncwarp();\n");
        }
        text
    }

    /// Writes the running values of an exact sum: finished into the stage, or as they are kept into a partial's column.
    pub(super) fn finish_sum(&self, k: usize, fold: &Folded) -> String {
        let (name, output) = (fold.taken.map_or("u8", type_name), type_name(fold.output.repr()));
        let (sum, offset, finished) = (fold.leaf_sum(), self.staged(k), self.fold_places[k].finished.unwrap_or(0));
        let (word, number, own) = (self.output(self.columns.len() + k), self.folds.len() - k, self.own_rank());
        let start = if sum == "i64" { format!("near_i64(running.a{k})") } else { format!("running.a{k}") };
        format!(
            "    {{
      {name} x[16];
      read_sixteen<{name}>((const {name} *)(stage + {offset}), x);
      const {sum} start = {start};
      bool misfit = false;
      if (partial) {{
        u32 rank = {own};
        {sum} sum = start;
#pragma unroll
        for (int i = 0; i < 16; i++) {{
          if (SEGMENTS && (starts >> i & 1) != 0) {{ sum = 0; }}
          sum += ({sum})x[i];
          if ((mine >> i & 1) != 0) {{ ((i128 *)a.w[{word}])[base_out + rank++] = (i128)sum; }}
        }}
      }} else {{
        {output} done[16];
{}        write_sixteen<{output}>(({output} *)(stage + {finished}), done);
      }}
      if (misfit) {{ fold_fault = max(fold_fault, {number}u); }}
    }}
",
            running_sums(fold, sum)
        )
    }

    /// Writes the running value of an exact fold: finished into the stage, or as it is kept into a partial's column.
    pub(super) fn finish_exact(&self, k: usize, fold: &Folded) -> String {
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
            Some(offset) => {
                format!("(({output} *)(stage + {offset}))[place<{output}>(r)] = ({there}) ? {value} : ({output})0;")
            }
            None => String::new(),
        };
        let canonical = if fold.nullable() { format!("canonical<{kept}>({accumulator})") } else { accumulator };
        let part = format!("(({kept} *)a.w[{word}])[base_out + rank] = ({there}) ? {canonical} : ({kept})0;");
        let _ = writeln!(text, "      if (partial) {{ if (kept) {{ {part} }} }} else {{ {whole} }}");
        text
    }

    /// Writes the running value of a float sum into the stage.
    pub(super) fn finish_float(&self, k: usize, fold: &Folded, repr: Repr) -> String {
        let (name, offset) = (type_name(repr), self.fold_places[k].values.unwrap_or(0));
        let (_, value) = finish(fold, "p.v", "", "");
        format!(
            "    {{
      {name} x[16];
      {name} *staged = ({name} *)(stage + {offset});
      read_sixteen<{name}>(staged, x);
      u32 flags = starts;
      scan_sixteen<{name}>(x, flags);
      const Left<{name}> left = held(h.left{k});
#pragma unroll
      for (int i = 0; i < 16; i++) {{
        Pair<{name}> p = local_value<{name}>(left, x[i], (flags >> i & 1) != 0);
        if (!partial) {{
          if (!p.f) {{ p.v = add<{name}>(carry.a{k}, p.v); }}
          p.v = {value};
        }} else {{
          p.v = canonical<{name}>(p.v);
        }}
        x[i] = p.v;
      }}
      write_sixteen<{name}>(staged, x);
    }}
"
        )
    }

    /// The offset of what a fold takes.
    pub(super) fn staged(&self, k: usize) -> usize {
        self.fold_places[k].values.unwrap_or(0)
    }

    /// Takes the staged value of row `r`, the thread's row `i`, into an accumulator.
    pub(super) fn take_staged(&self, k: usize, fold: &Folded, into: &str) -> String {
        let place = self.fold_places[k];
        let there = format!("bit_at(shared + {}, r)", place.valid.unwrap_or(self.keep));
        let value = match (place.values, place.truth, fold.taken) {
            (Some(offset), _, Some(repr)) => {
                let name = type_name(repr);
                format!("((const {name} *)(stage + {offset}))[place<{name}>(r)]")
            }
            (_, Some(offset), _) => format!("bit_at(shared + {offset}, r)"),
            (_, None, _) => String::new(),
        };
        format!("      {}\n", take(fold, k, into, &there, &value))
    }
}

/// The statements that make finished running sums of sixteen values `x` into `done`, after the sum `start`.
fn running_sums(fold: &Folded, sum: &str) -> String {
    let output = type_name(fold.output.repr());
    let plain = matches!(fold.output, DType::I32 | DType::U32 | DType::I64 | DType::U64);
    let (open, kind, row, close) = if plain && fold.taken == Some(fold.output.repr()) {
        // A start that does not fit is the sum of an earlier row, so there is a fault whatever comes here.
        let open = format!("        {output} bad = 0;\n        misfit = ({sum})({output})start != start;\n");
        let close = "        misfit = misfit || has_sign(bad);\n";
        (open, output, "sum = add_noting(sum, x[i], bad);\n          done[i] = sum;".to_string(), close)
    } else {
        // A row that is not selected adds nothing: its sum is that of the last one that is.
        let (check, value) = finish(fold, "sum", sum, "misfit = true;");
        (String::new(), sum, format!("sum += ({sum})x[i];\n          {check}\n          done[i] = {value};"), "")
    };
    format!(
        "{open}        {kind} sum = ({kind})start;
#pragma unroll
        for (int i = 0; i < 16; i++) {{
          if (SEGMENTS && (starts >> i & 1) != 0) {{ sum = 0; }}
          {row}
        }}
{close}"
    )
}
