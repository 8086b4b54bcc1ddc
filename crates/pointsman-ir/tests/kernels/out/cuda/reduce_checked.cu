// Needs { threads: 256, tile_rows: 32768, shared_bytes: 0, block_scratch: 0, kind: Reduce { group_bytes: 16, leaf_bytes: 32 }, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 4
#define U 4
struct Args { u64 w[23]; };
struct In {
  i32 c0[V];
  i32 c1[V];
  u32 n1;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i32, V>((const i32 *)a.w[10], at, count, in.c0);
  load_values<i32, V>((const i32 *)a.w[12], at, count, in.c1);
  in.n1 = a.w[13] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[13], at, count);
}
struct Out {
  i64 o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i32 v0 = in.c0[i];
  i32 v1 = in.c1[i];
  bool n1 = ((in.n1 >> i) & 1u) != 0u;
  bool e2 = false;
  i32 v2 = div_checked<i32>(v0, v1, e2);
  bool n2 = n1;
  e2 = e2 && n1;
  bool e3 = false;
  i32 v3 = mul_checked<i32>(v2, v0, e3);
  bool n3 = n2;
  e3 = e3 && n2;
  i64 v4 = (i64)((i128)v3);
  bool n4 = n3;
  i64 v5 = (i64)a.w[14];
  bool n5 = a.w[16] != 0ull;
  bool e6 = false;
  i64 v6 = add_checked<i64>(v4, v5, e6);
  bool n6 = n4 && n5;
  e6 = e6 && n4 && n5;
  bad = bad || (e2);
  bad = bad || (e3);
  bad = bad || (e6);
  out.keep = true;
  out.o0 = v6;
  out.m0 = n6;
  out.bad = bad;
}
template <class T> struct Words;
struct Local {
  i128 a0;
};
template <> struct Words<Local> { static const int count = 4; };
FN void to_words(const Local &n, u32 *w) {
  put_word(n.a0, w + 0);
}
FN void from_words(Local &n, const u32 *w) {
  get_word(n.a0, w + 0);
}
FN bool starts_here(const Local &e) { return false; }
FN void reset(Local &left) {
  left.a0 = 0;
}
FN void clear(Local &n) {
  reset(n);
}
FN void append(Local &left, const Local &right) {
  if (starts_here(right)) { reset(left); }
  left.a0 += right.a0;
}
struct Exact {
  i128 a0;
};
template <> struct Words<Exact> { static const int count = 4; };
FN void to_words(const Exact &n, u32 *w) {
  put_word(n.a0, w + 0);
}
FN void from_words(Exact &n, const u32 *w) {
  get_word(n.a0, w + 0);
}
FN bool starts_here(const Exact &e) { return false; }
FN void reset(Exact &left) {
  left.a0 = 0;
}
FN void clear(Exact &n) {
  reset(n);
}
FN void append(Exact &left, const Exact &right) {
  if (starts_here(right)) { reset(left); }
  left.a0 += right.a0;
}
FN Exact widened(const Local &l) {
  Exact n;
  n.a0 = (i128)l.a0;
  return n;
}
#define NODE_WORDS 4
struct Node {
  Exact e;
};
template <> struct Words<Node> { static const int count = NODE_WORDS; };
FN void to_words(const Node &n, u32 *w) {
  to_words(n.e, w);
}
FN void from_words(Node &n, const u32 *w) {
  from_words(n.e, w);
}
FN Node nothing() {
  Node n;
  clear(n.e);
  return n;
}
FN void append(Node &left, const Node &right) {
  append(left.e, right.e);
}
// … nodes.cu …
struct Lanes {
  u32 unused;
};
FN void fold_row(const Args &a, u64 row, const In &in, int i, int j, Exact &exact, Lanes &lanes, Thread &t) {
  Out o;
  body(a, row, in, i, o, t);
  if (o.bad && ~row > t.worst) { t.worst = ~row; }
  if (o.keep && o.m0) { exact.a0 += (i128)o.o0; }
}
FN void start_lanes(Lanes &lanes) {
#pragma unroll
  for (int once = 0; once < 1; once++) {
  }
}
template <class T, int W> FN T join_lanes(T (&s)[4]);
FN void join_all_lanes(Lanes &lanes, Node &node) {
}
template <bool WHOLE> FN void fold_leaf(const Args &a, u64 base, u64 rows, Node &n, Thread &t) {
  const u32 lane = threadIdx.x % 32;
  Lanes lanes;
  start_lanes(lanes);
#pragma unroll 1
  for (u32 k = 0; k < 32 && (WHOLE || base + k * 128 < rows); k += U) {
    In loaded[4];
#pragma unroll
    for (int q = 0; q < 4; q++) { load_chunk<WHOLE>(a, base + (u64)(k + q / 1) * 128 + q % 1 * 128 + lane * V, rows, loaded[q]); }
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const u64 at = base + (u64)(k + q / 1) * 128 + q % 1 * 128 + lane * V;
      const In &in = loaded[q];
#pragma unroll
      for (int i = 0; i < V; i++) { if (i < in.count) { fold_row(a, a.w[1] + at + i, in, i, q % 1 * V + i, n.e, lanes, t); } }
    }
  }
#pragma unroll
  for (u32 s = 16; s > 0; s /= 2) { append(n.e, shuffle_from(n.e, (lane + s) % 32)); }
  join_all_lanes(lanes, n);
}
#define LEAF_BYTES 32ull
FN void write_leaf(u8 *to, const Node &n) {
  *(i128 *)(to + 0) = n.e.a0;
  *(u32 *)(to + 16) = 1u;
}
#define GROUP_BYTES 16ull
FN void write_result(const Args &a, const Node &n) {
  u64 fault = 0;
  if ((i128)(i64)n.e.a0 != n.e.a0) { if (fault < 1ull) { fault = 1ull; } }
  *(i64 *)a.w[17] = (i64)n.e.a0;
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
