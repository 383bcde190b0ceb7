#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "frame_reader.h"
#include "sse_payloads.h"

namespace rolltape {

/// A streamed reply of an engine: server-sent events with JSON payloads, and `[DONE]` at the end.
class ReplyStream {
 public:
  explicit ReplyStream(std::unique_ptr<FrameReader> reader) : reader_(std::move(reader)) {}

  /// Reads a piece of the reply's body, cut anywhere. What came before a frame that throws stays in `into`.
  void push(std::span<const std::uint8_t> piece, Generation& into);
  /// The body is complete. @throws kReplyMalformed where it ends before the stream does.
  EngineReply end(Generation& into);

 private:
  SsePayloads payloads_;
  std::unique_ptr<FrameReader> reader_;
  bool done_ = false;
};

}  // namespace rolltape
