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
extern "C" __global__ void __launch_bounds__(256) matmul(const Arguments arguments, const T* __restrict__ left_memory, const T* __restrict__ right_memory, T* output_memory) {
  let lane = threadIdx.x;
  let block = blockIdx.y * arguments.words[1] + blockIdx.x;
  __shared__ __align__(16) T left_tile[2048];
  __shared__ __align__(16) T right_tile[64];
  const T* left_T = (const T*)left_memory;
  const T* right_T = (const T*)right_memory;
  T* output_T = (T*)output_memory;
  if (block >= arguments.words[2]) { return; }
  let group = arguments.words[0] + block;
  let left_at = arguments.words[3] / 1u;
  let right_at = arguments.words[4] / 1u;
  let output_at = arguments.words[5] / 1u;
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
  let first_term = part * 16u + arguments.words[7];
  let last_term = min(part * 16u + arguments.words[8], 7u);
  let row_0 = first_row + lane_row * 1u + 0u;
  let column_0 = first_column + lane_column * 2u + 0u;
  let column_1 = first_column + lane_column * 2u + 1u;
  var sum_0_0 = T(0.0);
  var sum_0_1 = T(0.0);
  if (arguments.words[7] > 0u) {
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
#pragma unroll
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
