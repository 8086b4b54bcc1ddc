// ["store"]
// [Column(0), Output(0)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> out0: array<vec4<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: u32,
  q0: bool,
}
fn row(r: u32, c0: u32) -> Row {
  var bad: bool = false;
  var v0: u32 = c0;
  var v1: u32 = 8388608u;
  var v2: bool = (below_f32(v0, v1));
  var v3: u32 = 1258291200u;
  var v4: u32 = mul_f32(v0, v3);
  var v5: u32 = select(v0, v4, v2);
  var v6: i32 = bitcast<i32>(canonical_f32(v5));
  var v7: i32 = 1253377267i;
  var v8: i32 = 1060439283i;
  var v9: i32 = select(v8, v7, v2);
  var v10: i32 = (v6 - v9);
  var v11: i32 = 8388607i;
  var v12: i32 = (v10 & v11);
  var v13: i32 = (v12 + v8);
  var v14: u32 = bitcast<u32>(v13);
  var v15: i32 = 23i;
  var v16: i32 = (v10 >> (bitcast<u32>(v15) & 31u));
  var v17: u32 = 1065353216u;
  var v18: u32 = sub_f32(v14, v17);
  var v19: u32 = bitcast<u32>(f32(v16));
  var v20: u32 = mul_f32(v18, v18);
  var v21: u32 = 3181154668u;
  var v22: u32 = 1040366366u;
  var v23: u32 = fma_f32(v21, v18, v22);
  var v24: u32 = 3188113039u;
  var v25: u32 = fma_f32(v23, v18, v24);
  var v26: u32 = 1041328855u;
  var v27: u32 = fma_f32(v25, v18, v26);
  var v28: u32 = 3190438226u;
  var v29: u32 = fma_f32(v27, v18, v28);
  var v30: u32 = 1045221408u;
  var v31: u32 = fma_f32(v29, v18, v30);
  var v32: u32 = 3196059923u;
  var v33: u32 = fma_f32(v31, v18, v32);
  var v34: u32 = 1051372202u;
  var v35: u32 = fma_f32(v33, v18, v34);
  var v36: u32 = 3204448256u;
  var v37: u32 = fma_f32(v18, v35, v36);
  var v38: u32 = mul_f32(v20, v37);
  var v39: u32 = 2969756424u;
  var v40: u32 = fma_f32(v19, v39, v38);
  var v41: u32 = add_f32(v18, v40);
  var v42: u32 = 1060205080u;
  var v43: u32 = fma_f32(v19, v42, v41);
  var v44: u32 = 2139095040u;
  var v45: bool = (below_f32(v0, v44));
  var v46: u32 = select(v0, v43, v45);
  var v47: u32 = 0u;
  var v48: bool = (order_f32(v0) == order_f32(v47));
  var v49: u32 = 4286578688u;
  var v50: u32 = 2143289344u;
  var v51: u32 = select(v50, v49, v48);
  var v52: bool = (above_f32(v0, v47));
  var v53: u32 = select(v51, v46, v52);
  var v54: u32 = add_f32(v18, v38);
  var v55: u32 = sub_f32(v54, v18);
  var v56: u32 = sub_f32(v38, v55);
  var v57: u32 = 849703008u;
  var v58: u32 = mul_f32(v54, v57);
  var v59: u32 = 1069066811u;
  var v60: u32 = fma_f32(v56, v59, v58);
  var v61: u32 = fma_f32(v54, v59, v60);
  var v62: u32 = add_f32(v61, v19);
  var v63: u32 = select(v0, v62, v45);
  var v64: u32 = select(v51, v63, v52);
  var v65: u32 = add_f32(v53, v64);
  var v66: u32 = 2989330863u;
  var v67: u32 = mul_f32(v54, v66);
  var v68: u32 = 1054759897u;
  var v69: u32 = fma_f32(v56, v68, v67);
  var v70: u32 = 2994079840u;
  var v71: u32 = fma_f32(v19, v70, v69);
  var v72: u32 = fma_f32(v54, v68, v71);
  var v73: u32 = 1050288283u;
  var v74: u32 = fma_f32(v19, v73, v72);
  var v75: u32 = select(v0, v74, v45);
  var v76: u32 = select(v51, v75, v52);
  var v77: u32 = add_f32(v65, v76);
  var v78: u32 = add_f32(v0, v17);
  var v79: u32 = select(v0, v17, total_f32(v17) < total_f32(v0));
  var v80: u32 = select(v0, v17, total_f32(v17) > total_f32(v0));
  var v81: u32 = sub_f32(v78, v80);
  var v82: u32 = sub_f32(v79, v81);
  var v83: i32 = bitcast<i32>(canonical_f32(v78));
  var v84: i32 = (v83 - v8);
  var v85: i32 = (v84 & v11);
  var v86: i32 = (v85 + v8);
  var v87: u32 = bitcast<u32>(v86);
  var v88: i32 = (v84 >> (bitcast<u32>(v15) & 31u));
  var v89: i32 = 127i;
  var v90: i32 = select(v88, v89, v89 < v88);
  var v91: i32 = (v89 - v90);
  var v92: i32 = (v91 << (bitcast<u32>(v15) & 31u));
  var v93: u32 = bitcast<u32>(v92);
  var v94: u32 = sub_f32(v87, v17);
  var v95: u32 = bitcast<u32>(f32(v88));
  var v96: u32 = mul_f32(v82, v93);
  var v97: u32 = mul_f32(v94, v94);
  var v98: u32 = fma_f32(v21, v94, v22);
  var v99: u32 = fma_f32(v98, v94, v24);
  var v100: u32 = fma_f32(v99, v94, v26);
  var v101: u32 = fma_f32(v100, v94, v28);
  var v102: u32 = fma_f32(v101, v94, v30);
  var v103: u32 = fma_f32(v102, v94, v32);
  var v104: u32 = fma_f32(v103, v94, v34);
  var v105: u32 = fma_f32(v94, v104, v36);
  var v106: u32 = mul_f32(v97, v105);
  var v107: u32 = neg_f32(v96);
  var v108: u32 = fma_f32(v107, v94, v96);
  var v109: u32 = add_f32(v106, v108);
  var v110: u32 = fma_f32(v95, v39, v109);
  var v111: u32 = add_f32(v94, v110);
  var v112: u32 = fma_f32(v95, v42, v111);
  var v113: bool = (below_f32(v78, v44));
  var v114: u32 = select(v78, v112, v113);
  var v115: bool = (order_f32(v78) == order_f32(v47));
  var v116: u32 = select(v50, v49, v115);
  var v117: bool = (above_f32(v78, v47));
  var v118: u32 = select(v116, v114, v117);
  var v119: u32 = abs_f32(v0);
  var v120: u32 = 855638016u;
  var v121: bool = (below_f32(v119, v120));
  var v122: u32 = select(v118, v0, v121);
  var v123: u32 = add_f32(v77, v122);
  return Row(true, bad, canonical_f32(v123), true);
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
    {
    let base = base_0;
    let k = step + 0u;
    var t0 = vec4<u32>();
    for (var j = 0u; j < 4u; j++) {
    {
      let x = row(base_0 + j, quad0_0[j]);
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
fn single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].x);
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
