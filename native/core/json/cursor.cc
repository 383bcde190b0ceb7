#include "cursor.h"

#include <locale.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "../base/error.h"
#include "../base/utf8.h"

namespace rolltape {

void JsonCursor::fail(const std::string& what) const {
  throw Error(ErrorCode::kReplyMalformed, "invalid JSON at byte " + std::to_string(offset()) + ": " + what);
}

char JsonCursor::peekAfterSpace() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  if (at_ == end_) fail("the text ends");
  return *at_;
}

void JsonCursor::failExpected(char c) const {
  fail(std::string("expected '") + c + "'");
}

void JsonCursor::literal(std::string_view word) {
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
    fail("expected " + std::string(word));
  }
  at_ += word.size();
}

void JsonCursor::finish() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  if (at_ != end_) fail("text after the end");
}

bool JsonCursor::digits() {
  const char* first = at_;
  while (at_ < end_ && *at_ >= '0' && *at_ <= '9') ++at_;
  return at_ != first;
}

std::string_view JsonCursor::numberText() {
  const char first = peek();
  const char* start = at_;
  if (first == '-') ++at_;
  if (at_ < end_ && *at_ == 'I') {
    literal("Infinity");
  } else if (first == 'N') {
    literal("NaN");
  } else {
    const bool zero = at_ < end_ && *at_ == '0';
    if (zero) {
      ++at_;
    } else if (!digits()) {
      fail("expected a number");
    }
    if (at_ < end_ && *at_ == '.' && (++at_, !digits())) fail("expected a digit");
    if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!digits()) fail("expected a digit");
    }
  }
  return {start, static_cast<std::size_t>(at_ - start)};
}

double JsonCursor::number() {
  const std::string_view text = numberText();
  const bool negative = text.starts_with('-');
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text.ends_with('N')) return std::numeric_limits<double>::quiet_NaN();
  if (text.ends_with('y')) return negative ? -infinity : infinity;
  // std::from_chars reads no float64 in the C++ library of macOS. This is for numbers that scanDecimal does not read.
  static const locale_t pointIsDecimal = newlocale(LC_ALL_MASK, "C", nullptr);
  return strtod_l(std::string(text).c_str(), nullptr, pointIsDecimal);
}

std::int64_t JsonCursor::integer(const char* name, std::int64_t lowest, std::int64_t highest) {
  peek();
  const JsonCursor before = *this;
  const std::string_view text = numberText();
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < lowest || value > highest) {
    before.fail(std::string(name) + " must be an integer from " + std::to_string(lowest) + " to " +
                std::to_string(highest));
  }
  return value;
}

namespace {

/// Number of characters that are checked together, which compilers turn into a few vector instructions.
constexpr std::ptrdiff_t kPlainBlock = 32;

/// Returns true if a character stands for itself in a string.
bool isPlain(char c) {
  return (c != '"') & (c != '\\') & (static_cast<unsigned char>(c) >= 0x20);
}

constexpr int kShortWords = 4;

bool isPlainBlock(const char* at) {
  // Bytes and not bools: GCC 12 makes no vectors of those.
  std::uint8_t others = 0;
  for (std::ptrdiff_t i = 0; i < kPlainBlock; ++i) others |= static_cast<std::uint8_t>(isPlain(at[i]) ? 0 : 1);
  return others == 0;
}

}  // namespace

std::string JsonCursor::string() {
  std::string decoded;
  return std::string(stringView(decoded));
}

const char* JsonCursor::plainEnd() const {
  const char* at = at_;
  // Keys are short, and end in one of the first words.
  for (int word = 0; word < kShortWords && end_ - at >= json::kWordBytes; ++word, at += json::kWordBytes) {
    if (const std::uint64_t others = json::othersInWord(at)) return at + std::countr_zero(others) / 8;
  }
  while (end_ - at >= kPlainBlock && isPlainBlock(at)) at += kPlainBlock;
  for (; end_ - at >= json::kWordBytes; at += json::kWordBytes) {
    if (const std::uint64_t others = json::othersInWord(at)) return at + std::countr_zero(others) / 8;
  }
  while (at < end_ && isPlain(*at)) ++at;
  return at;
}

/// Reads a string after its opening quote, including the closing one. Calls `onPlain(text)` for characters that stand
/// for themselves, and `onEscape(code point)` for each escape.
template <typename OnPlain, typename OnEscape>
void JsonCursor::readString(OnPlain onPlain, OnEscape onEscape) {
  while (true) {
    const char* start = at_;
    at_ = plainEnd();
    onPlain(std::string_view(start, static_cast<std::size_t>(at_ - start)));
    if (at_ == end_) fail("the text ends in a string");
    const char c = *at_;
    if (c != '"' && c != '\\') fail("a control character in a string");
    ++at_;
    if (c == '"') return;
    onEscape(escape());
  }
}

std::string_view JsonCursor::stringView(std::string& decoded) {
  expect('"');
  std::string_view first;
  bool single = true;
  readString(
      [&](std::string_view plain) {
        if (single) {
          first = plain;
        } else {
          decoded += plain;
        }
      },
      [&](std::uint32_t point) {
        if (single) decoded = first;
        single = false;
        appendUtf8(decoded, point);
      });
  return single ? first : decoded;
}

/// Reads an escape after its backslash. Returns its code point; a lone surrogate is returned as it is.
std::uint32_t JsonCursor::escape() {
  if (at_ == end_) fail("the text ends in a string");
  constexpr std::string_view from = "\"\\/bfnrt";
  constexpr std::string_view to = "\"\\/\b\f\n\r\t";
  const std::size_t simple = from.find(*at_);
  if (simple != std::string_view::npos) {
    ++at_;
    return static_cast<unsigned char>(to[simple]);
  }
  if (*at_ != 'u') fail("an escape that JSON does not have");
  ++at_;
  const std::uint32_t high = hexUnit();
  if (high < 0xd800 || high >= 0xdc00 || end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') return high;
  const char* second = at_;
  at_ += 2;
  const std::uint32_t low = hexUnit();
  if (low >= 0xdc00 && low < 0xe000) return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  at_ = second;
  return high;
}

std::uint32_t JsonCursor::hexUnit() {
  std::uint32_t unit = 0;
  if (end_ - at_ < 4) fail("the text ends in an escape");
  const auto read = std::from_chars(at_, at_ + 4, unit, 16);
  if (read.ec != std::errc() || read.ptr != at_ + 4) fail("expected four hexadecimal digits");
  at_ += 4;
  return unit;
}

void JsonCursor::skip() {
  switch (peek()) {
    case '{':
      return object([this](std::string_view) { skip(); });
    case '[':
      return array([this] { skip(); });
    case '"':
      ++at_;
      return readString([](std::string_view) {}, [](std::uint32_t) {});
    case 't':
      return literal("true");
    case 'f':
      return literal("false");
    case 'n':
      return literal("null");
    default:
      numberText();
  }
}

}  // namespace rolltape
