#include "reply_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace rolltape::fuzz {

namespace {

using Kind = JsonValue::Kind;

struct Refused {};

void require(bool holds) {
  if (!holds) throw Refused();
}

constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::int64_t integerOf(const JsonValue& value, std::int64_t lowest, std::int64_t highest) {
  const auto integer = value.integer(lowest, highest);
  require(integer.has_value());
  return *integer;
}

std::int32_t idOf(const JsonValue& value) {
  return static_cast<std::int32_t>(integerOf(value, 0, std::numeric_limits<std::int32_t>::max()));
}

std::optional<std::int64_t> countOf(const JsonValue& value) {
  if (value.isNull()) return std::nullopt;
  return integerOf(value, 0, kMaxCount);
}

std::optional<std::string> textOf(const JsonValue& value) {
  if (value.isNull()) return std::nullopt;
  require(value.kind == Kind::kString);
  return value.text;
}

float logprobOf(const JsonValue& value) {
  if (value.isNull()) return -kInfinity;
  require(value.kind == Kind::kNumber);
  const double number = std::strtod(value.text.c_str(), nullptr);
  if (std::abs(number) > std::numeric_limits<float>::max()) return number > 0 ? kInfinity : -kInfinity;
  return static_cast<float>(number);
}

struct Entry {
  float logprob;
  std::int32_t id;
};

Entry entryOf(const JsonValue& value) {
  require(value.kind == Kind::kArray && value.items.size() >= 2);
  return {logprobOf(value.items[0]), idOf(value.items[1])};
}

std::vector<Entry> sampledOf(const JsonValue& value) {
  std::vector<Entry> entries;
  if (value.isNull()) return entries;
  require(value.kind == Kind::kArray);
  for (const JsonValue& item : value.items) {
    entries.push_back(entryOf(item));
    require(std::isfinite(entries.back().logprob));
  }
  return entries;
}

std::vector<std::vector<Entry>> alternativesOf(const JsonValue& value) {
  std::vector<std::vector<Entry>> lists;
  if (value.isNull()) return lists;
  require(value.kind == Kind::kArray);
  for (const JsonValue& item : value.items) {
    std::vector<Entry>& list = lists.emplace_back();
    if (item.isNull()) continue;
    require(item.kind == Kind::kArray);
    for (const JsonValue& alternative : item.items) {
      Entry entry = entryOf(alternative);
      require(entry.logprob < kInfinity);
      if (entry.logprob == -kInfinity) entry = {0, -1};
      list.push_back(entry);
    }
  }
  return lists;
}

using Labels = std::vector<std::string>;

/// An integer of at least 0; below -1 for any other text, by its order.
std::optional<std::int32_t> versionOf(const JsonValue& value, Labels& labels) {
  if (value.kind != Kind::kString && value.kind != Kind::kNumber) return std::nullopt;
  const std::string& text = value.text;
  // NaN and Infinity are passed over like a list.
  const bool isNotFinite = value.kind == Kind::kNumber && text[0] != '-' && std::isdigit(text[0]) == 0;
  if (text.empty() || text == "default" || isNotFinite) return std::nullopt;
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (text.size() > first && text.find_first_not_of("0123456789", first) == std::string::npos) {
    JsonValue number{Kind::kNumber, text, {}, {}};
    const auto integer = number.integer(0, std::numeric_limits<std::int32_t>::max());
    if (integer) return static_cast<std::int32_t>(*integer);
  }
  const auto found = std::find(labels.begin(), labels.end(), text);
  const auto index = static_cast<std::int32_t>(found - labels.begin());
  if (found == labels.end()) labels.push_back(text);
  return -2 - index;
}

struct VersionSpan {
  std::optional<std::int32_t> version;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

std::vector<VersionSpan> versionSpansOf(const JsonValue& value, Labels& labels) {
  std::vector<VersionSpan> spans;
  if (value.isNull()) return spans;
  require(value.kind == Kind::kArray);
  for (const JsonValue& item : value.items) {
    require(item.kind == Kind::kObject);
    VersionSpan& span = spans.emplace_back();
    for (std::size_t i = 0; i < item.keys.size(); ++i) {
      if (item.keys[i] == "version") span.version = versionOf(item.items[i], labels);
      if (item.keys[i] == "start") span.start = integerOf(item.items[i], 0, kMaxCount);
      if (item.keys[i] == "end") span.end = integerOf(item.items[i], 0, kMaxCount);
    }
  }
  return spans;
}

void setMatched(EngineFinish& finish, const JsonValue& value) {
  finish.matched = std::monostate{};
  if (value.kind == Kind::kString) finish.matched = value.text;
  // NaN and Infinity are passed over like a list.
  const bool isNumber = value.kind == Kind::kNumber && (value.text[0] == '-' || std::isdigit(value.text[0]) != 0);
  if (isNumber) finish.matched = integerOf(value, -kMaxCount, kMaxCount);
}

std::optional<EngineFinish> finishOf(const JsonValue& value) {
  if (value.isNull()) return std::nullopt;
  require(value.kind == Kind::kObject);
  EngineFinish finish;
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    const JsonValue& member = value.items[i];
    if (value.keys[i] == "type") {
      require(member.kind == Kind::kString);
      finish.type = member.text;
    }
    if (value.keys[i] == "matched") setMatched(finish, member);
    if (value.keys[i] == "message") finish.message = textOf(member);
    if (value.keys[i] == "status_code") finish.statusCode = countOf(member);
  }
  require(!finish.type.empty());
  return finish;
}

/// meta_info, with the fields that only serve as checks.
struct MetaInfo {
  ExpectedReply reply;
  bool hasLogprobs = false;
  std::vector<Entry> sampled;
  std::optional<std::int64_t> logprobsLength;
  std::vector<std::vector<Entry>> alternatives;
  std::optional<std::int32_t> weightVersion;
  std::vector<VersionSpan> weightVersions;

  void set(const std::string& key, const JsonValue& value, Labels& labels) {
    if (key == "output_token_logprobs") {
      sampled = sampledOf(value);
      hasLogprobs = !value.isNull();
    }
    if (key == "output_token_logprobs_length") logprobsLength = countOf(value);
    if (key == "output_top_logprobs") alternatives = alternativesOf(value);
    if (key == "weight_versions") weightVersions = versionSpansOf(value, labels);
    if (key == "weight_version") weightVersion = versionOf(value, labels);
    if (key == "finish_reason") reply.finish = finishOf(value);
    if (key == "id") reply.id = textOf(value);
    if (key == "prompt_tokens") reply.promptTokens = countOf(value);
    if (key == "completion_tokens") reply.completionTokens = countOf(value);
    if (key == "cached_tokens") reply.cachedTokens = countOf(value);
  }
};

MetaInfo metaInfoOf(const JsonValue& value, Labels& labels) {
  require(value.kind == Kind::kObject);
  MetaInfo meta;
  for (std::size_t i = 0; i < value.keys.size(); ++i) meta.set(value.keys[i], value.items[i], labels);
  return meta;
}

std::optional<std::vector<std::int32_t>> outputIdsOf(const JsonValue& value) {
  if (value.isNull()) return std::nullopt;
  require(value.kind == Kind::kArray);
  std::vector<std::int32_t> ids;
  for (const JsonValue& item : value.items) ids.push_back(idOf(item));
  return ids;
}

void requireAgreement(const MetaInfo& meta, const std::optional<std::vector<std::int32_t>>& outputIds) {
  const auto count = static_cast<std::int64_t>(meta.sampled.size());
  if (!meta.hasLogprobs) {
    const bool aborted = meta.reply.finish && meta.reply.finish->type == "abort";
    require(meta.reply.completionTokens.value_or(aborted ? 0 : 1) == 0);
    require(!outputIds || outputIds->empty());
    return;
  }
  require(meta.reply.completionTokens.value_or(count) == count && meta.logprobsLength.value_or(count) == count);
  if (!outputIds) return;
  require(outputIds->size() >= meta.sampled.size());
  const std::size_t before = outputIds->size() - meta.sampled.size();
  for (std::size_t i = 0; i < meta.sampled.size(); ++i) require((*outputIds)[before + i] == meta.sampled[i].id);
}

std::vector<std::int32_t> versionsOf(const MetaInfo& meta, std::int32_t fallback) {
  if (meta.weightVersions.empty()) return std::vector(meta.sampled.size(), meta.weightVersion.value_or(fallback));
  std::vector<std::int32_t> versions;
  const auto count = static_cast<std::int64_t>(meta.sampled.size());
  for (const VersionSpan& span : meta.weightVersions) {
    require(span.start == static_cast<std::int64_t>(versions.size()) && span.end >= span.start && span.end <= count);
    versions.resize(static_cast<std::size_t>(span.end), span.version.value_or(fallback));
  }
  require(versions.size() == meta.sampled.size());
  return versions;
}

void setAlternatives(const MetaInfo& meta, ExpectedReply& reply) {
  if (meta.alternatives.empty()) return;
  require(meta.alternatives.size() == meta.sampled.size());
  for (const auto& list : meta.alternatives) reply.topWidth = std::max(reply.topWidth, list.size());
  require(reply.topWidth <= kMaxTopWidth);
  for (const auto& list : meta.alternatives) {
    for (std::size_t place = 0; place < reply.topWidth; ++place) {
      reply.topIds.push_back(place < list.size() ? list[place].id : -1);
      reply.topLogprobs.push_back(place < list.size() ? list[place].logprob : 0);
    }
  }
}

ExpectedReply read(const JsonValue& document, std::int32_t fallbackVersion) {
  require(document.kind == Kind::kObject);
  std::optional<MetaInfo> meta;
  Labels labels;
  std::optional<std::vector<std::int32_t>> outputIds;
  for (std::size_t i = 0; i < document.keys.size(); ++i) {
    if (document.keys[i] == "meta_info") meta = metaInfoOf(document.items[i], labels);
    if (document.keys[i] == "output_ids") outputIds = outputIdsOf(document.items[i]);
  }
  require(meta.has_value());
  requireAgreement(*meta, outputIds);
  ExpectedReply reply = meta->reply;
  for (const Entry& entry : meta->sampled) {
    reply.ids.push_back(entry.id);
    reply.logprobs.push_back(entry.logprob);
  }
  reply.versions = versionsOf(*meta, fallbackVersion);
  setAlternatives(*meta, reply);
  return reply;
}

}  // namespace

std::optional<ExpectedReply> expectedReply(const JsonValue& document, std::int32_t fallbackVersion) {
  try {
    return read(document, fallbackVersion);
  } catch (const Refused&) {
    return std::nullopt;
  }
}

}  // namespace rolltape::fuzz
