#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "line_writer.h"

namespace rolltape {

/// Writes one tensor, or a part of it, from front to back. See LineWriter.
template <typename T>
class ColumnWriter {
 public:
  ColumnWriter(T* column, bool pastCaches)
      : column_(column), writer_(reinterpret_cast<std::byte*>(column), pastCaches) {}

  /// Goes on at element `index` of the column.
  void moveTo(std::size_t index) { writer_.moveTo(reinterpret_cast<std::byte*>(column_ + index)); }
  void copy(const T* from, std::size_t count) {
    writer_.copy(reinterpret_cast<const std::byte*>(from), count * sizeof(T));
  }
  void fill(T value, std::size_t count) { writer_.fill(wordOf(value), count * sizeof(T)); }
  void countUp(std::int32_t first, std::size_t count) { writer_.countUp(first, count); }
  void finish() { writer_.finish(); }

 private:
  static std::uint32_t wordOf(std::int32_t value) { return static_cast<std::uint32_t>(value); }
  static std::uint32_t wordOf(float value) { return std::bit_cast<std::uint32_t>(value); }
  static std::uint32_t wordOf(std::uint8_t value) { return value * 0x01010101u; }

  T* column_;
  LineWriter writer_;
};

}  // namespace rolltape
