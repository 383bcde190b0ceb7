#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rolltape {

/// Makes room for `count` more values, so that inserting them cannot throw. Capacity at least doubles when it grows.
template <typename T>
void reserveMore(std::vector<T>& values, std::size_t count) {
  const std::size_t needed = values.size() + count;
  if (needed > values.capacity()) values.reserve(std::max(needed, values.capacity() * 2));
}

}  // namespace rolltape
