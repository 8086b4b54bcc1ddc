//! The function that computes a chunk's rows and stages what they yield.

use super::super::dialect::type_name;
use super::super::fold::Folded;
use super::super::words::Words;
use super::Stream;
use std::fmt::Write;

impl Stream {
    /// What a fold takes in a row: whether there is a value, and the value.
    pub(super) fn taken(&self, fold: &Folded) -> (String, String) {
        match fold.input {
            Some(input) => (format!("o.keep && o.m{input}"), format!("o.o{input}")),
            None => ("o.keep".to_string(), String::new()),
        }
    }

    /// The function that computes a chunk's rows and stages what they yield.
    pub(super) fn stage_chunk(&self, text: &mut String) {
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
        let count = if self.masked { "  kept += __popc(keep);\n" } else { "" };
        let _ = write!(
            text,
            "FN void stage_chunk(
  const Args &a, u8 *shared, u8 *stage, u64 base, u32 at, const In &in, u64 &worst, u32 &kept
) {{
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
{ends}{count}}}
",
            self.shape.unroll(),
            Words::FIRST_ROW
        );
    }
}
