#include "reward.h"

#include <string>
#include <utility>

#include "error.h"

namespace rolltape {

std::vector<double> discountRewards(std::span<const std::int32_t> parents, std::vector<double> own, double discount) {
  if (!(discount >= 0 && discount <= 1)) {
    throw Error(ErrorCode::kInvalidArg, "discount: " + std::to_string(discount) + " is not in [0, 1]");
  }
  std::vector<double> rewards = std::move(own);
  for (std::size_t i = rewards.size(); i-- > 0;) {
    if (parents[i] >= 0) rewards[static_cast<std::size_t>(parents[i])] += rewards[i] * discount;
  }
  return rewards;
}

float finalReward(double reward, std::size_t interaction) {
  if (!fitsFloat32(reward)) {
    throw Error(ErrorCode::kInvalidArg,
                "reward: the final reward of interaction " + std::to_string(interaction) + " does not fit a float32");
  }
  return static_cast<float>(reward);
}

}  // namespace rolltape
