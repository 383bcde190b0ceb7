#include "weight_spans.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "../base/error.h"
#include "reply_count.h"

namespace rolltape {

namespace {

constexpr std::string_view kNeverSet = "default";

std::optional<std::int32_t> toVersion(std::string_view text, NamedVersions& named) {
  if (text == kNeverSet) {
    named.saysDefault = true;
    return std::nullopt;
  }
  if (text.empty()) return std::nullopt;
  std::int32_t version = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), version);
  const bool isWhole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!isWhole) return named.versionOf(text);
  if (version < 0) {
    throw Error(ErrorCode::kReplyImpossible, "weight version " + std::to_string(version) + " is negative");
  }
  named.highest = std::max(version, named.highest.value_or(0));
  return version;
}

}  // namespace

std::optional<std::int32_t> readWeightVersion(JsonCursor& json, NamedVersions& named) {
  const char first = json.peek();
  if (first == '"') return toVersion(json.string(), named);
  if (first == '-' || (first >= '0' && first <= '9')) return toVersion(json.numberText(), named);
  json.skip();
  return std::nullopt;
}

void readWeightSpans(JsonCursor& json, std::vector<WeightVersionSpan>& spans, NamedVersions& named) {
  spans.clear();
  if (json.consumeNull()) return;
  json.array([&] {
    WeightVersionSpan span;
    json.object([&](std::string_view key) {
      if (key == "version") {
        span.version = readWeightVersion(json, named);
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

bool noteSpans(const std::vector<WeightVersionSpan>& spans, NamedVersions& named) {
  const auto hasTokens = [](const WeightVersionSpan& span) { return span.start < span.end; };
  const auto isNamed = [&](const WeightVersionSpan& span) { return span.version && hasTokens(span); };
  if (std::none_of(spans.begin(), spans.end(), isNamed)) return false;
  const auto first = std::find_if(spans.begin(), spans.end(), hasTokens);
  const auto last = std::find_if(spans.rbegin(), spans.rend(), hasTokens);
  named.noteSpans(first->version, last->version);
  return true;
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
