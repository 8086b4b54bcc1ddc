// Needs { threads: 256, tile_rows: 2048, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 4
#define U 2
struct Args { u64 w[18]; };
struct In {
  f32 c0[V];
  u32 n0;
  u32 c1[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f32, V>((const f32 *)a.w[10], at, count, in.c0);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
  load_values<u32, V>((const u32 *)a.w[12], at, count, in.c1);
}
struct Out {
  u32 o0;
  bool m0;
  f32 o1;
  bool m1;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  f32 v0 = in.c0[i];
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  u32 v1 = in.c1[i];
  u32 v2 = (u32)bits_of(v0);
  bool n2 = n0;
  f32 v3 = f32_of((u32)v1);
  out.keep = true;
  out.o0 = v2;
  out.m0 = n2;
  out.o1 = v3;
  out.m1 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  u32 w0[V] = {};
  u32 z0 = 0;
  f32 w1[V] = {};
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<u32>(o.o0) : (u32)0;
      z0 |= (u32)(o.keep && o.m0) << i;
      w1[i] = o.keep && o.m1 ? canonical<f32>(o.o1) : (f32)0;
    }
  }
  store_values<u32, V>((u32 *)a.w[14], at, in.count, w0);
  store_bits<V>((u8 *)a.w[15], at, rows, z0);
  store_values<f32, V>((f32 *)a.w[16], at, in.count, w1);
}
template <bool WHOLE> FN void store_tile(const Args &a, u64 base, u64 rows, Thread &t) {
  In in[U];
#pragma unroll
  for (int u = 0; u < U; u++) { load_chunk<WHOLE>(a, base + u * 1024, rows, in[u]); }
#pragma unroll
  for (int u = 0; u < U; u++) { store_chunk(a, base + u * 1024, rows, in[u], t); }
}
extern "C" __global__ void __launch_bounds__(256) pointsman(const __grid_constant__ Args a) {
  const u64 rows = a.w[0], tiles = a.w[5];
  Thread t = {0, 0u, false};
  for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if ((tile + 1) * 2048 <= rows) {
      store_tile<true>(a, tile * 2048 + threadIdx.x * V, rows, t);
    } else {
      store_tile<false>(a, tile * 2048 + threadIdx.x * V, rows, t);
    }
  }
}
