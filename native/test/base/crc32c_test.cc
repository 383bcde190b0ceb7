#include "../../core/base/crc32c.h"

#include <gtest/gtest.h>

#include "../support.h"

namespace rolltape {
namespace {

/// One bit at a time, as the polynomial is defined.
std::uint32_t slowCrc32c(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = ~0u;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
  }
  return ~crc;
}

TEST(Crc32c, AgreesWithPublishedValues) {
  EXPECT_EQ(0u, crc32c({}));
  EXPECT_EQ(0xe3069283, crc32c(test::bytesOf("123456789")));
  // RFC 3720, appendix B.4.
  EXPECT_EQ(0x8a9136aa, crc32c(std::vector<std::uint8_t>(32, 0)));
  EXPECT_EQ(0x62a8ab43, crc32c(std::vector<std::uint8_t>(32, 0xff)));
}

TEST(Crc32c, AgreesWithABitwiseChecksumAtEveryLengthAndAddress) {
  test::Random random(1);
  std::vector<std::uint8_t> bytes(200);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  const std::span<const std::uint8_t> all(bytes);
  for (std::size_t from = 0; from < 17; ++from) {
    for (std::size_t length = 0; length <= all.size() - from; ++length) {
      const std::uint32_t expected = slowCrc32c(all.subspan(from, length));
      ASSERT_EQ(expected, crc32c(all.subspan(from, length)));
      ASSERT_EQ(expected, crc32cByTable(all.subspan(from, length)));
    }
  }
}

TEST(Crc32c, OfJoinedBytesIsThatOfTheSecondPartWithTheFirstAsSeed) {
  const auto all = test::bytesOf("the checksum of both parts, wherever they are cut");
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    const auto [first, second] = std::pair(all.first(cut), all.subspan(cut));
    ASSERT_EQ(slowCrc32c(all), crc32c(second, crc32c(first)));
    ASSERT_EQ(slowCrc32c(all), crc32cByTable(second, crc32cByTable(first)));
  }
}

}  // namespace
}  // namespace rolltape
