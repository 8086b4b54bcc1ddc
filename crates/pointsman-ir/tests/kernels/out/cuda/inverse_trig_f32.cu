// Needs { threads: 256, tile_rows: 256, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 1
#define U 1
struct Args { u64 w[16]; };
struct In {
  f32 c0[V];
  f32 c1[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<f32, V>((const f32 *)a.w[10], at, count, in.c0);
  load_values<f32, V>((const f32 *)a.w[12], at, count, in.c1);
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
  f32 v1 = in.c1[i];
  f32 v2 = abs_of<f32>(v0);
  f32 v3 = f32_of(0x3f000000u);
  bool v4 = !(v3 >= v2);
  f32 v5 = f32_of(0xbf000000u);
  f32 v6 = fma_rn(v2, v5, v3);
  f32 v7 = mul<f32>(v2, v2);
  f32 v8 = (v4 ? v6 : v7);
  f32 v9 = sqrt_rn(v8);
  f32 v10 = (v4 ? v9 : v2);
  f32 v11 = mul<f32>(v10, v8);
  f32 v12 = f32_of(0x3d2cc2c7u);
  f32 v13 = f32_of(0x3cc606b5u);
  f32 v14 = fma_rn(v12, v8, v13);
  f32 v15 = f32_of(0x3d3a4066u);
  f32 v16 = fma_rn(v14, v8, v15);
  f32 v17 = f32_of(0x3d9980e7u);
  f32 v18 = fma_rn(v16, v8, v17);
  f32 v19 = f32_of(0x3e2aaae4u);
  f32 v20 = fma_rn(v18, v8, v19);
  f32 v21 = mul<f32>(v11, v20);
  f32 v22 = add<f32>(v10, v10);
  f32 v23 = f32_of(0x3fc90fdbu);
  f32 v24 = sub<f32>(v23, v22);
  f32 v25 = sub<f32>(v23, v24);
  f32 v26 = sub<f32>(v25, v22);
  f32 v27 = add<f32>(v21, v21);
  f32 v28 = f32_of(0xb33bbd2eu);
  f32 v29 = add<f32>(v26, v28);
  f32 v30 = sub<f32>(v27, v29);
  f32 v31 = sub<f32>(v24, v30);
  f32 v32 = add<f32>(v10, v21);
  f32 v33 = (v4 ? v31 : v32);
  i32 v34 = (i32)bits_of(v0);
  i32 v35 = (i32)0x80000000u;
  i32 v36 = (i32)(v34 & v35);
  i32 v37 = (i32)bits_of(v33);
  i32 v38 = (i32)(v37 | v36);
  f32 v39 = f32_of((u32)v38);
  f32 v40 = f32_of(0x0u);
  bool v41 = (v0 < v40);
  f32 v42 = neg<f32>(v21);
  f32 v43 = (v41 ? v42 : v21);
  f32 v44 = sub<f32>(v23, v0);
  f32 v45 = sub<f32>(v43, v28);
  f32 v46 = sub<f32>(v44, v45);
  f32 v47 = f32_of(0x40490fdbu);
  f32 v48 = sub<f32>(v47, v22);
  f32 v49 = f32_of(0xb3bbbd2eu);
  f32 v50 = sub<f32>(v27, v49);
  f32 v51 = sub<f32>(v48, v50);
  f32 v52 = add<f32>(v22, v27);
  f32 v53 = (v41 ? v51 : v52);
  f32 v54 = (v4 ? v53 : v46);
  f32 v55 = add<f32>(v39, v54);
  f32 v56 = f32_of(0x3f800000u);
  bool v57 = !(v56 >= v2);
  f32 v58 = (v57 ? v56 : v2);
  f32 v59 = (v57 ? v2 : v56);
  f32 v60 = div(v58, v59);
  f32 v61 = mul<f32>(v60, v60);
  f32 v62 = mul<f32>(v60, v61);
  f32 v63 = f32_of(0xbaeb1747u);
  f32 v64 = f32_of(0x3c32d2c0u);
  f32 v65 = fma_rn(v63, v61, v64);
  f32 v66 = f32_of(0xbcff683eu);
  f32 v67 = fma_rn(v65, v61, v66);
  f32 v68 = f32_of(0x3d6d64b2u);
  f32 v69 = fma_rn(v67, v61, v68);
  f32 v70 = f32_of(0xbdac1a33u);
  f32 v71 = fma_rn(v69, v61, v70);
  f32 v72 = f32_of(0x3de04cf7u);
  f32 v73 = fma_rn(v71, v61, v72);
  f32 v74 = f32_of(0xbe1210dau);
  f32 v75 = fma_rn(v73, v61, v74);
  f32 v76 = f32_of(0x3e4cc8feu);
  f32 v77 = fma_rn(v75, v61, v76);
  f32 v78 = f32_of(0xbeaaaa9fu);
  f32 v79 = fma_rn(v77, v61, v78);
  f32 v80 = mul<f32>(v62, v79);
  f32 v81 = sub<f32>(v23, v60);
  f32 v82 = sub<f32>(v80, v28);
  f32 v83 = sub<f32>(v81, v82);
  f32 v84 = add<f32>(v60, v80);
  f32 v85 = (v57 ? v83 : v84);
  i32 v86 = (i32)bits_of(v85);
  i32 v87 = (i32)(v86 | v36);
  f32 v88 = f32_of((u32)v87);
  f32 v89 = add<f32>(v55, v88);
  f32 v90 = abs_of<f32>(v1);
  f32 v91 = least<f32>(v2, v90);
  f32 v92 = greatest<f32>(v2, v90);
  bool v93 = eq<f32>(v91, v92);
  f32 v94 = sign_of(v92);
  f32 v95 = div(v91, v92);
  f32 v96 = (v93 ? v94 : v95);
  f32 v97 = mul<f32>(v96, v96);
  f32 v98 = mul<f32>(v96, v97);
  f32 v99 = fma_rn(v63, v97, v64);
  f32 v100 = fma_rn(v99, v97, v66);
  f32 v101 = fma_rn(v100, v97, v68);
  f32 v102 = fma_rn(v101, v97, v70);
  f32 v103 = fma_rn(v102, v97, v72);
  f32 v104 = fma_rn(v103, v97, v74);
  f32 v105 = fma_rn(v104, v97, v76);
  f32 v106 = fma_rn(v105, v97, v78);
  f32 v107 = mul<f32>(v98, v106);
  bool v108 = lt<f32>(v90, v2);
  i32 v109 = (i32)bits_of(v1);
  i32 v110 = (i32)0x0u;
  bool v111 = lt<i32>(v109, v110);
  bool v112 = !eq<bool>(v108, v111);
  f32 v113 = neg<f32>(v96);
  f32 v114 = (v112 ? v113 : v96);
  f32 v115 = neg<f32>(v107);
  f32 v116 = (v112 ? v115 : v107);
  f32 v117 = (v111 ? v47 : v40);
  f32 v118 = (v108 ? v23 : v117);
  f32 v119 = add<f32>(v118, v114);
  f32 v120 = (v111 ? v49 : v40);
  f32 v121 = (v108 ? v28 : v120);
  f32 v122 = add<f32>(v116, v121);
  f32 v123 = add<f32>(v119, v122);
  i32 v124 = (i32)bits_of(v123);
  i32 v125 = (i32)(v124 | v36);
  f32 v126 = f32_of((u32)v125);
  f32 v127 = add<f32>(v89, v126);
  out.keep = true;
  out.o0 = v127;
  out.m0 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  f32 w0[V] = {};
#pragma unroll 1
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<f32>(o.o0) : (f32)0;
    }
  }
  store_values<f32, V>((f32 *)a.w[14], at, in.count, w0);
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
    if (false && (tile + 1) * 256 <= rows) {
      store_tile<true>(a, tile * 256 + threadIdx.x * V, rows, t);
    } else {
      store_tile<false>(a, tile * 256 + threadIdx.x * V, rows, t);
    }
  }
}
