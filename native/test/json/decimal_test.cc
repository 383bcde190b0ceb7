#include "../../core/json/decimal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "../support.h"

namespace rolltape {
namespace {

/// Follows every number, so that there is room to read.
const std::string kAfter(kDecimalRoom, '#');

struct Scanned {
  bool is = false;
  std::size_t length = 0;
  Decimal decimal;
};

Scanned scan(const std::string& text) {
  const std::string padded = text + kAfter;
  Scanned scanned;
  const char* end = scanDecimal(padded.c_str(), scanned.decimal);
  scanned.is = end != nullptr;
  if (scanned.is) scanned.length = static_cast<std::size_t>(end - padded.c_str());
  return scanned;
}

std::uint32_t bitsOf(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// The float32 of the C library's float64.
float reference(const std::string& text) {
  return static_cast<float>(std::strtod(text.c_str(), nullptr));
}

/// Counts the numbers that were read, and expects of each of them the reference's bits.
struct Comparison {
  int read = 0;

  void add(const std::string& text) {
    const Scanned scanned = scan(text);
    float value = 0;
    if (!scanned.is || !toFloat32(scanned.decimal, value)) return;
    ++read;
    if (scanned.length != text.size() || bitsOf(value) != bitsOf(reference(text))) {
      ADD_FAILURE() << text << ": " << value << " and not " << reference(text) << ", " << scanned.length << " bytes";
    }
  }
};

std::string printed(const char* format, double value) {
  char text[400];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Uniform bits with an exponent in [lowest, highest].
double randomDouble(std::mt19937_64& random, int lowest, int highest) {
  const int exponent = lowest + static_cast<int>(random() % static_cast<unsigned>(highest - lowest + 1));
  const double mantissa = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
  return std::ldexp((random() & 1) != 0 ? mantissa : -mantissa, exponent);
}

TEST(Decimal, LogprobsOfFloat32WrittenAsFloat64AreExactAndNeverUnusual) {
  std::mt19937_64 random(1);
  Comparison comparison;
  constexpr int count = 1'000'000;
  for (int i = 0; i < count; ++i) {
    const double value = static_cast<float>(-std::abs(randomDouble(random, -30, 7)));
    comparison.add(printed("%.17g", value));
  }
  EXPECT_EQ(count, comparison.read);
}

TEST(Decimal, AnyFloat64IsRoundedAsStrtodAndACastDo) {
  std::mt19937_64 random(2);
  Comparison comparison;
  constexpr int count = 1'000'000;
  for (int i = 0; i < count; ++i) {
    const double value = randomDouble(random, -140, 100);
    comparison.add(printed(i % 3 == 0 ? "%.17g" : i % 3 == 1 ? "%.15g" : "%.9e", value));
  }
  EXPECT_GT(comparison.read, count * 8 / 10);
}

TEST(Decimal, NumbersBesideTheMiddleOfTwoFloatsAreRoundedRightOrNotAtAll) {
  std::mt19937_64 random(3);
  Comparison comparison;
  for (int i = 0; i < 500'000; ++i) {
    const auto low = static_cast<float>(randomDouble(random, -100, 30));
    const auto high = std::nextafter(low, std::numeric_limits<float>::infinity());
    double middle = (static_cast<double>(low) + static_cast<double>(high)) / 2;
    const int steps = static_cast<int>(random() % 41) - 20;
    for (int step = 0; step < std::abs(steps); ++step) middle = std::nextafter(middle, steps < 0 ? -1e99 : 1e99);
    comparison.add(printed("%.17g", middle));
  }
  EXPECT_GT(comparison.read, 100'000);
}

TEST(Decimal, DigitsThatTheFloat64CutsOffDoNotChangeTheResult) {
  std::mt19937_64 random(4);
  Comparison comparison;
  for (int i = 0; i < 300'000; ++i) {
    const double value = randomDouble(random, -40, 20);
    std::string text = printed("%.17g", value);
    const std::size_t exponent = text.find('e');
    const std::string more = std::to_string(random() % 100'000);
    if (text.find('.') == std::string::npos) continue;
    text.insert(exponent == std::string::npos ? text.size() : exponent, more);
    comparison.add(text);
  }
  for (int i = 0; i < 300'000; ++i) {
    comparison.add(std::to_string(random() % 1000) + "." + std::to_string(random()) + "e" +
                   std::to_string(static_cast<int>(random() % 90) - 60));
  }
  EXPECT_GT(comparison.read, 0);
}

TEST(Decimal, SubnormalFloat32AreExact) {
  std::mt19937_64 random(5);
  Comparison comparison;
  for (int i = 0; i < 200'000; ++i) {
    const auto subnormal = std::bit_cast<float>(static_cast<std::uint32_t>(random() % (1u << 23)));
    comparison.add(printed("%.17g", subnormal));
    comparison.add(printed("%.17g", subnormal * (1 + static_cast<double>(random() % 1000) / 1000)));
  }
  EXPECT_GT(comparison.read, 300'000);
}

TEST(Decimal, ShortNumbersAndZeros) {
  Comparison comparison;
  const std::vector<std::string> texts{"0",        "-0",    "0.0",  "-0.0", "1",     "-1",     "7.5",   "12.25",
                                       "12345678", "1e5",   "1E5",  "1e+5", "1e-5",  "-3e00",  "0e0",   "0.1",
                                       "0.00001",  "99.99", "1e15", "1e1",  "1e-45", "-1e-46", "0.5e1", "5e-05"};
  for (const std::string& text : texts) comparison.add(text);
  EXPECT_EQ(static_cast<int>(texts.size()), comparison.read);
  float zero = 1;
  ASSERT_TRUE(toFloat32(scan("-0.0").decimal, zero));
  EXPECT_TRUE(std::signbit(zero));
}

TEST(Decimal, WhatIsNoNumberOrTooLongIsLeft) {
  for (const char* text : {"", "-", "+1", ".5", "1.", "1.e5", "1e", "1e+", "01", "-01", "00", "NaN", "x", "123456789",
                           "1e1000", "1234567.123456789012", "0.00000000000000000000000000000000001"}) {
    EXPECT_FALSE(scan(text).is) << text;
  }
}

TEST(Decimal, ANumberEndsAtTheFirstOtherCharacter) {
  for (int other = 0; other < 256; ++other) {
    const auto c = static_cast<char>(other);
    if ((c >= '0' && c <= '9') || c == 'e' || c == 'E') continue;
    EXPECT_EQ(20u, scan(std::string("-0.12345678901234567") + c + "9").length) << other;
    std::int32_t id = 0;
    const std::string text = std::string("54321") + c + "9999" + kAfter;
    const char* end = scanUnsigned(text.c_str(), id);
    ASSERT_NE(nullptr, end) << other;
    EXPECT_EQ(5, end - text.c_str()) << other;
    EXPECT_EQ(54321, id) << other;
  }
}

TEST(Decimal, UnsignedIntegersOfUpToSevenDigits) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 100'000; ++i) {
    const auto expected = static_cast<std::int32_t>(random() % 10'000'000 >> (random() % 24));
    std::int32_t id = -1;
    const std::string text = std::to_string(expected) + "," + kAfter;
    ASSERT_EQ(text.c_str() + text.find(','), scanUnsigned(text.c_str(), id)) << expected;
    ASSERT_EQ(expected, id);
  }
  for (const char* text : {"", "-1", "00", "01", "12345678", "a"}) {
    std::int32_t id = 0;
    EXPECT_EQ(nullptr, scanUnsigned((text + kAfter).c_str(), id)) << text;
  }
}

TEST(Decimal, ReadsNoFurtherThanItsRoom) {
  const std::vector<std::string> longest{"-12345678." + std::string(100, '0'),
                                         "-1." + std::string(100, '0') + "1",
                                         "-0." + std::string(31, '1') + "e-999",
                                         "-1e-99999",
                                         std::string(100, '1'),
                                         "-0." + std::string(31, '0') + "e-999#"};
  for (const std::string& text : longest) {
    // A copy of exactly its room: a sanitizer sees a read beyond it.
    const std::vector<char> room(text.begin(), text.begin() + std::min(text.size(), kDecimalRoom));
    std::vector<char> padded(kDecimalRoom, '#');
    std::copy(room.begin(), room.end(), padded.begin());
    Decimal decimal;
    std::int32_t id = 0;
    const char* end = scanDecimal(padded.data(), decimal);
    EXPECT_TRUE(end == nullptr || end < padded.data() + padded.size()) << text;
    scanUnsigned(padded.data(), id);
  }
}

}  // namespace
}  // namespace rolltape
