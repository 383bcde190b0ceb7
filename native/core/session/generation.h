#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "channel.h"
#include "forced_runs.h"
#include "top_logprobs.h"
#include "version_runs.h"

namespace rolltape {

/// The largest log probability that is recorded. Exact ones are at most 0: a softmax divides by a sum that includes its
/// own term. An engine that subtracts the logarithm of the sum from a scaled logit instead rounds by half a unit in the
/// last place of that logit: 1e-3 at 16,384 in float32, 30 times less than what bfloat16 changes between an engine and
/// a trainer. Logits that are taken for log probabilities are above it.
inline constexpr float kMaxLogprob = 1e-3F;

/// Limits of a call's output.
struct OutputLimits {
  std::int32_t vocabularySize = std::numeric_limits<std::int32_t>::max();
  std::uint32_t maxTokens = std::numeric_limits<std::uint32_t>::max();
};

/// The output of one model call while it comes in. Every append is all or nothing.
class Generation {
 public:
  Generation() = default;
  /// Every append throws kReplyImpossible for an id, a number of tokens or a log probability beyond the limits, before
  /// it changes anything.
  explicit Generation(const OutputLimits& limits) : limits_(limits) {}
  /// The tokens that a reader made, without a copy. Ids are not negative, log probabilities finite and as many, `runs`
  /// begins at 0 and ascends, `top` has a row per token or is empty.
  /// @throws kTooLarge over kMaxSequenceTokens.
  Generation(std::vector<std::int32_t> ids, std::vector<float> logprobs, std::vector<VersionRun> runs, TopLogprobs top);

  std::uint32_t length() const { return static_cast<std::uint32_t>(ids_.size()); }
  std::span<const std::int32_t> ids() const { return ids_; }
  std::span<const float> logprobs() const { return logprobs_; }
  std::span<const VersionRun> versionRuns() const { return runs_; }
  const TopLogprobs& top() const { return top_; }
  std::span<const ForcedRun> forcedRuns() const { return forced_; }
  std::span<const ChannelBuffer> channels() const { return channels_; }

  /// Adds tokens of one weight version.
  /// @throws kInvalidArg for unequal lengths or a negative id, kReplyNotFinite for a log probability that is not
  /// finite, kTooLarge over kMaxSequenceTokens.
  void append(std::span<const std::int32_t> ids, std::span<const float> logprobs, std::int32_t version);
  /// Adds tokens with a weight version each.
  void append(std::span<const std::int32_t> ids, std::span<const float> logprobs,
              std::span<const std::int32_t> versions);
  /// Adds alternatives, `width` places a token, for the last `ids.size() / width` tokens.
  void appendTop(std::span<const std::int32_t> ids, std::span<const float> logprobs, std::size_t width);
  /// Makes the first `width` alternatives of each token the channels `top_ids` (I32) and `top_logprobs` (F32) of
  /// outputs, and forgets them. A place without an alternative gets the id -1 and the log probability -infinity.
  /// @throws as addChannel
  void recordTop(std::size_t width);
  /// Adds the items of tokens from `first` on, counted as in ChannelBuffer. Takes the values without a copy.
  /// @throws as makeChannel and reserveChannels, and kInvalidArg for tokens after the last output token.
  void addChannel(const ChannelSpec& spec, std::uint32_t first, std::vector<std::byte> values,
                  std::span<const std::uint32_t> counts = {});
  /// Gives away the values of `channels()[index]`, of a generation that is not used any more. They stay where they are.
  std::vector<std::byte> takeValues(std::size_t index) { return std::move(channels_[index].values); }
  /// Returns true if a channel of outputs with this name covers all tokens from `from` on. In a ragged channel, a token
  /// may have no items.
  bool hasOutputs(std::string_view channel, std::uint32_t from) const;
  /// Gives versions to the labels of a reply: the version -2 - i becomes `versions[i]`.
  /// @throws kInvalidArg for a label without a version.
  void nameVersions(std::span<const std::int32_t> versions);
  /// Marks the tokens of `runs`, and no others, as forced. They are in order and within the output.
  void setForced(std::vector<ForcedRun> runs) { forced_ = std::move(runs); }
  /// Forgets the tokens from `length` on. Of a channel of sequences, also the item of the last token that is left, as
  /// if the generation had ended there; a session takes it from the next call.
  /// @throws kInvalidArg where there are not so many.
  void truncate(std::uint32_t length, std::uint32_t promptLength);
  /// Adds all of `other`. A token of the sequence that has an item here keeps it.
  void append(const Generation& other);
  /// The same, without a copy where there was nothing yet.
  void append(Generation&& other);
  /// The same, and gives the tokens from `from` on other versions: `runs`, which begins at 0, that is at `from`, and
  /// ascends. Empty: no other versions.
  void append(Generation&& other, std::uint32_t from, std::span<const VersionRun> runs);

 private:
  void checkPossible(std::span<const std::int32_t> ids, std::span<const float> logprobs) const;
  void checkPossible(const Generation& other) const;
  void checkCount(std::size_t count) const;
  void checkRoom(std::size_t count) const;
  /// Returns the channels of a generation whose outputs follow these, as appendChannels() takes them, and makes room.
  std::vector<ChannelBuffer> takeChannels(std::vector<ChannelBuffer> parts);
  void append(const Generation& other, std::vector<ChannelBuffer> channels);
  /// Makes room, so that appending so many tokens and version runs cannot throw.
  void reserve(std::size_t tokens, std::size_t runs);
  void append(std::span<const std::int32_t> ids, std::span<const float> logprobs, std::span<const VersionRun> runs);

  std::vector<std::int32_t> ids_;
  std::vector<float> logprobs_;
  std::vector<VersionRun> runs_;
  TopLogprobs top_;
  std::vector<ForcedRun> forced_;
  std::vector<ChannelBuffer> channels_;
  /// None for the parts that readers make, and for what a library records.
  std::optional<OutputLimits> limits_;
};

}  // namespace rolltape
