#include <gtest/gtest.h>

#include "../forest.h"
#include "../packed.h"
#include "branched_session.h"

/// Tests the rows of an export with filters, and the rows of compacted conversations.

namespace rolltape {
namespace {

using test::Indices;
using test::packedTensor;
using test::recordConversation;
using test::rowsOf;
using Words = std::vector<std::int32_t>;

const PlanOptions kConcat{.style = RowStyle::kConcat};

Plan planOf(const Session& session, Indices filtered, const PlanOptions& options = {}, Indices leftOut = {}) {
  return test::planWithout(session, std::move(leftOut), std::move(filtered), options);
}

TEST(Filtered, InteractionsHaveNoRow) {
  Session session(test::kKey);
  recordConversation(session);
  EXPECT_EQ((Indices{0, 2, 3}), rowsOf(planOf(session, {1})));
  EXPECT_EQ(1u, planOf(session, {1}).filteredCount());
  EXPECT_CODE(kInvalidArg, planOf(session, {4}));
}

TEST(Filtered, AnInteractionThatIsLeftOutIsNotCounted) {
  Session session(test::kKey);
  recordConversation(session);
  EXPECT_EQ(1u, planOf(session, {1, 2}, {}, {2}).filteredCount());
  EXPECT_EQ(2u, planOf(session, {1, 2}, {.includeLeftOut = true}, {2}).filteredCount());
}

TEST(Filtered, TurnsBetweenOthersAreContextOfAConcatRow) {
  Session session(test::kKey);
  recordConversation(session);
  PlanOptions options = kConcat;
  options.onMismatch = OnMismatch::kSplit;
  options.layout = Layout::kPacked;
  options.turns = true;
  options.columns = test::everyColumn();
  const Plan plan = planOf(session, {1, 3}, options);
  EXPECT_EQ(Indices{2}, rowsOf(plan));
  ASSERT_EQ(2u, plan.turns().size());
  EXPECT_EQ(2u, plan.turns()[1].interaction->index);
  const test::Packed packed = test::packed(plan, {});
  EXPECT_EQ((Words{1, 2, 3, 4, 5, 6}), packedTensor<std::int32_t>(packed, "input_ids"));
  EXPECT_EQ((Words{0, 1, 0, 0, 0, 1}), packedTensor<std::int32_t>(packed, "loss_mask"));
  EXPECT_EQ((Words{-1, 0, -1, -1, -1, 0}), packedTensor<std::int32_t>(packed, "versions"));
  EXPECT_EQ(0, packedTensor<float>(packed, "logprobs")[3]);
}

TEST(Filtered, TheFirstTurnThatIsKeptBeginsTheRow) {
  Session session(test::kKey);
  recordConversation(session);
  PlanOptions options = kConcat;
  options.onMismatch = OnMismatch::kSplit;
  const Plan plan = planOf(session, {0, 3}, options);
  ASSERT_EQ(Indices{2}, rowsOf(plan));
  EXPECT_EQ(1u, plan.rows()[0].first->index);
  EXPECT_EQ(0u, plan.rowStart(plan.rows()[0]).index);
}

TEST(Filtered, ABreakMattersOnlyBetweenInteractionsThatAreKept) {
  Session session(test::kKey);
  recordConversation(session);
  EXPECT_EQ(1u, planOf(session, {1}, kConcat).mismatches().size());
  EXPECT_TRUE(planOf(session, {3}, kConcat).mismatches().empty());
  EXPECT_TRUE(planOf(session, {0, 1, 2}, kConcat).mismatches().empty());
}

TEST(Filtered, ShardsMaskTheSameTurns) {
  Session session(test::kKey);
  recordConversation(session);
  PlanOptions options = kConcat;
  options.onMismatch = OnMismatch::kSplit;
  options.layout = Layout::kPacked;
  for (const Plan& shard : planOf(session, {1}, options).shards(2)) {
    const test::Packed packed = test::packed(shard, {});
    const Words ids = packedTensor<std::int32_t>(packed, "input_ids");
    const Words expected = ids.size() == 2 ? Words{0, 1} : Words{0, 1, 0, 0, 0, 1};
    EXPECT_EQ(expected, packedTensor<std::int32_t>(packed, "loss_mask"));
  }
}

TEST(Filtered, NodesOfATreeStayWithoutBeingTrainedOn) {
  Session session(test::kKey);
  recordConversation(session);
  const Plan plan = planOf(session, {1}, {.layout = Layout::kTree});
  EXPECT_EQ((Indices{0, 1, 2, 3}), rowsOf(plan));
  const test::Packed packed = test::packed(plan, {});
  EXPECT_EQ((Words{1, 2, 3, 4, 5, 6, 9, 8}), packedTensor<std::int32_t>(packed, "input_ids"));
  EXPECT_EQ((Words{0, 1, 0, 0, 0, 1, 0, 1}), packedTensor<std::int32_t>(packed, "loss_mask"));
}

TEST(Filtered, RewardsAreThoseOfTheWholeTree) {
  Session session(test::kKey);
  recordConversation(session);
  session.setReward(2, 8);
  const Plan plan = planOf(session, {2}, {.discount = 0.5});
  EXPECT_EQ(2, plan.rows()[0].reward);
  EXPECT_EQ(4, plan.rows()[1].reward);
  EXPECT_TRUE(plan.rewardsFiltered().empty());
}

TEST(Filtered, RewardsThatReachNoRowAreNamed) {
  Session session(test::kKey);
  recordConversation(session);
  session.setReward(2, 8);
  EXPECT_EQ(1u, planOf(session, {2}, {.discount = 0}).rewardsFiltered().size());
  EXPECT_EQ(1u, planOf(session, {0, 1, 2}).rewardsFiltered().size());
  EXPECT_TRUE(planOf(session, {0, 1}).rewardsFiltered().empty());
  EXPECT_TRUE(planOf(session, {}).rewardsFiltered().empty());
  session.setSessionReward(1);
  EXPECT_TRUE(planOf(session, {0, 1, 2}).rewardsFiltered().empty());
  EXPECT_EQ(1u, planOf(session, {0, 1, 2, 3}).rewardsFiltered().size());
}

TEST(RewardedRootsOnly, FiltersTreesWithoutAReward) {
  Session session(test::kKey);
  recordConversation(session);
  test::record(session, test::promptOf({7}), test::generationOf({7}), {}, {}, -1);
  const PlanOptions options{.rewardedRootsOnly = true};
  EXPECT_TRUE(rowsOf(planOf(session, {}, options)).empty());
  session.setReward(1, 1);
  const Plan plan = planOf(session, {}, options);
  EXPECT_EQ((Indices{0, 1, 2, 3}), rowsOf(plan));
  EXPECT_EQ(1u, plan.filteredCount());
  EXPECT_EQ(0u, plan.unrewardedRoots().count);
  EXPECT_EQ(1u, planOf(session, {}).unrewardedRoots().count);
  EXPECT_EQ(0u, planOf(session, {4}).unrewardedRoots().count);
  session.setSessionReward(1);
  EXPECT_EQ(5u, rowsOf(planOf(session, {}, options)).size());
}

/// Records a root after the conversation that it was compacted from.
void recordCompacted(Session& session, std::int32_t from) {
  const Prompt prompt = test::promptOf({7});
  const Generation generation = test::generationOf({7});
  session.record(
      {.prompt = prompt, .generation = generation, .digests = {}, .output = {}, .parent = -1, .compactedFrom = from});
}

TEST(CompactedFrom, IsTheRowThatHoldsTheSummary) {
  Session session(test::kKey);
  recordConversation(session);
  recordCompacted(session, 1);
  const auto columns =
      std::make_shared<const RowColumns>(RowColumns{{"compacted_from", Dtype::kI32, RowSource::kCompactedFromRow}});
  const auto valuesOf = [&](Indices filtered, PlanOptions options) {
    options.columns = columns;
    options.onMismatch = OnMismatch::kSplit;
    return packedTensor<std::int32_t>(test::packed(planOf(session, std::move(filtered), options), {}),
                                      "row_compacted_from");
  };
  EXPECT_EQ((Words{-1, -1, -1, -1, 1}), valuesOf({}, {}));
  EXPECT_EQ((Words{-1, -1, -1, -1, 1}), valuesOf({}, {.layout = Layout::kTree}));
  EXPECT_EQ((Words{-1, -1, 0}), valuesOf({}, kConcat));
  EXPECT_EQ((Words{-1, -1, -1, -1}), valuesOf({1}, {}));
  EXPECT_EQ((Words{-1, -1, -1}), valuesOf({1}, kConcat));
}

TEST(CompactedFrom, CarriesASessionsRewardAndNoOwnReward) {
  Session session(test::kKey);
  recordConversation(session);
  recordCompacted(session, 2);
  const auto rewardsOf = [&] { return SessionRewards(session, 0.5, std::vector<bool>(5)).finalRewards; };
  session.setReward(4, 16);
  EXPECT_EQ((std::vector<double>{0, 0, 0, 0, 16}), rewardsOf());
  session.setSessionReward(8);
  EXPECT_EQ((std::vector<double>{1, 2, 4, 8, 24}), rewardsOf());
}

TEST(CompactedFrom, MustBeEarlierAndLaterThanTheParent) {
  Session session(test::kKey);
  recordConversation(session);
  EXPECT_CODE(kInvalidArg, recordCompacted(session, 4));
  EXPECT_CODE(kInvalidArg, recordCompacted(session, -2));
  const Prompt prompt = test::promptOf({7});
  const Generation generation = test::generationOf({7});
  EXPECT_CODE(
      kInvalidArg,
      session.record(
          {.prompt = prompt, .generation = generation, .digests = {}, .output = {}, .parent = 1, .compactedFrom = 1}));
  EXPECT_EQ(4u, session.length());
  session.record(
      {.prompt = prompt, .generation = generation, .digests = {}, .output = {}, .parent = 0, .compactedFrom = 1});
  EXPECT_EQ(5u, session.length());
}

TEST(CompactedFrom, IsRestored) {
  Session session(test::kKey);
  recordConversation(session);
  recordCompacted(session, 2);
  Session copy(test::kKey);
  for (std::uint32_t i = 0; i < session.length(); ++i) {
    const InteractionWriter writer = session.serialize(i);
    std::vector<std::uint8_t> bytes(writer.byteLength());
    writer.write(bytes.data());
    copy.restore(bytes, session.interaction(i).compactedFrom);
  }
  EXPECT_EQ(2, copy.interaction(4).compactedFrom);
}

}  // namespace
}  // namespace rolltape
