#include "sglang_fields.h"

#include <charconv>
#include <cmath>
#include <string>

#include "error.h"
#include "token_logprob.h"

namespace rolltape {

namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;

std::optional<std::int64_t> readCount(JsonCursor& json, const char* name) {
  if (json.consumeNull()) return std::nullopt;
  return json.integer(name, 0, kMaxCount);
}

/// The least bytes that engines write per item, nearly: log probabilities have many digits, ids few.
constexpr std::size_t kLogprobBytes = 24;
constexpr std::size_t kIdBytes = 6;

/// Room for the items that the rest of the text may hold. It is never more memory than the text, and what is not used
/// of it is never touched; growing would touch, and copy, more than is needed.
template <typename T>
void reserveForRest(const JsonCursor& json, std::vector<T>& items, std::size_t itemBytes) {
  items.reserve(json.rest().size() / itemBytes);
}

[[noreturn]] void throwNotFinite(const JsonCursor& json, const std::string& what) {
  throw Error(ErrorCode::kReplyNotFinite,
              "the log probability of " + what + ", before byte " + std::to_string(json.offset()));
}

void readLogprobs(JsonCursor& json, SglangMetaInfo& meta) {
  meta.ids.clear();
  meta.logprobs.clear();
  meta.hasLogprobs = !json.consumeNull();
  if (!meta.hasLogprobs) return;
  reserveForRest(json, meta.ids, kLogprobBytes);
  reserveForRest(json, meta.logprobs, kLogprobBytes);
  json.array([&] {
    const TokenLogprob token = readTokenLogprob(json);
    if (!std::isfinite(token.logprob)) {
      throwNotFinite(json, "output token " + std::to_string(meta.ids.size()) + " is not finite");
    }
    meta.ids.push_back(token.id);
    meta.logprobs.push_back(token.logprob);
  });
}

/// A place whose logprob is -Infinity or null, which the sampler excluded, is left unused.
void readAlternative(JsonCursor& json, TopLists& top) {
  const TokenLogprob token = readTokenLogprob(json);
  const bool excluded = !std::isfinite(token.logprob);
  if (excluded && !(token.logprob < 0)) {
    throwNotFinite(json, "an alternative of output token " + std::to_string(top.counts.size()) + " is not a number");
  }
  top.ids.push_back(excluded ? TopLogprobs::kUnused : token.id);
  top.logprobs.push_back(excluded ? 0.0f : token.logprob);
}

void readTop(JsonCursor& json, SglangMetaInfo& meta) {
  meta.top.reset();
  if (json.consumeNull()) return;
  TopLists& top = meta.top.emplace();
  reserveForRest(json, top.ids, kLogprobBytes);
  reserveForRest(json, top.logprobs, kLogprobBytes);
  json.array([&] {
    const std::size_t before = top.ids.size();
    if (!json.consumeNull()) json.array([&] { readAlternative(json, top); });
    const std::size_t count = top.ids.size() - before;
    if (count > kMaxTopWidth) {
      throw Error(ErrorCode::kReplyMismatch,
                  "output_top_logprobs has " + std::to_string(count) + " alternatives for a token");
    }
    top.counts.push_back(static_cast<std::uint16_t>(count));
  });
}

std::optional<std::int32_t> toVersion(std::string_view text) {
  std::int32_t version = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), version);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return version;
}

/// A label is any JSON value; only integers, as numbers or in a string, are versions.
std::optional<std::int32_t> readVersion(JsonCursor& json) {
  const char first = json.peek();
  if (first == '"') return toVersion(json.string());
  if (first == '-' || (first >= '0' && first <= '9')) return toVersion(json.numberText());
  json.skip();
  return std::nullopt;
}

void readVersionSpans(JsonCursor& json, SglangMetaInfo& meta) {
  meta.weightVersions.clear();
  if (json.consumeNull()) return;
  json.array([&] {
    WeightVersionSpan span;
    json.object([&](std::string_view key) {
      if (key == "version") {
        span.version = readVersion(json);
      } else if (key == "start") {
        span.start = json.integer("start", 0, kMaxCount);
      } else if (key == "end") {
        span.end = json.integer("end", 0, kMaxCount);
      } else {
        json.skip();
      }
    });
    meta.weightVersions.push_back(span);
  });
}

void readMatched(JsonCursor& json, EngineFinish& finish) {
  finish.matched = std::monostate{};
  const char first = json.peek();
  if (first == '"') {
    finish.matched = json.string();
  } else if (first == '-' || (first >= '0' && first <= '9')) {
    finish.matched = json.integer("matched", -kMaxCount, kMaxCount);
  } else {
    json.skip();
  }
}

void readFinish(JsonCursor& json, SglangMetaInfo& meta) {
  meta.finish.reset();
  if (json.consumeNull()) return;
  EngineFinish& finish = meta.finish.emplace();
  json.object([&](std::string_view key) {
    if (key == "type") {
      finish.type = json.string();
    } else if (key == "matched") {
      readMatched(json, finish);
    } else if (key == "message") {
      finish.message.reset();
      if (!json.consumeNull()) finish.message = json.string();
    } else if (key == "status_code") {
      finish.statusCode = readCount(json, "status_code");
    } else {
      json.skip();
    }
  });
  if (finish.type.empty()) json.fail("finish_reason without a type");
}

void readMetaInfo(JsonCursor& json, SglangMetaInfo& meta) {
  json.object([&](std::string_view key) {
    if (key == "output_token_logprobs") {
      readLogprobs(json, meta);
    } else if (key == "output_token_logprobs_length") {
      meta.logprobsLength = readCount(json, "output_token_logprobs_length");
    } else if (key == "output_top_logprobs") {
      readTop(json, meta);
    } else if (key == "weight_versions") {
      readVersionSpans(json, meta);
    } else if (key == "weight_version") {
      meta.weightVersion = readVersion(json);
    } else if (key == "finish_reason") {
      readFinish(json, meta);
    } else if (key == "id") {
      meta.id.reset();
      if (!json.consumeNull()) meta.id = json.string();
    } else if (key == "prompt_tokens") {
      meta.promptTokens = readCount(json, "prompt_tokens");
    } else if (key == "completion_tokens") {
      meta.completionTokens = readCount(json, "completion_tokens");
    } else if (key == "cached_tokens") {
      meta.cachedTokens = readCount(json, "cached_tokens");
    } else {
      json.skip();
    }
  });
}

void readOutputIds(JsonCursor& json, SglangFields& fields) {
  fields.outputIds.reset();
  if (json.consumeNull()) return;
  std::vector<std::int32_t>& ids = fields.outputIds.emplace();
  reserveForRest(json, ids, kIdBytes);
  json.array([&] { ids.push_back(readTokenId(json)); });
}

}  // namespace

SglangFields readSglangFields(JsonCursor& json) {
  SglangFields fields;
  bool hasMetaInfo = false;
  if (json.peek() == '[') json.fail("an array of replies, where one was asked for");
  json.object([&](std::string_view key) {
    if (key == "meta_info") {
      // What an earlier meta_info held does not count.
      fields.metaInfo = SglangMetaInfo{};
      hasMetaInfo = true;
      readMetaInfo(json, fields.metaInfo);
    } else if (key == "output_ids") {
      readOutputIds(json, fields);
    } else {
      json.skip();
    }
  });
  json.finish();
  if (!hasMetaInfo) json.fail("no meta_info");
  return fields;
}

}  // namespace rolltape
