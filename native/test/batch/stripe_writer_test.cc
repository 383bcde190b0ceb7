#include "../../core/batch/stripe_writer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "../forest.h"
#include "../packed.h"

namespace rolltape {
namespace {

/// Writes a batch in stripes of this size. After each, what is written must be as in `whole`.
void expectSameStripes(const Plan& plan, const test::Packed& whole, std::uint64_t stripe) {
  const BatchLayout layout = layoutBatch(plan, {{"k", "v"}});
  HeapBlock block(layout.totalBytes);
  std::memset(block.data(), 0x5a, block.size());
  StripeWriter writer(plan, layout, reinterpret_cast<std::byte*>(block.data()));
  while (writer.writtenBytes() < layout.totalBytes) {
    const std::uint64_t before = writer.writtenBytes();
    const std::uint64_t written = writer.write(stripe);
    ASSERT_GE(written, std::min(before + stripe, layout.totalBytes));
    ASSERT_LE(written, layout.totalBytes);
    ASSERT_EQ(written, writer.writtenBytes());
    ASSERT_EQ(0, std::memcmp(whole.block.data(), block.data(), written));
  }
}

TEST(StripeWriter, WritesTheBytesOfABatchThatIsWrittenAtOnce) {
  for (unsigned seed = 500; seed < 560; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    for (int variant = 0; variant < 4; ++variant) {
      const Plan plan(sessionsOf(forest), test::randomOptions(random));
      const test::Packed whole = test::packed(plan, {{"k", "v"}});
      expectSameStripes(plan, whole, 1 + random.below(5000));
      expectSameStripes(plan, whole, 1);
      expectSameStripes(plan, whole, whole.block.size());
    }
  }
}

TEST(StripeWriter, WritesLargeBlocksPastTheCachesInTheSameWay) {
  for (unsigned seed = 560; seed < 566; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = test::randomForest(random);
    PlanOptions options = test::randomOptions(random);
    options.layout = Layout::kPadded;
    options.padToMultipleOf = 20'011;
    const Plan plan(sessionsOf(forest), options);
    const test::Packed whole = test::packed(plan, {{"k", "v"}});
    expectSameStripes(plan, whole, 1 + random.below(3 << 20));
  }
}

TEST(StripeWriter, WritesAsManyRowsAsWereAskedFor) {
  constexpr std::size_t rows = 50;
  constexpr std::size_t length = 64;
  Session session(test::kKey);
  for (std::size_t i = 0; i < rows; ++i) {
    test::record(session, test::promptOf(std::vector<std::int32_t>(length - 1, 5)), test::generationOf({7}), {}, {},
                 -1);
  }
  const Session* one = &session;
  for (const Layout layout : {Layout::kPadded, Layout::kPacked}) {
    const Plan plan(std::span<const Session* const>(&one, 1), {.layout = layout});
    const BatchLayout place = layoutBatch(plan, {});
    HeapBlock block(place.totalBytes);
    StripeWriter writer(plan, place, reinterpret_cast<std::byte*>(block.data()));
    // Four tensors have four bytes a token.
    constexpr std::size_t bytes = length * 4;
    std::size_t stripes = 0;
    while (writer.writtenBytes() < place.totalBytes) {
      writer.write(bytes);
      ++stripes;
    }
    EXPECT_GE(stripes, 4 * rows);
  }
}

TEST(StripeWriter, DoesNotWriteTreeBatches) {
  test::Random random(1);
  const test::Forest forest = test::randomForest(random);
  PlanOptions options;
  EXPECT_TRUE(StripeWriter::canWrite(Plan(sessionsOf(forest), options)));
  options.layout = Layout::kTree;
  EXPECT_FALSE(StripeWriter::canWrite(Plan(sessionsOf(forest), options)));
}

}  // namespace
}  // namespace rolltape
