#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../json/cursor.h"
#include "../session/version_runs.h"
#include "named_versions.h"

namespace rolltape {

/// A stretch [start, end) of output tokens with one weight version; none where the engine names no version.
struct WeightVersionSpan {
  std::optional<std::int32_t> version;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// Reads the version that an engine names: an integer from 0 on, as a number or in a string, is the version. Any other
/// text is a label, which stands as a version below -1 until it has one: see NamedVersions. SGLang and vLLM name a
/// version `default` that nobody has set, which is no version, like null.
std::optional<std::int32_t> readWeightVersion(JsonCursor& json, NamedVersions& named);

/// Reads `[{version, start, end}, …]`, or null, in place of what `spans` holds.
void readWeightSpans(JsonCursor& json, std::vector<WeightVersionSpan>& spans, NamedVersions& named);

/// Whether the spans follow each other and cover exactly [first, end).
bool covers(const std::vector<WeightVersionSpan>& spans, std::int64_t first, std::int64_t end);

/// Notes the versions of the spans of a whole reply. Returns whether a span that is not empty has one.
bool noteSpans(const std::vector<WeightVersionSpan>& spans, NamedVersions& named);

/// Versions of tokens [from, to), counted from `from`. The spans cover them; `fallback` stands for spans without a
/// version.
std::vector<VersionRun> versionRuns(const std::vector<WeightVersionSpan>& spans, std::int64_t from, std::int64_t to,
                                    std::int32_t fallback);

}  // namespace rolltape
