fn fma_f32(a: u32, b: u32, c: u32) -> u32 {
  return bitcast<u32>(fma(bitcast<f32>(a), bitcast<f32>(b), bitcast<f32>(c)));
}
fn fma_f64(a: u64, b: u64, c: u64) -> u64 {
  return bitcast<u64>(fma(bitcast<f64>(a), bitcast<f64>(b), bitcast<f64>(c)));
}
