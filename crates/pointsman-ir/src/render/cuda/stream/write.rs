//! Writes a tile: its selected rows and, in the partial form, their heads and the leaf's node.

use super::super::dialect::type_name;
use super::super::fold::Kept;
use super::super::words::Words;
use super::{HEAD, Place, Stream};
use crate::types::Repr;
use std::fmt::Write;

impl Stream {
    /// The statements that write the selected rows.
    pub(super) fn write_rows(&self) -> String {
        let index = self.index_text();
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

    /// Writes the heads of rows, in the partial form of a `Scan`.
    pub(super) fn write_heads(&self) -> String {
        let word = |number: usize| self.words.output(number);
        let index = self.index_text();
        format!(
            "  if (partial) {{
    u32 before = 0, started = {};
    for (int i = 0; i < 16; i++) {{
      started |= starts >> i & 1;
      before |= (started == 0u ? 1u : 0u) << i;
    }}
    ((u16 *)(shared + {}))[threadIdx.x] = (u16)before;
    __syncwarp();
    for (u32 i = threadIdx.x % 32; i < count; i += 32) {{ ((u64 *)a.w[{}])[out + i] = tile; }}
    write_bits((u32 *)a.w[{}], out, count, (const u32 *)(shared + {}), {index});
    write_bits((u32 *)a.w[{}], out, count, (const u32 *)(shared + {}), {index});
  }}
",
            if self.segment.is_some() { "h.left.starts" } else { "0u" },
            self.before,
            word(0),
            word(1),
            self.before,
            word(2),
            self.starts,
        )
    }

    /// Writes the node of a leaf, in the partial form of a `Scan`.
    pub(super) fn write_node(&self) -> String {
        let word = |number: usize| self.words.output(number);
        let nodes = HEAD + self.columns.len() + self.folds.len();
        let mut text = format!(
            "  if (a.w[{}] != 0ull && threadIdx.x == 0) {{
    const u64 at = tile - first;
    ((u8 *)a.w[{}])[at] = 0;
    ((u64 *)a.w[{}])[at] = tile;
",
            Words::FORM,
            word(nodes),
            word(nodes + 1),
        );
        if self.segment.is_some() {
            let _ = writeln!(text, "    if (all.e.starts != 0u) {{ set_bit(a.w[{}], at); }}", word(nodes + 2));
        }
        for (k, fold) in self.folds.iter().enumerate() {
            let (word, name) = (word(nodes + 3 + k), fold.type_name());
            let value = if fold.float().is_some() { format!("all.a{k}") } else { format!("all.e.a{k}") };
            let value = if fold.kept == Kept::Exact { value } else { format!("canonical<{name}>({value})") };
            if fold.nullable() {
                let _ = writeln!(text, "    if (all.e.h{k} != 0u) {{ set_bit(a.w[{}], at); }}", word + 1);
            }
            let there = if fold.nullable() { format!("all.e.h{k} != 0u") } else { "true".to_string() };
            if name == "bool" {
                let _ = writeln!(text, "    if ({there} && {value}) {{ set_bit(a.w[{word}], at); }}");
            } else {
                let _ = writeln!(text, "    (({name} *)a.w[{word}])[at] = ({there}) ? {value} : ({name})0;");
            }
        }
        text + "  }\n"
    }

    /// The numbers of the selected rows, where not all are.
    fn index_text(&self) -> String {
        match (self.packed, self.masked) {
            (true, _) => "packed".to_string(),
            (false, true) => format!("(const u16 *)(shared + {})", self.index),
            (false, false) => "0".to_string(),
        }
    }
}

/// The statements that write a staged value of the selected rows.
pub(super) fn write_staged(repr: Repr, place: Place, nullable: bool, word: &str, index: &str) -> String {
    let mut text = String::new();
    let bits = |text: &mut String, word: &str, offset: usize| {
        let staged = format!("(const u32 *)(shared + {offset})");
        let _ = writeln!(text, "    write_bits((u32 *)a.w[{word}], out, count, {staged}, {index});");
    };
    if let Some(offset) = place.values {
        let name = type_name(repr);
        let staged = format!("(const {name} *)(stage + {offset})");
        let _ = match index {
            "packed" => writeln!(text, "    write_packed<{name}>(({name} *)a.w[{word}], out, count, {staged});"),
            "0" => writeln!(text, "    write_all<{name}>(({name} *)a.w[{word}], out, count, {staged});"),
            index => writeln!(text, "    write_values<{name}>(({name} *)a.w[{word}], out, count, {staged}, {index});"),
        };
    }
    if let Some(offset) = place.truth {
        bits(&mut text, word, offset);
    }
    if let (Some(offset), true) = (place.valid, nullable) {
        bits(&mut text, &format!("{word} + 1"), offset);
    }
    text
}
