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

// How many rows of a chunk there are.
FN u32 rows_at(u64 at, u64 rows, u32 most) {
  return at >= rows ? 0u : (rows - at < most ? (u32)(rows - at) : most);
}
// Tells of the worst fault of a block's threads: the greatest complement of a row.
FN void report_fault(u64 status, u64 worst) {
  if (__any_sync(__activemask(), worst != 0) && worst != 0) { atomicMax((u64 *)status, worst); }
}

// Any plain value from another thread of the warp.
template <class T> FN T shuffle_from(const T &value, u32 lane) {
  union Words { u32 w[(sizeof(T) + 3) / 4]; T t; __device__ Words() {} } u, r;
  u.t = value;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(T) + 3) / 4; k++) { r.w[k] = __shfl_sync(FULL, u.w[k], lane); }
  return r.t;
}
