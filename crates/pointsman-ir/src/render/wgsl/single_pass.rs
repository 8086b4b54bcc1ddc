//! The `compact` sink in one pass over memory, for rows that are too wide or take too long to be kept (`staged`): a
//! workgroup takes a leaf, finds out where its rows go, and computes those that are selected once more, out of the
//! cache.

use super::look_back;
use super::positional::{HEAD, PREFIX, outputs, selected_rows};
use super::row::Writer;
use crate::body::ValueId;
use crate::kernel::LEAF_ROWS;
use crate::render::NotRendered;

/// The functions of the sink.
pub(super) fn functions(writer: &Writer<'_>, columns: &[ValueId]) -> Result<String, NotRendered> {
    let row = writer.row(super::positional::column_fields(writer, columns))?;
    let look = look_back::functions(&counted(writer));
    Ok(row + PREFIX + &look + &entry(writer, &outputs(writer, columns)))
}

/// Counts an invocation's rows of a leaf.
fn counted(writer: &Writer<'_>) -> String {
    format!(
        "  for (var k = 0u; k < 32u; k++) {{
    let r = tile * 4096u + k * 128u + lane;
    let x = {};
    count += u32((r < rows) & x.selected);
  }}\n",
        writer.row_at("min(r, last)")
    )
}

fn entry(writer: &Writer<'_>, outputs: &str) -> String {
    let together = writer.rows_together();
    let select = select_rows(writer, together);
    format!(
        "var<workgroup> shared_masks: array<u32, 128>;
var<workgroup> shared_words: array<u32, 128>;
var<workgroup> shared_count: u32;
@compute @workgroup_size(128)
fn compact(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let leaf = {taken};
{HEAD}  var mask = 0u;
  for (var k = 0u; k < {steps}; k += {together}u) {{
{select}  }}
  shared_masks[lane] = mask;
  workgroupBarrier();
  // Bit b of word w is row 32 w + b: of invocation 32 (w mod 4) + b, bit w / 4. Each starts elsewhere, to spread banks.
  var word = 0u;
  for (var i = 0u; i < {steps}; i++) {{
    let b = (i + 8u * (lane & 3u)) & 31u;
    word |= ((shared_masks[(lane & 3u) * 32u + b] >> (lane >> 2u)) & 1u) << b;
  }}
  shared_words[lane] = word;
  let left = places_before(lane, countOneBits(word));
  shared_places[lane] = left;
  if (lane == 127u) {{ shared_count = left + countOneBits(word); }}
  let count = workgroupUniformLoad(&shared_count);
  let first = args[1].x;
  let number = first + leaf;
{place}  let base = before - args[1].z;
{selected}}}\n",
        taken = look_back::taken(writer.target.order, LEAF_ROWS as u32),
        place = look_back::place(""),
        selected = selected_rows(writer, outputs),
        steps = writer.bound(32),
    )
}

/// Statements that set the mask's bits of `together` rows, whose reads overlap.
fn select_rows(writer: &Writer<'_>, together: u32) -> String {
    let mut text = String::new();
    for j in 0..together {
        text += &format!("    let r{j} = start + (k + {j}u) * 128u + lane;\n");
        text += &format!("    let x{j} = {};\n", writer.row_at(&format!("min(r{j}, last)")));
    }
    for j in 0..together {
        let fault = writer.tell_fault(&format!("r{j}"), &format!("x{j}.bad && r{j} < rows"));
        text += &format!("    {fault}\n    mask |= u32((r{j} < rows) & x{j}.selected) << (k + {j}u);\n");
    }
    text
}
