#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace rolltape {

/// One uninitialized piece of heap memory, aligned for any tensor.
class HeapBlock {
 public:
  HeapBlock() = default;
  /// @throws Error kTooLarge over kMaxBlockBytes, kOutOfMemory if the allocation fails.
  explicit HeapBlock(std::uint64_t bytes);

  std::uint8_t* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::uint8_t* data) const { std::free(data); }
  };
  std::unique_ptr<std::uint8_t, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace rolltape
