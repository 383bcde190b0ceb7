#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rolltape {

/// Room for `count` more, growing geometrically, so that the insertion that follows cannot throw.
template <typename T>
void reserveMore(std::vector<T>& values, std::size_t count) {
  const std::size_t needed = values.size() + count;
  if (needed > values.capacity()) values.reserve(std::max(needed, values.capacity() * 2));
}

}  // namespace rolltape
