#include <gtest/gtest.h>

#include <cstring>

#include "../../core/batch/stripe_writer.h"
#include "../packed.h"
#include "../support.h"

namespace rolltape {
namespace {

const std::vector<std::uint8_t> kBytes{1, 2, 3, 4, 5, 6, 7, 8};

GivenTensor given(const char* name, Dtype dtype, std::uint64_t extent,
                  std::vector<std::span<const std::uint8_t>> parts) {
  return {{name, dtype, {extent}}, std::move(parts)};
}

Plan planOfOneTurn(Layout layout) {
  static const Session* const session = [] {
    auto* made = new Session(test::kKey);
    test::record(*made, test::promptOf({1, 2}), test::generationOf({3}), {"u"}, {"a"});
    return made;
  }();
  return Plan(std::span(&session, 1), {.layout = layout});
}

std::vector<GivenTensor> someTensors() {
  const std::span<const std::uint8_t> all(kBytes);
  return {given("bytes", Dtype::kU8, 3, {all.first(1), all.subspan(1, 0), all.subspan(1, 2)}),
          given("words", Dtype::kI32, 1, {all.first(4)}), given("longs", Dtype::kI64, 1, {all})};
}

TEST(GivenTensors, LieBehindTensorsWithElementsOfTheirSize) {
  for (const Layout layout : {Layout::kPadded, Layout::kPacked, Layout::kTree}) {
    const Plan plan = planOfOneTurn(layout);
    const std::vector<GivenTensor> tensors = someTensors();
    const BatchLayout places = layoutBatch(plan, {}, tensors);
    EXPECT_EQ("longs", places.tensors.front().spec.name);
    EXPECT_EQ("bytes", places.tensors.back().spec.name);
    for (std::size_t i = 1; i < places.tensors.size(); ++i) {
      EXPECT_GE(dtypeBytes(places.tensors[i - 1].spec.dtype), dtypeBytes(places.tensors[i].spec.dtype));
    }
    HeapBlock block(places.totalBytes);
    auto* const bytes = reinterpret_cast<std::byte*>(block.data());
    writeGiven(tensors, places, bytes);
    writeBatch(plan, places, bytes, 1);
    EXPECT_EQ(0, std::memcmp(bytes + places.tensors.back().offset, kBytes.data(), 3));
    EXPECT_EQ(0, std::memcmp(bytes + places.tensors.front().offset, kBytes.data(), 8));
  }
}

TEST(GivenTensors, LeaveOtherTensorsAsTheyAre) {
  const Plan plan = planOfOneTurn(Layout::kPacked);
  const BatchLayout without = layoutBatch(plan, {});
  const BatchLayout none = layoutBatch(plan, {}, std::vector<GivenTensor>{});
  EXPECT_EQ(without.header, none.header);
}

TEST(GivenTensors, AreRefusedWithTheNameOfAnotherTensorOrTooFewBytes) {
  const Plan plan = planOfOneTurn(Layout::kPadded);
  const std::span<const std::uint8_t> all(kBytes);
  const auto refused = [&](std::vector<GivenTensor> tensors) {
    EXPECT_CODE(kInvalidArg, layoutBatch(plan, {}, tensors));
  };
  refused({given("rewards", Dtype::kI32, 2, {all})});
  refused({given("own", Dtype::kI32, 2, {all}), given("own", Dtype::kI32, 2, {all})});
  refused({given("own", Dtype::kI32, 3, {all})});
  refused({given("own", Dtype::kI32, 1, {all})});
}

}  // namespace
}  // namespace rolltape
