// Rows in memory: values side by side in vectors of up to 16 bytes, truth values as bits. V rows lie in one thread's
// chunk, which starts at a multiple of V; 32 threads side by side have 32 * V rows.
#define FULL 0xffffffffu

template <int BYTES> struct Vec;
template <> struct Vec<1> { typedef u8 type; };
template <> struct Vec<2> { typedef u16 type; };
template <> struct Vec<4> { typedef u32 type; };
template <> struct Vec<8> { typedef uint2 type; };
template <> struct Vec<16> { typedef uint4 type; };
template <int A, int B> struct Min { static const int value = A < B ? A : B; };

template <class T, int V> FN void load_values(const T *from, u64 at, u32 count, T (&to)[V]) {
  if (count == V) {
    const int bytes = Min<16, V * (int)sizeof(T)>::value;
    typedef typename Vec<bytes>::type W;
    const int words = V * (int)sizeof(T) / bytes;
    union { W w[words]; T t[V]; } u;
    const W *p = (const W *)(from + at);
#pragma unroll
    for (int k = 0; k < words; k++) { u.w[k] = p[k]; }
#pragma unroll
    for (int k = 0; k < V; k++) { to[k] = u.t[k]; }
  } else {
#pragma unroll
    for (int k = 0; k < V; k++) { to[k] = k < count ? from[at + k] : (T)0; }
  }
}
template <class T, int V> FN void store_values(T *to, u64 at, u32 count, const T (&from)[V]) {
  if (count == V) {
    const int bytes = Min<16, V * (int)sizeof(T)>::value;
    typedef typename Vec<bytes>::type W;
    const int words = V * (int)sizeof(T) / bytes;
    union { W w[words]; T t[V]; } u;
#pragma unroll
    for (int k = 0; k < V; k++) { u.t[k] = from[k]; }
    W *p = (W *)(to + at);
#pragma unroll
    for (int k = 0; k < words; k++) { p[k] = u.w[k]; }
  } else {
#pragma unroll
    for (int k = 0; k < V; k++) {
      if (k < count) { to[at + k] = from[k]; }
    }
  }
}
// The bits of a chunk's rows, lowest first.
template <int V> FN u32 load_bits(const u8 *from, u64 at, u32 count) {
  if (count == 0) { return 0; }
  const u32 word = V == 16 ? (u32)((const u16 *)from)[at / 16] : (u32)from[at / 8] >> (at % 8);
  return word & ((1u << count) - 1u);
}
// Joins the chunks of 32 threads into whole words; the first thread of each word has it.
template <int V> FN u32 join_bits(u32 bits) {
  const u32 lane = threadIdx.x % 32, group = 32 / V;
  u32 word = bits << (lane % group * V);
#pragma unroll
  for (u32 s = 1; s < group; s *= 2) { word |= __shfl_xor_sync(FULL, word, s); }
  return word;
}
template <int V> FN void store_bits(u8 *to, u64 at, u64 rows, u32 bits) {
  const u32 word = join_bits<V>(bits);
  if (threadIdx.x % (32 / V) == 0 && at < rows) { ((u32 *)to)[at / 32] = word; }
}
FN bool bit_at(const u8 *from, u64 at) { return (from[at / 8] >> (at % 8) & 1) != 0; }

// An element of a table; outside it zero and a fault.
template <class T> FN T element(const T *from, u64 at, u64 rows, bool &fault) {
  if (at >= rows) { fault = true; return (T)0; }
  return from[at];
}
FN bool bit_element(const u8 *from, u64 at, u64 rows, bool &fault) {
  if (at >= rows) { fault = true; return false; }
  return bit_at(from, at);
}
// The number of a table's row; outside it zero and a fault.
FN u64 number_element(u64 at, u64 rows, bool &fault) {
  if (at >= rows) { fault = true; return 0; }
  return at;
}

// How many rows of a chunk there are.
FN u32 rows_at(u64 at, u64 rows, u32 most) {
  return at >= rows ? 0u : (rows - at < most ? (u32)(rows - at) : most);
}
// What a thread remembers from row to row: the greatest complement of a faulting row's number, the work since it last
// asked whether to stop, and whether it was told to.
struct Thread {
  u64 worst;
  u32 work;
  bool stopped;
};
// Tells of the worst fault of a block's threads: the greatest complement of a row.
FN void report_fault(u64 status, u64 worst) {
  if (__any_sync(__activemask(), worst != 0) && worst != 0) { atomicMax((u64 *)status, worst); }
}

// A value as words of 32 bits, as threads and blocks pass it on.
template <class T> FN void put_word(T v, u32 *w) { w[0] = (u32)v; }
FN void put_word(f32 v, u32 *w) { w[0] = __float_as_uint(v); }
FN void put_word(u64 v, u32 *w) { w[0] = (u32)v; w[1] = (u32)(v >> 32); }
FN void put_word(i64 v, u32 *w) { put_word((u64)v, w); }
FN void put_word(f64 v, u32 *w) { put_word((u64)__double_as_longlong(v), w); }
FN void put_word(i128 v, u32 *w) { put_word((u64)v, w); put_word((u64)(v >> 64), w + 2); }
template <class T> FN void get_word(T &v, const u32 *w) { v = (T)w[0]; }
FN void get_word(f32 &v, const u32 *w) { v = __uint_as_float(w[0]); }
FN void get_word(u64 &v, const u32 *w) { v = (u64)w[1] << 32 | w[0]; }
FN void get_word(i64 &v, const u32 *w) { v = (i64)((u64)w[1] << 32 | w[0]); }
FN void get_word(f64 &v, const u32 *w) { v = f64_of((u64)w[1] << 32 | w[0]); }
FN void get_word(i128 &v, const u32 *w) {
  u64 low, high;
  get_word(low, w);
  get_word(high, w + 2);
  v = i128_of(high, low);
}
// A sum of narrow integers takes 96 bits, however many there are.
FN void put_three_words(i128 v, u32 *w) { put_word((u64)v, w); w[2] = (u32)(v >> 64); }
FN void get_three_words(i128 &v, const u32 *w) {
  u64 low;
  get_word(low, w);
  v = i128_of((u64)(i64)(i32)w[2], low);
}
FN f32 shuffle_value(f32 v, u32 lane) { return __shfl_sync(FULL, v, lane); }
FN f64 shuffle_value(f64 v, u32 lane) { return __shfl_sync(FULL, v, lane); }
