// Needs { threads: 256, tile_rows: 512, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 1
struct Args { u64 w[28]; };
struct In {
  i64 c0[V];
  u32 n0;
  f32 c1[V];
  i8 c2[V];
  u32 c3[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i64, V>((const i64 *)a.w[10], at, count, in.c0);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
  load_values<f32, V>((const f32 *)a.w[12], at, count, in.c1);
  load_values<i8, V>((const i8 *)a.w[14], at, count, in.c2);
  load_values<u32, V>((const u32 *)a.w[16], at, count, in.c3);
}
struct Out {
  i32 o0;
  bool m0;
  i32 o1;
  bool m1;
  u64 o2;
  bool m2;
  u16 o3;
  bool m3;
  i16 o4;
  bool m4;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i64 v0 = in.c0[i];
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  f32 v1 = in.c1[i];
  i8 v2 = in.c2[i];
  u32 v3 = in.c3[i];
  i32 v4 = bounded_near<i32>((i128)v0, i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), i128_of(0x0ull, 0x7fffffffull));
  bool n4 = n0;
  i32 v5 = whole_near<i32>((f64)v1, f64_of(0xc1e0000000200000ull), f64_of(0x41e0000000000000ull), (i32)i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), (i32)i128_of(0x0ull, 0x7fffffffull));
  u64 v6 = whole_near<u64>((f64)v1, f64_of(0xbff0000000000000ull), f64_of(0x43f0000000000000ull), (u64)i128_of(0x0ull, 0x0ull), (u64)i128_of(0x0ull, 0xffffffffffffffffull));
  u16 v7 = bounded_near<u16>((i128)word_of<i32>(v2), i128_of(0x0ull, 0x0ull), i128_of(0x0ull, 0xffffull));
  i16 v8 = bounded_near<i16>((i128)v3, i128_of(0xffffffffffffffffull, 0xffffffffffff8000ull), i128_of(0x0ull, 0x7fffull));
  out.keep = true;
  out.o0 = v4;
  out.m0 = n4;
  out.o1 = v5;
  out.m1 = true;
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
  i32 w1[V] = {};
  u64 w2[V] = {};
  u16 w3[V] = {};
  i16 w4[V] = {};
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<i32>(o.o0) : (i32)0;
      z0 |= (u32)(o.keep && o.m0) << i;
      w1[i] = o.keep && o.m1 ? canonical<i32>(o.o1) : (i32)0;
      w2[i] = o.keep && o.m2 ? canonical<u64>(o.o2) : (u64)0;
      w3[i] = o.keep && o.m3 ? canonical<u16>(o.o3) : (u16)0;
      w4[i] = o.keep && o.m4 ? canonical<i16>(o.o4) : (i16)0;
    }
  }
  store_values<i32, V>((i32 *)a.w[18], at, in.count, w0);
  store_bits<V>((u8 *)a.w[19], at, rows, z0);
  store_values<i32, V>((i32 *)a.w[20], at, in.count, w1);
  store_values<u64, V>((u64 *)a.w[22], at, in.count, w2);
  store_values<u16, V>((u16 *)a.w[24], at, in.count, w3);
  store_values<i16, V>((i16 *)a.w[26], at, in.count, w4);
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
