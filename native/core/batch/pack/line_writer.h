#pragma once

#include <cstddef>
#include <cstdint>

namespace rolltape {

/// Writes memory from front to back, past the caches: the processor need not read a line before it writes it, and what
/// is read over and over stays cached. Only whole lines go that way, so stretches are put together in `line_` where
/// one ends and the next begins within a line.
class LineWriter {
 public:
  static constexpr std::size_t kLine = 64;

  /// From this many bytes on, writing a block and then reading it is faster past the caches.
  static constexpr std::uint64_t kPastCachesFrom = 8 << 20;

  /// @param pastCaches false writes plainly, for what is soon read again.
  explicit LineWriter(std::byte* to, bool pastCaches);

  std::byte* position() const { return at_; }
  /// Goes on writing at `to`. Costs time where that is another place, so rows are best written in their order.
  void moveTo(std::byte* to);
  void copy(const std::byte* from, std::size_t bytes);
  /// Repeats `word`; positions and `bytes` are multiples of the word's own period.
  void fill(std::uint32_t word, std::size_t bytes);
  /// Writes first, first + 1, … as int32; positions are multiples of 4.
  void countUp(std::int32_t first, std::size_t count);

  /// Writes what is held of the last line, and makes all visible to whoever learns, in whatever way, that it is done.
  void finish();

 private:
  template <typename Source>
  void write(const Source& source, std::size_t bytes);
  template <typename Source>
  std::size_t fillOpenLine(const Source& source, std::size_t bytes);
  void flush();

  std::byte* at_;
  /// Where this stretch of writing began: what lies before it is not ours.
  std::byte* begin_;
  bool pastCaches_;
  alignas(kLine) std::byte line_[kLine];
};

}  // namespace rolltape
