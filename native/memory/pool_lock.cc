#include "pool_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <string_view>
#include <vector>

#include "exit_sweep.h"
#include "shared_errors.h"

namespace rolltape {

namespace {

namespace fs = std::filesystem;

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

/// The lock files that the directory holds; none where it cannot be read.
std::vector<std::string> listLocks(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), last; !error && at != last; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kNameStart) && name.ends_with(kLockEnd)) paths.push_back(at->path().string());
  }
  return paths;
}

}  // namespace

PoolLock::PoolLock(const std::string& directory) {
  // Between the making and the locking another process may take the file for a dead one's: then another name is tried.
  for (;;) {
    prefix_ = directory + '/' + kNameStart + std::to_string(getpid()) + '-' + randomDigits();
    const std::string path = prefix_ + kLockEnd;
    file_ = FileDescriptor(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file_ && errno != EEXIST) throw sharedMemoryError("a lock file in " + directory, errno);
    if (file_ && tryLock(file_.get()) && isOurs(file_.get())) break;
  }
  sweepAtExit(prefix_);
}

PoolLock::~PoolLock() {
  forgetAtExit(prefix_);
  unlink((prefix_ + kLockEnd).c_str());
}

void removeDeadPools(const std::string& directory) {
  for (const std::string& path : listLocks(directory)) {
    // Whoever may write here may have put anything under this name: O_NONBLOCK, so that a pipe does not hold us up.
    const FileDescriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file || !tryLock(file.get()) || !isOurs(file.get())) continue;
    unlinkFiles(path.substr(0, path.size() - std::string_view(kLockEnd).size()) + '-');
    // Last, so that a sweep that is cut short is taken up by the next.
    unlink(path.c_str());
  }
}

}  // namespace rolltape
