// Needs { threads: 256, tile_rows: 1024, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: true, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 2
struct Args { u64 w[31]; };
struct In {
  u32 c0[V];
  u64 c1[V];
  u32 n1;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<u32, V>((const u32 *)a.w[10], at, count, in.c0);
  load_values<u64, V>((const u64 *)a.w[12], at, count, in.c1);
  in.n1 = a.w[13] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[13], at, count);
}
struct Out {
  f64 o0;
  bool m0;
  bool o1;
  bool m1;
  f32 o2;
  bool m2;
  u64 o3;
  bool m3;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  u32 v0 = in.c0[i];
  u64 v1 = in.c1[i];
  bool n1 = ((in.n1 >> i) & 1u) != 0u;
  bool e2 = false;
  f64 v2 = element((const f64*)a.w[14], (u64)v0, a.w[15], e2);
  bool e3 = false;
  bool v3 = bit_element((const u8*)a.w[16], (u64)v0, a.w[17], e3);
  bool e4 = false;
  f32 v4 = element((const f32*)a.w[19], v1, a.w[18], e4);
  bool n4 = n1 && ((u64)v1 < a.w[18] && (a.w[20] == 0ull || bit_at((const u8*)a.w[20], v1)));
  e4 = e4 && n1;
  bool e5 = false;
  u64 v5 = element((const u64*)a.w[21], v1, a.w[18], e5);
  bool n5 = n1;
  e5 = e5 && n1;
  bad = bad || (e2);
  bad = bad || (e3);
  bad = bad || (e4);
  bad = bad || (e5);
  out.keep = true;
  out.o0 = v2;
  out.m0 = true;
  out.o1 = v3;
  out.m1 = true;
  out.o2 = v4;
  out.m2 = n4;
  out.o3 = v5;
  out.m3 = n5;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  f64 w0[V] = {};
  u32 w1 = 0;
  f32 w2[V] = {};
  u32 z2 = 0;
  u64 w3[V] = {};
  u32 z3 = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      if (o.bad && ~row > t.worst) { t.worst = ~row; }
      w0[i] = o.keep && o.m0 ? canonical<f64>(o.o0) : (f64)0;
      w1 |= (u32)(o.keep && o.m1 && o.o1) << i;
      w2[i] = o.keep && o.m2 ? canonical<f32>(o.o2) : (f32)0;
      z2 |= (u32)(o.keep && o.m2) << i;
      w3[i] = o.keep && o.m3 ? canonical<u64>(o.o3) : (u64)0;
      z3 |= (u32)(o.keep && o.m3) << i;
    }
  }
  store_values<f64, V>((f64 *)a.w[23], at, in.count, w0);
  store_bits<V>((u8 *)a.w[25], at, rows, w1);
  store_values<f32, V>((f32 *)a.w[27], at, in.count, w2);
  store_bits<V>((u8 *)a.w[28], at, rows, z2);
  store_values<u64, V>((u64 *)a.w[29], at, in.count, w3);
  store_bits<V>((u8 *)a.w[30], at, rows, z3);
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
