fn fma_f32(a: u32, b: u32, c: u32) -> u32 {
  return bitcast<u32>(fma(single(a), second_single(b), third_single(c)));
}
fn fma_f64(a: u64, b: u64, c: u64) -> u64 {
  return bitcast<u64>(fma(double(a), second_double(b), third_double(c)));
}
