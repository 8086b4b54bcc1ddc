fn single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].x);
}
fn double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].x));
}
fn second_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].y);
}
fn second_double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].y));
}
fn third_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].z);
}
fn third_double(a: u64) -> f64 {
  return bitcast<f64>(a ^ u64(args[3].z));
}
fn add_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) + second_single(b));
}
fn sub_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) - second_single(b));
}
fn mul_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) * second_single(b));
}
fn div_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) / second_single(b));
}
fn sqrt_f32(a: u32) -> u32 {
  return bitcast<u32>(sqrt(single(a)));
}
fn neg_f32(a: u32) -> u32 {
  return a ^ 0x80000000u;
}
fn abs_f32(a: u32) -> u32 {
  return a & 0x7fffffffu;
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
fn is_negative_f32(a: u32) -> bool {
  return (a >> 31u) != 0u;
}
fn canonical_f32(a: u32) -> u32 {
  return select(a, 0x7fc00000u, is_nan_f32(a));
}
fn sign_f32(a: u32) -> u32 {
  return select(0x3f800000u | (a & 0x80000000u), a, (a << 1u) == 0u || is_nan_f32(a));
}
fn total_f32(a: u32) -> u32 {
  let key = select(a | 0x80000000u, ~a, (a >> 31u) != 0u);
  return select(key, 0xffffffffu, is_nan_f32(a));
}
fn order_f32(a: u32) -> u32 {
  return total_f32(select(a, 0u, a == 0x80000000u));
}
fn ordered_f32(a: u32) -> i32 {
  return bitcast<i32>(a & 0x7fffffffu) ^ (bitcast<i32>(a) >> 31u);
}
fn above_f32(a: u32, b: u32) -> bool {
  let right = select(ordered_f32(select(b, 0u, (b << 1u) == 0u)), 0x7fffffffi, is_nan_f32(b));
  let most = select(0x7f800000u, 0xffffffffu, is_nan_f32(b));
  return (abs_f32(a) > most) | (ordered_f32(a) > right);
}
fn below_f32(a: u32, b: u32) -> bool {
  let right = select(ordered_f32(select(b, 0x80000000u, (b << 1u) == 0u)), 0x7fffffffi, is_nan_f32(b));
  return !is_nan_f32(a) & (ordered_f32(a) < right);
}
fn trunc_f32(a: u32) -> u32 {
  let e = (a >> 23u) & 255u;
  if (e >= 150u) {
    return a;
  }
  if (e < 127u) {
    return a & 0x80000000u;
  }
  return a & ~(0x7fffffu >> (e - 127u));
}
fn floor_f32(a: u32) -> u32 {
  let t = trunc_f32(a);
  if (is_negative_f32(a) && t != a) {
    return sub_f32(t, 0x3f800000u);
  }
  return t;
}
fn ceil_f32(a: u32) -> u32 {
  let t = trunc_f32(a);
  if (!is_negative_f32(a) && t != a) {
    return add_f32(t, 0x3f800000u);
  }
  return t;
}
fn round_f32(a: u32) -> u32 {
  let e = (a >> 23u) & 255u;
  if (e >= 150u) {
    return a;
  }
  if (e < 126u) {
    return a & 0x80000000u;
  }
  if (e == 126u) {
    return 0x3f800000u | (a & 0x80000000u);
  }
  let fraction = 0x7fffffu >> (e - 127u);
  return (a + ((fraction + 1u) >> 1u)) & ~fraction;
}
fn rem_f32(a: u32, b: u32) -> u32 {
  let x = a & 0x7fffffffu;
  let y = b & 0x7fffffffu;
  if (x >= 0x7f800000u || y > 0x7f800000u || y == 0u) {
    return 0x7fc00000u;
  }
  if (x < y) {
    return a;
  }
  var ex = i32(max(x >> 23u, 1u));
  let ey = i32(max(y >> 23u, 1u));
  let mx = (x & 0x7fffffu) | select(0u, 0x800000u, (x >> 23u) != 0u);
  let my = (y & 0x7fffffu) | select(0u, 0x800000u, (y >> 23u) != 0u);
  var r = mx % my;
  while (ex > ey) {
    let by = u32(min(ex - ey, 8i));
    r = (r << by) % my;
    ex -= i32(by);
  }
  if (r == 0u) {
    return a & 0x80000000u;
  }
  let up = min(23i - i32(firstLeadingBit(r)), ey - 1i);
  let m = r << u32(up);
  let e = ey - up;
  let bits = select(m, (m & 0x7fffffu) | (u32(e) << 23u), m >= 0x800000u);
  return bits | (a & 0x80000000u);
}
fn word_of_f32(a: u32) -> u32 {
  let e = i32((a >> 23u) & 255u) - 150i;
  let m = (a & 0x7fffffu) | 0x800000u;
  if (e >= 0i) {
    return m << u32(min(e, 31i));
  }
  return select(m >> u32(-max(e, -31i)), 0u, e < -31i);
}
fn long_of_f32(a: u32) -> u64 {
  let e = i32((a >> 23u) & 255u) - 150i;
  let m = u64((a & 0x7fffffu) | 0x800000u);
  if (e >= 0i) {
    return m << u32(min(e, 63i));
  }
  return select(m >> u32(-max(e, -63i)), 0lu, e < -63i);
}
fn add_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) + second_double(b));
}
fn sub_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) - second_double(b));
}
fn mul_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) * second_double(b));
}
fn div_f64(a: u64, b: u64) -> u64 {
  return bitcast<u64>(double(a) / second_double(b));
}
fn sqrt_f64(a: u64) -> u64 {
  return bitcast<u64>(sqrt(double(a)));
}
fn neg_f64(a: u64) -> u64 {
  return a ^ 0x8000000000000000lu;
}
fn abs_f64(a: u64) -> u64 {
  return a & 0x7ffffffffffffffflu;
}
fn is_nan_f64(a: u64) -> bool {
  return (a & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}
fn is_negative_f64(a: u64) -> bool {
  return (a >> 63u) != 0lu;
}
fn canonical_f64(a: u64) -> u64 {
  return select(a, 0x7ff8000000000000lu, is_nan_f64(a));
}
fn sign_f64(a: u64) -> u64 {
  return select(0x3ff0000000000000lu | (a & 0x8000000000000000lu), a, (a << 1u) == 0lu || is_nan_f64(a));
}
fn total_f64(a: u64) -> u64 {
  let key = select(a | 0x8000000000000000lu, ~a, (a >> 63u) != 0lu);
  return select(key, 0xfffffffffffffffflu, is_nan_f64(a));
}
fn order_f64(a: u64) -> u64 {
  return total_f64(select(a, 0lu, a == 0x8000000000000000lu));
}
fn ordered_f64(a: u64) -> i64 {
  return bitcast<i64>(a & 0x7ffffffffffffffflu) ^ (bitcast<i64>(a) >> 63u);
}
fn above_f64(a: u64, b: u64) -> bool {
  let right = select(ordered_f64(select(b, 0lu, (b << 1u) == 0lu)), 0x7fffffffffffffffli, is_nan_f64(b));
  let most = select(0x7ff0000000000000lu, 0xfffffffffffffffflu, is_nan_f64(b));
  return (abs_f64(a) > most) | (ordered_f64(a) > right);
}
fn below_f64(a: u64, b: u64) -> bool {
  let right = select(ordered_f64(select(b, 0x8000000000000000lu, (b << 1u) == 0lu)), 0x7fffffffffffffffli, is_nan_f64(b));
  return !is_nan_f64(a) & (ordered_f64(a) < right);
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
fn floor_f64(a: u64) -> u64 {
  let t = trunc_f64(a);
  if (is_negative_f64(a) && t != a) {
    return sub_f64(t, 0x3ff0000000000000lu);
  }
  return t;
}
fn ceil_f64(a: u64) -> u64 {
  let t = trunc_f64(a);
  if (!is_negative_f64(a) && t != a) {
    return add_f64(t, 0x3ff0000000000000lu);
  }
  return t;
}
fn round_f64(a: u64) -> u64 {
  let e = u32((a >> 52u) & 0x7fflu);
  if (e >= 1075u) {
    return a;
  }
  if (e < 1022u) {
    return a & 0x8000000000000000lu;
  }
  if (e == 1022u) {
    return 0x3ff0000000000000lu | (a & 0x8000000000000000lu);
  }
  let fraction = 0xffffffffffffflu >> (e - 1023u);
  return (a + ((fraction + 1lu) >> 1u)) & ~fraction;
}
fn top_bit_u64(x: u64) -> i32 {
  let high = u32(x >> 32u);
  return i32(select(firstLeadingBit(u32(x & 0xfffffffflu)), 32u + firstLeadingBit(high), high != 0u));
}
fn rem_f64(a: u64, b: u64) -> u64 {
  let x = a & 0x7ffffffffffffffflu;
  let y = b & 0x7ffffffffffffffflu;
  if (x >= 0x7ff0000000000000lu || y > 0x7ff0000000000000lu || y == 0lu) {
    return 0x7ff8000000000000lu;
  }
  if (x < y) {
    return a;
  }
  var ex = i32(max(u32(x >> 52u), 1u));
  let ey = i32(max(u32(y >> 52u), 1u));
  let mx = (x & 0xffffffffffffflu) | select(0lu, 0x10000000000000lu, (x >> 52u) != 0lu);
  let my = (y & 0xffffffffffffflu) | select(0lu, 0x10000000000000lu, (y >> 52u) != 0lu);
  var r = mx % my;
  while (ex > ey) {
    let by = u32(min(ex - ey, 11i));
    r = (r << by) % my;
    ex -= i32(by);
  }
  if (r == 0lu) {
    return a & 0x8000000000000000lu;
  }
  let up = min(52i - top_bit_u64(r), ey - 1i);
  let m = r << u32(up);
  let e = ey - up;
  let bits = select(m, (m & 0xffffffffffffflu) | (u64(u32(e)) << 52u), m >= 0x10000000000000lu);
  return bits | (a & 0x8000000000000000lu);
}
fn long_of_f64(a: u64) -> u64 {
  let e = i32(u32((a >> 52u) & 0x7fflu)) - 1075i;
  let m = (a & 0xffffffffffffflu) | 0x10000000000000lu;
  if (e >= 0i) {
    return m << u32(min(e, 63i));
  }
  return select(m >> u32(-max(e, -63i)), 0lu, e < -63i);
}
fn word_of_f64(a: u64) -> u32 {
  return u32(long_of_f64(a) & 0xfffffffflu);
}
fn narrow_f64(a: u64) -> u32 {
  return bitcast<u32>(f32(double(a)));
}
fn widen_f32(a: u32) -> u64 {
  return bitcast<u64>(f64(single(a)));
}
fn halves_away(v: i64, unit: i64) -> i64 {
  let q = v / unit;
  let r = v % unit;
  let twice = select(r, 0li - r, r < 0li);
  if (twice >= unit - twice) {
    return q + select(1li, -1li, v < 0li);
  }
  return q;
}
fn add_128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  let x = a.x + b.x;
  let c0 = u32(x < a.x);
  let y0 = a.y + b.y;
  let y = y0 + c0;
  let c1 = u32(y0 < a.y) + u32(y < y0);
  let z0 = a.z + b.z;
  let z = z0 + c1;
  let c2 = u32(z0 < a.z) + u32(z < z0);
  return vec4<u32>(x, y, z, a.w + b.w + c2);
}
fn low_64(a: vec4<u32>) -> u64 {
  return u64(a.x) | (u64(a.y) << 32u);
}
fn words_of_i64(v: i64) -> vec4<u32> {
  let b = bitcast<u64>(v);
  let high = select(0u, 0xffffffffu, v < 0li);
  return vec4<u32>(u32(b & 0xfffffffflu), u32(b >> 32u), high, high);
}
fn row_number(r: u32) -> u64 {
  return (u64(args[0].y) | (u64(args[0].z) << 32u)) + u64(r);
}
// Mesa 22 compares what was converted from i32 to i64 with a constant wrongly: the words are put together instead.
fn wide_i32(v: i32) -> i64 {
  return bitcast<i64>(u64(bitcast<u32>(v)) | (u64(bitcast<u32>(v >> 31u)) << 32u));
}
