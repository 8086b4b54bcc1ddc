// Accounts for work; true once the launch should stop. Rows that are computed after that are empty, so blocks that wait
// for others still get what they wait for.
FN bool should_stop(const Args &a, Thread &t, u32 units) {
  if (t.stopped) { return true; }
  t.work += units;
  if (t.work < ASKING_INTERVAL) { return false; }
  t.work = 0;
  t.stopped = *(const volatile u64 *)a.w[STOP] == a.w[LAUNCH];
  return t.stopped;
}
FN void report_stop(u64 status, const Thread &t) {
  if (t.stopped) { ((volatile u64 *)status)[STOPPED] = 1; }
}
