#include "../../../core/batch/pack/packed.h"

#include <numeric>

#include "../../forest.h"
#include "../../packed.h"

namespace rolltape {
namespace {

using test::ForestRow;
using test::packedTensor;

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// A packed batch as one would write it down: the rows one after the other.
struct ModelBatch {
  std::vector<std::int32_t> ids, mask, versions, positions, cuSeqlens{0};
  std::vector<float> logprobs, rewards;

  explicit ModelBatch(const std::vector<ForestRow>& rows) {
    for (const auto& [session, row, reward] : rows) {
      append(ids, row.ids);
      append(mask, row.lossMask);
      append(logprobs, row.logprobs);
      append(versions, row.versions);
      std::vector<std::int32_t> own(row.ids.size());
      std::iota(own.begin(), own.end(), 0);
      append(positions, own);
      cuSeqlens.push_back(static_cast<std::int32_t>(ids.size()));
      rewards.push_back(reward);
    }
  }
};

void expectPacked(const test::Packed& packed, const ModelBatch& model) {
  EXPECT_EQ(model.ids, packedTensor<std::int32_t>(packed, "input_ids"));
  EXPECT_EQ(model.mask, packedTensor<std::int32_t>(packed, "loss_mask"));
  EXPECT_EQ(model.logprobs, packedTensor<float>(packed, "logprobs"));
  EXPECT_EQ(model.versions, packedTensor<std::int32_t>(packed, "versions"));
  EXPECT_EQ(model.positions, packedTensor<std::int32_t>(packed, "position_ids"));
  EXPECT_EQ(model.cuSeqlens, packedTensor<std::int32_t>(packed, "cu_seqlens"));
  EXPECT_EQ(model.rewards, packedTensor<float>(packed, "rewards"));
  EXPECT_EQ(std::vector<std::uint8_t>(model.ids.size(), 1), packedTensor<std::uint8_t>(packed, "attention_mask"));
}

TEST(PackPacked, RandomTreesGiveTheRowsOfTheModel) {
  for (unsigned seed = 300; seed < 420; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    for (unsigned variant = 0; variant < 4; ++variant) {
      PlanOptions options = test::randomOptions(random);
      options.layout = Layout::kPacked;
      const Plan plan(test::sessionsOf(forest), options);
      const ModelBatch model(modelRows(forest, options));
      EXPECT_EQ(model.ids.size(), plan.shape().tokens);
      const test::Packed packed = test::packed(plan, {}, 1 + variant);
      EXPECT_EQ(packed.block.size(), packed.tensors[0].offset + plan.byteLength());
      expectPacked(packed, model);
    }
  }
}

TEST(PackPacked, OfNothingHasOneOffset) {
  const test::Packed packed = test::packed(Plan(test::kNoSessions, {.layout = Layout::kPacked}), {});
  EXPECT_EQ(std::vector<std::int32_t>{0}, packedTensor<std::int32_t>(packed, "cu_seqlens"));
  EXPECT_TRUE(packedTensor<std::int32_t>(packed, "input_ids").empty());
}

TEST(PackPacked, MoreTokensThanItsOffsetsCountIsAnError) {
  Session session(test::kKey);
  constexpr std::int32_t rows = 1 << 10;
  const std::vector<std::int32_t> many(std::size_t{2} << 20, 7);
  test::record(session, test::promptOf(many), test::generationOf({1}), {"u"}, {"a"}, -1);
  for (std::int32_t i = 1; i < rows; ++i) {
    test::record(session, test::promptAfter(session, 0, {}), test::generationOf({1}), {"u", std::to_string(i)}, {}, 0);
  }
  const Session* one = &session;
  const Plan plan(std::span<const Session* const>(&one, 1), {.layout = Layout::kPacked});
  EXPECT_GT(plan.shape().tokens, 0x7fffffffu);
  EXPECT_CODE(kTooLarge, layoutBatch(plan, {}));
  const Plan tree(std::span<const Session* const>(&one, 1), {.layout = Layout::kTree});
  EXPECT_NO_THROW(layoutBatch(tree, {}));
}

}  // namespace
}  // namespace rolltape
