// Needs { threads: 256, tile_rows: 256, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 1
#define U 1
struct Args { u64 w[70]; };
struct In {
  u32 c0;
  u32 n0;
  i8 c1[V];
  u32 n1;
  i16 c2[V];
  u8 c3[V];
  u16 c4[V];
  u32 n4;
  i32 c5[V];
  u32 c6[V];
  u32 n6;
  i64 c7[V];
  u32 n7;
  u64 c8[V];
  f32 c9[V];
  u32 n9;
  f64 c10[V];
  u32 n10;
  i64 c11[V];
  u32 n11;
  i128 c12[V];
  i32 c13[V];
  u32 n13;
  i64 c14[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  in.c0 = load_bits<V>((const u8 *)a.w[10], at, count);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
  load_values<i8, V>((const i8 *)a.w[12], at, count, in.c1);
  in.n1 = a.w[13] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[13], at, count);
  load_values<i16, V>((const i16 *)a.w[14], at, count, in.c2);
  load_values<u8, V>((const u8 *)a.w[16], at, count, in.c3);
  load_values<u16, V>((const u16 *)a.w[18], at, count, in.c4);
  in.n4 = a.w[19] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[19], at, count);
  load_values<i32, V>((const i32 *)a.w[20], at, count, in.c5);
  load_values<u32, V>((const u32 *)a.w[22], at, count, in.c6);
  in.n6 = a.w[23] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[23], at, count);
  load_values<i64, V>((const i64 *)a.w[24], at, count, in.c7);
  in.n7 = a.w[25] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[25], at, count);
  load_values<u64, V>((const u64 *)a.w[26], at, count, in.c8);
  load_values<f32, V>((const f32 *)a.w[28], at, count, in.c9);
  in.n9 = a.w[29] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[29], at, count);
  load_values<f64, V>((const f64 *)a.w[30], at, count, in.c10);
  in.n10 = a.w[31] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[31], at, count);
  load_values<i64, V>((const i64 *)a.w[32], at, count, in.c11);
  in.n11 = a.w[33] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[33], at, count);
  load_values<i128, V>((const i128 *)a.w[34], at, count, in.c12);
  load_values<i32, V>((const i32 *)a.w[36], at, count, in.c13);
  in.n13 = a.w[37] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[37], at, count);
  load_values<i64, V>((const i64 *)a.w[38], at, count, in.c14);
}
struct Out {
  bool o0;
  bool m0;
  i8 o1;
  bool m1;
  i16 o2;
  bool m2;
  u8 o3;
  bool m3;
  u16 o4;
  bool m4;
  i32 o5;
  bool m5;
  u32 o6;
  bool m6;
  i64 o7;
  bool m7;
  u64 o8;
  bool m8;
  f32 o9;
  bool m9;
  f64 o10;
  bool m10;
  i64 o11;
  bool m11;
  i128 o12;
  bool m12;
  i32 o13;
  bool m13;
  i64 o14;
  bool m14;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  bool v0 = ((in.c0 >> i) & 1u) != 0u;
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  i8 v1 = in.c1[i];
  bool n1 = ((in.n1 >> i) & 1u) != 0u;
  i16 v2 = in.c2[i];
  u8 v3 = in.c3[i];
  u16 v4 = in.c4[i];
  bool n4 = ((in.n4 >> i) & 1u) != 0u;
  i32 v5 = in.c5[i];
  u32 v6 = in.c6[i];
  bool n6 = ((in.n6 >> i) & 1u) != 0u;
  i64 v7 = in.c7[i];
  bool n7 = ((in.n7 >> i) & 1u) != 0u;
  u64 v8 = in.c8[i];
  f32 v9 = in.c9[i];
  bool n9 = ((in.n9 >> i) & 1u) != 0u;
  f64 v10 = in.c10[i];
  bool n10 = ((in.n10 >> i) & 1u) != 0u;
  i64 v11 = in.c11[i];
  bool n11 = ((in.n11 >> i) & 1u) != 0u;
  i128 v12 = in.c12[i];
  i32 v13 = in.c13[i];
  bool n13 = ((in.n13 >> i) & 1u) != 0u;
  i64 v14 = in.c14[i];
  out.keep = (n0 && v0);
  out.o0 = v0;
  out.m0 = n0;
  out.o1 = v1;
  out.m1 = n1;
  out.o2 = v2;
  out.m2 = true;
  out.o3 = v3;
  out.m3 = true;
  out.o4 = v4;
  out.m4 = n4;
  out.o5 = v5;
  out.m5 = true;
  out.o6 = v6;
  out.m6 = n6;
  out.o7 = v7;
  out.m7 = n7;
  out.o8 = v8;
  out.m8 = true;
  out.o9 = v9;
  out.m9 = n9;
  out.o10 = v10;
  out.m10 = n10;
  out.o11 = v11;
  out.m11 = n11;
  out.o12 = v12;
  out.m12 = true;
  out.o13 = v13;
  out.m13 = n13;
  out.o14 = v14;
  out.m14 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  u32 w0 = 0;
  u32 z0 = 0;
  i8 w1[V] = {};
  u32 z1 = 0;
  i16 w2[V] = {};
  u32 z2 = 0;
  u8 w3[V] = {};
  u32 z3 = 0;
  u16 w4[V] = {};
  u32 z4 = 0;
  i32 w5[V] = {};
  u32 z5 = 0;
  u32 w6[V] = {};
  u32 z6 = 0;
  i64 w7[V] = {};
  u32 z7 = 0;
  u64 w8[V] = {};
  u32 z8 = 0;
  f32 w9[V] = {};
  u32 z9 = 0;
  f64 w10[V] = {};
  u32 z10 = 0;
  i64 w11[V] = {};
  u32 z11 = 0;
  i128 w12[V] = {};
  u32 z12 = 0;
  i32 w13[V] = {};
  u32 z13 = 0;
  i64 w14[V] = {};
  u32 z14 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0 |= (u32)(o.keep && o.m0 && o.o0) << i;
      z0 |= (u32)(o.keep && o.m0) << i;
      w1[i] = o.keep && o.m1 ? canonical<i8>(o.o1) : (i8)0;
      z1 |= (u32)(o.keep && o.m1) << i;
      w2[i] = o.keep && o.m2 ? canonical<i16>(o.o2) : (i16)0;
      z2 |= (u32)(o.keep && o.m2) << i;
      w3[i] = o.keep && o.m3 ? canonical<u8>(o.o3) : (u8)0;
      z3 |= (u32)(o.keep && o.m3) << i;
      w4[i] = o.keep && o.m4 ? canonical<u16>(o.o4) : (u16)0;
      z4 |= (u32)(o.keep && o.m4) << i;
      w5[i] = o.keep && o.m5 ? canonical<i32>(o.o5) : (i32)0;
      z5 |= (u32)(o.keep && o.m5) << i;
      w6[i] = o.keep && o.m6 ? canonical<u32>(o.o6) : (u32)0;
      z6 |= (u32)(o.keep && o.m6) << i;
      w7[i] = o.keep && o.m7 ? canonical<i64>(o.o7) : (i64)0;
      z7 |= (u32)(o.keep && o.m7) << i;
      w8[i] = o.keep && o.m8 ? canonical<u64>(o.o8) : (u64)0;
      z8 |= (u32)(o.keep && o.m8) << i;
      w9[i] = o.keep && o.m9 ? canonical<f32>(o.o9) : (f32)0;
      z9 |= (u32)(o.keep && o.m9) << i;
      w10[i] = o.keep && o.m10 ? canonical<f64>(o.o10) : (f64)0;
      z10 |= (u32)(o.keep && o.m10) << i;
      w11[i] = o.keep && o.m11 ? canonical<i64>(o.o11) : (i64)0;
      z11 |= (u32)(o.keep && o.m11) << i;
      w12[i] = o.keep && o.m12 ? canonical<i128>(o.o12) : (i128)0;
      z12 |= (u32)(o.keep && o.m12) << i;
      w13[i] = o.keep && o.m13 ? canonical<i32>(o.o13) : (i32)0;
      z13 |= (u32)(o.keep && o.m13) << i;
      w14[i] = o.keep && o.m14 ? canonical<i64>(o.o14) : (i64)0;
      z14 |= (u32)(o.keep && o.m14) << i;
    }
  }
  store_bits<V>((u8 *)a.w[40], at, rows, w0);
  store_bits<V>((u8 *)a.w[41], at, rows, z0);
  store_values<i8, V>((i8 *)a.w[42], at, in.count, w1);
  store_bits<V>((u8 *)a.w[43], at, rows, z1);
  store_values<i16, V>((i16 *)a.w[44], at, in.count, w2);
  store_bits<V>((u8 *)a.w[45], at, rows, z2);
  store_values<u8, V>((u8 *)a.w[46], at, in.count, w3);
  store_bits<V>((u8 *)a.w[47], at, rows, z3);
  store_values<u16, V>((u16 *)a.w[48], at, in.count, w4);
  store_bits<V>((u8 *)a.w[49], at, rows, z4);
  store_values<i32, V>((i32 *)a.w[50], at, in.count, w5);
  store_bits<V>((u8 *)a.w[51], at, rows, z5);
  store_values<u32, V>((u32 *)a.w[52], at, in.count, w6);
  store_bits<V>((u8 *)a.w[53], at, rows, z6);
  store_values<i64, V>((i64 *)a.w[54], at, in.count, w7);
  store_bits<V>((u8 *)a.w[55], at, rows, z7);
  store_values<u64, V>((u64 *)a.w[56], at, in.count, w8);
  store_bits<V>((u8 *)a.w[57], at, rows, z8);
  store_values<f32, V>((f32 *)a.w[58], at, in.count, w9);
  store_bits<V>((u8 *)a.w[59], at, rows, z9);
  store_values<f64, V>((f64 *)a.w[60], at, in.count, w10);
  store_bits<V>((u8 *)a.w[61], at, rows, z10);
  store_values<i64, V>((i64 *)a.w[62], at, in.count, w11);
  store_bits<V>((u8 *)a.w[63], at, rows, z11);
  store_values<i128, V>((i128 *)a.w[64], at, in.count, w12);
  store_bits<V>((u8 *)a.w[65], at, rows, z12);
  store_values<i32, V>((i32 *)a.w[66], at, in.count, w13);
  store_bits<V>((u8 *)a.w[67], at, rows, z13);
  store_values<i64, V>((i64 *)a.w[68], at, in.count, w14);
  store_bits<V>((u8 *)a.w[69], at, rows, z14);
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
    if ((tile + 1) * 256 <= rows) {
      store_tile<true>(a, tile * 256 + threadIdx.x * V, rows, t);
    } else {
      store_tile<false>(a, tile * 256 + threadIdx.x * V, rows, t);
    }
  }
}
