#include "missing_items.h"

#include <algorithm>

namespace rolltape {

std::uint32_t firstMissing(const Interaction& interaction, std::string_view channel) {
  std::uint32_t first = std::max(interaction.shared, 1u);
  for (const ChannelRun& run : interaction.channels()) {
    if (run.spec->name == channel) first = std::max(first, run.end());
  }
  return std::min(first, interaction.sequenceLength());
}

std::uint32_t countMissing(const Interaction& interaction, std::string_view channel) {
  return interaction.sequenceLength() - firstMissing(interaction, channel);
}

std::vector<MissingItems> listMissing(const SessionStorage& storage, std::string_view channel) {
  std::vector<std::uint32_t> firsts;
  for (const Interaction& at : storage.interactions) firsts.push_back(firstMissing(at, channel));
  std::vector<MissingItems> missing;
  // Descendants come after their ancestors, and their sequences hold tokens of these.
  for (auto leaf = storage.interactions.rbegin(); leaf != storage.interactions.rend(); ++leaf) {
    if (firsts[leaf->index] >= leaf->sequenceLength()) continue;
    std::uint32_t first = leaf->sequenceLength();
    forEachNode(*leaf, [&](const Interaction& at, std::uint32_t end) {
      std::uint32_t& known = firsts[at.index];
      if (known >= end) return;
      first = known;
      known = end;
    });
    missing.push_back({leaf->index, first});
  }
  return missing;
}

}  // namespace rolltape
