#include "token_arena.h"

namespace rolltape {

namespace {

constexpr std::size_t kSmallestBlock = 256;
constexpr std::size_t kLargestBlock = 1 << 20;

}  // namespace

TokenArena::Word* TokenArena::allocateWords(std::size_t count) {
  if (count > openLeft_) {
    const std::size_t next = std::clamp(heldWords_ / 8, kSmallestBlock, kLargestBlock);
    if (count > next / 8) return addBlock(count);
    open_ = addBlock(next);
    openLeft_ = next;
  }
  Word* place = open_;
  open_ += count;
  openLeft_ -= count;
  return place;
}

TokenArena::Word* TokenArena::addBlock(std::size_t words) {
  blocks_.push_back(std::make_unique_for_overwrite<Word[]>(words));
  heldWords_ += words;
  return blocks_.back().get();
}

}  // namespace rolltape
