#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "../json/cursor.h"
#include "../session/generation.h"

namespace rolltape {

/// The routed experts that a request asked for: the `topK` experts of each layer that a token went through, in order.
/// An engine has a row for each token of the sequence but the last, on which the model did not run.
struct RoutedExperts {
  std::uint32_t layers = 0;
  std::uint32_t topK = 0;
  /// Experts of a layer: ids are less.
  std::uint32_t experts = 0;
  /// Tokens of the prompt that was sent, with the partial output in it.
  std::uint32_t promptLength = 0;
  /// The first token whose row was asked for, at most promptLength.
  std::uint32_t start = 0;

  /// The channel `routed_experts`: U8, or U16 for more than 256 experts, of shape [layers, topK].
  ChannelSpec channel() const;
};

/// Rows as a reply has them, in the dtype of the channel.
using ExpertRows = std::vector<std::byte>;

/// Reads vLLM's `routed_experts`: base64 of a file in NumPy's format (numpy.lib.format) with |u1 or <u2 and the shape
/// (rows, layers, topK); null for none.
/// @throws kReplyMalformed if it is not such a file, kReplyImpossible if its dtype, shape or ids are not the model's.
std::optional<ExpertRows> readNpyExperts(JsonCursor& json, const RoutedExperts& asked);

/// Reads SGLang's `routed_experts`: base64 of int32 in rows of layers x topK; null for none.
/// @throws kReplyMalformed, kReplyImpossible as above.
std::optional<ExpertRows> readInt32Experts(JsonCursor& json, const RoutedExperts& asked);

/// Adds the rows of a reply to `tokens`, which must have all tokens of the reply. Older servers send every row: those
/// before `asked.start` are left out.
/// @param count tokens that the whole reply sampled
/// @throws kReplyImpossible for another number of rows
void addExperts(Generation& tokens, const RoutedExperts& asked, ExpertRows rows, std::size_t count);

}  // namespace rolltape
