#pragma once

#include <cstdint>
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

/// Writes the versions of output tokens `[from, from + out.size())`. `runs` covers them and is in order.
void expandVersions(std::span<const VersionRun> runs, std::uint32_t from, std::span<std::int32_t> out);

}  // namespace rolltape
