#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rolltape {

/// Replaces the own rewards of a tree with final rewards: own + discount × the final reward of each child, in float64.
/// @param parents by interaction index: the parent's index, less than its own; -1 for a root
/// @param rewards by interaction index: the own reward, 0 if there is none
/// @throws kInvalidArg if `discount` is not in [0, 1].
void discountRewards(std::span<const std::int32_t> parents, std::span<double> rewards, double discount);

/// Returns, by interaction index, the factor with which a session's reward reaches it: discount^h, where h is the
/// number of edges down to the descendant leaf that completed last; 1 for a leaf.
/// @param parents as in discountRewards
/// @param absent interactions whose factor is 0 and which pass no factor on to their ancestors; a parent whose children
/// are all absent is a leaf
std::vector<double> lastLeafShares(std::span<const std::int32_t> parents, const std::vector<bool>& absent,
                                   double discount);

/// @throws kInvalidArg if a reward to be set does not fit a float32.
void requireReward(double reward);

/// @throws kInvalidArg if the final reward of `interaction` does not fit a float32.
void requireFinalReward(double reward, std::size_t interaction);

}  // namespace rolltape
