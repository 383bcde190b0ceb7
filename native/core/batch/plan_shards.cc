#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "../base/error.h"
#include "balanced_parts.h"
#include "plan.h"

namespace rolltape {

namespace {

/// What cannot be split: a row, or all nodes of a tree.
struct Unit {
  std::size_t begin;
  std::size_t end;
  std::uint64_t tokens;
};

using Parts = std::vector<std::vector<std::uint32_t>>;

/// Distributes units over `count` parts and keeps those of one key together. Returns no parts if they would not be
/// balanced, or fewer than `count`.
/// @param keyOf returns the key of the unit that begins at a row
template <typename KeyOf>
Parts togetherBy(KeyOf keyOf, std::span<const Unit> units, std::uint32_t count) {
  std::unordered_map<std::uint64_t, std::size_t> bundleOf;
  Parts bundles;
  std::vector<std::uint64_t> weights;
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < units.size(); ++i) {
    const auto [found, isNew] = bundleOf.emplace(keyOf(units[i].begin), bundles.size());
    if (isNew) {
      bundles.emplace_back();
      weights.push_back(0);
    }
    bundles[found->second].push_back(i);
    weights[found->second] += units[i].tokens;
    all += units[i].tokens;
  }
  if (bundles.size() < count) return {};
  const double limit = Plan::kMaxShardExcess * static_cast<double>(all) / count;
  Parts parts;
  for (const std::vector<std::uint32_t>& part : balancedParts(weights, count)) {
    std::vector<std::uint32_t>& joined = parts.emplace_back();
    std::uint64_t tokens = 0;
    for (const std::uint32_t bundle : part) {
      joined.insert(joined.end(), bundles[bundle].begin(), bundles[bundle].end());
      tokens += weights[bundle];
    }
    if (static_cast<double>(tokens) > limit) return {};
    std::ranges::sort(joined);
  }
  return parts;
}

std::vector<Unit> rowUnits(std::span<const PlanRow> rows) {
  std::vector<Unit> units;
  units.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) units.push_back({i, i + 1, rows[i].length});
  return units;
}

std::vector<Unit> treeUnits(std::span<const TreeNode> nodes) {
  std::vector<Unit> units;
  for (std::size_t root = 0; root < nodes.size(); root = nodes[root].end) {
    Unit unit{root, nodes[root].end, 0};
    for (std::size_t i = unit.begin; i < unit.end; ++i) unit.tokens += nodes[i].interaction->ownLength();
    units.push_back(unit);
  }
  return units;
}

/// Keeps groups together, else sessions, else nothing.
Parts splitUnits(const Plan& plan, std::span<const Unit> units, std::uint32_t count) {
  const auto sessionOf = [&](std::size_t row) { return std::uint64_t{plan.rows()[row].session}; };
  const auto groupOf = [&](std::size_t row) {
    const std::uint32_t group = plan.episodes()[sessionOf(row)].group;
    constexpr std::uint64_t kOwnGroups = std::uint64_t{1} << 32;
    return group == PlannedSession::kNoGroup ? kOwnGroups + sessionOf(row) : group;
  };
  Parts parts = togetherBy(groupOf, units, count);
  if (parts.empty()) parts = togetherBy(sessionOf, units, count);
  if (!parts.empty()) return parts;
  std::vector<std::uint64_t> weights;
  weights.reserve(units.size());
  for (const Unit& unit : units) weights.push_back(unit.tokens);
  return balancedParts(weights, count);
}

}  // namespace

void Plan::addRowsOf(const Plan& plan, std::size_t begin, std::size_t end) {
  const auto base = static_cast<std::uint32_t>(rows_.size());
  const auto from = static_cast<std::uint32_t>(begin);
  rows_.insert(rows_.end(), plan.rows_.begin() + static_cast<std::ptrdiff_t>(begin),
               plan.rows_.begin() + static_cast<std::ptrdiff_t>(end));
  if (options_.turns) {
    for (std::size_t i = begin; i < end; ++i) {
      turnStarts_.push_back(static_cast<std::uint32_t>(turns_.size()));
      turns_.insert(turns_.end(), plan.turns_.begin() + plan.turnStarts_[i],
                    plan.turns_.begin() + plan.turnStarts_[i + 1]);
    }
  }
  if (plan.nodes_.empty()) return;
  for (std::size_t i = begin; i < end; ++i) {
    TreeNode node = plan.nodes_[i];
    if (node.parent != TreeNode::kNone) node.parent = node.parent - from + base;
    node.end = node.end - from + base;
    nodes_.push_back(node);
  }
}

void Plan::listSessionsOfRows() {
  std::vector<bool> hasRow(episodes_.size());
  std::unordered_set<std::uint32_t> groups;
  for (const PlanRow& row : rows_) {
    hasRow[row.session] = true;
    groups.insert(episodes_[row.session].group);
  }
  groups.erase(PlannedSession::kNoGroup);
  for (std::uint32_t i = 0; i < episodes_.size(); ++i) {
    if (hasRow[i] || groups.contains(episodes_[i].group)) listedSessions_.push_back(i);
  }
}

std::vector<Plan> Plan::shards(std::uint32_t count) const {
  requirePackable();
  if (count == 0 || count > maxShards()) {
    throw Error(ErrorCode::kInvalidArg,
                "shards: " + std::to_string(count) + " where there can be from 1 to " + std::to_string(maxShards()));
  }
  const std::vector<Unit> units = options_.layout == Layout::kTree ? treeUnits(nodes_) : rowUnits(rows_);
  std::vector<Plan> plans;
  plans.reserve(count);
  for (const std::vector<std::uint32_t>& part : splitUnits(*this, units, count)) {
    Plan& plan = plans.emplace_back(Plan());
    plan.options_ = options_;
    plan.channelMoment_ = channelMoment_;
    plan.storages_ = storages_;
    plan.episodes_ = episodes_;
    plan.filteredTurns_ = filteredTurns_;
    plan.shape_.channels = shape_.channels;
    for (const std::uint32_t unit : part) plan.addRowsOf(*this, units[unit].begin, units[unit].end);
    plan.listSessionsOfRows();
    plan.measure();
  }
  return plans;
}

}  // namespace rolltape
