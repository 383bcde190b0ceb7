#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "interaction.h"

namespace rolltape {

/// Which tokens have no item yet of a channel whose items are added after the calls were recorded. An item describes a
/// token in the context of those before it, so the first token of a sequence never has one, and each token is counted
/// with the interaction that stores it.

/// Returns the first of the interaction's own tokens without an item; its sequenceLength() if there is none.
std::uint32_t firstMissing(const Interaction& interaction, std::string_view channel);

/// Returns the number of the interaction's own tokens without an item.
std::uint32_t countMissing(const Interaction& interaction, std::string_view channel);

/// Items that are missing: those of the sequence of interaction `leaf` from token `first` on.
struct MissingItems {
  std::uint32_t leaf;
  std::uint32_t first;
};

/// Lists sequences whose items, added together, leave none missing. No token is in two of them, except those behind
/// the first missing one that have items already.
std::vector<MissingItems> listMissing(const SessionStorage& storage, std::string_view channel);

/// Calls `onNode(interaction, end)` for the interaction and each ancestor with tokens in its sequence, from the last to
/// the first. Tokens [interaction.shared, end) are stored there.
template <typename OnNode>
void forEachNode(const Interaction& leaf, OnNode onNode) {
  std::uint32_t end = leaf.sequenceLength();
  for (const Interaction* at = &leaf; at != nullptr; at = at->source) {
    onNode(*at, end);
    end = end < at->shared ? end : at->shared;
  }
}

}  // namespace rolltape
