// ["store"]
// [Column(0), Column(1), Output(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read> in1: array<u32>;
@group(0) @binding(4) var<storage, read_write> out0: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: u32,
  q0: bool,
}
fn row(r: u32, c0: u32, c1: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u32 = c1;
  var v2: u32 = (v0 & v1);
  var v3: u32 = (v0 | v1);
  var v4: u32 = ((~v0) & 255u);
  var v5: u32 = ((v0 << (v1 & 7u)) & 255u);
  var v6: u32 = (v0 >> (v1 & 7u));
  var v7: u32 = (v2 ^ v3);
  var v8: u32 = (v7 ^ v4);
  var v9: u32 = (v8 ^ v5);
  var v10: u32 = (v9 ^ v6);
  return Row(true, bad, v10, true);
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
    let quad1_0 = in1[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let quad1_1 = in1[first_1 >> 2u];
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let quad0_2 = in0[first_2 >> 2u];
    let quad1_2 = in1[first_2 >> 2u];
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let quad0_3 = in0[first_3 >> 2u];
    let quad1_3 = in1[first_3 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = 0u;
    {
      let x = row(base_0 + 0u, ((quad0_0 >> (8u * 0u)) & 255u), ((quad1_0 >> (8u * 0u)) & 255u));
      let live = base + 0u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 0u);
    }
    {
      let x = row(base_0 + 1u, ((quad0_0 >> (8u * 1u)) & 255u), ((quad1_0 >> (8u * 1u)) & 255u));
      let live = base + 1u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 1u);
    }
    {
      let x = row(base_0 + 2u, ((quad0_0 >> (8u * 2u)) & 255u), ((quad1_0 >> (8u * 2u)) & 255u));
      let live = base + 2u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 2u);
    }
    {
      let x = row(base_0 + 3u, ((quad0_0 >> (8u * 3u)) & 255u), ((quad1_0 >> (8u * 3u)) & 255u));
      let live = base + 3u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 3u);
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
      let x = row(base_1 + 0u, ((quad0_1 >> (8u * 0u)) & 255u), ((quad1_1 >> (8u * 0u)) & 255u));
      let live = base + 0u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 0u);
    }
    {
      let x = row(base_1 + 1u, ((quad0_1 >> (8u * 1u)) & 255u), ((quad1_1 >> (8u * 1u)) & 255u));
      let live = base + 1u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 1u);
    }
    {
      let x = row(base_1 + 2u, ((quad0_1 >> (8u * 2u)) & 255u), ((quad1_1 >> (8u * 2u)) & 255u));
      let live = base + 2u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 2u);
    }
    {
      let x = row(base_1 + 3u, ((quad0_1 >> (8u * 3u)) & 255u), ((quad1_1 >> (8u * 3u)) & 255u));
      let live = base + 3u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 3u);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t0 = 0u;
    {
      let x = row(base_2 + 0u, ((quad0_2 >> (8u * 0u)) & 255u), ((quad1_2 >> (8u * 0u)) & 255u));
      let live = base + 0u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 0u);
    }
    {
      let x = row(base_2 + 1u, ((quad0_2 >> (8u * 1u)) & 255u), ((quad1_2 >> (8u * 1u)) & 255u));
      let live = base + 1u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 1u);
    }
    {
      let x = row(base_2 + 2u, ((quad0_2 >> (8u * 2u)) & 255u), ((quad1_2 >> (8u * 2u)) & 255u));
      let live = base + 2u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 2u);
    }
    {
      let x = row(base_2 + 3u, ((quad0_2 >> (8u * 3u)) & 255u), ((quad1_2 >> (8u * 3u)) & 255u));
      let live = base + 3u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 3u);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t0 = 0u;
    {
      let x = row(base_3 + 0u, ((quad0_3 >> (8u * 0u)) & 255u), ((quad1_3 >> (8u * 0u)) & 255u));
      let live = base + 0u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 0u);
    }
    {
      let x = row(base_3 + 1u, ((quad0_3 >> (8u * 1u)) & 255u), ((quad1_3 >> (8u * 1u)) & 255u));
      let live = base + 1u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 1u);
    }
    {
      let x = row(base_3 + 2u, ((quad0_3 >> (8u * 2u)) & 255u), ((quad1_3 >> (8u * 2u)) & 255u));
      let live = base + 2u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 2u);
    }
    {
      let x = row(base_3 + 3u, ((quad0_3 >> (8u * 3u)) & 255u), ((quad1_3 >> (8u * 3u)) & 255u));
      let live = base + 3u < rows;
      
      t0 |= select(0u, x.o0 & 255u, live) << (8u * 3u);
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
  }
}
