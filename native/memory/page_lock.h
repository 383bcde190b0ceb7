#pragma once

#include <cstddef>

namespace rolltape {

/// Page-locks memory that exists already, so that a device may copy from it directly. Thread-safe.
class PageLock {
 public:
  PageLock() = default;
  PageLock(const PageLock&) = delete;
  PageLock& operator=(const PageLock&) = delete;
  virtual ~PageLock() = default;

  /// False where something else in this process had locked the range before: then it is not ours to unlock.
  /// @throws Error kPinnedUnavailable, kOutOfMemory.
  virtual bool lock(void* data, std::size_t bytes) = 0;
  /// False where it could not be undone: the range must then stay mapped, because what is mapped there next would pass
  /// for locked while devices went on reading the pages that were there before.
  virtual bool unlock(void* data) noexcept = 0;
};

}  // namespace rolltape
