// Needs { threads: 256, tile_rows: 1024, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 2
struct Args { u64 w[16]; };
struct In {
  f64 c0[V];
  f64 c1[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f64, V>((const f64 *)a.w[10], at, count, in.c0);
  load_values<f64, V>((const f64 *)a.w[12], at, count, in.c1);
}
struct Out {
  bool o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  f64 v0 = in.c0[i];
  f64 v1 = in.c1[i];
  bool v2 = eq<f64>(v0, v1);
  bool v3 = is_nan(v0);
  bool v4 = ((true && v3) || (true && v2));
  bool v5 = !eq<f64>(v0, v1);
  bool v6 = ((true && v4) || (true && v5));
  bool v7 = lt<f64>(v0, v1);
  bool v8 = ((true && v6) || (true && v7));
  bool v9 = !lt<f64>(v1, v0);
  bool v10 = ((true && v8) || (true && v9));
  bool v11 = lt<f64>(v1, v0);
  bool v12 = ((true && v10) || (true && v11));
  bool v13 = !lt<f64>(v0, v1);
  bool v14 = ((true && v12) || (true && v13));
  out.keep = true;
  out.o0 = v14;
  out.m0 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  u32 w0 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0 |= (u32)(o.keep && o.m0 && o.o0) << i;
    }
  }
  store_bits<V>((u8 *)a.w[14], at, rows, w0);
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
    if ((tile + 1) * 1024 <= rows) {
      store_tile<true>(a, tile * 1024 + threadIdx.x * V, rows, t);
    } else {
      store_tile<false>(a, tile * 1024 + threadIdx.x * V, rows, t);
    }
  }
}
