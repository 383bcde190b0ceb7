#include "version_runs.h"

#include <algorithm>

namespace rolltape {

void appendVersion(std::vector<VersionRun>& runs, std::uint32_t start, std::int32_t version) {
  if (runs.empty() || runs.back().version != version) runs.push_back({start, version});
}

void expandVersions(std::span<const VersionRun> runs, std::uint32_t from, std::span<std::int32_t> out) {
  auto to = out.begin();
  visitVersions(runs, from, static_cast<std::uint32_t>(out.size()),
                [&](std::int32_t version, std::uint32_t count) { to = std::fill_n(to, count, version); });
}

}  // namespace rolltape
