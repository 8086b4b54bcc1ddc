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
@group(0) @binding(1) var<storage, read> left_C: array<C>;
@group(0) @binding(3) var<storage, read_write> output_C: array<C>;
@group(0) @binding(2) var<storage, read> right_C: array<C>;
var<workgroup> left_tile: array<C, 1024>;
var<workgroup> right_tile: array<C, 1024>;
@compute @workgroup_size(256)
fn matmul(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 2u;
  let right_at = arguments.words[1].x / 2u;
  let output_at = arguments.words[1].y / 2u;
  let tile = group % 1u;
  let part = group / 1u % 1u;
  let chunk = group / 1u;
  let first_row = tile / 1u * 64u;
  let first_column = tile % 1u * 64u;
  let left_start = left_at + chunk * 4096u;
  let right_start = right_at;
  let output_start = output_at + (chunk * 1u + part) * 4096u;
  let lane_row = lane / 16u;
  let lane_column = lane % 16u;
  let first_term = part * 64u + arguments.words[1].w;
  let last_term = min(part * 64u + arguments.words[2].x, 64u);
  let row_0 = first_row + lane_row * 4u + 0u;
  let row_1 = first_row + lane_row * 4u + 1u;
  let row_2 = first_row + lane_row * 4u + 2u;
  let row_3 = first_row + lane_row * 4u + 3u;
  let column_0 = first_column + lane_column * 4u + 0u;
  let column_1 = first_column + lane_column * 4u + 1u;
  let column_2 = first_column + lane_column * 4u + 2u;
  let column_3 = first_column + lane_column * 4u + 3u;
  var sum_0_0 = C(T(0.0), T(0.0));
  var sum_0_1 = C(T(0.0), T(0.0));
  var sum_0_2 = C(T(0.0), T(0.0));
  var sum_0_3 = C(T(0.0), T(0.0));
  var sum_1_0 = C(T(0.0), T(0.0));
  var sum_1_1 = C(T(0.0), T(0.0));
  var sum_1_2 = C(T(0.0), T(0.0));
  var sum_1_3 = C(T(0.0), T(0.0));
  var sum_2_0 = C(T(0.0), T(0.0));
  var sum_2_1 = C(T(0.0), T(0.0));
  var sum_2_2 = C(T(0.0), T(0.0));
  var sum_2_3 = C(T(0.0), T(0.0));
  var sum_3_0 = C(T(0.0), T(0.0));
  var sum_3_1 = C(T(0.0), T(0.0));
  var sum_3_2 = C(T(0.0), T(0.0));
  var sum_3_3 = C(T(0.0), T(0.0));
  if (arguments.words[1].w > 0u) {
    if (row_0 < 64u && column_0 < 64u) { sum_0_0 = output_C[output_start + row_0 * 64u + column_0]; }
    if (row_0 < 64u && column_1 < 64u) { sum_0_1 = output_C[output_start + row_0 * 64u + column_1]; }
    if (row_0 < 64u && column_2 < 64u) { sum_0_2 = output_C[output_start + row_0 * 64u + column_2]; }
    if (row_0 < 64u && column_3 < 64u) { sum_0_3 = output_C[output_start + row_0 * 64u + column_3]; }
    if (row_1 < 64u && column_0 < 64u) { sum_1_0 = output_C[output_start + row_1 * 64u + column_0]; }
    if (row_1 < 64u && column_1 < 64u) { sum_1_1 = output_C[output_start + row_1 * 64u + column_1]; }
    if (row_1 < 64u && column_2 < 64u) { sum_1_2 = output_C[output_start + row_1 * 64u + column_2]; }
    if (row_1 < 64u && column_3 < 64u) { sum_1_3 = output_C[output_start + row_1 * 64u + column_3]; }
    if (row_2 < 64u && column_0 < 64u) { sum_2_0 = output_C[output_start + row_2 * 64u + column_0]; }
    if (row_2 < 64u && column_1 < 64u) { sum_2_1 = output_C[output_start + row_2 * 64u + column_1]; }
    if (row_2 < 64u && column_2 < 64u) { sum_2_2 = output_C[output_start + row_2 * 64u + column_2]; }
    if (row_2 < 64u && column_3 < 64u) { sum_2_3 = output_C[output_start + row_2 * 64u + column_3]; }
    if (row_3 < 64u && column_0 < 64u) { sum_3_0 = output_C[output_start + row_3 * 64u + column_0]; }
    if (row_3 < 64u && column_1 < 64u) { sum_3_1 = output_C[output_start + row_3 * 64u + column_1]; }
    if (row_3 < 64u && column_2 < 64u) { sum_3_2 = output_C[output_start + row_3 * 64u + column_2]; }
    if (row_3 < 64u && column_3 < 64u) { sum_3_3 = output_C[output_start + row_3 * 64u + column_3]; }
  }
  for (var term = first_term; term < last_term; term = term + 16u) {
    {
      let at = lane + 0u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 64u && k < last_term) { value = left_C[left_start + place * 64u + k]; }
      left_tile[line * 64u + own] = value;
    }
    {
      let at = lane + 256u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 64u && k < last_term) { value = left_C[left_start + place * 64u + k]; }
      left_tile[line * 64u + own] = value;
    }
    {
      let at = lane + 512u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 64u && k < last_term) { value = left_C[left_start + place * 64u + k]; }
      left_tile[line * 64u + own] = value;
    }
    {
      let at = lane + 768u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = C(T(0.0), T(0.0));
      if (place < 64u && k < last_term) { value = left_C[left_start + place * 64u + k]; }
      left_tile[line * 64u + own] = value;
    }
    {
      let at = lane + 0u;
      let line = at / 64u;
      let own = at % 64u;
      let k = term + line;
      let place = first_column + own;
      var value = C(T(0.0), T(0.0));
      if (place < 64u && k < last_term) { value = right_C[right_start + k * 64u + place]; }
      right_tile[line * 64u + own] = value;
    }
    {
      let at = lane + 256u;
      let line = at / 64u;
      let own = at % 64u;
      let k = term + line;
      let place = first_column + own;
      var value = C(T(0.0), T(0.0));
      if (place < 64u && k < last_term) { value = right_C[right_start + k * 64u + place]; }
      right_tile[line * 64u + own] = value;
    }
    {
      let at = lane + 512u;
      let line = at / 64u;
      let own = at % 64u;
      let k = term + line;
      let place = first_column + own;
      var value = C(T(0.0), T(0.0));
      if (place < 64u && k < last_term) { value = right_C[right_start + k * 64u + place]; }
      right_tile[line * 64u + own] = value;
    }
    {
      let at = lane + 768u;
      let line = at / 64u;
      let own = at % 64u;
      let k = term + line;
      let place = first_column + own;
      var value = C(T(0.0), T(0.0));
      if (place < 64u && k < last_term) { value = right_C[right_start + k * 64u + place]; }
      right_tile[line * 64u + own] = value;
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k = k + 1u) {
      let a_0 = left_tile[k * 64u + lane_row * 4u + 0u];
      let a_1 = left_tile[k * 64u + lane_row * 4u + 1u];
      let a_2 = left_tile[k * 64u + lane_row * 4u + 2u];
      let a_3 = left_tile[k * 64u + lane_row * 4u + 3u];
      let b_0 = right_tile[k * 64u + lane_column * 4u + 0u];
      let b_1 = right_tile[k * 64u + lane_column * 4u + 1u];
      let b_2 = right_tile[k * 64u + lane_column * 4u + 2u];
      let b_3 = right_tile[k * 64u + lane_column * 4u + 3u];
      sum_0_0 = mad(a_0, b_0, sum_0_0);
      sum_0_1 = mad(a_0, b_1, sum_0_1);
      sum_0_2 = mad(a_0, b_2, sum_0_2);
      sum_0_3 = mad(a_0, b_3, sum_0_3);
      sum_1_0 = mad(a_1, b_0, sum_1_0);
      sum_1_1 = mad(a_1, b_1, sum_1_1);
      sum_1_2 = mad(a_1, b_2, sum_1_2);
      sum_1_3 = mad(a_1, b_3, sum_1_3);
      sum_2_0 = mad(a_2, b_0, sum_2_0);
      sum_2_1 = mad(a_2, b_1, sum_2_1);
      sum_2_2 = mad(a_2, b_2, sum_2_2);
      sum_2_3 = mad(a_2, b_3, sum_2_3);
      sum_3_0 = mad(a_3, b_0, sum_3_0);
      sum_3_1 = mad(a_3, b_1, sum_3_1);
      sum_3_2 = mad(a_3, b_2, sum_3_2);
      sum_3_3 = mad(a_3, b_3, sum_3_3);
    }
    workgroupBarrier();
  }
  if (row_0 < 64u && column_0 < 64u) { output_C[output_start + row_0 * 64u + column_0] = sum_0_0; }
  if (row_0 < 64u && column_1 < 64u) { output_C[output_start + row_0 * 64u + column_1] = sum_0_1; }
  if (row_0 < 64u && column_2 < 64u) { output_C[output_start + row_0 * 64u + column_2] = sum_0_2; }
  if (row_0 < 64u && column_3 < 64u) { output_C[output_start + row_0 * 64u + column_3] = sum_0_3; }
  if (row_1 < 64u && column_0 < 64u) { output_C[output_start + row_1 * 64u + column_0] = sum_1_0; }
  if (row_1 < 64u && column_1 < 64u) { output_C[output_start + row_1 * 64u + column_1] = sum_1_1; }
  if (row_1 < 64u && column_2 < 64u) { output_C[output_start + row_1 * 64u + column_2] = sum_1_2; }
  if (row_1 < 64u && column_3 < 64u) { output_C[output_start + row_1 * 64u + column_3] = sum_1_3; }
  if (row_2 < 64u && column_0 < 64u) { output_C[output_start + row_2 * 64u + column_0] = sum_2_0; }
  if (row_2 < 64u && column_1 < 64u) { output_C[output_start + row_2 * 64u + column_1] = sum_2_1; }
  if (row_2 < 64u && column_2 < 64u) { output_C[output_start + row_2 * 64u + column_2] = sum_2_2; }
  if (row_2 < 64u && column_3 < 64u) { output_C[output_start + row_2 * 64u + column_3] = sum_2_3; }
  if (row_3 < 64u && column_0 < 64u) { output_C[output_start + row_3 * 64u + column_0] = sum_3_0; }
  if (row_3 < 64u && column_1 < 64u) { output_C[output_start + row_3 * 64u + column_1] = sum_3_1; }
  if (row_3 < 64u && column_2 < 64u) { output_C[output_start + row_3 * 64u + column_2] = sum_3_2; }
  if (row_3 < 64u && column_3 < 64u) { output_C[output_start + row_3 * 64u + column_3] = sum_3_3; }
}
