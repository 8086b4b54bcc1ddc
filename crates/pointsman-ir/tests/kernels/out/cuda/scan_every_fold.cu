// Needs { threads: 288, tile_rows: 4096, shared_bytes: 49408, block_scratch: 872448, kind: Stream { node_words: 28, leaves: true }, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 1
struct Args { u64 w[78]; };
struct In {
  f32 c0[V];
  u32 n0;
  i32 c1[V];
  i64 c2[V];
  u32 n2;
  f64 c3[V];
  u32 c4;
  u32 n4;
  u32 c5;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f32, V>((const f32 *)a.w[10], at, count, in.c0);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
  load_values<i32, V>((const i32 *)a.w[12], at, count, in.c1);
  load_values<i64, V>((const i64 *)a.w[14], at, count, in.c2);
  in.n2 = a.w[15] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[15], at, count);
  load_values<f64, V>((const f64 *)a.w[16], at, count, in.c3);
  in.c4 = load_bits<V>((const u8 *)a.w[18], at, count);
  in.n4 = a.w[19] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[19], at, count);
  in.c5 = load_bits<V>((const u8 *)a.w[20], at, count);
}
struct Out {
  i32 o0;
  bool m0;
  bool o1;
  bool m1;
  f32 o2;
  bool m2;
  i32 o3;
  bool m3;
  i64 o4;
  bool m4;
  f64 o5;
  bool m5;
  f32 o6;
  bool m6;
  i64 o7;
  bool m7;
  bool o8;
  bool m8;
  i64 o9;
  bool m9;
  i32 o10;
  bool m10;
  bool o11;
  bool m11;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  f32 v0 = in.c0[i];
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  i32 v1 = in.c1[i];
  i64 v2 = in.c2[i];
  bool n2 = ((in.n2 >> i) & 1u) != 0u;
  f64 v3 = in.c3[i];
  bool v4 = ((in.c4 >> i) & 1u) != 0u;
  bool n4 = ((in.n4 >> i) & 1u) != 0u;
  bool v5 = ((in.c5 >> i) & 1u) != 0u;
  out.keep = v5;
  out.o0 = v1;
  out.m0 = true;
  out.o1 = v4;
  out.m1 = n4;
  out.o2 = v0;
  out.m2 = n0;
  out.o3 = v1;
  out.m3 = true;
  out.o4 = v2;
  out.m4 = n2;
  out.o5 = v3;
  out.m5 = true;
  out.o6 = v0;
  out.m6 = n0;
  out.o7 = v2;
  out.m7 = n2;
  out.o8 = v4;
  out.m8 = n4;
  out.o9 = v2;
  out.m9 = n2;
  out.o10 = v1;
  out.m10 = true;
  out.o11 = v4;
  out.m11 = n4;
  out.bad = bad;
}
template <class T> struct Words;
struct Local {
  u32 starts;
  i64 a1;
  i128 a2;
  f32 a4;
  u32 h4;
  i64 a5;
  u32 h5;
  bool a6;
  u32 h6;
  u64 a7;
  u64 a8;
  i128 a9;
};
template <> struct Words<Local> { static const int count = 22; };
FN void to_words(const Local &n, u32 *w) {
  put_word(n.starts, w + 0);
  put_word(n.a1, w + 1);
  put_word(n.a2, w + 3);
  put_word(n.a4, w + 7);
  put_word(n.h4, w + 8);
  put_word(n.a5, w + 9);
  put_word(n.h5, w + 11);
  put_word(n.a6, w + 12);
  put_word(n.h6, w + 13);
  put_word(n.a7, w + 14);
  put_word(n.a8, w + 16);
  put_word(n.a9, w + 18);
}
FN void from_words(Local &n, const u32 *w) {
  get_word(n.starts, w + 0);
  get_word(n.a1, w + 1);
  get_word(n.a2, w + 3);
  get_word(n.a4, w + 7);
  get_word(n.h4, w + 8);
  get_word(n.a5, w + 9);
  get_word(n.h5, w + 11);
  get_word(n.a6, w + 12);
  get_word(n.h6, w + 13);
  get_word(n.a7, w + 14);
  get_word(n.a8, w + 16);
  get_word(n.a9, w + 18);
}
FN bool starts_here(const Local &e) { return e.starts != 0u; }
FN void reset(Local &left) {
  left.a1 = 0;
  left.a2 = 0;
  left.a4 = (f32)0;
  left.h4 = 0u;
  left.a5 = (i64)0;
  left.h5 = 0u;
  left.a6 = (bool)0;
  left.h6 = 0u;
  left.a7 = 0;
  left.a8 = 0;
  left.a9 = 0;
}
FN void clear(Local &n) {
  reset(n);
  n.starts = 0u;
}
FN void append(Local &left, const Local &right) {
  if (starts_here(right)) { reset(left); }
  left.a1 += right.a1;
  left.a2 += right.a2;
  if (right.h4 != 0u && (left.h4 == 0u || below<f32>(right.a4, left.a4))) { left.a4 = right.a4; left.h4 = 1u; }
  if (right.h5 != 0u && (left.h5 == 0u || below<i64>(left.a5, right.a5))) { left.a5 = right.a5; left.h5 = 1u; }
  if (right.h6 != 0u && (left.h6 == 0u || below<bool>(right.a6, left.a6))) { left.a6 = right.a6; left.h6 = 1u; }
  left.a7 += right.a7;
  left.a8 += right.a8;
  left.a9 += right.a9;
  left.starts |= right.starts;
}
struct Exact {
  u64 count;
  u32 starts;
  i128 a1;
  i128 a2;
  f32 a4;
  u32 h4;
  i64 a5;
  u32 h5;
  bool a6;
  u32 h6;
  u64 a7;
  u64 a8;
  i128 a9;
};
template <> struct Words<Exact> { static const int count = 25; };
FN void to_words(const Exact &n, u32 *w) {
  put_word(n.count, w + 0);
  put_word(n.starts, w + 2);
  put_three_words(n.a1, w + 3);
  put_word(n.a2, w + 6);
  put_word(n.a4, w + 10);
  put_word(n.h4, w + 11);
  put_word(n.a5, w + 12);
  put_word(n.h5, w + 14);
  put_word(n.a6, w + 15);
  put_word(n.h6, w + 16);
  put_word(n.a7, w + 17);
  put_word(n.a8, w + 19);
  put_word(n.a9, w + 21);
}
FN void from_words(Exact &n, const u32 *w) {
  get_word(n.count, w + 0);
  get_word(n.starts, w + 2);
  get_three_words(n.a1, w + 3);
  get_word(n.a2, w + 6);
  get_word(n.a4, w + 10);
  get_word(n.h4, w + 11);
  get_word(n.a5, w + 12);
  get_word(n.h5, w + 14);
  get_word(n.a6, w + 15);
  get_word(n.h6, w + 16);
  get_word(n.a7, w + 17);
  get_word(n.a8, w + 19);
  get_word(n.a9, w + 21);
}
FN bool starts_here(const Exact &e) { return e.starts != 0u; }
FN void reset(Exact &left) {
  left.a1 = 0;
  left.a2 = 0;
  left.a4 = (f32)0;
  left.h4 = 0u;
  left.a5 = (i64)0;
  left.h5 = 0u;
  left.a6 = (bool)0;
  left.h6 = 0u;
  left.a7 = 0;
  left.a8 = 0;
  left.a9 = 0;
}
FN void clear(Exact &n) {
  reset(n);
  n.count = 0;
  n.starts = 0u;
}
FN void append(Exact &left, const Exact &right) {
  if (starts_here(right)) { reset(left); }
  left.a1 += right.a1;
  left.a2 += right.a2;
  if (right.h4 != 0u && (left.h4 == 0u || below<f32>(right.a4, left.a4))) { left.a4 = right.a4; left.h4 = 1u; }
  if (right.h5 != 0u && (left.h5 == 0u || below<i64>(left.a5, right.a5))) { left.a5 = right.a5; left.h5 = 1u; }
  if (right.h6 != 0u && (left.h6 == 0u || below<bool>(right.a6, left.a6))) { left.a6 = right.a6; left.h6 = 1u; }
  left.a7 += right.a7;
  left.a8 += right.a8;
  left.a9 += right.a9;
  left.count += right.count;
  left.starts |= right.starts;
}
FN Exact widened(const Local &l) {
  Exact n;
  n.count = 0;
  n.starts = (u32)l.starts;
  n.a1 = (i128)l.a1;
  n.a2 = (i128)l.a2;
  n.a4 = (f32)l.a4;
  n.h4 = (u32)l.h4;
  n.a5 = (i64)l.a5;
  n.h5 = (u32)l.h5;
  n.a6 = (bool)l.a6;
  n.h6 = (u32)l.h6;
  n.a7 = (u64)l.a7;
  n.a8 = (u64)l.a8;
  n.a9 = (i128)l.a9;
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
#define LEAVES true
#define SEGMENTS true
#define ORDERED true
#define SLOTS 2
// … stream.cu …
FN void stage_chunk(
  const Args &a, u8 *shared, u8 *stage, u64 base, u32 at, const In &in, Thread &t
) {
  u32 keep = 0;
  u32 starts = 0;
  u32 c1 = 0;
  u32 n1 = 0;
  u32 h4 = 0;
  u32 h5 = 0;
  u32 t6 = 0;
  u32 h6 = 0;
  u32 h7 = 0;
  u32 h8 = 0;
  i32 x0[V];
  f32 y0[V];
  i32 y1[V];
  i64 y2[V];
  f64 y3[V];
  f32 y4[V];
  i64 y5[V];
  i32 y9[V];
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + base + at + i;
      Out o;
      body(a, row, in, i, o, t);
      keep |= (u32)(o.keep) << i;
      starts |= (u32)(o.keep && o.m11 && o.o11) << i;
      x0[i] = o.m0 ? canonical<i32>(o.o0) : (i32)0;
      c1 |= (u32)(o.m1 && o.o1) << i;
      n1 |= (u32)(o.m1) << i;
      y0[i] = (o.keep && o.m2) ? o.o2 : f32_of(0x80000000u);
      y1[i] = (o.keep && o.m3) ? o.o3 : (i32)0;
      y2[i] = (o.keep && o.m4) ? o.o4 : (i64)0;
      y3[i] = (o.keep && o.m5) ? o.o5 : f64_of(0x8000000000000000ull);
      y4[i] = o.o6;
      h4 |= (u32)(o.keep && o.m6) << i;
      y5[i] = o.o7;
      h5 |= (u32)(o.keep && o.m7) << i;
      t6 |= (u32)(o.o8) << i;
      h6 |= (u32)(o.keep && o.m8) << i;
      h7 |= (u32)(o.keep && o.m9) << i;
      h8 |= (u32)(o.keep) << i;
      y9[i] = (o.keep && o.m10) ? o.o10 : (i32)0;
    } else {
      x0[i] = (i32)0;
      y0[i] = f32_of(0x80000000u);
      y1[i] = (i32)0;
      y2[i] = (i64)0;
      y3[i] = f64_of(0x8000000000000000ull);
      y4[i] = (f32)0;
      y5[i] = (i64)0;
      y9[i] = (i32)0;
    }
  }
  put_chunk<i32>((i32 *)(stage + 0), at, x0);
  put_chunk<f32>((f32 *)(stage + 18432), at, y0);
  put_chunk<i32>((i32 *)(stage + 36864), at, y1);
  put_chunk<i64>((i64 *)(stage + 55296), at, y2);
  put_chunk<f64>((f64 *)(stage + 92160), at, y3);
  put_chunk<f32>((f32 *)(stage + 129024), at, y4);
  put_chunk<i64>((i64 *)(stage + 147456), at, y5);
  put_chunk<i32>((i32 *)(stage + 258048), at, y9);
  stage_bits<V>((u32 *)(shared + 8192), at, keep);
  stage_bits<V>((u32 *)(shared + 8704), at, starts);
  stage_bits<V>((u32 *)(shared + 9728), at, c1);
  stage_bits<V>((u32 *)(shared + 10240), at, n1);
  stage_bits<V>((u32 *)(shared + 10752), at, h4);
  stage_bits<V>((u32 *)(shared + 11264), at, h5);
  stage_bits<V>((u32 *)(shared + 11776), at, t6);
  stage_bits<V>((u32 *)(shared + 12288), at, h6);
  stage_bits<V>((u32 *)(shared + 12800), at, h7);
  stage_bits<V>((u32 *)(shared + 13312), at, h8);
}
template <bool WHOLE>
FN void stage_rows(const Args &a, u8 *shared, u8 *stage, u64 base, u64 rows, Thread &t, u32 &count) {
  const u32 first = threadIdx.x / 32 * WARP_ROWS;
#pragma unroll 1
  for (u32 c = first; c < first + WARP_ROWS; c += 64) {
    In in[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
      load_chunk<WHOLE>(a, base + c + u * 64 + threadIdx.x % 32 * V, rows, in[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++) { stage_chunk(a, shared, stage, base, c + u * 64 + threadIdx.x % 32 * V, in[u], t); }
  }
}
struct Held {
  u32 own;
  Local left;
  Left<f32> left0;
  Left<f64> left3;
};
FN void prefetch_rows(const Args &a, u64 row) {
  if (a.w[10] != 0ull) { prefetch(a.w[10], row, 32); }
  if (a.w[11] != 0ull) { prefetch(a.w[11], row, 1); }
  if (a.w[12] != 0ull) { prefetch(a.w[12], row, 32); }
  if (a.w[14] != 0ull) { prefetch(a.w[14], row, 64); }
  if (a.w[15] != 0ull) { prefetch(a.w[15], row, 1); }
  if (a.w[16] != 0ull) { prefetch(a.w[16], row, 64); }
  if (a.w[18] != 0ull) { prefetch(a.w[18], row, 1); }
  if (a.w[19] != 0ull) { prefetch(a.w[19], row, 1); }
  if (a.w[20] != 0ull) { prefetch(a.w[20], row, 1); }
}
FN void begin_tile(
  const Args &a, Shared &s, u32 slot, u8 *shared, u8 *stage, u64 *nodes, u64 first, u64 rows, u64 tile, Held &h, Thread &t
) {
  const u64 base = (tile - first) * TILE;
  u32 count = 0;
  // Another block will want the tile that comes a round later.
  const u64 later = base + (u64)gridDim.x * TILE;
  if (later + TILE <= rows) { prefetch_rows(a, later); }
  if (base + TILE <= rows) {
    stage_rows<true>(a, shared, stage, base, rows, t, count);
  } else {
    stage_rows<false>(a, shared, stage, base, rows, t, count);
  }
  __syncwarp();
  const u32 mine = ((const u16 *)(shared + 8192))[threadIdx.x];
  const u32 starts = ((const u16 *)(shared + 8704))[threadIdx.x];
  const Ranks ranks = rank_rows(__popc(mine), s.counts);
  h.own = ranks.own;
  if (threadIdx.x % 32 == 0) {
    s.warp_parts[slot][threadIdx.x / 32].left = ranks.left;
    s.warp_parts[slot][threadIdx.x / 32].count = ranks.count;
  }
  Node all = nothing();
    Local own;
    clear(own);
    own.starts = starts != 0u ? 1u : 0u;
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
      const u32 r = threadIdx.x * 16 + i;
      if ((starts >> i & 1) != 0) { reset(own); }
      if ((bit_at(shared + 10752, r)) && (own.h4 == 0u || below<f32>(((const f32 *)(stage + 129024))[place<f32>(r)], own.a4))) { own.a4 = ((const f32 *)(stage + 129024))[place<f32>(r)]; own.h4 = 1u; }
      if ((bit_at(shared + 11264, r)) && (own.h5 == 0u || below<i64>(own.a5, ((const i64 *)(stage + 147456))[place<i64>(r)]))) { own.a5 = ((const i64 *)(stage + 147456))[place<i64>(r)]; own.h5 = 1u; }
      if ((bit_at(shared + 12288, r)) && (own.h6 == 0u || below<bool>(bit_at(shared + 11776, r), own.a6))) { own.a6 = bit_at(shared + 11776, r); own.h6 = 1u; }
      own.a7 += (bit_at(shared + 12800, r)) ? 1ull : 0ull;
      own.a8 += (bit_at(shared + 13312, r)) ? 1ull : 0ull;
    }
    {
      i32 x[16];
      read_sixteen<i32>((const i32 *)(stage + 36864), x);
      i64 sum = 0;
#pragma unroll
      for (int i = 0; i < 16; i++) {
        if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
        sum += (i64)x[i];
      }
      own.a1 = sum;
    }
    {
      i64 x[16];
      read_sixteen<i64>((const i64 *)(stage + 55296), x);
      i128 sum = 0;
#pragma unroll
      for (int i = 0; i < 16; i++) {
        if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
        sum += (i128)x[i];
      }
      own.a2 = sum;
    }
    {
      i32 x[16];
      read_sixteen<i32>((const i32 *)(stage + 258048), x);
      i128 sum = 0;
#pragma unroll
      for (int i = 0; i < 16; i++) {
        if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
        sum += (i128)x[i];
      }
      own.a9 = sum;
    }
    Local local;
    h.left = scan_block(own, s.warps, local);
    all.e = widened(local);
    f32 sum0;
    hold<f32>(h.left0, scan_tile<f32>((const f32 *)(stage + 18432), starts, f32_of(0x80000000u), (Pair<f32> *)s.totals[0], sum0));
    all.a0 = sum0;
    f64 sum3;
    hold<f64>(h.left3, scan_tile<f64>((const f64 *)(stage + 92160), starts, f64_of(0x8000000000000000ull), (Pair<f64> *)s.totals[1], sum3));
    all.a3 = sum3;
  all.e.count = ranks.total;
  if (threadIdx.x == 0) { publish(nodes + (tile - first) * NODE_WORDS, all); }
  if (a.w[4] != 0ull && threadIdx.x == 0) {
    const u64 at = tile - first;
    ((u8 *)a.w[52])[at] = 0;
    ((u64 *)a.w[54])[at] = tile;
    if (all.e.starts != 0u) { set_bit(a.w[56], at); }
    ((f32 *)a.w[58])[at] = (true) ? canonical<f32>(all.a0) : (f32)0;
    ((i128 *)a.w[60])[at] = (true) ? all.e.a1 : (i128)0;
    ((i128 *)a.w[62])[at] = (true) ? all.e.a2 : (i128)0;
    ((f64 *)a.w[64])[at] = (true) ? canonical<f64>(all.a3) : (f64)0;
    if (all.e.h4 != 0u) { set_bit(a.w[67], at); }
    ((f32 *)a.w[66])[at] = (all.e.h4 != 0u) ? canonical<f32>(all.e.a4) : (f32)0;
    if (all.e.h5 != 0u) { set_bit(a.w[69], at); }
    ((i64 *)a.w[68])[at] = (all.e.h5 != 0u) ? canonical<i64>(all.e.a5) : (i64)0;
    if (all.e.h6 != 0u) { set_bit(a.w[71], at); }
    if (all.e.h6 != 0u && canonical<bool>(all.e.a6)) { set_bit(a.w[70], at); }
    ((u64 *)a.w[72])[at] = (true) ? canonical<u64>(all.e.a7) : (u64)0;
    ((u64 *)a.w[74])[at] = (true) ? canonical<u64>(all.e.a8) : (u64)0;
    ((i128 *)a.w[76])[at] = (true) ? all.e.a9 : (i128)0;
  }
  u16 *to = (u16 *)(shared + 0) + threadIdx.x / 32 * WARP_ROWS + (ranks.own - ranks.left);
#pragma unroll
  for (int i = 0; i < 16; i++) {
    if ((mine >> i & 1) != 0) { *to++ = (u16)(threadIdx.x * 16 + i); }
  }
}
FN void end_tile(
  const Args &a, const Shared &s, u32 number, u8 *shared, u8 *stage, u64 first, u64 last, u64 rows, const Held &h, u32 &fold_fault
) {
  const bool partial = a.w[4] != 0ull;
  const u32 shift = partial ? 6u : 0u;
  const u32 slot = number % SLOTS;
  const Node carry = s.carries[slot];
  const Part part = s.warp_parts[slot][threadIdx.x / 32];
  const u64 tile = first + s.tiles[number % 4], base = (tile - first) * TILE, base_out = carry.e.count, out = base_out + part.left;
  const u32 count = part.count;
  const u32 mine = ((const u16 *)(shared + 8192))[threadIdx.x];
  const u32 starts = ((const u16 *)(shared + 8704))[threadIdx.x];
    Exact running = partial ? nothing().e : carry.e;
    append(running, widened(h.left));
    {
      f32 x[16];
      f32 *staged = (f32 *)(stage + 18432);
      read_sixteen<f32>(staged, x);
      u32 flags = starts;
      scan_sixteen<f32>(x, flags);
      const Left<f32> left = held(h.left0);
#pragma unroll
      for (int i = 0; i < 16; i++) {
        Pair<f32> p = local_value<f32>(left, x[i], (flags >> i & 1) != 0);
        if (!partial) {
          if (!p.f) { p.v = add<f32>(carry.a0, p.v); }
          p.v = canonical<f32>(add<f32>(p.v, f32_of(0x0u)));
        } else {
          p.v = canonical<f32>(p.v);
        }
        x[i] = p.v;
      }
      write_sixteen<f32>(staged, x);
    }
    {
      i32 x[16];
      read_sixteen<i32>((const i32 *)(stage + 36864), x);
      const i64 start = near_i64(running.a1);
      bool misfit = false;
      if (partial) {
        u32 rank = h.own;
        i64 sum = start;
#pragma unroll
        for (int i = 0; i < 16; i++) {
          if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
          sum += (i64)x[i];
          if ((mine >> i & 1) != 0) { ((i128 *)a.w[28 + shift])[base_out + rank++] = (i128)sum; }
        }
      } else {
        i32 done[16];
        i32 bad = 0;
        misfit = (i64)(i32)start != start;
        i32 sum = (i32)start;
#pragma unroll
        for (int i = 0; i < 16; i++) {
          if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
          sum = add_noting(sum, x[i], bad);
          done[i] = sum;
        }
        misfit = misfit || has_sign(bad);
        write_sixteen<i32>((i32 *)(stage + 36864), done);
      }
      if (misfit) { fold_fault = max(fold_fault, 9u); }
    }
    {
      i64 x[16];
      read_sixteen<i64>((const i64 *)(stage + 55296), x);
      const i128 start = running.a2;
      bool misfit = false;
      if (partial) {
        u32 rank = h.own;
        i128 sum = start;
#pragma unroll
        for (int i = 0; i < 16; i++) {
          if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
          sum += (i128)x[i];
          if ((mine >> i & 1) != 0) { ((i128 *)a.w[30 + shift])[base_out + rank++] = (i128)sum; }
        }
      } else {
        i64 done[16];
        i64 bad = 0;
        misfit = (i128)(i64)start != start;
        i64 sum = (i64)start;
#pragma unroll
        for (int i = 0; i < 16; i++) {
          if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
          sum = add_noting(sum, x[i], bad);
          done[i] = sum;
        }
        misfit = misfit || has_sign(bad);
        write_sixteen<i64>((i64 *)(stage + 55296), done);
      }
      if (misfit) { fold_fault = max(fold_fault, 8u); }
// … 224 more lines with the checksum 7171fddb565a9bc8
