#include "session_rewards.h"

#include <limits>

#include "reward.h"

namespace rolltape {

void SessionRewards::assign(const Session& session, double discount, const std::vector<bool>& absent) {
  const std::span<const InteractionState> states = session.states();
  parents_.resize(states.size());
  own.resize(states.size());
  final.resize(states.size());
  roots = rewarded = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const bool isRewarded = states[i].isRewarded();
    parents_[i] = states[i].parent;
    own[i] = states[i].ownReward;
    final[i] = isRewarded ? own[i] : 0;
    roots += states[i].parent < 0 ? 1 : 0;
    rewarded += isRewarded ? 1 : 0;
  }
  discountRewards(parents_, final, discount);
  shares.clear();
  if (const std::optional<double> whole = session.sessionReward()) {
    shares = lastLeafShares(parents_, absent, discount);
    for (std::size_t i = 0; i < final.size(); ++i) final[i] += *whole * shares[i];
  }
}

std::vector<double> rowReturns(const Session& session, const SessionRewards& rewards, double discount) {
  const std::span<const InteractionState> states = session.states();
  std::vector<double> own(states.size());
  std::vector<double> returns(states.size());
  std::vector<double> powers(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto parent = static_cast<std::size_t>(states[i].parent);
    powers[i] = states[i].tokenExact ? powers[parent] * discount : 1;
    own[i] = states[i].tokenExact ? own[parent] : 0;
    if (rewards.has(i)) own[i] += powers[i] * rewards.own[i];
    returns[i] = own[i];
    if (!rewards.shares.empty()) returns[i] += *session.sessionReward() * powers[i] * rewards.shares[i];
  }
  return returns;
}

void findInnerRewards(const Session& session, const SessionRewards& rewards, std::vector<bool>& inner) {
  const std::span<const InteractionState> states = session.states();
  inner.assign(states.size(), false);
  if (rewards.rewarded == 0) return;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i].tokenExact) continue;
    const auto parent = static_cast<std::size_t>(states[i].parent);
    inner[i] = inner[parent] || rewards.has(parent);
  }
}

}  // namespace rolltape
