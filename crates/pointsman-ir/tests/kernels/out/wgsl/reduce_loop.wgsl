// ["leaves", "join"]
// [Column(0), Column(1), ColumnValidity(1), List(0), Nodes]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 6>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read> inv1: array<u32>;
@group(0) @binding(5) var<storage, read> list0: array<u32>;
@group(0) @binding(6) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  x0: u32,
  y0: bool,
  x1: bool,
  y1: bool,
  x2: u32,
  y2: bool,
  x3: u32,
  y3: bool,
  x4: u32,
  y4: bool,
}
fn row(r: u32, c0: u32, c1: i64, d1: bool) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u32 = args[4].x;
  var v2: u32 = 0u;
  var v3: u32 = 1078530011u;
  var s4_0: u32 = v0;
  var t4_0: bool = true;
  var s4_1: u32 = v2;
  var t4_1: bool = true;
  var e4: bool = false;
  for (var k4 = 0u; k4 < 16u; k4++) {
    var v5: u32 = k4;
    var v6: u32 = s4_0;
    var e7: bool = false;
    var v7: u32 = list0_at_u32(v5, &e7);
    var v8: u32 = fma_f32(v6, v1, v7);
    var v9: bool = (below_f32(v8, v3));
    var v10: i64 = c1;
    var n10: bool = d1;
    var e11: bool = false;
    var v11: u32 = cast_i64_u32(v10, &e11);
    var n11: bool = n10;
    e11 = e11 && n10;
    e4 = e4 || (e7);
    e4 = e4 || (e11 && v9);
    if (!v9) { break; }
    var x4_0: u32 = v8;
    var y4_0: bool = true;
    var x4_1: u32 = v11;
    var y4_1: bool = n11;
    s4_0 = x4_0;
    t4_0 = y4_0;
    s4_1 = x4_1;
    t4_1 = y4_1;
  }
  var v12: u32 = s4_0;
  var v13: u32 = s4_1;
  var n13: bool = t4_1;
  var v14: bool = (v13 > v2);
  var n14: bool = n13;
  bad = bad || (e4);
  return Row((n14 && v14), bad, v12, true, true, true, v13, n13, v12, true, v13, n13);
}
struct Best_f32 {
  v: u32,
  there: u32,
}
struct Best_u32 {
  v: u32,
  there: u32,
}
struct Node {
  f0: u32,
  f1: u32,
  f2: Best_u32,
  f3: Best_f32,
  f4: u32,
}
fn no_node() -> Node {
  return Node(2147483648u, 0u, Best_u32(0u, 0u), Best_f32(0u, 0u), 0u);
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  r.f0 = add_f32(a.f0, b.f0);
  r.f1 = (a.f1 + b.f1);
  r.f2 = least_best_u32(a.f2, b.f2);
  r.f3 = greatest_best_f32(a.f3, b.f3);
  r.f4 = (a.f4 + b.f4);
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 7u;
  return Node(nodes[at + 0u + 0u], nodes[at + 1u + 0u], Best_u32(nodes[at + 2u + 0u], nodes[at + 2u + 1u]), Best_f32(nodes[at + 4u + 0u], nodes[at + 4u + 1u]), nodes[at + 6u + 0u]);
}
fn put_node(i: u32, n: Node) {
  let at = i * 7u;
  nodes[at + 0u + 0u] = n.f0;
  nodes[at + 1u + 0u] = n.f1;
  nodes[at + 2u + 0u] = n.f2.v;
  nodes[at + 2u + 1u] = n.f2.there;
  nodes[at + 4u + 0u] = n.f3.v;
  nodes[at + 4u + 1u] = n.f3.there;
  nodes[at + 6u + 0u] = n.f4;
}
fn finish_node(n: Node) {
  if (args[1].z == 0u) { return; }
  let at = args[2].w * 7u;
        let z0 = canonical_f32(add_f32(n.f0, 0u));
  nodes[at + 0u] = z0;
  nodes[at + 8u] = n.f1;
  nodes[at + 9u] = 0u;
        let z2b = n.f2;
        let z2 = select(0u, z2b.v, z2b.there != 0u);
  nodes[at + 16u] = z2;
  nodes[at + 20u] = z2b.there;
        let z3b = n.f3;
        let z3 = select(0u, canonical_f32(z3b.v), z3b.there != 0u);
  nodes[at + 24u] = z3;
  nodes[at + 28u] = z3b.there;
  nodes[at + 32u] = n.f4;
  nodes[at + 33u] = 0u;
}
var<workgroup> shared_Best_f32: array<Best_f32, 128>;
var<workgroup> shared_Best_u32: array<Best_u32, 128>;
var<workgroup> shared_u32: array<u32, 128>;
@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var s0: u32 = 2147483648u;
  var s1: u32 = 0u;
  var s2: Best_u32 = Best_u32(0u, 0u);
  var s3: Best_f32 = Best_f32(0u, 0u);
  var s4: u32 = 0u;
  for (var k = 0u; k < 32u; k += 4u) {
    let r0 = start + k * 128u + 0u + lane;
    let row0 = row(min(r0, last), in0[min(r0, last)], bitcast<i64>(in1[min(r0, last)]), ((args[5].y & 1u) == 0u || (((inv1[(min(r0, last)) >> 5u] >> ((min(r0, last)) & 31u)) & 1u) != 0u)));
    let r1 = start + k * 128u + 128u + lane;
    let row1 = row(min(r1, last), in0[min(r1, last)], bitcast<i64>(in1[min(r1, last)]), ((args[5].y & 1u) == 0u || (((inv1[(min(r1, last)) >> 5u] >> ((min(r1, last)) & 31u)) & 1u) != 0u)));
    let r2 = start + k * 128u + 256u + lane;
    let row2 = row(min(r2, last), in0[min(r2, last)], bitcast<i64>(in1[min(r2, last)]), ((args[5].y & 1u) == 0u || (((inv1[(min(r2, last)) >> 5u] >> ((min(r2, last)) & 31u)) & 1u) != 0u)));
    let r3 = start + k * 128u + 384u + lane;
    let row3 = row(min(r3, last), in0[min(r3, last)], bitcast<i64>(in1[min(r3, last)]), ((args[5].y & 1u) == 0u || (((inv1[(min(r3, last)) >> 5u] >> ((min(r3, last)) & 31u)) & 1u) != 0u)));
    {
      let x = row0;
      let live = r0 < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(r0)); }
      { let there = live & x.selected & x.y0; s0 = add_f32(s0, select(2147483648u, x.x0, there)); }
      { let there = live & x.selected & x.y1; s1 = (s1 + u32(there)); }
      { let there = live & x.selected & x.y2; s2 = least_best_u32(s2, Best_u32(x.x2, u32(there))); }
      { let there = live & x.selected & x.y3; s3 = greatest_best_f32(s3, Best_f32(x.x3, u32(there))); }
      { let there = live & x.selected & x.y4; s4 = (s4 + u32(there)); }
    }
    {
      let x = row1;
      let live = r1 < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(r1)); }
      { let there = live & x.selected & x.y0; s0 = add_f32(s0, select(2147483648u, x.x0, there)); }
      { let there = live & x.selected & x.y1; s1 = (s1 + u32(there)); }
      { let there = live & x.selected & x.y2; s2 = least_best_u32(s2, Best_u32(x.x2, u32(there))); }
      { let there = live & x.selected & x.y3; s3 = greatest_best_f32(s3, Best_f32(x.x3, u32(there))); }
      { let there = live & x.selected & x.y4; s4 = (s4 + u32(there)); }
    }
    {
      let x = row2;
      let live = r2 < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(r2)); }
      { let there = live & x.selected & x.y0; s0 = add_f32(s0, select(2147483648u, x.x0, there)); }
      { let there = live & x.selected & x.y1; s1 = (s1 + u32(there)); }
      { let there = live & x.selected & x.y2; s2 = least_best_u32(s2, Best_u32(x.x2, u32(there))); }
      { let there = live & x.selected & x.y3; s3 = greatest_best_f32(s3, Best_f32(x.x3, u32(there))); }
      { let there = live & x.selected & x.y4; s4 = (s4 + u32(there)); }
    }
    {
      let x = row3;
      let live = r3 < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(r3)); }
      { let there = live & x.selected & x.y0; s0 = add_f32(s0, select(2147483648u, x.x0, there)); }
      { let there = live & x.selected & x.y1; s1 = (s1 + u32(there)); }
      { let there = live & x.selected & x.y2; s2 = least_best_u32(s2, Best_u32(x.x2, u32(there))); }
      { let there = live & x.selected & x.y3; s3 = greatest_best_f32(s3, Best_f32(x.x3, u32(there))); }
      { let there = live & x.selected & x.y4; s4 = (s4 + u32(there)); }
    }
  }
  shared_u32[lane] = s0;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s0 = add_f32(s0, shared_u32[lane + h]); shared_u32[lane] = s0; }
  }
  workgroupBarrier();
  shared_u32[lane] = s1;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s1 = (s1 + shared_u32[lane + h]); shared_u32[lane] = s1; }
  }
  workgroupBarrier();
  shared_Best_u32[lane] = s2;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s2 = least_best_u32(s2, shared_Best_u32[lane + h]); shared_Best_u32[lane] = s2; }
  }
  workgroupBarrier();
  shared_Best_f32[lane] = s3;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s3 = greatest_best_f32(s3, shared_Best_f32[lane + h]); shared_Best_f32[lane] = s3; }
  }
  workgroupBarrier();
  shared_u32[lane] = s4;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s4 = (s4 + shared_u32[lane + h]); shared_u32[lane] = s4; }
  }
  workgroupBarrier();
  if (lane == 0u) {
    let made = Node(s0, s1, s2, s3, s4);
    put_node(args[1].x + leaf, made);
    if (args[2].y == 1u) { finish_node(made); }
  }
}
var<workgroup> shared_nodes: array<Node, 256>;
fn level_nodes(b: u32) -> u32 {
  return ((args[2].x + args[2].y - 1u) >> b) - (args[2].x >> b) + 1u;
}
fn level_start(b: u32) -> u32 {
  var at = 0u;
  for (var i = 0u; i < b; i++) { at += level_nodes(i); }
  return at;
}
@compute @workgroup_size(128)
fn join(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let from_level = args[2].z;
  let block = (args[2].x >> (from_level + 8u)) + group.x + group.y * args[0].w;
  var below = level_start(from_level);
  for (var i = 0u; i < 2u; i++) {
    let node = (block << 8u) + lane + 128u * i;
    let first = args[2].x >> from_level;
    if (node >= first && node - first < level_nodes(from_level)) {
      shared_nodes[lane + 128u * i] = get_node(below + node - first);
    }
  }
  workgroupBarrier();
  var root = no_node();
  var is_root = false;
  for (var t = 1u; t <= 8u; t++) {
    let b = from_level + t;
    let above = below + level_nodes(b - 1u);
    let node = (block << (8u - t)) + lane;
    let first = args[2].x >> b;
    var made = no_node();
    if (lane < (256u >> t) && node >= first && node - first < level_nodes(b)) {
      let least = args[2].x >> (b - 1u);
      let has_left = 2u * node >= least;
      let has_right = 2u * node + 1u - least < level_nodes(b - 1u);
      if (has_left && has_right) {
        made = append(shared_nodes[2u * lane], shared_nodes[2u * lane + 1u]);
      } else if (has_left) {
        made = shared_nodes[2u * lane];
      } else {
        made = shared_nodes[2u * lane + 1u];
      }
      put_node(above + node - first, made);
      if (level_nodes(b) == 1u && level_nodes(b - 1u) > 1u) { root = made; is_root = true; }
    }
    below = above;
    workgroupBarrier();
    if (lane < (256u >> t)) { shared_nodes[lane] = made; }
    workgroupBarrier();
  }
  if (is_root) { finish_node(root); }
}
fn add_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) + second_single(b));
}
fn below_f32(a: u32, b: u32) -> bool {
  let right = select(ordered_f32(select(b, 0x80000000u, (b << 1u) == 0u)), 0x7fffffffi, is_nan_f32(b));
  return !is_nan_f32(a) & (ordered_f32(a) < right);
}
fn canonical_f32(a: u32) -> u32 {
  return select(a, 0x7fc00000u, is_nan_f32(a));
}
fn cast_i64_u32(v: i64, f: ptr<function, bool>) -> u32 {
  let x = v;
  if (x < 0li) { *f = true; return 0u; }
  if (x > 4294967295li) { *f = true; return 0u; }
  return u32(bitcast<u64>(x));
}
fn fma_f32(a: u32, b: u32, c: u32) -> u32 {
  return bitcast<u32>(fma(single(a), second_single(b), third_single(c)));
}
fn greatest_best_f32(a: Best_f32, b: Best_f32) -> Best_f32 {
  if (b.there == 0u) { return a; }
  if (a.there == 0u) { return b; }
  return Best_f32(select(a.v, b.v, total_f32(b.v) > total_f32(a.v)), 1u);
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
fn least_best_u32(a: Best_u32, b: Best_u32) -> Best_u32 {
  if (b.there == 0u) { return a; }
  if (a.there == 0u) { return b; }
  return Best_u32(select(a.v, b.v, b.v < a.v), 1u);
}
fn list0_at_u32(i: u32, f: ptr<function, bool>) -> u32 {
  if (i >= args[5].z) { *f = true; return 0u; }
  return list0[i];
}
fn ordered_f32(a: u32) -> i32 {
  return bitcast<i32>(a & 0x7fffffffu) ^ (bitcast<i32>(a) >> 31u);
}
fn second_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].y);
}
fn single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].x);
}
fn third_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].z);
}
fn total_f32(a: u32) -> u32 {
  let key = select(a | 0x80000000u, ~a, (a >> 31u) != 0u);
  return select(key, 0xffffffffu, is_nan_f32(a));
}
