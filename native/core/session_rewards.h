#pragma once

#include <vector>

#include "session.h"

namespace rolltape {

/// The rewards of one session by interaction index, in float64.
///
/// `final` is the own reward plus discount × the final reward of each child; and, if the session as a whole has a reward
/// S, plus S × discount^h, where h counts the edges down to the descendant leaf that completed last.
struct SessionRewards {
  /// NaN if there is none.
  std::vector<double> own;
  std::vector<double> final;
  /// Share of the session's reward; see lastLeafShares. Empty if the session has no reward.
  std::vector<double> shares;

  /// @param absent interactions that take no part: nobody's leaf, without a share of the session's reward
  /// @throws kInvalidArg if `discount` is not in [0, 1]
  SessionRewards(const Session& session, double discount, const std::vector<bool>& absent);

  bool has(const Interaction& at) const { return own[at.index] == own[at.index]; }
};

/// By interaction index. They take no part in rewards.
std::vector<bool> droppedInteractions(const Session& session);

/// By interaction index: the discounted return of the row that ends with it (ConcatReward::kReturn).
std::vector<double> rowReturns(const Session& session, const SessionRewards& rewards, double discount);

/// By interaction index: whether turns before it in its row have own rewards.
std::vector<bool> innerRewards(const Session& session, const SessionRewards& rewards);

}  // namespace rolltape
