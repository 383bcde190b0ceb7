#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "token_arena.h"
#include "version_runs.h"

namespace rolltape {

/// One model call as it was recorded. Immutable, at a stable address, so that packing reads it on worker threads while
/// the event loop records more.
///
/// Its sequence is its input tokens followed by its output tokens. The first `shared` input tokens are those of the
/// parent's sequence and are stored there; `tail` holds the others.
struct Interaction {
  const Interaction* parent = nullptr;
  /// The nearest ancestor whose own tokens the shared part still reaches into. Null where nothing is shared.
  const Interaction* source = nullptr;
  const std::int32_t* tail = nullptr;
  const std::int32_t* outputIds = nullptr;
  const float* logprobs = nullptr;
  const VersionRun* versionRuns = nullptr;
  std::uint32_t index = 0;
  std::uint32_t shared = 0;
  std::uint32_t inputLength = 0;
  std::uint32_t outputLength = 0;
  std::uint32_t versionRunCount = 0;
  /// Where the part of the sequence begins that token-exact edges lead to: the outputs behind it were all sampled in
  /// this very context.
  std::uint32_t exactFrom = 0;
  /// The parent's whole sequence is a prefix of this input. False for a root.
  bool tokenExact = false;

  /// -1 for a root.
  std::int32_t parentIndex() const { return parent == nullptr ? -1 : static_cast<std::int32_t>(parent->index); }
  std::uint32_t sequenceLength() const { return inputLength + outputLength; }
  /// Tokens that are not stored with an ancestor.
  std::uint32_t ownLength() const { return sequenceLength() - shared; }
  std::span<const std::int32_t> tailIds() const { return {tail, inputLength - shared}; }
  std::span<const VersionRun> versions() const { return {versionRuns, versionRunCount}; }
};

/// What plans and prompts keep alive of a session: its tokens and its interactions.
struct SessionStorage {
  TokenArena arena;
  std::deque<Interaction> interactions;
};

}  // namespace rolltape
