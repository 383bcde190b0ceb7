#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "../base/base64.h"

namespace rolltape {

/// Decodes base64 in a JSON string, whose characters may come in pieces that are cut anywhere. They are read once:
/// where the string ends shows while it is decoded.
class Base64Text {
 public:
  /// @param name names the string in errors
  explicit Base64Text(const char* name) : name_(name) {}

  /// Reads characters behind the opening quote, up to and with the closing one if it is among them. Calls
  /// `onBytes(span)` for what they stand for, part after part.
  /// @returns number of characters that were read: all of them, unless the string ends
  /// @throws kReplyMalformed
  template <typename OnBytes>
  std::size_t read(std::string_view chars, OnBytes onBytes) {
    std::size_t at = 0;
    while (at < chars.size() && !ended_) {
      if (isBetweenGroups()) {
        const std::string_view part = chars.substr(at, kPartChars);
        const std::size_t count = readBase64Groups(part, bytes_.data());
        if (count > 0) onBytes(std::span<const std::byte>(bytes_.data(), count / 4 * 3));
        at += count;
        if (count == part.size()) continue;
      }
      const std::span<const std::byte> bytes = take(chars[at++]);
      if (!bytes.empty()) onBytes(bytes);
    }
    return at;
  }

  /// The closing quote was read.
  bool ended() const { return ended_; }
  /// The part of an escape that the characters so far end with.
  std::string_view begunEscape() const { return escape_; }
  [[noreturn]] void fail(const char* problem) const;

 private:
  /// A part and its bytes stay in the first cache.
  static constexpr std::size_t kPartChars = 4096;

  bool isBetweenGroups() const { return groupChars_ == 0 && escape_.empty() && !padded_; }
  /// Reads one character. Returns the bytes of the group that it completes.
  std::span<const std::byte> take(char c);
  std::span<const std::byte> addToGroup(char c);

  const char* name_;
  std::array<std::byte, kPartChars / 4 * 3 + kBase64Slack> bytes_;
  std::array<char, 4> group_{};
  std::size_t groupChars_ = 0;
  std::string escape_;
  /// The last group had padding, so no other may follow.
  bool padded_ = false;
  bool ended_ = false;
};

}  // namespace rolltape
