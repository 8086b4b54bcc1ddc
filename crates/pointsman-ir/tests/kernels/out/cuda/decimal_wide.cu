// Needs { threads: 256, tile_rows: 1024, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 1
#define U 4
struct Args { u64 w[20]; };
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
  i128 o0;
  bool m0;
  i128 o1;
  bool m1;
  bool o2;
  bool m2;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i64 v0 = in.c0[i];
  i64 v1 = in.c1[i];
  bool n1 = ((in.n1 >> i) & 1u) != 0u;
  bool e2 = false;
  i128 v2 = decimal_add<i128>((i128)v0, (i128)v1, i128_of(0x0ull, 0x8ac7230489e80000ull), e2);
  bool n2 = n1;
  e2 = e2 && n1;
  bool e3 = false;
  i128 v3 = decimal_mul<i128>((i128)v0, (i128)v1, i128_of(0xc097ce7bc90715ull, 0xb34b9f1000000000ull), e3);
  bool n3 = n1;
  e3 = e3 && n1;
  bool v4 = lt<i64>(v0, v1);
  bool n4 = n1;
  bad = bad || (e2);
  bad = bad || (e3);
  out.keep = true;
  out.o0 = v2;
  out.m0 = n2;
  out.o1 = v3;
  out.m1 = n3;
  out.o2 = v4;
  out.m2 = n4;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i128 w0[V] = {};
  u32 z0 = 0;
  i128 w1[V] = {};
  u32 z1 = 0;
  u32 w2 = 0;
  u32 z2 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      if (o.bad && ~row > t.worst) { t.worst = ~row; }
      w0[i] = o.keep && o.m0 ? canonical<i128>(o.o0) : (i128)0;
      z0 |= (u32)(o.keep && o.m0) << i;
      w1[i] = o.keep && o.m1 ? canonical<i128>(o.o1) : (i128)0;
      z1 |= (u32)(o.keep && o.m1) << i;
      w2 |= (u32)(o.keep && o.m2 && o.o2) << i;
      z2 |= (u32)(o.keep && o.m2) << i;
    }
  }
  store_values<i128, V>((i128 *)a.w[14], at, in.count, w0);
  store_bits<V>((u8 *)a.w[15], at, rows, z0);
  store_values<i128, V>((i128 *)a.w[16], at, in.count, w1);
  store_bits<V>((u8 *)a.w[17], at, rows, z1);
  store_bits<V>((u8 *)a.w[18], at, rows, w2);
  store_bits<V>((u8 *)a.w[19], at, rows, z2);
}
template <bool WHOLE> FN void store_tile(const Args &a, u64 base, u64 rows, Thread &t) {
  In in[U];
#pragma unroll
  for (int u = 0; u < U; u++) { load_chunk<WHOLE>(a, base + u * 256, rows, in[u]); }
#pragma unroll
  for (int u = 0; u < U; u++) { store_chunk(a, base + u * 256, rows, in[u], t); }
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
