// Needs { threads: 288, tile_rows: 4096, shared_bytes: 848, block_scratch: 0, kind: Stream { node_words: 2, leaves: false }, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 4
#define U 4
struct Args { u64 w[10]; };
struct In {
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
}
struct Out {
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  out.keep = true;
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
#define SLOTS 2
// … stream.cu …
FN void stage_chunk(
  const Args &a, u8 *shared, u8 *stage, u64 base, u32 at, const In &in, Thread &t
) {
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + base + at + i;
      Out o;
      body(a, row, in, i, o, t);
    } else {
    }
  }
}
template <bool WHOLE>
FN void stage_rows(const Args &a, u8 *shared, u8 *stage, u64 base, u64 rows, Thread &t, u32 &count) {
  const u32 first = threadIdx.x / 32 * WARP_ROWS;
#pragma unroll 1
  for (u32 c = first; c < first + WARP_ROWS; c += 512) {
    In in[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
      load_chunk<WHOLE>(a, base + c + u * 128 + threadIdx.x % 32 * V, rows, in[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++) { stage_chunk(a, shared, stage, base, c + u * 128 + threadIdx.x % 32 * V, in[u], t); }
  }
}
struct Held {
};
FN void prefetch_rows(const Args &a, u64 row) {
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
  // The last thread knows of the last rows.
  if (tile == last && threadIdx.x == WORKERS - 1) { ((u64 *)a.w[2])[1] = rows; }
}
#define BLOCKS 4
#define HEAD_BYTES 848
#define BITS_BYTES 0
#define STAGED_BYTES 0
#define HELD_BYTES 0
#define SLOT_BYTES 0
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
