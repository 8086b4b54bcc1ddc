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
    for (int j = 0; j < W; j++) { s[j] = add<T>(s[j], shuffle_from(s[j], (lane + h) % 32)); }
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
// What another block wrote is read past the nearest cache.
FN Node read_node(const u8 *from) {
  union Both { u32 w[sizeof(Node) / 4]; Node n; __device__ Both() {} } u;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(Node) / 4); k++) { u.w[k] = __ldcg((const u32 *)from + k); }
  return u.n;
}
// Joins records, 32 at a time, until one is left. A record's place among its siblings goes by its number in the source.
FN Node join_records(u8 *records, u64 first, u64 count) {
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u64 room = (count / 32 + 2) * GROUP_BYTES;
  const u8 *from = records;
  u8 *to = records + count * GROUP_BYTES, *other = to + room;
  while (count > 1) {
    const u64 low = first / 32, high = (first + count - 1) / 32;
    for (u64 c = low + warp; c <= high; c += 8 * BATCH) {
      // Several are on the way at a time: each takes a while.
      Node n[BATCH];
#pragma unroll
      for (int k = 0; k < BATCH; k++) {
        const u64 number = (c + 8 * k) * 32 + lane;
        const bool there = number >= first && number < first + count;
        n[k] = there ? read_node(from + (number - first) * GROUP_BYTES) : nothing();
      }
#pragma unroll
      for (int k = 0; k < BATCH; k++) {
        join_nodes(n[k], 32);
        if (lane == 0 && c + 8 * k <= high) { *(Node *)(to + (c + 8 * k - low) * GROUP_BYTES) = n[k]; }
      }
    }
    __threadfence();
    __syncthreads();
    from = to;
    u8 *spare = to;
    to = other;
    other = spare;
    first = low;
    count = high - low + 1;
  }
  return read_node(from);
}
extern "C" __global__ void __launch_bounds__(256) pointsman(const __grid_constant__ Args a) {
  __shared__ Node group[8];
  __shared__ bool is_last;
  static_assert(sizeof(Node) <= GROUP_BYTES, "a record holds a node");
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u64 rows = a.w[0], first = a.w[1] / 4096, leaves = (rows + 4095) / 4096, tiles = a.w[5];
  const bool partial = a.w[4] != 0;
  u8 *const records = (u8 *)a.w[3] + 64;
  u64 worst = 0;
  for (u64 g = blockIdx.x; g < tiles; g += gridDim.x) {
    const u64 leaf = (first / 8 + g) * 8 + warp;
    Node n = nothing();
    if (leaf >= first && leaf - first < leaves) {
      fold_leaf(a, (leaf - first) * 4096, rows, n, worst);
      if (partial && lane == 0) { write_leaf(records + (leaf - first) * LEAF_BYTES, n); }
    }
    if (partial) { continue; }
    if (lane == 0) { group[warp] = n; }
    __syncthreads();
    if (warp == 0) {
      n = lane < 8 ? group[lane] : nothing();
      join_nodes(n, 8);
      if (lane == 0) { *(Node *)(records + g * GROUP_BYTES) = n; }
    }
    __syncthreads();
  }
  REPORT_FAULT;
  if (partial) { return; }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) { is_last = atomicAdd((u32 *)a.w[3], 1u) == gridDim.x - 1; }
  __syncthreads();
  if (!is_last) { return; }
  __threadfence();
  const Node n = join_records(records, first / 8, tiles);
  if (threadIdx.x == 0) { write_result(a, n); }
}
