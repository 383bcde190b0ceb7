#include "shared_errors.h"

#include <cerrno>
#include <system_error>

namespace rolltape {

namespace {

ErrorCode codeOf(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::kSharedFull;
    case ENOMEM:
      return ErrorCode::kOutOfMemory;
    default:
      return ErrorCode::kSharedUnavailable;
  }
}

}  // namespace

Error sharedMemoryError(const std::string& what, int number) {
  return Error(codeOf(number), what + ": " + std::generic_category().message(number));
}

}  // namespace rolltape
