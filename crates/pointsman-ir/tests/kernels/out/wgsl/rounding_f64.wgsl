// ["store"]
// [Column(0), ColumnValidity(0), Output(0), OutputValidity(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read_write> out0: array<u64>;
@group(0) @binding(5) var<storage, read_write> outv0: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: u64,
  q0: bool,
}
fn row(r: u32, c0: u64, d0: bool) -> Row {
  var bad: bool = false;
  var v0: u64 = c0;
  var n0: bool = d0;
  var v1: u64 = floor_f64(v0);
  var n1: bool = n0;
  var v2: u64 = ceil_f64(v0);
  var n2: bool = n0;
  var v3: u64 = round_f64(v0);
  var n3: bool = n0;
  var v4: u64 = trunc_f64(v0);
  var n4: bool = n0;
  var v5: u64 = add_f64(v1, v2);
  var n5: bool = n1 && n2;
  var v6: u64 = add_f64(v5, v3);
  var n6: bool = n5 && n3;
  var v7: u64 = add_f64(v6, v4);
  var n7: bool = n6 && n4;
  return Row(true, bad, select(0lu, canonical_f64(v7), (n7)), (n7));
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
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let valid0_1 = select(15u, inv0[first_1 >> 5u] >> (first_1 & 31u), (args[4].x & 1u) != 0u);
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let valid0_2 = select(15u, inv0[first_2 >> 5u] >> (first_2 & 31u), (args[4].x & 1u) != 0u);
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let valid0_3 = select(15u, inv0[first_3 >> 5u] >> (first_3 & 31u), (args[4].x & 1u) != 0u);
    {
    let base = base_0;
    let k = step + 0u;
    {
      let x = row(base_0 + 0u, in0[min(base_0 + 0u, last)], (((valid0_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      if (live) { out0[base + 0u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, in0[min(base_0 + 1u, last)], (((valid0_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, in0[min(base_0 + 2u, last)], (((valid0_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, in0[min(base_0 + 3u, last)], (((valid0_0 >> 3u) & 1u) != 0u));
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
      let x = row(base_1 + 0u, in0[min(base_1 + 0u, last)], (((valid0_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      if (live) { out0[base + 0u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, in0[min(base_1 + 1u, last)], (((valid0_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, in0[min(base_1 + 2u, last)], (((valid0_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, in0[min(base_1 + 3u, last)], (((valid0_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      if (live) { out0[base + 3u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    {
      let x = row(base_2 + 0u, in0[min(base_2 + 0u, last)], (((valid0_2 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      if (live) { out0[base + 0u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_2 + 1u, in0[min(base_2 + 1u, last)], (((valid0_2 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_2 + 2u, in0[min(base_2 + 2u, last)], (((valid0_2 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_2 + 3u, in0[min(base_2 + 3u, last)], (((valid0_2 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      
      if (live) { out0[base + 3u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    {
      let x = row(base_3 + 0u, in0[min(base_3 + 0u, last)], (((valid0_3 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      if (live) { out0[base + 0u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_3 + 1u, in0[min(base_3 + 1u, last)], (((valid0_3 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      if (live) { out0[base + 1u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_3 + 2u, in0[min(base_3 + 2u, last)], (((valid0_3 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      if (live) { out0[base + 2u] = x.o0; }
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_3 + 3u, in0[min(base_3 + 3u, last)], (((valid0_3 >> 3u) & 1u) != 0u));
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
fn add_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) + second_double(b));
}
fn canonical_f64(a: u64) -> u64 {
  return select(a, 0x7ff8000000000000lu, is_nan_f64(a));
}
fn ceil_f64(a: u64) -> u64 {
  let t = trunc_f64(a);
  if (!is_negative_f64(a) && t != a) {
    return add_f64(t, 0x3ff0000000000000lu);
  }
  return t;
}
fn double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].x));
}
fn floor_f64(a: u64) -> u64 {
  let t = trunc_f64(a);
  if (is_negative_f64(a) && t != a) {
    return sub_f64(t, 0x3ff0000000000000lu);
  }
  return t;
}
fn is_nan_f64(a: u64) -> bool {
  return (a & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}
fn is_negative_f64(a: u64) -> bool {
  return (a >> 63u) != 0lu;
}
fn round_f64(a: u64) -> u64 {
  let e = u32((a >> 52u) & 0x7fflu);
  if (e >= 1075u) {
    return a;
  }
  if (e < 1022u) {
    return a & 0x8000000000000000lu;
  }
  if (e == 1022u) {
    return 0x3ff0000000000000lu | (a & 0x8000000000000000lu);
  }
  let fraction = 0xffffffffffffflu >> (e - 1023u);
  return (a + ((fraction + 1lu) >> 1u)) & ~fraction;
}
fn second_double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].y));
}
fn sub_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) - second_double(b));
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
