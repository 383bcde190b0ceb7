#pragma once

#include <vector>

#include "session.h"

namespace rolltape {

/// The rewards of one session by interaction index, in float64.
///
/// `final` is the own reward plus discount × the final reward of each child; and, if the session as a whole has a reward
/// S, plus S × discount^h, where h counts the edges down to the descendant leaf that completed last.
///
/// One object may serve many sessions, one after the other: it keeps its memory.
struct SessionRewards {
  /// NaN if there is none.
  std::vector<double> own;
  std::vector<double> final;
  /// Share of the session's reward; see lastLeafShares. Empty if the session has no reward.
  std::vector<double> shares;
  /// Conversation trees of the session, and interactions with an own reward.
  std::uint32_t roots = 0;
  std::uint32_t rewarded = 0;

  SessionRewards() = default;
  SessionRewards(const Session& session, double discount, const std::vector<bool>& absent) {
    assign(session, discount, absent);
  }
  /// @param absent interactions that take no part: nobody's leaf, without a share of the session's reward
  /// @throws kInvalidArg if `discount` is not in [0, 1]
  void assign(const Session& session, double discount, const std::vector<bool>& absent);

  bool has(std::size_t index) const { return own[index] == own[index]; }

 private:
  std::vector<std::int32_t> parents_;
};

/// By interaction index: the discounted return of the row that ends with it (ConcatReward::kReturn).
std::vector<double> rowReturns(const Session& session, const SessionRewards& rewards, double discount);

/// By interaction index: whether turns before it in its row have own rewards. Replaces what `inner` holds.
void findInnerRewards(const Session& session, const SessionRewards& rewards, std::vector<bool>& inner);

}  // namespace rolltape
