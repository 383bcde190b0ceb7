#include <string>

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

std::vector<Plan> Plan::shards(std::uint32_t count) const {
  requirePackable();
  if (count == 0 || count > maxShards()) {
    throw Error(ErrorCode::kInvalidArg,
                "shards: " + std::to_string(count) + " where there can be from 1 to " + std::to_string(maxShards()));
  }
  const std::vector<Unit> units = options_.layout == Layout::kTree ? treeUnits(nodes_) : rowUnits(rows_);
  std::vector<std::uint64_t> weights;
  weights.reserve(units.size());
  for (const Unit& unit : units) weights.push_back(unit.tokens);
  std::vector<Plan> plans;
  plans.reserve(count);
  for (const std::vector<std::uint32_t>& part : balancedParts(weights, count)) {
    Plan& plan = plans.emplace_back(Plan());
    plan.options_ = options_;
    plan.storages_ = storages_;
    plan.filteredTurns_ = filteredTurns_;
    for (const std::uint32_t unit : part) plan.addRowsOf(*this, units[unit].begin, units[unit].end);
    plan.measure();
  }
  return plans;
}

}  // namespace rolltape
