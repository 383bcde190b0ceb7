#include "version_runs.h"

#include <algorithm>

namespace rolltape {

void appendVersion(std::vector<VersionRun>& runs, std::uint32_t start, std::int32_t version) {
  if (runs.empty() || runs.back().version != version) runs.push_back({start, version});
}

void expandVersions(std::span<const VersionRun> runs, std::uint32_t from, std::span<std::int32_t> out) {
  if (out.empty()) return;
  const auto startsAfter = [](std::uint32_t position, const VersionRun& run) { return position < run.start; };
  auto next = std::upper_bound(runs.begin(), runs.end(), from, startsAfter);
  std::size_t done = 0;
  while (done < out.size()) {
    const std::size_t end = next == runs.end() ? out.size() : std::min<std::size_t>(next->start - from, out.size());
    std::fill(out.begin() + done, out.begin() + end, std::prev(next)->version);
    done = end;
    if (next != runs.end()) ++next;
  }
}

}  // namespace rolltape
