#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace rolltape {

static_assert(std::endian::native == std::endian::little, "the first of eight characters is the lowest byte");

/// Eight digits, or characters of which some are: a digit is 0 to 9 here, and anything else is more.
inline std::uint64_t loadEightDigits(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word ^ 0x3030303030303030;
}

/// How many digits stand before the first character that is none. A carry out of such a character spoils only what
/// comes after it.
inline int leadingDigits(std::uint64_t eight) {
  const std::uint64_t others = ((eight + 0x7676767676767676) | eight) & 0x8080808080808080;
  return others == 0 ? 8 : std::countr_zero(others) / 8;
}

/// The number that eight digits are: neighbours are joined, first to pairs, then to fours, then to eight.
inline std::uint64_t joinEightDigits(std::uint64_t digits) {
  constexpr std::uint64_t lowBytes = 0x000000ff000000ff;
  digits = digits * 10 + (digits >> 8);
  const std::uint64_t first = (digits & lowBytes) * (100 + (1'000'000ull << 32));
  const std::uint64_t second = ((digits >> 16) & lowBytes) * (1 + (10'000ull << 32));
  return (first + second) >> 32;
}

/// The number that the first `count` characters are; less than 8 of them, all digits.
inline std::uint64_t joinDigits(std::uint64_t eight, int count) {
  return joinEightDigits((eight << (56 - 8 * count)) << 8);
}

/// The eight decimal digits of a number less than 10^8, leading zeros included: what joinEightDigits joins. Quotients
/// by multiplication: x / 100 of x < 10,000 is x × 10,486 >> 20, x / 10 of x < 100 is x × 103 >> 10.
inline std::uint64_t splitEightDigits(std::uint32_t value) {
  std::uint64_t digits = value / 10'000 | std::uint64_t{value % 10'000} << 32;
  const std::uint64_t hundreds = (digits * 10'486 >> 20) & 0x0000007f0000007f;
  digits = hundreds | (digits - hundreds * 100) << 16;
  const std::uint64_t tens = (digits * 103 >> 10) & 0x000f000f000f000f;
  return tens | (digits - tens * 10) << 8;
}

/// Writes eight characters.
inline void storeEightDigits(char* to, std::uint64_t digits) {
  digits |= 0x3030303030303030;
  std::memcpy(to, &digits, sizeof digits);
}

}  // namespace rolltape
