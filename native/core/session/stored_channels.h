#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "channel.h"
#include "interaction.h"
#include "stored_bytes.h"
#include "stored_format.h"

namespace rolltape {

/// Returns the length of a stored channel run; see stored_format.h.
std::uint64_t storedBytes(const ChannelRun& run);
void writeChannelRun(const ChannelRun& run, StoredOutput& out);

/// Takes a stored channel run and adds it to `channels`.
/// @param mayContinue the run may begin where another one of its channel ends, and is then added to that one
/// @throws kStoredInvalid if it is damaged
void takeChannelRun(StoredInput& input, std::vector<ChannelBuffer>& channels, bool mayContinue);

/// Writes the items that were added to an interaction after its call was recorded, in the format of stored_format.h.
/// It must not outlive the interaction.
class AddedChannelsWriter {
 public:
  /// @throws kTooLarge over kMaxBlockBytes.
  explicit AddedChannelsWriter(const Interaction& interaction);

  std::size_t byteLength() const { return header_.byteLength; }
  /// Writes byteLength() bytes.
  void write(std::uint8_t* to) const;

 private:
  std::span<const ChannelRun> runs_;
  StoredAddedHeader header_;
};

/// The items that were added to an interaction. Positions are those of its sequence.
struct StoredAddedChannels {
  std::uint32_t index;
  std::vector<ChannelBuffer> channels;
};

/// @throws kStoredInvalid if the bytes are damaged; the message names the field and the problem.
StoredAddedChannels readAddedChannels(StoredBytes bytes);

}  // namespace rolltape
