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
  o0: u32,
  q0: bool,
}
fn row(r: u32, c0: u32, c1: u32, d1: bool) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u32 = c1;
  var n1: bool = d1;
  var v2: u32 = add_f32(v0, v1);
  var n2: bool = n1;
  var v3: u32 = sub_f32(v0, v1);
  var n3: bool = n1;
  var v4: u32 = mul_f32(v0, v1);
  var n4: bool = n1;
  var v5: u32 = div_f32(v0, v1);
  var n5: bool = n1;
  var v6: u32 = rem_f32(v0, v1);
  var n6: bool = n1;
  var v7: u32 = fma_f32(v0, v1, v0);
  var n7: bool = n1;
  var v8: u32 = neg_f32(v0);
  var v9: u32 = abs_f32(v0);
  var v10: u32 = sign_f32(v0);
  var v11: u32 = sqrt_f32(v0);
  var v12: u32 = select(v0, v1, total_f32(v1) < total_f32(v0));
  var n12: bool = n1;
  var v13: u32 = select(v0, v1, total_f32(v1) > total_f32(v0));
  var n13: bool = n1;
  var v14: u32 = select(select(v0, v1, total_f32(v1) > total_f32(v0)), v1, total_f32(v1) < total_f32(select(v0, v1, total_f32(v1) > total_f32(v0))));
  var n14: bool = n1 && n1;
  var v15: u32 = add_f32(v2, v3);
  var n15: bool = n2 && n3;
  var v16: u32 = add_f32(v15, v4);
  var n16: bool = n15 && n4;
  var v17: u32 = add_f32(v16, v5);
  var n17: bool = n16 && n5;
  var v18: u32 = add_f32(v17, v6);
  var n18: bool = n17 && n6;
  var v19: u32 = add_f32(v18, v7);
  var n19: bool = n18 && n7;
  var v20: u32 = add_f32(v19, v8);
  var n20: bool = n19;
  var v21: u32 = add_f32(v20, v9);
  var n21: bool = n20;
  var v22: u32 = add_f32(v21, v10);
  var n22: bool = n21;
  var v23: u32 = add_f32(v22, v11);
  var n23: bool = n22;
  var v24: u32 = add_f32(v23, v12);
  var n24: bool = n23 && n12;
  var v25: u32 = add_f32(v24, v13);
  var n25: bool = n24 && n13;
  var v26: u32 = add_f32(v25, v14);
  var n26: bool = n25 && n14;
  return Row(true, bad, select(0u, canonical_f32(v26), (n26)), (n26));
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
      let x = row(base_0 + 0u, quad0_0[0u], quad1_0[0u], (((valid1_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, quad0_0[1u], quad1_0[1u], (((valid1_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, quad0_0[2u], quad1_0[2u], (((valid1_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, quad0_0[3u], quad1_0[3u], (((valid1_0 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
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
      let x = row(base_1 + 0u, quad0_1[0u], quad1_1[0u], (((valid1_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, quad0_1[1u], quad1_1[1u], (((valid1_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, quad0_1[2u], quad1_1[2u], (((valid1_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, quad0_1[3u], quad1_1[3u], (((valid1_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
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
fn abs_f32(a: u32) -> u32 {
  return a & 0x7fffffffu;
}
fn add_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) + second_single(b));
}
fn canonical_f32(a: u32) -> u32 {
  return select(a, 0x7fc00000u, is_nan_f32(a));
}
fn div_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) / second_single(b));
}
fn fma_f32(a: u32, b: u32, c: u32) -> u32 {
  return bitcast<u32>(fma(single(a), second_single(b), third_single(c)));
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
fn mul_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) * second_single(b));
}
fn neg_f32(a: u32) -> u32 {
  return a ^ 0x80000000u;
}
fn rem_f32(a: u32, b: u32) -> u32 {
  let x = a & 0x7fffffffu;
  let y = b & 0x7fffffffu;
  if (x >= 0x7f800000u || y > 0x7f800000u || y == 0u) {
    return 0x7fc00000u;
  }
  if (x < y) {
    return a;
  }
  var ex = i32(max(x >> 23u, 1u));
  let ey = i32(max(y >> 23u, 1u));
  let mx = (x & 0x7fffffu) | select(0u, 0x800000u, (x >> 23u) != 0u);
  let my = (y & 0x7fffffu) | select(0u, 0x800000u, (y >> 23u) != 0u);
  var r = mx % my;
  while (ex > ey) {
    let by = u32(min(ex - ey, 8i));
    r = (r << by) % my;
    ex -= i32(by);
  }
  if (r == 0u) {
    return a & 0x80000000u;
  }
  let up = min(23i - i32(firstLeadingBit(r)), ey - 1i);
  let m = r << u32(up);
  let e = ey - up;
  let bits = select(m, (m & 0x7fffffu) | (u32(e) << 23u), m >= 0x800000u);
  return bits | (a & 0x80000000u);
}
fn second_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].y);
}
fn sign_f32(a: u32) -> u32 {
  return select(0x3f800000u | (a & 0x80000000u), a, (a << 1u) == 0u || is_nan_f32(a));
}
fn single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].x);
}
fn sqrt_f32(a: u32) -> u32 {
  return bitcast<u32>(sqrt(single(a)));
}
fn sub_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) - second_single(b));
}
fn third_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].z);
}
fn total_f32(a: u32) -> u32 {
  let key = select(a | 0x80000000u, ~a, (a >> 31u) != 0u);
  return select(key, 0xffffffffu, is_nan_f32(a));
}
