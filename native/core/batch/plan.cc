#include "plan.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "../base/size.h"
#include "../session/reward.h"
#include "row_choice.h"

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

Plan::Plan(std::span<const Session* const> sessions, const PlanOptions& options) : Plan(allOf(sessions), options) {}

Plan::Plan(std::span<const PlannedSession> sessions, const PlanOptions& options) {
  std::size_t interactions = 0;
  for (const PlannedSession& planned : sessions) interactions += planned.session->length();
  begin(options, interactions);
  storages_.reserve(sessions.size());
  RowChoice choice;
  for (const PlannedSession& planned : sessions) addSession(planned, choice);
  listAllSessions();
  measure();
}

void Plan::begin(const PlanOptions& options, std::size_t interactions) {
  options_ = options;
  channelMoment_ = lastChannelMoment();
  if (options.layout == Layout::kTree) {
    if (options.maxLength > 0) throw Error(ErrorCode::kInvalidArg, "maxLength: must be 0 in a tree batch");
    if (options.turns) {
      throw Error(ErrorCode::kInvalidArg, "turns: must be false in a tree batch, whose nodes are turns already");
    }
    options_.style = RowStyle::kIndividual;
  }
  if (options.sharedTurns == SharedTurns::kWeight && !options.turns) {
    throw Error(ErrorCode::kInvalidArg, "sharedTurns: weight requires turns, because the weights are a turn tensor");
  }
  if (options.columns) requireRowColumns(*options.columns);
  if (options_.style != RowStyle::kIndividual) return;
  rows_.reserve(interactions);
  if (options.layout == Layout::kTree) nodes_.reserve(interactions);
}

void Plan::addSession(const PlannedSession& planned, RowChoice& choice) {
  const Session& session = *planned.session;
  const std::size_t firstRow = rows_.size();
  storages_.push_back(session.storage());
  addChannels(*session.storage(), shape_.channels);
  choice.assign(planned, options_);
  if (options_.layout == Layout::kTree) {
    addNodes(session, choice);
  } else {
    addRows(session, choice);
  }
  addFindings(session, choice);
  addEpisode(planned, firstRow, choice);
  if (options_.sharedTurns == SharedTurns::kWeight) weighTurns(session, firstRow);
}

void Plan::addEpisode(const PlannedSession& planned, std::size_t firstRow, const RowChoice& choice) {
  for (std::size_t i = firstRow; i < rows_.size(); ++i) rows_[i].sessionRow = static_cast<std::uint32_t>(i - firstRow);
  const SessionRewards& rewards = choice.rewards;
  const bool hasReward = rewards.rewardedCount > 0 || planned.session->sessionReward().has_value();
  episodes_.push_back({planned.group, hasReward, static_cast<std::uint32_t>(rows_.size() - firstRow),
                       rewards.episodeReward, rewards.episodeReturn});
}

void Plan::listAllSessions() {
  listedSessions_.resize(episodes_.size());
  std::iota(listedSessions_.begin(), listedSessions_.end(), 0);
}

void Plan::weighTurns(const Session& session, std::size_t firstRow) {
  if (firstRow == rows_.size()) return;
  std::vector<std::uint32_t> rowsOf(session.length(), 0);
  const std::span<PlanTurn> turns = std::span(turns_).subspan(turnStarts_[firstRow]);
  for (const PlanTurn& turn : turns) ++rowsOf[turn.interaction->index];
  for (PlanTurn& turn : turns) turn.weight = 1.0f / static_cast<float>(rowsOf[turn.interaction->index]);
}

void Plan::addRows(const Session& session, RowChoice& choice) {
  if (options_.style == RowStyle::kConcat) return addConcatRows(session, choice);
  for (const Interaction& at : session.storage()->interactions) {
    if (choice.isKept(at.index)) addRow(at, choice.rewards.finalRewards[at.index], false, choice);
  }
}

void Plan::addConcatRows(const Session& session, RowChoice& choice) {
  const SessionRewards& rewards = choice.rewards;
  const bool isReturn = options_.concatReward == ConcatReward::kReturn;
  std::vector<double> returns;
  if (isReturn) returns = rowReturns(session, rewards, options_.discount);
  const std::span<const double> rowRewards = isReturn ? returns : rewards.finalRewards;
  choice.findRowEnds(session);
  addFilteredTurns(session, choice);
  for (std::uint32_t i = 0; i < session.length(); ++i) {
    // Most interactions are continued token-exactly; skip them before reading them from memory.
    const bool breaks = session.state(i).parent >= 0 && !session.state(i).tokenExact;
    const bool isContinued = choice.continued[i];
    if (isContinued ? !breaks : !choice.isKept(i)) continue;
    const Interaction& at = session.storage()->interactions[i];
    const bool mayBreak = at.startsRow || options_.onMismatch == OnMismatch::kSplit;
    if (breaks && !mayBreak && choice.hasKeptAncestor(i)) addMismatch(at);
    if (!isContinued) addRow(at, rowRewards[i], !isReturn && choice.inner[i], choice);
  }
}

void Plan::addFilteredTurns(const Session& session, const RowChoice& choice) {
  if (choice.filtered.empty()) return;
  if (!filteredTurns_) filteredTurns_ = std::make_shared<FilteredTurns>();
  for (const Interaction& at : session.storage()->interactions) {
    if (choice.filtered[at.index]) filteredTurns_->add(at);
  }
}

void Plan::addNodes(const Session& session, RowChoice& choice) {
  std::vector<const Interaction*> all;
  all.reserve(session.length());
  for (const Interaction& at : session.storage()->interactions) all.push_back(&at);
  const auto base = static_cast<std::uint32_t>(nodes_.size());
  for (TreeNode node : depthFirst(all)) {
    if (node.parent != TreeNode::kNone) node.parent += base;
    node.end += base;
    nodes_.push_back(node);
    const Interaction& at = *node.interaction;
    addRow(at, choice.rewards.finalRewards[at.index], false, choice);
  }
}

void Plan::addFindings(const Session& session, RowChoice& choice) {
  const auto owner = static_cast<std::uint32_t>(storages_.size() - 1);
  filteredCount_ += choice.countFiltered();
  if (choice.losesRewards(session, options_.discount)) rewardsFiltered_.push_back(owner);
  for (const std::uint32_t root : choice.unrewardedRoots(session)) {
    ++unrewardedRoots_.count;
    if (unrewardedRoots_.first.size() < UnrewardedRoots::kMaxNamed) unrewardedRoots_.first.push_back({owner, root});
  }
}

void Plan::addMismatch(const Interaction& child) {
  const std::uint32_t position = child.shared;
  mismatches_.push_back({static_cast<std::uint32_t>(storages_.size() - 1), child.parent->index, child.index, position,
                         tokenAt(*child.parent, position),
                         position < child.inputLength ? tokenAt(child, position) : -1});
}

void Plan::addRow(const Interaction& at, double reward, bool uncounted, RowChoice& choice) {
  const auto owner = static_cast<std::uint32_t>(storages_.size() - 1);
  PlanRow row{.session = owner,
              .length = at.sequenceLength(),
              .interaction = &at,
              .first = &at,
              .trainedFrom = at.inputLength,
              .reward = reward,
              .ownReward = ownReward(choice.rewards, at.index),
              .uncountedRewards = uncounted,
              .leftOut = choice.isMarked(at.index),
              .filtered = choice.isFiltered(at.index)};
  requireFinalReward(row.reward, row.interaction->index);
  if (options_.maxLength > 0 && row.length > options_.maxLength) {
    if (options_.overflow == Overflow::kTruncate) {
      row.length = std::min(options_.maxLength, choice.limit(at.index));
    } else {
      overflows_.push_back(row);
      if (options_.overflow == Overflow::kDrop) return;
    }
  }
  if (options_.style == RowStyle::kConcat) {
    const TrainedTurns trained = choice.trainedTurns(at, options_.sharedTurns == SharedTurns::kFirst);
    row.first = trained.first;
    row.trainedFrom = trained.from;
  }
  rows_.push_back(row);
  if (options_.turns) addTurns(row, choice);
}

void Plan::addTurns(const PlanRow& row, const RowChoice& choice) {
  turnStarts_.push_back(static_cast<std::uint32_t>(turns_.size()));
  for (const Interaction* at = row.interaction;; at = at->parent) {
    if (!choice.isFiltered(at->index)) {
      const double reward = choice.rewards.finalRewards[at->index];
      requireFinalReward(reward, at->index);
      turns_.push_back({at, static_cast<float>(reward), ownReward(choice.rewards, at->index)});
    }
    if (at == row.first) break;
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
  shape_.layout = options_.layout;
  shape_.rows = rows_.size();
  shape_.length = longestRow_;
  shape_.tokens = rowTokens;
  shape_.columns = columns();
  shape_.episodes = listedSessions_.size();
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
  for (BatchChannel& channel : shape_.channels) countItems(*this, channel);
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
