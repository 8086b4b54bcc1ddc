// Tiles of 4,096 rows, taken in order. Each tile tells what it holds in a node of level 0; the tile that completes sixteen
// nodes of a level joins them into one of the next. What comes before a tile is the join of the nodes left of it, the
// largest first: the grouping goes by position alone, so float sums are the interpreter's, and nobody waits for a carry to
// tell its own node. A node is written as tagged words: each tells by itself whether it is there.
//
// Eight warps compute, each 512 rows of a tile, which no other warp touches. They begin tiles (stage the rows, fold them,
// tell the node) before they end earlier ones, so the ninth warp has as long as a few tiles take to learn what came
// before one: those who compute seldom wait for another block.
#define TILE 4096
#define WARP_ROWS 512
#define LEVELS 13
#define WORKERS 256

// What a warp remembers of a tile that it has begun: where its selected rows start among the tile's, and how many.
struct Part {
  u32 left;
  u32 count;
};
// A float sum, and whether a segment starts in it.
template <class T> struct Pair { T v; bool f; };
// What a block keeps in shared memory beside the staged rows.
struct Shared {
  // The last tiles that were taken, by turns. The one behind those that are begun is next, or there is none of that number.
  u32 tiles[4];
  Part warp_parts[SLOTS][8];
  Node carries[SLOTS];
  u32 counts[8];
  Local warps[8];
  // Where the nodes of a level start.
  u64 *levels[LEVELS];
  // Of ordered nodes, and of float sums by turns.
  Node parts[ORDERED ? LEVELS * 4 : 1];
  Pair<f64> totals[ORDERED ? 2 : 1][16];
};
// The warps that compute meet.
FN void meet() { asm volatile("bar.sync 1, 256;" ::: "memory"); }
// What those who compute and the ninth warp tell each other, for each slot: a tile is begun; what came before it is known.
// The barriers' numbers are constants: else a block would take all sixteen, and a multiprocessor has them for four such
// blocks.
#define BEGUN 2
#define CARRIED (BEGUN + SLOTS)
template <int AT> FN void arrive_at() { asm volatile("bar.arrive %0, 288;" ::"n"(AT) : "memory"); }
template <int AT> FN void wait_at() { asm volatile("bar.sync %0, 288;" ::"n"(AT) : "memory"); }
template <int WHAT> FN void tell(u32 slot) {
  if (slot == 0) { arrive_at<WHAT>(); }
  if (SLOTS > 1 && slot == 1) { arrive_at<WHAT + (SLOTS > 1 ? 1 : 0)>(); }
}
template <int WHAT> FN void await(u32 slot) {
  if (slot == 0) { wait_at<WHAT>(); }
  if (SLOTS > 1 && slot == 1) { wait_at<WHAT + (SLOTS > 1 ? 1 : 0)>(); }
}

// A sum cut to 62 bits: what lies beyond fits no narrower type, whatever a leaf adds.
FN i64 near_i64(i128 a) {
  const i128 most = (i128)1 << 62;
  return a > most ? (i64)most : (a < -most ? -(i64)most : (i64)a);
}
// Adds where the result has the terms' type; `bad` keeps a sign where one did not fit.
template <class T> FN T add_noting(T a, T b, T &bad) {
  const T sum = add<T>(a, b);
  bad |= (T)0 - 1 < 0 ? (a ^ sum) & (b ^ sum) : (a & b) | ((a | b) & ~sum);
  return sum;
}
template <class T> FN bool has_sign(T a) { return (a >> (8 * sizeof(T) - 1) & 1) != 0; }
// Where a row is staged. Sixteen bytes are left out behind every 128: threads with sixteen rows each meet no other's bank.
template <class T> FN u32 place(u32 row) { return row + (row * (u32)sizeof(T) >> 7) * (16 / (u32)sizeof(T)); }
// Rows that fill 16 bytes.
template <class T> struct Pack {
  static const int rows = 16 / sizeof(T);
  union { uint4 all; T v[16 / sizeof(T)]; };
};
// Stages a chunk. Chunks of more than 128 bytes have places left out among their rows.
template <class T> FN void put_chunk(T *staged, u32 at, const T (&x)[V]) {
  if (V * sizeof(T) <= 128) {
    store_values<T, V>(staged, place<T>(at), V, x);
    return;
  }
#pragma unroll
  for (int i = 0; i < V; i++) { staged[place<T>(at + i)] = x[i]; }
}
// A thread's sixteen rows of what is staged. They lie in one run of 128 bytes, or fill two: places add up.
template <class T> FN void read_sixteen(const T *staged, T (&x)[16]) {
  const T *from = staged + place<T>(threadIdx.x * 16);
#pragma unroll
  for (int i = 0; i < 16; i += Pack<T>::rows) {
    Pack<T> p;
    p.all = *(const uint4 *)(from + place<T>(i));
#pragma unroll
    for (int k = 0; k < Pack<T>::rows; k++) { x[i + k] = p.v[k]; }
  }
}
template <class T> FN void write_sixteen(T *staged, const T (&x)[16]) {
  T *to = staged + place<T>(threadIdx.x * 16);
#pragma unroll
  for (int i = 0; i < 16; i += Pack<T>::rows) {
    Pack<T> p;
#pragma unroll
    for (int k = 0; k < Pack<T>::rows; k++) { p.v[k] = x[i + k]; }
    *(uint4 *)(to + place<T>(i)) = p.all;
  }
}
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
// Nodes that others tell; nothing where there is no address.
template <int N> FN void await_nodes(const u64 *const (&from)[N], Node (&n)[N]) {
  u32 w[N][NODE_WORDS + 1];
  bool there;
  do {
    there = true;
#pragma unroll
    for (int j = 0; j < N; j++) {
#pragma unroll
      for (int k = 0; k < NODE_WORDS; k++) {
        const u64 word = from[j] != 0 ? *(const volatile u64 *)(from[j] + k) : 1ull << 32;
        w[j][k] = (u32)word;
        there = there && (word >> 32) != 0;
      }
    }
    // Asking again at once would keep the memory from those who answer.
    if (!there) { __nanosleep(40); }
  } while (!there);
#pragma unroll
  for (int j = 0; j < N; j++) {
    n[j] = nothing();
    if (from[j] != 0) { from_words(n[j], w[j]); }
  }
}
// Notes where the nodes of a level start: behind those of the levels below.
FN void note_levels(u64 *nodes, u64 first, u64 last, u64 **levels) {
  for (u32 l = 0; l < LEVELS; l++) {
    levels[l] = nodes;
    nodes += ((last >> (4 * l)) - (first >> (4 * l)) + 1) * NODE_WORDS;
  }
}
// Where node `number` of a level is told; nowhere if it lies before the first tile.
FN u64 *node_at(u64 *const *levels, u64 first, u32 level, u64 number) {
  if (((number + 1) << (4 * level)) <= first) { return 0; }
  return levels[level] + (number - (first >> (4 * level))) * NODE_WORDS;
}
// One warp tells the nodes that a tile completes, once it has told its own.
FN void tell_parents(u64 *const *levels, u64 first, u64 last, u64 tile) {
  const u32 lane = threadIdx.x % 32;
#pragma unroll 1
  for (u32 level = 1; ((tile + 1) & ((1ull << (4 * level)) - 1)) == 0; level++) {
    if ((first >> (4 * level)) == (last >> (4 * level))) { break; }
    const u64 end = tile >> (4 * (level - 1));
    const u64 *from[1] = {lane < 16 ? node_at(levels, first, level - 1, end - 15 + lane) : 0};
    Node n[1];
    await_nodes<1>(from, n);
    __syncwarp();
#pragma unroll 1
    for (u32 s = 1; s < 16; s *= 2) { append(n[0], shuffle_from(n[0], (lane + s) % 32)); }
    if (lane == 0) { publish(node_at(levels, first, level, tile >> (4 * level)), n[0]); }
    __syncwarp();
  }
}
// What comes before a tile, of the parts of each level: of its nodes eight, four, two and one joined.
FN Node join_parts(u64 tile, const Node *parts) {
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
// One warp learns what comes before a tile: it joins the nodes left of it, of four levels at a time.
FN Node carry_into(u64 *const *levels, u64 first, u64 tile, Node *parts) {
  const u32 lane = threadIdx.x % 16, half = threadIdx.x % 32 - lane;
  Node all = nothing();
#pragma unroll 1
  for (u32 low = half / 16; (tile >> (4 * (low & ~1u))) != 0; low += 4) {
    // What is asked of the memory at once comes at once.
    const u64 *from[2];
    u32 digits[2];
#pragma unroll
    for (u32 k = 0; k < 2; k++) {
      const u32 level = low + 2 * k;
      const u64 number = level < LEVELS ? tile >> (4 * level) : 0;
      digits[k] = (u32)(number & 15);
      from[k] = lane < digits[k] ? node_at(levels, first, level, (number & ~15ull) + lane) : 0;
    }
    Node n[2];
    await_nodes<2>(from, n);
    __syncwarp();
    if (!ORDERED) {
      append(all, n[0]);
      append(all, n[1]);
      continue;
    }
#pragma unroll
    for (u32 k = 0; k < 2; k++) {
      u32 size = 1;
#pragma unroll 1
      for (int bit = 0; bit < 4; bit++, size *= 2) {
        // The part of this size starts behind the larger ones.
        const u32 start = digits[k] & ~(2 * size - 1);
        if ((digits[k] & size) != 0 && lane == start) { parts[(low + 2 * k) * 4 + bit] = n[k]; }
        append(n[k], shuffle_from(n[k], half + (lane + size) % 16));
      }
    }
  }
  __syncwarp();
  if (ORDERED) { return join_parts(tile, parts); }
#pragma unroll 1
  for (u32 s = 1; s < 32; s *= 2) { append(all, shuffle_from(all, threadIdx.x % 32 ^ s)); }
  return all;
}
// The ninth warp: tells the parents of begun tiles, and learns what came before them.
FN void serve(Shared &s, u64 first, u64 last) {
#pragma unroll 1
  for (u32 served = 0;; served++) {
    const u32 slot = served % SLOTS;
    await<BEGUN>(slot);
    const u64 tile = first + s.tiles[served % 4];
    if (tile > last) { return; }
    tell_parents(s.levels, first, last, tile);
    const Node carry = carry_into(s.levels, first, tile, s.parts);
    if (threadIdx.x % 32 == 0) { s.carries[slot] = carry; }
    __syncwarp();
    tell<CARRIED>(slot);
  }
}
// A warp's rows of a column, on their way into the cache.
FN void prefetch(u64 column, u64 row, u32 row_bits) {
  const u64 from = column + (row + threadIdx.x / 32 * WARP_ROWS) * row_bits / 8;
  for (u32 at = threadIdx.x % 32 * 128; at < WARP_ROWS * row_bits / 8; at += 32 * 128) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from + at));
  }
}
// Of a tile's selected rows: all, those of the warp, those left of the warp, and those left of the thread's sixteen.
struct Ranks {
  u32 total;
  u32 count;
  u32 left;
  u32 own;
};
// Joins what the warps of a block count.
FN Ranks rank_warps(u32 count, u32 *counts) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) { counts[warp] = count; }
  meet();
  Ranks r = {0, count, 0, 0};
#pragma unroll
  for (u32 w = 0; w < 8; w++) {
    if (w == warp) { r.left = r.total; }
    r.total += counts[w];
  }
  return r;
}
// The sum of what the threads up to this one have.
FN u32 scan_warp(u32 own) {
#pragma unroll
  for (u32 s = 1; s < 32; s *= 2) {
    const u32 left = __shfl_up_sync(FULL, own, s);
    if (threadIdx.x % 32 >= s) { own += left; }
  }
  return own;
}
FN Ranks rank_rows(u32 own, u32 *counts) {
  const u32 all = scan_warp(own);
  Ranks r = rank_warps(__shfl_sync(FULL, all, 31), counts);
  r.own = r.left + all - own;
  return r;
}
// Where every row is selected.
FN Ranks all_rows(u64 base, u64 rows) {
  const u32 left = threadIdx.x / 32 * WARP_ROWS;
  const Ranks r = {rows_at(base, rows, TILE), rows_at(base + left, rows, WARP_ROWS), left, threadIdx.x * 16};
  return r;
}
// Scans what threads have, over eight warps: what lies left of each, and the sum of all.
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
  meet();
  Local left;
  clear(total);
  left = total;
#pragma unroll(SEGMENTS || Words<Local>::count > 4 ? 1 : 8)
  for (u32 w = 0; w < 8; w++) {
    if (w == warp) { left = total; }
    append(total, warps[w]);
  }
  append(left, before);
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
// What is left of that where no segment starts: half the memory.
template <class T> struct Plain { T group, outer; };
template <class T> FN void hold(Plain<T> &to, const Left<T> &left) { to.group = left.group.v; to.outer = left.outer.v; }
template <class T> FN void hold(Left<T> &to, const Left<T> &left) { to = left; }
template <class T> FN Left<T> held(const Left<T> &left) { return left; }
template <class T> FN Left<T> held(const Plain<T> &plain) {
  Left<T> left;
  left.group.v = plain.group;
  left.outer.v = plain.outer;
  left.group.f = left.outer.f = false;
  return left;
}
// The float prefix sums of a tile: what lies left of a thread's sixteen rows, in its group of groups and before that.
template <class T> FN Left<T> scan_tile(const T *staged, u32 starts, T zero, Pair<T> *totals, T &sum) {
  T x[16];
  read_sixteen<T>(staged, x);
  u32 flags = starts;
  scan_sixteen<T>(x, flags);
  Pair<T> own, total;
  own.v = x[15];
  own.f = (flags >> 15 & 1) != 0;
  Left<T> left;
  scan_threads<T>(own, zero, left.group, total);
  if (threadIdx.x % 16 == 0) { totals[threadIdx.x / 16] = total; }
  meet();
  Pair<T> mine = totals[threadIdx.x % 16], before, all;
  scan_threads<T>(mine, zero, before, all);
  const u32 from = (threadIdx.x & 16) | threadIdx.x / 16;
  left.outer.v = shuffle_value(before.v, from);
  left.outer.f = SEGMENTS && __shfl_sync(FULL, (u32)before.f, from) != 0;
  sum = all.v;
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
// Writes the staged bits of a warp's selected rows behind each other. Words that two warps share are joined in place.
FN void write_bits(u32 *to, u64 base, u32 count, const u32 *staged, const u16 *index) {
  const u32 lane = threadIdx.x % 32, first = threadIdx.x / 32 * WARP_ROWS;
  if (count == 0) { return; }
  const u64 end = base + count;
  for (u64 word = base / 32; word * 32 < end; word++) {
    const u64 at = word * 32 + lane;
    bool bit = false;
    if (at >= base && at < end) {
      const u32 i = first + (u32)(at - base), r = index != 0 ? index[i] : i;
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
// A warp's selected rows behind each other, by their numbers.
template <class T> FN void write_values(T *to, u64 base, u32 count, const T *staged, const u16 *index) {
  const u32 first = threadIdx.x / 32 * WARP_ROWS;
#pragma unroll 4
  for (u32 i = threadIdx.x % 32; i < count; i += 32) { to[base + i] = staged[place<T>(index[first + i])]; }
}
// Rows that lie behind each other already.
template <class T> FN void write_packed(T *to, u64 base, u32 count, const T *staged) {
  const u32 first = threadIdx.x / 32 * WARP_ROWS;
#pragma unroll 4
  for (u32 i = threadIdx.x % 32; i < count; i += 32) { to[base + i] = staged[first + i]; }
}
// All rows of a warp, which start at a multiple of 16 bytes.
template <class T> FN void write_all(T *to, u64 base, u32 count, const T *staged) {
  const int rows = Pack<T>::rows;
  const u32 i = threadIdx.x % 32 * rows;
  const T *from = staged + place<T>(threadIdx.x / 32 * WARP_ROWS + i);
  to += base + i;
  if (count == WARP_ROWS) {
    // 32 packs are 512 bytes: places add up.
#pragma unroll
    for (int k = 0; k < WARP_ROWS; k += 32 * rows) { *(uint4 *)(to + k) = *(const uint4 *)(from + place<T>(k)); }
    return;
  }
#pragma unroll 1
  for (u32 k = 0; k < WARP_ROWS; k += 32 * rows) {
    for (int j = 0; j < rows; j++) {
      if (i + k + j < count) { to[k + j] = from[place<T>(k) + j]; }
    }
  }
}
FN void set_bit(u64 to, u64 at) { atomicOr((u32 *)to + at / 32, 1u << (at % 32)); }
