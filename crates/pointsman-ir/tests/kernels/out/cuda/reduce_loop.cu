// Needs { threads: 256, tile_rows: 32768, shared_bytes: 0, block_scratch: 0, kind: Reduce { group_bytes: 48, leaf_bytes: 160 }, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 2
struct Args { u64 w[33]; };
struct In {
  f32 c0[V];
  i64 c1[V];
  u32 n1;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f32, V>((const f32 *)a.w[10], at, count, in.c0);
  load_values<i64, V>((const i64 *)a.w[12], at, count, in.c1);
  in.n1 = a.w[13] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[13], at, count);
}
struct Out {
  f32 o0;
  bool m0;
  u32 o1;
  bool m1;
  f32 o2;
  bool m2;
  u32 o3;
  bool m3;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  f32 v0 = in.c0[i];
  f32 v1 = f32_of((u32)a.w[14]);
  u32 v2 = (u32)0x0u;
  f32 v3 = f32_of(0x40490fdbu);
  f32 s4_0 = v0;
  bool t4_0 = true;
  u32 s4_1 = v2;
  bool t4_1 = true;
  bool e4 = false;
  for (u32 k4 = 0u; k4 < 16u; k4++) {
    u32 v5 = k4;
    f32 v6 = s4_0;
    bool e7 = false;
    f32 v7 = element((const f32*)a.w[17], (u64)v5, a.w[18], e7);
    f32 v8 = fma_rn(v6, v1, v7);
    bool v9 = (v8 < v3);
    i64 v10 = in.c1[i];
    bool n10 = ((in.n1 >> i) & 1u) != 0u;
    bool e11 = false;
    u32 v11 = bounded<u32>((i128)v10, i128_of(0x0ull, 0x0ull), i128_of(0x0ull, 0xffffffffull), e11);
    bool n11 = n10;
    e11 = e11 && n10;
    e4 = e4 || (e7);
    e4 = e4 || (e11 && v9);
    if (!v9) { break; }
    f32 x4_0 = v8;
    bool y4_0 = true;
    u32 x4_1 = v11;
    bool y4_1 = n11;
    s4_0 = x4_0;
    t4_0 = y4_0;
    s4_1 = x4_1;
    t4_1 = y4_1;
  }
  f32 v12 = s4_0;
  u32 v13 = s4_1;
  bool n13 = t4_1;
  bool v14 = lt<u32>(v2, v13);
  bool n14 = n13;
  bad = bad || (e4);
  out.keep = (n14 && v14);
  out.o0 = v12;
  out.m0 = true;
  out.o1 = v13;
  out.m1 = n13;
  out.o2 = v12;
  out.m2 = true;
  out.o3 = v13;
  out.m3 = n13;
  out.bad = bad;
}
template <class T> struct Words;
struct Local {
  u64 a1;
  u32 a2;
  u32 h2;
  f32 a3;
  u32 h3;
  u64 a4;
};
template <> struct Words<Local> { static const int count = 8; };
FN void to_words(const Local &n, u32 *w) {
  put_word(n.a1, w + 0);
  put_word(n.a2, w + 2);
  put_word(n.h2, w + 3);
  put_word(n.a3, w + 4);
  put_word(n.h3, w + 5);
  put_word(n.a4, w + 6);
}
FN void from_words(Local &n, const u32 *w) {
  get_word(n.a1, w + 0);
  get_word(n.a2, w + 2);
  get_word(n.h2, w + 3);
  get_word(n.a3, w + 4);
  get_word(n.h3, w + 5);
  get_word(n.a4, w + 6);
}
FN bool starts_here(const Local &e) { return false; }
FN void reset(Local &left) {
  left.a1 = 0;
  left.a2 = (u32)0;
  left.h2 = 0u;
  left.a3 = (f32)0;
  left.h3 = 0u;
  left.a4 = 0;
}
FN void clear(Local &n) {
  reset(n);
}
FN void append(Local &left, const Local &right) {
  if (starts_here(right)) { reset(left); }
  left.a1 += right.a1;
  if (right.h2 != 0u && (left.h2 == 0u || below<u32>(right.a2, left.a2))) { left.a2 = right.a2; left.h2 = 1u; }
  if (right.h3 != 0u && (left.h3 == 0u || below<f32>(left.a3, right.a3))) { left.a3 = right.a3; left.h3 = 1u; }
  left.a4 += right.a4;
}
struct Exact {
  u64 a1;
  u32 a2;
  u32 h2;
  f32 a3;
  u32 h3;
  u64 a4;
};
template <> struct Words<Exact> { static const int count = 8; };
FN void to_words(const Exact &n, u32 *w) {
  put_word(n.a1, w + 0);
  put_word(n.a2, w + 2);
  put_word(n.h2, w + 3);
  put_word(n.a3, w + 4);
  put_word(n.h3, w + 5);
  put_word(n.a4, w + 6);
}
FN void from_words(Exact &n, const u32 *w) {
  get_word(n.a1, w + 0);
  get_word(n.a2, w + 2);
  get_word(n.h2, w + 3);
  get_word(n.a3, w + 4);
  get_word(n.h3, w + 5);
  get_word(n.a4, w + 6);
}
FN bool starts_here(const Exact &e) { return false; }
FN void reset(Exact &left) {
  left.a1 = 0;
  left.a2 = (u32)0;
  left.h2 = 0u;
  left.a3 = (f32)0;
  left.h3 = 0u;
  left.a4 = 0;
}
FN void clear(Exact &n) {
  reset(n);
}
FN void append(Exact &left, const Exact &right) {
  if (starts_here(right)) { reset(left); }
  left.a1 += right.a1;
  if (right.h2 != 0u && (left.h2 == 0u || below<u32>(right.a2, left.a2))) { left.a2 = right.a2; left.h2 = 1u; }
  if (right.h3 != 0u && (left.h3 == 0u || below<f32>(left.a3, right.a3))) { left.a3 = right.a3; left.h3 = 1u; }
  left.a4 += right.a4;
}
FN Exact widened(const Local &l) {
  Exact n;
  n.a1 = (u64)l.a1;
  n.a2 = (u32)l.a2;
  n.h2 = (u32)l.h2;
  n.a3 = (f32)l.a3;
  n.h3 = (u32)l.h3;
  n.a4 = (u64)l.a4;
  return n;
}
#define NODE_WORDS 9
struct Node {
  Exact e;
  f32 a0;
};
template <> struct Words<Node> { static const int count = NODE_WORDS; };
FN void to_words(const Node &n, u32 *w) {
  to_words(n.e, w);
  put_word(n.a0, w + 8);
}
FN void from_words(Node &n, const u32 *w) {
  from_words(n.e, w);
  get_word(n.a0, w + 8);
}
FN Node nothing() {
  Node n;
  clear(n.e);
  n.a0 = f32_of(0x80000000u);
  return n;
}
FN void append(Node &left, const Node &right) {
  left.a0 = starts_here(right.e) ? right.a0 : add<f32>(left.a0, right.a0);
  append(left.e, right.e);
}
// … nodes.cu …
struct Lanes {
  f32 s0[4];
  u32 unused;
};
FN void fold_row(const Args &a, u64 row, const In &in, int i, int j, Exact &exact, Lanes &lanes, Thread &t) {
  Out o;
  body(a, row, in, i, o, t);
  if (o.bad && ~row > t.worst) { t.worst = ~row; }
  lanes.s0[j] = add<f32>(lanes.s0[j], (o.keep && o.m0) ? o.o0 : f32_of(0x80000000u));
  exact.a1 += (o.keep) ? 1ull : 0ull;
  if ((o.keep && o.m1) && (exact.h2 == 0u || below<u32>(o.o1, exact.a2))) { exact.a2 = o.o1; exact.h2 = 1u; }
  if ((o.keep && o.m2) && (exact.h3 == 0u || below<f32>(exact.a3, o.o2))) { exact.a3 = o.o2; exact.h3 = 1u; }
  exact.a4 += (o.keep && o.m3) ? 1ull : 0ull;
}
FN void start_lanes(Lanes &lanes) {
#pragma unroll
  for (int once = 0; once < 1; once++) {
  for (int j = 0; j < 4; j++) { lanes.s0[j] = f32_of(0x80000000u); }
  }
}
template <class T, int W> FN T join_lanes(T (&s)[4]);
FN void join_all_lanes(Lanes &lanes, Node &node) {
  node.a0 = join_lanes<f32, V>(lanes.s0);
}
template <bool WHOLE> FN void fold_leaf(const Args &a, u64 base, u64 rows, Node &n, Thread &t) {
  const u32 lane = threadIdx.x % 32;
  Lanes lanes;
  start_lanes(lanes);
#pragma unroll 1
  for (u32 k = 0; k < 32 && (WHOLE || base + k * 128 < rows); k += U) {
    In loaded[4];
#pragma unroll
    for (int q = 0; q < 4; q++) { load_chunk<WHOLE>(a, base + (u64)(k + q / 2) * 128 + q % 2 * 64 + lane * V, rows, loaded[q]); }
#pragma unroll
    for (int q = 0; q < 4; q++) {
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
#define LEAF_BYTES 160ull
FN void write_leaf(u8 *to, const Node &n) {
  *(f32 *)(to + 0) = canonical<f32>(n.a0);
  *(u32 *)(to + 16) = 1u;
  *(u64 *)(to + 32) = n.e.a1;
  *(u32 *)(to + 48) = 1u;
  *(u32 *)(to + 64) = canonical<u32>(n.e.a2);
  *(u32 *)(to + 80) = n.e.h2;
  *(f32 *)(to + 96) = canonical<f32>(n.e.a3);
  *(u32 *)(to + 112) = n.e.h3;
  *(u64 *)(to + 128) = n.e.a4;
  *(u32 *)(to + 144) = 1u;
}
#define GROUP_BYTES 48ull
FN void write_result(const Args &a, const Node &n) {
  u64 fault = 0;
  
  *(f32 *)a.w[19] = canonical<f32>(add<f32>(n.a0, f32_of(0x0u)));
  
  *(u64 *)a.w[21] = n.e.a1;
  
  *(u8 *)a.w[24] = n.e.h2 != 0u ? 1 : 0;
  *(u32 *)a.w[23] = canonical<u32>(n.e.a2);
  
  *(u8 *)a.w[26] = n.e.h3 != 0u ? 1 : 0;
  *(f32 *)a.w[25] = canonical<f32>(n.e.a3);
  
  *(u64 *)a.w[27] = n.e.a4;
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
  report_fault(a.w[2], t.worst);
  if (partial) { return; }
  if (lane == 0) { group[warp] = n; }
  __syncthreads();
  if (warp != 0) { return; }
  n = lane < 8 ? group[lane] : nothing();
  join_nodes(n, 8);
  join_records(a, number, first / 8, a.w[5], n);
}
