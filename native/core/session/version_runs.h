#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace rolltape {

/// Weight versions of an output, run-length coded: a run goes from its `start` to the next run's, or to the end.
struct VersionRun {
  std::uint32_t start;
  std::int32_t version;

  friend bool operator==(const VersionRun&, const VersionRun&) = default;
};

/// Adds tokens `[start, …)` of one version, extending the last run where it has the same.
void appendVersion(std::vector<VersionRun>& runs, std::uint32_t start, std::int32_t version);

/// Calls `visit(version, count)` for the stretches of one version that output tokens [from, from + count) fall into.
/// `runs` covers them and is in order.
template <typename Visit>
void visitVersions(std::span<const VersionRun> runs, std::uint32_t from, std::uint32_t count, Visit visit) {
  if (count == 0) return;
  const auto startsAfter = [](std::uint32_t position, const VersionRun& run) { return position < run.start; };
  auto next = std::upper_bound(runs.begin(), runs.end(), from, startsAfter);
  for (std::uint32_t done = 0; done < count;) {
    const std::uint32_t end = next == runs.end() ? count : std::min(next->start - from, count);
    visit(std::prev(next)->version, end - done);
    done = end;
    if (next != runs.end()) ++next;
  }
}

/// Writes the versions of output tokens `[from, from + out.size())`. `runs` covers them and is in order.
void expandVersions(std::span<const VersionRun> runs, std::uint32_t from, std::span<std::int32_t> out);

}  // namespace rolltape
