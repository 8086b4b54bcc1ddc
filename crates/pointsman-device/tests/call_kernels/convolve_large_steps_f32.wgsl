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
@compute @workgroup_size(256)
fn convolve(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) place: vec3<u32>) {
  let block = place.y * arguments.words[0].y + place.x;
  if (block >= arguments.words[0].z) { return; }
  let group = arguments.words[0].x + block;
  let left_at = arguments.words[0].w / 1u;
  let right_at = arguments.words[1].x / 1u;
  let output_at = arguments.words[1].y / 1u;
  let tile_down = group / 1u % 1u * 4u;
  let tile_across = group % 1u * 4u;
  let tile_channel = group / 1u % 1u * 16u;
  let chunk = group / 1u;
  let lane_channel = lane / 16u * 1u;
  let down_0 = lane / 4u % 4u + 0u;
  let across_0 = lane % 4u + 0u;
  var sum_0_0 = T(0.0);
  if (arguments.words[1].w > 0u) {
    if (tile_down + down_0 < 4u && tile_across + across_0 < 4u && tile_channel + lane_channel + 0u < 1u) { sum_0_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 4u + tile_down + down_0) * 4u + tile_across + across_0]; }
  }
  for (var step = arguments.words[1].w; step < arguments.words[2].x; step = step + 1u) {
    let channel_in = step / 1u;
    let first_down = step / 1u % 1u * 3u;
    let first_across = step % 1u * 3u;
    let channel_start = left_at + (chunk * 1u + channel_in) * 160000u;
    let end_down = min(3u, 3u - first_down);
    let end_across = min(3u, 3u - first_across);
    for (var down = 0u; down < end_down; down = down + 1u) {
      for (var across = 0u; across < end_across; across = across + 1u) {
        var w_0 = T(0.0);
        if (tile_channel + lane_channel + 0u < 1u) { w_0 = right_T[right_at + ((tile_channel + lane_channel + 0u) * 1u + channel_in) * 9u + (first_down + down) * 3u + first_across + across]; }
        let row_0 = (tile_down + down_0) * 100u + first_down + down - 0u;
        let column_0 = (tile_across + across_0) * 100u + first_across + across - 0u;
        if (row_0 < 400u && column_0 < 400u) {
        let x_0 = left_T[channel_start + row_0 * 400u + column_0];
        sum_0_0 = fused(x_0, w_0, sum_0_0);
        }
      }
    }
  }
  if (tile_down + down_0 < 4u && tile_across + across_0 < 4u && tile_channel + lane_channel + 0u < 1u) { output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 4u + tile_down + down_0) * 4u + tile_across + across_0] = sum_0_0; }
}
