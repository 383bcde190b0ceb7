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

[[noreturn]] void throwNotFinite(const JsonCursor& json, const std::string& what) {
  throw Error(ErrorCode::kReplyNotFinite,
              "the log probability of " + what + ", before byte " + std::to_string(json.offset()));
}

void readLogprobs(JsonCursor& json, SglangFields& fields) {
  fields.ids.clear();
  fields.logprobs.clear();
  fields.hasLogprobs = !json.consumeNull();
  if (!fields.hasLogprobs) return;
  json.array([&] {
    const TokenLogprob token = readTokenLogprob(json);
    if (!std::isfinite(token.logprob)) {
      throwNotFinite(json, "output token " + std::to_string(fields.ids.size()) + " is not finite");
    }
    fields.ids.push_back(token.id);
    fields.logprobs.push_back(token.logprob);
  });
}

/// A place whose logprob is -Infinity or null, which the sampler excluded, is left unused.
void readAlternative(JsonCursor& json, TopLists& top) {
  const TokenLogprob token = readTokenLogprob(json);
  const bool excluded = !std::isfinite(token.logprob);
  if (excluded && !(token.logprob < 0)) {
    throwNotFinite(json, "an alternative of output token " + std::to_string(top.ends.size()) + " is not a number");
  }
  top.ids.push_back(excluded ? TopLogprobs::kUnused : token.id);
  top.logprobs.push_back(excluded ? 0.0f : token.logprob);
}

void readTop(JsonCursor& json, SglangFields& fields) {
  fields.top.reset();
  if (json.consumeNull()) return;
  TopLists& top = fields.top.emplace();
  json.array([&] {
    if (!json.consumeNull()) json.array([&] { readAlternative(json, top); });
    top.ends.push_back(top.ids.size());
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

void readVersionSpans(JsonCursor& json, SglangFields& fields) {
  fields.weightVersions.clear();
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
    fields.weightVersions.push_back(span);
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

void readFinish(JsonCursor& json, SglangFields& fields) {
  fields.finish.reset();
  if (json.consumeNull()) return;
  EngineFinish& finish = fields.finish.emplace();
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

void readMetaInfo(JsonCursor& json, SglangFields& fields) {
  fields.hasMetaInfo = true;
  json.object([&](std::string_view key) {
    if (key == "output_token_logprobs") {
      readLogprobs(json, fields);
    } else if (key == "output_token_logprobs_length") {
      fields.logprobsLength = readCount(json, "output_token_logprobs_length");
    } else if (key == "output_top_logprobs") {
      readTop(json, fields);
    } else if (key == "weight_versions") {
      readVersionSpans(json, fields);
    } else if (key == "weight_version") {
      fields.weightVersion = readVersion(json);
    } else if (key == "finish_reason") {
      readFinish(json, fields);
    } else if (key == "id") {
      fields.id.reset();
      if (!json.consumeNull()) fields.id = json.string();
    } else if (key == "prompt_tokens") {
      fields.promptTokens = readCount(json, "prompt_tokens");
    } else if (key == "completion_tokens") {
      fields.completionTokens = readCount(json, "completion_tokens");
    } else if (key == "cached_tokens") {
      fields.cachedTokens = readCount(json, "cached_tokens");
    } else {
      json.skip();
    }
  });
}

void readOutputIds(JsonCursor& json, SglangFields& fields) {
  fields.outputIds.reset();
  if (json.consumeNull()) return;
  std::vector<std::int32_t>& ids = fields.outputIds.emplace();
  json.array([&] { ids.push_back(readTokenId(json)); });
}

}  // namespace

SglangFields readSglangFields(JsonCursor& json) {
  SglangFields fields;
  if (json.peek() == '[') json.fail("an array of replies, where one was asked for");
  json.object([&](std::string_view key) {
    if (key == "meta_info") {
      readMetaInfo(json, fields);
    } else if (key == "output_ids") {
      readOutputIds(json, fields);
    } else {
      json.skip();
    }
  });
  json.finish();
  if (!fields.hasMetaInfo) json.fail("no meta_info");
  return fields;
}

}  // namespace rolltape
