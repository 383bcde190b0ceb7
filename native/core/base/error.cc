#include "error.h"

namespace rolltape {

const char* errorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArg:
      return "ERR_INVALID_ARG";
    case ErrorCode::kReplyMalformed:
      return "ERR_REPLY_MALFORMED";
    case ErrorCode::kReplyMismatch:
      return "ERR_REPLY_MISMATCH";
    case ErrorCode::kReplyNotFinite:
      return "ERR_REPLY_NOT_FINITE";
    case ErrorCode::kReplyImpossible:
      return "ERR_REPLY_IMPOSSIBLE";
    case ErrorCode::kReplyOtherPrompt:
      return "ERR_REPLY_OTHER_PROMPT";
    case ErrorCode::kReleased:
      return "ERR_RELEASED";
    case ErrorCode::kStoredInvalid:
      return "ERR_STORED_INVALID";
    case ErrorCode::kTooLarge:
      return "ERR_TOO_LARGE";
    case ErrorCode::kOutOfMemory:
      return "ERR_OUT_OF_MEMORY";
    case ErrorCode::kSharedFull:
      return "ERR_SHARED_FULL";
    case ErrorCode::kSharedUnavailable:
      return "ERR_SHARED_UNAVAILABLE";
    case ErrorCode::kPinnedUnavailable:
      return "ERR_PINNED_UNAVAILABLE";
    case ErrorCode::kWriteFailed:
      return "ERR_WRITE_FAILED";
    case ErrorCode::kSyncFailed:
      return "ERR_SYNC_FAILED";
  }
  return "ERR_INVALID_ARG";
}

}  // namespace rolltape
