#pragma once

#include <string>

namespace rolltape {

/// Unlinks the files whose paths begin with `prefix` if this process exits while this lives: an exit that is asked for
/// destroys no objects. A forked child that exits unlinks nothing.
class ExitSweep {
 public:
  explicit ExitSweep(std::string prefix);
  ~ExitSweep();
  ExitSweep(const ExitSweep&) = delete;
  ExitSweep& operator=(const ExitSweep&) = delete;

 private:
  std::string prefix_;
};

/// Unlinks the files whose absolute paths begin with `prefix`, which is a directory and the beginning of names in it.
void unlinkFiles(const std::string& prefix);

}  // namespace rolltape
