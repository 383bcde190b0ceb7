#include "../../core/batch/label_codes.h"

#include <gtest/gtest.h>

#include "../support.h"

namespace rolltape {
namespace {

using Codes = std::vector<std::int32_t>;

constexpr std::int32_t kNone = LabelCodes::kNone;
constexpr std::int32_t kOverLimit = LabelCodes::kOverLimit;

RowColumn labelColumn() {
  return {.name = "label", .dtype = Dtype::kI32, .source = RowSource::kLabel};
}

/// A chain whose calls have these labels; a call behind `broken` does not continue its parent's tokens.
class LabelledChain {
 public:
  explicit LabelledChain(const std::vector<LabelSet>& labels, std::size_t broken = SIZE_MAX) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto index = static_cast<std::int32_t>(i);
      const bool continues = i > 0 && i <= broken;
      const Prompt prompt =
          continues ? test::promptAfter(session_, static_cast<std::uint32_t>(i) - 1, {1}) : test::promptOf({index});
      const Generation generation = test::generationOf({2});
      RecordInput input{prompt, generation, {}, {}, index - 1};
      input.labels = labels[i];
      session_.record(input);
    }
  }

  Plan plan(const RowColumn& column, PlanOptions options = {}) const {
    options.columns = std::make_shared<const RowColumns>(RowColumns{column});
    options.onMismatch = OnMismatch::kSplit;
    const Session* one = &session_;
    return Plan(std::span<const Session* const>(&one, 1), options);
  }

 private:
  Session session_{test::kKey};
};

Codes codesOf(const Plan& plan) {
  const LabelCodes labels(plan);
  Codes codes;
  for (const PlanRow& row : plan.rows()) codes.push_back(labels.code(0, plan.columnTurn(row, plan.columns()[0])));
  return codes;
}

std::string jsonOf(const Plan& plan) {
  return LabelCodes(plan).json();
}

TEST(LabelCodes, FollowTheOrderOfFirstAppearance) {
  const Plan plan = LabelledChain({{"stop"}, {"length"}, {"stop"}, {"abort"}}).plan(labelColumn());
  EXPECT_EQ((Codes{0, 1, 0, 2}), codesOf(plan));
  EXPECT_EQ(R"({"label":["stop","length","abort"]})", jsonOf(plan));
}

TEST(LabelCodes, BeginWithTheKnownLabelsWhetherOrNotTheyAppear) {
  RowColumn column = labelColumn();
  column.knownLabels = {"stop", "length"};
  const Plan plan = LabelledChain({{"other"}, {"length"}}).plan(column);
  EXPECT_EQ((Codes{2, 1}), codesOf(plan));
  EXPECT_EQ(R"({"label":["stop","length","other"]})", jsonOf(plan));
}

TEST(LabelCodes, OfAKnownLabelThatIsListedTwiceAreTheFirst) {
  RowColumn column = labelColumn();
  column.knownLabels = {"a", "a", "b"};
  EXPECT_EQ((Codes{2, 0, 3}), codesOf(LabelledChain({{"b"}, {"a"}, {"c"}}).plan(column)));
}

TEST(LabelCodes, AreMinusOneWithoutALabel) {
  EXPECT_EQ((Codes{kNone, kNone, 0}), codesOf(LabelledChain({{}, {""}, {"stop"}}).plan(labelColumn())));
  RowColumn column = labelColumn();
  column.slot = 1;
  EXPECT_EQ((Codes{kNone, 0}), codesOf(LabelledChain({{"stop"}, {"stop", "chat"}}).plan(column)));
}

TEST(LabelCodes, AreMinusTwoOverTheLimit) {
  RowColumn column = labelColumn();
  column.knownLabels = {"a"};
  const Plan plan = LabelledChain({{"b"}, {"c"}, {"a"}, {"b"}, {"c"}}).plan(column, {.labelLimit = 2});
  EXPECT_EQ((Codes{1, kOverLimit, 0, 1, kOverLimit}), codesOf(plan));
  EXPECT_EQ(R"({"label":["a","b"]})", jsonOf(plan));
}

TEST(LabelCodes, KeepAllKnownLabelsWhateverTheLimit) {
  RowColumn column = labelColumn();
  column.knownLabels = {"a", "b"};
  const Plan plan = LabelledChain({{"b"}, {"c"}}).plan(column, {.labelLimit = 1});
  EXPECT_EQ((Codes{1, kOverLimit}), codesOf(plan));
}

TEST(LabelCodes, OfBrokenCallsLeaveOutThoseThatContinueTheirParent) {
  RowColumn column = labelColumn();
  column.ofBroken = true;
  const Plan plan = LabelledChain({{"root"}, {"exact"}, {"broken"}}, 1).plan(column);
  EXPECT_EQ((Codes{0, kNone, 1}), codesOf(plan));
  EXPECT_EQ(R"({"label":["root","broken"]})", jsonOf(plan));
}

TEST(LabelCodes, OfAFirstTurnAreNotThoseOfTheLast) {
  RowColumn column = labelColumn();
  column.ofFirstTurn = true;
  const Plan plan = LabelledChain({{"first"}, {"last"}}).plan(column, {.style = RowStyle::kConcat});
  EXPECT_EQ(Codes{0}, codesOf(plan));
  EXPECT_EQ(R"({"label":["first"]})", jsonOf(plan));
}

TEST(LabelCodes, CountRowsBeforeTurns) {
  RowColumn column = labelColumn();
  column.perTurn = true;
  const Plan plan = LabelledChain({{"a"}, {"b"}}).plan(column, {.style = RowStyle::kConcat, .turns = true});
  const LabelCodes labels(plan);
  EXPECT_EQ(R"({"label":["b","a"]})", labels.json());
  EXPECT_EQ(1, labels.code(0, *plan.turns()[0].interaction));
  EXPECT_EQ(0, labels.code(0, *plan.turns()[1].interaction));
}

TEST(LabelCodes, AreJsonWithoutAnyLabel) {
  EXPECT_EQ(R"({"label":[]})", jsonOf(LabelledChain({}).plan(labelColumn())));
  const Plan plan = LabelledChain({{"\"\n\x01"}}).plan(labelColumn());
  EXPECT_EQ(R"({"label":["\"\n\u0001"]})", jsonOf(plan));
}

}  // namespace
}  // namespace rolltape
