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
  explicit ReplyStream(std::unique_ptr<FrameReader> reader)
      : reader_(std::move(reader)), payloads_(reader_->experts()), length_(reader_->base()) {}

  /// Reads a piece of the reply's body, cut anywhere. What came before a frame that throws stays in `into`.
  /// @throws kInvalidArg where `into` has more or fewer tokens than after the last piece.
  void push(std::span<const std::uint8_t> piece, Generation& into);
  /// Sets the version of tokens in later pieces for which their frame names none.
  void setUnnamedVersion(std::int32_t version) { reader_->unnamedVersion = version; }
  /// The body is complete. @throws kReplyMalformed where it ends before the stream does, kInvalidArg as push().
  EngineReply end(Generation& into);
  const NamedVersions& versions() const { return reader_->versions(); }

 private:
  void requireUnchanged(const Generation& into) const;

  std::unique_ptr<FrameReader> reader_;
  SsePayloads payloads_;
  /// Tokens that the generation must have. Readers compare what comes with the tokens that they recorded.
  std::uint32_t length_;
  bool done_ = false;
};

}  // namespace rolltape
