#pragma once

#include <cstddef>
#include <cstdint>

namespace rolltape {

/// Writes of many values at once. Where the memory written is more than the caches hold, they go past the caches: the
/// processor need not read each line before it writes it, and what is read over and over stays cached.
class BulkStore {
 public:
  /// For a block of so many bytes.
  explicit BulkStore(std::uint64_t blockBytes);
  /// For what is soon read again.
  static BulkStore cached() { return BulkStore(0); }

  void copy(std::int32_t* to, const std::int32_t* from, std::size_t count) const;
  void copy(float* to, const float* from, std::size_t count) const;
  void fill(std::int32_t* to, std::size_t count, std::int32_t value) const;
  void fill(float* to, std::size_t count, float value) const;
  void fill(std::uint8_t* to, std::size_t count, std::uint8_t value) const;
  /// Writes first, first + 1, …
  void countUp(std::int32_t* to, std::size_t count, std::int32_t first) const;

  /// Makes this thread's writes visible to whoever learns, in whatever way, that they are done.
  void finish() const;

 private:
  bool streaming_;
};

}  // namespace rolltape
