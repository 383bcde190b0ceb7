#pragma once

#include <cstdint>
#include <optional>

#include "../json/cursor.h"
#include "asked_values.h"
#include "cut_experts.h"
#include "engine_reply.h"

namespace rolltape {

/// Reads the JSON texts of one streamed reply, one after the other, into a generation.
class FrameReader {
 public:
  virtual ~FrameReader() = default;
  /// @param into the generation that all frames go to.
  /// @param asked values of tokens to read. Others are skipped.
  FrameReader(const Generation& into, const AskedValues& asked, ExpertsFormat format) : base_(into.length()) {
    if (asked.experts) experts_.emplace(*asked.experts, format);
  }
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  /// Adds the tokens that a frame brings: all or none of them.
  /// @throws kReplyMalformed, kReplyMismatch, kReplyNotFinite as the readers of whole replies do.
  virtual void read(RoomyText frame, Generation& into) = 0;
  /// What the frames said; the tokens are in `into` and not in it. @throws kReplyMismatch where counts disagree.
  virtual EngineReply end(Generation& into) = 0;
  /// Returns the versions that the frames so far name, also if the stream breaks.
  virtual const NamedVersions& versions() const = 0;
  /// Tokens that the generation had before the reply.
  std::uint32_t base() const { return base_; }
  /// Reads the experts of frames that come in several pieces; null if they were not asked for.
  CutExperts* experts() { return experts_ ? &*experts_ : nullptr; }

  /// The version of tokens of the next frames for which they name none.
  std::int32_t unnamedVersion = 0;

 private:
  std::uint32_t base_;
  std::optional<CutExperts> experts_;
};

}  // namespace rolltape
