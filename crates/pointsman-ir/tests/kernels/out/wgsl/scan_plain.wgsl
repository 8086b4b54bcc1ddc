// ["leaves", "join", "carry", "write"]
// [Column(0), Output(0), Nodes]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read_write> out0: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  x0: u32,
  y0: bool,
}
fn row(r: u32, c0: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  return Row(true, bad, v0, true);
}
struct Node {
  f0: vec4<u32>,
  count: u32,
}
fn no_node() -> Node {
  return Node(vec4<u32>(), 0u);
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  r.f0 = add_128(a.f0, b.f0);
  r.count = a.count + b.count;
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 5u;
  return Node(vec4<u32>(nodes[at + 0u + 0u], nodes[at + 0u + 1u], nodes[at + 0u + 2u], nodes[at + 0u + 3u]), nodes[at + 4u]);
}
fn put_node(i: u32, n: Node) {
  let at = i * 5u;
  nodes[at + 0u + 0u] = n.f0[0u];
  nodes[at + 0u + 1u] = n.f0[1u];
  nodes[at + 0u + 2u] = n.f0[2u];
  nodes[at + 0u + 3u] = n.f0[3u];
  nodes[at + 4u] = n.count;
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
  var a0: array<vec4<u32>, 16>;
  var b0: array<vec4<u32>, 16>;
  for (var i = 0u; i < 16u; i++) {
    a0[i] = vec4<u32>();
    b0[i] = vec4<u32>();
  }
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (r < rows) {
      let x = row(r, ((in0[(r) >> 2u] >> (((r) & 3u) * 8u)) & 255u));
      
      if (x.selected) {
        selected |= 1u << i;
        
        if (i < 16u) { a0[i] = select(vec4<u32>(), widened_u8(x.x0), x.y0); } else { b0[i & 15u] = select(vec4<u32>(), widened_u8(x.x0), x.y0); }
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
  scan_sum_128(&a0, starts & 0xffffu);
  scan_sum_128(&b0, starts >> 16u);
  groups_vec4_u32_[2u * lane] = a0[15];
  groups_vec4_u32_[2u * lane + 1u] = b0[15];
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
  var u0: vec4<u32> = vec4<u32>();
  if (((2u * lane) & 15u) != 0u) { u0 = groups_vec4_u32_[2u * lane - 1u]; }
  let v0 = groups_vec4_u32_[2u * lane];
  var w0: vec4<u32> = vec4<u32>();
  if (lane >= 8u) { w0 = outer_vec4_u32_[(lane >> 3u) - 1u]; }
  let total0 = outer_vec4_u32_[15];
  workgroupBarrier();
  let before = places_before(lane, countOneBits(selected));
  if (lane == 127u) { put_node(args[1].x + leaf, Node(total0, before + countOneBits(selected))); }
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
@compute @workgroup_size(128)
fn write(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  var selected = 0u;
  var starts = 0u;
  var a0: array<vec4<u32>, 16>;
  var b0: array<vec4<u32>, 16>;
  for (var i = 0u; i < 16u; i++) {
    a0[i] = vec4<u32>();
    b0[i] = vec4<u32>();
  }
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (r < rows) {
      let x = row(r, ((in0[(r) >> 2u] >> (((r) & 3u) * 8u)) & 255u));
      
      if (x.selected) {
        selected |= 1u << i;
        
        if (i < 16u) { a0[i] = select(vec4<u32>(), widened_u8(x.x0), x.y0); } else { b0[i & 15u] = select(vec4<u32>(), widened_u8(x.x0), x.y0); }
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
  scan_sum_128(&a0, starts & 0xffffu);
  scan_sum_128(&b0, starts >> 16u);
  groups_vec4_u32_[2u * lane] = a0[15];
  groups_vec4_u32_[2u * lane + 1u] = b0[15];
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
  var u0: vec4<u32> = vec4<u32>();
  if (((2u * lane) & 15u) != 0u) { u0 = groups_vec4_u32_[2u * lane - 1u]; }
  let v0 = groups_vec4_u32_[2u * lane];
  var w0: vec4<u32> = vec4<u32>();
  if (lane >= 8u) { w0 = outer_vec4_u32_[(lane >> 3u) - 1u]; }
  let total0 = outer_vec4_u32_[15];
  workgroupBarrier();
  let before = places_before(lane, countOneBits(selected));
  let carry_in = get_node(args[2].w + args[1].x + leaf);
  let first_place = carry_in.count - args[1].z + before;
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (((selected >> i) & 1u) == 1u) {
      let place = first_place + countOneBits(selected & ((1u << i) - 1u));
      if (place < args[1].w) {
        let own = ((select(sa, sb, i >= 16u) >> (i & 15u)) & 1u) != 0u;
        let left = select(su, sv, i >= 16u);
        let started = own || left || sw;
        var y0 = a0[i & 15u];
        if (i >= 16u) { y0 = b0[i & 15u]; }
        if (!own) {
          var near = u0;
          if (i >= 16u) { near = v0; }
          y0 = add_128(near, y0);
        }
        if (!(own || left)) { y0 = add_128(w0, y0); }
        if (!started) { y0 = add_128(carry_in.f0, y0); }
        let z0w = y0;
        if (!fits_u8(z0w)) { atomicMax(&status[args[1].y + 1u], 65535u); }
        let z0 = z0w.x;
        atomicOr(&out0[place >> 2u], (z0 & 255u) << ((place & 3u) * 8u));
      }
    }
  }
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
fn fits_u8(w: vec4<u32>) -> bool {
  return ((w.x >> 8u) | w.y | w.z | w.w) == 0u;
}
fn scan_sum_128(x: ptr<function, array<vec4<u32>, 16>>, starts: u32) {
  var g = starts;
  for (var s = 1u; s < 16u; s = s << 1u) {
    for (var i = 16u - 1u; i >= s; i--) {
      if (((g >> i) & 1u) == 0u) { (*x)[i] = add_128((*x)[i - s], (*x)[i]); }
    }
    g |= (g << s) & 0xffffu;
  }
}
fn widened_u8(v: u32) -> vec4<u32> {
  return vec4<u32>(v, 0u, 0u, 0u);
}

// The partial form: ["leaves", "join", "carry", "write"]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read_write> out0: array<u64>;
@group(0) @binding(4) var<storage, read_write> out1: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> out2: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> out3: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  x0: u32,
  y0: bool,
}
fn row(r: u32, c0: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  return Row(true, bad, v0, true);
}
struct Node {
  f0: vec4<u32>,
  count: u32,
}
fn no_node() -> Node {
  return Node(vec4<u32>(), 0u);
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  r.f0 = add_128(a.f0, b.f0);
  r.count = a.count + b.count;
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 5u;
  return Node(vec4<u32>(nodes[at + 0u + 0u], nodes[at + 0u + 1u], nodes[at + 0u + 2u], nodes[at + 0u + 3u]), nodes[at + 4u]);
}
fn put_node(i: u32, n: Node) {
  let at = i * 5u;
  nodes[at + 0u + 0u] = n.f0[0u];
  nodes[at + 0u + 1u] = n.f0[1u];
  nodes[at + 0u + 2u] = n.f0[2u];
  nodes[at + 0u + 3u] = n.f0[3u];
  nodes[at + 4u] = n.count;
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
  var a0: array<vec4<u32>, 16>;
  var b0: array<vec4<u32>, 16>;
  for (var i = 0u; i < 16u; i++) {
    a0[i] = vec4<u32>();
    b0[i] = vec4<u32>();
  }
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (r < rows) {
      let x = row(r, ((in0[(r) >> 2u] >> (((r) & 3u) * 8u)) & 255u));
      
      if (x.selected) {
        selected |= 1u << i;
        
        if (i < 16u) { a0[i] = select(vec4<u32>(), widened_u8(x.x0), x.y0); } else { b0[i & 15u] = select(vec4<u32>(), widened_u8(x.x0), x.y0); }
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
  scan_sum_128(&a0, starts & 0xffffu);
  scan_sum_128(&b0, starts >> 16u);
  groups_vec4_u32_[2u * lane] = a0[15];
  groups_vec4_u32_[2u * lane + 1u] = b0[15];
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
  var u0: vec4<u32> = vec4<u32>();
  if (((2u * lane) & 15u) != 0u) { u0 = groups_vec4_u32_[2u * lane - 1u]; }
  let v0 = groups_vec4_u32_[2u * lane];
  var w0: vec4<u32> = vec4<u32>();
  if (lane >= 8u) { w0 = outer_vec4_u32_[(lane >> 3u) - 1u]; }
  let total0 = outer_vec4_u32_[15];
  workgroupBarrier();
  let before = places_before(lane, countOneBits(selected));
  if (lane == 127u) { put_node(args[1].x + leaf, Node(total0, before + countOneBits(selected))); }
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
@compute @workgroup_size(128)
fn write(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  var selected = 0u;
  var starts = 0u;
  var a0: array<vec4<u32>, 16>;
  var b0: array<vec4<u32>, 16>;
  for (var i = 0u; i < 16u; i++) {
    a0[i] = vec4<u32>();
    b0[i] = vec4<u32>();
  }
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (r < rows) {
      let x = row(r, ((in0[(r) >> 2u] >> (((r) & 3u) * 8u)) & 255u));
      
      if (x.selected) {
        selected |= 1u << i;
        
        if (i < 16u) { a0[i] = select(vec4<u32>(), widened_u8(x.x0), x.y0); } else { b0[i & 15u] = select(vec4<u32>(), widened_u8(x.x0), x.y0); }
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
  scan_sum_128(&a0, starts & 0xffffu);
  scan_sum_128(&b0, starts >> 16u);
  groups_vec4_u32_[2u * lane] = a0[15];
  groups_vec4_u32_[2u * lane + 1u] = b0[15];
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
  var u0: vec4<u32> = vec4<u32>();
  if (((2u * lane) & 15u) != 0u) { u0 = groups_vec4_u32_[2u * lane - 1u]; }
  let v0 = groups_vec4_u32_[2u * lane];
  var w0: vec4<u32> = vec4<u32>();
  if (lane >= 8u) { w0 = outer_vec4_u32_[(lane >> 3u) - 1u]; }
  let total0 = outer_vec4_u32_[15];
  workgroupBarrier();
  let before = places_before(lane, countOneBits(selected));
  let carry_in = get_node(args[2].w + args[1].x + leaf);
  let first_place = carry_in.count - args[1].z + before;
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (((selected >> i) & 1u) == 1u) {
      let place = first_place + countOneBits(selected & ((1u << i) - 1u));
      if (place < args[1].w) {
        let own = ((select(sa, sb, i >= 16u) >> (i & 15u)) & 1u) != 0u;
        let left = select(su, sv, i >= 16u);
        let started = own || left || sw;
        out0[place] = (row_number(r) >> 12u);
        if (u32(!started) != 0u) { atomicOr(&out1[place >> 5u], 1u << (place & 31u)); }
        if (u32((((starts >> i) & 1u) == 1u)) != 0u) { atomicOr(&out2[place >> 5u], 1u << (place & 31u)); }
        var y0 = a0[i & 15u];
        if (i >= 16u) { y0 = b0[i & 15u]; }
        if (!own) {
          var near = u0;
          if (i >= 16u) { near = v0; }
          y0 = add_128(near, y0);
        }
        if (!(own || left)) { y0 = add_128(w0, y0); }
        let z0 = y0;
        out3[place] = z0;
      }
    }
  }
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
fn row_number(r: u32) -> u64 {
  return (u64(args[0].y) | (u64(args[0].z) << 32u)) + u64(r);
}
fn scan_sum_128(x: ptr<function, array<vec4<u32>, 16>>, starts: u32) {
  var g = starts;
  for (var s = 1u; s < 16u; s = s << 1u) {
    for (var i = 16u - 1u; i >= s; i--) {
      if (((g >> i) & 1u) == 0u) { (*x)[i] = add_128((*x)[i - s], (*x)[i]); }
    }
    g |= (g << s) & 0xffffu;
  }
}
fn widened_u8(v: u32) -> vec4<u32> {
  return vec4<u32>(v, 0u, 0u, 0u);
}
