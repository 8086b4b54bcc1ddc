// ["store"]
// [Column(0), ColumnValidity(0), Column(1), Column(2), Column(3), Output(0), OutputValidity(0), Output(1), Output(2), Output(3), Output(4)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> in2: array<u32>;
@group(0) @binding(6) var<storage, read> in3: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> out0: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> outv0: array<u32>;
@group(0) @binding(9) var<storage, read_write> out1: array<vec4<u32>>;
@group(0) @binding(10) var<storage, read_write> out2: array<u64>;
@group(0) @binding(11) var<storage, read_write> out3: array<vec2<u32>>;
@group(0) @binding(12) var<storage, read_write> out4: array<vec2<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i32,
  q0: bool,
  o1: i32,
  q1: bool,
  o2: u64,
  q2: bool,
  o3: u32,
  q3: bool,
  o4: i32,
  q4: bool,
}
fn row(r: u32, c0: i64, d0: bool, c1: u32, c2: i32, c3: u32) -> Row {
  var bad: bool = false;
  var v0: i64 = c0;
  var n0: bool = d0;
  var v1: u32 = c1;
  var v2: i32 = c2;
  var v3: u32 = c3;
  var v4: i32 = nearest_i64_i32(v0, &bad);
  var n4: bool = n0;
  var v5: i32 = nearest_f32_i32(v1, &bad);
  var v6: u64 = nearest_f32_u64(v1, &bad);
  var v7: u32 = nearest_i8_u16(v2, &bad);
  var v8: i32 = nearest_u32_i16(v3, &bad);
  return Row(true, bad, select(0i, v4, (n4)), (n4), v5, true, v6, true, v7, true, v8, true);
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
    let valid0_0 = select(15u, inv0[first_0 >> 5u] >> (first_0 & 31u), (args[4].x & 1u) != 0u);
    let quad1_0 = in1[first_0 >> 2u];
    let quad2_0 = in2[first_0 >> 2u];
    let quad3_0 = in3[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let valid0_1 = select(15u, inv0[first_1 >> 5u] >> (first_1 & 31u), (args[4].x & 1u) != 0u);
    let quad1_1 = in1[first_1 >> 2u];
    let quad2_1 = in2[first_1 >> 2u];
    let quad3_1 = in3[first_1 >> 2u];
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let valid0_2 = select(15u, inv0[first_2 >> 5u] >> (first_2 & 31u), (args[4].x & 1u) != 0u);
    let quad1_2 = in1[first_2 >> 2u];
    let quad2_2 = in2[first_2 >> 2u];
    let quad3_2 = in3[first_2 >> 2u];
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let valid0_3 = select(15u, inv0[first_3 >> 5u] >> (first_3 & 31u), (args[4].x & 1u) != 0u);
    let quad1_3 = in1[first_3 >> 2u];
    let quad2_3 = in2[first_3 >> 2u];
    let quad3_3 = in3[first_3 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    var t3 = vec2<u32>();
    var t4 = vec2<u32>();
    {
      let x = row(base_0 + 0u, bitcast<i64>(in0[min(base_0 + 0u, last)]), (((valid0_0 >> 0u) & 1u) != 0u), quad1_0[0u], (bitcast<i32>(quad2_0 << (24u - 8u * 0u)) >> 24u), quad3_0[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 0u] = x.o2; }
      t3[0u >> 1u] = t3[0u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (0u & 1u)));
      t4[0u >> 1u] = t4[0u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (0u & 1u)));
    }
    {
      let x = row(base_0 + 1u, bitcast<i64>(in0[min(base_0 + 1u, last)]), (((valid0_0 >> 1u) & 1u) != 0u), quad1_0[1u], (bitcast<i32>(quad2_0 << (24u - 8u * 1u)) >> 24u), quad3_0[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 1u] = x.o2; }
      t3[1u >> 1u] = t3[1u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (1u & 1u)));
      t4[1u >> 1u] = t4[1u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (1u & 1u)));
    }
    {
      let x = row(base_0 + 2u, bitcast<i64>(in0[min(base_0 + 2u, last)]), (((valid0_0 >> 2u) & 1u) != 0u), quad1_0[2u], (bitcast<i32>(quad2_0 << (24u - 8u * 2u)) >> 24u), quad3_0[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 2u] = x.o2; }
      t3[2u >> 1u] = t3[2u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (2u & 1u)));
      t4[2u >> 1u] = t4[2u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (2u & 1u)));
    }
    {
      let x = row(base_0 + 3u, bitcast<i64>(in0[min(base_0 + 3u, last)]), (((valid0_0 >> 3u) & 1u) != 0u), quad1_0[3u], (bitcast<i32>(quad2_0 << (24u - 8u * 3u)) >> 24u), quad3_0[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 3u] = x.o2; }
      t3[3u >> 1u] = t3[3u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (3u & 1u)));
      t4[3u >> 1u] = t4[3u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (3u & 1u)));
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out3[base >> 2u] = t3;
      out4[base >> 2u] = t4;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    var t3 = vec2<u32>();
    var t4 = vec2<u32>();
    {
      let x = row(base_1 + 0u, bitcast<i64>(in0[min(base_1 + 0u, last)]), (((valid0_1 >> 0u) & 1u) != 0u), quad1_1[0u], (bitcast<i32>(quad2_1 << (24u - 8u * 0u)) >> 24u), quad3_1[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 0u] = x.o2; }
      t3[0u >> 1u] = t3[0u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (0u & 1u)));
      t4[0u >> 1u] = t4[0u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (0u & 1u)));
    }
    {
      let x = row(base_1 + 1u, bitcast<i64>(in0[min(base_1 + 1u, last)]), (((valid0_1 >> 1u) & 1u) != 0u), quad1_1[1u], (bitcast<i32>(quad2_1 << (24u - 8u * 1u)) >> 24u), quad3_1[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 1u] = x.o2; }
      t3[1u >> 1u] = t3[1u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (1u & 1u)));
      t4[1u >> 1u] = t4[1u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (1u & 1u)));
    }
    {
      let x = row(base_1 + 2u, bitcast<i64>(in0[min(base_1 + 2u, last)]), (((valid0_1 >> 2u) & 1u) != 0u), quad1_1[2u], (bitcast<i32>(quad2_1 << (24u - 8u * 2u)) >> 24u), quad3_1[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 2u] = x.o2; }
      t3[2u >> 1u] = t3[2u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (2u & 1u)));
      t4[2u >> 1u] = t4[2u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (2u & 1u)));
    }
    {
      let x = row(base_1 + 3u, bitcast<i64>(in0[min(base_1 + 3u, last)]), (((valid0_1 >> 3u) & 1u) != 0u), quad1_1[3u], (bitcast<i32>(quad2_1 << (24u - 8u * 3u)) >> 24u), quad3_1[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 3u] = x.o2; }
      t3[3u >> 1u] = t3[3u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (3u & 1u)));
      t4[3u >> 1u] = t4[3u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (3u & 1u)));
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out3[base >> 2u] = t3;
      out4[base >> 2u] = t4;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    var t3 = vec2<u32>();
    var t4 = vec2<u32>();
    {
      let x = row(base_2 + 0u, bitcast<i64>(in0[min(base_2 + 0u, last)]), (((valid0_2 >> 0u) & 1u) != 0u), quad1_2[0u], (bitcast<i32>(quad2_2 << (24u - 8u * 0u)) >> 24u), quad3_2[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 0u] = x.o2; }
      t3[0u >> 1u] = t3[0u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (0u & 1u)));
      t4[0u >> 1u] = t4[0u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (0u & 1u)));
    }
    {
      let x = row(base_2 + 1u, bitcast<i64>(in0[min(base_2 + 1u, last)]), (((valid0_2 >> 1u) & 1u) != 0u), quad1_2[1u], (bitcast<i32>(quad2_2 << (24u - 8u * 1u)) >> 24u), quad3_2[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 1u] = x.o2; }
      t3[1u >> 1u] = t3[1u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (1u & 1u)));
      t4[1u >> 1u] = t4[1u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (1u & 1u)));
    }
    {
      let x = row(base_2 + 2u, bitcast<i64>(in0[min(base_2 + 2u, last)]), (((valid0_2 >> 2u) & 1u) != 0u), quad1_2[2u], (bitcast<i32>(quad2_2 << (24u - 8u * 2u)) >> 24u), quad3_2[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 2u] = x.o2; }
      t3[2u >> 1u] = t3[2u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (2u & 1u)));
      t4[2u >> 1u] = t4[2u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (2u & 1u)));
    }
    {
      let x = row(base_2 + 3u, bitcast<i64>(in0[min(base_2 + 3u, last)]), (((valid0_2 >> 3u) & 1u) != 0u), quad1_2[3u], (bitcast<i32>(quad2_2 << (24u - 8u * 3u)) >> 24u), quad3_2[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 3u] = x.o2; }
      t3[3u >> 1u] = t3[3u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (3u & 1u)));
      t4[3u >> 1u] = t4[3u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (3u & 1u)));
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out3[base >> 2u] = t3;
      out4[base >> 2u] = t4;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    var t3 = vec2<u32>();
    var t4 = vec2<u32>();
    {
      let x = row(base_3 + 0u, bitcast<i64>(in0[min(base_3 + 0u, last)]), (((valid0_3 >> 0u) & 1u) != 0u), quad1_3[0u], (bitcast<i32>(quad2_3 << (24u - 8u * 0u)) >> 24u), quad3_3[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 0u] = x.o2; }
      t3[0u >> 1u] = t3[0u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (0u & 1u)));
      t4[0u >> 1u] = t4[0u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (0u & 1u)));
    }
    {
      let x = row(base_3 + 1u, bitcast<i64>(in0[min(base_3 + 1u, last)]), (((valid0_3 >> 1u) & 1u) != 0u), quad1_3[1u], (bitcast<i32>(quad2_3 << (24u - 8u * 1u)) >> 24u), quad3_3[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 1u] = x.o2; }
      t3[1u >> 1u] = t3[1u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (1u & 1u)));
      t4[1u >> 1u] = t4[1u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (1u & 1u)));
    }
    {
      let x = row(base_3 + 2u, bitcast<i64>(in0[min(base_3 + 2u, last)]), (((valid0_3 >> 2u) & 1u) != 0u), quad1_3[2u], (bitcast<i32>(quad2_3 << (24u - 8u * 2u)) >> 24u), quad3_3[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 2u] = x.o2; }
      t3[2u >> 1u] = t3[2u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (2u & 1u)));
      t4[2u >> 1u] = t4[2u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (2u & 1u)));
    }
    {
      let x = row(base_3 + 3u, bitcast<i64>(in0[min(base_3 + 3u, last)]), (((valid0_3 >> 3u) & 1u) != 0u), quad1_3[3u], (bitcast<i32>(quad2_3 << (24u - 8u * 3u)) >> 24u), quad3_3[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, bitcast<u32>(x.o0), live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      if (live) { out2[base + 3u] = x.o2; }
      t3[3u >> 1u] = t3[3u >> 1u] | (select(0u, x.o3 & 65535u, live) << (16u * (3u & 1u)));
      t4[3u >> 1u] = t4[3u >> 1u] | (select(0u, bitcast<u32>(x.o4) & 65535u, live) << (16u * (3u & 1u)));
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out3[base >> 2u] = t3;
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
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
fn is_negative_f32(a: u32) -> bool {
  return (a >> 31u) != 0u;
}
fn long_of_f32(a: u32) -> u64 {
  let e = i32((a >> 23u) & 255u) - 150i;
  let m = u64((a & 0x7fffffu) | 0x800000u);
  if (e >= 0i) {
    return m << u32(min(e, 63i));
  }
  return select(m >> u32(-max(e, -63i)), 0lu, e < -63i);
}
fn nearest_f32_i32(v: u32, f: ptr<function, bool>) -> i32 {
  let x = trunc_f32(v);
  if (is_nan_f32(x)) { return 0i; }
  if (order_f32(x) < order_f32(3472883712u)) { return (-2147483647i - 1i); }
  if (order_f32(x) >= order_f32(1325400064u)) { return 2147483647i; }
  return select(bitcast<i32>(word_of_f32(x)), 0i - bitcast<i32>(word_of_f32(x)), is_negative_f32(x));
}
fn nearest_f32_u64(v: u32, f: ptr<function, bool>) -> u64 {
  let x = trunc_f32(v);
  if (is_nan_f32(x)) { return 0lu; }
  if (order_f32(x) < order_f32(0u)) { return 0lu; }
  if (order_f32(x) >= order_f32(1602224128u)) { return 18446744073709551615lu; }
  return long_of_f32(x);
}
fn nearest_i64_i32(v: i64, f: ptr<function, bool>) -> i32 {
  let x = v;
  if (x < (-2147483648li)) { return (-2147483647i - 1i); }
  if (x > 2147483647li) { return 2147483647i; }
  return i32(x);
}
fn nearest_i8_u16(v: i32, f: ptr<function, bool>) -> u32 {
  let x = v;
  if (x < 0i) { return 0u; }
  return bitcast<u32>(x);
}
fn nearest_u32_i16(v: u32, f: ptr<function, bool>) -> i32 {
  let x = v;
  if (x > 32767u) { return 32767i; }
  return bitcast<i32>(x);
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
