// Needs { threads: 288, tile_rows: 4096, shared_bytes: 74576, block_scratch: 0, kind: Stream { node_words: 2, leaves: false }, can_fault: false, can_stop: true }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 2
struct Args { u64 w[18]; };
struct In {
  i64 c0[V];
  i64 c1[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i64, V>((const i64 *)a.w[10], at, count, in.c0);
  load_values<i64, V>((const i64 *)a.w[12], at, count, in.c1);
}
struct Out {
  i64 o0;
  bool m0;
  i64 o1;
  bool m1;
  bool keep;
  bool bad;
};
#define STOP 7
#define LAUNCH 8
#define STOP_STATUS 2
#define STOPPED 3
#define ASKING_INTERVAL 131072u
// Asks whether the launch should stop. The flag is in the host's memory, and reading it takes a card microseconds, one
// read after the other: so one block at a time reads it, and tells the others in the status. There, 0 says that no block
// reads it, 1 that the launch stops, and any other number that block number minus 2 reads it.
FN bool ask_to_stop(const Args &a) {
  volatile u64 *word = (volatile u64 *)a.w[STOP_STATUS] + STOPPED;
  const u64 mine = blockIdx.x + 2ull;
  u64 seen = *word;
  if (seen == 0ull) {
    seen = atomicCAS((u64 *)word, 0ull, mine);
    if (seen == 0ull) { seen = mine; }
  }
  if (seen != mine) { return seen == 1ull; }
  if (*(const volatile u64 *)a.w[STOP] != a.w[LAUNCH]) { return false; }
  *word = 1ull;
  return true;
}
// Accounts for work; true once the launch should stop. Rows that are computed after that are empty, so blocks that wait
// for others still get what they wait for.
FN bool should_stop(const Args &a, Thread &t, u32 units) {
  if (t.stopped) { return true; }
  t.work += units;
  if (t.work < ASKING_INTERVAL) { return false; }
  t.work = 0;
  t.stopped = ask_to_stop(a);
  return t.stopped;
}
// Tells that the launch stopped, or lets another block read the flag. Every warp does when it ends.
FN void report_stop(u64 status, const Thread &t) {
  volatile u64 *word = (volatile u64 *)status + STOPPED;
  const u64 mine = blockIdx.x + 2ull;
  if (t.stopped) {
    *word = 1ull;
  } else if (threadIdx.x % 32u == 0u && *word == mine) {
    atomicCAS((u64 *)word, mine, 0ull);
  }
}
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  if (should_stop(a, t, 2u)) { out = Out(); return; }
  bool bad = false;
  i64 v0 = in.c0[i];
  i64 v1 = in.c1[i];
  i64 s2_0 = v0;
  bool t2_0 = true;
  for (u32 k2 = 0u; k2 < 8u; k2++) {
    if (should_stop(a, t, 3u)) { break; }
    i64 v3 = s2_0;
    i64 s4_0 = v3;
    bool t4_0 = true;
    i64 s4_1 = v1;
    bool t4_1 = true;
    for (u32 k4 = 0u; k4 < 16777216u; k4++) {
      if (should_stop(a, t, 6u)) { break; }
      i64 v5 = s4_0;
      i64 v6 = add<i64>(v5, v3);
      i64 v7 = s4_1;
      for (u32 k8 = 0u; k8 < 1u; k8++) {
        u32 v9 = k8;
      }
      bool v10 = lt<i64>(v6, v7);
      if (!v10) { break; }
      i64 x4_0 = v6;
      bool y4_0 = true;
      i64 x4_1 = v0;
      bool y4_1 = true;
      s4_0 = x4_0;
      t4_0 = y4_0;
      s4_1 = x4_1;
      t4_1 = y4_1;
    }
    i64 v11 = s4_0;
    i64 v12 = s4_1;
    i64 v13 = sub<i64>(v11, v12);
    i64 x2_0 = v13;
    bool y2_0 = true;
    s2_0 = x2_0;
    t2_0 = y2_0;
  }
  i64 v14 = s2_0;
  out.keep = true;
  out.o0 = v14;
  out.m0 = true;
  out.o1 = v0;
  out.m1 = true;
  out.bad = bad;
}
template <class T> struct Words;
struct Local {
};
template <> struct Words<Local> { static const int count = 0; };
FN void to_words(const Local &n, u32 *w) {
}
FN void from_words(Local &n, const u32 *w) {
}
FN bool starts_here(const Local &e) { return false; }
FN void reset(Local &left) {
}
FN void clear(Local &n) {
  reset(n);
}
FN void append(Local &left, const Local &right) {
  if (starts_here(right)) { reset(left); }
}
struct Exact {
  u64 count;
};
template <> struct Words<Exact> { static const int count = 2; };
FN void to_words(const Exact &n, u32 *w) {
  put_word(n.count, w + 0);
}
FN void from_words(Exact &n, const u32 *w) {
  get_word(n.count, w + 0);
}
FN bool starts_here(const Exact &e) { return false; }
FN void reset(Exact &left) {
}
FN void clear(Exact &n) {
  reset(n);
  n.count = 0;
}
FN void append(Exact &left, const Exact &right) {
  if (starts_here(right)) { reset(left); }
  left.count += right.count;
}
FN Exact widened(const Local &l) {
  Exact n;
  n.count = 0;
  return n;
}
#define NODE_WORDS 2
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
#define LEAVES false
#define SEGMENTS false
#define ORDERED false
#define SLOTS 1
// … stream.cu …
FN void stage_chunk(
  const Args &a, u8 *shared, u8 *stage, u64 base, u32 at, const In &in, Thread &t
) {
  i64 x0[V];
  i64 x1[V];
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + base + at + i;
      Out o;
      body(a, row, in, i, o, t);
      x0[i] = o.m0 ? canonical<i64>(o.o0) : (i64)0;
      x1[i] = o.m1 ? canonical<i64>(o.o1) : (i64)0;
    } else {
      x0[i] = (i64)0;
      x1[i] = (i64)0;
    }
  }
  put_chunk<i64>((i64 *)(stage + 0), at, x0);
  put_chunk<i64>((i64 *)(stage + 36864), at, x1);
}
template <bool WHOLE>
FN void stage_rows(const Args &a, u8 *shared, u8 *stage, u64 base, u64 rows, Thread &t, u32 &count) {
  const u32 first = threadIdx.x / 32 * WARP_ROWS;
#pragma unroll 1
  for (u32 c = first; c < first + WARP_ROWS; c += 128) {
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
};
FN void prefetch_rows(const Args &a, u64 row) {
  if (a.w[10] != 0ull) { prefetch(a.w[10], row, 64); }
  if (a.w[12] != 0ull) { prefetch(a.w[12], row, 64); }
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
  const u32 mine = (1u << rows_at(base + threadIdx.x * 16, rows, 16)) - 1u;
  const u32 starts = 0u;
  const Ranks ranks = all_rows(base, rows);
  if (threadIdx.x % 32 == 0) {
    s.warp_parts[slot][threadIdx.x / 32].left = ranks.left;
    s.warp_parts[slot][threadIdx.x / 32].count = ranks.count;
  }
  Node all = nothing();
  all.e.count = ranks.total;
  if (threadIdx.x == 0) { publish(nodes + (tile - first) * NODE_WORDS, all); }
}
FN void end_tile(
  const Args &a, const Shared &s, u32 number, u8 *shared, u8 *stage, u64 first, u64 last, u64 rows, const Held &h, u32 &fold_fault
) {
  const bool partial = false;
  const u32 shift = 0u;
  const u32 slot = number % SLOTS;
  const Node carry = s.carries[slot];
  const Part part = s.warp_parts[slot][threadIdx.x / 32];
  const u64 tile = first + s.tiles[number % 4], base = (tile - first) * TILE, base_out = base, out = base_out + part.left;
  const u32 count = part.count;
    write_all<i64>((i64 *)a.w[14 + shift], out, count, (const i64 *)(stage + 0));
    write_all<i64>((i64 *)a.w[16 + shift], out, count, (const i64 *)(stage + 36864));
  // The last thread knows of the last rows.
  if (tile == last && threadIdx.x == WORKERS - 1) { ((u64 *)a.w[2])[1] = rows; }
}
#define BLOCKS 3
#define HEAD_BYTES 848
#define BITS_BYTES 0
#define STAGED_BYTES 73728
#define HELD_BYTES 0
#define SLOT_BYTES 73728
#define IN_SHARED 1
#define STARTS 0
#define ROWS 0
#define FIRST_ROW 1
#define STATUS 2
#define FOLD_FAULT 2
#define SCRATCH 3
#define TILES 5
#define BLOCK_SCRATCH 6
// A slot's memory: bits and numbers of rows, staged values, and what threads remember.
struct Slot {
  u8 *shared;
  u8 *stage;
  Held *held;
};
FN Slot slot_at(const Args &a, u8 *shared, u32 slot) {
  Slot at;
  at.shared = shared + slot * SLOT_BYTES;
  at.stage = IN_SHARED ? at.shared + BITS_BYTES
                       : (u8 *)a.w[BLOCK_SCRATCH] + ((u64)blockIdx.x * SLOTS + slot) * (STAGED_BYTES + HELD_BYTES);
  at.held = (Held *)(at.stage + STAGED_BYTES) + threadIdx.x;
  return at;
}
extern "C" __global__ void __launch_bounds__(WORKERS + 32, BLOCKS) pointsman(const __grid_constant__ Args a) {
  extern __shared__ uint4 memory[];
  static_assert(sizeof(Shared) <= HEAD_BYTES, "shared memory was laid out for less");
  static_assert(sizeof(Held) * WORKERS <= HELD_BYTES || HELD_BYTES == 0, "memory was laid out for less");
  Shared &s = *(Shared *)memory;
  u8 *const shared = (u8 *)memory + HEAD_BYTES;
  const u64 rows = a.w[ROWS], tiles = a.w[TILES], first = LEAVES ? a.w[FIRST_ROW] / TILE : 0, last = first + tiles - 1;
  u32 *const tickets = (u32 *)a.w[SCRATCH];
  u64 *const nodes = (u64 *)(a.w[SCRATCH] + 64);
  if (LEAVES && !SEGMENTS && threadIdx.x < 128) {
    // The partial form writes them, and nobody sets one.
    for (u32 slot = 0; slot < SLOTS; slot++) { ((u32 *)(shared + slot * SLOT_BYTES + STARTS))[threadIdx.x] = 0; }
  }
  if (threadIdx.x == 0) {
    s.tiles[0] = atomicAdd(tickets, 1u);
    note_levels(nodes, first, last, s.levels);
  }
  __syncthreads();
  if (threadIdx.x >= WORKERS) {
    serve(s, first, last);
    return;
  }
  Thread t = {0, 0u, false};
  u32 fold_fault = 0, begun = 0, ended = 0;
#pragma unroll 1
  for (;;) {
    const u64 tile = first + s.tiles[begun % 4];
    const bool more = tile <= last;
    if (more) {
      const Slot at = slot_at(a, shared, begun % SLOTS);
      begin_tile(a, s, begun % SLOTS, at.shared, at.stage, nodes, first, rows, tile, *at.held, t);
      tell<BEGUN>(begun % SLOTS);
      begun++;
    }
    if (more ? begun - ended == SLOTS : begun != ended) {
      const Slot at = slot_at(a, shared, ended % SLOTS);
      await<CARRIED>(ended % SLOTS);
      end_tile(a, s, ended, at.shared, at.stage, first, last, rows, *at.held, fold_fault);
      ended++;
    }
    if (!more && begun == ended) { break; }
    // A tile is taken as late as can be: others wait for it.
    if (more && threadIdx.x == 0) { s.tiles[begun % 4] = atomicAdd(tickets, 1u); }
    meet();
  }
  tell<BEGUN>(begun % SLOTS);
  if (fold_fault != 0u) { atomicMax((u64 *)a.w[STATUS] + FOLD_FAULT, (u64)fold_fault); }
  report_fault(a.w[STATUS], t.worst);
#ifdef ASKING_INTERVAL
  report_stop(a.w[STATUS], t);
#endif
}
