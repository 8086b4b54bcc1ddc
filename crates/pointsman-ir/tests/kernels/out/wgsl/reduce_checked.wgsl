// ["leaves", "join"]
// [Column(0), Column(1), ColumnValidity(1), Nodes]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 6>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> inv1: array<u32>;
@group(0) @binding(5) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  x0: i64,
  y0: bool,
}
fn row(r: u32, c0: i32, c1: i32, d1: bool) -> Row {
  var bad: bool = false;
  var v0: i32 = c0;
  var v1: i32 = c1;
  var n1: bool = d1;
  var e2: bool = false;
  var v2: i32 = div_i32(v0, v1, &e2);
  var n2: bool = n1;
  e2 = e2 && n1;
  var e3: bool = false;
  var v3: i32 = checked_mul_i32(v2, v0, &e3);
  var n3: bool = n2;
  e3 = e3 && n2;
  var v4: i64 = cast_i32_i64(v3, &bad);
  var n4: bool = n3;
  var v5: i64 = bitcast<i64>(u64(args[4].x) | (u64(args[4].y) << 32u));
  var n5: bool = (args[4].z != 0u);
  var e6: bool = false;
  var v6: i64 = checked_add_i64(v4, v5, &e6);
  var n6: bool = n4 && n5;
  e6 = e6 && n4 && n5;
  bad = bad || (e2);
  bad = bad || (e3);
  bad = bad || (e6);
  return Row(true, bad, v6, n6);
}
struct Node {
  f0: vec4<u32>,
}
fn no_node() -> Node {
  return Node(vec4<u32>());
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  r.f0 = add_128(a.f0, b.f0);
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 4u;
  return Node(vec4<u32>(nodes[at + 0u + 0u], nodes[at + 0u + 1u], nodes[at + 0u + 2u], nodes[at + 0u + 3u]));
}
fn put_node(i: u32, n: Node) {
  let at = i * 4u;
  nodes[at + 0u + 0u] = n.f0[0u];
  nodes[at + 0u + 1u] = n.f0[1u];
  nodes[at + 0u + 2u] = n.f0[2u];
  nodes[at + 0u + 3u] = n.f0[3u];
}
fn finish_node(n: Node) {
  if (args[1].z == 0u) { return; }
  let at = args[2].w * 4u;
        let z0w = n.f0;
        if (!fits_i64(z0w)) { atomicMax(&status[args[1].y + 1u], 65535u); }
        let z0 = bitcast<i64>(low_64(z0w));
  nodes[at + 0u] = u32(bitcast<u64>(z0) & 0xfffffffflu);
  nodes[at + 1u] = u32(bitcast<u64>(z0) >> 32u);
}
var<workgroup> shared_vec4_u32_: array<vec4<u32>, 512>;
@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let first_leaf = (group.x + group.y * args[0].w) * 4u;
  if (first_leaf * 4096u >= rows) { return; }
  let leaf = first_leaf + (lane >> 5u);
  let start = leaf * 4096u;
  let quad = lane & 31u;
  let last = rows - 1u;
  var s0_0: vec4<u32> = vec4<u32>();
  var s0_1: vec4<u32> = vec4<u32>();
  var s0_2: vec4<u32> = vec4<u32>();
  var s0_3: vec4<u32> = vec4<u32>();
  for (var k = 0u; k < 32u; k += 4u) {
    let base_0 = start + (k + 0u) * 128u + quad * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let quad1_0 = in1[first_0 >> 2u];
    let valid1_0 = select(15u, inv1[first_0 >> 5u] >> (first_0 & 31u), (args[5].y & 1u) != 0u);
    let base_1 = start + (k + 1u) * 128u + quad * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let quad1_1 = in1[first_1 >> 2u];
    let valid1_1 = select(15u, inv1[first_1 >> 5u] >> (first_1 & 31u), (args[5].y & 1u) != 0u);
    let base_2 = start + (k + 2u) * 128u + quad * 4u;
    let first_2 = min(base_2, last & ~3u);
    let quad0_2 = in0[first_2 >> 2u];
    let quad1_2 = in1[first_2 >> 2u];
    let valid1_2 = select(15u, inv1[first_2 >> 5u] >> (first_2 & 31u), (args[5].y & 1u) != 0u);
    let base_3 = start + (k + 3u) * 128u + quad * 4u;
    let first_3 = min(base_3, last & ~3u);
    let quad0_3 = in0[first_3 >> 2u];
    let quad1_3 = in1[first_3 >> 2u];
    let valid1_3 = select(15u, inv1[first_3 >> 5u] >> (first_3 & 31u), (args[5].y & 1u) != 0u);
    {
      let x = row(base_0 + 0u, bitcast<i32>(quad0_0[0u]), bitcast<i32>(quad1_0[0u]), (((valid1_0 >> 0u) & 1u) != 0u));
      let live = base_0 + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_0 + 0u)); }
      { let there = live & x.selected & x.y0; s0_0 = add_128(s0_0, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_0 + 1u, bitcast<i32>(quad0_0[1u]), bitcast<i32>(quad1_0[1u]), (((valid1_0 >> 1u) & 1u) != 0u));
      let live = base_0 + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_0 + 1u)); }
      { let there = live & x.selected & x.y0; s0_1 = add_128(s0_1, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_0 + 2u, bitcast<i32>(quad0_0[2u]), bitcast<i32>(quad1_0[2u]), (((valid1_0 >> 2u) & 1u) != 0u));
      let live = base_0 + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_0 + 2u)); }
      { let there = live & x.selected & x.y0; s0_2 = add_128(s0_2, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_0 + 3u, bitcast<i32>(quad0_0[3u]), bitcast<i32>(quad1_0[3u]), (((valid1_0 >> 3u) & 1u) != 0u));
      let live = base_0 + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_0 + 3u)); }
      { let there = live & x.selected & x.y0; s0_3 = add_128(s0_3, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_1 + 0u, bitcast<i32>(quad0_1[0u]), bitcast<i32>(quad1_1[0u]), (((valid1_1 >> 0u) & 1u) != 0u));
      let live = base_1 + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_1 + 0u)); }
      { let there = live & x.selected & x.y0; s0_0 = add_128(s0_0, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_1 + 1u, bitcast<i32>(quad0_1[1u]), bitcast<i32>(quad1_1[1u]), (((valid1_1 >> 1u) & 1u) != 0u));
      let live = base_1 + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_1 + 1u)); }
      { let there = live & x.selected & x.y0; s0_1 = add_128(s0_1, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_1 + 2u, bitcast<i32>(quad0_1[2u]), bitcast<i32>(quad1_1[2u]), (((valid1_1 >> 2u) & 1u) != 0u));
      let live = base_1 + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_1 + 2u)); }
      { let there = live & x.selected & x.y0; s0_2 = add_128(s0_2, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_1 + 3u, bitcast<i32>(quad0_1[3u]), bitcast<i32>(quad1_1[3u]), (((valid1_1 >> 3u) & 1u) != 0u));
      let live = base_1 + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_1 + 3u)); }
      { let there = live & x.selected & x.y0; s0_3 = add_128(s0_3, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_2 + 0u, bitcast<i32>(quad0_2[0u]), bitcast<i32>(quad1_2[0u]), (((valid1_2 >> 0u) & 1u) != 0u));
      let live = base_2 + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_2 + 0u)); }
      { let there = live & x.selected & x.y0; s0_0 = add_128(s0_0, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_2 + 1u, bitcast<i32>(quad0_2[1u]), bitcast<i32>(quad1_2[1u]), (((valid1_2 >> 1u) & 1u) != 0u));
      let live = base_2 + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_2 + 1u)); }
      { let there = live & x.selected & x.y0; s0_1 = add_128(s0_1, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_2 + 2u, bitcast<i32>(quad0_2[2u]), bitcast<i32>(quad1_2[2u]), (((valid1_2 >> 2u) & 1u) != 0u));
      let live = base_2 + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_2 + 2u)); }
      { let there = live & x.selected & x.y0; s0_2 = add_128(s0_2, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_2 + 3u, bitcast<i32>(quad0_2[3u]), bitcast<i32>(quad1_2[3u]), (((valid1_2 >> 3u) & 1u) != 0u));
      let live = base_2 + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_2 + 3u)); }
      { let there = live & x.selected & x.y0; s0_3 = add_128(s0_3, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_3 + 0u, bitcast<i32>(quad0_3[0u]), bitcast<i32>(quad1_3[0u]), (((valid1_3 >> 0u) & 1u) != 0u));
      let live = base_3 + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_3 + 0u)); }
      { let there = live & x.selected & x.y0; s0_0 = add_128(s0_0, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_3 + 1u, bitcast<i32>(quad0_3[1u]), bitcast<i32>(quad1_3[1u]), (((valid1_3 >> 1u) & 1u) != 0u));
      let live = base_3 + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_3 + 1u)); }
      { let there = live & x.selected & x.y0; s0_1 = add_128(s0_1, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_3 + 2u, bitcast<i32>(quad0_3[2u]), bitcast<i32>(quad1_3[2u]), (((valid1_3 >> 2u) & 1u) != 0u));
      let live = base_3 + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_3 + 2u)); }
      { let there = live & x.selected & x.y0; s0_2 = add_128(s0_2, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
    {
      let x = row(base_3 + 3u, bitcast<i32>(quad0_3[3u]), bitcast<i32>(quad1_3[3u]), (((valid1_3 >> 3u) & 1u) != 0u));
      let live = base_3 + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base_3 + 3u)); }
      { let there = live & x.selected & x.y0; s0_3 = add_128(s0_3, select(vec4<u32>(), widened_i64(x.x0), there)); }
    }
  }
  shared_vec4_u32_[lane + 0u] = s0_0; shared_vec4_u32_[lane + 128u] = s0_1; shared_vec4_u32_[lane + 256u] = s0_2; shared_vec4_u32_[lane + 384u] = s0_3; 
  for (var h = 16u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (quad < h) { s0_0 = add_128(s0_0, shared_vec4_u32_[lane + h + 0u]); s0_1 = add_128(s0_1, shared_vec4_u32_[lane + h + 128u]); s0_2 = add_128(s0_2, shared_vec4_u32_[lane + h + 256u]); s0_3 = add_128(s0_3, shared_vec4_u32_[lane + h + 384u]); shared_vec4_u32_[lane + 0u] = s0_0; shared_vec4_u32_[lane + 128u] = s0_1; shared_vec4_u32_[lane + 256u] = s0_2; shared_vec4_u32_[lane + 384u] = s0_3; }
  }
  workgroupBarrier();
  s0_0 = add_128(s0_0, s0_2);
  s0_1 = add_128(s0_1, s0_3);
  s0_0 = add_128(s0_0, s0_1);
  if (quad == 0u && start < rows) {
    let made = Node(s0_0);
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
fn add_128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  let x = a.x + b.x;
  let c0 = u32(x < a.x);
  let y0 = a.y + b.y;
  let y = y0 + c0;
  let c1 = u32(y0 < a.y) + u32(y < y0);
  let z0 = a.z + b.z;
  let z = z0 + c1;
  let c2 = u32(z0 < a.z) + u32(z < z0);
  return vec4<u32>(x, y, z, a.w + b.w + c2);
}
fn cast_i32_i64(v: i32, f: ptr<function, bool>) -> i64 {
  let x = v;
  return wide_i32(x);
}
fn checked_add_i64(a: i64, b: i64, f: ptr<function, bool>) -> i64 {
  let r = a + b;
  if (((a ^ r) & (b ^ r)) < 0li) { *f = true; return 0li; }
  return r;
}
fn checked_mul_i32(a: i32, b: i32, f: ptr<function, bool>) -> i32 {
  let r = a * b;
  if ((a == (-1i) && b == (-2147483647i - 1i)) || (b == (-1i) && a == (-2147483647i - 1i)) || (a != 0i && a != (-1i) && r / a != b)) { *f = true; return 0i; }
  return r;
}
fn div_i32(a: i32, b: i32, f: ptr<function, bool>) -> i32 {
  if (b == 0i || (a == (-2147483647i - 1i) && b == (-1i))) { *f = true; return 0i; }
  return a / b;
}
fn fits_i64(w: vec4<u32>) -> bool {
  let s = bitcast<u32>(bitcast<i32>(w.y) >> 31u);
  return w.z == s && w.w == s;
}
fn low_64(a: vec4<u32>) -> u64 {
  return u64(a.x) | (u64(a.y) << 32u);
}
fn wide_i32(v: i32) -> i64 {
  return bitcast<i64>(u64(bitcast<u32>(v)) | (u64(bitcast<u32>(v >> 31u)) << 32u));
}
fn widened_i64(v: i64) -> vec4<u32> {
  let b = bitcast<u64>(v);
  let high = select(0u, 0xffffffffu, v < 0li);
  return vec4<u32>(u32(b & 0xfffffffflu), u32(b >> 32u), high, high);
}
