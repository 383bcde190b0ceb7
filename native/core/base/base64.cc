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

constexpr std::uint32_t kNoDigit = std::uint32_t{1} << 24;

/// The bits of each character at each of the four places of a group; kNoDigit for other characters.
constexpr std::array<std::array<std::uint32_t, 256>, 4> kDigits = [] {
  std::array<std::array<std::uint32_t, 256>, 4> digits{};
  for (std::size_t place = 0; place < digits.size(); ++place) {
    digits[place].fill(kNoDigit);
    for (std::uint32_t value = 0; value < kAlphabet.size(); ++value) {
      digits[place][static_cast<unsigned char>(kAlphabet[value])] = value << (18 - 6 * place);
    }
  }
  return digits;
}();

/// The 24 bits of a group; kNoDigit or more if a character is none of the alphabet.
std::uint32_t groupBits(const char* group) {
  const auto digit = [&](std::size_t place) { return kDigits[place][static_cast<unsigned char>(group[place])]; };
  return digit(0) | digit(1) | digit(2) | digit(3);
}

std::size_t countPadding(std::string_view text) {
  return text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
}

/// Writes the first `count` of the group's three bytes.
void writeGroup(std::uint32_t bits, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(bits >> (16 - 8 * i));
}

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

std::optional<std::uint64_t> decodedLength(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  return text.size() / 4 * 3 - countPadding(text);
}

bool readBase64(std::string_view text, std::byte* out) {
  const std::optional<std::uint64_t> length = decodedLength(text);
  if (!length) return false;
  std::uint32_t all = 0;
  const char* group = text.data();
  // Four bytes are written at a time, so the last whole group is written like the one with padding.
  for (std::uint64_t left = *length; left > 3; left -= 3, group += 4, out += 3) {
    const std::uint32_t bits = groupBits(group);
    all |= bits;
    const std::uint32_t bytes = __builtin_bswap32(bits << 8);
    std::memcpy(out, &bytes, sizeof bytes);
  }
  if (*length > 0) {
    const std::size_t count = (*length - 1) % 3 + 1;
    std::array<char, 4> last{group[0], group[1], count > 1 ? group[2] : 'A', count > 2 ? group[3] : 'A'};
    const std::uint32_t bits = groupBits(last.data());
    all |= bits;
    // The bits that no byte takes are 0 (RFC 4648, section 3.5).
    if ((bits & ((std::uint32_t{1} << (24 - 8 * count)) - 1)) != 0) return false;
    writeGroup(bits, count, out);
  }
  return all < kNoDigit;
}

}  // namespace rolltape
