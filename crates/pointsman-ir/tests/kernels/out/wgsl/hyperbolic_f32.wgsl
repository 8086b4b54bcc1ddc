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
  var v1: u32 = abs_f32(v0);
  var v2: u32 = 1069066811u;
  var v3: u32 = 1262485504u;
  var v4: u32 = fma_f32(v1, v2, v3);
  var v5: u32 = sub_f32(v4, v3);
  var v6: u32 = 3207688728u;
  var v7: u32 = fma_f32(v5, v6, v1);
  var v8: i32 = bitcast<i32>(canonical_f32(v4));
  var v9: u32 = 822272776u;
  var v10: u32 = fma_f32(v5, v9, v7);
  var v11: u32 = 985003138u;
  var v12: u32 = 1007227952u;
  var v13: u32 = fma_f32(v11, v10, v12);
  var v14: u32 = 1026206524u;
  var v15: u32 = fma_f32(v13, v10, v14);
  var v16: u32 = 1042983511u;
  var v17: u32 = fma_f32(v15, v10, v16);
  var v18: u32 = 1056964607u;
  var v19: u32 = fma_f32(v17, v10, v18);
  var v20: u32 = 1065353216u;
  var v21: u32 = fma_f32(v10, v19, v20);
  var v22: u32 = fma_f32(v10, v21, v20);
  var v23: i32 = 1i;
  var v24: i32 = (v8 - v23);
  var v25: i32 = bitcast<i32>(canonical_f32(v22));
  var v26: i32 = 23i;
  var v27: i32 = (v24 << (bitcast<u32>(v26) & 31u));
  var v28: i32 = (v25 + v27);
  var v29: u32 = bitcast<u32>(v28);
  var v30: u32 = 1119016188u;
  var v31: bool = (above_f32(v1, v30));
  var v32: u32 = 2123789977u;
  var v33: u32 = mul_f32(v1, v32);
  var v34: u32 = select(v29, v33, v31);
  var v35: u32 = 1048576000u;
  var v36: u32 = div_f32(v35, v34);
  var v37: u32 = sub_f32(v34, v36);
  var v38: u32 = mul_f32(v1, v1);
  var v39: u32 = mul_f32(v1, v38);
  var v40: u32 = 909970132u;
  var v41: u32 = 961544009u;
  var v42: u32 = fma_f32(v40, v38, v41);
  var v43: u32 = 1007192218u;
  var v44: u32 = fma_f32(v42, v38, v43);
  var v45: u32 = 1042983595u;
  var v46: u32 = fma_f32(v44, v38, v45);
  var v47: u32 = fma_f32(v39, v46, v1);
  var v48: bool = (below_f32(v1, v20));
  var v49: u32 = select(v37, v47, v48);
  var v50: i32 = bitcast<i32>(canonical_f32(v0));
  var v51: i32 = (-2147483647i - 1i);
  var v52: i32 = (v50 & v51);
  var v53: i32 = bitcast<i32>(canonical_f32(v49));
  var v54: i32 = (v53 | v52);
  var v55: u32 = bitcast<u32>(v54);
  var v56: u32 = add_f32(v34, v36);
  var v57: u32 = add_f32(v55, v56);
  var v58: u32 = add_f32(v1, v1);
  var v59: u32 = fma_f32(v58, v2, v3);
  var v60: u32 = sub_f32(v59, v3);
  var v61: u32 = fma_f32(v60, v6, v58);
  var v62: i32 = bitcast<i32>(canonical_f32(v59));
  var v63: u32 = fma_f32(v60, v9, v61);
  var v64: u32 = fma_f32(v11, v63, v12);
  var v65: u32 = fma_f32(v64, v63, v14);
  var v66: u32 = fma_f32(v65, v63, v16);
  var v67: u32 = fma_f32(v66, v63, v18);
  var v68: u32 = fma_f32(v63, v67, v20);
  var v69: u32 = fma_f32(v63, v68, v20);
  var v70: i32 = bitcast<i32>(canonical_f32(v69));
  var v71: i32 = (v62 << (bitcast<u32>(v26) & 31u));
  var v72: i32 = (v70 + v71);
  var v73: u32 = bitcast<u32>(v72);
  var v74: u32 = 1073741824u;
  var v75: u32 = add_f32(v73, v20);
  var v76: u32 = div_f32(v74, v75);
  var v77: u32 = sub_f32(v20, v76);
  var v78: u32 = 3150813284u;
  var v79: u32 = 1017945743u;
  var v80: u32 = fma_f32(v78, v38, v79);
  var v81: u32 = 3176961087u;
  var v82: u32 = fma_f32(v80, v38, v81);
  var v83: u32 = 1040746131u;
  var v84: u32 = fma_f32(v82, v38, v83);
  var v85: u32 = 3198855845u;
  var v86: u32 = fma_f32(v84, v38, v85);
  var v87: u32 = fma_f32(v39, v86, v1);
  var v88: u32 = 1057803469u;
  var v89: bool = (below_f32(v1, v88));
  var v90: u32 = select(v77, v87, v89);
  var v91: u32 = 1092616192u;
  var v92: bool = (above_f32(v1, v91));
  var v93: u32 = sign_f32(v1);
  var v94: u32 = select(v90, v93, v92);
  var v95: i32 = bitcast<i32>(canonical_f32(v94));
  var v96: i32 = (v95 | v52);
  var v97: u32 = bitcast<u32>(v96);
  var v98: u32 = add_f32(v57, v97);
  return Row(true, bad, canonical_f32(v98), true);
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
fn sub_f32(a: u32, b: u32) -> u32 {
  return bitcast<u32>(single(a) - second_single(b));
}
fn third_single(a: u32) -> f32 {
  return bitcast<f32>(a ^ args[3].z);
}
