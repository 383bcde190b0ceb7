#include "reward.h"

#include <string>

#include "../base/error.h"
#include "../base/float32.h"

namespace rolltape {

void discountRewards(std::span<const std::int32_t> parents, std::span<double> rewards, double discount) {
  if (!(discount >= 0 && discount <= 1)) {
    throw Error(ErrorCode::kInvalidArg, "discount: " + std::to_string(discount) + " is not in [0, 1]");
  }
  for (std::size_t i = rewards.size(); i-- > 0;) {
    if (parents[i] >= 0) rewards[static_cast<std::size_t>(parents[i])] += rewards[i] * discount;
  }
}

std::vector<double> lastLeafShares(std::span<const std::int32_t> parents, const std::vector<bool>& absent,
                                   double discount) {
  constexpr std::int32_t none = -1;
  std::vector<std::int32_t> lastLeaf(parents.size(), none);
  std::vector<double> shares(parents.size(), 0);
  for (std::size_t i = parents.size(); i-- > 0;) {
    if (absent[i]) continue;
    if (lastLeaf[i] == none) {
      lastLeaf[i] = static_cast<std::int32_t>(i);
      shares[i] = 1;
    }
    if (parents[i] < 0) continue;
    const auto parent = static_cast<std::size_t>(parents[i]);
    if (!absent[parent] && lastLeaf[i] > lastLeaf[parent]) {
      lastLeaf[parent] = lastLeaf[i];
      shares[parent] = shares[i] * discount;
    }
  }
  return shares;
}

void requireReward(double reward) {
  if (!fitsFloat32(reward)) throw Error(ErrorCode::kInvalidArg, "reward: must be a finite number that fits a float32");
}

void requireFinalReward(double reward, std::size_t interaction) {
  if (!fitsFloat32(reward)) {
    throw Error(ErrorCode::kInvalidArg,
                "reward: the final reward of interaction " + std::to_string(interaction) + " does not fit a float32");
  }
}

}  // namespace rolltape
