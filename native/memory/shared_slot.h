#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "file_descriptor.h"
#include "page_lock.h"

namespace rolltape {

/// A file that is mapped here, with every page of it in memory and writable, so that writing to it neither takes a page
/// fault nor runs into a full file system. Unlinked at the end, while its name is its own. A mapping whose page lock
/// cannot be undone is lost: it stays until the process ends.
class SharedSlot {
 public:
  /// Makes an empty file that only its owner may open. `lock`, where given, page-locks the mapping.
  /// @throws Error kSharedUnavailable, kSharedFull.
  SharedSlot(std::string path, std::shared_ptr<PageLock> lock);
  ~SharedSlot();
  SharedSlot(const SharedSlot&) = delete;
  SharedSlot& operator=(const SharedSlot&) = delete;

  /// Makes the file exactly so many bytes. Keeps the pages of what both sizes have in common; the contents are
  /// undefined.
  /// @throws Error kSharedFull, kOutOfMemory, kSharedUnavailable, kPinnedUnavailable; only the destructor may follow.
  void resize(std::uint64_t bytes);
  /// Gives the file another name. False where the old name no longer leads to it or it has further names: then somebody
  /// else has it, and it must not be written to again.
  bool rename(std::string path) noexcept;
  /// Unlinks the file, if its name leads to it still.
  void unlinkName() noexcept;
  /// Its name is the only one, and leads to it.
  bool isOurs() const noexcept;
  /// It is ours and as long as it was made: behind the end of a file that somebody cut short, writing to the mapping
  /// would end the process by a signal.
  bool isReusable() const noexcept;

  std::uint8_t* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  /// Bytes of memory that the file takes: whole pages.
  std::uint64_t footprint() const { return mapped_; }
  const std::string& path() const { return path_; }

  static std::uint64_t footprintOf(std::uint64_t bytes);

 private:
  void reserve(std::uint64_t bytes);
  void map(std::uint64_t length);
  bool unlock() noexcept;

  std::string path_;
  FileDescriptor file_;
  std::shared_ptr<PageLock> lock_;
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t mapped_ = 0;
  bool locked_ = false;
};

}  // namespace rolltape
