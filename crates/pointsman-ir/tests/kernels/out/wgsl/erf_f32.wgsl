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
  var v2: u32 = mul_f32(v1, v1);
  var v3: u32 = 950318383u;
  var v4: u32 = 3125934983u;
  var v5: u32 = fma_f32(v3, v2, v4);
  var v6: u32 = 1000997594u;
  var v7: u32 = fma_f32(v5, v2, v6);
  var v8: u32 = 3168533639u;
  var v9: u32 = fma_f32(v7, v2, v8);
  var v10: u32 = 1038554748u;
  var v11: u32 = fma_f32(v9, v2, v10);
  var v12: u32 = 3200291743u;
  var v13: u32 = fma_f32(v11, v2, v12);
  var v14: u32 = 1040414164u;
  var v15: u32 = fma_f32(v13, v2, v14);
  var v16: u32 = fma_f32(v1, v15, v1);
  var v17: u32 = 1082130432u;
  var v18: u32 = select(v1, v17, total_f32(v17) < total_f32(v1));
  var v19: u32 = mul_f32(v18, v18);
  var v20: u32 = neg_f32(v19);
  var v21: u32 = 1069066811u;
  var v22: u32 = 1262485504u;
  var v23: u32 = fma_f32(v20, v21, v22);
  var v24: u32 = sub_f32(v23, v22);
  var v25: u32 = 3207688728u;
  var v26: u32 = fma_f32(v24, v25, v20);
  var v27: i32 = bitcast<i32>(canonical_f32(v23));
  var v28: u32 = 822272776u;
  var v29: u32 = fma_f32(v24, v28, v26);
  var v30: u32 = 1065353216u;
  var v31: u32 = 1073741824u;
  var v32: u32 = add_f32(v18, v31);
  var v33: u32 = div_f32(v30, v32);
  var v34: u32 = 3236714333u;
  var v35: u32 = 1092812167u;
  var v36: u32 = fma_f32(v34, v33, v35);
  var v37: u32 = 3204711562u;
  var v38: u32 = fma_f32(v36, v33, v37);
  var v39: u32 = 1070279099u;
  var v40: u32 = fma_f32(v38, v33, v39);
  var v41: u32 = 1057290100u;
  var v42: u32 = fma_f32(v40, v33, v41);
  var v43: u32 = 988733719u;
  var v44: u32 = fma_f32(v42, v33, v43);
  var v45: u32 = 985003138u;
  var v46: u32 = 1007227952u;
  var v47: u32 = fma_f32(v45, v29, v46);
  var v48: u32 = 1026206524u;
  var v49: u32 = fma_f32(v47, v29, v48);
  var v50: u32 = 1042983511u;
  var v51: u32 = fma_f32(v49, v29, v50);
  var v52: u32 = 1056964607u;
  var v53: u32 = fma_f32(v51, v29, v52);
  var v54: u32 = fma_f32(v29, v53, v30);
  var v55: u32 = fma_f32(v29, v54, v30);
  var v56: i32 = bitcast<i32>(canonical_f32(v55));
  var v57: i32 = 23i;
  var v58: i32 = (v27 << (bitcast<u32>(v57) & 31u));
  var v59: i32 = (v56 + v58);
  var v60: u32 = bitcast<u32>(v59);
  var v61: u32 = neg_f32(v60);
  var v62: u32 = fma_f32(v61, v44, v30);
  var v63: bool = (below_f32(v1, v30));
  var v64: u32 = select(v62, v16, v63);
  var v65: bool = is_nan_f32(v0);
  var v66: i32 = bitcast<i32>(canonical_f32(v0));
  var v67: i32 = (-2147483647i - 1i);
  var v68: i32 = (v66 & v67);
  var v69: i32 = bitcast<i32>(canonical_f32(v64));
  var v70: i32 = (v69 | v68);
  var v71: u32 = bitcast<u32>(v70);
  var v72: u32 = select(v71, v0, v65);
  return Row(true, bad, canonical_f32(v72), true);
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
