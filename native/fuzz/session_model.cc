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

std::int32_t SessionModel::findParent(const std::vector<std::string>& messages) const {
  std::int32_t best = -1;
  std::size_t longest = 0;
  // Whole conversations first, then input messages; of equals the newest.
  for (const bool whole : {true, false}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<std::string> prefix = whole ? all[i].conversation() : all[i].messages;
      if (all[i].dropped || !isStrictPrefix(prefix, messages) || prefix.size() < longest) continue;
      best = static_cast<std::int32_t>(i);
      longest = prefix.size();
    }
    if (best >= 0) return best;
  }
  return best;
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

std::size_t SessionModel::liveChildren(std::size_t index) const {
  return static_cast<std::size_t>(std::ranges::count_if(all, [&](const ModelInteraction& child) {
    return !child.dropped && child.parent == static_cast<std::int32_t>(index);
  }));
}

double SessionModel::finalReward(std::size_t index, double discount) const {
  double reward = all[index].reward.value_or(0);
  // The newest child first: the order in which float64 sums are made, too.
  for (std::size_t child = all.size(); child-- > index + 1;) {
    if (all[child].dropped || all[child].parent != static_cast<std::int32_t>(index)) continue;
    reward += finalReward(child, discount) * discount;
  }
  return reward;
}

ModelRow SessionModel::row(std::size_t index, const PlanOptions& options) const {
  const ModelInteraction& at = all[index];
  ModelRow row{index, at.sequence(), {}, {}, {}, static_cast<float>(finalReward(index, options.discount))};
  row.lossMask.assign(row.ids.size(), 0);
  row.logprobs.assign(row.ids.size(), 0);
  row.versions.assign(row.ids.size(), -1);
  for (std::size_t trained = index;; trained = static_cast<std::size_t>(all[trained].parent)) {
    const ModelInteraction& source = all[trained];
    for (std::size_t i = 0; i < source.output.size(); ++i) {
      row.lossMask[source.input.size() + i] = 1;
      row.logprobs[source.input.size() + i] = source.logprobs[i];
      row.versions[source.input.size() + i] = source.versions[i];
    }
    if (options.style == RowStyle::kIndividual || !tokenExact(trained)) return row;
  }
}

std::vector<ModelRow> SessionModel::rows(const PlanOptions& options) const {
  std::vector<ModelRow> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool leaf = true;
    for (std::size_t child = i + 1; child < all.size(); ++child) {
      if (!all[child].dropped && all[child].parent == static_cast<std::int32_t>(i) && tokenExact(child)) leaf = false;
    }
    if (!all[i].dropped && (leaf || options.style == RowStyle::kIndividual)) rows.push_back(row(i, options));
  }
  return rows;
}

}  // namespace rolltape::fuzz
