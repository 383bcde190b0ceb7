#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rolltape {

/// The header of a file in NumPy's format (numpy.lib.format), in which vLLM sends arrays.
struct NpyHeader {
  /// Bytes that are enough to tell where a header ends.
  static constexpr std::size_t kStartBytes = 12;

  /// As it is written: `'<f4'`.
  std::string descr;
  bool isFortranOrder = false;
  /// An extent above 2^31 counts as 2^31.
  std::vector<std::uint64_t> shape;
  /// Where the values begin.
  std::size_t bytes = 0;
};

/// Returns where the header ends; 0 if `start`, of kStartBytes, is not the start of such a file.
std::size_t npyHeaderEnd(std::string_view start);

/// Reads a whole header.
NpyHeader readNpyHeader(std::string_view header);

}  // namespace rolltape
