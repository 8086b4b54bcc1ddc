// Needs { threads: 256, tile_rows: 256, shared_bytes: 0, block_scratch: 0, kind: Store, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 1
#define U 1
struct Args { u64 w[28]; };
struct In {
  i64 c0[V];
  i64 c1[V];
  u32 c2[V];
  u32 n2;
  u32 count;
};
template <bool WHOLE> FN void load_chunk(const Args &a, u64 at, u64 rows, In &in) {
  const u32 count = WHOLE ? V : rows_at(at, rows, V);
  in.count = count;
  load_values<i64, V>((const i64 *)a.w[10], at, count, in.c0);
  load_values<i64, V>((const i64 *)a.w[12], at, count, in.c1);
  load_values<u32, V>((const u32 *)a.w[14], at, count, in.c2);
  in.n2 = a.w[15] == 0ull ? FULL : load_bits<V>((const u8 *)a.w[15], at, count);
}
struct Out {
  i64 o0;
  bool m0;
  i64 o1;
  bool m1;
  i64 o2;
  bool m2;
  u64 o3;
  bool m3;
  i64 o4;
  bool m4;
  i64 o5;
  bool m5;
  bool keep;
  bool bad;
};
FN void body(const Args &a, u64 row, const In &in, int i, Out &out, Thread &t) {
  bool bad = false;
  i64 v0 = in.c0[i];
  i64 v1 = in.c1[i];
  u32 v2 = in.c2[i];
  bool n2 = ((in.n2 >> i) & 1u) != 0u;
  i64 v3 = add<i64>(v0, v1);
  i64 v4 = (i64)(v0 ^ v3);
  i64 v5 = (i64)(v1 ^ v3);
  i64 v6 = (i64)(v4 & v5);
  i64 v7 = (i64)0x0ull;
  bool v8 = lt<i64>(v6, v7);
  i64 v9 = (i64)0x3full;
  i64 v10 = shr<i64>(v0, v9);
  i64 v11 = (i64)0x7fffffffffffffffull;
  i64 v12 = (i64)(v10 ^ v11);
  i64 v13 = (v8 ? v12 : v3);
  i64 v14 = sub<i64>(v0, v1);
  i64 v15 = (i64)(v0 ^ v1);
  i64 v16 = (i64)(v0 ^ v14);
  i64 v17 = (i64)(v15 & v16);
  bool v18 = lt<i64>(v17, v7);
  i64 v19 = (v18 ? v12 : v14);
  i64 v20 = mul<i64>(v0, v1);
  i64 v21 = abs_of<i64>(v0);
  i64 v22 = abs_of<i64>(v1);
  i64 v23 = mul<i64>(v21, v22);
  i64 v24 = (i64)(~v11);
  bool v25 = eq<i64>(v23, v24);
  bool v26 = lt<i64>(v15, v7);
  bool v27 = !((true && !v25) || (true && !v26));
  bool v28 = !lt<i64>(v23, v7);
  bool v29 = ((true && v28) || (true && v27));
  i64 v30 = (i64)0x20ull;
  i64 v31 = shr<i64>(v21, v30);
  i64 v32 = (i64)0xffffffffull;
  i64 v33 = (i64)(v31 & v32);
  i64 v34 = (i64)(v21 & v32);
  i64 v35 = shr<i64>(v22, v30);
  i64 v36 = (i64)(v35 & v32);
  i64 v37 = (i64)(v22 & v32);
  i64 v38 = mul<i64>(v33, v37);
  i64 v39 = mul<i64>(v34, v36);
  i64 v40 = add<i64>(v38, v39);
  i64 v41 = mul<i64>(v34, v37);
  i64 v42 = (i64)(v23 ^ v24);
  i64 v43 = (i64)(v41 ^ v24);
  bool v44 = lt<i64>(v42, v43);
  i64 v45 = mul<i64>(v33, v36);
  bool v46 = !eq<i64>(v45, v7);
  i64 v47 = shr<i64>(v40, v30);
  i64 v48 = (i64)(v47 & v32);
  bool v49 = !eq<i64>(v48, v7);
  bool v50 = ((true && v46) || (true && v49));
  bool v51 = ((true && v50) || (true && v44));
  bool v52 = !v51;
  bool v53 = !((true && !v29) || (true && !v52));
  i64 v54 = shr<i64>(v15, v9);
  i64 v55 = (i64)(v54 ^ v11);
  i64 v56 = (v53 ? v20 : v55);
  i64 v57 = greatest<i64>(v0, v1);
  i64 v58 = least<i64>(v0, v1);
  i64 v59 = sub<i64>(v57, v58);
  i64 v60 = shr<i64>(v59, v9);
  i64 v61 = (i64)0x1ull;
  i64 v62 = (i64)(v60 & v61);
  u64 v63 = bounded_near<u64>((i128)v62, i128_of(0x0ull, 0x0ull), i128_of(0x0ull, 0xffffffffffffffffull));
  u64 v64 = (u64)0x3full;
  u64 v65 = shl<u64>(v63, v64);
  i64 v66 = (i64)(v59 & v11);
  u64 v67 = bounded_near<u64>((i128)v66, i128_of(0x0ull, 0x0ull), i128_of(0x0ull, 0xffffffffffffffffull));
  u64 v68 = (u64)(v67 | v65);
  i64 v69 = (i64)(v0 & v1);
  i64 v70 = shr<i64>(v15, v61);
  i64 v71 = add<i64>(v69, v70);
  i64 v72 = shr<i64>(v71, v9);
  i64 v73 = (i64)(v72 & v15);
  i64 v74 = (i64)(v73 & v61);
  i64 v75 = add<i64>(v71, v74);
  u32 v76 = (u32)0x1u;
  u32 v77 = (n2 ? v2 : v76);
  i64 s78_0 = v61;
  bool t78_0 = true;
  i64 s78_1 = v0;
  bool t78_1 = true;
  u32 s78_2 = v77;
  bool t78_2 = true;
  for (u32 k78 = 0u; k78 < 32u; k78++) {
    i64 v79 = s78_0;
    i64 v80 = s78_1;
    u32 v81 = s78_2;
    u32 v82 = (u32)0x0u;
    bool v83 = !eq<u32>(v81, v82);
    u32 v84 = (u32)(v81 & v76);
    bool v85 = !eq<u32>(v84, v82);
    i64 v86 = mul<i64>(v79, v80);
    i64 v87 = (v85 ? v86 : v79);
    i64 v88 = mul<i64>(v80, v80);
    u32 v89 = shr<u32>(v81, v76);
    if (!v83) { break; }
    i64 x78_0 = v87;
    bool y78_0 = true;
    i64 x78_1 = v88;
    bool y78_1 = true;
    u32 x78_2 = v89;
    bool y78_2 = true;
    s78_0 = x78_0;
    t78_0 = y78_0;
    s78_1 = x78_1;
    t78_1 = y78_1;
    s78_2 = x78_2;
    t78_2 = y78_2;
  }
  i64 v90 = s78_0;
  i64 v91 = s78_1;
  u32 v92 = s78_2;
  bool v93 = !n2;
  i64 v94 = (i64)0x0ull;
  bool n94 = false;
  i64 v95 = (v93 ? v94 : v90);
  bool n95 = (v93 ? n94 : true);
  out.keep = true;
  out.o0 = v13;
  out.m0 = true;
  out.o1 = v19;
  out.m1 = true;
  out.o2 = v56;
  out.m2 = true;
  out.o3 = v68;
  out.m3 = true;
  out.o4 = v75;
  out.m4 = true;
  out.o5 = v95;
  out.m5 = n95;
  out.bad = bad;
}
FN void store_chunk(const Args &a, u64 at, u64 rows, const In &in, Thread &t) {
  i64 w0[V] = {};
  i64 w1[V] = {};
  i64 w2[V] = {};
  u64 w3[V] = {};
  i64 w4[V] = {};
  i64 w5[V] = {};
  u32 z5 = 0;
#pragma unroll 1
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + at + i;
      Out o;
      body(a, row, in, i, o, t);
      w0[i] = o.keep && o.m0 ? canonical<i64>(o.o0) : (i64)0;
      w1[i] = o.keep && o.m1 ? canonical<i64>(o.o1) : (i64)0;
      w2[i] = o.keep && o.m2 ? canonical<i64>(o.o2) : (i64)0;
      w3[i] = o.keep && o.m3 ? canonical<u64>(o.o3) : (u64)0;
      w4[i] = o.keep && o.m4 ? canonical<i64>(o.o4) : (i64)0;
      w5[i] = o.keep && o.m5 ? canonical<i64>(o.o5) : (i64)0;
      z5 |= (u32)(o.keep && o.m5) << i;
    }
  }
  store_values<i64, V>((i64 *)a.w[16], at, in.count, w0);
  store_values<i64, V>((i64 *)a.w[18], at, in.count, w1);
  store_values<i64, V>((i64 *)a.w[20], at, in.count, w2);
  store_values<u64, V>((u64 *)a.w[22], at, in.count, w3);
  store_values<i64, V>((i64 *)a.w[24], at, in.count, w4);
  store_values<i64, V>((i64 *)a.w[26], at, in.count, w5);
  store_bits<V>((u8 *)a.w[27], at, rows, z5);
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
