#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../session/top_logprobs.h"

namespace rolltape {

/// The alternatives of positions, one after the other, as a reply lists them; position p has `counts[p]`, at most
/// kMaxTopWidth.
struct TopLists {
  std::vector<std::int32_t> ids;
  std::vector<float> logprobs;
  std::vector<std::uint16_t> counts;

  void clear();
  /// The list of the next position is complete: it has the entries from `first` on. @throws kReplyMismatch for too
  /// many.
  void endList(std::size_t first);
  /// Forgets the first lists.
  void dropFront(std::size_t lists);
};

/// The lists as rows of equal width, which are moved where they are that already. Empty where no list has an entry.
TopLogprobs topRows(TopLists top);

}  // namespace rolltape
