#include "top_logprobs.h"

#include <algorithm>

#include "../base/size.h"

namespace rolltape {

namespace {

template <typename T>
std::vector<T> widened(const std::vector<T>& rows, std::size_t tokens, std::size_t from, std::size_t to, T unused) {
  std::vector<T> wide(checkedMultiply(tokens, to), unused);
  for (std::size_t row = 0; from > 0 && row < rows.size() / from; ++row) {
    std::copy_n(rows.begin() + row * from, from, wide.begin() + row * to);
  }
  return wide;
}

}  // namespace

void TopLogprobs::grow(std::size_t tokens, std::size_t width) {
  if (width > width_) {
    auto ids = widened(ids_, tokens, width_, width, kUnused);
    auto logprobs = widened(logprobs_, tokens, width_, width, 0.0f);
    ids_ = std::move(ids);
    logprobs_ = std::move(logprobs);
    width_ = width;
    return;
  }
  const std::size_t size = checkedMultiply(tokens, width_);
  logprobs_.reserve(size);
  ids_.resize(size, kUnused);
  logprobs_.resize(size, 0.0f);
}

void TopLogprobs::truncate(std::size_t tokens) {
  const std::size_t size = std::min(ids_.size(), tokens * width_);
  ids_.resize(size);
  logprobs_.resize(size);
  if (size == 0) width_ = 0;
}

void TopLogprobs::write(std::size_t first, std::span<const std::int32_t> ids, std::span<const float> logprobs,
                        std::size_t width) {
  for (std::size_t row = 0; row < ids.size() / width; ++row) {
    for (std::size_t place = 0; place < width_; ++place) {
      const std::size_t to = (first + row) * width_ + place;
      const bool used = place < width && ids[row * width + place] >= 0;
      ids_[to] = used ? ids[row * width + place] : kUnused;
      logprobs_[to] = used ? logprobs[row * width + place] : 0.0f;
    }
  }
}

}  // namespace rolltape
