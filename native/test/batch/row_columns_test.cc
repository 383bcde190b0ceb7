#include "../../core/batch/row_columns.h"

#include <gtest/gtest.h>

#include <bit>

#include "../../core/batch/pack/row_tensors.h"
#include "../../core/json/text.h"
#include "../forest.h"
#include "../packed.h"

/// The tensors `row_*` and `turn_*` of a batch.

namespace rolltape {
namespace {

using test::everyColumn;
using test::packedTensor;
using Words = std::vector<std::uint32_t>;
using Numbers = std::vector<std::int32_t>;

/// A tensor's values as words, or its bytes if they are smaller.
Words wordsOf(const test::Packed& packed, const TensorSpec& spec) {
  if (dtypeBytes(spec.dtype) >= sizeof(std::uint32_t)) return packedTensor<std::uint32_t>(packed, spec.name);
  const auto bytes = packedTensor<std::uint8_t>(packed, spec.name);
  return {bytes.begin(), bytes.end()};
}

std::string codesJson(const RowColumns& columns, const std::map<std::string, std::vector<std::string>>& codes) {
  std::string json = "{";
  for (const RowColumn& column : columns) {
    if (column.source != RowSource::kLabel) continue;
    json += json.size() > 1 ? ",\"" : "\"";
    json += column.name + "\":[";
    for (std::size_t i = 0; i < codes.at(column.name).size(); ++i) {
      if (i > 0) json += ',';
      appendJsonString(json, codes.at(column.name)[i]);
    }
    json += ']';
  }
  return json + "}";
}

/// The batch has the row and turn tensors of the model, and no others.
void expectColumns(const test::Packed& packed, const Plan& plan, const std::vector<test::Outline>& outlines) {
  const std::vector<test::OutlineRow> rows = test::outlineRows(plan);
  const test::OutlineColumns expected(outlines, rows, plan.options());
  std::size_t found = 0;
  for (const TensorPlace& place : packed.tensors) {
    const std::string& name = place.spec.name;
    if (!name.starts_with("row_") && !name.starts_with("turn_") && name != "cu_turns") continue;
    ++found;
    ASSERT_TRUE(expected.tensors.contains(name)) << name;
    EXPECT_EQ(expected.tensors.at(name), wordsOf(packed, place.spec)) << name;
  }
  EXPECT_EQ(expected.tensors.size(), found);
  if (plan.options().columns) {
    EXPECT_EQ(codesJson(*plan.options().columns, expected.codes), packed.rowCodes);
  }
}

TEST(RowColumns, OfRandomSessionsAreThoseOfTheModel) {
  for (unsigned seed = 700; seed < 820; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    for (const auto& one : forest) one->leaveOut(random);
    const std::vector<test::Outline> outlines = outlinesOf(forest);
    for (const Layout layout : {Layout::kPadded, Layout::kPacked, Layout::kTree}) {
      PlanOptions options = test::randomOptions(random);
      options.layout = layout;
      options.columns = everyColumn();
      if (layout == Layout::kTree) options = {.layout = layout, .discount = 0.5, .columns = everyColumn()};
      const Plan plan(plannedOf(forest), options);
      expectColumns(test::packed(plan, {}, 2), plan, outlines);
    }
  }
}

TEST(RowColumns, OfShardsAreThoseOfTheirOwnRows) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    for (const auto& one : forest) one->leaveOut(random);
    PlanOptions options = test::randomOptions(random);
    options.columns = everyColumn();
    if (seed % 3 == 0) options = {.layout = Layout::kTree, .columns = everyColumn()};
    const Plan whole(plannedOf(forest), options);
    if (whole.rows().empty()) continue;
    const auto count = 1 + random.below(static_cast<std::uint32_t>(std::min<std::uint64_t>(whole.maxShards(), 6)));
    for (const Plan& shard : whole.shards(count)) {
      expectColumns(test::packed(shard, {}), shard, outlinesOf(forest));
    }
  }
}

/// 0 → 1 → 2 continue token by token; 3 continues 1, and 4 follows 2 with other tokens.
void recordConversations(Session& session) {
  const auto add = [&](const Prompt& prompt, std::int32_t parent) {
    test::record(session, prompt, test::generationOf({7}), {}, {}, parent);
  };
  add(test::promptOf({1, 2}), -1);
  add(test::promptAfter(session, 0, {3}), 0);
  add(test::promptAfter(session, 1, {4}), 1);
  add(test::promptAfter(session, 1, {5, 6}), 1);
  add(test::promptOf({9}), 2);
}

Plan planOf(const Session& session, PlanOptions options) {
  options.columns = everyColumn();
  options.onMismatch = OnMismatch::kSplit;
  const Session* one = &session;
  return Plan(std::span<const Session* const>(&one, 1), options);
}

Numbers column(const Plan& plan, const char* name) {
  return packedTensor<std::int32_t>(test::packed(plan, {}), name);
}

TEST(ParentRow, OfIndividualRowsIsThatOfTheParent) {
  Session session(test::kKey);
  recordConversations(session);
  EXPECT_EQ((Numbers{-1, 0, 1, 1, 2}), column(planOf(session, {}), "row_parent"));
}

TEST(ParentRow, OfConcatRowsHoldsTheParentOfTheFirstTurn) {
  Session session(test::kKey);
  recordConversations(session);
  const Plan plan = planOf(session, {.style = RowStyle::kConcat});
  ASSERT_EQ(3u, plan.rows().size());
  EXPECT_EQ((Numbers{-1, -1, 0}), column(plan, "row_parent"));
}

TEST(ParentRow, IsTheFirstOfSeveralThatShareTheParent) {
  Session session(test::kKey);
  recordConversations(session);
  test::record(session, test::promptOf({8}), test::generationOf({7}), {}, {}, 0);
  const Plan plan = planOf(session, {.style = RowStyle::kConcat});
  EXPECT_EQ((Numbers{-1, -1, 0, 0}), column(plan, "row_parent"));
}

TEST(ParentRow, IsMissingIfTheParentsRowIsTooLong) {
  Session session(test::kKey);
  recordConversations(session);  // rows of 3, 5, 7, 8 and 2 tokens
  const Plan plan = planOf(session, {.maxLength = 5, .overflow = Overflow::kDrop});
  ASSERT_EQ(3u, plan.rows().size());
  EXPECT_EQ((Numbers{-1, 0, -1}), column(plan, "row_parent"));
}

TEST(ParentRow, CountsFromTheFirstRowOfTheBatch) {
  Session one(test::kKey);
  Session two(test::kKey);
  recordConversations(one);
  recordConversations(two);
  const Session* sessions[] = {&one, &two, &one};
  const Plan plan(sessions, {.columns = everyColumn()});
  EXPECT_EQ((Numbers{-1, 0, 1, 1, 2, -1, 5, 6, 6, 7, -1, 10, 11, 11, 12}), column(plan, "row_parent"));
}

TEST(ParentRow, OfATreesNodesIsThatOfTheConversation) {
  Session session(test::kKey);
  recordConversations(session);
  const Plan plan = planOf(session, {.layout = Layout::kTree});
  std::map<std::int32_t, std::int32_t> nodeOf{{-1, -1}};
  for (std::size_t i = 0; i < plan.rows().size(); ++i) {
    nodeOf[static_cast<std::int32_t>(plan.rows()[i].interaction->index)] = static_cast<std::int32_t>(i);
  }
  const Numbers parents = column(plan, "row_parent");
  for (std::size_t i = 0; i < parents.size(); ++i) {
    EXPECT_EQ(nodeOf.at(plan.rows()[i].interaction->parentIndex()), parents[i]);
  }
}

TEST(Turns, OfAConcatRowLieOneAfterTheOther) {
  Session session(test::kKey);
  recordConversations(session);
  const Plan plan = planOf(session, {.style = RowStyle::kConcat, .turns = true});
  EXPECT_EQ((Numbers{0, 3, 6, 7}), column(plan, "cu_turns"));
  EXPECT_EQ((Numbers{2, 4, 6, 2, 4, 7, 1}), column(plan, "turn_start"));
  EXPECT_EQ((Numbers{3, 5, 7, 3, 5, 8, 2}), column(plan, "turn_end"));
  EXPECT_EQ((Numbers{0, 1, 2, 0, 1, 2, 3}), column(plan, "turn_turn"));
  EXPECT_EQ((Numbers{3, 3, 1}), column(plan, "row_turns"));
}

TEST(Turns, EndWhereTheirRowIsCut) {
  Session session(test::kKey);
  recordConversations(session);
  const Plan plan =
      planOf(session, {.style = RowStyle::kConcat, .maxLength = 4, .overflow = Overflow::kTruncate, .turns = true});
  EXPECT_EQ((Numbers{2, 4, 4, 2, 4, 4, 1}), column(plan, "turn_start"));
  EXPECT_EQ((Numbers{3, 4, 4, 3, 4, 4, 2}), column(plan, "turn_end"));
  EXPECT_EQ((Numbers{2, 2, 1}), column(plan, "row_prompt_tokens"));
}

TEST(Turns, OfADroppedRowAreNotThere) {
  Session session(test::kKey);
  recordConversations(session);
  const Plan plan =
      planOf(session, {.style = RowStyle::kConcat, .maxLength = 7, .overflow = Overflow::kDrop, .turns = true});
  EXPECT_EQ((Numbers{0, 3, 4}), column(plan, "cu_turns"));
}

TEST(Turns, OfAnIndividualRowAreTheInteractionAlone) {
  Session session(test::kKey);
  recordConversations(session);
  const Plan plan = planOf(session, {.turns = true});
  EXPECT_EQ((Numbers{0, 1, 2, 3, 4, 5}), column(plan, "cu_turns"));
  EXPECT_EQ((Numbers{2, 4, 6, 7, 1}), column(plan, "turn_start"));
}

TEST(Turns, OfNothingHaveOneOffset) {
  EXPECT_EQ(Numbers{0}, column(Plan(test::kNoSessions, {.turns = true, .columns = everyColumn()}), "cu_turns"));
}

TEST(Turns, DoNotNeedColumns) {
  Session session(test::kKey);
  recordConversations(session);
  const Session* one = &session;
  const Plan plan(std::span<const Session* const>(&one, 1), {.turns = true});
  EXPECT_EQ((Numbers{0, 1, 2, 3, 4, 5}), column(plan, "cu_turns"));
}

TEST(Turns, AreRefusedInATree) {
  EXPECT_CODE(kInvalidArg, Plan(test::kNoSessions, {.layout = Layout::kTree, .turns = true}));
}

TEST(RowColumns, OfAnInteractionWithoutFactsOrLabelsAreTheMissingValues) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), test::generationOf({2}), {}, {}, -1);
  const test::Packed packed = test::packed(planOf(session, {}), {});
  EXPECT_EQ(Numbers{77}, packedTensor<std::int32_t>(packed, "row_number"));
  EXPECT_EQ(std::vector<float>{1}, packedTensor<float>(packed, "row_real"));
  EXPECT_EQ(std::vector<std::uint8_t>{1}, packedTensor<std::uint8_t>(packed, "row_flag"));
  EXPECT_EQ(Numbers{-1}, packedTensor<std::int32_t>(packed, "row_label"));
  EXPECT_EQ(nullptr, session.interaction(0).labels);
}

TEST(RowColumns, TakeAllButTheirOwnTensorsAsTheyAre) {
  test::Random random(3);
  const test::Forest forest = test::randomForest(random);
  PlanOptions options;
  const test::Packed without = test::packed(Plan(plannedOf(forest), options), {});
  options.columns = everyColumn();
  const test::Packed with = test::packed(Plan(plannedOf(forest), options), {});
  for (const TensorPlace& place : without.tensors) {
    EXPECT_EQ(wordsOf(without, place.spec), wordsOf(with, place.spec)) << place.spec.name;
  }
}

TEST(RowColumns, AreRefusedIfTheyMeanNothing) {
  const auto refused = [](const RowColumns& columns) {
    return std::string(test::thrownBy([&] { requireRowColumns(columns); }).what());
  };
  const RowColumn good{.name = "good", .dtype = Dtype::kI32, .source = RowSource::kTurn};
  EXPECT_NO_THROW(requireRowColumns({good}));
  EXPECT_EQ("columns: good is the name of two columns", refused({good, good}));
  EXPECT_EQ("columns: x has no value for a row",
            refused({good, {.name = "x", .dtype = Dtype::kI32, .source = RowSource::kTurnEnd}}));
  EXPECT_EQ("columns: x has no value for a turn",
            refused({{.name = "x", .dtype = Dtype::kI32, .source = RowSource::kParentRow, .perTurn = true}}));
  for (const RowSource source : {RowSource::kTurnStart, RowSource::kHasReward, RowSource::kOwnReward}) {
    const Dtype wrong = source == RowSource::kOwnReward ? Dtype::kBool : Dtype::kF32;
    EXPECT_EQ("columns: x does not have the dtype of its source",
              refused({{.name = "x", .dtype = wrong, .source = source, .perRow = false, .perTurn = true}}));
  }
  const RowColumns columns{good, good};
  EXPECT_CODE(kInvalidArg, Plan(test::kNoSessions, {.columns = std::make_shared<const RowColumns>(columns)}));
}

}  // namespace
}  // namespace rolltape
