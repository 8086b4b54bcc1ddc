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
var<workgroup> left_tile: array<C, 2048>;
var<workgroup> right_tile: array<C, 16>;
@compute @workgroup_size(256)
fn matmul(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let tile = group % 1u;
  let part = group / 1u % 97u;
  let chunk = group / 97u;
  let first_row = tile / 1u * 256u;
  let first_column = tile % 1u * 2u;
  let left_start = left_at + chunk * 300000u;
  let right_start = right_at;
  let output_start = output_at + (chunk * 97u + part) * 6u;
  let lane_row = lane / 1u;
  let lane_column = lane % 1u;
  let first_term = part * 1032u + arguments.words[1].w;
  let last_term = min(part * 1032u + arguments.words[2].x, 100000u);
  let row_0 = first_row + lane_row * 1u + 0u;
  let column_0 = first_column + lane_column * 2u + 0u;
  let column_1 = first_column + lane_column * 2u + 1u;
  var sum_0_0 = C(T(0.0), T(0.0));
  var sum_0_1 = C(T(0.0), T(0.0));
  if (arguments.words[1].w > 0u) {
    if (row_0 < 3u && column_0 < 2u) { sum_0_0 = output_C[output_start + row_0 * 2u + column_0]; }
    if (row_0 < 3u && column_1 < 2u) { sum_0_1 = output_C[output_start + row_0 * 2u + column_1]; }
  }
  for (var term = first_term; term < last_term; term = term + 8u) {
    {
      let at = lane + 0u;
      let line = at % 8u;
      let own = at / 8u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 3u && k < last_term) { value = left_C[left_start + place * 100000u + k]; }
      left_tile[line * 256u + own] = value;
    }
    {
      let at = lane + 256u;
      let line = at % 8u;
      let own = at / 8u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 3u && k < last_term) { value = left_C[left_start + place * 100000u + k]; }
      left_tile[line * 256u + own] = value;
    }
    {
      let at = lane + 512u;
      let line = at % 8u;
      let own = at / 8u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 3u && k < last_term) { value = left_C[left_start + place * 100000u + k]; }
      left_tile[line * 256u + own] = value;
    }
    {
      let at = lane + 768u;
      let line = at % 8u;
      let own = at / 8u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 3u && k < last_term) { value = left_C[left_start + place * 100000u + k]; }
      left_tile[line * 256u + own] = value;
    }
    {
      let at = lane + 1024u;
      let line = at % 8u;
      let own = at / 8u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 3u && k < last_term) { value = left_C[left_start + place * 100000u + k]; }
      left_tile[line * 256u + own] = value;
    }
    {
      let at = lane + 1280u;
      let line = at % 8u;
      let own = at / 8u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 3u && k < last_term) { value = left_C[left_start + place * 100000u + k]; }
      left_tile[line * 256u + own] = value;
    }
    {
      let at = lane + 1536u;
      let line = at % 8u;
      let own = at / 8u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 3u && k < last_term) { value = left_C[left_start + place * 100000u + k]; }
      left_tile[line * 256u + own] = value;
    }
    {
      let at = lane + 1792u;
      let line = at % 8u;
      let own = at / 8u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 3u && k < last_term) { value = left_C[left_start + place * 100000u + k]; }
      left_tile[line * 256u + own] = value;
    }
    if (lane < 16u) {
      let at = lane + 0u;
      let line = at / 2u;
      let own = at % 2u;
      let k = term + line;
      let place = first_column + own;
      var value = C(T(0.0), T(0.0));
      if (place < 2u && k < last_term) { value = right_C[right_start + k * 2u + place]; }
      right_tile[line * 2u + own] = value;
    }
    workgroupBarrier();
    for (var k = 0u; k < 8u; k = k + 1u) {
      let a_0 = left_tile[k * 256u + lane_row * 1u + 0u];
      let b_0 = right_tile[k * 2u + lane_column * 2u + 0u];
      let b_1 = right_tile[k * 2u + lane_column * 2u + 1u];
      sum_0_0 = mad(a_0, b_0, sum_0_0);
      sum_0_1 = mad(a_0, b_1, sum_0_1);
    }
    workgroupBarrier();
  }
  if (row_0 < 3u && column_0 < 2u) { output_C[output_start + row_0 * 2u + column_0] = sum_0_0; }
  if (row_0 < 3u && column_1 < 2u) { output_C[output_start + row_0 * 2u + column_1] = sum_0_1; }
}
@compute @workgroup_size(256)
fn add_parts(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let output_at = arguments.words[1].y / 2u;
  let item = group * 256u + lane;
  if (item < arguments.words[1].z * 6u) {
    let first = left_at + item / 6u * 582u + item % 6u;
    var sum = left_C[first];
    for (var part = 1u; part < 97u; part = part + 1u) {
      sum = sum + left_C[first + part * 6u];
    }
    output_C[output_at + item] = sum;
  }
}
