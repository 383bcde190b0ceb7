#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../base/digits.h"

namespace rolltape {

/// Bytes that must be readable from where a number begins for scanDecimal and scanUnsigned.
inline constexpr std::size_t kDecimalRoom = 48;

/// A decimal number as it is written: (-1)^negative × digits × 10^exponent.
struct Decimal {
  /// Less than 10^18.
  std::uint64_t digits = 0;
  int exponent = 0;
  bool negative = false;
};

namespace decimal {

inline constexpr int kMaxExponentDigits = 3;
inline constexpr int kMaxIntegerDigits = 8;
inline constexpr int kMaxFractionDigits = 24;
inline constexpr std::array<std::uint64_t, 9> kPowers{1,       10,        100,        1'000,      10'000,
                                                      100'000, 1'000'000, 10'000'000, 100'000'000};
/// The digits to which so many more can be added: less than 10^18 in all.
inline constexpr std::array<std::uint64_t, 9> kRoom{
    1'000'000'000'000'000'000, 100'000'000'000'000'000, 10'000'000'000'000'000,
    1'000'000'000'000'000,     100'000'000'000'000,     10'000'000'000'000,
    1'000'000'000'000,         100'000'000'000,         10'000'000'000};

inline bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

inline const char* scanInteger(const char* at, std::uint64_t& digits) {
  const char* first = at;
  if (!isDigit(*at)) return nullptr;
  do {
    digits = digits * 10 + static_cast<std::uint64_t>(*at++ - '0');
  } while (isDigit(*at) && at - first < kMaxIntegerDigits);
  return isDigit(*at) || (*first == '0' && at - first > 1) ? nullptr : at;
}

inline const char* scanFraction(const char* at, Decimal& decimal) {
  const char* first = at;
  std::uint64_t eight = loadEightDigits(at);
  int count = leadingDigits(eight);
  for (; count == 8; count = leadingDigits(eight)) {
    if (decimal.digits >= kRoom[8] || at - first >= kMaxFractionDigits) return nullptr;
    decimal.digits = decimal.digits * kPowers[8] + joinEightDigits(eight);
    at += 8;
    eight = loadEightDigits(at);
  }
  const auto more = static_cast<std::size_t>(count);
  if (decimal.digits >= kRoom[more]) return nullptr;
  decimal.digits = decimal.digits * kPowers[more] + joinDigits(eight, count);
  at += count;
  decimal.exponent = static_cast<int>(first - at);
  return at == first ? nullptr : at;
}

inline const char* scanExponent(const char* at, Decimal& decimal) {
  const bool negative = *at == '-';
  if (negative || *at == '+') ++at;
  const char* first = at;
  int exponent = 0;
  for (; isDigit(*at) && at - first < kMaxExponentDigits; ++at) exponent = exponent * 10 + (*at - '0');
  if (at == first || isDigit(*at)) return nullptr;
  decimal.exponent += negative ? -exponent : exponent;
  return at;
}

inline constexpr int kLowestExponent = -64;
/// The float64 nearest to each power of ten from kLowestExponent on.
inline constexpr std::array<double, 80> kNearestPowers{
    1e-64, 1e-63, 1e-62, 1e-61, 1e-60, 1e-59, 1e-58, 1e-57, 1e-56, 1e-55, 1e-54, 1e-53, 1e-52, 1e-51, 1e-50, 1e-49,
    1e-48, 1e-47, 1e-46, 1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36, 1e-35, 1e-34, 1e-33,
    1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17,
    1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,
    1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,  1e14,  1e15};

}  // namespace decimal

/// Reads a JSON number of usual size, eight digits at a time, and returns where it ends. Null where it has more digits
/// than fit, or where there is no number: who calls reads again, more slowly, and knows then.
/// @param at kDecimalRoom bytes are readable there.
inline const char* scanDecimal(const char* at, Decimal& number) {
  number = {0, 0, *at == '-'};
  at = decimal::scanInteger(at + number.negative, number.digits);
  if (at != nullptr && *at == '.') at = decimal::scanFraction(at + 1, number);
  if (at != nullptr && (*at == 'e' || *at == 'E')) at = decimal::scanExponent(at + 1, number);
  return at;
}

/// The same for an integer of up to seven digits without a sign.
inline const char* scanUnsigned(const char* at, std::int32_t& value) {
  const std::uint64_t eight = loadEightDigits(at);
  const int count = leadingDigits(eight);
  if (count == 0 || count == 8 || (*at == '0' && count > 1)) return nullptr;
  value = static_cast<std::int32_t>(joinDigits(eight, count));
  return at + count;
}

/// Sets `value` to the float32 that is nearest to the float64 that is nearest to the number: what a reader gets who
/// parses float64 and rounds. False, in rare cases, where it takes more precision to tell, or where the number is too
/// large or too small for this way.
inline bool toFloat32(const Decimal& number, float& value) {
  const int power = number.exponent - decimal::kLowestExponent;
  if (power < 0 || power >= static_cast<int>(decimal::kNearestPowers.size())) return false;
  // Three roundings, of the digits, of the power and of their product, each by at most 2^-53 of the value; the float64
  // nearest to the number is as near to it. All of them lie within 2^-50 of `about`, and what lies between two numbers
  // that round to the same float32 does so too.
  const double about = static_cast<double>(static_cast<std::int64_t>(number.digits)) *
                       decimal::kNearestPowers[static_cast<std::size_t>(power)];
  constexpr double margin = 0x1p-50;
  const auto low = static_cast<float>(about * (1 - margin));
  const auto high = static_cast<float>(about * (1 + margin));
  value = number.negative ? -low : low;
  return low == high;
}

}  // namespace rolltape
