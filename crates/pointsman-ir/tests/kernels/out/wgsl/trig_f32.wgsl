// ["leaves", "join", "carry", "write"]
// [Column(0), Output(0), Nodes]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read_write> out0: array<u32>;
@group(0) @binding(4) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  x0: u32,
  y0: bool,
}
fn row(r: u32, c0: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u32 = 1059256707u;
  var v2: u32 = 1262485504u;
  var v3: u32 = fma_f32(v0, v1, v2);
  var v4: u32 = sub_f32(v3, v2);
  var v5: u32 = 3217625051u;
  var v6: u32 = fma_f32(v4, v5, v0);
  var v7: u32 = 859553070u;
  var v8: u32 = fma_f32(v4, v7, v6);
  var v9: u32 = 653733101u;
  var v10: u32 = fma_f32(v4, v9, v8);
  var v11: u32 = abs_f32(v0);
  var v12: u32 = 1199570944u;
  var v13: bool = (above_f32(v11, v12));
  var v14: i32 = bitcast<i32>(canonical_f32(v3));
  var s15_0: u32 = v10;
  var t15_0: bool = true;
  var s15_1: i32 = v14;
  var t15_1: bool = true;
  for (var k15 = 0u; k15 < 1u; k15++) {
    if (!v13) { break; }
    var v16: i32 = bitcast<i32>(canonical_f32(v11));
    var v17: i64 = nearest_i32_i64(v16, &bad);
    var v18: i64 = 8388607li;
    var v19: i64 = (v17 & v18);
    var v20: i64 = 8388608li;
    var v21: i64 = (v19 | v20);
    var v22: i64 = 23li;
    var v23: i64 = (v17 >> u32(v22 & 63li));
    var v24: i64 = 120li;
    var v25: i64 = (v23 - v24);
    var v26: i64 = 5li;
    var v27: i64 = (v25 >> u32(v26 & 63li));
    var v28: i64 = 31li;
    var v29: i64 = (v25 & v28);
    var v30: i64 = 0li;
    var v31: i64 = 2734261102li;
    var v32: i64 = 1313084713li;
    var v33: i64 = 4230436817li;
    var v34: i64 = 4113882560li;
    var v35: i64 = 3680671129li;
    var v36: i64 = 1011060801li;
    var v37: i64 = 4266746795li;
    var v38: i64 = 3736847713li;
    var v39: i64 = 3072618042li;
    var v40: i64 = 1112396512li;
    var v41: i64 = 4li;
    var v42: i64 = (v27 & v41);
    var v43: bool = (v42 != v30);
    var v44: i64 = select(v30, v34, v43);
    var v45: i64 = select(v31, v35, v43);
    var v46: i64 = select(v32, v36, v43);
    var v47: i64 = select(v33, v37, v43);
    var v48: i64 = select(v34, v38, v43);
    var v49: i64 = select(v35, v39, v43);
    var v50: i64 = select(v36, v40, v43);
    var v51: i64 = 2li;
    var v52: i64 = (v27 & v51);
    var v53: bool = (v52 != v30);
    var v54: i64 = select(v44, v46, v53);
    var v55: i64 = select(v45, v47, v53);
    var v56: i64 = select(v46, v48, v53);
    var v57: i64 = select(v47, v49, v53);
    var v58: i64 = select(v48, v50, v53);
    var v59: i64 = 1li;
    var v60: i64 = (v27 & v59);
    var v61: bool = (v60 != v30);
    var v62: i64 = select(v54, v55, v61);
    var v63: i64 = select(v55, v56, v61);
    var v64: i64 = select(v56, v57, v61);
    var v65: i64 = select(v57, v58, v61);
    var v66: i64 = 32li;
    var v67: i64 = (v62 << u32(v66 & 63li));
    var v68: i64 = (v67 | v63);
    var v69: i64 = (v66 - v29);
    var v70: i64 = (v68 >> u32(v69 & 63li));
    var v71: i64 = 4294967295li;
    var v72: i64 = (v70 & v71);
    var v73: i64 = (v63 << u32(v66 & 63li));
    var v74: i64 = (v73 | v64);
    var v75: i64 = (v74 >> u32(v69 & 63li));
    var v76: i64 = (v75 & v71);
    var v77: i64 = (v64 << u32(v66 & 63li));
    var v78: i64 = (v77 | v65);
    var v79: i64 = (v78 >> u32(v69 & 63li));
    var v80: i64 = (v79 & v71);
    var v81: i64 = (v72 << u32(v66 & 63li));
    var v82: i64 = (v81 | v76);
    var v83: i64 = (v21 * v82);
    var v84: i64 = (v21 * v80);
    var v85: i64 = (v84 >> u32(v66 & 63li));
    var v86: i64 = (v83 + v85);
    var v87: i64 = 2305843009213693952li;
    var v88: i64 = (v86 + v87);
    var v89: i64 = 62li;
    var v90: i64 = (v88 >> u32(v89 & 63li));
    var v91: i64 = (v90 << u32(v89 & 63li));
    var v92: i64 = (v86 - v91);
    var v93: u32 = bitcast<u32>(f32(v92));
    var v94: i64 = nearest_f32_i64(v93, &bad);
    var v95: i64 = (v92 - v94);
    var v96: u32 = bitcast<u32>(f32(v95));
    var v97: u32 = 550047707u;
    var v98: u32 = mul_f32(v96, v97);
    var v99: u32 = 2486943022u;
    var v100: u32 = fma_f32(v93, v99, v98);
    var v101: u32 = fma_f32(v93, v97, v100);
    var v102: u32 = 0u;
    var v103: u32 = mul_f32(v0, v102);
    var v104: u32 = add_f32(v101, v103);
    var v105: i32 = nearest_i64_i32(v90, &bad);
    var v106: bool = (below_f32(v0, v102));
    var v107: u32 = neg_f32(v104);
    var v108: u32 = select(v104, v107, v106);
    var v109: i32 = (0i - v105);
    var v110: i32 = select(v105, v109, v106);
    var x15_0: u32 = v108;
    var y15_0: bool = true;
    var x15_1: i32 = v110;
    var y15_1: bool = true;
    s15_0 = x15_0;
    t15_0 = y15_0;
    s15_1 = x15_1;
    t15_1 = y15_1;
  }
  var v111: u32 = s15_0;
  var v112: i32 = s15_1;
  var v113: u32 = 0u;
  var v114: bool = (order_f32(v0) == order_f32(v113));
  var v115: u32 = mul_f32(v111, v111);
  var v116: u32 = mul_f32(v111, v115);
  var v117: u32 = 3108802661u;
  var v118: u32 = 1007190890u;
  var v119: u32 = fma_f32(v117, v115, v118);
  var v120: u32 = 3190467234u;
  var v121: u32 = fma_f32(v119, v115, v120);
  var v122: u32 = fma_f32(v116, v121, v111);
  var v123: u32 = mul_f32(v115, v115);
  var v124: u32 = 936175068u;
  var v125: u32 = 3132491235u;
  var v126: u32 = fma_f32(v124, v115, v125);
  var v127: u32 = 1026206373u;
  var v128: u32 = fma_f32(v126, v115, v127);
  var v129: u32 = 3204448256u;
  var v130: u32 = 1065353216u;
  var v131: u32 = fma_f32(v115, v129, v130);
  var v132: u32 = fma_f32(v123, v128, v131);
  var v133: i32 = 1i;
  var v134: i32 = (v112 & v133);
  var v135: i32 = 0i;
  var v136: bool = (v134 != v135);
  var v137: u32 = select(v122, v132, v136);
  var v138: i32 = 30i;
  var v139: i32 = (v112 << (bitcast<u32>(v138) & 31u));
  var v140: i32 = (-2147483647i - 1i);
  var v141: i32 = (v139 & v140);
  var v142: i32 = bitcast<i32>(canonical_f32(v137));
  var v143: i32 = (v142 ^ v141);
  var v144: u32 = bitcast<u32>(v143);
  var v145: u32 = select(v144, v0, v114);
  var s146_0: u32 = v10;
  var t146_0: bool = true;
  var s146_1: i32 = v14;
  var t146_1: bool = true;
  for (var k146 = 0u; k146 < 1u; k146++) {
    if (!v13) { break; }
    var v147: i32 = bitcast<i32>(canonical_f32(v11));
    var v148: i64 = nearest_i32_i64(v147, &bad);
    var v149: i64 = 8388607li;
    var v150: i64 = (v148 & v149);
    var v151: i64 = 8388608li;
    var v152: i64 = (v150 | v151);
    var v153: i64 = 23li;
    var v154: i64 = (v148 >> u32(v153 & 63li));
    var v155: i64 = 120li;
    var v156: i64 = (v154 - v155);
    var v157: i64 = 5li;
    var v158: i64 = (v156 >> u32(v157 & 63li));
    var v159: i64 = 31li;
    var v160: i64 = (v156 & v159);
    var v161: i64 = 0li;
    var v162: i64 = 2734261102li;
    var v163: i64 = 1313084713li;
    var v164: i64 = 4230436817li;
    var v165: i64 = 4113882560li;
    var v166: i64 = 3680671129li;
    var v167: i64 = 1011060801li;
    var v168: i64 = 4266746795li;
    var v169: i64 = 3736847713li;
    var v170: i64 = 3072618042li;
    var v171: i64 = 1112396512li;
    var v172: i64 = 4li;
    var v173: i64 = (v158 & v172);
    var v174: bool = (v173 != v161);
    var v175: i64 = select(v161, v165, v174);
    var v176: i64 = select(v162, v166, v174);
    var v177: i64 = select(v163, v167, v174);
    var v178: i64 = select(v164, v168, v174);
    var v179: i64 = select(v165, v169, v174);
    var v180: i64 = select(v166, v170, v174);
    var v181: i64 = select(v167, v171, v174);
    var v182: i64 = 2li;
    var v183: i64 = (v158 & v182);
    var v184: bool = (v183 != v161);
    var v185: i64 = select(v175, v177, v184);
    var v186: i64 = select(v176, v178, v184);
    var v187: i64 = select(v177, v179, v184);
    var v188: i64 = select(v178, v180, v184);
    var v189: i64 = select(v179, v181, v184);
    var v190: i64 = 1li;
    var v191: i64 = (v158 & v190);
    var v192: bool = (v191 != v161);
    var v193: i64 = select(v185, v186, v192);
    var v194: i64 = select(v186, v187, v192);
    var v195: i64 = select(v187, v188, v192);
    var v196: i64 = select(v188, v189, v192);
    var v197: i64 = 32li;
    var v198: i64 = (v193 << u32(v197 & 63li));
    var v199: i64 = (v198 | v194);
    var v200: i64 = (v197 - v160);
    var v201: i64 = (v199 >> u32(v200 & 63li));
    var v202: i64 = 4294967295li;
    var v203: i64 = (v201 & v202);
    var v204: i64 = (v194 << u32(v197 & 63li));
    var v205: i64 = (v204 | v195);
    var v206: i64 = (v205 >> u32(v200 & 63li));
    var v207: i64 = (v206 & v202);
    var v208: i64 = (v195 << u32(v197 & 63li));
    var v209: i64 = (v208 | v196);
    var v210: i64 = (v209 >> u32(v200 & 63li));
    var v211: i64 = (v210 & v202);
    var v212: i64 = (v203 << u32(v197 & 63li));
    var v213: i64 = (v212 | v207);
    var v214: i64 = (v152 * v213);
    var v215: i64 = (v152 * v211);
    var v216: i64 = (v215 >> u32(v197 & 63li));
    var v217: i64 = (v214 + v216);
    var v218: i64 = 2305843009213693952li;
    var v219: i64 = (v217 + v218);
    var v220: i64 = 62li;
    var v221: i64 = (v219 >> u32(v220 & 63li));
    var v222: i64 = (v221 << u32(v220 & 63li));
    var v223: i64 = (v217 - v222);
    var v224: u32 = bitcast<u32>(f32(v223));
    var v225: i64 = nearest_f32_i64(v224, &bad);
    var v226: i64 = (v223 - v225);
    var v227: u32 = bitcast<u32>(f32(v226));
    var v228: u32 = 550047707u;
    var v229: u32 = mul_f32(v227, v228);
    var v230: u32 = 2486943022u;
    var v231: u32 = fma_f32(v224, v230, v229);
    var v232: u32 = fma_f32(v224, v228, v231);
    var v233: u32 = mul_f32(v0, v113);
    var v234: u32 = add_f32(v232, v233);
    var v235: i32 = nearest_i64_i32(v221, &bad);
    var v236: bool = (below_f32(v0, v113));
    var v237: u32 = neg_f32(v234);
    var v238: u32 = select(v234, v237, v236);
    var v239: i32 = (0i - v235);
    var v240: i32 = select(v235, v239, v236);
    var x146_0: u32 = v238;
    var y146_0: bool = true;
    var x146_1: i32 = v240;
    var y146_1: bool = true;
    s146_0 = x146_0;
    t146_0 = y146_0;
    s146_1 = x146_1;
    t146_1 = y146_1;
  }
  var v241: u32 = s146_0;
  var v242: i32 = s146_1;
  var v243: i32 = (v242 + v133);
  var v244: u32 = mul_f32(v241, v241);
  var v245: u32 = mul_f32(v241, v244);
  var v246: u32 = fma_f32(v117, v244, v118);
  var v247: u32 = fma_f32(v246, v244, v120);
  var v248: u32 = fma_f32(v245, v247, v241);
  var v249: u32 = mul_f32(v244, v244);
  var v250: u32 = fma_f32(v124, v244, v125);
  var v251: u32 = fma_f32(v250, v244, v127);
  var v252: u32 = fma_f32(v244, v129, v130);
  var v253: u32 = fma_f32(v249, v251, v252);
  var v254: i32 = (v243 & v133);
  var v255: bool = (v254 != v135);
  var v256: u32 = select(v248, v253, v255);
  var v257: i32 = (v243 << (bitcast<u32>(v138) & 31u));
  var v258: i32 = (v257 & v140);
  var v259: i32 = bitcast<i32>(canonical_f32(v256));
  var v260: i32 = (v259 ^ v258);
  var v261: u32 = bitcast<u32>(v260);
  var v262: u32 = add_f32(v145, v261);
  var s263_0: u32 = v10;
  var t263_0: bool = true;
  var s263_1: i32 = v14;
  var t263_1: bool = true;
  for (var k263 = 0u; k263 < 1u; k263++) {
    if (!v13) { break; }
    var v264: i32 = bitcast<i32>(canonical_f32(v11));
    var v265: i64 = nearest_i32_i64(v264, &bad);
    var v266: i64 = 8388607li;
    var v267: i64 = (v265 & v266);
    var v268: i64 = 8388608li;
    var v269: i64 = (v267 | v268);
    var v270: i64 = 23li;
    var v271: i64 = (v265 >> u32(v270 & 63li));
    var v272: i64 = 120li;
    var v273: i64 = (v271 - v272);
    var v274: i64 = 5li;
    var v275: i64 = (v273 >> u32(v274 & 63li));
    var v276: i64 = 31li;
    var v277: i64 = (v273 & v276);
    var v278: i64 = 0li;
    var v279: i64 = 2734261102li;
    var v280: i64 = 1313084713li;
    var v281: i64 = 4230436817li;
    var v282: i64 = 4113882560li;
    var v283: i64 = 3680671129li;
    var v284: i64 = 1011060801li;
    var v285: i64 = 4266746795li;
    var v286: i64 = 3736847713li;
    var v287: i64 = 3072618042li;
    var v288: i64 = 1112396512li;
    var v289: i64 = 4li;
    var v290: i64 = (v275 & v289);
    var v291: bool = (v290 != v278);
    var v292: i64 = select(v278, v282, v291);
    var v293: i64 = select(v279, v283, v291);
    var v294: i64 = select(v280, v284, v291);
    var v295: i64 = select(v281, v285, v291);
    var v296: i64 = select(v282, v286, v291);
    var v297: i64 = select(v283, v287, v291);
    var v298: i64 = select(v284, v288, v291);
    var v299: i64 = 2li;
    var v300: i64 = (v275 & v299);
    var v301: bool = (v300 != v278);
    var v302: i64 = select(v292, v294, v301);
    var v303: i64 = select(v293, v295, v301);
    var v304: i64 = select(v294, v296, v301);
    var v305: i64 = select(v295, v297, v301);
    var v306: i64 = select(v296, v298, v301);
    var v307: i64 = 1li;
    var v308: i64 = (v275 & v307);
    var v309: bool = (v308 != v278);
    var v310: i64 = select(v302, v303, v309);
    var v311: i64 = select(v303, v304, v309);
    var v312: i64 = select(v304, v305, v309);
    var v313: i64 = select(v305, v306, v309);
    var v314: i64 = 32li;
    var v315: i64 = (v310 << u32(v314 & 63li));
    var v316: i64 = (v315 | v311);
    var v317: i64 = (v314 - v277);
    var v318: i64 = (v316 >> u32(v317 & 63li));
    var v319: i64 = 4294967295li;
    var v320: i64 = (v318 & v319);
    var v321: i64 = (v311 << u32(v314 & 63li));
    var v322: i64 = (v321 | v312);
    var v323: i64 = (v322 >> u32(v317 & 63li));
    var v324: i64 = (v323 & v319);
    var v325: i64 = (v312 << u32(v314 & 63li));
    var v326: i64 = (v325 | v313);
    var v327: i64 = (v326 >> u32(v317 & 63li));
    var v328: i64 = (v327 & v319);
    var v329: i64 = (v320 << u32(v314 & 63li));
    var v330: i64 = (v329 | v324);
    var v331: i64 = (v269 * v330);
    var v332: i64 = (v269 * v328);
    var v333: i64 = (v332 >> u32(v314 & 63li));
    var v334: i64 = (v331 + v333);
    var v335: i64 = 2305843009213693952li;
    var v336: i64 = (v334 + v335);
    var v337: i64 = 62li;
    var v338: i64 = (v336 >> u32(v337 & 63li));
    var v339: i64 = (v338 << u32(v337 & 63li));
    var v340: i64 = (v334 - v339);
    var v341: u32 = bitcast<u32>(f32(v340));
    var v342: i64 = nearest_f32_i64(v341, &bad);
    var v343: i64 = (v340 - v342);
    var v344: u32 = bitcast<u32>(f32(v343));
    var v345: u32 = 550047707u;
    var v346: u32 = mul_f32(v344, v345);
    var v347: u32 = 2486943022u;
    var v348: u32 = fma_f32(v341, v347, v346);
    var v349: u32 = fma_f32(v341, v345, v348);
    var v350: u32 = mul_f32(v0, v113);
    var v351: u32 = add_f32(v349, v350);
    var v352: i32 = nearest_i64_i32(v338, &bad);
    var v353: bool = (below_f32(v0, v113));
    var v354: u32 = neg_f32(v351);
    var v355: u32 = select(v351, v354, v353);
    var v356: i32 = (0i - v352);
    var v357: i32 = select(v352, v356, v353);
    var x263_0: u32 = v355;
    var y263_0: bool = true;
    var x263_1: i32 = v357;
    var y263_1: bool = true;
    s263_0 = x263_0;
    t263_0 = y263_0;
    s263_1 = x263_1;
    t263_1 = y263_1;
  }
  var v358: u32 = s263_0;
  var v359: i32 = s263_1;
  var v360: u32 = mul_f32(v358, v358);
  var v361: u32 = 1056964608u;
  var v362: u32 = mul_f32(v360, v361);
  var v363: u32 = sub_f32(v130, v362);
  var v364: u32 = sub_f32(v130, v363);
  var v365: u32 = sub_f32(v364, v362);
  var v366: u32 = mul_f32(v358, v360);
  var v367: u32 = fma_f32(v117, v360, v118);
  var v368: u32 = fma_f32(v367, v360, v120);
  var v369: u32 = fma_f32(v366, v368, v358);
  var v370: u32 = mul_f32(v360, v360);
  var v371: u32 = fma_f32(v124, v360, v125);
  var v372: u32 = fma_f32(v371, v360, v127);
  var v373: u32 = fma_f32(v370, v372, v365);
  var v374: u32 = add_f32(v363, v373);
  var v375: i32 = (v359 & v133);
  var v376: bool = (v375 != v135);
  var v377: u32 = neg_f32(v374);
  var v378: u32 = select(v369, v377, v376);
  var v379: u32 = select(v374, v369, v376);
  var v380: u32 = div_f32(v378, v379);
  var v381: u32 = select(v380, v0, v114);
  var v382: u32 = add_f32(v262, v381);
  return Row(true, bad, v382, true);
}
struct Node {
  f0: u32,
  count: u32,
}
fn no_node() -> Node {
  return Node(2147483648u, 0u);
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  r.f0 = add_f32(a.f0, b.f0);
  r.count = a.count + b.count;
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 2u;
  return Node(nodes[at + 0u + 0u], nodes[at + 1u]);
}
fn put_node(i: u32, n: Node) {
  let at = i * 2u;
  nodes[at + 0u + 0u] = n.f0;
  nodes[at + 1u] = n.count;
}
var<workgroup> shared_starts: array<u32, 256>;
var<workgroup> shared_group_starts: array<u32, 16>;
fn scan_starts(g: u32) -> u32 {
  var s = g;
  s |= (s << 1u) & 0xffffu;
  s |= (s << 2u) & 0xffffu;
  s |= (s << 4u) & 0xffffu;
  s |= (s << 8u) & 0xffffu;
  return s;
}
var<workgroup> groups_u32: array<u32, 256>;
var<workgroup> outer_u32: array<u32, 16>;
var<workgroup> shared_places: array<u32, 128>;
fn places_before(lane: u32, count: u32) -> u32 {
  var sum = count;
  shared_places[lane] = sum;
  for (var h = 1u; h < 128u; h = h << 1u) {
    workgroupBarrier();
    let left = select(0u, shared_places[max(lane, h) - h], lane >= h);
    workgroupBarrier();
    sum += left;
    shared_places[lane] = sum;
  }
  workgroupBarrier();
  return sum - count;
}
@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  var selected = 0u;
  var starts = 0u;
  var a0: array<u32, 16>;
  var b0: array<u32, 16>;
  for (var i = 0u; i < 16u; i++) {
    a0[i] = 2147483648u;
    b0[i] = 2147483648u;
  }
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (r < rows) {
      let x = row(r, in0[r]);
      
      if (x.selected) {
        selected |= 1u << i;
        
        if (i < 16u) { a0[i] = select(2147483648u, x.x0, x.y0); } else { b0[i & 15u] = select(2147483648u, x.x0, x.y0); }
      }
    }
  }
  let sa = scan_starts(starts & 0xffffu);
  let sb = scan_starts(starts >> 16u);
  shared_starts[2u * lane] = (sa >> 15u) & 1u;
  shared_starts[2u * lane + 1u] = (sb >> 15u) & 1u;
  workgroupBarrier();
  var group_starts = 0u;
  for (var i = 0u; i < 16u; i++) { group_starts |= shared_starts[(lane & 15u) * 16u + i] << i; }
  shared_group_starts[lane & 15u] = group_starts;
  workgroupBarrier();
  var outer_starts = 0u;
// … 305 more lines with the checksum 98e62d2fd9b4fd97

// The partial form: ["leaves", "join", "carry", "write"]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u32>;
@group(0) @binding(3) var<storage, read_write> out0: array<u64>;
@group(0) @binding(4) var<storage, read_write> out1: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> out2: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> out3: array<u32>;
@group(0) @binding(7) var<storage, read_write> nodes: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  x0: u32,
  y0: bool,
}
fn row(r: u32, c0: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u32 = 1059256707u;
  var v2: u32 = 1262485504u;
  var v3: u32 = fma_f32(v0, v1, v2);
  var v4: u32 = sub_f32(v3, v2);
  var v5: u32 = 3217625051u;
  var v6: u32 = fma_f32(v4, v5, v0);
  var v7: u32 = 859553070u;
  var v8: u32 = fma_f32(v4, v7, v6);
  var v9: u32 = 653733101u;
  var v10: u32 = fma_f32(v4, v9, v8);
  var v11: u32 = abs_f32(v0);
  var v12: u32 = 1199570944u;
  var v13: bool = (above_f32(v11, v12));
  var v14: i32 = bitcast<i32>(canonical_f32(v3));
  var s15_0: u32 = v10;
  var t15_0: bool = true;
  var s15_1: i32 = v14;
  var t15_1: bool = true;
  for (var k15 = 0u; k15 < 1u; k15++) {
    if (!v13) { break; }
    var v16: i32 = bitcast<i32>(canonical_f32(v11));
    var v17: i64 = nearest_i32_i64(v16, &bad);
    var v18: i64 = 8388607li;
    var v19: i64 = (v17 & v18);
    var v20: i64 = 8388608li;
    var v21: i64 = (v19 | v20);
    var v22: i64 = 23li;
    var v23: i64 = (v17 >> u32(v22 & 63li));
    var v24: i64 = 120li;
    var v25: i64 = (v23 - v24);
    var v26: i64 = 5li;
    var v27: i64 = (v25 >> u32(v26 & 63li));
    var v28: i64 = 31li;
    var v29: i64 = (v25 & v28);
    var v30: i64 = 0li;
    var v31: i64 = 2734261102li;
    var v32: i64 = 1313084713li;
    var v33: i64 = 4230436817li;
    var v34: i64 = 4113882560li;
    var v35: i64 = 3680671129li;
    var v36: i64 = 1011060801li;
    var v37: i64 = 4266746795li;
    var v38: i64 = 3736847713li;
    var v39: i64 = 3072618042li;
    var v40: i64 = 1112396512li;
    var v41: i64 = 4li;
    var v42: i64 = (v27 & v41);
    var v43: bool = (v42 != v30);
    var v44: i64 = select(v30, v34, v43);
    var v45: i64 = select(v31, v35, v43);
    var v46: i64 = select(v32, v36, v43);
    var v47: i64 = select(v33, v37, v43);
    var v48: i64 = select(v34, v38, v43);
    var v49: i64 = select(v35, v39, v43);
    var v50: i64 = select(v36, v40, v43);
    var v51: i64 = 2li;
    var v52: i64 = (v27 & v51);
    var v53: bool = (v52 != v30);
    var v54: i64 = select(v44, v46, v53);
    var v55: i64 = select(v45, v47, v53);
    var v56: i64 = select(v46, v48, v53);
    var v57: i64 = select(v47, v49, v53);
    var v58: i64 = select(v48, v50, v53);
    var v59: i64 = 1li;
    var v60: i64 = (v27 & v59);
    var v61: bool = (v60 != v30);
    var v62: i64 = select(v54, v55, v61);
    var v63: i64 = select(v55, v56, v61);
    var v64: i64 = select(v56, v57, v61);
    var v65: i64 = select(v57, v58, v61);
    var v66: i64 = 32li;
    var v67: i64 = (v62 << u32(v66 & 63li));
    var v68: i64 = (v67 | v63);
    var v69: i64 = (v66 - v29);
    var v70: i64 = (v68 >> u32(v69 & 63li));
    var v71: i64 = 4294967295li;
    var v72: i64 = (v70 & v71);
    var v73: i64 = (v63 << u32(v66 & 63li));
    var v74: i64 = (v73 | v64);
    var v75: i64 = (v74 >> u32(v69 & 63li));
    var v76: i64 = (v75 & v71);
    var v77: i64 = (v64 << u32(v66 & 63li));
    var v78: i64 = (v77 | v65);
    var v79: i64 = (v78 >> u32(v69 & 63li));
    var v80: i64 = (v79 & v71);
    var v81: i64 = (v72 << u32(v66 & 63li));
    var v82: i64 = (v81 | v76);
    var v83: i64 = (v21 * v82);
    var v84: i64 = (v21 * v80);
    var v85: i64 = (v84 >> u32(v66 & 63li));
    var v86: i64 = (v83 + v85);
    var v87: i64 = 2305843009213693952li;
    var v88: i64 = (v86 + v87);
    var v89: i64 = 62li;
    var v90: i64 = (v88 >> u32(v89 & 63li));
    var v91: i64 = (v90 << u32(v89 & 63li));
    var v92: i64 = (v86 - v91);
    var v93: u32 = bitcast<u32>(f32(v92));
    var v94: i64 = nearest_f32_i64(v93, &bad);
    var v95: i64 = (v92 - v94);
    var v96: u32 = bitcast<u32>(f32(v95));
    var v97: u32 = 550047707u;
    var v98: u32 = mul_f32(v96, v97);
    var v99: u32 = 2486943022u;
    var v100: u32 = fma_f32(v93, v99, v98);
    var v101: u32 = fma_f32(v93, v97, v100);
    var v102: u32 = 0u;
    var v103: u32 = mul_f32(v0, v102);
    var v104: u32 = add_f32(v101, v103);
    var v105: i32 = nearest_i64_i32(v90, &bad);
    var v106: bool = (below_f32(v0, v102));
    var v107: u32 = neg_f32(v104);
    var v108: u32 = select(v104, v107, v106);
    var v109: i32 = (0i - v105);
    var v110: i32 = select(v105, v109, v106);
    var x15_0: u32 = v108;
    var y15_0: bool = true;
    var x15_1: i32 = v110;
    var y15_1: bool = true;
    s15_0 = x15_0;
    t15_0 = y15_0;
    s15_1 = x15_1;
    t15_1 = y15_1;
  }
  var v111: u32 = s15_0;
  var v112: i32 = s15_1;
  var v113: u32 = 0u;
  var v114: bool = (order_f32(v0) == order_f32(v113));
  var v115: u32 = mul_f32(v111, v111);
  var v116: u32 = mul_f32(v111, v115);
  var v117: u32 = 3108802661u;
  var v118: u32 = 1007190890u;
  var v119: u32 = fma_f32(v117, v115, v118);
  var v120: u32 = 3190467234u;
  var v121: u32 = fma_f32(v119, v115, v120);
  var v122: u32 = fma_f32(v116, v121, v111);
  var v123: u32 = mul_f32(v115, v115);
  var v124: u32 = 936175068u;
  var v125: u32 = 3132491235u;
  var v126: u32 = fma_f32(v124, v115, v125);
  var v127: u32 = 1026206373u;
  var v128: u32 = fma_f32(v126, v115, v127);
  var v129: u32 = 3204448256u;
  var v130: u32 = 1065353216u;
  var v131: u32 = fma_f32(v115, v129, v130);
  var v132: u32 = fma_f32(v123, v128, v131);
  var v133: i32 = 1i;
  var v134: i32 = (v112 & v133);
  var v135: i32 = 0i;
  var v136: bool = (v134 != v135);
  var v137: u32 = select(v122, v132, v136);
  var v138: i32 = 30i;
  var v139: i32 = (v112 << (bitcast<u32>(v138) & 31u));
  var v140: i32 = (-2147483647i - 1i);
  var v141: i32 = (v139 & v140);
  var v142: i32 = bitcast<i32>(canonical_f32(v137));
  var v143: i32 = (v142 ^ v141);
  var v144: u32 = bitcast<u32>(v143);
  var v145: u32 = select(v144, v0, v114);
  var s146_0: u32 = v10;
  var t146_0: bool = true;
  var s146_1: i32 = v14;
  var t146_1: bool = true;
  for (var k146 = 0u; k146 < 1u; k146++) {
    if (!v13) { break; }
    var v147: i32 = bitcast<i32>(canonical_f32(v11));
    var v148: i64 = nearest_i32_i64(v147, &bad);
    var v149: i64 = 8388607li;
    var v150: i64 = (v148 & v149);
    var v151: i64 = 8388608li;
    var v152: i64 = (v150 | v151);
    var v153: i64 = 23li;
    var v154: i64 = (v148 >> u32(v153 & 63li));
    var v155: i64 = 120li;
    var v156: i64 = (v154 - v155);
    var v157: i64 = 5li;
    var v158: i64 = (v156 >> u32(v157 & 63li));
    var v159: i64 = 31li;
    var v160: i64 = (v156 & v159);
    var v161: i64 = 0li;
    var v162: i64 = 2734261102li;
    var v163: i64 = 1313084713li;
    var v164: i64 = 4230436817li;
    var v165: i64 = 4113882560li;
    var v166: i64 = 3680671129li;
    var v167: i64 = 1011060801li;
    var v168: i64 = 4266746795li;
    var v169: i64 = 3736847713li;
    var v170: i64 = 3072618042li;
    var v171: i64 = 1112396512li;
    var v172: i64 = 4li;
    var v173: i64 = (v158 & v172);
    var v174: bool = (v173 != v161);
    var v175: i64 = select(v161, v165, v174);
    var v176: i64 = select(v162, v166, v174);
    var v177: i64 = select(v163, v167, v174);
    var v178: i64 = select(v164, v168, v174);
    var v179: i64 = select(v165, v169, v174);
    var v180: i64 = select(v166, v170, v174);
    var v181: i64 = select(v167, v171, v174);
    var v182: i64 = 2li;
    var v183: i64 = (v158 & v182);
    var v184: bool = (v183 != v161);
    var v185: i64 = select(v175, v177, v184);
    var v186: i64 = select(v176, v178, v184);
    var v187: i64 = select(v177, v179, v184);
    var v188: i64 = select(v178, v180, v184);
    var v189: i64 = select(v179, v181, v184);
    var v190: i64 = 1li;
    var v191: i64 = (v158 & v190);
    var v192: bool = (v191 != v161);
    var v193: i64 = select(v185, v186, v192);
    var v194: i64 = select(v186, v187, v192);
    var v195: i64 = select(v187, v188, v192);
    var v196: i64 = select(v188, v189, v192);
    var v197: i64 = 32li;
    var v198: i64 = (v193 << u32(v197 & 63li));
    var v199: i64 = (v198 | v194);
    var v200: i64 = (v197 - v160);
    var v201: i64 = (v199 >> u32(v200 & 63li));
    var v202: i64 = 4294967295li;
    var v203: i64 = (v201 & v202);
    var v204: i64 = (v194 << u32(v197 & 63li));
    var v205: i64 = (v204 | v195);
    var v206: i64 = (v205 >> u32(v200 & 63li));
    var v207: i64 = (v206 & v202);
    var v208: i64 = (v195 << u32(v197 & 63li));
    var v209: i64 = (v208 | v196);
    var v210: i64 = (v209 >> u32(v200 & 63li));
    var v211: i64 = (v210 & v202);
    var v212: i64 = (v203 << u32(v197 & 63li));
    var v213: i64 = (v212 | v207);
    var v214: i64 = (v152 * v213);
    var v215: i64 = (v152 * v211);
    var v216: i64 = (v215 >> u32(v197 & 63li));
    var v217: i64 = (v214 + v216);
    var v218: i64 = 2305843009213693952li;
    var v219: i64 = (v217 + v218);
    var v220: i64 = 62li;
    var v221: i64 = (v219 >> u32(v220 & 63li));
    var v222: i64 = (v221 << u32(v220 & 63li));
    var v223: i64 = (v217 - v222);
    var v224: u32 = bitcast<u32>(f32(v223));
    var v225: i64 = nearest_f32_i64(v224, &bad);
    var v226: i64 = (v223 - v225);
    var v227: u32 = bitcast<u32>(f32(v226));
    var v228: u32 = 550047707u;
    var v229: u32 = mul_f32(v227, v228);
    var v230: u32 = 2486943022u;
    var v231: u32 = fma_f32(v224, v230, v229);
    var v232: u32 = fma_f32(v224, v228, v231);
    var v233: u32 = mul_f32(v0, v113);
    var v234: u32 = add_f32(v232, v233);
    var v235: i32 = nearest_i64_i32(v221, &bad);
    var v236: bool = (below_f32(v0, v113));
    var v237: u32 = neg_f32(v234);
    var v238: u32 = select(v234, v237, v236);
    var v239: i32 = (0i - v235);
    var v240: i32 = select(v235, v239, v236);
    var x146_0: u32 = v238;
    var y146_0: bool = true;
    var x146_1: i32 = v240;
    var y146_1: bool = true;
    s146_0 = x146_0;
    t146_0 = y146_0;
    s146_1 = x146_1;
    t146_1 = y146_1;
  }
  var v241: u32 = s146_0;
  var v242: i32 = s146_1;
  var v243: i32 = (v242 + v133);
  var v244: u32 = mul_f32(v241, v241);
  var v245: u32 = mul_f32(v241, v244);
  var v246: u32 = fma_f32(v117, v244, v118);
  var v247: u32 = fma_f32(v246, v244, v120);
  var v248: u32 = fma_f32(v245, v247, v241);
  var v249: u32 = mul_f32(v244, v244);
  var v250: u32 = fma_f32(v124, v244, v125);
  var v251: u32 = fma_f32(v250, v244, v127);
  var v252: u32 = fma_f32(v244, v129, v130);
  var v253: u32 = fma_f32(v249, v251, v252);
  var v254: i32 = (v243 & v133);
  var v255: bool = (v254 != v135);
  var v256: u32 = select(v248, v253, v255);
  var v257: i32 = (v243 << (bitcast<u32>(v138) & 31u));
  var v258: i32 = (v257 & v140);
  var v259: i32 = bitcast<i32>(canonical_f32(v256));
  var v260: i32 = (v259 ^ v258);
  var v261: u32 = bitcast<u32>(v260);
  var v262: u32 = add_f32(v145, v261);
  var s263_0: u32 = v10;
  var t263_0: bool = true;
  var s263_1: i32 = v14;
  var t263_1: bool = true;
  for (var k263 = 0u; k263 < 1u; k263++) {
    if (!v13) { break; }
    var v264: i32 = bitcast<i32>(canonical_f32(v11));
    var v265: i64 = nearest_i32_i64(v264, &bad);
    var v266: i64 = 8388607li;
    var v267: i64 = (v265 & v266);
    var v268: i64 = 8388608li;
    var v269: i64 = (v267 | v268);
    var v270: i64 = 23li;
    var v271: i64 = (v265 >> u32(v270 & 63li));
    var v272: i64 = 120li;
    var v273: i64 = (v271 - v272);
    var v274: i64 = 5li;
    var v275: i64 = (v273 >> u32(v274 & 63li));
    var v276: i64 = 31li;
    var v277: i64 = (v273 & v276);
    var v278: i64 = 0li;
    var v279: i64 = 2734261102li;
    var v280: i64 = 1313084713li;
    var v281: i64 = 4230436817li;
    var v282: i64 = 4113882560li;
    var v283: i64 = 3680671129li;
    var v284: i64 = 1011060801li;
    var v285: i64 = 4266746795li;
    var v286: i64 = 3736847713li;
    var v287: i64 = 3072618042li;
    var v288: i64 = 1112396512li;
    var v289: i64 = 4li;
    var v290: i64 = (v275 & v289);
    var v291: bool = (v290 != v278);
    var v292: i64 = select(v278, v282, v291);
    var v293: i64 = select(v279, v283, v291);
    var v294: i64 = select(v280, v284, v291);
    var v295: i64 = select(v281, v285, v291);
    var v296: i64 = select(v282, v286, v291);
    var v297: i64 = select(v283, v287, v291);
    var v298: i64 = select(v284, v288, v291);
    var v299: i64 = 2li;
    var v300: i64 = (v275 & v299);
    var v301: bool = (v300 != v278);
    var v302: i64 = select(v292, v294, v301);
    var v303: i64 = select(v293, v295, v301);
    var v304: i64 = select(v294, v296, v301);
    var v305: i64 = select(v295, v297, v301);
    var v306: i64 = select(v296, v298, v301);
    var v307: i64 = 1li;
    var v308: i64 = (v275 & v307);
    var v309: bool = (v308 != v278);
    var v310: i64 = select(v302, v303, v309);
    var v311: i64 = select(v303, v304, v309);
    var v312: i64 = select(v304, v305, v309);
    var v313: i64 = select(v305, v306, v309);
    var v314: i64 = 32li;
    var v315: i64 = (v310 << u32(v314 & 63li));
    var v316: i64 = (v315 | v311);
    var v317: i64 = (v314 - v277);
    var v318: i64 = (v316 >> u32(v317 & 63li));
    var v319: i64 = 4294967295li;
    var v320: i64 = (v318 & v319);
    var v321: i64 = (v311 << u32(v314 & 63li));
    var v322: i64 = (v321 | v312);
    var v323: i64 = (v322 >> u32(v317 & 63li));
    var v324: i64 = (v323 & v319);
    var v325: i64 = (v312 << u32(v314 & 63li));
    var v326: i64 = (v325 | v313);
    var v327: i64 = (v326 >> u32(v317 & 63li));
    var v328: i64 = (v327 & v319);
    var v329: i64 = (v320 << u32(v314 & 63li));
    var v330: i64 = (v329 | v324);
    var v331: i64 = (v269 * v330);
    var v332: i64 = (v269 * v328);
    var v333: i64 = (v332 >> u32(v314 & 63li));
    var v334: i64 = (v331 + v333);
    var v335: i64 = 2305843009213693952li;
    var v336: i64 = (v334 + v335);
    var v337: i64 = 62li;
    var v338: i64 = (v336 >> u32(v337 & 63li));
    var v339: i64 = (v338 << u32(v337 & 63li));
    var v340: i64 = (v334 - v339);
    var v341: u32 = bitcast<u32>(f32(v340));
    var v342: i64 = nearest_f32_i64(v341, &bad);
    var v343: i64 = (v340 - v342);
    var v344: u32 = bitcast<u32>(f32(v343));
    var v345: u32 = 550047707u;
    var v346: u32 = mul_f32(v344, v345);
    var v347: u32 = 2486943022u;
    var v348: u32 = fma_f32(v341, v347, v346);
    var v349: u32 = fma_f32(v341, v345, v348);
    var v350: u32 = mul_f32(v0, v113);
    var v351: u32 = add_f32(v349, v350);
    var v352: i32 = nearest_i64_i32(v338, &bad);
    var v353: bool = (below_f32(v0, v113));
    var v354: u32 = neg_f32(v351);
    var v355: u32 = select(v351, v354, v353);
    var v356: i32 = (0i - v352);
    var v357: i32 = select(v352, v356, v353);
    var x263_0: u32 = v355;
    var y263_0: bool = true;
    var x263_1: i32 = v357;
    var y263_1: bool = true;
    s263_0 = x263_0;
    t263_0 = y263_0;
    s263_1 = x263_1;
    t263_1 = y263_1;
  }
  var v358: u32 = s263_0;
  var v359: i32 = s263_1;
  var v360: u32 = mul_f32(v358, v358);
  var v361: u32 = 1056964608u;
  var v362: u32 = mul_f32(v360, v361);
  var v363: u32 = sub_f32(v130, v362);
  var v364: u32 = sub_f32(v130, v363);
  var v365: u32 = sub_f32(v364, v362);
  var v366: u32 = mul_f32(v358, v360);
  var v367: u32 = fma_f32(v117, v360, v118);
  var v368: u32 = fma_f32(v367, v360, v120);
  var v369: u32 = fma_f32(v366, v368, v358);
  var v370: u32 = mul_f32(v360, v360);
  var v371: u32 = fma_f32(v124, v360, v125);
  var v372: u32 = fma_f32(v371, v360, v127);
  var v373: u32 = fma_f32(v370, v372, v365);
  var v374: u32 = add_f32(v363, v373);
  var v375: i32 = (v359 & v133);
  var v376: bool = (v375 != v135);
  var v377: u32 = neg_f32(v374);
  var v378: u32 = select(v369, v377, v376);
  var v379: u32 = select(v374, v369, v376);
  var v380: u32 = div_f32(v378, v379);
  var v381: u32 = select(v380, v0, v114);
  var v382: u32 = add_f32(v262, v381);
  return Row(true, bad, v382, true);
}
struct Node {
  f0: u32,
  count: u32,
}
fn no_node() -> Node {
  return Node(2147483648u, 0u);
}
fn append(a: Node, b: Node) -> Node {
  var r = b;
  r.f0 = add_f32(a.f0, b.f0);
  r.count = a.count + b.count;
  return r;
}
fn get_node(i: u32) -> Node {
  let at = i * 2u;
  return Node(nodes[at + 0u + 0u], nodes[at + 1u]);
}
fn put_node(i: u32, n: Node) {
  let at = i * 2u;
  nodes[at + 0u + 0u] = n.f0;
  nodes[at + 1u] = n.count;
}
var<workgroup> shared_starts: array<u32, 256>;
var<workgroup> shared_group_starts: array<u32, 16>;
fn scan_starts(g: u32) -> u32 {
  var s = g;
  s |= (s << 1u) & 0xffffu;
  s |= (s << 2u) & 0xffffu;
  s |= (s << 4u) & 0xffffu;
  s |= (s << 8u) & 0xffffu;
  return s;
}
var<workgroup> groups_u32: array<u32, 256>;
var<workgroup> outer_u32: array<u32, 16>;
var<workgroup> shared_places: array<u32, 128>;
fn places_before(lane: u32, count: u32) -> u32 {
  var sum = count;
  shared_places[lane] = sum;
  for (var h = 1u; h < 128u; h = h << 1u) {
    workgroupBarrier();
    let left = select(0u, shared_places[max(lane, h) - h], lane >= h);
    workgroupBarrier();
    sum += left;
    shared_places[lane] = sum;
  }
  workgroupBarrier();
  return sum - count;
}
@compute @workgroup_size(128)
fn leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let leaf = group.x + group.y * args[0].w;
  let start = leaf * 4096u;
  if (start >= rows) { return; }
  var selected = 0u;
  var starts = 0u;
  var a0: array<u32, 16>;
  var b0: array<u32, 16>;
  for (var i = 0u; i < 16u; i++) {
    a0[i] = 2147483648u;
    b0[i] = 2147483648u;
  }
  for (var i = 0u; i < 32u; i++) {
    let r = start + lane * 32u + i;
    if (r < rows) {
      let x = row(r, in0[r]);
      
      if (x.selected) {
        selected |= 1u << i;
        
        if (i < 16u) { a0[i] = select(2147483648u, x.x0, x.y0); } else { b0[i & 15u] = select(2147483648u, x.x0, x.y0); }
      }
    }
  }
  let sa = scan_starts(starts & 0xffffu);
  let sb = scan_starts(starts >> 16u);
  shared_starts[2u * lane] = (sa >> 15u) & 1u;
  shared_starts[2u * lane + 1u] = (sb >> 15u) & 1u;
  workgroupBarrier();
// … 315 more lines with the checksum a4aed58a96e4600a
