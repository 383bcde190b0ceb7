#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace rolltape {

/// Output tokens [start, start + length) that the engine wrote instead of sampling them. The runs of an output are in
/// order and do not touch.
struct ForcedRun {
  std::uint32_t start;
  std::uint32_t length;

  std::uint32_t end() const { return start + length; }
  friend bool operator==(const ForcedRun&, const ForcedRun&) = default;
};

/// Calls `visit(isForced, from, count)` for the stretches that output tokens [from, from + count) fall into.
template <typename Visit>
void visitForced(std::span<const ForcedRun> runs, std::uint32_t from, std::uint32_t count, Visit visit) {
  const std::uint32_t end = from + count;
  for (const ForcedRun& run : runs) {
    const std::uint32_t start = std::clamp(run.start, from, end);
    const std::uint32_t stop = std::clamp(run.end(), from, end);
    if (start == stop) continue;
    if (start > from) visit(false, from, start - from);
    visit(true, start, stop - start);
    from = stop;
  }
  if (end > from) visit(false, from, end - from);
}

/// Counts the forced tokens among output tokens [0, count).
std::uint32_t countForced(std::span<const ForcedRun> runs, std::uint32_t count);

}  // namespace rolltape
