#include "exit_sweep.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string_view>
#include <utility>

#include "directory.h"

namespace rolltape {

namespace {

struct Prefixes {
  std::mutex mutex;
  std::set<std::string> all;
  pid_t owner = getpid();
};

void unlinkAll();

/// Never destroyed: other threads may still run while the process exits.
Prefixes& prefixes() {
  static Prefixes* const instance = [] {
    auto made = std::make_unique<Prefixes>();
    std::atexit(unlinkAll);
    return made.release();
  }();
  return *instance;
}

void unlinkAll() {
  Prefixes& at = prefixes();
  const std::lock_guard lock(at.mutex);
  if (at.owner != getpid()) return;
  for (const std::string& prefix : at.all) {
    try {
      unlinkFiles(prefix);
    } catch (const std::bad_alloc&) {
      // The next pool in the directory unlinks them.
    }
  }
}

}  // namespace

ExitSweep::ExitSweep(std::string prefix) : prefix_(std::move(prefix)) {
  Prefixes& at = prefixes();
  const std::lock_guard lock(at.mutex);
  at.all.insert(prefix_);
}

ExitSweep::~ExitSweep() {
  Prefixes& at = prefixes();
  const std::lock_guard lock(at.mutex);
  at.all.erase(prefix_);
}

void unlinkFiles(const std::string& prefix) {
  const std::size_t slash = prefix.rfind('/');
  const std::string directory = prefix.substr(0, slash + 1);
  const std::string_view start = std::string_view(prefix).substr(slash + 1);
  forEachName(directory.c_str(), [&](std::string_view name) {
    if (name.starts_with(start)) unlink((directory + std::string(name)).c_str());
  });
}

}  // namespace rolltape
