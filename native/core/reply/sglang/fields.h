#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../json/cursor.h"
#include "../asked_values.h"
#include "../cut_experts.h"
#include "../engine_reply.h"
#include "../top_lists.h"
#include "../weight_spans.h"
#include "flat_top.h"
#include "known_items.h"

namespace rolltape {

/// What of an array was not read, because it is known, and the text of all its items.
struct ReadArray {
  std::size_t skipped = 0;
  std::string_view text;
};

/// Arrays of an earlier frame of the same stream.
struct SglangKnown {
  KnownItems outputIds;
  KnownItems logprobs;
  KnownItems top;
  KnownItems masks;
  KnownItems maskedLogprobs;
  KnownItems tokenIds;
  /// The request's id, too.
  bool id = false;
  /// The experts of this frame, which is read again.
  bool experts = false;
};

/// A reply's meta_info as it stands there, before it is held against the rest. Absent where the reply lacks the field
/// or has null.
struct SglangMetaInfo {
  bool hasLogprobs = false;
  ReadArray logprobsArray;
  std::vector<std::int32_t> ids;
  std::vector<float> logprobs;
  std::optional<std::int64_t> logprobsLength;
  ReadArray topArray;
  TopLists top;
  /// The sampling masks, if they were asked for, and the log probability of each token among those of its mask.
  bool hasMasks = false;
  ReadArray masksArray;
  MaskLists masks;
  ReadArray maskedLogprobsArray;
  std::vector<float> maskedLogprobs;
  std::optional<std::int64_t> masksLength;
  FlatTop flatTop;
  ReadArray tokenIdsArray;
  TopLists tokenIds;
  std::optional<std::int32_t> weightVersion;
  std::vector<WeightVersionSpan> weightVersions;
  std::optional<std::string> id;
  std::optional<EngineFinish> finish;
  std::optional<std::int64_t> promptTokens;
  std::optional<std::int64_t> completionTokens;
  std::optional<std::int64_t> cachedTokens;
  std::optional<ExpertRows> experts;

  /// As if it had never been read, but for the memory that it has.
  void clear();
  /// Returns true if each array of the masks was read for the same tokens as output_token_logprobs, and without masks.
  bool hasEqualMasks() const;
  /// Replaces the log probabilities, which are of the whole vocabulary, by those among the tokens of the masks. The
  /// alternatives are renormalized with their token; the places of those that a mask lacks become unused.
  /// @throws kReplyMismatch unless hasEqualMasks(), or if `total` is not their length
  void applyMasks(std::size_t total);
};

struct SglangFields {
  bool hasOutputIds = false;
  ReadArray outputIdsArray;
  std::vector<std::int32_t> outputIds;
  bool hasMetaInfo = false;
  SglangMetaInfo metaInfo;
  /// Of all texts that were read into these fields.
  NamedVersions versions;
  /// Where the reply has an error that is not null.
  std::optional<EngineFailure> error;
};

/// Reads the whole text in place of what `fields` holds. A key that comes twice counts where it comes last.
/// @param asked values of tokens to read. Others are skipped.
/// @param known items that need not be read again; null for none.
/// @param cut experts that were read before the text was complete; null if there cannot be any.
/// @throws kReplyMalformed, kReplyNotFinite, kReplyMismatch for more alternatives than a token can have.
void readSglangFields(JsonCursor& json, SglangFields& fields, const AskedValues& asked,
                      const SglangKnown* known = nullptr, CutExperts* cut = nullptr);

}  // namespace rolltape
