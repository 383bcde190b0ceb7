#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../json/cursor.h"
#include "../session/version_runs.h"

namespace rolltape {

/// A stretch [start, end) of output tokens with one weight version; none for a label that is not an integer.
struct WeightVersionSpan {
  std::optional<std::int32_t> version;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// A label is any JSON value; only integers, as numbers or in a string, are versions.
std::optional<std::int32_t> readWeightVersion(JsonCursor& json);

/// Reads `[{version, start, end}, …]`, or null, in place of what `spans` holds.
void readWeightSpans(JsonCursor& json, std::vector<WeightVersionSpan>& spans);

/// Whether the spans follow each other and cover exactly [first, end).
bool covers(const std::vector<WeightVersionSpan>& spans, std::int64_t first, std::int64_t end);

/// Versions of tokens [from, to), counted from `from`. The spans cover them; `fallback` stands for labels that are not
/// integers.
std::vector<VersionRun> versionRuns(const std::vector<WeightVersionSpan>& spans, std::int64_t from, std::int64_t to,
                                    std::int32_t fallback);

}  // namespace rolltape
