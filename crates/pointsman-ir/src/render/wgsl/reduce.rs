//! The `reduce` sink: an invocation folds every 128th row of a leaf, in order; then the invocations' results are
//! joined, each with the one half the rest away, as the leaf's meaning says.

use super::folds::{Kind, define_wide, finish_into};
use super::layout::NodeWords;
use super::memory::Reads;
use super::reduce_quads;
use super::row::{Field, Writer};
use super::tree::{NodeCode, RootAction, join};
use super::types::storage_type;
use crate::kernel::Fold;
use crate::render::NotRendered;
use crate::render::c_style;
use crate::types::Repr;
use std::collections::BTreeSet;

/// The node of a `reduce`.
pub(super) fn node(writer: &Writer<'_>, folds: &[Fold]) -> NodeCode {
    let kinds = folds.iter().map(|fold| Kind::of(fold, &writer.kernel().body)).collect();
    NodeCode(NodeWords { kinds, counts: false, segments: false, tagged: false })
}

/// Fields of a row for folds: `xK` the value and `yK` whether it counts.
pub(super) fn fold_fields(writer: &Writer<'_>, folds: &[Fold]) -> Vec<Field> {
    let mut fields = Vec::new();
    for (k, fold) in folds.iter().enumerate() {
        match fold.value() {
            Some(v) => {
                let repr = writer.kernel().body.ty(v).dtype.repr();
                fields.push(Field::new(format!("x{k}"), storage_type(repr), c_style::value(v)));
                fields.push(Field::new(format!("y{k}"), "bool", writer.valid(v)));
            }
            None => {
                fields.push(Field::new(format!("x{k}"), "bool", "true"));
                fields.push(Field::new(format!("y{k}"), "bool", "true"));
            }
        }
    }
    fields
}

/// The functions of the sink.
pub(super) fn functions(writer: &Writer<'_>, folds: &[Fold]) -> Result<String, NotRendered> {
    let shape = node(writer, folds);
    for kind in &shape.kinds {
        if let Kind::Sum(repr) = kind {
            define_wide(&writer.library, *repr);
        }
    }
    let row = writer.row(fold_fields(writer, folds))?;
    let functions = shape.functions(&writer.library) + &finish(writer, &shape, folds);
    let lanes = lanes(writer, &shape);
    let entry = match reads(writer, folds) {
        Reads::Quads => reduce_quads::entry(writer, &lanes),
        Reads::Rows => entry(writer, &lanes),
    };
    Ok(row + &functions + &entry + &join(&shape, RootAction::CallFinish))
}

/// Writes the finished values of a whole result after the tree, where the host asks for them.
fn finish(writer: &Writer<'_>, shape: &NodeCode, folds: &[Fold]) -> String {
    let outputs = folds.iter().map(|fold| fold.output(&writer.kernel().body).dtype.repr());
    let sides = shape.kinds.iter().zip(outputs).enumerate();
    let written: String = sides.map(|(k, (kind, repr))| finish_into(*kind, repr, k, &format!("n.f{k}"))).collect();
    format!(
        "fn finish_node(n: Node) {{
  if (args[1].z == 0u) {{ return; }}
  let at = args[2].w * {}u;
{written}}}\n",
        shape.len()
    )
}

/// How an invocation keeps an accumulator: integers of at most 32 bits are summed in 64 inside a leaf.
pub(super) struct Lane {
    kind: Kind,
    long: bool,
}

impl Lane {
    pub(super) fn ty(&self) -> String {
        if self.long { "i64".to_string() } else { self.kind.ty() }
    }

    pub(super) fn identity(&self) -> String {
        if self.long { "0li".to_string() } else { self.kind.identity() }
    }

    pub(super) fn combine(&self, a: &str, b: &str, writer: &Writer<'_>) -> String {
        if self.long { format!("({a} + {b})") } else { self.kind.combine(a, b, &writer.library) }
    }

    pub(super) fn input(&self, k: usize) -> String {
        if let (true, Kind::Sum(repr)) = (self.long, self.kind) {
            return format!("select(0li, {}, there)", super::casts::convert(repr, Repr::I64, &format!("x.x{k}")));
        }
        self.kind.input(&format!("x.x{k}"), "there")
    }

    pub(super) fn result(&self, text: &str) -> String {
        if self.long { format!("words_of_i64({text})") } else { text.to_string() }
    }
}

/// Nodes of at most this many words are folded four rows at a time, in four accumulators an invocation.
const QUAD_WORDS: usize = 4;

/// How `leaves` reads rows.
pub(super) fn reads(writer: &Writer<'_>, folds: &[Fold]) -> Reads {
    let few = node(writer, folds).len() <= QUAD_WORDS && writer.rows_together() > 1;
    if few { Reads::Quads } else { Reads::Rows }
}

fn lanes(writer: &Writer<'_>, shape: &NodeCode) -> Vec<Lane> {
    let long = |kind: &Kind| writer.target.i64 && kind.is_short_sum();
    shape.kinds.iter().map(|kind| Lane { kind: *kind, long: long(kind) }).collect()
}

fn entry(writer: &Writer<'_>, lanes: &[Lane]) -> String {
    let types: BTreeSet<String> = lanes.iter().map(Lane::ty).collect();
    let shared: String =
        types.iter().map(|ty| format!("var<workgroup> {}: array<{ty}, 128>;\n", shared_name(ty))).collect();
    let declared: String = lanes
        .iter()
        .enumerate()
        .map(|(k, lane)| format!("  var s{k}: {} = {};\n", lane.ty(), lane.identity()))
        .collect();
    let unrolled = writer.rows_together();
    let mut rows = String::new();
    for j in 0..unrolled {
        rows += &format!("    let r{j} = start + k * 128u + {}u + lane;\n", j * 128);
        rows += &format!("    let row{j} = {};\n", writer.row_at(&format!("min(r{j}, last)")));
    }
    for j in 0..unrolled {
        rows += &format!("    {{\n      let x = row{j};\n      let live = r{j} < rows;\n");
        rows += &format!("      {}\n", writer.tell_fault(&format!("r{j}"), "x.bad && live"));
        for (k, lane) in lanes.iter().enumerate() {
            let added = lane.combine(&format!("s{k}"), &lane.input(k), writer);
            rows += &format!("      {{ let there = live & x.selected & x.y{k}; s{k} = {added}; }}\n");
        }
        rows += "    }\n";
    }
    let joined: String = lanes.iter().enumerate().map(|(k, lane)| join_lanes(k, lane, writer)).collect();
    let results: Vec<String> = lanes.iter().enumerate().map(|(k, lane)| lane.result(&format!("s{k}"))).collect();
    format!(
        "{shared}@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) {{ return; }}
  let last = rows - 1u;
{declared}  for (var k = 0u; k < {steps}; k += {unrolled}u) {{
{rows}  }}
{joined}  if (lane == 0u) {{
    let made = Node({});
    put_node(args[1].x + leaf, made);
    if (args[2].y == 1u) {{ finish_node(made); }}
  }}
}}\n",
        results.join(", "),
        steps = writer.bound(32),
    )
}

pub(super) fn shared_name(ty: &str) -> String {
    format!("shared_{}", ty.replace(['<', '>'], "_"))
}

/// Joins the invocations' accumulators; the first has the result.
fn join_lanes(k: usize, lane: &Lane, writer: &Writer<'_>) -> String {
    let shared = shared_name(&lane.ty());
    let both = lane.combine(&format!("s{k}"), &format!("{shared}[lane + h]"), writer);
    format!(
        "  {shared}[lane] = s{k};
  for (var h = 64u; h > 0u; h = h >> 1u) {{
    workgroupBarrier();
    if (lane < h) {{ s{k} = {both}; {shared}[lane] = s{k}; }}
  }}
  workgroupBarrier();\n"
    )
}
