#include "token_ids_logprobs.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

namespace rolltape {

ChannelSpec tokenIdsChannel(std::vector<std::int32_t> tokenIds) {
  ChannelSpec spec{.name = "token_ids_logprobs", .dtype = Dtype::kF32};
  spec.shape = {static_cast<std::uint32_t>(tokenIds.size())};
  spec.tokenIds = std::move(tokenIds);
  return spec;
}

bool addTokenIdsLogprobs(Generation& tokens, const std::vector<std::int32_t>& asked, const TopLists& lists) {
  const bool isComplete = lists.counts.size() == tokens.length() &&
                          std::ranges::all_of(lists.counts, [&](std::size_t count) { return count == asked.size(); });
  if (asked.empty() || tokens.length() == 0 || !isComplete) return false;
  std::vector<std::byte> values(lists.logprobs.size() * sizeof(float));
  for (std::size_t i = 0; i < lists.ids.size(); ++i) {
    const bool isExcluded = lists.ids[i] == TopLogprobs::kUnused;
    if (!isExcluded && lists.ids[i] != asked[i % asked.size()]) return false;
    const float value = isExcluded ? -std::numeric_limits<float>::infinity() : lists.logprobs[i];
    std::memcpy(values.data() + i * sizeof value, &value, sizeof value);
  }
  tokens.addChannel(tokenIdsChannel(asked), 0, std::move(values));
  return true;
}

}  // namespace rolltape
