#include "stored_interaction.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "../base/crc32c.h"
#include "../base/size.h"
#include "../base/utf8.h"
#include "stored_bytes.h"
#include "stored_channels.h"
#include "stored_format.h"

namespace rolltape {

namespace {

using Bytes = StoredBytes;

/// Reads the header, and checks that the bytes are complete and not damaged.
StoredHeader readHeader(Bytes bytes) {
  StoredHeader header;
  requireStoredLength(bytes, sizeof header.magic + sizeof header.version);
  std::memcpy(&header, bytes.data(), sizeof header.magic + sizeof header.version);
  requireStored(header.magic == kStoredMagic, "these bytes are not a serialized interaction");
  if (header.version != kStoredVersion) {
    throwStored("format version " + std::to_string(header.version) + ": this build reads " +
                std::to_string(kStoredVersion));
  }
  requireStoredLength(bytes, sizeof header + sizeof(StoredChecksum));
  header = valueAt<StoredHeader>(bytes, 0);
  requireStoredLength(bytes, header.byteLength);
  if (bytes.size() > header.byteLength) {
    throwStored("length: " + std::to_string(bytes.size()) + " bytes, but the interaction has " +
                std::to_string(header.byteLength));
  }
  const Bytes summed = bytes.first(bytes.size() - sizeof(StoredChecksum));
  requireStored(crc32c(summed) == valueAt<StoredChecksum>(bytes.last(sizeof(StoredChecksum)), 0),
                "checksum: the bytes are damaged");
  return header;
}

void checkHeader(const StoredHeader& header) {
  requireStored((header.flags & ~(kStartsRow | kHasCallIds | kHasForcedRuns | kHasChannels)) == 0,
                "flags: an unknown flag is set");
  requireStored(header.index < kMaxSequenceTokens, "index: more than a session can have");
  requireStored(header.parent >= -1 && header.parent < static_cast<std::int64_t>(header.index),
                "parent: not an earlier interaction");
  requireStored(header.shared <= header.inputLength, "shared: more than the input tokens");
  requireStored(header.parent >= 0 || header.shared == 0, "shared: a root shares no tokens");
  requireStored(std::uint64_t{header.inputLength} + header.outputLength <= kMaxSequenceTokens,
                "tokens: more than one sequence can have");
  requireStored(fixedStoredBytes(header) <= header.byteLength, "counts: they need more bytes than there are");
  requireStored(header.factCount <= kMaxFacts, "facts: more than an interaction can have");
}

// The loops over tokens have no branches, so that they take little time compared with the checksum.

void checkIds(const char* name, Bytes ids) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < ids.size() / 4; ++i) bits |= valueAt<std::uint32_t>(ids, i);
  if (bits >> 31 != 0) throwStored(std::string(name) + ": an id is negative");
}

void checkLogprobs(Bytes logprobs) {
  static_assert(std::numeric_limits<float>::is_iec559);
  constexpr std::uint32_t exponent = 0x7f800000;
  bool isFinite = true;
  for (std::size_t i = 0; i < logprobs.size() / 4; ++i) {
    isFinite &= (valueAt<std::uint32_t>(logprobs, i) & exponent) != exponent;
  }
  requireStored(isFinite, "logprobs: not all are finite");
}

void checkRuns(Bytes runs, std::uint32_t outputLength) {
  const std::size_t count = runs.size() / sizeof(VersionRun);
  requireStored(count > 0 || outputLength == 0, "version runs: there are none, but output tokens");
  std::int64_t before = -1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t start = valueAt<VersionRun>(runs, i).start;
    requireStored(i > 0 || start == 0, "version runs: the first does not begin at 0");
    requireStored(start > before && start < outputLength, "version runs: not in order within the output");
    before = start;
  }
}

/// Takes the number of forced runs and the runs.
Bytes takeForcedRuns(StoredInput& input, std::uint32_t outputLength) {
  const auto count = valueAt<std::uint32_t>(input.takeWords(1), 0);
  requireStored(count > 0, "forced runs: there are none, but their flag is set");
  requireStored(count <= input.rest().size() / sizeof(ForcedRun), "forced runs: more than the bytes that are left");
  const Bytes runs = input.take(count * sizeof(ForcedRun));
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [start, length] = valueAt<ForcedRun>(runs, i);
    requireStored(length > 0 && (i == 0 || start > before) && std::uint64_t{start} + length <= outputLength,
                  "forced runs: not in order within the output");
    before = std::uint64_t{start} + length;
  }
  return runs;
}

/// Takes the number of channel runs and the runs.
std::vector<ChannelBuffer> takeChannels(StoredInput& input, const StoredInteraction& stored) {
  std::vector<ChannelBuffer> channels;
  const std::uint32_t count = valueAt<std::uint32_t>(input.takeWords(1), 0);
  requireStored(count > 0, "channels: there are none, but their flag is set");
  for (std::uint32_t i = 0; i < count; ++i) takeChannelRun(input, channels, false);
  for (const ChannelBuffer& buffer : channels) {
    const std::uint32_t begin =
        buffer.spec.ofSequence ? stored.shared - std::min(stored.shared, 1u) : stored.inputLength;
    requireStored(buffer.first >= begin && buffer.end() <= stored.inputLength + stored.outputLength,
                  "channels: not within the interaction's own tokens");
  }
  return channels;
}

LabelSet readLabels(Bytes lengths, Bytes texts) {
  LabelSet labels;
  StoredInput input(texts);
  for (std::size_t i = 0; i < lengths.size() / 4; ++i) {
    const auto length = valueAt<std::uint32_t>(lengths, i);
    requireStored(length <= input.rest().size(), "labels: longer than the bytes that are left");
    const Bytes text = input.take(length);
    labels.emplace_back(text.begin(), text.end());
    requireStored(isUtf8(labels.back()), "labels: not UTF-8");
  }
  requireStored(input.rest().empty(), "labels: shorter than the bytes that are left");
  return labels;
}

CallIds readCallIds(Bytes bytes) {
  const auto ids = valueAt<CallIds>(bytes, 0);
  requireStored(ids.input != 0 || ids.conversation != 0, "call ids: there are none, but their flag is set");
  return ids;
}

}  // namespace

StoredInteraction readStoredInteraction(Bytes bytes) {
  const StoredHeader header = readHeader(bytes);
  checkHeader(header);
  StoredInteraction stored{header.index,
                           header.parent,
                           header.shared,
                           header.inputLength,
                           header.outputLength,
                           header.has(kStartsRow),
                           {header.input, header.conversation},
                           {},
                           {},
                           {},
                           {},
                           {},
                           {},
                           {},
                           {}};
  StoredInput input(bytes.subspan(sizeof header, bytes.size() - sizeof header - sizeof(StoredChecksum)));
  if (header.has(kHasCallIds)) stored.messages.callIds = readCallIds(input.take(sizeof(CallIds)));
  stored.tail = input.takeWords(header.inputLength - header.shared);
  stored.outputIds = input.takeWords(header.outputLength);
  stored.logprobs = input.takeWords(header.outputLength);
  stored.versionRuns = input.takeWords(std::size_t{2} * header.runCount);
  stored.facts = input.takeWords(header.factCount);
  const Bytes labelLengths = input.takeWords(header.labelCount);
  if (header.has(kHasForcedRuns)) stored.forcedRuns = takeForcedRuns(input, header.outputLength);
  if (header.has(kHasChannels)) stored.channels = takeChannels(input, stored);
  stored.labels = readLabels(labelLengths, input.rest());

  checkIds("input ids", stored.tail);
  checkIds("output ids", stored.outputIds);
  checkLogprobs(stored.logprobs);
  checkRuns(stored.versionRuns, stored.outputLength);
  return stored;
}

}  // namespace rolltape
