//! Renders `rows_before`, which returns the number of rows that the tiles before a workgroup's own select, in one pass
//! over memory.
//!
//! The word of a tile holds a tag and a count: empty (0), the tile's own rows (1), or all rows up to it (2). A
//! workgroup reads the words of the [`WINDOW`] tiles before its own at once. If one is empty, a single invocation polls
//! that word alone, so that polling does not slow down the workgroups that write. Workgroups start in order on most
//! devices, but correctness does not depend on that, nor on the progress of other workgroups: after a few polls of an
//! empty word, the workgroup counts that tile's rows itself.

use super::TileOrder;

/// Bits of a tile's word that count rows; a launch of more is not made in one pass.
pub const COUNT_BITS: u32 = 30;
/// The number of tiles whose words a workgroup reads at once: more than begin meanwhile, or it would fall behind.
const WINDOW: u32 = 128;
/// Words that one invocation joins.
const PART: u32 = 16;
/// How often an empty word is polled before the workgroup counts the rows of its tile itself.
const ASKED: u32 = 64;

/// The functions for workgroups of at least [`WINDOW`] invocations. `counted` are statements that add an invocation's
/// rows of tile `tile` of the dispatch to `count`.
pub(super) fn functions(counted: &str) -> String {
    let parts = WINDOW / PART;
    format!(
        "var<workgroup> shared_look: array<u32, {padded}>;
var<workgroup> shared_parts: array<u32, {parts}>;
var<workgroup> shared_view: u32;
var<workgroup> shared_sum: atomic<u32>;
fn joined_words(near: u32, far: u32) -> u32 {{
  return select(near, far + (near & 0x3fffffffu), (near >> 30u) == 1u);
}}
fn count_tile(tile: u32, lane: u32) -> u32 {{
  let rows = args[0].x;
  let last = rows - 1u;
  if (lane == 0u) {{ atomicStore(&shared_sum, 0u); }}
  workgroupBarrier();
  var count = 0u;
{counted}  atomicAdd(&shared_sum, count);
  workgroupBarrier();
  if (lane == 0u) {{ shared_view = atomicLoad(&shared_sum); }}
  return workgroupUniformLoad(&shared_view);
}}
fn nearest_missing(state: u32, lane: u32) -> u32 {{
  if (lane == 0u) {{ atomicStore(&shared_sum, {WINDOW}u); }}
  workgroupBarrier();
  if (state == 0u) {{ atomicMin(&shared_sum, lane); }}
  workgroupBarrier();
  if (lane == 0u) {{ shared_view = atomicLoad(&shared_sum); }}
  return workgroupUniformLoad(&shared_view);
}}
fn ask_for(number: u32, first: u32, lane: u32) {{
  if (lane == 0u) {{
    var state = 0u;
    for (var i = 0u; i < {ASKED}u && state == 0u; i++) {{ state = atomicLoad(&nodes[number]); }}
    shared_view = state;
  }}
  if (workgroupUniformLoad(&shared_view) == 0u) {{
    let count = count_tile(number - first, lane);
    if (lane == 0u) {{ atomicMax(&nodes[number], 0x40000000u | count); }}
  }}
}}
fn rows_before(first: u32, number: u32, lane: u32) -> u32 {{
  var sum = 0u;
  var at = number;
  for (var i = 0u; i < 0x7fffffffu && number > 0u; i++) {{
    // Before the first tile there is nothing, and that is all of it.
    var state = 0x80000000u;
    if (lane < min(at, {WINDOW}u)) {{ state = atomicLoad(&nodes[at - 1u - lane]); }}
    if (lane < {WINDOW}u) {{ shared_look[lane + lane / {PART}u] = state; }}
    workgroupBarrier();
    if (lane < {parts}u) {{
      var part = 0x40000000u;
      for (var k = 0u; k < {PART}u; k++) {{ part = joined_words(part, shared_look[lane * {stride}u + k]); }}
      shared_parts[lane] = part;
    }}
    workgroupBarrier();
    if (lane == 0u) {{
      var all = 0x40000000u;
      for (var k = 0u; k < {parts}u; k++) {{ all = joined_words(all, shared_parts[k]); }}
      shared_view = all;
    }}
    let view = workgroupUniformLoad(&shared_view);
    // Where a word says nothing, these are the rows of the tiles from there on.
    sum += view & 0x3fffffffu;
    if ((view >> 30u) == 2u) {{ break; }}
    if ((view >> 30u) == 1u) {{
      at -= {WINDOW}u;
    }} else {{
      at -= nearest_missing(state, lane);
      ask_for(at - 1u, first, lane);
    }}
  }}
  return sum;
}}\n",
        padded = WINDOW + parts,
        stride = PART + 1,
    )
}

/// The tile of `tile_rows` rows that a workgroup takes; there is none after the last.
pub(super) fn taken(order: TileOrder, tile_rows: u32) -> String {
    let group = "group.x + group.y * args[0].w";
    match order {
        TileOrder::Forward => group.to_string(),
        TileOrder::Backward => {
            let tiles = format!("(args[0].x + {}u) / {tile_rows}u", tile_rows - 1);
            format!("select({tiles}, {tiles} - 1u - ({group}), {group} < {tiles})")
        }
    }
}

/// Statements that tell of the tile's `count` rows and define `before`, the rows of the tiles before it. `number` is
/// the launch's number of the tile, `first` that of the dispatch's first one. What `between` says is done while others
/// count.
pub(super) fn place(between: &str) -> String {
    format!(
        "  if (lane == 0u) {{ atomicStore(&nodes[number], select(0x40000000u, 0x80000000u, number == 0u) | count); }}
{between}  let before = rows_before(first, number, lane);
  if (lane == 0u) {{ atomicStore(&nodes[number], 0x80000000u | (before + count)); }}\n"
    )
}
