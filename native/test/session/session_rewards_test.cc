#include "../../core/session/session_rewards.h"

#include <gtest/gtest.h>

#include "../../core/session/reward.h"
#include "../forest.h"

namespace rolltape {
namespace {

using Parents = std::vector<std::int32_t>;

/// A chain of three turns, then a second answer to the first: 0 → 1 → 2, 0 → 3.
void recordBranches(Session& session) {
  test::record(session, test::promptOf({1}), test::generationOf({2}), {"0"}, {}, -1);
  test::record(session, test::promptAfter(session, 0, {3}), test::generationOf({4}), {"1"}, {}, 0);
  test::record(session, test::promptAfter(session, 1, {5}), test::generationOf({6}), {"2"}, {}, 1);
  test::record(session, test::promptAfter(session, 0, {7}), test::generationOf({8}), {"3"}, {}, 0);
}

SessionRewards rewardsOf(const Session& session, double discount) {
  return SessionRewards(session, discount, std::vector<bool>(session.length()));
}

std::vector<bool> innerRewards(const Session& session, const SessionRewards& rewards) {
  std::vector<bool> inner{true};
  findInnerRewards(session, rewards, inner);
  return inner;
}

TEST(LastLeafShares, CountTheEdgesDownToTheLeafThatCompletedLast) {
  EXPECT_EQ((std::vector<double>{0.5, 0.5, 1, 1}), lastLeafShares(Parents{-1, 0, 1, 0}, std::vector<bool>(4), 0.5));
}

TEST(LastLeafShares, OfALongerBranchThatCompletedLastAreSmaller) {
  EXPECT_EQ((std::vector<double>{0.25, 1, 0.5, 1}), lastLeafShares(Parents{-1, 0, 0, 2}, std::vector<bool>(4), 0.5));
}

TEST(LastLeafShares, IgnoreAbsentInteractions) {
  const std::vector<bool> absent{false, false, true, true};
  EXPECT_EQ((std::vector<double>{0.5, 1, 0, 0}), lastLeafShares(Parents{-1, 0, 1, 0}, absent, 0.5));
}

TEST(LastLeafShares, OfEveryRootAreItsOwn) {
  EXPECT_EQ((std::vector<double>{1, 0.5, 1}), lastLeafShares(Parents{-1, -1, 1}, std::vector<bool>(3), 0.5));
}

TEST(LastLeafShares, WithoutDiscountAreOneEverywhere) {
  EXPECT_EQ((std::vector<double>{1, 1, 1}), lastLeafShares(Parents{-1, 0, 1}, std::vector<bool>(3), 1));
  EXPECT_EQ((std::vector<double>{0, 0, 1}), lastLeafShares(Parents{-1, 0, 1}, std::vector<bool>(3), 0));
}

TEST(SessionRewards, OfAnEpisodeCountEachOwnRewardOnce) {
  Session session(test::kKey);
  recordBranches(session);
  for (std::uint32_t i = 0; i < 4; ++i) session.setReward(i, 1);
  session.setSessionReward(10);
  const SessionRewards rewards = rewardsOf(session, 0.5);
  EXPECT_EQ(14, rewards.episodeReward);
  // Turns at depths 0, 1, 2 and 1. The last one to complete is at depth 1.
  EXPECT_EQ(1 + 0.5 + 0.25 + 0.5 + 5, rewards.episodeReturn);
}

TEST(SessionRewards, OfAnEpisodeDiscountTheSessionsRewardByTheDepthOfItsLastInteraction) {
  Session session(test::kKey);
  recordBranches(session);
  const std::vector<bool> absent{false, false, false, true};
  session.setSessionReward(8);
  EXPECT_EQ(2, SessionRewards(session, 0.5, absent).episodeReturn);
  EXPECT_EQ(8, SessionRewards(session, 0.5, absent).episodeReward);
}

TEST(SessionRewards, OfAnEpisodeTakeTheLastInteractionThatIsNotLeftOut) {
  Session session(test::kKey);
  recordBranches(session);
  test::record(session, test::promptOf({9}), test::generationOf({2}), {"4"}, {}, -1);
  session.setSessionReward(8);
  EXPECT_EQ(4, SessionRewards(session, 0.5, {false, false, false, false, true}).episodeReturn);
  EXPECT_EQ(0, SessionRewards(session, 0.5, {true, true, true, true, true}).episodeReturn);
}

TEST(SessionRewards, AddTheSessionsRewardToTheDiscountOfOwnRewards) {
  Session session(test::kKey);
  recordBranches(session);
  session.setReward(2, 1);
  session.setSessionReward(10);
  EXPECT_EQ((std::vector<double>{0.25 + 5, 0.5 + 5, 1 + 10, 10}), rewardsOf(session, 0.5).finalRewards);
}

TEST(SessionRewards, WithoutASessionRewardAreTheDiscountOfOwnRewards) {
  Session session(test::kKey);
  recordBranches(session);
  session.setReward(3, 4);
  const SessionRewards rewards = rewardsOf(session, 0.5);
  EXPECT_EQ((std::vector<double>{2, 0, 0, 4}), rewards.finalRewards);
  EXPECT_TRUE(rewards.shares.empty());
}

TEST(SessionRewards, ReplaceTheSessionsRewardWithItsLatest) {
  Session session(test::kKey);
  recordBranches(session);
  session.setSessionReward(10);
  session.setSessionReward(0);
  EXPECT_EQ((std::vector<double>{0, 0, 0, 0}), rewardsOf(session, 0.5).finalRewards);
  EXPECT_CODE(kInvalidArg, session.setSessionReward(1e39));
  EXPECT_CODE(kInvalidArg, session.setSessionReward(std::nan("")));
  EXPECT_EQ(0, session.sessionReward());
}

TEST(SessionRewards, GiveAnAbsentInteractionNoShare) {
  Session session(test::kKey);
  recordBranches(session);
  session.setSessionReward(8);
  const std::vector<bool> absent{false, false, false, true};
  EXPECT_EQ((std::vector<double>{2, 4, 8, 0}), SessionRewards(session, 0.5, absent).finalRewards);
}

TEST(SessionRewards, OfOneSessionAfterTheOtherAreIndependent) {
  Session first(test::kKey);
  recordBranches(first);
  first.setReward(3, 4);
  first.setSessionReward(8);
  Session second(test::kKey);
  test::record(second, test::promptOf({1}), test::generationOf({2}), {"0"}, {}, -1);
  SessionRewards rewards;
  rewards.assign(first, 1, std::vector<bool>(4));
  EXPECT_EQ(1u, rewards.rewardedCount);
  rewards.assign(second, 1, std::vector<bool>(1));
  EXPECT_EQ(std::vector<double>{0}, rewards.finalRewards);
  EXPECT_TRUE(rewards.shares.empty());
  EXPECT_EQ(1u, rewards.rootCount);
  EXPECT_EQ(0u, rewards.rewardedCount);
  EXPECT_FALSE(rewards.has(0));
}

TEST(RowReturns, SumTheDiscountedRewardsOfTheRowsOwnTurns) {
  Session session(test::kKey);
  recordBranches(session);
  for (std::uint32_t i = 0; i < 4; ++i) session.setReward(i, i + 1);
  EXPECT_EQ((std::vector<double>{1, 1 + 0.5 * 2, 1 + 0.5 * 2 + 0.25 * 3, 1 + 0.5 * 4}),
            rowReturns(session, rewardsOf(session, 0.5), 0.5));
}

TEST(RowReturns, DiscountTheSessionsRewardAlongTheRow) {
  Session session(test::kKey);
  recordBranches(session);
  session.setSessionReward(8);
  EXPECT_EQ((std::vector<double>{4, 2, 2, 4}), rowReturns(session, rewardsOf(session, 0.5), 0.5));
}

TEST(InnerRewards, AreThoseOfEarlierTurnsOfTheSameRow) {
  Session session(test::kKey);
  recordBranches(session);
  test::record(session, test::promptOf({9}), test::generationOf({1}), {"4"}, {}, 2);
  session.setReward(1, 0);
  EXPECT_EQ((std::vector<bool>{false, false, true, false, false}), innerRewards(session, rewardsOf(session, 1)));
}

TEST(SessionRewards, AgreeWithTheDefinitionOnRandomSessions) {
  for (unsigned seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    test::ModelledSession grown;
    for (int step = 0; step < 40; ++step) grown.grow(random);
    if (random.chance(0.7)) {
      grown.model.sessionReward = random.below(9) / 4.0;
      grown.session.setSessionReward(*grown.model.sessionReward);
    }
    grown.leaveOut(random);
    const double discount = random.below(5) / 4.0;
    const test::Outline outline = grown.model.outline();
    std::vector<bool> absent;
    for (const test::OutlineCall& call : outline.all) absent.push_back(call.leftOut);
    const SessionRewards rewards(grown.session, discount, absent);
    const std::vector<double> returns = rowReturns(grown.session, rewards, discount);
    const std::vector<bool> inner = innerRewards(grown.session, rewards);
    const PlanOptions leaf{.style = RowStyle::kConcat, .discount = discount};
    PlanOptions whole = leaf;
    whole.concatReward = ConcatReward::kReturn;
    for (std::size_t i = 0; i < outline.all.size(); ++i) {
      EXPECT_EQ(outline.finalReward(i, discount), rewards.finalRewards[i]);
      EXPECT_EQ(outline.rowReward(i, whole), returns[i]);
      EXPECT_EQ(outline.isUncounted(i, leaf), inner[i]);
    }
  }
}

}  // namespace
}  // namespace rolltape
