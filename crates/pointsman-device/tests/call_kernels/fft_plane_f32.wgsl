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
@group(0) @binding(3) var<storage, read_write> output_T: array<T>;
@group(0) @binding(3) var<storage, read_write> output_C: array<C>;
@group(0) @binding(2) var<storage, read> right_C: array<C>;
var<workgroup> shared_0: array<C, 1536>;
@compute @workgroup_size(256)
fn transform_0(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let items = arguments.words[1].z * 39u;
  let first_item = group * 256u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_0_1 = C(T(0.0), T(0.0));
  var v0_0_2 = C(T(0.0), T(0.0));
  var v0_1_0 = C(T(0.0), T(0.0));
  var v0_1_1 = C(T(0.0), T(0.0));
  var v0_1_2 = C(T(0.0), T(0.0));
  if (lane + 0u < 512u && first_item + ((lane + 0u) % 256u) < items) {
    let index = lane + 0u;
    let b = index / 256u;
    let own_item = index % 256u;
    let item = first_item + own_item;
    let line = item % 39u;
    let i = item / 39u % 1u;
    let block = item / 39u;
    let source = left_at + block * 234u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 6u) { v0_0_0 = left_C[source + (j0) * 39u]; }
    let e1 = b + 2u;
    let j1 = i + e1 * 1u;
    if (j1 < 6u) { v0_0_1 = left_C[source + (j1) * 39u]; }
    let e2 = b + 4u;
    let j2 = i + e2 * 1u;
    if (j2 < 6u) { v0_0_2 = left_C[source + (j2) * 39u]; }
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
  if (lane + 256u < 512u && first_item + ((lane + 256u) % 256u) < items) {
    let index = lane + 256u;
    let b = index / 256u;
    let own_item = index % 256u;
    let item = first_item + own_item;
    let line = item % 39u;
    let i = item / 39u % 1u;
    let block = item / 39u;
    let source = left_at + block * 234u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 6u) { v0_1_0 = left_C[source + (j0) * 39u]; }
    let e1 = b + 2u;
    let j1 = i + e1 * 1u;
    if (j1 < 6u) { v0_1_1 = left_C[source + (j1) * 39u]; }
    let e2 = b + 4u;
    let j2 = i + e2 * 1u;
    if (j2 < 6u) { v0_1_2 = left_C[source + (j2) * 39u]; }
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
  if (lane + 0u < 512u && first_item + ((lane + 0u) % 256u) < items) {
    let index = lane + 0u;
    let b = index / 256u;
    let own_item = index % 256u;
    let start = b / 1u * 3u + b % 1u;
    shared_0[((start + 0u)) * 256u + own_item] = v0_0_0;
    shared_0[((start + 1u)) * 256u + own_item] = v0_0_1;
    shared_0[((start + 2u)) * 256u + own_item] = v0_0_2;
  }
  if (lane + 256u < 512u && first_item + ((lane + 256u) % 256u) < items) {
    let index = lane + 256u;
    let b = index / 256u;
    let own_item = index % 256u;
    let start = b / 1u * 3u + b % 1u;
    shared_0[((start + 0u)) * 256u + own_item] = v0_1_0;
    shared_0[((start + 1u)) * 256u + own_item] = v0_1_1;
    shared_0[((start + 2u)) * 256u + own_item] = v0_1_2;
  }
  workgroupBarrier();
  var v1_0_0 = C(T(0.0), T(0.0));
  var v1_0_1 = C(T(0.0), T(0.0));
  var v1_1_0 = C(T(0.0), T(0.0));
  var v1_1_1 = C(T(0.0), T(0.0));
  var v1_2_0 = C(T(0.0), T(0.0));
  var v1_2_1 = C(T(0.0), T(0.0));
  if (lane + 0u < 768u && first_item + ((lane + 0u) % 256u) < items) {
    let index = lane + 0u;
    let b = index / 256u;
    let own_item = index % 256u;
    let turn = b % 3u * 1u;
    v1_0_0 = shared_0[((b + 0u)) * 256u + own_item];
    v1_0_1 = shared_0[((b + 3u)) * 256u + own_item];
    v1_0_1 = mul(v1_0_1, right_C[right_at + 0u + (turn * 1u)]);
    let b1_0_d = v1_0_0 - v1_0_1;
    v1_0_0 = v1_0_0 + v1_0_1;
    v1_0_1 = b1_0_d;
    let item = first_item + own_item;
    let line = item % 39u;
    let i = item / 39u % 1u;
    let block = item / 39u;
    let target_start = output_at + block * 234u + line;
    let first = i * 6u + b;
    let o0 = first + 0u;
    if (o0 < 6u) { output_C[target_start + (o0) * 39u] = v1_0_0; }
    let o1 = first + 3u;
    if (o1 < 6u) { output_C[target_start + (o1) * 39u] = v1_0_1; }
  }
  if (lane + 256u < 768u && first_item + ((lane + 256u) % 256u) < items) {
    let index = lane + 256u;
    let b = index / 256u;
    let own_item = index % 256u;
    let turn = b % 3u * 1u;
    v1_1_0 = shared_0[((b + 0u)) * 256u + own_item];
    v1_1_1 = shared_0[((b + 3u)) * 256u + own_item];
    v1_1_1 = mul(v1_1_1, right_C[right_at + 0u + (turn * 1u)]);
    let b1_1_d = v1_1_0 - v1_1_1;
    v1_1_0 = v1_1_0 + v1_1_1;
    v1_1_1 = b1_1_d;
    let item = first_item + own_item;
    let line = item % 39u;
    let i = item / 39u % 1u;
    let block = item / 39u;
    let target_start = output_at + block * 234u + line;
    let first = i * 6u + b;
    let o0 = first + 0u;
    if (o0 < 6u) { output_C[target_start + (o0) * 39u] = v1_1_0; }
    let o1 = first + 3u;
    if (o1 < 6u) { output_C[target_start + (o1) * 39u] = v1_1_1; }
  }
  if (lane + 512u < 768u && first_item + ((lane + 512u) % 256u) < items) {
    let index = lane + 512u;
    let b = index / 256u;
    let own_item = index % 256u;
    let turn = b % 3u * 1u;
    v1_2_0 = shared_0[((b + 0u)) * 256u + own_item];
    v1_2_1 = shared_0[((b + 3u)) * 256u + own_item];
    v1_2_1 = mul(v1_2_1, right_C[right_at + 0u + (turn * 1u)]);
    let b1_2_d = v1_2_0 - v1_2_1;
    v1_2_0 = v1_2_0 + v1_2_1;
    v1_2_1 = b1_2_d;
    let item = first_item + own_item;
    let line = item % 39u;
    let i = item / 39u % 1u;
    let block = item / 39u;
    let target_start = output_at + block * 234u + line;
    let first = i * 6u + b;
    let o0 = first + 0u;
    if (o0 < 6u) { output_C[target_start + (o0) * 39u] = v1_2_0; }
    let o1 = first + 3u;
    if (o1 < 6u) { output_C[target_start + (o1) * 39u] = v1_2_1; }
  }
}
var<workgroup> shared_1: array<C, 1232>;
@compute @workgroup_size(256)
fn transform_1(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 1u;
  let items = arguments.words[1].z * 6u;
  let first_item = group * 16u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_0_1 = C(T(0.0), T(0.0));
  var v0_0_2 = C(T(0.0), T(0.0));
  var v0_0_3 = C(T(0.0), T(0.0));
  var v0_0_4 = C(T(0.0), T(0.0));
  var v0_0_5 = C(T(0.0), T(0.0));
  var v0_0_6 = C(T(0.0), T(0.0));
  var v0_0_7 = C(T(0.0), T(0.0));
  var v0_0_8 = C(T(0.0), T(0.0));
  var v0_0_9 = C(T(0.0), T(0.0));
  var v0_0_10 = C(T(0.0), T(0.0));
  if (lane + 0u < 112u && first_item + ((lane + 0u) / 7u) < items) {
    let index = lane + 0u;
    let b = index % 7u;
    let own_item = index / 7u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 39u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 <= 38u) {
      if (j0 < 39u) { v0_0_0 = left_C[source + (j0) * 1u]; }
      if (j0 == 0u || j0 * 2u == 77u) { v0_0_0 = C(v0_0_0.x, T(0.0)); }
    } else {
      if (j0 < 77u) { if (77u - j0 < 39u) { v0_0_0 = conjugate(left_C[source + (77u - j0) * 1u]); } }
    }
    let e1 = b + 7u;
    let j1 = i + e1 * 1u;
    if (j1 <= 38u) {
      if (j1 < 39u) { v0_0_1 = left_C[source + (j1) * 1u]; }
      if (j1 == 0u || j1 * 2u == 77u) { v0_0_1 = C(v0_0_1.x, T(0.0)); }
    } else {
      if (j1 < 77u) { if (77u - j1 < 39u) { v0_0_1 = conjugate(left_C[source + (77u - j1) * 1u]); } }
    }
    let e2 = b + 14u;
    let j2 = i + e2 * 1u;
    if (j2 <= 38u) {
      if (j2 < 39u) { v0_0_2 = left_C[source + (j2) * 1u]; }
      if (j2 == 0u || j2 * 2u == 77u) { v0_0_2 = C(v0_0_2.x, T(0.0)); }
    } else {
      if (j2 < 77u) { if (77u - j2 < 39u) { v0_0_2 = conjugate(left_C[source + (77u - j2) * 1u]); } }
    }
    let e3 = b + 21u;
    let j3 = i + e3 * 1u;
    if (j3 <= 38u) {
      if (j3 < 39u) { v0_0_3 = left_C[source + (j3) * 1u]; }
      if (j3 == 0u || j3 * 2u == 77u) { v0_0_3 = C(v0_0_3.x, T(0.0)); }
    } else {
      if (j3 < 77u) { if (77u - j3 < 39u) { v0_0_3 = conjugate(left_C[source + (77u - j3) * 1u]); } }
    }
    let e4 = b + 28u;
    let j4 = i + e4 * 1u;
    if (j4 <= 38u) {
      if (j4 < 39u) { v0_0_4 = left_C[source + (j4) * 1u]; }
      if (j4 == 0u || j4 * 2u == 77u) { v0_0_4 = C(v0_0_4.x, T(0.0)); }
    } else {
      if (j4 < 77u) { if (77u - j4 < 39u) { v0_0_4 = conjugate(left_C[source + (77u - j4) * 1u]); } }
    }
    let e5 = b + 35u;
    let j5 = i + e5 * 1u;
    if (j5 <= 38u) {
      if (j5 < 39u) { v0_0_5 = left_C[source + (j5) * 1u]; }
      if (j5 == 0u || j5 * 2u == 77u) { v0_0_5 = C(v0_0_5.x, T(0.0)); }
    } else {
      if (j5 < 77u) { if (77u - j5 < 39u) { v0_0_5 = conjugate(left_C[source + (77u - j5) * 1u]); } }
    }
    let e6 = b + 42u;
    let j6 = i + e6 * 1u;
    if (j6 <= 38u) {
      if (j6 < 39u) { v0_0_6 = left_C[source + (j6) * 1u]; }
      if (j6 == 0u || j6 * 2u == 77u) { v0_0_6 = C(v0_0_6.x, T(0.0)); }
    } else {
      if (j6 < 77u) { if (77u - j6 < 39u) { v0_0_6 = conjugate(left_C[source + (77u - j6) * 1u]); } }
    }
    let e7 = b + 49u;
    let j7 = i + e7 * 1u;
    if (j7 <= 38u) {
      if (j7 < 39u) { v0_0_7 = left_C[source + (j7) * 1u]; }
      if (j7 == 0u || j7 * 2u == 77u) { v0_0_7 = C(v0_0_7.x, T(0.0)); }
    } else {
      if (j7 < 77u) { if (77u - j7 < 39u) { v0_0_7 = conjugate(left_C[source + (77u - j7) * 1u]); } }
    }
    let e8 = b + 56u;
    let j8 = i + e8 * 1u;
    if (j8 <= 38u) {
      if (j8 < 39u) { v0_0_8 = left_C[source + (j8) * 1u]; }
      if (j8 == 0u || j8 * 2u == 77u) { v0_0_8 = C(v0_0_8.x, T(0.0)); }
    } else {
      if (j8 < 77u) { if (77u - j8 < 39u) { v0_0_8 = conjugate(left_C[source + (77u - j8) * 1u]); } }
    }
    let e9 = b + 63u;
    let j9 = i + e9 * 1u;
    if (j9 <= 38u) {
      if (j9 < 39u) { v0_0_9 = left_C[source + (j9) * 1u]; }
      if (j9 == 0u || j9 * 2u == 77u) { v0_0_9 = C(v0_0_9.x, T(0.0)); }
    } else {
      if (j9 < 77u) { if (77u - j9 < 39u) { v0_0_9 = conjugate(left_C[source + (77u - j9) * 1u]); } }
    }
    let e10 = b + 70u;
    let j10 = i + e10 * 1u;
    if (j10 <= 38u) {
      if (j10 < 39u) { v0_0_10 = left_C[source + (j10) * 1u]; }
      if (j10 == 0u || j10 * 2u == 77u) { v0_0_10 = C(v0_0_10.x, T(0.0)); }
    } else {
      if (j10 < 77u) { if (77u - j10 < 39u) { v0_0_10 = conjugate(left_C[source + (77u - j10) * 1u]); } }
    }
    let b0_0_s1 = v0_0_1 + v0_0_10;
    let b0_0_d1 = v0_0_1 - v0_0_10;
    let b0_0_s2 = v0_0_2 + v0_0_9;
    let b0_0_d2 = v0_0_2 - v0_0_9;
    let b0_0_s3 = v0_0_3 + v0_0_8;
    let b0_0_d3 = v0_0_3 - v0_0_8;
    let b0_0_s4 = v0_0_4 + v0_0_7;
    let b0_0_d4 = v0_0_4 - v0_0_7;
    let b0_0_s5 = v0_0_5 + v0_0_6;
    let b0_0_d5 = v0_0_5 - v0_0_6;
    let b0_0_c1x = v0_0_0.x + b0_0_s1.x * T(0.8412535328311812) + b0_0_s2.x * T(0.41541501300188644) + b0_0_s3.x * T(-0.142314838273285) + b0_0_s4.x * T(-0.654860733945285) + b0_0_s5.x * T(-0.9594929736144974);
    let b0_0_t1x = b0_0_d1.x * T(0.5406408174555976) + b0_0_d2.x * T(0.9096319953545183) + b0_0_d3.x * T(0.9898214418809328) + b0_0_d4.x * T(0.7557495743542583) + b0_0_d5.x * T(0.28173255684142967);
    let b0_0_c1y = v0_0_0.y + b0_0_s1.y * T(0.8412535328311812) + b0_0_s2.y * T(0.41541501300188644) + b0_0_s3.y * T(-0.142314838273285) + b0_0_s4.y * T(-0.654860733945285) + b0_0_s5.y * T(-0.9594929736144974);
    let b0_0_t1y = b0_0_d1.y * T(0.5406408174555976) + b0_0_d2.y * T(0.9096319953545183) + b0_0_d3.y * T(0.9898214418809328) + b0_0_d4.y * T(0.7557495743542583) + b0_0_d5.y * T(0.28173255684142967);
    let b0_0_c2x = v0_0_0.x + b0_0_s1.x * T(0.41541501300188644) + b0_0_s2.x * T(-0.654860733945285) + b0_0_s3.x * T(-0.9594929736144975) + b0_0_s4.x * T(-0.14231483827328523) + b0_0_s5.x * T(0.8412535328311812);
    let b0_0_t2x = b0_0_d1.x * T(0.9096319953545183) + b0_0_d2.x * T(0.7557495743542583) + b0_0_d3.x * T(-0.2817325568414294) + b0_0_d4.x * T(-0.9898214418809327) + b0_0_d5.x * T(-0.5406408174555974);
    let b0_0_c2y = v0_0_0.y + b0_0_s1.y * T(0.41541501300188644) + b0_0_s2.y * T(-0.654860733945285) + b0_0_s3.y * T(-0.9594929736144975) + b0_0_s4.y * T(-0.14231483827328523) + b0_0_s5.y * T(0.8412535328311812);
    let b0_0_t2y = b0_0_d1.y * T(0.9096319953545183) + b0_0_d2.y * T(0.7557495743542583) + b0_0_d3.y * T(-0.2817325568414294) + b0_0_d4.y * T(-0.9898214418809327) + b0_0_d5.y * T(-0.5406408174555974);
    let b0_0_c3x = v0_0_0.x + b0_0_s1.x * T(-0.142314838273285) + b0_0_s2.x * T(-0.9594929736144975) + b0_0_s3.x * T(0.41541501300188605) + b0_0_s4.x * T(0.8412535328311812) + b0_0_s5.x * T(-0.654860733945285);
    let b0_0_t3x = b0_0_d1.x * T(0.9898214418809328) + b0_0_d2.x * T(-0.2817325568414294) + b0_0_d3.x * T(-0.9096319953545186) + b0_0_d4.x * T(0.5406408174555976) + b0_0_d5.x * T(0.7557495743542583);
    let b0_0_c3y = v0_0_0.y + b0_0_s1.y * T(-0.142314838273285) + b0_0_s2.y * T(-0.9594929736144975) + b0_0_s3.y * T(0.41541501300188605) + b0_0_s4.y * T(0.8412535328311812) + b0_0_s5.y * T(-0.654860733945285);
    let b0_0_t3y = b0_0_d1.y * T(0.9898214418809328) + b0_0_d2.y * T(-0.2817325568414294) + b0_0_d3.y * T(-0.9096319953545186) + b0_0_d4.y * T(0.5406408174555976) + b0_0_d5.y * T(0.7557495743542583);
    let b0_0_c4x = v0_0_0.x + b0_0_s1.x * T(-0.654860733945285) + b0_0_s2.x * T(-0.14231483827328523) + b0_0_s3.x * T(0.8412535328311812) + b0_0_s4.x * T(-0.9594929736144974) + b0_0_s5.x * T(0.41541501300188605);
    let b0_0_t4x = b0_0_d1.x * T(0.7557495743542583) + b0_0_d2.x * T(-0.9898214418809327) + b0_0_d3.x * T(0.5406408174555976) + b0_0_d4.x * T(0.28173255684142967) + b0_0_d5.x * T(-0.9096319953545186);
    let b0_0_c4y = v0_0_0.y + b0_0_s1.y * T(-0.654860733945285) + b0_0_s2.y * T(-0.14231483827328523) + b0_0_s3.y * T(0.8412535328311812) + b0_0_s4.y * T(-0.9594929736144974) + b0_0_s5.y * T(0.41541501300188605);
    let b0_0_t4y = b0_0_d1.y * T(0.7557495743542583) + b0_0_d2.y * T(-0.9898214418809327) + b0_0_d3.y * T(0.5406408174555976) + b0_0_d4.y * T(0.28173255684142967) + b0_0_d5.y * T(-0.9096319953545186);
    let b0_0_c5x = v0_0_0.x + b0_0_s1.x * T(-0.9594929736144974) + b0_0_s2.x * T(0.8412535328311812) + b0_0_s3.x * T(-0.654860733945285) + b0_0_s4.x * T(0.41541501300188605) + b0_0_s5.x * T(-0.142314838273285);
    let b0_0_t5x = b0_0_d1.x * T(0.28173255684142967) + b0_0_d2.x * T(-0.5406408174555974) + b0_0_d3.x * T(0.7557495743542583) + b0_0_d4.x * T(-0.9096319953545186) + b0_0_d5.x * T(0.9898214418809328);
    let b0_0_c5y = v0_0_0.y + b0_0_s1.y * T(-0.9594929736144974) + b0_0_s2.y * T(0.8412535328311812) + b0_0_s3.y * T(-0.654860733945285) + b0_0_s4.y * T(0.41541501300188605) + b0_0_s5.y * T(-0.142314838273285);
    let b0_0_t5y = b0_0_d1.y * T(0.28173255684142967) + b0_0_d2.y * T(-0.5406408174555974) + b0_0_d3.y * T(0.7557495743542583) + b0_0_d4.y * T(-0.9096319953545186) + b0_0_d5.y * T(0.9898214418809328);
    v0_0_0 = v0_0_0 + b0_0_s1 + b0_0_s2 + b0_0_s3 + b0_0_s4 + b0_0_s5;
    v0_0_1 = C(b0_0_c1x - b0_0_t1y, b0_0_c1y + b0_0_t1x);
    v0_0_10 = C(b0_0_c1x + b0_0_t1y, b0_0_c1y - b0_0_t1x);
    v0_0_2 = C(b0_0_c2x - b0_0_t2y, b0_0_c2y + b0_0_t2x);
    v0_0_9 = C(b0_0_c2x + b0_0_t2y, b0_0_c2y - b0_0_t2x);
    v0_0_3 = C(b0_0_c3x - b0_0_t3y, b0_0_c3y + b0_0_t3x);
    v0_0_8 = C(b0_0_c3x + b0_0_t3y, b0_0_c3y - b0_0_t3x);
    v0_0_4 = C(b0_0_c4x - b0_0_t4y, b0_0_c4y + b0_0_t4x);
    v0_0_7 = C(b0_0_c4x + b0_0_t4y, b0_0_c4y - b0_0_t4x);
    v0_0_5 = C(b0_0_c5x - b0_0_t5y, b0_0_c5y + b0_0_t5x);
    v0_0_6 = C(b0_0_c5x + b0_0_t5y, b0_0_c5y - b0_0_t5x);
  }
  if (lane + 0u < 112u && first_item + ((lane + 0u) / 7u) < items) {
    let index = lane + 0u;
    let b = index % 7u;
    let own_item = index / 7u;
    let start = b / 1u * 11u + b % 1u;
    shared_1[own_item * 77u + (start + 0u)] = v0_0_0;
    shared_1[own_item * 77u + (start + 1u)] = v0_0_1;
    shared_1[own_item * 77u + (start + 2u)] = v0_0_2;
    shared_1[own_item * 77u + (start + 3u)] = v0_0_3;
    shared_1[own_item * 77u + (start + 4u)] = v0_0_4;
    shared_1[own_item * 77u + (start + 5u)] = v0_0_5;
    shared_1[own_item * 77u + (start + 6u)] = v0_0_6;
    shared_1[own_item * 77u + (start + 7u)] = v0_0_7;
    shared_1[own_item * 77u + (start + 8u)] = v0_0_8;
    shared_1[own_item * 77u + (start + 9u)] = v0_0_9;
    shared_1[own_item * 77u + (start + 10u)] = v0_0_10;
  }
  workgroupBarrier();
  var v1_0_0 = C(T(0.0), T(0.0));
  var v1_0_1 = C(T(0.0), T(0.0));
  var v1_0_2 = C(T(0.0), T(0.0));
  var v1_0_3 = C(T(0.0), T(0.0));
  var v1_0_4 = C(T(0.0), T(0.0));
  var v1_0_5 = C(T(0.0), T(0.0));
  var v1_0_6 = C(T(0.0), T(0.0));
  if (lane + 0u < 176u && first_item + ((lane + 0u) / 11u) < items) {
    let index = lane + 0u;
    let b = index % 11u;
    let own_item = index / 11u;
    let turn = b % 11u * 1u;
    v1_0_0 = shared_1[own_item * 77u + (b + 0u)];
    v1_0_1 = shared_1[own_item * 77u + (b + 11u)];
    v1_0_1 = mul(v1_0_1, right_C[right_at + 6u + (turn * 1u)]);
    v1_0_2 = shared_1[own_item * 77u + (b + 22u)];
    v1_0_2 = mul(v1_0_2, right_C[right_at + 6u + (turn * 2u)]);
    v1_0_3 = shared_1[own_item * 77u + (b + 33u)];
    v1_0_3 = mul(v1_0_3, right_C[right_at + 6u + (turn * 3u)]);
    v1_0_4 = shared_1[own_item * 77u + (b + 44u)];
    v1_0_4 = mul(v1_0_4, right_C[right_at + 6u + (turn * 4u)]);
    v1_0_5 = shared_1[own_item * 77u + (b + 55u)];
    v1_0_5 = mul(v1_0_5, right_C[right_at + 6u + (turn * 5u)]);
    v1_0_6 = shared_1[own_item * 77u + (b + 66u)];
    v1_0_6 = mul(v1_0_6, right_C[right_at + 6u + (turn * 6u)]);
    let b1_0_s1 = v1_0_1 + v1_0_6;
    let b1_0_d1 = v1_0_1 - v1_0_6;
    let b1_0_s2 = v1_0_2 + v1_0_5;
    let b1_0_d2 = v1_0_2 - v1_0_5;
    let b1_0_s3 = v1_0_3 + v1_0_4;
    let b1_0_d3 = v1_0_3 - v1_0_4;
    let b1_0_c1x = v1_0_0.x + b1_0_s1.x * T(0.6234898018587336) + b1_0_s2.x * T(-0.22252093395631434) + b1_0_s3.x * T(-0.900968867902419);
    let b1_0_t1x = b1_0_d1.x * T(0.7818314824680298) + b1_0_d2.x * T(0.9749279121818236) + b1_0_d3.x * T(0.43388373911755823);
    let b1_0_c1y = v1_0_0.y + b1_0_s1.y * T(0.6234898018587336) + b1_0_s2.y * T(-0.22252093395631434) + b1_0_s3.y * T(-0.900968867902419);
    let b1_0_t1y = b1_0_d1.y * T(0.7818314824680298) + b1_0_d2.y * T(0.9749279121818236) + b1_0_d3.y * T(0.43388373911755823);
    let b1_0_c2x = v1_0_0.x + b1_0_s1.x * T(-0.22252093395631434) + b1_0_s2.x * T(-0.9009688679024191) + b1_0_s3.x * T(0.6234898018587334);
    let b1_0_t2x = b1_0_d1.x * T(0.9749279121818236) + b1_0_d2.x * T(-0.433883739117558) + b1_0_d3.x * T(-0.7818314824680299);
    let b1_0_c2y = v1_0_0.y + b1_0_s1.y * T(-0.22252093395631434) + b1_0_s2.y * T(-0.9009688679024191) + b1_0_s3.y * T(0.6234898018587334);
    let b1_0_t2y = b1_0_d1.y * T(0.9749279121818236) + b1_0_d2.y * T(-0.433883739117558) + b1_0_d3.y * T(-0.7818314824680299);
    let b1_0_c3x = v1_0_0.x + b1_0_s1.x * T(-0.900968867902419) + b1_0_s2.x * T(0.6234898018587334) + b1_0_s3.x * T(-0.22252093395631434);
    let b1_0_t3x = b1_0_d1.x * T(0.43388373911755823) + b1_0_d2.x * T(-0.7818314824680299) + b1_0_d3.x * T(0.9749279121818236);
    let b1_0_c3y = v1_0_0.y + b1_0_s1.y * T(-0.900968867902419) + b1_0_s2.y * T(0.6234898018587334) + b1_0_s3.y * T(-0.22252093395631434);
    let b1_0_t3y = b1_0_d1.y * T(0.43388373911755823) + b1_0_d2.y * T(-0.7818314824680299) + b1_0_d3.y * T(0.9749279121818236);
    v1_0_0 = v1_0_0 + b1_0_s1 + b1_0_s2 + b1_0_s3;
    v1_0_1 = C(b1_0_c1x - b1_0_t1y, b1_0_c1y + b1_0_t1x);
    v1_0_6 = C(b1_0_c1x + b1_0_t1y, b1_0_c1y - b1_0_t1x);
    v1_0_2 = C(b1_0_c2x - b1_0_t2y, b1_0_c2y + b1_0_t2x);
    v1_0_5 = C(b1_0_c2x + b1_0_t2y, b1_0_c2y - b1_0_t2x);
    v1_0_3 = C(b1_0_c3x - b1_0_t3y, b1_0_c3y + b1_0_t3x);
    v1_0_4 = C(b1_0_c3x + b1_0_t3y, b1_0_c3y - b1_0_t3x);
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let target_start = output_at + block * 77u + line;
    let first = i * 77u + b;
    let o0 = first + 0u;
    if (o0 < 77u) { output_T[target_start + (o0) * 1u] = (scaled(v1_0_0, T(0.0021645021645021645))).x; }
    let o1 = first + 11u;
    if (o1 < 77u) { output_T[target_start + (o1) * 1u] = (scaled(v1_0_1, T(0.0021645021645021645))).x; }
    let o2 = first + 22u;
    if (o2 < 77u) { output_T[target_start + (o2) * 1u] = (scaled(v1_0_2, T(0.0021645021645021645))).x; }
    let o3 = first + 33u;
    if (o3 < 77u) { output_T[target_start + (o3) * 1u] = (scaled(v1_0_3, T(0.0021645021645021645))).x; }
    let o4 = first + 44u;
    if (o4 < 77u) { output_T[target_start + (o4) * 1u] = (scaled(v1_0_4, T(0.0021645021645021645))).x; }
    let o5 = first + 55u;
    if (o5 < 77u) { output_T[target_start + (o5) * 1u] = (scaled(v1_0_5, T(0.0021645021645021645))).x; }
    let o6 = first + 66u;
    if (o6 < 77u) { output_T[target_start + (o6) * 1u] = (scaled(v1_0_6, T(0.0021645021645021645))).x; }
  }
}
