#include "line_writer.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace rolltape {

namespace {

#ifdef __SSE2__
constexpr bool kCanStream = true;
using Chunk = __m128i;

Chunk load(const std::byte* from) {
  return _mm_loadu_si128(reinterpret_cast<const Chunk*>(from));
}
void stream(std::byte* to, Chunk chunk) {
  _mm_stream_si128(reinterpret_cast<Chunk*>(to), chunk);
}
void fence() {
  _mm_sfence();
}
void prefetch(const std::byte* from) {
  _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T0);
}
#else
constexpr bool kCanStream = false;
struct Chunk {
  std::byte bytes[16];
};

Chunk load(const std::byte* from) {
  Chunk chunk;
  std::memcpy(&chunk, from, sizeof chunk);
  return chunk;
}
void stream(std::byte* to, Chunk chunk) {
  std::memcpy(to, &chunk, sizeof chunk);
}
void fence() {}
void prefetch(const std::byte*) {}
#endif

constexpr std::size_t kPage = 4096;

/// What is written: `put` to memory that is read soon, `chunk` for a part of a line. Offsets are bytes from the start.
struct Copied {
  const std::byte* from;

  void put(std::byte* to, std::size_t offset, std::size_t bytes) const { std::memcpy(to, from + offset, bytes); }
  Chunk chunk(std::size_t offset) const { return load(from + offset); }
};

struct Repeated {
  alignas(16) std::uint32_t words[4];

  explicit Repeated(std::uint32_t word) : words{word, word, word, word} {}

  void put(std::byte* to, std::size_t, std::size_t bytes) const {
    for (; bytes >= sizeof words; bytes -= sizeof words, to += sizeof words) std::memcpy(to, words, sizeof words);
    std::memcpy(to, words, bytes);
  }
  Chunk chunk(std::size_t) const { return load(reinterpret_cast<const std::byte*>(words)); }
};

struct Counted {
  std::int32_t first;

  std::int32_t valueAt(std::size_t offset) const {
    return first + static_cast<std::int32_t>(offset / sizeof(std::int32_t));
  }
  void put(std::byte* to, std::size_t offset, std::size_t bytes) const {
    auto* values = reinterpret_cast<std::int32_t*>(to);
    std::iota(values, values + bytes / sizeof(std::int32_t), valueAt(offset));
  }
  Chunk chunk(std::size_t offset) const {
    std::int32_t values[4];
    std::iota(values, values + 4, valueAt(offset));
    return load(reinterpret_cast<const std::byte*>(values));
  }
};

std::size_t offsetInLine(const std::byte* at) {
  return reinterpret_cast<std::uintptr_t>(at) % LineWriter::kLine;
}

template <typename Source>
void streamLine(std::byte* to, const Source& source, std::size_t offset) {
  for (std::size_t part = 0; part < LineWriter::kLine; part += sizeof(Chunk)) {
    stream(to + part, source.chunk(offset + part));
  }
}

/// Copies pairs of pages, a line of each in turn. A processor reads memory ahead within a page only, so two at a time,
/// and asking for the next two, is half as fast again.
void streamPages(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t pair = 0; pair < bytes; pair += 2 * kPage) {
    for (std::size_t at = pair; at < pair + kPage; at += LineWriter::kLine) {
      for (const std::size_t line : {at, at + kPage}) {
        prefetch(from + line + 2 * kPage);
        streamLine(to + line, Copied{from}, line);
      }
    }
  }
}

}  // namespace

LineWriter::LineWriter(std::byte* to, bool pastCaches) : at_(to), begin_(to), pastCaches_(pastCaches && kCanStream) {}

void LineWriter::moveTo(std::byte* to) {
  if (to == at_) return;
  flush();
  at_ = to;
  begin_ = to;
}

void LineWriter::copy(const std::byte* from, std::size_t bytes) {
  if (pastCaches_ && bytes > 2 * kPage) {
    const std::size_t open = fillOpenLine(Copied{from}, bytes);
    const std::size_t pages = (bytes - open) / (2 * kPage) * (2 * kPage);
    streamPages(at_, from + open, pages);
    at_ += pages;
    from += open + pages;
    bytes -= open + pages;
  }
  write(Copied{from}, bytes);
}

void LineWriter::fill(std::uint32_t word, std::size_t bytes) {
  write(Repeated(word), bytes);
}

void LineWriter::countUp(std::int32_t first, std::size_t count) {
  write(Counted{first}, count * sizeof(std::int32_t));
}

void LineWriter::finish() {
  flush();
  begin_ = at_;
  if (pastCaches_) fence();
}

/// Writes out the part of the last line that is held.
void LineWriter::flush() {
  if (!pastCaches_) return;
  const std::size_t held = std::min(offsetInLine(at_), static_cast<std::size_t>(at_ - begin_));
  std::memcpy(at_ - held, line_ + offsetInLine(at_) - held, held);
}

/// Takes what the open line has room for; returns how many bytes that were.
template <typename Source>
std::size_t LineWriter::fillOpenLine(const Source& source, std::size_t bytes) {
  const std::size_t open = offsetInLine(at_);
  if (open == 0) return 0;
  const std::size_t taken = std::min(bytes, kLine - open);
  source.put(line_ + open, 0, taken);
  at_ += taken;
  if (open + taken == kLine) {
    if (static_cast<std::size_t>(at_ - begin_) >= kLine) {
      streamLine(at_ - kLine, Copied{line_}, 0);
    } else {
      std::memcpy(begin_, line_ + kLine - (at_ - begin_), static_cast<std::size_t>(at_ - begin_));
    }
  }
  return taken;
}

template <typename Source>
void LineWriter::write(const Source& source, std::size_t bytes) {
  if (bytes == 0) return;
  if (!pastCaches_) {
    source.put(at_, 0, bytes);
    at_ += bytes;
    return;
  }
  std::size_t done = fillOpenLine(source, bytes);
  for (; done + kLine <= bytes; done += kLine, at_ += kLine) streamLine(at_, source, done);
  source.put(line_, done, bytes - done);
  at_ += bytes - done;
}

}  // namespace rolltape
