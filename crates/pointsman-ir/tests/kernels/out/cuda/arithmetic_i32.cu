// Needs { threads: 256, tile_rows: 2048, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 4
#define U 2
struct Args { u64 w[16]; };
struct In {
  i32 c0[V];
  i32 c1[V];
  u32 n1;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i32, V>((const i32 *)a.w[10], at, count, in.c0);
  load_values<i32, V>((const i32 *)a.w[12], at, count, in.c1);
  in.n1 = a.w[13] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[13], at, count);
}
struct Out {
  i32 o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i32 v0 = in.c0[i];
  i32 v1 = in.c1[i];
  bool n1 = ((in.n1 >> i) & 1u) != 0u;
  i32 v2 = add<i32>(v0, v1);
  bool n2 = n1;
  i32 v3 = sub<i32>(v0, v1);
  bool n3 = n1;
  i32 v4 = mul<i32>(v0, v1);
  bool n4 = n1;
  bool e5 = false;
  i32 v5 = div_checked<i32>(v0, v1, e5);
  bool n5 = n1;
  e5 = e5 && n1;
  bool e6 = false;
  i32 v6 = rem_checked<i32>(v0, v1, e6);
  bool n6 = n1;
  e6 = e6 && n1;
  bool e7 = false;
  i32 v7 = add_checked<i32>(v0, v1, e7);
  bool n7 = n1;
  e7 = e7 && n1;
  bool e8 = false;
  i32 v8 = sub_checked<i32>(v0, v1, e8);
  bool n8 = n1;
  e8 = e8 && n1;
  bool e9 = false;
  i32 v9 = mul_checked<i32>(v0, v1, e9);
  bool n9 = n1;
  e9 = e9 && n1;
  i32 v10 = neg<i32>(v0);
  i32 v11 = abs_of<i32>(v0);
  i32 v12 = sign_of<i32>(v0, (i32)i128_of(0x0ull, 0x1ull));
  i32 v13 = least<i32>(v0, v1);
  bool n13 = n1;
  i32 v14 = greatest<i32>(v0, v1);
  bool n14 = n1;
  i32 v15 = least<i32>(greatest<i32>(v0, v1), v0);
  bool n15 = n1;
  i32 v16 = (i32)(v2 ^ v3);
  bool n16 = n2 && n3;
  i32 v17 = (i32)(v16 ^ v4);
  bool n17 = n16 && n4;
  i32 v18 = (i32)(v17 ^ v5);
  bool n18 = n17 && n5;
  i32 v19 = (i32)(v18 ^ v6);
  bool n19 = n18 && n6;
  i32 v20 = (i32)(v19 ^ v7);
  bool n20 = n19 && n7;
  i32 v21 = (i32)(v20 ^ v8);
  bool n21 = n20 && n8;
  i32 v22 = (i32)(v21 ^ v9);
  bool n22 = n21 && n9;
  i32 v23 = (i32)(v22 ^ v10);
  bool n23 = n22;
  i32 v24 = (i32)(v23 ^ v11);
  bool n24 = n23;
  i32 v25 = (i32)(v24 ^ v12);
  bool n25 = n24;
  i32 v26 = (i32)(v25 ^ v13);
  bool n26 = n25 && n13;
  i32 v27 = (i32)(v26 ^ v14);
  bool n27 = n26 && n14;
  i32 v28 = (i32)(v27 ^ v15);
  bool n28 = n27 && n15;
  bad = bad || (e5);
  bad = bad || (e6);
  bad = bad || (e7);
  bad = bad || (e8);
  bad = bad || (e9);
  out.keep = true;
  out.o0 = v28;
  out.m0 = n28;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i32 w0[V] = {};
  u32 z0 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      if (o.bad && ~row > t.worst) { t.worst = ~row; }
      w0[i] = o.keep && o.m0 ? canonical<i32>(o.o0) : (i32)0;
      z0 |= (u32)(o.keep && o.m0) << i;
    }
  }
  store_values<i32, V>((i32 *)a.w[14], at, in.count, w0);
  store_bits<V>((u8 *)a.w[15], at, rows, z0);
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
  report_fault(a.w[2], t.worst);
}
