#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace rolltape::test {

/// While it lives, what it names stands in front of calls to the system, in this whole program. One at a time.
class SystemCalls {
 public:
  SystemCalls();
  ~SystemCalls();
  SystemCalls(const SystemCalls&) = delete;
  SystemCalls& operator=(const SystemCalls&) = delete;

  /// What a call fails with, as `errno` has it; 0: the call is made.
  std::function<int()> open = [] { return 0; };
  std::function<int()> flock = [] { return 0; };
  std::function<int()> fallocate = [] { return 0; };
  std::function<int()> mremap = [] { return 0; };
  std::function<int()> ftruncate = [] { return 0; };
  std::function<int()> pwrite = [] { return 0; };
  /// Most bytes that one pwrite() writes.
  std::size_t mostWritten = ~std::size_t{0};
  /// Bytes and advice of each madvise().
  std::vector<std::pair<std::size_t, int>> advice;
};

}  // namespace rolltape::test
