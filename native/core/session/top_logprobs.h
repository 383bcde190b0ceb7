#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rolltape {

/// Alternatives per token that one generation may have.
inline constexpr std::size_t kMaxTopWidth = 1024;

/// The most likely alternatives of each output token: `width` places a token, row after row. A place that is not used
/// holds id -1 and log probability 0.
class TopLogprobs {
 public:
  static constexpr std::int32_t kUnused = -1;

  TopLogprobs() = default;
  /// Rows that are written already: `width` places each.
  TopLogprobs(std::size_t width, std::vector<std::int32_t> ids, std::vector<float> logprobs)
      : width_(width), ids_(std::move(ids)), logprobs_(std::move(logprobs)) {}

  bool empty() const { return width_ == 0; }
  std::size_t width() const { return width_; }
  std::span<const std::int32_t> ids() const { return ids_; }
  std::span<const float> logprobs() const { return logprobs_; }

  /// Makes room for `tokens` rows of at least `width` places. @throws std::bad_alloc; nothing changed then.
  void grow(std::size_t tokens, std::size_t width);
  /// Forgets the rows from `tokens` on, and with the last row the width.
  void truncate(std::size_t tokens);
  /// Fills the rows from token `first` on, `width` places a row; the room is there.
  void write(std::size_t first, std::span<const std::int32_t> ids, std::span<const float> logprobs, std::size_t width);

 private:
  std::size_t width_ = 0;
  std::vector<std::int32_t> ids_;
  std::vector<float> logprobs_;
};

}  // namespace rolltape
