#pragma once

#include <cstdint>
#include <optional>

#include "../json/cursor.h"
#include "../json/decimal.h"

namespace rolltape {

/// Beyond this a number that JavaScript is given may be another one.
inline constexpr std::int64_t kMaxReplyCount = std::int64_t{1} << 53;

/// A count of tokens or the like, or null.
inline std::optional<std::int64_t> readReplyCount(JsonCursor& json, const char* name) {
  if (json.consumeNull()) return std::nullopt;
  if (json.hasRoom(kDecimalRoom)) {
    std::int32_t count = 0;
    const char* end = scanUnsigned(json.rest().data(), count);
    if (end != nullptr && (*end == ',' || *end == '}') && json.advanceTo(end)) return count;
  }
  return json.integer(name, 0, kMaxReplyCount);
}

}  // namespace rolltape
