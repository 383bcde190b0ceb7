#include "reply_stream.h"

#include <algorithm>
#include <string_view>

#include "../base/error.h"

namespace rolltape {

void ReplyStream::push(std::span<const std::uint8_t> piece, Generation& into) {
  payloads_.push(piece, [&](RoomyText payload) {
    constexpr std::string_view done = "[DONE]";
    if (std::equal(payload.bytes.begin(), payload.bytes.end(), done.begin(), done.end())) {
      done_ = true;
    } else if (done_) {
      throw Error(ErrorCode::kReplyMalformed, "the stream goes on after its end");
    } else {
      reader_->read(payload, into);
    }
  });
}

EngineReply ReplyStream::end(Generation& into) {
  EngineReply reply = reader_->end(into);
  const bool complete = done_ || reply.finish || reply.error;
  if (!complete || !payloads_.atLineStart()) {
    throw Error(ErrorCode::kReplyMalformed, "the stream ends before the generation does");
  }
  return reply;
}

}  // namespace rolltape
