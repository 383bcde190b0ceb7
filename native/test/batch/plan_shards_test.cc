#include <algorithm>
#include <numeric>
#include <set>

#include "../../core/batch/balanced_parts.h"
#include "../forest.h"
#include "../packed.h"

namespace rolltape {
namespace {

using test::packedTensor;

std::vector<std::size_t> places(const Plan& whole, const Plan& shard) {
  std::vector<std::size_t> found;
  for (const PlanRow& row : shard.rows()) {
    const auto at = std::ranges::find(whole.rows(), row.interaction, &PlanRow::interaction);
    EXPECT_NE(at, whole.rows().end());
    found.push_back(static_cast<std::size_t>(at - whole.rows().begin()));
  }
  return found;
}

/// Every row of the whole is in one shard, and rows of a shard are in order.
void expectSplit(const Plan& whole, const std::vector<Plan>& shards) {
  std::vector<std::size_t> all;
  for (const Plan& shard : shards) {
    const std::vector<std::size_t> rows = places(whole, shard);
    EXPECT_TRUE(std::ranges::is_sorted(rows));
    EXPECT_FALSE(rows.empty());
    all.insert(all.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(all);
  std::vector<std::size_t> expected(whole.rows().size());
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(expected, all);
}

/// Each row is what it is in the whole batch, whatever the width.
void expectSameRows(const Plan& whole, const Plan& shard) {
  const test::Packed all = test::packed(whole, {});
  const test::Packed part = test::packed(shard, {}, 2);
  const std::vector<std::size_t> rows = places(whole, shard);
  for (const char* name : {"input_ids", "loss_mask", "versions"}) {
    const auto before = packedTensor<std::int32_t>(all, name);
    const auto after = packedTensor<std::int32_t>(part, name);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto length = static_cast<std::ptrdiff_t>(shard.rows()[i].length);
      const auto from = before.begin() + static_cast<std::ptrdiff_t>(rows[i] * whole.shape().length);
      const auto to = after.begin() + static_cast<std::ptrdiff_t>(i * shard.shape().length);
      EXPECT_TRUE(std::equal(from, from + length, to)) << name;
    }
  }
  const auto rewards = packedTensor<float>(all, "rewards");
  const auto own = packedTensor<float>(part, "rewards");
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rewards[rows[i]], own[i]);
}

std::vector<std::uint64_t> lengthsOf(const Plan& plan) {
  std::vector<std::uint64_t> lengths;
  for (const PlanRow& row : plan.rows()) lengths.push_back(row.length);
  return lengths;
}

std::vector<std::uint64_t> treeSizesOf(const Plan& plan) {
  const auto cuTrees = packedTensor<std::int32_t>(test::packed(plan, {}), "cu_trees");
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 1; i < cuTrees.size(); ++i) {
    sizes.push_back(static_cast<std::uint64_t>(cuTrees[i] - cuTrees[i - 1]));
  }
  return sizes;
}

std::uint64_t tokensOf(const Plan& shard) {
  const std::vector<std::uint64_t> sizes = shard.nodes().empty() ? lengthsOf(shard) : treeSizesOf(shard);
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

/// Sessions are whole and no shard is too large, or the shards have what balancedParts gives each of items with so many
/// tokens.
void expectBalanced(const std::vector<std::uint64_t>& tokens, const std::vector<Plan>& shards) {
  const std::uint64_t all = std::accumulate(tokens.begin(), tokens.end(), std::uint64_t{0});
  std::uint64_t largest = 0;
  std::vector<std::set<std::uint32_t>> sessions;
  for (const Plan& shard : shards) {
    largest = std::max(largest, tokensOf(shard));
    std::set<std::uint32_t>& own = sessions.emplace_back();
    for (const PlanRow& row : shard.rows()) own.insert(row.session);
  }
  std::set<std::uint32_t> met;
  std::size_t pieces = 0;
  for (const std::set<std::uint32_t>& own : sessions) {
    pieces += own.size();
    met.insert(own.begin(), own.end());
  }
  const double limit = Plan::kMaxShardExcess * static_cast<double>(all) / static_cast<double>(shards.size());
  if (pieces == met.size() && static_cast<double>(largest) <= limit) return;
  const auto parts = balancedParts(tokens, shards.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    std::vector<std::uint64_t> expected;
    for (const std::uint32_t item : parts[i]) expected.push_back(tokens[item]);
    const Plan& shard = shards[i];
    EXPECT_EQ(expected, shard.nodes().empty() ? lengthsOf(shard) : treeSizesOf(shard));
  }
}

std::uint32_t someCount(test::Random& random, const Plan& plan) {
  return 1 + random.below(static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.maxShards(), 6)));
}

TEST(PlanShards, HaveEveryRowOnceAndAsItIsInTheWhole) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    PlanOptions options = test::randomOptions(random);
    options.layout = Layout::kPadded;
    options.padSide = PadSide::kRight;
    const Plan whole(sessionsOf(forest), options);
    if (whole.rows().empty()) continue;
    const std::vector<Plan> shards = whole.shards(someCount(random, whole));
    expectSplit(whole, shards);
    expectBalanced(lengthsOf(whole), shards);
    for (const Plan& shard : shards) expectSameRows(whole, shard);
  }
}

/// A tree's part of a tensor that has an entry per token, or per node.
template <typename T>
std::vector<T> part(const std::vector<T>& values, std::int32_t begin, std::int32_t end, T less = 0) {
  std::vector<T> taken(values.begin() + begin, values.begin() + end);
  for (T& value : taken) value -= less;
  return taken;
}

/// Everything that a batch says of each of its trees, counted from the tree's own start.
std::vector<std::vector<std::vector<std::int32_t>>> treesOf(const Plan& plan) {
  const test::Packed packed = test::packed(plan, {});
  const auto get = [&](const char* name) { return packedTensor<std::int32_t>(packed, name); };
  const auto cuTrees = get("cu_trees");
  const auto offsets = get("node_offsets");
  const auto parents = get("node_parents");
  std::vector<std::vector<std::vector<std::int32_t>>> trees;
  std::int32_t node = 0;
  for (std::size_t i = 0; i + 1 < cuTrees.size(); ++i) {
    const std::int32_t first = node++;
    while (node < static_cast<std::int32_t>(parents.size()) && parents[static_cast<std::size_t>(node)] >= 0) ++node;
    std::vector<std::int32_t> above = part(parents, first, node, first);
    above[0] = -1;
    trees.push_back({above, part(offsets, first, node, cuTrees[i]), part(get("node_lengths"), first, node),
                     part(get("subtree_end"), cuTrees[i], cuTrees[i + 1], cuTrees[i])});
    for (const char* name : {"input_ids", "loss_mask", "versions", "position_ids"}) {
      trees.back().push_back(part(get(name), cuTrees[i], cuTrees[i + 1]));
    }
  }
  return trees;
}

TEST(PlanShards, KeepTreesTogether) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    const Plan whole(sessionsOf(forest), {.layout = Layout::kTree});
    if (whole.rows().empty()) continue;
    auto expected = treesOf(whole);
    ASSERT_EQ(whole.maxShards(), expected.size());
    std::vector<std::vector<std::vector<std::int32_t>>> found;
    const std::vector<Plan> shards = whole.shards(someCount(random, whole));
    expectSplit(whole, shards);
    expectBalanced(treeSizesOf(whole), shards);
    for (const Plan& shard : shards) {
      for (auto& tree : treesOf(shard)) found.push_back(std::move(tree));
    }
    std::ranges::sort(expected);
    std::ranges::sort(found);
    EXPECT_EQ(expected, found);
  }
}

/// One with several rows.
test::Forest someForest() {
  for (unsigned seed = 0;; ++seed) {
    test::Random random(seed);
    test::Forest forest = test::randomForest(random);
    const std::vector<const Session*> sessions = sessionsOf(forest);
    if (Plan(sessions, PlanOptions{}).maxShards() > 3) return forest;
  }
}

TEST(PlanShards, KeepTheirTokensWithoutTheWhole) {
  test::Forest forest = someForest();
  std::vector<Plan> shards;
  std::vector<std::int32_t> expected;
  {
    const Plan whole(sessionsOf(forest), PlanOptions{});
    shards = whole.shards(2);
    expected = packedTensor<std::int32_t>(test::packed(shards[1], {}), "input_ids");
  }
  forest.clear();
  EXPECT_EQ(expected, packedTensor<std::int32_t>(test::packed(shards[1], {}), "input_ids"));
}

TEST(PlanShards, AreRefusedWhereOneWouldBeEmpty) {
  const test::Forest forest = someForest();
  const Plan whole(sessionsOf(forest), PlanOptions{});
  const auto most = static_cast<std::uint32_t>(whole.maxShards());
  EXPECT_EQ(most, whole.shards(most).size());
  EXPECT_THROW(whole.shards(most + 1), Error);
  EXPECT_THROW(whole.shards(0), Error);
}

TEST(PlanShards, AreRefusedWhereTheWholeCannotBePacked) {
  const test::Forest forest = someForest();
  const Plan whole(sessionsOf(forest), PlanOptions{.maxLength = 1});
  ASSERT_FALSE(whole.overflows().empty());
  EXPECT_CODE(kInvalidArg, whole.shards(1));
}

/// A session whose rows are its interactions, of so many tokens each.
struct GroupedRows {
  std::uint32_t group;
  std::vector<std::size_t> lengths;
};

/// Returns the session of each row of each shard.
std::vector<std::vector<std::uint32_t>> sessionsOfShards(const std::vector<GroupedRows>& grouped, std::uint32_t count) {
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<PlannedSession> planned;
  for (const GroupedRows& own : grouped) {
    const auto& session = sessions.emplace_back(std::make_unique<Session>(test::kKey));
    for (const std::size_t length : own.lengths) {
      const std::vector<std::int32_t> prompt(length - 1, 5);
      test::record(*session, test::promptOf(prompt), test::generationOf({7}), {}, {}, -1);
    }
    planned.push_back({.session = session.get(), .group = own.group});
  }
  const Plan whole(planned, PlanOptions{});
  const std::vector<Plan> shards = whole.shards(count);
  expectSplit(whole, shards);
  std::vector<std::vector<std::uint32_t>> split;
  for (const Plan& shard : shards) {
    std::vector<std::uint32_t>& own = split.emplace_back();
    for (const PlanRow& row : shard.rows()) own.push_back(row.session);
  }
  return split;
}

using Split = std::vector<std::vector<std::uint32_t>>;
constexpr std::uint32_t kNone = PlannedSession::kNoGroup;

TEST(PlanShards, KeepTheSessionsOfAGroupTogether) {
  EXPECT_EQ((Split{{0, 2}, {1, 3}}), sessionsOfShards({{0, {4}}, {1, {4}}, {0, {4}}, {1, {4}}}, 2));
}

TEST(PlanShards, OfSeveralGroupsHaveTheirRowsInTheOrderOfTheExport) {
  EXPECT_EQ((Split{{4, 4}, {0, 1, 2, 3}}), sessionsOfShards({{0, {4}}, {1, {4}}, {1, {4}}, {0, {4}}, {2, {8, 8}}}, 2));
}

TEST(PlanShards, TakeASessionWithoutAGroupAsAGroupOfItsOwn) {
  EXPECT_EQ((Split{{0, 2, 3}, {1, 4, 5}}),
            sessionsOfShards({{kNone, {4}}, {kNone, {4}}, {0, {4}}, {0, {4}}, {1, {4}}, {1, {4}}}, 2));
}

TEST(PlanShards, KeepGroupsTogetherUpToTheGreatestExcess) {
  // 10 tokens in 2 shards: one may have 6.
  EXPECT_EQ((Split{{0, 1}, {2, 3}}), sessionsOfShards({{0, {3}}, {0, {3}}, {1, {2}}, {1, {2}}}, 2));
}

TEST(PlanShards, SplitGroupsAndKeepSessionsTogetherIfAShardHadTooMuch) {
  EXPECT_EQ((Split{{0, 0, 3}, {1, 1, 2}}), sessionsOfShards({{0, {2, 2}}, {0, {1, 2}}, {1, {2}}, {1, {1}}}, 2));
}

TEST(PlanShards, SplitGroupsAndKeepSessionsTogetherIfThereAreFewerGroupsThanShards) {
  EXPECT_EQ((Split{{0, 0}, {1, 1}, {2, 2}}), sessionsOfShards({{0, {2, 2}}, {0, {2, 2}}, {1, {2, 2}}}, 3));
}

TEST(PlanShards, SplitSessionsIfAShardHadTooMuch) {
  EXPECT_EQ((Split{{0, 0, 0, 1}, {0, 0, 0, 1}}), sessionsOfShards({{0, {2, 2, 2, 2, 2, 2}}, {1, {2, 2}}}, 2));
}

}  // namespace
}  // namespace rolltape
