// Needs { threads: 256, tile_rows: 8192, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 16
#define U 2
struct Args { u64 w[16]; };
struct In {
  u8 c0[V];
  u8 c1[V];
  u32 n1;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<u8, V>((const u8 *)a.w[10], at, count, in.c0);
  load_values<u8, V>((const u8 *)a.w[12], at, count, in.c1);
  in.n1 = a.w[13] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[13], at, count);
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
  bool n1 = ((in.n1 >> i) & 1u) != 0u;
  u8 v2 = add<u8>(v0, v1);
  bool n2 = n1;
  u8 v3 = sub<u8>(v0, v1);
  bool n3 = n1;
  u8 v4 = mul<u8>(v0, v1);
  bool n4 = n1;
  bool e5 = false;
  u8 v5 = div_checked<u8>(v0, v1, e5);
  bool n5 = n1;
  e5 = e5 && n1;
  bool e6 = false;
  u8 v6 = rem_checked<u8>(v0, v1, e6);
  bool n6 = n1;
  e6 = e6 && n1;
  bool e7 = false;
  u8 v7 = add_checked<u8>(v0, v1, e7);
  bool n7 = n1;
  e7 = e7 && n1;
  bool e8 = false;
  u8 v8 = mul_checked<u8>(v0, v1, e8);
  bool n8 = n1;
  e8 = e8 && n1;
  u8 v9 = abs_of<u8>(v0);
  u8 v10 = sign_of<u8>(v0, (u8)i128_of(0x0ull, 0x1ull));
  u8 v11 = least<u8>(greatest<u8>(v0, v1), v1);
  bool n11 = n1 && n1;
  u8 v12 = (u8)(v2 ^ v3);
  bool n12 = n2 && n3;
  u8 v13 = (u8)(v12 ^ v4);
  bool n13 = n12 && n4;
  u8 v14 = (u8)(v13 ^ v5);
  bool n14 = n13 && n5;
  u8 v15 = (u8)(v14 ^ v6);
  bool n15 = n14 && n6;
  u8 v16 = (u8)(v15 ^ v7);
  bool n16 = n15 && n7;
  u8 v17 = (u8)(v16 ^ v8);
  bool n17 = n16 && n8;
  u8 v18 = (u8)(v17 ^ v9);
  bool n18 = n17;
  u8 v19 = (u8)(v18 ^ v10);
  bool n19 = n18;
  u8 v20 = (u8)(v19 ^ v11);
  bool n20 = n19 && n11;
  bad = bad || (e5);
  bad = bad || (e6);
  bad = bad || (e7);
  bad = bad || (e8);
  out.keep = true;
  out.o0 = v20;
  out.m0 = n20;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  u8 w0[V] = {};
  u32 z0 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      if (o.bad && ~row > t.worst) { t.worst = ~row; }
      w0[i] = o.keep && o.m0 ? canonical<u8>(o.o0) : (u8)0;
      z0 |= (u32)(o.keep && o.m0) << i;
    }
  }
  store_values<u8, V>((u8 *)a.w[14], at, in.count, w0);
  store_bits<V>((u8 *)a.w[15], at, rows, z0);
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
  report_fault(a.w[2], t.worst);
}
