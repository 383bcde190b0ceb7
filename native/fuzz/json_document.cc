#include "json_document.h"

#include <cerrno>
#include <cstdlib>

namespace rolltape::fuzz {

namespace {

struct NotJson {};

class Parser {
 public:
  Parser(std::string_view text, int maxDepth) : left_(text), depthLeft_(maxDepth) {}

  JsonValue document() {
    JsonValue value = parse();
    space();
    if (!left_.empty()) throw NotJson();
    return value;
  }

 private:
  void space() {
    while (!left_.empty() && std::string_view(" \t\r\n").find(left_[0]) != std::string_view::npos)
      left_.remove_prefix(1);
  }
  char next() {
    if (left_.empty()) throw NotJson();
    const char c = left_[0];
    left_.remove_prefix(1);
    return c;
  }
  bool skipIf(std::string_view text) {
    if (!left_.starts_with(text)) return false;
    left_.remove_prefix(text.size());
    return true;
  }
  bool skipTokenIf(char token) {
    space();
    return skipIf(std::string_view(&token, 1));
  }

  JsonValue parse() {
    space();
    if (skipIf("{")) return object();
    if (skipIf("[")) return array();
    if (skipIf("\"")) return {JsonValue::Kind::kString, string(), {}, {}};
    for (const char* word : {"true", "false", "null"}) {
      if (skipIf(word)) return {JsonValue::Kind::kWord, word, {}, {}};
    }
    return {JsonValue::Kind::kNumber, number(), {}, {}};
  }

  JsonValue array() {
    JsonValue value{JsonValue::Kind::kArray, "", {}, {}};
    if (--depthLeft_ < 0) throw NotJson();
    if (!skipTokenIf(']')) {
      do value.items.push_back(parse());
      while (skipTokenIf(','));
      if (!skipTokenIf(']')) throw NotJson();
    }
    ++depthLeft_;
    return value;
  }

  JsonValue object() {
    JsonValue value{JsonValue::Kind::kObject, "", {}, {}};
    if (--depthLeft_ < 0) throw NotJson();
    if (!skipTokenIf('}')) {
      do {
        if (!skipTokenIf('"')) throw NotJson();
        value.keys.push_back(string());
        if (!skipTokenIf(':')) throw NotJson();
        value.items.push_back(parse());
      } while (skipTokenIf(','));
      if (!skipTokenIf('}')) throw NotJson();
    }
    ++depthLeft_;
    return value;
  }

  std::string digits() {
    std::string text;
    while (!left_.empty() && left_[0] >= '0' && left_[0] <= '9') text += next();
    if (text.empty()) throw NotJson();
    return text;
  }

  std::string number() {
    if (skipIf("NaN")) return "NaN";
    std::string text = skipIf("-") ? "-" : "";
    if (skipIf("Infinity")) return text + "Infinity";
    const std::string integer = digits();
    if (integer.size() > 1 && integer[0] == '0') throw NotJson();
    text += integer;
    if (skipIf(".")) text += "." + digits();
    if (skipIf("e") || skipIf("E")) {
      text += "e";
      if (skipIf("-"))
        text += "-";
      else
        skipIf("+");
      text += digits();
    }
    return text;
  }

  std::string string() {
    std::string text;
    while (true) {
      const char c = next();
      if (c == '"') return text;
      if (static_cast<unsigned char>(c) < 0x20) throw NotJson();
      text += c == '\\' ? escaped() : std::string(1, c);
    }
  }

  std::string escaped() {
    const char c = next();
    switch (c) {
      case '"':
      case '\\':
      case '/':
        return std::string(1, c);
      case 'b':
        return "\b";
      case 'f':
        return "\f";
      case 'n':
        return "\n";
      case 'r':
        return "\r";
      case 't':
        return "\t";
      case 'u':
        return utf8(codePoint());
      default:
        throw NotJson();
    }
  }

  std::uint32_t unit() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      const std::string_view hexadecimal = "0123456789abcdefABCDEF";
      const std::size_t digit = hexadecimal.find(next());
      if (digit == std::string_view::npos) throw NotJson();
      value = value * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
    }
    return value;
  }

  std::uint32_t codePoint() {
    constexpr std::uint32_t replacement = 0xfffd;
    const std::uint32_t first = unit();
    if (first < 0xd800 || first > 0xdfff) return first;
    const std::string_view before = left_;
    if (first <= 0xdbff && skipIf("\\u")) {
      const std::uint32_t second = unit();
      if (second >= 0xdc00 && second <= 0xdfff) return 0x10000 + (first - 0xd800) * 0x400 + (second - 0xdc00);
      left_ = before;
    }
    return replacement;
  }

  static std::string utf8(std::uint32_t point) {
    const auto tail = [&](int shift) { return static_cast<char>(0x80 + (point >> shift) % 64); };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xc0 + (point >> 6)), tail(0)};
    if (point < 0x10000) return {static_cast<char>(0xe0 + (point >> 12)), tail(6), tail(0)};
    return {static_cast<char>(0xf0 + (point >> 18)), tail(12), tail(6), tail(0)};
  }

  std::string_view left_;
  int depthLeft_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (std::size_t i = keys.size(); i-- > 0;) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

std::optional<std::int64_t> JsonValue::integer(std::int64_t lowest, std::int64_t highest) const {
  if (kind != Kind::kNumber || text.find_first_of(".eNI") != std::string::npos) return std::nullopt;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), nullptr, 10);
  if (errno == ERANGE || value < lowest || value > highest) return std::nullopt;
  return value;
}

std::optional<JsonValue> parseJson(std::string_view text, int maxDepth) {
  try {
    return Parser(text, maxDepth).document();
  } catch (const NotJson&) {
    return std::nullopt;
  }
}

}  // namespace rolltape::fuzz
