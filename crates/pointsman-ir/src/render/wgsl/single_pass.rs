//! The `compact` sink in one pass over memory: a workgroup takes the next leaf, tells how many rows it selects, finds out
//! how many the leaves before it do, and writes its rows.
//!
//! A leaf's word holds a tag and a count: nothing yet, its own rows, or all rows up to it. Leaves are taken in order, so
//! those before have been started; but no workgroup relies on another going on: after a few looks at a word that says
//! nothing it counts that leaf's rows itself.

use super::positional::{HEAD, PREFIX, outputs, selected_rows};
use super::row::Writer;
use crate::body::ValueId;
use crate::render::NotRendered;

/// Bits of a leaf's word that count rows; a launch of more is not made in one pass.
pub const COUNT_BITS: u32 = 30;

/// The functions of the sink.
pub(super) fn functions(writer: &Writer<'_>, columns: &[ValueId]) -> Result<String, NotRendered> {
    let row = writer.row(super::positional::column_fields(writer, columns))?;
    let before = BEFORE.replace("ROW", &writer.row_at("min(r, last)"));
    Ok(row + PREFIX + &before + &entry(writer, &outputs(writer, columns)))
}

fn entry(writer: &Writer<'_>, outputs: &str) -> String {
    let together = writer.rows_together();
    let select = select_rows(writer, together);
    format!(
        "var<workgroup> shared_masks: array<u32, 128>;
var<workgroup> shared_words: array<u32, 128>;
var<workgroup> shared_leaf: u32;
var<workgroup> shared_count: u32;
@compute @workgroup_size(128)
fn compact(@builtin(local_invocation_index) lane: u32) {{
  if (lane == 0u) {{ shared_leaf = atomicAdd(&status[args[1].y + 2u], 1u); }}
  let leaf = workgroupUniformLoad(&shared_leaf);
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
  let before = places_before(lane, countOneBits(word));
  shared_places[lane] = before;
  if (lane == 127u) {{ shared_count = before + countOneBits(word); }}
  let count = workgroupUniformLoad(&shared_count);
  let number = args[1].x + leaf;
  if (lane == 0u) {{ atomicStore(&nodes[number], select(0x40000000u, 0x80000000u, number == 0u) | count); }}
  let rows_before = rows_before_leaf(number, lane);
  if (lane == 0u) {{ atomicStore(&nodes[number], 0x80000000u | (rows_before + count)); }}
  let base = rows_before - args[1].z;
{selected}}}\n",
        selected = selected_rows(writer, outputs),
        steps = writer.bound(32),
    )
}

/// Statements that set the mask's bits of so many rows, whose reads are under way together.
fn select_rows(writer: &Writer<'_>, together: u32) -> String {
    let mut text = String::new();
    for j in 0..together {
        text += &format!("    let r{j} = start + (k + {j}u) * 128u + lane;\n");
        text += &format!("    let x{j} = {};\n", writer.row_at(&format!("min(r{j}, last)")));
    }
    for j in 0..together {
        let fault = writer.tell_fault(&format!("r{j}"), &format!("x{j}.bad && r{j} < rows"));
        text += &format!("    {fault}\n    mask |= u32(r{j} < rows && x{j}.selected) << (k + {j}u);\n");
    }
    text
}

/// Looks at 128 leaves at a time, from the nearest on, until one tells of all rows up to it.
const BEFORE: &str = "var<workgroup> first_whole: atomic<u32>;
var<workgroup> first_missing: atomic<u32>;
var<workgroup> window_sum: atomic<u32>;
var<workgroup> shared_view: vec3<u32>;
fn count_leaf(leaf: u32, lane: u32) -> u32 {
  let rows = args[0].x;
  let last = rows - 1u;
  if (lane == 0u) { atomicStore(&window_sum, 0u); }
  workgroupBarrier();
  var count = 0u;
  for (var k = 0u; k < 32u; k++) {
    let r = leaf * 4096u + k * 128u + lane;
    let x = ROW;
    count += u32(r < rows && x.selected);
  }
  atomicAdd(&window_sum, count);
  workgroupBarrier();
  if (lane == 0u) { shared_view = vec3<u32>(0u, 0u, atomicLoad(&window_sum)); }
  return workgroupUniformLoad(&shared_view).z;
}
fn rows_before_leaf(number: u32, lane: u32) -> u32 {
  var sum = 0u;
  var at = number;
  var looks = 0u;
  for (var i = 0u; i < 0x7fffffffu && number > 0u; i++) {
    if (lane == 0u) {
      atomicStore(&first_whole, 128u);
      atomicStore(&first_missing, 128u);
      atomicStore(&window_sum, 0u);
    }
    workgroupBarrier();
    // Before the first leaf there is nothing, and that is all of it.
    var state = 0x80000000u;
    if (lane < at) { state = atomicLoad(&nodes[at - 1u - lane]); }
    if ((state >> 30u) == 2u) { atomicMin(&first_whole, lane); }
    if ((state >> 30u) == 0u) { atomicMin(&first_missing, lane); }
    workgroupBarrier();
    if (lane <= atomicLoad(&first_whole)) { atomicAdd(&window_sum, state & 0x3fffffffu); }
    workgroupBarrier();
    if (lane == 0u) {
      shared_view = vec3<u32>(atomicLoad(&first_whole), atomicLoad(&first_missing), atomicLoad(&window_sum));
    }
    let view = workgroupUniformLoad(&shared_view);
    if (view.y < view.x) {
      looks++;
      if (looks > 16u) {
        looks = 0u;
        let missing = at - 1u - view.y;
        let count = count_leaf(missing - args[1].x, lane);
        if (lane == 0u) { atomicMax(&nodes[missing], 0x40000000u | count); }
      }
    } else {
      sum += view.z;
      if (view.x < 128u) { break; }
      at -= 128u;
    }
  }
  return sum;
}
";
