#include "../../core/base/base64.h"

#include <gtest/gtest.h>

#include "../support.h"

namespace rolltape {
namespace {

std::string encode(std::span<const std::uint8_t> bytes) {
  std::string text(base64Length(bytes.size()), '?');
  EXPECT_EQ(text.data() + text.size(), writeBase64(bytes, text.data()));
  return text;
}

TEST(Base64, AgreesWithRfc4648) {
  EXPECT_EQ("", encode(test::bytesOf("")));
  EXPECT_EQ("Zg==", encode(test::bytesOf("f")));
  EXPECT_EQ("Zm8=", encode(test::bytesOf("fo")));
  EXPECT_EQ("Zm9v", encode(test::bytesOf("foo")));
  EXPECT_EQ("Zm9vYg==", encode(test::bytesOf("foob")));
  EXPECT_EQ("Zm9vYmE=", encode(test::bytesOf("fooba")));
  EXPECT_EQ("Zm9vYmFy", encode(test::bytesOf("foobar")));
}

/// Bit by bit.
std::vector<std::uint8_t> decode(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(alphabet.find(c));
    count += 6;
    if (count >= 8) bytes.push_back(static_cast<std::uint8_t>(bits >> (count -= 8)));
  }
  return bytes;
}

/// Reads into memory of exactly the right size, so that a sanitizer sees a byte written behind it.
std::optional<std::vector<std::uint8_t>> readAll(std::string_view text) {
  const std::optional<std::uint64_t> length = decodedLength(text);
  if (!length) return std::nullopt;
  std::vector<std::uint8_t> bytes(*length);
  if (!readBase64(text, reinterpret_cast<std::byte*>(bytes.data()))) return std::nullopt;
  return bytes;
}

TEST(Base64, DecodesToWhatWasEncoded) {
  test::Random random(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint8_t> bytes(random.below(70));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    const std::string text = encode(bytes);
    EXPECT_EQ(bytes, decode(text));
    EXPECT_EQ(bytes, readAll(text));
  }
}

TEST(Base64, DecodesTextsOfEveryLength) {
  for (std::size_t length = 0; length < 300; ++length) {
    std::vector<std::uint8_t> bytes(length);
    for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::uint8_t>(i * 151 + length);
    ASSERT_EQ(bytes, readAll(encode(bytes))) << length;
  }
}

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes groups into memory that has exactly the slack behind them.
std::vector<std::uint8_t> readGroups(std::string_view text) {
  std::vector<std::uint8_t> bytes(text.size() / 4 * 3 + kBase64Slack);
  bytes.resize(readBase64Groups(text, reinterpret_cast<std::byte*>(bytes.data())) / 4 * 3);
  return bytes;
}

TEST(Base64, KnowsEveryCharacterAtEveryPlace) {
  const std::string before(64, 'k');
  for (int value = 0; value < 256; ++value) {
    const char c = static_cast<char>(value);
    for (std::size_t at = 0; at < before.size(); ++at) {
      std::string text = before;
      text[at] = c;
      const std::size_t isKnown = kAlphabet.find(c) != std::string_view::npos;
      const std::vector<std::uint8_t> expected = decode(std::string_view(text).substr(0, isKnown ? 64 : at / 4 * 4));
      ASSERT_EQ(expected, readGroups(text)) << value << " at " << at;
      ASSERT_EQ(isKnown || (c == '=' && at == 63), readAll(text).has_value()) << value << " at " << at;
    }
  }
}

TEST(Base64, DecodesGroupsUpToTheFirstThatIsNone) {
  const std::string text(200, 'Q');
  for (std::size_t length = 0; length <= text.size(); ++length) {
    ASSERT_EQ(length / 4 * 3, readGroups(std::string_view(text).substr(0, length)).size());
    for (const char* const end : {"=", "==", "\"", "\\", "\n"}) {
      ASSERT_EQ(decode(text.substr(0, length / 4 * 4)), readGroups(text.substr(0, length) + end)) << length;
    }
  }
}

TEST(Base64, RefusesOtherTexts) {
  for (const std::string_view text : {"Z", "Zg", "Zg=", "Zm9v=", "Zg==Zg==", "Zm9vZ===", "====", "Zm\n9", "Zm9-",
                                      "Zm_v", "Zh==", "Zm9v\xff\x80gg", "Zm9vZm9=Zm9v"}) {
    EXPECT_EQ(std::nullopt, readAll(text)) << text;
  }
}

}  // namespace
}  // namespace rolltape
