// Needs { threads: 256, tile_rows: 256, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 1
#define U 1
struct Args { u64 w[24]; };
struct In {
  i32 c0[V];
  u32 c1[V];
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i32, V>((const i32 *)a.w[10], at, count, in.c0);
  load_values<u32, V>((const u32 *)a.w[12], at, count, in.c1);
}
struct Out {
  u32 o0;
  bool m0;
  u32 o1;
  bool m1;
  u32 o2;
  bool m2;
  i32 o3;
  bool m3;
  i32 o4;
  bool m4;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i32 v0 = in.c0[i];
  u32 v1 = in.c1[i];
  i32 v2 = (i32)0x1u;
  i32 v3 = shr<i32>(v0, v2);
  i32 v4 = (i32)0x55555555u;
  i32 v5 = (i32)(v3 & v4);
  i32 v6 = sub<i32>(v0, v5);
  i32 v7 = (i32)0x33333333u;
  i32 v8 = (i32)(v6 & v7);
  i32 v9 = (i32)0x2u;
  i32 v10 = shr<i32>(v6, v9);
  i32 v11 = (i32)(v10 & v7);
  i32 v12 = add<i32>(v8, v11);
  i32 v13 = (i32)0x4u;
  i32 v14 = shr<i32>(v12, v13);
  i32 v15 = add<i32>(v12, v14);
  i32 v16 = (i32)0xf0f0f0fu;
  i32 v17 = (i32)(v15 & v16);
  i32 v18 = (i32)0x8u;
  i32 v19 = shr<i32>(v17, v18);
  i32 v20 = add<i32>(v17, v19);
  i32 v21 = (i32)0x10u;
  i32 v22 = shr<i32>(v20, v21);
  i32 v23 = add<i32>(v20, v22);
  i32 v24 = (i32)0x7fu;
  i32 v25 = (i32)(v23 & v24);
  u32 v26 = bounded_near<u32>((i128)v25, i128_of(0x0ull, 0x0ull), i128_of(0x0ull, 0xffffffffull));
  i32 v27 = (i32)(v0 | v3);
  i32 v28 = shr<i32>(v27, v9);
  i32 v29 = (i32)(v27 | v28);
  i32 v30 = shr<i32>(v29, v13);
  i32 v31 = (i32)(v29 | v30);
  i32 v32 = shr<i32>(v31, v18);
  i32 v33 = (i32)(v31 | v32);
  i32 v34 = shr<i32>(v33, v21);
  i32 v35 = (i32)(v33 | v34);
  i32 v36 = (i32)(~v35);
  i32 v37 = shr<i32>(v36, v2);
  i32 v38 = (i32)(v37 & v4);
  i32 v39 = sub<i32>(v36, v38);
  i32 v40 = (i32)(v39 & v7);
  i32 v41 = shr<i32>(v39, v9);
  i32 v42 = (i32)(v41 & v7);
  i32 v43 = add<i32>(v40, v42);
  i32 v44 = shr<i32>(v43, v13);
  i32 v45 = add<i32>(v43, v44);
  i32 v46 = (i32)(v45 & v16);
  i32 v47 = shr<i32>(v46, v18);
  i32 v48 = add<i32>(v46, v47);
  i32 v49 = shr<i32>(v48, v21);
  i32 v50 = add<i32>(v48, v49);
  i32 v51 = (i32)(v50 & v24);
  u32 v52 = bounded_near<u32>((i128)v51, i128_of(0x0ull, 0x0ull), i128_of(0x0ull, 0xffffffffull));
  i32 v53 = (i32)(~v0);
  i32 v54 = sub<i32>(v0, v2);
  i32 v55 = (i32)(v53 & v54);
  i32 v56 = shr<i32>(v55, v2);
  i32 v57 = (i32)(v56 & v4);
  i32 v58 = sub<i32>(v55, v57);
  i32 v59 = (i32)(v58 & v7);
  i32 v60 = shr<i32>(v58, v9);
  i32 v61 = (i32)(v60 & v7);
  i32 v62 = add<i32>(v59, v61);
  i32 v63 = shr<i32>(v62, v13);
  i32 v64 = add<i32>(v62, v63);
  i32 v65 = (i32)(v64 & v16);
  i32 v66 = shr<i32>(v65, v18);
  i32 v67 = add<i32>(v65, v66);
  i32 v68 = shr<i32>(v67, v21);
  i32 v69 = add<i32>(v67, v68);
  i32 v70 = (i32)(v69 & v24);
  u32 v71 = bounded_near<u32>((i128)v70, i128_of(0x0ull, 0x0ull), i128_of(0x0ull, 0xffffffffull));
  u32 v72 = (u32)0x1fu;
  u32 v73 = (u32)(v1 & v72);
  i32 v74 = bounded_near<i32>((i128)v73, i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), i128_of(0x0ull, 0x7fffffffull));
  i32 v75 = (i32)0x0u;
  i32 v76 = sub<i32>(v75, v74);
  i32 v77 = shr<i32>(v0, v76);
  i32 v78 = shl<i32>(v2, v74);
  i32 v79 = sub<i32>(v78, v2);
  i32 v80 = (i32)(v77 & v79);
  i32 v81 = shl<i32>(v0, v74);
  i32 v82 = (i32)(v81 | v80);
  u32 v83 = (u32)0x0u;
  u32 v84 = sub<u32>(v83, v1);
  u32 v85 = (u32)(v84 & v72);
  i32 v86 = bounded_near<i32>((i128)v85, i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), i128_of(0x0ull, 0x7fffffffull));
  i32 v87 = sub<i32>(v75, v86);
  i32 v88 = shr<i32>(v0, v87);
  i32 v89 = shl<i32>(v2, v86);
  i32 v90 = sub<i32>(v89, v2);
  i32 v91 = (i32)(v88 & v90);
  i32 v92 = shl<i32>(v0, v86);
  i32 v93 = (i32)(v92 | v91);
  out.keep = true;
  out.o0 = v26;
  out.m0 = true;
  out.o1 = v52;
  out.m1 = true;
  out.o2 = v71;
  out.m2 = true;
  out.o3 = v82;
  out.m3 = true;
  out.o4 = v93;
  out.m4 = true;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  u32 w0[V] = {};
  u32 w1[V] = {};
  u32 w2[V] = {};
  i32 w3[V] = {};
  i32 w4[V] = {};
#pragma unroll 1
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<u32>(o.o0) : (u32)0;
      w1[i] = o.keep && o.m1 ? canonical<u32>(o.o1) : (u32)0;
      w2[i] = o.keep && o.m2 ? canonical<u32>(o.o2) : (u32)0;
      w3[i] = o.keep && o.m3 ? canonical<i32>(o.o3) : (i32)0;
      w4[i] = o.keep && o.m4 ? canonical<i32>(o.o4) : (i32)0;
    }
  }
  store_values<u32, V>((u32 *)a.w[14], at, in.count, w0);
  store_values<u32, V>((u32 *)a.w[16], at, in.count, w1);
  store_values<u32, V>((u32 *)a.w[18], at, in.count, w2);
  store_values<i32, V>((i32 *)a.w[20], at, in.count, w3);
  store_values<i32, V>((i32 *)a.w[22], at, in.count, w4);
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
