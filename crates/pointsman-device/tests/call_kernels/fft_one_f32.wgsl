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
@compute @workgroup_size(256)
fn transform_0(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let output_at = arguments.words[1].y / 2u;
  let items = arguments.words[1].z * 1u;
  let first_item = group * 2048u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_1_0 = C(T(0.0), T(0.0));
  var v0_2_0 = C(T(0.0), T(0.0));
  var v0_3_0 = C(T(0.0), T(0.0));
  var v0_4_0 = C(T(0.0), T(0.0));
  var v0_5_0 = C(T(0.0), T(0.0));
  var v0_6_0 = C(T(0.0), T(0.0));
  var v0_7_0 = C(T(0.0), T(0.0));
  if (lane + 0u < 2048u && first_item + ((lane + 0u) / 1u) < items) {
    let index = lane + 0u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_0_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_0_0; }
  }
  if (lane + 256u < 2048u && first_item + ((lane + 256u) / 1u) < items) {
    let index = lane + 256u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_1_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_1_0; }
  }
  if (lane + 512u < 2048u && first_item + ((lane + 512u) / 1u) < items) {
    let index = lane + 512u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_2_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_2_0; }
  }
  if (lane + 768u < 2048u && first_item + ((lane + 768u) / 1u) < items) {
    let index = lane + 768u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_3_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_3_0; }
  }
  if (lane + 1024u < 2048u && first_item + ((lane + 1024u) / 1u) < items) {
    let index = lane + 1024u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_4_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_4_0; }
  }
  if (lane + 1280u < 2048u && first_item + ((lane + 1280u) / 1u) < items) {
    let index = lane + 1280u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_5_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_5_0; }
  }
  if (lane + 1536u < 2048u && first_item + ((lane + 1536u) / 1u) < items) {
    let index = lane + 1536u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_6_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_6_0; }
  }
  if (lane + 1792u < 2048u && first_item + ((lane + 1792u) / 1u) < items) {
    let index = lane + 1792u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_7_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_7_0; }
  }
}
