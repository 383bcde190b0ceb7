#include "../../core/log/record.h"

#include <gtest/gtest.h>

#include <vector>

#include "../../core/base/crc32c.h"
#include "../support.h"

namespace rolltape {
namespace {

using test::bytesOf;

constexpr RecordPlace kPlace{.log = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7},
                             .segment = 0x0102030405060708,
                             .before = 0x1112131415161718,
                             .number = 0x21222324};

TEST(LogRecord, HasTheDocumentedBytes) {
  const std::vector<LogChange> changes{
      {.table = 3, .key = bytesOf("key"), .value = bytesOf("value")},
      {.table = 1, .key = bytesOf("gone!"), .value = std::nullopt},
      {.table = 0, .key = {}, .value = bytesOf("")},
  };
  LogRecord record(changes);
  record.seal(kPlace);
  std::vector<std::uint8_t> expected{
      'R',  'T',  'L',  'G',  0,    0,    0,    0,     // magic, checksum
      0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,  // log
      8,    7,    6,    5,    4,    3,    2,    1,     // segment
      0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,  // before
      0x24, 0x23, 0x22, 0x21, 40,   0,    0,    0,     // number, length
      3,    0,    3,    0,    5,    0,    0,    0,     // a value
      'k',  'e',  'y',  'v',  'a',  'l',  'u',  'e',   //
      1,    0,    5,    0,    0xff, 0xff, 0xff, 0xff,  // a removal
      'g',  'o',  'n',  'e',  '!',  0,    0,    0,     //
      0,    0,    0,    0,    0,    0,    0,    0,     // an empty value
  };
  const std::uint32_t checksum = crc32c(std::span(expected).subspan(8));
  for (std::size_t i = 0; i < 4; ++i) expected[4 + i] = static_cast<std::uint8_t>(checksum >> (8 * i));
  expected.resize(4096);
  EXPECT_EQ(expected, std::vector(record.bytes().begin(), record.bytes().end()));
}

TEST(LogRecord, IsPaddedToAMultipleOfItsUnit) {
  const auto sizeOf = [](std::size_t valueLength) {
    const std::vector<std::uint8_t> value(valueLength, 1);
    const LogChange change{.table = 0, .key = {}, .value = value};
    return LogRecord(std::span(&change, 1)).bytes().size();
  };
  EXPECT_EQ(4096u, sizeOf(4096 - 40 - 8));
  EXPECT_EQ(8192u, sizeOf(4096 - 40 - 8 + 1));
}

TEST(LogRecord, RefusesLongKeysAndLargeRecords) {
  const std::vector<std::uint8_t> key(65536);
  const LogChange longKey{.table = 0, .key = key, .value = std::nullopt};
  EXPECT_CODE(kInvalidArg, LogRecord(std::span(&longKey, 1)));
  // No memory is behind this span, and nothing reads it.
  const LogChange large{.table = 0, .key = {}, .value = std::span(key.data(), LogRecord::kMaxBytes - 40)};
  EXPECT_CODE(kInvalidArg, LogRecord(std::span(&large, 1)));
  const LogChange longest{.table = 0, .key = std::span(key).first(65535), .value = std::nullopt};
  EXPECT_EQ(69632u, LogRecord(std::span(&longest, 1)).bytes().size());
}

}  // namespace
}  // namespace rolltape
