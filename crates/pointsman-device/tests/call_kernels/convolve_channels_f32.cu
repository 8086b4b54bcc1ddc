typedef float T;
__device__ inline T fused(T a, T b, T c) { return __fmaf_rn(a, b, c); }
typedef unsigned int u32;
typedef int i32;
#define let const auto
#define var auto
struct C {
  T x, y;
  C() = default;
  __device__ C(T real, T imaginary) : x(real), y(imaginary) {}
};
__device__ inline C operator+(C a, C b) { return C(a.x + b.x, a.y + b.y); }
__device__ inline C operator-(C a, C b) { return C(a.x - b.x, a.y - b.y); }
__device__ inline C scaled(C a, T b) { return C(a.x * b, a.y * b); }
__device__ inline C conjugate(C a) { return C(a.x, -a.y); }
__device__ inline C mul(C a, C b) { return C(fused(a.x, b.x, -(a.y * b.y)), fused(a.x, b.y, a.y * b.x)); }
__device__ inline C mad(C a, C b, C c) {
  return C(fused(-a.y, b.y, fused(a.x, b.x, c.x)), fused(a.y, b.x, fused(a.x, b.y, c.y)));
}
__device__ inline void workgroupBarrier() { __syncthreads(); }
struct Arguments { u32 words[16]; };
extern "C" __global__ void __launch_bounds__(256) convolve(const Arguments arguments, const T* __restrict__ left_memory, const T* __restrict__ right_memory, T* output_memory) {
  let lane = threadIdx.x;
  let block = blockIdx.y * arguments.words[1] + blockIdx.x;
  __shared__ __align__(16) T rows[1122];
  __shared__ __align__(16) T weights[36];
  const T* left_T = (const T*)left_memory;
  const T* right_T = (const T*)right_memory;
  T* output_T = (T*)output_memory;
  if (block >= arguments.words[2]) { return; }
  let group = arguments.words[0] + block;
  let left_at = arguments.words[3] / 1u;
  let right_at = arguments.words[4] / 1u;
  let output_at = arguments.words[5] / 1u;
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
  if (arguments.words[7] > 0u) {
    if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 0u < 3u) { sum_0_0 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 0u) * 20u + tile_down + down_0) * 15u + tile_across + across_0]; }
    if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 1u < 3u) { sum_0_1 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 1u) * 20u + tile_down + down_0) * 15u + tile_across + across_0]; }
    if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 2u < 3u) { sum_0_2 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 2u) * 20u + tile_down + down_0) * 15u + tile_across + across_0]; }
    if (tile_down + down_0 < 20u && tile_across + across_0 < 15u && tile_channel + lane_channel + 3u < 3u) { sum_0_3 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 3u) * 20u + tile_down + down_0) * 15u + tile_across + across_0]; }
    if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 0u < 3u) { sum_1_0 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 0u) * 20u + tile_down + down_1) * 15u + tile_across + across_1]; }
    if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 1u < 3u) { sum_1_1 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 1u) * 20u + tile_down + down_1) * 15u + tile_across + across_1]; }
    if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 2u < 3u) { sum_1_2 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 2u) * 20u + tile_down + down_1) * 15u + tile_across + across_1]; }
    if (tile_down + down_1 < 20u && tile_across + across_1 < 15u && tile_channel + lane_channel + 3u < 3u) { sum_1_3 = output_T[output_at + ((chunk * 3u + tile_channel + lane_channel + 3u) * 20u + tile_down + down_1) * 15u + tile_across + across_1]; }
  }
  for (var step = arguments.words[7]; step < arguments.words[8]; step = step + 1u) {
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
