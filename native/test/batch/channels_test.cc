#include "../../core/batch/channels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../forest.h"
#include "../packed.h"
#include "../stored.h"

namespace rolltape {
namespace {

using test::ForestRow;
using test::Items;

bool hasChannel(const Plan& plan, const ChannelSpec& spec) {
  return std::ranges::any_of(plan.shape().channels, [&](const BatchChannel& each) { return each.spec == spec; });
}

/// Items of the tokens of all rows in the order of the batch. Padding has none.
struct Expected {
  Items wide, kept, experts;

  void add(const test::ModelRow& row, std::size_t from) {
    const auto addAll = [&](Items& to, const Items& items) {
      to.insert(to.end(), items.begin() + static_cast<std::ptrdiff_t>(from), items.end());
    };
    addAll(wide, row.wide);
    addAll(kept, row.kept);
    addAll(experts, row.experts);
  }
  void pad(std::size_t count) {
    for (Items* items : {&wide, &kept, &experts}) items->resize(items->size() + count);
  }
};

Expected expectedItems(const test::Forest& forest, const Plan& plan) {
  const PlanOptions& options = plan.options();
  const std::vector<ForestRow> rows = modelRows(forest, options);
  Expected expected;
  for (const PlanRow& row : plan.rows()) {
    // Nodes of a tree batch are in another order than interactions.
    const auto isRow = [&](const ForestRow& each) {
      return each.session == row.session && each.row.interaction == row.interaction->index;
    };
    const test::ModelRow& model = std::ranges::find_if(rows, isRow)->row;
    if (options.layout == Layout::kTree) {
      expected.add(model, row.interaction->shared);
      continue;
    }
    const std::size_t padding = options.layout == Layout::kPadded ? plan.shape().length - row.length : 0;
    if (options.padSide == PadSide::kLeft) expected.pad(padding);
    expected.add(model, 0);
    if (options.padSide == PadSide::kRight) expected.pad(padding);
  }
  return expected;
}

void expectFixed(const test::Packed& packed, const ChannelSpec& spec, const Items& items) {
  const auto values = test::packedTensor<std::uint8_t>(packed, spec.name);
  const auto mask = test::packedTensor<std::uint8_t>(packed, spec.name + "_mask");
  const std::size_t bytes = spec.itemBytes();
  ASSERT_EQ(items.size(), mask.size());
  ASSERT_EQ(items.size() * bytes, values.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    ASSERT_EQ(items[i].empty() ? 0 : 1, mask[i]) << spec.name << " " << i;
    const std::vector<std::uint8_t> item = items[i].empty() ? std::vector<std::uint8_t>(bytes, 0) : items[i];
    ASSERT_TRUE(std::equal(item.begin(), item.end(), values.begin() + static_cast<std::ptrdiff_t>(i * bytes)));
  }
}

void expectRagged(const test::Packed& packed, const ChannelSpec& spec, const Items& items) {
  const auto offsets = test::packedTensor<std::int64_t>(packed, spec.offsets);
  ASSERT_EQ(items.size() + 1, offsets.size());
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < items.size(); ++i) {
    ASSERT_EQ(all.size() / spec.itemBytes(), offsets[i]) << i;
    all.insert(all.end(), items[i].begin(), items[i].end());
  }
  ASSERT_EQ(all.size() / spec.itemBytes(), offsets.back());
  EXPECT_EQ(all, test::packedTensor<std::uint8_t>(packed, spec.name));
}

void expectChannels(const test::Forest& forest, const Plan& plan, unsigned threads) {
  const test::Packed packed = test::packed(plan, {}, threads);
  EXPECT_EQ(packed.block.size(), packed.tensors[0].offset + plan.byteLength());
  const Expected expected = expectedItems(forest, plan);
  if (hasChannel(plan, test::wideChannel())) expectFixed(packed, test::wideChannel(), expected.wide);
  if (hasChannel(plan, test::expertsChannel())) expectFixed(packed, test::expertsChannel(), expected.experts);
  if (hasChannel(plan, test::keptChannel())) expectRagged(packed, test::keptChannel(), expected.kept);
}

TEST(Channels, RandomTreesGiveTheItemsOfTheModelInEveryLayout) {
  std::size_t found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    for (const Layout layout : {Layout::kPadded, Layout::kPacked, Layout::kTree}) {
      PlanOptions options = test::randomOptions(random);
      options.layout = layout;
      if (layout == Layout::kTree) {
        options.maxLength = 0;
        options.turns = false;
      }
      const Plan plan(sessionsOf(forest), options);
      found += plan.shape().channels.size();
      expectChannels(forest, plan, 1 + random.below(3));
    }
  }
  EXPECT_GT(found, 300u);
}

TEST(Channels, LargeBlocksWhichGoPastTheCachesAreWrittenAlike) {
  for (unsigned seed = 200; seed < 204; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    PlanOptions options = test::randomOptions(random);
    options.layout = Layout::kPadded;
    options.padToMultipleOf = 2003;
    expectChannels(forest, Plan(sessionsOf(forest), options), 2);
  }
}

TEST(Channels, AreTheSameOnceStoredAndRestored) {
  for (unsigned seed = 300; seed < 340; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    for (const auto& one : forest) {
      const Session copy = test::restored(one->session, test::kKey);
      for (std::uint32_t i = 0; i < copy.length(); ++i) EXPECT_EQ(test::stored(one->session, i), test::stored(copy, i));
      const Session* const before = &one->session;
      const Session* const after = &copy;
      const PlanOptions options{.layout = Layout::kPacked};
      const test::Packed a = test::packed(Plan(std::span(&before, 1), options), {});
      const test::Packed b = test::packed(Plan(std::span(&after, 1), options), {});
      ASSERT_EQ(a.block.size(), b.block.size());
      EXPECT_TRUE(std::equal(a.block.data(), a.block.data() + a.block.size(), b.block.data()));
    }
  }
}

TEST(Channels, EveryShardHasThoseOfTheWholeExport) {
  for (unsigned seed = 400; seed < 430; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    PlanOptions options = test::randomOptions(random);
    options.layout = Layout::kPacked;
    const Plan plan(sessionsOf(forest), options);
    if (plan.rows().size() < 2) continue;
    for (const Plan& shard : plan.shards(2)) {
      ASSERT_EQ(plan.shape().channels.size(), shard.shape().channels.size());
      expectChannels(forest, shard, 1);
    }
  }
}

/// Returns a session with one call of one output token that has this item.
Session sessionWith(const ChannelSpec& spec) {
  Session session(test::kKey);
  Generation generation = test::generationOf({7});
  const std::vector<std::byte> item(spec.itemBytes());
  generation.addChannel(spec, 0, item, spec.isRagged() ? std::vector<std::uint32_t>{1} : std::vector<std::uint32_t>{});
  test::record(session, test::promptOf({1, 2}), generation, {"u"}, {"a"});
  return session;
}

Error refusedTogether(const ChannelSpec& a, const ChannelSpec& b) {
  const Session first = sessionWith(a);
  const Session second = sessionWith(b);
  const std::vector<const Session*> sessions{&first, &second};
  return test::thrownBy([&] { Plan(sessions, PlanOptions{}); });
}

TEST(Channels, OneNameHasOneShapeInABatch) {
  EXPECT_STREQ("channel x: calls of this export recorded different dtypes, shapes, `of`, `offsets` or token ids",
               refusedTogether({.name = "x", .shape = {2}}, {.name = "x", .shape = {3}}).what());
  EXPECT_STREQ(
      "channel x: calls of this export recorded different dtypes, shapes, `of`, `offsets` or token ids",
      refusedTogether({.name = "x", .shape = {2}, .tokenIds = {5, 6}}, {.name = "x", .shape = {2}, .tokenIds = {5, 7}})
          .what());
  EXPECT_STREQ("channel x_mask: two tensors would have one name",
               refusedTogether({.name = "x", .shape = {2}}, {.name = "x_mask", .shape = {2}}).what());
}

TEST(Channels, AreNamedInTheMetadata) {
  const std::vector<BatchChannel> channels{{test::expertsChannel()}, {test::keptChannel()}};
  EXPECT_EQ(R"([{"name":"experts","of":"sequence","mask":"experts_mask"},)"
            R"({"name":"kept_ids","of":"output","offsets":"kept_offsets"}])",
            channelsJson(channels));
  const std::vector<BatchChannel> ofTokens{{{.name = "x", .shape = {2}, .tokenIds = {7, 500}}}};
  EXPECT_EQ(R"([{"name":"x","of":"output","mask":"x_mask","token_ids":[7,500]}])", channelsJson(ofTokens));
}

}  // namespace
}  // namespace rolltape
