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

TEST(Base64, RefusesOtherTexts) {
  for (const std::string_view text : {"Z", "Zg", "Zg=", "Zm9v=", "Zg==Zg==", "Zm9vZ===", "====", "Zm\n9", "Zm9-",
                                      "Zm_v", "Zh==", "Zm9v\xff\x80gg", "Zm9vZm9=Zm9v"}) {
    EXPECT_EQ(std::nullopt, readAll(text)) << text;
  }
}

}  // namespace
}  // namespace rolltape
