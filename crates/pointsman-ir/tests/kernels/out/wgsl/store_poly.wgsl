// ["store"]
// [Column(0), Output(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> out0: array<vec4<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: u32,
  q0: bool,
}
fn row(r: u32, c0: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u32 = mul_f32(v0, v0);
  var v2: u32 = 1056964608u;
  var v3: u32 = mul_f32(v1, v2);
  var v4: u32 = 1077936128u;
  var v5: u32 = mul_f32(v0, v4);
  var v6: u32 = add_f32(v3, v5);
  var v7: u32 = 1065353216u;
  var v8: u32 = sub_f32(v6, v7);
  return Row(true, bad, canonical_f32(v8), true);
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let quad0_2 = in0[first_2 >> 2u];
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let quad0_3 = in0[first_3 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = vec4<u32>();
    {
      let x = row(base_0 + 0u, quad0_0[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_0 + 1u, quad0_0[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_0 + 2u, quad0_0[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_0 + 3u, quad0_0[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
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
      let x = row(base_1 + 0u, quad0_1[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_1 + 1u, quad0_1[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_1 + 2u, quad0_1[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_1 + 3u, quad0_1[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t0 = vec4<u32>();
    {
      let x = row(base_2 + 0u, quad0_2[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_2 + 1u, quad0_2[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_2 + 2u, quad0_2[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_2 + 3u, quad0_2[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t0 = vec4<u32>();
    {
      let x = row(base_3 + 0u, quad0_3[0u]);
      let live = base + 0u < rows;
      
      t0[0u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_3 + 1u, quad0_3[1u]);
      let live = base + 1u < rows;
      
      t0[1u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_3 + 2u, quad0_3[2u]);
      let live = base + 2u < rows;
      
      t0[2u] = select(0u, x.o0, live);
    }
    {
      let x = row(base_3 + 3u, quad0_3[3u]);
      let live = base + 3u < rows;
      
      t0[3u] = select(0u, x.o0, live);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
  }
}
fn add_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) + second_single(b));
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
fn second_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].y);
}
fn single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].x);
}
fn sub_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) - second_single(b));
}
