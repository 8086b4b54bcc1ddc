// Needs { threads: 256, tile_rows: 1024, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 1
#define U 4
struct Args { u64 w[52]; };
struct In {
  u32 c0;
  u32 n0;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  in.c0 = load_bits<V>((const u8 *)a.w[10], at, count);
  in.n0 = a.w[11] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[11], at, count);
}
struct Out {
  bool o0;
  bool m0;
  i8 o1;
  bool m1;
  i16 o2;
  bool m2;
  i32 o3;
  bool m3;
  i64 o4;
  bool m4;
  u8 o5;
  bool m5;
  u16 o6;
  bool m6;
  u32 o7;
  bool m7;
  u64 o8;
  bool m8;
  f32 o9;
  bool m9;
  f64 o10;
  bool m10;
  i32 o11;
  bool m11;
  i64 o12;
  bool m12;
  i64 o13;
  bool m13;
  i128 o14;
  bool m14;
  u32 o15;
  bool m15;
  u64 o16;
  bool m16;
  f64 o17;
  bool m17;
  f32 o18;
  bool m18;
  f64 o19;
  bool m19;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  bool v0 = ((in.c0 >> i) & 1u) != 0u;
  bool n0 = ((in.n0 >> i) & 1u) != 0u;
  bool v1 = true;
  i8 v2 = (i8)0x80u;
  i16 v3 = (i16)0x0u;
  bool n3 = false;
  i32 v4 = (i32)0xfffffffbu;
  i64 v5 = (i64)0x8000000000000000ull;
  u8 v6 = (u8)0xffu;
  u16 v7 = (u16)0xffffu;
  u32 v8 = (u32)0xffffffffu;
  u64 v9 = (u64)0xffffffffffffffffull;
  f32 v10 = f32_of(0x80000000u);
  f64 v11 = f64_of(0x7ff8000000000001ull);
  i32 v12 = (i32)0x4e20u;
  i64 v13 = (i64)0xffffffffffffffffull;
  i64 v14 = (i64)0xde0b6b3a763ffffull;
  i128 v15 = i128_of(0xb4c4b357a5793b85ull, 0xf675ddc000000001ull);
  u32 v16 = (u32)0x3u;
  u64 v17 = row;
  bool v18 = !((n0 && !v0) || (true && !v1));
  bool n18 = ((n0 && true) || (n0 && !v0) || (true && !v1));
  f64 v19 = f64_of(0x7ff0000000000000ull);
  bool n19 = true;
  f32 v20 = f32_of(0x1u);
  f64 v21 = f64_of(0x0ull);
  out.keep = (n18 && v18);
  out.o0 = v1;
  out.m0 = true;
  out.o1 = v2;
  out.m1 = true;
  out.o2 = v3;
  out.m2 = n3;
  out.o3 = v4;
  out.m3 = true;
  out.o4 = v5;
  out.m4 = true;
  out.o5 = v6;
  out.m5 = true;
  out.o6 = v7;
  out.m6 = true;
  out.o7 = v8;
  out.m7 = true;
  out.o8 = v9;
  out.m8 = true;
  out.o9 = v10;
  out.m9 = true;
  out.o10 = v11;
  out.m10 = true;
  out.o11 = v12;
  out.m11 = true;
  out.o12 = v13;
  out.m12 = true;
  out.o13 = v14;
  out.m13 = true;
  out.o14 = v15;
  out.m14 = true;
  out.o15 = v16;
  out.m15 = true;
  out.o16 = v17;
  out.m16 = true;
  out.o17 = v19;
  out.m17 = n19;
  out.o18 = v20;
  out.m18 = true;
  out.o19 = v21;
  out.m19 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  u32 w0 = 0;
  u32 z0 = 0;
  i8 w1[V] = {};
  u32 z1 = 0;
  i16 w2[V] = {};
  u32 z2 = 0;
  i32 w3[V] = {};
  u32 z3 = 0;
  i64 w4[V] = {};
  u32 z4 = 0;
  u8 w5[V] = {};
  u32 z5 = 0;
  u16 w6[V] = {};
  u32 z6 = 0;
  u32 w7[V] = {};
  u32 z7 = 0;
  u64 w8[V] = {};
  u32 z8 = 0;
  f32 w9[V] = {};
  u32 z9 = 0;
  f64 w10[V] = {};
  u32 z10 = 0;
  i32 w11[V] = {};
  u32 z11 = 0;
  i64 w12[V] = {};
  u32 z12 = 0;
  i64 w13[V] = {};
  u32 z13 = 0;
  i128 w14[V] = {};
  u32 z14 = 0;
  u32 w15[V] = {};
  u32 z15 = 0;
  u64 w16[V] = {};
  u32 z16 = 0;
  f64 w17[V] = {};
  u32 z17 = 0;
  f32 w18[V] = {};
  u32 z18 = 0;
  f64 w19[V] = {};
  u32 z19 = 0;
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
      w3[i] = o.keep && o.m3 ? canonical<i32>(o.o3) : (i32)0;
      z3 |= (u32)(o.keep && o.m3) << i;
      w4[i] = o.keep && o.m4 ? canonical<i64>(o.o4) : (i64)0;
      z4 |= (u32)(o.keep && o.m4) << i;
      w5[i] = o.keep && o.m5 ? canonical<u8>(o.o5) : (u8)0;
      z5 |= (u32)(o.keep && o.m5) << i;
      w6[i] = o.keep && o.m6 ? canonical<u16>(o.o6) : (u16)0;
      z6 |= (u32)(o.keep && o.m6) << i;
      w7[i] = o.keep && o.m7 ? canonical<u32>(o.o7) : (u32)0;
      z7 |= (u32)(o.keep && o.m7) << i;
      w8[i] = o.keep && o.m8 ? canonical<u64>(o.o8) : (u64)0;
      z8 |= (u32)(o.keep && o.m8) << i;
      w9[i] = o.keep && o.m9 ? canonical<f32>(o.o9) : (f32)0;
      z9 |= (u32)(o.keep && o.m9) << i;
      w10[i] = o.keep && o.m10 ? canonical<f64>(o.o10) : (f64)0;
      z10 |= (u32)(o.keep && o.m10) << i;
      w11[i] = o.keep && o.m11 ? canonical<i32>(o.o11) : (i32)0;
      z11 |= (u32)(o.keep && o.m11) << i;
      w12[i] = o.keep && o.m12 ? canonical<i64>(o.o12) : (i64)0;
      z12 |= (u32)(o.keep && o.m12) << i;
      w13[i] = o.keep && o.m13 ? canonical<i64>(o.o13) : (i64)0;
      z13 |= (u32)(o.keep && o.m13) << i;
      w14[i] = o.keep && o.m14 ? canonical<i128>(o.o14) : (i128)0;
      z14 |= (u32)(o.keep && o.m14) << i;
      w15[i] = o.keep && o.m15 ? canonical<u32>(o.o15) : (u32)0;
      z15 |= (u32)(o.keep && o.m15) << i;
      w16[i] = o.keep && o.m16 ? canonical<u64>(o.o16) : (u64)0;
      z16 |= (u32)(o.keep && o.m16) << i;
      w17[i] = o.keep && o.m17 ? canonical<f64>(o.o17) : (f64)0;
      z17 |= (u32)(o.keep && o.m17) << i;
      w18[i] = o.keep && o.m18 ? canonical<f32>(o.o18) : (f32)0;
      z18 |= (u32)(o.keep && o.m18) << i;
      w19[i] = o.keep && o.m19 ? canonical<f64>(o.o19) : (f64)0;
      z19 |= (u32)(o.keep && o.m19) << i;
    }
  }
  store_bits<V>((u8 *)a.w[12], at, rows, w0);
  store_bits<V>((u8 *)a.w[13], at, rows, z0);
  store_values<i8, V>((i8 *)a.w[14], at, in.count, w1);
  store_bits<V>((u8 *)a.w[15], at, rows, z1);
  store_values<i16, V>((i16 *)a.w[16], at, in.count, w2);
  store_bits<V>((u8 *)a.w[17], at, rows, z2);
  store_values<i32, V>((i32 *)a.w[18], at, in.count, w3);
  store_bits<V>((u8 *)a.w[19], at, rows, z3);
  store_values<i64, V>((i64 *)a.w[20], at, in.count, w4);
  store_bits<V>((u8 *)a.w[21], at, rows, z4);
  store_values<u8, V>((u8 *)a.w[22], at, in.count, w5);
  store_bits<V>((u8 *)a.w[23], at, rows, z5);
  store_values<u16, V>((u16 *)a.w[24], at, in.count, w6);
  store_bits<V>((u8 *)a.w[25], at, rows, z6);
  store_values<u32, V>((u32 *)a.w[26], at, in.count, w7);
  store_bits<V>((u8 *)a.w[27], at, rows, z7);
  store_values<u64, V>((u64 *)a.w[28], at, in.count, w8);
  store_bits<V>((u8 *)a.w[29], at, rows, z8);
  store_values<f32, V>((f32 *)a.w[30], at, in.count, w9);
  store_bits<V>((u8 *)a.w[31], at, rows, z9);
  store_values<f64, V>((f64 *)a.w[32], at, in.count, w10);
  store_bits<V>((u8 *)a.w[33], at, rows, z10);
  store_values<i32, V>((i32 *)a.w[34], at, in.count, w11);
  store_bits<V>((u8 *)a.w[35], at, rows, z11);
  store_values<i64, V>((i64 *)a.w[36], at, in.count, w12);
  store_bits<V>((u8 *)a.w[37], at, rows, z12);
  store_values<i64, V>((i64 *)a.w[38], at, in.count, w13);
  store_bits<V>((u8 *)a.w[39], at, rows, z13);
  store_values<i128, V>((i128 *)a.w[40], at, in.count, w14);
  store_bits<V>((u8 *)a.w[41], at, rows, z14);
  store_values<u32, V>((u32 *)a.w[42], at, in.count, w15);
  store_bits<V>((u8 *)a.w[43], at, rows, z15);
  store_values<u64, V>((u64 *)a.w[44], at, in.count, w16);
  store_bits<V>((u8 *)a.w[45], at, rows, z16);
  store_values<f64, V>((f64 *)a.w[46], at, in.count, w17);
  store_bits<V>((u8 *)a.w[47], at, rows, z17);
  store_values<f32, V>((f32 *)a.w[48], at, in.count, w18);
  store_bits<V>((u8 *)a.w[49], at, rows, z18);
  store_values<f64, V>((f64 *)a.w[50], at, in.count, w19);
  store_bits<V>((u8 *)a.w[51], at, rows, z19);
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
}
