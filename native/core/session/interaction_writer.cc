#include "interaction_writer.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "../base/crc32c.h"
#include "../base/size.h"
#include "stored_channels.h"

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
  if (!interaction.recordedChannels().empty()) header.flags |= kHasChannels;
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

}  // namespace

InteractionWriter::InteractionWriter(const Interaction& interaction, const IndexedMessages& messages)
    : interaction_(interaction), callIds_(messages.callIds), header_(headerOf(interaction, messages)) {
  std::uint64_t bytes = checkedAdd(fixedStoredBytes(header_), interaction.forced().size_bytes());
  for (const ChannelRun& run : interaction.recordedChannels()) bytes = checkedAdd(bytes, storedBytes(run));
  for (const std::string& label : labelsOf(interaction)) bytes = checkedAdd(bytes, label.size());
  requireBlockSize(bytes);
  header_.byteLength = static_cast<std::uint32_t>(bytes);
}

void InteractionWriter::write(std::uint8_t* to) const {
  const std::span<const std::string> labels = labelsOf(interaction_);
  StoredOutput out(to);
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
    out.add(static_cast<std::uint32_t>(interaction_.recordedChannels().size()));
    for (const ChannelRun& run : interaction_.recordedChannels()) writeChannelRun(run, out);
  }
  for (const std::string& label : labels) out.addAll(std::span<const char>(label));
  out.add<StoredChecksum>(crc32c({to, out.end()}));
}

}  // namespace rolltape
