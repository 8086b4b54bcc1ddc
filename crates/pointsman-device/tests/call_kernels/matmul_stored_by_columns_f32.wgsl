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
@group(0) @binding(1) var<storage, read> left_T: array<T>;
@group(0) @binding(3) var<storage, read_write> output_T: array<T>;
@group(0) @binding(2) var<storage, read> right_T: array<T>;
var<workgroup> left_tile: array<T, 2048>;
var<workgroup> right_tile: array<T, 64>;
@compute @workgroup_size(256)
fn matmul(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 1u;
  let right_at = arguments.words[1].x / 1u;
  let output_at = arguments.words[1].y / 1u;
  let tile = group % 1u;
  let part = group / 1u % 1u;
  let chunk = group / 1u;
  let first_row = tile / 1u * 128u;
  let first_column = tile % 1u * 4u;
  let left_start = left_at + chunk * 455u;
  let right_start = right_at + chunk * 21u;
  let output_start = output_at + (chunk * 1u + part) * 195u;
  let lane_row = lane / 2u;
  let lane_column = lane % 2u;
  let first_term = part * 16u + arguments.words[1].w;
  let last_term = min(part * 16u + arguments.words[2].x, 7u);
  let row_0 = first_row + lane_row * 1u + 0u;
  let column_0 = first_column + lane_column * 2u + 0u;
  let column_1 = first_column + lane_column * 2u + 1u;
  var sum_0_0 = T(0.0);
  var sum_0_1 = T(0.0);
  if (arguments.words[1].w > 0u) {
    if (row_0 < 65u && column_0 < 3u) { sum_0_0 = output_T[output_start + row_0 * 3u + column_0]; }
    if (row_0 < 65u && column_1 < 3u) { sum_0_1 = output_T[output_start + row_0 * 3u + column_1]; }
  }
  for (var term = first_term; term < last_term; term = term + 16u) {
    {
      let at = lane + 0u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 65u && k < last_term) { value = left_T[left_start + k * 65u + place]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 256u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 65u && k < last_term) { value = left_T[left_start + k * 65u + place]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 512u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 65u && k < last_term) { value = left_T[left_start + k * 65u + place]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 768u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 65u && k < last_term) { value = left_T[left_start + k * 65u + place]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1024u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 65u && k < last_term) { value = left_T[left_start + k * 65u + place]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1280u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 65u && k < last_term) { value = left_T[left_start + k * 65u + place]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1536u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 65u && k < last_term) { value = left_T[left_start + k * 65u + place]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1792u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 65u && k < last_term) { value = left_T[left_start + k * 65u + place]; }
      left_tile[line * 128u + own] = value;
    }
    if (lane < 64u) {
      let at = lane + 0u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_column + own;
      var value = T(0.0);
      if (place < 3u && k < last_term) { value = right_T[right_start + place * 7u + k]; }
      right_tile[line * 4u + own] = value;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k = k + 1u) {
      let a_0 = left_tile[k * 128u + lane_row * 1u + 0u];
      let b_0 = right_tile[k * 4u + lane_column * 2u + 0u];
      let b_1 = right_tile[k * 4u + lane_column * 2u + 1u];
      sum_0_0 = fused(a_0, b_0, sum_0_0);
      sum_0_1 = fused(a_0, b_1, sum_0_1);
    }
    workgroupBarrier();
  }
  if (row_0 < 65u && column_0 < 3u) { output_T[output_start + row_0 * 3u + column_0] = sum_0_0; }
  if (row_0 < 65u && column_1 < 3u) { output_T[output_start + row_0 * 3u + column_1] = sum_0_1; }
}
