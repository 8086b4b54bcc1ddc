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
  const T* left_T = (const T*)left_memory;
  const T* right_T = (const T*)right_memory;
  T* output_T = (T*)output_memory;
  if (block >= arguments.words[2]) { return; }
  let group = arguments.words[0] + block;
  let left_at = arguments.words[3] / 1u;
  let right_at = arguments.words[4] / 1u;
  let output_at = arguments.words[5] / 1u;
  let tile_down = group / 1u % 1u * 4u;
  let tile_across = group % 1u * 4u;
  let tile_channel = group / 1u % 1u * 16u;
  let chunk = group / 1u;
  let lane_channel = lane / 16u * 1u;
  let down_0 = lane / 4u % 4u + 0u;
  let across_0 = lane % 4u + 0u;
  var sum_0_0 = T(0.0);
  if (arguments.words[7] > 0u) {
    if (tile_down + down_0 < 4u && tile_across + across_0 < 4u && tile_channel + lane_channel + 0u < 1u) { sum_0_0 = output_T[output_at + ((chunk * 1u + tile_channel + lane_channel + 0u) * 4u + tile_down + down_0) * 4u + tile_across + across_0]; }
  }
  for (var step = arguments.words[7]; step < arguments.words[8]; step = step + 1u) {
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
