#include "stored_channels.h"

#include <string>
#include <utility>

#include "../base/crc32c.h"
#include "../base/size.h"

namespace rolltape {

namespace {

/// Takes `count` values of T, if there are so many.
template <typename T>
std::vector<T> takeValues(StoredInput& input, std::size_t count) {
  requireStored(count <= input.rest().size() / sizeof(T), "channels: more than the bytes that are left");
  const StoredBytes bytes = input.take(count * sizeof(T));
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string takeText(StoredInput& input, std::size_t bytes) {
  const std::vector<char> text = takeValues<char>(input, bytes);
  return {text.begin(), text.end()};
}

}  // namespace

std::uint64_t storedBytes(const ChannelRun& run) {
  const ChannelSpec& spec = *run.spec;
  const std::uint64_t ids = spec.tokenIds.empty() ? 0 : 1 + spec.tokenIds.size();
  const std::uint64_t words = spec.shape.size() + ids + (spec.isRagged() ? run.count : 0);
  return sizeof(StoredChannelRun) + 4 * words + spec.name.size() + spec.offsets.size() +
         run.bytes(run.first, run.end()).size();
}

void writeChannelRun(const ChannelRun& run, StoredOutput& out) {
  const ChannelSpec& spec = *run.spec;
  out.add(StoredChannelRun{
      .dtype = static_cast<std::uint8_t>(spec.dtype),
      .flags =
          static_cast<std::uint8_t>((spec.ofSequence ? kOfSequence : 0) | (spec.tokenIds.empty() ? 0 : kHasTokenIds)),
      .rank = static_cast<std::uint8_t>(spec.shape.size()),
      .nameBytes = static_cast<std::uint8_t>(spec.name.size()),
      .offsetsBytes = static_cast<std::uint32_t>(spec.offsets.size()),
      .first = run.first,
      .count = run.count,
      .items = static_cast<std::uint32_t>(run.itemsBefore(run.end())),
  });
  out.addAll(std::span<const std::uint32_t>(spec.shape));
  if (!spec.tokenIds.empty()) {
    out.add(static_cast<std::uint32_t>(spec.tokenIds.size()));
    out.addAll(std::span<const std::int32_t>(spec.tokenIds));
  }
  if (spec.isRagged()) {
    for (std::uint32_t i = 0; i < run.count; ++i) out.add(run.starts[i + 1] - run.starts[i]);
  }
  out.addAll(std::span<const char>(spec.name));
  out.addAll(std::span<const char>(spec.offsets));
  out.addAll(run.bytes(run.first, run.end()));
}

void takeChannelRun(StoredInput& input, std::vector<ChannelBuffer>& channels, bool mayContinue) {
  const StoredChannelRun head = takeValues<StoredChannelRun>(input, 1).front();
  requireStored(head.dtype <= static_cast<std::uint8_t>(Dtype::kBool), "channels: an unknown dtype");
  requireStored((head.flags & ~(kOfSequence | kHasTokenIds)) == 0, "channels: an unknown flag is set");
  ChannelSpec spec{.name = "", .dtype = static_cast<Dtype>(head.dtype), .ofSequence = (head.flags & kOfSequence) != 0};
  spec.shape = takeValues<std::uint32_t>(input, head.rank);
  if ((head.flags & kHasTokenIds) != 0) {
    spec.tokenIds = takeValues<std::int32_t>(input, takeValues<std::uint32_t>(input, 1).front());
    requireStored(!spec.tokenIds.empty(), "channels: there are no token ids, but their flag is set");
  }
  const std::vector<std::uint32_t> counts = takeValues<std::uint32_t>(input, head.offsetsBytes > 0 ? head.count : 0);
  spec.name = takeText(input, head.nameBytes);
  spec.offsets = takeText(input, head.offsetsBytes);
  requireRestored([&] {
    requireChannel(spec);
    requireStored(head.items <= input.rest().size() / spec.itemBytes(), "channels: more than the bytes that are left");
    std::vector<std::byte> values = takeValues<std::byte>(input, head.items * spec.itemBytes());
    std::vector<ChannelBuffer> run;
    run.push_back(makeChannel(spec, head.first, std::move(values), counts));
    requireStored(head.count > 0 && run.front().count == head.count, "channels: a run is empty or continues another");
    reserveChannels(channels, run);
    const std::size_t before = channels.size();
    appendChannels(channels, std::move(run));
    requireStored(mayContinue || channels.size() > before, "channels: a run is empty or continues another");
  });
}

AddedChannelsWriter::AddedChannelsWriter(const Interaction& interaction)
    : runs_(interaction.addedChannels()),
      header_{.magic = kStoredAddedMagic,
              .version = kStoredVersion,
              .flags = 0,
              .byteLength = 0,
              .index = interaction.index,
              .runCount = static_cast<std::uint32_t>(runs_.size())} {
  std::uint64_t bytes = sizeof header_ + sizeof(StoredChecksum);
  for (const ChannelRun& run : runs_) bytes = checkedAdd(bytes, storedBytes(run));
  requireBlockSize(bytes);
  header_.byteLength = static_cast<std::uint32_t>(bytes);
}

void AddedChannelsWriter::write(std::uint8_t* to) const {
  StoredOutput out(to);
  out.add(header_);
  for (const ChannelRun& run : runs_) writeChannelRun(run, out);
  out.add<StoredChecksum>(crc32c({to, out.end()}));
}

StoredAddedChannels readAddedChannels(StoredBytes bytes) {
  requireStoredLength(bytes, sizeof(StoredAddedHeader) + sizeof(StoredChecksum));
  const auto header = valueAt<StoredAddedHeader>(bytes, 0);
  requireStored(header.magic == kStoredAddedMagic, "these bytes are not added items");
  requireStored(header.version == kStoredVersion && header.flags == 0, "version: this build does not read it");
  requireStored(header.byteLength == bytes.size(), "length: not that of the bytes");
  const StoredBytes summed = bytes.first(bytes.size() - sizeof(StoredChecksum));
  requireStored(crc32c(summed) == valueAt<StoredChecksum>(bytes.last(sizeof(StoredChecksum)), 0),
                "checksum: the bytes are damaged");
  StoredInput input(summed.subspan(sizeof header));
  StoredAddedChannels added{header.index, {}};
  for (std::uint32_t i = 0; i < header.runCount; ++i) takeChannelRun(input, added.channels, true);
  requireStored(input.rest().empty(), "length: there are bytes after the last run");
  return added;
}

}  // namespace rolltape
