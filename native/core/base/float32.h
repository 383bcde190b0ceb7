#pragma once

#include <cmath>
#include <limits>

namespace rolltape {

/// Returns true if the value is finite and still is as a float32.
inline bool fitsFloat32(double value) {
  return std::abs(value) <= std::numeric_limits<float>::max();
}

}  // namespace rolltape
