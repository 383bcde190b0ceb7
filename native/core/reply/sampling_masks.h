#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../json/cursor.h"
#include "../session/generation.h"

namespace rolltape {

/// The sampling masks that a request asked for: the ids that each token was sampled from.
struct SamplingMasks {
  /// The longest list that is recorded.
  std::uint32_t maxIds = 0;
  /// Ids are less. A list of all of them says that nothing was left out.
  std::uint32_t vocabularySize = 0;

  /// The ragged channel `kept_ids` of outputs. A token has no item if its list is not recorded.
  static ChannelSpec channel();
};

/// Lists as a reply has them: token p has the next `counts[p]` ids.
struct MaskLists {
  std::vector<std::int32_t> ids;
  std::vector<std::uint32_t> counts;

  void clear();
  /// Reads the list of the next token. @throws kReplyMalformed
  void readNext(JsonCursor& json);
  /// Removes the lists of the first `tokens` tokens.
  void dropFront(std::size_t tokens);
};

/// Reads `[[5, 7], [9]]`. @throws kReplyMalformed
MaskLists readMaskLists(JsonCursor& json);

/// Adds the lists to `tokens`, which has all tokens that they are of and no others.
/// @returns the length of the longest list that is too long to be recorded, although it leaves ids out; 0 for none
/// @throws kReplyMismatch if their number is not that of the tokens or if a list lacks the token itself,
/// kReplyImpossible for an id beyond the vocabulary
std::uint32_t addMasks(Generation& tokens, const SamplingMasks& asked, const MaskLists& lists);

}  // namespace rolltape
