#include "../../core/base/siphash.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "../support.h"

namespace rolltape {
namespace {

std::string hex(const SipHash128::Digest& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::vector<std::uint8_t> counting(std::size_t length) {
  std::vector<std::uint8_t> bytes(length);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

SipKey countingKey() {
  SipKey key;
  std::iota(key.begin(), key.end(), std::uint8_t{0});
  return key;
}

// The published vectors: key 00..0f, message 00, 01, … of so many bytes.
TEST(SipHash128, AgreesWithThePublishedVectors) {
  const std::vector<std::pair<std::size_t, std::string>> vectors{
      {0, "a3817f04ba25a8e66df67214c7550293"},  {1, "da87c1d86b99af44347659119b22fc45"},
      {7, "a1f1ebbed8dbc153c0b84aa61ff08239"},  {8, "3b62a9ba6258f5610f83e264f31497b4"},
      {9, "264499060ad9baabc47f8b02bb6d71ed"},  {15, "5493e99933b0a8117e08ec0f97cfc3d9"},
      {16, "6ee2a4ca67b054bbfd3315bf85230577"}, {63, "5150d1772f50834a503e069a973fbd7c"},
  };
  for (const auto& [length, expected] : vectors) {
    SipHash128 hash(countingKey());
    hash.update(counting(length));
    EXPECT_EQ(expected, hex(hash.finish())) << length;
  }
}

TEST(SipHash128, TakesItsMessageInAnyPieces) {
  test::Random random(3);
  const std::vector<std::uint8_t> message = counting(100);
  SipHash128 whole(countingKey());
  whole.update(message);
  const std::string expected = hex(whole.finish());
  for (int round = 0; round < 200; ++round) {
    SipHash128 hash(countingKey());
    for (std::span<const std::uint8_t> left = message; !left.empty();) {
      const std::size_t taken = std::min<std::size_t>(random.below(20), left.size());
      hash.update(left.first(taken));
      left = left.subspan(taken);
    }
    EXPECT_EQ(expected, hex(hash.finish()));
  }
}

TEST(MessageDigest, TellsWhereOneMessageEndsAndTheNextBegins) {
  using Messages = std::vector<std::string>;
  EXPECT_NE(test::digestsOf(Messages{"ab", "c"}).back(), test::digestsOf(Messages{"a", "bc"}).back());
  EXPECT_NE(test::digestsOf(Messages{"ab"}).back(), test::digestsOf(Messages{"ab", ""}).back());
  EXPECT_EQ(test::digestsOf(Messages{"ab", "c"}).front(), test::digestsOf(Messages{"ab", "d"}).front());
}

}  // namespace
}  // namespace rolltape
