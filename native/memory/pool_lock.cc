#include "pool_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string_view>
#include <vector>

#include "directory.h"
#include "shared_errors.h"

namespace rolltape {

namespace {

constexpr const char* kNameStart = "rolltape-";
constexpr const char* kLockEnd = ".lock";

std::string randomDigits() {
  std::random_device device;
  std::string digits;
  for (int i = 0; i < 16; ++i) digits += "0123456789abcdef"[device() % 16];
  return digits;
}

/// A file of this user's own with a name still, by its descriptor.
bool isOurs(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_nlink > 0;
}

bool tryLock(int fd) {
  return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/// Names of the lock files in the directory.
std::vector<std::string> listLocks(const std::string& directory) {
  std::vector<std::string> names;
  forEachName(directory.c_str(), [&](std::string_view name) {
    if (name.starts_with(kNameStart) && name.ends_with(kLockEnd)) names.emplace_back(name);
  });
  return names;
}

}  // namespace

PoolLock::PoolLock(const std::string& directory) {
  // Between the making and the locking another process may take the file for a dead one's: then another name is tried.
  for (;;) {
    prefix_ = directory + '/' + kNameStart + std::to_string(getpid()) + '-' + randomDigits();
    path_ = prefix_ + kLockEnd;
    sweep_.emplace(prefix_);
    file_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file_ && errno != EEXIST) throw sharedMemoryError("a lock file in " + directory, errno);
    if (!file_) continue;
    if (tryLock(file_.get())) {
      if (isOurs(file_.get())) return;
    } else if (errno != EWOULDBLOCK) {
      const int number = errno;
      unlink(path_.c_str());
      throw sharedMemoryError("a lock in " + directory, number);
    }
  }
}

PoolLock::~PoolLock() {
  unlink(path_.c_str());
}

void removeDeadPools(const std::string& directory) {
  for (const std::string& name : listLocks(directory)) {
    const std::string path = directory + '/' + name;
    // Whoever may write here may have put anything under this name: O_NONBLOCK, so that a pipe does not hold us up.
    const FileDescriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file || !tryLock(file.get()) || !isOurs(file.get())) continue;
    unlinkFiles(path.substr(0, path.size() - std::string_view(kLockEnd).size()) + '-');
    // Last, so that a sweep that is cut short is taken up by the next.
    unlink(path.c_str());
  }
}

}  // namespace rolltape
