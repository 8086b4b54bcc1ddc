// ["store"]
// [Column(0), Output(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read_write> out0: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i32,
  q0: bool,
}
fn row(r: u32, c0: u64) -> Row {
  var bad: bool = false;
  var v0: u64 = c0;
  var v1: u64 = 13873153934161346560lu;
  var v2: u64 = select(v0, v1, total_f64(v1) > total_f64(v0));
  var v3: u64 = 4609176140021203710lu;
  var v4: u64 = 4843621399236968448lu;
  var v5: u64 = fma_f64(v2, v3, v4);
  var v6: u64 = sub_f64(v5, v4);
  var v7: u64 = 13827790571168217583lu;
  var v8: u64 = fma_f64(v6, v7, v2);
  var v9: i64 = bitcast<i64>(canonical_f64(v5));
  var v10: u64 = 13581375014073630783lu;
  var v11: u64 = fma_f64(v6, v10, v8);
  var v12: u64 = 4493157036661881298lu;
  var v13: u64 = 4508818074603949382lu;
  var v14: u64 = fma_f64(v12, v11, v13);
  var v15: u64 = 4523617235836961915lu;
  var v16: u64 = fma_f64(v14, v11, v15);
  var v17: u64 = 4537941337321558711lu;
  var v18: u64 = fma_f64(v16, v11, v17);
  var v19: u64 = 4551452160507475057lu;
  var v20: u64 = fma_f64(v18, v11, v19);
  var v21: u64 = 4564047942388837877lu;
  var v22: u64 = fma_f64(v20, v11, v21);
  var v23: u64 = 4575957461383615555lu;
  var v24: u64 = fma_f64(v22, v11, v23);
  var v25: u64 = 4586165620538941976lu;
  var v26: u64 = fma_f64(v24, v11, v25);
  var v27: u64 = 4595172819793696056lu;
  var v28: u64 = fma_f64(v26, v11, v27);
  var v29: u64 = 4602678819172646917lu;
  var v30: u64 = fma_f64(v28, v11, v29);
  var v31: u64 = 4607182418800017408lu;
  var v32: u64 = fma_f64(v11, v30, v31);
  var v33: u64 = fma_f64(v11, v32, v31);
  var v34: u64 = 13872802090440458240lu;
  var v35: bool = (below_f64(v2, v34));
  var v36: i64 = 128li;
  var v37: i64 = (v9 + v36);
  var v38: i64 = select(v9, v37, v35);
  var v39: u64 = 4030721666496593920lu;
  var v40: u64 = select(v31, v39, v35);
  var v41: i64 = bitcast<i64>(canonical_f64(v33));
  var v42: i64 = 52li;
  var v43: i64 = (v38 << u32(v42 & 63li));
  var v44: i64 = (v41 + v43);
  var v45: u64 = bitcast<u64>(v44);
  var v46: u64 = mul_f64(v45, v40);
  var v47: u64 = 4649454530587146735lu;
  var v48: bool = (above_f64(v0, v47));
  var v49: u64 = 9214871658872686752lu;
  var v50: u64 = mul_f64(v0, v49);
  var v51: u64 = select(v46, v50, v48);
  var v52: u64 = select(select(v51, v0, total_f64(v0) > total_f64(v51)), v0, total_f64(v0) < total_f64(select(v51, v0, total_f64(v0) > total_f64(v51))));
  var v53: i32 = nearest_f64_i8(v52, &bad);
  var v54: bool = !true;
  var v55: i32 = v53;
  return Row(true, bad, v55, true);
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  for (var step = 0u; step < 8u; step += 1u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = 0u;
    for (var j = 0u; j < 4u; j++) {
    {
      let x = row(base_0 + j, in0[min(base_0 + j, last)]);
      let live = base + j < rows;
      
      t0 |= select(0u, bitcast<u32>(x.o0) & 255u, live) << (8u * j);
    }
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
  }
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
fn canonical_f64(a: u64) -> u64 {
  return select(a, 0x7ff8000000000000lu, is_nan_f64(a));
}
fn double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].x));
}
fn fma_f64(a: u64, b: u64, c: u64) -> u64 {
  return bitcast<u64>(fma(double(a), second_double(b), third_double(c)));
}
fn is_nan_f64(a: u64) -> bool {
  return (a & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}
fn is_negative_f64(a: u64) -> bool {
  return (a >> 63u) != 0lu;
}
fn long_of_f64(a: u64) -> u64 {
  let e = i32(u32((a >> 52u) & 0x7fflu)) - 1075i;
  let m = (a & 0xffffffffffffflu) | 0x10000000000000lu;
  if (e >= 0i) {
    return m << u32(min(e, 63i));
  }
  return select(m >> u32(-max(e, -63i)), 0lu, e < -63i);
}
fn mul_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) * second_double(b));
}
fn nearest_f64_i8(v: u64, f: ptr<function, bool>) -> i32 {
  let x = trunc_f64(v);
  if (is_nan_f64(x)) { return 0i; }
  if (order_f64(x) < order_f64(13862079653046386688lu)) { return (-128i); }
  if (order_f64(x) >= order_f64(4638707616191610880lu)) { return 127i; }
  return select(bitcast<i32>(word_of_f64(x)), 0i - bitcast<i32>(word_of_f64(x)), is_negative_f64(x));
}
fn order_f64(a: u64) -> u64 {
  return total_f64(select(a, 0lu, a == 0x8000000000000000lu));
}
fn ordered_f64(a: u64) -> i64 {
  return bitcast<i64>(a & 0x7ffffffffffffffflu) ^ (bitcast<i64>(a) >> 63u);
}
fn second_double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].y));
}
fn sub_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) - second_double(b));
}
fn third_double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].z));
}
fn total_f64(a: u64) -> u64 {
  let key = select(a | 0x8000000000000000lu, ~a, (a >> 63u) != 0lu);
  return select(key, 0xfffffffffffffffflu, is_nan_f64(a));
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
fn word_of_f64(a: u64) -> u32 {
  return u32(long_of_f64(a) & 0xfffffffflu);
}
