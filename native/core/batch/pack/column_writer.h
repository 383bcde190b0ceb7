#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "line_writer.h"

namespace rolltape {

/// Writes one tensor, or a part of it, from front to back. See LineWriter. Without a tensor (null), it writes nothing.
template <typename T>
class ColumnWriter {
 public:
  ColumnWriter(T* column, bool pastCaches)
      : column_(column), writer_(reinterpret_cast<std::byte*>(column), pastCaches) {}

  /// Goes on at element `index` of the column.
  void moveTo(std::size_t index) {
    if (writes()) writer_.moveTo(reinterpret_cast<std::byte*>(column_ + index));
  }
  void copy(const T* from, std::size_t count) {
    if (writes()) writer_.copy(reinterpret_cast<const std::byte*>(from), count * sizeof(T));
  }
  void fill(T value, std::size_t count) {
    if (writes()) writer_.fill(wordOf(value), count * sizeof(T));
  }
  void countUp(std::int32_t first, std::size_t count) {
    if (writes()) writer_.countUp(first, count);
  }
  void finish() {
    if (writes()) writer_.finish();
  }
  bool writes() const { return column_ != nullptr; }

 private:
  static std::uint32_t wordOf(std::int32_t value) { return static_cast<std::uint32_t>(value); }
  static std::uint32_t wordOf(float value) { return std::bit_cast<std::uint32_t>(value); }
  static std::uint32_t wordOf(std::uint8_t value) { return value * 0x01010101u; }

  T* column_;
  LineWriter writer_;
};

}  // namespace rolltape
