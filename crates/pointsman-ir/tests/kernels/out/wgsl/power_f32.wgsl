// ["store"]
// [Column(0), Column(1), Output(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> out0: array<vec4<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: u32,
  q0: bool,
}
fn row(r: u32, c0: u32, c1: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u32 = c1;
  var v2: u32 = abs_f32(v0);
  var v3: u32 = 8388608u;
  var v4: bool = (below_f32(v2, v3));
  var v5: u32 = 1258291200u;
  var v6: u32 = mul_f32(v2, v5);
  var v7: u32 = select(v2, v6, v4);
  var v8: i32 = bitcast<i32>(canonical_f32(v7));
  var v9: i32 = 1253377267i;
  var v10: i32 = 1060439283i;
  var v11: i32 = select(v10, v9, v4);
  var v12: i32 = (v8 - v11);
  var v13: i32 = 8388607i;
  var v14: i32 = (v12 & v13);
  var v15: i32 = (v14 + v10);
  var v16: u32 = bitcast<u32>(v15);
  var v17: i32 = 23i;
  var v18: i32 = (v12 >> (bitcast<u32>(v17) & 31u));
  var v19: u32 = 1065353216u;
  var v20: u32 = sub_f32(v16, v19);
  var v21: u32 = add_f32(v16, v19);
  var v22: u32 = sub_f32(v21, v19);
  var v23: u32 = sub_f32(v16, v22);
  var v24: u32 = div_f32(v19, v21);
  var v25: u32 = mul_f32(v20, v24);
  var v26: u32 = neg_f32(v25);
  var v27: u32 = fma_f32(v26, v21, v20);
  var v28: u32 = mul_f32(v25, v23);
  var v29: u32 = sub_f32(v27, v28);
  var v30: u32 = mul_f32(v29, v24);
  var v31: u32 = mul_f32(v25, v25);
  var v32: u32 = neg_f32(v31);
  var v33: u32 = fma_f32(v25, v25, v32);
  var v34: u32 = add_f32(v25, v25);
  var v35: u32 = fma_f32(v34, v30, v33);
  var v36: u32 = 1051372203u;
  var v37: u32 = mul_f32(v31, v36);
  var v38: u32 = neg_f32(v37);
  var v39: u32 = fma_f32(v31, v36, v38);
  var v40: u32 = mul_f32(v31, v31);
  var v41: u32 = 1047515154u;
  var v42: u32 = 1049766213u;
  var v43: u32 = fma_f32(v41, v31, v42);
  var v44: u32 = 1053609216u;
  var v45: u32 = fma_f32(v43, v31, v44);
  var v46: u32 = 1056964608u;
  var v47: u32 = mul_f32(v45, v46);
  var v48: u32 = mul_f32(v40, v47);
  var v49: u32 = fma_f32(v35, v36, v39);
  var v50: u32 = 2989140651u;
  var v51: u32 = fma_f32(v31, v50, v49);
  var v52: u32 = add_f32(v48, v51);
  var v53: u32 = add_f32(v37, v52);
  var v54: u32 = sub_f32(v53, v37);
  var v55: u32 = sub_f32(v52, v54);
  var v56: u32 = mul_f32(v25, v53);
  var v57: u32 = neg_f32(v56);
  var v58: u32 = fma_f32(v25, v53, v57);
  var v59: u32 = fma_f32(v30, v53, v30);
  var v60: u32 = fma_f32(v25, v55, v59);
  var v61: u32 = add_f32(v58, v60);
  var v62: u32 = add_f32(v25, v56);
  var v63: u32 = sub_f32(v62, v25);
  var v64: u32 = sub_f32(v56, v63);
  var v65: u32 = add_f32(v64, v61);
  var v66: u32 = 1077455419u;
  var v67: u32 = mul_f32(v62, v66);
  var v68: u32 = neg_f32(v67);
  var v69: u32 = fma_f32(v62, v66, v68);
  var v70: u32 = mul_f32(v65, v66);
  var v71: u32 = 858091616u;
  var v72: u32 = fma_f32(v62, v71, v70);
  var v73: u32 = add_f32(v69, v72);
  var v74: u32 = bitcast<u32>(f32(v18));
  var v75: u32 = add_f32(v74, v67);
  var v76: u32 = sub_f32(v75, v74);
  var v77: u32 = sub_f32(v67, v76);
  var v78: u32 = add_f32(v77, v73);
  var v79: u32 = mul_f32(v1, v75);
  var v80: u32 = neg_f32(v79);
  var v81: u32 = fma_f32(v1, v75, v80);
  var v82: u32 = fma_f32(v1, v78, v81);
  var v83: u32 = abs_f32(v79);
  var v84: u32 = 1126170624u;
  var v85: bool = (below_f32(v83, v84));
  var v86: u32 = 0u;
  var v87: u32 = select(v86, v82, v85);
  var v88: u32 = 3273654272u;
  var v89: u32 = select(v79, v88, total_f32(v88) > total_f32(v79));
  var v90: u32 = select(v89, v84, total_f32(v84) < total_f32(v89));
  var v91: u32 = 1262485504u;
  var v92: u32 = add_f32(v90, v91);
  var v93: i32 = bitcast<i32>(canonical_f32(v92));
  var v94: i32 = bitcast<i32>(canonical_f32(v91));
  var v95: i32 = (v93 - v94);
  var v96: u32 = sub_f32(v92, v91);
  var v97: u32 = sub_f32(v90, v96);
  var v98: u32 = add_f32(v97, v87);
  var v99: u32 = 958463392u;
  var v100: u32 = 984588185u;
  var v101: u32 = fma_f32(v99, v98, v100);
  var v102: u32 = 1008572072u;
  var v103: u32 = fma_f32(v101, v98, v102);
  var v104: u32 = 1029920627u;
  var v105: u32 = fma_f32(v103, v98, v104);
  var v106: u32 = 1047920110u;
  var v107: u32 = fma_f32(v105, v98, v106);
  var v108: u32 = 1060205080u;
  var v109: u32 = fma_f32(v107, v98, v108);
  var v110: u32 = fma_f32(v98, v109, v19);
  var v111: i32 = 1i;
  var v112: i32 = (v95 >> (bitcast<u32>(v111) & 31u));
  var v113: i32 = 127i;
  var v114: i32 = (v112 + v113);
  var v115: i32 = (v114 << (bitcast<u32>(v17) & 31u));
  var v116: u32 = bitcast<u32>(v115);
  var v117: u32 = mul_f32(v110, v116);
  var v118: i32 = (v95 - v112);
  var v119: i32 = (v118 + v113);
  var v120: i32 = (v119 << (bitcast<u32>(v17) & 31u));
  var v121: u32 = bitcast<u32>(v120);
  var v122: u32 = mul_f32(v117, v121);
  var v123: u32 = 2139095040u;
  var v124: bool = (order_f32(v2) == order_f32(v123));
  var v125: bool = (below_f32(v1, v86));
  var v126: bool = (u32(v124) != u32(v125));
  var v127: u32 = select(v86, v123, v126);
  var v128: bool = (order_f32(v2) == order_f32(v86));
  var v129: bool = ((true && v124) || (true && v128));
  var v130: u32 = select(v122, v127, v129);
  var v131: u32 = mul_f32(v1, v46);
  var v132: u32 = trunc_f32(v1);
  var v133: bool = (order_f32(v132) == order_f32(v1));
  var v134: u32 = trunc_f32(v131);
  var v135: bool = (order_f32(v134) != order_f32(v131));
  var v136: bool = !((true && !v133) || (true && !v135));
  var v137: i32 = bitcast<i32>(canonical_f32(v0));
  var v138: i32 = 0i;
  var v139: bool = (v137 < v138);
  var v140: bool = !((true && !v136) || (true && !v139));
  var v141: u32 = neg_f32(v130);
  var v142: u32 = select(v130, v141, v140);
  var v143: bool = (below_f32(v0, v86));
  var v144: bool = (below_f32(v2, v123));
  var v145: bool = !((true && !v143) || (true && !v144));
  var v146: bool = !v133;
  var v147: bool = !((true && !v145) || (true && !v146));
  var v148: bool = is_nan_f32(v0);
  var v149: bool = ((true && v147) || (true && v148));
  var v150: bool = is_nan_f32(v1);
  var v151: bool = ((true && v149) || (true && v150));
  var v152: bool = (order_f32(v2) == order_f32(v19));
  var v153: u32 = abs_f32(v1);
  var v154: bool = (order_f32(v153) == order_f32(v123));
  var v155: bool = !((true && !v152) || (true && !v154));
  var v156: bool = (order_f32(v0) == order_f32(v19));
  var v157: bool = ((true && v155) || (true && v156));
  var v158: bool = (order_f32(v1) == order_f32(v86));
  var v159: bool = ((true && v157) || (true && v158));
  var v160: u32 = 2143289344u;
  var v161: u32 = select(v142, v160, v151);
  var v162: u32 = select(v161, v19, v159);
  var v163: u32 = 479665568u;
  var v164: bool = (below_f32(v2, v163));
  var v165: u32 = 1468006400u;
  var v166: u32 = mul_f32(v2, v165);
  var v167: u32 = select(v2, v166, v164);
  var v168: u32 = 1048576000u;
  var v169: u32 = mul_f32(v167, v168);
  var v170: i32 = bitcast<i32>(canonical_f32(v167));
  var v171: u32 = bitcast<u32>(f32(v170));
  var v172: u32 = mul_f32(v171, v36);
  var v173: i32 = nearest_f32_i32(v172, &bad);
  var v174: i32 = 709958130i;
  var v175: i32 = (v173 + v174);
  var v176: u32 = bitcast<u32>(v175);
  var v177: u32 = mul_f32(v176, v176);
  var v178: u32 = mul_f32(v176, v168);
  var v179: u32 = mul_f32(v177, v178);
  var v180: u32 = add_f32(v179, v169);
  var v181: u32 = add_f32(v180, v169);
  var v182: u32 = add_f32(v179, v179);
  var v183: u32 = add_f32(v182, v169);
  var v184: u32 = div_f32(v181, v183);
  var v185: u32 = mul_f32(v176, v184);
  var v186: u32 = mul_f32(v185, v185);
  var v187: u32 = neg_f32(v186);
  var v188: u32 = fma_f32(v185, v185, v187);
  var v189: u32 = neg_f32(v167);
  var v190: u32 = fma_f32(v186, v185, v189);
  var v191: u32 = mul_f32(v188, v185);
  var v192: u32 = add_f32(v190, v191);
  var v193: u32 = 1077936128u;
  var v194: u32 = mul_f32(v186, v193);
  var v195: u32 = div_f32(v192, v194);
  var v196: u32 = sub_f32(v185, v195);
  var v197: u32 = 931135488u;
  var v198: u32 = select(v19, v197, v164);
  var v199: u32 = mul_f32(v196, v198);
  var v200: bool = (above_f32(v2, v86));
  var v201: bool = !((true && !v200) || (true && !v144));
  var v202: u32 = select(v2, v199, v201);
  var v203: i32 = (-2147483647i - 1i);
  var v204: i32 = (v137 & v203);
  var v205: i32 = bitcast<i32>(canonical_f32(v202));
  var v206: i32 = (v205 | v204);
  var v207: u32 = bitcast<u32>(v206);
  var v208: u32 = add_f32(v162, v207);
  var v209: u32 = select(v2, v153, total_f32(v153) > total_f32(v2));
  var v210: u32 = select(v2, v153, total_f32(v153) < total_f32(v2));
  var v211: u32 = 1585446912u;
  var v212: bool = (above_f32(v209, v211));
  var v213: u32 = 729808896u;
  var v214: bool = (below_f32(v209, v213));
  var v215: u32 = 1736441856u;
  var v216: u32 = 394264576u;
  var v217: u32 = select(v19, v216, v212);
  var v218: u32 = select(v217, v215, v214);
  var v219: u32 = mul_f32(v209, v218);
  var v220: u32 = mul_f32(v210, v218);
  var v221: u32 = mul_f32(v220, v220);
  var v222: u32 = fma_f32(v219, v219, v221);
  var v223: u32 = sqrt_f32(v222);
  var v224: u32 = select(v19, v215, v212);
  var v225: u32 = select(v224, v216, v214);
  var v226: u32 = mul_f32(v223, v225);
  var v227: bool = ((true && v124) || (true && v154));
  var v228: u32 = select(v226, v123, v227);
  var v229: u32 = add_f32(v208, v228);
  return Row(true, bad, canonical_f32(v229), true);
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  for (var step = 0u; step < 8u; step += 1u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad0_0 = in0[first_0 >> 2u];
    let quad1_0 = in1[first_0 >> 2u];
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = vec4<u32>();
    for (var j = 0u; j < 4u; j++) {
    {
      let x = row(base_0 + j, quad0_0[j], quad1_0[j]);
      let live = base + j < rows;
      
      t0[j] = select(0u, x.o0, live);
    }
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
    }
    }
  }
}
fn above_f32(a: u32, b: u32) -> bool {
  let right = select(ordered_f32(select(b, 0u, (b << 1u) == 0u)), 0x7fffffffi, is_nan_f32(b));
  let most = select(0x7f800000u, 0xffffffffu, is_nan_f32(b));
  return (abs_f32(a) > most) | (ordered_f32(a) > right);
}
fn abs_f32(a: u32) -> u32 {
  return a & 0x7fffffffu;
}
fn add_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) + second_single(b));
}
fn below_f32(a: u32, b: u32) -> bool {
  let right = select(ordered_f32(select(b, 0x80000000u, (b << 1u) == 0u)), 0x7fffffffi, is_nan_f32(b));
  return !is_nan_f32(a) & (ordered_f32(a) < right);
}
fn canonical_f32(a: u32) -> u32 {
  return select(a, 0x7fc00000u, is_nan_f32(a));
}
fn div_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) / second_single(b));
}
fn fma_f32(a: u32, b: u32, c: u32) -> u32 {
  return bitcast<u32>(fma(single(a), second_single(b), third_single(c)));
}
fn is_nan_f32(a: u32) -> bool {
  return (a & 0x7fffffffu) > 0x7f800000u;
}
fn is_negative_f32(a: u32) -> bool {
  return (a >> 31u) != 0u;
}
fn mul_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) * second_single(b));
}
fn nearest_f32_i32(v: u32, f: ptr<function, bool>) -> i32 {
  let x = trunc_f32(v);
  if (is_nan_f32(x)) { return 0i; }
  if (order_f32(x) < order_f32(3472883712u)) { return (-2147483647i - 1i); }
  if (order_f32(x) >= order_f32(1325400064u)) { return 2147483647i; }
  return select(bitcast<i32>(word_of_f32(x)), 0i - bitcast<i32>(word_of_f32(x)), is_negative_f32(x));
}
fn neg_f32(a: u32) -> u32 {
  return a ^ 0x80000000u;
}
fn order_f32(a: u32) -> u32 {
  return total_f32(select(a, 0u, a == 0x80000000u));
}
fn ordered_f32(a: u32) -> i32 {
  return bitcast<i32>(a & 0x7fffffffu) ^ (bitcast<i32>(a) >> 31u);
}
fn second_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].y);
}
fn single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].x);
}
fn sqrt_f32(a: u32) -> u32 {
  return bitcast<u32>(sqrt(single(a)));
}
fn sub_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) - second_single(b));
}
fn third_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].z);
}
fn total_f32(a: u32) -> u32 {
  let key = select(a | 0x80000000u, ~a, (a >> 31u) != 0u);
  return select(key, 0xffffffffu, is_nan_f32(a));
}
fn trunc_f32(a: u32) -> u32 {
  let e = (a >> 23u) & 255u;
  if (e >= 150u) {
    return a;
  }
  if (e < 127u) {
    return a & 0x80000000u;
  }
  return a & ~(0x7fffffu >> (e - 127u));
}
fn word_of_f32(a: u32) -> u32 {
  let e = i32((a >> 23u) & 255u) - 150i;
  let m = (a & 0x7fffffu) | 0x800000u;
  if (e >= 0i) {
    return m << u32(min(e, 31i));
  }
  return select(m >> u32(-max(e, -31i)), 0u, e < -31i);
}
