#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "interaction.h"

namespace rolltape {

/// Tokens [from, to) of a sequence that have items of a channel in one run. The interactions of a sequence's path store
/// its items.
struct ChannelStretch {
  const ChannelRun* run;
  std::uint32_t from;
  std::uint32_t to;

  std::uint64_t items() const { return run->itemsBefore(to) - run->itemsBefore(from); }
  std::span<const std::byte> bytes() const { return run->bytes(from, to); }
};

/// Lists the items of tokens [begin, end) of the sequence of `leaf`, in the order of tokens.
/// @param hasItems returns false for an interaction of the path whose items are left out
template <typename HasItems>
void listStretches(const Interaction& leaf, std::string_view channel, std::uint32_t begin, std::uint32_t end,
                   std::uint64_t moment, HasItems hasItems, std::vector<ChannelStretch>& stretches) {
  stretches.clear();
  for (const Interaction* at = &leaf; at != nullptr && end > begin; at = at->source) {
    if (hasItems(*at)) {
      const std::span<const ChannelRun> runs = at->channels(moment);
      for (std::size_t i = runs.size(); i-- > 0;) {
        const ChannelRun& run = runs[i];
        const std::uint32_t from = std::max(run.first, begin);
        const std::uint32_t to = std::min(run.end(), end);
        if (run.spec->name != channel || from >= to) continue;
        stretches.push_back({&run, from, to});
        end = from;
      }
    }
    end = std::min(end, at->shared);
  }
  std::ranges::reverse(stretches);
}

/// Lists the items of the first `count` tokens of the sequence of `leaf`; none if a token has no item.
std::vector<ChannelStretch> listAllItems(const Interaction& leaf, std::string_view channel, std::uint32_t count);

}  // namespace rolltape
