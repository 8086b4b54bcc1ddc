// ["store"]
// [Column(0), Column(1), Column(2), ColumnValidity(2), Output(0), Output(1), Output(2), Output(3), Output(4), Output(5), OutputValidity(5)]
@group(0) @binding(0) var<uniform> args: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> in0: array<u64>;
@group(0) @binding(3) var<storage, read> in1: array<u64>;
@group(0) @binding(4) var<storage, read> in2: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> inv2: array<u32>;
@group(0) @binding(6) var<storage, read_write> out0: array<u64>;
@group(0) @binding(7) var<storage, read_write> out1: array<u64>;
@group(0) @binding(8) var<storage, read_write> out2: array<u64>;
@group(0) @binding(9) var<storage, read_write> out3: array<u64>;
@group(0) @binding(10) var<storage, read_write> out4: array<u64>;
@group(0) @binding(11) var<storage, read_write> out5: array<u64>;
@group(0) @binding(12) var<storage, read_write> outv5: array<u32>;
struct Row {
  selected: bool,
  bad: bool,
  o0: i64,
  q0: bool,
  o1: i64,
  q1: bool,
  o2: i64,
  q2: bool,
  o3: u64,
  q3: bool,
  o4: i64,
  q4: bool,
  o5: i64,
  q5: bool,
}
fn row(r: u32, c0: i64, c1: i64, c2: u32, d2: bool) -> Row {
  var bad: bool = false;
  var v0: i64 = c0;
  var v1: i64 = c1;
  var v2: u32 = c2;
  var n2: bool = d2;
  var v3: i64 = (v0 + v1);
  var v4: i64 = (v0 ^ v3);
  var v5: i64 = (v1 ^ v3);
  var v6: i64 = (v4 & v5);
  var v7: i64 = 0li;
  var v8: bool = (v6 < v7);
  var v9: i64 = 63li;
  var v10: i64 = (v0 >> u32(v9 & 63li));
  var v11: i64 = 9223372036854775807li;
  var v12: i64 = (v10 ^ v11);
  var v13: i64 = select(v3, v12, v8);
  var v14: i64 = (v0 - v1);
  var v15: i64 = (v0 ^ v1);
  var v16: i64 = (v0 ^ v14);
  var v17: i64 = (v15 & v16);
  var v18: bool = (v17 < v7);
  var v19: i64 = select(v14, v12, v18);
  var v20: i64 = (v0 * v1);
  var v21: i64 = (select(v0, 0li - v0, v0 < 0li));
  var v22: i64 = (select(v1, 0li - v1, v1 < 0li));
  var v23: i64 = (v21 * v22);
  var v24: i64 = (~v11);
  var v25: bool = (v23 == v24);
  var v26: bool = (v15 < v7);
  var v27: bool = !((true && !v25) || (true && !v26));
  var v28: bool = (v23 >= v7);
  var v29: bool = ((true && v28) || (true && v27));
  var v30: i64 = 32li;
  var v31: i64 = (v21 >> u32(v30 & 63li));
  var v32: i64 = 4294967295li;
  var v33: i64 = (v31 & v32);
  var v34: i64 = (v21 & v32);
  var v35: i64 = (v22 >> u32(v30 & 63li));
  var v36: i64 = (v35 & v32);
  var v37: i64 = (v22 & v32);
  var v38: i64 = (v33 * v37);
  var v39: i64 = (v34 * v36);
  var v40: i64 = (v38 + v39);
  var v41: i64 = (v34 * v37);
  var v42: i64 = (v23 ^ v24);
  var v43: i64 = (v41 ^ v24);
  var v44: bool = (v42 < v43);
  var v45: i64 = (v33 * v36);
  var v46: bool = (v45 != v7);
  var v47: i64 = (v40 >> u32(v30 & 63li));
  var v48: i64 = (v47 & v32);
  var v49: bool = (v48 != v7);
  var v50: bool = ((true && v46) || (true && v49));
  var v51: bool = ((true && v50) || (true && v44));
  var v52: bool = !v51;
  var v53: bool = !((true && !v29) || (true && !v52));
  var v54: i64 = (v15 >> u32(v9 & 63li));
  var v55: i64 = (v54 ^ v11);
  var v56: i64 = select(v55, v20, v53);
  var v57: i64 = select(v0, v1, v1 > v0);
  var v58: i64 = select(v0, v1, v1 < v0);
  var v59: i64 = (v57 - v58);
  var v60: i64 = (v59 >> u32(v9 & 63li));
  var v61: i64 = 1li;
  var v62: i64 = (v60 & v61);
  var v63: u64 = nearest_i64_u64(v62, &bad);
  var v64: u64 = 63lu;
  var v65: u64 = (v63 << u32(v64 & 63lu));
  var v66: i64 = (v59 & v11);
  var v67: u64 = nearest_i64_u64(v66, &bad);
  var v68: u64 = (v67 | v65);
  var v69: i64 = (v0 & v1);
  var v70: i64 = (v15 >> u32(v61 & 63li));
  var v71: i64 = (v69 + v70);
  var v72: i64 = (v71 >> u32(v9 & 63li));
  var v73: i64 = (v72 & v15);
  var v74: i64 = (v73 & v61);
  var v75: i64 = (v71 + v74);
  var v76: u32 = 1u;
  var v77: u32 = select(v76, v2, n2);
  var s78_0: i64 = v61;
  var t78_0: bool = true;
  var s78_1: i64 = v0;
  var t78_1: bool = true;
  var s78_2: u32 = v77;
  var t78_2: bool = true;
  for (var k78 = 0u; k78 < 32u; k78++) {
    var v79: i64 = s78_0;
    var v80: i64 = s78_1;
    var v81: u32 = s78_2;
    var v82: u32 = 0u;
    var v83: bool = (v81 != v82);
    var v84: u32 = (v81 & v76);
    var v85: bool = (v84 != v82);
    var v86: i64 = (v79 * v80);
    var v87: i64 = select(v79, v86, v85);
    var v88: i64 = (v80 * v80);
    var v89: u32 = (v81 >> (v76 & 31u));
    if (!v83) { break; }
    var x78_0: i64 = v87;
    var y78_0: bool = true;
    var x78_1: i64 = v88;
    var y78_1: bool = true;
    var x78_2: u32 = v89;
    var y78_2: bool = true;
    s78_0 = x78_0;
    t78_0 = y78_0;
    s78_1 = x78_1;
    t78_1 = y78_1;
    s78_2 = x78_2;
    t78_2 = y78_2;
  }
  var v90: i64 = s78_0;
  var v91: i64 = s78_1;
  var v92: u32 = s78_2;
  var v93: bool = !n2;
  var v94: i64 = 0li;
  var n94: bool = false;
  var v95: i64 = select(v90, v94, v93);
  var n95: bool = select(true, n94, v93);
  return Row(true, bad, v13, true, v19, true, v56, true, v68, true, v75, true, select(0li, v95, (n95)), (n95));
}
var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) { return; }
  let last = rows - 1u;
  var n5 = 0u;
  for (var step = 0u; step < 8u; step += 1u) {
    let base_0 = start + (step + 0u) * 512u + lane * 4u;
    let first_0 = min(base_0, last & ~3u);
    let quad2_0 = in2[first_0 >> 2u];
    let valid2_0 = select(15u, inv2[first_0 >> 5u] >> (first_0 & 31u), (args[4].z & 1u) != 0u);
    {
    let base = base_0;
    let k = step + 0u;
    for (var j = 0u; j < 4u; j++) {
    {
      let x = row(base_0 + j, bitcast<i64>(in0[min(base_0 + j, last)]), bitcast<i64>(in1[min(base_0 + j, last)]), quad2_0[j], (((valid2_0 >> j) & 1u) != 0u));
      let live = base + j < rows;
      
      if (live) { out0[base + j] = bitcast<u64>(x.o0); }
      if (live) { out1[base + j] = bitcast<u64>(x.o1); }
      if (live) { out2[base + j] = bitcast<u64>(x.o2); }
      if (live) { out3[base + j] = x.o3; }
      if (live) { out4[base + j] = bitcast<u64>(x.o4); }
      if (live) { out5[base + j] = bitcast<u64>(x.o5); }
      n5 |= select(0u, 1u, live & x.q5) << (4u * k + j);
    }
    }
    if (base < rows) {
    }
    }
  }
  shared_bits[lane] = n5;
  workgroupBarrier();
  if (start + lane * 32u < rows) {
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }
    outv5[(start >> 5u) + lane] = bits;
  }
  workgroupBarrier();
}
fn nearest_i64_u64(v: i64, f: ptr<function, bool>) -> u64 {
  let x = v;
  if (x < 0li) { return 0lu; }
  return bitcast<u64>(x);
}
