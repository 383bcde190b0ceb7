#include "token_columns.h"

#include <algorithm>

namespace rolltape {

void TrainedColumns::moveTo(std::size_t token) {
  lossMask.moveTo(token);
  logprobs.moveTo(token);
  versions.moveTo(token);
}

void TrainedColumns::fillUntrained(std::size_t count) {
  lossMask.fill(0, count);
  logprobs.fill(0.0f, count);
  versions.fill(kNoVersion, count);
}

void TrainedColumns::writeOutputs(const Interaction& interaction, std::uint32_t first, std::uint32_t count) {
  visitForced(interaction.forced(), first, count, [&](bool isForced, std::uint32_t from, std::uint32_t stretch) {
    if (isForced) {
      fillUntrained(stretch);
    } else {
      writeSampled(interaction, from, stretch);
    }
  });
}

void TrainedColumns::writeSampled(const Interaction& interaction, std::uint32_t first, std::uint32_t count) {
  lossMask.fill(1, count);
  logprobs.copy(interaction.logprobs + first, count);
  if (!versions.writes()) return;
  visitVersions(interaction.versions(), first, count,
                [&](std::int32_t version, std::uint32_t stretch) { versions.fill(version, stretch); });
}

void TrainedColumns::copy(const TokenColumns& from, std::size_t first, std::size_t count) {
  if (lossMask.writes()) lossMask.copy(from.lossMask + first, count);
  if (logprobs.writes()) logprobs.copy(from.logprobs + first, count);
  if (versions.writes()) versions.copy(from.versions + first, count);
}

void TrainedColumns::finish() {
  lossMask.finish();
  logprobs.finish();
  versions.finish();
}

TokenWriter::TokenWriter(const TokenColumns& to, bool pastCaches)
    : inputIds(to.inputIds, pastCaches),
      trained{{to.lossMask, pastCaches}, {to.logprobs, pastCaches}, {to.versions, pastCaches}} {}

void TokenWriter::moveTo(std::size_t token) {
  inputIds.moveTo(token);
  trained.moveTo(token);
}

void TokenWriter::writeOwn(const Interaction& interaction, std::uint32_t from, std::uint32_t to) {
  writeOwnIds(interaction, from, to, inputIds);
  const std::uint32_t inputEnd = std::clamp(interaction.inputLength, from, to);
  trained.fillUntrained(inputEnd - from);
  if (to > inputEnd) trained.writeOutputs(interaction, inputEnd - interaction.inputLength, to - inputEnd);
}

void TokenWriter::writeUntrained(const Interaction& interaction, std::uint32_t from, std::uint32_t to) {
  writeOwnIds(interaction, from, to, inputIds);
  trained.fillUntrained(to - from);
}

void TokenWriter::finish() {
  inputIds.finish();
  trained.finish();
}

void writeOwnIds(const Interaction& interaction, std::uint32_t from, std::uint32_t to,
                 ColumnWriter<std::int32_t>& inputIds) {
  const std::uint32_t inputEnd = std::clamp(interaction.inputLength, from, to);
  if (inputEnd > from) inputIds.copy(interaction.tail + (from - interaction.shared), inputEnd - from);
  if (to > inputEnd) inputIds.copy(interaction.outputIds + (inputEnd - interaction.inputLength), to - inputEnd);
}

}  // namespace rolltape
