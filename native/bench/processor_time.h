#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

namespace rolltape {

/// Seconds of this thread's processor time.
inline double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Returns the processor time of some work, in seconds.
template <typename Work>
double secondsOf(Work work) {
  const double start = threadSeconds();
  work();
  benchmark::ClobberMemory();
  return threadSeconds() - start;
}

}  // namespace rolltape
