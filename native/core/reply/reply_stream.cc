#include "reply_stream.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "../base/error.h"

namespace rolltape {

void ReplyStream::push(std::span<const std::uint8_t> piece, Generation& into) {
  requireUnchanged(into);
  payloads_.push(piece, [&](RoomyText payload) {
    constexpr std::string_view done = "[DONE]";
    if (std::equal(payload.bytes.begin(), payload.bytes.end(), done.begin(), done.end())) {
      done_ = true;
    } else if (done_) {
      throw Error(ErrorCode::kReplyMalformed, "the stream goes on after its end");
    } else {
      reader_->read(payload, into);
      length_ = into.length();
      if (reader_->experts() != nullptr) reader_->experts()->tokens = length_ - reader_->base();
    }
  });
}

EngineReply ReplyStream::end(Generation& into) {
  requireUnchanged(into);
  EngineReply reply = reader_->end(into);
  const bool complete = done_ || reply.finish || reply.error;
  if (!complete || !payloads_.atLineStart()) {
    throw Error(ErrorCode::kReplyMalformed, "the stream ends before the generation does");
  }
  return reply;
}

void ReplyStream::requireUnchanged(const Generation& into) const {
  if (into.length() == length_) return;
  throw Error(ErrorCode::kInvalidArg, "generation: it has " + std::to_string(into.length()) + " tokens, but had " +
                                          std::to_string(length_) + " when the stream was read last");
}

}  // namespace rolltape
