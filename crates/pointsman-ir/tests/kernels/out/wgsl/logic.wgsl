// ["store"]
// [Column(0), ColumnValidity(0), Column(1), Column(2), ColumnValidity(2), Column(3), ColumnValidity(3), Column(4), Output(0), OutputValidity(0), Output(1), OutputValidity(1)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 6>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read> inv0: array<u32>;
@group(0) @binding(4) var<storage, read> in1: array<u32>;
@group(0) @binding(5) var<storage, read> in2: array<u32>;
@group(0) @binding(6) var<storage, read> inv2: array<u32>;
@group(0) @binding(7) var<storage, read> in3: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read> inv3: array<u32>;
@group(0) @binding(9) var<storage, read> in4: array<vec4<u32>>;
@group(0) @binding(10) var<storage, read_write> out0: array<u32>;
@group(0) @binding(11) var<storage, read_write> outv0: array<u32>;
@group(0) @binding(12) var<storage, read_write> out1: array<vec4<u32>>;
@group(0) @binding(13) var<storage, read_write> outv1: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: bool,
  q0: bool,
  o1: i32,
  q1: bool,
}
fn row(r: u32, c0: bool, d0: bool, c1: bool, c2: bool, d2: bool, c3: i32, d3: bool, c4: i32) -> Row {
  var bad: bool = false;
  var v0: bool = c0;
  var n0: bool = d0;
  var v1: bool = c1;
  var v2: bool = c2;
  var n2: bool = d2;
  var v3: i32 = c3;
  var n3: bool = d3;
  var v4: i32 = c4;
  var v5: bool = !((n0 && !v0) || (n2 && !v2));
  var n5: bool = ((n0 && n2) || (n0 && !v0) || (n2 && !v2));
  var v6: bool = ((n5 && v5) || (true && v1));
  var n6: bool = ((n5 && true) || (n5 && v5) || (true && v1));
  var v7: bool = !v6;
  var n7: bool = n6;
  var v8: bool = !((true && !v1) || (n7 && !v7));
  var n8: bool = ((true && n7) || (true && !v1) || (n7 && !v7));
  var v9: bool = !n3;
  var v10: i32 = select(v4, v3, (n8 && v8));
  var n10: bool = select(true, n3, (n8 && v8));
  var v11: i32 = select(v4, v10, n10);
  var v12: i32 = select(v11, v3, v9);
  var n12: bool = select(true, n3, v9);
  return Row(v1, bad, select(false, v8, (v1 && n8)), (v1 && n8), select(0i, v12, (v1 && n12)), (v1 && n12));
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
  var n1 = 0u;
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 5u] >> (first_0 & 31u);
    let valid0_0 = select(15u, inv0[first_0 >> 5u] >> (first_0 & 31u), (args[4].x & 1u) != 0u);
    let quad1_0 = in1[first_0 >> 5u] >> (first_0 & 31u);
    let quad2_0 = in2[first_0 >> 5u] >> (first_0 & 31u);
    let valid2_0 = select(15u, inv2[first_0 >> 5u] >> (first_0 & 31u), (args[4].z & 1u) != 0u);
    let quad3_0 = in3[first_0 >> 2u];
    let valid3_0 = select(15u, inv3[first_0 >> 5u] >> (first_0 & 31u), (args[4].w & 1u) != 0u);
    let quad4_0 = in4[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 5u] >> (first_1 & 31u);
    let valid0_1 = select(15u, inv0[first_1 >> 5u] >> (first_1 & 31u), (args[4].x & 1u) != 0u);
    let quad1_1 = in1[first_1 >> 5u] >> (first_1 & 31u);
    let quad2_1 = in2[first_1 >> 5u] >> (first_1 & 31u);
    let valid2_1 = select(15u, inv2[first_1 >> 5u] >> (first_1 & 31u), (args[4].z & 1u) != 0u);
    let quad3_1 = in3[first_1 >> 2u];
    let valid3_1 = select(15u, inv3[first_1 >> 5u] >> (first_1 & 31u), (args[4].w & 1u) != 0u);
    let quad4_1 = in4[first_1 >> 2u];
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let quad0_2 = in0[first_2 >> 5u] >> (first_2 & 31u);
    let valid0_2 = select(15u, inv0[first_2 >> 5u] >> (first_2 & 31u), (args[4].x & 1u) != 0u);
    let quad1_2 = in1[first_2 >> 5u] >> (first_2 & 31u);
    let quad2_2 = in2[first_2 >> 5u] >> (first_2 & 31u);
    let valid2_2 = select(15u, inv2[first_2 >> 5u] >> (first_2 & 31u), (args[4].z & 1u) != 0u);
    let quad3_2 = in3[first_2 >> 2u];
    let valid3_2 = select(15u, inv3[first_2 >> 5u] >> (first_2 & 31u), (args[4].w & 1u) != 0u);
    let quad4_2 = in4[first_2 >> 2u];
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let quad0_3 = in0[first_3 >> 5u] >> (first_3 & 31u);
    let valid0_3 = select(15u, inv0[first_3 >> 5u] >> (first_3 & 31u), (args[4].x & 1u) != 0u);
    let quad1_3 = in1[first_3 >> 5u] >> (first_3 & 31u);
    let quad2_3 = in2[first_3 >> 5u] >> (first_3 & 31u);
    let valid2_3 = select(15u, inv2[first_3 >> 5u] >> (first_3 & 31u), (args[4].z & 1u) != 0u);
    let quad3_3 = in3[first_3 >> 2u];
    let valid3_3 = select(15u, inv3[first_3 >> 5u] >> (first_3 & 31u), (args[4].w & 1u) != 0u);
    let quad4_3 = in4[first_3 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t1 = vec4<u32>();
    {
      let x = row(base_0 + 0u, (((quad0_0 >> 0u) & 1u) != 0u), (((valid0_0 >> 0u) & 1u) != 0u), (((quad1_0 >> 0u) & 1u) != 0u), (((quad2_0 >> 0u) & 1u) != 0u), (((valid2_0 >> 0u) & 1u) != 0u), bitcast<i32>(quad3_0[0u]), (((valid3_0 >> 0u) & 1u) != 0u), bitcast<i32>(quad4_0[0u]));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, (((quad0_0 >> 1u) & 1u) != 0u), (((valid0_0 >> 1u) & 1u) != 0u), (((quad1_0 >> 1u) & 1u) != 0u), (((quad2_0 >> 1u) & 1u) != 0u), (((valid2_0 >> 1u) & 1u) != 0u), bitcast<i32>(quad3_0[1u]), (((valid3_0 >> 1u) & 1u) != 0u), bitcast<i32>(quad4_0[1u]));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, (((quad0_0 >> 2u) & 1u) != 0u), (((valid0_0 >> 2u) & 1u) != 0u), (((quad1_0 >> 2u) & 1u) != 0u), (((quad2_0 >> 2u) & 1u) != 0u), (((valid2_0 >> 2u) & 1u) != 0u), bitcast<i32>(quad3_0[2u]), (((valid3_0 >> 2u) & 1u) != 0u), bitcast<i32>(quad4_0[2u]));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, (((quad0_0 >> 3u) & 1u) != 0u), (((valid0_0 >> 3u) & 1u) != 0u), (((quad1_0 >> 3u) & 1u) != 0u), (((quad2_0 >> 3u) & 1u) != 0u), (((valid2_0 >> 3u) & 1u) != 0u), bitcast<i32>(quad3_0[3u]), (((valid3_0 >> 3u) & 1u) != 0u), bitcast<i32>(quad4_0[3u]));
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
    }
    if (base < rows) {
      out1[base >> 2u] = t1;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t1 = vec4<u32>();
    {
      let x = row(base_1 + 0u, (((quad0_1 >> 0u) & 1u) != 0u), (((valid0_1 >> 0u) & 1u) != 0u), (((quad1_1 >> 0u) & 1u) != 0u), (((quad2_1 >> 0u) & 1u) != 0u), (((valid2_1 >> 0u) & 1u) != 0u), bitcast<i32>(quad3_1[0u]), (((valid3_1 >> 0u) & 1u) != 0u), bitcast<i32>(quad4_1[0u]));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, (((quad0_1 >> 1u) & 1u) != 0u), (((valid0_1 >> 1u) & 1u) != 0u), (((quad1_1 >> 1u) & 1u) != 0u), (((quad2_1 >> 1u) & 1u) != 0u), (((valid2_1 >> 1u) & 1u) != 0u), bitcast<i32>(quad3_1[1u]), (((valid3_1 >> 1u) & 1u) != 0u), bitcast<i32>(quad4_1[1u]));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, (((quad0_1 >> 2u) & 1u) != 0u), (((valid0_1 >> 2u) & 1u) != 0u), (((quad1_1 >> 2u) & 1u) != 0u), (((quad2_1 >> 2u) & 1u) != 0u), (((valid2_1 >> 2u) & 1u) != 0u), bitcast<i32>(quad3_1[2u]), (((valid3_1 >> 2u) & 1u) != 0u), bitcast<i32>(quad4_1[2u]));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, (((quad0_1 >> 3u) & 1u) != 0u), (((valid0_1 >> 3u) & 1u) != 0u), (((quad1_1 >> 3u) & 1u) != 0u), (((quad2_1 >> 3u) & 1u) != 0u), (((valid2_1 >> 3u) & 1u) != 0u), bitcast<i32>(quad3_1[3u]), (((valid3_1 >> 3u) & 1u) != 0u), bitcast<i32>(quad4_1[3u]));
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
    }
    if (base < rows) {
      out1[base >> 2u] = t1;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t1 = vec4<u32>();
    {
      let x = row(base_2 + 0u, (((quad0_2 >> 0u) & 1u) != 0u), (((valid0_2 >> 0u) & 1u) != 0u), (((quad1_2 >> 0u) & 1u) != 0u), (((quad2_2 >> 0u) & 1u) != 0u), (((valid2_2 >> 0u) & 1u) != 0u), bitcast<i32>(quad3_2[0u]), (((valid3_2 >> 0u) & 1u) != 0u), bitcast<i32>(quad4_2[0u]));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
    }
    {
      let x = row(base_2 + 1u, (((quad0_2 >> 1u) & 1u) != 0u), (((valid0_2 >> 1u) & 1u) != 0u), (((quad1_2 >> 1u) & 1u) != 0u), (((quad2_2 >> 1u) & 1u) != 0u), (((valid2_2 >> 1u) & 1u) != 0u), bitcast<i32>(quad3_2[1u]), (((valid3_2 >> 1u) & 1u) != 0u), bitcast<i32>(quad4_2[1u]));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
    }
    {
      let x = row(base_2 + 2u, (((quad0_2 >> 2u) & 1u) != 0u), (((valid0_2 >> 2u) & 1u) != 0u), (((quad1_2 >> 2u) & 1u) != 0u), (((quad2_2 >> 2u) & 1u) != 0u), (((valid2_2 >> 2u) & 1u) != 0u), bitcast<i32>(quad3_2[2u]), (((valid3_2 >> 2u) & 1u) != 0u), bitcast<i32>(quad4_2[2u]));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
    }
    {
      let x = row(base_2 + 3u, (((quad0_2 >> 3u) & 1u) != 0u), (((valid0_2 >> 3u) & 1u) != 0u), (((quad1_2 >> 3u) & 1u) != 0u), (((quad2_2 >> 3u) & 1u) != 0u), (((valid2_2 >> 3u) & 1u) != 0u), bitcast<i32>(quad3_2[3u]), (((valid3_2 >> 3u) & 1u) != 0u), bitcast<i32>(quad4_2[3u]));
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
    }
    if (base < rows) {
      out1[base >> 2u] = t1;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t1 = vec4<u32>();
    {
      let x = row(base_3 + 0u, (((quad0_3 >> 0u) & 1u) != 0u), (((valid0_3 >> 0u) & 1u) != 0u), (((quad1_3 >> 0u) & 1u) != 0u), (((quad2_3 >> 0u) & 1u) != 0u), (((valid2_3 >> 0u) & 1u) != 0u), bitcast<i32>(quad3_3[0u]), (((valid3_3 >> 0u) & 1u) != 0u), bitcast<i32>(quad4_3[0u]));
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 0u);
      t1[0u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
    }
    {
      let x = row(base_3 + 1u, (((quad0_3 >> 1u) & 1u) != 0u), (((valid0_3 >> 1u) & 1u) != 0u), (((quad1_3 >> 1u) & 1u) != 0u), (((quad2_3 >> 1u) & 1u) != 0u), (((valid2_3 >> 1u) & 1u) != 0u), bitcast<i32>(quad3_3[1u]), (((valid3_3 >> 1u) & 1u) != 0u), bitcast<i32>(quad4_3[1u]));
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 1u);
      t1[1u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
    }
    {
      let x = row(base_3 + 2u, (((quad0_3 >> 2u) & 1u) != 0u), (((valid0_3 >> 2u) & 1u) != 0u), (((quad1_3 >> 2u) & 1u) != 0u), (((quad2_3 >> 2u) & 1u) != 0u), (((valid2_3 >> 2u) & 1u) != 0u), bitcast<i32>(quad3_3[2u]), (((valid3_3 >> 2u) & 1u) != 0u), bitcast<i32>(quad4_3[2u]));
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 2u);
      t1[2u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
    }
    {
      let x = row(base_3 + 3u, (((quad0_3 >> 3u) & 1u) != 0u), (((valid0_3 >> 3u) & 1u) != 0u), (((quad1_3 >> 3u) & 1u) != 0u), (((quad2_3 >> 3u) & 1u) != 0u), (((valid2_3 >> 3u) & 1u) != 0u), bitcast<i32>(quad3_3[3u]), (((valid3_3 >> 3u) & 1u) != 0u), bitcast<i32>(quad4_3[3u]));
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
      n0 |= select(0u, 1u, live & x.q0) << (4u * k + 3u);
      t1[3u] = select(0u, bitcast<u32>(x.o1), live);
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
    }
    if (base < rows) {
      out1[base >> 2u] = t1;
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
  shared_bits[lane] = n1;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    outv1[(start >> 5u) + lane] = bits;
  }
  workgroupBarrier();
}
