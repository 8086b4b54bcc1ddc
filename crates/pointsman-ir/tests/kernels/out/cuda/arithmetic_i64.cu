// Needs { threads: 256, tile_rows: 1024, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 2
struct Args { u64 w[16]; };
struct In {
  i64 c0[V];
  i64 c1[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i64, V>((const i64 *)a.w[10], at, count, in.c0);
  load_values<i64, V>((const i64 *)a.w[12], at, count, in.c1);
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
  i64 v2 = add<i64>(v0, v1);
  i64 v3 = sub<i64>(v0, v1);
  i64 v4 = mul<i64>(v0, v1);
  bool e5 = false;
  i64 v5 = div_checked<i64>(v0, v1, e5);
  bool e6 = false;
  i64 v6 = rem_checked<i64>(v0, v1, e6);
  bool e7 = false;
  i64 v7 = add_checked<i64>(v0, v1, e7);
  bool e8 = false;
  i64 v8 = sub_checked<i64>(v0, v1, e8);
  bool e9 = false;
  i64 v9 = mul_checked<i64>(v0, v1, e9);
  i64 v10 = neg<i64>(v0);
  i64 v11 = abs_of<i64>(v0);
  i64 v12 = sign_of<i64>(v0, (i64)i128_of(0x0ull, 0x1ull));
  i64 v13 = least<i64>(v0, v1);
  i64 v14 = greatest<i64>(v0, v1);
  i64 v15 = (i64)(v2 ^ v3);
  i64 v16 = (i64)(v15 ^ v4);
  i64 v17 = (i64)(v16 ^ v5);
  i64 v18 = (i64)(v17 ^ v6);
  i64 v19 = (i64)(v18 ^ v7);
  i64 v20 = (i64)(v19 ^ v8);
  i64 v21 = (i64)(v20 ^ v9);
  i64 v22 = (i64)(v21 ^ v10);
  i64 v23 = (i64)(v22 ^ v11);
  i64 v24 = (i64)(v23 ^ v12);
  i64 v25 = (i64)(v24 ^ v13);
  i64 v26 = (i64)(v25 ^ v14);
  bad = bad || (e5);
  bad = bad || (e6);
  bad = bad || (e7);
  bad = bad || (e8);
  bad = bad || (e9);
  out.keep = true;
  out.o0 = v26;
  out.m0 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i64 w0[V] = {};
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      if (o.bad && ~row > t.worst) { t.worst = ~row; }
      w0[i] = o.keep && o.m0 ? canonical<i64>(o.o0) : (i64)0;
    }
  }
  store_values<i64, V>((i64 *)a.w[14], at, in.count, w0);
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
  report_fault(a.w[2], t.worst);
}
