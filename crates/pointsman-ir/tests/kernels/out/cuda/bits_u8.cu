// Needs { threads: 256, tile_rows: 8192, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 16
#define U 2
struct Args { u64 w[16]; };
struct In {
  u8 c0[V];
  u8 c1[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<u8, V>((const u8 *)a.w[10], at, count, in.c0);
  load_values<u8, V>((const u8 *)a.w[12], at, count, in.c1);
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
  u8 v1 = in.c1[i];
  u8 v2 = (u8)(v0 & v1);
  u8 v3 = (u8)(v0 | v1);
  u8 v4 = (u8)(~v0);
  u8 v5 = shl<u8>(v0, v1);
  u8 v6 = shr<u8>(v0, v1);
  u8 v7 = (u8)(v2 ^ v3);
  u8 v8 = (u8)(v7 ^ v4);
  u8 v9 = (u8)(v8 ^ v5);
  u8 v10 = (u8)(v9 ^ v6);
  out.keep = true;
  out.o0 = v10;
  out.m0 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  u8 w0[V] = {};
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<u8>(o.o0) : (u8)0;
    }
  }
  store_values<u8, V>((u8 *)a.w[14], at, in.count, w0);
}
template <bool WHOLE> FN void store_tile(const Args &a, u64 base, u64 rows, Thread &t) {
  In in[U];
#pragma unroll
  for (int u = 0; u < U; u++) { load_chunk<WHOLE>(a, base + u * 4096, rows, in[u]); }
#pragma unroll
  for (int u = 0; u < U; u++) { store_chunk(a, base + u * 4096, rows, in[u], t); }
}
extern "C" __global__ void __launch_bounds__(256) pointsman(const __grid_constant__ Args a) {
  const u64 rows = a.w[0], tiles = a.w[5];
  Thread t = {0, 0u, false};
  for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if ((tile + 1) * 8192 <= rows) {
      store_tile<true>(a, tile * 8192 + threadIdx.x * V, rows, t);
    } else {
      store_tile<false>(a, tile * 8192 + threadIdx.x * V, rows, t);
    }
  }
}
