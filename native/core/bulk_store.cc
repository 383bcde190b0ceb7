#include "bulk_store.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace rolltape {

namespace {

/// From here on, writing and then reading a block is faster past the caches; a smaller one is read from them.
constexpr std::uint64_t kStreamFrom = 8 << 20;

#ifdef __SSE2__

constexpr std::size_t kLine = 64;

/// Bytes before the first whole line, if there are that many and a line behind them.
std::size_t toLine(const std::byte* to, std::size_t bytes) {
  return std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % kLine);
}

void streamCopy(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t head = toLine(to, bytes);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    for (std::size_t part = at; part < at + kLine; part += sizeof(__m128i)) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + part),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + part)));
    }
  }
  std::memcpy(to + at, from + at, bytes - at);
}

/// `to` and `bytes` are multiples of the pattern's size.
void streamFill(std::byte* to, std::size_t bytes, __m128i pattern) {
  const std::size_t head = toLine(to, bytes);
  alignas(kLine) std::byte line[kLine];
  for (std::size_t part = 0; part < kLine; part += sizeof pattern) {
    _mm_store_si128(reinterpret_cast<__m128i*>(line + part), pattern);
  }
  std::memcpy(to, line, head);
  std::size_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    for (std::size_t part = at; part < at + kLine; part += sizeof pattern) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + part), pattern);
    }
  }
  std::memcpy(to + at, line, bytes - at);
}

void streamCountUp(std::int32_t* to, std::size_t count, std::int32_t first) {
  constexpr std::size_t perLine = kLine / sizeof(std::int32_t);
  const std::size_t head =
      toLine(reinterpret_cast<std::byte*>(to), count * sizeof(std::int32_t)) / sizeof(std::int32_t);
  std::iota(to, to + head, first);
  std::size_t at = head;
  const __m128i step = _mm_set1_epi32(4);
  __m128i values = _mm_add_epi32(_mm_set1_epi32(first + static_cast<std::int32_t>(head)), _mm_set_epi32(3, 2, 1, 0));
  for (; at + perLine <= count; at += perLine) {
    for (std::size_t part = at; part < at + perLine; part += 4) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + part), values);
      values = _mm_add_epi32(values, step);
    }
  }
  std::iota(to + at, to + count, first + static_cast<std::int32_t>(at));
}

void streamFence() {
  _mm_sfence();
}

__m128i patternOf(std::int32_t value) {
  return _mm_set1_epi32(value);
}
__m128i patternOf(float value) {
  return _mm_set1_epi32(std::bit_cast<std::int32_t>(value));
}
__m128i patternOf(std::uint8_t value) {
  return _mm_set1_epi8(static_cast<char>(value));
}

template <typename T>
void copyValues(bool streaming, T* to, const T* from, std::size_t count) {
  if (streaming) {
    streamCopy(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from), count * sizeof(T));
  } else {
    std::copy_n(from, count, to);
  }
}

template <typename T>
void fillValues(bool streaming, T* to, std::size_t count, T value) {
  if (streaming) {
    streamFill(reinterpret_cast<std::byte*>(to), count * sizeof(T), patternOf(value));
  } else {
    std::fill_n(to, count, value);
  }
}

void countUpValues(bool streaming, std::int32_t* to, std::size_t count, std::int32_t first) {
  if (streaming) {
    streamCountUp(to, count, first);
  } else {
    std::iota(to, to + count, first);
  }
}

#else

void streamFence() {}

template <typename T>
void copyValues(bool, T* to, const T* from, std::size_t count) {
  std::copy_n(from, count, to);
}

template <typename T>
void fillValues(bool, T* to, std::size_t count, T value) {
  std::fill_n(to, count, value);
}

void countUpValues(bool, std::int32_t* to, std::size_t count, std::int32_t first) {
  std::iota(to, to + count, first);
}

#endif

}  // namespace

BulkStore::BulkStore(std::uint64_t blockBytes) : streaming_(blockBytes >= kStreamFrom) {}

void BulkStore::copy(std::int32_t* to, const std::int32_t* from, std::size_t count) const {
  copyValues(streaming_, to, from, count);
}
void BulkStore::copy(float* to, const float* from, std::size_t count) const {
  copyValues(streaming_, to, from, count);
}
void BulkStore::fill(std::int32_t* to, std::size_t count, std::int32_t value) const {
  fillValues(streaming_, to, count, value);
}
void BulkStore::fill(float* to, std::size_t count, float value) const {
  fillValues(streaming_, to, count, value);
}
void BulkStore::fill(std::uint8_t* to, std::size_t count, std::uint8_t value) const {
  fillValues(streaming_, to, count, value);
}

void BulkStore::countUp(std::int32_t* to, std::size_t count, std::int32_t first) const {
  countUpValues(streaming_, to, count, first);
}

void BulkStore::finish() const {
  if (streaming_) streamFence();
}

}  // namespace rolltape
