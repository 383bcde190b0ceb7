#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interaction.h"
#include "sequence.h"

namespace rolltape {

/// Finds recorded sequences by their tokens, for calls whose prompt is token ids instead of messages.
///
/// A search hashes the given tokens once and looks up each of their prefixes that is as long as a recorded sequence, so
/// its time does not depend on how many interactions there are. The first search hashes all recorded sequences, each
/// later one those that were recorded since; sessions that are never searched pay nothing.
class SequenceIndex {
 public:
  /// Returns the interaction whose whole sequence is the longest prefix of `tokens`, the newest of several.
  std::optional<std::uint32_t> findLongestPrefix(const SessionStorage& storage, TokenSpan tokens);
  std::size_t byteLength() const;

 private:
  void addNew(const SessionStorage& storage);
  std::uint64_t hashSequence(const Interaction& interaction) const;

  /// Hashes of whole sequences, by interaction.
  std::vector<std::uint64_t> hashes_;
  /// Two sequences with the same hash differ so rarely that only the newer one is found.
  std::unordered_map<std::uint64_t, std::uint32_t> newestByHash_;
  /// True at n if a sequence has n tokens.
  std::vector<bool> lengths_;
};

}  // namespace rolltape
