#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "forced_runs.h"
#include "message_index.h"
#include "version_runs.h"

namespace rolltape {

/// The bytes of one stored interaction: the data that its record added to the session. They do not include rewards, nor
/// values that follow from the other interactions: the shared tokens, depth, rows, children.
///
/// They are: a StoredHeader; the CallIds if there are any; the arrays of 4-byte words: ids of the input tokens that are
/// not shared, ids and log probabilities (float32) of the output tokens, version runs (2 words each), facts, lengths of
/// the labels in bytes; the number of forced runs and the runs (2 words each), with kHasForcedRuns; the number of
/// channel runs and the runs, with kHasChannels; the labels in UTF-8; a CRC-32C of everything before it. A channel run
/// is a StoredChannelRun, its shape (a word for each dimension), with kHasTokenIds the number of token ids and the ids,
/// the number of items of each token (a word each) if it is ragged, the two names, and the values. All is little
/// endian, without padding.
///
/// Stored bytes outlive the process that wrote them. A change of the format needs a new version, a reader for the old
/// one, and a line in docs/reference/storage-format.md. A new optional part needs only a flag, and that line: older
/// builds refuse a flag that they do not know.
struct StoredHeader {
  /// These two fields are the same in every version of the format.
  std::array<char, 4> magic;
  std::uint16_t version;

  std::uint16_t flags;
  /// Length of all bytes, including the checksum.
  std::uint32_t byteLength;
  std::uint32_t index;
  /// -1 for a root.
  std::int32_t parent;
  std::uint32_t shared;
  std::uint32_t inputLength;
  std::uint32_t outputLength;
  std::uint32_t runCount;
  std::uint32_t factCount;
  std::uint32_t labelCount;
  MessageDigest input;
  MessageDigest conversation;

  bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
};

using StoredChecksum = std::uint32_t;

inline constexpr std::array<char, 4> kStoredMagic{'R', 'T', 'I', 'N'};
inline constexpr std::uint16_t kStoredVersion = 1;
/// Flags.
inline constexpr std::uint16_t kStartsRow = 1;
inline constexpr std::uint16_t kHasCallIds = 2;
inline constexpr std::uint16_t kHasForcedRuns = 4;
inline constexpr std::uint16_t kHasChannels = 8;

/// Flags of a StoredChannelRun.
inline constexpr std::uint8_t kOfSequence = 1;
inline constexpr std::uint8_t kHasTokenIds = 2;

/// The first bytes of a stored channel run.
struct StoredChannelRun {
  std::uint8_t dtype;
  /// kOfSequence and kHasTokenIds, see ChannelSpec.
  std::uint8_t flags;
  std::uint8_t rank;
  std::uint8_t nameBytes;
  /// 0 if the channel is not ragged.
  std::uint32_t offsetsBytes;
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t items;
};

/// The bytes of the items that were added to an interaction after its call was recorded: this header, the channel runs,
/// a CRC-32C of everything before it. A run may begin where another one of its channel ends.
struct StoredAddedHeader {
  std::array<char, 4> magic;
  std::uint16_t version;
  std::uint16_t flags;
  /// Length of all bytes, including the checksum.
  std::uint32_t byteLength;
  std::uint32_t index;
  std::uint32_t runCount;
};

inline constexpr std::array<char, 4> kStoredAddedMagic{'R', 'T', 'A', 'D'};

// These types are copied byte by byte, so they must have no padding.
static_assert(sizeof(StoredHeader) == 76 && std::is_trivially_copyable_v<StoredHeader>);
static_assert(sizeof(StoredAddedHeader) == 20 && std::is_trivially_copyable_v<StoredAddedHeader>);
static_assert(sizeof(CallIds) == 16 && std::is_trivially_copyable_v<CallIds>);
static_assert(sizeof(VersionRun) == 8 && std::is_trivially_copyable_v<VersionRun>);
static_assert(sizeof(ForcedRun) == 8 && std::is_trivially_copyable_v<ForcedRun>);
static_assert(sizeof(StoredChannelRun) == 20 && std::is_trivially_copyable_v<StoredChannelRun>);

/// Returns the length of all bytes except the forced runs, the channel runs and the labels' texts. It cannot overflow,
/// because the counts have 32 bits.
inline std::uint64_t fixedStoredBytes(const StoredHeader& header) {
  const std::uint64_t words = std::uint64_t{header.inputLength - header.shared} +
                              std::uint64_t{2} * header.outputLength + std::uint64_t{2} * header.runCount +
                              header.factCount + header.labelCount + (header.has(kHasForcedRuns) ? 1 : 0) +
                              (header.has(kHasChannels) ? 1 : 0);
  return sizeof(StoredHeader) + (header.has(kHasCallIds) ? sizeof(CallIds) : 0) + 4 * words + sizeof(StoredChecksum);
}

}  // namespace rolltape
