#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../core/reply/engine_reply.h"
#include "json_document.h"

namespace rolltape::fuzz {

/// What a reply must be read as.
struct ExpectedReply {
  std::vector<std::int32_t> ids;
  std::vector<float> logprobs;
  /// One per token.
  std::vector<std::int32_t> versions;
  /// `topWidth` per token.
  std::size_t topWidth = 0;
  std::vector<std::int32_t> topIds;
  std::vector<float> topLogprobs;
  std::optional<std::string> id;
  std::optional<EngineFinish> finish;
  std::optional<std::int64_t> promptTokens;
  std::optional<std::int64_t> completionTokens;
  std::optional<std::int64_t> cachedTokens;
};

/// The rules of readSglangReply over a parsed document; nothing where it must refuse.
std::optional<ExpectedReply> expectedReply(const JsonValue& document, std::int32_t fallbackVersion);

}  // namespace rolltape::fuzz
