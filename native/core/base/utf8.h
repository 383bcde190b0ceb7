#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rolltape {

/// Returns true for well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing over U+10FFFF.
bool isUtf8(std::string_view text);

/// Appends a code point; a surrogate without its other half becomes U+FFFD.
inline void appendUtf8(std::string& out, std::uint32_t point) {
  if (point >= 0xd800 && point < 0xe000) point = 0xfffd;
  const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto continuation = [&add, point](int shift) { add(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xc0 | point >> 6);
    continuation(0);
  } else if (point < 0x10000) {
    add(0xe0 | point >> 12);
    continuation(6);
    continuation(0);
  } else {
    add(0xf0 | point >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

}  // namespace rolltape
