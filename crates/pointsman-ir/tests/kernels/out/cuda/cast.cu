// Needs { threads: 256, tile_rows: 1024, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 2
struct Args { u64 w[28]; };
struct In {
  i64 c0[V];
  u32 n0;
  f32 c1[V];
  u8 c2[V];
  u32 c3;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i64, V>((const i64 *)a.w[10], at, count, in.c0);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
  load_values<f32, V>((const f32 *)a.w[12], at, count, in.c1);
  load_values<u8, V>((const u8 *)a.w[14], at, count, in.c2);
  in.c3 = load_bits<V>((const u8 *)a.w[16], at, count);
}
struct Out {
  i32 o0;
  bool m0;
  f32 o1;
  bool m1;
  i16 o2;
  bool m2;
  i64 o3;
  bool m3;
  u32 o4;
  bool m4;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i64 v0 = in.c0[i];
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  f32 v1 = in.c1[i];
  u8 v2 = in.c2[i];
  bool v3 = ((in.c3 >> i) & 1u) != 0u;
  bool e4 = false;
  i32 v4 = bounded<i32>((i128)v0, i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), i128_of(0x0ull, 0x7fffffffull), e4);
  bool n4 = n0;
  e4 = e4 && n0;
  f32 v5 = (f32)v0;
  bool n5 = n0;
  bool e6 = false;
  i16 v6 = whole<i16>((f64)v1, f64_of(0xc0e0002000000000ull), f64_of(0x40e0000000000000ull), e6);
  i64 v7 = (i64)((i128)word_of<u32>(v2));
  u32 v8 = (v3 ? (u32)1 : (u32)0);
  bad = bad || (e4);
  bad = bad || (e6);
  out.keep = true;
  out.o0 = v4;
  out.m0 = n4;
  out.o1 = v5;
  out.m1 = n5;
  out.o2 = v6;
  out.m2 = true;
  out.o3 = v7;
  out.m3 = true;
  out.o4 = v8;
  out.m4 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i32 w0[V] = {};
  u32 z0 = 0;
  f32 w1[V] = {};
  u32 z1 = 0;
  i16 w2[V] = {};
  i64 w3[V] = {};
  u32 w4[V] = {};
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      if (o.bad && ~row > t.worst) { t.worst = ~row; }
      w0[i] = o.keep && o.m0 ? canonical<i32>(o.o0) : (i32)0;
      z0 |= (u32)(o.keep && o.m0) << i;
      w1[i] = o.keep && o.m1 ? canonical<f32>(o.o1) : (f32)0;
      z1 |= (u32)(o.keep && o.m1) << i;
      w2[i] = o.keep && o.m2 ? canonical<i16>(o.o2) : (i16)0;
      w3[i] = o.keep && o.m3 ? canonical<i64>(o.o3) : (i64)0;
      w4[i] = o.keep && o.m4 ? canonical<u32>(o.o4) : (u32)0;
    }
  }
  store_values<i32, V>((i32 *)a.w[18], at, in.count, w0);
  store_bits<V>((u8 *)a.w[19], at, rows, z0);
  store_values<f32, V>((f32 *)a.w[20], at, in.count, w1);
  store_bits<V>((u8 *)a.w[21], at, rows, z1);
  store_values<i16, V>((i16 *)a.w[22], at, in.count, w2);
  store_values<i64, V>((i64 *)a.w[24], at, in.count, w3);
  store_values<u32, V>((u32 *)a.w[26], at, in.count, w4);
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
