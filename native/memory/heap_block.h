#pragma once

#include <cstdlib>
#include <memory>

#include "block.h"

namespace rolltape {

/// One uninitialized piece of heap memory.
class HeapBlock final : public Block {
 public:
  HeapBlock() = default;
  /// @throws Error kTooLarge over kMaxBlockBytes, kOutOfMemory if the allocation fails.
  explicit HeapBlock(std::uint64_t bytes);
  HeapBlock(HeapBlock&&) noexcept = default;
  HeapBlock& operator=(HeapBlock&&) noexcept = default;

  std::uint8_t* data() const override { return data_.get(); }
  std::size_t size() const override { return size_; }
  BlockKind kind() const override { return BlockKind::kHeap; }

 private:
  struct Free {
    void operator()(std::uint8_t* data) const { std::free(data); }
  };
  std::unique_ptr<std::uint8_t, Free> data_;
  std::size_t size_ = 0;
};

/// Fresh heap memory for every block.
class HeapSource final : public BlockSource {
 public:
  std::unique_ptr<Block> allocate(std::uint64_t bytes) override { return std::make_unique<HeapBlock>(bytes); }
};

}  // namespace rolltape
