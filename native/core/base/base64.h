#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rolltape {

constexpr std::uint64_t base64Length(std::uint64_t bytes) {
  return (bytes + 2) / 3 * 4;
}

/// Writes `bytes` in base64 with padding (RFC 4648, section 4) and returns the end.
char* writeBase64(std::span<const std::uint8_t> bytes, char* out);

/// Returns how many bytes the text stands for if it is base64 with padding; absent if it has another length than that.
std::optional<std::uint64_t> decodedLength(std::string_view text);

/// Decodes base64 with padding to decodedLength() bytes. Returns false if the text is something else.
bool readBase64(std::string_view text, std::byte* out);

/// Number of bytes behind its result that readBase64Groups() may overwrite.
inline constexpr std::size_t kBase64Slack = 8;

/// Decodes groups of four characters until one has a character that is not of the alphabet, such as padding or a quote.
/// Returns the number of characters that it decoded, each four of them to three bytes.
std::size_t readBase64Groups(std::string_view text, std::byte* out);

}  // namespace rolltape
