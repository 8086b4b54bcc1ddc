// ["compact"]
// [Column(0), ColumnValidity(0), Column(1), Column(2), ColumnValidity(2), Column(3), Output(0), OutputValidity(0), Output(1), Output(2), OutputValidity(2), Nodes]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> in2: array<u64>;
@group(0) @binding(6) var<storage, read> inv2: array<u32>;
@group(0) @binding(7) var<storage, read> in3: array<u32>;
@group(0) @binding(8) var<storage, read_write> out0: array<atomic<u32>>;
@group(0) @binding(9) var<storage, read_write> outv0: array<atomic<u32>>;
@group(0) @binding(10) var<storage, read_write> out1: array<u32>;
@group(0) @binding(11) var<storage, read_write> out2: array<u64>;
@group(0) @binding(12) var<storage, read_write> outv2: array<atomic<u32>>;
@group(0) @binding(13) var<storage, read_write> nodes: array<atomic<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: bool,
  q0: bool,
  o1: u32,
  o2: u64,
  q2: bool,
}
fn row(r: u32, c0: u32, d0: bool, c1: u32, c2: u64, d2: bool, c3: bool) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var n0: bool = d0;
  var v1: u32 = c1;
  var v2: u64 = c2;
  var n2: bool = d2;
  var v3: bool = c3;
  var v4: bool = (v0 == v1);
  var n4: bool = n0;
  var v5: u32 = select(v1, v0, n0);
  return Row(v3, bad, v4, n4, v5, v2, n2);
}
var<workgroup> shared_look: array<u32, 136>;
var<workgroup> shared_parts: array<u32, 8>;
var<workgroup> shared_view: u32;
var<workgroup> shared_sum: atomic<u32>;
fn joined_words(near: u32, far: u32) -> u32 {
  return select(near, far + (near & 0x3fffffffu), (near >> 30u) == 1u);
}
fn count_tile(tile: u32, lane: u32) -> u32 {
  let rows = args[0].x;
  let last = rows - 1u;
  if (lane == 0u) { atomicStore(&shared_sum, 0u); }
  workgroupBarrier();
  var count = 0u;
  for (var q = 0u; q < 1u; q++) {
    let base = tile * 1024u + (q * 256u + lane) * 4u;
    let first = min(base, last & ~3u);
    let quad0 = in0[first >> 2u];
    let valid0 = select(15u, inv0[first >> 5u] >> (first & 31u), (args[4].x & 1u) != 0u);
    let quad1 = in1[first >> 2u];
    let valid2 = select(15u, inv2[first >> 5u] >> (first & 31u), (args[4].z & 1u) != 0u);
    let quad3 = in3[first >> 5u] >> (first & 31u);
    { let x = row(base + 0u, quad0[0u], (((valid0 >> 0u) & 1u) != 0u), quad1[0u], select(in2[min(base + 0u, last)], row_number((base + 0u)), (args[4].z & 2u) != 0u), (((valid2 >> 0u) & 1u) != 0u), (((quad3 >> 0u) & 1u) != 0u)); count += u32((base + 0u < rows) & x.selected); }
    { let x = row(base + 1u, quad0[1u], (((valid0 >> 1u) & 1u) != 0u), quad1[1u], select(in2[min(base + 1u, last)], row_number((base + 1u)), (args[4].z & 2u) != 0u), (((valid2 >> 1u) & 1u) != 0u), (((quad3 >> 1u) & 1u) != 0u)); count += u32((base + 1u < rows) & x.selected); }
    { let x = row(base + 2u, quad0[2u], (((valid0 >> 2u) & 1u) != 0u), quad1[2u], select(in2[min(base + 2u, last)], row_number((base + 2u)), (args[4].z & 2u) != 0u), (((valid2 >> 2u) & 1u) != 0u), (((quad3 >> 2u) & 1u) != 0u)); count += u32((base + 2u < rows) & x.selected); }
    { let x = row(base + 3u, quad0[3u], (((valid0 >> 3u) & 1u) != 0u), quad1[3u], select(in2[min(base + 3u, last)], row_number((base + 3u)), (args[4].z & 2u) != 0u), (((valid2 >> 3u) & 1u) != 0u), (((quad3 >> 3u) & 1u) != 0u)); count += u32((base + 3u < rows) & x.selected); }
  }
  atomicAdd(&shared_sum, count);
  workgroupBarrier();
  if (lane == 0u) { shared_view = atomicLoad(&shared_sum); }
  return workgroupUniformLoad(&shared_view);
}
fn nearest_missing(state: u32, lane: u32) -> u32 {
  if (lane == 0u) { atomicStore(&shared_sum, 128u); }
  workgroupBarrier();
  if (state == 0u) { atomicMin(&shared_sum, lane); }
  workgroupBarrier();
  if (lane == 0u) { shared_view = atomicLoad(&shared_sum); }
  return workgroupUniformLoad(&shared_view);
}
fn ask_for(number: u32, first: u32, lane: u32) {
  if (lane == 0u) {
    var state = 0u;
    for (var i = 0u; i < 64u && state == 0u; i++) { state = atomicLoad(&nodes[number]); }
    shared_view = state;
  }
  if (workgroupUniformLoad(&shared_view) == 0u) {
    let count = count_tile(number - first, lane);
    if (lane == 0u) { atomicMax(&nodes[number], 0x40000000u | count); }
  }
}
fn rows_before(first: u32, number: u32, lane: u32) -> u32 {
  var sum = 0u;
  var at = number;
  for (var i = 0u; i < 0x7fffffffu && number > 0u; i++) {
    // Before the first tile there is nothing, and that is all of it.
    var state = 0x80000000u;
    if (lane < min(at, 128u)) { state = atomicLoad(&nodes[at - 1u - lane]); }
    if (lane < 128u) { shared_look[lane + lane / 16u] = state; }
    workgroupBarrier();
    if (lane < 8u) {
      var part = 0x40000000u;
      for (var k = 0u; k < 16u; k++) { part = joined_words(part, shared_look[lane * 17u + k]); }
      shared_parts[lane] = part;
    }
    workgroupBarrier();
    if (lane == 0u) {
      var all = 0x40000000u;
      for (var k = 0u; k < 8u; k++) { all = joined_words(all, shared_parts[k]); }
      shared_view = all;
    }
    let view = workgroupUniformLoad(&shared_view);
    // Where a word says nothing, these are the rows of the tiles from there on.
    sum += view & 0x3fffffffu;
    if ((view >> 30u) == 2u) { break; }
    if ((view >> 30u) == 1u) {
      at -= 128u;
    } else {
      at -= nearest_missing(state, lane);
      ask_for(at - 1u, first, lane);
    }
  }
  return sum;
}
var<workgroup> shared_counts: array<u32, 512>;
var<workgroup> shared_groups: array<u32, 8>;
var<workgroup> stage0: array<u32, 1024>;
var<workgroup> stagev0: array<u32, 1024>;
var<workgroup> stage1: array<u32, 1024>;
var<workgroup> stage2: array<u64, 1024>;
var<workgroup> stagev2: array<u32, 1024>;
@compute @workgroup_size(256)
fn compact(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let tile = group.x + group.y * args[0].w;
  let start = tile * 1024u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  let own = start + (lane >> 5u) * 128u + (lane & 31u) * 4u;
  let base_0 = own + 0u;
  let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let valid0_0 = select(15u, inv0[first_0 >> 5u] >> (first_0 & 31u), (args[4].x & 1u) != 0u);
    let quad1_0 = in1[first_0 >> 2u];
    let valid2_0 = select(15u, inv2[first_0 >> 5u] >> (first_0 & 31u), (args[4].z & 1u) != 0u);
    let quad3_0 = in3[first_0 >> 5u] >> (first_0 & 31u);
  var mask = 0u;
  let x0_0 = row(base_0 + 0u, quad0_0[0u], (((valid0_0 >> 0u) & 1u) != 0u), quad1_0[0u], select(in2[min(base_0 + 0u, last)], row_number((base_0 + 0u)), (args[4].z & 2u) != 0u), (((valid2_0 >> 0u) & 1u) != 0u), (((quad3_0 >> 0u) & 1u) != 0u));
  
  mask |= u32(x0_0.selected) << 0u;
  let x0_1 = row(base_0 + 1u, quad0_0[1u], (((valid0_0 >> 1u) & 1u) != 0u), quad1_0[1u], select(in2[min(base_0 + 1u, last)], row_number((base_0 + 1u)), (args[4].z & 2u) != 0u), (((valid2_0 >> 1u) & 1u) != 0u), (((quad3_0 >> 1u) & 1u) != 0u));
  
  mask |= u32(x0_1.selected) << 1u;
  let x0_2 = row(base_0 + 2u, quad0_0[2u], (((valid0_0 >> 2u) & 1u) != 0u), quad1_0[2u], select(in2[min(base_0 + 2u, last)], row_number((base_0 + 2u)), (args[4].z & 2u) != 0u), (((valid2_0 >> 2u) & 1u) != 0u), (((quad3_0 >> 2u) & 1u) != 0u));
  
  mask |= u32(x0_2.selected) << 2u;
  let x0_3 = row(base_0 + 3u, quad0_0[3u], (((valid0_0 >> 3u) & 1u) != 0u), quad1_0[3u], select(in2[min(base_0 + 3u, last)], row_number((base_0 + 3u)), (args[4].z & 2u) != 0u), (((valid2_0 >> 3u) & 1u) != 0u), (((quad3_0 >> 3u) & 1u) != 0u));
  
  mask |= u32(x0_3.selected) << 3u;
  if (rows - start < 1024u) {
    var there = 0u;
    there |= ((1u << min(rows - min(base_0, rows), 4u)) - 1u) << 0u;
    mask &= there;
  }
  let pairs = mask - ((mask >> 1u) & 0x55555555u);
  let fours = (pairs & 0x33333333u) + ((pairs >> 2u) & 0x33333333u);
  let own0 = (fours >> 0u) & 0x0f0f0f0fu;
  var c0 = own0;
  shared_counts[0u + lane] = own0;
  workgroupBarrier();
  var half = 0u;
  for (var h = 1u; h < 32u; h = h << 1u) {
    if ((lane & 31u) >= h) { c0 += shared_counts[half + 0u + lane - h]; }
    half = 256u - half;
    shared_counts[half + 0u + lane] = c0;
    workgroupBarrier();
  }
  let total0 = shared_counts[half + 0u + (lane | 31u)];
  let left0 = c0 - own0;
  let halves = 0u + (total0 & 0x00ff00ffu) + ((total0 >> 8u) & 0x00ff00ffu);
  if ((lane & 31u) == 31u) { shared_groups[lane >> 5u] = (halves & 0xffffu) + (halves >> 16u); }
  workgroupBarrier();
  var ahead = 0u;
  var count = 0u;
  for (var g = 0u; g < 8u; g++) {
    let selected = shared_groups[g];
    ahead += select(0u, selected, g < (lane >> 5u));
    count += selected;
  }
  let first = args[1].x * 4096u / 1024u;
  let number = first + tile;
  if (lane == 0u) { atomicStore(&nodes[number], select(0x40000000u, 0x80000000u, number == 0u) | count); }
  var at0 = ahead + ((left0 >> 0u) & 255u);
  if ((mask & 1u) != 0u) { stage0[at0] = u32(x0_0.o0); stagev0[at0] = u32(x0_0.q0); stage1[at0] = x0_0.o1; stage2[at0] = x0_0.o2; stagev2[at0] = u32(x0_0.q2); at0 += 1u; }
  if ((mask & 2u) != 0u) { stage0[at0] = u32(x0_1.o0); stagev0[at0] = u32(x0_1.q0); stage1[at0] = x0_1.o1; stage2[at0] = x0_1.o2; stagev2[at0] = u32(x0_1.q2); at0 += 1u; }
  if ((mask & 4u) != 0u) { stage0[at0] = u32(x0_2.o0); stagev0[at0] = u32(x0_2.q0); stage1[at0] = x0_2.o1; stage2[at0] = x0_2.o2; stagev2[at0] = u32(x0_2.q2); at0 += 1u; }
  if ((mask & 8u) != 0u) { stage0[at0] = u32(x0_3.o0); stagev0[at0] = u32(x0_3.q0); stage1[at0] = x0_3.o1; stage2[at0] = x0_3.o2; stagev2[at0] = u32(x0_3.q2); at0 += 1u; }
  ahead += (total0 >> 0u) & 255u;
  let before = rows_before(first, number, lane);
  if (lane == 0u) { atomicStore(&nodes[number], 0x80000000u | (before + count)); }
  workgroupBarrier();
  for (var k = 0u; k < count; k += 1024u) {
    let s0 = k + 0u + lane;
    let y0_0 = stage0[s0];
    let z0_0 = stagev0[s0];
    let y0_1 = stage1[s0];
    let y0_2 = stage2[s0];
    let z0_2 = stagev2[s0];
    let s1 = k + 256u + lane;
    let y1_0 = stage0[s1];
    let z1_0 = stagev0[s1];
    let y1_1 = stage1[s1];
    let y1_2 = stage2[s1];
    let z1_2 = stagev2[s1];
    let s2 = k + 512u + lane;
    let y2_0 = stage0[s2];
    let z2_0 = stagev0[s2];
    let y2_1 = stage1[s2];
    let y2_2 = stage2[s2];
    let z2_2 = stagev2[s2];
    let s3 = k + 768u + lane;
    let y3_0 = stage0[s3];
    let z3_0 = stagev0[s3];
    let y3_1 = stage1[s3];
    let y3_2 = stage2[s3];
    let z3_2 = stagev2[s3];
    if (s0 < count) {
      let place = before + s0;
        if (u32(select(0u, y0_0, (z0_0 != 0u))) != 0u) { atomicOr(&out0[place >> 5u], 1u << (place & 31u)); }
        if (u32((z0_0 != 0u)) != 0u) { atomicOr(&outv0[place >> 5u], 1u << (place & 31u)); }
        out1[place] = y0_1;
        out2[place] = select(0lu, y0_2, (z0_2 != 0u));
        if (u32((z0_2 != 0u)) != 0u) { atomicOr(&outv2[place >> 5u], 1u << (place & 31u)); }
    }
    if (s1 < count) {
      let place = before + s1;
        if (u32(select(0u, y1_0, (z1_0 != 0u))) != 0u) { atomicOr(&out0[place >> 5u], 1u << (place & 31u)); }
        if (u32((z1_0 != 0u)) != 0u) { atomicOr(&outv0[place >> 5u], 1u << (place & 31u)); }
        out1[place] = y1_1;
        out2[place] = select(0lu, y1_2, (z1_2 != 0u));
        if (u32((z1_2 != 0u)) != 0u) { atomicOr(&outv2[place >> 5u], 1u << (place & 31u)); }
    }
    if (s2 < count) {
      let place = before + s2;
        if (u32(select(0u, y2_0, (z2_0 != 0u))) != 0u) { atomicOr(&out0[place >> 5u], 1u << (place & 31u)); }
        if (u32((z2_0 != 0u)) != 0u) { atomicOr(&outv0[place >> 5u], 1u << (place & 31u)); }
        out1[place] = y2_1;
        out2[place] = select(0lu, y2_2, (z2_2 != 0u));
        if (u32((z2_2 != 0u)) != 0u) { atomicOr(&outv2[place >> 5u], 1u << (place & 31u)); }
    }
    if (s3 < count) {
      let place = before + s3;
        if (u32(select(0u, y3_0, (z3_0 != 0u))) != 0u) { atomicOr(&out0[place >> 5u], 1u << (place & 31u)); }
        if (u32((z3_0 != 0u)) != 0u) { atomicOr(&outv0[place >> 5u], 1u << (place & 31u)); }
        out1[place] = y3_1;
        out2[place] = select(0lu, y3_2, (z3_2 != 0u));
        if (u32((z3_2 != 0u)) != 0u) { atomicOr(&outv2[place >> 5u], 1u << (place & 31u)); }
    }
  }
}
fn row_number(r: u32) -> u64 {
  return (u64(args[0].y) | (u64(args[0].z) << 32u)) + u64(r);
}

// In three passes: ["leaves", "join", "carry", "write"]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<u32>;
@group(0) @binding(5) var<storage, read> in2: array<u64>;
@group(0) @binding(6) var<storage, read> inv2: array<u32>;
@group(0) @binding(7) var<storage, read> in3: array<u32>;
@group(0) @binding(8) var<storage, read_write> out0: array<atomic<u32>>;
@group(0) @binding(9) var<storage, read_write> outv0: array<atomic<u32>>;
@group(0) @binding(10) var<storage, read_write> out1: array<u32>;
@group(0) @binding(11) var<storage, read_write> out2: array<u64>;
@group(0) @binding(12) var<storage, read_write> outv2: array<atomic<u32>>;
@group(0) @binding(13) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: bool,
  q0: bool,
  o1: u32,
  q1: bool,
  o2: u64,
  q2: bool,
}
fn row(r: u32, c0: u32, d0: bool, c1: u32, c2: u64, d2: bool, c3: bool) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var n0: bool = d0;
  var v1: u32 = c1;
  var v2: u64 = c2;
  var n2: bool = d2;
  var v3: bool = c3;
  var v4: bool = (v0 == v1);
  var n4: bool = n0;
  var v5: u32 = select(v1, v0, n0);
  return Row(v3, bad, select(false, v4, n4), n4, v5, true, select(0lu, v2, n2), n2);
}
struct Node {
  count: u32,
}
fn no_node() -> Node {
  return Node(0u);
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  r.count = a.count + b.count;
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 1u;
  return Node(nodes[at + 0u]);
}
fn put_node(i: u32, n: Node) {
  let at = i * 1u;
  nodes[at + 0u] = n.count;
}
var<workgroup> shared_counts: array<u32, 128>;
@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let leaf = group.x + group.y * args[0].w;
  let rows = args[0].x;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var count = 0u;
  for (var k = 0u; k < 32u; k++) {
    let r = start + k * 128u + lane;
    let x = row(min(r, last), in0[min(r, last)], ((args[4].x & 1u) == 0u || (((inv0[(min(r, last)) >> 5u] >> ((min(r, last)) & 31u)) & 1u) != 0u)), in1[min(r, last)], select(in2[min(r, last)], row_number(min(r, last)), (args[4].z & 2u) != 0u), ((args[4].z & 1u) == 0u || (((inv2[(min(r, last)) >> 5u] >> ((min(r, last)) & 31u)) & 1u) != 0u)), (((in3[(min(r, last)) >> 5u] >> ((min(r, last)) & 31u)) & 1u) != 0u));
    count += u32((r < rows) & x.selected);
  }
  shared_counts[lane] = count;
  for (var h = 64u; h > 0u; h = h >> 1u) {
    workgroupBarrier();
    if (lane < h) { count += shared_counts[lane + h]; shared_counts[lane] = count; }
  }
  if (lane == 0u) { put_node(args[1].x + leaf, Node(count)); }
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
    }
    below = above;
    workgroupBarrier();
    if (lane < (256u >> t)) { shared_nodes[lane] = made; }
    workgroupBarrier();
  }
}
@compute @workgroup_size(128)
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
var<workgroup> shared_masks: array<u32, 128>;
var<workgroup> shared_words: array<u32, 128>;
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
fn write(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let leaf = group.x + group.y * args[0].w;
  let rows = args[0].x;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var mask = 0u;
  for (var k = 0u; k < 32u; k++) {
    let r = start + k * 128u + lane;
    let x = row(min(r, last), in0[min(r, last)], ((args[4].x & 1u) == 0u || (((inv0[(min(r, last)) >> 5u] >> ((min(r, last)) & 31u)) & 1u) != 0u)), in1[min(r, last)], select(in2[min(r, last)], row_number(min(r, last)), (args[4].z & 2u) != 0u), ((args[4].z & 1u) == 0u || (((inv2[(min(r, last)) >> 5u] >> ((min(r, last)) & 31u)) & 1u) != 0u)), (((in3[(min(r, last)) >> 5u] >> ((min(r, last)) & 31u)) & 1u) != 0u));
    
    mask |= u32((r < rows) & x.selected) << k;
  }
  shared_masks[lane] = mask;
  workgroupBarrier();
  // Bit b of word w is row 32 w + b: of invocation 32 (w mod 4) + b, bit w / 4. Each starts elsewhere, to spread banks.
  var word = 0u;
  for (var i = 0u; i < 32u; i++) {
    let b = (i + 8u * (lane & 3u)) & 31u;
    word |= ((shared_masks[(lane & 3u) * 32u + b] >> (lane >> 2u)) & 1u) << b;
  }
  shared_words[lane] = word;
  let before = places_before(lane, countOneBits(word));
  shared_places[lane] = before;
  workgroupBarrier();
  let base = get_node(args[2].w + args[1].x + leaf).count - args[1].z;
  for (var k = 0u; k < 32u; k++) {
    let r = start + k * 128u + lane;
    if (((mask >> k) & 1u) == 1u) {
      let w = 4u * k + (lane >> 5u);
      let below = shared_words[w] & ((1u << (lane & 31u)) - 1u);
      let place = base + shared_places[w] + countOneBits(below);
      if (place < args[1].w) {
        let x = row(min(r, last), in0[min(r, last)], ((args[4].x & 1u) == 0u || (((inv0[(min(r, last)) >> 5u] >> ((min(r, last)) & 31u)) & 1u) != 0u)), in1[min(r, last)], select(in2[min(r, last)], row_number(min(r, last)), (args[4].z & 2u) != 0u), ((args[4].z & 1u) == 0u || (((inv2[(min(r, last)) >> 5u] >> ((min(r, last)) & 31u)) & 1u) != 0u)), (((in3[(min(r, last)) >> 5u] >> ((min(r, last)) & 31u)) & 1u) != 0u));
        if (u32(x.o0) != 0u) { atomicOr(&out0[place >> 5u], 1u << (place & 31u)); }
        if (u32(x.q0) != 0u) { atomicOr(&outv0[place >> 5u], 1u << (place & 31u)); }
        out1[place] = x.o1;
        out2[place] = x.o2;
        if (u32(x.q2) != 0u) { atomicOr(&outv2[place >> 5u], 1u << (place & 31u)); }
      }
    }
  }
}
fn row_number(r: u32) -> u64 {
  return (u64(args[0].y) | (u64(args[0].z) << 32u)) + u64(r);
}
