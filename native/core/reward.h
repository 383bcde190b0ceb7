#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace rolltape {

/// Makes own rewards final ones, over a tree: own + discount × that of each child, in float64.
/// `parents[i]` < i, or -1 for a root; `rewards[i]` is 0 if there is none.
/// @throws kInvalidArg if `discount` is not in [0, 1].
void discountRewards(std::span<const std::int32_t> parents, std::span<double> rewards, double discount);

/// How much of a session's reward reaches each interaction: discount^h, where h counts the edges down to the descendant
/// leaf that completed last; 1 for that leaf itself.
/// @param parents as discountRewards takes them
/// @param absent interactions that take no part: their share is 0, and a parent whose children are all absent is a leaf
std::vector<double> lastLeafShares(std::span<const std::int32_t> parents, const std::vector<bool>& absent,
                                   double discount);

/// A finite number whose float32 is finite too.
inline bool fitsFloat32(double value) {
  return std::abs(value) <= std::numeric_limits<float>::max();
}

/// @throws kInvalidArg if a float32 cannot hold the reward that was set.
void requireReward(double reward);

/// @throws kInvalidArg if a float32 cannot hold it.
void requireFinalReward(double reward, std::size_t interaction);

}  // namespace rolltape
