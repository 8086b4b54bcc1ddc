// ["store"]
// [Column(0), ColumnValidity(0), Column(1), Output(0), OutputValidity(0), Output(1)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> out0: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> outv0: array<u32>;
@group(0) @binding(7) var<storage, read_write> out1: array<vec4<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: u32,
  q0: bool,
  o1: u32,
  q1: bool,
}
fn row(r: u32, c0: u32, d0: bool, c1: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var n0: bool = d0;
  var v1: u32 = c1;
  var v2: u32 = canonical_f32(v0);
  var n2: bool = n0;
  var v3: u32 = v1;
  return Row(true, bad, select(0u, v2, (n2)), (n2), canonical_f32(v3), true);
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
    let quad0_0 = in0[first_0 >> 2u];
    let valid0_0 = select(15u, inv0[first_0 >> 5u] >> (first_0 & 31u), (args[4].x & 1u) != 0u);
    let quad1_0 = in1[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let valid0_1 = select(15u, inv0[first_1 >> 5u] >> (first_1 & 31u), (args[4].x & 1u) != 0u);
    let quad1_1 = in1[first_1 >> 2u];
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let quad0_2 = in0[first_2 >> 2u];
    let valid0_2 = select(15u, inv0[first_2 >> 5u] >> (first_2 & 31u), (args[4].x & 1u) != 0u);
    let quad1_2 = in1[first_2 >> 2u];
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let quad0_3 = in0[first_3 >> 2u];
    let valid0_3 = select(15u, inv0[first_3 >> 5u] >> (first_3 & 31u), (args[4].x & 1u) != 0u);
    let quad1_3 = in1[first_3 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    {
      let x = row(base_0 + 0u, quad0_0[0u], (((valid0_0 >> 0u) & 1u) != 0u), quad1_0[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_0 + 1u, quad0_0[1u], (((valid0_0 >> 1u) & 1u) != 0u), quad1_0[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_0 + 2u, quad0_0[2u], (((valid0_0 >> 2u) & 1u) != 0u), quad1_0[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_0 + 3u, quad0_0[3u], (((valid0_0 >> 3u) & 1u) != 0u), quad1_0[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, x.o1, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    {
      let x = row(base_1 + 0u, quad0_1[0u], (((valid0_1 >> 0u) & 1u) != 0u), quad1_1[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_1 + 1u, quad0_1[1u], (((valid0_1 >> 1u) & 1u) != 0u), quad1_1[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_1 + 2u, quad0_1[2u], (((valid0_1 >> 2u) & 1u) != 0u), quad1_1[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_1 + 3u, quad0_1[3u], (((valid0_1 >> 3u) & 1u) != 0u), quad1_1[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, x.o1, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    {
      let x = row(base_2 + 0u, quad0_2[0u], (((valid0_2 >> 0u) & 1u) != 0u), quad1_2[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_2 + 1u, quad0_2[1u], (((valid0_2 >> 1u) & 1u) != 0u), quad1_2[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_2 + 2u, quad0_2[2u], (((valid0_2 >> 2u) & 1u) != 0u), quad1_2[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_2 + 3u, quad0_2[3u], (((valid0_2 >> 3u) & 1u) != 0u), quad1_2[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, x.o1, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t0 = vec4<u32>();
    var t1 = vec4<u32>();
    {
      let x = row(base_3 + 0u, quad0_3[0u], (((valid0_3 >> 0u) & 1u) != 0u), quad1_3[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_3 + 1u, quad0_3[1u], (((valid0_3 >> 1u) & 1u) != 0u), quad1_3[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_3 + 2u, quad0_3[2u], (((valid0_3 >> 2u) & 1u) != 0u), quad1_3[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, x.o1, live);
    }
    {
      let x = row(base_3 + 3u, quad0_3[3u], (((valid0_3 >> 3u) & 1u) != 0u), quad1_3[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, x.o1, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
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
fn canonical_f32(a: u32) -> u32 {
  return select(a, 0x7fc00000u, is_nan_f32(a));
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
