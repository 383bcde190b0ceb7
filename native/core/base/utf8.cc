#include "utf8.h"

namespace rolltape {

namespace {

/// Returns the length of a sequence that begins with `lead`; 0 if no sequence does.
std::size_t sequenceLength(std::uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/// Checks the second byte, whose range excludes overlong forms, surrogates and code points over U+10FFFF.
bool isSecond(std::uint8_t lead, std::uint8_t second) {
  const std::uint8_t lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const std::uint8_t highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  return second >= lowest && second <= highest;
}

}  // namespace

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto lead = static_cast<std::uint8_t>(text[0]);
    const std::size_t length = sequenceLength(lead);
    if (length == 0 || length > text.size()) return false;
    if (length > 1 && !isSecond(lead, static_cast<std::uint8_t>(text[1]))) return false;
    for (std::size_t i = 2; i < length; ++i) {
      if ((static_cast<std::uint8_t>(text[i]) & 0xc0) != 0x80) return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace rolltape
