// ["store"]
// [Column(0), Column(1), Output(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read_write> out0: array<u64>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i64,
  q0: bool,
}
fn row(r: u32, c0: i64, c1: i64) -> Row {
  var bad: bool = false;
  var v0: i64 = c0;
  var v1: i64 = c1;
  var v2: i64 = (v0 + v1);
  var v3: i64 = (v0 - v1);
  var v4: i64 = (v0 * v1);
  var e5: bool = false;
  var v5: i64 = div_i64(v0, v1, &e5);
  var e6: bool = false;
  var v6: i64 = rem_i64(v0, v1, &e6);
  var e7: bool = false;
  var v7: i64 = checked_add_i64(v0, v1, &e7);
  var e8: bool = false;
  var v8: i64 = checked_sub_i64(v0, v1, &e8);
  var e9: bool = false;
  var v9: i64 = checked_mul_i64(v0, v1, &e9);
  var v10: i64 = (0li - v0);
  var v11: i64 = (select(v0, 0li - v0, v0 < 0li));
  var v12: i64 = select(select(0li, 1li, v0 > 0li), (-1li), v0 < 0li);
  var v13: i64 = select(v0, v1, v1 < v0);
  var v14: i64 = select(v0, v1, v1 > v0);
  var v15: i64 = (v2 ^ v3);
  var v16: i64 = (v15 ^ v4);
  var v17: i64 = (v16 ^ v5);
  var v18: i64 = (v17 ^ v6);
  var v19: i64 = (v18 ^ v7);
  var v20: i64 = (v19 ^ v8);
  var v21: i64 = (v20 ^ v9);
  var v22: i64 = (v21 ^ v10);
  var v23: i64 = (v22 ^ v11);
  var v24: i64 = (v23 ^ v12);
  var v25: i64 = (v24 ^ v13);
  var v26: i64 = (v25 ^ v14);
  bad = bad || (e5);
  bad = bad || (e6);
  bad = bad || (e7);
  bad = bad || (e8);
  bad = bad || (e9);
  return Row(true, bad, v26, true);
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  for (var step = 0u; step < 8u; step += 2u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    {
    let base = base_0;
    let k = step + 0u;
    {
      let x = row(base_0 + 0u, bitcast<i64>(in0[min(base_0 + 0u, last)]), bitcast<i64>(in1[min(base_0 + 0u, last)]));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
    }
    {
      let x = row(base_0 + 1u, bitcast<i64>(in0[min(base_0 + 1u, last)]), bitcast<i64>(in1[min(base_0 + 1u, last)]));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
    }
    {
      let x = row(base_0 + 2u, bitcast<i64>(in0[min(base_0 + 2u, last)]), bitcast<i64>(in1[min(base_0 + 2u, last)]));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
    }
    {
      let x = row(base_0 + 3u, bitcast<i64>(in0[min(base_0 + 3u, last)]), bitcast<i64>(in1[min(base_0 + 3u, last)]));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
    }
    if (base < rows) {
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    {
      let x = row(base_1 + 0u, bitcast<i64>(in0[min(base_1 + 0u, last)]), bitcast<i64>(in1[min(base_1 + 0u, last)]));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
    }
    {
      let x = row(base_1 + 1u, bitcast<i64>(in0[min(base_1 + 1u, last)]), bitcast<i64>(in1[min(base_1 + 1u, last)]));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
    }
    {
      let x = row(base_1 + 2u, bitcast<i64>(in0[min(base_1 + 2u, last)]), bitcast<i64>(in1[min(base_1 + 2u, last)]));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
    }
    {
      let x = row(base_1 + 3u, bitcast<i64>(in0[min(base_1 + 3u, last)]), bitcast<i64>(in1[min(base_1 + 3u, last)]));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
    }
    if (base < rows) {
    }
    }
  }
}
fn checked_add_i64(a: i64, b: i64, f: ptr<function, bool>) -> i64 {
  let r = a + b;
  if (((a ^ r) & (b ^ r)) < 0li) { *f = true; return 0li; }
  return r;
}
fn checked_mul_i64(a: i64, b: i64, f: ptr<function, bool>) -> i64 {
  let r = a * b;
  if ((a == (-1li) && b == (-9223372036854775807li - 1li)) || (b == (-1li) && a == (-9223372036854775807li - 1li)) || (a != 0li && a != (-1li) && r / a != b)) { *f = true; return 0li; }
  return r;
}
fn checked_sub_i64(a: i64, b: i64, f: ptr<function, bool>) -> i64 {
  let r = a - b;
  if (((a ^ b) & (a ^ r)) < 0li) { *f = true; return 0li; }
  return r;
}
fn div_i64(a: i64, b: i64, f: ptr<function, bool>) -> i64 {
  if (b == 0li || (a == (-9223372036854775807li - 1li) && b == (-1li))) { *f = true; return 0li; }
  return a / b;
}
fn rem_i64(a: i64, b: i64, f: ptr<function, bool>) -> i64 {
  if (b == 0li) { *f = true; return 0li; }
  if (b == (-1li)) { return 0li; }
  return a % b;
}
