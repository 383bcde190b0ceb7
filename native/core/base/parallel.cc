#include "parallel.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace rolltape {

std::size_t threadsFor(std::uint64_t bytes) {
  constexpr std::uint64_t bytesPerThread = 16 << 20;
  constexpr std::uint64_t most = 4;
  const std::uint64_t processors = std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<std::uint64_t>(bytes / bytesPerThread, 1, std::min(most, processors));
}

void parallelRanges(std::size_t count, std::size_t threads, const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t parts = std::max<std::size_t>(1, std::min(threads, count));
  std::vector<std::exception_ptr> thrown(parts);
  const auto run = [&](std::size_t part) noexcept {
    try {
      body(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      thrown[part] = std::current_exception();
    }
  };
  // No std::jthread, which the C++ library of macOS lacks. Nothing throws between the start of a thread and its join.
  std::vector<std::thread> workers;
  workers.reserve(parts - 1);
  for (std::size_t part = 1; part < parts; ++part) {
    try {
      workers.emplace_back(run, part);
    } catch (const std::system_error&) {
      run(part);
    }
  }
  run(0);
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

}  // namespace rolltape
