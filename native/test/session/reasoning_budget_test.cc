#include "../../core/session/reasoning_budget.h"

#include <gtest/gtest.h>

#include "../support.h"

namespace rolltape {
namespace {

using Ids = std::vector<std::int32_t>;
using Floats = std::vector<float>;
using Runs = std::vector<ForcedRun>;

/// One token each, as in most vocabularies.
const Ids kBegin{507};
const Ids kEnd{508};
const Ids kEndInThree{325, 406, 29};

/// vLLM: counts from each beginning of reasoning.
BudgetRule fromReasoning(std::uint32_t budget, const Ids& end = kEnd) {
  return {kBegin, end, budget, true};
}

/// SGLang: counts from the start of the output.
BudgetRule fromOutput(std::uint32_t budget, const Ids& end = kEnd) {
  return {{}, end, budget, true};
}

BudgetRule ofModel(BudgetRule rule) {
  rule.isCertain = false;
  return rule;
}

Floats someLogprobs(std::size_t count) {
  return Floats(count, -2);
}

/// -2 everywhere but in the runs.
ForcedTokens find(const Ids& prompt, const Ids& ids, const BudgetRule& rule, const Runs& certain) {
  Floats logprobs = someLogprobs(ids.size());
  for (const ForcedRun& run : certain) std::fill_n(logprobs.begin() + run.start, run.length, 0.0f);
  const TokenSpan pieces[] = {std::span(prompt).first(prompt.size() / 2), std::span(prompt).subspan(prompt.size() / 2)};
  return findForcedTokens(pieces, ids, logprobs, rule);
}

TEST(ReasoningBudget, FindsTheEndThatFollowsTheLastTokenOfTheBudget) {
  const Ids prompt{510, 369, 198, 507, 198};
  const ForcedTokens vllm = find(prompt, {279, 484, 508, 220}, fromReasoning(3), {{2, 1}});
  EXPECT_EQ((Runs{{2, 1}}), vllm.runs);
  EXPECT_FALSE(vllm.isOpen);
  const ForcedTokens sglang = find(prompt, {505, 483, 339, 508, 503}, fromOutput(3), {{3, 1}});
  EXPECT_EQ((Runs{{3, 1}}), sglang.runs);
}

TEST(ReasoningBudget, CountsTheReasoningThatThePromptHas) {
  EXPECT_EQ((Runs{{0, 1}}), find({507, 198}, {508, 42}, fromReasoning(1), {{0, 1}}).runs);
  EXPECT_EQ((Runs{{0, 1}}), find({507, 198, 200, 201}, {508, 42}, fromReasoning(1), {{0, 1}}).runs);
  EXPECT_EQ((Runs{{1, 1}}), find({507, 1, 508, 507}, {7, 508}, fromReasoning(1), {{1, 1}}).runs);
}

TEST(ReasoningBudget, FindsNothingIfThePromptEndsItsReasoning) {
  EXPECT_EQ(Runs{}, find({507, 1, 508}, {1, 2, 3, 508}, fromReasoning(2), {{3, 1}}).runs);
}

TEST(ReasoningBudget, TrainsOnTheEndThatTheModelSampledWithinTheBudget) {
  // Also if the model was certain of it.
  EXPECT_EQ(Runs{}, find({507}, {7, 508, 9}, fromReasoning(3), {{1, 1}}).runs);
  EXPECT_EQ(Runs{}, find({507}, {7, 508, 9, 508}, fromOutput(3), {{1, 1}, {3, 1}}).runs);
  // Behind the budget, if it was not forced.
  EXPECT_EQ(Runs{}, find({507}, {7, 8, 9, 508}, fromReasoning(2), {}).runs);
}

TEST(ReasoningBudget, FindsEveryPieceOfReasoning) {
  const Ids output{483, 507, 1, 2, 508, 42, 507, 508, 507, 3, 4, 508};
  const ForcedTokens found = find({510}, output, fromReasoning(2), {{4, 1}, {11, 1}});
  EXPECT_EQ((Runs{{4, 1}, {11, 1}}), found.runs);
  // Without reasoning, an end marker is text.
  EXPECT_EQ(Runs{}, find({510}, {1, 2, 3, 508}, fromReasoning(2), {{3, 1}}).runs);
}

TEST(ReasoningBudget, TrainsOnAnEndMarkerInTheTextBehindReasoningThatTheOutputBegan) {
  const ForcedTokens found = find({510}, {508, 1, 2, 3, 508}, fromOutput(2), {{4, 1}});
  EXPECT_EQ(Runs{}, found.runs);
  EXPECT_FALSE(found.isOpen);
}

TEST(ReasoningBudget, FindsAnEndOfSeveralTokens) {
  EXPECT_EQ((Runs{{2, 3}}), find({507}, {7, 8, 325, 406, 29, 1}, fromReasoning(2, kEndInThree), {{2, 3}}).runs);
  // The model had begun the end, and SGLang goes on with it, vLLM begins again.
  EXPECT_EQ((Runs{{2, 2}}), find({507}, {7, 325, 406, 29, 1}, fromOutput(2, kEndInThree), {{2, 2}}).runs);
  EXPECT_EQ((Runs{{2, 3}}), find({507}, {7, 325, 325, 406, 29, 1}, fromReasoning(2, kEndInThree), {{2, 3}}).runs);
  // The model wrote all of it itself, with the last tokens of its budget.
  EXPECT_EQ(Runs{}, find({507}, {325, 406, 29, 1}, fromReasoning(3, kEndInThree), {{1, 2}}).runs);
  // The token limit came first.
  const ForcedTokens cut = find({507}, {7, 8, 325, 406}, fromReasoning(2, kEndInThree), {{2, 2}});
  EXPECT_EQ((Runs{{2, 2}}), cut.runs);
  EXPECT_TRUE(cut.isOpen);
  EXPECT_EQ(Runs{}, find({507}, {7, 8, 9, 325}, fromReasoning(2, kEndInThree), {{3, 1}}).runs);
}

TEST(ReasoningBudget, FindsAPhraseBeforeTheEnd) {
  EXPECT_EQ((Runs{{2, 4}}), find({507}, {7, 8, 70, 71, 72, 508, 1}, fromReasoning(2), {{2, 4}}).runs);
}

TEST(ReasoningBudget, NeedsTheEndItselfWhereLogprobsAreTheModels) {
  const auto raw = [](const Ids& ids, const Ids& end) {
    return find({507}, ids, ofModel(fromReasoning(2, end)), {}).runs;
  };
  EXPECT_EQ((Runs{{2, 1}}), raw({7, 8, 508, 1}, kEnd));
  EXPECT_EQ((Runs{{2, 3}}), raw({7, 8, 325, 406, 29}, kEndInThree));
  EXPECT_EQ((Runs{{2, 2}}), raw({7, 8, 325, 406}, kEndInThree));
  // The model had begun the end.
  EXPECT_EQ((Runs{{2, 2}}), raw({7, 325, 406, 29}, kEndInThree));
  EXPECT_EQ(Runs{}, raw({7, 8, 9, 508}, kEnd));
  EXPECT_EQ(Runs{}, raw({7, 8, 9}, kEnd));
}

TEST(ReasoningBudget, TruncationCutsRuns) {
  Generation generation;
  generation.append(Ids{1, 2, 3, 4, 5, 6}, someLogprobs(6), 0);
  generation.setForced({{1, 2}, {4, 2}});
  generation.truncate(5, 2);
  EXPECT_EQ((Runs{{1, 2}, {4, 1}}), Runs(generation.forcedRuns().begin(), generation.forcedRuns().end()));
  generation.truncate(2, 2);
  EXPECT_EQ((Runs{{1, 1}}), Runs(generation.forcedRuns().begin(), generation.forcedRuns().end()));
  generation.truncate(0, 2);
  EXPECT_TRUE(generation.forcedRuns().empty());
}

}  // namespace
}  // namespace rolltape
