#include "plan.h"

#include <algorithm>
#include <string>

#include "reward.h"
#include "size.h"

namespace rolltape {

namespace {

/// Interactions that a child continues token-exactly: not the last of their row.
std::vector<bool> continued(const Session& session) {
  std::vector<bool> is(session.length());
  for (const Interaction& at : session.storage()->interactions) {
    if (at.tokenExact && !session.state(at.index).dropped) is[at.parent->index] = true;
  }
  return is;
}

}  // namespace

Plan::Plan(std::span<const Session* const> sessions, const PlanOptions& options) : options_(options) {
  if (options.layout == Layout::kTree) {
    if (options.maxLength > 0) throw Error(ErrorCode::kInvalidArg, "maxLength: a tree batch can have none");
    options_.style = RowStyle::kIndividual;
  }
  storages_.reserve(sessions.size());
  for (const Session* session : sessions) {
    storages_.push_back(session->storage());
    addSession(*session);
  }
  measure();
}

void Plan::addSession(const Session& session) {
  const std::vector<double> rewards = session.discountedRewards(options_.discount);
  if (options_.layout == Layout::kTree) {
    addNodes(session, rewards);
  } else {
    addRows(session, rewards);
  }
}

void Plan::addRows(const Session& session, std::span<const double> rewards) {
  const bool concat = options_.style == RowStyle::kConcat;
  const std::vector<bool> inner = concat ? continued(session) : std::vector<bool>(session.length());
  for (const Interaction& at : session.storage()->interactions) {
    if (session.state(at.index).dropped) continue;
    if (concat && options_.onMismatch == OnMismatch::kError && at.parent != nullptr && !at.tokenExact) addMismatch(at);
    if (!inner[at.index]) addRow(at, finalReward(rewards[at.index], at.index));
  }
}

void Plan::addNodes(const Session& session, std::span<const double> rewards) {
  std::vector<const Interaction*> live;
  live.reserve(session.length());
  for (const Interaction& at : session.storage()->interactions) {
    if (!session.state(at.index).dropped) live.push_back(&at);
  }
  const auto base = static_cast<std::uint32_t>(nodes_.size());
  for (TreeNode node : depthFirst(live)) {
    if (node.parent != TreeNode::kNone) node.parent += base;
    node.end += base;
    nodes_.push_back(node);
    addRow(*node.interaction, finalReward(rewards[node.interaction->index], node.interaction->index));
  }
}

void Plan::addMismatch(const Interaction& child) {
  const std::uint32_t position = child.shared;
  mismatches_.push_back({static_cast<std::uint32_t>(storages_.size() - 1), child.parent->index, child.index, position,
                         tokenAt(*child.parent, position),
                         position < child.inputLength ? tokenAt(child, position) : -1});
}

void Plan::addRow(const Interaction& interaction, float reward) {
  PlanRow row{static_cast<std::uint32_t>(storages_.size() - 1), &interaction, interaction.sequenceLength(), reward};
  if (options_.maxLength > 0 && row.length > options_.maxLength) {
    if (options_.overflow == Overflow::kTruncate) {
      row.length = options_.maxLength;
    } else {
      overflows_.push_back(row);
      if (options_.overflow == Overflow::kDrop) return;
    }
  }
  rows_.push_back(row);
}

void Plan::measure() {
  std::uint64_t rowTokens = 0;
  for (const PlanRow& row : rows_) {
    longestRow_ = std::max(longestRow_, row.length);
    rowTokens = checkedAdd(rowTokens, row.length);
  }
  shape_ = {options_.layout, rows_.size(), longestRow_, rowTokens, 0};
  if (options_.layout == Layout::kPadded) {
    shape_.length = checkedRoundUp(longestRow_, options_.padToMultipleOf);
    shape_.tokens = checkedMultiply(rows_.size(), shape_.length);
  }
  if (options_.layout == Layout::kTree) {
    shape_.tokens = 0;
    for (const TreeNode& node : nodes_) {
      shape_.tokens = checkedAdd(shape_.tokens, node.interaction->ownLength());
      shape_.trees += node.parent == TreeNode::kNone ? 1 : 0;
    }
  }
  byteLength_ = tensorBytes(shape_);
}

void Plan::requirePackable() const {
  if (!mismatches_.empty()) {
    throw Error(ErrorCode::kInvalidArg,
                "the plan has " + std::to_string(mismatches_.size()) + " children that are not token-exact");
  }
  if (!overflows_.empty() && options_.overflow == Overflow::kError) {
    throw Error(ErrorCode::kInvalidArg, "the plan has " + std::to_string(overflows_.size()) + " rows over maxLength");
  }
}

}  // namespace rolltape
