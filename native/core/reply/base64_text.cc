#include "base64_text.h"

#include "../base/error.h"
#include "../json/cursor.h"

namespace rolltape {

void Base64Text::fail(const char* problem) const {
  throw Error(ErrorCode::kReplyMalformed, std::string(name_) + " " + problem);
}

std::span<const std::byte> Base64Text::take(char c) {
  if (escape_.empty() && c == '"') {
    if (groupChars_ != 0) fail("is not base64");
    ended_ = true;
    return {};
  }
  // Refused at once: a control character that waits for its group would be lost if the text turns out to be no experts.
  if (c < ' ' || c > '~') fail("is not base64");
  if (escape_.empty() && c != '\\') return addToGroup(c);
  constexpr std::size_t kShortEscape = 2;
  constexpr std::size_t kCodeUnitEscape = 6;
  escape_ += c;
  if (escape_.size() == 1) return {};
  if (escape_.size() < (escape_[1] == 'u' ? kCodeUnitEscape : kShortEscape)) return {};
  const std::string quoted = '"' + escape_ + '"';
  escape_.clear();
  const std::string decoded =
      JsonCursor(std::span(reinterpret_cast<const std::uint8_t*>(quoted.data()), quoted.size())).string();
  if (decoded.size() != 1) fail("is not base64");
  return addToGroup(decoded.front());
}

std::span<const std::byte> Base64Text::addToGroup(char c) {
  if (padded_) fail("is not base64");
  group_[groupChars_++] = c;
  if (groupChars_ < group_.size()) return {};
  groupChars_ = 0;
  const std::string_view group(group_.data(), group_.size());
  if (!readBase64(group, bytes_.data())) fail("is not base64");
  padded_ = group.ends_with('=');
  return {bytes_.data(), *decodedLength(group)};
}

}  // namespace rolltape
