#pragma once

#include <stdexcept>
#include <string>

namespace rolltape {

enum class ErrorCode {
  kInvalidArg,
  kReplyMalformed,
  kReplyMismatch,
  kReplyNotFinite,
  kReplyImpossible,
  kReplyOtherPrompt,
  kReleased,
  kStoredInvalid,
  kTooLarge,
  kOutOfMemory,
  kSharedFull,
  kSharedUnavailable,
  kPinnedUnavailable,
  kWriteFailed,
  kSyncFailed,
};

/// The stable name of a code, as JavaScript sees it: `ERR_…`.
const char* errorCodeName(ErrorCode code);

/// The one exception type of the core. The message says what was wrong with which argument.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace rolltape
