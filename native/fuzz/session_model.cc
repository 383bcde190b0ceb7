#include "session_model.h"

#include <algorithm>

namespace rolltape::fuzz {

namespace {

bool isStrictPrefix(const std::vector<std::string>& prefix, const std::vector<std::string>& messages) {
  return prefix.size() < messages.size() && std::equal(prefix.begin(), prefix.end(), messages.begin());
}

}  // namespace

std::vector<std::int32_t> ModelInteraction::sequence() const {
  std::vector<std::int32_t> all = input;
  all.insert(all.end(), output.begin(), output.end());
  return all;
}

std::vector<std::string> ModelInteraction::conversation() const {
  std::vector<std::string> all = messages;
  all.insert(all.end(), answer.begin(), answer.end());
  return all;
}

std::int32_t SessionModel::findParent(const std::vector<std::string>& messages,
                                      const std::vector<std::uint64_t>& callIds) const {
  // Whole conversations first, then input messages; of equals the newest, those with the same call ids before others.
  for (const bool whole : {true, false}) {
    std::int32_t best = -1;
    std::size_t longest = 0;
    bool bestHasIds = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<std::string> prefix = whole ? all[i].conversation() : all[i].messages;
      if (!isStrictPrefix(prefix, messages) || prefix.size() < longest) continue;
      const std::uint64_t wanted = prefix.empty() ? 0 : callIds[prefix.size() - 1];
      const bool hasIds = wanted != 0 && wanted == (whole ? all[i].callIds.conversation : all[i].callIds.input);
      if (best >= 0 && prefix.size() == longest && bestHasIds && !hasIds) continue;
      best = static_cast<std::int32_t>(i);
      longest = prefix.size();
      bestHasIds = hasIds;
    }
    if (best >= 0) return best;
  }
  return -1;
}

std::size_t SessionModel::sharedTokens(std::size_t index) const {
  const ModelInteraction& at = all[index];
  if (at.parent < 0) return 0;
  const std::vector<std::int32_t> before = all[static_cast<std::size_t>(at.parent)].sequence();
  const auto differs = std::mismatch(before.begin(), before.end(), at.input.begin(), at.input.end());
  return static_cast<std::size_t>(differs.first - before.begin());
}

bool SessionModel::tokenExact(std::size_t index) const {
  const std::int32_t parent = all[index].parent;
  return parent >= 0 && sharedTokens(index) == all[static_cast<std::size_t>(parent)].sequence().size();
}

test::Outline SessionModel::outline() const {
  test::Outline outline;
  outline.sessionReward = sessionReward;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ModelInteraction& at = all[i];
    outline.all.push_back({at.parent, tokenExact(i), at.leftOut, at.startsRow, at.input.size(), at.output.size(),
                           at.reward, at.facts, at.labels});
  }
  return outline;
}

std::int32_t SessionModel::source(std::size_t index) const {
  const std::size_t shared = sharedTokens(index);
  if (shared == 0) return -1;
  std::int32_t at = all[index].parent;
  while (sharedTokens(static_cast<std::size_t>(at)) >= shared) at = all[static_cast<std::size_t>(at)].parent;
  return at;
}

bool SessionModel::records(std::size_t index, const ChannelSpec& spec, std::size_t position) const {
  const auto found = all[index].channels.find(spec);
  if (found == all[index].channels.end() || position >= found->second.size() || !found->second[position]) return false;
  const std::size_t shared = sharedTokens(index);
  if (!spec.ofSequence || position >= shared) return true;
  return position + 1 == shared && !records(static_cast<std::size_t>(source(index)), spec, position);
}

std::optional<std::vector<std::uint8_t>> SessionModel::item(std::size_t index, const ChannelSpec& spec,
                                                            std::size_t position) const {
  for (auto at = static_cast<std::int32_t>(index); at >= 0; at = source(static_cast<std::size_t>(at))) {
    const auto here = static_cast<std::size_t>(at);
    if (records(here, spec, position)) return all[here].channels.at(spec)[position];
    if (position >= sharedTokens(here)) break;
  }
  return std::nullopt;
}

std::set<ChannelSpec> SessionModel::channels() const {
  std::set<ChannelSpec> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& [spec, items] : all[i].channels) {
      for (std::size_t at = 0; at < items.size(); ++at) {
        if (records(i, spec, at)) found.insert(spec);
      }
    }
  }
  return found;
}

ModelRow SessionModel::row(std::size_t index, const test::Outline& outline, const PlanOptions& options) const {
  ModelRow row{index, all[index].sequence(), {}, {}, {}, static_cast<float>(outline.rowReward(index, options))};
  row.lossMask.assign(row.ids.size(), 0);
  row.logprobs.assign(row.ids.size(), 0);
  row.versions.assign(row.ids.size(), -1);
  for (const ChannelSpec& spec : channels()) {
    Items& items = row.channels[spec];
    items.resize(row.ids.size());
    for (std::size_t i = 0; spec.ofSequence && i < items.size(); ++i) items[i] = item(index, spec, i);
  }
  if (all[index].leftOut) return row;
  for (const std::size_t turn : outline.turns(index, options.style)) {
    const ModelInteraction& source = all[turn];
    for (std::size_t i = 0; i < source.output.size(); ++i) {
      row.lossMask[source.input.size() + i] = 1;
      row.logprobs[source.input.size() + i] = source.logprobs[i];
      row.versions[source.input.size() + i] = source.versions[i];
    }
    for (auto& [spec, items] : row.channels) {
      const auto given = source.channels.find(spec);
      if (spec.ofSequence || given == source.channels.end()) continue;
      for (std::size_t i = 0; i < given->second.size(); ++i) {
        if (given->second[i]) items[i] = given->second[i];
      }
    }
  }
  return row;
}

std::vector<ModelRow> SessionModel::rows(const PlanOptions& options) const {
  const test::Outline outline = this->outline();
  std::vector<ModelRow> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (options.layout == Layout::kTree || outline.isRow(i, options.style)) rows.push_back(row(i, outline, options));
  }
  return rows;
}

}  // namespace rolltape::fuzz
