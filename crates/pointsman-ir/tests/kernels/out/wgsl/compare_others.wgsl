// ["store"]
// [Column(0), Column(1), Column(2), Column(3), Column(4), ColumnValidity(4), Column(5), ColumnValidity(5), Output(0), OutputValidity(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 6>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read> in2: array<u32>;
@group(0) @binding(5) var<storage, read> in3: array<u32>;
@group(0) @binding(6) var<storage, read> in4: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> inv4: array<u32>;
@group(0) @binding(8) var<storage, read> in5: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read> inv5: array<u32>;
@group(0) @binding(10) var<storage, read_write> out0: array<u32>;
@group(0) @binding(11) var<storage, read_write> outv0: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: bool,
  q0: bool,
}
fn row(r: u32, c0: i64, c1: i64, c2: bool, c3: bool, c4: i32, d4: bool, c5: i32, d5: bool) -> Row {
  var bad: bool = false;
  var v0: i64 = c0;
  var v1: i64 = c1;
  var v2: bool = c2;
  var v3: bool = c3;
  var v4: i32 = c4;
  var n4: bool = d4;
  var v5: i32 = c5;
  var n5: bool = d5;
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
  var v17: bool = (u32(v2) == u32(v3));
  var v18: bool = ((true && v16) || (true && v17));
  var v19: bool = (u32(v2) < u32(v3));
  var v20: bool = ((true && v18) || (true && v19));
  var v21: bool = (v4 == v5);
  var n21: bool = n4 && n5;
  var v22: bool = ((true && v20) || (n21 && v21));
  var n22: bool = ((true && n21) || (true && v20) || (n21 && v21));
  var v23: bool = (v4 < v5);
  var n23: bool = n4 && n5;
  var v24: bool = ((n22 && v22) || (n23 && v23));
  var n24: bool = ((n22 && n23) || (n22 && v22) || (n23 && v23));
  return Row(true, bad, select(false, v24, (n24)), (n24));
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
  for (var step = 0u; step < 8u; step += 2u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad2_0 = in2[first_0 >> 5u] >> (first_0 & 31u);
    let quad3_0 = in3[first_0 >> 5u] >> (first_0 & 31u);
    let quad4_0 = in4[first_0 >> 2u];
    let valid4_0 = select(15u, inv4[first_0 >> 5u] >> (first_0 & 31u), (args[5].x & 1u) != 0u);
    let quad5_0 = in5[first_0 >> 2u];
    let valid5_0 = select(15u, inv5[first_0 >> 5u] >> (first_0 & 31u), (args[5].y & 1u) != 0u);
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad2_1 = in2[first_1 >> 5u] >> (first_1 & 31u);
    let quad3_1 = in3[first_1 >> 5u] >> (first_1 & 31u);
    let quad4_1 = in4[first_1 >> 2u];
    let valid4_1 = select(15u, inv4[first_1 >> 5u] >> (first_1 & 31u), (args[5].x & 1u) != 0u);
    let quad5_1 = in5[first_1 >> 2u];
    let valid5_1 = select(15u, inv5[first_1 >> 5u] >> (first_1 & 31u), (args[5].y & 1u) != 0u);
    {
    let base = base_0;
    let k = step + 0u;
    {
      let x = row(base_0 + 0u, bitcast<i64>(in0[min(base_0 + 0u, last)]), bitcast<i64>(in1[min(base_0 + 0u, last)]), (((quad2_0 >> 0u) & 1u) != 0u), (((quad3_0 >> 0u) & 1u) != 0u), bitcast<i32>(quad4_0[0u]), (((valid4_0 >> 0u) & 1u) != 0u), bitcast<i32>(quad5_0[0u]), (((valid5_0 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, bitcast<i64>(in0[min(base_0 + 1u, last)]), bitcast<i64>(in1[min(base_0 + 1u, last)]), (((quad2_0 >> 1u) & 1u) != 0u), (((quad3_0 >> 1u) & 1u) != 0u), bitcast<i32>(quad4_0[1u]), (((valid4_0 >> 1u) & 1u) != 0u), bitcast<i32>(quad5_0[1u]), (((valid5_0 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, bitcast<i64>(in0[min(base_0 + 2u, last)]), bitcast<i64>(in1[min(base_0 + 2u, last)]), (((quad2_0 >> 2u) & 1u) != 0u), (((quad3_0 >> 2u) & 1u) != 0u), bitcast<i32>(quad4_0[2u]), (((valid4_0 >> 2u) & 1u) != 0u), bitcast<i32>(quad5_0[2u]), (((valid5_0 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, bitcast<i64>(in0[min(base_0 + 3u, last)]), bitcast<i64>(in1[min(base_0 + 3u, last)]), (((quad2_0 >> 3u) & 1u) != 0u), (((quad3_0 >> 3u) & 1u) != 0u), bitcast<i32>(quad4_0[3u]), (((valid4_0 >> 3u) & 1u) != 0u), bitcast<i32>(quad5_0[3u]), (((valid5_0 >> 3u) & 1u) != 0u));
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
      let x = row(base_1 + 0u, bitcast<i64>(in0[min(base_1 + 0u, last)]), bitcast<i64>(in1[min(base_1 + 0u, last)]), (((quad2_1 >> 0u) & 1u) != 0u), (((quad3_1 >> 0u) & 1u) != 0u), bitcast<i32>(quad4_1[0u]), (((valid4_1 >> 0u) & 1u) != 0u), bitcast<i32>(quad5_1[0u]), (((valid5_1 >> 0u) & 1u) != 0u));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, bitcast<i64>(in0[min(base_1 + 1u, last)]), bitcast<i64>(in1[min(base_1 + 1u, last)]), (((quad2_1 >> 1u) & 1u) != 0u), (((quad3_1 >> 1u) & 1u) != 0u), bitcast<i32>(quad4_1[1u]), (((valid4_1 >> 1u) & 1u) != 0u), bitcast<i32>(quad5_1[1u]), (((valid5_1 >> 1u) & 1u) != 0u));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, bitcast<i64>(in0[min(base_1 + 2u, last)]), bitcast<i64>(in1[min(base_1 + 2u, last)]), (((quad2_1 >> 2u) & 1u) != 0u), (((quad3_1 >> 2u) & 1u) != 0u), bitcast<i32>(quad4_1[2u]), (((valid4_1 >> 2u) & 1u) != 0u), bitcast<i32>(quad5_1[2u]), (((valid5_1 >> 2u) & 1u) != 0u));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, bitcast<i64>(in0[min(base_1 + 3u, last)]), bitcast<i64>(in1[min(base_1 + 3u, last)]), (((quad2_1 >> 3u) & 1u) != 0u), (((quad3_1 >> 3u) & 1u) != 0u), bitcast<i32>(quad4_1[3u]), (((valid4_1 >> 3u) & 1u) != 0u), bitcast<i32>(quad5_1[3u]), (((valid5_1 >> 3u) & 1u) != 0u));
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
