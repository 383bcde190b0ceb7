#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace rolltape {

namespace json {

inline constexpr std::ptrdiff_t kWordBytes = 8;

static_assert(std::endian::native == std::endian::little, "the first of eight characters is the lowest byte");

/// The lowest bit that is set lies in the first of eight characters that does not stand for itself in a string; 0 where
/// all do. What is borrowed from a byte spoils only the ones above it.
inline std::uint64_t othersInWord(const char* at) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const std::uint64_t quotes = word ^ (ones * '"');
  const std::uint64_t backslashes = word ^ (ones * '\\');
  const std::uint64_t controls = (word - ones * 0x20) & ~word;
  return (((quotes - ones) & ~quotes) | ((backslashes - ones) & ~backslashes) | controls) & (ones * 0x80);
}

}  // namespace json

/// A text behind which kSlack more bytes can be read, whatever they are.
struct RoomyText {
  static constexpr std::size_t kSlack = 96;

  std::span<const std::uint8_t> bytes;
};

/// Reads JSON (RFC 8259, and the NaN, Infinity and -Infinity that Python's json writes) from left to right without
/// building anything. Whatever is not JSON throws Error kReplyMalformed with the byte offset.
class JsonCursor {
 public:
  static constexpr int kMaxDepth = 128;
  static constexpr std::ptrdiff_t kShortKeyBytes = 32;

  explicit JsonCursor(std::span<const std::uint8_t> text)
      : begin_(reinterpret_cast<const char*>(text.data())), at_(begin_), end_(begin_ + text.size()) {}

  /// What is read ahead of need may lie in the slack; what counts does not.
  explicit JsonCursor(RoomyText text) : JsonCursor(text.bytes) { slack_ = RoomyText::kSlack; }

  /// The next character that is not white space.
  char peek() {
    if (end_ > at_ && static_cast<unsigned char>(*at_) > ' ') return *at_;
    return peekAfterSpace();
  }
  bool consume(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!consume(c)) failExpected(c);
  }
  bool consumeNull() { return peek() == 'n' && (literal("null"), true); }

  /// Calls `onKey(key)` for each member; it must read the value, and may use the key until then.
  template <typename OnKey>
  void object(OnKey onKey) {
    open('{');
    if (!consume('}')) {
      do {
        std::string decoded;
        const std::string_view key = readKey(decoded);
        expect(':');
        onKey(key);
      } while (consume(','));
      expect('}');
    }
    --depth_;
  }
  /// Calls `onItem()` for each item; it must read it.
  template <typename OnItem>
  void array(OnItem onItem) {
    arrayBehind([](std::string_view) { return std::size_t{0}; }, onItem);
  }
  /// The same for an array whose first items need not be read. `knownBytes(rest)` says how many bytes behind the
  /// bracket they take, up to the comma or bracket that follows them. Gives the text of all items.
  template <typename KnownBytes, typename OnItem>
  std::string_view arrayBehind(KnownBytes knownBytes, OnItem onItem) {
    open('[');
    const char* first = at_;
    const std::size_t known = knownBytes(rest());
    at_ += known;
    if (!consume(']')) {
      if (known > 0) expect(',');
      do onItem();
      while (consume(','));
      expect(']');
    }
    --depth_;
    return {first, static_cast<std::size_t>(at_ - 1 - first)};
  }

  std::string string();
  /// The same without a copy where the string has no escapes; otherwise the view is of `decoded`.
  std::string_view text(std::string& decoded) { return stringView(decoded); }
  /// The text of a number, or one of Python's three words.
  std::string_view numberText();
  /// NaN and infinities come as such; a number beyond float64 as an infinity.
  double number();
  /// An integer in [lowest, highest]; `name` says what it is.
  std::int64_t integer(const char* name, std::int64_t lowest, std::int64_t highest);
  void skip();
  /// Nothing but white space may be left.
  void finish();

  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  /// What was not read yet, for who reads a part of it in a way of its own and then says how far that went.
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  void advance(std::size_t bytes) { at_ += bytes; }
  /// Whether so many bytes can be read from here, some of them perhaps behind the end.
  bool hasRoom(std::size_t bytes) const { return static_cast<std::size_t>(end_ - at_) + slack_ >= bytes; }
  /// Goes on at `end`, where a part was read up to there. False where nothing was read, or more than the text has.
  bool advanceTo(const char* end) {
    if (end == nullptr || end > end_) return false;
    at_ = end;
    return true;
  }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  char peekAfterSpace();
  void open(char bracket) {
    expect(bracket);
    if (++depth_ > kMaxDepth) fail("nested too deeply");
  }
  [[noreturn]] void failExpected(char c) const;
  void literal(std::string_view word);
  bool digits();
  std::string_view stringView(std::string& decoded);
  /// The same, without a call for what most keys are: short, and spelled as they read.
  std::string_view readKey(std::string& decoded) {
    if (peek() != '"') failExpected('"');
    const char* first = at_ + 1;
    for (const char* at = first; end_ - at >= json::kWordBytes && at - first < kShortKeyBytes; at += json::kWordBytes) {
      const std::uint64_t others = json::othersInWord(at);
      if (others == 0) continue;
      at += std::countr_zero(others) / 8;
      if (*at != '"') break;
      at_ = at + 1;
      return {first, static_cast<std::size_t>(at - first)};
    }
    return stringView(decoded);
  }
  template <typename OnPlain, typename OnEscape>
  void readString(OnPlain onPlain, OnEscape onEscape);
  const char* plainEnd() const;
  std::uint32_t escape();
  std::uint32_t hexUnit();

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t slack_ = 0;
  int depth_ = 0;
};

}  // namespace rolltape
