#include "plan.h"

#include <algorithm>
#include <string>

#include "../base/size.h"
#include "../session/reward.h"

namespace rolltape {

namespace {

std::vector<PlannedSession> allOf(std::span<const Session* const> sessions) {
  std::vector<PlannedSession> planned;
  planned.reserve(sessions.size());
  for (const Session* session : sessions) planned.push_back({session});
  return planned;
}

/// Returns the own reward in the precision of the columns; NaN if there is none.
float ownReward(const SessionRewards& rewards, std::size_t index) {
  return static_cast<float>(rewards.own[index]);
}

}  // namespace

/// Working memory for the session whose rows are being added. It is reused for all sessions of a plan: with many small
/// ones, allocating it for each would take most of the time.
struct Plan::Buffers {
  /// By interaction index: left out of the export. All false with includeLeftOut.
  std::vector<bool> absent;
  /// By interaction index: one of PlannedSession::leftOut. Empty if there are none.
  std::vector<bool> marked;
  SessionRewards rewards;
  /// By interaction index: it has a token-exact child that is not absent, so no row ends with it.
  std::vector<bool> continued;
  /// By interaction index: turns before it in its row have own rewards.
  std::vector<bool> inner;
  std::vector<const Interaction*> all;
  /// By interaction index: the root of its tree.
  std::vector<std::uint32_t> rootOf;
  /// By interaction index, for roots: an interaction of the tree has a reward.
  std::vector<bool> rewardedRoots;

  bool isMarked(std::size_t index) const { return !marked.empty() && marked[index]; }

  void readLeftOut(const PlannedSession& planned, bool includeLeftOut) {
    const Session& session = *planned.session;
    const std::span<const InteractionState> states = session.states();
    absent.assign(states.size(), false);
    marked.clear();
    if (planned.leftOut.empty()) return;
    marked.resize(states.size());
    for (const std::uint32_t index : planned.leftOut) {
      marked[session.interaction(index, "leftOut").index] = true;
      if (!includeLeftOut) absent[index] = true;
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (marked[i] || states[i].parent < 0 || !marked[static_cast<std::size_t>(states[i].parent)]) continue;
      throw Error(ErrorCode::kInvalidArg, "leftOut: interaction " + std::to_string(states[i].parent) +
                                              " has a child that is not left out: " + std::to_string(i));
    }
  }

  void findContinued(const Session& session) {
    const std::span<const InteractionState> states = session.states();
    continued.assign(states.size(), false);
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i].tokenExact && !absent[i]) continued[static_cast<std::size_t>(states[i].parent)] = true;
    }
  }
};

Plan::Plan(std::span<const Session* const> sessions, const PlanOptions& options) : Plan(allOf(sessions), options) {}

Plan::Plan(std::span<const PlannedSession> sessions, const PlanOptions& options) : options_(options) {
  if (options.layout == Layout::kTree) {
    if (options.maxLength > 0) throw Error(ErrorCode::kInvalidArg, "maxLength: must be 0 in a tree batch");
    if (options.turns) {
      throw Error(ErrorCode::kInvalidArg, "turns: must be false in a tree batch, whose nodes are turns already");
    }
    options_.style = RowStyle::kIndividual;
  }
  if (options.columns) requireRowColumns(*options.columns);
  storages_.reserve(sessions.size());
  if (options_.style == RowStyle::kIndividual) {
    std::size_t interactions = 0;
    for (const PlannedSession& planned : sessions) interactions += planned.session->length();
    rows_.reserve(interactions);
    if (options.layout == Layout::kTree) nodes_.reserve(interactions);
  }
  Buffers buffers;
  for (const PlannedSession& planned : sessions) {
    storages_.push_back(planned.session->storage());
    addSession(planned, buffers);
  }
  measure();
}

void Plan::addSession(const PlannedSession& planned, Buffers& buffers) {
  const Session& session = *planned.session;
  buffers.readLeftOut(planned, options_.includeLeftOut);
  buffers.rewards.assign(session, options_.discount, buffers.absent);
  if (options_.layout == Layout::kTree) {
    addNodes(session, buffers);
  } else {
    addRows(session, buffers);
  }
  addUnrewardedRoots(session, buffers);
}

void Plan::addRows(const Session& session, Buffers& buffers) {
  if (options_.style == RowStyle::kConcat) return addConcatRows(session, buffers);
  for (const Interaction& at : session.storage()->interactions) {
    if (!buffers.absent[at.index]) addRow(at, buffers.rewards.finalRewards[at.index], false, buffers);
  }
}

void Plan::addConcatRows(const Session& session, Buffers& buffers) {
  const SessionRewards& rewards = buffers.rewards;
  const bool isReturn = options_.concatReward == ConcatReward::kReturn;
  std::vector<double> returns;
  if (isReturn) returns = rowReturns(session, rewards, options_.discount);
  const std::span<const double> rowRewards = isReturn ? returns : rewards.finalRewards;
  buffers.findContinued(session);
  findInnerRewards(session, rewards, buffers.inner);
  for (std::uint32_t i = 0; i < session.length(); ++i) {
    // Most interactions are continued token-exactly; skip them before reading them from memory.
    const bool breaks = session.state(i).parent >= 0 && !session.state(i).tokenExact;
    if (buffers.absent[i] || (buffers.continued[i] && !breaks)) continue;
    const Interaction& at = session.storage()->interactions[i];
    if (breaks && !at.startsRow && options_.onMismatch == OnMismatch::kError) addMismatch(at);
    if (buffers.continued[i]) continue;
    addRow(at, rowRewards[i], !isReturn && buffers.inner[i], buffers);
  }
}

void Plan::addNodes(const Session& session, Buffers& buffers) {
  std::vector<const Interaction*>& all = buffers.all;
  all.clear();
  for (const Interaction& at : session.storage()->interactions) all.push_back(&at);
  const auto base = static_cast<std::uint32_t>(nodes_.size());
  for (TreeNode node : depthFirst(all)) {
    if (node.parent != TreeNode::kNone) node.parent += base;
    node.end += base;
    nodes_.push_back(node);
    const Interaction& at = *node.interaction;
    addRow(at, buffers.rewards.finalRewards[at.index], false, buffers);
  }
}

void Plan::addUnrewardedRoots(const Session& session, Buffers& buffers) {
  const SessionRewards& rewards = buffers.rewards;
  // In most sessions the only tree has a reward: return without a walk.
  if (session.sessionReward() || rewards.rootCount <= std::min(rewards.rewardedCount, 1u)) return;
  const std::span<const InteractionState> states = session.states();
  std::vector<std::uint32_t>& rootOf = buffers.rootOf;
  std::vector<bool>& rewarded = buffers.rewardedRoots;
  rootOf.resize(states.size());
  rewarded.assign(states.size(), false);
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    rootOf[i] = states[i].parent < 0 ? i : rootOf[static_cast<std::size_t>(states[i].parent)];
    if (rewards.has(i)) rewarded[rootOf[i]] = true;
  }
  const auto owner = static_cast<std::uint32_t>(storages_.size() - 1);
  for (std::uint32_t i = 0; i < rootOf.size(); ++i) {
    if (rootOf[i] != i || rewarded[i] || buffers.absent[i]) continue;
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

void Plan::addRow(const Interaction& at, double reward, bool uncounted, const Buffers& buffers) {
  const auto owner = static_cast<std::uint32_t>(storages_.size() - 1);
  const SessionRewards& rewards = buffers.rewards;
  PlanRow& row = rows_.emplace_back(PlanRow{owner, at.sequenceLength(), &at, reward, ownReward(rewards, at.index),
                                            uncounted, buffers.isMarked(at.index)});
  requireFinalReward(row.reward, row.interaction->index);
  if (options_.maxLength > 0 && row.length > options_.maxLength) {
    if (options_.overflow == Overflow::kTruncate) {
      row.length = options_.maxLength;
    } else {
      overflows_.push_back(row);
      if (options_.overflow == Overflow::kDrop) return rows_.pop_back();
    }
  }
  if (options_.turns) addTurns(row, rewards);
}

void Plan::addTurns(const PlanRow& row, const SessionRewards& rewards) {
  turnStarts_.push_back(static_cast<std::uint32_t>(turns_.size()));
  for (const Interaction* at = row.interaction;; at = at->parent) {
    const double reward = rewards.finalRewards[at->index];
    requireFinalReward(reward, at->index);
    turns_.push_back({at, static_cast<float>(reward), ownReward(rewards, at->index)});
    if (at == &firstTurn(row)) break;
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
    if (turns_.size() > kMaxSequenceTokens) {
      throw Error(ErrorCode::kTooLarge, "turns: there are more than int32 offsets can count");
    }
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
