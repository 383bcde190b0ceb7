#include "forced_runs.h"

namespace rolltape {

std::uint32_t countForced(std::span<const ForcedRun> runs, std::uint32_t count) {
  std::uint32_t forced = 0;
  for (const ForcedRun& run : runs) forced += std::min(run.end(), count) - std::min(run.start, count);
  return forced;
}

}  // namespace rolltape
