// ["store"]
// [Column(0), Column(1), Output(0), Output(1), Output(2), Output(3), Output(4)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> out0: array<u32>;
@group(0) @binding(5) var<storage, read_write> out1: array<u32>;
@group(0) @binding(6) var<storage, read_write> out2: array<u32>;
@group(0) @binding(7) var<storage, read_write> out3: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> out4: array<vec4<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: bool,
  q0: bool,
  o1: bool,
  q1: bool,
  o2: bool,
  q2: bool,
  o3: u32,
  q3: bool,
  o4: u32,
  q4: bool,
}
fn row(r: u32, c0: u32, c1: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u32 = c1;
  var v2: bool = (order_f32(v0) == order_f32(v1));
  var v3: bool = is_nan_f32(v0);
  var v4: bool = !v3;
  var v5: bool = !((true && !v2) || (true && !v4));
  var v6: bool = (below_f32(v0, v1));
  var v7: bool = is_nan_f32(v1);
  var v8: bool = !v7;
  var v9: bool = !((true && !v6) || (true && !v8));
  var v10: bool = (!above_f32(v0, v1));
  var v11: bool = !((true && !v10) || (true && !v8));
  var v12: u32 = 1065353216u;
  var v13: i32 = bitcast<i32>(canonical_f32(v0));
  var v14: i32 = (-2147483647i - 1i);
  var v15: i32 = (v13 & v14);
  var v16: i32 = bitcast<i32>(canonical_f32(v12));
  var v17: i32 = (v16 | v15);
  var v18: u32 = bitcast<u32>(v17);
  var v19: u32 = select(v18, v0, v3);
  var v20: u32 = add_f32(v0, v1);
  var v21: u32 = abs_f32(v20);
  var v22: u32 = 2139095040u;
  var v23: bool = (below_f32(v21, v22));
  var v24: u32 = 1056964608u;
  var v25: u32 = mul_f32(v20, v24);
  var v26: u32 = mul_f32(v0, v24);
  var v27: u32 = mul_f32(v1, v24);
  var v28: u32 = add_f32(v26, v27);
  var v29: u32 = select(v28, v25, v23);
  return Row(true, bad, v5, true, v9, true, v11, true, canonical_f32(v19), true, canonical_f32(v29), true);
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var m0 = 0u;
  var m1 = 0u;
  var m2 = 0u;
  for (var step = 0u; step < 8u; step += 2u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let quad1_0 = in1[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let quad1_1 = in1[first_1 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t3 = vec4<u32>();
    var t4 = vec4<u32>();
    {
      let x = row(base_0 + 0u, quad0_0[0u], quad1_0[0u]);
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 0u);
      m2 |= select(0u, 1u, live & x.o2) << (4u * k + 0u);
      t3[0u] = select(0u, x.o3, live);
      t4[0u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_0 + 1u, quad0_0[1u], quad1_0[1u]);
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 1u);
      m2 |= select(0u, 1u, live & x.o2) << (4u * k + 1u);
      t3[1u] = select(0u, x.o3, live);
      t4[1u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_0 + 2u, quad0_0[2u], quad1_0[2u]);
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 2u);
      m2 |= select(0u, 1u, live & x.o2) << (4u * k + 2u);
      t3[2u] = select(0u, x.o3, live);
      t4[2u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_0 + 3u, quad0_0[3u], quad1_0[3u]);
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 3u);
      m2 |= select(0u, 1u, live & x.o2) << (4u * k + 3u);
      t3[3u] = select(0u, x.o3, live);
      t4[3u] = select(0u, x.o4, live);
    }
    if (base < rows) {
      out3[base >> 2u] = t3;
      out4[base >> 2u] = t4;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t3 = vec4<u32>();
    var t4 = vec4<u32>();
    {
      let x = row(base_1 + 0u, quad0_1[0u], quad1_1[0u]);
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 0u);
      m2 |= select(0u, 1u, live & x.o2) << (4u * k + 0u);
      t3[0u] = select(0u, x.o3, live);
      t4[0u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_1 + 1u, quad0_1[1u], quad1_1[1u]);
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 1u);
      m2 |= select(0u, 1u, live & x.o2) << (4u * k + 1u);
      t3[1u] = select(0u, x.o3, live);
      t4[1u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_1 + 2u, quad0_1[2u], quad1_1[2u]);
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 2u);
      m2 |= select(0u, 1u, live & x.o2) << (4u * k + 2u);
      t3[2u] = select(0u, x.o3, live);
      t4[2u] = select(0u, x.o4, live);
    }
    {
      let x = row(base_1 + 3u, quad0_1[3u], quad1_1[3u]);
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      m1 |= select(0u, 1u, live & x.o1) << (4u * k + 3u);
      m2 |= select(0u, 1u, live & x.o2) << (4u * k + 3u);
      t3[3u] = select(0u, x.o3, live);
      t4[3u] = select(0u, x.o4, live);
    }
    if (base < rows) {
      out3[base >> 2u] = t3;
      out4[base >> 2u] = t4;
    }
    }
  }
  shared_bits[lane] = m0;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    out0[(start >> 5u) + lane] = bits;
  }
  workgroupBarrier();
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
  shared_bits[lane] = m2;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    out2[(start >> 5u) + lane] = bits;
  }
  workgroupBarrier();
}
fn above_f32(a: u32, b: u32) -> bool {
  let right = select(ordered_f32(select(b, 0u, (b << 1u) == 0u)), 0x7fffffffi, is_nan_f32(b));
  let most = select(0x7f800000u, 0xffffffffu, is_nan_f32(b));
  return (abs_f32(a) > most) | (ordered_f32(a) > right);
}
fn abs_f32(a: u32) -> u32 {
  return a & 0x7fffffffu;
}
fn add_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) + second_single(b));
}
fn below_f32(a: u32, b: u32) -> bool {
  let right = select(ordered_f32(select(b, 0x80000000u, (b << 1u) == 0u)), 0x7fffffffi, is_nan_f32(b));
  return !is_nan_f32(a) & (ordered_f32(a) < right);
}
fn canonical_f32(a: u32) -> u32 {
  return select(a, 0x7fc00000u, is_nan_f32(a));
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
fn mul_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) * second_single(b));
}
fn order_f32(a: u32) -> u32 {
  return total_f32(select(a, 0u, a == 0x80000000u));
}
fn ordered_f32(a: u32) -> i32 {
  return bitcast<i32>(a & 0x7fffffffu) ^ (bitcast<i32>(a) >> 31u);
}
fn second_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].y);
}
fn single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].x);
}
fn total_f32(a: u32) -> u32 {
  let key = select(a | 0x80000000u, ~a, (a >> 31u) != 0u);
  return select(key, 0xffffffffu, is_nan_f32(a));
}
