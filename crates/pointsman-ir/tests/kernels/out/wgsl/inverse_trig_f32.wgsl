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
  var v3: u32 = 1056964608u;
  var v4: bool = (above_f32(v2, v3));
  var v5: u32 = 3204448256u;
  var v6: u32 = fma_f32(v2, v5, v3);
  var v7: u32 = mul_f32(v2, v2);
  var v8: u32 = select(v7, v6, v4);
  var v9: u32 = sqrt_f32(v8);
  var v10: u32 = select(v2, v9, v4);
  var v11: u32 = mul_f32(v10, v8);
  var v12: u32 = 1026343623u;
  var v13: u32 = 1019610805u;
  var v14: u32 = fma_f32(v12, v8, v13);
  var v15: u32 = 1027227750u;
  var v16: u32 = fma_f32(v14, v8, v15);
  var v17: u32 = 1033470183u;
  var v18: u32 = fma_f32(v16, v8, v17);
  var v19: u32 = 1042983652u;
  var v20: u32 = fma_f32(v18, v8, v19);
  var v21: u32 = mul_f32(v11, v20);
  var v22: u32 = add_f32(v10, v10);
  var v23: u32 = 1070141403u;
  var v24: u32 = sub_f32(v23, v22);
  var v25: u32 = sub_f32(v23, v24);
  var v26: u32 = sub_f32(v25, v22);
  var v27: u32 = add_f32(v21, v21);
  var v28: u32 = 3007036718u;
  var v29: u32 = add_f32(v26, v28);
  var v30: u32 = sub_f32(v27, v29);
  var v31: u32 = sub_f32(v24, v30);
  var v32: u32 = add_f32(v10, v21);
  var v33: u32 = select(v32, v31, v4);
  var v34: i32 = bitcast<i32>(canonical_f32(v0));
  var v35: i32 = (-2147483647i - 1i);
  var v36: i32 = (v34 & v35);
  var v37: i32 = bitcast<i32>(canonical_f32(v33));
  var v38: i32 = (v37 | v36);
  var v39: u32 = bitcast<u32>(v38);
  var v40: u32 = 0u;
  var v41: bool = (below_f32(v0, v40));
  var v42: u32 = neg_f32(v21);
  var v43: u32 = select(v21, v42, v41);
  var v44: u32 = sub_f32(v23, v0);
  var v45: u32 = sub_f32(v43, v28);
  var v46: u32 = sub_f32(v44, v45);
  var v47: u32 = 1078530011u;
  var v48: u32 = sub_f32(v47, v22);
  var v49: u32 = 3015425326u;
  var v50: u32 = sub_f32(v27, v49);
  var v51: u32 = sub_f32(v48, v50);
  var v52: u32 = add_f32(v22, v27);
  var v53: u32 = select(v52, v51, v41);
  var v54: u32 = select(v46, v53, v4);
  var v55: u32 = add_f32(v39, v54);
  var v56: u32 = 1065353216u;
  var v57: bool = (above_f32(v2, v56));
  var v58: u32 = select(v2, v56, v57);
  var v59: u32 = select(v56, v2, v57);
  var v60: u32 = div_f32(v58, v59);
  var v61: u32 = mul_f32(v60, v60);
  var v62: u32 = mul_f32(v60, v61);
  var v63: u32 = 3135969095u;
  var v64: u32 = 1009963712u;
  var v65: u32 = fma_f32(v63, v61, v64);
  var v66: u32 = 3170854974u;
  var v67: u32 = fma_f32(v65, v61, v66);
  var v68: u32 = 1030579378u;
  var v69: u32 = fma_f32(v67, v61, v68);
  var v70: u32 = 3182172723u;
  var v71: u32 = fma_f32(v69, v61, v70);
  var v72: u32 = 1038109943u;
  var v73: u32 = fma_f32(v71, v61, v72);
  var v74: u32 = 3188855002u;
  var v75: u32 = fma_f32(v73, v61, v74);
  var v76: u32 = 1045219582u;
  var v77: u32 = fma_f32(v75, v61, v76);
  var v78: u32 = 3198855839u;
  var v79: u32 = fma_f32(v77, v61, v78);
  var v80: u32 = mul_f32(v62, v79);
  var v81: u32 = sub_f32(v23, v60);
  var v82: u32 = sub_f32(v80, v28);
  var v83: u32 = sub_f32(v81, v82);
  var v84: u32 = add_f32(v60, v80);
  var v85: u32 = select(v84, v83, v57);
  var v86: i32 = bitcast<i32>(canonical_f32(v85));
  var v87: i32 = (v86 | v36);
  var v88: u32 = bitcast<u32>(v87);
  var v89: u32 = add_f32(v55, v88);
  var v90: u32 = abs_f32(v1);
  var v91: u32 = select(v2, v90, total_f32(v90) < total_f32(v2));
  var v92: u32 = select(v2, v90, total_f32(v90) > total_f32(v2));
  var v93: bool = (order_f32(v91) == order_f32(v92));
  var v94: u32 = sign_f32(v92);
  var v95: u32 = div_f32(v91, v92);
  var v96: u32 = select(v95, v94, v93);
  var v97: u32 = mul_f32(v96, v96);
  var v98: u32 = mul_f32(v96, v97);
  var v99: u32 = fma_f32(v63, v97, v64);
  var v100: u32 = fma_f32(v99, v97, v66);
  var v101: u32 = fma_f32(v100, v97, v68);
  var v102: u32 = fma_f32(v101, v97, v70);
  var v103: u32 = fma_f32(v102, v97, v72);
  var v104: u32 = fma_f32(v103, v97, v74);
  var v105: u32 = fma_f32(v104, v97, v76);
  var v106: u32 = fma_f32(v105, v97, v78);
  var v107: u32 = mul_f32(v98, v106);
  var v108: bool = (above_f32(v2, v90));
  var v109: i32 = bitcast<i32>(canonical_f32(v1));
  var v110: i32 = 0i;
  var v111: bool = (v109 < v110);
  var v112: bool = (u32(v108) != u32(v111));
  var v113: u32 = neg_f32(v96);
  var v114: u32 = select(v96, v113, v112);
  var v115: u32 = neg_f32(v107);
  var v116: u32 = select(v107, v115, v112);
  var v117: u32 = select(v40, v47, v111);
  var v118: u32 = select(v117, v23, v108);
  var v119: u32 = add_f32(v118, v114);
  var v120: u32 = select(v40, v49, v111);
  var v121: u32 = select(v120, v28, v108);
  var v122: u32 = add_f32(v116, v121);
  var v123: u32 = add_f32(v119, v122);
  var v124: i32 = bitcast<i32>(canonical_f32(v123));
  var v125: i32 = (v124 | v36);
  var v126: u32 = bitcast<u32>(v125);
  var v127: u32 = add_f32(v89, v126);
  return Row(true, bad, canonical_f32(v127), true);
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
fn mul_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) * second_single(b));
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
fn sign_f32(a: u32) -> u32 {
  return select(0x3f800000u | (a & 0x80000000u), a, (a << 1u) == 0u || is_nan_f32(a));
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
