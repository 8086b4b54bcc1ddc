// Needs { threads: 256, tile_rows: 512, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 1
struct Args { u64 w[24]; };
struct In {
  f64 c0[V];
  u32 n0;
  f32 c1[V];
  u64 c2[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f64, V>((const f64 *)a.w[10], at, count, in.c0);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
  load_values<f32, V>((const f32 *)a.w[12], at, count, in.c1);
  load_values<u64, V>((const u64 *)a.w[14], at, count, in.c2);
}
struct Out {
  i64 o0;
  bool m0;
  f64 o1;
  bool m1;
  f64 o2;
  bool m2;
  i32 o3;
  bool m3;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  f64 v0 = in.c0[i];
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  f32 v1 = in.c1[i];
  u64 v2 = in.c2[i];
  bool e3 = false;
  i64 v3 = whole_from<i64>((f64)v0, f64_of(0xc3e0000000000000ull), f64_of(0x43e0000000000000ull), e3);
  bool n3 = n0;
  e3 = e3 && n0;
  f64 v4 = (f64)v1;
  f64 v5 = (f64)v2;
  i32 v6 = whole_near<i32>((f64)v0, f64_of(0xc1e0000000200000ull), f64_of(0x41e0000000000000ull), (i32)i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), (i32)i128_of(0x0ull, 0x7fffffffull));
  bool n6 = n0;
  bad = bad || (e3);
  out.keep = true;
  out.o0 = v3;
  out.m0 = n3;
  out.o1 = v4;
  out.m1 = true;
  out.o2 = v5;
  out.m2 = true;
  out.o3 = v6;
  out.m3 = n6;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i64 w0[V] = {};
  u32 z0 = 0;
  f64 w1[V] = {};
  f64 w2[V] = {};
  i32 w3[V] = {};
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
      w1[i] = o.keep && o.m1 ? canonical<f64>(o.o1) : (f64)0;
      w2[i] = o.keep && o.m2 ? canonical<f64>(o.o2) : (f64)0;
      w3[i] = o.keep && o.m3 ? canonical<i32>(o.o3) : (i32)0;
      z3 |= (u32)(o.keep && o.m3) << i;
    }
  }
  store_values<i64, V>((i64 *)a.w[16], at, in.count, w0);
  store_bits<V>((u8 *)a.w[17], at, rows, z0);
  store_values<f64, V>((f64 *)a.w[18], at, in.count, w1);
  store_values<f64, V>((f64 *)a.w[20], at, in.count, w2);
  store_values<i32, V>((i32 *)a.w[22], at, in.count, w3);
  store_bits<V>((u8 *)a.w[23], at, rows, z3);
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
  report_fault(a.w[2], t.worst);
}
