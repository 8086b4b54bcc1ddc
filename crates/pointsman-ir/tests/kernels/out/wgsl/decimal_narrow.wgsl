// ["store"]
// [Column(0), Column(1), ColumnValidity(1), Output(0), OutputValidity(0), Output(1), OutputValidity(1), Output(2), OutputValidity(2), Output(3), OutputValidity(3)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read> inv1: array<u32>;
@group(0) @binding(5) var<storage, read_write> out0: array<u64>;
@group(0) @binding(6) var<storage, read_write> outv0: array<u32>;
@group(0) @binding(7) var<storage, read_write> out1: array<u64>;
@group(0) @binding(8) var<storage, read_write> outv1: array<u32>;
@group(0) @binding(9) var<storage, read_write> out2: array<u64>;
@group(0) @binding(10) var<storage, read_write> outv2: array<u32>;
@group(0) @binding(11) var<storage, read_write> out3: array<u32>;
@group(0) @binding(12) var<storage, read_write> outv3: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i64,
  q0: bool,
  o1: i64,
  q1: bool,
  o2: i64,
  q2: bool,
  o3: bool,
  q3: bool,
}
fn row(r: u32, c0: i64, c1: i64, d1: bool) -> Row {
  var bad: bool = false;
  var v0: i64 = c0;
  var v1: i64 = c1;
  var n1: bool = d1;
  var e2: bool = false;
  var v2: i64 = decimal_mul_16(v0, v1, &e2);
  var n2: bool = n1;
  e2 = e2 && n1;
  var v3: i64 = (0li - v0);
  var v4: i64 = (select(v1, 0li - v1, v1 < 0li));
  var n4: bool = n1;
  var v5: i64 = select(select(0li, 100li, v0 > 0li), (-100li), v0 < 0li);
  var v6: i64 = select(v3, v4, v4 < v3);
  var n6: bool = n4;
  var v7: i64 = select(select(v6, v5, v5 > v6), v1, v1 < select(v6, v5, v5 > v6));
  var n7: bool = n6 && n1;
  var e8: bool = false;
  var v8: i64 = decimal_sub_9(v7, v1, &e8);
  var n8: bool = n7 && n1;
  e8 = e8 && n7 && n1;
  var e9: bool = false;
  var v9: i64 = decimal_add_9(v7, v1, &e9);
  var n9: bool = n7 && n1;
  e9 = e9 && n7 && n1;
  var v10: bool = (v0 < v1);
  var n10: bool = n1;
  bad = bad || (e2);
  bad = bad || (e8);
  bad = bad || (e9);
  return Row(true, bad, select(0li, v2, (n2)), (n2), select(0li, v8, (n8)), (n8), select(0li, v9, (n9)), (n9), select(false, v10, (n10)), (n10));
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var n0 = 0u;
  var n1 = 0u;
  var n2 = 0u;
  var m3 = 0u;
  var n3 = 0u;
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let valid1_0 = select(15u, inv1[first_0 >> 5u] >> (first_0 & 31u), (args[4].y & 1u) != 0u);
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let valid1_1 = select(15u, inv1[first_1 >> 5u] >> (first_1 & 31u), (args[4].y & 1u) != 0u);
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let valid1_2 = select(15u, inv1[first_2 >> 5u] >> (first_2 & 31u), (args[4].y & 1u) != 0u);
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let valid1_3 = select(15u, inv1[first_3 >> 5u] >> (first_3 & 31u), (args[4].y & 1u) != 0u);
    {
    let base = base_0;
    let k = step + 0u;
    {
      let x = row(base_0 + 0u, bitcast<i64>(in0[min(base_0 + 0u, last)]), bitcast<i64>(in1[min(base_0 + 0u, last)]), (((valid1_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      if (live) { out1[base + 0u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      if (live) { out2[base + 0u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 0u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 0u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, bitcast<i64>(in0[min(base_0 + 1u, last)]), bitcast<i64>(in1[min(base_0 + 1u, last)]), (((valid1_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      if (live) { out1[base + 1u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      if (live) { out2[base + 1u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 1u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 1u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, bitcast<i64>(in0[min(base_0 + 2u, last)]), bitcast<i64>(in1[min(base_0 + 2u, last)]), (((valid1_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      if (live) { out1[base + 2u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      if (live) { out2[base + 2u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 2u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 2u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, bitcast<i64>(in0[min(base_0 + 3u, last)]), bitcast<i64>(in1[min(base_0 + 3u, last)]), (((valid1_0 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      if (live) { out1[base + 3u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      if (live) { out2[base + 3u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 3u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 3u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    {
      let x = row(base_1 + 0u, bitcast<i64>(in0[min(base_1 + 0u, last)]), bitcast<i64>(in1[min(base_1 + 0u, last)]), (((valid1_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      if (live) { out1[base + 0u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      if (live) { out2[base + 0u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 0u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 0u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, bitcast<i64>(in0[min(base_1 + 1u, last)]), bitcast<i64>(in1[min(base_1 + 1u, last)]), (((valid1_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      if (live) { out1[base + 1u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      if (live) { out2[base + 1u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 1u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 1u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, bitcast<i64>(in0[min(base_1 + 2u, last)]), bitcast<i64>(in1[min(base_1 + 2u, last)]), (((valid1_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      if (live) { out1[base + 2u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      if (live) { out2[base + 2u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 2u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 2u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, bitcast<i64>(in0[min(base_1 + 3u, last)]), bitcast<i64>(in1[min(base_1 + 3u, last)]), (((valid1_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      if (live) { out1[base + 3u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      if (live) { out2[base + 3u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 3u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 3u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    {
      let x = row(base_2 + 0u, bitcast<i64>(in0[min(base_2 + 0u, last)]), bitcast<i64>(in1[min(base_2 + 0u, last)]), (((valid1_2 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      if (live) { out1[base + 0u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      if (live) { out2[base + 0u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 0u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 0u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_2 + 1u, bitcast<i64>(in0[min(base_2 + 1u, last)]), bitcast<i64>(in1[min(base_2 + 1u, last)]), (((valid1_2 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      if (live) { out1[base + 1u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      if (live) { out2[base + 1u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 1u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 1u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_2 + 2u, bitcast<i64>(in0[min(base_2 + 2u, last)]), bitcast<i64>(in1[min(base_2 + 2u, last)]), (((valid1_2 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      if (live) { out1[base + 2u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      if (live) { out2[base + 2u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 2u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 2u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_2 + 3u, bitcast<i64>(in0[min(base_2 + 3u, last)]), bitcast<i64>(in1[min(base_2 + 3u, last)]), (((valid1_2 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      if (live) { out1[base + 3u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      if (live) { out2[base + 3u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 3u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 3u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    {
      let x = row(base_3 + 0u, bitcast<i64>(in0[min(base_3 + 0u, last)]), bitcast<i64>(in1[min(base_3 + 0u, last)]), (((valid1_3 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      if (live) { out1[base + 0u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      if (live) { out2[base + 0u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 0u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 0u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_3 + 1u, bitcast<i64>(in0[min(base_3 + 1u, last)]), bitcast<i64>(in1[min(base_3 + 1u, last)]), (((valid1_3 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      if (live) { out1[base + 1u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      if (live) { out2[base + 1u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 1u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 1u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_3 + 2u, bitcast<i64>(in0[min(base_3 + 2u, last)]), bitcast<i64>(in1[min(base_3 + 2u, last)]), (((valid1_3 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      if (live) { out1[base + 2u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      if (live) { out2[base + 2u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 2u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 2u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_3 + 3u, bitcast<i64>(in0[min(base_3 + 3u, last)]), bitcast<i64>(in1[min(base_3 + 3u, last)]), (((valid1_3 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      if (live) { out1[base + 3u] = bitcast<u64>(x.o1); }
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      if (live) { out2[base + 3u] = bitcast<u64>(x.o2); }
      n2 |= select(0u, 1u, live & x.q2) << (4u * k + 3u);
      m3 |= select(0u, 1u, live & x.o3) << (4u * k + 3u);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
  }
  shared_bits[lane] = n0;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    outv0[(start >> 5u) + lane] = bits;
  }
  workgroupBarrier();
  shared_bits[lane] = n1;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    outv1[(start >> 5u) + lane] = bits;
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
  shared_bits[lane] = m3;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    out3[(start >> 5u) + lane] = bits;
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
fn decimal_add_9(a: i64, b: i64, f: ptr<function, bool>) -> i64 {
  let r = a + b;
  if (r >= 1000000000li || r <= -1000000000li) { *f = true; return 0li; }
  return r;
}
fn decimal_mul_16(a: i64, b: i64, f: ptr<function, bool>) -> i64 {
  let r = a * b;
  if (r >= 10000000000000000li || r <= -10000000000000000li) { *f = true; return 0li; }
  return r;
}
fn decimal_sub_9(a: i64, b: i64, f: ptr<function, bool>) -> i64 {
  let r = a - b;
  if (r >= 1000000000li || r <= -1000000000li) { *f = true; return 0li; }
  return r;
}
