#include "session_rewards.h"

#include <algorithm>

#include "reward.h"

namespace rolltape {

void SessionRewards::assign(const Session& session, double discount, const std::vector<bool>& absent) {
  const std::span<const InteractionState> states = session.states();
  parents_.resize(states.size());
  own.resize(states.size());
  finalRewards.resize(states.size());
  rootCount = rewardedCount = 0;
  episodeReward = episodeReturn = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const bool isRewarded = states[i].isRewarded();
    parents_[i] = states[i].parent;
    own[i] = states[i].ownReward;
    finalRewards[i] = isRewarded ? own[i] : 0;
    episodeReward += finalRewards[i];
    rootCount += states[i].parent < 0 ? 1 : 0;
    rewardedCount += isRewarded ? 1 : 0;
  }
  discountRewards(parents_, finalRewards, discount);
  for (std::size_t i = 0; i < states.size(); ++i) episodeReturn += states[i].parent < 0 ? finalRewards[i] : 0;
  shares.clear();
  if (const std::optional<double> whole = session.sessionReward()) addSessionReward(session, *whole, discount, absent);
}

void SessionRewards::addSessionReward(const Session& session, double whole, double discount,
                                      const std::vector<bool>& absent) {
  const std::span<const InteractionState> states = session.states();
  for (std::size_t i = 0; i < states.size(); ++i) parents_[i] = std::max(states[i].parent, states[i].compactedFrom);
  shares = lastLeafShares(parents_, absent, discount);
  for (std::size_t i = 0; i < finalRewards.size(); ++i) finalRewards[i] += whole * shares[i];
  episodeReward += whole;
  auto at = static_cast<std::int32_t>(states.size()) - 1;
  while (at >= 0 && absent[static_cast<std::size_t>(at)]) --at;
  if (at < 0) return;
  while (parents_[static_cast<std::size_t>(at)] >= 0) at = parents_[static_cast<std::size_t>(at)];
  episodeReturn += whole * shares[static_cast<std::size_t>(at)];
}

std::vector<double> rowReturns(const Session& session, const SessionRewards& rewards, double discount) {
  const std::span<const InteractionState> states = session.states();
  // The discounted own rewards of the row up to each interaction.
  std::vector<double> ownSoFar(states.size());
  std::vector<double> returns(states.size());
  std::vector<double> powers(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto parent = static_cast<std::size_t>(states[i].parent);
    powers[i] = states[i].tokenExact ? powers[parent] * discount : 1;
    ownSoFar[i] = states[i].tokenExact ? ownSoFar[parent] : 0;
    if (rewards.has(i)) ownSoFar[i] += powers[i] * rewards.own[i];
    returns[i] = ownSoFar[i];
    if (!rewards.shares.empty()) returns[i] += *session.sessionReward() * powers[i] * rewards.shares[i];
  }
  return returns;
}

void findInnerRewards(const Session& session, const SessionRewards& rewards, std::vector<bool>& inner) {
  const std::span<const InteractionState> states = session.states();
  inner.assign(states.size(), false);
  if (rewards.rewardedCount == 0) return;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i].tokenExact) continue;
    const auto parent = static_cast<std::size_t>(states[i].parent);
    inner[i] = inner[parent] || rewards.has(parent);
  }
}

}  // namespace rolltape
