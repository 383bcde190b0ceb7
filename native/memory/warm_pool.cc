#include "warm_pool.h"

#include <exception>

namespace rolltape {

/// A block of the pool in use: a front part of memory that may be larger.
class WarmPool::Lent final : public Block {
 public:
  Lent(std::weak_ptr<WarmPool> pool, std::unique_ptr<Block> memory, std::size_t size)
      : pool_(std::move(pool)), memory_(std::move(memory)), size_(size) {}
  ~Lent() override {
    if (const std::shared_ptr<WarmPool> pool = pool_.lock()) pool->giveBack(std::move(memory_));
  }

  std::uint8_t* data() const override { return memory_->data(); }
  std::size_t size() const override { return size_; }
  BlockKind kind() const override { return memory_->kind(); }

 private:
  std::weak_ptr<WarmPool> pool_;
  std::unique_ptr<Block> memory_;
  std::size_t size_;
};

std::shared_ptr<WarmPool> WarmPool::create(std::shared_ptr<BlockSource> source, WarmLimits limits) {
  return std::shared_ptr<WarmPool>(new WarmPool(std::move(source), limits));
}

WarmPool::WarmPool(std::shared_ptr<BlockSource> source, WarmLimits limits)
    : source_(std::move(source)), limits_(limits) {}

WarmPool::~WarmPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (trimmer_.joinable()) trimmer_.join();
}

std::unique_ptr<Block> WarmPool::allocate(std::uint64_t bytes) {
  if (bytes < limits_.smallest) return source_->allocate(bytes);
  std::unique_ptr<Block> memory = takeIdle(bytes);
  if (!memory) memory = source_->allocate(bytes);
  return std::make_unique<Lent>(weak_from_this(), std::move(memory), bytes);
}

std::unique_ptr<Block> WarmPool::takeIdle(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  auto best = idle_.end();
  for (auto at = idle_.begin(); at != idle_.end(); ++at) {
    const std::uint64_t size = at->block->size();
    if (size < bytes || size / 2 > bytes) continue;
    // Of equals the last, which was used last and is likeliest to be in a cache.
    if (best == idle_.end() || size <= best->block->size()) best = at;
  }
  if (best == idle_.end()) return nullptr;
  std::unique_ptr<Block> block = std::move(best->block);
  idle_.erase(best);
  idleBytes_ -= block->size();
  return block;
}

void WarmPool::giveBack(std::unique_ptr<Block> block) noexcept {
  const std::uint64_t bytes = block->size();
  if (bytes > limits_.idleBytes) return reclaimer_.destroy(std::move(block));
  IdleList evicted;
  IdleList kept;
  try {
    kept.push_back({std::move(block), Clock::now()});
    const std::lock_guard lock(mutex_);
    if (!trimmer_.joinable()) trimmer_ = std::thread([this] { trimLoop(); });
    for (; idleBytes_ + bytes > limits_.idleBytes; evicted.splice(evicted.end(), idle_, idle_.begin())) {
      idleBytes_ -= idle_.front().block->size();
    }
    idle_.splice(idle_.end(), kept);
    idleBytes_ += bytes;
  } catch (const std::exception&) {
    // No memory or no thread to keep the block with: it is freed.
  }
  for (Idle& idle : evicted) reclaimer_.destroy(std::move(idle.block));
  wake_.notify_all();
}

void WarmPool::trimLoop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (idle_.empty()) {
      wake_.wait(lock);
      continue;
    }
    const Clock::time_point expiry = idle_.front().since + limits_.idleTime;
    if (Clock::now() < expiry) {
      wake_.wait_until(lock, expiry);
      continue;
    }
    lock.unlock();
    trim(Clock::now());
    lock.lock();
  }
}

void WarmPool::trim(Clock::time_point now) {
  // Freed after the lock.
  IdleList expired;
  const std::lock_guard lock(mutex_);
  while (!idle_.empty() && idle_.front().since + limits_.idleTime <= now) {
    idleBytes_ -= idle_.front().block->size();
    expired.splice(expired.end(), idle_, idle_.begin());
  }
}

std::uint64_t WarmPool::idleBytes() const {
  const std::lock_guard lock(mutex_);
  return idleBytes_;
}

}  // namespace rolltape
