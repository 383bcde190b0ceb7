#include "session_rewards.h"

#include <limits>

#include "reward.h"

namespace rolltape {

SessionRewards::SessionRewards(const Session& session, double discount, const std::vector<bool>& absent) {
  const std::size_t count = session.length();
  std::vector<std::int32_t> parents(count);
  std::vector<double> ownOrZero(count);
  own.resize(count);
  for (const Interaction& at : session.storage()->interactions) {
    const std::optional<double>& reward = session.state(at.index).ownReward;
    parents[at.index] = at.parentIndex();
    own[at.index] = reward.value_or(std::numeric_limits<double>::quiet_NaN());
    ownOrZero[at.index] = reward.value_or(0);
  }
  final = discountRewards(parents, std::move(ownOrZero), discount);
  if (const std::optional<double> whole = session.sessionReward()) {
    shares = lastLeafShares(parents, absent, discount);
    for (std::size_t i = 0; i < count; ++i) final[i] += *whole * shares[i];
  }
}

std::vector<bool> droppedInteractions(const Session& session) {
  std::vector<bool> dropped(session.length());
  for (std::uint32_t i = 0; i < dropped.size(); ++i) dropped[i] = session.state(i).dropped;
  return dropped;
}

std::vector<double> rowReturns(const Session& session, const SessionRewards& rewards, double discount) {
  std::vector<double> own(session.length());
  std::vector<double> returns(session.length());
  std::vector<double> powers(session.length());
  for (const Interaction& at : session.storage()->interactions) {
    const std::size_t i = at.index;
    powers[i] = at.tokenExact ? powers[at.parent->index] * discount : 1;
    own[i] = at.tokenExact ? own[at.parent->index] : 0;
    if (rewards.has(at)) own[i] += powers[i] * rewards.own[i];
    returns[i] = own[i];
    if (!rewards.shares.empty()) returns[i] += *session.sessionReward() * powers[i] * rewards.shares[i];
  }
  return returns;
}

std::vector<bool> innerRewards(const Session& session, const SessionRewards& rewards) {
  std::vector<bool> inner(session.length());
  for (const Interaction& at : session.storage()->interactions) {
    if (at.tokenExact) inner[at.index] = inner[at.parent->index] || rewards.has(*at.parent);
  }
  return inner;
}

}  // namespace rolltape
