#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rolltape {

/// Most that a JSON document may hold. What is counted is what a parser would build.
struct JsonLimits {
  /// Items that one array at the top of the document may have, under the key `name`.
  struct List {
    std::string name;
    std::uint64_t items;
  };

  /// Arrays and objects inside each other; the outermost is 1. At most kMaxDepth.
  std::int64_t depth;
  /// Strings, numbers, literals, arrays and objects, without keys. Those of tool calls' `arguments`, which are JSON as
  /// a string, count as well. Numbers that are items of arrays count less; see kValueParts.
  std::uint64_t values;
  /// Keys of one object.
  std::uint64_t keys;
  std::vector<List> lists;

  static constexpr std::int64_t kMaxDepth = 127;

  /// A value counts as kValueParts parts, a number in an array as fewer, because a parser needs less time for token ids
  /// and log probabilities than for strings and objects, in about this ratio.
  static constexpr std::uint64_t kShortNumberParts = 1;
  static constexpr std::uint64_t kLongNumberParts = 4;
  static constexpr std::uint64_t kValueParts = 8;
  /// Most bytes of a short number.
  static constexpr std::size_t kShortNumberBytes = 8;

  /// Limit of the bytes of one key or number. Parsers take much longer for these than for strings.
  static constexpr std::uint64_t kMaxWordBytes = 65'536;
};

/// The first limit that a document exceeds.
struct JsonExcess {
  /// kPrototype: a key that could change an object's prototype in JavaScript: `__proto__`, or `prototype` in an object
  /// under `constructor`. None is allowed, except in `arguments`, because no code copies these objects.
  enum class Limit { kDepth, kValues, kKeys, kItems, kWord, kPrototype };

  Limit limit;
  std::uint64_t allowed;
  /// Name of the list, for kItems.
  std::string list;
};

/// Reads a document up to the first limit that it exceeds, without building anything. Nothing is returned for a text
/// that is not JSON and exceeds no limit before its first error: a parser refuses it there.
std::optional<JsonExcess> findJsonExcess(std::span<const std::uint8_t> json, const JsonLimits& limits);

}  // namespace rolltape
