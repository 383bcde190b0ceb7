#include "named_versions.h"

#include <algorithm>

namespace rolltape {

std::int32_t NamedVersions::versionOf(std::string_view label) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  const auto index = static_cast<std::int32_t>(found - labels.begin());
  if (found == labels.end()) labels.emplace_back(label);
  return -2 - index;
}

void NamedVersions::noteSpans(std::optional<std::int32_t> firstVersion, std::optional<std::int32_t> lastVersion) {
  naming = VersionNaming::kSpans;
  first = firstVersion;
  last = lastVersion;
  mixed = false;
}

void NamedVersions::noteTokens(std::optional<std::int32_t> version, std::size_t count) {
  if (count == 0) return;
  if (!begun_) {
    begun_ = true;
    first = version;
    firstCount = static_cast<std::uint32_t>(count);
  } else if (version != last && count > 1) {
    mixed = true;
  }
  last = version;
  if (version) naming = VersionNaming::kReply;
}

}  // namespace rolltape
