// ["store"]
// [Column(0), Column(1), Output(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read_write> out0: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: bool,
  q0: bool,
}
fn row(r: u32, c0: u64, c1: u64) -> Row {
  var bad: bool = false;
  var v0: u64 = c0;
  var v1: u64 = c1;
  var v2: bool = (order_f64(v0) == order_f64(v1));
  var v3: bool = is_nan_f64(v0);
  var v4: bool = ((true && v3) || (true && v2));
  var v5: bool = (order_f64(v0) != order_f64(v1));
  var v6: bool = ((true && v4) || (true && v5));
  var v7: bool = (below_f64(v0, v1));
  var v8: bool = ((true && v6) || (true && v7));
  var v9: bool = (!above_f64(v0, v1));
  var v10: bool = ((true && v8) || (true && v9));
  var v11: bool = (above_f64(v0, v1));
  var v12: bool = ((true && v10) || (true && v11));
  var v13: bool = (!below_f64(v0, v1));
  var v14: bool = ((true && v12) || (true && v13));
  return Row(true, bad, v14, true);
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var m0 = 0u;
  for (var step = 0u; step < 8u; step += 4u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let base_1 = start + (step + 1u) * 512u + lane * 4u;
    let first_1 = min(base_1, last & ~3u);
    let base_2 = start + (step + 2u) * 512u + lane * 4u;
    let first_2 = min(base_2, last & ~3u);
    let base_3 = start + (step + 3u) * 512u + lane * 4u;
    let first_3 = min(base_3, last & ~3u);
    {
    let base = base_0;
    let k = step + 0u;
    {
      let x = row(base_0 + 0u, in0[min(base_0 + 0u, last)], in1[min(base_0 + 0u, last)]);
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
    }
    {
      let x = row(base_0 + 1u, in0[min(base_0 + 1u, last)], in1[min(base_0 + 1u, last)]);
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
    }
    {
      let x = row(base_0 + 2u, in0[min(base_0 + 2u, last)], in1[min(base_0 + 2u, last)]);
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
    }
    {
      let x = row(base_0 + 3u, in0[min(base_0 + 3u, last)], in1[min(base_0 + 3u, last)]);
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
      let x = row(base_1 + 0u, in0[min(base_1 + 0u, last)], in1[min(base_1 + 0u, last)]);
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
    }
    {
      let x = row(base_1 + 1u, in0[min(base_1 + 1u, last)], in1[min(base_1 + 1u, last)]);
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
    }
    {
      let x = row(base_1 + 2u, in0[min(base_1 + 2u, last)], in1[min(base_1 + 2u, last)]);
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
    }
    {
      let x = row(base_1 + 3u, in0[min(base_1 + 3u, last)], in1[min(base_1 + 3u, last)]);
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_2;
    let k = step + 2u;
    {
      let x = row(base_2 + 0u, in0[min(base_2 + 0u, last)], in1[min(base_2 + 0u, last)]);
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
    }
    {
      let x = row(base_2 + 1u, in0[min(base_2 + 1u, last)], in1[min(base_2 + 1u, last)]);
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
    }
    {
      let x = row(base_2 + 2u, in0[min(base_2 + 2u, last)], in1[min(base_2 + 2u, last)]);
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
    }
    {
      let x = row(base_2 + 3u, in0[min(base_2 + 3u, last)], in1[min(base_2 + 3u, last)]);
      let live = base + 3u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 3u);
    }
    if (base < rows) {
    }
    }
    {
    let base = base_3;
    let k = step + 3u;
    {
      let x = row(base_3 + 0u, in0[min(base_3 + 0u, last)], in1[min(base_3 + 0u, last)]);
      let live = base + 0u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 0u);
    }
    {
      let x = row(base_3 + 1u, in0[min(base_3 + 1u, last)], in1[min(base_3 + 1u, last)]);
      let live = base + 1u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 1u);
    }
    {
      let x = row(base_3 + 2u, in0[min(base_3 + 2u, last)], in1[min(base_3 + 2u, last)]);
      let live = base + 2u < rows;
      
      m0 |= select(0u, 1u, live & x.o0) << (4u * k + 2u);
    }
    {
      let x = row(base_3 + 3u, in0[min(base_3 + 3u, last)], in1[min(base_3 + 3u, last)]);
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
fn above_f64(a: u64, b: u64) -> bool {
  let right = select(ordered_f64(select(b, 0lu, (b << 1u) == 0lu)), 0x7fffffffffffffffli, is_nan_f64(b));
  let most = select(0x7ff0000000000000lu, 0xfffffffffffffffflu, is_nan_f64(b));
  return (abs_f64(a) > most) | (ordered_f64(a) > right);
}
fn abs_f64(a: u64) -> u64 {
  return a & 0x7ffffffffffffffflu;
}
fn below_f64(a: u64, b: u64) -> bool {
  let right = select(ordered_f64(select(b, 0x8000000000000000lu, (b << 1u) == 0lu)), 0x7fffffffffffffffli, is_nan_f64(b));
  return !is_nan_f64(a) & (ordered_f64(a) < right);
}
fn is_nan_f64(a: u64) -> bool {
  return (a & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}
fn order_f64(a: u64) -> u64 {
  return total_f64(select(a, 0lu, a == 0x8000000000000000lu));
}
fn ordered_f64(a: u64) -> i64 {
  return bitcast<i64>(a & 0x7ffffffffffffffflu) ^ (bitcast<i64>(a) >> 63u);
}
fn total_f64(a: u64) -> u64 {
  let key = select(a | 0x8000000000000000lu, ~a, (a >> 63u) != 0lu);
  return select(key, 0xfffffffffffffffflu, is_nan_f64(a));
}
