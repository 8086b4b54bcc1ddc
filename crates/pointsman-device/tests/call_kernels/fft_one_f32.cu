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
extern "C" __global__ void __launch_bounds__(256) transform_0(const Arguments arguments, const T* __restrict__ left_memory, const T* __restrict__ right_memory, T* output_memory) {
  let lane = threadIdx.x;
  let block = blockIdx.y * arguments.words[1] + blockIdx.x;
  const C* left_C = (const C*)left_memory;
  C* output_C = (C*)output_memory;
  if (block >= arguments.words[2]) { return; }
  let group = arguments.words[0] + block;
  let left_at = arguments.words[3] / 2u;
  let output_at = arguments.words[5] / 2u;
  let items = arguments.words[6] * 1u;
  let first_item = group * 2048u;
  var v0_0_0 = C(T(0.0), T(0.0));
  var v0_1_0 = C(T(0.0), T(0.0));
  var v0_2_0 = C(T(0.0), T(0.0));
  var v0_3_0 = C(T(0.0), T(0.0));
  var v0_4_0 = C(T(0.0), T(0.0));
  var v0_5_0 = C(T(0.0), T(0.0));
  var v0_6_0 = C(T(0.0), T(0.0));
  var v0_7_0 = C(T(0.0), T(0.0));
  if (lane + 0u < 2048u && first_item + ((lane + 0u) / 1u) < items) {
    let index = lane + 0u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_0_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_0_0; }
  }
  if (lane + 256u < 2048u && first_item + ((lane + 256u) / 1u) < items) {
    let index = lane + 256u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_1_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_1_0; }
  }
  if (lane + 512u < 2048u && first_item + ((lane + 512u) / 1u) < items) {
    let index = lane + 512u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_2_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_2_0; }
  }
  if (lane + 768u < 2048u && first_item + ((lane + 768u) / 1u) < items) {
    let index = lane + 768u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_3_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_3_0; }
  }
  if (lane + 1024u < 2048u && first_item + ((lane + 1024u) / 1u) < items) {
    let index = lane + 1024u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_4_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_4_0; }
  }
  if (lane + 1280u < 2048u && first_item + ((lane + 1280u) / 1u) < items) {
    let index = lane + 1280u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_5_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_5_0; }
  }
  if (lane + 1536u < 2048u && first_item + ((lane + 1536u) / 1u) < items) {
    let index = lane + 1536u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_6_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_6_0; }
  }
  if (lane + 1792u < 2048u && first_item + ((lane + 1792u) / 1u) < items) {
    let index = lane + 1792u;
    let b = index % 1u;
    let own_item = index / 1u;
    let item = first_item + own_item;
    let line = item % 1u;
    let i = item / 1u % 1u;
    let block = item / 1u;
    let source = left_at + block * 1u + line;
    let e0 = b + 0u;
    let j0 = i + e0 * 1u;
    if (j0 < 1u) { v0_7_0 = left_C[source + (j0) * 1u]; }
    let target_start = output_at + block * 1u + line;
    let first = i * 1u + b;
    let o0 = first + 0u;
    if (o0 < 1u) { output_C[target_start + (o0) * 1u] = v0_7_0; }
  }
}
