#include "shared_pool.h"

#include <exception>

#include "../core/base/size.h"
#include "shared_block.h"

namespace rolltape {

namespace {

constexpr const char* kSlotEnd = ".slot";

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

SharedPoolOptions checked(SharedPoolOptions options) {
  if (!options.directory.starts_with('/')) {
    throw Error(ErrorCode::kInvalidArg, "directory: expected an absolute path");
  }
  if (options.maxBytes == 0) throw Error(ErrorCode::kInvalidArg, "maxBytes: expected at least 1");
  return options;
}

}  // namespace

std::shared_ptr<SharedPool> SharedPool::open(SharedPoolOptions options) {
  return std::shared_ptr<SharedPool>(new SharedPool(checked(std::move(options))));
}

SharedPool::SharedPool(SharedPoolOptions options) : options_(std::move(options)), place_(options_.directory) {
  removeDeadPools(options_.directory);
}

std::string SharedPool::nextName(const char* end) {
  return place_.prefix() + '-' + std::to_string(names_++) + end;
}

std::unique_ptr<Block> SharedPool::allocate(std::uint64_t bytes) {
  requireBlockSize(bytes);
  const std::uint64_t footprint = SharedSlot::footprintOf(bytes);
  if (footprint > options_.maxBytes) {
    throw Error(ErrorCode::kTooLarge, "the block would have " + std::to_string(bytes) + " bytes; the pool may have " +
                                          std::to_string(options_.maxBytes));
  }
  std::unique_ptr<SharedSlot> slot = claim(footprint);
  try {
    slot = make(std::move(slot), bytes);
    return std::make_unique<SharedBlock>(shared_from_this(), std::move(slot));
  } catch (...) {
    slot.reset();
    const std::lock_guard lock(mutex_);
    lentBytes_ -= footprint;
    --lent_;
    throw;
  }
}

std::unique_ptr<SharedSlot> SharedPool::claim(std::uint64_t footprint) {
  FreeList dropped;
  const std::lock_guard lock(mutex_);
  if (closed_) throw Error(ErrorCode::kReleased, "the pool of shared memory was closed");
  if (lentBytes_ + footprint > options_.maxBytes) {
    throw Error(ErrorCode::kSharedFull,
                std::to_string(lent_) + " batches that were not acknowledged leave no room for " +
                    std::to_string(footprint) + " bytes in the pool's " + std::to_string(options_.maxBytes));
  }
  std::unique_ptr<SharedSlot> slot = takeClosest(footprint);
  while (lentBytes_ + freeBytes_ + footprint > options_.maxBytes) drop(free_.begin(), dropped);
  lentBytes_ += footprint;
  ++lent_;
  return slot;
}

std::unique_ptr<SharedSlot> SharedPool::takeClosest(std::uint64_t footprint) {
  auto best = free_.end();
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    const std::uint64_t size = at->slot->footprint();
    // Cutting a slot frees its warm pages, and the next large batch would pay for new ones.
    if (size / 2 > footprint) continue;
    if (best == free_.end() || distance(size, footprint) <= distance(best->slot->footprint(), footprint)) best = at;
  }
  if (best == free_.end()) return nullptr;
  std::unique_ptr<SharedSlot> slot = std::move(best->slot);
  freeBytes_ -= slot->footprint();
  free_.erase(best);
  return slot;
}

std::unique_ptr<SharedSlot> SharedPool::make(std::unique_ptr<SharedSlot> slot, std::uint64_t bytes) {
  if (!slot || !slot->isReusable()) slot = std::make_unique<SharedSlot>(nextName(kSlotEnd), options_.lock);
  try {
    slot->resize(bytes);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kSharedFull) throw;
    // The file system may be full of our own free slots.
    trim(Clock::time_point::max());
    reclaimer_.drain();
    slot = std::make_unique<SharedSlot>(nextName(kSlotEnd), options_.lock);
    slot->resize(bytes);
  }
  return slot;
}

void SharedPool::giveBack(std::unique_ptr<SharedSlot> slot, bool reusable) noexcept {
  const std::uint64_t footprint = slot->footprint();
  FreeList kept;
  try {
    if (reusable && slot->rename(nextName(kSlotEnd))) kept.push_back({std::move(slot), Clock::now()});
  } catch (const std::exception&) {
    // No memory to keep it with: the slot is unlinked.
  }
  if (slot) discard(std::move(slot));
  {
    const std::lock_guard lock(mutex_);
    --lent_;
    lentBytes_ -= footprint;
    if (!closed_ && !kept.empty()) {
      freeBytes_ += footprint;
      free_.splice(free_.end(), kept);
    }
  }
  for (Free& closed : kept) discard(std::move(closed.slot));
}

void SharedPool::discard(std::unique_ptr<SharedSlot> slot) noexcept {
  slot->unlinkName();
  reclaimer_.destroy(std::move(slot));
}

void SharedPool::drop(FreeList::iterator at, FreeList& dropped) noexcept {
  freeBytes_ -= at->slot->footprint();
  dropped.splice(dropped.end(), free_, at);
}

void SharedPool::trim(Clock::time_point time) {
  FreeList dropped;
  {
    const std::lock_guard lock(mutex_);
    while (!free_.empty() && free_.front().since <= time) drop(free_.begin(), dropped);
  }
  for (Free& unused : dropped) discard(std::move(unused.slot));
}

void SharedPool::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  trim(Clock::time_point::max());
}

SharedPoolUse SharedPool::use() const {
  const std::lock_guard lock(mutex_);
  return {lentBytes_ + freeBytes_, free_.size(), lent_};
}

}  // namespace rolltape
