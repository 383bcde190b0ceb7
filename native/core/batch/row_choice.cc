#include "row_choice.h"

#include <algorithm>
#include <string>

#include "../base/error.h"

namespace rolltape {

void RowChoice::assign(const PlannedSession& planned, const PlanOptions& options) {
  limits = planned.limits;
  if (!limits.empty() && limits.size() != planned.session->length()) {
    throw Error(ErrorCode::kInvalidArg,
                "limits: must have one for each of the " + std::to_string(planned.session->length()) + " interactions");
  }
  readLeftOut(planned, options.includeLeftOut);
  rewards.assign(*planned.session, options.discount, absent);
  readFilters(planned, options.rewardedRootsOnly);
}

void RowChoice::readLeftOut(const PlannedSession& planned, bool includeLeftOut) {
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

void RowChoice::readFilters(const PlannedSession& planned, bool rewardedRootsOnly) {
  const Session& session = *planned.session;
  filtered.clear();
  for (const std::uint32_t index : planned.filtered) filter(session.interaction(index, "filtered").index);
  if (!rewardedRootsOnly || everyTreeHasReward(session)) return;
  findRewardedRoots(session);
  for (std::size_t i = 0; i < rootOf_.size(); ++i) {
    if (!rewardedRoots_[rootOf_[i]]) filter(i);
  }
}

void RowChoice::filter(std::size_t index) {
  if (absent[index]) return;
  if (filtered.empty()) filtered.resize(absent.size());
  filtered[index] = true;
}

void RowChoice::findRowEnds(const Session& session) {
  const std::span<const InteractionState> states = session.states();
  continued.assign(states.size(), false);
  taken_.assign(states.size(), false);
  // Children come after their parents, so each is complete when it is met.
  for (std::size_t i = states.size(); i-- > 0;) {
    if (states[i].tokenExact && (continued[i] || isKept(i)))
      continued[static_cast<std::size_t>(states[i].parent)] = true;
  }
  findInnerRewards(session, rewards, inner);
  keptAbove_.clear();
  if (filtered.empty()) return;
  keptAbove_.resize(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(states[i].parent);
    keptAbove_[i] = keptAbove_[parent] || isKept(parent);
  }
}

TrainedTurns RowChoice::trainedTurns(const Interaction& last, bool once) {
  if (!once && filtered.empty()) return {last.rowStart, last.exactFrom};
  TrainedTurns turns{&last, last.exactFrom};
  for (const Interaction* at = &last;; at = at->parent) {
    // Rows that share a turn share all turns before it.
    if (once && taken_[at->index]) {
      turns.from = at->sequenceLength();
      break;
    }
    if (once) taken_[at->index] = true;
    if (!isFiltered(at->index)) turns.first = at;
    if (at == last.rowStart) break;
  }
  return turns;
}

std::uint64_t RowChoice::countFiltered() const {
  return static_cast<std::uint64_t>(std::ranges::count(filtered, true));
}

bool RowChoice::losesRewards(const Session& session, double discount) {
  const bool hasReward = rewards.rewardedCount > 0 || session.sessionReward();
  if (filtered.empty() || !hasReward) return false;
  const std::span<const InteractionState> states = session.states();
  reached_.assign(states.size(), false);
  for (std::size_t i = states.size(); i-- > 0;) {
    const bool hasShare = !rewards.shares.empty() && rewards.shares[i] > 0;
    const bool isReached = reached_[i] || rewards.has(i) || hasShare;
    if (isReached && isKept(i)) return false;
    if (isReached && discount > 0 && states[i].parent >= 0) reached_[static_cast<std::size_t>(states[i].parent)] = true;
  }
  return true;
}

std::vector<std::uint32_t> RowChoice::unrewardedRoots(const Session& session) {
  std::vector<std::uint32_t> roots;
  if (everyTreeHasReward(session)) return roots;
  findRewardedRoots(session);
  keptRoots_.assign(rootOf_.size(), false);
  for (std::size_t i = 0; i < rootOf_.size(); ++i) {
    if (isKept(i)) keptRoots_[rootOf_[i]] = true;
  }
  for (std::uint32_t i = 0; i < rootOf_.size(); ++i) {
    if (keptRoots_[i] && !rewardedRoots_[i]) roots.push_back(i);
  }
  return roots;
}

/// In most sessions the only tree has a reward, so this saves a walk.
bool RowChoice::everyTreeHasReward(const Session& session) const {
  return session.sessionReward() || rewards.rootCount <= std::min(rewards.rewardedCount, 1u);
}

void RowChoice::findRewardedRoots(const Session& session) {
  const std::span<const InteractionState> states = session.states();
  rootOf_.resize(states.size());
  rewardedRoots_.assign(states.size(), false);
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    rootOf_[i] = states[i].parent < 0 ? i : rootOf_[static_cast<std::size_t>(states[i].parent)];
    if (rewards.has(i)) rewardedRoots_[rootOf_[i]] = true;
  }
}

}  // namespace rolltape
