// Needs { threads: 256, tile_rows: 4096, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 4
#define U 4
struct Args { u64 w[14]; };
struct In {
  f32 c0[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f32, V>((const f32 *)a.w[10], at, count, in.c0);
}
struct Out {
  f32 o0;
  bool m0;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  f32 v0 = in.c0[i];
  f32 v1 = abs_of<f32>(v0);
  f32 v2 = mul<f32>(v1, v1);
  f32 v3 = f32_of(0x38a4b52fu);
  f32 v4 = f32_of(0xba51fb87u);
  f32 v5 = fma_rn(v3, v2, v4);
  f32 v6 = f32_of(0x3baa02dau);
  f32 v7 = fma_rn(v5, v2, v6);
  f32 v8 = f32_of(0xbcdbfc87u);
  f32 v9 = fma_rn(v7, v2, v8);
  f32 v10 = f32_of(0x3de7167cu);
  f32 v11 = fma_rn(v9, v2, v10);
  f32 v12 = f32_of(0xbec0939fu);
  f32 v13 = fma_rn(v11, v2, v12);
  f32 v14 = f32_of(0x3e0375d4u);
  f32 v15 = fma_rn(v13, v2, v14);
  f32 v16 = fma_rn(v1, v15, v1);
  f32 v17 = f32_of(0x40800000u);
  f32 v18 = least<f32>(v1, v17);
  f32 v19 = mul<f32>(v18, v18);
  f32 v20 = neg<f32>(v19);
  f32 v21 = f32_of(0x3fb8aa3bu);
  f32 v22 = f32_of(0x4b400000u);
  f32 v23 = fma_rn(v20, v21, v22);
  f32 v24 = sub<f32>(v23, v22);
  f32 v25 = f32_of(0xbf317218u);
  f32 v26 = fma_rn(v24, v25, v20);
  i32 v27 = (i32)bits_of(v23);
  f32 v28 = f32_of(0x3102e308u);
  f32 v29 = fma_rn(v24, v28, v26);
  f32 v30 = f32_of(0x3f800000u);
  f32 v31 = f32_of(0x40000000u);
  f32 v32 = add<f32>(v18, v31);
  f32 v33 = div(v30, v32);
  f32 v34 = f32_of(0xc0ec575du);
  f32 v35 = f32_of(0x4122fd87u);
  f32 v36 = fma_rn(v34, v33, v35);
  f32 v37 = f32_of(0xbf04048au);
  f32 v38 = fma_rn(v36, v33, v37);
  f32 v39 = f32_of(0x3fcb29bbu);
  f32 v40 = fma_rn(v38, v33, v39);
  f32 v41 = f32_of(0x3f04f774u);
  f32 v42 = fma_rn(v40, v33, v41);
  f32 v43 = f32_of(0x3aeee117u);
  f32 v44 = fma_rn(v42, v33, v43);
  f32 v45 = f32_of(0x3ab5f482u);
  f32 v46 = f32_of(0x3c091430u);
  f32 v47 = fma_rn(v45, v29, v46);
  f32 v48 = f32_of(0x3d2aab3cu);
  f32 v49 = fma_rn(v47, v29, v48);
  f32 v50 = f32_of(0x3e2aaa57u);
  f32 v51 = fma_rn(v49, v29, v50);
  f32 v52 = f32_of(0x3effffffu);
  f32 v53 = fma_rn(v51, v29, v52);
  f32 v54 = fma_rn(v29, v53, v30);
  f32 v55 = fma_rn(v29, v54, v30);
  i32 v56 = (i32)bits_of(v55);
  i32 v57 = (i32)0x17u;
  i32 v58 = shl<i32>(v27, v57);
  i32 v59 = add<i32>(v56, v58);
  f32 v60 = f32_of((u32)v59);
  f32 v61 = neg<f32>(v60);
  f32 v62 = fma_rn(v61, v44, v30);
  bool v63 = (v1 < v30);
  f32 v64 = (v63 ? v16 : v62);
  bool v65 = is_nan(v0);
  i32 v66 = (i32)bits_of(v0);
  i32 v67 = (i32)0x80000000u;
  i32 v68 = (i32)(v66 & v67);
  i32 v69 = (i32)bits_of(v64);
  i32 v70 = (i32)(v69 | v68);
  f32 v71 = f32_of((u32)v70);
  f32 v72 = (v65 ? v0 : v71);
  out.keep = true;
  out.o0 = v72;
  out.m0 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  f32 w0[V] = {};
#pragma unroll
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<f32>(o.o0) : (f32)0;
    }
  }
  store_values<f32, V>((f32 *)a.w[12], at, in.count, w0);
}
template <bool WHOLE> FN void store_tile(const Args &a, u64 base, u64 rows, Thread &t) {
  In in[U];
#pragma unroll
  for (int u = 0; u < U; u++) { load_chunk<WHOLE>(a, base + u * 1024, rows, in[u]); }
#pragma unroll
  for (int u = 0; u < U; u++) { store_chunk(a, base + u * 1024, rows, in[u], t); }
}
extern "C" __global__ void __launch_bounds__(256) pointsman(const __grid_constant__ Args a) {
  const u64 rows = a.w[0], tiles = a.w[5];
  Thread t = {0, 0u, false};
  for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if ((tile + 1) * 4096 <= rows) {
      store_tile<true>(a, tile * 4096 + threadIdx.x * V, rows, t);
    } else {
      store_tile<false>(a, tile * 4096 + threadIdx.x * V, rows, t);
    }
  }
}
