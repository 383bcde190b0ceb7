#include "top_lists.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "../base/error.h"

namespace rolltape {

void TopLists::clear() {
  ids.clear();
  logprobs.clear();
  counts.clear();
}

void TopLists::endList(std::size_t first) {
  const std::size_t count = ids.size() - first;
  if (count > kMaxTopWidth) {
    throw Error(ErrorCode::kReplyMismatch, "the reply has " + std::to_string(count) + " alternatives for a token");
  }
  counts.push_back(static_cast<std::uint16_t>(count));
}

void TopLists::dropFront(std::size_t lists) {
  const auto end = counts.begin() + static_cast<std::ptrdiff_t>(lists);
  const auto entries = std::accumulate(counts.begin(), end, std::ptrdiff_t{0});
  ids.erase(ids.begin(), ids.begin() + entries);
  logprobs.erase(logprobs.begin(), logprobs.begin() + entries);
  counts.erase(counts.begin(), end);
}

TopLogprobs topRows(TopLists top) {
  const std::size_t rows = top.counts.size();
  const std::size_t width = rows == 0 ? 0 : *std::max_element(top.counts.begin(), top.counts.end());
  if (width == 0) return {};
  if (top.ids.size() == rows * width) return {width, std::move(top.ids), std::move(top.logprobs)};
  std::vector<std::int32_t> ids(rows * width, TopLogprobs::kUnused);
  std::vector<float> logprobs(rows * width);
  for (std::size_t row = 0, from = 0; row < rows; from += top.counts[row++]) {
    std::copy_n(top.ids.data() + from, top.counts[row], ids.data() + row * width);
    std::copy_n(top.logprobs.data() + from, top.counts[row], logprobs.data() + row * width);
  }
  return {width, std::move(ids), std::move(logprobs)};
}

}  // namespace rolltape
