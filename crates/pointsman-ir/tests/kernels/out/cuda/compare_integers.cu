// Needs { threads: 256, tile_rows: 512, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 1
struct Args { u64 w[24]; };
struct In {
  i32 c0[V];
  i32 c1[V];
  u8 c2[V];
  u8 c3[V];
  u64 c4[V];
  u64 c5[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i32, V>((const i32 *)a.w[10], at, count, in.c0);
  load_values<i32, V>((const i32 *)a.w[12], at, count, in.c1);
  load_values<u8, V>((const u8 *)a.w[14], at, count, in.c2);
  load_values<u8, V>((const u8 *)a.w[16], at, count, in.c3);
  load_values<u64, V>((const u64 *)a.w[18], at, count, in.c4);
  load_values<u64, V>((const u64 *)a.w[20], at, count, in.c5);
}
struct Out {
  bool o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i32 v0 = in.c0[i];
  i32 v1 = in.c1[i];
  u8 v2 = in.c2[i];
  u8 v3 = in.c3[i];
  u64 v4 = in.c4[i];
  u64 v5 = in.c5[i];
  bool v6 = eq<i32>(v0, v1);
  bool v7 = !eq<i32>(v0, v1);
  bool v8 = ((true && v6) || (true && v7));
  bool v9 = lt<i32>(v0, v1);
  bool v10 = ((true && v8) || (true && v9));
  bool v11 = !lt<i32>(v1, v0);
  bool v12 = ((true && v10) || (true && v11));
  bool v13 = lt<i32>(v1, v0);
  bool v14 = ((true && v12) || (true && v13));
  bool v15 = !lt<i32>(v0, v1);
  bool v16 = ((true && v14) || (true && v15));
  bool v17 = eq<u8>(v2, v3);
  bool v18 = ((true && v16) || (true && v17));
  bool v19 = lt<u8>(v2, v3);
  bool v20 = ((true && v18) || (true && v19));
  bool v21 = eq<u64>(v4, v5);
  bool v22 = ((true && v20) || (true && v21));
  bool v23 = lt<u64>(v4, v5);
  bool v24 = ((true && v22) || (true && v23));
  out.keep = true;
  out.o0 = v24;
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
  store_bits<V>((u8 *)a.w[22], at, rows, w0);
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
