//! The `compact` sink: `leaves` counts the selected rows of each leaf, `write` puts them after those of the leaves
//! before. An invocation looks at every 128th row, so that neighbours read and write neighbouring memory.

use super::layout::NodeWords;
use super::memory::write_moved;
use super::row::{Field, Writer};
use super::tree::{CARRY, NodeCode, RootAction, join};
use super::types::storage_type;
use crate::body::ValueId;
use crate::render::NotRendered;
use crate::types::{Repr, Type};

/// The node of a `compact`: how many rows are selected.
pub(super) fn node() -> NodeCode {
    NodeCode(NodeWords { kinds: Vec::new(), counts: true, segments: false, tagged: false })
}

/// Fields of a row for columns that are written as they are: `oK` and, if it may be null, `qK`.
pub(super) fn column_fields(writer: &Writer<'_>, columns: &[ValueId]) -> Vec<Field> {
    let mut fields = Vec::new();
    for (k, &v) in columns.iter().enumerate() {
        let there = writer.valid(v);
        let repr = writer.kernel().body.ty(v).dtype.repr();
        fields.push(Field::new(format!("o{k}"), storage_type(repr), writer.leaving(v, &there)));
        fields.push(Field::new(format!("q{k}"), "bool", there));
    }
    fields
}

/// Statements that write a value and its bit at `place`.
pub(super) fn write_output(k: usize, ty: Type, value: &str, valid: &str) -> String {
    let mut text = format!("        {}\n", write_moved(ty.dtype.repr(), &format!("out{k}"), "place", value));
    if ty.nullable {
        text += &format!("        {}\n", write_moved(Repr::Bool, &format!("outv{k}"), "place", valid));
    }
    text
}

/// Statements that write the columns of row `x` at `place`.
pub(super) fn outputs(writer: &Writer<'_>, columns: &[ValueId]) -> String {
    let types = writer.kernel().body.types_of(columns);
    let outputs = types.iter().enumerate().map(|(k, &ty)| write_output(k, ty, &format!("x.o{k}"), &format!("x.q{k}")));
    outputs.collect()
}

/// The functions of the sink.
pub(super) fn functions(writer: &Writer<'_>, columns: &[ValueId]) -> Result<String, NotRendered> {
    let row = writer.row(column_fields(writer, columns))?;
    let functions = node().functions(&writer.library);
    Ok(row
        + &functions
        + &leaves(writer)
        + &join(&node(), RootAction::Store)
        + CARRY
        + &write(writer, &outputs(writer, columns)))
}

/// Where a leaf starts; nothing is done beyond the rows.
pub(super) const HEAD: &str = "  let rows = args[0].x;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
";

fn leaves(writer: &Writer<'_>) -> String {
    format!(
        "var<workgroup> shared_counts: array<u32, 128>;
@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let leaf = group.x + group.y * args[0].w;
{HEAD}  var count = 0u;
  for (var k = 0u; k < {steps}; k++) {{
    let r = start + k * 128u + lane;
    let x = {row};
    count += u32((r < rows) & x.selected);
  }}
  shared_counts[lane] = count;
  for (var h = 64u; h > 0u; h = h >> 1u) {{
    workgroupBarrier();
    if (lane < h) {{ count += shared_counts[lane + h]; shared_counts[lane] = count; }}
  }}
  if (lane == 0u) {{ put_node(args[1].x + leaf, Node(count)); }}
}}\n",
        row = writer.row_at("min(r, last)"),
        steps = writer.bound(32),
    )
}

/// The places of a leaf's rows: a word of selected rows for each invocation, and how many lie before the word.
fn write(writer: &Writer<'_>, outputs: &str) -> String {
    format!(
        "var<workgroup> shared_masks: array<u32, 128>;
var<workgroup> shared_words: array<u32, 128>;
{PREFIX}@compute @workgroup_size(128)
fn write(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let leaf = group.x + group.y * args[0].w;
{HEAD}  var mask = 0u;
  for (var k = 0u; k < {steps}; k++) {{
    let r = start + k * 128u + lane;
    let x = {row};
    {fault}
    mask |= u32((r < rows) & x.selected) << k;
  }}
  shared_masks[lane] = mask;
  workgroupBarrier();
  // Bit b of word w is row 32 w + b: of invocation 32 (w mod 4) + b, bit w / 4. Each starts elsewhere, to spread banks.
  var word = 0u;
  for (var i = 0u; i < {steps}; i++) {{
    let b = (i + 8u * (lane & 3u)) & 31u;
    word |= ((shared_masks[(lane & 3u) * 32u + b] >> (lane >> 2u)) & 1u) << b;
  }}
  shared_words[lane] = word;
  let before = places_before(lane, countOneBits(word));
  shared_places[lane] = before;
  workgroupBarrier();
  let base = get_node(args[2].w + args[1].x + leaf).count - args[1].z;
{selected}}}\n",
        selected = selected_rows(writer, outputs),
        row = writer.row_at("min(r, last)"),
        steps = writer.bound(32),
        fault = writer.tell_fault("r", "x.bad && r < rows"),
    )
}

/// Statements that write the rows of `mask`, after the `base` rows before the leaf.
pub(super) fn selected_rows(writer: &Writer<'_>, outputs: &str) -> String {
    format!(
        "  for (var k = 0u; k < {steps}; k++) {{
    let r = start + k * 128u + lane;
    if (((mask >> k) & 1u) == 1u) {{
      let w = 4u * k + (lane >> 5u);
      let below = shared_words[w] & ((1u << (lane & 31u)) - 1u);
      let place = base + shared_places[w] + countOneBits(below);
      if (place < args[1].w) {{
        let x = {row};
{outputs}      }}
    }}
  }}
",
        row = writer.row_at("min(r, last)"),
        steps = writer.bound(32),
    )
}

/// A prefix sum over the invocations: what lies before each. `shared_places` holds nothing afterwards.
pub(super) const PREFIX: &str = "var<workgroup> shared_places: array<u32, 128>;
fn places_before(lane: u32, count: u32) -> u32 {
  var sum = count;
  shared_places[lane] = sum;
  for (var h = 1u; h < 128u; h = h << 1u) {
    workgroupBarrier();
    let left = select(0u, shared_places[max(lane, h) - h], lane >= h);
    workgroupBarrier();
    sum += left;
    shared_places[lane] = sum;
  }
  workgroupBarrier();
  return sum - count;
}
";
