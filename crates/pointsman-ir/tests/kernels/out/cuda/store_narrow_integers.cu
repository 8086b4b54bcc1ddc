// Needs { threads: 256, tile_rows: 2048, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 8
#define U 1
struct Args { u64 w[22]; };
struct In {
  i8 c0[V];
  i16 c1[V];
  u32 n1;
  u16 c2[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i8, V>((const i8 *)a.w[10], at, count, in.c0);
  load_values<i16, V>((const i16 *)a.w[12], at, count, in.c1);
  in.n1 = a.w[13] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[13], at, count);
  load_values<u16, V>((const u16 *)a.w[14], at, count, in.c2);
}
struct Out {
  i8 o0;
  bool m0;
  i16 o1;
  bool m1;
  u16 o2;
  bool m2;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i8 v0 = in.c0[i];
  i16 v1 = in.c1[i];
  bool n1 = ((in.n1 >> i) & 1u) != 0u;
  u16 v2 = in.c2[i];
  i8 v3 = neg<i8>(v0);
  i16 v4 = abs_of<i16>(v1);
  bool n4 = n1;
  u16 v5 = add<u16>(v2, v2);
  out.keep = true;
  out.o0 = v3;
  out.m0 = true;
  out.o1 = v4;
  out.m1 = n4;
  out.o2 = v5;
  out.m2 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i8 w0[V] = {};
  i16 w1[V] = {};
  u32 z1 = 0;
  u16 w2[V] = {};
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<i8>(o.o0) : (i8)0;
      w1[i] = o.keep && o.m1 ? canonical<i16>(o.o1) : (i16)0;
      z1 |= (u32)(o.keep && o.m1) << i;
      w2[i] = o.keep && o.m2 ? canonical<u16>(o.o2) : (u16)0;
    }
  }
  store_values<i8, V>((i8 *)a.w[16], at, in.count, w0);
  store_values<i16, V>((i16 *)a.w[18], at, in.count, w1);
  store_bits<V>((u8 *)a.w[19], at, rows, z1);
  store_values<u16, V>((u16 *)a.w[20], at, in.count, w2);
}
template <bool WHOLE> FN void store_tile(const Args &a, u64 base, u64 rows, Thread &t) {
  In in[U];
#pragma unroll
  for (int u = 0; u < U; u++) { load_chunk<WHOLE>(a, base + u * 2048, rows, in[u]); }
#pragma unroll
  for (int u = 0; u < U; u++) { store_chunk(a, base + u * 2048, rows, in[u], t); }
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
}
