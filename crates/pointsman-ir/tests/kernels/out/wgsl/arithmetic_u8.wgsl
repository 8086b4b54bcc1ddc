// ["store"]
// [Column(0), Column(1), ColumnValidity(1), Output(0), OutputValidity(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read> in1: array<u32>;
@group(0) @binding(4) var<storage, read> inv1: array<u32>;
@group(0) @binding(5) var<storage, read_write> out0: array<u32>;
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
  var v2: u32 = ((v0 + v1) & 255u);
  var n2: bool = n1;
  var v3: u32 = ((v0 - v1) & 255u);
  var n3: bool = n1;
  var v4: u32 = ((v0 * v1) & 255u);
  var n4: bool = n1;
  var e5: bool = false;
  var v5: u32 = div_u8(v0, v1, &e5);
  var n5: bool = n1;
  e5 = e5 && n1;
  var e6: bool = false;
  var v6: u32 = rem_u8(v0, v1, &e6);
  var n6: bool = n1;
  e6 = e6 && n1;
  var e7: bool = false;
  var v7: u32 = checked_add_u8(v0, v1, &e7);
  var n7: bool = n1;
  e7 = e7 && n1;
  var e8: bool = false;
  var v8: u32 = checked_mul_u8(v0, v1, &e8);
  var n8: bool = n1;
  e8 = e8 && n1;
  var v9: u32 = v0;
  var v10: u32 = select(0u, 1u, v0 > 0u);
  var v11: u32 = select(select(v0, v1, v1 > v0), v1, v1 < select(v0, v1, v1 > v0));
  var n11: bool = n1 && n1;
  var v12: u32 = (v2 ^ v3);
  var n12: bool = n2 && n3;
  var v13: u32 = (v12 ^ v4);
  var n13: bool = n12 && n4;
  var v14: u32 = (v13 ^ v5);
  var n14: bool = n13 && n5;
  var v15: u32 = (v14 ^ v6);
  var n15: bool = n14 && n6;
  var v16: u32 = (v15 ^ v7);
  var n16: bool = n15 && n7;
  var v17: u32 = (v16 ^ v8);
  var n17: bool = n16 && n8;
  var v18: u32 = (v17 ^ v9);
  var n18: bool = n17;
  var v19: u32 = (v18 ^ v10);
  var n19: bool = n18;
  var v20: u32 = (v19 ^ v11);
  var n20: bool = n19 && n11;
  bad = bad || (e5);
  bad = bad || (e6);
  bad = bad || (e7);
  bad = bad || (e8);
  return Row(true, bad, select(0u, v20, (n20)), (n20));
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
    var t0 = 0u;
    {
      let x = row(base_0 + 0u, ((quad0_0 >> (8u * 0u)) & 255u), ((quad1_0 >> (8u * 0u)) & 255u), (((valid1_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, ((quad0_0 >> (8u * 1u)) & 255u), ((quad1_0 >> (8u * 1u)) & 255u), (((valid1_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, ((quad0_0 >> (8u * 2u)) & 255u), ((quad1_0 >> (8u * 2u)) & 255u), (((valid1_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, ((quad0_0 >> (8u * 3u)) & 255u), ((quad1_0 >> (8u * 3u)) & 255u), (((valid1_0 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 3u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t0 = 0u;
    {
      let x = row(base_1 + 0u, ((quad0_1 >> (8u * 0u)) & 255u), ((quad1_1 >> (8u * 0u)) & 255u), (((valid1_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 0u)); }
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, ((quad0_1 >> (8u * 1u)) & 255u), ((quad1_1 >> (8u * 1u)) & 255u), (((valid1_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 1u)); }
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, ((quad0_1 >> (8u * 2u)) & 255u), ((quad1_1 >> (8u * 2u)) & 255u), (((valid1_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 2u)); }
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, ((quad0_1 >> (8u * 3u)) & 255u), ((quad1_1 >> (8u * 3u)) & 255u), (((valid1_1 >> 3u) & 1u) != 0u));
      let live = base + 3u < rows;
      if (x.bad && live) { atomicMax(&status[args[1].y], ~(base + 3u)); }
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 3u);
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
fn checked_add_u8(a: u32, b: u32, f: ptr<function, bool>) -> u32 {
  let r = a + b;
  if (r > 255u) { *f = true; return 0u; }
  return r;
}
fn checked_mul_u8(a: u32, b: u32, f: ptr<function, bool>) -> u32 {
  let r = a * b;
  if (r > 255u) { *f = true; return 0u; }
  return r;
}
fn div_u8(a: u32, b: u32, f: ptr<function, bool>) -> u32 {
  if (b == 0u) { *f = true; return 0u; }
  return a / b;
}
fn rem_u8(a: u32, b: u32, f: ptr<function, bool>) -> u32 {
  if (b == 0u) { *f = true; return 0u; }
  return a % b;
}
