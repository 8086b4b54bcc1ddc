// ["store"]
// [Column(0), ColumnValidity(0), Column(1), Column(2), Output(0), OutputValidity(0), Output(1), Output(2), Output(3), OutputValidity(3)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> in2: array<u64>;
@group(0) @binding(6) var<storage, read_write> out0: array<u64>;
@group(0) @binding(7) var<storage, read_write> outv0: array<u32>;
@group(0) @binding(8) var<storage, read_write> out1: array<u64>;
@group(0) @binding(9) var<storage, read_write> out2: array<u64>;
@group(0) @binding(10) var<storage, read_write> out3: array<vec4<u32>>;
@group(0) @binding(11) var<storage, read_write> outv3: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i64,
  q0: bool,
  o1: u64,
  q1: bool,
  o2: u64,
  q2: bool,
  o3: i32,
  q3: bool,
}
fn row(r: u32, c0: u64, d0: bool, c1: u32, c2: u64) -> Row {
  var bad: bool = false;
  var v0: u64 = c0;
  var n0: bool = d0;
  var v1: u32 = c1;
  var v2: u64 = c2;
  var e3: bool = false;
  var v3: i64 = cast_f64_i64(v0, &e3);
  var n3: bool = n0;
  e3 = e3 && n0;
  var v4: u64 = widen_f32(v1);
  var v5: u64 = bitcast<u64>(f64(v2));
  var v6: i32 = nearest_f64_i32(v0, &bad);
  var n6: bool = n0;
  bad = bad || (e3);
  return Row(true, bad, select(0li, v3, (n3)), (n3), canonical_f64(v4), true, canonical_f64(v5), true, select(0i, v6, (n6)), (n6));
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var n0 = 0u;
  var n3 = 0u;
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let valid0_0 = select(15u, inv0[first_0 >> 5u] >> (first_0 & 31u), (args[4].x & 1u) != 0u);
    let quad1_0 = in1[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let valid0_1 = select(15u, inv0[first_1 >> 5u] >> (first_1 & 31u), (args[4].x & 1u) != 0u);
    let quad1_1 = in1[first_1 >> 2u];
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let valid0_2 = select(15u, inv0[first_2 >> 5u] >> (first_2 & 31u), (args[4].x & 1u) != 0u);
    let quad1_2 = in1[first_2 >> 2u];
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let valid0_3 = select(15u, inv0[first_3 >> 5u] >> (first_3 & 31u), (args[4].x & 1u) != 0u);
    let quad1_3 = in1[first_3 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t3 = vec4<u32>();
    {
      let x = row(base_0 + 0u, in0[min(base_0 + 0u, last)], (((valid0_0 >> 0u) & 1u) != 0u), quad1_0[0u], in2[min(base_0 + 0u, last)]);
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      if (live) { out1[base + 0u] = x.o1; }
      if (live) { out2[base + 0u] = x.o2; }
      t3[0u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, in0[min(base_0 + 1u, last)], (((valid0_0 >> 1u) & 1u) != 0u), quad1_0[1u], in2[min(base_0 + 1u, last)]);
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      if (live) { out1[base + 1u] = x.o1; }
      if (live) { out2[base + 1u] = x.o2; }
      t3[1u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, in0[min(base_0 + 2u, last)], (((valid0_0 >> 2u) & 1u) != 0u), quad1_0[2u], in2[min(base_0 + 2u, last)]);
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      if (live) { out1[base + 2u] = x.o1; }
      if (live) { out2[base + 2u] = x.o2; }
      t3[2u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, in0[min(base_0 + 3u, last)], (((valid0_0 >> 3u) & 1u) != 0u), quad1_0[3u], in2[min(base_0 + 3u, last)]);
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      if (live) { out1[base + 3u] = x.o1; }
      if (live) { out2[base + 3u] = x.o2; }
      t3[3u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
      out3[base >> 2u] = t3;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t3 = vec4<u32>();
    {
      let x = row(base_1 + 0u, in0[min(base_1 + 0u, last)], (((valid0_1 >> 0u) & 1u) != 0u), quad1_1[0u], in2[min(base_1 + 0u, last)]);
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      if (live) { out1[base + 0u] = x.o1; }
      if (live) { out2[base + 0u] = x.o2; }
      t3[0u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, in0[min(base_1 + 1u, last)], (((valid0_1 >> 1u) & 1u) != 0u), quad1_1[1u], in2[min(base_1 + 1u, last)]);
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      if (live) { out1[base + 1u] = x.o1; }
      if (live) { out2[base + 1u] = x.o2; }
      t3[1u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, in0[min(base_1 + 2u, last)], (((valid0_1 >> 2u) & 1u) != 0u), quad1_1[2u], in2[min(base_1 + 2u, last)]);
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      if (live) { out1[base + 2u] = x.o1; }
      if (live) { out2[base + 2u] = x.o2; }
      t3[2u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, in0[min(base_1 + 3u, last)], (((valid0_1 >> 3u) & 1u) != 0u), quad1_1[3u], in2[min(base_1 + 3u, last)]);
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      if (live) { out1[base + 3u] = x.o1; }
      if (live) { out2[base + 3u] = x.o2; }
      t3[3u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
      out3[base >> 2u] = t3;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t3 = vec4<u32>();
    {
      let x = row(base_2 + 0u, in0[min(base_2 + 0u, last)], (((valid0_2 >> 0u) & 1u) != 0u), quad1_2[0u], in2[min(base_2 + 0u, last)]);
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      if (live) { out1[base + 0u] = x.o1; }
      if (live) { out2[base + 0u] = x.o2; }
      t3[0u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_2 + 1u, in0[min(base_2 + 1u, last)], (((valid0_2 >> 1u) & 1u) != 0u), quad1_2[1u], in2[min(base_2 + 1u, last)]);
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      if (live) { out1[base + 1u] = x.o1; }
      if (live) { out2[base + 1u] = x.o2; }
      t3[1u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_2 + 2u, in0[min(base_2 + 2u, last)], (((valid0_2 >> 2u) & 1u) != 0u), quad1_2[2u], in2[min(base_2 + 2u, last)]);
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      if (live) { out1[base + 2u] = x.o1; }
      if (live) { out2[base + 2u] = x.o2; }
      t3[2u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_2 + 3u, in0[min(base_2 + 3u, last)], (((valid0_2 >> 3u) & 1u) != 0u), quad1_2[3u], in2[min(base_2 + 3u, last)]);
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      if (live) { out1[base + 3u] = x.o1; }
      if (live) { out2[base + 3u] = x.o2; }
      t3[3u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
      out3[base >> 2u] = t3;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t3 = vec4<u32>();
    {
      let x = row(base_3 + 0u, in0[min(base_3 + 0u, last)], (((valid0_3 >> 0u) & 1u) != 0u), quad1_3[0u], in2[min(base_3 + 0u, last)]);
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      if (live) { out0[base + 0u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      if (live) { out1[base + 0u] = x.o1; }
      if (live) { out2[base + 0u] = x.o2; }
      t3[0u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 0u);
    }
    {
      let x = row(base_3 + 1u, in0[min(base_3 + 1u, last)], (((valid0_3 >> 1u) & 1u) != 0u), quad1_3[1u], in2[min(base_3 + 1u, last)]);
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      if (live) { out0[base + 1u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      if (live) { out1[base + 1u] = x.o1; }
      if (live) { out2[base + 1u] = x.o2; }
      t3[1u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 1u);
    }
    {
      let x = row(base_3 + 2u, in0[min(base_3 + 2u, last)], (((valid0_3 >> 2u) & 1u) != 0u), quad1_3[2u], in2[min(base_3 + 2u, last)]);
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      if (live) { out0[base + 2u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      if (live) { out1[base + 2u] = x.o1; }
      if (live) { out2[base + 2u] = x.o2; }
      t3[2u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 2u);
    }
    {
      let x = row(base_3 + 3u, in0[min(base_3 + 3u, last)], (((valid0_3 >> 3u) & 1u) != 0u), quad1_3[3u], in2[min(base_3 + 3u, last)]);
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      if (live) { out0[base + 3u] = bitcast<u64>(x.o0); }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      if (live) { out1[base + 3u] = x.o1; }
      if (live) { out2[base + 3u] = x.o2; }
      t3[3u] = select(0u, bitcast<u32>(x.o3), live);
      n3 |= select(0u, 1u, live & x.q3) << (4u * k + 3u);
    }
    if (base < rows) {
      out3[base >> 2u] = t3;
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
fn canonical_f64(a: u64) -> u64 {
  return select(a, 0x7ff8000000000000lu, is_nan_f64(a));
}
fn cast_f64_i64(v: u64, f: ptr<function, bool>) -> i64 {
  let x = trunc_f64(v);
  if (is_nan_f64(x)) { *f = true; return 0li; }
  if (order_f64(x) < order_f64(14114281232179134464lu)) { *f = true; return 0li; }
  if (order_f64(x) >= order_f64(4890909195324358656lu)) { *f = true; return 0li; }
  return select(bitcast<i64>(long_of_f64(x)), 0li - bitcast<i64>(long_of_f64(x)), is_negative_f64(x));
}
fn is_nan_f64(a: u64) -> bool {
  return (a & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}
fn is_negative_f64(a: u64) -> bool {
  return (a >> 63u) != 0lu;
}
fn long_of_f64(a: u64) -> u64 {
  let e = i32(u32((a >> 52u) & 0x7fflu)) - 1075i;
  let m = (a & 0xffffffffffffflu) | 0x10000000000000lu;
  if (e >= 0i) {
    return m << u32(min(e, 63i));
  }
  return select(m >> u32(-max(e, -63i)), 0lu, e < -63i);
}
fn nearest_f64_i32(v: u64, f: ptr<function, bool>) -> i32 {
  let x = trunc_f64(v);
  if (is_nan_f64(x)) { return 0i; }
  if (order_f64(x) < order_f64(13970166044103278592lu)) { return (-2147483647i - 1i); }
  if (order_f64(x) >= order_f64(4746794007248502784lu)) { return 2147483647i; }
  return select(bitcast<i32>(word_of_f64(x)), 0i - bitcast<i32>(word_of_f64(x)), is_negative_f64(x));
}
fn order_f64(a: u64) -> u64 {
  return total_f64(select(a, 0lu, a == 0x8000000000000000lu));
}
fn single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].x);
}
fn total_f64(a: u64) -> u64 {
  let key = select(a | 0x8000000000000000lu, ~a, (a >> 63u) != 0lu);
  return select(key, 0xfffffffffffffffflu, is_nan_f64(a));
}
fn trunc_f64(a: u64) -> u64 {
  let e = u32((a >> 52u) & 0x7fflu);
  if (e >= 1075u) {
    return a;
  }
  if (e < 1023u) {
    return a & 0x8000000000000000lu;
  }
  return a & ~(0xffffffffffffflu >> (e - 1023u));
}
fn widen_f32(a: u32) -> u64 {
  return bitcast<u64>(f64(single(a)));
}
fn word_of_f64(a: u64) -> u32 {
  return u32(long_of_f64(a) & 0xfffffffflu);
}
