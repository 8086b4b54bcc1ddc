// ["store"]
// [Column(0), ColumnValidity(0), Column(1), Column(2), Column(3), Output(0), OutputValidity(0), Output(1), OutputValidity(1), Output(2), Output(3), Output(4)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> in2: array<u32>;
@group(0) @binding(6) var<storage, read> in3: array<u32>;
@group(0) @binding(7) var<storage, read_write> out0: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> outv0: array<u32>;
@group(0) @binding(9) var<storage, read_write> out1: array<vec4<u32>>;
@group(0) @binding(10) var<storage, read_write> outv1: array<u32>;
@group(0) @binding(11) var<storage, read_write> out2: array<vec2<u32>>;
@group(0) @binding(12) var<storage, read_write> out3: array<u64>;
@group(0) @binding(13) var<storage, read_write> out4: array<vec4<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i32,
  q0: bool,
  o1: u32,
  q1: bool,
  o2: i32,
  q2: bool,
  o3: i64,
  q3: bool,
  o4: u32,
  q4: bool,
}
fn row(r: u32, c0: i64, d0: bool, c1: u32, c2: u32, c3: bool) -> Row {
  var bad: bool = false;
  var v0: i64 = c0;
  var n0: bool = d0;
  var v1: u32 = c1;
  var v2: u32 = c2;
  var v3: bool = c3;
  var e4: bool = false;
  var v4: i32 = cast_i64_i32(v0, &e4);
  var n4: bool = n0;
  e4 = e4 && n0;
  var v5: u32 = bitcast<u32>(f32(v0));
  var n5: bool = n0;
  var e6: bool = false;
  var v6: i32 = cast_f32_i16(v1, &e6);
  var v7: i64 = cast_u8_i64(v2, &bad);
  var v8: u32 = cast_bool_u32(v3, &bad);
  bad = bad || (e4);
  bad = bad || (e6);
  return Row(true, bad, select(0i, v4, (n4)), (n4), select(0u, canonical_f32(v5), (n5)), (n5), v6, true, v7, true, v8, true);
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
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let valid0_0 = select(15u, inv0[first_0 >> 5u] >> (first_0 & 31u), (args[4].x & 1u) != 0u);
    let quad1_0 = in1[first_0 >> 2u];
    let quad2_0 = in2[first_0 >> 2u];
    let quad3_0 = in3[first_0 >> 5u] >> (first_0 & 31u);
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let valid0_1 = select(15u, inv0[first_1 >> 5u] >> (first_1 & 31u), (args[4].x & 1u) != 0u);
    let quad1_1 = in1[first_1 >> 2u];
    let quad2_1 = in2[first_1 >> 2u];
    let quad3_1 = in3[first_1 >> 5u] >> (first_1 & 31u);
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let valid0_2 = select(15u, inv0[first_2 >> 5u] >> (first_2 & 31u), (args[4].x & 1u) != 0u);
    let quad1_2 = in1[first_2 >> 2u];
    let quad2_2 = in2[first_2 >> 2u];
    let quad3_2 = in3[first_2 >> 5u] >> (first_2 & 31u);
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let valid0_3 = select(15u, inv0[first_3 >> 5u] >> (first_3 & 31u), (args[4].x & 1u) != 0u);
    let quad1_3 = in1[first_3 >> 2u];
    let quad2_3 = in2[first_3 >> 2u];
    let quad3_3 = in3[first_3 >> 5u] >> (first_3 & 31u);
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    var t2 = vec2<u32>();
    var t4 = vec4<u32>();
    {
      let x = row(base_0 + 0u, bitcast<i64>(in0[min(base_0 + 0u, last)]), (((valid0_0 >> 0u) & 1u) != 0u), quad1_0[0u], ((quad2_0 >> (8u * 0u)) & 255u), (((quad3_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      t2[0u >> 1u] = t2[0u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (0u & 1u)));
      if (live) { out3[base + 0u] = bitcast<u64>(x.o3); }
      t4[0u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_0 + 1u, bitcast<i64>(in0[min(base_0 + 1u, last)]), (((valid0_0 >> 1u) & 1u) != 0u), quad1_0[1u], ((quad2_0 >> (8u * 1u)) & 255u), (((quad3_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      t2[1u >> 1u] = t2[1u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (1u & 1u)));
      if (live) { out3[base + 1u] = bitcast<u64>(x.o3); }
      t4[1u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_0 + 2u, bitcast<i64>(in0[min(base_0 + 2u, last)]), (((valid0_0 >> 2u) & 1u) != 0u), quad1_0[2u], ((quad2_0 >> (8u * 2u)) & 255u), (((quad3_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      t2[2u >> 1u] = t2[2u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (2u & 1u)));
      if (live) { out3[base + 2u] = bitcast<u64>(x.o3); }
      t4[2u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_0 + 3u, bitcast<i64>(in0[min(base_0 + 3u, last)]), (((valid0_0 >> 3u) & 1u) != 0u), quad1_0[3u], ((quad2_0 >> (8u * 3u)) & 255u), (((quad3_0 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      t2[3u >> 1u] = t2[3u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (3u & 1u)));
      if (live) { out3[base + 3u] = bitcast<u64>(x.o3); }
      t4[3u] = select(0u, x.o4, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out2[base >> 2u] = t2;
      out4[base >> 2u] = t4;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    var t2 = vec2<u32>();
    var t4 = vec4<u32>();
    {
      let x = row(base_1 + 0u, bitcast<i64>(in0[min(base_1 + 0u, last)]), (((valid0_1 >> 0u) & 1u) != 0u), quad1_1[0u], ((quad2_1 >> (8u * 0u)) & 255u), (((quad3_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      t2[0u >> 1u] = t2[0u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (0u & 1u)));
      if (live) { out3[base + 0u] = bitcast<u64>(x.o3); }
      t4[0u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_1 + 1u, bitcast<i64>(in0[min(base_1 + 1u, last)]), (((valid0_1 >> 1u) & 1u) != 0u), quad1_1[1u], ((quad2_1 >> (8u * 1u)) & 255u), (((quad3_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      t2[1u >> 1u] = t2[1u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (1u & 1u)));
      if (live) { out3[base + 1u] = bitcast<u64>(x.o3); }
      t4[1u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_1 + 2u, bitcast<i64>(in0[min(base_1 + 2u, last)]), (((valid0_1 >> 2u) & 1u) != 0u), quad1_1[2u], ((quad2_1 >> (8u * 2u)) & 255u), (((quad3_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      t2[2u >> 1u] = t2[2u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (2u & 1u)));
      if (live) { out3[base + 2u] = bitcast<u64>(x.o3); }
      t4[2u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_1 + 3u, bitcast<i64>(in0[min(base_1 + 3u, last)]), (((valid0_1 >> 3u) & 1u) != 0u), quad1_1[3u], ((quad2_1 >> (8u * 3u)) & 255u), (((quad3_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      t2[3u >> 1u] = t2[3u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (3u & 1u)));
      if (live) { out3[base + 3u] = bitcast<u64>(x.o3); }
      t4[3u] = select(0u, x.o4, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out2[base >> 2u] = t2;
      out4[base >> 2u] = t4;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    var t2 = vec2<u32>();
    var t4 = vec4<u32>();
    {
      let x = row(base_2 + 0u, bitcast<i64>(in0[min(base_2 + 0u, last)]), (((valid0_2 >> 0u) & 1u) != 0u), quad1_2[0u], ((quad2_2 >> (8u * 0u)) & 255u), (((quad3_2 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      t2[0u >> 1u] = t2[0u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (0u & 1u)));
      if (live) { out3[base + 0u] = bitcast<u64>(x.o3); }
      t4[0u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_2 + 1u, bitcast<i64>(in0[min(base_2 + 1u, last)]), (((valid0_2 >> 1u) & 1u) != 0u), quad1_2[1u], ((quad2_2 >> (8u * 1u)) & 255u), (((quad3_2 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      t2[1u >> 1u] = t2[1u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (1u & 1u)));
      if (live) { out3[base + 1u] = bitcast<u64>(x.o3); }
      t4[1u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_2 + 2u, bitcast<i64>(in0[min(base_2 + 2u, last)]), (((valid0_2 >> 2u) & 1u) != 0u), quad1_2[2u], ((quad2_2 >> (8u * 2u)) & 255u), (((quad3_2 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      t2[2u >> 1u] = t2[2u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (2u & 1u)));
      if (live) { out3[base + 2u] = bitcast<u64>(x.o3); }
      t4[2u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_2 + 3u, bitcast<i64>(in0[min(base_2 + 3u, last)]), (((valid0_2 >> 3u) & 1u) != 0u), quad1_2[3u], ((quad2_2 >> (8u * 3u)) & 255u), (((quad3_2 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      t2[3u >> 1u] = t2[3u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (3u & 1u)));
      if (live) { out3[base + 3u] = bitcast<u64>(x.o3); }
      t4[3u] = select(0u, x.o4, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out2[base >> 2u] = t2;
      out4[base >> 2u] = t4;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    var t2 = vec2<u32>();
    var t4 = vec4<u32>();
    {
      let x = row(base_3 + 0u, bitcast<i64>(in0[min(base_3 + 0u, last)]), (((valid0_3 >> 0u) & 1u) != 0u), quad1_3[0u], ((quad2_3 >> (8u * 0u)) & 255u), (((quad3_3 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      t2[0u >> 1u] = t2[0u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (0u & 1u)));
      if (live) { out3[base + 0u] = bitcast<u64>(x.o3); }
      t4[0u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_3 + 1u, bitcast<i64>(in0[min(base_3 + 1u, last)]), (((valid0_3 >> 1u) & 1u) != 0u), quad1_3[1u], ((quad2_3 >> (8u * 1u)) & 255u), (((quad3_3 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      t2[1u >> 1u] = t2[1u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (1u & 1u)));
      if (live) { out3[base + 1u] = bitcast<u64>(x.o3); }
      t4[1u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_3 + 2u, bitcast<i64>(in0[min(base_3 + 2u, last)]), (((valid0_3 >> 2u) & 1u) != 0u), quad1_3[2u], ((quad2_3 >> (8u * 2u)) & 255u), (((quad3_3 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      t2[2u >> 1u] = t2[2u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (2u & 1u)));
      if (live) { out3[base + 2u] = bitcast<u64>(x.o3); }
      t4[2u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_3 + 3u, bitcast<i64>(in0[min(base_3 + 3u, last)]), (((valid0_3 >> 3u) & 1u) != 0u), quad1_3[3u], ((quad2_3 >> (8u * 3u)) & 255u), (((quad3_3 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, x.o1, live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      t2[3u >> 1u] = t2[3u >> 1u] | (select(0u, bitcast<u32>(x.o2) & 65535u, live) << (16u * (3u & 1u)));
      if (live) { out3[base + 3u] = bitcast<u64>(x.o3); }
      t4[3u] = select(0u, x.o4, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out2[base >> 2u] = t2;
      out4[base >> 2u] = t4;
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
}
fn canonical_f32(a: u32) -> u32 {
  return select(a, 0x7fc00000u, is_nan_f32(a));
}
fn cast_bool_u32(v: bool, f: ptr<function, bool>) -> u32 {
  let x = v;
  return select(0u, 1u, x);
}
fn cast_f32_i16(v: u32, f: ptr<function, bool>) -> i32 {
  let x = trunc_f32(v);
  if (is_nan_f32(x)) { *f = true; return 0i; }
  if (order_f32(x) < order_f32(3338665984u)) { *f = true; return 0i; }
  if (order_f32(x) >= order_f32(1191182336u)) { *f = true; return 0i; }
  return select(bitcast<i32>(word_of_f32(x)), 0i - bitcast<i32>(word_of_f32(x)), is_negative_f32(x));
}
fn cast_i64_i32(v: i64, f: ptr<function, bool>) -> i32 {
  let x = v;
  if (x < (-2147483648li)) { *f = true; return 0i; }
  if (x > 2147483647li) { *f = true; return 0i; }
  return i32(x);
}
fn cast_u8_i64(v: u32, f: ptr<function, bool>) -> i64 {
  let x = v;
  return bitcast<i64>(u64(x));
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
fn is_negative_f32(a: u32) -> bool {
  return (a >> 31u) != 0u;
}
fn order_f32(a: u32) -> u32 {
  return total_f32(select(a, 0u, a == 0x80000000u));
}
fn total_f32(a: u32) -> u32 {
  let key = select(a | 0x80000000u, ~a, (a >> 31u) != 0u);
  return select(key, 0xffffffffu, is_nan_f32(a));
}
fn trunc_f32(a: u32) -> u32 {
  let e = (a >> 23u) & 255u;
  if (e >= 150u) {
    return a;
  }
  if (e < 127u) {
    return a & 0x80000000u;
  }
  return a & ~(0x7fffffu >> (e - 127u));
}
fn word_of_f32(a: u32) -> u32 {
  let e = i32((a >> 23u) & 255u) - 150i;
  let m = (a & 0x7fffffu) | 0x800000u;
  if (e >= 0i) {
    return m << u32(min(e, 31i));
  }
  return select(m >> u32(-max(e, -31i)), 0u, e < -31i);
}
