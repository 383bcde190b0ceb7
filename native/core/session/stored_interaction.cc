#include "stored_interaction.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "../base/crc32c.h"
#include "../base/size.h"
#include "../base/utf8.h"
#include "stored_format.h"

namespace rolltape {

namespace {

using Bytes = std::span<const std::uint8_t>;

[[noreturn]] void throwInvalid(const std::string& problem) {
  throw Error(ErrorCode::kStoredInvalid, problem);
}

void require(bool condition, const char* problem) {
  if (!condition) throwInvalid(problem);
}

/// Returns value `index` of an array, which need not be aligned.
template <typename T>
T valueAt(Bytes array, std::size_t index) {
  T value;
  std::memcpy(&value, array.data() + index * sizeof value, sizeof value);
  return value;
}

void requireBytes(Bytes bytes, std::uint64_t needed) {
  if (bytes.size() < needed) {
    throwInvalid("truncated: " + std::to_string(bytes.size()) + " of " + std::to_string(needed) + " bytes");
  }
}

/// Reads the header, and checks that the bytes are complete and not damaged.
StoredHeader readHeader(Bytes bytes) {
  StoredHeader header;
  requireBytes(bytes, sizeof header.magic + sizeof header.version);
  std::memcpy(&header, bytes.data(), sizeof header.magic + sizeof header.version);
  require(header.magic == kStoredMagic, "these bytes are not a serialized interaction");
  if (header.version != kStoredVersion) {
    throwInvalid("format version " + std::to_string(header.version) + ": this build reads " +
                 std::to_string(kStoredVersion));
  }
  requireBytes(bytes, sizeof header + sizeof(StoredChecksum));
  header = valueAt<StoredHeader>(bytes, 0);
  requireBytes(bytes, header.byteLength);
  if (bytes.size() > header.byteLength) {
    throwInvalid("length: " + std::to_string(bytes.size()) + " bytes, but the interaction has " +
                 std::to_string(header.byteLength));
  }
  const Bytes summed = bytes.first(bytes.size() - sizeof(StoredChecksum));
  require(crc32c(summed) == valueAt<StoredChecksum>(bytes.last(sizeof(StoredChecksum)), 0),
          "checksum: the bytes are damaged");
  return header;
}

void checkHeader(const StoredHeader& header) {
  require((header.flags & ~(kStartsRow | kHasCallIds | kHasForcedRuns | kHasChannels)) == 0,
          "flags: an unknown flag is set");
  require(header.index < kMaxSequenceTokens, "index: more than a session can have");
  require(header.parent >= -1 && header.parent < static_cast<std::int64_t>(header.index),
          "parent: not an earlier interaction");
  require(header.shared <= header.inputLength, "shared: more than the input tokens");
  require(header.parent >= 0 || header.shared == 0, "shared: a root shares no tokens");
  require(std::uint64_t{header.inputLength} + header.outputLength <= kMaxSequenceTokens,
          "tokens: more than one sequence can have");
  require(fixedStoredBytes(header) <= header.byteLength, "counts: they need more bytes than there are");
  require(header.factCount <= kMaxFacts, "facts: more than an interaction can have");
}

/// Takes arrays from the front of the bytes. The caller must have checked that there are enough.
class Input {
 public:
  explicit Input(Bytes bytes) : rest_(bytes) {}

  Bytes take(std::size_t bytes) {
    const Bytes taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  Bytes takeWords(std::size_t count) { return take(4 * count); }
  Bytes rest() const { return rest_; }

 private:
  Bytes rest_;
};

// The loops over tokens have no branches, so that they take little time compared with the checksum.

void checkIds(const char* name, Bytes ids) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < ids.size() / 4; ++i) bits |= valueAt<std::uint32_t>(ids, i);
  if (bits >> 31 != 0) throwInvalid(std::string(name) + ": an id is negative");
}

void checkLogprobs(Bytes logprobs) {
  static_assert(std::numeric_limits<float>::is_iec559);
  constexpr std::uint32_t exponent = 0x7f800000;
  bool isFinite = true;
  for (std::size_t i = 0; i < logprobs.size() / 4; ++i) {
    isFinite &= (valueAt<std::uint32_t>(logprobs, i) & exponent) != exponent;
  }
  require(isFinite, "logprobs: not all are finite");
}

void checkRuns(Bytes runs, std::uint32_t outputLength) {
  const std::size_t count = runs.size() / sizeof(VersionRun);
  require(count > 0 || outputLength == 0, "version runs: there are none, but output tokens");
  std::int64_t before = -1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t start = valueAt<VersionRun>(runs, i).start;
    require(i > 0 || start == 0, "version runs: the first does not begin at 0");
    require(start > before && start < outputLength, "version runs: not in order within the output");
    before = start;
  }
}

/// Takes the number of forced runs and the runs.
Bytes takeForcedRuns(Input& input, std::uint32_t outputLength) {
  const auto count = valueAt<std::uint32_t>(input.takeWords(1), 0);
  require(count > 0, "forced runs: there are none, but their flag is set");
  require(count <= input.rest().size() / sizeof(ForcedRun), "forced runs: more than the bytes that are left");
  const Bytes runs = input.take(count * sizeof(ForcedRun));
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [start, length] = valueAt<ForcedRun>(runs, i);
    require(length > 0 && (i == 0 || start > before) && std::uint64_t{start} + length <= outputLength,
            "forced runs: not in order within the output");
    before = std::uint64_t{start} + length;
  }
  return runs;
}

/// Takes `count` values of T, if there are so many.
template <typename T>
std::vector<T> takeValues(Input& input, std::size_t count) {
  require(count <= input.rest().size() / sizeof(T), "channels: more than the bytes that are left");
  const Bytes bytes = input.take(count * sizeof(T));
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string takeText(Input& input, std::size_t bytes) {
  const std::vector<char> text = takeValues<char>(input, bytes);
  return {text.begin(), text.end()};
}

void takeChannel(Input& input, std::vector<ChannelBuffer>& channels) {
  const StoredChannelRun head = takeValues<StoredChannelRun>(input, 1).front();
  require(head.dtype <= static_cast<std::uint8_t>(Dtype::kBool), "channels: an unknown dtype");
  require(head.ofSequence <= 1, "channels: an unknown kind");
  ChannelSpec spec{.name = "", .dtype = static_cast<Dtype>(head.dtype), .ofSequence = head.ofSequence == 1};
  spec.shape = takeValues<std::uint32_t>(input, head.rank);
  const std::vector<std::uint32_t> counts = takeValues<std::uint32_t>(input, head.offsetsBytes > 0 ? head.count : 0);
  spec.name = takeText(input, head.nameBytes);
  spec.offsets = takeText(input, head.offsetsBytes);
  try {
    requireChannel(spec);
    require(head.items <= input.rest().size() / spec.itemBytes(), "channels: more than the bytes that are left");
    std::vector<std::byte> values = takeValues<std::byte>(input, head.items * spec.itemBytes());
    std::vector<ChannelBuffer> run;
    run.push_back(makeChannel(spec, head.first, std::move(values), counts));
    require(head.count > 0 && run.front().count == head.count, "channels: a run is empty or continues another");
    reserveChannels(channels, run);
    const std::size_t before = channels.size();
    appendChannels(channels, std::move(run));
    require(channels.size() > before, "channels: a run is empty or continues another");
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kStoredInvalid) throw;
    throwInvalid(error.what());
  }
}

/// Takes the number of channel runs and the runs.
std::vector<ChannelBuffer> takeChannels(Input& input, const StoredInteraction& stored) {
  std::vector<ChannelBuffer> channels;
  const std::uint32_t count = takeValues<std::uint32_t>(input, 1).front();
  require(count > 0, "channels: there are none, but their flag is set");
  for (std::uint32_t i = 0; i < count; ++i) takeChannel(input, channels);
  for (const ChannelBuffer& buffer : channels) {
    const std::uint32_t begin =
        buffer.spec.ofSequence ? stored.shared - std::min(stored.shared, 1u) : stored.inputLength;
    require(buffer.first >= begin && buffer.end() <= stored.inputLength + stored.outputLength,
            "channels: not within the interaction's own tokens");
  }
  return channels;
}

LabelSet readLabels(Bytes lengths, Bytes texts) {
  LabelSet labels;
  Input input(texts);
  for (std::size_t i = 0; i < lengths.size() / 4; ++i) {
    const auto length = valueAt<std::uint32_t>(lengths, i);
    require(length <= input.rest().size(), "labels: longer than the bytes that are left");
    const Bytes text = input.take(length);
    labels.emplace_back(text.begin(), text.end());
    require(isUtf8(labels.back()), "labels: not UTF-8");
  }
  require(input.rest().empty(), "labels: shorter than the bytes that are left");
  return labels;
}

CallIds readCallIds(Bytes bytes) {
  const auto ids = valueAt<CallIds>(bytes, 0);
  require(ids.input != 0 || ids.conversation != 0, "call ids: there are none, but their flag is set");
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
  Input input(bytes.subspan(sizeof header, bytes.size() - sizeof header - sizeof(StoredChecksum)));
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
