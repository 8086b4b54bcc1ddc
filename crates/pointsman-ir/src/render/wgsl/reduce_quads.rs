//! The leaves of a `reduce` of few folds: 32 invocations take a leaf, four rows at a time, each with the accumulators
//! of four of the leaf's 128 lanes, so that they read whole vectors. The bits are those of one accumulator an
//! invocation.

use super::reduce::{Lane, shared_name};
use super::row::Writer;
use std::collections::BTreeSet;

/// Leaves that a workgroup takes.
pub(super) const GROUP_LEAVES: u32 = 4;

/// The entry point `leaves`.
pub(super) fn entry(writer: &Writer<'_>, lanes: &[Lane]) -> String {
    let types: BTreeSet<String> = lanes.iter().map(Lane::ty).collect();
    let shared: String =
        types.iter().map(|ty| format!("var<workgroup> {}: array<{ty}, 512>;\n", shared_name(ty))).collect();
    let declared: String = (lanes.iter().enumerate())
        .flat_map(|(k, lane)| (0..4).map(move |j| (k, lane, j)))
        .map(|(k, lane, j)| format!("  var s{k}_{j}: {} = {};\n", lane.ty(), lane.identity()))
        .collect();
    let together = writer.quads_together();
    let loads: String = (0..together).map(|number| load(writer, number)).collect();
    let rows: String = (0..together)
        .flat_map(|set| (0..4).map(move |j| (set, j)))
        .map(|(set, j)| row(writer, lanes, set, j))
        .collect();
    let joined: String = lanes.iter().enumerate().map(|(k, lane)| join_lanes(k, lane, writer)).collect();
    let results: Vec<String> = lanes.iter().enumerate().map(|(k, lane)| lane.result(&format!("s{k}_0"))).collect();
    format!(
        "{shared}@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let rows = args[0].x;
  let first_leaf = (group.x + group.y * args[0].w) * {GROUP_LEAVES}u;
  if (first_leaf * 4096u >= rows) {{ return; }}
  let leaf = first_leaf + (lane >> 5u);
  let start = leaf * 4096u;
  let quad = lane & 31u;
  let last = rows - 1u;
{declared}  for (var k = 0u; k < {steps}; k += {together}u) {{
{loads}{rows}  }}
{joined}  if (quad == 0u && start < rows) {{
    let made = Node({results});
    put_node(args[1].x + leaf, made);
    if (args[2].y == 1u) {{ finish_node(made); }}
  }}
}}\n",
        results = results.join(", "),
        steps = writer.bound(32),
    )
}

/// Statements that read four rows of every column.
fn load(writer: &Writer<'_>, number: u32) -> String {
    let set = format!("_{number}");
    let quads: String = writer.columns().iter().map(|column| column.read_quad(&set)).collect();
    format!(
        "    let base{set} = start + (k + {number}u) * 128u + quad * 4u;
    let first{set} = min(base{set}, last & ~3u);\n{quads}"
    )
}

/// Statements that fold row `j` of a set.
fn row(writer: &Writer<'_>, lanes: &[Lane], number: u32, j: u32) -> String {
    let (at, set) = (format!("{j}u"), format!("_{number}"));
    let mut text = format!("    {{\n      let x = {};\n", writer.row_of_quad(&at, &set));
    text += &format!("      let live = base{set} + {at} < rows;\n");
    text += &format!("      {}\n", writer.tell_fault(&format!("base{set} + {at}"), "x.bad && live"));
    for (k, lane) in lanes.iter().enumerate() {
        let added = lane.combine(&format!("s{k}_{j}"), &lane.input(k), writer);
        text += &format!("      {{ let there = live & x.selected & x.y{k}; s{k}_{j} = {added}; }}\n");
    }
    text + "    }\n"
}

/// Joins the accumulators of a leaf, each with the one half the rest away; the first has the result.
fn join_lanes(k: usize, lane: &Lane, writer: &Writer<'_>) -> String {
    let shared = shared_name(&lane.ty());
    let kept: String = (0..4).map(|j| format!("{shared}[lane + {}u] = s{k}_{j}; ", 128 * j)).collect();
    let other = |j: u32| format!("{shared}[lane + h + {}u]", 128 * j);
    let both: String =
        (0..4).map(|j| format!("s{k}_{j} = {}; ", lane.combine(&format!("s{k}_{j}"), &other(j), writer))).collect();
    let own = |a: u32, b: u32| {
        format!("  s{k}_{a} = {};\n", lane.combine(&format!("s{k}_{a}"), &format!("s{k}_{b}"), writer))
    };
    format!(
        "  {kept}
  for (var h = 16u; h > 0u; h = h >> 1u) {{
    workgroupBarrier();
    if (quad < h) {{ {both}{kept}}}
  }}
  workgroupBarrier();
{}{}{}",
        own(0, 2),
        own(1, 3),
        own(0, 1)
    )
}
