// Needs { threads: 256, tile_rows: 1024, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 2
struct Args { u64 w[16]; };
struct In {
  i64 c0[V];
  i64 c1[V];
  u32 n1;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i64, V>((const i64 *)a.w[10], at, count, in.c0);
  load_values<i64, V>((const i64 *)a.w[12], at, count, in.c1);
  in.n1 = a.w[13] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[13], at, count);
}
struct Out {
  i64 o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i64 v0 = in.c0[i];
  i64 v1 = in.c1[i];
  bool n1 = ((in.n1 >> i) & 1u) != 0u;
  i64 v2 = (i64)(v0 & v1);
  bool n2 = n1;
  i64 v3 = (i64)(v0 | v1);
  bool n3 = n1;
  i64 v4 = (i64)(~v0);
  i64 v5 = shl<i64>(v0, v1);
  bool n5 = n1;
  i64 v6 = shr<i64>(v0, v1);
  bool n6 = n1;
  i64 v7 = (i64)(v2 ^ v3);
  bool n7 = n2 && n3;
  i64 v8 = (i64)(v7 ^ v4);
  bool n8 = n7;
  i64 v9 = (i64)(v8 ^ v5);
  bool n9 = n8 && n5;
  i64 v10 = (i64)(v9 ^ v6);
  bool n10 = n9 && n6;
  out.keep = true;
  out.o0 = v10;
  out.m0 = n10;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i64 w0[V] = {};
  u32 z0 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<i64>(o.o0) : (i64)0;
      z0 |= (u32)(o.keep && o.m0) << i;
    }
  }
  store_values<i64, V>((i64 *)a.w[14], at, in.count, w0);
  store_bits<V>((u8 *)a.w[15], at, rows, z0);
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
