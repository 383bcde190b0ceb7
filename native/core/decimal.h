#pragma once

#include <cstddef>
#include <cstdint>

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

/// Reads a JSON number of usual size, eight digits at a time, and returns where it ends. Null where it has more digits
/// than fit, or where there is no number: who calls reads again, more slowly, and knows then.
/// @param at kDecimalRoom bytes are readable there.
const char* scanDecimal(const char* at, Decimal& decimal);

/// The same for an integer of up to seven digits without a sign.
const char* scanUnsigned(const char* at, std::int32_t& value);

/// Sets `value` to the float32 that is nearest to the float64 that is nearest to the number: what a reader gets who
/// parses float64 and rounds. False, in rare cases, where it takes more precision to tell, or where the number is too
/// large or too small for this way.
bool toFloat32(const Decimal& decimal, float& value);

}  // namespace rolltape
