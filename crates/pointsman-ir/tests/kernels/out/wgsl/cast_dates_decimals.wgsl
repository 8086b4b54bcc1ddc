// ["store"]
// [Column(0), Column(1), ColumnValidity(1), Column(2), Column(3), Output(0), Output(1), OutputValidity(1), Output(2), Output(3), Output(4)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read> inv1: array<u32>;
@group(0) @binding(5) var<storage, read> in2: array<u64>;
@group(0) @binding(6) var<storage, read> in3: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> out0: array<u64>;
@group(0) @binding(8) var<storage, read_write> out1: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read_write> outv1: array<u32>;
@group(0) @binding(10) var<storage, read_write> out2: array<u64>;
@group(0) @binding(11) var<storage, read_write> out3: array<u64>;
@group(0) @binding(12) var<storage, read_write> out4: array<u64>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i64,
  q0: bool,
  o1: i32,
  q1: bool,
  o2: i64,
  q2: bool,
  o3: i64,
  q3: bool,
  o4: i64,
  q4: bool,
}
fn row(r: u32, c0: i32, c1: i64, d1: bool, c2: i64, c3: i32) -> Row {
  var bad: bool = false;
  var v0: i32 = c0;
  var v1: i64 = c1;
  var n1: bool = d1;
  var v2: i64 = c2;
  var v3: i32 = c3;
  var e4: bool = false;
  var v4: i64 = cast_date32_timestamp(v0, &e4);
  var e5: bool = false;
  var v5: i32 = cast_timestamp_date32(v1, &e5);
  var n5: bool = n1;
  e5 = e5 && n1;
  var e6: bool = false;
  var v6: i64 = cast_decimal_12_2__decimal_6_0_(v2, &e6);
  var e7: bool = false;
  var v7: i64 = cast_i32_decimal_12_2_(v3, &e7);
  var e8: bool = false;
  var v8: i64 = cast_decimal_12_2__i64(v2, &e8);
  bad = bad || (e4);
  bad = bad || (e5);
  bad = bad || (e6);
  bad = bad || (e7);
  bad = bad || (e8);
  return Row(true, bad, v4, true, select(0i, v5, (n5)), (n5), v6, true, v7, true, v8, true);
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var n1 = 0u;
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let valid1_0 = select(15u, inv1[first_0 >> 5u] >> (first_0 & 31u), (args[4].y & 1u) != 0u);
    let quad3_0 = in3[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let valid1_1 = select(15u, inv1[first_1 >> 5u] >> (first_1 & 31u), (args[4].y & 1u) != 0u);
    let quad3_1 = in3[first_1 >> 2u];
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let quad0_2 = in0[first_2 >> 2u];
    let valid1_2 = select(15u, inv1[first_2 >> 5u] >> (first_2 & 31u), (args[4].y & 1u) != 0u);
    let quad3_2 = in3[first_2 >> 2u];
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let quad0_3 = in0[first_3 >> 2u];
    let valid1_3 = select(15u, inv1[first_3 >> 5u] >> (first_3 & 31u), (args[4].y & 1u) != 0u);
    let quad3_3 = in3[first_3 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t1 = vec4<u32>();
    {
      let x = row(base_0 + 0u, bitcast<i32>(quad0_0[0u]), bitcast<i64>(in1[min(base_0 + 0u, last)]), (((valid1_0 >> 0u) & 1u) != 0u), bitcast<i64>(in2[min(base_0 + 0u, last)]), bitcast<i32>(quad3_0[0u]));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      if (live) { out2[base + 0u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 0u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 0u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_0 + 1u, bitcast<i32>(quad0_0[1u]), bitcast<i64>(in1[min(base_0 + 1u, last)]), (((valid1_0 >> 1u) & 1u) != 0u), bitcast<i64>(in2[min(base_0 + 1u, last)]), bitcast<i32>(quad3_0[1u]));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      if (live) { out2[base + 1u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 1u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 1u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_0 + 2u, bitcast<i32>(quad0_0[2u]), bitcast<i64>(in1[min(base_0 + 2u, last)]), (((valid1_0 >> 2u) & 1u) != 0u), bitcast<i64>(in2[min(base_0 + 2u, last)]), bitcast<i32>(quad3_0[2u]));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      if (live) { out2[base + 2u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 2u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 2u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_0 + 3u, bitcast<i32>(quad0_0[3u]), bitcast<i64>(in1[min(base_0 + 3u, last)]), (((valid1_0 >> 3u) & 1u) != 0u), bitcast<i64>(in2[min(base_0 + 3u, last)]), bitcast<i32>(quad3_0[3u]));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      if (live) { out2[base + 3u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 3u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 3u] = bitcast<u64>(x.o4); }
    }
    if (base < rows) {
      out1[base >> 2u] = t1;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t1 = vec4<u32>();
    {
      let x = row(base_1 + 0u, bitcast<i32>(quad0_1[0u]), bitcast<i64>(in1[min(base_1 + 0u, last)]), (((valid1_1 >> 0u) & 1u) != 0u), bitcast<i64>(in2[min(base_1 + 0u, last)]), bitcast<i32>(quad3_1[0u]));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      if (live) { out2[base + 0u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 0u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 0u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_1 + 1u, bitcast<i32>(quad0_1[1u]), bitcast<i64>(in1[min(base_1 + 1u, last)]), (((valid1_1 >> 1u) & 1u) != 0u), bitcast<i64>(in2[min(base_1 + 1u, last)]), bitcast<i32>(quad3_1[1u]));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      if (live) { out2[base + 1u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 1u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 1u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_1 + 2u, bitcast<i32>(quad0_1[2u]), bitcast<i64>(in1[min(base_1 + 2u, last)]), (((valid1_1 >> 2u) & 1u) != 0u), bitcast<i64>(in2[min(base_1 + 2u, last)]), bitcast<i32>(quad3_1[2u]));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      if (live) { out2[base + 2u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 2u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 2u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_1 + 3u, bitcast<i32>(quad0_1[3u]), bitcast<i64>(in1[min(base_1 + 3u, last)]), (((valid1_1 >> 3u) & 1u) != 0u), bitcast<i64>(in2[min(base_1 + 3u, last)]), bitcast<i32>(quad3_1[3u]));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      if (live) { out2[base + 3u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 3u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 3u] = bitcast<u64>(x.o4); }
    }
    if (base < rows) {
      out1[base >> 2u] = t1;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t1 = vec4<u32>();
    {
      let x = row(base_2 + 0u, bitcast<i32>(quad0_2[0u]), bitcast<i64>(in1[min(base_2 + 0u, last)]), (((valid1_2 >> 0u) & 1u) != 0u), bitcast<i64>(in2[min(base_2 + 0u, last)]), bitcast<i32>(quad3_2[0u]));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      if (live) { out2[base + 0u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 0u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 0u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_2 + 1u, bitcast<i32>(quad0_2[1u]), bitcast<i64>(in1[min(base_2 + 1u, last)]), (((valid1_2 >> 1u) & 1u) != 0u), bitcast<i64>(in2[min(base_2 + 1u, last)]), bitcast<i32>(quad3_2[1u]));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      if (live) { out2[base + 1u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 1u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 1u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_2 + 2u, bitcast<i32>(quad0_2[2u]), bitcast<i64>(in1[min(base_2 + 2u, last)]), (((valid1_2 >> 2u) & 1u) != 0u), bitcast<i64>(in2[min(base_2 + 2u, last)]), bitcast<i32>(quad3_2[2u]));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      if (live) { out2[base + 2u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 2u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 2u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_2 + 3u, bitcast<i32>(quad0_2[3u]), bitcast<i64>(in1[min(base_2 + 3u, last)]), (((valid1_2 >> 3u) & 1u) != 0u), bitcast<i64>(in2[min(base_2 + 3u, last)]), bitcast<i32>(quad3_2[3u]));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      if (live) { out2[base + 3u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 3u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 3u] = bitcast<u64>(x.o4); }
    }
    if (base < rows) {
      out1[base >> 2u] = t1;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t1 = vec4<u32>();
    {
      let x = row(base_3 + 0u, bitcast<i32>(quad0_3[0u]), bitcast<i64>(in1[min(base_3 + 0u, last)]), (((valid1_3 >> 0u) & 1u) != 0u), bitcast<i64>(in2[min(base_3 + 0u, last)]), bitcast<i32>(quad3_3[0u]));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      if (live) { out2[base + 0u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 0u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 0u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_3 + 1u, bitcast<i32>(quad0_3[1u]), bitcast<i64>(in1[min(base_3 + 1u, last)]), (((valid1_3 >> 1u) & 1u) != 0u), bitcast<i64>(in2[min(base_3 + 1u, last)]), bitcast<i32>(quad3_3[1u]));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      if (live) { out2[base + 1u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 1u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 1u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_3 + 2u, bitcast<i32>(quad0_3[2u]), bitcast<i64>(in1[min(base_3 + 2u, last)]), (((valid1_3 >> 2u) & 1u) != 0u), bitcast<i64>(in2[min(base_3 + 2u, last)]), bitcast<i32>(quad3_3[2u]));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      if (live) { out2[base + 2u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 2u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 2u] = bitcast<u64>(x.o4); }
    }
    {
      let x = row(base_3 + 3u, bitcast<i32>(quad0_3[3u]), bitcast<i64>(in1[min(base_3 + 3u, last)]), (((valid1_3 >> 3u) & 1u) != 0u), bitcast<i64>(in2[min(base_3 + 3u, last)]), bitcast<i32>(quad3_3[3u]));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      if (live) { out2[base + 3u] = bitcast<u64>(x.o2); }
      if (live) { out3[base + 3u] = bitcast<u64>(x.o3); }
      if (live) { out4[base + 3u] = bitcast<u64>(x.o4); }
    }
    if (base < rows) {
      out1[base >> 2u] = t1;
    }
    }
  }
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
}
fn cast_date32_timestamp(v: i32, f: ptr<function, bool>) -> i64 {
  let x = wide_i32(v);
  if (x < (-106751991li)) { *f = true; return 0li; }
  if (x > 106751991li) { *f = true; return 0li; }
  return x * 86400000000li;
}
fn cast_decimal_12_2__decimal_6_0_(v: i64, f: ptr<function, bool>) -> i64 {
  let x = halves_away(v, 100li);
  if (x < (-999999li)) { *f = true; return 0li; }
  if (x > 999999li) { *f = true; return 0li; }
  return x;
}
fn cast_decimal_12_2__i64(v: i64, f: ptr<function, bool>) -> i64 {
  let x = v / 100li;
  return x;
}
fn cast_i32_decimal_12_2_(v: i32, f: ptr<function, bool>) -> i64 {
  let x = wide_i32(v);
  return x * 100li;
}
fn cast_timestamp_date32(v: i64, f: ptr<function, bool>) -> i32 {
  let x = v / 86400000000li - select(0li, 1li, v % 86400000000li < 0li);
  return i32(x);
}
fn halves_away(v: i64, unit: i64) -> i64 {
  let q = v / unit;
  let r = v % unit;
  let twice = select(r, 0li - r, r < 0li);
  if (twice >= unit - twice) {
    return q + select(1li, -1li, v < 0li);
  }
  return q;
}
fn wide_i32(v: i32) -> i64 {
  return bitcast<i64>(u64(bitcast<u32>(v)) | (u64(bitcast<u32>(v >> 31u)) << 32u));
}
