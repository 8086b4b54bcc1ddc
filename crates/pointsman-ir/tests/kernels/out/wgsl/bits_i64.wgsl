// ["store"]
// [Column(0), Column(1), ColumnValidity(1), Output(0), OutputValidity(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read> inv1: array<u32>;
@group(0) @binding(5) var<storage, read_write> out0: array<u64>;
@group(0) @binding(6) var<storage, read_write> outv0: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i64,
  q0: bool,
}
fn row(r: u32, c0: i64, c1: i64, d1: bool) -> Row {
  var bad: bool = false;
  var v0: i64 = c0;
  var v1: i64 = c1;
  var n1: bool = d1;
  var v2: i64 = (v0 & v1);
  var n2: bool = n1;
  var v3: i64 = (v0 | v1);
  var n3: bool = n1;
  var v4: i64 = (~v0);
  var v5: i64 = (v0 << u32(v1 & 63li));
  var n5: bool = n1;
  var v6: i64 = (v0 >> u32(v1 & 63li));
  var n6: bool = n1;
  var v7: i64 = (v2 ^ v3);
  var n7: bool = n2 && n3;
  var v8: i64 = (v7 ^ v4);
  var n8: bool = n7;
  var v9: i64 = (v8 ^ v5);
  var n9: bool = n8 && n5;
  var v10: i64 = (v9 ^ v6);
  var n10: bool = n9 && n6;
  return Row(true, bad, select(0li, v10, (n10)), (n10));
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var n0 = 0u;
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
      
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, bitcast<i64>(in0[min(base_0 + 1u, last)]), bitcast<i64>(in1[min(base_0 + 1u, last)]), (((valid1_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, bitcast<i64>(in0[min(base_0 + 2u, last)]), bitcast<i64>(in1[min(base_0 + 2u, last)]), (((valid1_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, bitcast<i64>(in0[min(base_0 + 3u, last)]), bitcast<i64>(in1[min(base_0 + 3u, last)]), (((valid1_0 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
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
      
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, bitcast<i64>(in0[min(base_1 + 1u, last)]), bitcast<i64>(in1[min(base_1 + 1u, last)]), (((valid1_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, bitcast<i64>(in0[min(base_1 + 2u, last)]), bitcast<i64>(in1[min(base_1 + 2u, last)]), (((valid1_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, bitcast<i64>(in0[min(base_1 + 3u, last)]), bitcast<i64>(in1[min(base_1 + 3u, last)]), (((valid1_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
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
      
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_2 + 1u, bitcast<i64>(in0[min(base_2 + 1u, last)]), bitcast<i64>(in1[min(base_2 + 1u, last)]), (((valid1_2 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_2 + 2u, bitcast<i64>(in0[min(base_2 + 2u, last)]), bitcast<i64>(in1[min(base_2 + 2u, last)]), (((valid1_2 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_2 + 3u, bitcast<i64>(in0[min(base_2 + 3u, last)]), bitcast<i64>(in1[min(base_2 + 3u, last)]), (((valid1_2 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
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
      
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_3 + 1u, bitcast<i64>(in0[min(base_3 + 1u, last)]), bitcast<i64>(in1[min(base_3 + 1u, last)]), (((valid1_3 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_3 + 2u, bitcast<i64>(in0[min(base_3 + 2u, last)]), bitcast<i64>(in1[min(base_3 + 2u, last)]), (((valid1_3 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_3 + 3u, bitcast<i64>(in0[min(base_3 + 3u, last)]), bitcast<i64>(in1[min(base_3 + 3u, last)]), (((valid1_3 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
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
}
