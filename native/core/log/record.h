#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace rolltape {

/// Sets or removes the value of a key in a table.
struct LogChange {
  std::uint8_t table;
  std::span<const std::uint8_t> key;
  /// Absent: the key is removed.
  std::optional<std::span<const std::uint8_t>> value;
};

/// The log, the segment and the position of a record.
struct RecordPlace {
  std::array<std::uint8_t, 8> log;
  std::uint64_t segment;
  /// Where the records of the previous segment end, in bytes.
  std::uint64_t before;
  /// Number of the record in its segment.
  std::uint32_t number;
};

/// A record of the log: a header of 40 bytes and changes, then zeros up to a multiple of kUnitBytes. A change is a
/// header of 8 bytes, key, value, and zeros up to a multiple of 8. All numbers are little-endian. The checksum covers
/// the header from the id of the log on, and the changes.
class LogRecord {
 public:
  /// Records begin at multiples of this, so that a disk that fails during a write cannot damage earlier records.
  static constexpr std::size_t kUnitBytes = 4096;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 31;

  /// Copies the changes. seal() adds the header.
  /// @throws kInvalidArg if a key has more than 65,535 bytes, or the record more than kMaxBytes
  explicit LogRecord(std::span<const LogChange> changes);

  /// Computes the checksum and writes the header.
  void seal(const RecordPlace& place);

  std::span<const std::uint8_t> bytes() const { return {bytes_.get(), byteLength_}; }

 private:
  std::size_t changesLength_;
  std::size_t byteLength_;
  std::unique_ptr<std::uint8_t[]> bytes_;
};

}  // namespace rolltape
