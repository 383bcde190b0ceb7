#include "plan.h"

#include <algorithm>
#include <string>

#include "reward.h"
#include "size.h"

namespace rolltape {

namespace {

/// Interactions with a token-exact child that is not absent: they are not the end of a row.
std::vector<bool> continued(const Session& session, const std::vector<bool>& absent) {
  std::vector<bool> is(session.length());
  for (const Interaction& at : session.storage()->interactions) {
    if (at.tokenExact && !absent[at.index]) is[at.parent->index] = true;
  }
  return is;
}

/// By interaction index. @throws as Plan
std::vector<bool> leftOutOf(const PlannedSession& planned) {
  const Session& session = *planned.session;
  std::vector<bool> leftOut(session.length());
  if (planned.leftOut.empty()) return leftOut;
  for (const std::uint32_t index : planned.leftOut) leftOut[session.interaction(index, "leftOut").index] = true;
  for (const Interaction& at : session.storage()->interactions) {
    if (at.parent == nullptr || leftOut[at.index] || !leftOut[at.parent->index]) continue;
    throw Error(ErrorCode::kInvalidArg, "leftOut: interaction " + std::to_string(at.parent->index) +
                                            " has a child that is not left out: " + std::to_string(at.index));
  }
  return leftOut;
}

std::vector<PlannedSession> allOf(std::span<const Session* const> sessions) {
  std::vector<PlannedSession> planned;
  planned.reserve(sessions.size());
  for (const Session* session : sessions) planned.push_back({session});
  return planned;
}

}  // namespace

Plan::Plan(std::span<const Session* const> sessions, const PlanOptions& options) : Plan(allOf(sessions), options) {}

Plan::Plan(std::span<const PlannedSession> sessions, const PlanOptions& options) : options_(options) {
  if (options.layout == Layout::kTree) {
    if (options.maxLength > 0) throw Error(ErrorCode::kInvalidArg, "maxLength: a tree batch can have none");
    if (options.turns) throw Error(ErrorCode::kInvalidArg, "turns: the nodes of a tree batch are turns already");
    options_.style = RowStyle::kIndividual;
  }
  if (options.columns) requireRowColumns(*options.columns);
  storages_.reserve(sessions.size());
  for (const PlannedSession& planned : sessions) {
    storages_.push_back(planned.session->storage());
    addSession(planned);
  }
  measure();
}

void Plan::addSession(const PlannedSession& planned) {
  const Session& session = *planned.session;
  const std::vector<bool> leftOut = leftOutOf(planned);
  const std::vector<bool> absent = options_.includeLeftOut ? std::vector<bool>(session.length()) : leftOut;
  const SessionRewards rewards(session, options_.discount, absent);
  if (options_.layout == Layout::kTree) {
    addNodes(session, leftOut, rewards);
  } else {
    addRows(session, leftOut, absent, rewards);
  }
  addUnrewardedRoots(session, absent);
}

void Plan::addRows(const Session& session, const std::vector<bool>& leftOut, const std::vector<bool>& absent,
                   const SessionRewards& rewards) {
  const auto owner = static_cast<std::uint32_t>(storages_.size() - 1);
  const bool concat = options_.style == RowStyle::kConcat;
  const bool leaf = options_.concatReward == ConcatReward::kLeaf;
  const std::vector<bool> inner = concat ? continued(session, absent) : std::vector<bool>(session.length());
  const std::vector<bool> uncounted = concat && leaf ? innerRewards(session, rewards) : std::vector<bool>();
  const std::vector<double> returns =
      concat && !leaf ? rowReturns(session, rewards, options_.discount) : std::vector<double>();
  for (const Interaction& at : session.storage()->interactions) {
    if (absent[at.index]) continue;
    const bool breaks = at.parent != nullptr && !at.tokenExact && !at.startsRow;
    if (concat && options_.onMismatch == OnMismatch::kError && breaks) addMismatch(at);
    if (inner[at.index]) continue;
    PlanRow row{owner, &at, concat ? at.rowStart : &at, at.sequenceLength(), rewards.final[at.index],
                rewards.own[at.index]};
    if (!returns.empty()) row.reward = returns[at.index];
    row.leftOut = leftOut[at.index];
    row.uncountedRewards = !uncounted.empty() && uncounted[at.index];
    addRow(row, rewards);
  }
}

void Plan::addNodes(const Session& session, const std::vector<bool>& leftOut, const SessionRewards& rewards) {
  const auto owner = static_cast<std::uint32_t>(storages_.size() - 1);
  std::vector<const Interaction*> all;
  all.reserve(session.length());
  for (const Interaction& at : session.storage()->interactions) all.push_back(&at);
  const auto base = static_cast<std::uint32_t>(nodes_.size());
  for (TreeNode node : depthFirst(all)) {
    if (node.parent != TreeNode::kNone) node.parent += base;
    node.end += base;
    nodes_.push_back(node);
    const Interaction& at = *node.interaction;
    PlanRow row{owner, &at, &at, at.sequenceLength(), rewards.final[at.index], rewards.own[at.index]};
    row.leftOut = leftOut[at.index];
    addRow(row, rewards);
  }
}

void Plan::addUnrewardedRoots(const Session& session, const std::vector<bool>& absent) {
  if (session.sessionReward()) return;
  std::vector<std::uint32_t> rootOf(session.length());
  std::vector<bool> rewarded(session.length());
  for (const Interaction& at : session.storage()->interactions) {
    rootOf[at.index] = at.parent == nullptr ? at.index : rootOf[at.parent->index];
    if (session.state(at.index).ownReward) rewarded[rootOf[at.index]] = true;
  }
  const auto owner = static_cast<std::uint32_t>(storages_.size() - 1);
  for (std::uint32_t i = 0; i < rootOf.size(); ++i) {
    if (rootOf[i] != i || rewarded[i] || absent[i]) continue;
    ++unrewardedRoots_.count;
    if (unrewardedRoots_.first.size() < UnrewardedRoots::kMaxNamed) unrewardedRoots_.first.push_back({owner, i});
  }
}

void Plan::addMismatch(const Interaction& child) {
  const std::uint32_t position = child.shared;
  mismatches_.push_back({static_cast<std::uint32_t>(storages_.size() - 1), child.parent->index, child.index, position,
                         tokenAt(*child.parent, position),
                         position < child.inputLength ? tokenAt(child, position) : -1});
}

void Plan::addRow(PlanRow row, const SessionRewards& rewards) {
  requireFinalReward(row.reward, row.interaction->index);
  if (options_.maxLength > 0 && row.length > options_.maxLength) {
    if (options_.overflow == Overflow::kTruncate) {
      row.length = options_.maxLength;
    } else {
      overflows_.push_back(row);
      if (options_.overflow == Overflow::kDrop) return;
    }
  }
  rows_.push_back(row);
  if (options_.turns) addTurns(row, rewards);
}

void Plan::addTurns(const PlanRow& row, const SessionRewards& rewards) {
  turnStarts_.push_back(static_cast<std::uint32_t>(turns_.size()));
  for (const Interaction* at = row.interaction;; at = at->parent) {
    requireFinalReward(rewards.final[at->index], at->index);
    turns_.push_back({at, rewards.final[at->index], rewards.own[at->index]});
    if (at == row.firstTurn) break;
  }
  std::reverse(turns_.begin() + turnStarts_.back(), turns_.end());
}

void Plan::measure() {
  std::uint64_t rowTokens = 0;
  for (const PlanRow& row : rows_) {
    longestRow_ = std::max(longestRow_, row.length);
    rowTokens = checkedAdd(rowTokens, row.length);
  }
  if (options_.turns) {
    if (turns_.size() > kMaxSequenceTokens) throw Error(ErrorCode::kTooLarge, "turns: more than int32 offsets can count");
    turnStarts_.push_back(static_cast<std::uint32_t>(turns_.size()));
  }
  shape_ = {options_.layout, rows_.size(), longestRow_, rowTokens, 0};
  shape_.columns = columns();
  shape_.hasTurns = options_.turns;
  shape_.turns = turns_.size();
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
