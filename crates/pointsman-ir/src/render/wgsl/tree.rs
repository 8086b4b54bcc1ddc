//! The leaf tree: nodes as words, the levels above the leaves, and what lies before each leaf. Nodes of level `b` that
//! touch the launch's leaves are stored consecutively, and so are the levels.

use super::folds::Kind;
use super::layout::NodeWords;
use super::library::Library;
use std::collections::BTreeSet;

/// The functions on nodes.
pub(super) struct NodeCode(pub(super) NodeWords);

impl std::ops::Deref for NodeCode {
    type Target = NodeWords;

    fn deref(&self) -> &NodeWords {
        &self.0
    }
}

impl NodeCode {
    /// Name and type of each field.
    fn fields(&self) -> Vec<(String, String)> {
        let folds = self.kinds.iter().enumerate().map(|(k, kind)| (format!("f{k}"), kind.ty()));
        let counts = self.counts.then(|| ("count".to_string(), "u32".to_string()));
        let segments = self.segments.then(|| ("starts".to_string(), "u32".to_string()));
        folds.chain(counts).chain(segments).collect()
    }

    /// The struct and the functions on nodes.
    pub(super) fn functions(&self, library: &Library) -> String {
        let declared: BTreeSet<String> = self.kinds.iter().filter_map(|kind| kind.declaration()).collect();
        let fields: String = self.fields().iter().map(|(name, ty)| format!("  {name}: {ty},\n")).collect();
        let declared: String = declared.into_iter().collect();
        let identity: Vec<String> = (self.kinds.iter().map(|kind| kind.identity()))
            .chain((self.counts).then(|| "0u".to_string()))
            .chain((self.segments).then(|| "0u".to_string()))
            .collect();
        let identity = identity.join(", ");
        format!(
            "{declared}struct Node {{\n{fields}}}
fn no_node() -> Node {{
  return Node({identity});
}}
{}{}{}",
            self.append(library),
            self.get(),
            self.put()
        )
    }

    fn append(&self, library: &Library) -> String {
        let combined = |k: usize, kind: &Kind| {
            let both = kind.combine(&format!("a.f{k}"), &format!("b.f{k}"), library);
            if self.segments {
                format!("  if (b.starts == 0u) {{ r.f{k} = {both}; }}\n")
            } else {
                format!("  r.f{k} = {both};\n")
            }
        };
        let folds: String = self.kinds.iter().enumerate().map(|(k, kind)| combined(k, kind)).collect();
        let counts = if self.counts { "  r.count = a.count + b.count;\n" } else { "" };
        let segments = if self.segments { "  r.starts = a.starts | b.starts;\n" } else { "" };
        format!("fn append(a: Node, b: Node) -> Node {{\n  var r = b;\n{folds}{counts}{segments}  return r;\n}}\n")
    }

    fn get(&self) -> String {
        let mut at = 0;
        let mut values = Vec::new();
        for kind in &self.kinds {
            values.push(kind.read(&format!("at + {at}u")));
            at += kind.words();
        }
        for _ in 0..u32::from(self.counts) + u32::from(self.segments) {
            values.push(format!("nodes[at + {at}u]"));
            at += 1;
        }
        format!(
            "fn get_node(i: u32) -> Node {{\n  let at = i * {}u;\n  return Node({});\n}}\n",
            self.len(),
            values.join(", ")
        )
    }

    fn put(&self) -> String {
        let mut at = 0;
        let mut text = format!("fn put_node(i: u32, n: Node) {{\n  let at = i * {}u;\n", self.len());
        for (k, kind) in self.kinds.iter().enumerate() {
            text += &kind.write(&format!("n.f{k}"), &format!("at + {at}u"));
            at += kind.words();
        }
        for field in [self.counts.then_some("count"), self.segments.then_some("starts")].into_iter().flatten() {
            text += &format!("  nodes[at + {at}u] = n.{field};\n");
            at += 1;
        }
        text + "}\n"
    }
}

/// Nodes of at most this many words are joined in the workgroup's memory, larger ones in the tree's.
const SHARED_WORDS: usize = 12;

/// The statements of `join` for the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootAction {
    /// Stores it as it stores other nodes.
    Store,
    /// Calls `finish_node` with it. A tree of one leaf has no `join`, so `leaves` makes the call.
    CallFinish,
}

/// `join`: a workgroup takes 256 nodes of a level, by their number in the source, and makes the eight levels above.
pub(super) fn join(shape: &NodeCode, root: RootAction) -> String {
    let shared = shape.len() <= SHARED_WORDS;
    let declared = if shared { "var<workgroup> shared_nodes: array<Node, 256>;\n" } else { "" };
    let (left, right) = match shared {
        true => ("shared_nodes[2u * lane]", "shared_nodes[2u * lane + 1u]"),
        false => ("get_node(below + 2u * node - least)", "get_node(below + 2u * node + 1u - least)"),
    };
    let (root, found, done) = match root {
        RootAction::Store => ("", "", ""),
        RootAction::CallFinish => (
            "  var root = no_node();\n  var is_root = false;\n",
            "\n      if (level_nodes(b) == 1u && level_nodes(b - 1u) > 1u) { root = made; is_root = true; }",
            "\n  if (is_root) { finish_node(root); }",
        ),
    };
    let first = if shared { FIRST_NODES } else { "" };
    let (barrier, keep) = match shared {
        true => {
            ("workgroupBarrier();", "if (lane < (256u >> t)) { shared_nodes[lane] = made; }\n    workgroupBarrier();")
        }
        false => ("storageBarrier();", ""),
    };
    format!(
        "{declared}{LEVELS}@compute @workgroup_size(128)
fn join(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let from_level = args[2].z;
  let block = (args[2].x >> (from_level + 8u)) + group.x + group.y * args[0].w;
  var below = level_start(from_level);
{first}{root}  for (var t = 1u; t <= 8u; t++) {{
    let b = from_level + t;
    let above = below + level_nodes(b - 1u);
    let node = (block << (8u - t)) + lane;
    let first = args[2].x >> b;
    var made = no_node();
    if (lane < (256u >> t) && node >= first && node - first < level_nodes(b)) {{
      let least = args[2].x >> (b - 1u);
      let has_left = 2u * node >= least;
      let has_right = 2u * node + 1u - least < level_nodes(b - 1u);
      if (has_left && has_right) {{
        made = append({left}, {right});
      }} else if (has_left) {{
        made = {left};
      }} else {{
        made = {right};
      }}
      put_node(above + node - first, made);{found}
    }}
    below = above;
    {barrier}
    {keep}
  }}{done}
}}
"
    )
}

/// Reads the nodes that a workgroup joins.
const FIRST_NODES: &str = "  for (var i = 0u; i < 2u; i++) {
    let node = (block << 8u) + lane + 128u * i;
    let first = args[2].x >> from_level;
    if (node >= first && node - first < level_nodes(from_level)) {
      shared_nodes[lane + 128u * i] = get_node(below + node - first);
    }
  }
  workgroupBarrier();
";

const LEVELS: &str = "fn level_nodes(b: u32) -> u32 {
  return ((args[2].x + args[2].y - 1u) >> b) - (args[2].x >> b) + 1u;
}
fn level_start(b: u32) -> u32 {
  var at = 0u;
  for (var i = 0u; i < b; i++) { at += level_nodes(i); }
  return at;
}
";

/// `carry`: an invocation a leaf walks the nodes that make up the leaves before it, the largest first.
pub(super) const CARRY: &str = "@compute @workgroup_size(128)
fn carry(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let leaf = (group.x + group.y * args[0].w) * 128u + lane;
  if (leaf >= args[2].y) { return; }
  let number = args[2].x + leaf;
  var levels = 0u;
  for (var i = 0u; i < 32u && level_nodes(levels) > 1u; i++) { levels++; }
  var at = level_start(levels);
  var sum = no_node();
  for (var i = 0u; i < levels; i++) {
    let b = levels - 1u - i;
    at -= level_nodes(b);
    let node = number >> b;
    let first = args[2].x >> b;
    if ((node & 1u) == 1u && node > first) { sum = append(sum, get_node(at + node - 1u - first)); }
  }
  put_node(args[2].w + leaf, sum);
}
";
