// Asks whether the launch should stop. The flag is in the host's memory, and reading it takes a card microseconds, one
// read after the other: so one block at a time reads it, and tells the others in the status. There, 0 says that no block
// reads it, 1 that the launch stops, and any other number that block number minus 2 reads it.
FN bool ask_to_stop(const Args &a) {
  volatile u64 *word = (volatile u64 *)a.w[STOP_STATUS] + STOPPED;
  const u64 mine = blockIdx.x + 2ull;
  u64 seen = *word;
  if (seen == 0ull) {
    seen = atomicCAS((u64 *)word, 0ull, mine);
    if (seen == 0ull) { seen = mine; }
  }
  if (seen != mine) { return seen == 1ull; }
  if (*(const volatile u64 *)a.w[STOP] != a.w[LAUNCH]) { return false; }
  *word = 1ull;
  return true;
}
// Accounts for work; true once the launch should stop. Rows that are computed after that are empty, so blocks that wait
// for others still get what they wait for.
FN bool should_stop(const Args &a, Thread &t, u32 units) {
  if (t.stopped) { return true; }
  t.work += units;
  if (t.work < ASKING_INTERVAL) { return false; }
  t.work = 0;
  t.stopped = ask_to_stop(a);
  return t.stopped;
}
// Tells that the launch stopped, or lets another block read the flag. Every warp does when it ends.
FN void report_stop(u64 status, const Thread &t) {
  volatile u64 *word = (volatile u64 *)status + STOPPED;
  const u64 mine = blockIdx.x + 2ull;
  if (t.stopped) {
    *word = 1ull;
  } else if (threadIdx.x % 32u == 0u && *word == mine) {
    atomicCAS((u64 *)word, mine, 0ull);
  }
}
