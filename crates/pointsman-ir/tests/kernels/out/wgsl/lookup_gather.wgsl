// ["store"]
// [Column(0), Column(1), ColumnValidity(1), List(0), List(1), TableColumn(0, 0), TableValidity(0, 0), TableColumn(0, 1), Output(0), Output(1), Output(2), OutputValidity(2), Output(3), OutputValidity(3)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 6>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read> inv1: array<u32>;
@group(0) @binding(5) var<storage, read> list0: array<u64>;
@group(0) @binding(6) var<storage, read> list1: array<u32>;
@group(0) @binding(7) var<storage, read> table0_0: array<u32>;
@group(0) @binding(8) var<storage, read> tablev0_0: array<u32>;
@group(0) @binding(9) var<storage, read> table0_1: array<u64>;
@group(0) @binding(10) var<storage, read_write> out0: array<u64>;
@group(0) @binding(11) var<storage, read_write> out1: array<u32>;
@group(0) @binding(12) var<storage, read_write> out2: array<vec4<u32>>;
@group(0) @binding(13) var<storage, read_write> outv2: array<u32>;
@group(0) @binding(14) var<storage, read_write> out3: array<u64>;
@group(0) @binding(15) var<storage, read_write> outv3: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: u64,
  q0: bool,
  o1: bool,
  q1: bool,
  o2: u32,
  q2: bool,
  o3: u64,
  q3: bool,
}
fn row(r: u32, c0: u32, c1: u64, d1: bool) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u64 = c1;
  var n1: bool = d1;
  var e2: bool = false;
  var v2: u64 = list0_at_u32(v0, &e2);
  var e3: bool = false;
  var v3: bool = list1_at_u32(v0, &e3);
  var e4: bool = false;
  var v4: u32 = table0_0_at_u64(v1, &e4);
  var n4: bool = n1 && ((args[5].y & 1u) == 0u || (((tablev0_0[(u32(min(v1, max(u64(args[5].x), 1lu) - 1lu))) >> 5u] >> ((u32(min(v1, max(u64(args[5].x), 1lu) - 1lu))) & 31u)) & 1u) != 0u));
  e4 = e4 && n1;
  var e5: bool = false;
  var v5: u64 = table0_1_at_u64(v1, &e5);
  var n5: bool = n1;
  e5 = e5 && n1;
  bad = bad || (e2);
  bad = bad || (e3);
  bad = bad || (e4);
  bad = bad || (e5);
  return Row(true, bad, canonical_f64(v2), true, v3, true, select(0u, canonical_f32(v4), (n4)), (n4), select(0lu, v5, (n5)), (n5));
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var m1 = 0u;
  var n2 = 0u;
  var n3 = 0u;
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let valid1_0 = select(15u, inv1[first_0 >> 5u] >> (first_0 & 31u), (args[4].y & 1u) != 0u);
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let valid1_1 = select(15u, inv1[first_1 >> 5u] >> (first_1 & 31u), (args[4].y & 1u) != 0u);
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let quad0_2 = in0[first_2 >> 2u];
    let valid1_2 = select(15u, inv1[first_2 >> 5u] >> (first_2 & 31u), (args[4].y & 1u) != 0u);
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let quad0_3 = in0[first_3 >> 2u];
    let valid1_3 = select(15u, inv1[first_3 >> 5u] >> (first_3 & 31u), (args[4].y & 1u) != 0u);
    {
    let base = base_0;
    let k = step + 0u;
    var t2 = vec4<u32>();
    {
      let x = row(base_0 + 0u, quad0_0[0u], in1[min(base_0 + 0u, last)], (((valid1_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 0u);
      t2[0u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 0u);
      if (live) { out3[base + 0u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, quad0_0[1u], in1[min(base_0 + 1u, last)], (((valid1_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 1u);
      t2[1u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 1u);
      if (live) { out3[base + 1u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, quad0_0[2u], in1[min(base_0 + 2u, last)], (((valid1_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 2u);
      t2[2u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 2u);
      if (live) { out3[base + 2u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, quad0_0[3u], in1[min(base_0 + 3u, last)], (((valid1_0 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 3u);
      t2[3u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 3u);
      if (live) { out3[base + 3u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
      out2[base >> 2u] = t2;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t2 = vec4<u32>();
    {
      let x = row(base_1 + 0u, quad0_1[0u], in1[min(base_1 + 0u, last)], (((valid1_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 0u);
      t2[0u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 0u);
      if (live) { out3[base + 0u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, quad0_1[1u], in1[min(base_1 + 1u, last)], (((valid1_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 1u);
      t2[1u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 1u);
      if (live) { out3[base + 1u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, quad0_1[2u], in1[min(base_1 + 2u, last)], (((valid1_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 2u);
      t2[2u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 2u);
      if (live) { out3[base + 2u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, quad0_1[3u], in1[min(base_1 + 3u, last)], (((valid1_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 3u);
      t2[3u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 3u);
      if (live) { out3[base + 3u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
      out2[base >> 2u] = t2;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t2 = vec4<u32>();
    {
      let x = row(base_2 + 0u, quad0_2[0u], in1[min(base_2 + 0u, last)], (((valid1_2 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 0u);
      t2[0u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 0u);
      if (live) { out3[base + 0u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_2 + 1u, quad0_2[1u], in1[min(base_2 + 1u, last)], (((valid1_2 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 1u);
      t2[1u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 1u);
      if (live) { out3[base + 1u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_2 + 2u, quad0_2[2u], in1[min(base_2 + 2u, last)], (((valid1_2 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 2u);
      t2[2u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 2u);
      if (live) { out3[base + 2u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_2 + 3u, quad0_2[3u], in1[min(base_2 + 3u, last)], (((valid1_2 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 3u);
      t2[3u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 3u);
      if (live) { out3[base + 3u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
      out2[base >> 2u] = t2;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t2 = vec4<u32>();
    {
      let x = row(base_3 + 0u, quad0_3[0u], in1[min(base_3 + 0u, last)], (((valid1_3 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 0u);
      t2[0u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 0u);
      if (live) { out3[base + 0u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_3 + 1u, quad0_3[1u], in1[min(base_3 + 1u, last)], (((valid1_3 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 1u);
      t2[1u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 1u);
      if (live) { out3[base + 1u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_3 + 2u, quad0_3[2u], in1[min(base_3 + 2u, last)], (((valid1_3 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 2u);
      t2[2u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 2u);
      if (live) { out3[base + 2u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_3 + 3u, quad0_3[3u], in1[min(base_3 + 3u, last)], (((valid1_3 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = x.o0; }
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 3u);
      t2[3u] = select(0u, x.o2, live);
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 3u);
      if (live) { out3[base + 3u] = x.o3; }
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
      out2[base >> 2u] = t2;
    }
    }
  }
  shared_bits[lane] = m1;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    out1[(start >> 5u) + lane] = bits;
  }
  workgroupBarrier();
  shared_bits[lane] = n2;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    outv2[(start >> 5u) + lane] = bits;
  }
  workgroupBarrier();
  shared_bits[lane] = n3;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    outv3[(start >> 5u) + lane] = bits;
  }
  workgroupBarrier();
}
fn canonical_f32(a: u32) -> u32 {
  return select(a, 0x7fc00000u, is_nan_f32(a));
}
fn canonical_f64(a: u64) -> u64 {
  return select(a, 0x7ff8000000000000lu, is_nan_f64(a));
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
fn is_nan_f64(a: u64) -> bool {
  return (a & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}
fn list0_at_u32(i: u32, f: ptr<function, bool>) -> u64 {
  if (i >= args[4].z) { *f = true; return 0lu; }
  return list0[i];
}
fn list1_at_u32(i: u32, f: ptr<function, bool>) -> bool {
  if (i >= args[4].w) { *f = true; return false; }
  return (((list1[(i) >> 5u] >> ((i) & 31u)) & 1u) != 0u);
}
fn table0_0_at_u64(i: u64, f: ptr<function, bool>) -> u32 {
  if (i >= u64(args[5].x)) { *f = true; return 0u; }
  return table0_0[u32(i)];
}
fn table0_1_at_u64(i: u64, f: ptr<function, bool>) -> u64 {
  if (i >= u64(args[5].x)) { *f = true; return 0lu; }
  return table0_1[u32(i)];
}
