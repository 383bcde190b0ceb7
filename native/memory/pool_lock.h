#pragma once

#include <optional>
#include <string>

#include "exit_sweep.h"
#include "file_descriptor.h"

namespace rolltape {

/// One pool's place in a directory: a prefix for its files' names that no other pool has, and a lock file of that
/// prefix which stays locked as long as the process lives. So the living are told from the dead by the kernel, not by
/// their process ids, which are used again and mean something else in another container.
class PoolLock {
 public:
  /// @throws Error kSharedUnavailable, kSharedFull where the directory takes no file.
  explicit PoolLock(const std::string& directory);
  ~PoolLock();
  PoolLock(const PoolLock&) = delete;
  PoolLock& operator=(const PoolLock&) = delete;

  /// `<directory>/rolltape-<pid>-<16 random hex digits>`
  const std::string& prefix() const { return prefix_; }

 private:
  std::string prefix_;
  std::string path_;
  std::optional<ExitSweep> sweep_;
  FileDescriptor file_;
};

/// Unlinks the files of pools in this directory whose process has ended, as far as this user owns them. Readers keep
/// what they have mapped. Passes over what it cannot open.
void removeDeadPools(const std::string& directory);

}  // namespace rolltape
