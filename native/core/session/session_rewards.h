#pragma once

#include <vector>

#include "session.h"

namespace rolltape {

/// The rewards of one session by interaction index, in float64.
///
/// The final reward of an interaction is its own reward plus discount × the final reward of each child. If the session
/// as a whole has a reward S, S × discount^h is added, where h is the number of edges down to the descendant leaf that
/// completed last. For S, the first interaction of a compacted conversation counts as a child of the interaction that
/// it was compacted from. Own rewards stay within their tree: the link is found by comparing texts, and must not move a
/// reward that was set for one interaction.
///
/// Reuse one object for many sessions: it keeps its memory.
struct SessionRewards {
  /// NaN if none was set.
  std::vector<double> own;
  std::vector<double> finalRewards;
  /// Factor of the session's reward in `finalRewards`; see lastLeafShares. Empty if the session as a whole has no
  /// reward.
  std::vector<double> shares;
  /// The session's reward plus each own reward once, undiscounted: what the agent returned.
  double episodeReward = 0;
  /// The same, discounted from the first turn on: an own reward by the edges from its root, the session's reward by the
  /// edges from the first conversation to the interaction that completed last, compactions included.
  double episodeReturn = 0;
  /// Number of conversation trees of the session.
  std::uint32_t rootCount = 0;
  /// Number of interactions with an own reward.
  std::uint32_t rewardedCount = 0;

  SessionRewards() = default;
  SessionRewards(const Session& session, double discount, const std::vector<bool>& absent) {
    assign(session, discount, absent);
  }
  /// @param absent by interaction index: true if it gets no share of the session's reward and does not count as a leaf
  /// @throws kInvalidArg if `discount` is not in [0, 1]
  void assign(const Session& session, double discount, const std::vector<bool>& absent);

  /// Returns true if the interaction has an own reward. NaN is not equal to itself.
  bool has(std::size_t index) const { return own[index] == own[index]; }

 private:
  void addSessionReward(const Session& session, double whole, double discount, const std::vector<bool>& absent);

  std::vector<std::int32_t> parents_;
};

/// Returns, by interaction index, the discounted return of the row that ends with it (ConcatReward::kReturn).
std::vector<double> rowReturns(const Session& session, const SessionRewards& rewards, double discount);

/// Sets `inner`, by interaction index: true if turns before the interaction in its row have own rewards.
void findInnerRewards(const Session& session, const SessionRewards& rewards, std::vector<bool>& inner);

}  // namespace rolltape
