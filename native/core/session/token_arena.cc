#include "token_arena.h"

namespace rolltape {

namespace {

constexpr std::size_t kSmallestBlock = 1 << 10;
constexpr std::size_t kLargestBlock = 4 << 20;

}  // namespace

std::byte* TokenArena::allocateBytes(std::size_t bytes) {
  if (bytes > openLeft_) {
    const std::size_t next = std::clamp(heldBytes_ / 8 / kAlignment * kAlignment, kSmallestBlock, kLargestBlock);
    if (bytes > next / 8) return addBlock(bytes);
    open_ = addBlock(next);
    openLeft_ = next;
  }
  std::byte* place = open_;
  open_ += bytes;
  openLeft_ -= bytes;
  return place;
}

std::byte* TokenArena::addBlock(std::size_t bytes) {
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
  heldBytes_ += bytes;
  return blocks_.back().get();
}

}  // namespace rolltape
