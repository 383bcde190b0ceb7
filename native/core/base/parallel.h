#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace rolltape {

/// Threads that writing so many bytes is worth: one for each 16 MiB, at most 4 and no more than there are processors.
std::size_t threadsFor(std::uint64_t bytes);

/// Calls `body(begin, end)` for ranges that together are [0, count), one on each of `threads` threads, this one
/// included, and waits for all. Where a thread cannot be had, this one does its part. Rethrows what a body threw.
void parallelRanges(std::size_t count, std::size_t threads, const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace rolltape
