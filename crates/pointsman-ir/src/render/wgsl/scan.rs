//! The `scan` sink: an invocation takes 32 consecutive rows, two groups of 16, and the groups' totals are scanned the
//! same way twice more, as the leaf's meaning says. `leaves` keeps the leaf's total, `write` adds what lies before the
//! leaf.

use super::Form;
use super::folds::{Kind, define_wide, finished};
use super::layout::NodeWords;
use super::positional::{PREFIX, column_fields, write_output};
use super::reduce::fold_fields;
use super::row::{Field, Writer};
use super::tree::{CARRY, NodeCode, RootAction, join};
use crate::body::ValueId;
use crate::kernel::{Fold, Running};
use crate::render::{NotRendered, c_style};
use crate::types::{DType, Type};
use std::collections::BTreeSet;

/// A scan's parts.
pub(super) struct Scan<'a> {
    pub(super) columns: &'a [ValueId],
    pub(super) running: &'a [Running],
    pub(super) segment: Option<ValueId>,
}

impl Scan<'_> {
    fn folds(&self) -> Vec<Fold> {
        self.running.iter().map(|one| one.fold).collect()
    }

    /// The node of a `scan`.
    pub(super) fn node(&self, writer: &Writer<'_>) -> NodeCode {
        let kinds = self.running.iter().map(|one| Kind::of(&one.fold, &writer.kernel().body)).collect();
        NodeCode(NodeWords { kinds, counts: true, segments: self.segment.is_some(), tagged: false })
    }

    /// The functions of the sink.
    pub(super) fn functions(&self, writer: &Writer<'_>, form: Form) -> Result<String, NotRendered> {
        let shape = self.node(writer);
        for (kind, one) in shape.kinds.iter().zip(self.running) {
            if let Kind::Sum(repr) = kind {
                define_wide(&writer.library, *repr);
                define_wide(&writer.library, one.fold.output(&writer.kernel().body).dtype.repr());
            }
        }
        let mut fields = column_fields(writer, self.columns);
        fields.extend(fold_fields(writer, &self.folds()));
        if let Some(segment) = self.segment {
            fields.push(Field::new("starts", "bool", c_style::is_true(&writer.kernel().body, segment)));
        }
        let row = writer.row(fields)?;
        let node = shape.functions(&writer.library);
        let leaves = self.entry("leaves", writer, &shape, &self.total(&shape));
        let write = self.entry("write", writer, &shape, &self.write(writer, &shape, form));
        Ok(row + &node + &shared(&shape) + PREFIX + &leaves + &join(&shape, RootAction::Store) + CARRY + &write)
    }

    /// An entry point that scans a leaf and then does what `then` says. After the scan, for fold `f`: `af` and `bf`
    /// hold the scanned groups, `uf` and `vf` the totals left of them, `wf` that left of their group of groups; `sa`,
    /// `sb`, `su`, `sv`, `sw` say the same of segment starts.
    fn entry(&self, name: &str, writer: &Writer<'_>, shape: &NodeCode, then: &str) -> String {
        let starts = if self.segment.is_some() { "starts |= u32(x.starts) << i;" } else { "" };
        let fault = if name == "write" { writer.tell_fault("r", "x.bad") } else { String::new() };
        let each = |text: &dyn Fn(usize, &Kind) -> String| -> String {
            shape.kinds.iter().enumerate().map(|(f, kind)| text(f, kind)).collect()
        };
        let declared = each(&|f, kind| {
            let ty = kind.ty();
            format!("  var a{f}: array<{ty}, 16>;\n  var b{f}: array<{ty}, 16>;\n")
        });
        let cleared = each(&|f, kind| format!("    a{f}[i] = {0};\n    b{f}[i] = {0};\n", kind.identity()));
        let taken = each(&take_in);
        let scanned = each(&|f, kind| scan_groups(f, *kind, writer));
        format!(
            "@compute @workgroup_size(128)
fn {name}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) {{ return; }}
  var selected = 0u;
  var starts = 0u;
{declared}  for (var i = 0u; i < {group}; i++) {{
{cleared}  }}
  for (var i = 0u; i < {rows}; i++) {{
    let r = start + lane * 32u + i;
    if (r < rows) {{
      let x = {row};
      {fault}
      if (x.selected) {{
        selected |= 1u << i;
        {starts}
{taken}      }}
    }}
  }}
{GROUP_STARTS}{scanned}{then}}}\n",
            row = writer.row_at("r"),
            rows = writer.bound(32),
            group = writer.bound(16),
        )
    }

    /// The body of `leaves`, which writes the leaf's node.
    fn total(&self, shape: &NodeCode) -> String {
        let mut values: Vec<String> = (0..shape.kinds.len()).map(|f| format!("total{f}")).collect();
        values.push("before + countOneBits(selected)".to_string());
        if self.segment.is_some() {
            values.push("(st >> 15u) & 1u".to_string());
        }
        format!(
            "  let before = places_before(lane, countOneBits(selected));
  if (lane == 127u) {{ put_node(args[1].x + leaf, Node({})); }}\n",
            values.join(", ")
        )
    }

    /// Statements that write a row's columns and folds at `place`.
    fn outputs(&self, writer: &Writer<'_>, shape: &NodeCode, form: Form) -> String {
        let body = &writer.kernel().body;
        let mut outputs = String::new();
        let mut k = 0;
        let mut put = |ty: Type, value: &str, valid: &str, text: &mut String| {
            *text += &write_output(k, ty, value, valid);
            k += 1;
        };
        if !self.columns.is_empty() {
            outputs += &format!("        let x = {};\n", writer.row_at("r"));
        }
        if form == Form::Partial {
            let bool_ = DType::Bool.required();
            let leaf = "(row_number(r) >> 12u)";
            put(DType::U64.required(), leaf, "true", &mut outputs);
            put(bool_, "!started", "true", &mut outputs);
            put(bool_, "(((starts >> i) & 1u) == 1u)", "true", &mut outputs);
        }
        for (c, &v) in self.columns.iter().enumerate() {
            put(body.ty(v), &format!("x.o{c}"), &format!("x.q{c}"), &mut outputs);
        }
        for (f, (kind, one)) in shape.kinds.iter().zip(self.running).enumerate() {
            outputs += &local_value(f, *kind, writer);
            match form {
                Form::Whole => {
                    let ty = one.fold.output(body);
                    let whole = kind.combine(&format!("carry_in.f{f}"), &format!("y{f}"), &writer.library);
                    outputs += &format!("        if (!started) {{ y{f} = {whole}; }}\n");
                    outputs += &finished(*kind, ty.dtype.repr(), f, &format!("y{f}"), &format!("z{f}"));
                    put(ty, &format!("z{f}"), &format!("(z{f}b.there != 0u)"), &mut outputs);
                }
                Form::Partial => {
                    let ty = one.fold.positional_accumulator(body)[0];
                    outputs += &kept(*kind, &format!("y{f}"), &format!("z{f}"));
                    put(ty, &format!("z{f}"), &format!("(z{f}b.there != 0u)"), &mut outputs);
                }
            }
        }
        outputs
    }

    /// The body of `write`, which writes the rows, finished or with their leaf's own accumulators.
    fn write(&self, writer: &Writer<'_>, shape: &NodeCode, form: Form) -> String {
        let outputs = self.outputs(writer, shape, form);
        format!(
            "  let before = places_before(lane, countOneBits(selected));
  let carry_in = get_node(args[2].w + args[1].x + leaf);
  let first_place = carry_in.count - args[1].z + before;
  for (var i = 0u; i < {rows}; i++) {{
    let r = start + lane * 32u + i;
    if (((selected >> i) & 1u) == 1u) {{
      let place = first_place + countOneBits(selected & ((1u << i) - 1u));
      if (place < args[1].w) {{
        let own = ((select(sa, sb, i >= 16u) >> (i & 15u)) & 1u) != 0u;
        let left = select(su, sv, i >= 16u);
        let started = own || left || sw;
{outputs}      }}
    }}
  }}\n",
            rows = writer.bound(32),
        )
    }
}

/// Puts a row's value into its group.
fn take_in(f: usize, kind: &Kind) -> String {
    let input = kind.input(&format!("x.x{f}"), &format!("x.y{f}"));
    format!("        if (i < 16u) {{ a{f}[i] = {input}; }} else {{ b{f}[i & 15u] = {input}; }}\n")
}

/// A leaf's own accumulator as a partial row holds it.
fn kept(kind: Kind, value: &str, name: &str) -> String {
    match kind {
        Kind::Count => format!("        let {name} = u64({value});\n"),
        Kind::Sum(_) => format!("        let {name} = {value};\n"),
        Kind::Float(repr) => format!("        let {name} = canonical_{}({value});\n", super::types::name(repr)),
        Kind::Best(repr, _) => finished(kind, repr, 0, value, name),
    }
}

/// Statements that define `yF`, the fold of the leaf's rows up to this one.
fn local_value(f: usize, kind: Kind, writer: &Writer<'_>) -> String {
    let near = kind.combine("near", &format!("y{f}"), &writer.library);
    let far = kind.combine(&format!("w{f}"), &format!("y{f}"), &writer.library);
    format!(
        "        var y{f} = a{f}[i & 15u];
        if (i >= 16u) {{ y{f} = b{f}[i & 15u]; }}
        if (!own) {{
          var near = u{f};
          if (i >= 16u) {{ near = v{f}; }}
          y{f} = {near};
        }}
        if (!(own || left)) {{ y{f} = {far}; }}\n"
    )
}

/// Scans of segment starts: in a group the bits at or before each row, and totals left of the groups.
const GROUP_STARTS: &str = "  let sa = scan_starts(starts & 0xffffu);
  let sb = scan_starts(starts >> 16u);
  shared_starts[2u * lane] = (sa >> 15u) & 1u;
  shared_starts[2u * lane + 1u] = (sb >> 15u) & 1u;
  workgroupBarrier();
  var group_starts = 0u;
  for (var i = 0u; i < 16u; i++) { group_starts |= shared_starts[(lane & 15u) * 16u + i] << i; }
  shared_group_starts[lane & 15u] = group_starts;
  workgroupBarrier();
  var outer_starts = 0u;
  for (var i = 0u; i < 16u; i++) { outer_starts |= u32(shared_group_starts[i] != 0u) << i; }
  let st = scan_starts(outer_starts);
  let own_starts = scan_starts(shared_group_starts[lane >> 3u]);
  let at = (2u * lane) & 15u;
  let su = at != 0u && ((own_starts >> (max(at, 1u) - 1u)) & 1u) != 0u;
  let sv = ((own_starts >> at) & 1u) != 0u;
  let sw = lane >= 8u && ((st >> (max(lane >> 3u, 1u) - 1u)) & 1u) != 0u;
  workgroupBarrier();
";

fn shared(shape: &NodeCode) -> String {
    let types: BTreeSet<String> = shape.kinds.iter().map(|kind| kind.ty()).collect();
    let mut text = "var<workgroup> shared_starts: array<u32, 256>;
var<workgroup> shared_group_starts: array<u32, 16>;
fn scan_starts(g: u32) -> u32 {
  var s = g;
  s |= (s << 1u) & 0xffffu;
  s |= (s << 2u) & 0xffffu;
  s |= (s << 4u) & 0xffffu;
  s |= (s << 8u) & 0xffffu;
  return s;
}
"
    .to_string();
    for ty in types {
        let name = plain(&ty);
        text += &format!(
            "var<workgroup> groups_{name}: array<{ty}, 256>;\nvar<workgroup> outer_{name}: array<{ty}, 16>;\n"
        );
    }
    text
}

fn plain(ty: &str) -> String {
    ty.replace(['<', '>'], "_")
}

/// The function that scans a group of 16 in four steps; its name.
fn group_scan(kind: Kind, writer: &Writer<'_>) -> String {
    let ty = kind.ty();
    let op = match kind {
        Kind::Best(_, op) => op.name(),
        Kind::Count | Kind::Sum(_) | Kind::Float(_) => "sum",
    };
    // A count's and a single's bits have one type, and add differently.
    let of = match kind {
        Kind::Count => "count".to_string(),
        Kind::Sum(_) => "128".to_string(),
        Kind::Float(repr) | Kind::Best(repr, _) => super::types::name(repr).to_string(),
    };
    let function = format!("scan_{op}_{of}");
    let both = kind.combine("(*x)[i - s]", "(*x)[i]", &writer.library);
    writer.library.define(&function, || {
        format!(
            "fn {function}(x: ptr<function, array<{ty}, 16>>, starts: u32) {{
  var g = starts;
  for (var s = 1u; s < {group}; s = s << 1u) {{
    for (var i = {group} - 1u; i >= s; i--) {{
      if (((g >> i) & 1u) == 0u) {{ (*x)[i] = {both}; }}
    }}
    g |= (g << s) & 0xffffu;
  }}
}}\n",
            group = writer.bound(16),
        )
    });
    function
}

/// Statements that scan one fold's groups, their totals, and theirs.
fn scan_groups(f: usize, kind: Kind, writer: &Writer<'_>) -> String {
    let (ty, name, identity) = (kind.ty(), plain(&kind.ty()), kind.identity());
    let function = group_scan(kind, writer);
    format!(
        "  {function}(&a{f}, starts & 0xffffu);
  {function}(&b{f}, starts >> 16u);
  groups_{name}[2u * lane] = a{f}[15];
  groups_{name}[2u * lane + 1u] = b{f}[15];
  workgroupBarrier();
  if (lane < 16u) {{
    var t: array<{ty}, 16>;
    for (var i = 0u; i < {group}; i++) {{ t[i] = groups_{name}[lane * 16u + i]; }}
    {function}(&t, group_starts);
    for (var i = 0u; i < {group}; i++) {{ groups_{name}[lane * 16u + i] = t[i]; }}
    outer_{name}[lane] = t[15];
  }}
  workgroupBarrier();
  if (lane == 0u) {{
    var t: array<{ty}, 16>;
    for (var i = 0u; i < {group}; i++) {{ t[i] = outer_{name}[i]; }}
    {function}(&t, outer_starts);
    for (var i = 0u; i < {group}; i++) {{ outer_{name}[i] = t[i]; }}
  }}
  workgroupBarrier();
  var u{f}: {ty} = {identity};
  if (((2u * lane) & 15u) != 0u) {{ u{f} = groups_{name}[2u * lane - 1u]; }}
  let v{f} = groups_{name}[2u * lane];
  var w{f}: {ty} = {identity};
  if (lane >= 8u) {{ w{f} = outer_{name}[(lane >> 3u) - 1u]; }}
  let total{f} = outer_{name}[15];
  workgroupBarrier();\n",
        group = writer.bound(16),
    )
}
