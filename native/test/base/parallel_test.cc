#include "../../core/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "../packed.h"
#include "../support.h"

namespace rolltape {
namespace {

TEST(ParallelRanges, CoverEveryIndexOnce) {
  for (const std::size_t count : {0, 1, 2, 7, 100}) {
    for (const std::size_t threads : {0, 1, 2, 3, 8}) {
      std::vector<std::atomic<int>> seen(count);
      parallelRanges(count, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++seen[i];
      });
      for (const auto& times : seen) EXPECT_EQ(1, times);
    }
  }
}

TEST(ParallelRanges, RethrowWhatAnyOfThemThrew) {
  EXPECT_CODE(kTooLarge, parallelRanges(8, 4, [](std::size_t begin, std::size_t) {
                if (begin > 0) throw Error(ErrorCode::kTooLarge, "thrown on a thread");
              }));
}

TEST(ParallelRanges, SmallWorkStaysOnOneThread) {
  EXPECT_EQ(1u, threadsFor(0));
  EXPECT_EQ(1u, threadsFor(20 << 20));
  EXPECT_LE(threadsFor(std::uint64_t{1} << 40), 4u);
}

TEST(PackPadded, IsUndisturbedByASessionThatRecordsMeanwhile) {
  Session session(test::kKey);
  const std::vector<std::int32_t> ids(2000, 7);
  for (std::uint32_t i = 0; i < 40; ++i) {
    const Prompt prompt = i == 0 ? test::promptOf(ids) : test::promptAfter(session, i - 1, ids);
    test::record(session, prompt, test::generationOf(ids), {std::to_string(i)}, {}, static_cast<std::int32_t>(i) - 1);
  }
  const Session* one = &session;
  const Plan plan(std::span<const Session* const>(&one, 1), {});
  test::Packed packed;
  std::thread packing([&] { packed = test::packed(plan, {}); });
  for (std::uint32_t i = 40; i < 400; ++i) {
    test::record(session, test::promptAfter(session, i - 1, {8}), test::generationOf({9}), {std::to_string(i)}, {},
                 static_cast<std::int32_t>(i) - 1);
    session.setReward(i, 1);
    session.setReward(0, i);
  }
  packing.join();
  const auto* inputIds = reinterpret_cast<const std::int32_t*>(packed.block.data() + packed.tensors[0].offset);
  const std::size_t width = plan.shape().length;
  for (std::size_t row = 0; row < 40; ++row) {
    const std::size_t length = (row + 1) * 4000;
    EXPECT_TRUE(std::all_of(inputIds + row * width, inputIds + row * width + length, [](auto id) { return id == 7; }));
    EXPECT_TRUE(
        std::all_of(inputIds + row * width + length, inputIds + (row + 1) * width, [](auto id) { return id == 0; }));
  }
}

}  // namespace
}  // namespace rolltape
