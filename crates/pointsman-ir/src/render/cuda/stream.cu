// Tiles of 4,096 rows, taken in order. Each tile tells what it holds in a node of level 0; the tile that completes sixteen
// nodes of a level joins them into one of the next. What comes before a tile is the join of the nodes left of it, the
// largest first: the grouping goes by position alone, so float sums are the interpreter's, and nobody waits for a carry to
// tell its own node. A node is written as tagged words: each tells by itself whether it is there.
#define TILE 4096
#define LEVELS 13

// What a block keeps in shared memory beside the staged rows.
struct Shared {
  u32 tile;
  u32 counts[8];
  u32 ranked[8];
  Local warps[8];
  Node parts[LEVELS * 4];
  Node carry;
};

// A sum cut to 62 bits: what lies beyond fits no narrower type, whatever a leaf adds.
FN i64 near_i64(i128 a) {
  const i128 most = (i128)1 << 62;
  return a > most ? (i64)most : (a < -most ? -(i64)most : (i64)a);
}
// Where a row is staged. Threads with sixteen rows each would meet in one bank if no place were left out.
FN u32 place(u32 row) { return PADDED ? row + (row >> 4) : row; }
// A block's words: the staged bits of 4,096 rows.
template <int W> FN void stage_bits(u32 *to, u32 at, u32 bits) {
  const u32 word = join_bits<W>(bits);
  if (threadIdx.x % (32 / W) == 0) { to[at / 32] = word; }
}

FN void publish(u64 *to, const Node &node) {
  u32 w[NODE_WORDS + 1];
  to_words(node, w);
#pragma unroll
  for (int k = 0; k < NODE_WORDS; k++) { *(volatile u64 *)(to + k) = (1ull << 32) | w[k]; }
}
FN Node await_node(const u64 *from) {
  u32 w[NODE_WORDS + 1];
  bool there;
  do {
    there = true;
#pragma unroll
    for (int k = 0; k < NODE_WORDS; k++) {
      const u64 word = *(const volatile u64 *)(from + k);
      w[k] = (u32)word;
      there = there && (word >> 32) != 0;
    }
    // Asking again at once would keep the memory from those who answer.
    if (!there) { __nanosleep(40); }
  } while (!there);
  Node n;
  from_words(n, w);
  return n;
}
// Where the nodes of a level start: behind those of the levels below.
FN u64 *level_nodes(u64 *nodes, u64 first, u64 last, u32 level) {
  for (u32 l = 0; l < level; l++) { nodes += ((last >> (4 * l)) - (first >> (4 * l)) + 1) * NODE_WORDS; }
  return nodes;
}
// Node `number` of a level; nothing if it lies before the first tile.
FN Node node_of(u64 *nodes, u64 first, u64 last, u32 level, u64 number) {
  if (((number + 1) << (4 * level)) <= first) { return nothing(); }
  return await_node(level_nodes(nodes, first, last, level) + (number - (first >> (4 * level))) * NODE_WORDS);
}
// One warp tells the nodes that a tile completes, once it has told its own.
FN void tell_parents(u64 *nodes, u64 first, u64 last, u64 tile) {
  const u32 lane = threadIdx.x % 32;
  for (u32 level = 1; ((tile + 1) & ((1ull << (4 * level)) - 1)) == 0; level++) {
    if ((first >> (4 * level)) == (last >> (4 * level))) { break; }
    const u64 end = tile >> (4 * (level - 1));
    Node n = nothing();
    if (lane < 16) { n = node_of(nodes, first, last, level - 1, end - 15 + lane); }
    __syncwarp();
#pragma unroll 1
    for (u32 s = 1; s < 16; s *= 2) { append(n, shuffle_from(n, (lane + s) % 32)); }
    if (lane == 0) {
      const u64 number = tile >> (4 * level);
      publish(level_nodes(nodes, first, last, level) + (number - (first >> (4 * level))) * NODE_WORDS, n);
    }
    __syncwarp();
  }
}
// One warp collects the nodes of a level that lie left of a tile: eight, four, two and one of them joined.
FN void collect(u64 *nodes, u64 first, u64 last, u64 tile, u32 level, Node *parts) {
  const u32 lane = threadIdx.x % 32;
  const u64 number = tile >> (4 * level);
  const u32 digit = (u32)(number & 15);
  if (digit == 0) { return; }
  Node n = nothing();
  if (lane < digit) { n = node_of(nodes, first, last, level, (number & ~15ull) + lane); }
  __syncwarp();
  u32 size = 1;
#pragma unroll 1
  for (int bit = 0; bit < 4; bit++, size *= 2) {
    // The part of this size starts behind the larger ones.
    const u32 start = digit & ~(2 * size - 1);
    if ((digit & size) != 0 && lane == start) { parts[level * 4 + bit] = n; }
    append(n, shuffle_from(n, (lane + size) % 32));
  }
}
// What comes before a tile, once all warps have collected.
FN Node carry_into(u64 tile, const Node *parts) {
  Node carry = nothing();
  int level = 0;
  while ((tile >> (4 * level) >> 4) != 0) { level++; }
#pragma unroll 1
  for (; level >= 0; level--) {
    const u32 digit = (u32)(tile >> (4 * level)) & 15;
#pragma unroll
    for (int bit = 3; bit >= 0; bit--) {
      if ((digit >> bit & 1) != 0) { append(carry, parts[level * 4 + bit]); }
    }
  }
  return carry;
}
// The sum of a warp's numbers.
FN u32 sum_warp(u32 own) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(FULL, own);
#else
  for (u32 s = 16; s > 0; s /= 2) { own += __shfl_xor_sync(FULL, own, s); }
  return own;
#endif
}
// The sum of what the warps of a block told.
FN u32 sum_block(const u32 *counts) {
  u32 total = 0;
#pragma unroll
  for (u32 w = 0; w < 8; w++) { total += counts[w]; }
  return total;
}
// How many rows lie left of a thread's, of those that a block selects.
FN u32 rank_block(u32 own, u32 *ranked) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u32 all = own;
#pragma unroll
  for (u32 s = 1; s < 32; s *= 2) {
    const u32 left = __shfl_up_sync(FULL, all, s);
    if (lane >= s) { all += left; }
  }
  if (lane == 31) { ranked[warp] = all; }
  __syncthreads();
  u32 left = all - own;
#pragma unroll
  for (u32 w = 0; w < 8; w++) { left += w < warp ? ranked[w] : 0; }
  return left;
}
// Scans what threads have, over a block of eight warps: what lies left of each, and the sum of all.
FN Local scan_block(const Local &own, Local *warps, Local &total) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Local all = own;
#pragma unroll
  for (u32 s = 1; s < 32; s *= 2) {
    Local left = shuffle_from(all, (lane - s) % 32);
    if (lane >= s) { append(left, all); all = left; }
  }
  if (lane == 31) { warps[warp] = all; }
  Local before = shuffle_from(all, (lane - 1) % 32);
  if (lane == 0) { clear(before); }
  __syncthreads();
  Local sum, left;
  clear(sum);
  left = sum;
#pragma unroll(SEGMENTS || Words<Local>::count > 4 ? 1 : 8)
  for (u32 w = 0; w < 8; w++) {
    if (w == warp) { left = sum; }
    append(sum, warps[w]);
  }
  append(left, before);
  total = sum;
  return left;
}
// One step of a prefix sum: every value takes in the one S places before it.
template <class T, int S> FN void scan_step(T (&x)[16], u32 &flags) {
#pragma unroll
  for (int i = 15; i >= S; i--) {
    if (!SEGMENTS || (flags >> i & 1) == 0) { x[i] = add<T>(x[i - S], x[i]); }
  }
  if (SEGMENTS) { flags |= flags << S; }
}
// The prefix sums of sixteen values, in four steps; `flags` has a bit where a segment starts at or left of a value.
template <class T> FN void scan_sixteen(T (&x)[16], u32 &flags) {
  scan_step<T, 1>(x, flags);
  scan_step<T, 2>(x, flags);
  scan_step<T, 4>(x, flags);
  scan_step<T, 8>(x, flags);
}
template <class T> struct Pair { T v; bool f; };
// The same over the last of sixteen threads' values: what lies left of each, and the sum of all sixteen.
template <class T> FN void scan_threads(Pair<T> own, T zero, Pair<T> &left, Pair<T> &total) {
  const u32 lane = threadIdx.x % 16;
#pragma unroll
  for (u32 s = 1; s < 16; s *= 2) {
    const u32 from = (threadIdx.x % 32) - s;
    const T v = shuffle_value(own.v, from % 32);
    const bool f = SEGMENTS && __shfl_sync(FULL, (u32)own.f, from % 32) != 0;
    if (lane >= s) {
      if (!own.f) { own.v = add<T>(v, own.v); }
      own.f = own.f || f;
    }
  }
  const u32 before = ((threadIdx.x % 32) - 1) % 32;
  left.v = shuffle_value(own.v, before);
  left.f = SEGMENTS && __shfl_sync(FULL, (u32)own.f, before) != 0;
  if (lane == 0) { left.v = zero; left.f = false; }
  const u32 last = (threadIdx.x % 32) | 15;
  total.v = shuffle_value(own.v, last);
  total.f = SEGMENTS && __shfl_sync(FULL, (u32)own.f, last) != 0;
}
template <class T> struct Left { Pair<T> group, outer; };
// The float prefix sums of a tile: what lies left of a thread's sixteen rows, in its group of groups and before that.
template <class T> FN Left<T> scan_tile(const T *staged, u32 starts, T zero, Pair<T> *totals, T &sum) {
  T x[16];
#pragma unroll
  for (int i = 0; i < 16; i++) { x[i] = staged[place(threadIdx.x * 16 + i)]; }
  u32 flags = starts;
  scan_sixteen<T>(x, flags);
  Pair<T> own, total;
  own.v = x[15];
  own.f = (flags >> 15 & 1) != 0;
  Left<T> left;
  scan_threads<T>(own, zero, left.group, total);
  __syncthreads();
  if (threadIdx.x % 16 == 0) { totals[threadIdx.x / 16] = total; }
  __syncthreads();
  if (threadIdx.x < 32) {
    Pair<T> mine = totals[threadIdx.x % 16], before, all;
    scan_threads<T>(mine, zero, before, all);
    if (threadIdx.x < 16) { totals[16 + threadIdx.x] = before; }
    if (threadIdx.x == 0) { totals[32] = all; }
  }
  __syncthreads();
  left.outer = totals[16 + threadIdx.x / 16];
  sum = totals[32].v;
  return left;
}
// The value of a row in its leaf, and whether a segment starts before it there.
template <class T> FN Pair<T> local_value(const Left<T> &left, T x, bool flag) {
  Pair<T> p;
  if (!SEGMENTS) {
    p.v = add<T>(left.outer.v, add<T>(left.group.v, x));
    p.f = false;
    return p;
  }
  p.v = flag ? x : add<T>(left.group.v, x);
  p.f = flag || left.group.f;
  if (!p.f) { p.v = add<T>(left.outer.v, p.v); }
  p.f = p.f || left.outer.f;
  return p;
}
// Writes the staged bits of the selected rows behind each other. Words that two tiles share are joined in place.
FN void write_bits(u32 *to, u64 base, u32 total, const u32 *staged, const u16 *index) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (total == 0) { return; }
  const u64 end = base + total;
  for (u64 word = base / 32 + warp; word * 32 < end; word += 8) {
    const u64 at = word * 32 + lane;
    bool bit = false;
    if (at >= base && at < end) {
      const u32 i = (u32)(at - base), r = index != 0 ? index[i] : i;
      bit = (staged[r / 32] >> (r % 32) & 1) != 0;
    }
    const u32 bits = __ballot_sync(FULL, bit);
    if (lane == 0) {
      if (word * 32 >= base && word * 32 + 32 <= end) {
        to[word] = bits;
      } else if (bits != 0) {
        atomicOr(to + word, bits);
      }
    }
  }
}
template <class T> FN void write_values(T *to, u64 base, u32 total, const T *staged, const u16 *index) {
  for (u32 i = threadIdx.x; i < total; i += 256) {
    const u32 r = index != 0 ? index[i] : i;
    to[base + i] = staged[place(r)];
  }
}
FN void set_bit(u64 to, u64 at) { atomicOr((u32 *)to + at / 32, 1u << (at % 32)); }
