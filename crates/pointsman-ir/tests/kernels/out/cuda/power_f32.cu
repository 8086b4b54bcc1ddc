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
  f32 v3 = f32_of(0x800000u);
  bool v4 = (v2 < v3);
  f32 v5 = f32_of(0x4b000000u);
  f32 v6 = mul<f32>(v2, v5);
  f32 v7 = (v4 ? v6 : v2);
  i32 v8 = (i32)bits_of(v7);
  i32 v9 = (i32)0x4ab504f3u;
  i32 v10 = (i32)0x3f3504f3u;
  i32 v11 = (v4 ? v9 : v10);
  i32 v12 = sub<i32>(v8, v11);
  i32 v13 = (i32)0x7fffffu;
  i32 v14 = (i32)(v12 & v13);
  i32 v15 = add<i32>(v14, v10);
  f32 v16 = f32_of((u32)v15);
  i32 v17 = (i32)0x17u;
  i32 v18 = shr<i32>(v12, v17);
  f32 v19 = f32_of(0x3f800000u);
  f32 v20 = sub<f32>(v16, v19);
  f32 v21 = add<f32>(v16, v19);
  f32 v22 = sub<f32>(v21, v19);
  f32 v23 = sub<f32>(v16, v22);
  f32 v24 = div(v19, v21);
  f32 v25 = mul<f32>(v20, v24);
  f32 v26 = neg<f32>(v25);
  f32 v27 = fma_rn(v26, v21, v20);
  f32 v28 = mul<f32>(v25, v23);
  f32 v29 = sub<f32>(v27, v28);
  f32 v30 = mul<f32>(v29, v24);
  f32 v31 = mul<f32>(v25, v25);
  f32 v32 = neg<f32>(v31);
  f32 v33 = fma_rn(v25, v25, v32);
  f32 v34 = add<f32>(v25, v25);
  f32 v35 = fma_rn(v34, v30, v33);
  f32 v36 = f32_of(0x3eaaaaabu);
  f32 v37 = mul<f32>(v31, v36);
  f32 v38 = neg<f32>(v37);
  f32 v39 = fma_rn(v31, v36, v38);
  f32 v40 = mul<f32>(v31, v31);
  f32 v41 = f32_of(0x3e6fd012u);
  f32 v42 = f32_of(0x3e922945u);
  f32 v43 = fma_rn(v41, v31, v42);
  f32 v44 = f32_of(0x3ecccd00u);
  f32 v45 = fma_rn(v43, v31, v44);
  f32 v46 = f32_of(0x3f000000u);
  f32 v47 = mul<f32>(v45, v46);
  f32 v48 = mul<f32>(v40, v47);
  f32 v49 = fma_rn(v35, v36, v39);
  f32 v50 = f32_of(0xb22aaaabu);
  f32 v51 = fma_rn(v31, v50, v49);
  f32 v52 = add<f32>(v48, v51);
  f32 v53 = add<f32>(v37, v52);
  f32 v54 = sub<f32>(v53, v37);
  f32 v55 = sub<f32>(v52, v54);
  f32 v56 = mul<f32>(v25, v53);
  f32 v57 = neg<f32>(v56);
  f32 v58 = fma_rn(v25, v53, v57);
  f32 v59 = fma_rn(v30, v53, v30);
  f32 v60 = fma_rn(v25, v55, v59);
  f32 v61 = add<f32>(v58, v60);
  f32 v62 = add<f32>(v25, v56);
  f32 v63 = sub<f32>(v62, v25);
  f32 v64 = sub<f32>(v56, v63);
  f32 v65 = add<f32>(v64, v61);
  f32 v66 = f32_of(0x4038aa3bu);
  f32 v67 = mul<f32>(v62, v66);
  f32 v68 = neg<f32>(v67);
  f32 v69 = fma_rn(v62, v66, v68);
  f32 v70 = mul<f32>(v65, v66);
  f32 v71 = f32_of(0x33257060u);
  f32 v72 = fma_rn(v62, v71, v70);
  f32 v73 = add<f32>(v69, v72);
  f32 v74 = (f32)v18;
  f32 v75 = add<f32>(v74, v67);
  f32 v76 = sub<f32>(v75, v74);
  f32 v77 = sub<f32>(v67, v76);
  f32 v78 = add<f32>(v77, v73);
  f32 v79 = mul<f32>(v1, v75);
  f32 v80 = neg<f32>(v79);
  f32 v81 = fma_rn(v1, v75, v80);
  f32 v82 = fma_rn(v1, v78, v81);
  f32 v83 = abs_of<f32>(v79);
  f32 v84 = f32_of(0x43200000u);
  bool v85 = (v83 < v84);
  f32 v86 = f32_of(0x0u);
  f32 v87 = (v85 ? v82 : v86);
  f32 v88 = f32_of(0xc3200000u);
  f32 v89 = greatest<f32>(v79, v88);
  f32 v90 = least<f32>(v89, v84);
  f32 v91 = f32_of(0x4b400000u);
  f32 v92 = add<f32>(v90, v91);
  i32 v93 = (i32)bits_of(v92);
  i32 v94 = (i32)bits_of(v91);
  i32 v95 = sub<i32>(v93, v94);
  f32 v96 = sub<f32>(v92, v91);
  f32 v97 = sub<f32>(v90, v96);
  f32 v98 = add<f32>(v97, v87);
  f32 v99 = f32_of(0x3920fda0u);
  f32 v100 = f32_of(0x3aaf9f99u);
  f32 v101 = fma_rn(v99, v98, v100);
  f32 v102 = f32_of(0x3c1d96a8u);
  f32 v103 = fma_rn(v101, v98, v102);
  f32 v104 = f32_of(0x3d635773u);
  f32 v105 = fma_rn(v103, v98, v104);
  f32 v106 = f32_of(0x3e75fdeeu);
  f32 v107 = fma_rn(v105, v98, v106);
  f32 v108 = f32_of(0x3f317218u);
  f32 v109 = fma_rn(v107, v98, v108);
  f32 v110 = fma_rn(v98, v109, v19);
  i32 v111 = (i32)0x1u;
  i32 v112 = shr<i32>(v95, v111);
  i32 v113 = (i32)0x7fu;
  i32 v114 = add<i32>(v112, v113);
  i32 v115 = shl<i32>(v114, v17);
  f32 v116 = f32_of((u32)v115);
  f32 v117 = mul<f32>(v110, v116);
  i32 v118 = sub<i32>(v95, v112);
  i32 v119 = add<i32>(v118, v113);
  i32 v120 = shl<i32>(v119, v17);
  f32 v121 = f32_of((u32)v120);
  f32 v122 = mul<f32>(v117, v121);
  f32 v123 = f32_of(0x7f800000u);
  bool v124 = (v2 == v123);
  bool v125 = (v1 < v86);
  bool v126 = !eq<bool>(v124, v125);
  f32 v127 = (v126 ? v123 : v86);
  bool v128 = (v2 == v86);
  bool v129 = ((true && v124) || (true && v128));
  f32 v130 = (v129 ? v127 : v122);
  f32 v131 = mul<f32>(v1, v46);
  f32 v132 = trunc_of(v1);
  bool v133 = eq<f32>(v132, v1);
  f32 v134 = trunc_of(v131);
  bool v135 = !eq<f32>(v134, v131);
  bool v136 = !((true && !v133) || (true && !v135));
  i32 v137 = (i32)bits_of(v0);
  i32 v138 = (i32)0x0u;
  bool v139 = lt<i32>(v137, v138);
  bool v140 = !((true && !v136) || (true && !v139));
  f32 v141 = neg<f32>(v130);
  f32 v142 = (v140 ? v141 : v130);
  bool v143 = (v0 < v86);
  bool v144 = (v2 < v123);
  bool v145 = !((true && !v143) || (true && !v144));
  bool v146 = !v133;
  bool v147 = !((true && !v145) || (true && !v146));
  bool v148 = is_nan(v0);
  bool v149 = ((true && v147) || (true && v148));
  bool v150 = is_nan(v1);
  bool v151 = ((true && v149) || (true && v150));
  bool v152 = (v2 == v19);
  f32 v153 = abs_of<f32>(v1);
  bool v154 = (v153 == v123);
  bool v155 = !((true && !v152) || (true && !v154));
  bool v156 = (v0 == v19);
  bool v157 = ((true && v155) || (true && v156));
  bool v158 = (v1 == v86);
  bool v159 = ((true && v157) || (true && v158));
  f32 v160 = f32_of(0x7fc00000u);
  f32 v161 = (v151 ? v160 : v142);
  f32 v162 = (v159 ? v19 : v161);
  f32 v163 = f32_of(0x1c971da0u);
  bool v164 = (v2 < v163);
  f32 v165 = f32_of(0x57800000u);
  f32 v166 = mul<f32>(v2, v165);
  f32 v167 = (v164 ? v166 : v2);
  f32 v168 = f32_of(0x3e800000u);
  f32 v169 = mul<f32>(v167, v168);
  i32 v170 = (i32)bits_of(v167);
  f32 v171 = (f32)v170;
  f32 v172 = mul<f32>(v171, v36);
  i32 v173 = whole_near<i32>((f64)v172, f64_of(0xc1e0000000200000ull), f64_of(0x41e0000000000000ull), (i32)i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), (i32)i128_of(0x0ull, 0x7fffffffull));
  i32 v174 = (i32)0x2a5119f2u;
  i32 v175 = add<i32>(v173, v174);
  f32 v176 = f32_of((u32)v175);
  f32 v177 = mul<f32>(v176, v176);
  f32 v178 = mul<f32>(v176, v168);
  f32 v179 = mul<f32>(v177, v178);
  f32 v180 = add<f32>(v179, v169);
  f32 v181 = add<f32>(v180, v169);
  f32 v182 = add<f32>(v179, v179);
  f32 v183 = add<f32>(v182, v169);
  f32 v184 = div(v181, v183);
  f32 v185 = mul<f32>(v176, v184);
  f32 v186 = mul<f32>(v185, v185);
  f32 v187 = neg<f32>(v186);
  f32 v188 = fma_rn(v185, v185, v187);
  f32 v189 = neg<f32>(v167);
  f32 v190 = fma_rn(v186, v185, v189);
  f32 v191 = mul<f32>(v188, v185);
  f32 v192 = add<f32>(v190, v191);
  f32 v193 = f32_of(0x40400000u);
  f32 v194 = mul<f32>(v186, v193);
  f32 v195 = div(v192, v194);
  f32 v196 = sub<f32>(v185, v195);
  f32 v197 = f32_of(0x37800000u);
  f32 v198 = (v164 ? v197 : v19);
  f32 v199 = mul<f32>(v196, v198);
  bool v200 = !(v86 >= v2);
  bool v201 = !((true && !v200) || (true && !v144));
  f32 v202 = (v201 ? v199 : v2);
  i32 v203 = (i32)0x80000000u;
  i32 v204 = (i32)(v137 & v203);
  i32 v205 = (i32)bits_of(v202);
  i32 v206 = (i32)(v205 | v204);
  f32 v207 = f32_of((u32)v206);
  f32 v208 = add<f32>(v162, v207);
  f32 v209 = greatest<f32>(v2, v153);
  f32 v210 = least<f32>(v2, v153);
  f32 v211 = f32_of(0x5e800000u);
  bool v212 = !(v211 >= v209);
  f32 v213 = f32_of(0x2b800000u);
  bool v214 = (v209 < v213);
  f32 v215 = f32_of(0x67800000u);
  f32 v216 = f32_of(0x17800000u);
  f32 v217 = (v212 ? v216 : v19);
  f32 v218 = (v214 ? v215 : v217);
  f32 v219 = mul<f32>(v209, v218);
  f32 v220 = mul<f32>(v210, v218);
  f32 v221 = mul<f32>(v220, v220);
  f32 v222 = fma_rn(v219, v219, v221);
  f32 v223 = sqrt_rn(v222);
  f32 v224 = (v212 ? v215 : v19);
  f32 v225 = (v214 ? v216 : v224);
  f32 v226 = mul<f32>(v223, v225);
  bool v227 = ((true && v124) || (true && v154));
  f32 v228 = (v227 ? v123 : v226);
  f32 v229 = add<f32>(v208, v228);
  out.keep = true;
  out.o0 = v229;
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
