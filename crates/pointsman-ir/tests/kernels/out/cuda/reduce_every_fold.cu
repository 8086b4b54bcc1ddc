// Needs { threads: 256, tile_rows: 32768, shared_bytes: 0, block_scratch: 0, kind: Reduce { group_bytes: 112, leaf_bytes: 352 }, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 1
struct Args { u64 w[50]; };
struct In {
  f32 c0[V];
  u32 n0;
  i64 c1[V];
  u8 c2[V];
  u32 n2;
  f64 c3[V];
  i64 c4[V];
  u32 c5;
  u32 n5;
  i32 c6[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f32, V>((const f32 *)a.w[10], at, count, in.c0);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
  load_values<i64, V>((const i64 *)a.w[12], at, count, in.c1);
  load_values<u8, V>((const u8 *)a.w[14], at, count, in.c2);
  in.n2 = a.w[15] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[15], at, count);
  load_values<f64, V>((const f64 *)a.w[16], at, count, in.c3);
  load_values<i64, V>((const i64 *)a.w[18], at, count, in.c4);
  in.c5 = load_bits<V>((const u8 *)a.w[20], at, count);
  in.n5 = a.w[21] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[21], at, count);
  load_values<i32, V>((const i32 *)a.w[22], at, count, in.c6);
}
struct Out {
  f32 o0;
  bool m0;
  i64 o1;
  bool m1;
  u8 o2;
  bool m2;
  f64 o3;
  bool m3;
  i64 o4;
  bool m4;
  f32 o5;
  bool m5;
  f64 o6;
  bool m6;
  bool o7;
  bool m7;
  i32 o8;
  bool m8;
  f32 o9;
  bool m9;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  f32 v0 = in.c0[i];
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  i64 v1 = in.c1[i];
  u8 v2 = in.c2[i];
  bool n2 = ((in.n2 >> i) & 1u) != 0u;
  f64 v3 = in.c3[i];
  i64 v4 = in.c4[i];
  bool v5 = ((in.c5 >> i) & 1u) != 0u;
  bool n5 = ((in.n5 >> i) & 1u) != 0u;
  i32 v6 = in.c6[i];
  out.keep = (n5 && v5);
  out.o0 = v0;
  out.m0 = n0;
  out.o1 = v1;
  out.m1 = true;
  out.o2 = v2;
  out.m2 = n2;
  out.o3 = v3;
  out.m3 = true;
  out.o4 = v4;
  out.m4 = true;
  out.o5 = v0;
  out.m5 = n0;
  out.o6 = v3;
  out.m6 = true;
  out.o7 = v5;
  out.m7 = n5;
  out.o8 = v6;
  out.m8 = true;
  out.o9 = v0;
  out.m9 = n0;
  out.bad = bad;
}
template <class T> struct Words;
struct Local {
  i128 a1;
  i128 a2;
  i128 a4;
  f32 a5;
  u32 h5;
  f64 a6;
  u32 h6;
  bool a7;
  u32 h7;
  i32 a8;
  u32 h8;
  u64 a9;
  u64 a10;
};
template <> struct Words<Local> { static const int count = 25; };
FN void to_words(const Local &n, u32 *w) {
  put_word(n.a1, w + 0);
  put_word(n.a2, w + 4);
  put_word(n.a4, w + 8);
  put_word(n.a5, w + 12);
  put_word(n.h5, w + 13);
  put_word(n.a6, w + 14);
  put_word(n.h6, w + 16);
  put_word(n.a7, w + 17);
  put_word(n.h7, w + 18);
  put_word(n.a8, w + 19);
  put_word(n.h8, w + 20);
  put_word(n.a9, w + 21);
  put_word(n.a10, w + 23);
}
FN void from_words(Local &n, const u32 *w) {
  get_word(n.a1, w + 0);
  get_word(n.a2, w + 4);
  get_word(n.a4, w + 8);
  get_word(n.a5, w + 12);
  get_word(n.h5, w + 13);
  get_word(n.a6, w + 14);
  get_word(n.h6, w + 16);
  get_word(n.a7, w + 17);
  get_word(n.h7, w + 18);
  get_word(n.a8, w + 19);
  get_word(n.h8, w + 20);
  get_word(n.a9, w + 21);
  get_word(n.a10, w + 23);
}
FN bool starts_here(const Local &e) { return false; }
FN void reset(Local &left) {
  left.a1 = 0;
  left.a2 = 0;
  left.a4 = 0;
  left.a5 = (f32)0;
  left.h5 = 0u;
  left.a6 = (f64)0;
  left.h6 = 0u;
  left.a7 = (bool)0;
  left.h7 = 0u;
  left.a8 = (i32)0;
  left.h8 = 0u;
  left.a9 = 0;
  left.a10 = 0;
}
FN void clear(Local &n) {
  reset(n);
}
FN void append(Local &left, const Local &right) {
  if (starts_here(right)) { reset(left); }
  left.a1 += right.a1;
  left.a2 += right.a2;
  left.a4 += right.a4;
  if (right.h5 != 0u && (left.h5 == 0u || below<f32>(right.a5, left.a5))) { left.a5 = right.a5; left.h5 = 1u; }
  if (right.h6 != 0u && (left.h6 == 0u || below<f64>(left.a6, right.a6))) { left.a6 = right.a6; left.h6 = 1u; }
  if (right.h7 != 0u && (left.h7 == 0u || below<bool>(right.a7, left.a7))) { left.a7 = right.a7; left.h7 = 1u; }
  if (right.h8 != 0u && (left.h8 == 0u || below<i32>(left.a8, right.a8))) { left.a8 = right.a8; left.h8 = 1u; }
  left.a9 += right.a9;
  left.a10 += right.a10;
}
struct Exact {
  i128 a1;
  i128 a2;
  i128 a4;
  f32 a5;
  u32 h5;
  f64 a6;
  u32 h6;
  bool a7;
  u32 h7;
  i32 a8;
  u32 h8;
  u64 a9;
  u64 a10;
};
template <> struct Words<Exact> { static const int count = 25; };
FN void to_words(const Exact &n, u32 *w) {
  put_word(n.a1, w + 0);
  put_word(n.a2, w + 4);
  put_word(n.a4, w + 8);
  put_word(n.a5, w + 12);
  put_word(n.h5, w + 13);
  put_word(n.a6, w + 14);
  put_word(n.h6, w + 16);
  put_word(n.a7, w + 17);
  put_word(n.h7, w + 18);
  put_word(n.a8, w + 19);
  put_word(n.h8, w + 20);
  put_word(n.a9, w + 21);
  put_word(n.a10, w + 23);
}
FN void from_words(Exact &n, const u32 *w) {
  get_word(n.a1, w + 0);
  get_word(n.a2, w + 4);
  get_word(n.a4, w + 8);
  get_word(n.a5, w + 12);
  get_word(n.h5, w + 13);
  get_word(n.a6, w + 14);
  get_word(n.h6, w + 16);
  get_word(n.a7, w + 17);
  get_word(n.h7, w + 18);
  get_word(n.a8, w + 19);
  get_word(n.h8, w + 20);
  get_word(n.a9, w + 21);
  get_word(n.a10, w + 23);
}
FN bool starts_here(const Exact &e) { return false; }
FN void reset(Exact &left) {
  left.a1 = 0;
  left.a2 = 0;
  left.a4 = 0;
  left.a5 = (f32)0;
  left.h5 = 0u;
  left.a6 = (f64)0;
  left.h6 = 0u;
  left.a7 = (bool)0;
  left.h7 = 0u;
  left.a8 = (i32)0;
  left.h8 = 0u;
  left.a9 = 0;
  left.a10 = 0;
}
FN void clear(Exact &n) {
  reset(n);
}
FN void append(Exact &left, const Exact &right) {
  if (starts_here(right)) { reset(left); }
  left.a1 += right.a1;
  left.a2 += right.a2;
  left.a4 += right.a4;
  if (right.h5 != 0u && (left.h5 == 0u || below<f32>(right.a5, left.a5))) { left.a5 = right.a5; left.h5 = 1u; }
  if (right.h6 != 0u && (left.h6 == 0u || below<f64>(left.a6, right.a6))) { left.a6 = right.a6; left.h6 = 1u; }
  if (right.h7 != 0u && (left.h7 == 0u || below<bool>(right.a7, left.a7))) { left.a7 = right.a7; left.h7 = 1u; }
  if (right.h8 != 0u && (left.h8 == 0u || below<i32>(left.a8, right.a8))) { left.a8 = right.a8; left.h8 = 1u; }
  left.a9 += right.a9;
  left.a10 += right.a10;
}
FN Exact widened(const Local &l) {
  Exact n;
  n.a1 = (i128)l.a1;
  n.a2 = (i128)l.a2;
  n.a4 = (i128)l.a4;
  n.a5 = (f32)l.a5;
  n.h5 = (u32)l.h5;
  n.a6 = (f64)l.a6;
  n.h6 = (u32)l.h6;
  n.a7 = (bool)l.a7;
  n.h7 = (u32)l.h7;
  n.a8 = (i32)l.a8;
  n.h8 = (u32)l.h8;
  n.a9 = (u64)l.a9;
  n.a10 = (u64)l.a10;
  return n;
}
#define NODE_WORDS 28
struct Node {
  Exact e;
  f32 a0;
  f64 a3;
};
template <> struct Words<Node> { static const int count = NODE_WORDS; };
FN void to_words(const Node &n, u32 *w) {
  to_words(n.e, w);
  put_word(n.a0, w + 25);
  put_word(n.a3, w + 26);
}
FN void from_words(Node &n, const u32 *w) {
  from_words(n.e, w);
  get_word(n.a0, w + 25);
  get_word(n.a3, w + 26);
}
FN Node nothing() {
  Node n;
  clear(n.e);
  n.a0 = f32_of(0x80000000u);
  n.a3 = f64_of(0x8000000000000000ull);
  return n;
}
FN void append(Node &left, const Node &right) {
  left.a0 = starts_here(right.e) ? right.a0 : add<f32>(left.a0, right.a0);
  left.a3 = starts_here(right.e) ? right.a3 : add<f64>(left.a3, right.a3);
  append(left.e, right.e);
}
// … nodes.cu …
struct Lanes {
  f32 s0[4];
  f64 s3[4];
  u32 unused;
};
FN void fold_row(const Args &a, u64 row, const In &in, int i, int j, Exact &exact, Lanes &lanes, Thread &t) {
  Out o;
  body(a, row, in, i, o, t);
  lanes.s0[j] = add<f32>(lanes.s0[j], (o.keep && o.m0) ? o.o0 : f32_of(0x80000000u));
  if (o.keep && o.m1) { exact.a1 += (i128)o.o1; }
  if (o.keep && o.m2) { exact.a2 += (i128)o.o2; }
  lanes.s3[j] = add<f64>(lanes.s3[j], (o.keep && o.m3) ? o.o3 : f64_of(0x8000000000000000ull));
  if (o.keep && o.m4) { exact.a4 += (i128)o.o4; }
  if ((o.keep && o.m5) && (exact.h5 == 0u || below<f32>(o.o5, exact.a5))) { exact.a5 = o.o5; exact.h5 = 1u; }
  if ((o.keep && o.m6) && (exact.h6 == 0u || below<f64>(exact.a6, o.o6))) { exact.a6 = o.o6; exact.h6 = 1u; }
  if ((o.keep && o.m7) && (exact.h7 == 0u || below<bool>(o.o7, exact.a7))) { exact.a7 = o.o7; exact.h7 = 1u; }
  if ((o.keep && o.m8) && (exact.h8 == 0u || below<i32>(exact.a8, o.o8))) { exact.a8 = o.o8; exact.h8 = 1u; }
  exact.a9 += (o.keep && o.m9) ? 1ull : 0ull;
  exact.a10 += (o.keep) ? 1ull : 0ull;
}
FN void start_lanes(Lanes &lanes) {
#pragma unroll
  for (int once = 0; once < 1; once++) {
  for (int j = 0; j < 4; j++) { lanes.s0[j] = f32_of(0x80000000u); }
  for (int j = 0; j < 4; j++) { lanes.s3[j] = f64_of(0x8000000000000000ull); }
  }
}
template <class T, int W> FN T join_lanes(T (&s)[4]);
FN void join_all_lanes(Lanes &lanes, Node &node) {
  node.a0 = join_lanes<f32, V>(lanes.s0);
  node.a3 = join_lanes<f64, V>(lanes.s3);
}
template <bool WHOLE> FN void fold_leaf(const Args &a, u64 base, u64 rows, Node &n, Thread &t) {
  const u32 lane = threadIdx.x % 32;
  Lanes lanes;
  start_lanes(lanes);
#pragma unroll 1
  for (u32 k = 0; k < 32 && (WHOLE || base + k * 128 < rows); k += U) {
    In loaded[2];
#pragma unroll
    for (int q = 0; q < 2; q++) { load_chunk<WHOLE>(a, base + (u64)(k + q / 2) * 128 + q % 2 * 64 + lane * V, rows, loaded[q]); }
#pragma unroll
    for (int q = 0; q < 2; q++) {
      const u64 at = base + (u64)(k + q / 2) * 128 + q % 2 * 64 + lane * V;
      const In &in = loaded[q];
#pragma unroll
      for (int i = 0; i < V; i++) { if (i < in.count) { fold_row(a, a.w[1] + at + i, in, i, q % 2 * V + i, n.e, lanes, t); } }
    }
  }
#pragma unroll
  for (u32 s = 16; s > 0; s /= 2) { append(n.e, shuffle_from(n.e, (lane + s) % 32)); }
  join_all_lanes(lanes, n);
}
#define LEAF_BYTES 352ull
FN void write_leaf(u8 *to, const Node &n) {
  *(f32 *)(to + 0) = canonical<f32>(n.a0);
  *(u32 *)(to + 16) = 1u;
  *(i128 *)(to + 32) = n.e.a1;
  *(u32 *)(to + 48) = 1u;
  *(i128 *)(to + 64) = n.e.a2;
  *(u32 *)(to + 80) = 1u;
  *(f64 *)(to + 96) = canonical<f64>(n.a3);
  *(u32 *)(to + 112) = 1u;
  *(i128 *)(to + 128) = n.e.a4;
  *(u32 *)(to + 144) = 1u;
  *(f32 *)(to + 160) = canonical<f32>(n.e.a5);
  *(u32 *)(to + 176) = n.e.h5;
  *(f64 *)(to + 192) = canonical<f64>(n.e.a6);
  *(u32 *)(to + 208) = n.e.h6;
  *(bool *)(to + 224) = canonical<bool>(n.e.a7);
  *(u32 *)(to + 240) = n.e.h7;
  *(i32 *)(to + 256) = canonical<i32>(n.e.a8);
  *(u32 *)(to + 272) = n.e.h8;
  *(u64 *)(to + 288) = n.e.a9;
  *(u32 *)(to + 304) = 1u;
  *(u64 *)(to + 320) = n.e.a10;
  *(u32 *)(to + 336) = 1u;
}
#define GROUP_BYTES 112ull
FN void write_result(const Args &a, const Node &n) {
  u64 fault = 0;
  
  *(f32 *)a.w[24] = canonical<f32>(add<f32>(n.a0, f32_of(0x0u)));
  if ((i128)(i64)n.e.a1 != n.e.a1) { if (fault < 10ull) { fault = 10ull; } }
  *(i64 *)a.w[26] = (i64)n.e.a1;
  if (n.e.a2 >= i128_of(0x4b3b4ca85a86c47aull, 0x98a224000000000ull) || n.e.a2 <= -i128_of(0x4b3b4ca85a86c47aull, 0x98a224000000000ull)) { if (fault < 9ull) { fault = 9ull; } }
  *(i128 *)a.w[28] = (i128)n.e.a2;
  
  *(f64 *)a.w[30] = canonical<f64>(add<f64>(n.a3, f64_of(0x0ull)));
  if (n.e.a4 >= i128_of(0x4b3b4ca85a86c47aull, 0x98a224000000000ull) || n.e.a4 <= -i128_of(0x4b3b4ca85a86c47aull, 0x98a224000000000ull)) { if (fault < 7ull) { fault = 7ull; } }
  *(i128 *)a.w[32] = (i128)n.e.a4;
  
  *(u8 *)a.w[35] = n.e.h5 != 0u ? 1 : 0;
  *(f32 *)a.w[34] = canonical<f32>(n.e.a5);
  
  *(u8 *)a.w[37] = n.e.h6 != 0u ? 1 : 0;
  *(f64 *)a.w[36] = canonical<f64>(n.e.a6);
  
  *(u8 *)a.w[39] = n.e.h7 != 0u ? 1 : 0;
  *(u8 *)a.w[38] = canonical<bool>(n.e.a7) ? 1 : 0;
  
  *(u8 *)a.w[41] = n.e.h8 != 0u ? 1 : 0;
  *(i32 *)a.w[40] = canonical<i32>(n.e.a8);
  
  *(u64 *)a.w[42] = n.e.a9;
  
  *(u64 *)a.w[44] = n.e.a10;
  ((u64 *)a.w[2])[2] = fault;
}
// The sum of a leaf's 128 lanes, of which each thread has four: halves are added, as the interpreter does.
template <class T, int W> FN T join_lanes(T (&s)[4]) {
  const u32 lane = threadIdx.x % 32;
  if (W == 2) {
    s[0] = add<T>(s[0], s[2]);
    s[1] = add<T>(s[1], s[3]);
  }
  if (W == 1) {
    s[0] = add<T>(s[0], s[2]);
    s[1] = add<T>(s[1], s[3]);
    s[0] = add<T>(s[0], s[1]);
  }
#pragma unroll
  for (u32 h = 16; h > 0; h /= 2) {
#pragma unroll
    for (int j = 0; j < W; j++) { s[j] = add<T>(s[j], shuffle_value(s[j], (lane + h) % 32)); }
  }
  if (W == 4) {
    s[0] = add<T>(s[0], s[2]);
    s[1] = add<T>(s[1], s[3]);
  }
  if (W >= 2) { s[0] = add<T>(s[0], s[1]); }
  return s[0];
}
// Joins the nodes of neighbouring threads, left first; the first thread has the result.
FN void join_nodes(Node &n, u32 threads) {
  const u32 lane = threadIdx.x % 32;
#pragma unroll 1
  for (u32 s = 1; s < threads; s *= 2) { append(n, shuffle_from(n, (lane + s) % 32)); }
}
FN void write_node(u8 *to, const Node &node) {
  u32 w[NODE_WORDS + 1];
  to_words(node, w);
#pragma unroll
  for (int k = 0; k < NODE_WORDS; k++) { ((u32 *)to)[k] = w[k]; }
}
// What another block wrote is read past the nearest cache.
FN Node read_node(const u8 *from) {
  u32 w[NODE_WORDS + 1];
#pragma unroll
  for (int k = 0; k < NODE_WORDS; k++) { w[k] = __ldcg((const u32 *)from + k); }
  Node n;
  from_words(n, w);
  return n;
}
// Tells of a group's record. Whoever is the last of 32 siblings joins them and goes on with their parent; whoever has the
// root writes the result. A record's place among its siblings goes by its number in the source. One warp works here.
FN void join_records(const Args &a, u64 number, u64 first, u64 count, const Node &own) {
  const u32 lane = threadIdx.x % 32;
  u32 *arrived = (u32 *)a.w[3] + 16;
  u64 counters = 0;
  for (u64 f = first, n = count; n > 1;) {
    n = (f + n - 1) / 32 - f / 32 + 1;
    f /= 32;
    counters += n;
  }
  u8 *records = (u8 *)arrived + (counters * 4 + 63) / 64 * 64;
  Node n = own;
  while (count > 1) {
    if (lane == 0) { write_node(records + (number - first) * GROUP_BYTES, n); }
    const u64 parent = number / 32, parents = first / 32;
    const u64 low = max(parent * 32, first), high = min(parent * 32 + 31, first + count - 1);
    __threadfence();
    u32 before = 0;
    if (lane == 0) { before = atomicAdd(arrived + (parent - parents), 1u); }
    if (__shfl_sync(FULL, before, 0) != high - low) { return; }
    __threadfence();
    const u64 sibling = parent * 32 + lane;
    n = nothing();
    if (sibling >= low && sibling <= high) { n = read_node(records + (sibling - first) * GROUP_BYTES); }
    __syncwarp();
    join_nodes(n, 32);
    records += count * GROUP_BYTES;
    count = (first + count - 1) / 32 - parents + 1;
    arrived += count;
    first = parents;
    number = parent;
  }
  if (lane == 0) { write_result(a, n); }
}
extern "C" __global__ void __launch_bounds__(256) pointsman(const __grid_constant__ Args a) {
  __shared__ Node group[8];
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u64 rows = a.w[0], first = a.w[1] / 4096, leaves = (rows + 4095) / 4096;
  const u64 number = first / 8 + blockIdx.x, leaf = number * 8 + warp;
  const bool partial = a.w[4] != 0;
  Thread t = {0, 0u, false};
  Node n = nothing();
  if (leaf >= first && leaf - first < leaves) {
    const u64 base = (leaf - first) * 4096;
    if ( base + 4096 <= rows) {
      fold_leaf<true>(a, base, rows, n, t);
    } else {
      fold_leaf<false>(a, base, rows, n, t);
    }
    if (partial && lane == 0) { write_leaf((u8 *)a.w[3] + 64 + (leaf - first) * LEAF_BYTES, n); }
  }
  
  if (partial) { return; }
  if (lane == 0) { group[warp] = n; }
  __syncthreads();
  if (warp != 0) { return; }
  n = lane < 8 ? group[lane] : nothing();
  join_nodes(n, 8);
  join_records(a, number, first / 8, a.w[5], n);
}
