#include <gtest/gtest.h>

#include "../core/pack_json.h"
#include "model.h"
#include "packed.h"

namespace rolltape {
namespace {

using test::packedTensor;
using test::Model;
using test::ModelledSession;
using test::ModelRow;

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

void expectPadded(const test::Packed& packed, const Plan& plan, const std::vector<ModelRow>& rows,
                  const std::vector<double>& rewards) {
  const std::size_t width = plan.paddedLength();
  const PlanOptions& options = plan.options();
  const auto ids = packedTensor<std::int32_t>(packed, "input_ids");
  const auto mask = packedTensor<std::int32_t>(packed, "loss_mask");
  const auto logprobs = packedTensor<float>(packed, "logprobs");
  const auto versions = packedTensor<std::int32_t>(packed, "versions");
  const auto attention = packedTensor<std::uint8_t>(packed, "attention_mask");
  const auto finals = packedTensor<float>(packed, "rewards");
  ASSERT_EQ(rows.size() * width, ids.size());
  ASSERT_EQ(rows.size(), finals.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t length = plan.rows()[i].length;
    const ModelRow& row = rows[i];
    EXPECT_EQ(padded(row.ids, width, options.padSide, options.padTokenId), slice(ids, i, width));
    EXPECT_EQ(padded(row.lossMask, width, options.padSide, 0), slice(mask, i, width));
    EXPECT_EQ(padded(row.logprobs, width, options.padSide, 0.0f), slice(logprobs, i, width));
    EXPECT_EQ(padded(row.versions, width, options.padSide, -1), slice(versions, i, width));
    EXPECT_EQ(padded(std::vector<std::uint8_t>(length, 1), width, options.padSide, std::uint8_t{0}),
              slice(attention, i, width));
    EXPECT_EQ(static_cast<float>(rewards[i]), finals[i]);
  }
}

PlanOptions randomOptions(test::Random& random) {
  PlanOptions options;
  options.style = random.chance(0.5) ? RowStyle::kConcat : RowStyle::kIndividual;
  options.onMismatch = OnMismatch::kSplit;
  options.discount = random.below(5) / 4.0;
  options.padTokenId = static_cast<std::int32_t>(random.below(100));
  options.padSide = random.chance(0.5) ? PadSide::kLeft : PadSide::kRight;
  options.padToMultipleOf = 1 + random.below(9);
  options.maxLength = random.chance(0.5) ? 1 + random.below(20) : 0;
  options.overflow = random.chance(0.5) ? Overflow::kTruncate : Overflow::kDrop;
  return options;
}

void checkTrees(const std::vector<std::unique_ptr<ModelledSession>>& grown, const PlanOptions& options) {
  std::vector<const Session*> sessions;
  std::vector<ModelRow> rows;
  std::vector<double> rewards;
  const std::size_t limit = options.maxLength;
  for (const auto& one : grown) {
    sessions.push_back(&one->session);
    for (std::size_t i = 0; i < one->model.all.size(); ++i) {
      if (!one->model.isRow(i, options.style)) continue;
      ModelRow row = modelRow(one->model, i, options.style);
      if (limit > 0 && row.ids.size() > limit) {
        if (options.overflow == Overflow::kDrop) continue;
        row.ids.resize(limit);
        row.lossMask.resize(limit);
        row.logprobs.resize(limit);
        row.versions.resize(limit);
      }
      rows.push_back(row);
      rewards.push_back(one->model.reward(i, options.discount));
    }
  }
  const Plan plan(sessions, options);
  ASSERT_EQ(rows.size(), plan.rows().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].interaction, plan.rows()[i].interaction->index);
    EXPECT_EQ(rows[i].ids.size(), plan.rows()[i].length);
  }
  const test::Packed packed = test::packed(plan, {{"k", "v"}});
  EXPECT_EQ(packed.block.size(), packed.tensors[0].offset + plan.byteLength());
  expectPadded(packed, plan, rows, rewards);
}

TEST(PackPadded, RandomTreesGiveTheRowsOfTheModel) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    test::Random random(seed);
    std::vector<std::unique_ptr<ModelledSession>> grown;
    for (std::uint32_t i = random.below(4); i > 0; --i) {
      grown.push_back(std::make_unique<ModelledSession>());
      for (std::uint32_t step = random.below(40); step > 0; --step) grown.back()->grow(random);
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (int variant = 0; variant < 4; ++variant) checkTrees(grown, randomOptions(random));
  }
}

TEST(Record, RandomTreesAreStoredAsTheModelSays) {
  for (unsigned seed = 200; seed < 260; ++seed) {
    test::Random random(seed);
    ModelledSession grown;
    for (int step = 0; step < 80; ++step) grown.grow(random);
    for (std::uint32_t i = 0; i < grown.session.length(); ++i) {
      const Interaction& at = grown.session.interaction(i);
      EXPECT_EQ(grown.model.shared(i), at.shared);
      EXPECT_EQ(grown.model.exact(i), at.tokenExact);
      std::vector<TokenSpan> spans;
      appendSequence(at, spans);
      const std::vector<std::int32_t> sequence = grown.model.all[i].sequence();
      EXPECT_EQ(sequence, test::join(spans));
      for (std::uint32_t p = 0; p < sequence.size(); ++p) EXPECT_EQ(sequence[p], tokenAt(at, p));
    }
  }
}

TEST(PackPadded, OfNothingIsAnEmptyBatch) {
  const test::Packed packed = test::packed(Plan({}, {.padToMultipleOf = 8}), {});
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
  EXPECT_CODE(kInvalidArg, packJson(plan, std::vector<std::string>{"", ""}));
}

TEST(PackPadded, ADeepChainIsOneRow) {
  Session session(test::kKey);
  constexpr std::uint32_t turns = 100'000;
  for (std::uint32_t i = 0; i < turns; ++i) {
    const Prompt prompt = i == 0 ? test::promptOf({1}) : test::promptAfter(session, i - 1, {2});
    test::record(session, prompt, test::generationOf({3}), {std::to_string(i)}, {}, static_cast<std::int32_t>(i) - 1);
  }
  const Session* one = &session;
  const Plan plan(std::span<const Session* const>(&one, 1), {.style = RowStyle::kConcat});
  ASSERT_EQ(1u, plan.rows().size());
  const auto mask = packedTensor<std::int32_t>(test::packed(plan, {}), "loss_mask");
  ASSERT_EQ(2 * turns, mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i) ASSERT_EQ(static_cast<std::int32_t>(i % 2), mask[i]);
}

TEST(PackJson, IsThePartsAndTheRowsBetweenThem) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), test::generationOf({2}, 7), {"u"}, {"a"});
  session.setReward(0, 1);
  const Session* one = &session;
  const Plan plan(std::span<const Session* const>(&one, 1), {});
  const HeapBlock block = packJson(plan, std::vector<std::string>{"{\"é\":", "}"});
  EXPECT_EQ(
      "{\"é\":{\"input_ids\":{\"type\":\"tensor\",\"dtype\":\"torch.int32\",\"shape\":[1,2],\"data\":\"AQAAAAIAAAA=\"},"
      "\"loss_mask\":{\"type\":\"tensor\",\"dtype\":\"torch.int32\",\"shape\":[1,2],\"data\":\"AAAAAAEAAAA=\"},"
      "\"logprobs\":{\"type\":\"tensor\",\"dtype\":\"torch.float32\",\"shape\":[1,2],\"data\":\"AAAAAAAAgL4=\"},"
      "\"versions\":{\"type\":\"tensor\",\"dtype\":\"torch.int32\",\"shape\":[1,2],\"data\":\"/////wcAAAA=\"},"
      "\"attention_mask\":{\"type\":\"tensor\",\"dtype\":\"torch.bool\",\"shape\":[1,2],\"data\":\"AQE=\"},"
      "\"rewards\":{\"type\":\"tensor\",\"dtype\":\"torch.float32\",\"shape\":[1],\"data\":\"AACAPw==\"}}}",
      std::string(reinterpret_cast<const char*>(block.data()), block.size()));
}

TEST(PackJson, NeedsOnePartMoreThanRows) {
  EXPECT_EQ(2u, packJson(Plan({}, {}), std::vector<std::string>{"[]"}).size());
  EXPECT_CODE(kInvalidArg, packJson(Plan({}, {}), std::vector<std::string>{}));
  EXPECT_CODE(kInvalidArg, packJson(Plan({}, {}), std::vector<std::string>{"", ""}));
}

}  // namespace
}  // namespace rolltape
