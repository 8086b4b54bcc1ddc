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
