#include "../../core/session/reward.h"

#include <gtest/gtest.h>

#include <functional>

#include "../support.h"

namespace rolltape {
namespace {

std::vector<double> discounted(const std::vector<std::int32_t>& parents, std::vector<double> own, double discount) {
  discountRewards(parents, own, discount);
  return own;
}

TEST(Rewards, AChainDiscountsFromItsLeaf) {
  const std::vector<double> rewards = discounted({-1, 0, 1}, {0, 0, 1}, 0.9);
  EXPECT_DOUBLE_EQ(0.81, rewards[0]);
  EXPECT_DOUBLE_EQ(0.9, rewards[1]);
  EXPECT_DOUBLE_EQ(1, rewards[2]);
}

TEST(Rewards, FlowAlongTheTreeNotAlongTheOrderOfRecording) {
  EXPECT_EQ((std::vector<double>{0.5, 0, 1}), discounted({-1, 0, 0}, {0, 0, 1}, 0.5));
}

TEST(Rewards, AgreeWithTheDefinitionOnRandomTrees) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    test::Random random(seed);
    std::vector<std::int32_t> parents;
    std::vector<double> own;
    for (std::uint32_t i = 0; i < 60; ++i) {
      parents.push_back(i == 0 || random.chance(0.1) ? -1 : static_cast<std::int32_t>(random.below(i)));
      own.push_back(random.chance(0.5) ? 0 : random.below(9) - 4.0);
    }
    const double discount = random.below(5) / 4.0;
    const std::function<double(std::size_t)> final = [&](std::size_t at) {
      double sum = own[at];
      for (std::size_t child = 0; child < parents.size(); ++child) {
        if (parents[child] == static_cast<std::int32_t>(at)) sum += discount * final(child);
      }
      return sum;
    };
    const std::vector<double> rewards = discounted(parents, own, discount);
    for (std::size_t i = 0; i < rewards.size(); ++i) EXPECT_NEAR(final(i), rewards[i], 1e-9);
  }
}

TEST(Rewards, RefuseADiscountOutsideZeroToOne) {
  for (const double discount : {-0.1, 1.1, std::nan(""), HUGE_VAL}) {
    EXPECT_CODE(kInvalidArg, discounted({-1}, {1}, discount));
  }
}

TEST(Rewards, RefuseASumThatAFloat32CannotHold) {
  EXPECT_CODE(kInvalidArg, requireFinalReward(1e39, 0));
  EXPECT_NO_THROW(requireFinalReward(3.4028234663852886e38, 0));
}

}  // namespace
}  // namespace rolltape
