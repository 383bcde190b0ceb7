#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../session/top_logprobs.h"

namespace rolltape {

/// The most probable tokens of each position, in the order of a reply. Position p has `counts[p]` of them, at most
/// kMaxTopWidth.
struct TopLists {
  std::vector<std::int32_t> ids;
  std::vector<float> logprobs;
  std::vector<std::uint16_t> counts;

  void clear();
  /// Ends the list of the next position, which has the entries from `first` on.
  /// @throws kReplyMismatch if there are too many entries
  void endList(std::size_t first);
  /// Removes the lists of the first `lists` positions.
  void dropFront(std::size_t lists);
};

/// Returns the lists as rows of equal width, empty if no list has an entry. Lists of equal width are moved, not copied.
TopLogprobs topRows(TopLists top);

}  // namespace rolltape
