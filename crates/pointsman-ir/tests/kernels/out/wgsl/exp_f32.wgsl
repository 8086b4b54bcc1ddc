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
  var v1: u32 = 3268542464u;
  var v2: u32 = select(v0, v1, total_f32(v1) > total_f32(v0));
  var v3: u32 = 1069066811u;
  var v4: u32 = 1262485504u;
  var v5: u32 = fma_f32(v2, v3, v4);
  var v6: u32 = sub_f32(v5, v4);
  var v7: u32 = 3207688728u;
  var v8: u32 = fma_f32(v6, v7, v2);
  var v9: i32 = bitcast<i32>(canonical_f32(v5));
  var v10: u32 = 822272776u;
  var v11: u32 = fma_f32(v6, v10, v8);
  var v12: u32 = 985003138u;
  var v13: u32 = 1007227952u;
  var v14: u32 = fma_f32(v12, v11, v13);
  var v15: u32 = 1026206524u;
  var v16: u32 = fma_f32(v14, v11, v15);
  var v17: u32 = 1042983511u;
  var v18: u32 = fma_f32(v16, v11, v17);
  var v19: u32 = 1056964607u;
  var v20: u32 = fma_f32(v18, v11, v19);
  var v21: u32 = 1065353216u;
  var v22: u32 = fma_f32(v11, v20, v21);
  var v23: u32 = fma_f32(v11, v22, v21);
  var v24: u32 = 3266183168u;
  var v25: bool = (below_f32(v2, v24));
  var v26: i32 = 64i;
  var v27: i32 = (v9 + v26);
  var v28: i32 = select(v9, v27, v25);
  var v29: u32 = 528482304u;
  var v30: u32 = select(v21, v29, v25);
  var v31: i32 = bitcast<i32>(canonical_f32(v23));
  var v32: i32 = 23i;
  var v33: i32 = (v28 << (bitcast<u32>(v32) & 31u));
  var v34: i32 = (v31 + v33);
  var v35: u32 = bitcast<u32>(v34);
  var v36: u32 = mul_f32(v35, v30);
  var v37: u32 = 1118925335u;
  var v38: bool = (above_f32(v0, v37));
  var v39: u32 = 2123789977u;
  var v40: u32 = mul_f32(v0, v39);
  var v41: u32 = select(v36, v40, v38);
  var v42: u32 = 3273129984u;
  var v43: u32 = select(v0, v42, total_f32(v42) > total_f32(v0));
  var v44: u32 = add_f32(v43, v4);
  var v45: u32 = sub_f32(v44, v4);
  var v46: u32 = sub_f32(v43, v45);
  var v47: u32 = 958463392u;
  var v48: u32 = 984588185u;
  var v49: u32 = fma_f32(v47, v46, v48);
  var v50: u32 = 1008572072u;
  var v51: u32 = fma_f32(v49, v46, v50);
  var v52: u32 = 1029920627u;
  var v53: u32 = fma_f32(v51, v46, v52);
  var v54: u32 = 1047920110u;
  var v55: u32 = fma_f32(v53, v46, v54);
  var v56: u32 = 1060205080u;
  var v57: u32 = fma_f32(v55, v46, v56);
  var v58: u32 = fma_f32(v46, v57, v21);
  var v59: i32 = bitcast<i32>(canonical_f32(v44));
  var v60: u32 = 3271163904u;
  var v61: bool = (below_f32(v43, v60));
  var v62: i32 = (v59 + v26);
  var v63: i32 = select(v59, v62, v61);
  var v64: u32 = select(v21, v29, v61);
  var v65: i32 = bitcast<i32>(canonical_f32(v58));
  var v66: i32 = (v63 << (bitcast<u32>(v32) & 31u));
  var v67: i32 = (v65 + v66);
  var v68: u32 = bitcast<u32>(v67);
  var v69: u32 = mul_f32(v68, v64);
  var v70: u32 = 1124073472u;
  var v71: bool = (!below_f32(v0, v70));
  var v72: u32 = select(v69, v40, v71);
  var v73: u32 = add_f32(v41, v72);
  var v74: u32 = 3248488448u;
  var v75: u32 = select(v0, v74, total_f32(v74) > total_f32(v0));
  var v76: u32 = fma_f32(v75, v3, v4);
  var v77: u32 = sub_f32(v76, v4);
  var v78: u32 = fma_f32(v77, v7, v75);
  var v79: i32 = bitcast<i32>(canonical_f32(v76));
  var v80: u32 = fma_f32(v77, v10, v78);
  var v81: u32 = mul_f32(v80, v80);
  var v82: u32 = fma_f32(v12, v80, v13);
  var v83: u32 = fma_f32(v82, v80, v15);
  var v84: u32 = fma_f32(v83, v80, v17);
  var v85: u32 = fma_f32(v84, v80, v19);
  var v86: u32 = mul_f32(v81, v85);
  var v87: i32 = 126i;
  var v88: i32 = (v79 + v87);
  var v89: i32 = (v88 << (bitcast<u32>(v32) & 31u));
  var v90: u32 = bitcast<u32>(v89);
  var v91: u32 = 1056964608u;
  var v92: u32 = sub_f32(v90, v91);
  var v93: u32 = fma_f32(v90, v80, v92);
  var v94: u32 = fma_f32(v90, v86, v93);
  var v95: u32 = 1073741824u;
  var v96: u32 = mul_f32(v94, v95);
  var v97: u32 = select(v96, v40, v38);
  var v98: u32 = abs_f32(v0);
  var v99: u32 = 855638016u;
  var v100: bool = (below_f32(v98, v99));
  var v101: u32 = select(v97, v0, v100);
  var v102: u32 = add_f32(v73, v101);
  return Row(true, bad, canonical_f32(v102), true);
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
