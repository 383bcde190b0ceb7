#include "../../core/session/token_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../support.h"

namespace rolltape {
namespace {

TEST(TokenArena, KeepsEverySpanInPlaceWhileItGrows) {
  TokenArena arena;
  test::Random random(1);
  std::vector<std::span<std::int32_t>> spans;
  for (std::int32_t i = 0; i < 3000; ++i) {
    spans.push_back(arena.allocate<std::int32_t>(random.below(random.chance(0.05) ? 5000 : 40)));
    std::fill(spans.back().begin(), spans.back().end(), i);
  }
  for (std::int32_t i = 0; i < 3000; ++i) {
    EXPECT_TRUE(std::all_of(spans[i].begin(), spans[i].end(), [i](std::int32_t value) { return value == i; })) << i;
  }
}

TEST(TokenArena, ASmallSessionCostsLittle) {
  TokenArena arena;
  EXPECT_EQ(0u, arena.byteLength());
  arena.allocate<std::int32_t>(20);
  EXPECT_LE(arena.byteLength(), 2048u);
}

TEST(TokenArena, ALargeSessionWastesAtMostAQuarter) {
  for (const std::size_t spanLength : {1, 7, 100, 130, 1000, 33'000, 140'000, 600'000}) {
    TokenArena arena;
    std::size_t used = 0;
    while (used < 4'000'000 + 80 * spanLength) {
      arena.allocate<std::int32_t>(spanLength);
      used += spanLength * sizeof(std::int32_t);
    }
    EXPECT_LE(arena.byteLength(), used + used / 4) << spanLength;
  }
}

TEST(TokenArena, NothingNeedsNoMemory) {
  TokenArena arena;
  EXPECT_TRUE(arena.allocate<float>(0).empty());
  EXPECT_TRUE(arena.copy(std::span<const float>()).empty());
  EXPECT_EQ(0u, arena.byteLength());
}

}  // namespace
}  // namespace rolltape
