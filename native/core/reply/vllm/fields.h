#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../json/cursor.h"
#include "../asked_values.h"
#include "../cut_experts.h"
#include "../engine_reply.h"
#include "../top_lists.h"
#include "../weight_spans.h"

namespace rolltape {

/// The log probabilities of a choice, in whichever shape: one entry per token.
struct VllmLogprobs {
  std::vector<std::int32_t> ids;
  std::vector<float> logprobs;
  TopLists top;
  /// Those of the token ids that were asked for: a list for each token whose alternatives have all of them.
  TopLists tokenIds;
};

/// A choice as it stands in the reply, before it is held against the rest.
struct VllmChoice {
  std::optional<std::vector<std::int32_t>> tokenIds;
  std::optional<VllmLogprobs> logprobs;
  std::vector<WeightVersionSpan> weightVersions;
  std::optional<EngineFinish> finish;
  std::optional<ExpertRows> experts;
  std::optional<MaskLists> masks;
};

/// A reply, or a frame of a stream. Absent where it lacks the field or has null.
struct VllmFields {
  std::optional<std::string> id;
  std::vector<VllmChoice> choices;
  std::optional<std::int64_t> promptTokens;
  std::optional<std::int64_t> completionTokens;
  std::optional<std::int64_t> cachedTokens;
  /// Where the reply has an error that is not null.
  std::optional<EngineFailure> error;
};

/// Reads the whole text. A key that comes twice counts where it comes last.
/// @param named receives the versions.
/// @param topWidth alternatives to keep per token: the most likely ones of those that the reply lists.
/// @param asked values of tokens to read. Others are skipped.
/// @param cut experts that were read before the text was complete; null if there cannot be any.
/// @throws kReplyMalformed, kReplyNotFinite, kReplyMismatch, kReplyOtherPrompt.
VllmFields readVllmFields(JsonCursor& json, NamedVersions& named, std::size_t topWidth, const AskedValues& asked,
                          CutExperts* cut = nullptr);

}  // namespace rolltape
