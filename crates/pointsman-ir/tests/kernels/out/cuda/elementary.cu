// Needs { threads: 256, tile_rows: 2048, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 2
#define U 4
struct Args { u64 w[14]; };
struct In {
  f64 c0[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f64, V>((const f64 *)a.w[10], at, count, in.c0);
}
struct Out {
  i8 o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  f64 v0 = in.c0[i];
  f64 v1 = f64_of(0xc087580000000000ull);
  f64 v2 = greatest<f64>(v0, v1);
  f64 v3 = f64_of(0x3ff71547652b82feull);
  f64 v4 = f64_of(0x4338000000000000ull);
  f64 v5 = fma_rn(v2, v3, v4);
  f64 v6 = sub<f64>(v5, v4);
  f64 v7 = f64_of(0xbfe62e42fefa39efull);
  f64 v8 = fma_rn(v6, v7, v2);
  i64 v9 = (i64)bits_of(v5);
  f64 v10 = f64_of(0xbc7abc9e3b39803full);
  f64 v11 = fma_rn(v6, v10, v8);
  f64 v12 = f64_of(0x3e5ae684e24739d2ull);
  f64 v13 = f64_of(0x3e928a266da10d46ull);
  f64 v14 = fma_rn(v12, v11, v13);
  f64 v15 = f64_of(0x3ec71de8a9e5847bull);
  f64 v16 = fma_rn(v14, v11, v15);
  f64 v17 = f64_of(0x3efa019a6e9cd2b7ull);
  f64 v18 = fma_rn(v16, v11, v17);
  f64 v19 = f64_of(0x3f2a01a0173b7471ull);
  f64 v20 = fma_rn(v18, v11, v19);
  f64 v21 = f64_of(0x3f56c16c17f06df5ull);
  f64 v22 = fma_rn(v20, v11, v21);
  f64 v23 = f64_of(0x3f81111111119443ull);
  f64 v24 = fma_rn(v22, v11, v23);
  f64 v25 = f64_of(0x3fa5555555552218ull);
  f64 v26 = fma_rn(v24, v11, v25);
  f64 v27 = f64_of(0x3fc5555555555538ull);
  f64 v28 = fma_rn(v26, v11, v27);
  f64 v29 = f64_of(0x3fe0000000000005ull);
  f64 v30 = fma_rn(v28, v11, v29);
  f64 v31 = f64_of(0x3ff0000000000000ull);
  f64 v32 = fma_rn(v11, v30, v31);
  f64 v33 = fma_rn(v11, v32, v31);
  f64 v34 = f64_of(0xc086180000000000ull);
  bool v35 = (v2 < v34);
  i64 v36 = (i64)0x80ull;
  i64 v37 = add<i64>(v9, v36);
  i64 v38 = (v35 ? v37 : v9);
  f64 v39 = f64_of(0x37f0000000000000ull);
  f64 v40 = (v35 ? v39 : v31);
  i64 v41 = (i64)bits_of(v33);
  i64 v42 = (i64)0x34ull;
  i64 v43 = shl<i64>(v38, v42);
  i64 v44 = add<i64>(v41, v43);
  f64 v45 = f64_of((u64)v44);
  f64 v46 = mul<f64>(v45, v40);
  f64 v47 = f64_of(0x40862e42fefa39efull);
  bool v48 = !(v47 >= v0);
  f64 v49 = f64_of(0x7fe1ccf385ebc8a0ull);
  f64 v50 = mul<f64>(v0, v49);
  f64 v51 = (v48 ? v50 : v46);
  f64 v52 = least<f64>(greatest<f64>(v51, v0), v0);
  i8 v53 = whole_near<i8>((f64)v52, f64_of(0xc060200000000000ull), f64_of(0x4060000000000000ull), (i8)i128_of(0xffffffffffffffffull, 0xffffffffffffff80ull), (i8)i128_of(0x0ull, 0x7full));
  bool v54 = !true;
  i8 v55 = (v54 ? v53 : v53);
  out.keep = true;
  out.o0 = v55;
  out.m0 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i8 w0[V] = {};
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<i8>(o.o0) : (i8)0;
    }
  }
  store_values<i8, V>((i8 *)a.w[12], at, in.count, w0);
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
    if ((tile + 1) * 2048 <= rows) {
      store_tile<true>(a, tile * 2048 + threadIdx.x * V, rows, t);
    } else {
      store_tile<false>(a, tile * 2048 + threadIdx.x * V, rows, t);
    }
  }
}
