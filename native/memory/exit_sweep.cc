#include "exit_sweep.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>

namespace rolltape {

namespace {

struct Sweep {
  std::mutex mutex;
  std::set<std::string> prefixes;
  pid_t owner = getpid();
};

/// Never destroyed: other threads may still run while the process exits.
Sweep& sweep() {
  static Sweep* const instance = [] {
    std::atexit([] {
      Sweep& at = sweep();
      const std::lock_guard lock(at.mutex);
      if (at.owner != getpid()) return;
      for (const std::string& prefix : at.prefixes) unlinkFiles(prefix);
    });
    return new Sweep;
  }();
  return *instance;
}

}  // namespace

void sweepAtExit(const std::string& prefix) {
  Sweep& at = sweep();
  const std::lock_guard lock(at.mutex);
  at.prefixes.insert(prefix);
}

void forgetAtExit(const std::string& prefix) {
  Sweep& at = sweep();
  const std::lock_guard lock(at.mutex);
  at.prefixes.erase(prefix);
}

void unlinkFiles(const std::string& prefix) {
  const std::filesystem::path path(prefix);
  const std::string start = path.filename().string();
  std::error_code error;
  for (std::filesystem::directory_iterator at(path.parent_path(), error), last; !error && at != last;
       at.increment(error)) {
    if (at->path().filename().string().starts_with(start)) unlink(at->path().c_str());
  }
}

}  // namespace rolltape
