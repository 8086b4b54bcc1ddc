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
  o0: u64,
  q0: bool,
}
fn row(r: u32, c0: u64, c1: u64, d1: bool) -> Row {
  var bad: bool = false;
  var v0: u64 = c0;
  var v1: u64 = c1;
  var n1: bool = d1;
  var v2: u64 = add_f64(v0, v1);
  var n2: bool = n1;
  var v3: u64 = sub_f64(v0, v1);
  var n3: bool = n1;
  var v4: u64 = mul_f64(v0, v1);
  var n4: bool = n1;
  var v5: u64 = div_f64(v0, v1);
  var n5: bool = n1;
  var v6: u64 = rem_f64(v0, v1);
  var n6: bool = n1;
  var v7: u64 = fma_f64(v0, v1, v0);
  var n7: bool = n1;
  var v8: u64 = neg_f64(v0);
  var v9: u64 = abs_f64(v0);
  var v10: u64 = sign_f64(v0);
  var v11: u64 = sqrt_f64(v0);
  var v12: u64 = select(v0, v1, total_f64(v1) < total_f64(v0));
  var n12: bool = n1;
  var v13: u64 = select(v0, v1, total_f64(v1) > total_f64(v0));
  var n13: bool = n1;
  var v14: u64 = select(select(v0, v1, total_f64(v1) > total_f64(v0)), v1, total_f64(v1) < total_f64(select(v0, v1, total_f64(v1) > total_f64(v0))));
  var n14: bool = n1 && n1;
  var v15: u64 = add_f64(v2, v3);
  var n15: bool = n2 && n3;
  var v16: u64 = add_f64(v15, v4);
  var n16: bool = n15 && n4;
  var v17: u64 = add_f64(v16, v5);
  var n17: bool = n16 && n5;
  var v18: u64 = add_f64(v17, v6);
  var n18: bool = n17 && n6;
  var v19: u64 = add_f64(v18, v7);
  var n19: bool = n18 && n7;
  var v20: u64 = add_f64(v19, v8);
  var n20: bool = n19;
  var v21: u64 = add_f64(v20, v9);
  var n21: bool = n20;
  var v22: u64 = add_f64(v21, v10);
  var n22: bool = n21;
  var v23: u64 = add_f64(v22, v11);
  var n23: bool = n22;
  var v24: u64 = add_f64(v23, v12);
  var n24: bool = n23 && n12;
  var v25: u64 = add_f64(v24, v13);
  var n25: bool = n24 && n13;
  var v26: u64 = add_f64(v25, v14);
  var n26: bool = n25 && n14;
  return Row(true, bad, select(0lu, canonical_f64(v26), (n26)), (n26));
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
    let valid1_0 = select(15u, inv1[first_0 >> 5u] >> (first_0 & 31u), (args[4].y & 1u) != 0u);
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let valid1_1 = select(15u, inv1[first_1 >> 5u] >> (first_1 & 31u), (args[4].y & 1u) != 0u);
    {
    let base = base_0;
    let k = step + 0u;
    {
      let x = row(base_0 + 0u, in0[min(base_0 + 0u, last)], in1[min(base_0 + 0u, last)], (((valid1_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      if (live) { out0[base + 0u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, in0[min(base_0 + 1u, last)], in1[min(base_0 + 1u, last)], (((valid1_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, in0[min(base_0 + 2u, last)], in1[min(base_0 + 2u, last)], (((valid1_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, in0[min(base_0 + 3u, last)], in1[min(base_0 + 3u, last)], (((valid1_0 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      if (live) { out0[base + 3u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    {
      let x = row(base_1 + 0u, in0[min(base_1 + 0u, last)], in1[min(base_1 + 0u, last)], (((valid1_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      if (live) { out0[base + 0u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, in0[min(base_1 + 1u, last)], in1[min(base_1 + 1u, last)], (((valid1_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, in0[min(base_1 + 2u, last)], in1[min(base_1 + 2u, last)], (((valid1_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, in0[min(base_1 + 3u, last)], in1[min(base_1 + 3u, last)], (((valid1_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      if (live) { out0[base + 3u] = x.o0; }
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
fn abs_f64(a: u64) -> u64 {
  return a & 0x7ffffffffffffffflu;
}
fn add_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) + second_double(b));
}
fn canonical_f64(a: u64) -> u64 {
  return select(a, 0x7ff8000000000000lu, is_nan_f64(a));
}
fn div_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) / second_double(b));
}
fn double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].x));
}
fn fma_f64(a: u64, b: u64, c: u64) -> u64 {
  return bitcast<u64>(fma(double(a), second_double(b), third_double(c)));
}
fn is_nan_f64(a: u64) -> bool {
  return (a & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}
fn mul_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) * second_double(b));
}
fn neg_f64(a: u64) -> u64 {
  return a ^ 0x8000000000000000lu;
}
fn rem_f64(a: u64, b: u64) -> u64 {
  let x = a & 0x7ffffffffffffffflu;
  let y = b & 0x7ffffffffffffffflu;
  if (x >= 0x7ff0000000000000lu || y > 0x7ff0000000000000lu || y == 0lu) {
    return 0x7ff8000000000000lu;
  }
  if (x < y) {
    return a;
  }
  var ex = i32(max(u32(x >> 52u), 1u));
  let ey = i32(max(u32(y >> 52u), 1u));
  let mx = (x & 0xffffffffffffflu) | select(0lu, 0x10000000000000lu, (x >> 52u) != 0lu);
  let my = (y & 0xffffffffffffflu) | select(0lu, 0x10000000000000lu, (y >> 52u) != 0lu);
  var r = mx % my;
  while (ex > ey) {
    let by = u32(min(ex - ey, 11i));
    r = (r << by) % my;
    ex -= i32(by);
  }
  if (r == 0lu) {
    return a & 0x8000000000000000lu;
  }
  let up = min(52i - top_bit_u64(r), ey - 1i);
  let m = r << u32(up);
  let e = ey - up;
  let bits = select(m, (m & 0xffffffffffffflu) | (u64(u32(e)) << 52u), m >= 0x10000000000000lu);
  return bits | (a & 0x8000000000000000lu);
}
fn second_double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].y));
}
fn sign_f64(a: u64) -> u64 {
  return select(0x3ff0000000000000lu | (a & 0x8000000000000000lu), a, (a << 1u) == 0lu || is_nan_f64(a));
}
fn sqrt_f64(a: u64) -> u64 {
  return bitcast<u64>(sqrt(double(a)));
}
fn sub_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) - second_double(b));
}
fn third_double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].z));
}
fn top_bit_u64(x: u64) -> i32 {
  let high = u32(x >> 32u);
  return i32(select(firstLeadingBit(u32(x & 0xfffffffflu)), 32u + firstLeadingBit(high), high != 0u));
}
fn total_f64(a: u64) -> u64 {
  let key = select(a | 0x8000000000000000lu, ~a, (a >> 63u) != 0lu);
  return select(key, 0xfffffffffffffffflu, is_nan_f64(a));
}
