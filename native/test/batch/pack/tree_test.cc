#include "../../../core/batch/pack/tree.h"

#include <algorithm>

#include "../../forest.h"
#include "../../packed.h"

namespace rolltape {
namespace {

using test::ModelRow;
using test::packedTensor;

struct TreeBatch {
  std::vector<std::int32_t> ids, mask, versions, positions, subtreeEnd, cuTrees, offsets, parents, lengths;
  std::vector<float> logprobs, rewards;

  explicit TreeBatch(const test::Packed& packed)
      : ids(packedTensor<std::int32_t>(packed, "input_ids")),
        mask(packedTensor<std::int32_t>(packed, "loss_mask")),
        versions(packedTensor<std::int32_t>(packed, "versions")),
        positions(packedTensor<std::int32_t>(packed, "position_ids")),
        subtreeEnd(packedTensor<std::int32_t>(packed, "subtree_end")),
        cuTrees(packedTensor<std::int32_t>(packed, "cu_trees")),
        offsets(packedTensor<std::int32_t>(packed, "node_offsets")),
        parents(packedTensor<std::int32_t>(packed, "node_parents")),
        lengths(packedTensor<std::int32_t>(packed, "node_lengths")),
        logprobs(packedTensor<float>(packed, "logprobs")),
        rewards(packedTensor<float>(packed, "node_rewards")) {}

  /// The tokens of a node's row: those that its last token sees, or, where it has none of its own, the first of the
  /// node that it branches from.
  std::vector<std::size_t> row(std::size_t node) const {
    const auto length = static_cast<std::size_t>(lengths[node]);
    while (offsets[node] == offsets[node + 1] && parents[node] >= 0) node = static_cast<std::size_t>(parents[node]);
    std::vector<std::size_t> tokens;
    const std::int32_t last = offsets[node + 1] - 1;
    for (std::int32_t j = 0; j <= last; ++j) {
      if (last < subtreeEnd[j]) tokens.push_back(static_cast<std::size_t>(j));
    }
    if (tokens.size() > length) tokens.resize(length);
    return tokens;
  }
};

template <typename T>
std::vector<T> pick(const std::vector<T>& values, const std::vector<std::size_t>& places) {
  std::vector<T> picked;
  for (const std::size_t place : places) picked.push_back(values[place]);
  return picked;
}

template <typename T>
std::vector<T> last(const std::vector<T>& values, std::size_t count) {
  return {values.end() - count, values.end()};
}

void expectNode(const TreeBatch& batch, std::size_t node, const ModelRow& row) {
  const std::vector<std::size_t> tokens = batch.row(node);
  ASSERT_EQ(row.ids.size(), static_cast<std::size_t>(batch.lengths[node]));
  EXPECT_EQ(row.ids, pick(batch.ids, tokens));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(static_cast<std::int32_t>(i), batch.positions[tokens[i]]);
  }
  const std::size_t own = static_cast<std::size_t>(batch.offsets[node + 1] - batch.offsets[node]);
  EXPECT_EQ(last(row.lossMask, own), last(pick(batch.mask, tokens), own));
  EXPECT_EQ(last(row.logprobs, own), last(pick(batch.logprobs, tokens), own));
  EXPECT_EQ(last(row.versions, own), last(pick(batch.versions, tokens), own));
  EXPECT_GE(own, static_cast<std::size_t>(std::ranges::count(row.lossMask, 1)));
}

void expectTrees(const TreeBatch& batch) {
  std::vector<std::int32_t> roots;
  for (std::size_t node = 0; node < batch.parents.size(); ++node) {
    if (batch.parents[node] < 0) roots.push_back(batch.offsets[node]);
    EXPECT_LT(batch.parents[node], static_cast<std::int32_t>(node));
  }
  roots.push_back(static_cast<std::int32_t>(batch.ids.size()));
  EXPECT_EQ(roots, batch.cuTrees);
  for (std::size_t j = 0; j < batch.ids.size(); ++j) {
    EXPECT_LE(batch.subtreeEnd[j], *std::ranges::upper_bound(roots, static_cast<std::int32_t>(j)));
  }
}

TEST(PackTree, EveryRowOfTheModelComesBackFromSubtreeEndAndPositions) {
  for (unsigned seed = 500; seed < 650; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    const PlanOptions options{.layout = Layout::kTree, .discount = random.below(5) / 4.0};
    const Plan plan(test::sessionsOf(forest), options);
    const std::vector<test::ForestRow> rows = modelRows(forest, options);
    ASSERT_EQ(rows.size(), plan.rows().size());
    const test::Packed packed = test::packed(plan, {}, 1 + seed % 3);
    EXPECT_EQ(packed.block.size(), packed.tensors[0].offset + plan.byteLength());
    const TreeBatch batch(packed);
    expectTrees(batch);
    for (const test::ForestRow& row : rows) {
      const auto node = std::ranges::find_if(plan.rows(), [&](const PlanRow& at) {
        return at.session == row.session && at.interaction->index == row.row.interaction;
      });
      ASSERT_NE(plan.rows().end(), node);
      const auto index = static_cast<std::size_t>(node - plan.rows().begin());
      expectNode(batch, index, row.row);
      EXPECT_EQ(row.reward, batch.rewards[index]);
    }
  }
}

TEST(PackTree, HasEveryStoredTokenOnce) {
  test::Random random(7);
  const test::Forest forest = test::randomForest(random);
  std::size_t tokens = 0;
  for (const auto& one : forest) {
    for (std::size_t i = 0; i < one->model.all.size(); ++i) {
      tokens += one->model.all[i].sequence().size() - one->model.shared(i);
    }
  }
  const Plan plan(test::sessionsOf(forest), {.layout = Layout::kTree});
  EXPECT_EQ(tokens, plan.shape().tokens);
}

TEST(PackTree, BranchesFollowTheSpanTheyLeaveDeepestFirst) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1, 2}), test::generationOf({3}), {"u"}, {"a"});
  test::record(session, test::promptOf({1, 9}), test::generationOf({6}), {"u", "a", "x"}, {"b"});
  test::record(session, test::promptAfter(session, 0, {4}), test::generationOf({5}), {"u", "a", "y"}, {"c"});
  session.setReward(2, 1);
  const Session* one = &session;
  const Plan plan(std::span<const Session* const>(&one, 1), {.layout = Layout::kTree, .discount = 0.5});
  const TreeBatch batch(test::packed(plan, {}));
  EXPECT_EQ((std::vector<std::int32_t>{1, 2, 3, 4, 5, 9, 6}), batch.ids);
  EXPECT_EQ((std::vector<std::int32_t>{0, 0, 1, 0, 1, 0, 1}), batch.mask);
  EXPECT_EQ((std::vector<std::int32_t>{0, 1, 2, 3, 4, 1, 2}), batch.positions);
  EXPECT_EQ((std::vector<std::int32_t>{7, 5, 5, 5, 5, 7, 7}), batch.subtreeEnd);
  EXPECT_EQ((std::vector<std::int32_t>{0, 3, 5, 7}), batch.offsets);
  EXPECT_EQ((std::vector<std::int32_t>{-1, 0, 0}), batch.parents);
  EXPECT_EQ((std::vector<std::int32_t>{3, 5, 3}), batch.lengths);
  EXPECT_EQ((std::vector<float>{0.5f, 1, 0}), batch.rewards);
  EXPECT_EQ((std::vector<std::int32_t>{0, 7}), batch.cuTrees);
}

TEST(PackTree, TakesNoLengthLimit) {
  EXPECT_CODE(kInvalidArg, Plan(test::kNoSessions, {.layout = Layout::kTree, .maxLength = 1}));
}

TEST(PackTree, OfNothingHasOnlyItsFirstOffsets) {
  const TreeBatch batch(test::packed(Plan(test::kNoSessions, {.layout = Layout::kTree}), {}));
  EXPECT_EQ(std::vector<std::int32_t>{0}, batch.cuTrees);
  EXPECT_EQ(std::vector<std::int32_t>{0}, batch.offsets);
  EXPECT_TRUE(batch.parents.empty());
}

}  // namespace
}  // namespace rolltape
