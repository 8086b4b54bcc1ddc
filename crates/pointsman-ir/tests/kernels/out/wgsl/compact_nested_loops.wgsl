// ["compact"]
// [Column(0), Column(1), Output(0), Output(1), Nodes]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read_write> out0: array<u64>;
@group(0) @binding(5) var<storage, read_write> out1: array<u64>;
@group(0) @binding(6) var<storage, read_write> nodes: array<atomic<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i64,
  q0: bool,
  o1: i64,
  q1: bool,
}
fn row(r: u32, c0: i64, c1: i64) -> Row {
  var bad: bool = false;
  var v0: i64 = c0;
  var v1: i64 = c1;
  var s2_0: i64 = v0;
  var t2_0: bool = true;
  for (var k2 = 0u; k2 < 8u; k2++) {
    var v3: i64 = s2_0;
    var s4_0: i64 = v3;
    var t4_0: bool = true;
    var s4_1: i64 = v1;
    var t4_1: bool = true;
    for (var k4 = 0u; k4 < 16777216u; k4++) {
      var v5: i64 = s4_0;
      var v6: i64 = (v5 + v3);
      var v7: i64 = s4_1;
      for (var k8 = 0u; k8 < 1u; k8++) {
        var v9: u32 = k8;
      }
      var v10: bool = (v6 < v7);
      if (!v10) { break; }
      var x4_0: i64 = v6;
      var y4_0: bool = true;
      var x4_1: i64 = v0;
      var y4_1: bool = true;
      s4_0 = x4_0;
      t4_0 = y4_0;
      s4_1 = x4_1;
      t4_1 = y4_1;
    }
    var v11: i64 = s4_0;
    var v12: i64 = s4_1;
    var v13: i64 = (v11 - v12);
    var x2_0: i64 = v13;
    var y2_0: bool = true;
    s2_0 = x2_0;
    t2_0 = y2_0;
  }
  var v14: i64 = s2_0;
  return Row(true, bad, v14, true, v0, true);
}
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
  for (var k = 0u; k < 32u; k++) {
    let r = tile * 4096u + k * 128u + lane;
    let x = row(min(r, last), bitcast<i64>(in0[min(r, last)]), bitcast<i64>(in1[min(r, last)]));
    count += u32((r < rows) & x.selected);
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
var<workgroup> shared_masks: array<u32, 128>;
var<workgroup> shared_words: array<u32, 128>;
var<workgroup> shared_count: u32;
@compute @workgroup_size(128)
fn compact(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let leaf = group.x + group.y * args[0].w;
  let rows = args[0].x;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var mask = 0u;
  for (var k = 0u; k < 32u; k += 4u) {
    let r0 = start + (k + 0u) * 128u + lane;
    let x0 = row(min(r0, last), bitcast<i64>(in0[min(r0, last)]), bitcast<i64>(in1[min(r0, last)]));
    let r1 = start + (k + 1u) * 128u + lane;
    let x1 = row(min(r1, last), bitcast<i64>(in0[min(r1, last)]), bitcast<i64>(in1[min(r1, last)]));
    let r2 = start + (k + 2u) * 128u + lane;
    let x2 = row(min(r2, last), bitcast<i64>(in0[min(r2, last)]), bitcast<i64>(in1[min(r2, last)]));
    let r3 = start + (k + 3u) * 128u + lane;
    let x3 = row(min(r3, last), bitcast<i64>(in0[min(r3, last)]), bitcast<i64>(in1[min(r3, last)]));
    
    mask |= u32((r0 < rows) & x0.selected) << (k + 0u);
    
    mask |= u32((r1 < rows) & x1.selected) << (k + 1u);
    
    mask |= u32((r2 < rows) & x2.selected) << (k + 2u);
    
    mask |= u32((r3 < rows) & x3.selected) << (k + 3u);
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
  let left = places_before(lane, countOneBits(word));
  shared_places[lane] = left;
  if (lane == 127u) { shared_count = left + countOneBits(word); }
  let count = workgroupUniformLoad(&shared_count);
  let first = args[1].x;
  let number = first + leaf;
  if (lane == 0u) { atomicStore(&nodes[number], select(0x40000000u, 0x80000000u, number == 0u) | count); }
  let before = rows_before(first, number, lane);
  if (lane == 0u) { atomicStore(&nodes[number], 0x80000000u | (before + count)); }
  let base = before - args[1].z;
  for (var k = 0u; k < 32u; k++) {
    let r = start + k * 128u + lane;
    if (((mask >> k) & 1u) == 1u) {
      let w = 4u * k + (lane >> 5u);
      let below = shared_words[w] & ((1u << (lane & 31u)) - 1u);
      let place = base + shared_places[w] + countOneBits(below);
      if (place < args[1].w) {
        let x = row(min(r, last), bitcast<i64>(in0[min(r, last)]), bitcast<i64>(in1[min(r, last)]));
        out0[place] = bitcast<u64>(x.o0);
        out1[place] = bitcast<u64>(x.o1);
      }
    }
  }
}

// In three passes: ["leaves", "join", "carry", "write"]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read_write> out0: array<u64>;
@group(0) @binding(5) var<storage, read_write> out1: array<u64>;
@group(0) @binding(6) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i64,
  q0: bool,
  o1: i64,
  q1: bool,
}
fn row(r: u32, c0: i64, c1: i64) -> Row {
  var bad: bool = false;
  var v0: i64 = c0;
  var v1: i64 = c1;
  var s2_0: i64 = v0;
  var t2_0: bool = true;
  for (var k2 = 0u; k2 < 8u; k2++) {
    var v3: i64 = s2_0;
    var s4_0: i64 = v3;
    var t4_0: bool = true;
    var s4_1: i64 = v1;
    var t4_1: bool = true;
    for (var k4 = 0u; k4 < 16777216u; k4++) {
      var v5: i64 = s4_0;
      var v6: i64 = (v5 + v3);
      var v7: i64 = s4_1;
      for (var k8 = 0u; k8 < 1u; k8++) {
        var v9: u32 = k8;
      }
      var v10: bool = (v6 < v7);
      if (!v10) { break; }
      var x4_0: i64 = v6;
      var y4_0: bool = true;
      var x4_1: i64 = v0;
      var y4_1: bool = true;
      s4_0 = x4_0;
      t4_0 = y4_0;
      s4_1 = x4_1;
      t4_1 = y4_1;
    }
    var v11: i64 = s4_0;
    var v12: i64 = s4_1;
    var v13: i64 = (v11 - v12);
    var x2_0: i64 = v13;
    var y2_0: bool = true;
    s2_0 = x2_0;
    t2_0 = y2_0;
  }
  var v14: i64 = s2_0;
  return Row(true, bad, v14, true, v0, true);
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
    let x = row(min(r, last), bitcast<i64>(in0[min(r, last)]), bitcast<i64>(in1[min(r, last)]));
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
    let x = row(min(r, last), bitcast<i64>(in0[min(r, last)]), bitcast<i64>(in1[min(r, last)]));
    
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
        let x = row(min(r, last), bitcast<i64>(in0[min(r, last)]), bitcast<i64>(in1[min(r, last)]));
        out0[place] = bitcast<u64>(x.o0);
        out1[place] = bitcast<u64>(x.o1);
      }
    }
  }
}
