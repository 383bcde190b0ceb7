#pragma once

#include <string>

namespace rolltape {

/// Unlinks the files whose paths begin with `prefix` when this process exits, unless forgotten before: an exit that is
/// asked for destroys no objects. A forked child that exits unlinks nothing.
void sweepAtExit(const std::string& prefix);
void forgetAtExit(const std::string& prefix);

/// Unlinks the files of a directory whose names begin with the rest of `prefix`, which is a path.
void unlinkFiles(const std::string& prefix);

}  // namespace rolltape
