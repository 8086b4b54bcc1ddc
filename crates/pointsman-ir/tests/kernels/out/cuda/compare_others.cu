// Needs { threads: 256, tile_rows: 512, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 1
struct Args { u64 w[24]; };
struct In {
  i64 c0[V];
  i64 c1[V];
  u32 c2;
  u32 c3;
  i32 c4[V];
  u32 n4;
  i32 c5[V];
  u32 n5;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i64, V>((const i64 *)a.w[10], at, count, in.c0);
  load_values<i64, V>((const i64 *)a.w[12], at, count, in.c1);
  in.c2 = load_bits<V>((const u8 *)a.w[14], at, count);
  in.c3 = load_bits<V>((const u8 *)a.w[16], at, count);
  load_values<i32, V>((const i32 *)a.w[18], at, count, in.c4);
  in.n4 = a.w[19] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[19], at, count);
  load_values<i32, V>((const i32 *)a.w[20], at, count, in.c5);
  in.n5 = a.w[21] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[21], at, count);
}
struct Out {
  bool o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i64 v0 = in.c0[i];
  i64 v1 = in.c1[i];
  bool v2 = ((in.c2 >> i) & 1u) != 0u;
  bool v3 = ((in.c3 >> i) & 1u) != 0u;
  i32 v4 = in.c4[i];
  bool n4 = ((in.n4 >> i) & 1u) != 0u;
  i32 v5 = in.c5[i];
  bool n5 = ((in.n5 >> i) & 1u) != 0u;
  bool v6 = eq<i64>(v0, v1);
  bool v7 = !eq<i64>(v0, v1);
  bool v8 = ((true && v6) || (true && v7));
  bool v9 = lt<i64>(v0, v1);
  bool v10 = ((true && v8) || (true && v9));
  bool v11 = !lt<i64>(v1, v0);
  bool v12 = ((true && v10) || (true && v11));
  bool v13 = lt<i64>(v1, v0);
  bool v14 = ((true && v12) || (true && v13));
  bool v15 = !lt<i64>(v0, v1);
  bool v16 = ((true && v14) || (true && v15));
  bool v17 = eq<bool>(v2, v3);
  bool v18 = ((true && v16) || (true && v17));
  bool v19 = lt<bool>(v2, v3);
  bool v20 = ((true && v18) || (true && v19));
  bool v21 = eq<i32>(v4, v5);
  bool n21 = n4 && n5;
  bool v22 = ((true && v20) || (n21 && v21));
  bool n22 = ((true && n21) || (true && v20) || (n21 && v21));
  bool v23 = lt<i32>(v4, v5);
  bool n23 = n4 && n5;
  bool v24 = ((n22 && v22) || (n23 && v23));
  bool n24 = ((n22 && n23) || (n22 && v22) || (n23 && v23));
  out.keep = true;
  out.o0 = v24;
  out.m0 = n24;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  u32 w0 = 0;
  u32 z0 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0 |= (u32)(o.keep && o.m0 && o.o0) << i;
      z0 |= (u32)(o.keep && o.m0) << i;
    }
  }
  store_bits<V>((u8 *)a.w[22], at, rows, w0);
  store_bits<V>((u8 *)a.w[23], at, rows, z0);
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
    if ((tile + 1) * 512 <= rows) {
      store_tile<true>(a, tile * 512 + threadIdx.x * V, rows, t);
    } else {
      store_tile<false>(a, tile * 512 + threadIdx.x * V, rows, t);
    }
  }
}
