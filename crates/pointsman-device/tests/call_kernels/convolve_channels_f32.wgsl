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
var<workgroup> rows: array<T, 1122>;
var<workgroup> weights: array<T, 36>;
@compute @workgroup_size(256)
fn convolve(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 1u;
  let right_at = arguments.words[1].x / 1u;
  let output_at = arguments.words[1].y / 1u;
  let tile_down = group / 1u % 1u * 32u;
  let tile_across = group % 1u * 16u;
  let tile_channel = group / 1u % 1u * 4u;
  let chunk = group / 1u;
  let lane_channel = lane / 256u * 4u;
  let down_0 = lane / 16u % 16u + 0u;
  let across_0 = lane % 16u + 0u;
  let down_1 = lane / 16u % 16u + 16u;
  let across_1 = lane % 16u + 0u;
  var sum_0_0 = T(0.0);
  var sum_0_1 = T(0.0);
  var sum_0_2 = T(0.0);
  var sum_0_3 = T(0.0);
  var sum_1_0 = T(0.0);
  var sum_1_1 = T(0.0);
  var sum_1_2 = T(0.0);
  var sum_1_3 = T(0.0);
  if (arguments.words[1].w > 0u) {
    if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 0u < 3u) { sum_0_0 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 0u) * 20u + tile_down + down_0) * 15u + tile_across + across_0]; }
    if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 1u < 3u) { sum_0_1 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 1u) * 20u + tile_down + down_0) * 15u + tile_across + across_0]; }
    if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 2u < 3u) { sum_0_2 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 2u) * 20u + tile_down + down_0) * 15u + tile_across + across_0]; }
    if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 3u < 3u) { sum_0_3 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 3u) * 20u + tile_down + down_0) * 15u + tile_across + across_0]; }
    if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 0u < 3u) { sum_1_0 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 0u) * 20u + tile_down + down_1) * 15u + tile_across + across_1]; }
    if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 1u < 3u) { sum_1_1 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 1u) * 20u + tile_down + down_1) * 15u + tile_across + across_1]; }
    if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 2u < 3u) { sum_1_2 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 2u) * 20u + tile_down + down_1) * 15u + tile_across + across_1]; }
    if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 3u < 3u) { sum_1_3 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 3u) * 20u + tile_down + down_1) * 15u + tile_across + across_1]; }
  }
  for (var step = arguments.words[1].w; step < arguments.words[2].x; step = step + 1u) {
    let channel_in = step / 1u;
    let first_down = step / 1u % 1u * 3u;
    let first_across = step % 1u * 3u;
    let channel_start = left_at + (chunk * 4u + channel_in) * 600u;
    let end_down = min(3u, 3u - first_down);
    let end_across = min(3u, 3u - first_across);
    for (var at = lane; at < 1122u; at = at + 256u) {
      let row = tile_down * 1u + first_down + at / 33u - 1u;
      let column = tile_across * 2u + first_across + at % 33u - 2u;
      var value = T(0.0);
      if (row < 20u && column < 30u) { value = left_T[channel_start + row * 30u + column]; }
      rows[at] = value;
    }
    for (var at = lane; at < 36u; at = at + 256u) {
      let down = at / 3u % 3u;
      let across = at % 3u;
      let channel = tile_channel + at / 9u;
      var value = T(0.0);
      if (channel < 3u && down < end_down && across < end_across) { value = right_T[right_at + ((channel) * 4u + channel_in) * 9u + 8u - ((first_down + down) * 3u + first_across + across)]; }
      weights[at] = value;
    }
    workgroupBarrier();
    if (tile_down * 1u >= 1u && (min(tile_down + 32u, 20u) - 1u) * 1u + 2u < 21u && tile_across * 2u >= 2u && (min(tile_across + 16u, 15u) - 1u) * 2u + 2u < 32u) {
    for (var down = 0u; down < end_down; down = down + 1u) {
      for (var across = 0u; across < end_across; across = across + 1u) {
        let w_0 = weights[((lane_channel + 0u) * 3u + down) * 3u + across];
        let w_1 = weights[((lane_channel + 1u) * 3u + down) * 3u + across];
        let w_2 = weights[((lane_channel + 2u) * 3u + down) * 3u + across];
        let w_3 = weights[((lane_channel + 3u) * 3u + down) * 3u + across];
        let x_0 = rows[(down_0 * 1u + down) * 33u + across_0 * 2u + across];
        sum_0_0 = fused(x_0, w_0, sum_0_0);
        sum_0_1 = fused(x_0, w_1, sum_0_1);
        sum_0_2 = fused(x_0, w_2, sum_0_2);
        sum_0_3 = fused(x_0, w_3, sum_0_3);
        let x_1 = rows[(down_1 * 1u + down) * 33u + across_1 * 2u + across];
        sum_1_0 = fused(x_1, w_0, sum_1_0);
        sum_1_1 = fused(x_1, w_1, sum_1_1);
        sum_1_2 = fused(x_1, w_2, sum_1_2);
        sum_1_3 = fused(x_1, w_3, sum_1_3);
      }
    }
    } else {
    for (var down = 0u; down < end_down; down = down + 1u) {
      for (var across = 0u; across < end_across; across = across + 1u) {
        let w_0 = weights[((lane_channel + 0u) * 3u + down) * 3u + across];
        let w_1 = weights[((lane_channel + 1u) * 3u + down) * 3u + across];
        let w_2 = weights[((lane_channel + 2u) * 3u + down) * 3u + across];
        let w_3 = weights[((lane_channel + 3u) * 3u + down) * 3u + across];
        let row_0 = (tile_down + down_0) * 1u + first_down + down - 1u;
        let column_0 = (tile_across + across_0) * 2u + first_across + across - 2u;
        if (row_0 < 20u && column_0 < 30u) {
        let x_0 = rows[(down_0 * 1u + down) * 33u + across_0 * 2u + across];
        sum_0_0 = fused(x_0, w_0, sum_0_0);
        sum_0_1 = fused(x_0, w_1, sum_0_1);
        sum_0_2 = fused(x_0, w_2, sum_0_2);
        sum_0_3 = fused(x_0, w_3, sum_0_3);
        }
        let row_1 = (tile_down + down_1) * 1u + first_down + down - 1u;
        let column_1 = (tile_across + across_1) * 2u + first_across + across - 2u;
        if (row_1 < 20u && column_1 < 30u) {
        let x_1 = rows[(down_1 * 1u + down) * 33u + across_1 * 2u + across];
        sum_1_0 = fused(x_1, w_0, sum_1_0);
        sum_1_1 = fused(x_1, w_1, sum_1_1);
        sum_1_2 = fused(x_1, w_2, sum_1_2);
        sum_1_3 = fused(x_1, w_3, sum_1_3);
        }
      }
    }
    }
    workgroupBarrier();
  }
  if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 0u < 3u) { output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 0u) * 20u + tile_down + down_0) * 15u + tile_across + across_0] = sum_0_0; }
  if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 1u < 3u) { output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 1u) * 20u + tile_down + down_0) * 15u + tile_across + across_0] = sum_0_1; }
  if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 2u < 3u) { output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 2u) * 20u + tile_down + down_0) * 15u + tile_across + across_0] = sum_0_2; }
  if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 3u < 3u) { output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 3u) * 20u + tile_down + down_0) * 15u + tile_across + across_0] = sum_0_3; }
  if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 0u < 3u) { output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 0u) * 20u + tile_down + down_1) * 15u + tile_across + across_1] = sum_1_0; }
  if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 1u < 3u) { output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 1u) * 20u + tile_down + down_1) * 15u + tile_across + across_1] = sum_1_1; }
  if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 2u < 3u) { output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 2u) * 20u + tile_down + down_1) * 15u + tile_across + across_1] = sum_1_2; }
  if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 3u < 3u) { output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 3u) * 20u + tile_down + down_1) * 15u + tile_across + across_1] = sum_1_3; }
}
