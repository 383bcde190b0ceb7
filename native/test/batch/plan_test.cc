#include "../../core/batch/plan.h"

#include <gtest/gtest.h>

#include "../model.h"

namespace rolltape {
namespace {

using test::generationOf;
using test::promptAfter;
using test::promptOf;
using test::record;

Plan planOf(const Session& session, PlanOptions options) {
  const Session* one = &session;
  return Plan(std::span<const Session* const>(&one, 1), options);
}

std::vector<std::uint32_t> interactionsOf(std::span<const PlanRow> rows) {
  std::vector<std::uint32_t> indices;
  for (const PlanRow& row : rows) indices.push_back(row.interaction->index);
  return indices;
}

/// A root, an exact child, and a child whose history differs at position 1.
void recordFork(Session& session) {
  record(session, promptOf({1, 2}), generationOf({3}), {"u"}, {"a"});
  record(session, promptAfter(session, 0, {4}), generationOf({5}), {"u", "a", "x"}, {"b"});
  record(session, promptOf({1, 9, 3, 4}), generationOf({6, 7}), {"u", "a", "y"}, {"c"});
}

TEST(Plan, ConcatNamesChildrenThatAreNotExact) {
  Session session(test::kKey);
  recordFork(session);
  record(session, promptOf({1}), generationOf({8}), {"u", "a", "z"}, {"d"});
  const Plan plan = planOf(session, {.style = RowStyle::kConcat});
  ASSERT_EQ(2u, plan.mismatches().size());
  const ConcatMismatch& differs = plan.mismatches()[0];
  EXPECT_EQ(0u, differs.parent);
  EXPECT_EQ(2u, differs.child);
  EXPECT_EQ(1u, differs.position);
  EXPECT_EQ(2, differs.parentToken);
  EXPECT_EQ(9, differs.childToken);
  EXPECT_EQ(1u, plan.mismatches()[1].position);
  EXPECT_EQ(-1, plan.mismatches()[1].childToken);
  EXPECT_CODE(kInvalidArg, plan.requirePackable());
}

TEST(Plan, SplitMakesRowsOfThem) {
  Session session(test::kKey);
  recordFork(session);
  const Plan plan = planOf(session, {.style = RowStyle::kConcat, .onMismatch = OnMismatch::kSplit});
  EXPECT_TRUE(plan.mismatches().empty());
  EXPECT_EQ((std::vector<std::uint32_t>{1, 2}), interactionsOf(plan.rows()));
  EXPECT_NO_THROW(plan.requirePackable());
}

TEST(Plan, AParentWithoutExactChildrenIsALeafWhenSplit) {
  Session session(test::kKey);
  record(session, promptOf({1, 2}), generationOf({3}), {"u"}, {"a"});
  record(session, promptOf({1, 9}), generationOf({6}), {"u", "a", "y"}, {"c"});
  const Plan plan = planOf(session, {.style = RowStyle::kConcat, .onMismatch = OnMismatch::kSplit});
  EXPECT_EQ((std::vector<std::uint32_t>{0, 1}), interactionsOf(plan.rows()));
}

TEST(Plan, IndividualHasARowForEachInteraction) {
  Session session(test::kKey);
  recordFork(session);
  EXPECT_EQ((std::vector<std::uint32_t>{0, 1, 2}), interactionsOf(planOf(session, {}).rows()));
}

TEST(Plan, RefusesATurnWhoseFinalRewardAFloat32CannotHold) {
  Session session(test::kKey);
  record(session, promptOf({1}), generationOf({2}), {"u"}, {"a"});
  record(session, test::promptAfter(session, 0, {3}), generationOf({4}), {"u", "a", "v"}, {"b"});
  for (const std::uint32_t turn : {0u, 1u}) session.setReward(turn, 3e38);
  EXPECT_NO_THROW(planOf(session, {.style = RowStyle::kConcat}));
  EXPECT_CODE(kInvalidArg, planOf(session, {.style = RowStyle::kConcat, .turns = true}));
}

TEST(Plan, RowsOverTheLimit) {
  Session session(test::kKey);
  recordFork(session);  // rows of 3, 5 and 6 tokens
  const Plan error = planOf(session, {.maxLength = 4});
  EXPECT_EQ((std::vector<std::uint32_t>{1, 2}), interactionsOf(error.overflows()));
  EXPECT_EQ(5u, error.overflows()[0].length);
  EXPECT_CODE(kInvalidArg, error.requirePackable());

  const Plan cut = planOf(session, {.maxLength = 4, .overflow = Overflow::kTruncate});
  EXPECT_TRUE(cut.overflows().empty());
  EXPECT_EQ(4u, cut.shape().length);

  const Plan fewer = planOf(session, {.maxLength = 4, .overflow = Overflow::kDrop});
  EXPECT_EQ(std::vector<std::uint32_t>{0}, interactionsOf(fewer.rows()));
  EXPECT_EQ(2u, fewer.overflows().size());
  EXPECT_NO_THROW(fewer.requirePackable());

  EXPECT_TRUE(planOf(session, {.maxLength = 6}).overflows().empty());
}

TEST(Plan, LengthIsRoundedUpAndBytesFollow) {
  Session session(test::kKey);
  recordFork(session);
  const Plan plan = planOf(session, {.padToMultipleOf = 4});
  EXPECT_EQ(8u, plan.shape().length);
  EXPECT_EQ(3u * 8 * 17 + 3 * 4, plan.byteLength());
}

TEST(Plan, NoRowsHaveNoLength) {
  const Plan plan = planOf(Session(test::kKey), {.padToMultipleOf = 64});
  EXPECT_EQ(0u, plan.shape().length);
  EXPECT_EQ(0u, plan.byteLength());
}

TEST(Plan, IsASnapshot) {
  auto session = std::make_unique<Session>(test::kKey);
  recordFork(*session);
  session->setReward(2, 1);
  const Plan plan = planOf(*session, {});
  session->setReward(2, 5);
  record(*session, promptOf({1}), generationOf({2}), {"v"}, {"w"});
  session.reset();
  ASSERT_EQ(3u, plan.rows().size());
  EXPECT_EQ(1, plan.rows()[2].reward);
  EXPECT_EQ(6, plan.rows()[2].interaction->outputIds[0]);
}

TEST(Plan, RowsComeInOrderOfSessionsThenOfInteractions) {
  Session one(test::kKey);
  Session two(test::kKey);
  recordFork(one);
  record(two, promptOf({1}), generationOf({2}), {"v"}, {"w"});
  const Session* sessions[] = {&two, &one};
  const Plan plan(sessions, {});
  EXPECT_EQ((std::vector<std::uint32_t>{0, 0, 1, 2}), interactionsOf(plan.rows()));
  EXPECT_EQ(0u, plan.rows()[0].session);
  EXPECT_EQ(1u, plan.rows()[3].session);
}

}  // namespace
}  // namespace rolltape
