// ["store"]
// [Column(0), Column(1), Column(2), Column(3), Column(4), Column(5), Output(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 6>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> in2: array<u32>;
@group(0) @binding(5) var<storage, read> in3: array<u32>;
@group(0) @binding(6) var<storage, read> in4: array<u64>;
@group(0) @binding(7) var<storage, read> in5: array<u64>;
@group(0) @binding(8) var<storage, read_write> out0: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: bool,
  q0: bool,
}
fn row(r: u32, c0: i32, c1: i32, c2: u32, c3: u32, c4: u64, c5: u64) -> Row {
  var bad: bool = false;
  var v0: i32 = c0;
  var v1: i32 = c1;
  var v2: u32 = c2;
  var v3: u32 = c3;
  var v4: u64 = c4;
  var v5: u64 = c5;
  var v6: bool = (v0 == v1);
  var v7: bool = (v0 != v1);
  var v8: bool = ((true && v6) || (true && v7));
  var v9: bool = (v0 < v1);
  var v10: bool = ((true && v8) || (true && v9));
  var v11: bool = (v0 <= v1);
  var v12: bool = ((true && v10) || (true && v11));
  var v13: bool = (v0 > v1);
  var v14: bool = ((true && v12) || (true && v13));
  var v15: bool = (v0 >= v1);
  var v16: bool = ((true && v14) || (true && v15));
  var v17: bool = (v2 == v3);
  var v18: bool = ((true && v16) || (true && v17));
  var v19: bool = (v2 < v3);
  var v20: bool = ((true && v18) || (true && v19));
  var v21: bool = (v4 == v5);
  var v22: bool = ((true && v20) || (true && v21));
  var v23: bool = (v4 < v5);
  var v24: bool = ((true && v22) || (true && v23));
  return Row(true, bad, v24, true);
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var m0 = 0u;
  for (var step = 0u; step < 8u; step += 2u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let quad1_0 = in1[first_0 >> 2u];
    let quad2_0 = in2[first_0 >> 2u];
    let quad3_0 = in3[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let quad1_1 = in1[first_1 >> 2u];
    let quad2_1 = in2[first_1 >> 2u];
    let quad3_1 = in3[first_1 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    {
      let x = row(base_0 + 0u, bitcast<i32>(quad0_0[0u]), bitcast<i32>(quad1_0[0u]), ((quad2_0 >> (8u * 0u)) & 255u), ((quad3_0 >> (8u * 0u)) & 255u), in4[min(base_0 + 0u, last)], in5[min(base_0 + 0u, last)]);
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, bitcast<i32>(quad0_0[1u]), bitcast<i32>(quad1_0[1u]), ((quad2_0 >> (8u * 1u)) & 255u), ((quad3_0 >> (8u * 1u)) & 255u), in4[min(base_0 + 1u, last)], in5[min(base_0 + 1u, last)]);
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, bitcast<i32>(quad0_0[2u]), bitcast<i32>(quad1_0[2u]), ((quad2_0 >> (8u * 2u)) & 255u), ((quad3_0 >> (8u * 2u)) & 255u), in4[min(base_0 + 2u, last)], in5[min(base_0 + 2u, last)]);
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, bitcast<i32>(quad0_0[3u]), bitcast<i32>(quad1_0[3u]), ((quad2_0 >> (8u * 3u)) & 255u), ((quad3_0 >> (8u * 3u)) & 255u), in4[min(base_0 + 3u, last)], in5[min(base_0 + 3u, last)]);
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    {
      let x = row(base_1 + 0u, bitcast<i32>(quad0_1[0u]), bitcast<i32>(quad1_1[0u]), ((quad2_1 >> (8u * 0u)) & 255u), ((quad3_1 >> (8u * 0u)) & 255u), in4[min(base_1 + 0u, last)], in5[min(base_1 + 0u, last)]);
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, bitcast<i32>(quad0_1[1u]), bitcast<i32>(quad1_1[1u]), ((quad2_1 >> (8u * 1u)) & 255u), ((quad3_1 >> (8u * 1u)) & 255u), in4[min(base_1 + 1u, last)], in5[min(base_1 + 1u, last)]);
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, bitcast<i32>(quad0_1[2u]), bitcast<i32>(quad1_1[2u]), ((quad2_1 >> (8u * 2u)) & 255u), ((quad3_1 >> (8u * 2u)) & 255u), in4[min(base_1 + 2u, last)], in5[min(base_1 + 2u, last)]);
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, bitcast<i32>(quad0_1[3u]), bitcast<i32>(quad1_1[3u]), ((quad2_1 >> (8u * 3u)) & 255u), ((quad3_1 >> (8u * 3u)) & 255u), in4[min(base_1 + 3u, last)], in5[min(base_1 + 3u, last)]);
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
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
}
