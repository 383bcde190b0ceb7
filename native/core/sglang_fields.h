#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine_reply.h"
#include "json_cursor.h"

namespace rolltape {

/// A stretch [start, end) of output tokens with one weight version; none for a label that is not an integer.
struct WeightVersionSpan {
  std::optional<std::int32_t> version;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// The alternatives of all positions, one after the other; position p has `counts[p]`, at most kMaxTopWidth.
struct TopLists {
  std::vector<std::int32_t> ids;
  std::vector<float> logprobs;
  std::vector<std::uint16_t> counts;
};

/// A reply's meta_info as it stands there, before it is held against the rest. Absent where the reply lacks the field
/// or has null.
struct SglangMetaInfo {
  bool hasLogprobs = false;
  std::vector<std::int32_t> ids;
  std::vector<float> logprobs;
  std::optional<std::int64_t> logprobsLength;
  std::optional<TopLists> top;
  std::optional<std::int32_t> weightVersion;
  std::vector<WeightVersionSpan> weightVersions;
  std::optional<std::string> id;
  std::optional<EngineFinish> finish;
  std::optional<std::int64_t> promptTokens;
  std::optional<std::int64_t> completionTokens;
  std::optional<std::int64_t> cachedTokens;
};

struct SglangFields {
  std::optional<std::vector<std::int32_t>> outputIds;
  SglangMetaInfo metaInfo;
};

/// Reads the whole text. A key that comes twice counts where it comes last.
/// @throws kReplyMalformed, kReplyNotFinite, kReplyMismatch for more alternatives than a token can have.
SglangFields readSglangFields(JsonCursor& json);

}  // namespace rolltape
