#pragma once

#include <string>

#include "../core/base/error.h"

namespace rolltape {

/// The error of a system call that failed with `number` (an errno) while doing `what`: kSharedFull where space ran out,
/// kOutOfMemory where memory did, else kSharedUnavailable.
Error sharedMemoryError(const std::string& what, int number);

}  // namespace rolltape
