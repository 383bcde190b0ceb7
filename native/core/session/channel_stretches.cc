#include "channel_stretches.h"

namespace rolltape {

std::vector<ChannelStretch> listAllItems(const Interaction& leaf, std::string_view channel, std::uint32_t count) {
  std::vector<ChannelStretch> stretches;
  const auto any = [](const Interaction&) { return true; };
  listStretches(leaf, channel, 0, count, kNewestChannels, any, stretches);
  std::uint32_t end = 0;
  for (const ChannelStretch& stretch : stretches) {
    if (stretch.from != end) return {};
    end = stretch.to;
  }
  if (end != count) return {};
  return stretches;
}

}  // namespace rolltape
