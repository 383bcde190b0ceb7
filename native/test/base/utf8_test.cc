#include "../../core/base/utf8.h"

#include <gtest/gtest.h>

#include <set>

namespace rolltape {
namespace {

TEST(Utf8, EveryCodePointIsWellFormed) {
  std::string all;
  for (std::uint32_t point = 0; point <= 0x10ffff; ++point) {
    if (point < 0xd800 || point >= 0xe000) appendUtf8(all, point);
  }
  EXPECT_TRUE(isUtf8(all));
  EXPECT_TRUE(isUtf8(""));
}

TEST(Utf8, TwoBytesAreWellFormedIfTheyEncodeOnePointOrTwo) {
  std::set<std::string> points;
  for (std::uint32_t point = 0x80; point < 0x800; ++point) {
    std::string encoded;
    appendUtf8(encoded, point);
    points.insert(encoded);
  }
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      ASSERT_EQ((first < 0x80 && second < 0x80) || points.contains(text), isUtf8(text));
    }
  }
}

TEST(Utf8, OverlongFormsSurrogatesAndLargePointsAreNotWellFormed) {
  for (const char* text : {"\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\x80"}) {
    EXPECT_FALSE(isUtf8(text));
  }
  for (const char* text : {"\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(isUtf8(text));
  }
}

TEST(Utf8, ACutOrBrokenSequenceIsNotWellFormed) {
  for (const char* text : {"a\xc3", "\xe2\x82",
                           "\xe2\x82"
                           "a",
                           "\xf0\x9f\x98",
                           "\xf0\x9f\x98"
                           "a",
                           "\xc3\xa9\x80"}) {
    EXPECT_FALSE(isUtf8(text));
  }
}

}  // namespace
}  // namespace rolltape
