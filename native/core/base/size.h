#pragma once

#include <cstddef>
#include <cstdint>

#include "error.h"

namespace rolltape {

/// Tokens that one sequence may have. Positions fit an int32, as trainers store them.
inline constexpr std::size_t kMaxSequenceTokens = 0x7fffffff;

/// Bytes that one block may have: on Node 20 a larger external ArrayBuffer ends the process.
inline constexpr std::uint64_t kMaxBlockBytes = 0xffffffff;

inline std::uint64_t checkedAdd(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw Error(ErrorCode::kTooLarge, "a size does not fit 64 bits");
  return sum;
}

inline std::uint64_t checkedMultiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw Error(ErrorCode::kTooLarge, "a size does not fit 64 bits");
  return product;
}

inline std::uint64_t checkedRoundUp(std::uint64_t value, std::uint64_t multiple) {
  return checkedAdd(value, multiple - 1) / multiple * multiple;
}

/// @throws kTooLarge if a block of so many bytes cannot be handed to JavaScript.
inline void requireBlockSize(std::uint64_t bytes) {
  if (bytes > kMaxBlockBytes) {
    throw Error(ErrorCode::kTooLarge, "the block would have " + std::to_string(bytes) + " bytes; the most is " +
                                          std::to_string(kMaxBlockBytes));
  }
}

}  // namespace rolltape
