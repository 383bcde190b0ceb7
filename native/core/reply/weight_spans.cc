#include "weight_spans.h"

#include <algorithm>
#include <charconv>

#include "reply_count.h"

namespace rolltape {

namespace {

std::optional<std::int32_t> toVersion(std::string_view text) {
  std::int32_t version = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), version);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return version;
}

}  // namespace

std::optional<std::int32_t> readWeightVersion(JsonCursor& json) {
  const char first = json.peek();
  if (first == '"') return toVersion(json.string());
  if (first == '-' || (first >= '0' && first <= '9')) return toVersion(json.numberText());
  json.skip();
  return std::nullopt;
}

void readWeightSpans(JsonCursor& json, std::vector<WeightVersionSpan>& spans) {
  spans.clear();
  if (json.consumeNull()) return;
  json.array([&] {
    WeightVersionSpan span;
    json.object([&](std::string_view key) {
      if (key == "version") {
        span.version = readWeightVersion(json);
      } else if (key == "start") {
        span.start = json.integer("start", 0, kMaxReplyCount);
      } else if (key == "end") {
        span.end = json.integer("end", 0, kMaxReplyCount);
      } else {
        json.skip();
      }
    });
    spans.push_back(span);
  });
}

bool covers(const std::vector<WeightVersionSpan>& spans, std::int64_t first, std::int64_t end) {
  for (const WeightVersionSpan& span : spans) {
    if (span.start != first || span.end < span.start || span.end > end) return false;
    first = span.end;
  }
  return first == end;
}

std::vector<VersionRun> versionRuns(const std::vector<WeightVersionSpan>& spans, std::int64_t from, std::int64_t to,
                                    std::int32_t fallback) {
  std::vector<VersionRun> runs;
  for (const WeightVersionSpan& span : spans) {
    const std::int64_t start = std::max(span.start, from);
    if (start < std::min(span.end, to)) {
      appendVersion(runs, static_cast<std::uint32_t>(start - from), span.version.value_or(fallback));
    }
  }
  return runs;
}

}  // namespace rolltape
