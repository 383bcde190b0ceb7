#include "base64.h"

#include <array>
#include <cstring>
#include <string_view>

namespace rolltape {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using Pair = std::array<char, 2>;

/// The two characters of every 12 bits: half the look-ups of one character at a time.
constexpr std::array<Pair, 4096> kPairs = [] {
  std::array<Pair, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  return pairs;
}();

}  // namespace

char* writeBase64(std::span<const std::uint8_t> bytes, char* out) {
  const std::size_t whole = bytes.size() / 3 * 3;
  for (std::size_t i = 0; i < whole; i += 3, out += 4) {
    const std::uint32_t bits = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
    std::memcpy(out, kPairs[bits >> 12].data(), 2);
    std::memcpy(out + 2, kPairs[bits & 4095].data(), 2);
  }
  const std::size_t left = bytes.size() - whole;
  if (left == 0) return out;
  const std::uint32_t bits = bytes[whole] << 16 | (left == 2 ? bytes[whole + 1] << 8 : 0);
  std::memcpy(out, kPairs[bits >> 12].data(), 2);
  out[2] = left == 2 ? kAlphabet[bits >> 6 & 63] : '=';
  out[3] = '=';
  return out + 4;
}

}  // namespace rolltape
