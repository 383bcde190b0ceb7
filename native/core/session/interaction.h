#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "channel.h"
#include "forced_runs.h"
#include "interaction_channels.h"
#include "token_arena.h"
#include "version_runs.h"

namespace rolltape {

/// The texts of one interaction that its session records again and again (finish reason, API, requested model): one per
/// label column, empty if the interaction has none.
using LabelSet = std::vector<std::string>;

inline constexpr std::size_t kMaxFacts = std::numeric_limits<std::uint16_t>::max();

/// One model call as it was recorded. Immutable but for items of channels that are added, at a stable address, so that
/// packing reads it on worker threads while the event loop records more.
///
/// Its sequence is its input tokens followed by its output tokens. The first `shared` input tokens are those of the
/// parent's sequence and are stored there; `tail` holds the others.
struct Interaction {
  // A plan reads these fields of every interaction. They come first, so that they share a cache line.
  const Interaction* parent = nullptr;
  /// The first turn of the row that ends with this interaction: token-exact edges lead from there to here.
  const Interaction* rowStart = nullptr;
  std::uint32_t index = 0;
  std::uint32_t shared = 0;
  std::uint32_t inputLength = 0;
  std::uint32_t outputLength = 0;
  /// Edges to the root.
  std::uint32_t depth = 0;
  /// The parent's whole sequence is a prefix of this input. False for a root.
  bool tokenExact = false;
  /// If it is not token-exact, it begins a new row of a `concat` export and does not make the export fail.
  bool startsRow = false;
  /// Number of words in facts().
  std::uint16_t factCount = 0;
  /// The nearest ancestor whose own tokens the shared part still reaches into. Null where nothing is shared.
  const Interaction* source = nullptr;
  const std::int32_t* tail = nullptr;
  const std::int32_t* outputIds = nullptr;
  const float* logprobs = nullptr;
  const VersionRun* versionRuns = nullptr;
  const ForcedRun* forcedRuns = nullptr;
  /// Owned by the session's storage. Null if nothing was recorded.
  const LabelSet* labels = nullptr;
  const std::uint32_t* factWords = nullptr;
  /// Owned by the session's storage.
  CurrentChannels currentChannels;
  std::uint32_t versionRunCount = 0;
  std::uint32_t forcedRunCount = 0;
  /// Where the part of the sequence begins that token-exact edges lead to: the outputs behind it were all sampled in
  /// this very context.
  std::uint32_t exactFrom = 0;
  /// Index of the interaction that the client compacted this conversation from: earlier than this one, and later than
  /// its parent. -1: none.
  std::int32_t compactedFrom = -1;

  /// -1 for a root.
  std::int32_t parentIndex() const { return parent == nullptr ? -1 : static_cast<std::int32_t>(parent->index); }
  std::uint32_t sequenceLength() const { return inputLength + outputLength; }
  /// Tokens that are not stored with an ancestor.
  std::uint32_t ownLength() const { return sequenceLength() - shared; }
  std::span<const std::int32_t> tailIds() const { return {tail, inputLength - shared}; }
  std::span<const VersionRun> versions() const { return {versionRuns, versionRunCount}; }
  /// Outputs that are not trained on, because the engine wrote them.
  std::span<const ForcedRun> forced() const { return {forcedRuns, forcedRunCount}; }
  /// The items of channels at a moment; see nextChannelMoment().
  std::span<const ChannelRun> channels(std::uint64_t moment = kNewestChannels) const {
    const InteractionChannels* at = currentChannels.at(moment);
    return at == nullptr ? std::span<const ChannelRun>() : std::span<const ChannelRun>(at->runs);
  }
  /// Those that the call recorded.
  std::span<const ChannelRun> recordedChannels() const {
    const InteractionChannels* at = currentChannels.newest();
    return at == nullptr ? std::span<const ChannelRun>() : std::span(at->runs).first(at->recorded);
  }
  /// Those that were added later.
  std::span<const ChannelRun> addedChannels() const {
    const InteractionChannels* at = currentChannels.newest();
    return at == nullptr ? std::span<const ChannelRun>() : std::span(at->runs).subspan(at->recorded);
  }
  /// What was recorded of the call beside its tokens: 32-bit words whose meaning the row columns know.
  std::span<const std::uint32_t> facts() const { return {factWords, factCount}; }
};

// Two cache lines: a session has thousands of interactions.
static_assert(sizeof(void*) != 8 || sizeof(Interaction) == 128);

/// What plans and prompts keep alive of a session: its tokens and its interactions.
struct SessionStorage {
  TokenArena arena;
  std::deque<Interaction> interactions;
  /// Each distinct set once, at a stable address.
  std::set<LabelSet> labelSets;
  /// Each distinct channel once, at a stable address.
  std::set<ChannelSpec> channelSpecs;
  std::vector<std::unique_ptr<const InteractionChannels>> channels;
  /// Memory of `channels`.
  std::size_t channelBytes = 0;
};

}  // namespace rolltape
