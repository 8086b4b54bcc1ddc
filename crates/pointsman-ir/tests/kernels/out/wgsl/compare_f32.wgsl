// ["store"]
// [Column(0), ColumnValidity(0), Column(1), ColumnValidity(1), Output(0), OutputValidity(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> inv1: array<u32>;
@group(0) @binding(6) var<storage, read_write> out0: array<u32>;
@group(0) @binding(7) var<storage, read_write> outv0: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: bool,
  q0: bool,
}
fn row(r: u32, c0: u32, d0: bool, c1: u32, d1: bool) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var n0: bool = d0;
  var v1: u32 = c1;
  var n1: bool = d1;
  var v2: bool = (order_f32(v0) == order_f32(v1));
  var n2: bool = n0 && n1;
  var v3: bool = is_nan_f32(v0);
  var n3: bool = n0;
  var v4: bool = ((n3 && v3) || (n2 && v2));
  var n4: bool = ((n3 && n2) || (n3 && v3) || (n2 && v2));
  var v5: bool = (order_f32(v0) != order_f32(v1));
  var n5: bool = n0 && n1;
  var v6: bool = ((n4 && v4) || (n5 && v5));
  var n6: bool = ((n4 && n5) || (n4 && v4) || (n5 && v5));
  var v7: bool = (below_f32(v0, v1));
  var n7: bool = n0 && n1;
  var v8: bool = ((n6 && v6) || (n7 && v7));
  var n8: bool = ((n6 && n7) || (n6 && v6) || (n7 && v7));
  var v9: bool = (!above_f32(v0, v1));
  var n9: bool = n0 && n1;
  var v10: bool = ((n8 && v8) || (n9 && v9));
  var n10: bool = ((n8 && n9) || (n8 && v8) || (n9 && v9));
  var v11: bool = (above_f32(v0, v1));
  var n11: bool = n0 && n1;
  var v12: bool = ((n10 && v10) || (n11 && v11));
  var n12: bool = ((n10 && n11) || (n10 && v10) || (n11 && v11));
  var v13: bool = (!below_f32(v0, v1));
  var n13: bool = n0 && n1;
  var v14: bool = ((n12 && v12) || (n13 && v13));
  var n14: bool = ((n12 && n13) || (n12 && v12) || (n13 && v13));
  return Row(true, bad, select(false, v14, (n14)), (n14));
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var m0 = 0u;
  var n0 = 0u;
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let valid0_0 = select(15u, inv0[first_0 >> 5u] >> (first_0 & 31u), (args[4].x & 1u) != 0u);
    let quad1_0 = in1[first_0 >> 2u];
    let valid1_0 = select(15u, inv1[first_0 >> 5u] >> (first_0 & 31u), (args[4].y & 1u) != 0u);
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let valid0_1 = select(15u, inv0[first_1 >> 5u] >> (first_1 & 31u), (args[4].x & 1u) != 0u);
    let quad1_1 = in1[first_1 >> 2u];
    let valid1_1 = select(15u, inv1[first_1 >> 5u] >> (first_1 & 31u), (args[4].y & 1u) != 0u);
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let quad0_2 = in0[first_2 >> 2u];
    let valid0_2 = select(15u, inv0[first_2 >> 5u] >> (first_2 & 31u), (args[4].x & 1u) != 0u);
    let quad1_2 = in1[first_2 >> 2u];
    let valid1_2 = select(15u, inv1[first_2 >> 5u] >> (first_2 & 31u), (args[4].y & 1u) != 0u);
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let quad0_3 = in0[first_3 >> 2u];
    let valid0_3 = select(15u, inv0[first_3 >> 5u] >> (first_3 & 31u), (args[4].x & 1u) != 0u);
    let quad1_3 = in1[first_3 >> 2u];
    let valid1_3 = select(15u, inv1[first_3 >> 5u] >> (first_3 & 31u), (args[4].y & 1u) != 0u);
    {
    let base = base_0;
    let k = step + 0u;
    {
      let x = row(base_0 + 0u, quad0_0[0u], (((valid0_0 >> 0u) & 1u) != 0u), quad1_0[0u], (((valid1_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, quad0_0[1u], (((valid0_0 >> 1u) & 1u) != 0u), quad1_0[1u], (((valid1_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, quad0_0[2u], (((valid0_0 >> 2u) & 1u) != 0u), quad1_0[2u], (((valid1_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, quad0_0[3u], (((valid0_0 >> 3u) & 1u) != 0u), quad1_0[3u], (((valid1_0 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    {
      let x = row(base_1 + 0u, quad0_1[0u], (((valid0_1 >> 0u) & 1u) != 0u), quad1_1[0u], (((valid1_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, quad0_1[1u], (((valid0_1 >> 1u) & 1u) != 0u), quad1_1[1u], (((valid1_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, quad0_1[2u], (((valid0_1 >> 2u) & 1u) != 0u), quad1_1[2u], (((valid1_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, quad0_1[3u], (((valid0_1 >> 3u) & 1u) != 0u), quad1_1[3u], (((valid1_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    {
      let x = row(base_2 + 0u, quad0_2[0u], (((valid0_2 >> 0u) & 1u) != 0u), quad1_2[0u], (((valid1_2 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_2 + 1u, quad0_2[1u], (((valid0_2 >> 1u) & 1u) != 0u), quad1_2[1u], (((valid1_2 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_2 + 2u, quad0_2[2u], (((valid0_2 >> 2u) & 1u) != 0u), quad1_2[2u], (((valid1_2 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_2 + 3u, quad0_2[3u], (((valid0_2 >> 3u) & 1u) != 0u), quad1_2[3u], (((valid1_2 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    {
      let x = row(base_3 + 0u, quad0_3[0u], (((valid0_3 >> 0u) & 1u) != 0u), quad1_3[0u], (((valid1_3 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_3 + 1u, quad0_3[1u], (((valid0_3 >> 1u) & 1u) != 0u), quad1_3[1u], (((valid1_3 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_3 + 2u, quad0_3[2u], (((valid0_3 >> 2u) & 1u) != 0u), quad1_3[2u], (((valid1_3 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_3 + 3u, quad0_3[3u], (((valid0_3 >> 3u) & 1u) != 0u), quad1_3[3u], (((valid1_3 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
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
fn above_f32(a: u32, b: u32) -> bool {
  let right = select(ordered_f32(select(b, 0u, (b << 1u) == 0u)), 0x7fffffffi, is_nan_f32(b));
  let most = select(0x7f800000u, 0xffffffffu, is_nan_f32(b));
  return (abs_f32(a) > most) | (ordered_f32(a) > right);
}
fn abs_f32(a: u32) -> u32 {
  return a & 0x7fffffffu;
}
fn below_f32(a: u32, b: u32) -> bool {
  let right = select(ordered_f32(select(b, 0x80000000u, (b << 1u) == 0u)), 0x7fffffffi, is_nan_f32(b));
  return !is_nan_f32(a) & (ordered_f32(a) < right);
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
fn order_f32(a: u32) -> u32 {
  return total_f32(select(a, 0u, a == 0x80000000u));
}
fn ordered_f32(a: u32) -> i32 {
  return bitcast<i32>(a & 0x7fffffffu) ^ (bitcast<i32>(a) >> 31u);
}
fn total_f32(a: u32) -> u32 {
  let key = select(a | 0x80000000u, ~a, (a >> 31u) != 0u);
  return select(key, 0xffffffffu, is_nan_f32(a));
}
