// ["store"]
// [Column(0), Column(1), ColumnValidity(1), Output(0), OutputValidity(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> inv1: array<u32>;
@group(0) @binding(5) var<storage, read_write> out0: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> outv0: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i32,
  q0: bool,
}
fn row(r: u32, c0: i32, c1: i32, d1: bool) -> Row {
  var bad: bool = false;
  var v0: i32 = c0;
  var v1: i32 = c1;
  var n1: bool = d1;
  var v2: i32 = (v0 + v1);
  var n2: bool = n1;
  var v3: i32 = (v0 - v1);
  var n3: bool = n1;
  var v4: i32 = (v0 * v1);
  var n4: bool = n1;
  var e5: bool = false;
  var v5: i32 = div_i32(v0, v1, &e5);
  var n5: bool = n1;
  e5 = e5 && n1;
  var e6: bool = false;
  var v6: i32 = rem_i32(v0, v1, &e6);
  var n6: bool = n1;
  e6 = e6 && n1;
  var e7: bool = false;
  var v7: i32 = checked_add_i32(v0, v1, &e7);
  var n7: bool = n1;
  e7 = e7 && n1;
  var e8: bool = false;
  var v8: i32 = checked_sub_i32(v0, v1, &e8);
  var n8: bool = n1;
  e8 = e8 && n1;
  var e9: bool = false;
  var v9: i32 = checked_mul_i32(v0, v1, &e9);
  var n9: bool = n1;
  e9 = e9 && n1;
  var v10: i32 = (0i - v0);
  var v11: i32 = (select(v0, 0i - v0, v0 < 0i));
  var v12: i32 = select(select(0i, 1i, v0 > 0i), (-1i), v0 < 0i);
  var v13: i32 = select(v0, v1, v1 < v0);
  var n13: bool = n1;
  var v14: i32 = select(v0, v1, v1 > v0);
  var n14: bool = n1;
  var v15: i32 = select(select(v0, v1, v1 > v0), v0, v0 < select(v0, v1, v1 > v0));
  var n15: bool = n1;
  var v16: i32 = (v2 ^ v3);
  var n16: bool = n2 && n3;
  var v17: i32 = (v16 ^ v4);
  var n17: bool = n16 && n4;
  var v18: i32 = (v17 ^ v5);
  var n18: bool = n17 && n5;
  var v19: i32 = (v18 ^ v6);
  var n19: bool = n18 && n6;
  var v20: i32 = (v19 ^ v7);
  var n20: bool = n19 && n7;
  var v21: i32 = (v20 ^ v8);
  var n21: bool = n20 && n8;
  var v22: i32 = (v21 ^ v9);
  var n22: bool = n21 && n9;
  var v23: i32 = (v22 ^ v10);
  var n23: bool = n22;
  var v24: i32 = (v23 ^ v11);
  var n24: bool = n23;
  var v25: i32 = (v24 ^ v12);
  var n25: bool = n24;
  var v26: i32 = (v25 ^ v13);
  var n26: bool = n25 && n13;
  var v27: i32 = (v26 ^ v14);
  var n27: bool = n26 && n14;
  var v28: i32 = (v27 ^ v15);
  var n28: bool = n27 && n15;
  bad = bad || (e5);
  bad = bad || (e6);
  bad = bad || (e7);
  bad = bad || (e8);
  bad = bad || (e9);
  return Row(true, bad, select(0i, v28, (n28)), (n28));
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var n0 = 0u;
  for (var step = 0u; step < 8u; step += 2u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let quad1_0 = in1[first_0 >> 2u];
    let valid1_0 = select(15u, inv1[first_0 >> 5u] >> (first_0 & 31u), (args[4].y & 1u) != 0u);
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let quad1_1 = in1[first_1 >> 2u];
    let valid1_1 = select(15u, inv1[first_1 >> 5u] >> (first_1 & 31u), (args[4].y & 1u) != 0u);
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = vec4<u32>();
    {
      let x = row(base_0 + 0u, bitcast<i32>(quad0_0[0u]), bitcast<i32>(quad1_0[0u]), (((valid1_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, bitcast<i32>(quad0_0[1u]), bitcast<i32>(quad1_0[1u]), (((valid1_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, bitcast<i32>(quad0_0[2u]), bitcast<i32>(quad1_0[2u]), (((valid1_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, bitcast<i32>(quad0_0[3u]), bitcast<i32>(quad1_0[3u]), (((valid1_0 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t0 = vec4<u32>();
    {
      let x = row(base_1 + 0u, bitcast<i32>(quad0_1[0u]), bitcast<i32>(quad1_1[0u]), (((valid1_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, bitcast<i32>(quad0_1[1u]), bitcast<i32>(quad1_1[1u]), (((valid1_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, bitcast<i32>(quad0_1[2u]), bitcast<i32>(quad1_1[2u]), (((valid1_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, bitcast<i32>(quad0_1[3u]), bitcast<i32>(quad1_1[3u]), (((valid1_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
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
fn checked_add_i32(a: i32, b: i32, f: ptr<function, bool>) -> i32 {
  let r = a + b;
  if (((a ^ r) & (b ^ r)) < 0i) { *f = true; return 0i; }
  return r;
}
fn checked_mul_i32(a: i32, b: i32, f: ptr<function, bool>) -> i32 {
  let r = a * b;
  if ((a == (-1i) && b == (-2147483647i - 1i)) || (b == (-1i) && a == (-2147483647i - 1i)) || (a != 0i && a != (-1i) && r / a != b)) { *f = true; return 0i; }
  return r;
}
fn checked_sub_i32(a: i32, b: i32, f: ptr<function, bool>) -> i32 {
  let r = a - b;
  if (((a ^ b) & (a ^ r)) < 0i) { *f = true; return 0i; }
  return r;
}
fn div_i32(a: i32, b: i32, f: ptr<function, bool>) -> i32 {
  if (b == 0i || (a == (-2147483647i - 1i) && b == (-1i))) { *f = true; return 0i; }
  return a / b;
}
fn rem_i32(a: i32, b: i32, f: ptr<function, bool>) -> i32 {
  if (b == 0i) { *f = true; return 0i; }
  if (b == (-1i)) { return 0i; }
  return a % b;
}
