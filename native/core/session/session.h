#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "generation.h"
#include "interaction.h"
#include "interaction_writer.h"
#include "message_index.h"
#include "prompt.h"
#include "sequence_index.h"
#include "stored_channels.h"
#include "stored_interaction.h"

namespace rolltape {

/// The reward and the children of an interaction, which may change after it was recorded, and a copy of its place in
/// the tree. A plan reads them for every interaction, so they are stored next to each other.
struct InteractionState {
  /// NaN if it has none.
  double ownReward = std::numeric_limits<double>::quiet_NaN();
  std::uint32_t children = 0;
  /// -1 for a root.
  std::int32_t parent = -1;
  /// See Interaction::compactedFrom.
  std::int32_t compactedFrom = -1;
  bool tokenExact = false;

  bool isRewarded() const { return ownReward == ownReward; }
};

struct RecordInput {
  const Prompt& prompt;
  const Generation& generation;
  /// Chain digests of the input messages.
  std::span<const MessageDigest> digests;
  /// The output messages in canonical form.
  std::span<const std::string> output;
  /// -1 makes a root; absent: found by the messages.
  std::optional<std::int32_t> parent = std::nullopt;
  /// What is recorded of the call beside its tokens; see Interaction::facts.
  std::span<const std::uint32_t> facts = {};
  LabelSet labels = {};
  /// See Interaction::startsRow.
  bool startsRow = false;
  /// Ids of the tool calls in the input and in input and output.
  CallIds callIds = {};
  /// See Interaction::compactedFrom.
  std::int32_t compactedFrom = -1;
  /// The generation, if it is not used any more: long channels are then taken from it, not copied.
  Generation* consumed = nullptr;
};

/// The tokens, tree and own rewards of one session. Mutated from one thread only; what `storage()` holds may be read
/// from others at any time.
class Session {
 public:
  /// `key` is that of the digests which the session will be given.
  explicit Session(const SipKey& key) : key_(key), storage_(std::make_shared<SessionStorage>()) {}

  const SipKey& digestKey() const { return key_; }
  /// Interactions recorded.
  std::size_t length() const { return states_.size(); }
  std::size_t byteLength() const;
  const std::shared_ptr<SessionStorage>& storage() const { return storage_; }

  /// @param callIds as MessageIndex::findParent takes them
  std::optional<ParentMatch> findParent(std::span<const MessageDigest> digests,
                                        std::span<const std::uint64_t> callIds = {}) const {
    return index_.findParent(digests, callIds);
  }
  /// As MessageIndex::olderTwin. @throws kInvalidArg for a bad index.
  std::optional<std::uint32_t> olderTwin(std::uint32_t index) const {
    interaction(index, "index");
    return index_.olderTwin(index);
  }

  /// As SequenceIndex::findLongestPrefix.
  std::optional<std::uint32_t> findSequence(TokenSpan tokens) {
    return sequences_.findLongestPrefix(*storage_, tokens);
  }

  /// The whole sequence of `base`, if given, followed by the pieces. @throws as Prompt, kInvalidArg for a bad base.
  Prompt prompt(std::span<const TokenSpan> pieces, std::optional<std::uint32_t> base) const;
  /// The pieces, stored without what they have in common with the sequence of `likelyParent` at its start. Recording
  /// the prompt with this parent compares nothing. @throws as Prompt, kInvalidArg for a bad index.
  Prompt promptSharing(std::span<const TokenSpan> pieces, std::uint32_t likelyParent) const;
  /// Tokens at the start of the prompt that record() would store with this parent and not repeat.
  /// @throws kInvalidArg for a bad index.
  std::uint32_t sharedLength(const Prompt& prompt, std::uint32_t parent) const;
  /// Adds an interaction and returns it. All or nothing.
  /// @throws kInvalidArg for a bad parent or compactedFrom, kTooLarge over kMaxSequenceTokens.
  const Interaction& record(const RecordInput& input);
  /// Returns a writer of an interaction's bytes, for restore(). They do not include rewards.
  /// @throws kInvalidArg for a bad index.
  InteractionWriter serialize(std::uint32_t index) const;
  /// Adds the next interaction as it was recorded by a session with the same key. All or nothing.
  /// @param compactedFrom the value that was recorded; the bytes do not include it
  /// @throws kStoredInvalid if the bytes are damaged or do not continue this session; kInvalidArg for a bad
  /// compactedFrom.
  const Interaction& restore(std::span<const std::uint8_t> bytes, std::int32_t compactedFrom = -1);
  /// Gives the session a channel without items, unless it has a channel of this name.
  /// @throws kInvalidArg as requireChannel(), or if a tensor of another channel has one of its names
  void declareChannel(const ChannelSpec& spec);
  /// Adds items to the sequence of interaction `leaf`: those of tokens that have none, each with the interaction that
  /// stores the token. Plans that exist do not see them. All or nothing. An interaction whose first missing item is
  /// before the run gets none, so that its items have no gap.
  /// @param run of a sequence channel that is not ragged
  /// @returns the indices of the interactions that have more items now
  /// @throws kInvalidArg for a bad index, a run beyond the sequence, or a channel that the session cannot have
  std::vector<std::uint32_t> addChannel(std::uint32_t leaf, const ChannelRun& run);
  /// Returns a writer of the items that were added to an interaction, for restoreAdded().
  /// @throws kInvalidArg for a bad index.
  AddedChannelsWriter serializeAdded(std::uint32_t index) const;
  /// Adds the items that were added to an interaction, after the interaction was restored.
  /// @throws kStoredInvalid if the bytes are damaged or do not fit the interaction
  void restoreAdded(StoredBytes bytes);
  /// @throws kInvalidArg for a bad index, or if a float32 cannot hold the reward.
  void setReward(std::uint32_t index, double reward);

  /// @throws kInvalidArg for an index that there is not; `name` is that of the argument.
  const Interaction& interaction(std::uint32_t index, const char* name = "index") const;
  const InteractionState& state(std::uint32_t index) const { return states_[index]; }
  /// By index.
  std::span<const InteractionState> states() const { return states_; }
  /// The reward of the session as a whole, beside own rewards; see SessionRewards.
  /// @throws kInvalidArg if a float32 cannot hold it.
  void setSessionReward(double reward);
  std::optional<double> sessionReward() const { return sessionReward_; }

 private:
  const Interaction* chooseParent(const RecordInput& input) const;
  void storeInput(Interaction& made, const Prompt& prompt);
  void restoreTokens(Interaction& made, const StoredInteraction& stored);
  void storeFacts(Interaction& made, const RecordInput& input);
  void storeOutput(Interaction& made, const Generation& generation);
  void storeLabels(Interaction& made, const LabelSet& labels);
  /// Stores the items of the interaction's own tokens, and of the shared token before them if no ancestor has it.
  /// @param taken channels of a generation, as many as runs, whose values may be used where they are; empty for none.
  /// @returns indices of those whose values are used where they are.
  std::vector<std::size_t> storeChannels(Interaction& made, std::span<const ChannelRun> runs,
                                         std::span<const ChannelBuffer> taken = {});
  const InteractionChannels* keep(InteractionChannels channels);
  const ChannelSpec& keep(const ChannelSpec& spec);
  const Interaction& add(const Interaction& made, const IndexedMessages& messages);

  SipKey key_;
  std::shared_ptr<SessionStorage> storage_;
  std::vector<InteractionState> states_;
  std::optional<double> sessionReward_;
  MessageIndex index_;
  SequenceIndex sequences_;
};

}  // namespace rolltape
