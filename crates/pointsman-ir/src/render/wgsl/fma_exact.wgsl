// The product of two singles is exact in double. The sum is rounded to odd, so that rounding it again is rounding once.
fn fma_f32(a: u32, b: u32, c: u32) -> u32 {
  let p = mul_f64(widen_f32(a), widen_f32(b));
  let w = widen_f32(c);
  var s = add_f64(p, w);
  let t = sub_f64(s, p);
  let e = add_f64(sub_f64(p, sub_f64(s, t)), sub_f64(w, t));
  let finite = (s & 0x7ff0000000000000lu) != 0x7ff0000000000000lu;
  if (finite && (e << 1u) != 0lu && (s & 1lu) == 0lu) {
    s = select(s - 1lu, s + 1lu, (e >> 63u) == (s >> 63u));
  }
  return narrow_f64(s);
}
// In integers: the product in 128 bits, the sum with a sticky bit, one rounding.
fn fma_f64(a: u64, b: u64, c: u64) -> u64 {
  let ea = i32((a >> 52u) & 0x7fflu);
  let eb = i32((b >> 52u) & 0x7fflu);
  let ec = i32((c >> 52u) & 0x7fflu);
  if (ea == 2047i || eb == 2047i || ec == 2047i || (a << 1u) == 0lu || (b << 1u) == 0lu) {
    return add_f64(mul_f64(a, b), c);
  }
  let sign_p = (a ^ b) >> 63u;
  let p = product_u64(significand_f64(a), significand_f64(b));
  // The product lies in bits 0 to 105 of (high, low) and stands for them times two to ep.
  let ep = max(ea, 1i) + max(eb, 1i) - 2150i;
  let mc = significand_f64(c);
  if (mc == 0lu) {
    return round_u128_f64(sign_p, p.high, p.low, ep);
  }
  let sign_c = c >> 63u;
  let c_exponent = max(ec, 1i) - 1075i;
  // Both are moved so that bit 126 is the top of the larger one; what falls off below is kept as one sticky bit.
  var x = normal_u128(p.high, p.low, ep);
  var y = normal_u128(0lu, mc, c_exponent);
  var sx = sign_p;
  var sy = sign_c;
  if (y.exponent > x.exponent || (y.exponent == x.exponent && above_u128(y.high, y.low, x.high, x.low))) {
    let t = x;
    x = y;
    y = t;
    sx = sign_c;
    sy = sign_p;
  }
  let d = u32(min(x.exponent - y.exponent, 200i));
  let z = sticky_right_u128(y.high, y.low, d);
  if (sx == sy) {
    let low = x.low + z.low;
    let high = x.high + z.high + select(0lu, 1lu, low < x.low);
    return round_u128_f64(sx, high, low, x.exponent);
  }
  let low = x.low - z.low;
  let high = x.high - z.high - select(0lu, 1lu, x.low < z.low);
  if (high == 0lu && low == 0lu) {
    return 0lu;
  }
  return round_u128_f64(sx, high, low, x.exponent);
}
fn significand_f64(b: u64) -> u64 {
  return (b & 0xffffffffffffflu) | select(0lu, 0x10000000000000lu, ((b >> 52u) & 0x7fflu) != 0lu);
}
fn product_u64(a: u64, b: u64) -> Pair128 {
  let al = a & 0xfffffffflu;
  let ah = a >> 32u;
  let bl = b & 0xfffffffflu;
  let bh = b >> 32u;
  let ll = al * bl;
  let lh = al * bh;
  let hl = ah * bl;
  let mid = (ll >> 32u) + (lh & 0xfffffffflu) + (hl & 0xfffffffflu);
  let low = (ll & 0xfffffffflu) | (mid << 32u);
  return Pair128(ah * bh + (lh >> 32u) + (hl >> 32u) + (mid >> 32u), low, 0i);
}
fn above_u128(ah: u64, al: u64, bh: u64, bl: u64) -> bool {
  return ah > bh || (ah == bh && al > bl);
}
fn top_u64(x: u64) -> u32 {
  let high = u32(x >> 32u);
  return select(firstLeadingBit(u32(x & 0xfffffffflu)), 32u + firstLeadingBit(high), high != 0u);
}
fn left_u128(high: u64, low: u64, by: u32) -> Pair128 {
  if (by == 0u) {
    return Pair128(high, low, 0i);
  }
  if (by >= 64u) {
    return Pair128(low << (by - 64u), 0lu, 0i);
  }
  return Pair128((high << by) | (low >> (64u - by)), low << by, 0i);
}
fn normal_u128(high: u64, low: u64, exponent: i32) -> Pair128 {
  let top = select(top_u64(low), 64u + top_u64(high), high != 0lu);
  let by = 126u - top;
  let moved = left_u128(high, low, by);
  return Pair128(moved.high, moved.low, exponent - i32(by));
}
fn sticky_right_u128(high: u64, low: u64, by: u32) -> Pair128 {
  if (by == 0u) {
    return Pair128(high, low, 0i);
  }
  if (by >= 128u) {
    return Pair128(0lu, select(0lu, 1lu, (high | low) != 0lu), 0i);
  }
  if (by >= 64u) {
    let k = by - 64u;
    let lost = low | select(0lu, high << ((64u - k) & 63u), k != 0u);
    return Pair128(0lu, (high >> k) | select(0lu, 1lu, lost != 0lu), 0i);
  }
  let lost = low << (64u - by);
  return Pair128(high >> by, ((low >> by) | (high << (64u - by))) | select(0lu, 1lu, lost != 0lu), 0i);
}
fn round_u128_f64(sign: u64, high: u64, low: u64, exponent: i32) -> u64 {
  // At most bit 127 is set: the top is brought to bit 127 - 64 of the upper half, the rest is sticky.
  let top = select(top_u64(low), 64u + top_u64(high), high != 0lu);
  let moved = left_u128(high, low, 127u - top);
  let upper = moved.high | select(0lu, 1lu, moved.low != 0lu);
  // The value is upper * 2^(exponent - (127 - top) + 64), its top bit is 63.
  let e = exponent + i32(top) - 63i;
  // A normal result keeps 53 bits; one below the normal range fewer.
  let biased = e + 63i + 1023i;
  var drop = 11u;
  if (biased < 1i) {
    drop = u32(min(11i + 1i - biased, 64i));
  }
  var kept = 0lu;
  var rest = upper;
  var half = 0x8000000000000000lu;
  if (drop < 64u) {
    kept = upper >> drop;
    rest = upper & ((1lu << drop) - 1lu);
    half = 1lu << (drop - 1u);
  } else if (biased < -52i) {
    half = 0xfffffffffffffffflu;
  }
  if (rest > half || (rest == half && (kept & 1lu) == 1lu)) {
    kept += 1lu;
  }
  var bits = kept;
  if (biased >= 1i) {
    if (biased >= 2047i) {
      return (sign << 63u) | 0x7ff0000000000000lu;
    }
    bits = (u64(u32(biased - 1i)) << 52u) + kept;
  }
  return (sign << 63u) | min(bits, 0x7ff0000000000000lu);
}
