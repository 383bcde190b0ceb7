#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "interaction.h"

namespace rolltape {

using TokenSpan = std::span<const std::int32_t>;

/// Sets what follows from the parent of an interaction and from the tokens that it shares: its source, its depth, and
/// where its token-exact part begins.
void derivePlace(Interaction& made);

/// Appends the spans that make up the first `count` tokens of the interaction's sequence, in order. Costs time in the
/// number of spans, not in tokens.
void appendSequence(const Interaction& interaction, std::uint32_t count, std::vector<TokenSpan>& spans);

/// Appends the spans of the whole sequence.
inline void appendSequence(const Interaction& interaction, std::vector<TokenSpan>& spans) {
  appendSequence(interaction, interaction.sequenceLength(), spans);
}

/// The token at `position` of the interaction's sequence, which is longer than that.
std::int32_t tokenAt(const Interaction& interaction, std::uint32_t position);

/// Returns the first token without a recorded item of a sequence channel. The sequence shares its first `shared` tokens
/// with `source`. It is the first token that is not shared, or the one before: an engine has no item for the last token
/// of a sequence, because the model did not run on it. The next call has it.
/// @param source null if nothing is shared
std::uint32_t firstUnrecorded(const Interaction* source, std::uint32_t shared, std::string_view channel);

/// Tokens that two sequences have in common at their start. Spans of the same memory are not compared.
std::size_t commonPrefix(std::span<const TokenSpan> a, std::span<const TokenSpan> b);

/// What follows the first `count` tokens of a sequence that has at least so many.
std::vector<TokenSpan> dropTokens(std::span<const TokenSpan> spans, std::size_t count);

}  // namespace rolltape
