#include <gtest/gtest.h>

#include "../forest.h"
#include "../packed.h"
#include "branched_session.h"

/// Interactions that a plan leaves out, those that begin a row, and conversations without a reward.

namespace rolltape {
namespace {

using test::Indices;
using test::packedTensor;
using test::recordConversation;
using test::rowsOf;

Plan planOf(const Session& session, Indices leftOut, const PlanOptions& options = {}) {
  return test::planWithout(session, std::move(leftOut), {}, options);
}

TEST(LeftOut, InteractionsHaveNoRow) {
  Session session(test::kKey);
  recordConversation(session);
  EXPECT_EQ((Indices{0, 1, 3}), rowsOf(planOf(session, {2})));
  EXPECT_EQ((Indices{0, 1, 2, 3}), rowsOf(planOf(session, {})));
}

TEST(LeftOut, ALastTurnMakesTheTurnBeforeItTheEndOfTheRow) {
  Session session(test::kKey);
  recordConversation(session);
  const PlanOptions split{.style = RowStyle::kConcat, .onMismatch = OnMismatch::kSplit};
  EXPECT_EQ((Indices{2, 3}), rowsOf(planOf(session, {}, split)));
  EXPECT_EQ((Indices{1, 3}), rowsOf(planOf(session, {2}, split)));
}

TEST(LeftOut, AMismatchIsNone) {
  Session session(test::kKey);
  recordConversation(session);
  const PlanOptions options{.style = RowStyle::kConcat};
  EXPECT_EQ(1u, planOf(session, {}, options).mismatches().size());
  const Plan plan = planOf(session, {3}, options);
  EXPECT_TRUE(plan.mismatches().empty());
  EXPECT_EQ(Indices{2}, rowsOf(plan));
}

TEST(LeftOut, ANodeOfATreeIsThereWithoutBeingTrainedOn) {
  Session session(test::kKey);
  recordConversation(session);
  const Plan plan = planOf(session, {2}, {.layout = Layout::kTree, .columns = test::everyColumn()});
  const test::Packed packed = test::packed(plan, {});
  EXPECT_EQ((std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 9, 8}), packedTensor<std::int32_t>(packed, "input_ids"));
  EXPECT_EQ((std::vector<std::int32_t>{0, 1, 0, 1, 0, 0, 0, 1}), packedTensor<std::int32_t>(packed, "loss_mask"));
  EXPECT_EQ((std::vector<std::int32_t>{-1, 0, -1, 0, -1, -1, -1, 0}), packedTensor<std::int32_t>(packed, "versions"));
  EXPECT_EQ(0, packedTensor<float>(packed, "logprobs")[5]);
  EXPECT_EQ((std::vector<std::uint8_t>{0, 0, 1, 0}), packedTensor<std::uint8_t>(packed, "row_left_out"));
}

TEST(LeftOut, ASessionsRewardGoesToTheLastLeafThatIsKept) {
  Session session(test::kKey);
  recordConversation(session);
  session.setSessionReward(8);
  const auto rewards = [&](Indices leftOut) {
    std::vector<double> found;
    const Plan plan = planOf(session, std::move(leftOut), {.discount = 0.5});
    for (const PlanRow& row : plan.rows()) found.push_back(row.reward);
    return found;
  };
  EXPECT_EQ((std::vector<double>{2, 4, 8, 8}), rewards({}));
  EXPECT_EQ((std::vector<double>{4, 8}), rewards({2, 3}));
}

TEST(LeftOut, AnInteractionMustExistAndHaveNoChildThatIsKept) {
  Session session(test::kKey);
  recordConversation(session);
  EXPECT_CODE(kInvalidArg, planOf(session, {4}));
  const Error error = test::thrownBy([&] { planOf(session, {1, 2}); });
  EXPECT_STREQ("leftOut: interaction 1 has a child that is not left out: 3", error.what());
  EXPECT_EQ(Indices{0}, rowsOf(planOf(session, {3, 1, 2, 2})));
}

TEST(LeftOut, ShardsLeaveOutTheSame) {
  Session session(test::kKey);
  recordConversation(session);
  Indices rows;
  for (const Plan& shard : planOf(session, {2}).shards(3)) {
    for (const std::uint32_t row : rowsOf(shard)) rows.push_back(row);
  }
  std::ranges::sort(rows);
  EXPECT_EQ((Indices{0, 1, 3}), rows);
}

TEST(LeftOut, RowsAndNodesOfRandomSessionsAreThoseOfTheModel) {
  for (unsigned seed = 900; seed < 980; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    for (const auto& one : forest) one->leaveOut(random);
    PlanOptions options = test::randomOptions(random);
    const Plan plan(plannedOf(forest), options);
    const std::vector<test::ForestRow> rows = modelRows(forest, options);
    ASSERT_EQ(rows.size(), plan.rows().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].row.interaction, plan.rows()[i].interaction->index);
      EXPECT_EQ(rows[i].reward, static_cast<float>(plan.rows()[i].reward));
    }
    const PlanOptions error{.style = RowStyle::kConcat};
    std::vector<std::size_t> mismatches;
    std::vector<std::size_t> roots;
    for (const test::Outline& outline : outlinesOf(forest)) {
      for (const std::size_t child : outline.mismatches()) mismatches.push_back(child);
      for (const std::size_t root : outline.unrewardedRoots()) roots.push_back(root);
    }
    const Plan strict(plannedOf(forest), error);
    ASSERT_EQ(mismatches.size(), strict.mismatches().size());
    for (std::size_t i = 0; i < mismatches.size(); ++i) EXPECT_EQ(mismatches[i], strict.mismatches()[i].child);
    ASSERT_EQ(roots.size(), plan.unrewardedRoots().count);
    for (std::size_t i = 0; i < plan.unrewardedRoots().first.size(); ++i) {
      EXPECT_EQ(roots[i], plan.unrewardedRoots().first[i].interaction);
    }
  }
}

void recordStart(Session& session, std::int32_t parent, const std::vector<std::int32_t>& ids) {
  const Prompt prompt = test::promptOf(ids);
  const Generation generation = test::generationOf({2});
  RecordInput input{prompt, generation, {}, {}, parent};
  input.startsRow = true;
  session.record(input);
}

TEST(StartsRow, BeginsARowInsteadOfFailingTheExport) {
  Session session(test::kKey);
  recordStart(session, -1, {1});
  recordStart(session, 0, {9});
  session.setReward(1, 1);
  const Plan plan = planOf(session, {}, {.style = RowStyle::kConcat, .discount = 0.5, .columns = test::everyColumn()});
  EXPECT_TRUE(plan.mismatches().empty());
  EXPECT_EQ((Indices{0, 1}), rowsOf(plan));
  EXPECT_EQ(0.5, plan.rows()[0].reward);
  EXPECT_EQ((std::vector<std::int32_t>{-1, 0}), packedTensor<std::int32_t>(test::packed(plan, {}), "row_parent"));
}

TEST(StartsRow, ChangesNothingForACallThatContinuesItsParent) {
  Session session(test::kKey);
  recordStart(session, -1, {1});
  recordStart(session, 0, {1, 2, 3});
  EXPECT_EQ(Indices{1}, rowsOf(planOf(session, {}, {.style = RowStyle::kConcat})));
}

TEST(UnrewardedRoots, AreCountedAndTheFirstAreNamed) {
  Session one(test::kKey);
  Session two(test::kKey);
  for (int i = 0; i < 5; ++i) recordStart(one, -1, {i});
  for (int i = 0; i < 50; ++i) recordStart(two, -1, {i});
  one.setReward(0, 0);
  const Session* sessions[] = {&one, &two};
  const UnrewardedRoots roots = Plan(sessions, PlanOptions{}).unrewardedRoots();
  EXPECT_EQ(54u, roots.count);
  ASSERT_EQ(8u, roots.first.size());
  EXPECT_EQ(0u, roots.first[0].session);
  EXPECT_EQ(1u, roots.first[0].interaction);
  EXPECT_EQ(1u, roots.first[7].session);
  EXPECT_EQ(3u, roots.first[7].interaction);
}

TEST(UnrewardedRoots, HaveNoRewardAnywhereBelow) {
  Session session(test::kKey);
  recordConversation(session);
  EXPECT_EQ(1u, planOf(session, {}).unrewardedRoots().count);
  session.setReward(3, 0);
  EXPECT_EQ(0u, planOf(session, {}).unrewardedRoots().count);
}

TEST(UnrewardedRoots, AreNoneIfTheSessionHasAReward) {
  Session session(test::kKey);
  recordConversation(session);
  session.setSessionReward(0);
  EXPECT_EQ(0u, planOf(session, {}).unrewardedRoots().count);
}

TEST(UnrewardedRoots, AreNotThoseThatAreLeftOut) {
  Session session(test::kKey);
  recordStart(session, -1, {1});
  recordStart(session, -1, {2});
  recordStart(session, -1, {3});
  const UnrewardedRoots roots = planOf(session, {1, 2}).unrewardedRoots();
  EXPECT_EQ(1u, roots.count);
  EXPECT_EQ(0u, roots.first.at(0).interaction);
}

}  // namespace
}  // namespace rolltape
