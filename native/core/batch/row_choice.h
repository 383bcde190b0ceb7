#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plan.h"

namespace rolltape {

/// The turns of a `concat` row that it trains on: from `first` to the last one.
struct TrainedTurns {
  const Interaction* first;
  /// Position in the row; later output tokens are trained on.
  std::uint32_t from;
};

/// Chooses the interactions of one session that have rows, and computes the rewards of all interactions.
///
/// Rewards are computed over the whole session before filters choose rows.
///
/// Reuse one object for all sessions of a plan. With many small sessions, allocating memory for each would take most of
/// the time.
struct RowChoice {
  SessionRewards rewards;
  /// By interaction index: the interaction is left out of the export. All false with includeLeftOut.
  std::vector<bool> absent;
  /// By interaction index: the interaction is in PlannedSession::leftOut. Empty if none is.
  std::vector<bool> marked;
  /// By interaction index: a filter removed the interaction. Empty if none did. Never true if `absent` is.
  std::vector<bool> filtered;
  /// By interaction index: token-exact edges lead down to a kept interaction, so no row ends with this one.
  std::vector<bool> continued;
  /// By interaction index: earlier turns of the row that ends with the interaction have own rewards.
  std::vector<bool> inner;
  /// PlannedSession::limits.
  std::vector<std::uint32_t> limits;

  /// Reads the next session.
  /// @throws the errors of Plan's constructor
  void assign(const PlannedSession& planned, const PlanOptions& options);
  /// Sets `continued` and `inner`, for style `concat`.
  void findRowEnds(const Session& session);

  bool isMarked(std::size_t index) const { return !marked.empty() && marked[index]; }
  bool isFiltered(std::size_t index) const { return !filtered.empty() && filtered[index]; }
  std::uint32_t limit(std::size_t index) const {
    return limits.empty() ? std::numeric_limits<std::uint32_t>::max() : limits[index];
  }
  /// Returns true if the interaction has a row or is a turn of one.
  bool isKept(std::size_t index) const { return !absent[index] && !isFiltered(index); }
  /// Returns true if an ancestor is kept. Call findRowEnds() first.
  bool hasKeptAncestor(std::size_t index) const { return keptAbove_.empty() || keptAbove_[index]; }
  /// Returns the turns that the row which ends with `last` trains on.
  /// @param once leaves out turns that an earlier call returned; then call it only for rows of the export
  TrainedTurns trainedTurns(const Interaction& last, bool once);

  std::uint64_t countFiltered() const;
  /// Returns true if the session has a reward, but because of a filter none of it reaches a kept interaction.
  bool losesRewards(const Session& session, double discount);
  /// Returns the roots of the trees that have a kept interaction and no reward; none if the session has a reward.
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
  /// By interaction index: an earlier row trains on the interaction.
  std::vector<bool> taken_;
  /// By interaction index: a part of some reward of the session reaches the interaction.
  std::vector<bool> reached_;
};

}  // namespace rolltape
