#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <mutex>

#include "block.h"
#include "pool_lock.h"
#include "reclaimer.h"
#include "shared_slot.h"

namespace rolltape {

struct SharedPoolOptions {
  /// An absolute path, on a file system in memory if it is to be fast.
  std::string directory = "/dev/shm";
  /// Memory that all files of the pool may take together, in use or not.
  std::uint64_t maxBytes = 0;
  /// Where given, every slot is page-locked for this process's devices.
  std::shared_ptr<PageLock> lock = nullptr;
};

struct SharedPoolUse {
  /// Memory of all files, those of free slots included; not what was unlinked and is on its way back to the system.
  std::uint64_t bytes;
  std::size_t freeSlots;
  /// Slots of batches that were neither acknowledged nor released.
  std::size_t lentSlots;
};

/// Batches as files that other processes map.
///
/// A batch is written under a name that tells nobody, and renamed to its path when it is whole. From then on the slot
/// belongs to whoever knows the path, until the batch is acknowledged: only then may the file be written to again, and
/// by that its path is gone, so that a late reader finds no file rather than another batch. A batch that is not
/// acknowledged is unlinked when its block ends, and its memory with it as soon as no reader has it mapped. A file that
/// was unlinked, moved or linked by a reader is that reader's for good. What a process leaves behind when it dies is
/// unlinked by the next pool in the same directory.
class SharedPool final : public BlockSource, public std::enable_shared_from_this<SharedPool> {
 public:
  using Clock = std::chrono::steady_clock;

  /// Removes what dead processes left in the directory.
  /// @throws Error kInvalidArg for a relative directory or no bytes, kSharedUnavailable, kSharedFull.
  static std::shared_ptr<SharedPool> open(SharedPoolOptions options);

  /// @throws Error kTooLarge for more than the pool may have, kSharedFull where batches that were not acknowledged or a
  /// full file system leave no room, kReleased after close(); see SharedSlot::resize.
  std::unique_ptr<Block> allocate(std::uint64_t bytes) override;
  /// Unlinks the free slots that were not used since `time`.
  void trim(Clock::time_point time);
  /// Unlinks every free slot; the others follow as their blocks end. Idempotent.
  void close();
  SharedPoolUse use() const;

 private:
  friend class SharedBlock;
  struct Free {
    std::unique_ptr<SharedSlot> slot;
    Clock::time_point since;
  };
  /// Longest unused first.
  using FreeList = std::list<Free>;

  explicit SharedPool(SharedPoolOptions options);
  std::string nextName(const char* end);
  /// Reserves room for a slot, and gives a free one where there is one.
  std::unique_ptr<SharedSlot> claim(std::uint64_t footprint);
  /// Takes the free slot whose size is closest, at most twice as large as what is needed; null if there is none.
  std::unique_ptr<SharedSlot> takeClosest(std::uint64_t footprint);
  /// The slot with so many bytes, or a new one where there is none or a reader has it.
  std::unique_ptr<SharedSlot> make(std::unique_ptr<SharedSlot> slot, std::uint64_t bytes);
  void giveBack(std::unique_ptr<SharedSlot> slot, bool reusable) noexcept;
  /// Unlinks a slot; its memory goes soon after.
  void discard(std::unique_ptr<SharedSlot> slot) noexcept;
  /// Moves a free slot to `dropped`, to be discarded without the lock.
  void drop(FreeList::iterator at, FreeList& dropped) noexcept;

  const SharedPoolOptions options_;
  const PoolLock place_;
  Reclaimer reclaimer_;
  std::atomic<std::uint64_t> names_ = 0;
  mutable std::mutex mutex_;
  FreeList free_;
  std::uint64_t freeBytes_ = 0;
  std::uint64_t lentBytes_ = 0;
  std::size_t lent_ = 0;
  bool closed_ = false;
};

}  // namespace rolltape
