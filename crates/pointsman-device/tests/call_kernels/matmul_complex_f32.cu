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
  __shared__ __align__(16) C left_tile[1024];
  __shared__ __align__(16) C right_tile[1024];
  const C* left_C = (const C*)left_memory;
  const C* right_C = (const C*)right_memory;
  C* output_C = (C*)output_memory;
  if (block >= arguments.words[2]) { return; }
  let group = arguments.words[0] + block;
  let left_at = arguments.words[3] / 2u;
  let right_at = arguments.words[4] / 2u;
  let output_at = arguments.words[5] / 2u;
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
  let first_term = part * 64u + arguments.words[7];
  let last_term = min(part * 64u + arguments.words[8], 64u);
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
  if (arguments.words[7] > 0u) {
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
#pragma unroll
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
