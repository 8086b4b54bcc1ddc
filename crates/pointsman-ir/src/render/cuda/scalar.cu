// Scalars: every operation on one row's values, as the interpreter has it. Nothing here is included from anywhere.
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef __int128 i128;
typedef unsigned __int128 u128;

#define FN __device__ __forceinline__

// The unsigned type in which a type wraps, and how many bits it has.
template <class T> struct Wrap;
template <> struct Wrap<i8> { typedef u32 type; static const u32 bits = 8; };
template <> struct Wrap<u8> { typedef u32 type; static const u32 bits = 8; };
template <> struct Wrap<i16> { typedef u32 type; static const u32 bits = 16; };
template <> struct Wrap<u16> { typedef u32 type; static const u32 bits = 16; };
template <> struct Wrap<i32> { typedef u32 type; static const u32 bits = 32; };
template <> struct Wrap<u32> { typedef u32 type; static const u32 bits = 32; };
template <> struct Wrap<i64> { typedef u64 type; static const u32 bits = 64; };
template <> struct Wrap<u64> { typedef u64 type; static const u32 bits = 64; };
template <> struct Wrap<i128> { typedef u128 type; static const u32 bits = 128; };

FN f32 f32_of(u32 bits) { return __uint_as_float(bits); }
FN f64 f64_of(u64 bits) { return __longlong_as_double((i64)bits); }
FN i128 i128_of(u64 high, u64 low) { return (i128)(((u128)high << 64) | low); }

FN bool is_nan(f32 a) { return a != a; }
FN bool is_nan(f64 a) { return a != a; }
// A value as it leaves a kernel: one NaN.
template <class T> FN T canonical(T a) { return a; }
template <> FN f32 canonical(f32 a) { return is_nan(a) ? f32_of(0x7fc00000u) : a; }
template <> FN f64 canonical(f64 a) { return is_nan(a) ? f64_of(0x7ff8000000000000ull) : a; }

// A result cut to its type. Narrow ones are cut by an instruction that the compiler does not look into: it would make
// 16-bit instructions of them, and after one that negates the least value the next ones see 17 bits.
template <class T> FN T cut(typename Wrap<T>::type a) { return (T)a; }
#define CUT(T, KIND, BITS) \
  template <> FN T cut<T>(u32 a) { \
    u32 r; \
    asm("bfe." KIND " %0, %1, 0, " BITS ";" : "=r"(r) : "r"(a)); \
    return (T)r; \
  }
CUT(i8, "s32", "8")
CUT(u8, "u32", "8")
CUT(i16, "s32", "16")
CUT(u16, "u32", "16")

template <class T> FN T add(T a, T b) { return cut<T>((typename Wrap<T>::type)a + (typename Wrap<T>::type)b); }
template <class T> FN T sub(T a, T b) { return cut<T>((typename Wrap<T>::type)a - (typename Wrap<T>::type)b); }
template <class T> FN T mul(T a, T b) { return cut<T>((typename Wrap<T>::type)a * (typename Wrap<T>::type)b); }
template <> FN f32 add(f32 a, f32 b) { return __fadd_rn(a, b); }
template <> FN f32 sub(f32 a, f32 b) { return __fsub_rn(a, b); }
template <> FN f32 mul(f32 a, f32 b) { return __fmul_rn(a, b); }
template <> FN f64 add(f64 a, f64 b) { return __dadd_rn(a, b); }
template <> FN f64 sub(f64 a, f64 b) { return __dsub_rn(a, b); }
template <> FN f64 mul(f64 a, f64 b) { return __dmul_rn(a, b); }

FN f32 div(f32 a, f32 b) { return __fdiv_rn(a, b); }
FN f64 div(f64 a, f64 b) { return __ddiv_rn(a, b); }
FN f32 rem(f32 a, f32 b) { return fmodf(a, b); }
FN f64 rem(f64 a, f64 b) { return fmod(a, b); }
FN f32 fma_rn(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
FN f64 fma_rn(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
FN f32 sqrt_rn(f32 a) { return __fsqrt_rn(a); }
FN f64 sqrt_rn(f64 a) { return __dsqrt_rn(a); }
FN f32 floor_of(f32 a) { return floorf(a); }
FN f64 floor_of(f64 a) { return floor(a); }
FN f32 ceil_of(f32 a) { return ceilf(a); }
FN f64 ceil_of(f64 a) { return ceil(a); }
FN f32 trunc_of(f32 a) { return truncf(a); }
FN f64 trunc_of(f64 a) { return trunc(a); }
FN f32 round_of(f32 a) { return roundf(a); }
FN f64 round_of(f64 a) { return round(a); }

template <class T> FN T div_checked(T a, T b, bool &fault) {
  const T low = (T)((typename Wrap<T>::type)1 << (Wrap<T>::bits - 1));
  const bool negative = (T)-1 < (T)0;
  if (b == 0 || (negative && a == low && b == (T)-1)) { fault = true; return 0; }
  return (T)(a / b);
}
template <class T> FN T rem_checked(T a, T b, bool &fault) {
  if (b == 0) { fault = true; return 0; }
  if ((T)-1 < (T)0 && b == (T)-1) { return 0; }
  return (T)(a % b);
}

// A 128-bit value cut to a type; a fault where it does not fit.
template <class T> FN T fit(i128 a, bool &fault) {
  if ((i128)(T)a != a) { fault = true; return 0; }
  return (T)a;
}
template <class T> FN T add_checked(T a, T b, bool &fault) { return fit<T>((i128)a + (i128)b, fault); }
template <class T> FN T sub_checked(T a, T b, bool &fault) { return fit<T>((i128)a - (i128)b, fault); }
FN bool mul_wide(i128 a, i128 b, i128 &product);
template <class T> FN T mul_checked(T a, T b, bool &fault) {
  i128 product;
  if (!mul_wide((i128)a, (i128)b, product)) { fault = true; return 0; }
  return fit<T>(product, fault);
}

FN u128 magnitude(i128 a) { return a < 0 ? (u128)0 - (u128)a : (u128)a; }
// Sum, difference and product in 128 bits; false where they do not fit.
FN bool add_wide(i128 a, i128 b, i128 &sum) {
  sum = (i128)((u128)a + (u128)b);
  return ((a ^ sum) & (b ^ sum)) >= 0;
}
FN bool sub_wide(i128 a, i128 b, i128 &difference) {
  difference = (i128)((u128)a - (u128)b);
  return ((a ^ b) & (a ^ difference)) >= 0;
}
FN bool mul_wide(i128 a, i128 b, i128 &product) {
  const u128 x = magnitude(a), y = magnitude(b);
  const u64 xh = (u64)(x >> 64), xl = (u64)x, yh = (u64)(y >> 64), yl = (u64)y;
  product = (i128)((u128)a * (u128)b);
  if (xh != 0 && yh != 0) { return false; }
  const u128 cross = (u128)xh * yl + (u128)yh * xl;
  const u128 low = (u128)xl * yl;
  if ((u64)(cross >> 64) != 0) { return false; }
  const u128 high = cross + (low >> 64);
  if ((high >> 64) != 0) { return false; }
  const u128 size = (high << 64) | (u64)low;
  const bool negative = (a < 0) != (b < 0);
  const u128 limit = (u128)1 << 127;
  return negative ? size <= limit : size < limit;
}
// Decimals: computed wide; a fault where the result has too many digits.
template <class R> FN R digits(bool fits, i128 a, i128 limit, bool &fault) {
  if (!fits || a >= limit || a <= -limit) { fault = true; return 0; }
  return (R)a;
}
template <class R> FN R decimal_add(i128 a, i128 b, i128 limit, bool &fault) {
  i128 r;
  const bool fits = add_wide(a, b, r);
  return digits<R>(fits, r, limit, fault);
}
template <class R> FN R decimal_sub(i128 a, i128 b, i128 limit, bool &fault) {
  i128 r;
  const bool fits = sub_wide(a, b, r);
  return digits<R>(fits, r, limit, fault);
}
template <class R> FN R decimal_mul(i128 a, i128 b, i128 limit, bool &fault) {
  i128 r;
  const bool fits = mul_wide(a, b, r);
  return digits<R>(fits, r, limit, fault);
}

template <class T> FN T neg(T a) { return sub<T>((T)0, a); }
template <> FN f32 neg(f32 a) { return -a; }
template <> FN f64 neg(f64 a) { return -a; }
template <class T> FN T abs_of(T a) { return a < (T)0 ? neg<T>(a) : a; }
template <> FN f32 abs_of(f32 a) { return fabsf(a); }
template <> FN f64 abs_of(f64 a) { return fabs(a); }
template <class T> FN T sign_of(T a, T one) { return a > (T)0 ? one : (a < (T)0 ? neg<T>(one) : (T)0); }
FN f32 sign_of(f32 a) { return (a == 0.0f || is_nan(a)) ? a : copysignf(1.0f, a); }
FN f64 sign_of(f64 a) { return (a == 0.0 || is_nan(a)) ? a : copysign(1.0, a); }

// The order of comparisons: NaN equals itself and is above everything, the zeros are equal.
template <class T> FN bool eq(T a, T b) { return a == b; }
template <> FN bool eq(f32 a, f32 b) { return a == b || (is_nan(a) && is_nan(b)); }
template <> FN bool eq(f64 a, f64 b) { return a == b || (is_nan(a) && is_nan(b)); }
template <class T> FN bool lt(T a, T b) { return a < b; }
template <> FN bool lt(f32 a, f32 b) { return a < b || (!is_nan(a) && is_nan(b)); }
template <> FN bool lt(f64 a, f64 b) { return a < b || (!is_nan(a) && is_nan(b)); }
// The order of least, greatest, min and max: as above, but -0 is below +0.
template <class T> FN bool below(T a, T b) { return a < b; }
template <> FN bool below(f32 a, f32 b) {
  return lt(a, b) || (a == b && __float_as_int(a) < 0 && __float_as_int(b) >= 0);
}
template <> FN bool below(f64 a, f64 b) {
  return lt(a, b) || (a == b && __double_as_longlong(a) < 0 && __double_as_longlong(b) >= 0);
}
// Narrow integers are compared as words that the compiler does not look into. Of a comparison and a choice it would make
// the minimum or maximum of two 16-bit halves, and take what is asked of one half from the other.
template <class W> FN W word_of(W a) { asm("" : "+r"(a)); return a; }
#define NARROW(T, W) \
  template <> FN bool lt(T a, T b) { return word_of<W>(a) < word_of<W>(b); } \
  template <> FN bool below(T a, T b) { return lt(a, b); }
NARROW(i8, i32)
NARROW(u8, u32)
NARROW(i16, i32)
NARROW(u16, u32)
template <class T> FN T least(T a, T b) { return below(b, a) ? b : a; }
template <class T> FN T greatest(T a, T b) { return below(a, b) ? b : a; }

template <class T> FN T shl(T a, T b) {
  return cut<T>((typename Wrap<T>::type)a << ((u32)b & (Wrap<T>::bits - 1)));
}
template <class T> FN T shr(T a, T b) { return (T)(a >> ((u32)b & (Wrap<T>::bits - 1))); }

// Conversions. A flag is set where the value does not fit; `saturating` ones yield the nearest that does instead.
FN f64 double_of(i128 a) {
  const u128 size = magnitude(a);
  const u64 high = (u64)(size >> 64), low = (u64)size;
  f64 r;
  if (high == 0) {
    r = __ull2double_rn(low);
  } else {
    // The 64 leading bits, the last one set if anything below is: rounding them once is rounding all.
    const u32 zeros = (u32)__clzll((i64)high), shift = 64 - zeros;
    const u128 top = size >> shift;
    const bool rest = (top << shift) != size;
    r = ldexp(__ull2double_rn((u64)top | (rest ? 1ull : 0ull)), (i32)shift);
  }
  return a < 0 ? -r : r;
}
// A whole double below 2^127 in magnitude as an integer.
FN i128 wide_of(f64 a) {
  const u64 bits = (u64)__double_as_longlong(a);
  const i32 exponent = (i32)((bits >> 52) & 0x7ff) - 1075;
  if (exponent < -52) { return 0; }
  const u128 fraction = (u128)((bits & 0xfffffffffffffull) | 0x10000000000000ull);
  const u128 size = exponent >= 0 ? fraction << exponent : fraction >> -exponent;
  return (bits >> 63) != 0 ? (i128)((u128)0 - size) : (i128)size;
}
template <class R> FN R bounded(i128 a, i128 low, i128 high, bool &fault) {
  if (a < low || a > high) { fault = true; return 0; }
  return (R)a;
}
template <class R> FN R bounded_near(i128 a, i128 low, i128 high) { return (R)(a < low ? low : (a > high ? high : a)); }
// A double, truncated: `below` and `above` are the first whole numbers outside.
template <class R> FN R whole(f64 a, f64 below, f64 above, bool &fault) {
  const f64 t = trunc(a);
  if (!(t > below && t < above)) { fault = true; return 0; }
  return (R)t;
}
template <class R> FN R whole_near(f64 a, f64 below, f64 above, R low, R high) {
  const f64 t = trunc(a);
  if (is_nan(t)) { return 0; }
  return t <= below ? low : (t >= above ? high : (R)t);
}
// The low end of 64 bits is a double, one below it is not.
template <class R> FN R whole_from(f64 a, f64 low, f64 above, bool &fault) {
  const f64 t = trunc(a);
  if (!(t >= low && t < above)) { fault = true; return 0; }
  return (R)t;
}
template <class R> FN R whole_from_near(f64 a, f64 least, f64 above, R low, R high) {
  const f64 t = trunc(a);
  if (is_nan(t)) { return 0; }
  return t < least ? low : (t >= above ? high : (R)t);
}
// A double times a power of ten, halves away from zero, as an unscaled decimal.
template <class R> FN R scaled(f64 a, f64 ten, i128 limit, bool &fault) {
  const f64 t = round(__dmul_rn(a, ten));
  if (!(fabs(t) < 1.7014118346046923e38)) { fault = true; return 0; }
  return digits<R>(true, wide_of(t), limit, fault);
}
template <class R> FN R scaled_near(f64 a, f64 ten, i128 limit) {
  const f64 t = round(__dmul_rn(a, ten));
  if (is_nan(t)) { return 0; }
  if (!(fabs(t) < 1.7014118346046923e38)) { return (R)(t < 0 ? 1 - limit : limit - 1); }
  return bounded_near<R>(wide_of(t), 1 - limit, limit - 1);
}
// An unscaled decimal with more digits behind the point, or fewer, halves away from zero.
template <class R> FN R upscaled(i128 a, i128 ten, i128 limit, bool &fault) {
  i128 r;
  const bool fits = mul_wide(a, ten, r);
  return digits<R>(fits, r, limit, fault);
}
template <class R> FN R upscaled_near(i128 a, i128 ten, i128 limit) {
  i128 r;
  if (!mul_wide(a, ten, r)) { return (R)(a < 0 ? 1 - limit : limit - 1); }
  return bounded_near<R>(r, 1 - limit, limit - 1);
}
FN i128 half_away(i128 a, i128 divisor) {
  const i128 quotient = a / divisor, rest = a - quotient * divisor;
  const bool up = magnitude(rest) * 2 >= (u128)divisor;
  return up ? (a < 0 ? quotient - 1 : quotient + 1) : quotient;
}
template <class R> FN R downscaled(i128 a, i128 divisor, i128 limit, bool &fault) {
  return digits<R>(true, half_away(a, divisor), limit, fault);
}
template <class R> FN R downscaled_near(i128 a, i128 divisor, i128 limit) {
  return bounded_near<R>(half_away(a, divisor), 1 - limit, limit - 1);
}
FN i64 floor_div(i64 a, i64 divisor) {
  const i64 quotient = a / divisor;
  return quotient * divisor > a ? quotient - 1 : quotient;
}
FN u32 bits_of(f32 a) { return __float_as_uint(canonical(a)); }
FN u64 bits_of(f64 a) { return (u64)__double_as_longlong(canonical(a)); }
