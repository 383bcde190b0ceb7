#include "../../core/base/digits.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace rolltape {
namespace {

TEST(Digits, EightDigitsAreSplitAndJoined) {
  // All numbers of which one half is zero, and a stride through the others.
  const auto expectBoth = [](std::uint32_t value) {
    char expected[9];
    char stored[9] = {};
    std::snprintf(expected, sizeof expected, "%08u", value);
    storeEightDigits(stored, splitEightDigits(value));
    ASSERT_STREQ(expected, stored);
    ASSERT_EQ(value, joinEightDigits(loadEightDigits(expected)));
  };
  for (std::uint32_t half = 0; half < 10'000; ++half) {
    expectBoth(half);
    expectBoth(half * 10'000);
  }
  for (std::uint32_t value = 0; value < 100'000'000; value += 1009) expectBoth(value);
  expectBoth(99'999'999);
}

TEST(Digits, LeadingDigitsEndAtAnyOtherByte) {
  for (int other = 0; other < 256; ++other) {
    for (int at = 0; at < 8; ++at) {
      char text[9] = "99999999";
      text[at] = static_cast<char>(other);
      const bool isDigit = other >= '0' && other <= '9';
      ASSERT_EQ(isDigit ? 8 : at, leadingDigits(loadEightDigits(text))) << other << " at " << at;
      if (!isDigit) {
        std::uint64_t nines = 0;
        for (int i = 0; i < at; ++i) nines = nines * 10 + 9;
        ASSERT_EQ(nines, joinDigits(loadEightDigits(text), at));
      }
    }
  }
}

}  // namespace
}  // namespace rolltape
