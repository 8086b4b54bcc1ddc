// What another thread of the warp has.
template <class T> FN T shuffle_from(const T &value, u32 lane) {
  u32 w[Words<T>::count + 1];
  to_words(value, w);
#pragma unroll
  for (int k = 0; k < Words<T>::count; k++) { w[k] = __shfl_sync(FULL, w[k], lane); }
  T result;
  from_words(result, w);
  return result;
}
