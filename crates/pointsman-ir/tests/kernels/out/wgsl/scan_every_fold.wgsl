// ["leaves", "join", "carry", "write"]
// [Column(0), ColumnValidity(0), Column(1), Column(2), ColumnValidity(2), Column(3), Column(4), ColumnValidity(4), Column(5), Output(0), Output(1), OutputValidity(1), Output(2), Output(3), Output(4), Output(5), Output(6), OutputValidity(6), Output(7), OutputValidity(7), Output(8), OutputValidity(8), Output(9), Output(10), Output(11), Nodes]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 6>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<u32>;
@group(0) @binding(5) var<storage, read> in2: array<u64>;
@group(0) @binding(6) var<storage, read> inv2: array<u32>;
@group(0) @binding(7) var<storage, read> in3: array<u64>;
@group(0) @binding(8) var<storage, read> in4: array<u32>;
@group(0) @binding(9) var<storage, read> inv4: array<u32>;
@group(0) @binding(10) var<storage, read> in5: array<u32>;
@group(0) @binding(11) var<storage, read_write> out0: array<u32>;
@group(0) @binding(12) var<storage, read_write> out1: array<atomic<u32>>;
@group(0) @binding(13) var<storage, read_write> outv1: array<atomic<u32>>;
@group(0) @binding(14) var<storage, read_write> out2: array<u32>;
@group(0) @binding(15) var<storage, read_write> out3: array<u32>;
@group(0) @binding(16) var<storage, read_write> out4: array<u64>;
@group(0) @binding(17) var<storage, read_write> out5: array<u64>;
@group(0) @binding(18) var<storage, read_write> out6: array<u32>;
@group(0) @binding(19) var<storage, read_write> outv6: array<atomic<u32>>;
@group(0) @binding(20) var<storage, read_write> out7: array<u64>;
@group(0) @binding(21) var<storage, read_write> outv7: array<atomic<u32>>;
@group(0) @binding(22) var<storage, read_write> out8: array<atomic<u32>>;
@group(0) @binding(23) var<storage, read_write> outv8: array<atomic<u32>>;
@group(0) @binding(24) var<storage, read_write> out9: array<u64>;
@group(0) @binding(25) var<storage, read_write> out10: array<u64>;
@group(0) @binding(26) var<storage, read_write> out11: array<vec4<u32>>;
@group(0) @binding(27) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i32,
  q0: bool,
  o1: bool,
  q1: bool,
  x0: u32,
  y0: bool,
  x1: i32,
  y1: bool,
  x2: i64,
  y2: bool,
  x3: u64,
  y3: bool,
  x4: u32,
  y4: bool,
  x5: i64,
  y5: bool,
  x6: bool,
  y6: bool,
  x7: i64,
  y7: bool,
  x8: bool,
  y8: bool,
  x9: i32,
  y9: bool,
  starts: bool,
}
fn row(r: u32, c0: u32, d0: bool, c1: i32, c2: i64, d2: bool, c3: u64, c4: bool, d4: bool, c5: bool) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var n0: bool = d0;
  var v1: i32 = c1;
  var v2: i64 = c2;
  var n2: bool = d2;
  var v3: u64 = c3;
  var v4: bool = c4;
  var n4: bool = d4;
  var v5: bool = c5;
  return Row(v5, bad, v1, true, select(false, v4, n4), n4, v0, n0, v1, true, v2, n2, v3, true, v0, n0, v2, n2, v4, n4, v2, n2, true, true, v1, true, (n4 && v4));
}
struct Best_bool {
  v: bool,
  there: u32,
}
struct Best_f32 {
  v: u32,
  there: u32,
}
struct Best_i64 {
  v: i64,
  there: u32,
}
struct Node {
  f0: u32,
  f1: vec4<u32>,
  f2: vec4<u32>,
  f3: u64,
  f4: Best_f32,
  f5: Best_i64,
  f6: Best_bool,
  f7: u32,
  f8: u32,
  f9: vec4<u32>,
  count: u32,
  starts: u32,
}
fn no_node() -> Node {
  return Node(2147483648u, vec4<u32>(), vec4<u32>(), 9223372036854775808lu, Best_f32(0u, 0u), Best_i64(0li, 0u), Best_bool(false, 0u), 0u, 0u, vec4<u32>(), 0u, 0u);
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  if (b.starts == 0u) { r.f0 = add_f32(a.f0, b.f0); }
  if (b.starts == 0u) { r.f1 = add_128(a.f1, b.f1); }
  if (b.starts == 0u) { r.f2 = add_128(a.f2, b.f2); }
  if (b.starts == 0u) { r.f3 = add_f64(a.f3, b.f3); }
  if (b.starts == 0u) { r.f4 = least_best_f32(a.f4, b.f4); }
  if (b.starts == 0u) { r.f5 = greatest_best_i64(a.f5, b.f5); }
  if (b.starts == 0u) { r.f6 = least_best_bool(a.f6, b.f6); }
  if (b.starts == 0u) { r.f7 = (a.f7 + b.f7); }
  if (b.starts == 0u) { r.f8 = (a.f8 + b.f8); }
  if (b.starts == 0u) { r.f9 = add_128(a.f9, b.f9); }
  r.count = a.count + b.count;
  r.starts = a.starts | b.starts;
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 26u;
  return Node(nodes[at + 0u + 0u], vec4<u32>(nodes[at + 1u + 0u], nodes[at + 1u + 1u], nodes[at + 1u + 2u], nodes[at + 1u + 3u]), vec4<u32>(nodes[at + 5u + 0u], nodes[at + 5u + 1u], nodes[at + 5u + 2u], nodes[at + 5u + 3u]), (u64(nodes[at + 9u + 0u]) | (u64(nodes[at + 9u + 1u]) << 32u)), Best_f32(nodes[at + 11u + 0u], nodes[at + 11u + 1u]), Best_i64(bitcast<i64>((u64(nodes[at + 13u + 0u]) | (u64(nodes[at + 13u + 1u]) << 32u))), nodes[at + 13u + 2u]), Best_bool((nodes[at + 16u + 0u] != 0u), nodes[at + 16u + 1u]), nodes[at + 18u + 0u], nodes[at + 19u + 0u], vec4<u32>(nodes[at + 20u + 0u], nodes[at + 20u + 1u], nodes[at + 20u + 2u], nodes[at + 20u + 3u]), nodes[at + 24u], nodes[at + 25u]);
}
fn put_node(i: u32, n: Node) {
  let at = i * 26u;
  nodes[at + 0u + 0u] = n.f0;
  nodes[at + 1u + 0u] = n.f1[0u];
  nodes[at + 1u + 1u] = n.f1[1u];
  nodes[at + 1u + 2u] = n.f1[2u];
  nodes[at + 1u + 3u] = n.f1[3u];
  nodes[at + 5u + 0u] = n.f2[0u];
  nodes[at + 5u + 1u] = n.f2[1u];
  nodes[at + 5u + 2u] = n.f2[2u];
  nodes[at + 5u + 3u] = n.f2[3u];
  nodes[at + 9u + 0u] = u32(n.f3 & 0xfffffffflu);
  nodes[at + 9u + 1u] = u32(n.f3 >> 32u);
  nodes[at + 11u + 0u] = n.f4.v;
  nodes[at + 11u + 1u] = n.f4.there;
  nodes[at + 13u + 0u] = u32(bitcast<u64>(n.f5.v) & 0xfffffffflu);
  nodes[at + 13u + 1u] = u32(bitcast<u64>(n.f5.v) >> 32u);
  nodes[at + 13u + 2u] = n.f5.there;
  nodes[at + 16u + 0u] = u32(n.f6.v);
  nodes[at + 16u + 1u] = n.f6.there;
  nodes[at + 18u + 0u] = n.f7;
  nodes[at + 19u + 0u] = n.f8;
  nodes[at + 20u + 0u] = n.f9[0u];
  nodes[at + 20u + 1u] = n.f9[1u];
  nodes[at + 20u + 2u] = n.f9[2u];
  nodes[at + 20u + 3u] = n.f9[3u];
  nodes[at + 24u] = n.count;
  nodes[at + 25u] = n.starts;
}
var<workgroup> shared_starts: array<u32, 256>;
var<workgroup> shared_group_starts: array<u32, 16>;
fn scan_starts(g: u32) -> u32 {
  var s = g;
  s |= (s << 1u) & 0xffffu;
  s |= (s << 2u) & 0xffffu;
  s |= (s << 4u) & 0xffffu;
  s |= (s << 8u) & 0xffffu;
  return s;
}
var<workgroup> groups_Best_bool: array<Best_bool, 256>;
var<workgroup> outer_Best_bool: array<Best_bool, 16>;
var<workgroup> groups_Best_f32: array<Best_f32, 256>;
var<workgroup> outer_Best_f32: array<Best_f32, 16>;
var<workgroup> groups_Best_i64: array<Best_i64, 256>;
var<workgroup> outer_Best_i64: array<Best_i64, 16>;
var<workgroup> groups_u32: array<u32, 256>;
var<workgroup> outer_u32: array<u32, 16>;
var<workgroup> groups_u64: array<u64, 256>;
var<workgroup> outer_u64: array<u64, 16>;
var<workgroup> groups_vec4_u32_: array<vec4<u32>, 256>;
var<workgroup> outer_vec4_u32_: array<vec4<u32>, 16>;
var<workgroup> shared_places: array<u32, 128>;
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
@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  var selected = 0u;
  var starts = 0u;
  var a0: array<u32, 16>;
  var b0: array<u32, 16>;
  var a1: array<vec4<u32>, 16>;
  var b1: array<vec4<u32>, 16>;
  var a2: array<vec4<u32>, 16>;
  var b2: array<vec4<u32>, 16>;
  var a3: array<u64, 16>;
  var b3: array<u64, 16>;
  var a4: array<Best_f32, 16>;
  var b4: array<Best_f32, 16>;
  var a5: array<Best_i64, 16>;
  var b5: array<Best_i64, 16>;
  var a6: array<Best_bool, 16>;
  var b6: array<Best_bool, 16>;
  var a7: array<u32, 16>;
  var b7: array<u32, 16>;
  var a8: array<u32, 16>;
  var b8: array<u32, 16>;
  var a9: array<vec4<u32>, 16>;
  var b9: array<vec4<u32>, 16>;
  for (var i = 0u; i < 16u; i++) {
    a0[i] = 2147483648u;
    b0[i] = 2147483648u;
    a1[i] = vec4<u32>();
    b1[i] = vec4<u32>();
    a2[i] = vec4<u32>();
    b2[i] = vec4<u32>();
    a3[i] = 9223372036854775808lu;
    b3[i] = 9223372036854775808lu;
    a4[i] = Best_f32(0u, 0u);
    b4[i] = Best_f32(0u, 0u);
    a5[i] = Best_i64(0li, 0u);
    b5[i] = Best_i64(0li, 0u);
    a6[i] = Best_bool(false, 0u);
    b6[i] = Best_bool(false, 0u);
    a7[i] = 0u;
    b7[i] = 0u;
    a8[i] = 0u;
    b8[i] = 0u;
    a9[i] = vec4<u32>();
    b9[i] = vec4<u32>();
  }
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (r < rows) {
      let x = row(r, in0[r], ((args[4].x & 1u) == 0u || (((inv0[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u)), bitcast<i32>(in1[r]), bitcast<i64>(in2[r]), ((args[4].z & 1u) == 0u || (((inv2[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u)), in3[r], (((in4[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u), ((args[5].x & 1u) == 0u || (((inv4[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u)), (((in5[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u));
      
      if (x.selected) {
        selected |= 1u << i;
        starts |= u32(x.starts) << i;
        if (i < 16u) { a0[i] = select(2147483648u, x.x0, x.y0); } else { b0[i & 15u] = select(2147483648u, x.x0, x.y0); }
        if (i < 16u) { a1[i] = select(vec4<u32>(), widened_i32(x.x1), x.y1); } else { b1[i & 15u] = select(vec4<u32>(), widened_i32(x.x1), x.y1); }
        if (i < 16u) { a2[i] = select(vec4<u32>(), widened_i64(x.x2), x.y2); } else { b2[i & 15u] = select(vec4<u32>(), widened_i64(x.x2), x.y2); }
        if (i < 16u) { a3[i] = select(9223372036854775808lu, x.x3, x.y3); } else { b3[i & 15u] = select(9223372036854775808lu, x.x3, x.y3); }
        if (i < 16u) { a4[i] = Best_f32(x.x4, u32(x.y4)); } else { b4[i & 15u] = Best_f32(x.x4, u32(x.y4)); }
        if (i < 16u) { a5[i] = Best_i64(x.x5, u32(x.y5)); } else { b5[i & 15u] = Best_i64(x.x5, u32(x.y5)); }
        if (i < 16u) { a6[i] = Best_bool(x.x6, u32(x.y6)); } else { b6[i & 15u] = Best_bool(x.x6, u32(x.y6)); }
        if (i < 16u) { a7[i] = u32(x.y7); } else { b7[i & 15u] = u32(x.y7); }
        if (i < 16u) { a8[i] = u32(x.y8); } else { b8[i & 15u] = u32(x.y8); }
        if (i < 16u) { a9[i] = select(vec4<u32>(), widened_i32(x.x9), x.y9); } else { b9[i & 15u] = select(vec4<u32>(), widened_i32(x.x9), x.y9); }
      }
    }
  }
  let sa = scan_starts(starts & 0xffffu);
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
  scan_sum_f32(&a0, starts & 0xffffu);
  scan_sum_f32(&b0, starts >> 16u);
  groups_u32[2u * lane] = a0[15];
  groups_u32[2u * lane + 1u] = b0[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<u32, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_u32[lane * 16u + i]; }
    scan_sum_f32(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_u32[lane * 16u + i] = t[i]; }
    outer_u32[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<u32, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_u32[i]; }
    scan_sum_f32(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_u32[i] = t[i]; }
  }
  workgroupBarrier();
  var u0: u32 = 2147483648u;
  if (((2u * lane) & 15u) != 0u) { u0 = groups_u32[2u * lane - 1u]; }
  let v0 = groups_u32[2u * lane];
  var w0: u32 = 2147483648u;
  if (lane >= 8u) { w0 = outer_u32[(lane >> 3u) - 1u]; }
  let total0 = outer_u32[15];
  workgroupBarrier();
  scan_sum_128(&a1, starts & 0xffffu);
  scan_sum_128(&b1, starts >> 16u);
  groups_vec4_u32_[2u * lane] = a1[15];
  groups_vec4_u32_[2u * lane + 1u] = b1[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<vec4<u32>, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_vec4_u32_[lane * 16u + i]; }
    scan_sum_128(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_vec4_u32_[lane * 16u + i] = t[i]; }
    outer_vec4_u32_[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<vec4<u32>, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_vec4_u32_[i]; }
    scan_sum_128(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_vec4_u32_[i] = t[i]; }
  }
  workgroupBarrier();
  var u1: vec4<u32> = vec4<u32>();
  if (((2u * lane) & 15u) != 0u) { u1 = groups_vec4_u32_[2u * lane - 1u]; }
  let v1 = groups_vec4_u32_[2u * lane];
  var w1: vec4<u32> = vec4<u32>();
  if (lane >= 8u) { w1 = outer_vec4_u32_[(lane >> 3u) - 1u]; }
  let total1 = outer_vec4_u32_[15];
  workgroupBarrier();
  scan_sum_128(&a2, starts & 0xffffu);
  scan_sum_128(&b2, starts >> 16u);
  groups_vec4_u32_[2u * lane] = a2[15];
  groups_vec4_u32_[2u * lane + 1u] = b2[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<vec4<u32>, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_vec4_u32_[lane * 16u + i]; }
    scan_sum_128(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_vec4_u32_[lane * 16u + i] = t[i]; }
    outer_vec4_u32_[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<vec4<u32>, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_vec4_u32_[i]; }
    scan_sum_128(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_vec4_u32_[i] = t[i]; }
  }
  workgroupBarrier();
  var u2: vec4<u32> = vec4<u32>();
  if (((2u * lane) & 15u) != 0u) { u2 = groups_vec4_u32_[2u * lane - 1u]; }
  let v2 = groups_vec4_u32_[2u * lane];
  var w2: vec4<u32> = vec4<u32>();
  if (lane >= 8u) { w2 = outer_vec4_u32_[(lane >> 3u) - 1u]; }
  let total2 = outer_vec4_u32_[15];
  workgroupBarrier();
  scan_sum_f64(&a3, starts & 0xffffu);
  scan_sum_f64(&b3, starts >> 16u);
  groups_u64[2u * lane] = a3[15];
  groups_u64[2u * lane + 1u] = b3[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<u64, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_u64[lane * 16u + i]; }
    scan_sum_f64(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_u64[lane * 16u + i] = t[i]; }
    outer_u64[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<u64, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_u64[i]; }
    scan_sum_f64(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_u64[i] = t[i]; }
  }
  workgroupBarrier();
  var u3: u64 = 9223372036854775808lu;
  if (((2u * lane) & 15u) != 0u) { u3 = groups_u64[2u * lane - 1u]; }
  let v3 = groups_u64[2u * lane];
  var w3: u64 = 9223372036854775808lu;
  if (lane >= 8u) { w3 = outer_u64[(lane >> 3u) - 1u]; }
  let total3 = outer_u64[15];
  workgroupBarrier();
  scan_least_f32(&a4, starts & 0xffffu);
  scan_least_f32(&b4, starts >> 16u);
  groups_Best_f32[2u * lane] = a4[15];
  groups_Best_f32[2u * lane + 1u] = b4[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<Best_f32, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_Best_f32[lane * 16u + i]; }
    scan_least_f32(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_Best_f32[lane * 16u + i] = t[i]; }
    outer_Best_f32[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<Best_f32, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_Best_f32[i]; }
    scan_least_f32(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_Best_f32[i] = t[i]; }
  }
  workgroupBarrier();
  var u4: Best_f32 = Best_f32(0u, 0u);
  if (((2u * lane) & 15u) != 0u) { u4 = groups_Best_f32[2u * lane - 1u]; }
  let v4 = groups_Best_f32[2u * lane];
  var w4: Best_f32 = Best_f32(0u, 0u);
  if (lane >= 8u) { w4 = outer_Best_f32[(lane >> 3u) - 1u]; }
  let total4 = outer_Best_f32[15];
  workgroupBarrier();
  scan_greatest_i64(&a5, starts & 0xffffu);
  scan_greatest_i64(&b5, starts >> 16u);
  groups_Best_i64[2u * lane] = a5[15];
  groups_Best_i64[2u * lane + 1u] = b5[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<Best_i64, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_Best_i64[lane * 16u + i]; }
    scan_greatest_i64(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_Best_i64[lane * 16u + i] = t[i]; }
    outer_Best_i64[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<Best_i64, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_Best_i64[i]; }
    scan_greatest_i64(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_Best_i64[i] = t[i]; }
  }
  workgroupBarrier();
  var u5: Best_i64 = Best_i64(0li, 0u);
  if (((2u * lane) & 15u) != 0u) { u5 = groups_Best_i64[2u * lane - 1u]; }
  let v5 = groups_Best_i64[2u * lane];
  var w5: Best_i64 = Best_i64(0li, 0u);
  if (lane >= 8u) { w5 = outer_Best_i64[(lane >> 3u) - 1u]; }
  let total5 = outer_Best_i64[15];
  workgroupBarrier();
  scan_least_bool(&a6, starts & 0xffffu);
  scan_least_bool(&b6, starts >> 16u);
  groups_Best_bool[2u * lane] = a6[15];
  groups_Best_bool[2u * lane + 1u] = b6[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<Best_bool, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_Best_bool[lane * 16u + i]; }
    scan_least_bool(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_Best_bool[lane * 16u + i] = t[i]; }
    outer_Best_bool[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<Best_bool, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_Best_bool[i]; }
    scan_least_bool(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_Best_bool[i] = t[i]; }
  }
  workgroupBarrier();
  var u6: Best_bool = Best_bool(false, 0u);
  if (((2u * lane) & 15u) != 0u) { u6 = groups_Best_bool[2u * lane - 1u]; }
  let v6 = groups_Best_bool[2u * lane];
  var w6: Best_bool = Best_bool(false, 0u);
  if (lane >= 8u) { w6 = outer_Best_bool[(lane >> 3u) - 1u]; }
  let total6 = outer_Best_bool[15];
  workgroupBarrier();
  scan_sum_count(&a7, starts & 0xffffu);
  scan_sum_count(&b7, starts >> 16u);
  groups_u32[2u * lane] = a7[15];
  groups_u32[2u * lane + 1u] = b7[15];
  workgroupBarrier();
// … 775 more lines with the checksum da96c97fbf04d100

// The partial form: ["leaves", "join", "carry", "write"]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 6>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<u32>;
@group(0) @binding(5) var<storage, read> in2: array<u64>;
@group(0) @binding(6) var<storage, read> inv2: array<u32>;
@group(0) @binding(7) var<storage, read> in3: array<u64>;
@group(0) @binding(8) var<storage, read> in4: array<u32>;
@group(0) @binding(9) var<storage, read> inv4: array<u32>;
@group(0) @binding(10) var<storage, read> in5: array<u32>;
@group(0) @binding(11) var<storage, read_write> out0: array<u64>;
@group(0) @binding(12) var<storage, read_write> out1: array<atomic<u32>>;
@group(0) @binding(13) var<storage, read_write> out2: array<atomic<u32>>;
@group(0) @binding(14) var<storage, read_write> out3: array<u32>;
@group(0) @binding(15) var<storage, read_write> out4: array<atomic<u32>>;
@group(0) @binding(16) var<storage, read_write> outv4: array<atomic<u32>>;
@group(0) @binding(17) var<storage, read_write> out5: array<u32>;
@group(0) @binding(18) var<storage, read_write> out6: array<vec4<u32>>;
@group(0) @binding(19) var<storage, read_write> out7: array<vec4<u32>>;
@group(0) @binding(20) var<storage, read_write> out8: array<u64>;
@group(0) @binding(21) var<storage, read_write> out9: array<u32>;
@group(0) @binding(22) var<storage, read_write> outv9: array<atomic<u32>>;
@group(0) @binding(23) var<storage, read_write> out10: array<u64>;
@group(0) @binding(24) var<storage, read_write> outv10: array<atomic<u32>>;
@group(0) @binding(25) var<storage, read_write> out11: array<atomic<u32>>;
@group(0) @binding(26) var<storage, read_write> outv11: array<atomic<u32>>;
@group(0) @binding(27) var<storage, read_write> out12: array<u64>;
@group(0) @binding(28) var<storage, read_write> out13: array<u64>;
@group(0) @binding(29) var<storage, read_write> out14: array<vec4<u32>>;
@group(0) @binding(30) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i32,
  q0: bool,
  o1: bool,
  q1: bool,
  x0: u32,
  y0: bool,
  x1: i32,
  y1: bool,
  x2: i64,
  y2: bool,
  x3: u64,
  y3: bool,
  x4: u32,
  y4: bool,
  x5: i64,
  y5: bool,
  x6: bool,
  y6: bool,
  x7: i64,
  y7: bool,
  x8: bool,
  y8: bool,
  x9: i32,
  y9: bool,
  starts: bool,
}
fn row(r: u32, c0: u32, d0: bool, c1: i32, c2: i64, d2: bool, c3: u64, c4: bool, d4: bool, c5: bool) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var n0: bool = d0;
  var v1: i32 = c1;
  var v2: i64 = c2;
  var n2: bool = d2;
  var v3: u64 = c3;
  var v4: bool = c4;
  var n4: bool = d4;
  var v5: bool = c5;
  return Row(v5, bad, v1, true, select(false, v4, n4), n4, v0, n0, v1, true, v2, n2, v3, true, v0, n0, v2, n2, v4, n4, v2, n2, true, true, v1, true, (n4 && v4));
}
struct Best_bool {
  v: bool,
  there: u32,
}
struct Best_f32 {
  v: u32,
  there: u32,
}
struct Best_i64 {
  v: i64,
  there: u32,
}
struct Node {
  f0: u32,
  f1: vec4<u32>,
  f2: vec4<u32>,
  f3: u64,
  f4: Best_f32,
  f5: Best_i64,
  f6: Best_bool,
  f7: u32,
  f8: u32,
  f9: vec4<u32>,
  count: u32,
  starts: u32,
}
fn no_node() -> Node {
  return Node(2147483648u, vec4<u32>(), vec4<u32>(), 9223372036854775808lu, Best_f32(0u, 0u), Best_i64(0li, 0u), Best_bool(false, 0u), 0u, 0u, vec4<u32>(), 0u, 0u);
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  if (b.starts == 0u) { r.f0 = add_f32(a.f0, b.f0); }
  if (b.starts == 0u) { r.f1 = add_128(a.f1, b.f1); }
  if (b.starts == 0u) { r.f2 = add_128(a.f2, b.f2); }
  if (b.starts == 0u) { r.f3 = add_f64(a.f3, b.f3); }
  if (b.starts == 0u) { r.f4 = least_best_f32(a.f4, b.f4); }
  if (b.starts == 0u) { r.f5 = greatest_best_i64(a.f5, b.f5); }
  if (b.starts == 0u) { r.f6 = least_best_bool(a.f6, b.f6); }
  if (b.starts == 0u) { r.f7 = (a.f7 + b.f7); }
  if (b.starts == 0u) { r.f8 = (a.f8 + b.f8); }
  if (b.starts == 0u) { r.f9 = add_128(a.f9, b.f9); }
  r.count = a.count + b.count;
  r.starts = a.starts | b.starts;
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 26u;
  return Node(nodes[at + 0u + 0u], vec4<u32>(nodes[at + 1u + 0u], nodes[at + 1u + 1u], nodes[at + 1u + 2u], nodes[at + 1u + 3u]), vec4<u32>(nodes[at + 5u + 0u], nodes[at + 5u + 1u], nodes[at + 5u + 2u], nodes[at + 5u + 3u]), (u64(nodes[at + 9u + 0u]) | (u64(nodes[at + 9u + 1u]) << 32u)), Best_f32(nodes[at + 11u + 0u], nodes[at + 11u + 1u]), Best_i64(bitcast<i64>((u64(nodes[at + 13u + 0u]) | (u64(nodes[at + 13u + 1u]) << 32u))), nodes[at + 13u + 2u]), Best_bool((nodes[at + 16u + 0u] != 0u), nodes[at + 16u + 1u]), nodes[at + 18u + 0u], nodes[at + 19u + 0u], vec4<u32>(nodes[at + 20u + 0u], nodes[at + 20u + 1u], nodes[at + 20u + 2u], nodes[at + 20u + 3u]), nodes[at + 24u], nodes[at + 25u]);
}
fn put_node(i: u32, n: Node) {
  let at = i * 26u;
  nodes[at + 0u + 0u] = n.f0;
  nodes[at + 1u + 0u] = n.f1[0u];
  nodes[at + 1u + 1u] = n.f1[1u];
  nodes[at + 1u + 2u] = n.f1[2u];
  nodes[at + 1u + 3u] = n.f1[3u];
  nodes[at + 5u + 0u] = n.f2[0u];
  nodes[at + 5u + 1u] = n.f2[1u];
  nodes[at + 5u + 2u] = n.f2[2u];
  nodes[at + 5u + 3u] = n.f2[3u];
  nodes[at + 9u + 0u] = u32(n.f3 & 0xfffffffflu);
  nodes[at + 9u + 1u] = u32(n.f3 >> 32u);
  nodes[at + 11u + 0u] = n.f4.v;
  nodes[at + 11u + 1u] = n.f4.there;
  nodes[at + 13u + 0u] = u32(bitcast<u64>(n.f5.v) & 0xfffffffflu);
  nodes[at + 13u + 1u] = u32(bitcast<u64>(n.f5.v) >> 32u);
  nodes[at + 13u + 2u] = n.f5.there;
  nodes[at + 16u + 0u] = u32(n.f6.v);
  nodes[at + 16u + 1u] = n.f6.there;
  nodes[at + 18u + 0u] = n.f7;
  nodes[at + 19u + 0u] = n.f8;
  nodes[at + 20u + 0u] = n.f9[0u];
  nodes[at + 20u + 1u] = n.f9[1u];
  nodes[at + 20u + 2u] = n.f9[2u];
  nodes[at + 20u + 3u] = n.f9[3u];
  nodes[at + 24u] = n.count;
  nodes[at + 25u] = n.starts;
}
var<workgroup> shared_starts: array<u32, 256>;
var<workgroup> shared_group_starts: array<u32, 16>;
fn scan_starts(g: u32) -> u32 {
  var s = g;
  s |= (s << 1u) & 0xffffu;
  s |= (s << 2u) & 0xffffu;
  s |= (s << 4u) & 0xffffu;
  s |= (s << 8u) & 0xffffu;
  return s;
}
var<workgroup> groups_Best_bool: array<Best_bool, 256>;
var<workgroup> outer_Best_bool: array<Best_bool, 16>;
var<workgroup> groups_Best_f32: array<Best_f32, 256>;
var<workgroup> outer_Best_f32: array<Best_f32, 16>;
var<workgroup> groups_Best_i64: array<Best_i64, 256>;
var<workgroup> outer_Best_i64: array<Best_i64, 16>;
var<workgroup> groups_u32: array<u32, 256>;
var<workgroup> outer_u32: array<u32, 16>;
var<workgroup> groups_u64: array<u64, 256>;
var<workgroup> outer_u64: array<u64, 16>;
var<workgroup> groups_vec4_u32_: array<vec4<u32>, 256>;
var<workgroup> outer_vec4_u32_: array<vec4<u32>, 16>;
var<workgroup> shared_places: array<u32, 128>;
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
@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  var selected = 0u;
  var starts = 0u;
  var a0: array<u32, 16>;
  var b0: array<u32, 16>;
  var a1: array<vec4<u32>, 16>;
  var b1: array<vec4<u32>, 16>;
  var a2: array<vec4<u32>, 16>;
  var b2: array<vec4<u32>, 16>;
  var a3: array<u64, 16>;
  var b3: array<u64, 16>;
  var a4: array<Best_f32, 16>;
  var b4: array<Best_f32, 16>;
  var a5: array<Best_i64, 16>;
  var b5: array<Best_i64, 16>;
  var a6: array<Best_bool, 16>;
  var b6: array<Best_bool, 16>;
  var a7: array<u32, 16>;
  var b7: array<u32, 16>;
  var a8: array<u32, 16>;
  var b8: array<u32, 16>;
  var a9: array<vec4<u32>, 16>;
  var b9: array<vec4<u32>, 16>;
  for (var i = 0u; i < 16u; i++) {
    a0[i] = 2147483648u;
    b0[i] = 2147483648u;
    a1[i] = vec4<u32>();
    b1[i] = vec4<u32>();
    a2[i] = vec4<u32>();
    b2[i] = vec4<u32>();
    a3[i] = 9223372036854775808lu;
    b3[i] = 9223372036854775808lu;
    a4[i] = Best_f32(0u, 0u);
    b4[i] = Best_f32(0u, 0u);
    a5[i] = Best_i64(0li, 0u);
    b5[i] = Best_i64(0li, 0u);
    a6[i] = Best_bool(false, 0u);
    b6[i] = Best_bool(false, 0u);
    a7[i] = 0u;
    b7[i] = 0u;
    a8[i] = 0u;
    b8[i] = 0u;
    a9[i] = vec4<u32>();
    b9[i] = vec4<u32>();
  }
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (r < rows) {
      let x = row(r, in0[r], ((args[4].x & 1u) == 0u || (((inv0[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u)), bitcast<i32>(in1[r]), bitcast<i64>(in2[r]), ((args[4].z & 1u) == 0u || (((inv2[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u)), in3[r], (((in4[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u), ((args[5].x & 1u) == 0u || (((inv4[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u)), (((in5[(r) >> 5u] >> ((r) & 31u)) & 1u) != 0u));
      
      if (x.selected) {
        selected |= 1u << i;
        starts |= u32(x.starts) << i;
        if (i < 16u) { a0[i] = select(2147483648u, x.x0, x.y0); } else { b0[i & 15u] = select(2147483648u, x.x0, x.y0); }
        if (i < 16u) { a1[i] = select(vec4<u32>(), widened_i32(x.x1), x.y1); } else { b1[i & 15u] = select(vec4<u32>(), widened_i32(x.x1), x.y1); }
        if (i < 16u) { a2[i] = select(vec4<u32>(), widened_i64(x.x2), x.y2); } else { b2[i & 15u] = select(vec4<u32>(), widened_i64(x.x2), x.y2); }
        if (i < 16u) { a3[i] = select(9223372036854775808lu, x.x3, x.y3); } else { b3[i & 15u] = select(9223372036854775808lu, x.x3, x.y3); }
        if (i < 16u) { a4[i] = Best_f32(x.x4, u32(x.y4)); } else { b4[i & 15u] = Best_f32(x.x4, u32(x.y4)); }
        if (i < 16u) { a5[i] = Best_i64(x.x5, u32(x.y5)); } else { b5[i & 15u] = Best_i64(x.x5, u32(x.y5)); }
        if (i < 16u) { a6[i] = Best_bool(x.x6, u32(x.y6)); } else { b6[i & 15u] = Best_bool(x.x6, u32(x.y6)); }
        if (i < 16u) { a7[i] = u32(x.y7); } else { b7[i & 15u] = u32(x.y7); }
        if (i < 16u) { a8[i] = u32(x.y8); } else { b8[i & 15u] = u32(x.y8); }
        if (i < 16u) { a9[i] = select(vec4<u32>(), widened_i32(x.x9), x.y9); } else { b9[i & 15u] = select(vec4<u32>(), widened_i32(x.x9), x.y9); }
      }
    }
  }
  let sa = scan_starts(starts & 0xffffu);
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
  scan_sum_f32(&a0, starts & 0xffffu);
  scan_sum_f32(&b0, starts >> 16u);
  groups_u32[2u * lane] = a0[15];
  groups_u32[2u * lane + 1u] = b0[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<u32, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_u32[lane * 16u + i]; }
    scan_sum_f32(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_u32[lane * 16u + i] = t[i]; }
    outer_u32[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<u32, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_u32[i]; }
    scan_sum_f32(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_u32[i] = t[i]; }
  }
  workgroupBarrier();
  var u0: u32 = 2147483648u;
  if (((2u * lane) & 15u) != 0u) { u0 = groups_u32[2u * lane - 1u]; }
  let v0 = groups_u32[2u * lane];
  var w0: u32 = 2147483648u;
  if (lane >= 8u) { w0 = outer_u32[(lane >> 3u) - 1u]; }
  let total0 = outer_u32[15];
  workgroupBarrier();
  scan_sum_128(&a1, starts & 0xffffu);
  scan_sum_128(&b1, starts >> 16u);
  groups_vec4_u32_[2u * lane] = a1[15];
  groups_vec4_u32_[2u * lane + 1u] = b1[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<vec4<u32>, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_vec4_u32_[lane * 16u + i]; }
    scan_sum_128(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_vec4_u32_[lane * 16u + i] = t[i]; }
    outer_vec4_u32_[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<vec4<u32>, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_vec4_u32_[i]; }
    scan_sum_128(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_vec4_u32_[i] = t[i]; }
  }
  workgroupBarrier();
  var u1: vec4<u32> = vec4<u32>();
  if (((2u * lane) & 15u) != 0u) { u1 = groups_vec4_u32_[2u * lane - 1u]; }
  let v1 = groups_vec4_u32_[2u * lane];
  var w1: vec4<u32> = vec4<u32>();
  if (lane >= 8u) { w1 = outer_vec4_u32_[(lane >> 3u) - 1u]; }
  let total1 = outer_vec4_u32_[15];
  workgroupBarrier();
  scan_sum_128(&a2, starts & 0xffffu);
  scan_sum_128(&b2, starts >> 16u);
  groups_vec4_u32_[2u * lane] = a2[15];
  groups_vec4_u32_[2u * lane + 1u] = b2[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<vec4<u32>, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_vec4_u32_[lane * 16u + i]; }
    scan_sum_128(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_vec4_u32_[lane * 16u + i] = t[i]; }
    outer_vec4_u32_[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<vec4<u32>, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_vec4_u32_[i]; }
    scan_sum_128(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_vec4_u32_[i] = t[i]; }
  }
  workgroupBarrier();
  var u2: vec4<u32> = vec4<u32>();
  if (((2u * lane) & 15u) != 0u) { u2 = groups_vec4_u32_[2u * lane - 1u]; }
  let v2 = groups_vec4_u32_[2u * lane];
  var w2: vec4<u32> = vec4<u32>();
  if (lane >= 8u) { w2 = outer_vec4_u32_[(lane >> 3u) - 1u]; }
  let total2 = outer_vec4_u32_[15];
  workgroupBarrier();
  scan_sum_f64(&a3, starts & 0xffffu);
  scan_sum_f64(&b3, starts >> 16u);
  groups_u64[2u * lane] = a3[15];
  groups_u64[2u * lane + 1u] = b3[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<u64, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_u64[lane * 16u + i]; }
    scan_sum_f64(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_u64[lane * 16u + i] = t[i]; }
    outer_u64[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<u64, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_u64[i]; }
    scan_sum_f64(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_u64[i] = t[i]; }
  }
  workgroupBarrier();
  var u3: u64 = 9223372036854775808lu;
  if (((2u * lane) & 15u) != 0u) { u3 = groups_u64[2u * lane - 1u]; }
  let v3 = groups_u64[2u * lane];
  var w3: u64 = 9223372036854775808lu;
  if (lane >= 8u) { w3 = outer_u64[(lane >> 3u) - 1u]; }
  let total3 = outer_u64[15];
  workgroupBarrier();
  scan_least_f32(&a4, starts & 0xffffu);
  scan_least_f32(&b4, starts >> 16u);
  groups_Best_f32[2u * lane] = a4[15];
  groups_Best_f32[2u * lane + 1u] = b4[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<Best_f32, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_Best_f32[lane * 16u + i]; }
    scan_least_f32(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_Best_f32[lane * 16u + i] = t[i]; }
    outer_Best_f32[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<Best_f32, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_Best_f32[i]; }
    scan_least_f32(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_Best_f32[i] = t[i]; }
  }
  workgroupBarrier();
  var u4: Best_f32 = Best_f32(0u, 0u);
  if (((2u * lane) & 15u) != 0u) { u4 = groups_Best_f32[2u * lane - 1u]; }
  let v4 = groups_Best_f32[2u * lane];
  var w4: Best_f32 = Best_f32(0u, 0u);
  if (lane >= 8u) { w4 = outer_Best_f32[(lane >> 3u) - 1u]; }
  let total4 = outer_Best_f32[15];
  workgroupBarrier();
  scan_greatest_i64(&a5, starts & 0xffffu);
  scan_greatest_i64(&b5, starts >> 16u);
  groups_Best_i64[2u * lane] = a5[15];
  groups_Best_i64[2u * lane + 1u] = b5[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<Best_i64, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_Best_i64[lane * 16u + i]; }
    scan_greatest_i64(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_Best_i64[lane * 16u + i] = t[i]; }
    outer_Best_i64[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<Best_i64, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_Best_i64[i]; }
    scan_greatest_i64(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_Best_i64[i] = t[i]; }
  }
  workgroupBarrier();
  var u5: Best_i64 = Best_i64(0li, 0u);
  if (((2u * lane) & 15u) != 0u) { u5 = groups_Best_i64[2u * lane - 1u]; }
  let v5 = groups_Best_i64[2u * lane];
  var w5: Best_i64 = Best_i64(0li, 0u);
  if (lane >= 8u) { w5 = outer_Best_i64[(lane >> 3u) - 1u]; }
  let total5 = outer_Best_i64[15];
  workgroupBarrier();
  scan_least_bool(&a6, starts & 0xffffu);
  scan_least_bool(&b6, starts >> 16u);
  groups_Best_bool[2u * lane] = a6[15];
  groups_Best_bool[2u * lane + 1u] = b6[15];
  workgroupBarrier();
  if (lane < 16u) {
    var t: array<Best_bool, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = groups_Best_bool[lane * 16u + i]; }
    scan_least_bool(&t, group_starts);
    for (var i = 0u; i < 16u; i++) { groups_Best_bool[lane * 16u + i] = t[i]; }
    outer_Best_bool[lane] = t[15];
  }
  workgroupBarrier();
  if (lane == 0u) {
    var t: array<Best_bool, 16>;
    for (var i = 0u; i < 16u; i++) { t[i] = outer_Best_bool[i]; }
    scan_least_bool(&t, outer_starts);
    for (var i = 0u; i < 16u; i++) { outer_Best_bool[i] = t[i]; }
  }
  workgroupBarrier();
  var u6: Best_bool = Best_bool(false, 0u);
  if (((2u * lane) & 15u) != 0u) { u6 = groups_Best_bool[2u * lane - 1u]; }
  let v6 = groups_Best_bool[2u * lane];
  var w6: Best_bool = Best_bool(false, 0u);
  if (lane >= 8u) { w6 = outer_Best_bool[(lane >> 3u) - 1u]; }
// … 763 more lines with the checksum ed3b2176f22749bf
