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
var<workgroup> rows: array<T, 2111>;
var<workgroup> weights: array<T, 64>;
@compute @workgroup_size(256)
fn convolve(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 1u;
  let right_at = arguments.words[1].x / 1u;
  let output_at = arguments.words[1].y / 1u;
  let tile_down = group / 5u % 1u * 1u;
  let tile_across = group % 5u * 2048u;
  let tile_channel = group / 5u % 1u * 1u;
  let chunk = group / 5u;
  let lane_channel = lane / 256u * 1u;
  let down_0 = lane / 256u % 1u + 0u;
  let across_0 = lane % 256u + 0u;
  let down_1 = lane / 256u % 1u + 0u;
  let across_1 = lane % 256u + 256u;
  let down_2 = lane / 256u % 1u + 0u;
  let across_2 = lane % 256u + 512u;
  let down_3 = lane / 256u % 1u + 0u;
  let across_3 = lane % 256u + 768u;
  let down_4 = lane / 256u % 1u + 0u;
  let across_4 = lane % 256u + 1024u;
  let down_5 = lane / 256u % 1u + 0u;
  let across_5 = lane % 256u + 1280u;
  let down_6 = lane / 256u % 1u + 0u;
  let across_6 = lane % 256u + 1536u;
  let down_7 = lane / 256u % 1u + 0u;
  let across_7 = lane % 256u + 1792u;
  var sum_0_0 = T(0.0);
  var sum_1_0 = T(0.0);
  var sum_2_0 = T(0.0);
  var sum_3_0 = T(0.0);
  var sum_4_0 = T(0.0);
  var sum_5_0 = T(0.0);
  var sum_6_0 = T(0.0);
  var sum_7_0 = T(0.0);
  if (arguments.words[1].w > 0u) {
    if (tile_down + down_0 < 1u && tile_across + across_0 < 9936u && tile_channel + lane_channel + 0u < 1u) { sum_0_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_0) * 9936u + tile_across + across_0]; }
    if (tile_down + down_1 < 1u && tile_across + across_1 < 9936u && tile_channel + lane_channel + 0u < 1u) { sum_1_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_1) * 9936u + tile_across + across_1]; }
    if (tile_down + down_2 < 1u && tile_across + across_2 < 9936u && tile_channel + lane_channel + 0u < 1u) { sum_2_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_2) * 9936u + tile_across + across_2]; }
    if (tile_down + down_3 < 1u && tile_across + across_3 < 9936u && tile_channel + lane_channel + 0u < 1u) { sum_3_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_3) * 9936u + tile_across + across_3]; }
    if (tile_down + down_4 < 1u && tile_across + across_4 < 9936u && tile_channel + lane_channel + 0u < 1u) { sum_4_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_4) * 9936u + tile_across + across_4]; }
    if (tile_down + down_5 < 1u && tile_across + across_5 < 9936u && tile_channel + lane_channel + 0u < 1u) { sum_5_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_5) * 9936u + tile_across + across_5]; }
    if (tile_down + down_6 < 1u && tile_across + across_6 < 9936u && tile_channel + lane_channel + 0u < 1u) { sum_6_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_6) * 9936u + tile_across + across_6]; }
    if (tile_down + down_7 < 1u && tile_across + across_7 < 9936u && tile_channel + lane_channel + 0u < 1u) { sum_7_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_7) * 9936u + tile_across + across_7]; }
  }
  for (var step = arguments.words[1].w; step < arguments.words[2].x; step = step + 1u) {
    let channel_in = step / 2u;
    let first_down = step / 2u % 1u * 1u;
    let first_across = step % 2u * 64u;
    let channel_start = left_at + (chunk * 1u + channel_in) * 10000u;
    let end_down = min(1u, 1u - first_down);
    let end_across = min(64u, 65u - first_across);
    for (var at = lane; at < 2111u; at = at + 256u) {
      let row = tile_down * 1u + first_down + at / 2111u - 0u;
      let column = tile_across * 1u + first_across + at % 2111u - 0u;
      var value = T(0.0);
      if (row < 1u && column < 10000u) { value = left_T[channel_start + row * 10000u + column]; }
      rows[at] = value;
    }
    for (var at = lane; at < 64u; at = at + 256u) {
      let down = at / 64u % 1u;
      let across = at % 64u;
      let channel = tile_channel + at / 64u;
      var value = T(0.0);
      if (channel < 1u && down < end_down && across < end_across) { value = right_T[right_at + ((channel) * 1u + channel_in) * 65u + (first_down + down) * 65u + first_across + across]; }
      weights[at] = value;
    }
    workgroupBarrier();
    for (var down = 0u; down < end_down; down = down + 1u) {
      for (var across = 0u; across < end_across; across = across + 1u) {
        let w_0 = weights[((lane_channel + 0u) * 1u + down) * 64u + across];
        let x_0 = rows[(down_0 * 1u + down) * 2111u + across_0 * 1u + across];
        sum_0_0 = fused(x_0, w_0, sum_0_0);
        let x_1 = rows[(down_1 * 1u + down) * 2111u + across_1 * 1u + across];
        sum_1_0 = fused(x_1, w_0, sum_1_0);
        let x_2 = rows[(down_2 * 1u + down) * 2111u + across_2 * 1u + across];
        sum_2_0 = fused(x_2, w_0, sum_2_0);
        let x_3 = rows[(down_3 * 1u + down) * 2111u + across_3 * 1u + across];
        sum_3_0 = fused(x_3, w_0, sum_3_0);
        let x_4 = rows[(down_4 * 1u + down) * 2111u + across_4 * 1u + across];
        sum_4_0 = fused(x_4, w_0, sum_4_0);
        let x_5 = rows[(down_5 * 1u + down) * 2111u + across_5 * 1u + across];
        sum_5_0 = fused(x_5, w_0, sum_5_0);
        let x_6 = rows[(down_6 * 1u + down) * 2111u + across_6 * 1u + across];
        sum_6_0 = fused(x_6, w_0, sum_6_0);
        let x_7 = rows[(down_7 * 1u + down) * 2111u + across_7 * 1u + across];
        sum_7_0 = fused(x_7, w_0, sum_7_0);
      }
    }
    workgroupBarrier();
  }
  if (tile_down + down_0 < 1u && tile_across + across_0 < 9936u && tile_channel + lane_channel + 0u < 1u) { output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_0) * 9936u + tile_across + across_0] = sum_0_0; }
  if (tile_down + down_1 < 1u && tile_across + across_1 < 9936u && tile_channel + lane_channel + 0u < 1u) { output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_1) * 9936u + tile_across + across_1] = sum_1_0; }
  if (tile_down + down_2 < 1u && tile_across + across_2 < 9936u && tile_channel + lane_channel + 0u < 1u) { output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_2) * 9936u + tile_across + across_2] = sum_2_0; }
  if (tile_down + down_3 < 1u && tile_across + across_3 < 9936u && tile_channel + lane_channel + 0u < 1u) { output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_3) * 9936u + tile_across + across_3] = sum_3_0; }
  if (tile_down + down_4 < 1u && tile_across + across_4 < 9936u && tile_channel + lane_channel + 0u < 1u) { output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_4) * 9936u + tile_across + across_4] = sum_4_0; }
  if (tile_down + down_5 < 1u && tile_across + across_5 < 9936u && tile_channel + lane_channel + 0u < 1u) { output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_5) * 9936u + tile_across + across_5] = sum_5_0; }
  if (tile_down + down_6 < 1u && tile_across + across_6 < 9936u && tile_channel + lane_channel + 0u < 1u) { output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_6) * 9936u + tile_across + across_6] = sum_6_0; }
  if (tile_down + down_7 < 1u && tile_across + across_7 < 9936u && tile_channel + lane_channel + 0u < 1u) { output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 1u + tile_down + down_7) * 9936u + tile_across + across_7] = sum_7_0; }
}
