#include <gtest/gtest.h>

#include "../forest.h"
#include "../packed.h"
#include "branched_session.h"

/// Tests which rows of a `concat` batch train on the turns that they share.

namespace rolltape {
namespace {

using test::Indices;
using test::packedTensor;
using test::rowsOf;
using Words = std::vector<std::int32_t>;

/// 0 → 1 → 2 and 0 → 1 → 3 → 4, with two tokens each.
void recordBranches(Session& session) {
  test::record(session, test::promptOf({1}), test::generationOf({2}), {}, {}, -1);
  test::record(session, test::promptAfter(session, 0, {3}), test::generationOf({4}), {}, {}, 0);
  test::record(session, test::promptAfter(session, 1, {5}), test::generationOf({6}), {}, {}, 1);
  test::record(session, test::promptAfter(session, 1, {7}), test::generationOf({8}), {}, {}, 1);
  test::record(session, test::promptAfter(session, 3, {9}), test::generationOf({10}), {}, {}, 3);
}

PlanOptions concatOf(SharedTurns sharedTurns) {
  PlanOptions options{.layout = Layout::kPacked, .style = RowStyle::kConcat, .sharedTurns = sharedTurns};
  options.turns = true;
  options.columns = test::everyColumn();
  return options;
}

Plan planOf(const Session& session, const PlanOptions& options, Indices filtered = {}) {
  return test::planWithout(session, {}, std::move(filtered), options);
}

Words maskOf(const Plan& plan) {
  const auto mask = packedTensor<std::int32_t>(test::packed(plan, {}), "loss_mask");
  return {mask.begin(), mask.end()};
}

/// The interactions of the turns of all rows.
Indices turnsOf(const Plan& plan) {
  Indices turns;
  for (const PlanTurn& turn : plan.turns()) turns.push_back(turn.interaction->index);
  return turns;
}

TEST(SharedTurns, AreTrainedOnInEveryRow) {
  Session session(test::kKey);
  recordBranches(session);
  const Plan plan = planOf(session, concatOf(SharedTurns::kEvery));
  EXPECT_EQ((Words{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}), maskOf(plan));
  EXPECT_EQ((Indices{0, 1, 2, 0, 1, 3, 4}), turnsOf(plan));
}

TEST(SharedTurns, AreTrainedOnInTheFirstRow) {
  Session session(test::kKey);
  recordBranches(session);
  const Plan plan = planOf(session, concatOf(SharedTurns::kFirst));
  EXPECT_EQ((Words{0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1}), maskOf(plan));
  EXPECT_EQ((Indices{0, 1, 2, 3, 4}), turnsOf(plan));
  EXPECT_EQ(3u, plan.rows()[1].first->index);
  EXPECT_EQ(4u, plan.rows()[1].trainedFrom);
}

TEST(SharedTurns, AreTrainedOnInTheFirstRowThatIsNotDropped) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), test::generationOf({2}), {}, {}, -1);
  test::record(session, test::promptAfter(session, 0, {3, 3, 3}), test::generationOf({4}), {}, {}, 0);
  test::record(session, test::promptAfter(session, 0, {5}), test::generationOf({6}), {}, {}, 0);
  PlanOptions options = concatOf(SharedTurns::kFirst);
  options.maxLength = 4;
  options.overflow = Overflow::kDrop;
  const Plan plan = planOf(session, options);
  EXPECT_EQ(Indices{2}, rowsOf(plan));
  EXPECT_EQ((Words{0, 1, 0, 1}), maskOf(plan));
}

TEST(SharedTurns, ThatAreFilteredAreTrainedOnInNoRow) {
  Session session(test::kKey);
  recordBranches(session);
  const Plan plan = planOf(session, concatOf(SharedTurns::kFirst), {1});
  EXPECT_EQ((Indices{0, 2, 3, 4}), turnsOf(plan));
  EXPECT_EQ((Words{0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1}), maskOf(plan));
}

TEST(SharedTurns, StayInTheirFirstRowWhenTheBatchIsSharded) {
  Session session(test::kKey);
  recordBranches(session);
  const std::vector<Plan> shards = planOf(session, concatOf(SharedTurns::kFirst)).shards(2);
  EXPECT_EQ((Words{0, 0, 0, 0, 0, 1, 0, 1}), maskOf(shards[0]));
  EXPECT_EQ((Words{0, 1, 0, 1, 0, 1}), maskOf(shards[1]));
}

TEST(SharedTurns, HaveTheWeightOfTheirNumberOfRows) {
  Session session(test::kKey);
  recordBranches(session);
  const Plan plan = planOf(session, concatOf(SharedTurns::kWeight));
  std::vector<float> weights;
  for (const PlanTurn& turn : plan.turns()) weights.push_back(turn.weight);
  EXPECT_EQ((std::vector<float>{0.5, 0.5, 1, 0.5, 0.5, 1, 1}), weights);
  EXPECT_EQ(7u, maskOf(plan).size() / 2);
}

TEST(SharedTurns, HaveNoWeightsWithoutTurns) {
  Session session(test::kKey);
  recordBranches(session);
  PlanOptions options = concatOf(SharedTurns::kWeight);
  options.turns = false;
  EXPECT_CODE(kInvalidArg, planOf(session, options));
}

}  // namespace
}  // namespace rolltape
