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
    if (SPLIT_WHOLE base + 4096 <= rows) {
      fold_leaf<true>(a, base, rows, n, t);
    } else {
      fold_leaf<false>(a, base, rows, n, t);
    }
    if (partial && lane == 0) { write_leaf((u8 *)a.w[3] + 64 + (leaf - first) * LEAF_BYTES, n); }
  }
  REPORT_FAULT;
  if (partial) { return; }
  if (lane == 0) { group[warp] = n; }
  __syncthreads();
  if (warp != 0) { return; }
  n = lane < 8 ? group[lane] : nothing();
  join_nodes(n, 8);
  join_records(a, number, first / 8, a.w[5], n);
}
