#pragma once

#include <cstdint>
#include <vector>

#include "plan.h"

namespace rolltape {

/// Which interactions of one session have rows, and the rewards of all of them.
///
/// Rewards are those of the whole session. Only afterwards, filters choose rows.
///
/// Reuse one object for the sessions of a plan: with many small ones, allocating its memory for each would take most of
/// the time.
struct RowChoice {
  SessionRewards rewards;
  /// By interaction index: left out of the export. All false with includeLeftOut.
  std::vector<bool> absent;
  /// By interaction index: one of PlannedSession::leftOut. Empty if there are none.
  std::vector<bool> marked;
  /// By interaction index: removed by a filter. Empty if none is. An interaction that is absent is not filtered.
  std::vector<bool> filtered;
  /// By interaction index: token-exact edges lead from it to a kept interaction, so no row ends with it.
  std::vector<bool> continued;
  /// By interaction index: turns before it in its row have own rewards.
  std::vector<bool> inner;

  /// Reads the next session. @throws as Plan
  void assign(const PlannedSession& planned, const PlanOptions& options);
  /// Sets `continued` and `inner`, for style `concat`.
  void findRowEnds(const Session& session);

  bool isMarked(std::size_t index) const { return !marked.empty() && marked[index]; }
  bool isFiltered(std::size_t index) const { return !filtered.empty() && filtered[index]; }
  /// It has a row, or is a turn of one.
  bool isKept(std::size_t index) const { return !absent[index] && !isFiltered(index); }
  /// An ancestor is kept. Call findRowEnds() before.
  bool hasKeptAncestor(std::size_t index) const { return keptAbove_.empty() || keptAbove_[index]; }
  /// The first kept turn of the row that ends with the interaction.
  const Interaction& firstTurn(const Interaction& last) const;

  std::uint64_t countFiltered() const;
  /// The session has a reward, and nothing of it reaches a kept interaction, because of a filter.
  bool losesRewards(const Session& session, double discount);
  /// Roots of the trees that have a kept interaction and no reward, if the session has no reward either.
  std::vector<std::uint32_t> unrewardedRoots(const Session& session);

 private:
  void readLeftOut(const PlannedSession& planned, bool includeLeftOut);
  void readFilters(const PlannedSession& planned, bool rewardedRootsOnly);
  void filter(std::size_t index);
  bool everyTreeHasReward(const Session& session) const;
  void findRewardedRoots(const Session& session);

  /// By interaction index: the root of its tree.
  std::vector<std::uint32_t> rootOf_;
  /// By interaction index, for roots: an interaction of the tree has a reward.
  std::vector<bool> rewardedRoots_;
  /// By interaction index, for roots: an interaction of the tree is kept.
  std::vector<bool> keptRoots_;
  /// By interaction index: an ancestor is kept. Empty if nothing is filtered.
  std::vector<bool> keptAbove_;
  /// By interaction index: a share of a reward of the session reaches it.
  std::vector<bool> reached_;
};

}  // namespace rolltape
