#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace rolltape {

/// The items that an array of an earlier text had. A later text whose array begins with the same ones, as the frames of
/// a cumulative stream do, is read from behind them on.
class KnownItems {
 public:
  std::size_t count() const { return count_; }

  void set(std::string_view items, std::size_t count) {
    count_ = count;
    bytes_ = items.size();
    tailBytes_ = std::min(bytes_, tail_.size());
    std::copy_n(items.end() - static_cast<std::ptrdiff_t>(tailBytes_), tailBytes_, tail_.begin());
  }

  /// The bytes of these items at the beginning of `text`; 0 where it looks different. Only the end of them is compared:
  /// who relies on more reads the whole text once the stream is over.
  std::size_t bytesIn(std::string_view text) const {
    if (bytes_ == 0 || text.size() <= bytes_ || (text[bytes_] != ',' && text[bytes_] != ']')) return 0;
    const char* tail = text.data() + (bytes_ - tailBytes_);
    return std::memcmp(tail, tail_.data(), tailBytes_) == 0 ? bytes_ : 0;
  }

 private:
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::size_t tailBytes_ = 0;
  std::array<char, 48> tail_{};
};

}  // namespace rolltape
