// Needs { threads: 256, tile_rows: 2048, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 4
#define U 2
struct Args { u64 w[24]; };
struct In {
  u32 c0;
  u32 n0;
  u32 c1;
  u32 c2;
  u32 n2;
  i32 c3[V];
  u32 n3;
  i32 c4[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  in.c0 = load_bits<V>((const u8 *)a.w[10], at, count);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
  in.c1 = load_bits<V>((const u8 *)a.w[12], at, count);
  in.c2 = load_bits<V>((const u8 *)a.w[14], at, count);
  in.n2 = a.w[15] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[15], at, count);
  load_values<i32, V>((const i32 *)a.w[16], at, count, in.c3);
  in.n3 = a.w[17] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[17], at, count);
  load_values<i32, V>((const i32 *)a.w[18], at, count, in.c4);
}
struct Out {
  bool o0;
  bool m0;
  i32 o1;
  bool m1;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  bool v0 = ((in.c0 >> i) & 1u) != 0u;
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  bool v1 = ((in.c1 >> i) & 1u) != 0u;
  bool v2 = ((in.c2 >> i) & 1u) != 0u;
  bool n2 = ((in.n2 >> i) & 1u) != 0u;
  i32 v3 = in.c3[i];
  bool n3 = ((in.n3 >> i) & 1u) != 0u;
  i32 v4 = in.c4[i];
  bool v5 = !((n0 && !v0) || (n2 && !v2));
  bool n5 = ((n0 && n2) || (n0 && !v0) || (n2 && !v2));
  bool v6 = ((n5 && v5) || (true && v1));
  bool n6 = ((n5 && true) || (n5 && v5) || (true && v1));
  bool v7 = !v6;
  bool n7 = n6;
  bool v8 = !((true && !v1) || (n7 && !v7));
  bool n8 = ((true && n7) || (true && !v1) || (n7 && !v7));
  bool v9 = !n3;
  i32 v10 = ((n8 && v8) ? v3 : v4);
  bool n10 = ((n8 && v8) ? n3 : true);
  i32 v11 = (n10 ? v10 : v4);
  i32 v12 = (v9 ? v3 : v11);
  bool n12 = (v9 ? n3 : true);
  out.keep = v1;
  out.o0 = v8;
  out.m0 = n8;
  out.o1 = v12;
  out.m1 = n12;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  u32 w0 = 0;
  u32 z0 = 0;
  i32 w1[V] = {};
  u32 z1 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0 |= (u32)(o.keep && o.m0 && o.o0) << i;
      z0 |= (u32)(o.keep && o.m0) << i;
      w1[i] = o.keep && o.m1 ? canonical<i32>(o.o1) : (i32)0;
      z1 |= (u32)(o.keep && o.m1) << i;
    }
  }
  store_bits<V>((u8 *)a.w[20], at, rows, w0);
  store_bits<V>((u8 *)a.w[21], at, rows, z0);
  store_values<i32, V>((i32 *)a.w[22], at, in.count, w1);
  store_bits<V>((u8 *)a.w[23], at, rows, z1);
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
