#include "decimal.h"

#include <array>
#include <bit>
#include <cstring>

namespace rolltape {

static_assert(std::endian::native == std::endian::little, "the first of eight characters is the lowest byte");

namespace {

constexpr std::uint64_t kMaxDigits = 1'000'000'000'000'000'000;
constexpr int kMaxExponentDigits = 3;
constexpr int kMaxIntegerDigits = 8;
constexpr int kMaxFractionDigits = 24;
constexpr std::array<std::uint64_t, 9> kPowers{1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

/// Eight characters; a digit is 0 to 9 here, and anything else is more.
std::uint64_t loadEight(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word ^ 0x3030303030303030;
}

/// How many digits stand before the first character that is none. A carry out of such a character spoils only what
/// comes after it.
int leadingDigits(std::uint64_t eight) {
  const std::uint64_t others = ((eight + 0x7676767676767676) | eight) & 0x8080808080808080;
  return others == 0 ? 8 : std::countr_zero(others) / 8;
}

/// The number that eight digits are: neighbours are joined, first to pairs, then to fours, then to eight.
std::uint64_t joinEight(std::uint64_t digits) {
  constexpr std::uint64_t lowBytes = 0x000000ff000000ff;
  digits = digits * 10 + (digits >> 8);
  const std::uint64_t first = (digits & lowBytes) * (100 + (1'000'000ull << 32));
  const std::uint64_t second = ((digits >> 16) & lowBytes) * (1 + (10'000ull << 32));
  return (first + second) >> 32;
}

/// The number that the first `count` characters are; less than 8.
std::uint64_t joinFew(std::uint64_t eight, int count) {
  return joinEight((eight << (56 - 8 * count)) << 8);
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

const char* scanInteger(const char* at, std::uint64_t& digits) {
  const char* first = at;
  if (!isDigit(*at)) return nullptr;
  do {
    digits = digits * 10 + static_cast<std::uint64_t>(*at++ - '0');
  } while (isDigit(*at) && at - first < kMaxIntegerDigits);
  return isDigit(*at) || (*first == '0' && at - first > 1) ? nullptr : at;
}

const char* scanFraction(const char* at, Decimal& decimal) {
  const char* first = at;
  std::uint64_t eight = loadEight(at);
  int count = leadingDigits(eight);
  for (; count == 8; count = leadingDigits(eight)) {
    if (decimal.digits >= kMaxDigits / kPowers[8] || at - first >= kMaxFractionDigits) return nullptr;
    decimal.digits = decimal.digits * kPowers[8] + joinEight(eight);
    at += 8;
    eight = loadEight(at);
  }
  const std::uint64_t power = kPowers[static_cast<std::size_t>(count)];
  if (decimal.digits >= kMaxDigits / power) return nullptr;
  decimal.digits = decimal.digits * power + joinFew(eight, count);
  at += count;
  decimal.exponent = static_cast<int>(first - at);
  return at == first ? nullptr : at;
}

const char* scanExponent(const char* at, Decimal& decimal) {
  const bool negative = *at == '-';
  if (negative || *at == '+') ++at;
  const char* first = at;
  int exponent = 0;
  for (; isDigit(*at) && at - first < kMaxExponentDigits; ++at) exponent = exponent * 10 + (*at - '0');
  if (at == first || isDigit(*at)) return nullptr;
  decimal.exponent += negative ? -exponent : exponent;
  return at;
}

constexpr int kLowestExponent = -64;
/// The float64 nearest to each power of ten from kLowestExponent on.
constexpr std::array<double, 80> kNearestPowers{
    1e-64, 1e-63, 1e-62, 1e-61, 1e-60, 1e-59, 1e-58, 1e-57, 1e-56, 1e-55, 1e-54, 1e-53, 1e-52, 1e-51, 1e-50, 1e-49,
    1e-48, 1e-47, 1e-46, 1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36, 1e-35, 1e-34, 1e-33,
    1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17,
    1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,
    1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,  1e14,  1e15};

}  // namespace

const char* scanDecimal(const char* at, Decimal& decimal) {
  decimal = {0, 0, *at == '-'};
  at = scanInteger(at + decimal.negative, decimal.digits);
  if (at != nullptr && *at == '.') at = scanFraction(at + 1, decimal);
  if (at != nullptr && (*at == 'e' || *at == 'E')) at = scanExponent(at + 1, decimal);
  return at;
}

const char* scanUnsigned(const char* at, std::int32_t& value) {
  const std::uint64_t eight = loadEight(at);
  const int count = leadingDigits(eight);
  if (count == 0 || count == 8 || (*at == '0' && count > 1)) return nullptr;
  value = static_cast<std::int32_t>(joinFew(eight, count));
  return at + count;
}

bool toFloat32(const Decimal& decimal, float& value) {
  const int power = decimal.exponent - kLowestExponent;
  if (power < 0 || power >= static_cast<int>(kNearestPowers.size())) return false;
  // Three roundings, of the digits, of the power and of their product, each by at most 2^-53 of the value; the float64
  // nearest to the number is as near to it. All of them lie within 2^-50 of `about`, and what lies between two numbers
  // that round to the same float32 does so too.
  const double about =
      static_cast<double>(static_cast<std::int64_t>(decimal.digits)) * kNearestPowers[static_cast<std::size_t>(power)];
  constexpr double margin = 0x1p-50;
  const auto low = static_cast<float>(about * (1 - margin));
  const auto high = static_cast<float>(about * (1 + margin));
  value = decimal.negative ? -low : low;
  return low == high;
}

}  // namespace rolltape
