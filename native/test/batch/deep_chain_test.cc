#include "../packed.h"
#include "../support.h"

namespace rolltape {
namespace {

using test::packedTensor;

constexpr std::int32_t kTurns = 5000;

/// A chain of calls most of which add nothing: every tenth has an input token of its own, every tenth an output token.
/// Tokens count up.
struct Chain {
  Session session{test::kKey};
  /// Tokens of the sequence up to each call.
  std::vector<std::int32_t> lengths;
  std::vector<bool> answers;

  Chain() {
    std::int32_t next = 0;
    for (std::int32_t i = 0; i < kTurns; ++i) {
      std::vector<std::int32_t> input;
      std::vector<std::int32_t> output;
      if (i % 10 == 3) input.push_back(next++);
      if (i % 10 == 7) output.push_back(next++);
      const Prompt prompt =
          i == 0 ? test::promptOf(input) : test::promptAfter(session, static_cast<std::uint32_t>(i) - 1, input);
      test::record(session, prompt, test::generationOf(output), {std::to_string(i)}, {}, i - 1);
      lengths.push_back(next);
      answers.push_back(!output.empty());
    }
  }

  Plan plan(const PlanOptions& options) const {
    const Session* one = &session;
    return Plan(std::span<const Session* const>(&one, 1), options);
  }
};

TEST(DeepChain, EveryRowIsAPrefixOfTheLast) {
  const Chain chain;
  const test::Packed packed = test::packed(chain.plan({.layout = Layout::kPacked}), {}, 2);
  const auto ids = packedTensor<std::int32_t>(packed, "input_ids");
  const auto mask = packedTensor<std::int32_t>(packed, "loss_mask");
  std::size_t at = 0;
  for (std::size_t row = 0; row < chain.lengths.size(); ++row) {
    for (std::int32_t position = 0; position < chain.lengths[row]; ++position, ++at) {
      ASSERT_EQ(position, ids[at]);
      ASSERT_EQ(chain.answers[row] && position == chain.lengths[row] - 1 ? 1 : 0, mask[at]);
    }
  }
  EXPECT_EQ(at, ids.size());
}

TEST(DeepChain, IsOneRowOfAllOutputsInConcat) {
  const Chain chain;
  const Plan plan = chain.plan({.style = RowStyle::kConcat});
  ASSERT_EQ(1u, plan.rows().size());
  const auto mask = packedTensor<std::int32_t>(test::packed(plan, {}), "loss_mask");
  ASSERT_EQ(static_cast<std::size_t>(chain.lengths.back()), mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i) ASSERT_EQ(static_cast<std::int32_t>(i % 2), mask[i]);
}

TEST(DeepChain, IsOneTreeWithoutRecursion) {
  const Chain chain;
  const test::Packed packed = test::packed(chain.plan({.layout = Layout::kTree}), {}, 2);
  const auto ids = packedTensor<std::int32_t>(packed, "input_ids");
  const auto offsets = packedTensor<std::int32_t>(packed, "node_offsets");
  ASSERT_EQ(static_cast<std::size_t>(chain.lengths.back()), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(static_cast<std::int32_t>(i), ids[i]);
  ASSERT_EQ(std::size_t{kTurns} + 1, offsets.size());
  EXPECT_EQ((std::vector<std::int32_t>(ids.size(), chain.lengths.back())),
            packedTensor<std::int32_t>(packed, "subtree_end"));
}

TEST(DeepChain, OfAHundredThousandCallsIsOneRow) {
  Session session(test::kKey);
  constexpr std::uint32_t turns = 100'000;
  for (std::uint32_t i = 0; i < turns; ++i) {
    const Prompt prompt = i == 0 ? test::promptOf({1}) : test::promptAfter(session, i - 1, {2});
    test::record(session, prompt, test::generationOf({3}), {std::to_string(i)}, {}, static_cast<std::int32_t>(i) - 1);
  }
  const Session* one = &session;
  for (const Layout layout : {Layout::kPadded, Layout::kPacked, Layout::kTree}) {
    const Plan plan(std::span<const Session* const>(&one, 1), {.layout = layout, .style = RowStyle::kConcat});
    const auto mask = packedTensor<std::int32_t>(test::packed(plan, {}), "loss_mask");
    ASSERT_EQ(2 * turns, mask.size());
    for (std::size_t i = 0; i < mask.size(); ++i) ASSERT_EQ(static_cast<std::int32_t>(i % 2), mask[i]);
  }
}

}  // namespace
}  // namespace rolltape
