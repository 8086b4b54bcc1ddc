// ["leaves", "join"]
// [Column(0), ColumnValidity(0), Column(1), Column(2), ColumnValidity(2), Column(3), Column(4), Column(5), ColumnValidity(5), Column(6), Nodes]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 6>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<u64>;
@group(0) @binding(5) var<storage, read> in2: array<u32>;
@group(0) @binding(6) var<storage, read> inv2: array<u32>;
@group(0) @binding(7) var<storage, read> in3: array<u64>;
@group(0) @binding(8) var<storage, read> in4: array<u64>;
@group(0) @binding(9) var<storage, read> in5: array<u32>;
@group(0) @binding(10) var<storage, read> inv5: array<u32>;
@group(0) @binding(11) var<storage, read> in6: array<u32>;
@group(0) @binding(12) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  x0: u32,
  y0: bool,
  x1: i64,
  y1: bool,
  x2: u32,
  y2: bool,
  x3: u64,
  y3: bool,
  x4: i64,
  y4: bool,
  x5: u32,
  y5: bool,
  x6: u64,
  y6: bool,
  x7: bool,
  y7: bool,
  x8: i32,
  y8: bool,
  x9: u32,
  y9: bool,
  x10: bool,
  y10: bool,
}
fn row(r: u32, c0: u32, d0: bool, c1: i64, c2: u32, d2: bool, c3: u64, c4: i64, c5: bool, d5: bool, c6: i32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var n0: bool = d0;
  var v1: i64 = c1;
  var v2: u32 = c2;
  var n2: bool = d2;
  var v3: u64 = c3;
  var v4: i64 = c4;
  var v5: bool = c5;
  var n5: bool = d5;
  var v6: i32 = c6;
  return Row((n5 && v5), bad, v0, n0, v1, true, v2, n2, v3, true, v4, true, v0, n0, v3, true, v5, n5, v6, true, v0, n0, true, true);
}
struct Best_bool {
  v: bool,
  there: u32,
}
struct Best_f32 {
  v: u32,
  there: u32,
}
struct Best_f64 {
  v: u64,
  there: u32,
}
struct Best_i32 {
  v: i32,
  there: u32,
}
struct Node {
  f0: u32,
  f1: vec4<u32>,
  f2: vec4<u32>,
  f3: u64,
  f4: vec4<u32>,
  f5: Best_f32,
  f6: Best_f64,
  f7: Best_bool,
  f8: Best_i32,
  f9: u32,
  f10: u32,
}
fn no_node() -> Node {
  return Node(2147483648u, vec4<u32>(), vec4<u32>(), 9223372036854775808lu, vec4<u32>(), Best_f32(0u, 0u), Best_f64(0lu, 0u), Best_bool(false, 0u), Best_i32(0i, 0u), 0u, 0u);
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  r.f0 = add_f32(a.f0, b.f0);
  r.f1 = add_128(a.f1, b.f1);
  r.f2 = add_128(a.f2, b.f2);
  r.f3 = add_f64(a.f3, b.f3);
  r.f4 = add_128(a.f4, b.f4);
  r.f5 = least_best_f32(a.f5, b.f5);
  r.f6 = greatest_best_f64(a.f6, b.f6);
  r.f7 = least_best_bool(a.f7, b.f7);
  r.f8 = greatest_best_i32(a.f8, b.f8);
  r.f9 = (a.f9 + b.f9);
  r.f10 = (a.f10 + b.f10);
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 26u;
  return Node(nodes[at + 0u + 0u], vec4<u32>(nodes[at + 1u + 0u], nodes[at + 1u + 1u], nodes[at + 1u + 2u], nodes[at + 1u + 3u]), vec4<u32>(nodes[at + 5u + 0u], nodes[at + 5u + 1u], nodes[at + 5u + 2u], nodes[at + 5u + 3u]), (u64(nodes[at + 9u + 0u]) | (u64(nodes[at + 9u + 1u]) << 32u)), vec4<u32>(nodes[at + 11u + 0u], nodes[at + 11u + 1u], nodes[at + 11u + 2u], nodes[at + 11u + 3u]), Best_f32(nodes[at + 15u + 0u], nodes[at + 15u + 1u]), Best_f64((u64(nodes[at + 17u + 0u]) | (u64(nodes[at + 17u + 1u]) << 32u)), nodes[at + 17u + 2u]), Best_bool((nodes[at + 20u + 0u] != 0u), nodes[at + 20u + 1u]), Best_i32(bitcast<i32>(nodes[at + 22u + 0u]), nodes[at + 22u + 1u]), nodes[at + 24u + 0u], nodes[at + 25u + 0u]);
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
  nodes[at + 11u + 0u] = n.f4[0u];
  nodes[at + 11u + 1u] = n.f4[1u];
  nodes[at + 11u + 2u] = n.f4[2u];
  nodes[at + 11u + 3u] = n.f4[3u];
  nodes[at + 15u + 0u] = n.f5.v;
  nodes[at + 15u + 1u] = n.f5.there;
  nodes[at + 17u + 0u] = u32(n.f6.v & 0xfffffffflu);
  nodes[at + 17u + 1u] = u32(n.f6.v >> 32u);
  nodes[at + 17u + 2u] = n.f6.there;
  nodes[at + 20u + 0u] = u32(n.f7.v);
  nodes[at + 20u + 1u] = n.f7.there;
  nodes[at + 22u + 0u] = bitcast<u32>(n.f8.v);
  nodes[at + 22u + 1u] = n.f8.there;
  nodes[at + 24u + 0u] = n.f9;
  nodes[at + 25u + 0u] = n.f10;
}
fn finish_node(n: Node) {
  if (args[1].z == 0u) { return; }
  let at = args[2].w * 26u;
        let z0 = canonical_f32(add_f32(n.f0, 0u));
  nodes[at + 0u] = z0;
        let z1w = n.f1;
        if (!fits_i64(z1w)) { atomicMax(&status[args[1].y + 1u], 65534u); }
        let z1 = bitcast<i64>(low_64(z1w));
  nodes[at + 8u] = u32(bitcast<u64>(z1) & 0xfffffffflu);
  nodes[at + 9u] = u32(bitcast<u64>(z1) >> 32u);
        let z2 = n.f2;
  nodes[at + 16u] = z2[0u];
  nodes[at + 17u] = z2[1u];
  nodes[at + 18u] = z2[2u];
  nodes[at + 19u] = z2[3u];
        let z3 = canonical_f64(add_f64(n.f3, 0lu));
  nodes[at + 24u] = u32(z3 & 0xfffffffflu);
  nodes[at + 25u] = u32(z3 >> 32u);
        let z4 = n.f4;
  nodes[at + 32u] = z4[0u];
  nodes[at + 33u] = z4[1u];
  nodes[at + 34u] = z4[2u];
  nodes[at + 35u] = z4[3u];
        let z5b = n.f5;
        let z5 = select(0u, canonical_f32(z5b.v), z5b.there != 0u);
  nodes[at + 40u] = z5;
  nodes[at + 44u] = z5b.there;
        let z6b = n.f6;
        let z6 = select(0lu, canonical_f64(z6b.v), z6b.there != 0u);
  nodes[at + 48u] = u32(z6 & 0xfffffffflu);
  nodes[at + 49u] = u32(z6 >> 32u);
  nodes[at + 52u] = z6b.there;
        let z7b = n.f7;
        let z7 = select(false, z7b.v, z7b.there != 0u);
  nodes[at + 56u] = u32(z7);
  nodes[at + 60u] = z7b.there;
        let z8b = n.f8;
        let z8 = select(0i, z8b.v, z8b.there != 0u);
  nodes[at + 64u] = bitcast<u32>(z8);
  nodes[at + 68u] = z8b.there;
  nodes[at + 72u] = n.f9;
  nodes[at + 73u] = 0u;
  nodes[at + 80u] = n.f10;
  nodes[at + 81u] = 0u;
}
var<workgroup> shared_Best_bool: array<Best_bool, 128>;
var<workgroup> shared_Best_f32: array<Best_f32, 128>;
var<workgroup> shared_Best_f64: array<Best_f64, 128>;
var<workgroup> shared_Best_i32: array<Best_i32, 128>;
var<workgroup> shared_i64: array<i64, 128>;
var<workgroup> shared_u32: array<u32, 128>;
var<workgroup> shared_u64: array<u64, 128>;
var<workgroup> shared_vec4_u32_: array<vec4<u32>, 128>;
@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var s0: u32 = 2147483648u;
  var s1: vec4<u32> = vec4<u32>();
  var s2: i64 = 0li;
  var s3: u64 = 9223372036854775808lu;
  var s4: vec4<u32> = vec4<u32>();
  var s5: Best_f32 = Best_f32(0u, 0u);
  var s6: Best_f64 = Best_f64(0lu, 0u);
  var s7: Best_bool = Best_bool(false, 0u);
  var s8: Best_i32 = Best_i32(0i, 0u);
  var s9: u32 = 0u;
  var s10: u32 = 0u;
  for (var k = 0u; k < 32u; k += 4u) {
    let r0 = start + k * 128u + 0u + lane;
    let row0 = row(min(r0, last), in0[min(r0, last)], ((args[4].x & 1u) == 0u || (((inv0[(min(r0, last)) >> 5u] >> ((min(r0, last)) & 31u)) & 1u) != 0u)), bitcast<i64>(in1[min(r0, last)]), ((in2[(min(r0, last)) >> 2u] >> (((min(r0, last)) & 3u) * 8u)) & 255u), ((args[4].z & 1u) == 0u || (((inv2[(min(r0, last)) >> 5u] >> ((min(r0, last)) & 31u)) & 1u) != 0u)), in3[min(r0, last)], bitcast<i64>(in4[min(r0, last)]), (((in5[(min(r0, last)) >> 5u] >> ((min(r0, last)) & 31u)) & 1u) != 0u), ((args[5].y & 1u) == 0u || (((inv5[(min(r0, last)) >> 5u] >> ((min(r0, last)) & 31u)) & 1u) != 0u)), bitcast<i32>(in6[min(r0, last)]));
    let r1 = start + k * 128u + 128u + lane;
    let row1 = row(min(r1, last), in0[min(r1, last)], ((args[4].x & 1u) == 0u || (((inv0[(min(r1, last)) >> 5u] >> ((min(r1, last)) & 31u)) & 1u) != 0u)), bitcast<i64>(in1[min(r1, last)]), ((in2[(min(r1, last)) >> 2u] >> (((min(r1, last)) & 3u) * 8u)) & 255u), ((args[4].z & 1u) == 0u || (((inv2[(min(r1, last)) >> 5u] >> ((min(r1, last)) & 31u)) & 1u) != 0u)), in3[min(r1, last)], bitcast<i64>(in4[min(r1, last)]), (((in5[(min(r1, last)) >> 5u] >> ((min(r1, last)) & 31u)) & 1u) != 0u), ((args[5].y & 1u) == 0u || (((inv5[(min(r1, last)) >> 5u] >> ((min(r1, last)) & 31u)) & 1u) != 0u)), bitcast<i32>(in6[min(r1, last)]));
    let r2 = start + k * 128u + 256u + lane;
    let row2 = row(min(r2, last), in0[min(r2, last)], ((args[4].x & 1u) == 0u || (((inv0[(min(r2, last)) >> 5u] >> ((min(r2, last)) & 31u)) & 1u) != 0u)), bitcast<i64>(in1[min(r2, last)]), ((in2[(min(r2, last)) >> 2u] >> (((min(r2, last)) & 3u) * 8u)) & 255u), ((args[4].z & 1u) == 0u || (((inv2[(min(r2, last)) >> 5u] >> ((min(r2, last)) & 31u)) & 1u) != 0u)), in3[min(r2, last)], bitcast<i64>(in4[min(r2, last)]), (((in5[(min(r2, last)) >> 5u] >> ((min(r2, last)) & 31u)) & 1u) != 0u), ((args[5].y & 1u) == 0u || (((inv5[(min(r2, last)) >> 5u] >> ((min(r2, last)) & 31u)) & 1u) != 0u)), bitcast<i32>(in6[min(r2, last)]));
    let r3 = start + k * 128u + 384u + lane;
    let row3 = row(min(r3, last), in0[min(r3, last)], ((args[4].x & 1u) == 0u || (((inv0[(min(r3, last)) >> 5u] >> ((min(r3, last)) & 31u)) & 1u) != 0u)), bitcast<i64>(in1[min(r3, last)]), ((in2[(min(r3, last)) >> 2u] >> (((min(r3, last)) & 3u) * 8u)) & 255u), ((args[4].z & 1u) == 0u || (((inv2[(min(r3, last)) >> 5u] >> ((min(r3, last)) & 31u)) & 1u) != 0u)), in3[min(r3, last)], bitcast<i64>(in4[min(r3, last)]), (((in5[(min(r3, last)) >> 5u] >> ((min(r3, last)) & 31u)) & 1u) != 0u), ((args[5].y & 1u) == 0u || (((inv5[(min(r3, last)) >> 5u] >> ((min(r3, last)) & 31u)) & 1u) != 0u)), bitcast<i32>(in6[min(r3, last)]));
    {
      let x = row0;
      let live = r0 < rows;
      
      { let there = live & x.selected & x.y0; s0 = add_f32(s0, select(2147483648u, x.x0, there)); }
      { let there = live & x.selected & x.y1; s1 = add_128(s1, select(vec4<u32>(), widened_i64(x.x1), there)); }
      { let there = live & x.selected & x.y2; s2 = (s2 + select(0li, bitcast<i64>(u64(x.x2)), there)); }
      { let there = live & x.selected & x.y3; s3 = add_f64(s3, select(9223372036854775808lu, x.x3, there)); }
      { let there = live & x.selected & x.y4; s4 = add_128(s4, select(vec4<u32>(), widened_i64(x.x4), there)); }
      { let there = live & x.selected & x.y5; s5 = least_best_f32(s5, Best_f32(x.x5, u32(there))); }
      { let there = live & x.selected & x.y6; s6 = greatest_best_f64(s6, Best_f64(x.x6, u32(there))); }
      { let there = live & x.selected & x.y7; s7 = least_best_bool(s7, Best_bool(x.x7, u32(there))); }
      { let there = live & x.selected & x.y8; s8 = greatest_best_i32(s8, Best_i32(x.x8, u32(there))); }
      { let there = live & x.selected & x.y9; s9 = (s9 + u32(there)); }
      { let there = live & x.selected & x.y10; s10 = (s10 + u32(there)); }
    }
    {
      let x = row1;
      let live = r1 < rows;
      
      { let there = live & x.selected & x.y0; s0 = add_f32(s0, select(2147483648u, x.x0, there)); }
      { let there = live & x.selected & x.y1; s1 = add_128(s1, select(vec4<u32>(), widened_i64(x.x1), there)); }
      { let there = live & x.selected & x.y2; s2 = (s2 + select(0li, bitcast<i64>(u64(x.x2)), there)); }
      { let there = live & x.selected & x.y3; s3 = add_f64(s3, select(9223372036854775808lu, x.x3, there)); }
      { let there = live & x.selected & x.y4; s4 = add_128(s4, select(vec4<u32>(), widened_i64(x.x4), there)); }
      { let there = live & x.selected & x.y5; s5 = least_best_f32(s5, Best_f32(x.x5, u32(there))); }
      { let there = live & x.selected & x.y6; s6 = greatest_best_f64(s6, Best_f64(x.x6, u32(there))); }
      { let there = live & x.selected & x.y7; s7 = least_best_bool(s7, Best_bool(x.x7, u32(there))); }
      { let there = live & x.selected & x.y8; s8 = greatest_best_i32(s8, Best_i32(x.x8, u32(there))); }
      { let there = live & x.selected & x.y9; s9 = (s9 + u32(there)); }
      { let there = live & x.selected & x.y10; s10 = (s10 + u32(there)); }
    }
    {
      let x = row2;
      let live = r2 < rows;
      
      { let there = live & x.selected & x.y0; s0 = add_f32(s0, select(2147483648u, x.x0, there)); }
      { let there = live & x.selected & x.y1; s1 = add_128(s1, select(vec4<u32>(), widened_i64(x.x1), there)); }
      { let there = live & x.selected & x.y2; s2 = (s2 + select(0li, bitcast<i64>(u64(x.x2)), there)); }
      { let there = live & x.selected & x.y3; s3 = add_f64(s3, select(9223372036854775808lu, x.x3, there)); }
      { let there = live & x.selected & x.y4; s4 = add_128(s4, select(vec4<u32>(), widened_i64(x.x4), there)); }
      { let there = live & x.selected & x.y5; s5 = least_best_f32(s5, Best_f32(x.x5, u32(there))); }
      { let there = live & x.selected & x.y6; s6 = greatest_best_f64(s6, Best_f64(x.x6, u32(there))); }
      { let there = live & x.selected & x.y7; s7 = least_best_bool(s7, Best_bool(x.x7, u32(there))); }
      { let there = live & x.selected & x.y8; s8 = greatest_best_i32(s8, Best_i32(x.x8, u32(there))); }
      { let there = live & x.selected & x.y9; s9 = (s9 + u32(there)); }
      { let there = live & x.selected & x.y10; s10 = (s10 + u32(there)); }
    }
    {
      let x = row3;
      let live = r3 < rows;
      
      { let there = live & x.selected & x.y0; s0 = add_f32(s0, select(2147483648u, x.x0, there)); }
      { let there = live & x.selected & x.y1; s1 = add_128(s1, select(vec4<u32>(), widened_i64(x.x1), there)); }
      { let there = live & x.selected & x.y2; s2 = (s2 + select(0li, bitcast<i64>(u64(x.x2)), there)); }
      { let there = live & x.selected & x.y3; s3 = add_f64(s3, select(9223372036854775808lu, x.x3, there)); }
      { let there = live & x.selected & x.y4; s4 = add_128(s4, select(vec4<u32>(), widened_i64(x.x4), there)); }
      { let there = live & x.selected & x.y5; s5 = least_best_f32(s5, Best_f32(x.x5, u32(there))); }
      { let there = live & x.selected & x.y6; s6 = greatest_best_f64(s6, Best_f64(x.x6, u32(there))); }
      { let there = live & x.selected & x.y7; s7 = least_best_bool(s7, Best_bool(x.x7, u32(there))); }
      { let there = live & x.selected & x.y8; s8 = greatest_best_i32(s8, Best_i32(x.x8, u32(there))); }
      { let there = live & x.selected & x.y9; s9 = (s9 + u32(there)); }
      { let there = live & x.selected & x.y10; s10 = (s10 + u32(there)); }
    }
  }
  shared_u32[lane] = s0;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s0 = add_f32(s0, shared_u32[lane + h]); shared_u32[lane] = s0; }
  }
  workgroupBarrier();
  shared_vec4_u32_[lane] = s1;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s1 = add_128(s1, shared_vec4_u32_[lane + h]); shared_vec4_u32_[lane] = s1; }
  }
  workgroupBarrier();
  shared_i64[lane] = s2;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s2 = (s2 + shared_i64[lane + h]); shared_i64[lane] = s2; }
  }
  workgroupBarrier();
  shared_u64[lane] = s3;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s3 = add_f64(s3, shared_u64[lane + h]); shared_u64[lane] = s3; }
  }
  workgroupBarrier();
  shared_vec4_u32_[lane] = s4;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s4 = add_128(s4, shared_vec4_u32_[lane + h]); shared_vec4_u32_[lane] = s4; }
  }
  workgroupBarrier();
  shared_Best_f32[lane] = s5;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s5 = least_best_f32(s5, shared_Best_f32[lane + h]); shared_Best_f32[lane] = s5; }
  }
  workgroupBarrier();
  shared_Best_f64[lane] = s6;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s6 = greatest_best_f64(s6, shared_Best_f64[lane + h]); shared_Best_f64[lane] = s6; }
  }
  workgroupBarrier();
  shared_Best_bool[lane] = s7;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s7 = least_best_bool(s7, shared_Best_bool[lane + h]); shared_Best_bool[lane] = s7; }
  }
  workgroupBarrier();
  shared_Best_i32[lane] = s8;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s8 = greatest_best_i32(s8, shared_Best_i32[lane + h]); shared_Best_i32[lane] = s8; }
  }
  workgroupBarrier();
  shared_u32[lane] = s9;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s9 = (s9 + shared_u32[lane + h]); shared_u32[lane] = s9; }
  }
  workgroupBarrier();
  shared_u32[lane] = s10;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { s10 = (s10 + shared_u32[lane + h]); shared_u32[lane] = s10; }
  }
  workgroupBarrier();
  if (lane == 0u) {
    let made = Node(s0, s1, words_of_i64(s2), s3, s4, s5, s6, s7, s8, s9, s10);
    put_node(args[1].x + leaf, made);
    if (args[2].y == 1u) { finish_node(made); }
  }
}
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
        made = append(get_node(below + 2u * node - least), get_node(below + 2u * node + 1u - least));
      } else if (has_left) {
        made = get_node(below + 2u * node - least);
      } else {
        made = get_node(below + 2u * node + 1u - least);
      }
      put_node(above + node - first, made);
      if (level_nodes(b) == 1u && level_nodes(b - 1u) > 1u) { root = made; is_root = true; }
    }
    below = above;
    storageBarrier();
    
  }
  if (is_root) { finish_node(root); }
}
// … 86 more lines with the checksum d57904e41722ccbb
