#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "../base/reserve.h"

namespace rolltape {

/// Append-only storage of ids, log probabilities and version runs in blocks that never move: a span that it
/// gave stays valid, and may be read from another thread, until the arena ends.
///
/// Blocks grow with what is held, by an eighth of it, so that a small session costs little and a large one wastes
/// little; what would leave much of a block unused gets a block of its own size.
class TokenArena {
 public:
  TokenArena() = default;
  TokenArena(const TokenArena&) = delete;
  TokenArena& operator=(const TokenArena&) = delete;

  /// Room for `count` values, uninitialized. @throws std::bad_alloc; the arena is unchanged then.
  template <typename T>
  std::span<T> allocate(std::size_t count) {
    static_assert(alignof(T) == kAlignment && std::is_trivially_copyable_v<T>);
    if (count == 0) return {};
    return {reinterpret_cast<T*>(allocateBytes(count * sizeof(T))), count};
  }

  /// A copy of `values`.
  template <typename T>
  std::span<const T> copy(std::span<const T> values) {
    const std::span<T> place = allocate<T>(values.size());
    std::copy(values.begin(), values.end(), place.begin());
    return place;
  }

  /// A copy of bytes of any type, padded to whole words.
  const std::byte* copyAll(std::span<const std::byte> bytes) {
    const std::span<std::uint32_t> place = allocate<std::uint32_t>((bytes.size() + kAlignment - 1) / kAlignment);
    if (!bytes.empty()) std::memcpy(place.data(), bytes.data(), bytes.size());
    return reinterpret_cast<const std::byte*>(place.data());
  }

  /// A copy of the values in `bytes`, which need not be aligned.
  template <typename T>
  std::span<const T> copyBytes(std::span<const std::uint8_t> bytes) {
    const std::span<T> place = allocate<T>(bytes.size() / sizeof(T));
    if (!place.empty()) std::memcpy(place.data(), bytes.data(), place.size_bytes());
    return place;
  }

  /// Makes room, so that adopting so many blocks cannot throw.
  void reserveAdopted(std::size_t count) { reserveMore(adopted_, count); }
  /// Keeps bytes where they are, after reserveAdopted().
  void adopt(std::vector<std::byte> bytes) {
    heldBytes_ += bytes.capacity();
    adopted_.push_back(std::move(bytes));
  }

  /// Bytes of all blocks, used or not.
  std::size_t byteLength() const { return heldBytes_; }

 private:
  static constexpr std::size_t kAlignment = 4;

  std::byte* allocateBytes(std::size_t bytes);
  std::byte* addBlock(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<std::vector<std::byte>> adopted_;
  std::byte* open_ = nullptr;
  std::size_t openLeft_ = 0;
  std::size_t heldBytes_ = 0;
};

}  // namespace rolltape
