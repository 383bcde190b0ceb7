#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "channel.h"
#include "interaction.h"
#include "message_index.h"

namespace rolltape {

/// A stored interaction whose own values were checked. Session::restore checks that it continues the session.
struct StoredInteraction {
  std::uint32_t index;
  /// Less than `index`; -1 for a root.
  std::int32_t parent;
  std::uint32_t shared;
  std::uint32_t inputLength;
  std::uint32_t outputLength;
  bool startsRow;
  IndexedMessages messages;
  LabelSet labels;
  /// Views of the bytes that were read, which need not be aligned.
  std::span<const std::uint8_t> tail;
  std::span<const std::uint8_t> outputIds;
  std::span<const std::uint8_t> logprobs;
  std::span<const std::uint8_t> versionRuns;
  std::span<const std::uint8_t> facts;
  std::span<const std::uint8_t> forcedRuns;
  /// Copies of the channel runs. Positions are those of the sequence, also of outputs.
  std::vector<ChannelBuffer> channels;
};

/// Reads the format of stored_format.h and checks everything that needs no other interaction.
/// @throws kStoredInvalid if a check fails; the message names the field and the problem.
StoredInteraction readStoredInteraction(std::span<const std::uint8_t> bytes);

}  // namespace rolltape
