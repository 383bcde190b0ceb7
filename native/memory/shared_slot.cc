#include "shared_slot.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "../core/base/size.h"
#include "shared_errors.h"

namespace rolltape {

namespace {

std::uint64_t pageBytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Growing a file over this limit would end the process by a signal.
void requireFileSize(std::uint64_t bytes) {
  rlimit limit{};
  // No limit is the greatest number.
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur) return;
  throw Error(ErrorCode::kSharedFull, "a shared file of " + std::to_string(bytes) +
                                          " bytes is over this process's file size limit of " +
                                          std::to_string(limit.rlim_cur));
}

/// Makes the file longer with all its space there: touching a page of a file that is only long, on a file system that
/// is full, would end the process by a signal.
int extendFile(int fd, std::uint64_t from, std::uint64_t to) {
#ifdef __linux__
  for (;;) {
    if (fallocate(fd, 0, static_cast<off_t>(from), static_cast<off_t>(to - from)) == 0) return 0;
    if (errno == EOPNOTSUPP) break;
    if (errno != EINTR) return errno;
  }
#endif
  static constexpr std::size_t kChunk = 1 << 16;
  static const char zeros[kChunk] = {};
  while (from < to) {
    const ssize_t wrote = pwrite(fd, zeros, std::min<std::uint64_t>(kChunk, to - from), static_cast<off_t>(from));
    if (wrote < 0 && errno != EINTR) return errno;
    from += static_cast<std::uint64_t>(std::max<ssize_t>(wrote, 0));
  }
  return 0;
}

/// Maps the pages in one go instead of one fault each. Advice: the space is there, so that what is refused (kernels
/// before 5.14) only costs time.
void populate(std::uint8_t* data, std::uint64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  madvise(data, bytes, MADV_POPULATE_WRITE);
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
#endif
}

bool leadsTo(const std::string& path, int fd) {
  struct stat named {};
  struct stat own {};
  return lstat(path.c_str(), &named) == 0 && fstat(fd, &own) == 0 && named.st_ino == own.st_ino &&
         named.st_dev == own.st_dev;
}

}  // namespace

std::uint64_t SharedSlot::footprintOf(std::uint64_t bytes) {
  return checkedRoundUp(std::max<std::uint64_t>(bytes, 1), pageBytes());
}

SharedSlot::SharedSlot(std::string path, std::shared_ptr<PageLock> lock)
    : path_(std::move(path)),
      file_(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)),
      lock_(std::move(lock)) {
  if (!file_) throw sharedMemoryError("a shared file could not be made", errno);
}

SharedSlot::~SharedSlot() {
  unlinkName();
  if (unlock() && data_) munmap(data_, mapped_);
}

void SharedSlot::unlinkName() noexcept {
  if (leadsTo(path_, file_.get())) unlink(path_.c_str());
}

void SharedSlot::resize(std::uint64_t bytes) {
  requireFileSize(bytes);
  const std::uint64_t before = mapped_;
  const std::uint64_t length = footprintOf(bytes);
  if (bytes > size_) reserve(bytes);
  if (length != before) {
    if (!unlock()) throw Error(ErrorCode::kPinnedUnavailable, "the page lock of a shared file could not be undone");
    map(length);
  }
  if (length > before) populate(data_ + before, length - before);
  if (bytes < size_ && ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) {
    throw sharedMemoryError("a shared file could not be cut", errno);
  }
  size_ = bytes;
  if (lock_ && !locked_) locked_ = lock_->lock(data_, mapped_);
}

void SharedSlot::reserve(std::uint64_t bytes) {
  const int failure = extendFile(file_.get(), size_, bytes);
  if (failure != 0) {
    throw sharedMemoryError("a shared file could not be made " + std::to_string(bytes) + " bytes long", failure);
  }
}

void SharedSlot::map(std::uint64_t length) {
  void* mapping = MAP_FAILED;
#ifdef __linux__
  if (data_) mapping = mremap(data_, mapped_, length, MREMAP_MAYMOVE);
#else
  if (data_) munmap(data_, mapped_);
  data_ = nullptr;
#endif
  if (!data_) mapping = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (mapping == MAP_FAILED) throw sharedMemoryError("a shared file could not be mapped", errno);
  data_ = static_cast<std::uint8_t*>(mapping);
  mapped_ = length;
}

bool SharedSlot::unlock() noexcept {
  if (locked_) locked_ = !lock_->unlock(data_);
  return !locked_;
}

bool SharedSlot::isOurs() const noexcept {
  struct stat own {};
  return fstat(file_.get(), &own) == 0 && own.st_nlink == 1 && leadsTo(path_, file_.get());
}

bool SharedSlot::isReusable() const noexcept {
  struct stat own {};
  return isOurs() && fstat(file_.get(), &own) == 0 && static_cast<std::uint64_t>(own.st_size) == size_;
}

bool SharedSlot::rename(std::string path) noexcept {
  if (!isOurs() || std::rename(path_.c_str(), path.c_str()) != 0) return false;
  path_.swap(path);
  return isOurs();
}

}  // namespace rolltape
