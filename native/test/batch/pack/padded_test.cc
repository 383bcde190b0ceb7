#include <gtest/gtest.h>

#include "../../forest.h"
#include "../../packed.h"

namespace rolltape {
namespace {

using test::ForestRow;
using test::ModelRow;
using test::packedTensor;

/// The row with padding on one side, or cut to `width`.
template <typename T>
std::vector<T> padded(std::vector<T> row, std::size_t width, PadSide side, T value) {
  if (row.size() > width) row.resize(width);
  row.insert(side == PadSide::kLeft ? row.begin() : row.end(), width - row.size(), value);
  return row;
}

template <typename T>
std::vector<T> slice(const std::vector<T>& values, std::size_t row, std::size_t width) {
  return {values.begin() + row * width, values.begin() + (row + 1) * width};
}

void expectPadded(const test::Packed& packed, const Plan& plan, const std::vector<ForestRow>& rows) {
  const std::size_t width = plan.shape().length;
  const PlanOptions& options = plan.options();
  const auto ids = packedTensor<std::int32_t>(packed, "input_ids");
  const auto mask = packedTensor<std::int32_t>(packed, "loss_mask");
  const auto logprobs = packedTensor<float>(packed, "logprobs");
  const auto versions = packedTensor<std::int32_t>(packed, "versions");
  const auto attention = packedTensor<std::uint8_t>(packed, "attention_mask");
  const auto rewards = packedTensor<float>(packed, "rewards");
  ASSERT_EQ(rows.size() * width, ids.size());
  ASSERT_EQ(rows.size(), rewards.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ModelRow& row = rows[i].row;
    const std::vector<std::uint8_t> seen(row.ids.size(), 1);
    EXPECT_EQ(padded(row.ids, width, options.padSide, options.padTokenId), slice(ids, i, width));
    EXPECT_EQ(padded(row.lossMask, width, options.padSide, 0), slice(mask, i, width));
    EXPECT_EQ(padded(row.logprobs, width, options.padSide, 0.0f), slice(logprobs, i, width));
    EXPECT_EQ(padded(row.versions, width, options.padSide, -1), slice(versions, i, width));
    EXPECT_EQ(padded(seen, width, options.padSide, std::uint8_t{0}), slice(attention, i, width));
    EXPECT_EQ(rows[i].reward, rewards[i]);
  }
}

void checkForest(const test::Forest& forest, const PlanOptions& options, unsigned threads) {
  const std::vector<ForestRow> rows = modelRows(forest, options);
  const Plan plan(sessionsOf(forest), options);
  ASSERT_EQ(rows.size(), plan.rows().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].session, plan.rows()[i].session);
    EXPECT_EQ(rows[i].row.interaction, plan.rows()[i].interaction->index);
    EXPECT_EQ(rows[i].row.ids.size(), plan.rows()[i].length);
  }
  const test::Packed packed = test::packed(plan, {{"k", "v"}}, threads);
  EXPECT_EQ(packed.block.size(), packed.tensors[0].offset + plan.byteLength());
  expectPadded(packed, plan, rows);
}

TEST(PackPadded, RandomTreesGiveTheRowsOfTheModel) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    for (unsigned variant = 0; variant < 4; ++variant) {
      checkForest(forest, test::randomOptions(random), 1 + variant);
    }
  }
}

TEST(PackPadded, LargeBlocksWhichGoPastTheCachesAreWrittenAlike) {
  for (unsigned seed = 200; seed < 206; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    PlanOptions options = test::randomOptions(random);
    options.layout = Layout::kPadded;
    options.padToMultipleOf = 100'003;
    checkForest(forest, options, 1 + seed % 3);
  }
}

TEST(PackPadded, OfNothingIsAnEmptyBatch) {
  const test::Packed packed = test::packed(Plan(test::kNoSessions, {.padToMultipleOf = 8}), {});
  EXPECT_EQ((std::vector<std::uint64_t>{0, 0}), packed.tensors[0].spec.shape);
  EXPECT_EQ(packed.tensors[0].offset, packed.block.size());
}

TEST(PackPadded, MoreThanOneBlockCanHoldIsAnError) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), test::generationOf({2}), {"u"}, {"a"});
  const Session* one = &session;
  const std::span<const Session* const> sessions(&one, 1);
  EXPECT_CODE(kTooLarge, test::packed(Plan(sessions, {.padToMultipleOf = 1u << 28}), {}));
}

TEST(PackPadded, APlanWithMismatchesIsRefused) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), test::generationOf({2}), {"u"}, {"a"});
  test::record(session, test::promptOf({3}), test::generationOf({2}), {"u", "a", "v"}, {"a"});
  const Session* one = &session;
  const Plan plan(std::span<const Session* const>(&one, 1), {.style = RowStyle::kConcat});
  EXPECT_CODE(kInvalidArg, test::packed(plan, {}));
  EXPECT_CODE(kInvalidArg, test::packedJson(plan, std::vector<std::string>{"", ""}));
}

}  // namespace
}  // namespace rolltape
