#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace rolltape {

/// Append-only storage of 4-byte words (ids, log probabilities, version runs) in blocks that never move: a span that it
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
    static_assert(alignof(T) == sizeof(Word) && std::is_trivially_copyable_v<T>);
    if (count == 0) return {};
    return {reinterpret_cast<T*>(allocateWords(count * (sizeof(T) / sizeof(Word)))), count};
  }

  /// A copy of `values`.
  template <typename T>
  std::span<const T> copy(std::span<const T> values) {
    const std::span<T> place = allocate<T>(values.size());
    std::copy(values.begin(), values.end(), place.begin());
    return place;
  }

  /// Bytes of all blocks, used or not.
  std::size_t byteLength() const { return heldWords_ * sizeof(Word); }

 private:
  using Word = std::uint32_t;

  Word* allocateWords(std::size_t count);
  Word* addBlock(std::size_t words);

  std::vector<std::unique_ptr<Word[]>> blocks_;
  Word* open_ = nullptr;
  std::size_t openLeft_ = 0;
  std::size_t heldWords_ = 0;
};

}  // namespace rolltape
