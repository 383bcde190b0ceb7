#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../frame_reader.h"
#include "fields.h"

namespace rolltape {

/// Reads the frames of SGLang's `/generate` with `stream: true`. In a cumulative stream, SGLang's default, each frame
/// has every token so far; with `--incremental-streaming-output`, only what is new. Which it is shows in each array by
/// itself: with n items, a total of L (output_token_logprobs_length, completion_tokens) and k tokens known before, it
/// is cumulative for n == L and a delta for k + n == L.
///
/// A cumulative array is read from where the last frame's ended; the last frame is read whole and held against what was
/// recorded. A token has the version that its frame names or, where the frame has weight_versions, that of its span. If
/// some spans of the last frame have no version, their tokens were sampled before the others.
class SglangStream final : public FrameReader {
 public:
  /// @param into the generation that all frames go to.
  /// @param version of tokens that were sampled before the engine was given a version.
  /// @param asked values of tokens to read. Others are skipped.
  SglangStream(const Generation& into, std::int32_t version, const AskedValues& asked = {})
      : FrameReader(into, asked, ExpertsFormat::kInt32), firstVersion_(version), asked_(asked) {
    unnamedVersion = version;
  }

  void read(RoomyText frame, Generation& into) override;
  EngineReply end(Generation& into) override;
  const NamedVersions& versions() const override { return fields_.versions; }

 private:
  void readFields(RoomyText frame);
  void readAgain(RoomyText frame);
  void forgetArrays();
  bool isRefusal() const;
  bool readsKnown() const;
  std::size_t totalTokens() const;
  std::size_t newTokens(std::size_t total) const;
  void checkRecorded(const Generation& into, std::size_t added) const;
  void checkOutputIds(const Generation& into, std::size_t added) const;
  std::vector<VersionRun> newVersions(std::size_t total, std::size_t added) const;
  std::vector<VersionRun> lastVersions(std::size_t total);
  /// Leaves the lists of the new tokens. @throws kReplyMismatch if there are others.
  void keepNew(TopLists& lists, const ReadArray& array, std::size_t total, std::size_t added) const;
  void append(Generation& into, std::size_t added, std::size_t total);
  void addNewMasks(Generation& tokens);
  void remember(std::size_t added);
  void keepEnd();

  std::int32_t firstVersion_;
  AskedValues asked_;
  /// Tokens of this reply that were recorded.
  std::size_t count_ = 0;
  /// Arrays are deltas: none begins with what is known, and nothing is remembered of them.
  bool incremental_ = false;
  SglangKnown known_;
  SglangFields fields_;
  EngineReply end_;
};

}  // namespace rolltape
