#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rolltape {

constexpr std::uint64_t base64Length(std::uint64_t bytes) {
  return (bytes + 2) / 3 * 4;
}

/// Writes `bytes` in base64 with padding (RFC 4648, section 4) and returns the end.
char* writeBase64(std::span<const std::uint8_t> bytes, char* out);

}  // namespace rolltape
