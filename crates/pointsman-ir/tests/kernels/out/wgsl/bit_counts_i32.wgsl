// ["store"]
// [Column(0), Column(1), Output(0), Output(1), Output(2), Output(3), Output(4)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> out0: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> out1: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> out2: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> out3: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> out4: array<vec4<u32>>;
struct Row {
  selected: bool,
  bad: bool,
  o0: u32,
  q0: bool,
  o1: u32,
  q1: bool,
  o2: u32,
  q2: bool,
  o3: i32,
  q3: bool,
  o4: i32,
  q4: bool,
}
fn row(r: u32, c0: i32, c1: u32) -> Row {
  var bad: bool = false;
  var v0: i32 = c0;
  var v1: u32 = c1;
  var v2: i32 = 1i;
  var v3: i32 = (v0 >> (bitcast<u32>(v2) & 31u));
  var v4: i32 = 1431655765i;
  var v5: i32 = (v3 & v4);
  var v6: i32 = (v0 - v5);
  var v7: i32 = 858993459i;
  var v8: i32 = (v6 & v7);
  var v9: i32 = 2i;
  var v10: i32 = (v6 >> (bitcast<u32>(v9) & 31u));
  var v11: i32 = (v10 & v7);
  var v12: i32 = (v8 + v11);
  var v13: i32 = 4i;
  var v14: i32 = (v12 >> (bitcast<u32>(v13) & 31u));
  var v15: i32 = (v12 + v14);
  var v16: i32 = 252645135i;
  var v17: i32 = (v15 & v16);
  var v18: i32 = 8i;
  var v19: i32 = (v17 >> (bitcast<u32>(v18) & 31u));
  var v20: i32 = (v17 + v19);
  var v21: i32 = 16i;
  var v22: i32 = (v20 >> (bitcast<u32>(v21) & 31u));
  var v23: i32 = (v20 + v22);
  var v24: i32 = 127i;
  var v25: i32 = (v23 & v24);
  var v26: u32 = nearest_i32_u32(v25, &bad);
  var v27: i32 = (v0 | v3);
  var v28: i32 = (v27 >> (bitcast<u32>(v9) & 31u));
  var v29: i32 = (v27 | v28);
  var v30: i32 = (v29 >> (bitcast<u32>(v13) & 31u));
  var v31: i32 = (v29 | v30);
  var v32: i32 = (v31 >> (bitcast<u32>(v18) & 31u));
  var v33: i32 = (v31 | v32);
  var v34: i32 = (v33 >> (bitcast<u32>(v21) & 31u));
  var v35: i32 = (v33 | v34);
  var v36: i32 = (~v35);
  var v37: i32 = (v36 >> (bitcast<u32>(v2) & 31u));
  var v38: i32 = (v37 & v4);
  var v39: i32 = (v36 - v38);
  var v40: i32 = (v39 & v7);
  var v41: i32 = (v39 >> (bitcast<u32>(v9) & 31u));
  var v42: i32 = (v41 & v7);
  var v43: i32 = (v40 + v42);
  var v44: i32 = (v43 >> (bitcast<u32>(v13) & 31u));
  var v45: i32 = (v43 + v44);
  var v46: i32 = (v45 & v16);
  var v47: i32 = (v46 >> (bitcast<u32>(v18) & 31u));
  var v48: i32 = (v46 + v47);
  var v49: i32 = (v48 >> (bitcast<u32>(v21) & 31u));
  var v50: i32 = (v48 + v49);
  var v51: i32 = (v50 & v24);
  var v52: u32 = nearest_i32_u32(v51, &bad);
  var v53: i32 = (~v0);
  var v54: i32 = (v0 - v2);
  var v55: i32 = (v53 & v54);
  var v56: i32 = (v55 >> (bitcast<u32>(v2) & 31u));
  var v57: i32 = (v56 & v4);
  var v58: i32 = (v55 - v57);
  var v59: i32 = (v58 & v7);
  var v60: i32 = (v58 >> (bitcast<u32>(v9) & 31u));
  var v61: i32 = (v60 & v7);
  var v62: i32 = (v59 + v61);
  var v63: i32 = (v62 >> (bitcast<u32>(v13) & 31u));
  var v64: i32 = (v62 + v63);
  var v65: i32 = (v64 & v16);
  var v66: i32 = (v65 >> (bitcast<u32>(v18) & 31u));
  var v67: i32 = (v65 + v66);
  var v68: i32 = (v67 >> (bitcast<u32>(v21) & 31u));
  var v69: i32 = (v67 + v68);
  var v70: i32 = (v69 & v24);
  var v71: u32 = nearest_i32_u32(v70, &bad);
  var v72: u32 = 31u;
  var v73: u32 = (v1 & v72);
  var v74: i32 = nearest_u32_i32(v73, &bad);
  var v75: i32 = 0i;
  var v76: i32 = (v75 - v74);
  var v77: i32 = (v0 >> (bitcast<u32>(v76) & 31u));
  var v78: i32 = (v2 << (bitcast<u32>(v74) & 31u));
  var v79: i32 = (v78 - v2);
  var v80: i32 = (v77 & v79);
  var v81: i32 = (v0 << (bitcast<u32>(v74) & 31u));
  var v82: i32 = (v81 | v80);
  var v83: u32 = 0u;
  var v84: u32 = (v83 - v1);
  var v85: u32 = (v84 & v72);
  var v86: i32 = nearest_u32_i32(v85, &bad);
  var v87: i32 = (v75 - v86);
  var v88: i32 = (v0 >> (bitcast<u32>(v87) & 31u));
  var v89: i32 = (v2 << (bitcast<u32>(v86) & 31u));
  var v90: i32 = (v89 - v2);
  var v91: i32 = (v88 & v90);
  var v92: i32 = (v0 << (bitcast<u32>(v86) & 31u));
  var v93: i32 = (v92 | v91);
  return Row(true, bad, v26, true, v52, true, v71, true, v82, true, v93, true);
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
    var t1 = vec4<u32>();
    var t2 = vec4<u32>();
    var t3 = vec4<u32>();
    var t4 = vec4<u32>();
    for (var j = 0u; j < 4u; j++) {
    {
      let x = row(base_0 + j, bitcast<i32>(quad0_0[j]), quad1_0[j]);
      let live = base + j < rows;
      
      t0[j] = select(0u, x.o0, live);
      t1[j] = select(0u, x.o1, live);
      t2[j] = select(0u, x.o2, live);
      t3[j] = select(0u, bitcast<u32>(x.o3), live);
      t4[j] = select(0u, bitcast<u32>(x.o4), live);
    }
    }
    if (base < rows) {
      out0[base >> 2u] = t0;
      out1[base >> 2u] = t1;
      out2[base >> 2u] = t2;
      out3[base >> 2u] = t3;
      out4[base >> 2u] = t4;
    }
    }
  }
}
fn nearest_i32_u32(v: i32, f: ptr<function, bool>) -> u32 {
  let x = v;
  if (x < 0i) { return 0u; }
  return bitcast<u32>(x);
}
fn nearest_u32_i32(v: u32, f: ptr<function, bool>) -> i32 {
  let x = v;
  if (x > 2147483647u) { return 2147483647i; }
  return bitcast<i32>(x);
}
