#include <gtest/gtest.h>

#include <limits>

#include "../../core/batch/plan_builder.h"
#include "../packed.h"
#include "branched_session.h"

/// What a plan says of whole sessions, and the row columns that have it.

namespace rolltape {
namespace {

using test::packedTensor;
using Numbers = std::vector<std::int32_t>;

std::shared_ptr<const RowColumns> episodeColumns() {
  using Source = RowSource;
  return std::make_shared<const RowColumns>(
      RowColumns{{.name = "session_row", .dtype = Dtype::kI32, .source = Source::kSessionRow},
                 {.name = "session_rows", .dtype = Dtype::kI32, .source = Source::kSessionRows},
                 {.name = "episode", .dtype = Dtype::kI32, .source = Source::kEpisode},
                 {.name = "episode_reward", .dtype = Dtype::kF32, .source = Source::kEpisodeReward},
                 {.name = "episode_return", .dtype = Dtype::kF32, .source = Source::kEpisodeReturn}});
}

/// A session of two turns in a group, one without interactions, and one without a group.
class Episodes : public testing::Test {
 protected:
  Episodes() {
    test::record(two_, test::promptOf({1}), test::generationOf({2}), {}, {}, -1);
    test::record(two_, test::promptAfter(two_, 0, {3}), test::generationOf({4}), {}, {}, 0);
    two_.setReward(0, 1);
    two_.setReward(1, 2);
    test::record(one_, test::promptOf({1}), test::generationOf({2}), {}, {}, -1);
    one_.setSessionReward(8);
  }

  Plan plan(const std::vector<std::uint32_t>& filtered = {}) const {
    const PlannedSession sessions[] = {
        {.session = &two_, .filtered = filtered, .group = 3}, {.session = &empty_}, {.session = &one_}};
    return Plan(sessions, {.discount = 0.5, .columns = episodeColumns()});
  }

  Session two_{test::kKey};
  Session empty_{test::kKey};
  Session one_{test::kKey};
};

TEST_F(Episodes, AreListedWithTheirGroupRowsAndRewards) {
  const Plan whole = plan();
  ASSERT_EQ(3u, whole.episodes().size());
  const PlanEpisode& two = whole.episodes()[0];
  EXPECT_EQ(3u, two.group);
  EXPECT_EQ(2u, two.rows);
  EXPECT_EQ(3, two.reward);
  EXPECT_EQ(2, two.discountedReturn);
  EXPECT_EQ(PlannedSession::kNoGroup, whole.episodes()[1].group);
  EXPECT_EQ(0u, whole.episodes()[1].rows);
  EXPECT_EQ(1u, whole.episodes()[2].rows);
  EXPECT_EQ(8, whole.episodes()[2].reward);
}

TEST_F(Episodes, CountTheRewardsOfInteractionsWithoutARow) {
  const Plan whole = plan({1});
  EXPECT_EQ(1u, whole.episodes()[0].rows);
  EXPECT_EQ(3, whole.episodes()[0].reward);
}

TEST_F(Episodes, AreColumnsOfTheirRows) {
  const test::Packed packed = test::packed(plan(), {});
  EXPECT_EQ((Numbers{0, 1, 0}), packedTensor<std::int32_t>(packed, "row_session_row"));
  EXPECT_EQ((Numbers{2, 2, 1}), packedTensor<std::int32_t>(packed, "row_session_rows"));
  EXPECT_EQ((std::vector<float>{3, 3, 8}), packedTensor<float>(packed, "row_episode_reward"));
  EXPECT_EQ((std::vector<float>{2, 2, 8}), packedTensor<float>(packed, "row_episode_return"));
}

TEST_F(Episodes, AreTensors) {
  const test::Packed packed = test::packed(plan(), {});
  EXPECT_EQ((Numbers{0, 0, 2}), packedTensor<std::int32_t>(packed, "row_episode"));
  EXPECT_EQ((Numbers{0, 1, 2}), packedTensor<std::int32_t>(packed, "episode_group"));
  EXPECT_EQ((Numbers{2, 0, 1}), packedTensor<std::int32_t>(packed, "episode_rows"));
  EXPECT_EQ((std::vector<float>{3, 0, 8}), packedTensor<float>(packed, "episode_reward"));
  EXPECT_EQ((std::vector<float>{2, 0, 8}), packedTensor<float>(packed, "episode_return"));
  EXPECT_EQ((std::vector<std::uint8_t>{1, 0, 1}), packedTensor<std::uint8_t>(packed, "episode_has_reward"));
}

TEST_F(Episodes, OfAShardAreThoseOfItsGroups) {
  // As many tokens as the two rows of the group together.
  Session alone(test::kKey);
  test::record(alone, test::promptOf({1, 2, 3, 4, 5}), test::generationOf({6}), {}, {}, -1);
  Session elsewhere(test::kKey);
  const PlannedSession sessions[] = {{.session = &alone},
                                     {.session = &two_, .group = 3},
                                     {.session = &empty_, .group = 3},
                                     {.session = &elsewhere, .group = 5}};
  const std::vector<Plan> shards = Plan(sessions, {.columns = episodeColumns()}).shards(2);
  const test::Packed first = test::packed(shards[0], {});
  EXPECT_EQ(Numbers{0}, packedTensor<std::int32_t>(first, "row_episode"));
  EXPECT_EQ(Numbers{1}, packedTensor<std::int32_t>(first, "episode_rows"));
  const test::Packed second = test::packed(shards[1], {});
  EXPECT_EQ((Numbers{0, 0}), packedTensor<std::int32_t>(second, "row_episode"));
  EXPECT_EQ((Numbers{0, 0}), packedTensor<std::int32_t>(second, "episode_group"));
  EXPECT_EQ((std::vector<float>{3, 0}), packedTensor<float>(second, "episode_reward"));
}

TEST_F(Episodes, OfRowsInOtherBatchesAreListedInTheirOrder) {
  PlanBuilder builder({.discount = 0.5, .columns = episodeColumns()});
  builder.addEpisode({.group = 3, .hasReward = true, .rows = 7, .reward = 5, .discountedReturn = 4});
  builder.add({.session = &two_, .group = 3});
  builder.addEpisode({.group = 9, .hasReward = false, .rows = 1, .reward = 0, .discountedReturn = 0});
  builder.add({.session = &one_});
  const Plan whole = builder.finish();
  const test::Packed packed = test::packed(whole, {});
  EXPECT_EQ((Numbers{1, 1, 3}), packedTensor<std::int32_t>(packed, "row_episode"));
  EXPECT_EQ((Numbers{0, 0, 1, 2}), packedTensor<std::int32_t>(packed, "episode_group"));
  EXPECT_EQ((Numbers{7, 2, 1, 1}), packedTensor<std::int32_t>(packed, "episode_rows"));
  EXPECT_EQ((std::vector<float>{5, 3, 0, 8}), packedTensor<float>(packed, "episode_reward"));
  EXPECT_EQ((std::vector<float>{4, 2, 0, 8}), packedTensor<float>(packed, "episode_return"));
  // A shard lists those of its groups.
  const std::vector<Plan> shards = whole.shards(2);
  EXPECT_EQ((std::vector<std::uint32_t>{0, 1}),
            std::vector<std::uint32_t>(shards[0].listedSessions().begin(), shards[0].listedSessions().end()));
}

TEST_F(Episodes, HaveTheRewardOfASessionWithoutInteractions) {
  empty_.setSessionReward(0);
  EXPECT_TRUE(plan().episodes()[1].hasReward);
}

TEST_F(Episodes, AreInShardsThoseOfTheWholeExport) {
  const std::vector<Plan> shards = plan().shards(3);
  for (const Plan& shard : shards) ASSERT_EQ(3u, shard.episodes().size());
  // Three rows of 4, 2 and 2 tokens.
  const test::Packed longest = test::packed(shards[0], {});
  EXPECT_EQ(Numbers{1}, packedTensor<std::int32_t>(longest, "row_session_row"));
  EXPECT_EQ(Numbers{2}, packedTensor<std::int32_t>(longest, "row_session_rows"));
  EXPECT_EQ(std::vector<float>{3}, packedTensor<float>(longest, "row_episode_reward"));
}

TEST(EpisodeRewards, ThatNoFloat32HoldsBecomeTheNearestOne) {
  constexpr float most = std::numeric_limits<float>::max();
  Session high(test::kKey);
  Session low(test::kKey);
  for (Session* session : {&high, &low}) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      test::record(*session, test::promptOf({1}), test::generationOf({2}), {}, {}, -1);
      session->setReward(i, session == &high ? 3e38 : -3e38);
    }
  }
  const Session* sessions[] = {&high, &low};
  const test::Packed packed = test::packed(Plan(sessions, {.columns = episodeColumns()}), {});
  EXPECT_EQ((std::vector<float>{most, most, -most, -most}), packedTensor<float>(packed, "row_episode_reward"));
  EXPECT_EQ((std::vector<float>{most, most, -most, -most}), packedTensor<float>(packed, "row_episode_return"));
}

}  // namespace
}  // namespace rolltape
