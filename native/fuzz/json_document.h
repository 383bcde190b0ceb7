#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rolltape::fuzz {

/// A JSON value as a tree. Written to be obvious, and apart from the reader that it is held against.
struct JsonValue {
  enum class Kind { kWord, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kWord;
  /// The word or number as written, or the decoded string.
  std::string text;
  /// Of an array or object.
  std::vector<JsonValue> items;
  /// One per item of an object; a key may come twice.
  std::vector<std::string> keys;

  bool isNull() const { return kind == Kind::kWord && text == "null"; }
  /// The last value with this key.
  const JsonValue* find(std::string_view key) const;
  /// The number, if it is written as an integer in [lowest, highest].
  std::optional<std::int64_t> integer(std::int64_t lowest, std::int64_t highest) const;
};

/// Nothing if the text is not JSON (with NaN, Infinity and -Infinity), or nested deeper than `maxDepth`.
std::optional<JsonValue> parseJson(std::string_view text, int maxDepth);

}  // namespace rolltape::fuzz
