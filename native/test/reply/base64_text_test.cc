#include "../../core/reply/base64_text.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "../support.h"

namespace rolltape {
namespace {

/// Reads characters in pieces of `size`. Returns the bytes and what follows the string; absent if it is refused or does
/// not end.
std::optional<std::pair<std::string, std::string>> readIn(std::string_view chars, std::size_t size) {
  Base64Text text("text");
  std::string bytes;
  const auto add = [&](std::span<const std::byte> part) {
    bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
  };
  try {
    for (std::size_t at = 0; at < chars.size(); at += size) {
      const std::size_t read = text.read(chars.substr(at, size), add);
      if (text.ended()) return {{bytes, std::string(chars.substr(at + read))}};
      EXPECT_EQ(std::min(size, chars.size() - at), read);
    }
  } catch (const Error& error) {
    EXPECT_EQ(ErrorCode::kReplyMalformed, error.code());
  }
  return std::nullopt;
}

std::string encode(const std::string& bytes) {
  std::string text(base64Length(bytes.size()), '?');
  writeBase64(test::bytesOf(bytes), text.data());
  return text;
}

TEST(Base64Text, IsReadUpToItsQuoteHoweverItIsCut) {
  for (std::size_t length = 0; length < 120; ++length) {
    std::string bytes;
    for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(i * 37 + length);
    const std::string chars = encode(bytes) + "\",\"next\":1}";
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}, std::size_t{33},
                                   std::size_t{64}, std::size_t{1000}}) {
      const auto read = readIn(chars, size);
      ASSERT_TRUE(read) << length << " in " << size;
      ASSERT_EQ(bytes, read->first) << length << " in " << size;
    }
    EXPECT_EQ(",\"next\":1}", readIn(chars, chars.size())->second);
  }
}

TEST(Base64Text, OfSeveralPartsIsReadWhole) {
  const std::string bytes(20'000, '\xff');
  for (const std::size_t size : {std::size_t{4095}, std::size_t{4096}, std::size_t{65'536}}) {
    EXPECT_EQ(bytes, readIn(encode(bytes) + '"', size)->first);
  }
}

TEST(Base64Text, MayHaveEscapes) {
  for (std::size_t size = 1; size < 20; ++size) {
    EXPECT_EQ("\xff\xff\xff", readIn(R"(\/\/\u002f/")", size)->first);
    EXPECT_EQ("\xfb\xef", readIn(R"(++\u0038=")", size)->first);
  }
}

TEST(Base64Text, IsRefusedIfItIsSomethingElse) {
  for (const std::string_view chars :
       {"A\"",        "AA\"",          "AAA\"",   "A===\"", "AA==AA==\"", "AAA=A\"",   "====\"",
        "AA=A\"",     "AB==\"",        "AAA\n\"", "A A=\"", "AAA-\"",     "AAA\x80\"", R"(\"AAA")",
        R"(\x41AA")", R"(\u00ffAAA")", R"(\n)",   "AAAA",   "AAAA=\"",    R"(AAAA\")"}) {
    for (std::size_t size = 1; size < 12; ++size) EXPECT_FALSE(readIn(chars, size)) << chars;
  }
}

TEST(Base64Text, IsRefusedAtAControlCharacterBeforeItsGroupIsWhole) {
  Base64Text text("experts");
  EXPECT_CODE(kReplyMalformed, text.read(std::string_view("QUJD\0", 5), [](auto) {}));
}

/// A bad character is found at every place of a text that is long enough for whole blocks.
TEST(Base64Text, IsRefusedWithABadCharacterAnywhere) {
  const std::string good(200, 'z');
  ASSERT_TRUE(readIn(good + '"', 1000));
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char bad : {'-', ' ', '\0', '\x7f', '\x80', '@', '[', '`', '{', ':', '.', ',', '='}) {
      std::string text = good;
      text[at] = bad;
      const bool isPadding = bad == '=' && at == good.size() - 1;
      ASSERT_FALSE(!isPadding && readIn(text + '"', 1000)) << at;
      ASSERT_FALSE(!isPadding && readIn(text + '"', 7)) << at;
    }
  }
}

}  // namespace
}  // namespace rolltape
