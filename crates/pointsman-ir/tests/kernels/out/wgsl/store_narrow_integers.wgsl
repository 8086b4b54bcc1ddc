// ["store"]
// [Column(0), Column(1), ColumnValidity(1), Column(2), Output(0), Output(1), OutputValidity(1), Output(2)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read> in1: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> inv1: array<u32>;
@group(0) @binding(5) var<storage, read> in2: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> out0: array<u32>;
@group(0) @binding(7) var<storage, read_write> out1: array<vec2<u32>>;
@group(0) @binding(8) var<storage, read_write> outv1: array<u32>;
@group(0) @binding(9) var<storage, read_write> out2: array<vec2<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i32,
  q0: bool,
  o1: i32,
  q1: bool,
  o2: u32,
  q2: bool,
}
fn row(r: u32, c0: i32, c1: i32, d1: bool, c2: u32) -> Row {
  var bad: bool = false;
  var v0: i32 = c0;
  var v1: i32 = c1;
  var n1: bool = d1;
  var v2: u32 = c2;
  var v3: i32 = (((0i - v0) << 24u) >> 24u);
  var v4: i32 = (((select(v1, 0i - v1, v1 < 0i)) << 16u) >> 16u);
  var n4: bool = n1;
  var v5: u32 = ((v2 + v2) & 65535u);
  return Row(true, bad, v3, true, select(0i, v4, (n4)), (n4), v5, true);
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var n1 = 0u;
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let quad1_0 = in1[first_0 >> 2u];
    let valid1_0 = select(15u, inv1[first_0 >> 5u] >> (first_0 & 31u), (args[4].y & 1u) != 0u);
    let quad2_0 = in2[first_0 >> 2u];
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let quad0_1 = in0[first_1 >> 2u];
    let quad1_1 = in1[first_1 >> 2u];
    let valid1_1 = select(15u, inv1[first_1 >> 5u] >> (first_1 & 31u), (args[4].y & 1u) != 0u);
    let quad2_1 = in2[first_1 >> 2u];
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let quad0_2 = in0[first_2 >> 2u];
    let quad1_2 = in1[first_2 >> 2u];
    let valid1_2 = select(15u, inv1[first_2 >> 5u] >> (first_2 & 31u), (args[4].y & 1u) != 0u);
    let quad2_2 = in2[first_2 >> 2u];
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    let quad0_3 = in0[first_3 >> 2u];
    let quad1_3 = in1[first_3 >> 2u];
    let valid1_3 = select(15u, inv1[first_3 >> 5u] >> (first_3 & 31u), (args[4].y & 1u) != 0u);
    let quad2_3 = in2[first_3 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = 0u;
    var t1 = vec2<u32>();
    var t2 = vec2<u32>();
    {
      let x = row(base_0 + 0u, (bitcast<i32>(quad0_0 << (24u - 8u * 0u)) >> 24u), (bitcast<i32>(quad1_0[0u >> 1u] << (16u - 16u * (0u & 1u))) >> 16u), (((valid1_0 >> 0u) & 1u) != 0u), ((quad2_0[0u >> 1u] >> (16u * (0u & 1u))) & 65535u));
      let live = base + 0u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 0u);
      t1[0u >> 1u] = t1[0u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (0u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      t2[0u >> 1u] = t2[0u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (0u & 1u)));
    }
    {
      let x = row(base_0 + 1u, (bitcast<i32>(quad0_0 << (24u - 8u * 1u)) >> 24u), (bitcast<i32>(quad1_0[1u >> 1u] << (16u - 16u * (1u & 1u))) >> 16u), (((valid1_0 >> 1u) & 1u) != 0u), ((quad2_0[1u >> 1u] >> (16u * (1u & 1u))) & 65535u));
      let live = base + 1u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 1u);
      t1[1u >> 1u] = t1[1u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (1u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      t2[1u >> 1u] = t2[1u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (1u & 1u)));
    }
    {
      let x = row(base_0 + 2u, (bitcast<i32>(quad0_0 << (24u - 8u * 2u)) >> 24u), (bitcast<i32>(quad1_0[2u >> 1u] << (16u - 16u * (2u & 1u))) >> 16u), (((valid1_0 >> 2u) & 1u) != 0u), ((quad2_0[2u >> 1u] >> (16u * (2u & 1u))) & 65535u));
      let live = base + 2u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 2u);
      t1[2u >> 1u] = t1[2u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (2u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      t2[2u >> 1u] = t2[2u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (2u & 1u)));
    }
    {
      let x = row(base_0 + 3u, (bitcast<i32>(quad0_0 << (24u - 8u * 3u)) >> 24u), (bitcast<i32>(quad1_0[3u >> 1u] << (16u - 16u * (3u & 1u))) >> 16u), (((valid1_0 >> 3u) & 1u) != 0u), ((quad2_0[3u >> 1u] >> (16u * (3u & 1u))) & 65535u));
      let live = base + 3u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 3u);
      t1[3u >> 1u] = t1[3u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (3u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      t2[3u >> 1u] = t2[3u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (3u & 1u)));
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out2[base >> 2u] = t2;
    }
    }
    {
    let base = base_1;
    let k = step + 1u;
    var t0 = 0u;
    var t1 = vec2<u32>();
    var t2 = vec2<u32>();
    {
      let x = row(base_1 + 0u, (bitcast<i32>(quad0_1 << (24u - 8u * 0u)) >> 24u), (bitcast<i32>(quad1_1[0u >> 1u] << (16u - 16u * (0u & 1u))) >> 16u), (((valid1_1 >> 0u) & 1u) != 0u), ((quad2_1[0u >> 1u] >> (16u * (0u & 1u))) & 65535u));
      let live = base + 0u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 0u);
      t1[0u >> 1u] = t1[0u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (0u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      t2[0u >> 1u] = t2[0u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (0u & 1u)));
    }
    {
      let x = row(base_1 + 1u, (bitcast<i32>(quad0_1 << (24u - 8u * 1u)) >> 24u), (bitcast<i32>(quad1_1[1u >> 1u] << (16u - 16u * (1u & 1u))) >> 16u), (((valid1_1 >> 1u) & 1u) != 0u), ((quad2_1[1u >> 1u] >> (16u * (1u & 1u))) & 65535u));
      let live = base + 1u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 1u);
      t1[1u >> 1u] = t1[1u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (1u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      t2[1u >> 1u] = t2[1u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (1u & 1u)));
    }
    {
      let x = row(base_1 + 2u, (bitcast<i32>(quad0_1 << (24u - 8u * 2u)) >> 24u), (bitcast<i32>(quad1_1[2u >> 1u] << (16u - 16u * (2u & 1u))) >> 16u), (((valid1_1 >> 2u) & 1u) != 0u), ((quad2_1[2u >> 1u] >> (16u * (2u & 1u))) & 65535u));
      let live = base + 2u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 2u);
      t1[2u >> 1u] = t1[2u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (2u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      t2[2u >> 1u] = t2[2u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (2u & 1u)));
    }
    {
      let x = row(base_1 + 3u, (bitcast<i32>(quad0_1 << (24u - 8u * 3u)) >> 24u), (bitcast<i32>(quad1_1[3u >> 1u] << (16u - 16u * (3u & 1u))) >> 16u), (((valid1_1 >> 3u) & 1u) != 0u), ((quad2_1[3u >> 1u] >> (16u * (3u & 1u))) & 65535u));
      let live = base + 3u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 3u);
      t1[3u >> 1u] = t1[3u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (3u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      t2[3u >> 1u] = t2[3u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (3u & 1u)));
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out2[base >> 2u] = t2;
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    var t0 = 0u;
    var t1 = vec2<u32>();
    var t2 = vec2<u32>();
    {
      let x = row(base_2 + 0u, (bitcast<i32>(quad0_2 << (24u - 8u * 0u)) >> 24u), (bitcast<i32>(quad1_2[0u >> 1u] << (16u - 16u * (0u & 1u))) >> 16u), (((valid1_2 >> 0u) & 1u) != 0u), ((quad2_2[0u >> 1u] >> (16u * (0u & 1u))) & 65535u));
      let live = base + 0u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 0u);
      t1[0u >> 1u] = t1[0u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (0u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      t2[0u >> 1u] = t2[0u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (0u & 1u)));
    }
    {
      let x = row(base_2 + 1u, (bitcast<i32>(quad0_2 << (24u - 8u * 1u)) >> 24u), (bitcast<i32>(quad1_2[1u >> 1u] << (16u - 16u * (1u & 1u))) >> 16u), (((valid1_2 >> 1u) & 1u) != 0u), ((quad2_2[1u >> 1u] >> (16u * (1u & 1u))) & 65535u));
      let live = base + 1u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 1u);
      t1[1u >> 1u] = t1[1u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (1u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      t2[1u >> 1u] = t2[1u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (1u & 1u)));
    }
    {
      let x = row(base_2 + 2u, (bitcast<i32>(quad0_2 << (24u - 8u * 2u)) >> 24u), (bitcast<i32>(quad1_2[2u >> 1u] << (16u - 16u * (2u & 1u))) >> 16u), (((valid1_2 >> 2u) & 1u) != 0u), ((quad2_2[2u >> 1u] >> (16u * (2u & 1u))) & 65535u));
      let live = base + 2u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 2u);
      t1[2u >> 1u] = t1[2u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (2u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      t2[2u >> 1u] = t2[2u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (2u & 1u)));
    }
    {
      let x = row(base_2 + 3u, (bitcast<i32>(quad0_2 << (24u - 8u * 3u)) >> 24u), (bitcast<i32>(quad1_2[3u >> 1u] << (16u - 16u * (3u & 1u))) >> 16u), (((valid1_2 >> 3u) & 1u) != 0u), ((quad2_2[3u >> 1u] >> (16u * (3u & 1u))) & 65535u));
      let live = base + 3u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 3u);
      t1[3u >> 1u] = t1[3u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (3u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      t2[3u >> 1u] = t2[3u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (3u & 1u)));
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out2[base >> 2u] = t2;
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    var t0 = 0u;
    var t1 = vec2<u32>();
    var t2 = vec2<u32>();
    {
      let x = row(base_3 + 0u, (bitcast<i32>(quad0_3 << (24u - 8u * 0u)) >> 24u), (bitcast<i32>(quad1_3[0u >> 1u] << (16u - 16u * (0u & 1u))) >> 16u), (((valid1_3 >> 0u) & 1u) != 0u), ((quad2_3[0u >> 1u] >> (16u * (0u & 1u))) & 65535u));
      let live = base + 0u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 0u);
      t1[0u >> 1u] = t1[0u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (0u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 0u);
      t2[0u >> 1u] = t2[0u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (0u & 1u)));
    }
    {
      let x = row(base_3 + 1u, (bitcast<i32>(quad0_3 << (24u - 8u * 1u)) >> 24u), (bitcast<i32>(quad1_3[1u >> 1u] << (16u - 16u * (1u & 1u))) >> 16u), (((valid1_3 >> 1u) & 1u) != 0u), ((quad2_3[1u >> 1u] >> (16u * (1u & 1u))) & 65535u));
      let live = base + 1u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 1u);
      t1[1u >> 1u] = t1[1u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (1u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 1u);
      t2[1u >> 1u] = t2[1u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (1u & 1u)));
    }
    {
      let x = row(base_3 + 2u, (bitcast<i32>(quad0_3 << (24u - 8u * 2u)) >> 24u), (bitcast<i32>(quad1_3[2u >> 1u] << (16u - 16u * (2u & 1u))) >> 16u), (((valid1_3 >> 2u) & 1u) != 0u), ((quad2_3[2u >> 1u] >> (16u * (2u & 1u))) & 65535u));
      let live = base + 2u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 2u);
      t1[2u >> 1u] = t1[2u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (2u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 2u);
      t2[2u >> 1u] = t2[2u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (2u & 1u)));
    }
    {
      let x = row(base_3 + 3u, (bitcast<i32>(quad0_3 << (24u - 8u * 3u)) >> 24u), (bitcast<i32>(quad1_3[3u >> 1u] << (16u - 16u * (3u & 1u))) >> 16u), (((valid1_3 >> 3u) & 1u) != 0u), ((quad2_3[3u >> 1u] >> (16u * (3u & 1u))) & 65535u));
      let live = base + 3u < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * 3u);
      t1[3u >> 1u] = t1[3u >> 1u] | (select(0u, bitcast<u32>(x.o1) & 65535u, live) << (16u * (3u & 1u)));
      n1 |= select(0u, 1u, live & x.q1) << (4u * k + 3u);
      t2[3u >> 1u] = t2[3u >> 1u] | (select(0u, x.o2 & 65535u, live) << (16u * (3u & 1u)));
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out2[base >> 2u] = t2;
    }
    }
  }
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
