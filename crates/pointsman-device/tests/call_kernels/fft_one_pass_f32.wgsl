alias T = f32;
alias C = vec2<f32>;
struct Arguments { words: array<vec4<u32>, 4> }
@group(0) @binding(0) var<uniform> arguments: Arguments;
fn fused(a: T, b: T, c: T) -> T { return a * b + c; }
fn scaled(a: C, b: T) -> C { return C(a.x * b, a.y * b); }
fn conjugate(a: C) -> C { return C(a.x, -a.y); }
fn mul(a: C, b: C) -> C { return C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
fn mad(a: C, b: C, c: C) -> C {
  return C(c.x + a.x * b.x - a.y * b.y, c.y + a.x * b.y + a.y * b.x);
}
@group(0) @binding(1) var<storage, read> left_C: array<C>;
@group(0) @binding(3) var<storage, read_write> output_C: array<C>;
@group(0) @binding(2) var<storage, read> right_C: array<C>;
var<workgroup> shared_0: array<C, 1440>;
@compute @workgroup_size(256)
fn transform_0(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let items = arguments.words[1].z * 1u;
  let first_item = group * 4u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_0_1 = C(T(0.0), T(0.0));
  var v0_0_2 = C(T(0.0), T(0.0));
  var v0_0_3 = C(T(0.0), T(0.0));
  var v0_0_4 = C(T(0.0), T(0.0));
  var v0_1_0 = C(T(0.0), T(0.0));
  var v0_1_1 = C(T(0.0), T(0.0));
  var v0_1_2 = C(T(0.0), T(0.0));
  var v0_1_3 = C(T(0.0), T(0.0));
  var v0_1_4 = C(T(0.0), T(0.0));
  if (lane + 0u < 288u && first_item + ((lane + 0u) / 72u) < items) {
    let index = lane + 0u;
    let b = index % 72u;
    let own_item = index / 72u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 360u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 360u) { v0_0_0 = left_C[source + (j0) * 1u]; }
    let e1 = b + 72u;
    let j1 = i + e1 * 1u;
    if (j1 < 360u) { v0_0_1 = left_C[source + (j1) * 1u]; }
    let e2 = b + 144u;
    let j2 = i + e2 * 1u;
    if (j2 < 360u) { v0_0_2 = left_C[source + (j2) * 1u]; }
    let e3 = b + 216u;
    let j3 = i + e3 * 1u;
    if (j3 < 360u) { v0_0_3 = left_C[source + (j3) * 1u]; }
    let e4 = b + 288u;
    let j4 = i + e4 * 1u;
    if (j4 < 360u) { v0_0_4 = left_C[source + (j4) * 1u]; }
    let b0_0_s1 = v0_0_1 + v0_0_4;
    let b0_0_d1 = v0_0_1 - v0_0_4;
    let b0_0_s2 = v0_0_2 + v0_0_3;
    let b0_0_d2 = v0_0_2 - v0_0_3;
    let b0_0_c1x = v0_0_0.x + b0_0_s1.x * T(0.30901699437494745) + b0_0_s2.x * T(-0.8090169943749473);
    let b0_0_t1x = b0_0_d1.x * T(0.9510565162951535) + b0_0_d2.x * T(0.5877852522924732);
    let b0_0_c1y = v0_0_0.y + b0_0_s1.y * T(0.30901699437494745) + b0_0_s2.y * T(-0.8090169943749473);
    let b0_0_t1y = b0_0_d1.y * T(0.9510565162951535) + b0_0_d2.y * T(0.5877852522924732);
    let b0_0_c2x = v0_0_0.x + b0_0_s1.x * T(-0.8090169943749473) + b0_0_s2.x * T(0.30901699437494723);
    let b0_0_t2x = b0_0_d1.x * T(0.5877852522924732) + b0_0_d2.x * T(-0.9510565162951536);
    let b0_0_c2y = v0_0_0.y + b0_0_s1.y * T(-0.8090169943749473) + b0_0_s2.y * T(0.30901699437494723);
    let b0_0_t2y = b0_0_d1.y * T(0.5877852522924732) + b0_0_d2.y * T(-0.9510565162951536);
    v0_0_0 = v0_0_0 + b0_0_s1 + b0_0_s2;
    v0_0_1 = C(b0_0_c1x - b0_0_t1y, b0_0_c1y + b0_0_t1x);
    v0_0_4 = C(b0_0_c1x + b0_0_t1y, b0_0_c1y - b0_0_t1x);
    v0_0_2 = C(b0_0_c2x - b0_0_t2y, b0_0_c2y + b0_0_t2x);
    v0_0_3 = C(b0_0_c2x + b0_0_t2y, b0_0_c2y - b0_0_t2x);
  }
  if (lane + 256u < 288u && first_item + ((lane + 256u) / 72u) < items) {
    let index = lane + 256u;
    let b = index % 72u;
    let own_item = index / 72u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 360u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 360u) { v0_1_0 = left_C[source + (j0) * 1u]; }
    let e1 = b + 72u;
    let j1 = i + e1 * 1u;
    if (j1 < 360u) { v0_1_1 = left_C[source + (j1) * 1u]; }
    let e2 = b + 144u;
    let j2 = i + e2 * 1u;
    if (j2 < 360u) { v0_1_2 = left_C[source + (j2) * 1u]; }
    let e3 = b + 216u;
    let j3 = i + e3 * 1u;
    if (j3 < 360u) { v0_1_3 = left_C[source + (j3) * 1u]; }
    let e4 = b + 288u;
    let j4 = i + e4 * 1u;
    if (j4 < 360u) { v0_1_4 = left_C[source + (j4) * 1u]; }
    let b0_1_s1 = v0_1_1 + v0_1_4;
    let b0_1_d1 = v0_1_1 - v0_1_4;
    let b0_1_s2 = v0_1_2 + v0_1_3;
    let b0_1_d2 = v0_1_2 - v0_1_3;
    let b0_1_c1x = v0_1_0.x + b0_1_s1.x * T(0.30901699437494745) + b0_1_s2.x * T(-0.8090169943749473);
    let b0_1_t1x = b0_1_d1.x * T(0.9510565162951535) + b0_1_d2.x * T(0.5877852522924732);
    let b0_1_c1y = v0_1_0.y + b0_1_s1.y * T(0.30901699437494745) + b0_1_s2.y * T(-0.8090169943749473);
    let b0_1_t1y = b0_1_d1.y * T(0.9510565162951535) + b0_1_d2.y * T(0.5877852522924732);
    let b0_1_c2x = v0_1_0.x + b0_1_s1.x * T(-0.8090169943749473) + b0_1_s2.x * T(0.30901699437494723);
    let b0_1_t2x = b0_1_d1.x * T(0.5877852522924732) + b0_1_d2.x * T(-0.9510565162951536);
    let b0_1_c2y = v0_1_0.y + b0_1_s1.y * T(-0.8090169943749473) + b0_1_s2.y * T(0.30901699437494723);
    let b0_1_t2y = b0_1_d1.y * T(0.5877852522924732) + b0_1_d2.y * T(-0.9510565162951536);
    v0_1_0 = v0_1_0 + b0_1_s1 + b0_1_s2;
    v0_1_1 = C(b0_1_c1x - b0_1_t1y, b0_1_c1y + b0_1_t1x);
    v0_1_4 = C(b0_1_c1x + b0_1_t1y, b0_1_c1y - b0_1_t1x);
    v0_1_2 = C(b0_1_c2x - b0_1_t2y, b0_1_c2y + b0_1_t2x);
    v0_1_3 = C(b0_1_c2x + b0_1_t2y, b0_1_c2y - b0_1_t2x);
  }
  if (lane + 0u < 288u && first_item + ((lane + 0u) / 72u) < items) {
    let index = lane + 0u;
    let b = index % 72u;
    let own_item = index / 72u;
    let start = b / 1u * 5u + b % 1u;
    shared_0[own_item * 360u + (start + 0u)] = v0_0_0;
    shared_0[own_item * 360u + (start + 1u)] = v0_0_1;
    shared_0[own_item * 360u + (start + 2u)] = v0_0_2;
    shared_0[own_item * 360u + (start + 3u)] = v0_0_3;
    shared_0[own_item * 360u + (start + 4u)] = v0_0_4;
  }
  if (lane + 256u < 288u && first_item + ((lane + 256u) / 72u) < items) {
    let index = lane + 256u;
    let b = index % 72u;
    let own_item = index / 72u;
    let start = b / 1u * 5u + b % 1u;
    shared_0[own_item * 360u + (start + 0u)] = v0_1_0;
    shared_0[own_item * 360u + (start + 1u)] = v0_1_1;
    shared_0[own_item * 360u + (start + 2u)] = v0_1_2;
    shared_0[own_item * 360u + (start + 3u)] = v0_1_3;
    shared_0[own_item * 360u + (start + 4u)] = v0_1_4;
  }
  workgroupBarrier();
  var v1_0_0 = C(T(0.0), T(0.0));
  var v1_0_1 = C(T(0.0), T(0.0));
  var v1_0_2 = C(T(0.0), T(0.0));
  var v1_1_0 = C(T(0.0), T(0.0));
  var v1_1_1 = C(T(0.0), T(0.0));
  var v1_1_2 = C(T(0.0), T(0.0));
  if (lane + 0u < 480u && first_item + ((lane + 0u) / 120u) < items) {
    let index = lane + 0u;
    let b = index % 120u;
    let own_item = index / 120u;
    let turn = b % 5u * 24u;
    v1_0_0 = shared_0[own_item * 360u + (b + 0u)];
    v1_0_1 = shared_0[own_item * 360u + (b + 120u)];
    v1_0_1 = mul(v1_0_1, right_C[right_at + 0u + (turn * 1u)]);
    v1_0_2 = shared_0[own_item * 360u + (b + 240u)];
    v1_0_2 = mul(v1_0_2, right_C[right_at + 0u + (turn * 2u)]);
    let b1_0_s1 = v1_0_1 + v1_0_2;
    let b1_0_d1 = v1_0_1 - v1_0_2;
    let b1_0_c1x = v1_0_0.x + b1_0_s1.x * T(-0.4999999999999998);
    let b1_0_t1x = b1_0_d1.x * T(0.8660254037844387);
    let b1_0_c1y = v1_0_0.y + b1_0_s1.y * T(-0.4999999999999998);
    let b1_0_t1y = b1_0_d1.y * T(0.8660254037844387);
    v1_0_0 = v1_0_0 + b1_0_s1;
    v1_0_1 = C(b1_0_c1x - b1_0_t1y, b1_0_c1y + b1_0_t1x);
    v1_0_2 = C(b1_0_c1x + b1_0_t1y, b1_0_c1y - b1_0_t1x);
  }
  if (lane + 256u < 480u && first_item + ((lane + 256u) / 120u) < items) {
    let index = lane + 256u;
    let b = index % 120u;
    let own_item = index / 120u;
    let turn = b % 5u * 24u;
    v1_1_0 = shared_0[own_item * 360u + (b + 0u)];
    v1_1_1 = shared_0[own_item * 360u + (b + 120u)];
    v1_1_1 = mul(v1_1_1, right_C[right_at + 0u + (turn * 1u)]);
    v1_1_2 = shared_0[own_item * 360u + (b + 240u)];
    v1_1_2 = mul(v1_1_2, right_C[right_at + 0u + (turn * 2u)]);
    let b1_1_s1 = v1_1_1 + v1_1_2;
    let b1_1_d1 = v1_1_1 - v1_1_2;
    let b1_1_c1x = v1_1_0.x + b1_1_s1.x * T(-0.4999999999999998);
    let b1_1_t1x = b1_1_d1.x * T(0.8660254037844387);
    let b1_1_c1y = v1_1_0.y + b1_1_s1.y * T(-0.4999999999999998);
    let b1_1_t1y = b1_1_d1.y * T(0.8660254037844387);
    v1_1_0 = v1_1_0 + b1_1_s1;
    v1_1_1 = C(b1_1_c1x - b1_1_t1y, b1_1_c1y + b1_1_t1x);
    v1_1_2 = C(b1_1_c1x + b1_1_t1y, b1_1_c1y - b1_1_t1x);
  }
  workgroupBarrier();
  if (lane + 0u < 480u && first_item + ((lane + 0u) / 120u) < items) {
    let index = lane + 0u;
    let b = index % 120u;
    let own_item = index / 120u;
    let start = b / 5u * 15u + b % 5u;
    shared_0[own_item * 360u + (start + 0u)] = v1_0_0;
    shared_0[own_item * 360u + (start + 5u)] = v1_0_1;
    shared_0[own_item * 360u + (start + 10u)] = v1_0_2;
  }
  if (lane + 256u < 480u && first_item + ((lane + 256u) / 120u) < items) {
    let index = lane + 256u;
    let b = index % 120u;
    let own_item = index / 120u;
    let start = b / 5u * 15u + b % 5u;
    shared_0[own_item * 360u + (start + 0u)] = v1_1_0;
    shared_0[own_item * 360u + (start + 5u)] = v1_1_1;
    shared_0[own_item * 360u + (start + 10u)] = v1_1_2;
  }
  workgroupBarrier();
  var v2_0_0 = C(T(0.0), T(0.0));
  var v2_0_1 = C(T(0.0), T(0.0));
  var v2_0_2 = C(T(0.0), T(0.0));
  var v2_1_0 = C(T(0.0), T(0.0));
  var v2_1_1 = C(T(0.0), T(0.0));
  var v2_1_2 = C(T(0.0), T(0.0));
  if (lane + 0u < 480u && first_item + ((lane + 0u) / 120u) < items) {
    let index = lane + 0u;
    let b = index % 120u;
    let own_item = index / 120u;
    let turn = b % 15u * 8u;
    v2_0_0 = shared_0[own_item * 360u + (b + 0u)];
    v2_0_1 = shared_0[own_item * 360u + (b + 120u)];
    v2_0_1 = mul(v2_0_1, right_C[right_at + 0u + (turn * 1u)]);
    v2_0_2 = shared_0[own_item * 360u + (b + 240u)];
    v2_0_2 = mul(v2_0_2, right_C[right_at + 0u + (turn * 2u)]);
    let b2_0_s1 = v2_0_1 + v2_0_2;
    let b2_0_d1 = v2_0_1 - v2_0_2;
    let b2_0_c1x = v2_0_0.x + b2_0_s1.x * T(-0.4999999999999998);
    let b2_0_t1x = b2_0_d1.x * T(0.8660254037844387);
    let b2_0_c1y = v2_0_0.y + b2_0_s1.y * T(-0.4999999999999998);
    let b2_0_t1y = b2_0_d1.y * T(0.8660254037844387);
    v2_0_0 = v2_0_0 + b2_0_s1;
    v2_0_1 = C(b2_0_c1x - b2_0_t1y, b2_0_c1y + b2_0_t1x);
    v2_0_2 = C(b2_0_c1x + b2_0_t1y, b2_0_c1y - b2_0_t1x);
  }
  if (lane + 256u < 480u && first_item + ((lane + 256u) / 120u) < items) {
    let index = lane + 256u;
    let b = index % 120u;
    let own_item = index / 120u;
    let turn = b % 15u * 8u;
    v2_1_0 = shared_0[own_item * 360u + (b + 0u)];
    v2_1_1 = shared_0[own_item * 360u + (b + 120u)];
    v2_1_1 = mul(v2_1_1, right_C[right_at + 0u + (turn * 1u)]);
    v2_1_2 = shared_0[own_item * 360u + (b + 240u)];
    v2_1_2 = mul(v2_1_2, right_C[right_at + 0u + (turn * 2u)]);
    let b2_1_s1 = v2_1_1 + v2_1_2;
    let b2_1_d1 = v2_1_1 - v2_1_2;
    let b2_1_c1x = v2_1_0.x + b2_1_s1.x * T(-0.4999999999999998);
    let b2_1_t1x = b2_1_d1.x * T(0.8660254037844387);
    let b2_1_c1y = v2_1_0.y + b2_1_s1.y * T(-0.4999999999999998);
    let b2_1_t1y = b2_1_d1.y * T(0.8660254037844387);
    v2_1_0 = v2_1_0 + b2_1_s1;
    v2_1_1 = C(b2_1_c1x - b2_1_t1y, b2_1_c1y + b2_1_t1x);
    v2_1_2 = C(b2_1_c1x + b2_1_t1y, b2_1_c1y - b2_1_t1x);
  }
  workgroupBarrier();
  if (lane + 0u < 480u && first_item + ((lane + 0u) / 120u) < items) {
    let index = lane + 0u;
    let b = index % 120u;
    let own_item = index / 120u;
    let start = b / 15u * 45u + b % 15u;
    shared_0[own_item * 360u + (start + 0u)] = v2_0_0;
    shared_0[own_item * 360u + (start + 15u)] = v2_0_1;
    shared_0[own_item * 360u + (start + 30u)] = v2_0_2;
  }
  if (lane + 256u < 480u && first_item + ((lane + 256u) / 120u) < items) {
    let index = lane + 256u;
    let b = index % 120u;
    let own_item = index / 120u;
    let start = b / 15u * 45u + b % 15u;
    shared_0[own_item * 360u + (start + 0u)] = v2_1_0;
    shared_0[own_item * 360u + (start + 15u)] = v2_1_1;
    shared_0[own_item * 360u + (start + 30u)] = v2_1_2;
  }
  workgroupBarrier();
  var v3_0_0 = C(T(0.0), T(0.0));
  var v3_0_1 = C(T(0.0), T(0.0));
  var v3_0_2 = C(T(0.0), T(0.0));
  var v3_0_3 = C(T(0.0), T(0.0));
  var v3_0_4 = C(T(0.0), T(0.0));
  var v3_0_5 = C(T(0.0), T(0.0));
  var v3_0_6 = C(T(0.0), T(0.0));
  var v3_0_7 = C(T(0.0), T(0.0));
  if (lane + 0u < 180u && first_item + ((lane + 0u) / 45u) < items) {
    let index = lane + 0u;
    let b = index % 45u;
    let own_item = index / 45u;
    let turn = b % 45u * 1u;
    v3_0_0 = shared_0[own_item * 360u + (b + 0u)];
    v3_0_1 = shared_0[own_item * 360u + (b + 45u)];
    v3_0_1 = mul(v3_0_1, right_C[right_at + 0u + (turn * 1u)]);
    v3_0_2 = shared_0[own_item * 360u + (b + 90u)];
    v3_0_2 = mul(v3_0_2, right_C[right_at + 0u + (turn * 2u)]);
    v3_0_3 = shared_0[own_item * 360u + (b + 135u)];
    v3_0_3 = mul(v3_0_3, right_C[right_at + 0u + (turn * 3u)]);
    v3_0_4 = shared_0[own_item * 360u + (b + 180u)];
    v3_0_4 = mul(v3_0_4, right_C[right_at + 0u + (turn * 4u)]);
    v3_0_5 = shared_0[own_item * 360u + (b + 225u)];
    v3_0_5 = mul(v3_0_5, right_C[right_at + 0u + (turn * 5u)]);
    v3_0_6 = shared_0[own_item * 360u + (b + 270u)];
    v3_0_6 = mul(v3_0_6, right_C[right_at + 0u + (turn * 6u)]);
    v3_0_7 = shared_0[own_item * 360u + (b + 315u)];
    v3_0_7 = mul(v3_0_7, right_C[right_at + 0u + (turn * 7u)]);
    let b3_0_ep = v3_0_0 + v3_0_4;
    let b3_0_eq = v3_0_0 - v3_0_4;
    let b3_0_er = v3_0_2 + v3_0_6;
    let b3_0_es = v3_0_2 - v3_0_6;
    let b3_0_et = C(-b3_0_es.y, b3_0_es.x);
    v3_0_0 = b3_0_ep + b3_0_er;
    v3_0_2 = b3_0_eq + b3_0_et;
    v3_0_4 = b3_0_ep - b3_0_er;
    v3_0_6 = b3_0_eq - b3_0_et;
    let b3_0_op = v3_0_1 + v3_0_5;
    let b3_0_oq = v3_0_1 - v3_0_5;
    let b3_0_or = v3_0_3 + v3_0_7;
    let b3_0_os = v3_0_3 - v3_0_7;
    let b3_0_ot = C(-b3_0_os.y, b3_0_os.x);
    v3_0_1 = b3_0_op + b3_0_or;
    v3_0_3 = b3_0_oq + b3_0_ot;
    v3_0_5 = b3_0_op - b3_0_or;
    v3_0_7 = b3_0_oq - b3_0_ot;
    let b3_0_x0 = v3_0_0;
    let b3_0_y0 = v3_0_1;
    let b3_0_x1 = v3_0_2;
    let b3_0_y1 = C((v3_0_3.x - v3_0_3.y) * T(0.7071067811865476), (v3_0_3.y + v3_0_3.x) * T(0.7071067811865476));
    let b3_0_x2 = v3_0_4;
    let b3_0_y2 = C(-v3_0_5.y, v3_0_5.x);
    let b3_0_x3 = v3_0_6;
    let b3_0_y3 = C(-(v3_0_7.y + v3_0_7.x) * T(0.7071067811865476), (v3_0_7.x - v3_0_7.y) * T(0.7071067811865476));
    v3_0_0 = b3_0_x0 + b3_0_y0;
    v3_0_4 = b3_0_x0 - b3_0_y0;
    v3_0_1 = b3_0_x1 + b3_0_y1;
    v3_0_5 = b3_0_x1 - b3_0_y1;
    v3_0_2 = b3_0_x2 + b3_0_y2;
    v3_0_6 = b3_0_x2 - b3_0_y2;
    v3_0_3 = b3_0_x3 + b3_0_y3;
    v3_0_7 = b3_0_x3 - b3_0_y3;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let target_start = output_at + block * 360u + line;
    let first = i * 360u + b;
    let o0 = first + 0u;
    if (o0 < 360u) { output_C[target_start + (o0) * 1u] = scaled(v3_0_0, T(0.002777777777777778)); }
    let o1 = first + 45u;
    if (o1 < 360u) { output_C[target_start + (o1) * 1u] = scaled(v3_0_1, T(0.002777777777777778)); }
    let o2 = first + 90u;
    if (o2 < 360u) { output_C[target_start + (o2) * 1u] = scaled(v3_0_2, T(0.002777777777777778)); }
    let o3 = first + 135u;
    if (o3 < 360u) { output_C[target_start + (o3) * 1u] = scaled(v3_0_3, T(0.002777777777777778)); }
    let o4 = first + 180u;
    if (o4 < 360u) { output_C[target_start + (o4) * 1u] = scaled(v3_0_4, T(0.002777777777777778)); }
    let o5 = first + 225u;
    if (o5 < 360u) { output_C[target_start + (o5) * 1u] = scaled(v3_0_5, T(0.002777777777777778)); }
    let o6 = first + 270u;
    if (o6 < 360u) { output_C[target_start + (o6) * 1u] = scaled(v3_0_6, T(0.002777777777777778)); }
    let o7 = first + 315u;
    if (o7 < 360u) { output_C[target_start + (o7) * 1u] = scaled(v3_0_7, T(0.002777777777777778)); }
  }
}
