#include "interaction_writer.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "../base/crc32c.h"
#include "../base/size.h"

namespace rolltape {

namespace {

std::span<const std::string> labelsOf(const Interaction& interaction) {
  if (interaction.labels == nullptr) return {};
  return *interaction.labels;
}

/// Counts the runs that cover output tokens. A run that begins where the output ends covers none.
std::uint32_t countCoveringRuns(const Interaction& interaction) {
  const std::span<const VersionRun> runs = interaction.versions();
  const auto covers = [&](const VersionRun& run) { return run.start < interaction.outputLength; };
  return static_cast<std::uint32_t>(std::partition_point(runs.begin(), runs.end(), covers) - runs.begin());
}

StoredHeader headerOf(const Interaction& interaction, const IndexedMessages& messages) {
  StoredHeader header{};
  header.magic = kStoredMagic;
  header.version = kStoredVersion;
  header.flags = interaction.startsRow ? kStartsRow : 0;
  if (messages.callIds.input != 0 || messages.callIds.conversation != 0) header.flags |= kHasCallIds;
  if (interaction.forcedRunCount > 0) header.flags |= kHasForcedRuns;
  if (!interaction.channels().empty()) header.flags |= kHasChannels;
  header.index = interaction.index;
  header.parent = interaction.parentIndex();
  header.shared = interaction.shared;
  header.inputLength = interaction.inputLength;
  header.outputLength = interaction.outputLength;
  header.runCount = countCoveringRuns(interaction);
  header.factCount = interaction.factCount;
  header.labelCount = static_cast<std::uint32_t>(labelsOf(interaction).size());
  header.input = messages.input;
  header.conversation = messages.conversation;
  return header;
}

/// Writes values one after another.
class Output {
 public:
  explicit Output(std::uint8_t* to) : to_(to) {}

  template <typename T>
  void add(const T& value) {
    addAll(std::span<const T>(&value, 1));
  }
  template <typename T>
  void addAll(std::span<const T> values) {
    if (values.empty()) return;
    std::memcpy(to_, values.data(), values.size_bytes());
    to_ += values.size_bytes();
  }
  const std::uint8_t* end() const { return to_; }

 private:
  std::uint8_t* to_;
};

std::uint64_t storedBytes(const ChannelRun& run) {
  const ChannelSpec& spec = *run.spec;
  const std::uint64_t words = spec.shape.size() + (spec.isRagged() ? run.count : 0);
  return sizeof(StoredChannelRun) + 4 * words + spec.name.size() + spec.offsets.size() +
         run.bytes(run.first, run.end()).size();
}

void add(const ChannelRun& run, Output& out) {
  const ChannelSpec& spec = *run.spec;
  out.add(StoredChannelRun{
      .dtype = static_cast<std::uint8_t>(spec.dtype),
      .ofSequence = static_cast<std::uint8_t>(spec.ofSequence ? 1 : 0),
      .rank = static_cast<std::uint8_t>(spec.shape.size()),
      .nameBytes = static_cast<std::uint8_t>(spec.name.size()),
      .offsetsBytes = static_cast<std::uint32_t>(spec.offsets.size()),
      .first = run.first,
      .count = run.count,
      .items = static_cast<std::uint32_t>(run.itemsBefore(run.end())),
  });
  out.addAll(std::span<const std::uint32_t>(spec.shape));
  if (spec.isRagged()) {
    for (std::uint32_t i = 0; i < run.count; ++i) out.add(run.starts[i + 1] - run.starts[i]);
  }
  out.addAll(std::span<const char>(spec.name));
  out.addAll(std::span<const char>(spec.offsets));
  out.addAll(run.bytes(run.first, run.end()));
}

}  // namespace

InteractionWriter::InteractionWriter(const Interaction& interaction, const IndexedMessages& messages)
    : interaction_(interaction), callIds_(messages.callIds), header_(headerOf(interaction, messages)) {
  std::uint64_t bytes = checkedAdd(fixedStoredBytes(header_), interaction.forced().size_bytes());
  for (const ChannelRun& run : interaction.channels()) bytes = checkedAdd(bytes, storedBytes(run));
  for (const std::string& label : labelsOf(interaction)) bytes = checkedAdd(bytes, label.size());
  requireBlockSize(bytes);
  header_.byteLength = static_cast<std::uint32_t>(bytes);
}

void InteractionWriter::write(std::uint8_t* to) const {
  const std::span<const std::string> labels = labelsOf(interaction_);
  Output out(to);
  out.add(header_);
  if (header_.has(kHasCallIds)) out.add(callIds_);
  out.addAll(interaction_.tailIds());
  out.addAll(std::span(interaction_.outputIds, interaction_.outputLength));
  out.addAll(std::span(interaction_.logprobs, interaction_.outputLength));
  out.addAll(interaction_.versions().first(header_.runCount));
  out.addAll(interaction_.facts());
  for (const std::string& label : labels) out.add(static_cast<std::uint32_t>(label.size()));
  if (header_.has(kHasForcedRuns)) {
    out.add(interaction_.forcedRunCount);
    out.addAll(interaction_.forced());
  }
  if (header_.has(kHasChannels)) {
    out.add(static_cast<std::uint32_t>(interaction_.channels().size()));
    for (const ChannelRun& run : interaction_.channels()) add(run, out);
  }
  for (const std::string& label : labels) out.addAll(std::span<const char>(label));
  out.add<StoredChecksum>(crc32c({to, out.end()}));
}

}  // namespace rolltape
