// Needs { threads: 288, tile_rows: 4096, shared_bytes: 46912, block_scratch: 0, kind: Stream { node_words: 1, leaves: true }, can_fault: false, can_stop: false }
// … scalar.cu …
// … rows.cu …
#define V 1
#define U 1
struct Args { u64 w[28]; };
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
  f32 v1 = f32_of(0x3f22f983u);
  f32 v2 = f32_of(0x4b400000u);
  f32 v3 = fma_rn(v0, v1, v2);
  f32 v4 = sub<f32>(v3, v2);
  f32 v5 = f32_of(0xbfc90fdbu);
  f32 v6 = fma_rn(v4, v5, v0);
  f32 v7 = f32_of(0x333bbd2eu);
  f32 v8 = fma_rn(v4, v7, v6);
  f32 v9 = f32_of(0x26f72cedu);
  f32 v10 = fma_rn(v4, v9, v8);
  f32 v11 = abs_of<f32>(v0);
  f32 v12 = f32_of(0x47800000u);
  bool v13 = !(v12 >= v11);
  i32 v14 = (i32)bits_of(v3);
  f32 s15_0 = v10;
  bool t15_0 = true;
  i32 s15_1 = v14;
  bool t15_1 = true;
  for (u32 k15 = 0u; k15 < 1u; k15++) {
    if (!v13) { break; }
    i32 v16 = (i32)bits_of(v11);
    i64 v17 = bounded_near<i64>((i128)v16, i128_of(0xffffffffffffffffull, 0x8000000000000000ull), i128_of(0x0ull, 0x7fffffffffffffffull));
    i64 v18 = (i64)0x7fffffull;
    i64 v19 = (i64)(v17 & v18);
    i64 v20 = (i64)0x800000ull;
    i64 v21 = (i64)(v19 | v20);
    i64 v22 = (i64)0x17ull;
    i64 v23 = shr<i64>(v17, v22);
    i64 v24 = (i64)0x78ull;
    i64 v25 = sub<i64>(v23, v24);
    i64 v26 = (i64)0x5ull;
    i64 v27 = shr<i64>(v25, v26);
    i64 v28 = (i64)0x1full;
    i64 v29 = (i64)(v25 & v28);
    i64 v30 = (i64)0x0ull;
    i64 v31 = (i64)0xa2f9836eull;
    i64 v32 = (i64)0x4e441529ull;
    i64 v33 = (i64)0xfc2757d1ull;
    i64 v34 = (i64)0xf534ddc0ull;
    i64 v35 = (i64)0xdb629599ull;
    i64 v36 = (i64)0x3c439041ull;
    i64 v37 = (i64)0xfe5163abull;
    i64 v38 = (i64)0xdebbc561ull;
    i64 v39 = (i64)0xb7246e3aull;
    i64 v40 = (i64)0x424dd2e0ull;
    i64 v41 = (i64)0x4ull;
    i64 v42 = (i64)(v27 & v41);
    bool v43 = !eq<i64>(v42, v30);
    i64 v44 = (v43 ? v34 : v30);
    i64 v45 = (v43 ? v35 : v31);
    i64 v46 = (v43 ? v36 : v32);
    i64 v47 = (v43 ? v37 : v33);
    i64 v48 = (v43 ? v38 : v34);
    i64 v49 = (v43 ? v39 : v35);
    i64 v50 = (v43 ? v40 : v36);
    i64 v51 = (i64)0x2ull;
    i64 v52 = (i64)(v27 & v51);
    bool v53 = !eq<i64>(v52, v30);
    i64 v54 = (v53 ? v46 : v44);
    i64 v55 = (v53 ? v47 : v45);
    i64 v56 = (v53 ? v48 : v46);
    i64 v57 = (v53 ? v49 : v47);
    i64 v58 = (v53 ? v50 : v48);
    i64 v59 = (i64)0x1ull;
    i64 v60 = (i64)(v27 & v59);
    bool v61 = !eq<i64>(v60, v30);
    i64 v62 = (v61 ? v55 : v54);
    i64 v63 = (v61 ? v56 : v55);
    i64 v64 = (v61 ? v57 : v56);
    i64 v65 = (v61 ? v58 : v57);
    i64 v66 = (i64)0x20ull;
    i64 v67 = shl<i64>(v62, v66);
    i64 v68 = (i64)(v67 | v63);
    i64 v69 = sub<i64>(v66, v29);
    i64 v70 = shr<i64>(v68, v69);
    i64 v71 = (i64)0xffffffffull;
    i64 v72 = (i64)(v70 & v71);
    i64 v73 = shl<i64>(v63, v66);
    i64 v74 = (i64)(v73 | v64);
    i64 v75 = shr<i64>(v74, v69);
    i64 v76 = (i64)(v75 & v71);
    i64 v77 = shl<i64>(v64, v66);
    i64 v78 = (i64)(v77 | v65);
    i64 v79 = shr<i64>(v78, v69);
    i64 v80 = (i64)(v79 & v71);
    i64 v81 = shl<i64>(v72, v66);
    i64 v82 = (i64)(v81 | v76);
    i64 v83 = mul<i64>(v21, v82);
    i64 v84 = mul<i64>(v21, v80);
    i64 v85 = shr<i64>(v84, v66);
    i64 v86 = add<i64>(v83, v85);
    i64 v87 = (i64)0x2000000000000000ull;
    i64 v88 = add<i64>(v86, v87);
    i64 v89 = (i64)0x3eull;
    i64 v90 = shr<i64>(v88, v89);
    i64 v91 = shl<i64>(v90, v89);
    i64 v92 = sub<i64>(v86, v91);
    f32 v93 = (f32)v92;
    i64 v94 = whole_from_near<i64>((f64)v93, f64_of(0xc3e0000000000000ull), f64_of(0x43e0000000000000ull), (i64)i128_of(0xffffffffffffffffull, 0x8000000000000000ull), (i64)i128_of(0x0ull, 0x7fffffffffffffffull));
    i64 v95 = sub<i64>(v92, v94);
    f32 v96 = (f32)v95;
    f32 v97 = f32_of(0x20c90fdbu);
    f32 v98 = mul<f32>(v96, v97);
    f32 v99 = f32_of(0x943bbd2eu);
    f32 v100 = fma_rn(v93, v99, v98);
    f32 v101 = fma_rn(v93, v97, v100);
    f32 v102 = f32_of(0x0u);
    f32 v103 = mul<f32>(v0, v102);
    f32 v104 = add<f32>(v101, v103);
    i32 v105 = bounded_near<i32>((i128)v90, i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), i128_of(0x0ull, 0x7fffffffull));
    bool v106 = (v0 < v102);
    f32 v107 = neg<f32>(v104);
    f32 v108 = (v106 ? v107 : v104);
    i32 v109 = neg<i32>(v105);
    i32 v110 = (v106 ? v109 : v105);
    f32 x15_0 = v108;
    bool y15_0 = true;
    i32 x15_1 = v110;
    bool y15_1 = true;
    s15_0 = x15_0;
    t15_0 = y15_0;
    s15_1 = x15_1;
    t15_1 = y15_1;
  }
  f32 v111 = s15_0;
  i32 v112 = s15_1;
  f32 v113 = f32_of(0x0u);
  bool v114 = (v0 == v113);
  f32 v115 = mul<f32>(v111, v111);
  f32 v116 = mul<f32>(v111, v115);
  f32 v117 = f32_of(0xb94c9065u);
  f32 v118 = f32_of(0x3c08836au);
  f32 v119 = fma_rn(v117, v115, v118);
  f32 v120 = f32_of(0xbe2aaaa2u);
  f32 v121 = fma_rn(v119, v115, v120);
  f32 v122 = fma_rn(v116, v121, v111);
  f32 v123 = mul<f32>(v115, v115);
  f32 v124 = f32_of(0x37cce5dcu);
  f32 v125 = f32_of(0xbab605e3u);
  f32 v126 = fma_rn(v124, v115, v125);
  f32 v127 = f32_of(0x3d2aaaa5u);
  f32 v128 = fma_rn(v126, v115, v127);
  f32 v129 = f32_of(0xbf000000u);
  f32 v130 = f32_of(0x3f800000u);
  f32 v131 = fma_rn(v115, v129, v130);
  f32 v132 = fma_rn(v123, v128, v131);
  i32 v133 = (i32)0x1u;
  i32 v134 = (i32)(v112 & v133);
  i32 v135 = (i32)0x0u;
  bool v136 = !eq<i32>(v134, v135);
  f32 v137 = (v136 ? v132 : v122);
  i32 v138 = (i32)0x1eu;
  i32 v139 = shl<i32>(v112, v138);
  i32 v140 = (i32)0x80000000u;
  i32 v141 = (i32)(v139 & v140);
  i32 v142 = (i32)bits_of(v137);
  i32 v143 = (i32)(v142 ^ v141);
  f32 v144 = f32_of((u32)v143);
  f32 v145 = (v114 ? v0 : v144);
  f32 s146_0 = v10;
  bool t146_0 = true;
  i32 s146_1 = v14;
  bool t146_1 = true;
  for (u32 k146 = 0u; k146 < 1u; k146++) {
    if (!v13) { break; }
    i32 v147 = (i32)bits_of(v11);
    i64 v148 = bounded_near<i64>((i128)v147, i128_of(0xffffffffffffffffull, 0x8000000000000000ull), i128_of(0x0ull, 0x7fffffffffffffffull));
    i64 v149 = (i64)0x7fffffull;
    i64 v150 = (i64)(v148 & v149);
    i64 v151 = (i64)0x800000ull;
    i64 v152 = (i64)(v150 | v151);
    i64 v153 = (i64)0x17ull;
    i64 v154 = shr<i64>(v148, v153);
    i64 v155 = (i64)0x78ull;
    i64 v156 = sub<i64>(v154, v155);
    i64 v157 = (i64)0x5ull;
    i64 v158 = shr<i64>(v156, v157);
    i64 v159 = (i64)0x1full;
    i64 v160 = (i64)(v156 & v159);
    i64 v161 = (i64)0x0ull;
    i64 v162 = (i64)0xa2f9836eull;
    i64 v163 = (i64)0x4e441529ull;
    i64 v164 = (i64)0xfc2757d1ull;
    i64 v165 = (i64)0xf534ddc0ull;
    i64 v166 = (i64)0xdb629599ull;
    i64 v167 = (i64)0x3c439041ull;
    i64 v168 = (i64)0xfe5163abull;
    i64 v169 = (i64)0xdebbc561ull;
    i64 v170 = (i64)0xb7246e3aull;
    i64 v171 = (i64)0x424dd2e0ull;
    i64 v172 = (i64)0x4ull;
    i64 v173 = (i64)(v158 & v172);
    bool v174 = !eq<i64>(v173, v161);
    i64 v175 = (v174 ? v165 : v161);
    i64 v176 = (v174 ? v166 : v162);
    i64 v177 = (v174 ? v167 : v163);
    i64 v178 = (v174 ? v168 : v164);
    i64 v179 = (v174 ? v169 : v165);
    i64 v180 = (v174 ? v170 : v166);
    i64 v181 = (v174 ? v171 : v167);
    i64 v182 = (i64)0x2ull;
    i64 v183 = (i64)(v158 & v182);
    bool v184 = !eq<i64>(v183, v161);
    i64 v185 = (v184 ? v177 : v175);
    i64 v186 = (v184 ? v178 : v176);
    i64 v187 = (v184 ? v179 : v177);
    i64 v188 = (v184 ? v180 : v178);
    i64 v189 = (v184 ? v181 : v179);
    i64 v190 = (i64)0x1ull;
    i64 v191 = (i64)(v158 & v190);
    bool v192 = !eq<i64>(v191, v161);
    i64 v193 = (v192 ? v186 : v185);
    i64 v194 = (v192 ? v187 : v186);
    i64 v195 = (v192 ? v188 : v187);
    i64 v196 = (v192 ? v189 : v188);
    i64 v197 = (i64)0x20ull;
    i64 v198 = shl<i64>(v193, v197);
    i64 v199 = (i64)(v198 | v194);
    i64 v200 = sub<i64>(v197, v160);
    i64 v201 = shr<i64>(v199, v200);
    i64 v202 = (i64)0xffffffffull;
    i64 v203 = (i64)(v201 & v202);
    i64 v204 = shl<i64>(v194, v197);
    i64 v205 = (i64)(v204 | v195);
    i64 v206 = shr<i64>(v205, v200);
    i64 v207 = (i64)(v206 & v202);
    i64 v208 = shl<i64>(v195, v197);
    i64 v209 = (i64)(v208 | v196);
    i64 v210 = shr<i64>(v209, v200);
    i64 v211 = (i64)(v210 & v202);
    i64 v212 = shl<i64>(v203, v197);
    i64 v213 = (i64)(v212 | v207);
    i64 v214 = mul<i64>(v152, v213);
    i64 v215 = mul<i64>(v152, v211);
    i64 v216 = shr<i64>(v215, v197);
    i64 v217 = add<i64>(v214, v216);
    i64 v218 = (i64)0x2000000000000000ull;
    i64 v219 = add<i64>(v217, v218);
    i64 v220 = (i64)0x3eull;
    i64 v221 = shr<i64>(v219, v220);
    i64 v222 = shl<i64>(v221, v220);
    i64 v223 = sub<i64>(v217, v222);
    f32 v224 = (f32)v223;
    i64 v225 = whole_from_near<i64>((f64)v224, f64_of(0xc3e0000000000000ull), f64_of(0x43e0000000000000ull), (i64)i128_of(0xffffffffffffffffull, 0x8000000000000000ull), (i64)i128_of(0x0ull, 0x7fffffffffffffffull));
    i64 v226 = sub<i64>(v223, v225);
    f32 v227 = (f32)v226;
    f32 v228 = f32_of(0x20c90fdbu);
    f32 v229 = mul<f32>(v227, v228);
    f32 v230 = f32_of(0x943bbd2eu);
    f32 v231 = fma_rn(v224, v230, v229);
    f32 v232 = fma_rn(v224, v228, v231);
    f32 v233 = mul<f32>(v0, v113);
    f32 v234 = add<f32>(v232, v233);
    i32 v235 = bounded_near<i32>((i128)v221, i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), i128_of(0x0ull, 0x7fffffffull));
    bool v236 = (v0 < v113);
    f32 v237 = neg<f32>(v234);
    f32 v238 = (v236 ? v237 : v234);
    i32 v239 = neg<i32>(v235);
    i32 v240 = (v236 ? v239 : v235);
    f32 x146_0 = v238;
    bool y146_0 = true;
    i32 x146_1 = v240;
    bool y146_1 = true;
    s146_0 = x146_0;
    t146_0 = y146_0;
    s146_1 = x146_1;
    t146_1 = y146_1;
  }
  f32 v241 = s146_0;
  i32 v242 = s146_1;
  i32 v243 = add<i32>(v242, v133);
  f32 v244 = mul<f32>(v241, v241);
  f32 v245 = mul<f32>(v241, v244);
  f32 v246 = fma_rn(v117, v244, v118);
  f32 v247 = fma_rn(v246, v244, v120);
  f32 v248 = fma_rn(v245, v247, v241);
  f32 v249 = mul<f32>(v244, v244);
  f32 v250 = fma_rn(v124, v244, v125);
  f32 v251 = fma_rn(v250, v244, v127);
  f32 v252 = fma_rn(v244, v129, v130);
  f32 v253 = fma_rn(v249, v251, v252);
  i32 v254 = (i32)(v243 & v133);
  bool v255 = !eq<i32>(v254, v135);
  f32 v256 = (v255 ? v253 : v248);
  i32 v257 = shl<i32>(v243, v138);
  i32 v258 = (i32)(v257 & v140);
  i32 v259 = (i32)bits_of(v256);
  i32 v260 = (i32)(v259 ^ v258);
  f32 v261 = f32_of((u32)v260);
  f32 v262 = add<f32>(v145, v261);
  f32 s263_0 = v10;
  bool t263_0 = true;
  i32 s263_1 = v14;
  bool t263_1 = true;
  for (u32 k263 = 0u; k263 < 1u; k263++) {
    if (!v13) { break; }
    i32 v264 = (i32)bits_of(v11);
    i64 v265 = bounded_near<i64>((i128)v264, i128_of(0xffffffffffffffffull, 0x8000000000000000ull), i128_of(0x0ull, 0x7fffffffffffffffull));
    i64 v266 = (i64)0x7fffffull;
    i64 v267 = (i64)(v265 & v266);
    i64 v268 = (i64)0x800000ull;
    i64 v269 = (i64)(v267 | v268);
    i64 v270 = (i64)0x17ull;
    i64 v271 = shr<i64>(v265, v270);
    i64 v272 = (i64)0x78ull;
    i64 v273 = sub<i64>(v271, v272);
    i64 v274 = (i64)0x5ull;
    i64 v275 = shr<i64>(v273, v274);
    i64 v276 = (i64)0x1full;
    i64 v277 = (i64)(v273 & v276);
    i64 v278 = (i64)0x0ull;
    i64 v279 = (i64)0xa2f9836eull;
    i64 v280 = (i64)0x4e441529ull;
    i64 v281 = (i64)0xfc2757d1ull;
    i64 v282 = (i64)0xf534ddc0ull;
    i64 v283 = (i64)0xdb629599ull;
    i64 v284 = (i64)0x3c439041ull;
    i64 v285 = (i64)0xfe5163abull;
    i64 v286 = (i64)0xdebbc561ull;
    i64 v287 = (i64)0xb7246e3aull;
    i64 v288 = (i64)0x424dd2e0ull;
    i64 v289 = (i64)0x4ull;
    i64 v290 = (i64)(v275 & v289);
    bool v291 = !eq<i64>(v290, v278);
    i64 v292 = (v291 ? v282 : v278);
    i64 v293 = (v291 ? v283 : v279);
    i64 v294 = (v291 ? v284 : v280);
    i64 v295 = (v291 ? v285 : v281);
    i64 v296 = (v291 ? v286 : v282);
    i64 v297 = (v291 ? v287 : v283);
    i64 v298 = (v291 ? v288 : v284);
    i64 v299 = (i64)0x2ull;
    i64 v300 = (i64)(v275 & v299);
    bool v301 = !eq<i64>(v300, v278);
    i64 v302 = (v301 ? v294 : v292);
    i64 v303 = (v301 ? v295 : v293);
    i64 v304 = (v301 ? v296 : v294);
    i64 v305 = (v301 ? v297 : v295);
    i64 v306 = (v301 ? v298 : v296);
    i64 v307 = (i64)0x1ull;
    i64 v308 = (i64)(v275 & v307);
    bool v309 = !eq<i64>(v308, v278);
    i64 v310 = (v309 ? v303 : v302);
    i64 v311 = (v309 ? v304 : v303);
    i64 v312 = (v309 ? v305 : v304);
    i64 v313 = (v309 ? v306 : v305);
    i64 v314 = (i64)0x20ull;
    i64 v315 = shl<i64>(v310, v314);
    i64 v316 = (i64)(v315 | v311);
    i64 v317 = sub<i64>(v314, v277);
    i64 v318 = shr<i64>(v316, v317);
    i64 v319 = (i64)0xffffffffull;
    i64 v320 = (i64)(v318 & v319);
    i64 v321 = shl<i64>(v311, v314);
    i64 v322 = (i64)(v321 | v312);
    i64 v323 = shr<i64>(v322, v317);
    i64 v324 = (i64)(v323 & v319);
    i64 v325 = shl<i64>(v312, v314);
    i64 v326 = (i64)(v325 | v313);
    i64 v327 = shr<i64>(v326, v317);
    i64 v328 = (i64)(v327 & v319);
    i64 v329 = shl<i64>(v320, v314);
    i64 v330 = (i64)(v329 | v324);
    i64 v331 = mul<i64>(v269, v330);
    i64 v332 = mul<i64>(v269, v328);
    i64 v333 = shr<i64>(v332, v314);
    i64 v334 = add<i64>(v331, v333);
    i64 v335 = (i64)0x2000000000000000ull;
    i64 v336 = add<i64>(v334, v335);
    i64 v337 = (i64)0x3eull;
    i64 v338 = shr<i64>(v336, v337);
    i64 v339 = shl<i64>(v338, v337);
    i64 v340 = sub<i64>(v334, v339);
    f32 v341 = (f32)v340;
    i64 v342 = whole_from_near<i64>((f64)v341, f64_of(0xc3e0000000000000ull), f64_of(0x43e0000000000000ull), (i64)i128_of(0xffffffffffffffffull, 0x8000000000000000ull), (i64)i128_of(0x0ull, 0x7fffffffffffffffull));
    i64 v343 = sub<i64>(v340, v342);
    f32 v344 = (f32)v343;
    f32 v345 = f32_of(0x20c90fdbu);
    f32 v346 = mul<f32>(v344, v345);
    f32 v347 = f32_of(0x943bbd2eu);
    f32 v348 = fma_rn(v341, v347, v346);
    f32 v349 = fma_rn(v341, v345, v348);
    f32 v350 = mul<f32>(v0, v113);
    f32 v351 = add<f32>(v349, v350);
    i32 v352 = bounded_near<i32>((i128)v338, i128_of(0xffffffffffffffffull, 0xffffffff80000000ull), i128_of(0x0ull, 0x7fffffffull));
    bool v353 = (v0 < v113);
    f32 v354 = neg<f32>(v351);
    f32 v355 = (v353 ? v354 : v351);
    i32 v356 = neg<i32>(v352);
    i32 v357 = (v353 ? v356 : v352);
    f32 x263_0 = v355;
    bool y263_0 = true;
    i32 x263_1 = v357;
    bool y263_1 = true;
    s263_0 = x263_0;
    t263_0 = y263_0;
    s263_1 = x263_1;
    t263_1 = y263_1;
  }
  f32 v358 = s263_0;
  i32 v359 = s263_1;
  f32 v360 = mul<f32>(v358, v358);
  f32 v361 = f32_of(0x3f000000u);
  f32 v362 = mul<f32>(v360, v361);
  f32 v363 = sub<f32>(v130, v362);
  f32 v364 = sub<f32>(v130, v363);
  f32 v365 = sub<f32>(v364, v362);
  f32 v366 = mul<f32>(v358, v360);
  f32 v367 = fma_rn(v117, v360, v118);
  f32 v368 = fma_rn(v367, v360, v120);
  f32 v369 = fma_rn(v366, v368, v358);
  f32 v370 = mul<f32>(v360, v360);
  f32 v371 = fma_rn(v124, v360, v125);
  f32 v372 = fma_rn(v371, v360, v127);
  f32 v373 = fma_rn(v370, v372, v365);
  f32 v374 = add<f32>(v363, v373);
  i32 v375 = (i32)(v359 & v133);
  bool v376 = !eq<i32>(v375, v135);
  f32 v377 = neg<f32>(v374);
  f32 v378 = (v376 ? v377 : v369);
  f32 v379 = (v376 ? v369 : v374);
  f32 v380 = div(v378, v379);
  f32 v381 = (v114 ? v0 : v380);
  f32 v382 = add<f32>(v262, v381);
  out.keep = true;
  out.o0 = v382;
  out.m0 = true;
  out.bad = bad;
}
template <class T> struct Words;
struct Local {
};
template <> struct Words<Local> { static const int count = 0; };
FN void to_words(const Local &n, u32 *w) {
}
FN void from_words(Local &n, const u32 *w) {
}
FN bool starts_here(const Local &e) { return false; }
FN void reset(Local &left) {
}
FN void clear(Local &n) {
  reset(n);
}
FN void append(Local &left, const Local &right) {
  if (starts_here(right)) { reset(left); }
}
struct Exact {
};
template <> struct Words<Exact> { static const int count = 0; };
FN void to_words(const Exact &n, u32 *w) {
}
FN void from_words(Exact &n, const u32 *w) {
}
FN bool starts_here(const Exact &e) { return false; }
FN void reset(Exact &left) {
}
FN void clear(Exact &n) {
  reset(n);
}
FN void append(Exact &left, const Exact &right) {
  if (starts_here(right)) { reset(left); }
}
FN Exact widened(const Local &l) {
  Exact n;
  return n;
}
#define NODE_WORDS 1
struct Node {
  Exact e;
  f32 a0;
};
template <> struct Words<Node> { static const int count = NODE_WORDS; };
FN void to_words(const Node &n, u32 *w) {
  to_words(n.e, w);
  put_word(n.a0, w + 0);
}
FN void from_words(Node &n, const u32 *w) {
  from_words(n.e, w);
  get_word(n.a0, w + 0);
}
FN Node nothing() {
  Node n;
  clear(n.e);
  n.a0 = f32_of(0x80000000u);
  return n;
}
FN void append(Node &left, const Node &right) {
  left.a0 = starts_here(right.e) ? right.a0 : add<f32>(left.a0, right.a0);
  append(left.e, right.e);
}
// … nodes.cu …
#define LEAVES true
#define SEGMENTS false
#define ORDERED true
#define SLOTS 2
// … stream.cu …
FN void stage_chunk(
  const Args &a, u8 *shared, u8 *stage, u64 base, u32 at, const In &in, Thread &t
) {
  f32 y0[V];
#pragma unroll 1
  for (int i = 0; i < V; i++) {
    if (i < in.count) {
      const u64 row = a.w[1] + base + at + i;
      Out o;
      body(a, row, in, i, o, t);
      y0[i] = (o.keep && o.m0) ? o.o0 : f32_of(0x80000000u);
    } else {
      y0[i] = f32_of(0x80000000u);
    }
  }
  put_chunk<f32>((f32 *)(stage + 0), at, y0);
}
template <bool WHOLE>
FN void stage_rows(const Args &a, u8 *shared, u8 *stage, u64 base, u64 rows, Thread &t, u32 &count) {
  const u32 first = threadIdx.x / 32 * WARP_ROWS;
#pragma unroll 1
  for (u32 c = first; c < first + WARP_ROWS; c += 32) {
    In in[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
      load_chunk<WHOLE>(a, base + c + u * 32 + threadIdx.x % 32 * V, rows, in[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++) { stage_chunk(a, shared, stage, base, c + u * 32 + threadIdx.x % 32 * V, in[u], t); }
  }
}
struct Held {
  Plain<f32> left0;
};
FN void prefetch_rows(const Args &a, u64 row) {
  if (a.w[10] != 0ull) { prefetch(a.w[10], row, 32); }
}
FN void begin_tile(
// … 162 more lines with the checksum 924689a31b8ed956
