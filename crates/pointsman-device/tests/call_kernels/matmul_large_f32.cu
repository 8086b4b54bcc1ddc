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
  __shared__ __align__(16) T right_tile[2048];
  const T* left_T = (const T*)left_memory;
  const T* right_T = (const T*)right_memory;
  T* output_T = (T*)output_memory;
  if (block >= arguments.words[2]) { return; }
  let group = arguments.words[0] + block;
  let left_at = arguments.words[3] / 1u;
  let right_at = arguments.words[4] / 1u;
  let output_at = arguments.words[5] / 1u;
  let tile = group % 64u;
  let part = group / 64u % 1u;
  let chunk = group / 64u;
  let first_row = tile / 8u * 128u;
  let first_column = tile % 8u * 128u;
  let left_start = left_at + chunk * 1048576u;
  let right_start = right_at;
  let output_start = output_at + (chunk * 1u + part) * 1048576u;
  let lane_row = lane / 16u;
  let lane_column = lane % 16u;
  let first_term = part * 1024u + arguments.words[7];
  let last_term = min(part * 1024u + arguments.words[8], 1024u);
  let row_0 = first_row + lane_row * 4u + 0u;
  let row_1 = first_row + lane_row * 4u + 1u;
  let row_2 = first_row + lane_row * 4u + 2u;
  let row_3 = first_row + lane_row * 4u + 3u;
  let row_4 = first_row + lane_row * 4u + 64u;
  let row_5 = first_row + lane_row * 4u + 65u;
  let row_6 = first_row + lane_row * 4u + 66u;
  let row_7 = first_row + lane_row * 4u + 67u;
  let column_0 = first_column + lane_column * 4u + 0u;
  let column_1 = first_column + lane_column * 4u + 1u;
  let column_2 = first_column + lane_column * 4u + 2u;
  let column_3 = first_column + lane_column * 4u + 3u;
  let column_4 = first_column + lane_column * 4u + 64u;
  let column_5 = first_column + lane_column * 4u + 65u;
  let column_6 = first_column + lane_column * 4u + 66u;
  let column_7 = first_column + lane_column * 4u + 67u;
  var sum_0_0 = T(0.0);
  var sum_0_1 = T(0.0);
  var sum_0_2 = T(0.0);
  var sum_0_3 = T(0.0);
  var sum_0_4 = T(0.0);
  var sum_0_5 = T(0.0);
  var sum_0_6 = T(0.0);
  var sum_0_7 = T(0.0);
  var sum_1_0 = T(0.0);
  var sum_1_1 = T(0.0);
  var sum_1_2 = T(0.0);
  var sum_1_3 = T(0.0);
  var sum_1_4 = T(0.0);
  var sum_1_5 = T(0.0);
  var sum_1_6 = T(0.0);
  var sum_1_7 = T(0.0);
  var sum_2_0 = T(0.0);
  var sum_2_1 = T(0.0);
  var sum_2_2 = T(0.0);
  var sum_2_3 = T(0.0);
  var sum_2_4 = T(0.0);
  var sum_2_5 = T(0.0);
  var sum_2_6 = T(0.0);
  var sum_2_7 = T(0.0);
  var sum_3_0 = T(0.0);
  var sum_3_1 = T(0.0);
  var sum_3_2 = T(0.0);
  var sum_3_3 = T(0.0);
  var sum_3_4 = T(0.0);
  var sum_3_5 = T(0.0);
  var sum_3_6 = T(0.0);
  var sum_3_7 = T(0.0);
  var sum_4_0 = T(0.0);
  var sum_4_1 = T(0.0);
  var sum_4_2 = T(0.0);
  var sum_4_3 = T(0.0);
  var sum_4_4 = T(0.0);
  var sum_4_5 = T(0.0);
  var sum_4_6 = T(0.0);
  var sum_4_7 = T(0.0);
  var sum_5_0 = T(0.0);
  var sum_5_1 = T(0.0);
  var sum_5_2 = T(0.0);
  var sum_5_3 = T(0.0);
  var sum_5_4 = T(0.0);
  var sum_5_5 = T(0.0);
  var sum_5_6 = T(0.0);
  var sum_5_7 = T(0.0);
  var sum_6_0 = T(0.0);
  var sum_6_1 = T(0.0);
  var sum_6_2 = T(0.0);
  var sum_6_3 = T(0.0);
  var sum_6_4 = T(0.0);
  var sum_6_5 = T(0.0);
  var sum_6_6 = T(0.0);
  var sum_6_7 = T(0.0);
  var sum_7_0 = T(0.0);
  var sum_7_1 = T(0.0);
  var sum_7_2 = T(0.0);
  var sum_7_3 = T(0.0);
  var sum_7_4 = T(0.0);
  var sum_7_5 = T(0.0);
  var sum_7_6 = T(0.0);
  var sum_7_7 = T(0.0);
  if (arguments.words[7] > 0u) {
    if (row_0 < 1024u && column_0 < 1024u) { sum_0_0 = output_T[output_start + row_0 * 1024u + column_0]; }
    if (row_0 < 1024u && column_1 < 1024u) { sum_0_1 = output_T[output_start + row_0 * 1024u + column_1]; }
    if (row_0 < 1024u && column_2 < 1024u) { sum_0_2 = output_T[output_start + row_0 * 1024u + column_2]; }
    if (row_0 < 1024u && column_3 < 1024u) { sum_0_3 = output_T[output_start + row_0 * 1024u + column_3]; }
    if (row_0 < 1024u && column_4 < 1024u) { sum_0_4 = output_T[output_start + row_0 * 1024u + column_4]; }
    if (row_0 < 1024u && column_5 < 1024u) { sum_0_5 = output_T[output_start + row_0 * 1024u + column_5]; }
    if (row_0 < 1024u && column_6 < 1024u) { sum_0_6 = output_T[output_start + row_0 * 1024u + column_6]; }
    if (row_0 < 1024u && column_7 < 1024u) { sum_0_7 = output_T[output_start + row_0 * 1024u + column_7]; }
    if (row_1 < 1024u && column_0 < 1024u) { sum_1_0 = output_T[output_start + row_1 * 1024u + column_0]; }
    if (row_1 < 1024u && column_1 < 1024u) { sum_1_1 = output_T[output_start + row_1 * 1024u + column_1]; }
    if (row_1 < 1024u && column_2 < 1024u) { sum_1_2 = output_T[output_start + row_1 * 1024u + column_2]; }
    if (row_1 < 1024u && column_3 < 1024u) { sum_1_3 = output_T[output_start + row_1 * 1024u + column_3]; }
    if (row_1 < 1024u && column_4 < 1024u) { sum_1_4 = output_T[output_start + row_1 * 1024u + column_4]; }
    if (row_1 < 1024u && column_5 < 1024u) { sum_1_5 = output_T[output_start + row_1 * 1024u + column_5]; }
    if (row_1 < 1024u && column_6 < 1024u) { sum_1_6 = output_T[output_start + row_1 * 1024u + column_6]; }
    if (row_1 < 1024u && column_7 < 1024u) { sum_1_7 = output_T[output_start + row_1 * 1024u + column_7]; }
    if (row_2 < 1024u && column_0 < 1024u) { sum_2_0 = output_T[output_start + row_2 * 1024u + column_0]; }
    if (row_2 < 1024u && column_1 < 1024u) { sum_2_1 = output_T[output_start + row_2 * 1024u + column_1]; }
    if (row_2 < 1024u && column_2 < 1024u) { sum_2_2 = output_T[output_start + row_2 * 1024u + column_2]; }
    if (row_2 < 1024u && column_3 < 1024u) { sum_2_3 = output_T[output_start + row_2 * 1024u + column_3]; }
    if (row_2 < 1024u && column_4 < 1024u) { sum_2_4 = output_T[output_start + row_2 * 1024u + column_4]; }
    if (row_2 < 1024u && column_5 < 1024u) { sum_2_5 = output_T[output_start + row_2 * 1024u + column_5]; }
    if (row_2 < 1024u && column_6 < 1024u) { sum_2_6 = output_T[output_start + row_2 * 1024u + column_6]; }
    if (row_2 < 1024u && column_7 < 1024u) { sum_2_7 = output_T[output_start + row_2 * 1024u + column_7]; }
    if (row_3 < 1024u && column_0 < 1024u) { sum_3_0 = output_T[output_start + row_3 * 1024u + column_0]; }
    if (row_3 < 1024u && column_1 < 1024u) { sum_3_1 = output_T[output_start + row_3 * 1024u + column_1]; }
    if (row_3 < 1024u && column_2 < 1024u) { sum_3_2 = output_T[output_start + row_3 * 1024u + column_2]; }
    if (row_3 < 1024u && column_3 < 1024u) { sum_3_3 = output_T[output_start + row_3 * 1024u + column_3]; }
    if (row_3 < 1024u && column_4 < 1024u) { sum_3_4 = output_T[output_start + row_3 * 1024u + column_4]; }
    if (row_3 < 1024u && column_5 < 1024u) { sum_3_5 = output_T[output_start + row_3 * 1024u + column_5]; }
    if (row_3 < 1024u && column_6 < 1024u) { sum_3_6 = output_T[output_start + row_3 * 1024u + column_6]; }
    if (row_3 < 1024u && column_7 < 1024u) { sum_3_7 = output_T[output_start + row_3 * 1024u + column_7]; }
    if (row_4 < 1024u && column_0 < 1024u) { sum_4_0 = output_T[output_start + row_4 * 1024u + column_0]; }
    if (row_4 < 1024u && column_1 < 1024u) { sum_4_1 = output_T[output_start + row_4 * 1024u + column_1]; }
    if (row_4 < 1024u && column_2 < 1024u) { sum_4_2 = output_T[output_start + row_4 * 1024u + column_2]; }
    if (row_4 < 1024u && column_3 < 1024u) { sum_4_3 = output_T[output_start + row_4 * 1024u + column_3]; }
    if (row_4 < 1024u && column_4 < 1024u) { sum_4_4 = output_T[output_start + row_4 * 1024u + column_4]; }
    if (row_4 < 1024u && column_5 < 1024u) { sum_4_5 = output_T[output_start + row_4 * 1024u + column_5]; }
    if (row_4 < 1024u && column_6 < 1024u) { sum_4_6 = output_T[output_start + row_4 * 1024u + column_6]; }
    if (row_4 < 1024u && column_7 < 1024u) { sum_4_7 = output_T[output_start + row_4 * 1024u + column_7]; }
    if (row_5 < 1024u && column_0 < 1024u) { sum_5_0 = output_T[output_start + row_5 * 1024u + column_0]; }
    if (row_5 < 1024u && column_1 < 1024u) { sum_5_1 = output_T[output_start + row_5 * 1024u + column_1]; }
    if (row_5 < 1024u && column_2 < 1024u) { sum_5_2 = output_T[output_start + row_5 * 1024u + column_2]; }
    if (row_5 < 1024u && column_3 < 1024u) { sum_5_3 = output_T[output_start + row_5 * 1024u + column_3]; }
    if (row_5 < 1024u && column_4 < 1024u) { sum_5_4 = output_T[output_start + row_5 * 1024u + column_4]; }
    if (row_5 < 1024u && column_5 < 1024u) { sum_5_5 = output_T[output_start + row_5 * 1024u + column_5]; }
    if (row_5 < 1024u && column_6 < 1024u) { sum_5_6 = output_T[output_start + row_5 * 1024u + column_6]; }
    if (row_5 < 1024u && column_7 < 1024u) { sum_5_7 = output_T[output_start + row_5 * 1024u + column_7]; }
    if (row_6 < 1024u && column_0 < 1024u) { sum_6_0 = output_T[output_start + row_6 * 1024u + column_0]; }
    if (row_6 < 1024u && column_1 < 1024u) { sum_6_1 = output_T[output_start + row_6 * 1024u + column_1]; }
    if (row_6 < 1024u && column_2 < 1024u) { sum_6_2 = output_T[output_start + row_6 * 1024u + column_2]; }
    if (row_6 < 1024u && column_3 < 1024u) { sum_6_3 = output_T[output_start + row_6 * 1024u + column_3]; }
    if (row_6 < 1024u && column_4 < 1024u) { sum_6_4 = output_T[output_start + row_6 * 1024u + column_4]; }
    if (row_6 < 1024u && column_5 < 1024u) { sum_6_5 = output_T[output_start + row_6 * 1024u + column_5]; }
    if (row_6 < 1024u && column_6 < 1024u) { sum_6_6 = output_T[output_start + row_6 * 1024u + column_6]; }
    if (row_6 < 1024u && column_7 < 1024u) { sum_6_7 = output_T[output_start + row_6 * 1024u + column_7]; }
    if (row_7 < 1024u && column_0 < 1024u) { sum_7_0 = output_T[output_start + row_7 * 1024u + column_0]; }
    if (row_7 < 1024u && column_1 < 1024u) { sum_7_1 = output_T[output_start + row_7 * 1024u + column_1]; }
    if (row_7 < 1024u && column_2 < 1024u) { sum_7_2 = output_T[output_start + row_7 * 1024u + column_2]; }
    if (row_7 < 1024u && column_3 < 1024u) { sum_7_3 = output_T[output_start + row_7 * 1024u + column_3]; }
    if (row_7 < 1024u && column_4 < 1024u) { sum_7_4 = output_T[output_start + row_7 * 1024u + column_4]; }
    if (row_7 < 1024u && column_5 < 1024u) { sum_7_5 = output_T[output_start + row_7 * 1024u + column_5]; }
    if (row_7 < 1024u && column_6 < 1024u) { sum_7_6 = output_T[output_start + row_7 * 1024u + column_6]; }
    if (row_7 < 1024u && column_7 < 1024u) { sum_7_7 = output_T[output_start + row_7 * 1024u + column_7]; }
  }
  for (var term = first_term; term < last_term; term = term + 16u) {
    {
      let at = lane + 0u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = left_T[left_start + place * 1024u + k]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 256u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = left_T[left_start + place * 1024u + k]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 512u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = left_T[left_start + place * 1024u + k]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 768u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = left_T[left_start + place * 1024u + k]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1024u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = left_T[left_start + place * 1024u + k]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1280u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = left_T[left_start + place * 1024u + k]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1536u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = left_T[left_start + place * 1024u + k]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1792u;
      let line = at % 16u;
      let own = at / 16u;
      let k = term + line;
      let place = first_row + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = left_T[left_start + place * 1024u + k]; }
      left_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 0u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_column + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = right_T[right_start + k * 1024u + place]; }
      right_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 256u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_column + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = right_T[right_start + k * 1024u + place]; }
      right_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 512u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_column + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = right_T[right_start + k * 1024u + place]; }
      right_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 768u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_column + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = right_T[right_start + k * 1024u + place]; }
      right_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1024u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_column + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = right_T[right_start + k * 1024u + place]; }
      right_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1280u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_column + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = right_T[right_start + k * 1024u + place]; }
      right_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1536u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_column + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = right_T[right_start + k * 1024u + place]; }
      right_tile[line * 128u + own] = value;
    }
    {
      let at = lane + 1792u;
      let line = at / 128u;
      let own = at % 128u;
      let k = term + line;
      let place = first_column + own;
      var value = T(0.0);
      if (place < 1024u && k < last_term) { value = right_T[right_start + k * 1024u + place]; }
      right_tile[line * 128u + own] = value;
    }
    workgroupBarrier();
#pragma unroll
    for (var k = 0u; k < 16u; k = k + 1u) {
      let a_0 = left_tile[k * 128u + lane_row * 4u + 0u];
      let a_1 = left_tile[k * 128u + lane_row * 4u + 1u];
      let a_2 = left_tile[k * 128u + lane_row * 4u + 2u];
      let a_3 = left_tile[k * 128u + lane_row * 4u + 3u];
      let a_4 = left_tile[k * 128u + lane_row * 4u + 64u];
      let a_5 = left_tile[k * 128u + lane_row * 4u + 65u];
      let a_6 = left_tile[k * 128u + lane_row * 4u + 66u];
      let a_7 = left_tile[k * 128u + lane_row * 4u + 67u];
      let b_0 = right_tile[k * 128u + lane_column * 4u + 0u];
      let b_1 = right_tile[k * 128u + lane_column * 4u + 1u];
      let b_2 = right_tile[k * 128u + lane_column * 4u + 2u];
      let b_3 = right_tile[k * 128u + lane_column * 4u + 3u];
      let b_4 = right_tile[k * 128u + lane_column * 4u + 64u];
      let b_5 = right_tile[k * 128u + lane_column * 4u + 65u];
      let b_6 = right_tile[k * 128u + lane_column * 4u + 66u];
      let b_7 = right_tile[k * 128u + lane_column * 4u + 67u];
      sum_0_0 = fused(a_0, b_0, sum_0_0);
      sum_0_1 = fused(a_0, b_1, sum_0_1);
      sum_0_2 = fused(a_0, b_2, sum_0_2);
      sum_0_3 = fused(a_0, b_3, sum_0_3);
      sum_0_4 = fused(a_0, b_4, sum_0_4);
      sum_0_5 = fused(a_0, b_5, sum_0_5);
      sum_0_6 = fused(a_0, b_6, sum_0_6);
      sum_0_7 = fused(a_0, b_7, sum_0_7);
      sum_1_0 = fused(a_1, b_0, sum_1_0);
      sum_1_1 = fused(a_1, b_1, sum_1_1);
      sum_1_2 = fused(a_1, b_2, sum_1_2);
      sum_1_3 = fused(a_1, b_3, sum_1_3);
      sum_1_4 = fused(a_1, b_4, sum_1_4);
      sum_1_5 = fused(a_1, b_5, sum_1_5);
      sum_1_6 = fused(a_1, b_6, sum_1_6);
      sum_1_7 = fused(a_1, b_7, sum_1_7);
      sum_2_0 = fused(a_2, b_0, sum_2_0);
      sum_2_1 = fused(a_2, b_1, sum_2_1);
      sum_2_2 = fused(a_2, b_2, sum_2_2);
      sum_2_3 = fused(a_2, b_3, sum_2_3);
      sum_2_4 = fused(a_2, b_4, sum_2_4);
      sum_2_5 = fused(a_2, b_5, sum_2_5);
      sum_2_6 = fused(a_2, b_6, sum_2_6);
      sum_2_7 = fused(a_2, b_7, sum_2_7);
      sum_3_0 = fused(a_3, b_0, sum_3_0);
      sum_3_1 = fused(a_3, b_1, sum_3_1);
      sum_3_2 = fused(a_3, b_2, sum_3_2);
      sum_3_3 = fused(a_3, b_3, sum_3_3);
      sum_3_4 = fused(a_3, b_4, sum_3_4);
      sum_3_5 = fused(a_3, b_5, sum_3_5);
      sum_3_6 = fused(a_3, b_6, sum_3_6);
      sum_3_7 = fused(a_3, b_7, sum_3_7);
      sum_4_0 = fused(a_4, b_0, sum_4_0);
      sum_4_1 = fused(a_4, b_1, sum_4_1);
      sum_4_2 = fused(a_4, b_2, sum_4_2);
      sum_4_3 = fused(a_4, b_3, sum_4_3);
      sum_4_4 = fused(a_4, b_4, sum_4_4);
      sum_4_5 = fused(a_4, b_5, sum_4_5);
      sum_4_6 = fused(a_4, b_6, sum_4_6);
      sum_4_7 = fused(a_4, b_7, sum_4_7);
      sum_5_0 = fused(a_5, b_0, sum_5_0);
      sum_5_1 = fused(a_5, b_1, sum_5_1);
      sum_5_2 = fused(a_5, b_2, sum_5_2);
      sum_5_3 = fused(a_5, b_3, sum_5_3);
      sum_5_4 = fused(a_5, b_4, sum_5_4);
      sum_5_5 = fused(a_5, b_5, sum_5_5);
      sum_5_6 = fused(a_5, b_6, sum_5_6);
      sum_5_7 = fused(a_5, b_7, sum_5_7);
      sum_6_0 = fused(a_6, b_0, sum_6_0);
      sum_6_1 = fused(a_6, b_1, sum_6_1);
      sum_6_2 = fused(a_6, b_2, sum_6_2);
      sum_6_3 = fused(a_6, b_3, sum_6_3);
      sum_6_4 = fused(a_6, b_4, sum_6_4);
      sum_6_5 = fused(a_6, b_5, sum_6_5);
      sum_6_6 = fused(a_6, b_6, sum_6_6);
      sum_6_7 = fused(a_6, b_7, sum_6_7);
      sum_7_0 = fused(a_7, b_0, sum_7_0);
      sum_7_1 = fused(a_7, b_1, sum_7_1);
      sum_7_2 = fused(a_7, b_2, sum_7_2);
      sum_7_3 = fused(a_7, b_3, sum_7_3);
      sum_7_4 = fused(a_7, b_4, sum_7_4);
      sum_7_5 = fused(a_7, b_5, sum_7_5);
      sum_7_6 = fused(a_7, b_6, sum_7_6);
      sum_7_7 = fused(a_7, b_7, sum_7_7);
    }
    workgroupBarrier();
  }
  if (row_0 < 1024u && column_0 < 1024u) { output_T[output_start + row_0 * 1024u + column_0] = sum_0_0; }
  if (row_0 < 1024u && column_1 < 1024u) { output_T[output_start + row_0 * 1024u + column_1] = sum_0_1; }
  if (row_0 < 1024u && column_2 < 1024u) { output_T[output_start + row_0 * 1024u + column_2] = sum_0_2; }
  if (row_0 < 1024u && column_3 < 1024u) { output_T[output_start + row_0 * 1024u + column_3] = sum_0_3; }
  if (row_0 < 1024u && column_4 < 1024u) { output_T[output_start + row_0 * 1024u + column_4] = sum_0_4; }
  if (row_0 < 1024u && column_5 < 1024u) { output_T[output_start + row_0 * 1024u + column_5] = sum_0_5; }
  if (row_0 < 1024u && column_6 < 1024u) { output_T[output_start + row_0 * 1024u + column_6] = sum_0_6; }
  if (row_0 < 1024u && column_7 < 1024u) { output_T[output_start + row_0 * 1024u + column_7] = sum_0_7; }
  if (row_1 < 1024u && column_0 < 1024u) { output_T[output_start + row_1 * 1024u + column_0] = sum_1_0; }
  if (row_1 < 1024u && column_1 < 1024u) { output_T[output_start + row_1 * 1024u + column_1] = sum_1_1; }
  if (row_1 < 1024u && column_2 < 1024u) { output_T[output_start + row_1 * 1024u + column_2] = sum_1_2; }
  if (row_1 < 1024u && column_3 < 1024u) { output_T[output_start + row_1 * 1024u + column_3] = sum_1_3; }
  if (row_1 < 1024u && column_4 < 1024u) { output_T[output_start + row_1 * 1024u + column_4] = sum_1_4; }
  if (row_1 < 1024u && column_5 < 1024u) { output_T[output_start + row_1 * 1024u + column_5] = sum_1_5; }
  if (row_1 < 1024u && column_6 < 1024u) { output_T[output_start + row_1 * 1024u + column_6] = sum_1_6; }
  if (row_1 < 1024u && column_7 < 1024u) { output_T[output_start + row_1 * 1024u + column_7] = sum_1_7; }
  if (row_2 < 1024u && column_0 < 1024u) { output_T[output_start + row_2 * 1024u + column_0] = sum_2_0; }
  if (row_2 < 1024u && column_1 < 1024u) { output_T[output_start + row_2 * 1024u + column_1] = sum_2_1; }
  if (row_2 < 1024u && column_2 < 1024u) { output_T[output_start + row_2 * 1024u + column_2] = sum_2_2; }
  if (row_2 < 1024u && column_3 < 1024u) { output_T[output_start + row_2 * 1024u + column_3] = sum_2_3; }
  if (row_2 < 1024u && column_4 < 1024u) { output_T[output_start + row_2 * 1024u + column_4] = sum_2_4; }
  if (row_2 < 1024u && column_5 < 1024u) { output_T[output_start + row_2 * 1024u + column_5] = sum_2_5; }
  if (row_2 < 1024u && column_6 < 1024u) { output_T[output_start + row_2 * 1024u + column_6] = sum_2_6; }
  if (row_2 < 1024u && column_7 < 1024u) { output_T[output_start + row_2 * 1024u + column_7] = sum_2_7; }
  if (row_3 < 1024u && column_0 < 1024u) { output_T[output_start + row_3 * 1024u + column_0] = sum_3_0; }
  if (row_3 < 1024u && column_1 < 1024u) { output_T[output_start + row_3 * 1024u + column_1] = sum_3_1; }
  if (row_3 < 1024u && column_2 < 1024u) { output_T[output_start + row_3 * 1024u + column_2] = sum_3_2; }
  if (row_3 < 1024u && column_3 < 1024u) { output_T[output_start + row_3 * 1024u + column_3] = sum_3_3; }
  if (row_3 < 1024u && column_4 < 1024u) { output_T[output_start + row_3 * 1024u + column_4] = sum_3_4; }
  if (row_3 < 1024u && column_5 < 1024u) { output_T[output_start + row_3 * 1024u + column_5] = sum_3_5; }
  if (row_3 < 1024u && column_6 < 1024u) { output_T[output_start + row_3 * 1024u + column_6] = sum_3_6; }
  if (row_3 < 1024u && column_7 < 1024u) { output_T[output_start + row_3 * 1024u + column_7] = sum_3_7; }
  if (row_4 < 1024u && column_0 < 1024u) { output_T[output_start + row_4 * 1024u + column_0] = sum_4_0; }
  if (row_4 < 1024u && column_1 < 1024u) { output_T[output_start + row_4 * 1024u + column_1] = sum_4_1; }
  if (row_4 < 1024u && column_2 < 1024u) { output_T[output_start + row_4 * 1024u + column_2] = sum_4_2; }
  if (row_4 < 1024u && column_3 < 1024u) { output_T[output_start + row_4 * 1024u + column_3] = sum_4_3; }
  if (row_4 < 1024u && column_4 < 1024u) { output_T[output_start + row_4 * 1024u + column_4] = sum_4_4; }
  if (row_4 < 1024u && column_5 < 1024u) { output_T[output_start + row_4 * 1024u + column_5] = sum_4_5; }
  if (row_4 < 1024u && column_6 < 1024u) { output_T[output_start + row_4 * 1024u + column_6] = sum_4_6; }
  if (row_4 < 1024u && column_7 < 1024u) { output_T[output_start + row_4 * 1024u + column_7] = sum_4_7; }
  if (row_5 < 1024u && column_0 < 1024u) { output_T[output_start + row_5 * 1024u + column_0] = sum_5_0; }
  if (row_5 < 1024u && column_1 < 1024u) { output_T[output_start + row_5 * 1024u + column_1] = sum_5_1; }
  if (row_5 < 1024u && column_2 < 1024u) { output_T[output_start + row_5 * 1024u + column_2] = sum_5_2; }
  if (row_5 < 1024u && column_3 < 1024u) { output_T[output_start + row_5 * 1024u + column_3] = sum_5_3; }
  if (row_5 < 1024u && column_4 < 1024u) { output_T[output_start + row_5 * 1024u + column_4] = sum_5_4; }
  if (row_5 < 1024u && column_5 < 1024u) { output_T[output_start + row_5 * 1024u + column_5] = sum_5_5; }
  if (row_5 < 1024u && column_6 < 1024u) { output_T[output_start + row_5 * 1024u + column_6] = sum_5_6; }
  if (row_5 < 1024u && column_7 < 1024u) { output_T[output_start + row_5 * 1024u + column_7] = sum_5_7; }
  if (row_6 < 1024u && column_0 < 1024u) { output_T[output_start + row_6 * 1024u + column_0] = sum_6_0; }
  if (row_6 < 1024u && column_1 < 1024u) { output_T[output_start + row_6 * 1024u + column_1] = sum_6_1; }
  if (row_6 < 1024u && column_2 < 1024u) { output_T[output_start + row_6 * 1024u + column_2] = sum_6_2; }
  if (row_6 < 1024u && column_3 < 1024u) { output_T[output_start + row_6 * 1024u + column_3] = sum_6_3; }
  if (row_6 < 1024u && column_4 < 1024u) { output_T[output_start + row_6 * 1024u + column_4] = sum_6_4; }
  if (row_6 < 1024u && column_5 < 1024u) { output_T[output_start + row_6 * 1024u + column_5] = sum_6_5; }
  if (row_6 < 1024u && column_6 < 1024u) { output_T[output_start + row_6 * 1024u + column_6] = sum_6_6; }
  if (row_6 < 1024u && column_7 < 1024u) { output_T[output_start + row_6 * 1024u + column_7] = sum_6_7; }
  if (row_7 < 1024u && column_0 < 1024u) { output_T[output_start + row_7 * 1024u + column_0] = sum_7_0; }
  if (row_7 < 1024u && column_1 < 1024u) { output_T[output_start + row_7 * 1024u + column_1] = sum_7_1; }
  if (row_7 < 1024u && column_2 < 1024u) { output_T[output_start + row_7 * 1024u + column_2] = sum_7_2; }
  if (row_7 < 1024u && column_3 < 1024u) { output_T[output_start + row_7 * 1024u + column_3] = sum_7_3; }
  if (row_7 < 1024u && column_4 < 1024u) { output_T[output_start + row_7 * 1024u + column_4] = sum_7_4; }
  if (row_7 < 1024u && column_5 < 1024u) { output_T[output_start + row_7 * 1024u + column_5] = sum_7_5; }
  if (row_7 < 1024u && column_6 < 1024u) { output_T[output_start + row_7 * 1024u + column_6] = sum_7_6; }
  if (row_7 < 1024u && column_7 < 1024u) { output_T[output_start + row_7 * 1024u + column_7] = sum_7_7; }
}
