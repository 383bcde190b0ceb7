#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "block.h"
#include "reclaimer.h"

namespace rolltape {

struct WarmLimits {
  /// Bytes of unused blocks that may be kept. What is over goes, longest unused first.
  std::uint64_t idleBytes = std::uint64_t{1} << 30;
  /// How long an unused block is kept.
  std::chrono::milliseconds idleTime{60'000};
  /// Smaller blocks are not kept: the C library keeps them warm itself.
  std::uint64_t smallest = std::uint64_t{1} << 20;
};

/// Keeps some blocks of another source after their use, because the first touch of fresh memory costs several times
/// what writing it does. Only memory in use counts while a batch is packed; what is kept goes when it was not wanted
/// for a while, on a thread of the pool's own that sleeps otherwise.
///
/// A block that outlives its pool is freed where it ends. Nothing here is global: each Node environment has its own
/// pool, and a process that ends has nothing to wait for.
class WarmPool final : public BlockSource, public std::enable_shared_from_this<WarmPool> {
 public:
  using Clock = std::chrono::steady_clock;

  static std::shared_ptr<WarmPool> create(std::shared_ptr<BlockSource> source, WarmLimits limits = {});
  ~WarmPool() override;

  /// A kept block that is at most twice as large as what is needed, or a fresh one.
  std::unique_ptr<Block> allocate(std::uint64_t bytes) override;
  /// Frees what has been unused since before `now - limits.idleTime`.
  void trim(Clock::time_point now);
  std::uint64_t idleBytes() const;

 private:
  class Lent;
  struct Idle {
    std::unique_ptr<Block> block;
    Clock::time_point since;
  };
  /// Unused blocks, longest unused first. A list, because moving its items allocates nothing.
  using IdleList = std::list<Idle>;

  WarmPool(std::shared_ptr<BlockSource> source, WarmLimits limits);
  std::unique_ptr<Block> takeIdle(std::uint64_t bytes);
  void giveBack(std::unique_ptr<Block> block) noexcept;
  void trimLoop();

  const std::shared_ptr<BlockSource> source_;
  const WarmLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Reclaimer reclaimer_;
  IdleList idle_;
  std::uint64_t idleBytes_ = 0;
  bool stopping_ = false;
  std::thread trimmer_;
};

}  // namespace rolltape
