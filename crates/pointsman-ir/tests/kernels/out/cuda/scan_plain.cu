// Needs { threads: 288, tile_rows: 4096, shared_bytes: 16560, block_scratch: 0, kind: Stream { node_words: 3, leaves: true }, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 16
#define U 1
struct Args { u64 w[28]; };
struct In {
  u8 c0[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<u8, V>((const u8 *)a.w[10], at, count, in.c0);
}
struct Out {
  u8 o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  u8 v0 = in.c0[i];
  out.keep = true;
  out.o0 = v0;
  out.m0 = true;
  out.bad = bad;
}
template <class T> struct Words;
struct Local {
  i64 a0;
};
template <> struct Words<Local> { static const int count = 2; };
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
template <> struct Words<Exact> { static const int count = 3; };
FN void to_words(const Exact &n, u32 *w) {
  put_three_words(n.a0, w + 0);
}
FN void from_words(Exact &n, const u32 *w) {
  get_three_words(n.a0, w + 0);
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
#define NODE_WORDS 3
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
#define LEAVES true
#define SEGMENTS false
#define ORDERED false
#define SLOTS 2
// … stream.cu …
FN void stage_chunk(
  const Args &a, u8 *shared, u8 *stage, u64 base, u32 at, const In &in, Thread &t
) {
  u8 y0[V];
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + base + at + i;
      Out o;
      body(a, row, in, i, o, t);
      y0[i] = (o.keep && o.m0) ? o.o0 : (u8)0;
    } else {
      y0[i] = (u8)0;
    }
  }
  put_chunk<u8>((u8 *)(stage + 0), at, y0);
}
template <bool WHOLE>
FN void stage_rows(const Args &a, u8 *shared, u8 *stage, u64 base, u64 rows, Thread &t, u32 &count) {
  const u32 first = threadIdx.x / 32 * WARP_ROWS;
#pragma unroll 1
  for (u32 c = first; c < first + WARP_ROWS; c += 512) {
    In in[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
      load_chunk<WHOLE>(a, base + c + u * 512 + threadIdx.x % 32 * V, rows, in[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++) { stage_chunk(a, shared, stage, base, c + u * 512 + threadIdx.x % 32 * V, in[u], t); }
  }
}
struct Held {
  Local left;
};
FN void prefetch_rows(const Args &a, u64 row) {
  if (a.w[10] != 0ull) { prefetch(a.w[10], row, 8); }
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
    Local own;
    clear(own);
    {
      u8 x[16];
      read_sixteen<u8>((const u8 *)(stage + 0), x);
      i64 sum = 0;
#pragma unroll
      for (int i = 0; i < 16; i++) {
        if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
        sum += (i64)x[i];
      }
      own.a0 = sum;
    }
    Local local;
    h.left = scan_block(own, s.warps, local);
    all.e = widened(local);
  if (threadIdx.x == 0) { publish(nodes + (tile - first) * NODE_WORDS, all); }
  if (a.w[4] != 0ull && threadIdx.x == 0) {
    const u64 at = tile - first;
    ((u8 *)a.w[20])[at] = 0;
    ((u64 *)a.w[22])[at] = tile;
    ((i128 *)a.w[26])[at] = (true) ? all.e.a0 : (i128)0;
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
  const u64 tile = first + s.tiles[number % 4], base = (tile - first) * TILE, base_out = base, out = base_out + part.left;
  const u32 count = part.count;
  const u32 mine = (1u << rows_at(base + threadIdx.x * 16, rows, 16)) - 1u;
  const u32 starts = 0u;
    Exact running = partial ? nothing().e : carry.e;
    append(running, widened(h.left));
    {
      u8 x[16];
      read_sixteen<u8>((const u8 *)(stage + 0), x);
      const i64 start = near_i64(running.a0);
      bool misfit = false;
      if (partial) {
        u32 rank = threadIdx.x * 16;
        i64 sum = start;
#pragma unroll
        for (int i = 0; i < 16; i++) {
          if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
          sum += (i64)x[i];
          if ((mine >> i & 1) != 0) { ((i128 *)a.w[12 + shift])[base_out + rank++] = (i128)sum; }
        }
      } else {
        u8 done[16];
        i64 sum = (i64)start;
#pragma unroll
        for (int i = 0; i < 16; i++) {
          if (SEGMENTS && (starts >> i & 1) != 0) { sum = 0; }
          sum += (i64)x[i];
          if ((i64)(u8)sum != sum) { misfit = true; }
          done[i] = (u8)sum;
        }
        write_sixteen<u8>((u8 *)(stage + 0), done);
      }
      if (misfit) { fold_fault = max(fold_fault, 1u); }
    }
  __syncwarp();
    if (!partial) {
    write_all<u8>((u8 *)a.w[12 + shift], out, count, (const u8 *)(stage + 0));
    } else {
    }
  if (partial) {
    u32 before = 0, started = 0u;
    for (int i = 0; i < 16; i++) {
      started |= starts >> i & 1;
      before |= (started == 0u ? 1u : 0u) << i;
    }
    ((u16 *)(shared + 512))[threadIdx.x] = (u16)before;
    __syncwarp();
    for (u32 i = threadIdx.x % 32; i < count; i += 32) { ((u64 *)a.w[12])[out + i] = tile; }
    write_bits((u32 *)a.w[14], out, count, (const u32 *)(shared + 512), 0);
    write_bits((u32 *)a.w[16], out, count, (const u32 *)(shared + 0), 0);
  }
  // The last thread knows of the last rows.
  if (tile == last && threadIdx.x == WORKERS - 1) { ((u64 *)a.w[2])[1] = rows; }
}
#define BLOCKS 4
#define HEAD_BYTES 1200
#define BITS_BYTES 1024
#define STAGED_BYTES 4608
#define HELD_BYTES 2048
#define SLOT_BYTES 7680
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
