// Needs { threads: 256, tile_rows: 1024, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 2
struct Args { u64 w[22]; };
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
  i64 o1;
  bool m1;
  i64 o2;
  bool m2;
  bool o3;
  bool m3;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i64 v0 = in.c0[i];
  i64 v1 = in.c1[i];
  bool n1 = ((in.n1 >> i) & 1u) != 0u;
  bool e2 = false;
  i64 v2 = decimal_mul<i64>((i128)v0, (i128)v1, i128_of(0x0ull, 0x2386f26fc10000ull), e2);
  bool n2 = n1;
  e2 = e2 && n1;
  i64 v3 = neg<i64>(v0);
  i64 v4 = abs_of<i64>(v1);
  bool n4 = n1;
  i64 v5 = sign_of<i64>(v0, (i64)i128_of(0x0ull, 0x64ull));
  i64 v6 = least<i64>(v3, v4);
  bool n6 = n4;
  i64 v7 = least<i64>(greatest<i64>(v6, v5), v1);
  bool n7 = n6 && n1;
  bool e8 = false;
  i64 v8 = decimal_sub<i64>((i128)v7, (i128)v1, i128_of(0x0ull, 0x3b9aca00ull), e8);
  bool n8 = n7 && n1;
  e8 = e8 && n7 && n1;
  bool e9 = false;
  i64 v9 = decimal_add<i64>((i128)v7, (i128)v1, i128_of(0x0ull, 0x3b9aca00ull), e9);
  bool n9 = n7 && n1;
  e9 = e9 && n7 && n1;
  bool v10 = lt<i64>(v0, v1);
  bool n10 = n1;
  bad = bad || (e2);
  bad = bad || (e8);
  bad = bad || (e9);
  out.keep = true;
  out.o0 = v2;
  out.m0 = n2;
  out.o1 = v8;
  out.m1 = n8;
  out.o2 = v9;
  out.m2 = n9;
  out.o3 = v10;
  out.m3 = n10;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i64 w0[V] = {};
  u32 z0 = 0;
  i64 w1[V] = {};
  u32 z1 = 0;
  i64 w2[V] = {};
  u32 z2 = 0;
  u32 w3 = 0;
  u32 z3 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      if (o.bad && ~row > t.worst) { t.worst = ~row; }
      w0[i] = o.keep && o.m0 ? canonical<i64>(o.o0) : (i64)0;
      z0 |= (u32)(o.keep && o.m0) << i;
      w1[i] = o.keep && o.m1 ? canonical<i64>(o.o1) : (i64)0;
      z1 |= (u32)(o.keep && o.m1) << i;
      w2[i] = o.keep && o.m2 ? canonical<i64>(o.o2) : (i64)0;
      z2 |= (u32)(o.keep && o.m2) << i;
      w3 |= (u32)(o.keep && o.m3 && o.o3) << i;
      z3 |= (u32)(o.keep && o.m3) << i;
    }
  }
  store_values<i64, V>((i64 *)a.w[14], at, in.count, w0);
  store_bits<V>((u8 *)a.w[15], at, rows, z0);
  store_values<i64, V>((i64 *)a.w[16], at, in.count, w1);
  store_bits<V>((u8 *)a.w[17], at, rows, z1);
  store_values<i64, V>((i64 *)a.w[18], at, in.count, w2);
  store_bits<V>((u8 *)a.w[19], at, rows, z2);
  store_bits<V>((u8 *)a.w[20], at, rows, w3);
  store_bits<V>((u8 *)a.w[21], at, rows, z3);
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
