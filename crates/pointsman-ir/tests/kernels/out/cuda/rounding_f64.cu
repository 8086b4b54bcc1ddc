// Needs { threads: 256, tile_rows: 2048, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 4
struct Args { u64 w[14]; };
struct In {
  f64 c0[V];
  u32 n0;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f64, V>((const f64 *)a.w[10], at, count, in.c0);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
}
struct Out {
  f64 o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  f64 v0 = in.c0[i];
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  f64 v1 = floor_of(v0);
  bool n1 = n0;
  f64 v2 = ceil_of(v0);
  bool n2 = n0;
  f64 v3 = round_of(v0);
  bool n3 = n0;
  f64 v4 = trunc_of(v0);
  bool n4 = n0;
  f64 v5 = add<f64>(v1, v2);
  bool n5 = n1 && n2;
  f64 v6 = add<f64>(v5, v3);
  bool n6 = n5 && n3;
  f64 v7 = add<f64>(v6, v4);
  bool n7 = n6 && n4;
  out.keep = true;
  out.o0 = v7;
  out.m0 = n7;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  f64 w0[V] = {};
  u32 z0 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<f64>(o.o0) : (f64)0;
      z0 |= (u32)(o.keep && o.m0) << i;
    }
  }
  store_values<f64, V>((f64 *)a.w[12], at, in.count, w0);
  store_bits<V>((u8 *)a.w[13], at, rows, z0);
}
template <bool WHOLE> FN void store_tile(const Args &a, u64 base, u64 rows, Thread &t) {
  In in[U];
#pragma unroll
  for (int u = 0; u < U; u++) { load_chunk<WHOLE>(a, base + u * 512, rows, in[u]); }
#pragma unroll
  for (int u = 0; u < U; u++) { store_chunk(a, base + u * 512, rows, in[u], t); }
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
