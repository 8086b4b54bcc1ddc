alias T = f64;
alias C = vec2<f64>;
struct Arguments { words: array<vec4<u32>, 4> }
@group(0) @binding(0) var<uniform> arguments: Arguments;
fn fused(a: T, b: T, c: T) -> T { return a * b + c; }
fn scaled(a: C, b: T) -> C { return C(a.x * b, a.y * b); }
fn conjugate(a: C) -> C { return C(a.x, -a.y); }
fn mul(a: C, b: C) -> C { return C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
fn mad(a: C, b: C, c: C) -> C {
  return C(c.x + a.x * b.x - a.y * b.y, c.y + a.x * b.y + a.y * b.x);
}
@group(0) @binding(1) var<storage, read> left_T: array<T>;
@group(0) @binding(1) var<storage, read> left_C: array<C>;
@group(0) @binding(3) var<storage, read_write> output_T: array<T>;
@group(0) @binding(3) var<storage, read_write> output_C: array<C>;
@group(0) @binding(2) var<storage, read> right_C: array<C>;
var<workgroup> shared_0: array<C, 2048>;
@compute @workgroup_size(256)
fn transform_0(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 1u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let items = arguments.words[1].z * 36u;
  let first_item = group * 64u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_0_1 = C(T(0.0), T(0.0));
  var v0_0_2 = C(T(0.0), T(0.0));
  var v0_0_3 = C(T(0.0), T(0.0));
  var v0_0_4 = C(T(0.0), T(0.0));
  var v0_0_5 = C(T(0.0), T(0.0));
  var v0_0_6 = C(T(0.0), T(0.0));
  var v0_0_7 = C(T(0.0), T(0.0));
  if (lane + 0u < 256u && first_item + ((lane + 0u) / 4u) < items) {
    let index = lane + 0u;
    let b = index % 4u;
    let own_item = index / 4u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 3u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 3u) { v0_0_0 = C(left_T[source + (2u - j0) * 1u], T(0.0)); }
    let e1 = b + 4u;
    let j1 = i + e1 * 1u;
    if (j1 < 3u) { v0_0_1 = C(left_T[source + (2u - j1) * 1u], T(0.0)); }
    let e2 = b + 8u;
    let j2 = i + e2 * 1u;
    if (j2 < 3u) { v0_0_2 = C(left_T[source + (2u - j2) * 1u], T(0.0)); }
    let e3 = b + 12u;
    let j3 = i + e3 * 1u;
    if (j3 < 3u) { v0_0_3 = C(left_T[source + (2u - j3) * 1u], T(0.0)); }
    let e4 = b + 16u;
    let j4 = i + e4 * 1u;
    if (j4 < 3u) { v0_0_4 = C(left_T[source + (2u - j4) * 1u], T(0.0)); }
    let e5 = b + 20u;
    let j5 = i + e5 * 1u;
    if (j5 < 3u) { v0_0_5 = C(left_T[source + (2u - j5) * 1u], T(0.0)); }
    let e6 = b + 24u;
    let j6 = i + e6 * 1u;
    if (j6 < 3u) { v0_0_6 = C(left_T[source + (2u - j6) * 1u], T(0.0)); }
    let e7 = b + 28u;
    let j7 = i + e7 * 1u;
    if (j7 < 3u) { v0_0_7 = C(left_T[source + (2u - j7) * 1u], T(0.0)); }
    let b0_0_ep = v0_0_0 + v0_0_4;
    let b0_0_eq = v0_0_0 - v0_0_4;
    let b0_0_er = v0_0_2 + v0_0_6;
    let b0_0_es = v0_0_2 - v0_0_6;
    let b0_0_et = C(b0_0_es.y, -b0_0_es.x);
    v0_0_0 = b0_0_ep + b0_0_er;
    v0_0_2 = b0_0_eq + b0_0_et;
    v0_0_4 = b0_0_ep - b0_0_er;
    v0_0_6 = b0_0_eq - b0_0_et;
    let b0_0_op = v0_0_1 + v0_0_5;
    let b0_0_oq = v0_0_1 - v0_0_5;
    let b0_0_or = v0_0_3 + v0_0_7;
    let b0_0_os = v0_0_3 - v0_0_7;
    let b0_0_ot = C(b0_0_os.y, -b0_0_os.x);
    v0_0_1 = b0_0_op + b0_0_or;
    v0_0_3 = b0_0_oq + b0_0_ot;
    v0_0_5 = b0_0_op - b0_0_or;
    v0_0_7 = b0_0_oq - b0_0_ot;
    let b0_0_x0 = v0_0_0;
    let b0_0_y0 = v0_0_1;
    let b0_0_x1 = v0_0_2;
    let b0_0_y1 = C((v0_0_3.x + v0_0_3.y) * T(0.7071067811865476), (v0_0_3.y - v0_0_3.x) * T(0.7071067811865476));
    let b0_0_x2 = v0_0_4;
    let b0_0_y2 = C(v0_0_5.y, -v0_0_5.x);
    let b0_0_x3 = v0_0_6;
    let b0_0_y3 = C((v0_0_7.y - v0_0_7.x) * T(0.7071067811865476), -(v0_0_7.x + v0_0_7.y) * T(0.7071067811865476));
    v0_0_0 = b0_0_x0 + b0_0_y0;
    v0_0_4 = b0_0_x0 - b0_0_y0;
    v0_0_1 = b0_0_x1 + b0_0_y1;
    v0_0_5 = b0_0_x1 - b0_0_y1;
    v0_0_2 = b0_0_x2 + b0_0_y2;
    v0_0_6 = b0_0_x2 - b0_0_y2;
    v0_0_3 = b0_0_x3 + b0_0_y3;
    v0_0_7 = b0_0_x3 - b0_0_y3;
  }
  if (lane + 0u < 256u && first_item + ((lane + 0u) / 4u) < items) {
    let index = lane + 0u;
    let b = index % 4u;
    let own_item = index / 4u;
    let start = b / 1u * 8u + b % 1u;
    shared_0[own_item * 32u + (start + 0u)] = v0_0_0;
    shared_0[own_item * 32u + (start + 1u)] = v0_0_1;
    shared_0[own_item * 32u + (start + 2u)] = v0_0_2;
    shared_0[own_item * 32u + (start + 3u)] = v0_0_3;
    shared_0[own_item * 32u + (start + 4u)] = v0_0_4;
    shared_0[own_item * 32u + (start + 5u)] = v0_0_5;
    shared_0[own_item * 32u + (start + 6u)] = v0_0_6;
    shared_0[own_item * 32u + (start + 7u)] = v0_0_7;
  }
  workgroupBarrier();
  var v1_0_0 = C(T(0.0), T(0.0));
  var v1_0_1 = C(T(0.0), T(0.0));
  var v1_0_2 = C(T(0.0), T(0.0));
  var v1_0_3 = C(T(0.0), T(0.0));
  var v1_1_0 = C(T(0.0), T(0.0));
  var v1_1_1 = C(T(0.0), T(0.0));
  var v1_1_2 = C(T(0.0), T(0.0));
  var v1_1_3 = C(T(0.0), T(0.0));
  if (lane + 0u < 512u && first_item + ((lane + 0u) / 8u) < items) {
    let index = lane + 0u;
    let b = index % 8u;
    let own_item = index / 8u;
    let turn = b % 8u * 1u;
    v1_0_0 = shared_0[own_item * 32u + (b + 0u)];
    v1_0_1 = shared_0[own_item * 32u + (b + 8u)];
    v1_0_1 = mul(v1_0_1, right_C[right_at + 0u + (turn * 1u)]);
    v1_0_2 = shared_0[own_item * 32u + (b + 16u)];
    v1_0_2 = mul(v1_0_2, right_C[right_at + 0u + (turn * 2u)]);
    v1_0_3 = shared_0[own_item * 32u + (b + 24u)];
    v1_0_3 = mul(v1_0_3, right_C[right_at + 0u + (turn * 3u)]);
    let b1_0_p = v1_0_0 + v1_0_2;
    let b1_0_q = v1_0_0 - v1_0_2;
    let b1_0_r = v1_0_1 + v1_0_3;
    let b1_0_s = v1_0_1 - v1_0_3;
    let b1_0_t = C(b1_0_s.y, -b1_0_s.x);
    v1_0_0 = b1_0_p + b1_0_r;
    v1_0_1 = b1_0_q + b1_0_t;
    v1_0_2 = b1_0_p - b1_0_r;
    v1_0_3 = b1_0_q - b1_0_t;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let target_start = output_at + block * 17u + line;
    let first = i * 32u + b;
    let o0 = first + 0u;
    if (o0 < 17u) { output_C[target_start + (o0) * 1u] = v1_0_0; }
    let o1 = first + 8u;
    if (o1 < 17u) { output_C[target_start + (o1) * 1u] = v1_0_1; }
    let o2 = first + 16u;
    if (o2 < 17u) { output_C[target_start + (o2) * 1u] = v1_0_2; }
    let o3 = first + 24u;
    if (o3 < 17u) { output_C[target_start + (o3) * 1u] = v1_0_3; }
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) / 8u) < items) {
    let index = lane + 256u;
    let b = index % 8u;
    let own_item = index / 8u;
    let turn = b % 8u * 1u;
    v1_1_0 = shared_0[own_item * 32u + (b + 0u)];
    v1_1_1 = shared_0[own_item * 32u + (b + 8u)];
    v1_1_1 = mul(v1_1_1, right_C[right_at + 0u + (turn * 1u)]);
    v1_1_2 = shared_0[own_item * 32u + (b + 16u)];
    v1_1_2 = mul(v1_1_2, right_C[right_at + 0u + (turn * 2u)]);
    v1_1_3 = shared_0[own_item * 32u + (b + 24u)];
    v1_1_3 = mul(v1_1_3, right_C[right_at + 0u + (turn * 3u)]);
    let b1_1_p = v1_1_0 + v1_1_2;
    let b1_1_q = v1_1_0 - v1_1_2;
    let b1_1_r = v1_1_1 + v1_1_3;
    let b1_1_s = v1_1_1 - v1_1_3;
    let b1_1_t = C(b1_1_s.y, -b1_1_s.x);
    v1_1_0 = b1_1_p + b1_1_r;
    v1_1_1 = b1_1_q + b1_1_t;
    v1_1_2 = b1_1_p - b1_1_r;
    v1_1_3 = b1_1_q - b1_1_t;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let target_start = output_at + block * 17u + line;
    let first = i * 32u + b;
    let o0 = first + 0u;
    if (o0 < 17u) { output_C[target_start + (o0) * 1u] = v1_1_0; }
    let o1 = first + 8u;
    if (o1 < 17u) { output_C[target_start + (o1) * 1u] = v1_1_1; }
    let o2 = first + 16u;
    if (o2 < 17u) { output_C[target_start + (o2) * 1u] = v1_1_2; }
    let o3 = first + 24u;
    if (o3 < 17u) { output_C[target_start + (o3) * 1u] = v1_1_3; }
  }
}
var<workgroup> shared_1: array<C, 1536>;
@compute @workgroup_size(256)
fn transform_1(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let items = arguments.words[1].z * 204u;
  let first_item = group * 64u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_0_1 = C(T(0.0), T(0.0));
  var v0_0_2 = C(T(0.0), T(0.0));
  var v0_1_0 = C(T(0.0), T(0.0));
  var v0_1_1 = C(T(0.0), T(0.0));
  var v0_1_2 = C(T(0.0), T(0.0));
  if (lane + 0u < 512u && first_item + ((lane + 0u) % 64u) < items) {
    let index = lane + 0u;
    let b = index / 64u;
    let own_item = index % 64u;
    let item = first_item + own_item;
    let line = item % 17u;
    let i = item / 17u % 1u;
    let block = item / 17u;
    let source = left_at + block * 51u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 3u) { v0_0_0 = left_C[source + (2u - j0) * 17u]; }
    let e1 = b + 8u;
    let j1 = i + e1 * 1u;
    if (j1 < 3u) { v0_0_1 = left_C[source + (2u - j1) * 17u]; }
    let e2 = b + 16u;
    let j2 = i + e2 * 1u;
    if (j2 < 3u) { v0_0_2 = left_C[source + (2u - j2) * 17u]; }
    let b0_0_s1 = v0_0_1 + v0_0_2;
    let b0_0_d1 = v0_0_1 - v0_0_2;
    let b0_0_c1x = v0_0_0.x + b0_0_s1.x * T(-0.4999999999999998);
    let b0_0_t1x = b0_0_d1.x * T(0.8660254037844387);
    let b0_0_c1y = v0_0_0.y + b0_0_s1.y * T(-0.4999999999999998);
    let b0_0_t1y = b0_0_d1.y * T(0.8660254037844387);
    v0_0_0 = v0_0_0 + b0_0_s1;
    v0_0_1 = C(b0_0_c1x + b0_0_t1y, b0_0_c1y - b0_0_t1x);
    v0_0_2 = C(b0_0_c1x - b0_0_t1y, b0_0_c1y + b0_0_t1x);
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) % 64u) < items) {
    let index = lane + 256u;
    let b = index / 64u;
    let own_item = index % 64u;
    let item = first_item + own_item;
    let line = item % 17u;
    let i = item / 17u % 1u;
    let block = item / 17u;
    let source = left_at + block * 51u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 3u) { v0_1_0 = left_C[source + (2u - j0) * 17u]; }
    let e1 = b + 8u;
    let j1 = i + e1 * 1u;
    if (j1 < 3u) { v0_1_1 = left_C[source + (2u - j1) * 17u]; }
    let e2 = b + 16u;
    let j2 = i + e2 * 1u;
    if (j2 < 3u) { v0_1_2 = left_C[source + (2u - j2) * 17u]; }
    let b0_1_s1 = v0_1_1 + v0_1_2;
    let b0_1_d1 = v0_1_1 - v0_1_2;
    let b0_1_c1x = v0_1_0.x + b0_1_s1.x * T(-0.4999999999999998);
    let b0_1_t1x = b0_1_d1.x * T(0.8660254037844387);
    let b0_1_c1y = v0_1_0.y + b0_1_s1.y * T(-0.4999999999999998);
    let b0_1_t1y = b0_1_d1.y * T(0.8660254037844387);
    v0_1_0 = v0_1_0 + b0_1_s1;
    v0_1_1 = C(b0_1_c1x + b0_1_t1y, b0_1_c1y - b0_1_t1x);
    v0_1_2 = C(b0_1_c1x - b0_1_t1y, b0_1_c1y + b0_1_t1x);
  }
  if (lane + 0u < 512u && first_item + ((lane + 0u) % 64u) < items) {
    let index = lane + 0u;
    let b = index / 64u;
    let own_item = index % 64u;
    let start = b / 1u * 3u + b % 1u;
    shared_1[((start + 0u)) * 64u + own_item] = v0_0_0;
    shared_1[((start + 1u)) * 64u + own_item] = v0_0_1;
    shared_1[((start + 2u)) * 64u + own_item] = v0_0_2;
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) % 64u) < items) {
    let index = lane + 256u;
    let b = index / 64u;
    let own_item = index % 64u;
    let start = b / 1u * 3u + b % 1u;
    shared_1[((start + 0u)) * 64u + own_item] = v0_1_0;
    shared_1[((start + 1u)) * 64u + own_item] = v0_1_1;
    shared_1[((start + 2u)) * 64u + own_item] = v0_1_2;
  }
  workgroupBarrier();
  var v1_0_0 = C(T(0.0), T(0.0));
  var v1_0_1 = C(T(0.0), T(0.0));
  var v1_0_2 = C(T(0.0), T(0.0));
  var v1_0_3 = C(T(0.0), T(0.0));
  var v1_0_4 = C(T(0.0), T(0.0));
  var v1_0_5 = C(T(0.0), T(0.0));
  var v1_0_6 = C(T(0.0), T(0.0));
  var v1_0_7 = C(T(0.0), T(0.0));
  if (lane + 0u < 192u && first_item + ((lane + 0u) % 64u) < items) {
    let index = lane + 0u;
    let b = index / 64u;
    let own_item = index % 64u;
    let turn = b % 3u * 1u;
    v1_0_0 = shared_1[((b + 0u)) * 64u + own_item];
    v1_0_1 = shared_1[((b + 3u)) * 64u + own_item];
    v1_0_1 = mul(v1_0_1, right_C[right_at + 32u + (turn * 1u)]);
    v1_0_2 = shared_1[((b + 6u)) * 64u + own_item];
    v1_0_2 = mul(v1_0_2, right_C[right_at + 32u + (turn * 2u)]);
    v1_0_3 = shared_1[((b + 9u)) * 64u + own_item];
    v1_0_3 = mul(v1_0_3, right_C[right_at + 32u + (turn * 3u)]);
    v1_0_4 = shared_1[((b + 12u)) * 64u + own_item];
    v1_0_4 = mul(v1_0_4, right_C[right_at + 32u + (turn * 4u)]);
    v1_0_5 = shared_1[((b + 15u)) * 64u + own_item];
    v1_0_5 = mul(v1_0_5, right_C[right_at + 32u + (turn * 5u)]);
    v1_0_6 = shared_1[((b + 18u)) * 64u + own_item];
    v1_0_6 = mul(v1_0_6, right_C[right_at + 32u + (turn * 6u)]);
    v1_0_7 = shared_1[((b + 21u)) * 64u + own_item];
    v1_0_7 = mul(v1_0_7, right_C[right_at + 32u + (turn * 7u)]);
    let b1_0_ep = v1_0_0 + v1_0_4;
    let b1_0_eq = v1_0_0 - v1_0_4;
    let b1_0_er = v1_0_2 + v1_0_6;
    let b1_0_es = v1_0_2 - v1_0_6;
    let b1_0_et = C(b1_0_es.y, -b1_0_es.x);
    v1_0_0 = b1_0_ep + b1_0_er;
    v1_0_2 = b1_0_eq + b1_0_et;
    v1_0_4 = b1_0_ep - b1_0_er;
    v1_0_6 = b1_0_eq - b1_0_et;
    let b1_0_op = v1_0_1 + v1_0_5;
    let b1_0_oq = v1_0_1 - v1_0_5;
    let b1_0_or = v1_0_3 + v1_0_7;
    let b1_0_os = v1_0_3 - v1_0_7;
    let b1_0_ot = C(b1_0_os.y, -b1_0_os.x);
    v1_0_1 = b1_0_op + b1_0_or;
    v1_0_3 = b1_0_oq + b1_0_ot;
    v1_0_5 = b1_0_op - b1_0_or;
    v1_0_7 = b1_0_oq - b1_0_ot;
    let b1_0_x0 = v1_0_0;
    let b1_0_y0 = v1_0_1;
    let b1_0_x1 = v1_0_2;
    let b1_0_y1 = C((v1_0_3.x + v1_0_3.y) * T(0.7071067811865476), (v1_0_3.y - v1_0_3.x) * T(0.7071067811865476));
    let b1_0_x2 = v1_0_4;
    let b1_0_y2 = C(v1_0_5.y, -v1_0_5.x);
    let b1_0_x3 = v1_0_6;
    let b1_0_y3 = C((v1_0_7.y - v1_0_7.x) * T(0.7071067811865476), -(v1_0_7.x + v1_0_7.y) * T(0.7071067811865476));
    v1_0_0 = b1_0_x0 + b1_0_y0;
    v1_0_4 = b1_0_x0 - b1_0_y0;
    v1_0_1 = b1_0_x1 + b1_0_y1;
    v1_0_5 = b1_0_x1 - b1_0_y1;
    v1_0_2 = b1_0_x2 + b1_0_y2;
    v1_0_6 = b1_0_x2 - b1_0_y2;
    v1_0_3 = b1_0_x3 + b1_0_y3;
    v1_0_7 = b1_0_x3 - b1_0_y3;
    let item = first_item + own_item;
    let line = item % 17u;
    let i = item / 17u % 1u;
    let block = item / 17u;
    let target_start = output_at + block * 408u + line;
    let first = i * 24u + b;
    let o0 = first + 0u;
    if (o0 < 24u) { output_C[target_start + (o0) * 17u] = v1_0_0; }
    let o1 = first + 3u;
    if (o1 < 24u) { output_C[target_start + (o1) * 17u] = v1_0_1; }
    let o2 = first + 6u;
    if (o2 < 24u) { output_C[target_start + (o2) * 17u] = v1_0_2; }
    let o3 = first + 9u;
    if (o3 < 24u) { output_C[target_start + (o3) * 17u] = v1_0_3; }
    let o4 = first + 12u;
    if (o4 < 24u) { output_C[target_start + (o4) * 17u] = v1_0_4; }
    let o5 = first + 15u;
    if (o5 < 24u) { output_C[target_start + (o5) * 17u] = v1_0_5; }
    let o6 = first + 18u;
    if (o6 < 24u) { output_C[target_start + (o6) * 17u] = v1_0_6; }
    let o7 = first + 21u;
    if (o7 < 24u) { output_C[target_start + (o7) * 17u] = v1_0_7; }
  }
}
var<workgroup> shared_2: array<C, 2048>;
@compute @workgroup_size(256)
fn transform_2(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 1u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let items = arguments.words[1].z * 80u;
  let first_item = group * 64u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_0_1 = C(T(0.0), T(0.0));
  var v0_0_2 = C(T(0.0), T(0.0));
  var v0_0_3 = C(T(0.0), T(0.0));
  var v0_0_4 = C(T(0.0), T(0.0));
  var v0_0_5 = C(T(0.0), T(0.0));
  var v0_0_6 = C(T(0.0), T(0.0));
  var v0_0_7 = C(T(0.0), T(0.0));
  if (lane + 0u < 256u && first_item + ((lane + 0u) / 4u) < items) {
    let index = lane + 0u;
    let b = index % 4u;
    let own_item = index / 4u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 30u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 30u) { v0_0_0 = C(left_T[source + (j0) * 1u], T(0.0)); }
    let e1 = b + 4u;
    let j1 = i + e1 * 1u;
    if (j1 < 30u) { v0_0_1 = C(left_T[source + (j1) * 1u], T(0.0)); }
    let e2 = b + 8u;
    let j2 = i + e2 * 1u;
    if (j2 < 30u) { v0_0_2 = C(left_T[source + (j2) * 1u], T(0.0)); }
    let e3 = b + 12u;
    let j3 = i + e3 * 1u;
    if (j3 < 30u) { v0_0_3 = C(left_T[source + (j3) * 1u], T(0.0)); }
    let e4 = b + 16u;
    let j4 = i + e4 * 1u;
    if (j4 < 30u) { v0_0_4 = C(left_T[source + (j4) * 1u], T(0.0)); }
    let e5 = b + 20u;
    let j5 = i + e5 * 1u;
    if (j5 < 30u) { v0_0_5 = C(left_T[source + (j5) * 1u], T(0.0)); }
    let e6 = b + 24u;
    let j6 = i + e6 * 1u;
    if (j6 < 30u) { v0_0_6 = C(left_T[source + (j6) * 1u], T(0.0)); }
    let e7 = b + 28u;
    let j7 = i + e7 * 1u;
    if (j7 < 30u) { v0_0_7 = C(left_T[source + (j7) * 1u], T(0.0)); }
    let b0_0_ep = v0_0_0 + v0_0_4;
    let b0_0_eq = v0_0_0 - v0_0_4;
    let b0_0_er = v0_0_2 + v0_0_6;
    let b0_0_es = v0_0_2 - v0_0_6;
    let b0_0_et = C(b0_0_es.y, -b0_0_es.x);
    v0_0_0 = b0_0_ep + b0_0_er;
    v0_0_2 = b0_0_eq + b0_0_et;
    v0_0_4 = b0_0_ep - b0_0_er;
    v0_0_6 = b0_0_eq - b0_0_et;
    let b0_0_op = v0_0_1 + v0_0_5;
    let b0_0_oq = v0_0_1 - v0_0_5;
    let b0_0_or = v0_0_3 + v0_0_7;
    let b0_0_os = v0_0_3 - v0_0_7;
    let b0_0_ot = C(b0_0_os.y, -b0_0_os.x);
    v0_0_1 = b0_0_op + b0_0_or;
    v0_0_3 = b0_0_oq + b0_0_ot;
    v0_0_5 = b0_0_op - b0_0_or;
    v0_0_7 = b0_0_oq - b0_0_ot;
    let b0_0_x0 = v0_0_0;
    let b0_0_y0 = v0_0_1;
    let b0_0_x1 = v0_0_2;
    let b0_0_y1 = C((v0_0_3.x + v0_0_3.y) * T(0.7071067811865476), (v0_0_3.y - v0_0_3.x) * T(0.7071067811865476));
    let b0_0_x2 = v0_0_4;
    let b0_0_y2 = C(v0_0_5.y, -v0_0_5.x);
    let b0_0_x3 = v0_0_6;
    let b0_0_y3 = C((v0_0_7.y - v0_0_7.x) * T(0.7071067811865476), -(v0_0_7.x + v0_0_7.y) * T(0.7071067811865476));
    v0_0_0 = b0_0_x0 + b0_0_y0;
    v0_0_4 = b0_0_x0 - b0_0_y0;
    v0_0_1 = b0_0_x1 + b0_0_y1;
    v0_0_5 = b0_0_x1 - b0_0_y1;
    v0_0_2 = b0_0_x2 + b0_0_y2;
    v0_0_6 = b0_0_x2 - b0_0_y2;
    v0_0_3 = b0_0_x3 + b0_0_y3;
    v0_0_7 = b0_0_x3 - b0_0_y3;
  }
  if (lane + 0u < 256u && first_item + ((lane + 0u) / 4u) < items) {
    let index = lane + 0u;
    let b = index % 4u;
    let own_item = index / 4u;
    let start = b / 1u * 8u + b % 1u;
    shared_2[own_item * 32u + (start + 0u)] = v0_0_0;
    shared_2[own_item * 32u + (start + 1u)] = v0_0_1;
    shared_2[own_item * 32u + (start + 2u)] = v0_0_2;
    shared_2[own_item * 32u + (start + 3u)] = v0_0_3;
    shared_2[own_item * 32u + (start + 4u)] = v0_0_4;
    shared_2[own_item * 32u + (start + 5u)] = v0_0_5;
    shared_2[own_item * 32u + (start + 6u)] = v0_0_6;
    shared_2[own_item * 32u + (start + 7u)] = v0_0_7;
  }
  workgroupBarrier();
  var v1_0_0 = C(T(0.0), T(0.0));
  var v1_0_1 = C(T(0.0), T(0.0));
  var v1_0_2 = C(T(0.0), T(0.0));
  var v1_0_3 = C(T(0.0), T(0.0));
  var v1_1_0 = C(T(0.0), T(0.0));
  var v1_1_1 = C(T(0.0), T(0.0));
  var v1_1_2 = C(T(0.0), T(0.0));
  var v1_1_3 = C(T(0.0), T(0.0));
  if (lane + 0u < 512u && first_item + ((lane + 0u) / 8u) < items) {
    let index = lane + 0u;
    let b = index % 8u;
    let own_item = index / 8u;
    let turn = b % 8u * 1u;
    v1_0_0 = shared_2[own_item * 32u + (b + 0u)];
    v1_0_1 = shared_2[own_item * 32u + (b + 8u)];
    v1_0_1 = mul(v1_0_1, right_C[right_at + 0u + (turn * 1u)]);
    v1_0_2 = shared_2[own_item * 32u + (b + 16u)];
    v1_0_2 = mul(v1_0_2, right_C[right_at + 0u + (turn * 2u)]);
    v1_0_3 = shared_2[own_item * 32u + (b + 24u)];
    v1_0_3 = mul(v1_0_3, right_C[right_at + 0u + (turn * 3u)]);
    let b1_0_p = v1_0_0 + v1_0_2;
    let b1_0_q = v1_0_0 - v1_0_2;
    let b1_0_r = v1_0_1 + v1_0_3;
    let b1_0_s = v1_0_1 - v1_0_3;
    let b1_0_t = C(b1_0_s.y, -b1_0_s.x);
    v1_0_0 = b1_0_p + b1_0_r;
    v1_0_1 = b1_0_q + b1_0_t;
    v1_0_2 = b1_0_p - b1_0_r;
    v1_0_3 = b1_0_q - b1_0_t;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let target_start = output_at + block * 17u + line;
    let first = i * 32u + b;
    let o0 = first + 0u;
    if (o0 < 17u) { output_C[target_start + (o0) * 1u] = v1_0_0; }
    let o1 = first + 8u;
    if (o1 < 17u) { output_C[target_start + (o1) * 1u] = v1_0_1; }
    let o2 = first + 16u;
    if (o2 < 17u) { output_C[target_start + (o2) * 1u] = v1_0_2; }
    let o3 = first + 24u;
    if (o3 < 17u) { output_C[target_start + (o3) * 1u] = v1_0_3; }
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) / 8u) < items) {
    let index = lane + 256u;
    let b = index % 8u;
    let own_item = index / 8u;
    let turn = b % 8u * 1u;
    v1_1_0 = shared_2[own_item * 32u + (b + 0u)];
    v1_1_1 = shared_2[own_item * 32u + (b + 8u)];
    v1_1_1 = mul(v1_1_1, right_C[right_at + 0u + (turn * 1u)]);
    v1_1_2 = shared_2[own_item * 32u + (b + 16u)];
    v1_1_2 = mul(v1_1_2, right_C[right_at + 0u + (turn * 2u)]);
    v1_1_3 = shared_2[own_item * 32u + (b + 24u)];
    v1_1_3 = mul(v1_1_3, right_C[right_at + 0u + (turn * 3u)]);
    let b1_1_p = v1_1_0 + v1_1_2;
    let b1_1_q = v1_1_0 - v1_1_2;
    let b1_1_r = v1_1_1 + v1_1_3;
    let b1_1_s = v1_1_1 - v1_1_3;
    let b1_1_t = C(b1_1_s.y, -b1_1_s.x);
    v1_1_0 = b1_1_p + b1_1_r;
    v1_1_1 = b1_1_q + b1_1_t;
    v1_1_2 = b1_1_p - b1_1_r;
    v1_1_3 = b1_1_q - b1_1_t;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let target_start = output_at + block * 17u + line;
    let first = i * 32u + b;
    let o0 = first + 0u;
    if (o0 < 17u) { output_C[target_start + (o0) * 1u] = v1_1_0; }
    let o1 = first + 8u;
    if (o1 < 17u) { output_C[target_start + (o1) * 1u] = v1_1_1; }
    let o2 = first + 16u;
    if (o2 < 17u) { output_C[target_start + (o2) * 1u] = v1_1_2; }
    let o3 = first + 24u;
    if (o3 < 17u) { output_C[target_start + (o3) * 1u] = v1_1_3; }
  }
}
var<workgroup> shared_3: array<C, 1536>;
@compute @workgroup_size(256)
fn transform_3(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let items = arguments.words[1].z * 68u;
  let first_item = group * 64u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_0_1 = C(T(0.0), T(0.0));
  var v0_0_2 = C(T(0.0), T(0.0));
  var v0_1_0 = C(T(0.0), T(0.0));
  var v0_1_1 = C(T(0.0), T(0.0));
  var v0_1_2 = C(T(0.0), T(0.0));
  if (lane + 0u < 512u && first_item + ((lane + 0u) % 64u) < items) {
    let index = lane + 0u;
    let b = index / 64u;
    let own_item = index % 64u;
    let item = first_item + own_item;
    let line = item % 17u;
    let i = item / 17u % 1u;
    let block = item / 17u;
    let source = left_at + block * 340u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 20u) { v0_0_0 = left_C[source + (j0) * 17u]; }
    let e1 = b + 8u;
    let j1 = i + e1 * 1u;
    if (j1 < 20u) { v0_0_1 = left_C[source + (j1) * 17u]; }
    let e2 = b + 16u;
    let j2 = i + e2 * 1u;
    if (j2 < 20u) { v0_0_2 = left_C[source + (j2) * 17u]; }
    let b0_0_s1 = v0_0_1 + v0_0_2;
    let b0_0_d1 = v0_0_1 - v0_0_2;
    let b0_0_c1x = v0_0_0.x + b0_0_s1.x * T(-0.4999999999999998);
    let b0_0_t1x = b0_0_d1.x * T(0.8660254037844387);
    let b0_0_c1y = v0_0_0.y + b0_0_s1.y * T(-0.4999999999999998);
    let b0_0_t1y = b0_0_d1.y * T(0.8660254037844387);
    v0_0_0 = v0_0_0 + b0_0_s1;
    v0_0_1 = C(b0_0_c1x + b0_0_t1y, b0_0_c1y - b0_0_t1x);
    v0_0_2 = C(b0_0_c1x - b0_0_t1y, b0_0_c1y + b0_0_t1x);
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) % 64u) < items) {
    let index = lane + 256u;
    let b = index / 64u;
    let own_item = index % 64u;
    let item = first_item + own_item;
    let line = item % 17u;
    let i = item / 17u % 1u;
    let block = item / 17u;
    let source = left_at + block * 340u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 20u) { v0_1_0 = left_C[source + (j0) * 17u]; }
    let e1 = b + 8u;
    let j1 = i + e1 * 1u;
    if (j1 < 20u) { v0_1_1 = left_C[source + (j1) * 17u]; }
    let e2 = b + 16u;
    let j2 = i + e2 * 1u;
    if (j2 < 20u) { v0_1_2 = left_C[source + (j2) * 17u]; }
    let b0_1_s1 = v0_1_1 + v0_1_2;
    let b0_1_d1 = v0_1_1 - v0_1_2;
    let b0_1_c1x = v0_1_0.x + b0_1_s1.x * T(-0.4999999999999998);
    let b0_1_t1x = b0_1_d1.x * T(0.8660254037844387);
    let b0_1_c1y = v0_1_0.y + b0_1_s1.y * T(-0.4999999999999998);
    let b0_1_t1y = b0_1_d1.y * T(0.8660254037844387);
    v0_1_0 = v0_1_0 + b0_1_s1;
    v0_1_1 = C(b0_1_c1x + b0_1_t1y, b0_1_c1y - b0_1_t1x);
    v0_1_2 = C(b0_1_c1x - b0_1_t1y, b0_1_c1y + b0_1_t1x);
  }
  if (lane + 0u < 512u && first_item + ((lane + 0u) % 64u) < items) {
    let index = lane + 0u;
    let b = index / 64u;
    let own_item = index % 64u;
    let start = b / 1u * 3u + b % 1u;
    shared_3[((start + 0u)) * 64u + own_item] = v0_0_0;
    shared_3[((start + 1u)) * 64u + own_item] = v0_0_1;
    shared_3[((start + 2u)) * 64u + own_item] = v0_0_2;
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) % 64u) < items) {
    let index = lane + 256u;
    let b = index / 64u;
    let own_item = index % 64u;
    let start = b / 1u * 3u + b % 1u;
    shared_3[((start + 0u)) * 64u + own_item] = v0_1_0;
    shared_3[((start + 1u)) * 64u + own_item] = v0_1_1;
    shared_3[((start + 2u)) * 64u + own_item] = v0_1_2;
  }
  workgroupBarrier();
  var v1_0_0 = C(T(0.0), T(0.0));
  var v1_0_1 = C(T(0.0), T(0.0));
  var v1_0_2 = C(T(0.0), T(0.0));
  var v1_0_3 = C(T(0.0), T(0.0));
  var v1_0_4 = C(T(0.0), T(0.0));
  var v1_0_5 = C(T(0.0), T(0.0));
  var v1_0_6 = C(T(0.0), T(0.0));
  var v1_0_7 = C(T(0.0), T(0.0));
  if (lane + 0u < 192u && first_item + ((lane + 0u) % 64u) < items) {
    let index = lane + 0u;
    let b = index / 64u;
    let own_item = index % 64u;
    let turn = b % 3u * 1u;
    v1_0_0 = shared_3[((b + 0u)) * 64u + own_item];
    v1_0_1 = shared_3[((b + 3u)) * 64u + own_item];
    v1_0_1 = mul(v1_0_1, right_C[right_at + 32u + (turn * 1u)]);
    v1_0_2 = shared_3[((b + 6u)) * 64u + own_item];
    v1_0_2 = mul(v1_0_2, right_C[right_at + 32u + (turn * 2u)]);
    v1_0_3 = shared_3[((b + 9u)) * 64u + own_item];
    v1_0_3 = mul(v1_0_3, right_C[right_at + 32u + (turn * 3u)]);
    v1_0_4 = shared_3[((b + 12u)) * 64u + own_item];
    v1_0_4 = mul(v1_0_4, right_C[right_at + 32u + (turn * 4u)]);
    v1_0_5 = shared_3[((b + 15u)) * 64u + own_item];
    v1_0_5 = mul(v1_0_5, right_C[right_at + 32u + (turn * 5u)]);
    v1_0_6 = shared_3[((b + 18u)) * 64u + own_item];
    v1_0_6 = mul(v1_0_6, right_C[right_at + 32u + (turn * 6u)]);
    v1_0_7 = shared_3[((b + 21u)) * 64u + own_item];
    v1_0_7 = mul(v1_0_7, right_C[right_at + 32u + (turn * 7u)]);
    let b1_0_ep = v1_0_0 + v1_0_4;
    let b1_0_eq = v1_0_0 - v1_0_4;
    let b1_0_er = v1_0_2 + v1_0_6;
    let b1_0_es = v1_0_2 - v1_0_6;
    let b1_0_et = C(b1_0_es.y, -b1_0_es.x);
    v1_0_0 = b1_0_ep + b1_0_er;
    v1_0_2 = b1_0_eq + b1_0_et;
    v1_0_4 = b1_0_ep - b1_0_er;
    v1_0_6 = b1_0_eq - b1_0_et;
    let b1_0_op = v1_0_1 + v1_0_5;
    let b1_0_oq = v1_0_1 - v1_0_5;
    let b1_0_or = v1_0_3 + v1_0_7;
    let b1_0_os = v1_0_3 - v1_0_7;
    let b1_0_ot = C(b1_0_os.y, -b1_0_os.x);
    v1_0_1 = b1_0_op + b1_0_or;
    v1_0_3 = b1_0_oq + b1_0_ot;
    v1_0_5 = b1_0_op - b1_0_or;
    v1_0_7 = b1_0_oq - b1_0_ot;
    let b1_0_x0 = v1_0_0;
    let b1_0_y0 = v1_0_1;
    let b1_0_x1 = v1_0_2;
    let b1_0_y1 = C((v1_0_3.x + v1_0_3.y) * T(0.7071067811865476), (v1_0_3.y - v1_0_3.x) * T(0.7071067811865476));
    let b1_0_x2 = v1_0_4;
    let b1_0_y2 = C(v1_0_5.y, -v1_0_5.x);
    let b1_0_x3 = v1_0_6;
    let b1_0_y3 = C((v1_0_7.y - v1_0_7.x) * T(0.7071067811865476), -(v1_0_7.x + v1_0_7.y) * T(0.7071067811865476));
    v1_0_0 = b1_0_x0 + b1_0_y0;
    v1_0_4 = b1_0_x0 - b1_0_y0;
    v1_0_1 = b1_0_x1 + b1_0_y1;
    v1_0_5 = b1_0_x1 - b1_0_y1;
    v1_0_2 = b1_0_x2 + b1_0_y2;
    v1_0_6 = b1_0_x2 - b1_0_y2;
    v1_0_3 = b1_0_x3 + b1_0_y3;
    v1_0_7 = b1_0_x3 - b1_0_y3;
    let item = first_item + own_item;
    let line = item % 17u;
    let i = item / 17u % 1u;
    let block = item / 17u;
    let target_start = output_at + block * 408u + line;
    let first = i * 24u + b;
    let o0 = first + 0u;
    if (o0 < 24u) { output_C[target_start + (o0) * 17u] = v1_0_0; }
    let o1 = first + 3u;
    if (o1 < 24u) { output_C[target_start + (o1) * 17u] = v1_0_1; }
    let o2 = first + 6u;
    if (o2 < 24u) { output_C[target_start + (o2) * 17u] = v1_0_2; }
    let o3 = first + 9u;
    if (o3 < 24u) { output_C[target_start + (o3) * 17u] = v1_0_3; }
    let o4 = first + 12u;
    if (o4 < 24u) { output_C[target_start + (o4) * 17u] = v1_0_4; }
    let o5 = first + 15u;
    if (o5 < 24u) { output_C[target_start + (o5) * 17u] = v1_0_5; }
    let o6 = first + 18u;
    if (o6 < 24u) { output_C[target_start + (o6) * 17u] = v1_0_6; }
    let o7 = first + 21u;
    if (o7 < 24u) { output_C[target_start + (o7) * 17u] = v1_0_7; }
  }
}
@compute @workgroup_size(256)
fn multiply(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let item = group * 256u + lane;
  if (item < arguments.words[1].z * 1224u) {
    let place = item % 408u;
    let channel_out = item / 408u % 3u;
    let chunk = item / 1224u;
    let first = left_at + chunk * 1632u + place;
    let weights = right_at + channel_out * 1632u + place;
    var sum = C(T(0.0), T(0.0));
    if (arguments.words[1].w > 0u) { sum = output_C[output_at + item]; }
    for (var channel = arguments.words[1].w; channel < arguments.words[2].x; channel = channel + 1u) {
      sum = mad(left_C[first + channel * 408u], conjugate(right_C[weights + channel * 408u]), sum);
    }
    output_C[output_at + item] = sum;
  }
}
var<workgroup> shared_5: array<C, 1536>;
@compute @workgroup_size(256)
fn transform_5(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let items = arguments.words[1].z * 51u;
  let first_item = group * 64u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_0_1 = C(T(0.0), T(0.0));
  var v0_0_2 = C(T(0.0), T(0.0));
  var v0_1_0 = C(T(0.0), T(0.0));
  var v0_1_1 = C(T(0.0), T(0.0));
  var v0_1_2 = C(T(0.0), T(0.0));
  if (lane + 0u < 512u && first_item + ((lane + 0u) % 64u) < items) {
    let index = lane + 0u;
    let b = index / 64u;
    let own_item = index % 64u;
    let item = first_item + own_item;
    let line = item % 17u;
    let i = item / 17u % 1u;
    let block = item / 17u;
    let source = left_at + block * 408u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 24u) { v0_0_0 = left_C[source + (j0) * 17u]; }
    let e1 = b + 8u;
    let j1 = i + e1 * 1u;
    if (j1 < 24u) { v0_0_1 = left_C[source + (j1) * 17u]; }
    let e2 = b + 16u;
    let j2 = i + e2 * 1u;
    if (j2 < 24u) { v0_0_2 = left_C[source + (j2) * 17u]; }
    let b0_0_s1 = v0_0_1 + v0_0_2;
    let b0_0_d1 = v0_0_1 - v0_0_2;
    let b0_0_c1x = v0_0_0.x + b0_0_s1.x * T(-0.4999999999999998);
    let b0_0_t1x = b0_0_d1.x * T(0.8660254037844387);
    let b0_0_c1y = v0_0_0.y + b0_0_s1.y * T(-0.4999999999999998);
    let b0_0_t1y = b0_0_d1.y * T(0.8660254037844387);
    v0_0_0 = v0_0_0 + b0_0_s1;
    v0_0_1 = C(b0_0_c1x - b0_0_t1y, b0_0_c1y + b0_0_t1x);
    v0_0_2 = C(b0_0_c1x + b0_0_t1y, b0_0_c1y - b0_0_t1x);
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) % 64u) < items) {
    let index = lane + 256u;
    let b = index / 64u;
    let own_item = index % 64u;
    let item = first_item + own_item;
    let line = item % 17u;
    let i = item / 17u % 1u;
    let block = item / 17u;
    let source = left_at + block * 408u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 24u) { v0_1_0 = left_C[source + (j0) * 17u]; }
    let e1 = b + 8u;
    let j1 = i + e1 * 1u;
    if (j1 < 24u) { v0_1_1 = left_C[source + (j1) * 17u]; }
    let e2 = b + 16u;
    let j2 = i + e2 * 1u;
    if (j2 < 24u) { v0_1_2 = left_C[source + (j2) * 17u]; }
    let b0_1_s1 = v0_1_1 + v0_1_2;
    let b0_1_d1 = v0_1_1 - v0_1_2;
    let b0_1_c1x = v0_1_0.x + b0_1_s1.x * T(-0.4999999999999998);
    let b0_1_t1x = b0_1_d1.x * T(0.8660254037844387);
    let b0_1_c1y = v0_1_0.y + b0_1_s1.y * T(-0.4999999999999998);
    let b0_1_t1y = b0_1_d1.y * T(0.8660254037844387);
    v0_1_0 = v0_1_0 + b0_1_s1;
    v0_1_1 = C(b0_1_c1x - b0_1_t1y, b0_1_c1y + b0_1_t1x);
    v0_1_2 = C(b0_1_c1x + b0_1_t1y, b0_1_c1y - b0_1_t1x);
  }
  if (lane + 0u < 512u && first_item + ((lane + 0u) % 64u) < items) {
    let index = lane + 0u;
    let b = index / 64u;
    let own_item = index % 64u;
    let start = b / 1u * 3u + b % 1u;
    shared_5[((start + 0u)) * 64u + own_item] = v0_0_0;
    shared_5[((start + 1u)) * 64u + own_item] = v0_0_1;
    shared_5[((start + 2u)) * 64u + own_item] = v0_0_2;
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) % 64u) < items) {
    let index = lane + 256u;
    let b = index / 64u;
    let own_item = index % 64u;
    let start = b / 1u * 3u + b % 1u;
    shared_5[((start + 0u)) * 64u + own_item] = v0_1_0;
    shared_5[((start + 1u)) * 64u + own_item] = v0_1_1;
    shared_5[((start + 2u)) * 64u + own_item] = v0_1_2;
  }
  workgroupBarrier();
  var v1_0_0 = C(T(0.0), T(0.0));
  var v1_0_1 = C(T(0.0), T(0.0));
  var v1_0_2 = C(T(0.0), T(0.0));
  var v1_0_3 = C(T(0.0), T(0.0));
  var v1_0_4 = C(T(0.0), T(0.0));
  var v1_0_5 = C(T(0.0), T(0.0));
  var v1_0_6 = C(T(0.0), T(0.0));
  var v1_0_7 = C(T(0.0), T(0.0));
  if (lane + 0u < 192u && first_item + ((lane + 0u) % 64u) < items) {
    let index = lane + 0u;
    let b = index / 64u;
    let own_item = index % 64u;
    let turn = b % 3u * 1u;
    v1_0_0 = shared_5[((b + 0u)) * 64u + own_item];
    v1_0_1 = shared_5[((b + 3u)) * 64u + own_item];
    v1_0_1 = mul(v1_0_1, right_C[right_at + 56u + (turn * 1u)]);
    v1_0_2 = shared_5[((b + 6u)) * 64u + own_item];
    v1_0_2 = mul(v1_0_2, right_C[right_at + 56u + (turn * 2u)]);
    v1_0_3 = shared_5[((b + 9u)) * 64u + own_item];
    v1_0_3 = mul(v1_0_3, right_C[right_at + 56u + (turn * 3u)]);
    v1_0_4 = shared_5[((b + 12u)) * 64u + own_item];
    v1_0_4 = mul(v1_0_4, right_C[right_at + 56u + (turn * 4u)]);
    v1_0_5 = shared_5[((b + 15u)) * 64u + own_item];
    v1_0_5 = mul(v1_0_5, right_C[right_at + 56u + (turn * 5u)]);
    v1_0_6 = shared_5[((b + 18u)) * 64u + own_item];
    v1_0_6 = mul(v1_0_6, right_C[right_at + 56u + (turn * 6u)]);
    v1_0_7 = shared_5[((b + 21u)) * 64u + own_item];
    v1_0_7 = mul(v1_0_7, right_C[right_at + 56u + (turn * 7u)]);
    let b1_0_ep = v1_0_0 + v1_0_4;
    let b1_0_eq = v1_0_0 - v1_0_4;
    let b1_0_er = v1_0_2 + v1_0_6;
    let b1_0_es = v1_0_2 - v1_0_6;
    let b1_0_et = C(-b1_0_es.y, b1_0_es.x);
    v1_0_0 = b1_0_ep + b1_0_er;
    v1_0_2 = b1_0_eq + b1_0_et;
    v1_0_4 = b1_0_ep - b1_0_er;
    v1_0_6 = b1_0_eq - b1_0_et;
    let b1_0_op = v1_0_1 + v1_0_5;
    let b1_0_oq = v1_0_1 - v1_0_5;
    let b1_0_or = v1_0_3 + v1_0_7;
    let b1_0_os = v1_0_3 - v1_0_7;
    let b1_0_ot = C(-b1_0_os.y, b1_0_os.x);
    v1_0_1 = b1_0_op + b1_0_or;
    v1_0_3 = b1_0_oq + b1_0_ot;
    v1_0_5 = b1_0_op - b1_0_or;
    v1_0_7 = b1_0_oq - b1_0_ot;
    let b1_0_x0 = v1_0_0;
    let b1_0_y0 = v1_0_1;
    let b1_0_x1 = v1_0_2;
    let b1_0_y1 = C((v1_0_3.x - v1_0_3.y) * T(0.7071067811865476), (v1_0_3.y + v1_0_3.x) * T(0.7071067811865476));
    let b1_0_x2 = v1_0_4;
    let b1_0_y2 = C(-v1_0_5.y, v1_0_5.x);
    let b1_0_x3 = v1_0_6;
    let b1_0_y3 = C(-(v1_0_7.y + v1_0_7.x) * T(0.7071067811865476), (v1_0_7.x - v1_0_7.y) * T(0.7071067811865476));
    v1_0_0 = b1_0_x0 + b1_0_y0;
    v1_0_4 = b1_0_x0 - b1_0_y0;
    v1_0_1 = b1_0_x1 + b1_0_y1;
    v1_0_5 = b1_0_x1 - b1_0_y1;
    v1_0_2 = b1_0_x2 + b1_0_y2;
    v1_0_6 = b1_0_x2 - b1_0_y2;
    v1_0_3 = b1_0_x3 + b1_0_y3;
    v1_0_7 = b1_0_x3 - b1_0_y3;
    let item = first_item + own_item;
    let line = item % 17u;
    let i = item / 17u % 1u;
    let block = item / 17u;
    let target_start = output_at + block * 408u + line;
    let first = i * 24u + b;
    let o0 = first + 0u;
    if (o0 < 24u) { output_C[target_start + (o0) * 17u] = v1_0_0; }
    let o1 = first + 3u;
    if (o1 < 24u) { output_C[target_start + (o1) * 17u] = v1_0_1; }
    let o2 = first + 6u;
    if (o2 < 24u) { output_C[target_start + (o2) * 17u] = v1_0_2; }
    let o3 = first + 9u;
    if (o3 < 24u) { output_C[target_start + (o3) * 17u] = v1_0_3; }
    let o4 = first + 12u;
    if (o4 < 24u) { output_C[target_start + (o4) * 17u] = v1_0_4; }
    let o5 = first + 15u;
    if (o5 < 24u) { output_C[target_start + (o5) * 17u] = v1_0_5; }
    let o6 = first + 18u;
    if (o6 < 24u) { output_C[target_start + (o6) * 17u] = v1_0_6; }
    let o7 = first + 21u;
    if (o7 < 24u) { output_C[target_start + (o7) * 17u] = v1_0_7; }
  }
}
var<workgroup> shared_6: array<C, 2048>;
@compute @workgroup_size(256)
fn transform_6(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 1u;
  let items = arguments.words[1].z * 60u;
  let first_item = group * 64u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_0_1 = C(T(0.0), T(0.0));
  var v0_0_2 = C(T(0.0), T(0.0));
  var v0_0_3 = C(T(0.0), T(0.0));
  var v0_0_4 = C(T(0.0), T(0.0));
  var v0_0_5 = C(T(0.0), T(0.0));
  var v0_0_6 = C(T(0.0), T(0.0));
  var v0_0_7 = C(T(0.0), T(0.0));
  if (lane + 0u < 256u && first_item + ((lane + 0u) / 4u) < items) {
    let index = lane + 0u;
    let b = index % 4u;
    let own_item = index / 4u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + (block / 20u * 24u + (block % 20u * 1u + 23u) % 24u) * 17u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 <= 16u) {
      if (j0 < 17u) { v0_0_0 = left_C[source + (j0) * 1u]; }
      if (j0 == 0u || j0 * 2u == 32u) { v0_0_0 = C(v0_0_0.x, T(0.0)); }
    } else {
      if (j0 < 32u) { if (32u - j0 < 17u) { v0_0_0 = conjugate(left_C[source + (32u - j0) * 1u]); } }
    }
    let e1 = b + 4u;
    let j1 = i + e1 * 1u;
    if (j1 <= 16u) {
      if (j1 < 17u) { v0_0_1 = left_C[source + (j1) * 1u]; }
      if (j1 == 0u || j1 * 2u == 32u) { v0_0_1 = C(v0_0_1.x, T(0.0)); }
    } else {
      if (j1 < 32u) { if (32u - j1 < 17u) { v0_0_1 = conjugate(left_C[source + (32u - j1) * 1u]); } }
    }
    let e2 = b + 8u;
    let j2 = i + e2 * 1u;
    if (j2 <= 16u) {
      if (j2 < 17u) { v0_0_2 = left_C[source + (j2) * 1u]; }
      if (j2 == 0u || j2 * 2u == 32u) { v0_0_2 = C(v0_0_2.x, T(0.0)); }
    } else {
      if (j2 < 32u) { if (32u - j2 < 17u) { v0_0_2 = conjugate(left_C[source + (32u - j2) * 1u]); } }
    }
    let e3 = b + 12u;
    let j3 = i + e3 * 1u;
    if (j3 <= 16u) {
      if (j3 < 17u) { v0_0_3 = left_C[source + (j3) * 1u]; }
      if (j3 == 0u || j3 * 2u == 32u) { v0_0_3 = C(v0_0_3.x, T(0.0)); }
    } else {
      if (j3 < 32u) { if (32u - j3 < 17u) { v0_0_3 = conjugate(left_C[source + (32u - j3) * 1u]); } }
    }
    let e4 = b + 16u;
    let j4 = i + e4 * 1u;
    if (j4 <= 16u) {
      if (j4 < 17u) { v0_0_4 = left_C[source + (j4) * 1u]; }
      if (j4 == 0u || j4 * 2u == 32u) { v0_0_4 = C(v0_0_4.x, T(0.0)); }
    } else {
      if (j4 < 32u) { if (32u - j4 < 17u) { v0_0_4 = conjugate(left_C[source + (32u - j4) * 1u]); } }
    }
    let e5 = b + 20u;
    let j5 = i + e5 * 1u;
    if (j5 <= 16u) {
      if (j5 < 17u) { v0_0_5 = left_C[source + (j5) * 1u]; }
      if (j5 == 0u || j5 * 2u == 32u) { v0_0_5 = C(v0_0_5.x, T(0.0)); }
    } else {
      if (j5 < 32u) { if (32u - j5 < 17u) { v0_0_5 = conjugate(left_C[source + (32u - j5) * 1u]); } }
    }
    let e6 = b + 24u;
    let j6 = i + e6 * 1u;
    if (j6 <= 16u) {
      if (j6 < 17u) { v0_0_6 = left_C[source + (j6) * 1u]; }
      if (j6 == 0u || j6 * 2u == 32u) { v0_0_6 = C(v0_0_6.x, T(0.0)); }
    } else {
      if (j6 < 32u) { if (32u - j6 < 17u) { v0_0_6 = conjugate(left_C[source + (32u - j6) * 1u]); } }
    }
    let e7 = b + 28u;
    let j7 = i + e7 * 1u;
    if (j7 <= 16u) {
      if (j7 < 17u) { v0_0_7 = left_C[source + (j7) * 1u]; }
      if (j7 == 0u || j7 * 2u == 32u) { v0_0_7 = C(v0_0_7.x, T(0.0)); }
    } else {
      if (j7 < 32u) { if (32u - j7 < 17u) { v0_0_7 = conjugate(left_C[source + (32u - j7) * 1u]); } }
    }
    let b0_0_ep = v0_0_0 + v0_0_4;
    let b0_0_eq = v0_0_0 - v0_0_4;
    let b0_0_er = v0_0_2 + v0_0_6;
    let b0_0_es = v0_0_2 - v0_0_6;
    let b0_0_et = C(-b0_0_es.y, b0_0_es.x);
    v0_0_0 = b0_0_ep + b0_0_er;
    v0_0_2 = b0_0_eq + b0_0_et;
    v0_0_4 = b0_0_ep - b0_0_er;
    v0_0_6 = b0_0_eq - b0_0_et;
    let b0_0_op = v0_0_1 + v0_0_5;
    let b0_0_oq = v0_0_1 - v0_0_5;
    let b0_0_or = v0_0_3 + v0_0_7;
    let b0_0_os = v0_0_3 - v0_0_7;
    let b0_0_ot = C(-b0_0_os.y, b0_0_os.x);
    v0_0_1 = b0_0_op + b0_0_or;
    v0_0_3 = b0_0_oq + b0_0_ot;
    v0_0_5 = b0_0_op - b0_0_or;
    v0_0_7 = b0_0_oq - b0_0_ot;
    let b0_0_x0 = v0_0_0;
    let b0_0_y0 = v0_0_1;
    let b0_0_x1 = v0_0_2;
    let b0_0_y1 = C((v0_0_3.x - v0_0_3.y) * T(0.7071067811865476), (v0_0_3.y + v0_0_3.x) * T(0.7071067811865476));
    let b0_0_x2 = v0_0_4;
    let b0_0_y2 = C(-v0_0_5.y, v0_0_5.x);
    let b0_0_x3 = v0_0_6;
    let b0_0_y3 = C(-(v0_0_7.y + v0_0_7.x) * T(0.7071067811865476), (v0_0_7.x - v0_0_7.y) * T(0.7071067811865476));
    v0_0_0 = b0_0_x0 + b0_0_y0;
    v0_0_4 = b0_0_x0 - b0_0_y0;
    v0_0_1 = b0_0_x1 + b0_0_y1;
    v0_0_5 = b0_0_x1 - b0_0_y1;
    v0_0_2 = b0_0_x2 + b0_0_y2;
    v0_0_6 = b0_0_x2 - b0_0_y2;
    v0_0_3 = b0_0_x3 + b0_0_y3;
    v0_0_7 = b0_0_x3 - b0_0_y3;
  }
  if (lane + 0u < 256u && first_item + ((lane + 0u) / 4u) < items) {
    let index = lane + 0u;
    let b = index % 4u;
    let own_item = index / 4u;
    let start = b / 1u * 8u + b % 1u;
    shared_6[own_item * 32u + (start + 0u)] = v0_0_0;
    shared_6[own_item * 32u + (start + 1u)] = v0_0_1;
    shared_6[own_item * 32u + (start + 2u)] = v0_0_2;
    shared_6[own_item * 32u + (start + 3u)] = v0_0_3;
    shared_6[own_item * 32u + (start + 4u)] = v0_0_4;
    shared_6[own_item * 32u + (start + 5u)] = v0_0_5;
    shared_6[own_item * 32u + (start + 6u)] = v0_0_6;
    shared_6[own_item * 32u + (start + 7u)] = v0_0_7;
  }
  workgroupBarrier();
  var v1_0_0 = C(T(0.0), T(0.0));
  var v1_0_1 = C(T(0.0), T(0.0));
  var v1_0_2 = C(T(0.0), T(0.0));
  var v1_0_3 = C(T(0.0), T(0.0));
  var v1_1_0 = C(T(0.0), T(0.0));
  var v1_1_1 = C(T(0.0), T(0.0));
  var v1_1_2 = C(T(0.0), T(0.0));
  var v1_1_3 = C(T(0.0), T(0.0));
  if (lane + 0u < 512u && first_item + ((lane + 0u) / 8u) < items) {
    let index = lane + 0u;
    let b = index % 8u;
    let own_item = index / 8u;
    let turn = b % 8u * 1u;
    v1_0_0 = shared_6[own_item * 32u + (b + 0u)];
    v1_0_1 = shared_6[own_item * 32u + (b + 8u)];
    v1_0_1 = mul(v1_0_1, right_C[right_at + 80u + (turn * 1u)]);
    v1_0_2 = shared_6[own_item * 32u + (b + 16u)];
    v1_0_2 = mul(v1_0_2, right_C[right_at + 80u + (turn * 2u)]);
    v1_0_3 = shared_6[own_item * 32u + (b + 24u)];
    v1_0_3 = mul(v1_0_3, right_C[right_at + 80u + (turn * 3u)]);
    let b1_0_p = v1_0_0 + v1_0_2;
    let b1_0_q = v1_0_0 - v1_0_2;
    let b1_0_r = v1_0_1 + v1_0_3;
    let b1_0_s = v1_0_1 - v1_0_3;
    let b1_0_t = C(-b1_0_s.y, b1_0_s.x);
    v1_0_0 = b1_0_p + b1_0_r;
    v1_0_1 = b1_0_q + b1_0_t;
    v1_0_2 = b1_0_p - b1_0_r;
    v1_0_3 = b1_0_q - b1_0_t;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let target_start = output_at + block * 15u + line;
    let first = i * 32u + b;
    let o0 = first + 0u;
    let t0 = (o0 + 2u) % 32u;
    if (t0 % 2u == 0u && t0 / 2u < 15u) { output_T[target_start + (t0 / 2u) * 1u] = (scaled(v1_0_0, T(0.0013020833333333333))).x; }
    let o1 = first + 8u;
    let t1 = (o1 + 2u) % 32u;
    if (t1 % 2u == 0u && t1 / 2u < 15u) { output_T[target_start + (t1 / 2u) * 1u] = (scaled(v1_0_1, T(0.0013020833333333333))).x; }
    let o2 = first + 16u;
    let t2 = (o2 + 2u) % 32u;
    if (t2 % 2u == 0u && t2 / 2u < 15u) { output_T[target_start + (t2 / 2u) * 1u] = (scaled(v1_0_2, T(0.0013020833333333333))).x; }
    let o3 = first + 24u;
    let t3 = (o3 + 2u) % 32u;
    if (t3 % 2u == 0u && t3 / 2u < 15u) { output_T[target_start + (t3 / 2u) * 1u] = (scaled(v1_0_3, T(0.0013020833333333333))).x; }
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) / 8u) < items) {
    let index = lane + 256u;
    let b = index % 8u;
    let own_item = index / 8u;
    let turn = b % 8u * 1u;
    v1_1_0 = shared_6[own_item * 32u + (b + 0u)];
    v1_1_1 = shared_6[own_item * 32u + (b + 8u)];
    v1_1_1 = mul(v1_1_1, right_C[right_at + 80u + (turn * 1u)]);
    v1_1_2 = shared_6[own_item * 32u + (b + 16u)];
    v1_1_2 = mul(v1_1_2, right_C[right_at + 80u + (turn * 2u)]);
    v1_1_3 = shared_6[own_item * 32u + (b + 24u)];
    v1_1_3 = mul(v1_1_3, right_C[right_at + 80u + (turn * 3u)]);
    let b1_1_p = v1_1_0 + v1_1_2;
    let b1_1_q = v1_1_0 - v1_1_2;
    let b1_1_r = v1_1_1 + v1_1_3;
    let b1_1_s = v1_1_1 - v1_1_3;
    let b1_1_t = C(-b1_1_s.y, b1_1_s.x);
    v1_1_0 = b1_1_p + b1_1_r;
    v1_1_1 = b1_1_q + b1_1_t;
    v1_1_2 = b1_1_p - b1_1_r;
    v1_1_3 = b1_1_q - b1_1_t;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let target_start = output_at + block * 15u + line;
    let first = i * 32u + b;
    let o0 = first + 0u;
    let t0 = (o0 + 2u) % 32u;
    if (t0 % 2u == 0u && t0 / 2u < 15u) { output_T[target_start + (t0 / 2u) * 1u] = (scaled(v1_1_0, T(0.0013020833333333333))).x; }
    let o1 = first + 8u;
    let t1 = (o1 + 2u) % 32u;
    if (t1 % 2u == 0u && t1 / 2u < 15u) { output_T[target_start + (t1 / 2u) * 1u] = (scaled(v1_1_1, T(0.0013020833333333333))).x; }
    let o2 = first + 16u;
    let t2 = (o2 + 2u) % 32u;
    if (t2 % 2u == 0u && t2 / 2u < 15u) { output_T[target_start + (t2 / 2u) * 1u] = (scaled(v1_1_2, T(0.0013020833333333333))).x; }
    let o3 = first + 24u;
    let t3 = (o3 + 2u) % 32u;
    if (t3 % 2u == 0u && t3 / 2u < 15u) { output_T[target_start + (t3 / 2u) * 1u] = (scaled(v1_1_3, T(0.0013020833333333333))).x; }
  }
}
