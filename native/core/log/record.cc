#include "record.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "../base/crc32c.h"
#include "../base/error.h"
#include "../base/size.h"

namespace rolltape {

namespace {

static_assert(std::endian::native == std::endian::little, "headers are copied as they are in memory");

struct RecordHeader {
  std::array<char, 4> magic;
  std::uint32_t checksum;
  std::array<std::uint8_t, 8> log;
  std::uint64_t segment;
  std::uint64_t before;
  std::uint32_t number;
  /// Length of the changes in bytes.
  std::uint32_t length;
};
static_assert(sizeof(RecordHeader) == 40);

struct ChangeHeader {
  std::uint8_t table;
  std::uint8_t zero;
  std::uint16_t keyLength;
  /// kRemoved: the change has no value.
  std::uint32_t valueLength;
};
static_assert(sizeof(ChangeHeader) == 8);

constexpr std::array<char, 4> kMagic{'R', 'T', 'L', 'G'};
constexpr std::size_t kCheckedFrom = offsetof(RecordHeader, log);
constexpr std::uint32_t kRemoved = 0xffffffff;
constexpr std::size_t kMaxKeyBytes = std::numeric_limits<std::uint16_t>::max();
/// Changes begin at multiples of this.
constexpr std::size_t kAlignment = 8;

std::size_t valueLengthOf(const LogChange& change) {
  return change.value ? change.value->size() : 0;
}

std::uint64_t measure(std::span<const LogChange> changes) {
  std::uint64_t bytes = 0;
  for (const LogChange& change : changes) {
    if (change.key.size() > kMaxKeyBytes) throw Error(ErrorCode::kInvalidArg, "keys: expected at most 65535 bytes");
    bytes += checkedRoundUp(sizeof(ChangeHeader) + change.key.size() + valueLengthOf(change), kAlignment);
  }
  if (sizeof(RecordHeader) + bytes > LogRecord::kMaxBytes) {
    throw Error(ErrorCode::kInvalidArg,
                "values: expected at most " + std::to_string(LogRecord::kMaxBytes) + " bytes in a record");
  }
  return bytes;
}

std::uint8_t* writeChange(std::uint8_t* to, const LogChange& change) {
  const auto valueLength = static_cast<std::uint32_t>(valueLengthOf(change));
  const ChangeHeader header{.table = change.table,
                            .zero = 0,
                            .keyLength = static_cast<std::uint16_t>(change.key.size()),
                            .valueLength = change.value ? valueLength : kRemoved};
  std::memcpy(to, &header, sizeof header);
  std::uint8_t* end = std::copy(change.key.begin(), change.key.end(), to + sizeof header);
  if (change.value) end = std::copy(change.value->begin(), change.value->end(), end);
  const std::size_t padding =
      (kAlignment - (sizeof header + change.key.size() + valueLength) % kAlignment) % kAlignment;
  return std::fill_n(end, padding, std::uint8_t{0});
}

}  // namespace

LogRecord::LogRecord(std::span<const LogChange> changes)
    : changesLength_(measure(changes)),
      byteLength_(checkedRoundUp(sizeof(RecordHeader) + changesLength_, kUnitBytes)),
      bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(byteLength_)) {
  std::uint8_t* at = bytes_.get() + sizeof(RecordHeader);
  for (const LogChange& change : changes) at = writeChange(at, change);
  std::fill(at, bytes_.get() + byteLength_, std::uint8_t{0});
}

void LogRecord::seal(const RecordPlace& place) {
  RecordHeader header{.magic = kMagic,
                      .checksum = 0,
                      .log = place.log,
                      .segment = place.segment,
                      .before = place.before,
                      .number = place.number,
                      .length = static_cast<std::uint32_t>(changesLength_)};
  std::memcpy(bytes_.get(), &header, sizeof header);
  header.checksum = crc32c(bytes().first(sizeof header + changesLength_).subspan(kCheckedFrom));
  std::memcpy(bytes_.get(), &header, sizeof header);
}

}  // namespace rolltape
